"""Whether the numbers of a search are what they are called: recomputed at its points, in ball arithmetic.

A bound alone does not show that: a value of the wrong sign, or of another quantity, may keep it everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.pairing import Pair
from theorems.algebra.closed import names
from theorems.balls import ball, between, precision, rational
from theorems.derivation import Inequality, SharpBound
from theorems.expressions import parse, symbol
from theorems.inequalities.eventually import Eventually
from theorems.numeric import Case

#: Bits of the recomputation; float64 has 53.
BITS = 160
#: What the value of a two-sided bound is, by the quantity that the claim states.
SHARP = {"tr(W)": "tr1", "xi = tr(W)/sqrt(tr(W^2))": "tr1/sqrt(tr2)"}


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


def exact_quantity(pair: Pair) -> sp.Expr | None:
    """What the column ``value`` of a claim's search stands for; None where the derivation says that of no point."""
    bound = next(iter(pair.derived().quantities.values()))
    if isinstance(bound, Eventually):
        return None
    if isinstance(bound, Inequality):
        return bound.quantity
    assert isinstance(bound, SharpBound)
    return parse(SHARP[pair.statement.quantity]) if pair.statement.quantity in SHARP else None


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
                where = ", ".join(f"{n} = {found.columns[n][k]:g}" for n in found.columns if n in case.scalars)
                told.append(f"{name} at point {k} ({where}): derived {true.mid()}, found {found.columns[name][k]!r}")
    return told


def _number(case: Case, found: Any, name: str, k: int) -> Any:
    """The ball of a name's value at a case, a parameter's with its error; None where only the second side knows it."""
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
