"""Certified least costs over C, lam and the overlap of the nuisances, with the proved bounds: data for figures.

Costs are in units of kappa/sqrt(d); rows are JSON-able.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.lampert2026.comparison import diagonal_bound, sink_solution
from theorems.lampert2026.patterns.instances import overlapping
from theorems.lampert2026.patterns.optimum import symmetric

Row = dict[str, Any]


def _proved(C: int, n: int, lam: Fraction, overlap: Fraction) -> tuple[float, float, float]:
    """r_eff, the proved lower bound of the diagonal cost, and the cost of the explicit sink solution."""
    rank = overlapping(C, n, lam, overlap).r_eff
    assert isinstance(rank, Fraction)
    table = {"C": C, "n": n, "lam": lam, "delta2": 1 - lam**2, "r_eff": rank}
    point = {symbol(name): sp.Rational(str(value)) for name, value in table.items()}
    lower, upper = diagonal_bound().data[0], sink_solution().data[1]
    return float(rank), float(lower.xreplace(point)), float(upper.xreplace(point))


def row(C: int, n: int, lam: Fraction, overlap: Fraction) -> Row:
    """One instance: the least costs between certified bounds, what is proved for every instance, and who is cheaper.

    ``cheaper`` is "sink", "diagonal", or "" where the certified bounds leave it open; ``shown`` says whether the proved
    condition (sink solution below the lower bound of the diagonal cost) decides it already.
    """
    sink, diag = (symmetric(pattern, C, n, lam, overlap) for pattern in ("sink", "diag"))
    rank, lower, upper = _proved(C, n, lam, overlap)
    cheaper = "sink" if sink.high < diag.low else "diagonal" if diag.high <= sink.low else ""
    return {
        "C": C,
        "n": n,
        "lam": float(lam),
        "overlap": float(overlap),
        "r_eff": rank,
        "sink_low": float(sink.low),
        "sink_high": float(sink.high),
        "diag_low": float(diag.low),
        "diag_high": float(diag.high),
        "diag_bound": lower,
        "sink_solution": upper,
        "cheaper": cheaper,
        "shown": upper < lower,
    }


def over_groups(lam: Fraction, groups: Iterable[int], overlap: Fraction = Fraction(0), n: int = 2) -> list[Row]:
    """The costs over C at one lam and overlap."""
    return [row(C, n, lam, overlap) for C in groups]


def region(lams: Iterable[Fraction], groups: Iterable[int], overlap: Fraction, n: int = 2) -> list[Row]:
    """The instances of a grid of lam and C, in this order."""
    chosen = tuple(groups)
    return [row(C, n, lam, overlap) for lam in lams for C in chosen]
