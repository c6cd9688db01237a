"""Numbers of a statement as exact expressions: parameters, positions, traces, norms and moments, in one order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.algebra.sums import close_sum
from theorems.statement.expression import MOMENTS, Expr, StatementError
from theorems.statement.moments.forms import NotPolynomialError, Polynomial, Term
from theorems.statement.moments.mixing import Radial, radial
from theorems.statement.moments.moments import Moments
from theorems.statement.moments.normal import nonnegative
from theorems.statement.moments.pieces import beyond, of_event, over_roots, pieced
from theorems.statement.moments.traces import Traces, product_of
from theorems.statement.reading.calculus import settled
from theorems.statement.reading.chances import by_erf
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.laws import Law
from theorems.statement.reading.places import Order, Place, ordered, place_of
from theorems.statement.reading.shapes import shape

#: Most tokens in a product.
MAX_FACTORS = 16
_FUNCTIONS = {"sqrt": sp.sqrt, "exp": sp.exp, "log": sp.log, "cos": sp.cos, "sin": sp.sin, "erf": sp.erf}
_FUNCTIONS |= {"gamma": sp.gamma, "abs": sp.Abs, "min": sp.Min, "max": sp.Max}


def sympy_of(node: Expr, table: Mapping[str, sp.Expr] | None = None) -> sp.Expr:
    """A deterministic expression without matrices as sympy reads it; NotPolynomialError for any other."""
    op, args = node.op, node.args
    if op == "number":
        return sp.Rational(args[0].numerator, args[0].denominator)
    if op == "name":
        return (table or {}).get(args[0], symbol(args[0]))
    if op == "pi":
        return sp.pi
    if op in ("+", "*", "/", "**", *_FUNCTIONS):
        return combined(op, [sympy_of(arg, table) for arg in args], node)
    raise NotPolynomialError(f"{node} is no plain number", at=node.at)


def joined(value: sp.Expr) -> sp.Expr:
    """A value in which exp(a) exp(b) is exp(a + b)."""
    if not value.has(sp.exp):
        return value
    return sp.Add(*(sp.powsimp(term, combine="exp") for term in sp.Add.make_args(sp.expand_mul(value))))


def combined(op: str, parts: list[sp.Expr], node: Expr) -> sp.Expr:
    """An operation on exact values; StatementError for a division by 0."""
    if op == "+":
        return sp.Add(*parts)
    if op == "*":
        return sp.Mul(*parts)
    if op == "/":
        if parts[1] == 0:
            raise StatementError(f"{node} divides by 0; expected another denominator", at=node.at)
        return parts[0] / parts[1]
    if op == "**":
        if parts[0] == 0 and parts[1].is_negative:
            raise StatementError(f"{node} divides by 0; expected another denominator", at=node.at)
        return parts[0] ** parts[1]
    return _FUNCTIONS[op](*parts)


class Exact:
    """Exact values under a law and hypotheses, in one order of the positions."""

    def __init__(self, law: Law, known: Hypotheses, order: Order) -> None:
        self.law, self.known, self.order = law, known, order
        self.traces = Traces(known)
        self.moments = Moments(law, self.traces, order)
        self.polynomial = Polynomial(self.traces, self.coefficient)
        self._opaque: dict[str, sp.Expr] = {}
        #: norms that have no formula, by their names
        self.named: dict[str, Expr] = {}
        self._values: dict[Expr, sp.Expr] = {}
        self._means: dict[Expr, sp.Expr] = {}
        self._terms: dict[Expr, list[Term] | StatementError] = {}
        #: what moments rest on beside Isserlis' theorem
        self.rules: dict[str, None] = {}
        self.table = {
            name: symbol(place.name) + place.offset if place.name else sp.Integer(place.offset)
            for name, place in order.values
        }
        #: what is known of positions in this order, and of the indices of the sums around
        self._known, self._indices = ordered(known.places, order), 0
        if known.dimension.low is not None and known.dimension.low == known.dimension.high:
            self.table["d"] = sp.Integer(int(known.dimension.low))

    def value(self, node: Expr) -> sp.Expr:
        """The exact value of a deterministic scalar; NotPolynomialError where there is no closed form."""
        if node not in self._values:
            try:
                self._values[node] = self._without_powers_of_zero(self._value(node))
            except (ValueError, ZeroDivisionError, sp.PolynomialError) as error:
                if isinstance(error, StatementError):
                    raise
                raise NotPolynomialError(f"{str(node)[:60]} has no closed form here: {error}", at=node.at) from None
        return self._values[node]

    def _without_powers_of_zero(self, value: sp.Expr) -> sp.Expr:
        """A value with 0 for 0**h where the hypotheses say that h > 0."""
        powers = {power for power in value.atoms(sp.Pow) if power.base == 0} if value.has(sp.S.Zero) else set()
        above = {symbol(name): sp.Dummy(positive=True) for name, known in self.known.ranges.items() if known.sign == 1}
        return value.xreplace({power: sp.S.Zero for power in powers if power.exp.xreplace(above).is_positive})

    def _value(self, node: Expr) -> sp.Expr:
        op, args = node.op, node.args
        if op in ("name", "number", "pi"):
            return sympy_of(node, self.table)
        if op in ("min", "max", "abs"):
            return self._ordered(node)
        if op in ("+", "*", "/", "**", *_FUNCTIONS):
            if op == "**" and args[0].op == "norm":
                return self._norm(args[0], self.value(args[1]))
            if op in ("+", "*") and node.has("matrix", "vector", "family") and not node.has("E", "Var", "Cov"):
                kind, found = self.polynomial.value(node)
                if kind == "scalar":
                    return self.finished(self.moments.expect([term for term, _ in found]))
            return combined(op, [self.value(arg) for arg in args], node)
        if op == "diff":
            return self.value(settled(node))
        if op == "chance":
            return self.value(by_erf(node))
        if op == "tr":
            return self.finished(self.moments.expect(self.polynomial.terms(node)))
        if op == "norm":
            return self._norm(node, sp.Integer(1))
        if op == "sum":
            return self._sum(node)
        if op in ("prod", "series", "binomial", "integral"):
            return _powers(op)(node, self)
        if op in _MOMENTS:
            return _MOMENTS[op](self, *args)
        raise NotPolynomialError(f"{node} has no closed form here", at=node.at)

    def _sum(self, node: Expr) -> sp.Expr:
        body, index, first, last = node.args
        if node.random:
            raise StatementError(f"{node} is random; take a moment of it, e.g. E[{node}]", at=node.at)
        if body.has(*MOMENTS):
            return self._moment_sum(node)
        low, high = place_of(first), place_of(last)
        if self._empty(low, high):
            return sp.Integer(0)
        # an index is no position, even where it has the name of one
        self._indices += 1
        own, before = f"_{index}{self._indices}", self._known
        self._known = before.with_(low, Place(own), 0).with_(Place(own), high, 0)
        try:
            summand = self.value(body.put({index: Expr("name", (own,))}))
        finally:
            self._known = before
        return close_sum(summand, symbol(own), self.value(first), self.value(last))

    def _empty(self, first: Place, last: Place) -> bool:
        """Whether a sum has no terms; NotPolynomialError where it may have more than one term less than none."""
        table = self._known.shortest({first.name, last.name})
        if table is None:
            return True
        gap = first.offset - last.offset
        if gap - table[last.name, first.name] > 0:
            return True
        if table[first.name, last.name] + gap > 1:
            raise NotPolynomialError(f"whether the sum from {first} to {last} is empty is not known")
        return False

    def _moment_sum(self, node: Expr) -> sp.Expr:
        """A sum of expectations is the expectation of the sum."""
        inside = _under_expectation(node)
        if inside is None:
            raise NotPolynomialError(f"{node}: only expectations are summed, as sum(E[...], j, 1, T)", at=node.at)
        return self.expectation(inside)

    def _ordered(self, node: Expr) -> sp.Expr:
        """min, max and abs of positions, by their order."""
        try:
            if node.op == "abs" and node.args[0].op == "+" and len(node.args[0].args) == 2:
                one, other = sorted(node.args[0].args, key=lambda term: term.op == "*")
                if other.op == "*" and other.args[0].op == "number" and other.args[0].args[0] == -1:
                    two = other.args[1] if len(other.args) == 2 else Expr("*", other.args[1:])
                    gap = self.order.index(place_of(one)) - self.order.index(place_of(two))
                    return (1 if gap >= 0 else -1) * (self.value(one) - self.value(two))
            if node.op in ("min", "max"):
                ranked = sorted(node.args, key=lambda arg: self.order.index(place_of(arg)))
                return self.value(ranked[0] if node.op == "min" else ranked[-1])
        except (StatementError, KeyError):
            pass
        return _FUNCTIONS[node.op](*(self.value(arg) for arg in node.args))

    def _norm(self, node: Expr, power: sp.Expr) -> sp.Expr:
        """A power of a norm, by the square of a Euclidean or Frobenius one; a spectral or nuclear one has a name."""
        inner, kind = node.args
        vector = self.polynomial.value(inner)[0] in ("column", "row")
        if kind not in ("", "fro") and not vector:
            return self._named(inner, kind) ** power
        product = Expr("*", (Expr("T", (inner,)), inner))
        return self.value(product if vector else Expr("tr", (product,))) ** (power / 2)

    def _named(self, matrix: Expr, kind: str) -> sp.Expr:
        """A norm without a formula: a name, times the absolute values of numbers that multiply the matrix."""
        numbers = [arg for arg in matrix if shape(arg) == "number"] if matrix.op in ("*", "/") else []
        if numbers:
            rest = [arg for arg in matrix if arg not in numbers]
            scale = sp.Mul(*map(self._size, numbers)) ** (1 if matrix.op == "*" else -1)
            return scale * self._named(rest[0] if len(rest) == 1 else Expr("*", tuple(rest)), kind)
        shown, found = self.polynomial.value(matrix)
        if shown == "matrix" and len(found) == 1 and found[0][0].coefficient == Ratio.of(1):
            # a matrix has the norm of its transpose
            letters = self.traces.reduced(found[0][1])
            matrix = product_of(min(letters, self.traces.reduced(self.traces.transposed(letters))))
        node = Expr("norm", (matrix, kind))
        if node.random or node.names():
            # it differs with the tokens, along a sum or a limit
            raise NotPolynomialError(f"{node} has no closed form here")
        self.named[str(node)] = node
        return symbol(str(node))

    def _size(self, node: Expr) -> sp.Expr:
        """An absolute value, of a name that is known to be >= 0 itself."""
        value, low = self.value(node), self.known.ranges[str(node)].low if str(node) in self.known.ranges else None
        known = node.op == "name" and (node.args[0] in self.table or (low is not None and low >= 0))
        return value if known else sp.Abs(value)

    def coefficient(self, node: Expr) -> Ratio:
        """A deterministic factor as a coefficient; what is no Laurent polynomial gets a name until the end."""
        value = sp.expand(self.value(node))
        try:
            return Ratio.from_expr(value)
        except (ValueError, sp.PolynomialError):
            if own := {symbol(name): symbol("index") for name in node.names() if name.startswith("_")}:
                told = f"a sum of {value.xreplace(own)} over the index of tokens has no closed form here"
                raise NotPolynomialError(told, at=node.at) from None
            label = f"({value})"
            self._opaque[label] = value
            return Ratio.of(label)

    def terms(self, node: Expr) -> list[Term]:
        """A random scalar as a polynomial in forms, for the simulation's own check and for moments.

        NotPolynomialError for one that is none, or that divides by what may be 0.
        """
        if node not in self._terms:
            try:
                self._terms[node] = self.polynomial.terms(node)
            except ZeroDivisionError as error:
                told = f"{str(node)[:60]} has no closed form here: {error}"
                self._terms[node] = NotPolynomialError(told, at=node.at)
            except StatementError as error:
                self._terms[node] = error
        found = self._terms[node]
        if isinstance(found, StatementError):
            raise found.with_traceback(None)
        return found

    # -- moments

    def expectation(self, node: Expr) -> sp.Expr:
        """E[node], by symmetry where it has no closed form of its own."""
        if node not in self._means:
            # variances and what is made of higher moments rest on the same ones
            self._means[node] = self._mean(node)
        return self._means[node]

    def _mean(self, node: Expr) -> sp.Expr:
        try:
            return self._expected(node)
        except NotPolynomialError:
            half = _powers("symmetric")(node, self)
            if half is None:
                raise
        self.rules["E f(x) = E (f(x) + f(-x))/2"] = None
        return self._expected(half)

    def _expected(self, node: Expr) -> sp.Expr:
        if self.law.exchangeable:
            raise NotPolynomialError("the moments of an exchangeable law are not derived from it", at=node.at)
        if node.op == "**" and node.args[0].op == "norm" and node.args[0].random and not _even(node.args[1]):
            return self._radius(*node.args)
        if node.op == "norm" and node.random:
            return self._radius(node, Expr("number", (Fraction(1),)))
        if node.has("norm") and (value := _powers("length")(node, self)) is not None:
            return sp.sympify(value)
        if (power := _powers("moment")(node, self)) is not None:
            return sp.sympify(power)
        terms = self.terms(node)
        most = max((term.factors for term in terms), default=0)
        if most > MAX_FACTORS:
            raise NotPolynomialError(
                f"a product of {most} tokens in {str(node)[:40]}; expected at most {MAX_FACTORS}; "
                "take a lower power, or state a bound",
                at=node.at,
            )
        return self.finished(self.moments.expect(terms))

    def place(self, node: Expr) -> int:
        """Where a token's position stands in the order."""
        return self.order.index(place_of(node))

    def _radius(self, norm: Expr, exponent: Expr) -> sp.Expr:
        """E |v|^j of a sum v of Gaussian tokens with Sigma = I: (2 c)^(j/2) Gamma((d + j)/2)/Gamma(d/2), v ~ N(0, c I).

        The squared length of N(0, I) is 2 Gamma(d/2) in law. On the sphere a token's length is a number; the
        moments of an isotropic one's are names of their own. A token of a frame has the law of an independent one.
        NotPolynomialError unless j is shown to be >= 0.
        """
        kind, found = self.polynomial.value(norm.args[0])
        power = Expr("**", (norm, exponent))
        # a token times a number that is random is not Gaussian
        tokens = kind == "column" and all(
            not (term.forms or data[0]) and term.wave.plain and isinstance(data[1], Place) for term, data in found
        )
        head, _, lengths = self.law.kind.partition("-")
        one = head in ("iid", "frame") and lengths in ("", "sphere", "isotropic") and len({d[1] for _, d in found}) == 1
        if not (tokens and (self.law.gaussian or one) and not self.law.moved and self.known.identity):
            told = norm if exponent.args == (1,) else power
            raise NotPolynomialError(
                f"{told} has no closed form here; a sum of Gaussian tokens with Sigma = I has", at=norm.at
            )
        j, d = self.value(exponent), self.table.get("d", symbol("d"))
        low = {symbol(name): known.low for name, known in self.known.ranges.items() if known.low is not None}
        over = {name: sp.Rational(str(end)) + sp.Dummy() for name, end in low.items() if end >= 0}
        if not nonnegative(j, {name: form for name, form in over.items() if name in j.free_symbols}):
            raise NotPolynomialError(f"{exponent} is not shown to be >= 0, so that E[{power}] may be oo")
        square = self.expectation(Expr("**", (norm, Expr("number", (Fraction(2),))))) / d
        if lengths == "sphere":
            return d ** (j / 2) * square ** (j / 2)
        if lengths == "isotropic":
            # powers, which need this module
            from theorems.statement.moments.powers import whole

            if not whole(j, self.known):
                raise NotPolynomialError(f"E[{power}] has a name where {exponent} is a whole number", at=norm.at)
            return d ** (j / 2) * sp.cancel(square / radial(2).expr) ** (j / 2) * Radial(sp.expand(j))
        return (2 * sp.cancel(square)) ** (j / 2) * sp.gamma((d + j) / 2) / sp.gamma(d / 2)

    def finished(self, value: Ratio) -> sp.Expr:
        """A coefficient as an expression in the statement's names."""
        found = self.moments.expr(value).xreplace({symbol(label): form for label, form in self._opaque.items()})
        return over_roots(joined(found.xreplace({symbol(name): form for name, form in self.table.items()})))

    def central(self, node: Expr, power: int) -> sp.Expr:
        """E[(f - E f)^power]."""
        mean = self.expectation(node)
        raw = [sp.Integer(1), mean]
        raw += [self.expectation(Expr("**", (node, Expr("number", (Fraction(k),))))) for k in range(2, power + 1)]
        parts = [sp.binomial(power, k) * raw[k] * (-mean) ** (power - k) for k in range(power + 1)]
        return sp.Add(*parts)

    def variance(self, node: Expr) -> sp.Expr:
        """Var[node] = E[f^2] - E[f]^2."""
        return sp.expand(self.central(node, 2))

    def constant(self, node: Expr) -> bool:
        """Whether the variance of a number is found to be 0 at every case."""
        try:
            return bool(self.value(Expr("Var", (node,))) == 0)
        except NotPolynomialError:
            return False

    def covariance(self, one: Expr, two: Expr) -> sp.Expr:
        """Cov[one, two] = E[f g] - E[f] E[g]."""
        joint = self.expectation(Expr("*", (one, two)))
        return sp.expand(joint - self.expectation(one) * self.expectation(two))

    def correlation(self, one: Expr, two: Expr) -> sp.Expr:
        """Cov/(sd sd)."""
        return self.covariance(one, two) / sp.sqrt(self.variance(one) * self.variance(two))

    def skewness(self, node: Expr) -> sp.Expr:
        """Third central moment over sd^3."""
        return sp.expand(self.central(node, 3)) / self.variance(node) ** sp.Rational(3, 2)

    def kurtosis(self, node: Expr) -> sp.Expr:
        """Excess kurtosis: fourth central moment over the squared variance, minus 3."""
        return sp.expand(self.central(node, 4)) / self.variance(node) ** 2 - 3

    def probability(self, event: Expr) -> sp.Expr:
        """P[g > 0] = (1 + erf(E g/sqrt(2 Var g)))/2 of a linear form g in Gaussian tokens, with Var g > 0."""
        found = of_event(event)
        if found is None or not self.law.gaussian:
            raise NotPolynomialError(f"P[{event}] has no closed form here; one linear form of Gaussian tokens has")
        gap, *others = found
        if (sides := beyond(event)) is not None and self.moments.larger(self.value(sides[0]), False):
            # |A| > b >= 0 where A > b, or -A > b
            return sp.Add(sides[1], *(sides[2] * self.probability(one) for one in sides[3:]))
        if others or pieced(gap):
            return self.expectation(Expr("indicator", (event,)))
        terms = self.terms(gap)
        if not terms or any(term.factors > 1 or not term.wave.plain for term in terms):
            raise NotPolynomialError(f"P[{event}] has no closed form here; one linear form of Gaussian tokens has")
        return (1 + sp.erf(self.expectation(gap) / sp.sqrt(2 * self.variance(gap)))) / 2


def _even(exponent: Expr) -> bool:
    return exponent.op == "number" and exponent.args[0] >= 0 and exponent.args[0] % 2 == 0


def _powers(name: str) -> Callable[[Expr, Exact], Any]:
    # powers, products, sums to infinity and integrals, which need this module
    from theorems.statement.moments import integrals, powers, scaling, turned

    return {
        "prod": powers.product,
        "series": powers.to_infinity,
        "binomial": powers.binomial,
        "integral": integrals.closed,
        "length": scaling.scaled,
        "symmetric": turned.half_sum,
        "moment": powers.expected_power,
    }[name]


def _under_expectation(node: Expr) -> Expr | None:
    """f with E[f] = node, for sums and multiples of expectations; None where the node is not linear in them."""
    if not node.has(*MOMENTS):
        return node
    if node.op == "E":
        return node.args[0] if not node.args[0].has(*MOMENTS) else None
    if node.op not in ("+", "*", "/", "sum") or (node.op != "+" and sum(arg.has(*MOMENTS) for arg in node) > 1):
        return None
    if node.op in ("/", "sum") and not node.args[0].has(*MOMENTS):
        return None
    parts = [_under_expectation(arg) if isinstance(arg, Expr) else arg for arg in node.args]
    return None if any(part is None for part in parts) else Expr(node.op, tuple(parts), node.at)


_MOMENTS: dict[str, Callable[..., sp.Expr]] = {
    "E": Exact.expectation,
    "Var": Exact.variance,
    "Cov": Exact.covariance,
    "Corr": Exact.correlation,
    "Skew": Exact.skewness,
    "Kurt": Exact.kurtosis,
    "P": Exact.probability,
}
