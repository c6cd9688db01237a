"""The query of a tile of walks: y = M u for the form M and the ends u of sixteen walks side by side."""

from __future__ import annotations

from typing import Any

from numba import float32

from montecarlo.kernels.forms import ROWS
from montecarlo.kernels.lanes import LANES, fma, inlined, load, store


@inlined
def _add(row: Any, lane: Any, weight: Any, x: Any, sums: Any) -> None:
    at = row * LANES + lane
    store(5, sums, at, fma(weight, x, load(5, sums, at)))


@inlined
def project(weights: Any, first: Any, last: Any, end: Any, query: Any, sums: Any) -> None:
    """Array 4 = M times array 3, both (rows, 16); ``sums`` is array 5, ``weights`` 6 (see ``forms.Form``)."""
    at = 0
    for panel in range(len(first)):
        for i in range(ROWS * LANES):
            store(5, sums, i, float32(0))
        for column in range(first[panel], last[panel]):
            w0, w1 = load(6, weights, at), load(6, weights, at + 1)
            w2, w3 = load(6, weights, at + 2), load(6, weights, at + 3)
            w4, w5 = load(6, weights, at + 4), load(6, weights, at + 5)
            w6, w7 = load(6, weights, at + 6), load(6, weights, at + 7)
            at += ROWS
            for lane in range(LANES):
                x = load(3, end, column * LANES + lane)
                _add(0, lane, w0, x, sums)
                _add(1, lane, w1, x, sums)
                _add(2, lane, w2, x, sums)
                _add(3, lane, w3, x, sums)
                _add(4, lane, w4, x, sums)
                _add(5, lane, w5, x, sums)
                _add(6, lane, w6, x, sums)
                _add(7, lane, w7, x, sums)
        for i in range(ROWS * LANES):
            store(4, query, panel * ROWS * LANES + i, load(5, sums, i))
