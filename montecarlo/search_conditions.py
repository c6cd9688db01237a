"""Conditions in float64, for the search: how far one holds or fails, and how far ``A iff B`` is from being violated.

A condition comes as nested lists, ["relation", ">", left, right] or ["and", relation, ...].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

#: A number at a case in float64.
Number = Callable[[Any], float]
#: Makes one of an expression in plain form.
Compile = Callable[[Sequence[Any]], Number]
CLAUSES = ("iff", "if")
#: Properties of a function on an interval, and the steps of the grid on which they are looked at.
PROPERTIES, GRID = ("increasing", "decreasing", "peaks", "positive"), 24


def margin(node: Sequence[Any], compiled: Compile) -> Number:
    """How far a condition holds (> 0) or fails (< 0), relative to its largest term; NaN where a side has no value."""
    if node[0] == "and":
        several = [margin(part, compiled) for part in node[1:]]

        def least(case: Any) -> float:
            found = [one(case) for one in several]
            return math.nan if any(map(math.isnan, found)) else min(found)

        return least
    ((relation, left, right),) = sides(node)
    one, two = compiled(left), compiled(right)
    terms = [compiled(term) for side in (left, right) for term in (side[1:] if side[0] == "+" else [side])]

    def relative(case: Any) -> float:
        a, b = one(case), two(case)
        if not (math.isfinite(a) and math.isfinite(b)):
            return math.nan
        sizes = [abs(term(case)) for term in terms]
        gap = (a - b) / max([size for size in sizes if math.isfinite(size)] + [abs(a - b), 1e-300])
        return {"<": -gap, ">": gap, "=": -abs(gap), "!": abs(gap)}[relation[0]]

    return relative


def excess(relation: str, one: float, two: float) -> float:
    """How far ``A iff B``, or ``A if B``, is violated (> 0) or kept (< 0), for the margins of A and B."""
    if math.isnan(one) or math.isnan(two):
        return math.nan
    found = min(-one, two)
    return max(found, min(one, -two)) if relation == "iff" else found


def sides(node: Sequence[Any]) -> list[tuple[str, Sequence[Any], Sequence[Any]]]:
    """The relations of a condition: relation, left and right; a property has a margin that is > 0 where it holds."""
    if node[0] == "and":
        return [entry for part in node[1:] for entry in sides(part)]
    return [(">", node, ["number", "0"])] if node[0] in PROPERTIES else [(node[1], node[2], node[3])]


def property_margin(kind: str, values: Sequence[float]) -> float:
    """How far a property holds (> 0) or fails for a function's values on a grid, relative to the largest."""
    size = max(map(abs, values), default=0.0) or 1.0
    steps = [(after - before) / size for before, after in pairwise(values)]
    if not all(map(math.isfinite, steps)):
        return math.nan
    if kind == "positive":
        return min(values) / size
    if kind == "peaks":
        top = max(range(len(values)), key=values.__getitem__)
        rising, falling = steps[:top], [-step for step in steps[top:]]
        return min(min(rising, default=-1.0), min(falling, default=-1.0))
    return min(steps) if kind == "increasing" else min(-step for step in steps)


def truth(node: Sequence[Any], values: Mapping[int, tuple[float, float]], slack: float) -> bool | None:
    """Whether a condition holds by its relations' values, numbered as in ``sides``; None within the slack of a border.

    Equal floats are equal numbers here.
    """
    found: list[bool | None] = []
    for k, (relation, _, _) in enumerate(sides(node)):
        one, two = values[k]
        if not (math.isfinite(one) and math.isfinite(two)):
            return None
        near = one != two and abs(one - two) <= slack * max(abs(one), abs(two))
        table = {"=": one == two, "!=": one != two, "<": one < two, ">": one > two, "<=": one <= two, ">=": one >= two}
        found.append(None if near else table[relation])
    return False if False in found else None if None in found else True
