"""Tier c: the scores of all tokens at once from their joint law given the end of the walk, d + N normals a walk.

Let the walk have N steps R z_1, ..., R z_N (N = T, or T - 1 from x_1 = 0), u = z_1 + ... + z_N and M = R^T W R. The
score of token a is the sum over its steps of z_s^T y with the query y = M u, a function of u alone.

The deviations z_s - u / N are jointly Gaussian with u, and uncorrelated with it: E (z_s - u / N) u^T = I - N I / N = 0.
So they are independent of u, hence of y. Given u, the numbers z_s^T y - u^T y / N = (z_s - u / N)^T y are Gaussian of
mean 0, and with E (z_s - u / N)(z_t - u / N)^T = (delta_st - 1 / N) I their covariance is |y|^2 (delta_st - 1 / N): the
law of |y| (g_s - mean g) for N independent standard normals g. Hence, in law and for every W, Sigma and start,

    x_a^T W x_T = sum of [ u^T y / N + |y| (g_s - mean g) ] over the steps s up to a,    u = sqrt(N) v, y = M u,

with v ~ N(0, I_d) and g ~ N(0, I_N) independent. Cumulated, |y| (g - mean g) is a Brownian bridge along y / |y|.

As this is itself a computation with the Gaussian law, it is no independent evidence for a formula of moments.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float32, float64
from numpy.typing import NDArray

from montecarlo.kernels.forms import ROWS, Form
from montecarlo.kernels.generator import TURN, fill, tile
from montecarlo.kernels.lanes import LANES, compiled, fma, inlined, load, store
from montecarlo.kernels.project import project


@inlined
def _inner(rows: Any, lanes: Any, end: Any, query: Any, sums: Any) -> None:
    """u^T y and |y|^2 of each lane, to rows 0 and 1 of array 5."""
    for i in range(2 * lanes):
        store(5, sums, i, float32(0))
    for k in range(rows):
        for lane in range(lanes):
            y = load(4, query, k * LANES + lane)
            store(5, sums, lane, fma(load(3, end, k * LANES + lane), y, load(5, sums, lane)))
            store(5, sums, LANES + lane, fma(y, y, load(5, sums, LANES + lane)))


@compiled
def _block(
    key: Any,
    block: Any,
    walks: Any,
    N: Any,
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
    acc: Any,
    total: Any,
    bits: Any,
    out: Any,
) -> None:
    lanes = len(high)
    rows = len(query) // LANES
    drawn = -(-d // 4) * 4
    root = float32(math.sqrt(N))
    part = float64(1) / N
    for at in range(0, walks, LANES):
        tile(key, block, at, high, low)
        fill(key, block, 0, drawn, high, low, bits, z, 0)
        for i in range(d * lanes):
            store(3, end, i, root * load(2, z, i))
        project(weights, first, last, end, query, acc)
        _inner(rows, lanes, end, query, acc)
        fill(key, block, drawn, -(-N // 4) * 4, high, low, bits, z, 0)
        for lane in range(lanes):
            store(5, acc, 2 * LANES + lane, float32(0))
            store(5, acc, LANES + lane, np.sqrt(load(5, acc, LANES + lane)))
            store(6, total, lane, float64(0))
        for s in range(N):
            for lane in range(lanes):
                store(5, acc, 2 * LANES + lane, load(5, acc, 2 * LANES + lane) + load(2, z, s * LANES + lane))
        # what every step adds: (u^T y) / N - |y| mean g
        for lane in range(lanes):
            level = float64(load(5, acc, lane)) - float64(load(5, acc, LANES + lane)) * load(5, acc, 2 * LANES + lane)
            store(6, total, LANES + lane, level * part)
        for s in range(N):
            for lane in range(lanes):
                own = float64(load(5, acc, LANES + lane)) * float64(load(2, z, s * LANES + lane))
                found = load(6, total, lane) + (load(6, total, LANES + lane) + own)
                store(6, total, lane, found)
                store(7, out, s * walks + at + lane, scale * found)


def scores(form: Form, key: int, block: int, walks: int, N: int) -> NDArray[np.float64]:
    """The scores x_a^T W x_T of walks of N steps that begin at x_1 ~ N(0, Sigma), (N, walks) float64.

    Exact in law up to the rounding of float32; a function of its arguments alone. Walk w takes the normals at positions
    0, ..., d - 1 of (key, block, w) for its end, and N more from the next multiple of 4 on.
    """
    width = -(-walks // LANES) * LANES
    out = np.empty((N, width))
    if N:
        rows = -(-form.d // ROWS) * ROWS
        z = np.empty(max(-(-form.d // 4), -(-N // 4)) * 4 * LANES, np.float32)
        end, query = np.zeros(rows * LANES, np.float32), np.zeros(rows * LANES, np.float32)
        high, low = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
        acc, total = np.empty(ROWS * LANES, np.float32), np.empty(2 * LANES)
        _block(
            *(np.uint64(key), np.uint64(block), width, N, form.d, form.scale),
            *(form.weights, form.first, form.last),
            *(z, end, query, high, low, acc, total, np.empty(TURN * LANES, np.uint32)),
            out.ravel(),
        )
    return out[:, :walks]
