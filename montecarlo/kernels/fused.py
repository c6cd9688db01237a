"""Tier b: the walk itself, drawn, cumulated and reduced to its scores a tile of sixteen walks at a time.

With steps R z_t, x_a = R (z_1 + ... + z_a), the scores are x_a^T W x_T = sum of z_t^T (M u) over t <= a, with
M = R^T W R and u = z_1 + ... + z_T. The end u is known only after the last step, so a tile's steps are kept (64 T d
bytes, in the core's cache) until they have been multiplied with their query M u; no walk goes to main memory. That
happens while the next tile is drawn into the same place.

Accumulation. All products and sums over d are float32 with fused multiply-adds, in the order of the coordinates, and so
is u; the sum over the tokens is float64. To first order the error of a score is at most (T + 2 d + 4) 2^-24 times
sum over t <= a of |z_t|^T |M| (|z_1| + ... + |z_T|), absolute values taken entry by entry.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numba import float32, float64, uint64
from numpy.typing import NDArray

from montecarlo.kernels.forms import ROWS, Form
from montecarlo.kernels.generator import TURN, fill, pair, tile, words
from montecarlo.kernels.lanes import LANES, compiled, fma, inlined, load, store
from montecarlo.kernels.project import project


@inlined
def _multiply(T: Any, d: Any, lanes: Any, z: Any, query: Any, sums: Any) -> None:
    """The products of all steps of a tile with their query: row t of ``sums``."""
    # a count that the compiler does not know: it would unroll loops so short instead of using vectors
    for t in range(T):
        for lane in range(lanes):
            store(5, sums, t * LANES + lane, float32(0))
        for k in range(d):
            for lane in range(lanes):
                at = (t * d + k) * LANES + lane
                product = load(5, sums, t * LANES + lane)
                store(5, sums, t * LANES + lane, fma(load(2, z, at), load(4, query, k * LANES + lane), product))


@inlined
def _token(
    key: Any, block: Any, t: Any, d: Any, high: Any, low: Any, z: Any, end: Any, query: Any, sums: Any, bits: Any
) -> None:
    """Multiply step t of the tile before with its query, and draw step t of this tile in its place."""
    for lane in range(LANES):
        store(5, sums, t * LANES + lane, float32(0))
    for start in range(0, d, TURN):
        count = min(TURN, d - start)
        words(key, block, t * d + start, count, high, low, bits)
        for k in range(0, count, 2):
            for lane in range(LANES):
                row = (start + k) * LANES + lane
                here = t * d * LANES + row
                found = fma(load(2, z, here), load(4, query, row), load(5, sums, t * LANES + lane))
                found = fma(load(2, z, here + LANES), load(4, query, row + LANES), found)
                store(5, sums, t * LANES + lane, found)
                word = k * LANES + lane
                a, b = pair(load(7, bits, word), load(7, bits, word + LANES))
                store(2, z, here, a)
                store(2, z, here + LANES, b)
                store(3, end, row, load(3, end, row) + a)
                store(3, end, row + LANES, load(3, end, row + LANES) + b)


@inlined
def _put(T: Any, tile_at: Any, width: Any, lanes: Any, scale: Any, sums: Any, total: Any, out: Any) -> None:
    """Cumulate the products of a tile over its tokens into the columns tile_at, ... of ``out``, (T, width)."""
    for lane in range(lanes):
        store(6, total, lane, float64(0))
    for t in range(T):
        for lane in range(lanes):
            found = load(6, total, lane) + float64(load(5, sums, t * LANES + lane))
            store(6, total, lane, found)
            store(7, out, t * width + tile_at + lane, scale * found)


@compiled
def _block(
    key: Any,
    first_block: Any,
    blocks: Any,
    walks: Any,
    T: Any,
    d: Any,
    scale: Any,
    weights: Any,
    first: Any,
    last: Any,
    z: Any,
    end: Any,
    query: Any,
    high: Any,
    low: Any,
    sums: Any,
    acc: Any,
    total: Any,
    bits: Any,
    out: Any,
) -> None:
    """All tiles of all blocks; walks is a multiple of 16. The numbers do not depend on which of two ways is taken."""
    lanes = len(high)
    aligned = d % 4 == 0
    width = walks * blocks
    for at in range(0, width, LANES):
        block = first_block + uint64(at // walks)
        tile(key, block, at % walks, high, low)
        for i in range(d * lanes):
            store(3, end, i, float32(0))
        if aligned:
            for t in range(T):
                _token(key, block, t, d, high, low, z, end, query, sums, bits)
            if at > 0:
                _put(T, at - LANES, width, lanes, scale, sums, total, out)
        else:
            fill(key, block, 0, -(-(T * d) // 4) * 4, high, low, bits, z, 0)
            for t in range(T):
                for i in range(d * lanes):
                    store(3, end, i, load(3, end, i) + load(2, z, t * d * LANES + i))
        project(weights, first, last, end, query, acc)
        if not aligned or at == width - LANES:
            _multiply(T, d, lanes, z, query, sums)
            _put(T, at, width, lanes, scale, sums, total, out)


class _Scratch(threading.local):
    """What a thread's blocks work in; taken once, as new pages cost as much as drawing into them."""

    shape: tuple[int, int] | None = None
    z: NDArray[np.float32]
    sums: NDArray[np.float32]
    end: NDArray[np.float32]
    query: NDArray[np.float32]

    def take(self, T: int, d: int) -> None:
        if self.shape == (T, d):
            return
        rows = -(-d // ROWS) * ROWS
        self.z = np.zeros(-(-(T * d) // 4) * 4 * LANES, np.float32)
        self.sums = np.zeros(T * LANES, np.float32)
        self.end, self.query = np.zeros(rows * LANES, np.float32), np.zeros(rows * LANES, np.float32)
        self.shape = (T, d)


_scratch = _Scratch()


def scores(form: Form, key: int, block: int, walks: int, T: int, blocks: int = 1) -> NDArray[np.float64]:
    """The scores x_a^T W x_T of walks of T steps that begin at x_1 ~ N(0, Sigma), (T, blocks walks) float64.

    The walks are those of blocks block, ..., block + blocks - 1, block after block. A function of its arguments alone:
    walk w takes the normals at positions 0, ..., T d - 1 of (key, its block, w), token after token.
    """
    width = -(-walks // LANES) * LANES
    out = np.empty((T, blocks * width))
    if T:
        _scratch.take(T, form.d)
        high, low = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
        acc, total = np.empty(ROWS * LANES, np.float32), np.empty(LANES)
        bits = np.empty(TURN * LANES, np.uint32)
        _block(
            *(np.uint64(key), np.uint64(block), blocks, width, T, form.d, form.scale),
            *(form.weights, form.first, form.last),
            *(_scratch.z, _scratch.end, _scratch.query, high, low, _scratch.sums, acc, total, bits),
            out.ravel(),
        )
    return out if width == walks else out.reshape(T, blocks, width)[:, :, :walks].reshape(T, blocks * walks)
