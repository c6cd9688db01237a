"""Numbers of a statement as fractions of polynomials in atoms: names, traces, norms, entries, elementary functions.

Equal atoms have one label: tr(A B) = tr(B A), norm(W.T) = norm(W), exp(u + v) = exp(u) exp(v), and squares of roots,
absolute values and Frobenius norms are what they are squares of. So identities of such fractions are decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from math import gcd, isqrt, lcm

from theorems.algebra.ratio import Ratio
from theorems.statement.expression import Expr, StatementError, minus, name, number
from theorems.statement.moments.forms import Polynomial
from theorems.statement.moments.traces import SIGMA, Letters, Traces, letter_of, product_of
from theorems.statement.proofs import roots, special
from theorems.statement.proofs.quotients import (
    NONE,
    ONE,
    NoFormError,
    Quotient,
    monomials,
    number_of,
    substituted,
    terms,
)
from theorems.statement.proofs.sums import log_of_entry, summed
from theorems.statement.reading.hypotheses import Hypotheses

#: Largest power of one exponential, and most terms of a polynomial.
MAX_EXPONENT, MAX_TERMS = 12, 400


#: Norms by the entries of a transpose.
TURNED = {"1": "oo", "oo": "1"}
Words = dict[Letters, Ratio]


class Atoms:
    """Reads numbers under hypotheses; ``nodes`` says what every atom stands for, ``squares`` what some squares are."""

    def __init__(
        self, known: Hypotheses, weights: frozenset[str] = frozenset(), whole: Iterable[str] = frozenset()
    ) -> None:
        #: ``weights`` are the sequences that are probability vectors, ``whole`` names of integers >= 1
        self.known, self.weights, self.whole = known, weights, frozenset(whole)
        self.traces = Traces(known)
        self.polynomial = Polynomial(self.traces, self._coefficient)
        self.nodes: dict[str, Expr] = {}
        self.squares: dict[str, Ratio] = {}
        self.words: dict[str, Words] = {}
        self.steps: dict[str, Fraction] = {}
        self.settled = False
        self._kept: dict[Expr, Quotient] = {}
        self._numbers: dict[Expr, bool] = {}

    def quotient(self, node: Expr) -> Quotient:
        """The normal form of a number; NoFormError where there is none."""
        if node in self._kept:
            return self._kept[node]
        try:
            found = self._read(node)
        except (StatementError, ZeroDivisionError, ValueError, KeyError) as error:
            raise NoFormError(str(error)) from None
        form = Quotient(self.folded(found.above), self.folded(found.below))
        if self.settled:
            self._kept[node] = form
        return form

    def settle(self, node: Expr) -> Quotient:
        """The normal form in lowest terms, once a first reading has found of what all exponentials are powers."""
        self.quotient(node)
        self.nodes.clear()
        self.settled = True
        return self.quotient(node).lowest

    def has(self, node: Expr) -> bool:
        """Whether a number is made of the atoms that there are; others that it has are forgotten again."""
        nodes, kept = dict(self.nodes), dict(self._kept)
        try:
            found = self.quotient(node).above.names <= nodes.keys()
        except NoFormError:
            found = False
        if not found:
            self.nodes, self._kept = nodes, kept
        return found

    def vanishes(self, node: Expr) -> bool | None:
        """Whether a number is 0 by its normal form; None where it has none."""
        try:
            return self.quotient(node).above == NONE
        except NoFormError:
            return None

    def folded(self, value: Ratio) -> Ratio:
        """The polynomial with even powers of roots replaced by what they are powers of."""
        for _ in range(12):
            found = monomials(value) if self.squares else {}
            label = next((one for key in found for one, power in key if power > 1 and one in self.squares), None)
            if label is None:
                return _small(value)
            value = substituted(value, label, self.squares[label])
        raise NoFormError

    def _coefficient(self, node: Expr) -> Ratio:
        found = self._read(node)
        if found.below != ONE:
            return self.label(f"({node})", node)
        return found.above

    def node(self, label: str) -> Expr:
        """What an atom stands for."""
        return self.nodes.get(label, name(label))

    def label(self, label: str, node: Expr) -> Ratio:
        """A name for a node."""
        self.nodes.setdefault(label, node)
        return Ratio.of(label)

    def _read(self, node: Expr) -> Quotient:
        op, args = node.op, node.args
        if op == "number":
            return Quotient(Ratio.of(args[0]))
        if op in ("name", "pi"):
            return Quotient(self.label(args[0] if args else "pi", node))
        if op in ("+", "*") and node.has("matrix", "vector", "family", "softmax") and not self._is_number(node):
            raise NoFormError
        if op == "+":
            return reduce(Quotient.__add__, map(self._read, args))
        if op == "*":
            if all(self._is_number(arg) for arg in args):
                return reduce(Quotient.__mul__, map(self._read, args))
            return self._product(node)
        if op == "/":
            return self._read(args[0]) * self._read(args[1]).inverse
        if op == "**":
            return self._power(*args)
        if op in _READERS:
            return _READERS[op](self, node)
        raise NoFormError

    def _is_number(self, node: Expr) -> bool:
        if node.op in ("matrix", "vector", "family", "softmax"):
            return False
        if node.op == "T":
            return self._is_number(node.args[0])
        if node.op == "**":
            return self._is_number(node.args[0])
        if node.op in ("+", "/"):
            return all(self._is_number(arg) for arg in node)
        if node.op == "*":
            if all(self._is_number(arg) for arg in node):
                return True
            if node not in self._numbers:
                self._numbers[node] = self.polynomial.value(self._as_vectors(node))[0] == "scalar"
            return self._numbers[node]
        return True

    def _as_vectors(self, node: Expr) -> Expr:
        """Sequences and softmax(...) as fixed vectors of their own; refused for d = 1, where vectors are numbers."""
        if node.op in ("family", "softmax"):
            if self.traces.scalar:
                raise NoFormError
            return Expr("vector", (str(node),))
        return node.mapped(self._as_vectors)

    def _product(self, node: Expr) -> Quotient:
        """u.T*M*v, which is no number times a vector."""
        kind, found = self.polynomial.value(self._as_vectors(node))
        if kind != "scalar":
            raise NoFormError
        value = sum((term.coefficient for term, _ in found), NONE)
        self._named(value)
        return Quotient(value)

    def _named(self, value: Ratio) -> None:
        """Keep what the traces and chains of a value stand for."""
        for label in value.names:
            if label in self.traces.table and label not in self.nodes:
                left, letters, right = self.traces.table[label]
                if left and right:
                    ends = [Expr("T", (_vector(left),)), *map(letter_of, letters), _vector(right)]
                    self.nodes[label] = Expr("*", tuple(ends))
                elif letters:
                    self.nodes[label] = Expr("tr", (product_of(letters),))

    def word(self, node: Expr) -> Words:
        """A matrix as a combination of words."""
        kind, found = self.polynomial.value(node)
        if kind != "matrix":
            raise NoFormError
        total: Words = {}
        for term, letters in found:
            word = self.traces.reduced(letters)
            total[word] = (total.get(word, NONE) + term.coefficient).reduced()
        return {word: factor for word, factor in total.items() if factor != NONE}

    def trace(self, node: Expr) -> Quotient:
        """tr of a matrix."""
        value = NONE
        for letters, factor in self.word(node.args[0]).items():
            value = value + factor * self.traces.trace(letters)
        self._named(value)
        if "d" in value.names:
            self.nodes.setdefault("d", name("d"))
        return Quotient(value)

    def norm(self, node: Expr) -> Quotient:
        """A norm of a matrix or of a vector; of a number its absolute value. norm(A.T, oo) = norm(A, 1)."""
        inner, kind = node.args
        if inner.op == "T":
            inner, kind = inner.args[0], TURNED.get(kind, kind)
        if node.op == "norm" and (ends := self._outer(inner)) is not None:
            # norm(u*v.T) = norm(u)*norm(v), of every kind
            return reduce(Quotient.__mul__, (self.norm(Expr("norm", (end, ""))) for end in ends))
        shape = "column" if inner.op in ("family", "softmax") else self.polynomial.value(self._as_vectors(inner))[0]
        if shape == "column" and node.op == "entrynorm":
            kind = {"1": "sum", "oo": "max"}.get(kind, kind)
            if inner.op == "*" and inner.args[0].op == "number" and len(inner.args) == 2:
                # norm(c*v) = |c|*norm(v)
                scale, vector = inner.args
                return self.norm(Expr("entrynorm", (vector, kind))) * Quotient(Ratio.of(abs(scale.args[0])))
            return Quotient(self.label(f"norm({inner}, {kind})", Expr("entrynorm", (inner, kind))))
        if shape in ("column", "row") and node.op == "norm":
            turned = inner if shape == "column" else Expr("T", (inner,))
            square = self._product(Expr("*", (Expr("T", (turned,)), turned)))
            return self.root(f"norm({inner})", Expr("norm", (inner, "")), square)
        if shape == "scalar":
            return roots.absolute(self, Expr("abs", (inner,)))
        words = self.word(inner)
        if not words:
            return Quotient(NONE)
        factor = Quotient(ONE)
        if len(words) == 1:
            # norm(c*A) = |c|*norm(A)
            ((letters, coefficient),) = words.items()
            if len(monomials(coefficient)) > 1:
                raise NoFormError
            ((_, scale),) = monomials(coefficient).items()
            factor = roots.absolute(
                self, Expr("abs", (Expr("*", (number(scale), *_as_expr(coefficient, self.nodes))),))
            )
            words = {letters: ONE}
        flipped = {self.traces.reduced(self.traces.transposed(letters)): value for letters, value in words.items()}
        own = min(words, flipped, key=_text)
        if own != words or (words == flipped and kind == "oo"):
            words, kind = own, TURNED.get(kind, kind)
        matrix = _matrix_of(words)
        kind = kind or "fro"
        label = f"norm({_text(words)}, {kind})"
        self.words[label] = words
        shown = Expr(node.op, (matrix, kind))
        if kind == "fro":
            square = self.trace(Expr("tr", (Expr("*", (Expr("T", (matrix,)), matrix)),)))
            return self.root(label, shown, square) * factor
        return Quotient(self.label(label, shown)) * factor

    def _outer(self, node: Expr) -> tuple[Expr, Expr] | None:
        """u and v of u*v.T; None for what is none."""
        if node.op != "*" or not node.has("vector"):
            return None
        for k in range(1, len(node.args)):
            one, two = (Expr("*", part) if len(part) > 1 else part[0] for part in (node.args[:k], node.args[k:]))
            if [self.polynomial.value(self._as_vectors(part))[0] for part in (one, two)] == ["column", "row"]:
                return one, two.args[0] if two.op == "T" else Expr("T", (two,))
        return None

    def root(self, label: str, node: Expr, square: Quotient) -> Quotient:
        """A number >= 0 with this square."""
        constant = number_of(square.above) if square.below == ONE else None
        if constant is not None:
            if constant < 0:
                raise NoFormError
            above, below = isqrt(constant.numerator), isqrt(constant.denominator)
            if above**2 == constant.numerator and below**2 == constant.denominator:
                return Quotient(Ratio.of(Fraction(above, below)))
        if square.below != ONE:
            # sqrt(a/b) = sqrt(a b)/|b|: kept as an atom whose square is not used
            return Quotient(self.label(label, node))
        self.squares[label] = self.folded(square.above)
        return Quotient(self.label(label, node))

    def exponential(self, node: Expr) -> Quotient:
        """exp of a sum as a product of powers of exp of its terms."""
        inner = self.quotient(node.args[0])
        below, found = number_of(inner.below), Quotient(ONE)
        if below is None:
            parts = [Quotient((one * count).reduced(), inner.below).lowest for one, count in terms(inner.above)]
            whole = sum((one.above * (1 / end) for one in parts if (end := number_of(one.below)) is not None), NONE)
            rest = (inner.above - whole * inner.below).reduced()
            text = f"exp({rest.expr}/({inner.below.expr}))"
            own = ONE if rest == NONE else self.label(text, self._exp_of(rest, inner.below))
            if whole == NONE:
                return Quotient(own)
            inner, below, found = Quotient(whole.reduced()), Fraction(1), Quotient(own)
        for term, coefficient in terms(inner.above):
            count = coefficient / below
            inside = self._logarithm_of(term)
            if inside is not None and count.denominator == 1 and abs(count) <= MAX_EXPONENT:
                for _ in range(abs(int(count))):
                    found = found * (inside if count > 0 else inside.inverse)
                continue
            label = str(term.expr)
            if not self.settled:
                self.steps[label] = _common(self.steps.get(label, count), count)
            step = self.steps.get(label, Fraction(1))
            power = count / step
            if power.denominator != 1 or abs(power) > MAX_EXPONENT:
                raise NoFormError
            base = Expr("exp", (Expr("*", (number(step), *_as_expr(term, self.nodes))),))
            one = Quotient(self.label(f"exp({step}*{label})", base))
            for _ in range(abs(int(power))):
                found = found * (one if power > 0 else one.inverse)
        return found

    def _exp_of(self, above: Ratio, below: Ratio) -> Expr:
        """exp(above/below)."""
        ends = []
        for value in (above, below):
            parts = [Expr("*", (number(count), *_as_expr(term, self.nodes))) for term, count in terms(value)]
            ends.append(Expr("+", (number(0), *parts)))
        return Expr("exp", (Expr("/", tuple(ends)),))

    def _logarithm_of(self, term: Ratio) -> Quotient | None:
        """t where a term is log(t)."""
        ((key, _),) = monomials(term).items()
        node = self.nodes.get(key[0][0]) if len(key) == 1 and key[0][1] == 1 else None
        return self.quotient(node.args[0]) if node is not None and node.op == "log" else None

    def logarithm(self, node: Expr) -> Quotient:
        """log of a number, an atom by the normal form of its argument; of a product of positive factors a sum."""
        inner = self.quotient(node.args[0])
        if inner == Quotient(ONE):
            return Quotient(NONE)
        parts = [self._of_factors(part) for part in (inner.above, inner.below)]
        if (
            parts[0] is not None
            and parts[1] is not None
            and len(monomials(inner.above)) * len(monomials(inner.below)) == 1
        ):
            return parts[0] + Quotient(Ratio.of(-1)) * parts[1]
        return Quotient(self.label(f"log(({inner.above.expr})/({inner.below.expr}))", node))

    def _of_factors(self, product: Ratio) -> Quotient | None:
        """log of a monomial as the sum of those of its factors; None where one is not seen to be positive."""
        found = Quotient(NONE)
        for key, coefficient in monomials(product).items():
            if coefficient <= 0:
                return None
            if coefficient != 1:
                constant = Expr("log", (number(coefficient),))
                found = found + Quotient(self.label(str(constant), constant))
            for label, power in key:
                one = self.node(label)
                if one.op == "exp":
                    part = self.quotient(one.args[0])
                elif one.op == "entry" and (by_scores := log_of_entry(one, self.known)) is not None:
                    part = self.quotient(by_scores)
                elif (one.op == "name" and self.positive(label)) or (one.op == "entry" and one.args[0] in self.weights):
                    # a product of numbers >= 0 that has a logarithm has none that is 0
                    part = Quotient(self.label(f"log(({label})/(1))", Expr("log", (one,))))
                else:
                    return None
                found = found + Quotient(Ratio.of(power)) * part
        return found

    def positive(self, label: str) -> bool:
        """Whether a name is > 0 by its range, or by that of a name that is at most as large."""
        smaller, found = [label], {label}
        while smaller:
            one = smaller.pop()
            known = self.known.ranges.get(one)
            if known is not None and known.low is not None and (known.low > 0 or (known.low == 0 and known.low_open)):
                return True
            for relation, left, right in self.known.relations:
                low, high = (left, right) if relation[0] == "<" else (right, left)
                if relation != "!=" and high == name(one) and low.op == "name" and low.args[0] not in found:
                    found.add(low.args[0])
                    smaller.append(low.args[0])
        return False

    def extreme(self, node: Expr) -> Quotient:
        """max(a, b) = (a + b + |a - b|)/2; of one vector an atom."""
        if len(node.args) == 1 and not self._is_number(node.args[0]):
            return Quotient(self.label(str(node), node))
        found, sign = node.args[0], 1 if node.op == "max" else -1
        for arg in node.args[1:]:
            apart = Expr("*", (number(sign), Expr("abs", (minus(found, arg),))))
            found = Expr("*", (number(Fraction(1, 2)), Expr("+", (found, arg, apart))))
        return self._read(found)

    def entry(self, node: Expr) -> Quotient:
        """An entry of a sequence or of softmax(...)."""
        return Quotient(self.label(str(node), node))

    def distribution(self, vector: Expr) -> bool:
        """Whether a vector is a probability vector."""
        inner = vector.args[0] if vector.op == "softmax" else vector
        return inner.op == "family" and (vector is not inner or inner.args[0] in self.weights)

    def _power(self, base: Expr, exponent: Expr) -> Quotient:
        if not self._is_number(base):
            raise NoFormError
        if exponent.op != "number":
            # the base is > 0 wherever this has a value
            return self.exponential(Expr("exp", (Expr("*", (exponent, Expr("log", (base,)))),)))
        count = exponent.args[0]
        if count.denominator == 2:
            base, count = Expr("sqrt", (base,)), 2 * count
        if abs(count.numerator) > MAX_EXPONENT:
            raise NoFormError
        one = self._read(base) if count.denominator == 1 else self._higher_root(base, count.denominator)
        found = Quotient(ONE)
        for _ in range(abs(count.numerator)):
            found = found * one
            found = Quotient(self.folded(found.above), self.folded(found.below))
        return found.inverse if count < 0 else found

    def _higher_root(self, base: Expr, order: int) -> Quotient:
        """A cube root, and alike: an atom of which nothing but its sign is known."""
        inner = self.quotient(base)
        told = f"({inner.above.expr})" if inner.below == ONE else f"({base})"
        return Quotient(self.label(f"{told}**(1/{order})", Expr("**", (base, number(Fraction(1, order))))))


_READERS = {
    "tr": Atoms.trace,
    "norm": Atoms.norm,
    "entrynorm": Atoms.norm,
    "sqrt": roots.sqrt,
    "abs": roots.absolute,
    "exp": Atoms.exponential,
    "log": Atoms.logarithm,
    "min": Atoms.extreme,
    "max": Atoms.extreme,
    **special.READERS,
    "entry": Atoms.entry,
    "entropy": Atoms.entry,
    "sum": summed,
}


def _common(one: Fraction, two: Fraction) -> Fraction:
    """The largest number of which both are whole multiples."""
    below = lcm(one.denominator, two.denominator)
    return Fraction(gcd(int(one * below), int(two * below)), below)


def _small(value: Ratio) -> Ratio:
    found = value.reduced()
    if found.den or len(found.num) > MAX_TERMS:
        raise NoFormError
    return found


def _as_expr(term: Ratio, nodes: dict[str, Expr]) -> list[Expr]:
    ((key, _),) = monomials(term).items()
    return [
        Expr("**", (nodes.get(label, name(label)), number(power))) if power > 1 else nodes.get(label, name(label))
        for label, power in key
    ]


def _vector(label: str) -> Expr:
    if label.startswith("softmax("):
        return Expr("softmax", (Expr("family", (label[8:-1],)),))
    return Expr("vector", (label,))


def _matrix_of(words: Words) -> Expr:
    parts = []
    for letters, factor in sorted(words.items(), key=lambda item: str(item[0])):
        if factor == ONE:
            parts.append(product_of(letters))
            continue
        ((_, coefficient),) = monomials(factor).items() if len(monomials(factor)) == 1 else [(None, None)]
        if coefficient is None:
            raise NoFormError
        scale = [number(coefficient), *_as_expr(factor, {})]
        parts.append(Expr("*", (*scale, product_of(letters))))
    return parts[0] if len(parts) == 1 else Expr("+", tuple(parts))


def _text(words: Words) -> str:
    factors = {letters: 1 if value == ONE else value.expr for letters, value in words.items()}
    return " + ".join(sorted(f"{factor}*{letters}" for letters, factor in factors.items()))


__all__ = ["SIGMA", "Atoms", "NoFormError", "Quotient", "Words", "monomials"]
