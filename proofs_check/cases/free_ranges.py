"""What the parameters of a claim with randomness of its own, or with none, are drawn from, and where that ends."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

from proofs_check.cases.drawn import meets
from theorems.claims.catalogue import Statement

#: Combinations that are looked at for the ends of what a parameter can be under the conditions.
LOOKED = 400

_CORNERS: dict[str, Mapping[str, tuple[str, ...]]] = {}


def pool(statement: Statement, name: str) -> tuple[str, ...]:
    """The values of a parameter, simplest first."""
    return statement.ranges[name]


def corners(statement: Statement) -> Mapping[str, tuple[str, ...]]:
    """The least and the largest value that every parameter takes where the conditions hold."""
    if statement.id not in _CORNERS:
        generator = Random(statement.id)
        seen: dict[str, set[Fraction]] = {name: set() for name in statement.parameters}
        for _ in range(LOOKED):
            case = {name: generator.choice(pool(statement, name)) for name in statement.parameters}
            if meets(statement, case):
                for name, value in case.items():
                    seen[name].add(Fraction(value))
        _CORNERS[statement.id] = {
            name: tuple(dict.fromkeys(str(end) for end in (min(values), max(values)))) for name, values in seen.items()
        }
    return _CORNERS[statement.id]
