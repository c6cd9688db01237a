"""Limits with case distinctions: the table of cells against a print, and what its cells follow from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.balls import sign as sign_at
from theorems.algebra.closed import names, substituted, vanishes
from theorems.algebra.expressions import symbol
from theorems.claims.conditions import read
from theorems.gaussian.cells import Cell, Law, Limit, Pattern, Signs, described, matches, sign_of
from theorems.gaussian.process import Step
from theorems.kernel.enclosure import enclosed
from theorems.kernel.outcome import InCell
from theorems.rules import licensed

__all__ = [
    "Cell",
    "Comparison",
    "Law",
    "Limit",
    "Pattern",
    "Signs",
    "at_point",
    "compare_cells",
    "described",
    "enclosed",
    "excluded_by",
    "formula_of",
    "matches",
    "on_cell",
    "sign_of",
    "supported_cells",
]

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


@dataclass(frozen=True)
class Comparison:
    """A printed limit against a derived one: whether they are equal, cell by cell, and what is true instead."""

    equal: bool | None
    cells: tuple[InCell, ...]
    reason: str
    formula: sp.Expr
    excluded: tuple[str, ...]


def compare_cells(name: str, limit: Limit, printed: sp.Expr, conditions: tuple[str, ...] = ()) -> Comparison:
    """Whether a formula of indicators is a quantity's limit wherever the claim speaks.

    Conditions ("r < 0") take cells out.
    A cell disproves the print only by an exact point in it: one where the limit is another value, or where it depends
    on the sequence. A cell whose signs do not settle the printed indicators leaves the question open.
    """
    cells: list[InCell] = []
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
                cells.append(InCell(name, words, "", str(claimed), agrees=False))
            else:
                open_cells.append(words)
            continue
        if claimed is not None and (claimed == cell.value or vanishes(claimed - cell.value)):
            cells.append(InCell(name, words, str(cell.value), str(claimed), agrees=True))
            continue
        told = _wrong(printed, claimed, cell.value, points or (() if limit.polynomials else ({},)))
        if told is not None:
            equal = False
            cells.append(InCell(name, words, str(cell.value), str(told), agrees=False))
        else:
            open_cells.append(words)
    undecided = equal and bool(open_cells)
    reason = "; ".join(open_cells[:2])
    seen = tuple(dict.fromkeys(cells))
    return Comparison(None if undecided else equal, seen, reason, formula_of(limit), excluded_by(limit))


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
            points = tuple(point for point in points if sign_at(gap, point) in allowed)
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
    """Whether a step concludes the cell's limit on the cell's own signs."""
    if step.rule not in CELL_RULES:
        return False
    place, conclusion = CELL_RULES[step.rule]
    if place is not None and step.data[place] != cell.pattern:
        return False
    if conclusion is None or cell.value is None:
        return conclusion is None and cell.value is None
    return bool(sp.expand(step.data[conclusion] - cell.value) == 0)


def _about(step: Step, limit: Limit) -> bool:
    """Whether a step speaks of this very probability, where the limit does; a law has no expression to compare."""
    closed = isinstance(limit.finite, sp.Expr)
    if step.rule in DOMAINS and not set(step.data[DOMAINS[step.rule]]) <= set(limit.domain):
        return False
    if step.rule == "erf-limit":
        return closed and vanishes(step.data[0] - limit.finite)
    if step.rule == "continuous-limit":
        if step.data[1] != "u" or step.data[2] != 0:
            return False
        back = substituted(step.data[0], {"u": 1 / symbol("eta")})
        return closed and vanishes(back - limit.finite)
    if step.rule == "two-sequences":
        # the argument that goes anywhere is one of this probability's
        ends = [part for cell in limit.cells for other in cell.steps if other.rule in DOMAINS for part in other.data]
        return any(isinstance(part, tuple) and part == step.data[0] for part in ends)
    return not closed


#: For the rules that conclude the limit on a cell: where the pattern and the value stand in their data.
CELL_RULES: Mapping[str, tuple[int | None, int | None]] = {
    "erf-limit": (4, 6),
    "chebyshev-limit": (3, 6),
    "continuous-limit": (None, 3),
    "shrinking-interval": (None, 1),
    "two-sequences": (2, None),
}
#: Where in their data the polynomials stand that are >= 0 wherever they speak.
DOMAINS = {"erf-limit": 5, "chebyshev-limit": 4}
