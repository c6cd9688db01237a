"""Conditions of a claim, "2*i <= j" or "tr1 == 0", read in one place: left - right, and the signs it may have."""

from __future__ import annotations

import sympy as sp

from theorems.expressions import parse

#: The signs that left - right may have, by relation; a longer sign stands before one that it holds.
SIGNS: dict[str, tuple[int, ...]] = {
    "<=": (-1, 0),
    ">=": (0, 1),
    "!=": (-1, 1),
    "==": (0,),
    "<": (-1,),
    ">": (1,),
}


def read(condition: str) -> tuple[sp.Expr, tuple[int, ...]]:
    """left - right and its allowed signs; ValueError where there is no relation, ExpressionError for a side."""
    relation = next((sign for sign in SIGNS if sign in condition), None)
    if relation is None:
        raise ValueError(f"condition {condition!r}; expected an inequality such as 2*i <= j")
    left, _, right = condition.partition(relation)
    return parse(left) - parse(right), SIGNS[relation]
