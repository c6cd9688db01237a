"""Limits along every two vectors of fixed lengths whose inner product tends to a number: f -> c as u.T*v -> -l**2.

A value is a function of inner products; the hypotheses fix some of them, norm(u) = l, and one tends to a place. What is
left is a quotient N/D of functions that are continuous everywhere: where D is not 0 at the place, the limit is N/D.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Protocol

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.spherical import Spherical
from theorems.statement.deciding.decide import Decision, Derivation, Part
from theorems.statement.expression import Expr, StatementError, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.normal import equal, sign
from theorems.statement.moments.repairing import language_text
from theorems.statement.moments.signs import positive_names
from theorems.statement.proofs.prover import STEPS, Prover
from theorems.statement.proofs.steps import Step
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import parsed
from theorems.statement.reading.places import Order
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.numbers import rational_at
from theorems.statement.work import Work

#: Values of the names that are no vectors, of a path.
NUMBERS = (Fraction(1), Fraction(1, 2), Fraction(2))
#: How much sooner than by 1/t a path comes near.
NEARER = 16
#: Where a path is asked whether it satisfies the hypotheses.
ASKED = tuple(Fraction(k, 16) for k in (1, 2, 3, 16, 256))
#: Functions that are continuous everywhere.
CONTINUOUS = (sp.exp, sp.cos, sp.sin, Spherical)


class Way(Protocol):
    """A path: vectors by name that change with t, and numbers that stay."""

    @property
    def dimension(self) -> int: ...
    @property
    def numbers(self) -> Mapping[str, Fraction]: ...
    def at(self, t: Fraction) -> dict[str, list[str]]: ...


@dataclass(frozen=True)
class Arc:
    """Two vectors a (1, 0) and b (cos, sin) in R^2; tan of half the angle between them tends to ``half`` (None: oo)."""

    names: tuple[str, str]
    lengths: tuple[Fraction, Fraction]
    half: Fraction | None
    numbers: Mapping[str, Fraction] = field(default_factory=dict)
    dimension = 2

    def at(self, t: Fraction) -> dict[str, list[str]]:
        """The vectors at one t, which grows."""
        tangent = NEARER * t if self.half is None else self.half + 1 / (NEARER * t)
        cos, sin = (1 - tangent**2) / (1 + tangent**2), 2 * tangent / (1 + tangent**2)
        (a, b), (one, two) = self.lengths, self.names
        return {one: [str(a), "0"], two: [str(b * cos), str(b * sin)]}

    def __str__(self) -> str:
        (one, two), (a, b) = self.names, self.lengths
        goes = "oo" if self.half is None else str(self.half)
        given = "".join(f", {name} = {value}" for name, value in self.numbers.items())
        return f"{one} = {a}*(1, 0), {two} = {b}*(cos(phi), sin(phi)), tan(phi/2) -> {goes}{given}"


def decided(prop: Proposition, derivation: Derivation) -> tuple[Decision, Arc | None]:
    """Whether f -> c along every such sequence: by what a continuous function is at the place."""
    if prop.relation != "->" or prop.error is not None:
        return Decision(
            "undecided", "", reason="of an inner product that tends to a number only f -> c is decided"
        ), None
    arc = next(arcs(prop), None)
    if arc is None:
        return Decision("undecided", "", reason="no vectors were found that go there within the hypotheses"), None
    try:
        parts = [_part(prop, derivation, order) for order in derivation.orders]
    except StatementError as error:
        return Decision("undecided", "no limit by continuity", reason=str(error)), None
    method = "a continuous function at the place"
    wrong = [part for part in parts if not part.holds]
    if not wrong:
        return Decision("proved", method, parts), arc
    table = {symbol(name): sp.Rational(str(value)) for name, value in arc.numbers.items()}
    part = wrong[0]
    away = (part.left - part.right).xreplace(
        {**table, **{symbol(name): sp.Integer(2) for name in (*prop.positions, "d")}}
    )
    if sign(away) in (1, -1):
        return Decision("open", method, parts, f"the left side tends to {part.left}"), arc
    return Decision("undecided", method, reason=f"whether {part.left} is {part.right} is not shown"), None


def _part(prop: Proposition, derivation: Derivation, order: Order) -> Part:
    """The limit in one order of the positions; NotPolynomialError where it is not read off."""
    (goes,) = prop.limit.together
    assert goes.value is not None
    fixed = fixed_products(prop, derivation, order)
    moving = derivation.value(order, goes.source).xreplace(fixed)
    if not moving.is_Symbol:
        raise NotPolynomialError(f"{goes.source} is no inner product that is free to move")
    above, below = sp.fraction(sp.together(derivation.value(order, prop.left).xreplace(fixed)))
    place = {moving: derivation.value(order, goes.value).xreplace(fixed)}
    right = derivation.value(order, prop.right).xreplace(fixed)
    for value in (above, below, right):
        _continuous(value)
    ends = [value.xreplace(place) for value in (above, below)]
    limit = ends[0] / ends[1] if ends[1] != 0 else sp.nan
    if loose := sorted(one.name for one in (limit + right).free_symbols if ".T*" in one.name):
        raise NotPolynomialError(f"nothing is said of where {loose[0]} goes")
    steps = _never_zero(prop, ends[1])
    told = (
        f"({above})/({below}) is continuous where the denominator is not 0; at {moving} = {place[moving]} it is {limit}"
    )
    positive = positive_names(prop, order, limit - right)
    step = Step("a quotient of continuous functions", told)
    return Part(str(order), limit, right, equal(limit, right, positive), order, proof=(step, *steps))


def fixed_products(prop: Proposition, derivation: Derivation, order: Order) -> dict[sp.Expr, sp.Expr]:
    """Inner products that hypotheses say a value of: u.T*u = l**2, by norm(u) = l."""
    found: dict[sp.Expr, sp.Expr] = {}
    for relation, left, right in prop.known.relations:
        if relation != "=":
            continue
        one, two = (derivation.value(order, side) for side in (left, right))
        if one.is_Pow and one.exp == sp.Rational(1, 2):
            one, two = one.base, two**2
        if one.is_Symbol and ".T*" in one.name and one not in two.free_symbols:
            found[one] = two.xreplace(found)
    return found


def _continuous(value: sp.Expr) -> None:
    for one in sp.preorder_traversal(value):
        power = one.is_Pow and not (one.exp.is_Integer or one.base is sp.E)
        if power or (one.is_Function and not isinstance(one, CONTINUOUS)) or one.has(sp.nan, sp.zoo, sp.oo):
            raise NotPolynomialError(f"{one} is not known to be continuous")


def _never_zero(prop: Proposition, value: sp.Expr) -> list[Step]:
    """Steps showing that a value is never 0; NotPolynomialError where it is not shown."""
    node, zero = parsed(language_text(value), words_of(prop.known)), number(0)
    for high, low in ((node, zero), (zero, node)):
        steps = Prover(prop, Work(STEPS)).at_least(high, low, True)
        if steps is not None:
            return steps
    raise NotPolynomialError(f"the denominator {value} at the place is not shown to be other than 0")


def arcs(prop: Proposition) -> Iterator[Arc]:
    """Paths of rational vectors on which the inner product goes where it is said to, within the hypotheses."""
    (goes,) = prop.limit.together
    names = prop.known.vectors
    free = [name for name in prop.parameters if name not in (*prop.positions, *names, "d")]
    if goes.value is None or len(names) != 2 or goes.source not in (_inner(*names), _inner(*names[::-1])):
        return
    for values in product(NUMBERS, repeat=len(free)):
        numbers = dict(zip(free, values, strict=True))
        try:
            lengths = [_length(prop, name, numbers) for name in names]
            goal = rational_at(goes.value, numbers)
        except (UndefinedError, StatementError, KeyError):
            continue
        a, b = lengths
        if a is None or b is None or a <= 0 or b <= 0:
            continue
        cosine = goal / (a * b)
        if not -1 <= cosine <= 1:
            continue
        half = None if cosine == -1 else _root((1 - cosine) / (1 + cosine))
        if half is None and cosine != -1:
            continue
        arc = Arc((names[0], names[1]), (a, b), half, numbers)
        if all(not admissible(prop, case_on(prop, arc, t)) for t in ASKED):
            yield arc


def _inner(one: str, two: str) -> Expr:
    return Expr("*", (Expr("T", (Expr("vector", (one,)),)), Expr("vector", (two,))))


def _length(prop: Proposition, label: str, numbers: Mapping[str, Fraction]) -> Fraction | None:
    """The length that a hypothesis norm(u) = l gives a vector."""
    norm = Expr("norm", (Expr("vector", (label,)), ""))
    for relation, left, right in prop.known.relations:
        if relation == "=" and norm in (left, right):
            return rational_at(right if left == norm else left, numbers)
    return None


def _root(value: Fraction) -> Fraction | None:
    """The square root of a square."""
    found = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return found if found**2 == value else None


def case_on(
    prop: Proposition, way: Way, t: Fraction, numbers: Mapping[str, Fraction] | None = None, d: int | None = None
) -> Case:
    """The case on a path at one t, with Sigma = I and every position 2; in R^d, or in as few dimensions as can be."""
    d = max(way.dimension, int(prop.known.dimension.low or 1)) if d is None else d
    one = tuple(tuple(Fraction(int(r == c)) for c in range(d)) for r in range(d))
    vectors = {
        name: (*map(Fraction, entries), *(Fraction(0),) * (d - len(entries))) for name, entries in way.at(t).items()
    }
    values = {"d": Fraction(d), **dict.fromkeys(prop.positions, Fraction(2)), **way.numbers, **(numbers or {})}
    return Case(values, {"Sigma": one}, vectors)
