"""Limits with case distinctions: a table of cells, each a sign condition on polynomials, and the limit on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar

import flint
import sympy as sp

from theorems.algebra.closed import names, substituted, vanishes
from theorems.balls import ball, between, precision, rational
from theorems.balls import sign as sign_at
from theorems.conditions import read
from theorems.expressions import parse, symbol
from theorems.process import Step
from theorems.rules import licensed

#: A sign condition: for some polynomials, the signs (-1, 0, 1) that each may have.
Pattern = tuple[tuple[sp.Expr, tuple[int, ...]], ...]
Signs = Mapping[sp.Expr, int]

#: Values tried for the names of a cell, when a point in it is looked for.
GRID = tuple(Fraction(k, 8) for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 64))


@dataclass(frozen=True)
class Cell:
    """Where the signs are as in ``pattern`` the limit is ``value``; None where it depends on the sequence."""

    pattern: Pattern
    value: sp.Expr | None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Limit:
    """A probability before the limit, and its limit cell by cell.

    ``finite`` is the probability as an expression, or a function of a case's exact values where it has no closed form.
    ``cells`` together with ``empty`` (sign patterns that no admissible point has) cover every sign of ``polynomials``.
    ``domain`` are polynomials that are >= 0 wherever the claim speaks.
    """

    finite: sp.Expr | Callable[[Mapping[str, Fraction]], Fraction]
    polynomials: tuple[sp.Expr, ...]
    cells: tuple[Cell, ...]
    empty: tuple[Pattern, ...]
    domain: tuple[sp.Expr, ...]
    steps: tuple[Step, ...]
    method: str

    kind: ClassVar[str] = "mean"

    def at(self, scalars: Mapping[str, Fraction]) -> sp.Rational:
        """The probability at a case, before the limit, to 30 digits or as exactly as it is known."""
        if callable(self.finite) and not isinstance(self.finite, sp.Basic):
            return sp.Rational(self.finite(scalars))
        assert isinstance(self.finite, sp.Expr)
        table = {name: sp.Rational(scalars[name]) for name in names(self.finite)}
        return sp.Rational(sp.N(substituted(self.finite, table), 30))

    def cell_of(self, signs: Signs) -> Cell | None:
        """The cell that holds these signs."""
        return next((cell for cell in self.cells if matches(cell.pattern, signs)), None)

    def limit_at(self, scalars: Mapping[str, Fraction]) -> sp.Expr | None:
        """The limit at a case; None where it depends on the sequence."""
        signs = {p: _sign(p, scalars) for p in self.polynomials}
        cell = self.cell_of(signs)
        return None if cell is None else cell.value

    @cached_property
    def places(self) -> tuple[tuple[Signs, Cell | None, tuple[dict[str, Fraction], ...]], ...]:
        """Every combination of signs with its cell, and exact points that have them."""
        return tuple((signs, self.cell_of(signs), self.witnesses(signs)) for signs in self.sign_vectors())

    def sign_vectors(self) -> Iterator[dict[sp.Expr, int]]:
        """Every combination of signs that is not shown to be empty."""
        for signs in product((-1, 0, 1), repeat=len(self.polynomials)):
            table = dict(zip(self.polynomials, signs, strict=True))
            if not any(matches(pattern, table) for pattern in self.empty):
                yield table

    def witnesses(self, signs: Signs) -> tuple[dict[str, Fraction], ...]:
        """Exact admissible points with these signs, from a small grid."""
        return _witnesses(self.polynomials, self.domain, tuple(signs[p] for p in self.polynomials))


#: Points of a cell that are kept.
MOST = 24


@lru_cache(maxsize=1024)
def _witnesses(
    polynomials: tuple[sp.Expr, ...], domain: tuple[sp.Expr, ...], signs: tuple[int, ...]
) -> tuple[dict[str, Fraction], ...]:
    free = sorted({name for p in (*polynomials, *domain) for name in names(p)})
    found: list[dict[str, Fraction]] = []
    for values in product((*GRID, *(-v for v in GRID if v)), repeat=len(free)):
        point = dict(zip(free, values, strict=True))
        wanted = zip(polynomials, signs, strict=True)
        if all(_sign(p, point) == s for p, s in wanted) and all(_sign(p, point) >= 0 for p in domain):
            found.append(point)
            if len(found) == MOST:
                break
    return tuple(found)


def matches(pattern: Pattern, signs: Signs) -> bool:
    """Whether the signs meet a pattern."""
    return all(signs[polynomial] in allowed for polynomial, allowed in pattern)


def _sign(polynomial: sp.Expr, scalars: Mapping[str, Fraction]) -> int:
    value = _compiled(polynomial)(*(scalars[name] for name in sorted(names(polynomial))))
    return (value > 0) - (value < 0)


@lru_cache(maxsize=256)
def _compiled(polynomial: sp.Expr) -> Callable[..., Fraction]:
    """The polynomial as a function of Fractions, in the order of its names."""
    order = sorted(names(polynomial))
    terms = sp.Poly(polynomial, *(symbol(n) for n in order)).terms() if order else []
    constant = Fraction(0) if order else Fraction(int(polynomial.p), int(polynomial.q))
    table = [(powers, Fraction(int(c.p), int(c.q))) for powers, c in terms]

    def value(*point: Fraction) -> Fraction:
        total = constant
        for powers, coefficient in table:
            for x, power in zip(point, powers, strict=True):
                coefficient = coefficient * x**power
            total += coefficient
        return total

    return value


def sign_of(expression: sp.Expr, signs: Signs) -> int | None:
    """The sign of a product or quotient of the polynomials, up to a constant; None for other expressions."""
    found = _factors(expression, tuple(signs))
    if found is None:
        return None
    sign, above, below = found
    if any(signs[polynomial] == 0 for polynomial in below):
        return None
    for polynomial in (*above, *below):
        sign *= signs[polynomial]
    return sign


@lru_cache(maxsize=4096)
def _factors(
    expression: sp.Expr, polynomials: tuple[sp.Expr, ...]
) -> tuple[int, tuple[sp.Expr, ...], tuple[sp.Expr, ...]] | None:
    """A constant's sign, and the polynomials above and below the line, whose product the expression is."""
    numerator, denominator = sp.fraction(sp.cancel(sp.together(expression)))
    sign = 1
    places: list[tuple[sp.Expr, ...]] = []
    for part in (numerator, denominator):
        if part.is_number:
            sign *= int(sp.sign(part))
            places.append(())
            continue
        ratios = [(known, sp.cancel(part / known)) for known in polynomials]
        match = next(((known, ratio) for known, ratio in ratios if ratio.is_Rational), None)
        if match is None:
            return None
        sign *= int(sp.sign(match[1]))
        places.append((match[0],))
    return sign, places[0], places[1]


_TRUE: dict[str, tuple[int, ...]] = {
    "GreaterThan": (0, 1),
    "StrictGreaterThan": (1,),
    "LessThan": (-1, 0),
    "StrictLessThan": (-1,),
    "Equality": (0,),
    "Unequality": (-1, 1),
}


def on_cell(printed: sp.Expr, signs: Signs) -> sp.Expr | None:
    """A formula of indicators where the polynomials have these signs; None where a condition is not settled by them."""
    if not printed.has(sp.Piecewise):
        return printed
    if printed.is_Piecewise:
        for value, condition in printed.args:
            if condition is sp.true:
                return on_cell(value, signs)
            if condition is sp.false:
                continue
            sign = sign_of(condition.lhs - condition.rhs, signs)
            if sign is None:
                return None
            if sign in _TRUE[type(condition).__name__]:
                return on_cell(value, signs)
        return None
    if printed.is_Add or printed.is_Mul:
        parts = [on_cell(part, signs) for part in printed.args]
        # an indicator that is 0 switches off what is not defined there
        if printed.is_Mul and any(part == 0 for part in parts):
            return sp.Integer(0)
        return None if any(part is None for part in parts) else printed.func(*parts)
    return None


def at_point(printed: sp.Expr, scalars: Mapping[str, Fraction]) -> sp.Expr | None:
    """A formula of indicators at an exact point, a vanishing factor first; None where it is not defined."""
    table: dict[str, Any] = {n: sp.Rational(scalars[n]) for n in names(printed) if n in scalars}
    if printed.is_Mul or printed.is_Add:
        parts = [at_point(part, scalars) for part in printed.args]
        if printed.is_Mul and any(part == 0 for part in parts):
            return sp.Integer(0)
        return None if any(part is None for part in parts) else printed.func(*parts)
    try:
        value = substituted(printed, table)
    except TypeError:
        # a relation with something that is divided by zero
        return None
    return value if value.is_number and value.is_finite else None


def described(signs: Signs) -> str:
    """A sign vector in words: theta - 1/2 = 0, r > 0."""
    relation = {-1: "<", 0: "=", 1: ">"}
    return ", ".join(f"{polynomial} {relation[sign]} 0" for polynomial, sign in signs.items())


@dataclass(frozen=True)
class Comparison:
    """A printed limit against a derived one: whether they are equal, cell by cell, and what is true instead."""

    equal: bool | None
    lines: tuple[str, ...]
    reason: str
    formula: sp.Expr
    excluded: tuple[str, ...]


def compare_cells(limit: Limit, printed: sp.Expr, conditions: tuple[str, ...] = ()) -> Comparison:
    """Whether a formula of indicators is the limit wherever the claim speaks; conditions ("r < 0") take cells out.

    A cell disproves the print only by an exact point in it: one where the limit is another value, or where it depends
    on the sequence. A cell whose signs do not settle the printed indicators leaves the question open.
    """
    lines: list[str] = []
    open_cells: list[str] = []
    equal = True
    for signs, cell, found in limit.places:
        points = _admitted(found, signs, conditions)
        if points is None:
            continue
        if cell is None:
            open_cells.append(f"no limit was derived for {described(signs)}")
            continue
        words = described({p: signs[p] for p, _ in cell.pattern}) or "everywhere"
        claimed = on_cell(printed, signs)
        if cell.value is None:
            if points:
                equal = False
                lines.append(f"{words}: the limit depends on the sequence, printed {claimed}")
            continue
        if claimed is not None and (claimed == cell.value or vanishes(claimed - cell.value)):
            lines.append(f"{words}: limit {cell.value}, as printed")
            continue
        told = _wrong(printed, claimed, cell.value, points or (() if limit.polynomials else ({},)))
        if told is not None:
            equal = False
            lines.append(f"{words}: limit {cell.value}, printed {told}")
        else:
            open_cells.append(words)
    undecided = equal and bool(open_cells)
    reason = "; ".join(open_cells[:2])
    told = tuple(dict.fromkeys(lines))
    return Comparison(None if undecided else equal, told, reason, formula_of(limit), excluded_by(limit))


def _wrong(
    printed: sp.Expr, claimed: sp.Expr | None, value: sp.Expr, points: tuple[dict[str, Fraction], ...]
) -> sp.Expr | None:
    """What the print says where the limit is another value, at one of the points; None where none shows it."""
    if claimed is not None and claimed.is_number and value.is_number:
        return claimed if points and sign_at(claimed - value, {}) else None
    for point in points:
        one, two = at_point(printed, point), at_point(value, point)
        if one is not None and two is not None and sign_at(one - two, {}):
            return one if claimed is None else claimed
    return None


def _admitted(
    points: tuple[dict[str, Fraction], ...], signs: Signs, conditions: tuple[str, ...]
) -> tuple[dict[str, Fraction], ...] | None:
    """The points of a cell that meet the conditions; None where no point of the cell does, by its signs."""
    for condition in conditions:
        gap, allowed = read(condition)
        sign = sign_of(gap, signs)
        if sign is not None and sign not in allowed:
            return None
        if names(gap) <= {name for polynomial in signs for name in names(polynomial)}:
            points = tuple(point for point in points if _sign(gap, point) in allowed)
    return points


def formula_of(limit: Limit) -> sp.Expr:
    """The limit as a sum of indicators of its cells, where it does not depend on the sequence."""
    parts = []
    for cell in limit.cells:
        if cell.value is None or cell.value == 0:
            continue
        parts.append(cell.value * sp.Mul(*(_indicator(p, allowed) for p, allowed in _least(limit, cell))))
    return sp.Add(*parts)


def _least(limit: Limit, cell: Cell) -> Pattern:
    """The cell's pattern without the conditions that follow from the others."""
    kept = cell.pattern
    for condition in reversed(cell.pattern):
        rest = tuple(other for other in kept if other != condition)
        if all(found is cell for signs, found, _ in limit.places if matches(rest, signs)):
            kept = rest
    return kept


def excluded_by(limit: Limit) -> tuple[str, ...]:
    """The conditions under which the limit does not depend on the sequence, for cells of one polynomial = 0."""
    found = []
    for cell in limit.cells:
        if cell.value is None:
            found += [f"{p} != 0" for p, allowed in cell.pattern if allowed == (0,)]
    return tuple(dict.fromkeys(found))


def _indicator(polynomial: sp.Expr, allowed: tuple[int, ...]) -> sp.Expr:
    table = {(1,): sp.Gt, (-1,): sp.Lt, (0,): sp.Eq, (0, 1): sp.Ge, (-1, 0): sp.Le, (-1, 1): sp.Ne}
    relation = table.get(tuple(sorted(allowed)))
    if relation is None:
        return sp.Integer(1)
    return sp.Piecewise((sp.Integer(1), relation(polynomial, 0)), (sp.Integer(0), True))


def supported_cells(limit: Limit) -> list[str]:
    """Why the table does not follow from its steps; empty where every cell and every empty pattern has its own."""
    found = []
    for cell in limit.cells:
        if not all(licensed(step) for step in cell.steps):
            found.append(f"a step to the limit {cell.value} of a cell is not licensed")
        if not any(_concludes(step, cell) for step in cell.steps if _about(step, limit)):
            found.append(f"the limit {cell.value} of a cell is not the conclusion of any of its steps")
    shown = [
        step.data[0]
        for step in limit.steps
        if step.rule == "empty-cell" and licensed(step) and set(step.data[1]) <= set(limit.domain)
    ]
    found += [f"no step shows that {pattern} is empty" for pattern in limit.empty if pattern not in shown]
    return found


def _concludes(step: Step, cell: Cell) -> bool:
    """Whether a step concludes the cell's limit on the cell's own signs, with what it asks of other steps."""
    if step.rule not in CELL_RULES:
        return False
    place, conclusion = CELL_RULES[step.rule]
    if place is not None and step.data[place] != cell.pattern:
        return False
    if conclusion is None or cell.value is None:
        return conclusion is None and cell.value is None
    if step.rule == "chebyshev-limit" and step.data[5]:
        # a symmetric law comes from ends that are independent where the cell says theta - c = 0
        places = [other.data[4] for other in cell.steps if other.rule == "independent-ends"]
        zero = [p for p, allowed in cell.pattern if allowed == (0,)]
        if not any(sp.expand(p - (symbol("theta") - place)) == 0 for p in zero for place in places):
            return False
    return bool(sp.expand(step.data[conclusion] - cell.value) == 0)


def _about(step: Step, limit: Limit) -> bool:
    """Whether a step speaks of this very probability; a law without closed form has no expression to compare."""
    if step.rule == "erf-limit":
        return isinstance(limit.finite, sp.Expr) and vanishes(step.data[0] - limit.finite)
    if step.rule == "continuous-limit":
        if step.data[1] != "u" or step.data[2] != 0:
            return False
        back = substituted(step.data[0], {"u": 1 / symbol("eta")})
        return isinstance(limit.finite, sp.Expr) and vanishes(back - limit.finite)
    return step.rule == "two-sequences" or not isinstance(limit.finite, sp.Expr)


#: For the rules that conclude the limit on a cell: where the pattern and the value stand in their data.
CELL_RULES: Mapping[str, tuple[int | None, int | None]] = {
    "erf-limit": (4, 6),
    "chebyshev-limit": (3, 6),
    "continuous-limit": (None, 3),
    "shrinking-interval": (None, 1),
    "two-sequences": (2, None),
}


#: Where the balls look: so many pieces of theta in [0, 1], and how far along the sequences.
PIECES = 256
FAR = 40
#: How near the limit the value must be at an exact point, as 2^-FAR or less is expected there.
NEAR = Fraction(1, 2**20)
#: Over a piece of theta the enclosure of a difference is as wide as the piece. It has to tell the values of a table of
#: limits 0, 1/2 and 1 apart: a quarter of the distance between them.
APART = Fraction(1, 8)


def enclosed(limit: Limit, regime: Mapping[str, str], ranges: Mapping[str, tuple[str, ...]]) -> str:
    """Why ball arithmetic does not confirm the table far along the sequences; "" where it does.

    theta runs over small intervals that cover [0, 1] (those where a sign changes are left out), over their midpoints
    and over the exact points of the ranges; the other names take the values of the ranges, the sequences' index is FAR.
    """
    if not isinstance(limit.finite, sp.Expr):
        return ""
    table = tuple((str(cell.pattern), cell.value) for cell in limit.cells)
    key = (
        limit.finite,
        limit.polynomials,
        table,
        str(limit.empty),
        str(sorted(regime.items())),
        str(sorted(ranges.items())),
    )
    if key not in _ENCLOSED:
        _ENCLOSED[key] = _enclosed(limit, regime, ranges)
    return _ENCLOSED[key]


#: What was found of a table before: a claim, its wrong versions and its correction ask for the same one.
_ENCLOSED: dict[tuple[object, ...], str] = {}


def _enclosed(limit: Limit, regime: Mapping[str, str], ranges: Mapping[str, tuple[str, ...]]) -> str:
    assert isinstance(limit.finite, sp.Expr)
    sequence = {name: parse(form) for name, form in regime.items()}
    inner = {n for form in sequence.values() for n in names(form)} | names(limit.finite) - set(sequence)
    others = sorted(inner - {"theta", "k"})
    width = Fraction(1, PIECES)
    seen = 0
    with precision(1024):
        pieces = [between(part * width, (part + 1) * width) for part in range(PIECES)]
        exact = [(part + Fraction(1, 2)) * width for part in range(PIECES)]
        exact += [Fraction(t) for t in ranges.get("theta", ())]
        thetas = [*((piece, APART) for piece in pieces), *((rational(t), NEAR) for t in exact)]
        for values in product(*(ranges.get(name, ("1",)) for name in others)):
            fixed = {name: rational(Fraction(value)) for name, value in zip(others, values, strict=True)}
            fixed["k"] = rational(FAR)
            for theta, near in thetas:
                point = {**fixed, "theta": theta}
                signs = {p: _ball_sign(ball(p, point)) for p in limit.polynomials}
                if any(sign is None for sign in signs.values()):
                    continue
                table = {p: sign for p, sign in signs.items() if sign is not None}
                cell = limit.cell_of(table)
                if cell is None or cell.value is None:
                    continue
                point |= {name: ball(form, point) for name, form in sequence.items()}
                if not all(point[name].is_finite() for name in sequence) or _stands_still(point, sequence):
                    continue
                seen += 1
                if not abs(ball(limit.finite, point) - ball(cell.value, point)) < rational(near):
                    return f"ball arithmetic does not confirm the limit {cell.value} at {described(table)}"
    return "" if seen else "no admissible interval was enclosed"


def _stands_still(point: Mapping[str, flint.arb], sequence: Mapping[str, sp.Expr]) -> bool:
    """Whether xi does not move along the sequence (r = 0 without a term of lower order)."""
    return "xi" in sequence and bool(point["xi"].is_zero())


def _ball_sign(value: flint.arb) -> int | None:
    return 1 if value > 0 else -1 if value < 0 else 0 if value.is_zero() else None
