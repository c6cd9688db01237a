"""Whether the numbers of a search are what they are called: recomputed at its points, in ball arithmetic.

A bound alone does not show that: a value of the wrong sign, or of another quantity, may keep it everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from montecarlo.registry import instance_of
from proofs_check.checks.evidence import RunContext, Seen
from proofs_check.claims.pairing import Pair
from theorems.algebra.balls import ball, between, precision, rational
from theorems.algebra.closed import names
from theorems.algebra.expressions import symbol
from theorems.gaussian.numeric import Case
from theorems.kernel.bounds import sharp_quantity
from theorems.kernel.derivation import Inequality, SharpBound
from theorems.kernel.eventually import Eventually

#: Bits of the recomputation; float64 has 53.
BITS = 160
#: Points at which a search's numbers are held against the statement, and how many are looked at for them.
CASES, TRIED = 24, 200
#: Characters of a point that are told.
SHOWN = 160
#: The fractional parts of its multiples are spread evenly.
GOLDEN = (5**0.5 - 1) / 2


def tried(pair: Pair, search: Any, context: RunContext, only: Mapping[str, Any] | None) -> Any:
    """The points that a search tries, or the one of a case."""
    from montecarlo.directly import run_search, search_at

    handed = pair.handed({})
    if only is not None:
        return search_at(search, only, handed)
    return run_search(search, context.effort.points, context.seed, context.device, pair.statement.id, handed)


def misread(pair: Pair, found: Any, places: Iterable[int]) -> list[str]:
    """What differs, at these points of a search, between its numbers and the derivation's own functionals.

    A number may be off by its stated error. Columns that are parameters of the claim say what the point is, and are
    taken as they stand; points with an entry that is no number are passed over.
    """
    told: list[str] = []
    for k in places:
        raw = _case(pair, found, k)
        if raw is not None:
            told += _misread_at(pair, found, k, Case(raw))
    return told


def seen_at(pair: Pair, found: Any, places: Sequence[int]) -> list[Seen]:
    """What a search found at CASES of these places, spread so that they follow no period in which kinds were drawn.

    The columns go by their names, ``value`` by those of the claim's prints too. Points that are no exact cases, as an
    entry is no number or a parameter is off by rounding, are passed over; where the claim has an instance, such a
    parameter is left to it.
    """
    chosen = dict.fromkeys(places[int(len(places) * (k * GOLDEN % 1.0))] for k in range(TRIED)) if places else {}
    told: list[Seen] = []
    for k in chosen:
        raw = _case(pair, found, k)
        errors = {name: found.errors[name][k] for name in pair.statement.parameters if name in found.errors}
        rounded = {name for name, error in errors.items() if error}
        # an instance may have the exact value of what a point knows up to rounding
        if raw is None or (rounded and instance_of(pair.source) is None) or len(told) == CASES:
            continue
        raw = {name: value for name, value in raw.items() if name not in rounded}
        columns = {name: float(column[k]) for name, column in found.columns.items()}
        off = {name: float(error[k]) for name, error in found.errors.items()}
        numbers = {name: (value, off.get(name, 0.0)) for name, value in columns.items()}
        numbers |= dict.fromkeys(pair.statement.printed, numbers["value"])
        told.append(Seen(raw, {**columns, **found.point(k)}, numbers))
    return told


def exact_quantity(pair: Pair) -> sp.Expr | None:
    """What the column ``value`` of a claim's search stands for; None where the derivation says that of no point."""
    bound = next(iter(pair.derived().quantities.values()))
    if isinstance(bound, Eventually):
        return None
    if isinstance(bound, Inequality):
        return bound.quantity
    assert isinstance(bound, SharpBound)
    return sharp_quantity(bound)


def _case(pair: Pair, found: Any, k: int) -> dict[str, Any] | None:
    """The exact case of a point: its matrices, its parameters and d."""
    raw: dict[str, Any] = {}
    for name, column in found.columns.items():
        if name in (*pair.statement.parameters, "d"):
            if not math.isfinite(column[k]):
                return None
            value = Fraction(float(column[k]))
            raw[name] = str(value) if name in pair.statement.parameters else int(value)
    for name, entries in found.point(k).items():
        exact = _fractions(entries)
        if exact is None:
            return None
        raw[name] = exact
    return raw


def _fractions(entries: Any) -> Any:
    """Nested lists of floats as exact fractions; None where one is not finite."""
    if not isinstance(entries, list):
        return str(Fraction(entries)) if math.isfinite(entries) else None
    found = [_fractions(entry) for entry in entries]
    return None if None in found else found


def _misread_at(pair: Pair, found: Any, k: int, case: Case) -> list[str]:
    told = []
    quantity = exact_quantity(pair)
    formulas: Mapping[str, sp.Expr | None] = {
        **{name: symbol(name) for name in found.columns if name not in case.scalars},
        "value": quantity,
    }
    with precision(BITS):
        for name, formula in formulas.items():
            if formula is None:
                continue
            values = {n: _number(case, found, n, k) for n in names(formula)}
            if any(value is None for value in values.values()):
                continue
            true = ball(formula, values)
            error = float(found.errors[name][k]) if name in found.errors else 0.0
            seen = _around(found.columns[name][k], error)
            if not seen.overlaps(true):
                derived = true.mid().str(17, radius=False)
                told.append(
                    f"{name} at {_where(case, found, k)}: derived {derived}, found {float(found.columns[name][k])!r}"
                )
    return told


def _where(case: Case, found: Any, k: int) -> str:
    """A point in a line: its parameters and matrices."""
    scalars = {name: f"{column[k]:g}" for name, column in found.columns.items() if name in case.scalars}
    shown = ", ".join(f"{name} = {value}" for name, value in {**scalars, **found.point(k)}.items())
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."


def _number(case: Case, found: Any, name: str, k: int) -> Any:
    """The ball of a name's value at a case, a parameter's with its error; None where only the check knows it."""
    if name in found.errors and name in case.scalars:
        return _around(found.columns[name][k], float(found.errors[name][k]))
    try:
        value = case.number(name)
    except KeyError:
        return None
    return value() if callable(value) else rational(value)


def _around(value: float, error: float) -> Any:
    middle, spread = Fraction(float(value)), Fraction(error)
    return between(middle - spread, middle + spread)
