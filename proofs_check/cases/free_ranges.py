"""What the parameters of a claim with randomness of its own, or with none, are drawn from, and where that ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from random import Random

import sympy as sp
from hypothesis import strategies as st

from proofs_check.cases.drawing import integers, sampled_from
from proofs_check.cases.drawn import meets
from theorems.algebra.expressions import symbol
from theorems.claims.catalogue import Statement
from theorems.claims.conditions import read
from theorems.kernel.catalogued import left_side, said
from theorems.statement.reading.ranges import Range

#: Combinations that are looked at for the ends of what a parameter can be under the conditions.
LOOKED = 400
#: How near an end that is left out is, and how large a number without one.
NEAR, FAR = Fraction(1, 1000), Fraction(1000)
#: Numbers between those that are listed are multiples of 1/GRID, at which the walks of Lemma 2 have whole numbers of
#: tokens and of eigenvalues.
GRID = 16

_CORNERS: dict[str, Mapping[str, tuple[str, ...]]] = {}
_ENDS: dict[str, Mapping[str, tuple[str, ...]]] = {}


def strata(statement: Statement, fixed: Mapping[str, str]) -> list[Mapping[str, tuple[str, ...]]]:
    """The values of every parameter, simplest first, by stratum: what can be afforded together, and has what is fixed.

    A claim without strata has one, its ranges.
    """
    wholes = [
        {name: part.get(name, statement.ranges[name]) for name in statement.parameters} for part in _parts(statement)
    ]
    narrowed = [{**whole, **{name: (value,) for name, value in fixed.items()}} for whole in wholes]
    far = ends(statement)
    keep = [all(value in (*whole[name], *far.get(name, ())) for name, value in fixed.items()) for whole in wholes]
    return [part for part, kept in zip(narrowed, keep, strict=True) if kept]


def simplest_first(statement: Statement) -> Statement:
    """The same statement, with the values that parameters are drawn from in an order in which they shrink."""

    def ordered(part: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        return {name: tuple(sorted(values, key=lambda v: _size(Fraction(v)))) for name, values in part.items()}

    own, further = (tuple(map(ordered, parts)) for parts in (statement.strata, statement.further))
    return replace(statement, ranges=ordered(statement.ranges), strata=own, further=further)


def _size(value: Fraction) -> tuple[int, Fraction, bool]:
    """How simple a number is: whole, small, positive; 0 stands last, where much vanishes."""
    return value.denominator, abs(value) or FAR, value < 0


def _parts(statement: Statement) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    return (*(statement.strata or ({},)), *statement.further)


def whole(statement: Statement, name: str) -> bool:
    """Whether all values that a parameter is drawn from are whole numbers."""
    return all(
        Fraction(v).denominator == 1 for part in (statement.ranges, *_parts(statement)) for v in part.get(name, ())
    )


def between(values: Sequence[str], whole: bool) -> st.SearchStrategy[str]:
    """Values, simplest first, or a number between them: a whole one, or a multiple of 1/GRID."""
    low, high = min(map(Fraction, values)), max(map(Fraction, values))
    unit = 1 if whole else GRID
    first, last = math.ceil(low * unit), math.floor(high * unit)
    listed = sampled_from(values)
    if len(values) == 1 or first >= last:
        return listed
    return listed | integers(first, last).map(lambda k: str(Fraction(k, unit)))


def ends(statement: Statement) -> Mapping[str, tuple[str, ...]]:
    """The ends that the hypotheses of a claim leave its parameters, and 0 where that lies between them.

    Without strata, which say what can be afforded, an end that is left out comes near by NEAR, and what has no end is
    large.
    """
    if statement.id not in _ENDS:
        known, every = _known(statement), not statement.strata
        found: dict[str, tuple[str, ...]] = {}
        for name in statement.ranges:
            values = known.get(name)
            if values is not None and not values.integer:
                low = -FAR if values.low is None else values.low + every * values.low_open * NEAR
                high = FAR if values.high is None else values.high - every * values.high_open * NEAR
                zero = [Fraction(0)] if low < 0 < high else []
                own = [end for end in (low, high, *zero) if values.holds(end) and (every or abs(end) < FAR)]
                found[name] = tuple(map(str, own))
        _ENDS[statement.id] = found
    return _ENDS[statement.id]


def _known(statement: Statement) -> Mapping[str, Range]:
    says = statement.says
    if says is None:
        return {}
    name = next(iter(says.quantities))
    return (said(statement, name) if name in statement.printed else left_side(says, name)).known.ranges


def corners(statement: Statement) -> Mapping[str, tuple[str, ...]]:
    """The least and the largest value that every parameter takes where the conditions hold, and where they end."""
    if statement.id not in _CORNERS:
        generator = Random(statement.id)
        seen: dict[str, set[Fraction]] = {name: set() for name in statement.parameters}
        beyond: dict[str, dict[str, None]] = {name: {} for name in statement.parameters}
        for _ in range(LOOKED):
            part = generator.choice(strata(statement, {}))
            case = {name: generator.choice(values) for name, values in part.items()}
            if meets(statement, case):
                for name, value in case.items():
                    seen[name].add(Fraction(value))
            for name, values in ends(statement).items():
                beyond[name] |= {end: None for end in values if meets(statement, {**case, name: end})}
        _CORNERS[statement.id] = {
            name: tuple(dict.fromkeys((*(str(end) for end in (min(values), max(values))), *beyond[name])))
            for name, values in seen.items()
        }
    return _CORNERS[statement.id]


def ties(statement: Statement) -> Mapping[str, tuple[str, sp.Expr]]:
    """Where a condition between parameters holds as an equation, by its words: a parameter, and what it is there."""
    return _ties(tuple(statement.conditions), frozenset(statement.parameters))


@lru_cache(maxsize=256)
def _ties(conditions: tuple[str, ...], parameters: frozenset[str]) -> Mapping[str, tuple[str, sp.Expr]]:
    found: dict[str, tuple[str, sp.Expr]] = {}
    for condition in conditions:
        gap, allowed = read(condition)
        names = {s.name for s in gap.free_symbols}
        if len(names) < 2 or not names <= parameters or len(allowed) < 2 or 0 not in allowed:
            continue
        # the one that stands alone, if there is one: it may go beyond what is drawn
        lone = [name for name in names if condition.split()[0] == name]
        for name in (*lone, *sorted(names - {*lone}, reverse=True)):
            slope = sp.diff(gap, symbol(name))
            if slope != 0 and not slope.has(symbol(name)):
                told = " ".join("=" if word in ("<=", ">=") else word for word in condition.split())
                found[told] = name, sp.cancel(symbol(name) - gap / slope)
                break
    return found


def tied(statement: Statement, told: str, case: Mapping[str, str]) -> dict[str, str] | None:
    """A case changed so that a condition holds as an equation; None where no number makes it one."""
    name, form = ties(statement)[told]
    value = form.xreplace({symbol(n): sp.Rational(v) for n, v in case.items()})
    if not value.is_Rational or (whole(statement, name) and not value.is_Integer):
        return None
    return {**case, name: str(value)}
