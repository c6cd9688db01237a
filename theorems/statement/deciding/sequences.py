"""Limits along every sequence of vectors for which a number tends to -oo or oo: E[...] -> 0 as u.T*v -> -oo.

A value is a quotient of sums of c exp(q), q made of inner products of vectors. Along u = t^p a, v = t^q b it is one of
t alone, whose limit as t grows is that of its leading exponentials: a path along which it is not the printed one
disproves the statement. It is proved where a bound that tends to 0 holds of its size wherever the number is far out.
Where an inner product tends to a number, ``arcs`` decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf
from typing import ClassVar

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.deciding import arcs
from theorems.statement.deciding.arcs import Arc, case_on
from theorems.statement.deciding.decide import Decision, Derivation, Part
from theorems.statement.expression import Expr, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.normal import rational_form
from theorems.statement.moments.repairing import language_text
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import parsed
from theorems.statement.reading.places import Order
from theorems.statement.values.cases import admissible
from theorems.statement.work import Work

#: Directions of the vectors of a path in R^2, and powers of t that they grow by.
DIRECTIONS: tuple[tuple[int | Fraction, int | Fraction], ...] = (
    (1, 0),
    (-1, 0),
    (-2, 0),
    (-4, 0),
    (Fraction(-5, 4), 0),
    (0, 1),
    (-1, 1),
)
POWERS = (1, 2, 0)
#: Multiples of 1/|s| and of exp(-|s|) by which a value is bounded.
MULTIPLES = (1, 2, 4, 8)

#: Where a path is asked whether it satisfies the hypotheses.
FAR_OUT = tuple(Fraction(8**k) for k in (1, 2, 3, 4))

#: A polynomial in t: its coefficients by powers.
Exponent = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Path:
    """Vectors t^p a in R^2, by name."""

    vectors: Mapping[str, tuple[int, tuple[int | Fraction, int | Fraction]]]
    #: the values of other names on it
    numbers: ClassVar[Mapping[str, Fraction]] = {}

    def inner(self, one: str, two: str) -> tuple[int, Fraction]:
        """The inner product of two of them as a monomial in t: its power and its coefficient."""
        (p, a), (q, b) = self.vectors[one], self.vectors[two]
        return p + q, Fraction(a[0] * b[0] + a[1] * b[1])

    @property
    def dimension(self) -> int:
        """The dimension that its vectors need."""
        return 2 if any(a[1] for _, a in self.vectors.values()) else 1

    def at(self, t: Fraction) -> dict[str, list[str]]:
        """The vectors at one t."""
        return {name: [str(t**p * c) for c in a[: self.dimension]] for name, (p, a) in self.vectors.items()}

    def __str__(self) -> str:
        t = sp.Symbol("t")
        told = {}
        for name, (p, a) in self.vectors.items():
            entries = [str(t**p * sp.Rational(c)) for c in a[: self.dimension]]
            told[name] = entries[0] if len(entries) == 1 else f"({', '.join(entries)})"
        return ", ".join(f"{name} = {text}" for name, text in told.items())

    def multiples(self, of: str) -> dict[str, str]:
        """The vectors as multiples of unit vectors, ``t*e_1``, by the name ``of`` what grows."""
        units = (sp.Symbol("e_1"), sp.Symbol("e_2"))
        told = {
            name: sp.Symbol(of) ** p * sum(sp.Rational(c) * unit for c, unit in zip(a, units, strict=True))
            for name, (p, a) in self.vectors.items()
        }
        return {name: str(value) for name, value in told.items()}


def decided(prop: Proposition, derivation: Derivation) -> tuple[Decision, Sequence[Path | Arc]]:
    """Whether f -> c along every sequence: open, with a path to another limit, or for c = 0 proved by a bound.

    With it come the paths along which it can be seen.
    """
    if prop.limit.together[0].value is not None:
        decision, arc = arcs.decided(prop, derivation)
        return decision, [arc] if arc is not None else []
    if prop.right.op != "number" or prop.relation != "->" or prop.error is not None:
        reason = "only limits that are numbers are looked at along every sequence of vectors"
        return Decision("undecided", "", reason=reason), []
    goal = prop.right.args[0]
    try:
        for path, order in product(paths(prop), derivation.orders):
            value = derivation.value(order, prop.left)
            limit = limit_along(value, path)
            if limit is not None and limit != goal and _allowed(prop, path):
                goes = f"tends to {float(limit):g}" if limit not in (inf, -inf) else "grows beyond all bounds"
                told = f"along {path} the left side {goes} as t grows"
                if goal == 0 and (enough := vanishing(value)):
                    told += f"; it does tend to 0 where these tend to -oo: {enough}"
                part = Part(str(path), value, sp.Rational(goal.numerator, goal.denominator), False, order)
                return Decision("open", "the leading exponentials along a path", [part], told), [path]
        if goal != 0:
            return Decision("undecided", "", reason="only limits of 0 are proved along every sequence of vectors"), []
        parts = []
        for order in derivation.orders:
            steps = bounded(prop, derivation, prop.left, order)
            if not steps:
                reason = "no path shows another limit, and no bound was found that tends to 0"
                return Decision("undecided", "", reason=reason), []
            value = derivation.value(order, prop.left)
            parts.append(Part(str(order), value, sp.Integer(0), True, order, proof=steps))
    except NotPolynomialError as error:
        return Decision("undecided", "no closed form", reason=str(error)), []
    # along a path on which it is 0 everywhere nothing is seen to tend
    ways = list(_open(prop))
    moving = [path for path in ways if any(_moves(part.left, path) for part in parts)]
    return Decision("proved", "a bound that tends to 0", parts), moving or ways[:1]


def _open(prop: Proposition) -> Iterator[Path]:
    """Paths that the hypotheses do not exclude far out, as far as the vectors tell: along none, nothing tends there."""
    unknown = set(prop.parameters) - set(prop.positions) - {"d", *prop.known.vectors}
    return (path for path in paths(prop) if unknown or _allowed(prop, path))


def _allowed(prop: Proposition, path: Path) -> bool:
    """Whether a path, far out, satisfies the hypotheses."""
    if set(prop.parameters) - {"d", *prop.positions}:
        return False
    return not any(admissible(prop, case_on(prop, path, t)) for t in FAR_OUT)


def paths(prop: Proposition) -> Iterator[Path]:
    """Paths along which what tends goes where the statement says, as t grows."""
    (goes,) = prop.limit.together
    names = prop.known.vectors
    # without vectors nothing is seen of where matrices go
    for powers in () if not names else product(POWERS, repeat=len(names)):
        for first, *others in product(((1, 0),), *[DIRECTIONS] * (len(names) - 1)):
            path = Path(dict(zip(names, zip(powers, (first, *others), strict=True), strict=True)))
            most = prop.known.dimension.high
            if most is not None and path.dimension > most:
                continue
            moving = along(prop, goes.source, path)
            if moving == (inf if goes.sign > 0 else -inf):
                yield path


def along(prop: Proposition, node: Expr, path: Path) -> float | None:
    """Where a number made of inner products goes along a path: oo, -oo, or None where that is not seen."""
    derivation = Derivation(prop)
    found = _polynomial(derivation.value(derivation.orders[0], node), path)
    if not found or found[0][0] <= 0:
        return None
    return inf if found[0][1] > 0 else -inf


def limit_along(value: sp.Expr, path: Path) -> float | Fraction | None:
    """The limit of a quotient of sums of exponentials along a path as t grows; None for one of another kind.

    It is exact where it is rational.
    """
    above, below = _ends(value, path)
    if above is None or below is None or not below[1]:
        return None
    if not above[1]:
        return 0.0
    first = next(((k, c) for k, c in _minus(above[0], below[0]) if k > 0), None)
    sign = above[1] / below[1]
    if first is not None:
        return inf * (1 if sign > 0 else -1) if first[1] > 0 else 0.0
    constant = dict(_minus(above[0], below[0])).get(0, Fraction(0))
    return sign if not constant else float(sp.Rational(str(sign)) * sp.exp(sp.Rational(str(constant))))


def _ends(value: sp.Expr, path: Path) -> list[tuple[Exponent, Fraction] | None]:
    """The largest exponentials of a quotient's numerator and denominator."""
    form, table = rational_form(value)
    exponents = {made: _exponent(one, path) for made, one in table.items()}
    if any(one is None for one in exponents.values()):
        return [None, None]
    return [_leading(part, exponents) for part in sp.fraction(sp.together(form))]


def _moves(value: sp.Expr, path: Path) -> bool:
    """Whether a value is not 0 all along a path."""
    above, _ = _ends(value, path)
    return above is not None and above[1] != 0


def _exponent(power: sp.Expr, path: Path) -> Exponent | None:
    """q(t) of exp(q), q a multiple of an inner product."""
    if not (power.is_Pow and power.base is sp.E):
        return None
    return _polynomial(power.exp, path)


def _polynomial(value: sp.Expr, path: Path) -> Exponent | None:
    """A sum of multiples of inner products as a polynomial in t, the highest power first."""
    found: dict[int, Fraction] = {}
    for term in sp.Add.make_args(sp.expand(value)):
        count, rest = term.as_coeff_Mul()
        ends = rest.name.split(".T*") if rest.is_Symbol else []
        if not count.is_Rational or (rest != 1 and (len(ends) != 2 or not set(ends) <= set(path.vectors))):
            return None
        power, size = (0, Fraction(1)) if rest == 1 else path.inner(*ends)
        found[power] = found.get(power, Fraction(0)) + size * Fraction(int(count.p), int(count.q))
    return tuple(sorted(((k, c) for k, c in found.items() if c), reverse=True))


def _minus(one: Exponent, two: Exponent) -> Exponent:
    found = dict(one)
    for k, c in two:
        found[k] = found.get(k, Fraction(0)) - c
    return tuple(sorted(((k, c) for k, c in found.items() if c), reverse=True))


def _leading(part: sp.Expr, exponents: Mapping[sp.Symbol, Exponent | None]) -> tuple[Exponent, Fraction] | None:
    """The largest exponential of a sum, and its coefficient; None for a sum of another kind."""
    gens = sorted((one for one in part.free_symbols if one in exponents), key=str)
    rest = part.free_symbols - set(gens)
    if any(".T*" in one.name for one in rest):
        return None
    # positions stand as they are: at one token, and at two
    terms: dict[Exponent, sp.Expr] = {}
    for powers, coefficient in sp.Poly(part, *gens).terms() if gens else [((), part)]:
        total: Exponent = ()
        for one, count in zip(gens, powers, strict=True):
            total = _minus(total, tuple((k, -c * count) for k, c in exponents[one] or ()))
        terms[total] = terms.get(total, sp.Integer(0)) + coefficient
    fixed = {one: sp.Integer(2) for one in rest}
    sums = {key: sp.sympify(c).xreplace(fixed) for key, c in terms.items()}
    kept = [(key, Fraction(int(c.p), int(c.q))) for key, c in sums.items() if c.is_Rational and c != 0]
    if len(kept) < sum(c != 0 for c in sums.values()):
        return None
    best: tuple[Exponent, Fraction] | None = None
    for key, coefficient in kept:
        if best is None or _larger(key, best[0]):
            best = key, coefficient
    return best or ((), Fraction(0))


def _larger(one: Exponent, two: Exponent) -> bool:
    gap = _minus(one, two)
    first = next(((k, c) for k, c in gap if k >= 0), None)
    return first is not None and first[1] > 0


def bounded(prop: Proposition, derivation: Derivation, node: Expr, order: Order) -> tuple[Step, ...]:
    """Steps showing that a value tends to 0: at most c/|s| or c exp(-|s|) where s, that tends to -oo or oo, is far out.

    The value is N/D; D > 0 and c D - |N| g >= 0, g = |s| or exp(|s|), are proved where |s| >= 1.
    """
    (goes,) = prop.limit.together
    value = derivation.value(order, node)
    size = goes.sign * derivation.value(order, goes.source)
    words = words_of(prop.known)

    def read(expression: sp.Expr) -> Expr:
        try:
            return parsed(language_text(expression), words)
        except ValueError as error:
            raise NotPolynomialError(str(error)) from None

    above, below = sp.fraction(sp.together(value))
    work = Work(2 * STEPS)
    far = (*prop.known.relations, ("<=", number(1), read(size)))
    names = [symbol("T")] if "T" in prop.positions and symbol("T") in value.free_symbols else []

    def shown(gap: sp.Expr, strict: bool) -> Steps | None:
        prover = Prover(prop, work)
        prover.known = replace(prover.known, relations=far)
        return prover.at_least(read(gap), number(0), strict)

    positive = shown(below, True)
    if positive is None:
        return ()
    for multiple, growing, factor in product(MULTIPLES, (size, sp.exp(size)), (sp.Integer(1), *names)):
        bound = multiple * factor
        ends = (_lightened(bound * below - sign * above * growing, names) for sign in (1, -1))
        if (found := together(shown(end, False) for end in ends)) is not None:
            told = f"|{value}| <= ({bound})/({growing}) where {size} >= 1"
            return (Step("a bound that tends to 0", told), *dict.fromkeys([*positive, *found]))
    return ()


def vanishing(value: sp.Expr) -> str:
    """The exponents of a sum of c exp(q), which tends to 0 where they all tend to -oo; "" for another kind of value."""
    found = []
    for term in sp.Add.make_args(sp.expand_mul(value)):
        waves = [one for one in sp.Mul.make_args(term) if isinstance(one, sp.exp)]
        rest = {free.name for one in sp.Mul.make_args(term) if one not in waves for free in one.free_symbols}
        if len(waves) != 1 or any(".T*" in name for name in rest):
            return ""
        found.append(str(waves[0].args[0]))
    return ", ".join(found)


def _lightened(value: sp.Expr, names: list[sp.Symbol]) -> sp.Expr:
    """A sum without the powers of positive names that all of its terms have."""
    terms = sp.Add.make_args(sp.expand(value))
    for one in names:
        least = min(term.as_coeff_exponent(one)[1] for term in terms)
        terms = tuple(term / one**least for term in terms)
    return sp.Add(*terms)
