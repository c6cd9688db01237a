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


def strata(statement: Statement, fixed: Mapping[str, str]) -> list[Mapping[str, tuple[str, ...]]]:
    """The values of every parameter, simplest first, by stratum: what can be afforded together, and has what is fixed.

    A claim without strata has one, its ranges.
    """
    wholes = [
        {name: part.get(name, statement.ranges[name]) for name in statement.parameters} for part in _parts(statement)
    ]
    narrowed = [{**whole, **{name: (value,) for name, value in fixed.items()}} for whole in wholes]
    keep = [all(value in whole[name] for name, value in fixed.items()) for whole in wholes]
    return [part for part, kept in zip(narrowed, keep, strict=True) if kept]


def _parts(statement: Statement) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    return statement.strata or ({},)


def corners(statement: Statement) -> Mapping[str, tuple[str, ...]]:
    """The least and the largest value that every parameter takes where the conditions hold."""
    if statement.id not in _CORNERS:
        generator = Random(statement.id)
        seen: dict[str, set[Fraction]] = {name: set() for name in statement.parameters}
        for _ in range(LOOKED):
            part = generator.choice(strata(statement, {}))
            case = {name: generator.choice(values) for name, values in part.items()}
            if meets(statement, case):
                for name, value in case.items():
                    seen[name].add(Fraction(value))
        _CORNERS[statement.id] = {
            name: tuple(dict.fromkeys(str(end) for end in (min(values), max(values)))) for name, values in seen.items()
        }
    return _CORNERS[statement.id]
