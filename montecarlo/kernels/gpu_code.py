"""The Triton programs of the GPU's tier b, and the normals of both tiers; ``gpu`` says what they compute and why so.

Importing this module imports Triton. With TRITON_INTERPRET=1 in the environment at that moment the programs run in
Triton's interpreter, on tensors of the CPU; only the branch APPROXIMATE, and how a product of words is written, need a
GPU.
"""

# Triton reads annotations as its own.
# mypy: disable-error-code="import-untyped, import-not-found, no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import math

import triton
import triton.language as tl

#: Multipliers of Philox 4x32 and what its two keys grow by from round to round.
PHILOX_M0, PHILOX_M1 = tl.constexpr(0xD2511F53), tl.constexpr(0xCD9E8D57)
PHILOX_W0, PHILOX_W1 = tl.constexpr(0x9E3779B9), tl.constexpr(0xBB67AE85)

#: The width of a cell of 32 bits, its half, and the half-turns of an int32.
CELL, HALF_CELL, HALF_TURN = tl.constexpr(2.0**-32), tl.constexpr(2.0**-33), tl.constexpr(2.0**-31)
#: The bits of sqrt(1/2), where the logarithm's range begins, and those of the exponent.
ROOT_HALF, EXPONENT = tl.constexpr(0x3F3504F3), tl.constexpr(-(1 << 23))
LOG_2, LOG_2_CELL = tl.constexpr(-2 * math.log(2)), tl.constexpr(-math.ldexp(math.log(2), -22))
SIGN = tl.constexpr(1 << 31)
PI = tl.constexpr(math.pi)
#: -2 ln(1 + x) = -2 x + L2 x^2 + ... + L9 x^9 for sqrt(1/2) <= 1 + x < sqrt(2): relative error 3e-8.
L2, L3, L4 = tl.constexpr(0.99999983), tl.constexpr(-0.666679), tl.constexpr(0.5000351)
L5, L6, L7 = tl.constexpr(-0.39924143), tl.constexpr(0.33141028), tl.constexpr(-0.29835978)
L8, L9 = tl.constexpr(0.28614966), tl.constexpr(-0.17469501)
#: sin(pi t) = t (S1 + S3 t^2 + ...), relative error 6e-9, and cos(pi t) = C0 + C2 t^2 + ..., absolute 5e-8.
S1, S3, S5 = tl.constexpr(3.14159264), tl.constexpr(-5.16770968), tl.constexpr(2.55006973)
S7, S9 = tl.constexpr(-0.59824213), tl.constexpr(0.07756039)
C0, C2, C4 = tl.constexpr(0.99999995), tl.constexpr(-4.93479286), tl.constexpr(4.05841191)
C6, C8 = tl.constexpr(-1.33188016), tl.constexpr(0.21969679)

#: The upper and the lower half of a product of two words.
WIDE = tl.constexpr("{.reg .b64 whole; mul.wide.u32 whole, $2, $3; mov.b64 {$1, $0}, whole;}")
PAIR = tl.constexpr((tl.uint32, tl.uint32))
#: Whether the programs of this module are for the interpreter.
INTERPRETED = tl.constexpr(triton.knobs.runtime.interpret)

#: The sum that the interpreter knows as one: any other it would take number by number.
PLUS = tl.standard._sum_combine

#: Numbers that must not be compiled in: a program would be made for each value 1 and each multiple of 16.
COUNTERS = ["key0", "key1", "block", "first"]


@triton.jit
def philox(c0, c1, c2, c3, key0, key1, ROUNDS: tl.constexpr):
    """Philox 4x32: four uint32 of a counter of four uint32, under a key of two."""
    M0, M1 = tl.full([1] * len(c0.shape), PHILOX_M0, tl.uint32), tl.full([1] * len(c2.shape), PHILOX_M1, tl.uint32)
    for _ in tl.static_range(ROUNDS):
        if INTERPRETED:
            whole0, whole1 = c0.to(tl.uint64) * PHILOX_M0, c2.to(tl.uint64) * PHILOX_M1
            high0, low0 = (whole0 >> 32).to(tl.uint32), whole0.to(tl.uint32)
            high1, low1 = (whole1 >> 32).to(tl.uint32), whole1.to(tl.uint32)
        else:
            # one instruction each; of most that are written as above the compiler makes two
            high0, low0 = tl.inline_asm_elementwise(WIDE, "=r,=r,r,r", [c0, M0], PAIR, is_pure=True, pack=1)
            high1, low1 = tl.inline_asm_elementwise(WIDE, "=r,=r,r,r", [c2, M1], PAIR, is_pure=True, pack=1)
        c0, c1 = high1 ^ c1 ^ key0, low1
        c2, c3 = high0 ^ c3 ^ key1, low0
        key0 = tl.add(key0, PHILOX_W0, sanitize_overflow=False)
        key1 = tl.add(key1, PHILOX_W1, sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def radius_squared(word):
    """-2 ln((word + 1/2) / 2^32) for uint32, float32, by a polynomial."""
    u = word.to(tl.float32) * CELL + HALF_CELL
    above = u.to(tl.int32, bitcast=True) - ROOT_HALF
    x = (u.to(tl.int32, bitcast=True) - (above & EXPONENT)).to(tl.float32, bitcast=True) - 1.0
    found = x * L9 + L8
    found = x * found + L7
    found = x * found + L6
    found = x * found + L5
    found = x * found + L4
    found = x * found + L3
    found = x * found + L2
    found = x * found - 2.0
    return x * found + (above & EXPONENT).to(tl.float32) * LOG_2_CELL


@triton.jit
def sine_cosine(word):
    """(sin, cos) of word / 2^32 of half a turn, word taken as int32; float32, by polynomials."""
    t = word.to(tl.int32, bitcast=True).to(tl.float32) * CELL
    v = t * t
    sine = v * S9 + S7
    sine = v * sine + S5
    sine = v * sine + S3
    sine = v * sine + S1
    cosine = v * C8 + C6
    cosine = v * cosine + C4
    cosine = v * cosine + C2
    cosine = v * cosine + C0
    return t * sine, cosine


@triton.jit
def approximate(instruction: tl.constexpr, x):
    """One of the GPU's approximate instructions, float32."""
    return tl.inline_asm_elementwise(instruction, "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def pair(radius, angle, APPROXIMATE: tl.constexpr):
    """Two independent standard normals, float32, of two uint32, by Box and Muller."""
    if APPROXIMATE:
        u = radius.to(tl.float32) * CELL + HALF_CELL
        r = approximate("sqrt.approx.ftz.f32 $0, $1;", approximate("lg2.approx.ftz.f32 $0, $1;", u) * LOG_2)
        turn = angle.to(tl.int32, bitcast=True).to(tl.float32) * (HALF_TURN * PI)
        sine, cosine = approximate("sin.approx.ftz.f32 $0, $1;", turn), approximate("cos.approx.ftz.f32 $0, $1;", turn)
    else:
        # within 2^-23 by one instruction; the correctly rounded root takes a branch and some fifteen
        r = tl.sqrt(radius_squared(radius))
        # an angle of more than a quarter turn is one of less, turned by half a turn: both signs change
        turned = (angle ^ (angle << 1)) & SIGN
        r = (r.to(tl.uint32, bitcast=True) ^ turned).to(tl.float32, bitcast=True)
        sine, cosine = sine_cosine(angle << 1)
    return r * sine, r * cosine


@triton.jit
def normals(place, walk, block, key0, key1, ROUNDS: tl.constexpr, APPROXIMATE: tl.constexpr, TIER: tl.constexpr = 0):
    """Four standard normals of each pair (place, walk), float32: all four words of a call of Philox.

    ``TIER`` is the counter's last word, 0 for tier b and 1 for tier c, which so share no number.
    """
    one, two, three, four = philox(place, walk, block, block * 0 + TIER, key0, key1, ROUNDS)
    a, b = pair(one, two, APPROXIMATE)
    c, d = pair(three, four, APPROXIMATE)
    return a, b, c, d


@triton.jit(do_not_specialize=COUNTERS)
def words_program(out, block, key0, key1, first, ROUNDS: tl.constexpr, QUADS: tl.constexpr, N: tl.constexpr):
    """The words themselves, int32 (4, QUADS, N): for tests."""
    place = tl.arange(0, QUADS).to(tl.uint32)[:, None] + tl.full([1, N], 0, tl.uint32)
    walk = tl.arange(0, N).to(tl.uint32)[None, :] + tl.full([QUADS, 1], 0, tl.uint32) + first.to(tl.uint32)
    fixed = tl.full([QUADS, N], 0, tl.uint32) + block.to(tl.uint32)
    at = tl.arange(0, QUADS)[:, None] * N + tl.arange(0, N)[None, :]
    one, two, three, four = philox(place, walk, fixed, fixed * 0, key0.to(tl.uint32), key1.to(tl.uint32), ROUNDS)
    tl.store(out + at, one.to(tl.int32, bitcast=True))
    tl.store(out + QUADS * N + at, two.to(tl.int32, bitcast=True))
    tl.store(out + 2 * QUADS * N + at, three.to(tl.int32, bitcast=True))
    tl.store(out + 3 * QUADS * N + at, four.to(tl.int32, bitcast=True))


@triton.jit
def pair_program(out, radius, angle, N: tl.constexpr, APPROXIMATE: tl.constexpr):
    """The normals of given words, float32 (2, total), for int32 (total,) words: for tests of the transform."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    first, second = tl.load(radius + at), tl.load(angle + at)
    a, b = pair(first.to(tl.uint32, bitcast=True), second.to(tl.uint32, bitcast=True), APPROXIMATE)
    tl.store(out + at, a)
    tl.store(out + tl.num_programs(0) * N + at, b)


@triton.jit(do_not_specialize=COUNTERS)
def ends_program(
    ends,
    scale,
    key0,
    key1,
    block,
    first,
    width,
    ROUNDS: tl.constexpr,
    QUADS: tl.constexpr,
    N: tl.constexpr,
    APPROXIMATE: tl.constexpr,
):
    """The ends of the walks, ``scale`` times standard normals at place 0: ends (4 quads, width) float32."""
    column = tl.program_id(0) * N + tl.arange(0, N)
    quad = tl.program_id(1) * QUADS + tl.arange(0, QUADS)
    place = quad.to(tl.uint32)[:, None] + tl.full([1, N], 0, tl.uint32)
    walk = (column + first).to(tl.uint32)[None, :] + tl.full([QUADS, 1], 0, tl.uint32)
    fixed = tl.full([QUADS, N], 0, tl.uint32) + block.to(tl.uint32)
    a, b, c, d = normals(place, walk, fixed, key0.to(tl.uint32), key1.to(tl.uint32), ROUNDS, APPROXIMATE)
    at = ends + (4 * quad)[:, None] * width + column[None, :]
    tl.store(at, a * scale)
    tl.store(at + width, b * scale)
    tl.store(at + 2 * width, c * scale)
    tl.store(at + 3 * width, d * scale)


@triton.jit(do_not_specialize=["apart", *COUNTERS])
def scores_program(
    out,
    ends,
    queries,
    level,
    step,
    key0,
    key1,
    block,
    first,
    width,
    apart,
    quads,
    T,
    ROUNDS: tl.constexpr,
    QUADS: tl.constexpr,
    N: tl.constexpr,
    APPROXIMATE: tl.constexpr,
):
    """The scores of all tokens of N walks, from the last to the first: out (T, width) float32.

    A thread holds one walk and 4 QUADS of its coordinates, so that no sum crosses threads. ``apart`` is 1; a compiler
    that knew it would give each thread four walks side by side, and sum over threads in shared memory instead.
    ``level`` and ``step`` are v_t and 1/sqrt(v_t v_{t-1}), (T + 1,) float64, at t; ``quads`` counts the fours of
    coordinates, QUADS of which are in hand at a time.
    """
    column = tl.program_id(0) * N + tl.arange(0, N)
    walk = (column + first).to(tl.uint32)[None, :] + tl.full([QUADS, 1], 0, tl.uint32)
    fixed = tl.full([QUADS, N], 0, tl.uint32) + block.to(tl.uint32)
    one, other = key0.to(tl.uint32), key1.to(tl.uint32)
    for part in range(0, quads, QUADS):
        quad = part + tl.arange(0, QUADS)
        at = (4 * quad)[:, None] * width + (apart * column)[None, :]
        q0, q1 = tl.load(queries + at), tl.load(queries + at + width)
        q2, q3 = tl.load(queries + at + 2 * width), tl.load(queries + at + 3 * width)
        e0, e1 = tl.load(ends + at), tl.load(ends + at + width)
        e2, e3 = tl.load(ends + at + 2 * width), tl.load(ends + at + 3 * width)
        last = tl.reduce(e0 * q0 + e1 * q1 + e2 * q2 + e3 * q3, 0, PLUS)
        place_of = out + (T - 1) * width + apart * column
        if part > 0:
            tl.store(place_of, last + tl.load(place_of))
        else:
            tl.store(place_of, last)
        slope = last.to(tl.float64) * tl.load(step)
        for back in range(T - 1):
            t = T - back
            place = ((t - 1) * quads + quad).to(tl.uint32)[:, None] + tl.full([1, N], 0, tl.uint32)
            a, b, c, d = normals(place, walk, fixed, one, other, ROUNDS, APPROXIMATE)
            drawn = tl.reduce(a * q0 + b * q1 + c * q2 + d * q3, 0, PLUS)
            slope += drawn.to(tl.float64) * tl.load(step + t)
            score = (slope * tl.load(level + t - 1)).to(tl.float32)
            place_of = out + (t - 2) * width + apart * column
            if part > 0:
                tl.store(place_of, score + tl.load(place_of))
            else:
                tl.store(place_of, score)
