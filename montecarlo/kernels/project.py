"""The query y = M u of a tile of walks, for the form M and the ends u of sixteen walks side by side.

The rows of M are taken a panel of eight at a time, whose sums stay in registers.
"""

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
def _panel(weights: Any, at: Any, first: Any, last: Any, end: Any, sums: Any) -> Any:
    """The rows of one panel to array 5; returns where the weights of the next begin."""
    for i in range(ROWS * LANES):
        store(5, sums, i, float32(0))
    for column in range(first, last):
        w0, w1 = load(6, weights, at), load(6, weights, at + 1)
        w2, w3 = load(6, weights, at + 2), load(6, weights, at + 3)
        w4, w5 = load(6, weights, at + 4), load(6, weights, at + 5)
        w6, w7 = load(6, weights, at + 6), load(6, weights, at + 7)
        at += ROWS
        for lane in range(LANES):
            x = load(2, end, column * LANES + lane)
            _add(0, lane, w0, x, sums)
            _add(1, lane, w1, x, sums)
            _add(2, lane, w2, x, sums)
            _add(3, lane, w3, x, sums)
            _add(4, lane, w4, x, sums)
            _add(5, lane, w5, x, sums)
            _add(6, lane, w6, x, sums)
            _add(7, lane, w7, x, sums)
    return at


@inlined
def project(weights: Any, first: Any, last: Any, end: Any, query: Any, product: Any, sums: Any) -> None:
    """Array 4 = M times array 2, both (rows, 16), and their product of each lane to array 3.

    ``sums`` is array 5, ``weights`` 6 (see ``forms.Form``).
    """
    for lane in range(LANES):
        store(3, product, lane, float32(0))
    at = 0
    for panel in range(len(first)):
        at = _panel(weights, at, first[panel], last[panel], end, sums)
        for lane in range(LANES):
            found = load(3, product, lane)
            for row in range(ROWS):
                y, place = load(5, sums, row * LANES + lane), (panel * ROWS + row) * LANES + lane
                store(4, query, place, y)
                found = fma(load(2, end, place), y, found)
            store(3, product, lane, found)


@inlined
def squares(weights: Any, first: Any, last: Any, end: Any, found: Any, sums: Any) -> None:
    """u^T y and |y|^2 of each lane, to rows 0 and 1 of array 4, for u in array 2, and y = M u nowhere."""
    for i in range(2 * LANES):
        store(4, found, i, float32(0))
    at = 0
    for panel in range(len(first)):
        at = _panel(weights, at, first[panel], last[panel], end, sums)
        for lane in range(LANES):
            product, square = load(4, found, lane), load(4, found, LANES + lane)
            for row in range(ROWS):
                y = load(5, sums, row * LANES + lane)
                product = fma(load(2, end, (panel * ROWS + row) * LANES + lane), y, product)
                square = fma(y, y, square)
            store(4, found, lane, product)
            store(4, found, LANES + lane, square)
