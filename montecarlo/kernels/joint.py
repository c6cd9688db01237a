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
from typing import Any

import numpy as np
from numba import float32, float64, uint64
from numpy.typing import NDArray

from montecarlo.kernels.forms import ROWS, Form
from montecarlo.kernels.generator import TURN, fill, tile
from montecarlo.kernels.lanes import LANES, compiled, fma, load, store
from montecarlo.kernels.project import squares


@compiled
def _block(
    key: Any,
    first_block: Any,
    blocks: Any,
    walks: Any,
    N: Any,
    d: Any,
    scale: Any,
    weights: Any,
    first: Any,
    last: Any,
    keep: Any,
    root: Any,
    z: Any,
    end: Any,
    found: Any,
    high: Any,
    low: Any,
    sums: Any,
    state: Any,
    bits: Any,
    out: Any,
) -> None:
    # counts that the compiler does not know: it would unroll loops so short instead of using vectors
    lanes = len(high)
    drawn = -(-d // 4) * 4
    stretch = scale * math.sqrt(N)
    width = walks * blocks
    for at in range(0, width, LANES):
        block = first_block + uint64(at // walks)
        tile(key, block, at % walks, high, low)
        for start in range(0, drawn, TURN):
            several = min(TURN, drawn - start)
            fill(key, block, start, several, high, low, bits, z, 0)
            for i in range(several * lanes):
                store(3, end, start * LANES + i, load(2, z, i))
        squares(weights, first, last, end, found, sums)
        # of each lane: what a token adds to the mean, and what X is stretched by; then X itself, from 0 on
        for lane in range(lanes):
            store(6, state, lane, scale * float64(load(4, found, lane)))
            store(6, state, LANES + lane, stretch * math.sqrt(float64(load(4, found, LANES + lane))))
            store(4, found, lane, float32(0))
        for start in range(0, N, TURN):
            several = min(TURN, N - start)
            fill(key, block, drawn + start, -(-several // 4) * 4, high, low, bits, z, 0)
            for s in range(0, several // 4 * 4, 4):
                a = start + s
                k0, k1, k2, k3 = load(5, keep, a), load(5, keep, a + 1), load(5, keep, a + 2), load(5, keep, a + 3)
                r0, r1, r2, r3 = load(5, root, a), load(5, root, a + 1), load(5, root, a + 2), load(5, root, a + 3)
                for lane in range(lanes):
                    row = s * LANES + lane
                    x0 = fma(k0, load(4, found, lane), r0 * load(2, z, row))
                    x1 = fma(k1, x0, r1 * load(2, z, row + LANES))
                    x2 = fma(k2, x1, r2 * load(2, z, row + 2 * LANES))
                    x3 = fma(k3, x2, r3 * load(2, z, row + 3 * LANES))
                    store(4, found, lane, x3)
                    place, mean, spread = a * width + at + lane, load(6, state, lane), load(6, state, LANES + lane)
                    store(7, out, place, fma(spread, float64(x0), float64(a + 1) * mean))
                    store(7, out, place + width, fma(spread, float64(x1), float64(a + 2) * mean))
                    store(7, out, place + 2 * width, fma(spread, float64(x2), float64(a + 3) * mean))
                    store(7, out, place + 3 * width, fma(spread, float64(x3), float64(a + 4) * mean))
            for s in range(several // 4 * 4, several):
                a = start + s
                kept, root_a, count = load(5, keep, a), load(5, root, a), float64(a + 1)
                for lane in range(lanes):
                    x = fma(kept, load(4, found, lane), root_a * load(2, z, s * LANES + lane))
                    store(4, found, lane, x)
                    mean = count * load(6, state, lane)
                    store(7, out, a * width + at + lane, fma(load(6, state, LANES + lane), float64(x), mean))


def scores(form: Form, key: int, block: int, walks: int, N: int, blocks: int = 1) -> NDArray[np.float64]:
    """The scores x_a^T W x_T of walks of N steps that begin at x_1 ~ N(0, Sigma), (N, blocks walks) float64.

    The walks are those of blocks block, ..., block + blocks - 1, block after block. Exact in law up to the rounding of
    float32; a function of its arguments alone. Walk w takes the normals at positions 0, ..., d - 1 of (key, its block,
    w) for its end, and N - 1 more from the next multiple of 4 on.
    """
    width = -(-walks // LANES) * LANES
    out = np.empty((N, blocks * width))
    if N:
        rows = -(-form.d // ROWS) * ROWS
        z, end = np.empty(TURN * LANES, np.float32), np.zeros(rows * LANES, np.float32)
        high, low = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
        keep = 1 - 1 / np.arange(N, 0, -1)
        found, sums = np.empty(2 * LANES, np.float32), np.empty(ROWS * LANES, np.float32)
        _block(
            *(np.uint64(key), np.uint64(block), blocks, width, N, form.d, form.scale),
            *(form.weights, form.first, form.last),
            *(keep.astype(np.float32), np.sqrt(keep).astype(np.float32)),
            *(z, end, found, high, low, sums, np.empty(2 * LANES), np.empty(TURN * LANES, np.uint32)),
            out.ravel(),
        )
    return out if width == walks else out.reshape(N, blocks, width)[:, :, :walks].reshape(N, blocks * walks)
