"""Lower bounds that hold up to o(1) as T -> infinity: how a formula grows with T, and whether it stays below."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce

import sympy as sp

from theorems.algebra.balls import ball, precision, rational, sign
from theorems.algebra.closed import names, vanishes
from theorems.algebra.expressions import parse, symbol
from theorems.kernel.derivation import Inequality
from theorems.kernel.outcome import CheckedStep, Outcome
from theorems.rules.entropy import visible_sign

#: Where balls look at a growth: T = 2^FAR, to within 2^-NEAR, with BITS bits.
FAR, NEAR, BITS = 240, 80, 1024


@dataclass(frozen=True)
class Eventually(Inequality):
    """``quantity`` <= ``upper`` + o(1) as T -> infinity: a bound and the least value, which is attained for every T.

    ``leading`` is the least value's own growth, the conclusion of the last step, so that a formula is a bound if and
    only if its excess over ``leading`` stays below every positive number. ``names`` are T and the names that are >= 0.
    """

    leading: sp.Expr
    names: tuple[str, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """No name but T, which grows, is negative."""
        return tuple(f"{name} >= 0" for name in self.names if name != "T")


def null(coefficient: sp.Expr) -> bool:
    """Whether a coefficient is shown to be 0; one that is visibly positive or negative is not."""
    if coefficient == 0 or visible_sign(coefficient, names(coefficient)) in (1, -1):
        return bool(coefficient == 0)
    return vanishes(coefficient)


@dataclass(frozen=True)
class Growth:
    """sum_k powers[k] T^k + log * log T + constant + o(1) as T -> infinity, for positive values of the other names."""

    powers: Mapping[int, sp.Expr]
    log: sp.Expr
    constant: sp.Expr

    def minus(self, other: Growth) -> Growth:
        """The growth of the difference."""
        keys = set(self.powers) | set(other.powers)
        zero = sp.Integer(0)
        powers = {k: self.powers.get(k, zero) - other.powers.get(k, zero) for k in keys}
        return Growth(
            {k: c for k, c in powers.items() if not null(c)}, self.log - other.log, self.constant - other.constant
        )

    @property
    def expr(self) -> sp.Expr:
        """The growth as an expression in T."""
        T = symbol("T")
        return sp.Add(*(c * T**k for k, c in self.powers.items())) + self.log * sp.log(T) + self.constant

    def parts(self) -> Iterator[sp.Expr]:
        """The coefficients that are not 0, the fastest growing first; the constant last, whatever it is."""
        yield from (self.powers[k] for k in sorted(self.powers, reverse=True))
        if not null(self.log):
            yield self.log
        yield self.constant


@lru_cache(maxsize=1024)
def growth(expression: sp.Expr, positive: frozenset[str]) -> Growth | None:
    """How sums of rational functions of T and of logarithms of them grow; None for other expressions.

    With u = 1/T every part is a power of u times what is continuous at u = 0. ``positive`` names the other names that
    are positive: what stands below a line or in a logarithm must tend to something that is visibly not 0, or positive.
    """
    u, T = sp.Dummy("u"), symbol("T")
    powers: dict[int, sp.Expr] = {}
    log = constant = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand_mul(expression)):
        logs = [factor for factor in sp.Mul.make_args(term) if isinstance(factor, sp.log)]
        rest = sp.Mul(*(factor for factor in sp.Mul.make_args(term) if factor not in logs))
        if not term.has(T):
            constant += term
        elif not logs:
            series = _series(term.xreplace({T: 1 / u}), u, positive)
            if series is None:
                return None
            for power, coefficient in series.items():
                powers[-power] = powers.get(-power, sp.Integer(0)) + coefficient
        elif len(logs) == 1 and not rest.has(T):
            first = _first(logs[0].args[0].xreplace({T: 1 / u}), u, positive)
            if first is None or visible_sign(first[1], positive) != 1:
                return None
            log -= rest * first[0]
            constant += rest * _log(first[1])
        else:
            return None
    constant += powers.pop(0, sp.Integer(0))
    return Growth({k: c for k, c in powers.items() if not null(c)}, log, constant)


def _coefficients(polynomial: sp.Expr, u: sp.Symbol) -> dict[int, sp.Expr] | None:
    expanded = sp.expand(polynomial)
    if not expanded.is_polynomial(u):
        return None
    found: dict[int, sp.Expr] = {}
    for term in sp.Add.make_args(expanded):
        coefficient, power = term.as_independent(u)
        degree = int(sp.degree(power, u)) if power.has(u) else 0
        found[degree] = found.get(degree, sp.Integer(0)) + coefficient
    return {k: c for k, c in found.items() if not null(c)}


def _first(
    quotient: sp.Expr, u: sp.Symbol, positive: frozenset[str]
) -> tuple[int, sp.Expr, dict[int, sp.Expr], dict[int, sp.Expr]] | None:
    """The lowest power of u with its coefficient, and the numerator's and the denominator's coefficients."""
    above, below = (_coefficients(part, u) for part in sp.fraction(sp.together(quotient)))
    if not above or not below:
        return None
    low, base = min(above), min(below)
    if visible_sign(below[base], positive) not in (1, -1):
        return None
    return low - base, above[low] / below[base], above, below


def _series(quotient: sp.Expr, u: sp.Symbol, positive: frozenset[str]) -> dict[int, sp.Expr] | None:
    """The coefficients of u^k for k <= 0, by division of power series."""
    first = _first(quotient, u, positive)
    if first is None:
        return None
    lowest, _, above, below = first
    start, base = min(above), min(below)
    zero = sp.Integer(0)
    found: dict[int, sp.Expr] = {}
    for step in range(max(0, 1 - lowest)):
        taken = sp.Add(*(found[lowest + k] * below.get(base + step - k, zero) for k in range(step)))
        found[lowest + step] = (above.get(start + step, zero) - taken) / below[base]
    return found


def _log(value: sp.Expr) -> sp.Expr:
    """log of a product of positive factors: log(exp(z)) = z, and a sum of logarithms."""
    found = sp.Integer(0)
    for factor in sp.Mul.make_args(sp.factor_terms(value)):
        base, power = factor.as_base_exp() if not isinstance(factor, sp.exp) else (factor, sp.Integer(1))
        found += factor.args[0] if isinstance(factor, sp.exp) else power * sp.log(base)
    return found


def unsupported_eventually(bound: Eventually) -> list[str]:
    """Why the least value and its growth do not follow from the steps, or the bound from them; empty where they do."""
    least = [step.data for step in bound.steps if step.rule == "least-entropy" and vanishes(step.data[3] - bound.upper)]
    if not least:
        return [f"no step concludes the least value {bound.upper}"]
    last = bound.steps[-1]
    if last.rule != "squeeze" or not vanishes(last.data[1] - bound.upper) or last.data[6] != bound.leading:
        return [f"the last step does not conclude that {bound.upper} = {bound.leading} + o(1)"]
    if last.data[2:4] not in [data[1:3] for data in least]:
        return ["the last step is about scores of another number, or norm, than the least value"]
    if not bound.points:
        return ["there is no point at which the growth can be confirmed"]
    for others in ({}, *({symbol(name): sp.Integer(0)} for name in bound.names if name != "T")):
        gap = excess(bound.quantity.xreplace(others), bound)
        if gap is None or gap.powers or not all(null(part) for part in gap.parts()):
            return [f"{bound.quantity} is not shown to be {bound.leading} + o(1)"]
    return []


def excess(formula: sp.Expr, bound: Eventually) -> Growth | None:
    """The growth of formula - leading for positive names; None where it is not found."""
    positive = frozenset(bound.names)
    found, true = growth(formula, positive), growth(bound.leading, positive)
    return None if found is None or true is None else found.minus(true)


def below(formula: sp.Expr, bound: Eventually) -> bool | None:
    """Whether formula <= leading + o(1) for all values >= 0 of the names but T; None where that is not decided.

    False by a value where the first coefficient that counts is certified positive; positive values and 0 apart.
    """
    answers = []
    others = [name for name in bound.names if name != "T"]
    for table in ({}, *({symbol(name): sp.Integer(0)} for name in others)):
        gap = excess(formula.xreplace(table), bound)
        answers.append(None if gap is None else _stays_below(gap, bound))
    if False in answers:
        return False
    return None if None in answers else True


def _stays_below(gap: Growth, bound: Eventually) -> bool | None:
    parts = list(gap.parts())
    for place, part in enumerate(parts):
        if null(part):
            return True
        shown = visible_sign(part, bound.names)
        if shown is not None and shown <= 0:
            return True
        if shown == 1 or exceeding(part, bound) is not None:
            return False
        # a factor of what grows must not vanish anywhere; the constant may
        return True if place == len(parts) - 1 and never_positive(part, bound.names) else None
    return True


def never_positive(expression: sp.Expr, positive: Collection[str]) -> bool:
    """Whether a rational function of positive names and of one exponential exp(c), c > 0, is shown to be <= 0.

    Every exponential in it is to be a whole power of one, which is 1 + v with v > 0; then no coefficient of the
    numerator may be positive, none of the denominator negative.
    """
    nodes = sorted(expression.atoms(sp.exp), key=str)
    side = visible_sign(nodes[0].args[0], positive) if nodes else None
    if side not in (1, -1) or not names(expression) <= set(positive):
        return False
    ratios = [sp.cancel(side * node.args[0] / nodes[0].args[0]) for node in nodes]
    if not all(ratio.is_Rational for ratio in ratios):
        return False
    step = 1 / sp.Integer(reduce(sp.ilcm, (ratio.q for ratio in ratios), 1))
    v = sp.Dummy("v")
    table = {node: (1 + v) ** (ratio / step) for node, ratio in zip(nodes, ratios, strict=True)}
    quotient = sp.fraction(sp.together(expression.xreplace(table)))
    if any(not part.is_polynomial() for part in map(sp.expand, quotient)):
        return False
    above, below = (sp.Poly(sp.expand(part), v, *(symbol(name) for name in sorted(positive))) for part in quotient)
    numbers = all(c.is_Rational for c in (*above.coeffs(), *below.coeffs()))
    return numbers and all(c <= 0 for c in above.coeffs()) and all(c >= 0 for c in below.coeffs())


def exceeding(part: sp.Expr, bound: Eventually) -> Mapping[str, object] | None:
    """The first point of the derivation where a coefficient is certified positive."""
    for point in bound.points:
        values = {name: Fraction(str(point[name])) for name in names(part)}
        if sign(part, values) == 1:
            return point
    return None


def settle_eventually(printed: Mapping[str, str], bound: Eventually, steps: list[CheckedStep]) -> Outcome:
    """A printed lower bound up to o(1) against the least value: proved, or exceeded by a gap that does not vanish."""
    outcome = Outcome("proved", bound.method, steps)
    ((name, text),) = printed.items()
    formula = parse(text)
    outcome.exact, outcome.attained = bound.quantity, bound.upper
    outcome.evidence += [
        f"least value for every T >= 2, attained: {bound.upper}",
        f"least value = {bound.leading} + o(1), and {bound.quantity} = {bound.leading} + o(1)",
    ]
    verdict = below(formula, bound)
    gap = excess(formula, bound)
    if verdict is None or gap is None:
        outcome.status, outcome.method = "undecided", f"how {name} grows with T was not decided"
        return outcome
    outcome.evidence.append(f"the printed bound is {bound.leading + gap.expr} + o(1)")
    doubt = [f for f in (formula, bound.quantity, bound.upper) if not _confirmed(f, bound)]
    if doubt:
        outcome.status, outcome.method = "undecided", f"ball arithmetic does not confirm the growth of {doubt[0]}"
        return outcome
    if not verdict:
        outcome.status, outcome.false_quantities = "disproved", (name,)
        outcome.corrections[name] = bound.quantity
    return outcome


def _confirmed(formula: sp.Expr, bound: Eventually) -> bool:
    """Whether balls at T = 2^FAR and the derivation's points confirm the growth; that of ``upper`` is ``leading``."""
    found = growth(bound.leading if formula == bound.upper else formula, frozenset(bound.names))
    if found is None:
        return False
    with precision(BITS):
        for point in bound.points:
            place = {name: rational(Fraction(str(point[name]))) for name in bound.names}
            place["T"] = rational(2**FAR)
            if not abs(ball(formula - found.expr, place)) < rational(Fraction(1, 2**NEAR)):
                return False
    return True
