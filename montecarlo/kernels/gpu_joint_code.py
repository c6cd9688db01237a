"""The Triton programs of the GPU's tier c; ``gpu_joint`` says what they compute and why so.

Importing this module imports Triton; in the interpreter the programs run as those of ``gpu_code`` do.
"""

# Triton reads annotations as its own.
# mypy: disable-error-code="import-untyped, import-not-found, no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import triton
import triton.language as tl

from montecarlo.kernels.gpu_code import PLUS, normals

#: The last word of the counter: tier b's is 0.
TIER = tl.constexpr(1)

#: Numbers that must not be compiled in: a program would be made for each value 1 and each multiple of 16.
COUNTERS = ["key0", "key1", "block", "walks", "first", "total", "place", "zero"]


@triton.jit(do_not_specialize=COUNTERS)
def ends_program(
    found,
    high,
    low,
    weight,
    mean_unit,
    spread_unit,
    key0,
    key1,
    block,
    walks,
    first,
    width,
    padded,
    ROUNDS: tl.constexpr,
    QUADS: tl.constexpr,
    N: tl.constexpr,
    D: tl.constexpr,
    PRODUCTS: tl.constexpr,
    APPROXIMATE: tl.constexpr,
):
    """Of N walks mean_unit sum of weight_i v_i^2 and spread_unit |U v|: found (2, width) float32.

    ``weight`` is (padded,) float32; U is upper triangular and given transposed as ``high`` + ``low``, (padded, padded)
    float16 each. Of the products of v = v1 + v2 with them PRODUCTS are taken: v1 high, v1 low, v2 high. With 0 U is
    the diagonal matrix of the weights. D rows of U are in hand at a time, and 4 QUADS coordinates of v. What pads v is
    drawn too, but meets weights and columns of zeros.
    """
    column = tl.program_id(0) * N + tl.arange(0, N)
    at = first + column
    walk = (at % walks).to(tl.uint32)[:, None] + tl.full([1, QUADS], 0, tl.uint32)
    fixed = (at // walks).to(tl.uint32)[:, None] + tl.full([1, QUADS], 0, tl.uint32) + block.to(tl.uint32)
    one, other = key0.to(tl.uint32), key1.to(tl.uint32)
    quad = tl.arange(0, QUADS)
    form = tl.full([N, QUADS], 0.0, tl.float32)
    if PRODUCTS == 0:
        squares = tl.full([N, QUADS], 0.0, tl.float32)
        for start in range(0, padded, 4 * QUADS):
            place = (start // 4 + quad).to(tl.uint32)[None, :] + tl.full([N, 1], 0, tl.uint32)
            a, b, c, d = normals(place, walk, fixed, one, other, ROUNDS, APPROXIMATE, TIER)
            weights = weight + (start + 4 * quad)[None, :]
            y0, y1 = a * tl.load(weights), b * tl.load(weights + 1)
            y2, y3 = c * tl.load(weights + 2), d * tl.load(weights + 3)
            form += a * y0
            form += b * y1
            form += c * y2
            form += d * y3
            squares += y0 * y0
            squares += y1 * y1
            squares += y2 * y2
            squares += y3 * y3
        square = tl.reduce(squares, 1, PLUS)
    else:
        square = tl.full([N], 0.0, tl.float32)
        for row in range(0, padded, D):
            y = tl.full([N, D], 0.0, tl.float32)
            for start in range(row, padded, 4 * QUADS):
                place = (start // 4 + quad).to(tl.uint32)[None, :] + tl.full([N, 1], 0, tl.uint32)
                a, b, c, d = normals(place, walk, fixed, one, other, ROUNDS, APPROXIMATE, TIER)
                if row == 0:
                    weights = weight + (start + 4 * quad)[None, :]
                    form += a * a * tl.load(weights)
                    form += b * b * tl.load(weights + 1)
                    form += c * c * tl.load(weights + 2)
                    form += d * d * tl.load(weights + 3)
                v = tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), [N, 4 * QUADS])
                entries = (start + tl.arange(0, 4 * QUADS))[:, None] * padded + (row + tl.arange(0, D))[None, :]
                large = tl.load(high + entries)
                v1 = v.to(tl.float16)
                y = tl.dot(v1, large, y)
                y = tl.dot(v1, tl.load(low + entries), y)
                if PRODUCTS == 3:
                    y = tl.dot((v - v1.to(tl.float32)).to(tl.float16), large, y)
            square += tl.reduce(y * y, 1, PLUS)
    tl.store(found + column, mean_unit * tl.reduce(form, 1, PLUS))
    tl.store(found + width + column, spread_unit * tl.sqrt(square))


@triton.jit(do_not_specialize=COUNTERS)
def tokens_program(
    out,
    ends,
    bridge,
    key0,
    key1,
    block,
    walks,
    first,
    width,
    total,
    zero,
    place,
    padded,
    ROUNDS: tl.constexpr,
    N: tl.constexpr,
    APPROXIMATE: tl.constexpr,
):
    """The scores of ``padded`` tokens of N walks, a walk a thread: out (padded, total) float32, from column first on.

    ``ends`` are what ``ends_program`` stored; ``bridge`` is k_a and sqrt(k_a), (padded, 2) float32, a multiple of 4;
    ``place`` is the first place that the ends left free. ``zero`` is 0; a compiler that knew it would have the table's
    address copied for each number that is read from it.
    """
    column = tl.program_id(0) * N + tl.arange(0, N)
    at = first + column
    walk, fixed = (at % walks).to(tl.uint32), (at // walks).to(tl.uint32) + block.to(tl.uint32)
    one, other = key0.to(tl.uint32), key1.to(tl.uint32)
    mean, spread = tl.load(ends + column), tl.load(ends + width + column)
    # spread times X
    x = tl.full([N], 0.0, tl.float32)
    row, given = out + at, bridge + zero * column
    for token in range(0, padded, 4):
        here = tl.full([N], 0, tl.uint32) + (place + token // 4).to(tl.uint32)
        a, b, c, d = normals(here, walk, fixed, one, other, ROUNDS, APPROXIMATE, TIER)
        x = tl.load(given) * x + tl.load(given + 1) * (spread * a)
        tl.store(row, (token + 1.0) * mean + x)
        row += total
        x = tl.load(given + 2) * x + tl.load(given + 3) * (spread * b)
        tl.store(row, (token + 2.0) * mean + x)
        row += total
        x = tl.load(given + 4) * x + tl.load(given + 5) * (spread * c)
        tl.store(row, (token + 3.0) * mean + x)
        row += total
        x = tl.load(given + 6) * x + tl.load(given + 7) * (spread * d)
        tl.store(row, (token + 4.0) * mean + x)
        row += total
        given += 8
