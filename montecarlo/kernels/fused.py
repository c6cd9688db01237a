"""Tier b: the walk itself, drawn backward from its end and reduced to its scores in registers, never stored.

Let the walk have T steps R z_1, ..., R z_T, u_t = z_1 + ... + z_t and M = R^T W R: its scores are x_t^T W x_T = u_t^T q
with the query q = M u_T. The query needs the end of the walk before its first step is worth anything; so the end is
drawn first and then the walk from token to token before it. Given u_t, u_{t-1} is normal with mean (t-1)/t u_t and
covariance (t-1)/t I. For b_t = u_t / t that reads

    b_{t-1} = b_t + e_t / sqrt(t (t-1)),   e_t standard normal in d dimensions.

So with u_T = sqrt(T) e, y = M e and all T d normals e, e_T, ..., e_2 of a walk,

    x_t^T W x_T = t (e^T y + sum over s > t of sqrt(T / (s (s-1))) e_s^T y):

one fused multiply-add a normal, and no state of a walk but one number.

Accumulation. All products and sums over d are float32 with fused multiply-adds, in the order of the coordinates; the
sum over the tokens is float64. To first order the error of score t is at most (2 d + 4) 2^-24 times
t (|e| + sum over s > t of sqrt(T / (s (s-1))) |e_s|)^T |M| |e|, absolute values taken entry by entry.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import float32, float64, uint64
from numpy.typing import NDArray

from montecarlo.kernels.forms import ROWS, Form
from montecarlo.kernels.generator import NUMBERS, STATE, fill, polar, tile, words
from montecarlo.kernels.lanes import (
    LANES,
    Scratch,
    aligned,
    aligned_stack,
    compiled,
    fma,
    inlined,
    load,
    of_walks,
    store,
    table,
)
from montecarlo.kernels.project import project

#: Normals of a walk that are made before they are used, where tokens don't begin at whole quadruples: about so many.
TURN = 64


@inlined
def _drawn(d: Any, state: Any, numbers: Any, query: Any, sums: Any) -> None:
    """The product of the next step with the query, for d a multiple of 4: array 5."""
    for lane in range(LANES):
        store(5, sums, lane, float32(0))
    for k in range(0, d, 4):
        for lane in range(LANES):
            at = k * LANES + lane
            w0, w1, w2, w3 = words(state, lane)
            r, s, c = polar(w0, w1, numbers)
            found = fma(r, fma(c, load(4, query, at + LANES), s * load(4, query, at)), load(5, sums, lane))
            r, s, c = polar(w2, w3, numbers)
            product = fma(c, load(4, query, at + 3 * LANES), s * load(4, query, at + 2 * LANES))
            store(5, sums, lane, fma(r, product, found))


@inlined
def _multiplied(d: Any, lanes: Any, row: Any, z: Any, query: Any, sums: Any) -> None:
    """The product of the numbers in rows row, ..., row + d - 1 of array 2 with the query: array 5."""
    # a count that the compiler does not know: it would unroll loops so short instead of using vectors
    for lane in range(lanes):
        store(5, sums, lane, float32(0))
    for k in range(d):
        for lane in range(lanes):
            found = fma(load(2, z, (row + k) * LANES + lane), load(4, query, k * LANES + lane), load(5, sums, lane))
            store(5, sums, lane, found)


@inlined
def _put(at: Any, lanes: Any, step: Any, scale: Any, sums: Any, total: Any, out: Any) -> None:
    """Add array 5, times ``step``, to the sum over the tokens, and put the scores to array 7 from ``at`` on."""
    for lane in range(lanes):
        found = fma(float64(load(5, sums, lane)), step, load(6, total, lane))
        store(6, total, lane, found)
        store(7, out, at + lane, scale * found)


@compiled
def _block(
    key: Any,
    first_block: Any,
    blocks: Any,
    walks: Any,
    stride: Any,
    T: Any,
    d: Any,
    several: Any,
    scale: Any,
    steps: Any,
    weights: Any,
    first: Any,
    last: Any,
    state: Any,
    numbers: Any,
    z: Any,
    query: Any,
    product: Any,
    sums: Any,
    total: Any,
    out: Any,
    lanes: Any,
) -> None:
    """All tiles of all blocks; walks is a multiple of 16, and ``several`` the tokens that are drawn at once, or 0."""
    aligned_stack()
    for at in range(0, walks * blocks, LANES):
        tile(key, first_block + uint64(at // walks), at % walks, state)
        fill(state, numbers, -(-d // 4) * 4, z)
        project(weights, first, last, z, query, product, sums)
        for lane in range(lanes):
            store(6, total, lane, float64(0))
            store(5, sums, lane, load(3, product, lane))
        _put((T - 1) * stride + at, lanes, float64(1), scale * T, sums, total, out)
        for back in range(T - 1):
            t = T - 1 - back
            if several:
                if back % several == 0:
                    fill(state, numbers, -(-(min(several, t) * d) // 4) * 4, z)
                _multiplied(d, lanes, (back % several) * d, z, query, sums)
            else:
                _drawn(d, state, numbers, query, sums)
            _put((t - 1) * stride + at, lanes, load(6, steps, t - 1), scale * t, sums, total, out)


def tokens_at_once(d: int) -> int:
    """How many tokens' normals are made together: 0 where d is a multiple of 4, else whole quadruples of them."""
    if d % 4 == 0:
        return 0
    whole = 4 // math.gcd(d, 4)
    return whole * max(1, TURN // (whole * d))


def _room(d: int, several: int) -> tuple[NDArray[Any], ...]:
    rows = -(-d // ROWS) * ROWS
    sizes = (max(rows, several * d + 3), rows, 1, ROWS)
    z, query, product, sums = (aligned(count * LANES, np.float32) for count in sizes)
    # rows beyond d are multiplied with 0
    z[:] = 0
    return aligned(STATE * LANES, np.uint32), NUMBERS, z, query, product, sums, aligned(LANES, np.float64)


_scratch = Scratch(_room)


@lru_cache(maxsize=8)
def _steps(T: int) -> NDArray[np.float64]:
    """sqrt(T / (s (s-1))) for s = 2, ..., T."""
    s = np.arange(2, T + 1)
    return np.sqrt(T / (s * (s - 1.0)))


def scores(form: Form, key: int, block: int, walks: int, T: int, blocks: int = 1) -> NDArray[np.float64]:
    """The scores x_a^T W x_T of walks of T steps that begin at x_1 ~ N(0, Sigma), (T, blocks walks) float64.

    The walks are those of blocks block, ..., block + blocks - 1, block after block. A function of its arguments alone:
    walk w takes the normals at positions 0, ..., d - 1 of (key, its block, w) for its end, and those of its steps, the
    last one first, from the next multiple of 4 on.
    """
    width = -(-walks // LANES) * LANES
    room = table(T, blocks * width)
    if T:
        several = tokens_at_once(form.d)
        _block(
            *(np.uint64(key), np.uint64(block), blocks, width, room.shape[1], T, form.d, several),
            *(form.scale, _steps(T), form.weights, form.first, form.last),
            *(*_scratch.take(form.d, several), room.ravel(), LANES),
        )
    return of_walks(room, T, blocks, walks)
