"""Deciding ``A iff B`` and ``A if B`` about moments, in one order of the positions, by the signs of exact values.

A relation says which signs left - right may have. Two relations whose gaps differ by a factor that is certified
positive (or negative) are compared by these signs.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from theorems.statement.expression import HOLDS

#: Whether a value is certified positive.
Positive = Callable[[sp.Expr], bool]
#: A relation as left - right and the signs that this may have.
Signs = tuple[sp.Expr, frozenset[int]]


def signs(relation: str, gap: sp.Expr) -> Signs:
    """A relation as its gap in lowest terms and the signs that the gap may have."""
    return sp.cancel(sp.together(gap)), frozenset(HOLDS[relation])


def holds(relation: str, left: list[Signs], right: list[Signs], positive: Positive) -> bool:
    """Whether ``A iff B``, or ``A if B``, is shown; False where it is not."""
    shown = all(implied(right, goal, positive) for goal in left)
    return shown and (relation == "if" or all(implied(left, goal, positive) for goal in right))


def implied(given: list[Signs], goal: Signs, positive: Positive) -> bool:
    """Whether relations are shown to imply another one."""
    if settled(goal, positive) is True or any(settled(part, positive) is False for part in given):
        return True
    return any(_implies(part, goal, positive) for part in given)


def settled(part: Signs, positive: Positive) -> bool | None:
    """Whether a relation holds, or fails, whatever the names stand for; None where that is not seen."""
    gap, allowed = part
    sign = 0 if gap == 0 else 1 if positive(gap) else -1 if positive(-gap) else None
    return None if sign is None else sign in allowed


def _implies(part: Signs, goal: Signs, positive: Positive) -> bool:
    if part[0] == 0:
        return False
    ratio = sp.cancel(sp.together(goal[0] / part[0]))
    for way in (1, -1):
        if positive(way * ratio):
            return {way * sign for sign in part[1]} <= goal[1]
    return False
