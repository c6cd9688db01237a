"""Conditions in float64, for the search: how far one holds or fails, and how far ``A iff B`` is from being violated.

A condition comes as nested lists, ["relation", ">", left, right] or ["and", relation, ...].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: A number at a case in float64.
Number = Callable[[Any], float]
#: Makes one of an expression in plain form.
Compile = Callable[[Sequence[Any]], Number]
CLAUSES = ("iff", "if")


def margin(node: Sequence[Any], compiled: Compile) -> Number:
    """How far a condition holds (> 0) or fails (< 0), relative to its largest term; NaN where a side has no value."""
    if node[0] == "and":
        several = [margin(part, compiled) for part in node[1:]]

        def least(case: Any) -> float:
            found = [one(case) for one in several]
            return math.nan if any(map(math.isnan, found)) else min(found)

        return least
    _, relation, left, right = node
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
    """The relations of a condition: relation, left and right."""
    return [entry for part in node[1:] for entry in sides(part)] if node[0] == "and" else [(node[1], node[2], node[3])]


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
