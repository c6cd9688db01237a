"""Whether the sequences of a claim's cases tend as its statement says: far along, what tends is near its end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_check.checks.approaching import INDEX
from proofs_check.claims.pairing import Pair
from theorems.statement.expression import name
from theorems.statement.proposition import Proposition
from theorems.statement.reading.tending import Goes
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar

#: Two places far along the sequences.
FAR = (32, 64)


def strays(pair: Pair, prop: Proposition, case: Any) -> str:
    """What does not tend as is said along the sequences of a case, in words; "" where all does, or none are there."""
    limit = prop.limit
    if INDEX not in case or not limit.variable:
        return ""
    every = limit.together or (Goes(name(limit.variable), limit.value),)
    near, far = (pair.exact({**case, INDEX: str(k)}).scalars for k in FAR)
    for one in every:
        if not one.source.names() <= near.keys():
            return f"no sequence of the case says how {one.source} tends"
        before, after = (_gap(one, numbers) for numbers in (near, far))
        # a distance that halves at least, or that is 0; a size that doubles at least
        fine = 2 * after <= before if one.value is not None else after >= 2 * before > 0
        if not fine:
            return f"{one} is said, and along the case's sequences it does not (at {INDEX} = {FAR[1]})"
    return ""


def _gap(one: Goes, numbers: dict[str, Fraction]) -> Fraction:
    """The distance from where it tends; of what grows, how large it is on the side that is said."""
    here = Case(numbers)
    value = scalar(one.source, here)
    end = scalar(one.value, here) if one.value is not None else Fraction(0)
    if not isinstance(value, Fraction) or not isinstance(end, Fraction):
        raise ValueError(f"{one} is no rational number along the sequences of a case")
    return abs(value - end) if one.value is not None else one.sign * value
