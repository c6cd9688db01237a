"""Conditions of a claim, "2*i <= j" or "tr1 == 0", read in one place: left - right, and the signs it may have.

A conjunction is several, joined by " & "; a printed clause is a conjunction after "iff" or "if".
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import sympy as sp

from theorems.algebra.expressions import parse, symbol, text

#: The signs that left - right may have, by relation; a longer sign stands before one that it holds.
SIGNS: dict[str, tuple[int, ...]] = {
    "<=": (-1, 0),
    ">=": (0, 1),
    "!=": (-1, 1),
    "==": (0,),
    "<": (-1,),
    ">": (1,),
}


@lru_cache(maxsize=4096)
def read(condition: str) -> tuple[sp.Expr, tuple[int, ...]]:
    """left - right and its allowed signs; ValueError where there is no relation, ExpressionError for a side."""
    relation = next((sign for sign in SIGNS if sign in condition), None)
    if relation is None:
        raise ValueError(f"condition {condition!r}; expected an inequality such as 2*i <= j")
    left, _, right = condition.partition(relation)
    return parse(left) - parse(right), SIGNS[relation]


def conjunction(joined: str) -> tuple[str, ...]:
    """The conditions of "a > 0 & b >= 0"; ValueError where one of them cannot be read."""
    parts = tuple(part.strip() for part in joined.split("&"))
    for part in parts:
        read(part)
    return parts


def clause(printed: str) -> tuple[str, tuple[str, ...]]:
    """ "iff" or "if", and the conditions after it; ValueError for anything else."""
    word, _, rest = printed.strip().partition(" ")
    if word not in ("iff", "if"):
        raise ValueError(f"{printed!r}; expected a clause such as iff a > 0 & b >= 0")
    return word, conjunction(rest)


def written(gap: sp.Expr, signs: Iterable[int]) -> str:
    """The condition that ``read`` reads as this gap and these signs."""
    allowed = tuple(signs)
    relation = next(relation for relation, known in SIGNS.items() if known == allowed)
    return f"{text(gap)} {relation} 0"


#: Values tried for every name, where a point that meets conditions is looked for.
TRIED = tuple(sp.Rational(value) for value in ("1", "0", "2", "1/2", "3", "1/4", "-1", "-2"))


@lru_cache(maxsize=1024)
def satisfiable(conditions: tuple[str, ...]) -> bool:
    """Whether a point of a small grid meets all conditions: what no point is found of may be a contradiction."""
    parts = [read(condition) for condition in conditions]
    free = dict.fromkeys(name for gap, _ in parts for name in sorted(s.name for s in gap.free_symbols))
    return _met(parts, tuple(symbol(name) for name in free), {})


def _met(
    parts: list[tuple[sp.Expr, tuple[int, ...]]], free: tuple[sp.Symbol, ...], point: dict[sp.Symbol, sp.Expr]
) -> bool:
    """Whether the names that are left have values that meet the conditions."""
    gaps = [(gap.xreplace(point), allowed) for gap, allowed in parts]
    if any(gap.is_number and sp.sign(gap) not in allowed for gap, allowed in gaps):
        return False
    return not free or any(_met(parts, free[1:], {**point, free[0]: value}) for value in TRIED)
