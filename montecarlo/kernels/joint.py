"""Tier c: the scores of all tokens at once from their joint law given the end of the walk, d + N - 1 normals a walk.

Let the walk have N steps R z_1, ..., R z_N (N = T, or T - 1 from x_1 = 0), u = z_1 + ... + z_N and M = R^T W R. The
score of token a is the sum over its steps of z_s^T y with the query y = M u, a function of u alone.

The deviations z_s - u / N are jointly Gaussian with u, and uncorrelated with it: E (z_s - u / N) u^T = I - N I / N = 0.
So they are independent of u, hence of y. Given u, the numbers z_s^T y - u^T y / N = (z_s - u / N)^T y are Gaussian of
mean 0, and with E (z_s - u / N)(z_t - u / N)^T = (delta_st - 1 / N) I their covariance is |y|^2 (delta_st - 1 / N): the
law of |y| (h_s - mean h) for N independent standard normals h. Their sum X_a over s <= a is a random walk tied down at
X_N = 0: given X_a, the N - a numbers to come have the sum -X_a, so that the next has the mean -X_a / (N - a) and the
variance 1 - 1 / (N - a). Hence, in law and for every W, Sigma and start,

    x_a^T W x_T = a v^T M v + sqrt(N) |M v| X_a,    X_{a+1} = k_a X_a + sqrt(k_a) g_{a+1},    k_a = 1 - 1 / (N - a),

with v = u / sqrt(N) ~ N(0, I_d) and g_1, ..., g_{N-1} ~ N(0, 1) independent, and X_0 = 0.

Accumulation. X is cumulated in float32, by a fused multiply-add a token: to first order it is off by at most 2^-23
times the sum of |X_b| + |g_b| over b <= a; the score is made of it in float64.

As this is itself a computation with the Gaussian law, it is no independent evidence for a formula of moments.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import float32, float64, uint64
from numpy.typing import NDArray

from montecarlo.kernels.forms import ROWS, Form
from montecarlo.kernels.generator import NUMBERS, STATE, fill, normals, tile
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
from montecarlo.kernels.project import squares


@inlined
def _put(place: Any, lane: Any, token: Any, x: Any, level: Any, out: Any) -> None:
    """The score of a token, from X and what array 6 holds of the lane: what a token adds to the mean, and X's unit."""
    mean, spread = load(6, level, lane), load(6, level, LANES + lane)
    store(7, out, place + lane, fma(spread, float64(x), float64(token) * mean))


@compiled
def _block(
    key: Any,
    first_block: Any,
    blocks: Any,
    walks: Any,
    stride: Any,
    N: Any,
    d: Any,
    scale: Any,
    weights: Any,
    first: Any,
    last: Any,
    keep: Any,
    root: Any,
    state: Any,
    numbers: Any,
    z: Any,
    x: Any,
    found: Any,
    sums: Any,
    level: Any,
    out: Any,
    lanes: Any,
) -> None:
    aligned_stack()
    # a count that the compiler does not know: it would unroll loops so short instead of using vectors
    stretch = scale * math.sqrt(N)
    for at in range(0, walks * blocks, LANES):
        tile(key, first_block + uint64(at // walks), at % walks, state)
        fill(state, numbers, -(-d // 4) * 4, z)
        squares(weights, first, last, z, found, sums)
        for lane in range(lanes):
            store(6, level, lane, scale * float64(load(4, found, lane)))
            store(6, level, LANES + lane, stretch * math.sqrt(float64(load(4, found, LANES + lane))))
            store(4, found, lane, float32(0))
        # X, four tokens at a time; the rows beyond the last are given away
        for a in range(0, N, 4):
            k0, k1, k2, k3 = load(5, keep, a), load(5, keep, a + 1), load(5, keep, a + 2), load(5, keep, a + 3)
            r0, r1, r2, r3 = load(5, root, a), load(5, root, a + 1), load(5, root, a + 2), load(5, root, a + 3)
            for lane in range(LANES):
                g0, g1, g2, g3 = normals(state, numbers, lane)
                x0 = fma(k0, load(4, found, lane), r0 * g0)
                x1 = fma(k1, x0, r1 * g1)
                x2 = fma(k2, x1, r2 * g2)
                x3 = fma(k3, x2, r3 * g3)
                store(4, found, lane, x3)
                store(3, x, lane, x0)
                store(3, x, LANES + lane, x1)
                store(3, x, 2 * LANES + lane, x2)
                store(3, x, 3 * LANES + lane, x3)
            place = a * stride + at
            for lane in range(lanes):
                _put(place, lane, a + 1, load(3, x, lane), level, out)
                _put(place + stride, lane, a + 2, load(3, x, LANES + lane), level, out)
                _put(place + 2 * stride, lane, a + 3, load(3, x, 2 * LANES + lane), level, out)
                _put(place + 3 * stride, lane, a + 4, load(3, x, 3 * LANES + lane), level, out)


def _room(d: int) -> tuple[NDArray[Any], ...]:
    z, x, found, sums = (aligned(count * LANES, np.float32) for count in (-(-d // ROWS) * ROWS, 4, 2, ROWS))
    # rows beyond d are multiplied with 0
    z[:] = 0
    return aligned(STATE * LANES, np.uint32), NUMBERS, z, x, found, sums, aligned(2 * LANES, np.float64)


_scratch = Scratch(_room)


@lru_cache(maxsize=8)
def _kept(N: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """k_0, ..., k_{N-1} and their roots, with zeros up to a multiple of 4."""
    keep = np.zeros(-(-N // 4) * 4)
    keep[:N] = 1 - 1 / np.arange(N, 0, -1)
    return keep.astype(np.float32), np.sqrt(keep).astype(np.float32)


def scores(form: Form, key: int, block: int, walks: int, N: int, blocks: int = 1) -> NDArray[np.float64]:
    """The scores x_a^T W x_T of walks of N steps that begin at x_1 ~ N(0, Sigma), (N, blocks walks) float64.

    The walks are those of blocks block, ..., block + blocks - 1, block after block. Exact in law up to the rounding of
    float32; a function of its arguments alone. Walk w takes the normals at positions 0, ..., d - 1 of (key, its block,
    w) for its end, and N - 1 more from the next multiple of 4 on.
    """
    width = -(-walks // LANES) * LANES
    room = table(-(-N // 4) * 4, blocks * width)
    if N:
        _block(
            *(np.uint64(key), np.uint64(block), blocks, width, room.shape[1], N, form.d, form.scale),
            *(form.weights, form.first, form.last, *_kept(N), *_scratch.take(form.d), room.ravel(), LANES),
        )
    return of_walks(room, N, blocks, walks)
