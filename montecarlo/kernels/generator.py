"""Standard normals on a CPU, each a function of its place: (stream, block, walk, position) and nothing else.

A walk has a generator of its own, xoshiro128++ (Blackman and Vigna), whose outputs in turn are the words of its
positions. It begins at the bits of Philox 4x32 of ten rounds (Salmon et al.), under the stream's key and with the
counter (walk, block, 0): a bijection of the counter under each key, so that no two walks of a stream begin at the same
state. All states but 0 lie on one orbit of 2^128 - 1; n walks of L words begin at random places of it, and any two of
them share a word with probability below n^2 L / 2^127. The walks stand in the lanes and the position in the loop around
them.

Two uniform numbers make two normals, by Box and Muller: r = sqrt(-2 ln u) and r sin, r cos of a uniform angle. u has
32 bits, in the middle of its cells, so that tails go on to 6.7 standard deviations; the angle has 31 bits in
[-pi/2, pi/2), and the lowest bit is the sign of the cosine. Logarithm, sine and cosine are polynomials: a normal of a
pair of radius r is off by at most 4e-7 r + 2^-24 / r, the latter as u is a float32 near 1; second and fourth moments
are off by less than relative 5e-7 and 1e-6.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float32, int32, uint32, uint64
from numpy.typing import NDArray

from montecarlo.kernels.lanes import (
    LANES,
    Scratch,
    aligned,
    aligned_stack,
    bits_of,
    compiled,
    float_of,
    fma,
    inlined,
    load,
    store,
)

#: Rows of a generator's state: array 0 of every kernel, uint32.
STATE = 4
#: Rounds of Philox.
ROUNDS = 10
#: Positions that are drawn at once where nothing is made of them.
TURN = 128

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)

#: The bits of sqrt(1/2), where the logarithm's range begins, and those of the exponent.
_ROOT_HALF, _EXPONENT = np.int32(0x3F3504F3), np.int32(-(1 << 23))

#: sqrt(2 ln 2), which makes sqrt(-2 ln u) of sqrt(-log2 u): it stands in the coefficients of sine and cosine.
_UNIT = math.sqrt(2 * math.log(2))
#: -log2(1 + x) = x (l_0 + l_1 x + ... + l_7 x^7) for sqrt(1/2) <= 1 + x < sqrt(2): relative error 2.3e-7.
_LOGARITHM = (-1.4426949, 0.721352816, -0.480923235, 0.360239625, -0.287098706, 0.248876899, -0.234042436, 0.145811662)
#: sin(pi t) = t (s_0 + s_1 t^2 + ...), relative error 5e-9, and cos(pi t) = c_0 + c_1 t^2 + ..., absolute 5e-8.
_SINE = (3.1415927, -5.1677098, 2.5500698, -0.5982421, 0.07756038)
_COSINE = (0.99999994, -4.934793, 4.058412, -1.3318801, 0.21969676)


def _numbers() -> NDArray[np.float32]:
    found = aligned(20, np.float32)
    found[:8] = _LOGARITHM
    found[8:13], found[13:18] = np.array(_SINE) * _UNIT, np.array(_COSINE) * _UNIT
    # the width of a cell of 32 bits, and its half
    found[18:] = 2.0**-32, 2.0**-33
    return found


#: What the polynomials are made of: array 1 of every kernel. The compiler would load constants anew for each walk.
NUMBERS = _numbers()


@inlined
def _high(factor: Any, word: Any) -> Any:
    """The upper half of a product of two words."""
    return uint32(uint64(uint64(factor) * uint64(word)) >> _32)


@inlined
def _round(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    first, second = uint32(uint32(_M0) * c0), uint32(uint32(_M1) * c2)
    return uint32(_high(_M1, c2) ^ c1 ^ k0), second, uint32(_high(_M0, c0) ^ c3 ^ k1), first


@inlined
def tile(key: Any, block: Any, first: Any, state: Any) -> None:
    """The generators of walks first, first + 1, ... at their beginnings: array 0."""
    for lane in range(LANES):
        c0, c1 = uint32(first + lane), uint32(block & _LOW)
        c2, c3 = uint32(block >> _32), uint32(0)
        for turn in range(ROUNDS):
            k0 = uint32((key & _LOW) + uint64(turn) * _W0)
            k1 = uint32((key >> _32) + uint64(turn) * _W1)
            c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
        store(0, state, lane, c0)
        store(0, state, LANES + lane, c1)
        store(0, state, 2 * LANES + lane, c2)
        store(0, state, 3 * LANES + lane, c3)


@inlined
def _turned(x: Any, bits: Any) -> Any:
    return uint32(uint32(x << uint32(bits)) | uint32(x >> uint32(32 - bits)))


@inlined
def _next(a: Any, b: Any, c: Any, d: Any) -> Any:
    """xoshiro128++: a word, and the state after it."""
    word = uint32(_turned(uint32(a + d), 7) + a)
    shifted = uint32(b << uint32(9))
    c, d = uint32(c ^ a), uint32(d ^ b)
    b, a = uint32(b ^ c), uint32(a ^ d)
    return word, a, b, uint32(c ^ shifted), _turned(d, 11)


@inlined
def words(state: Any, lane: Any) -> Any:
    """The next four words of a lane, uint32."""
    a, b = load(0, state, lane), load(0, state, LANES + lane)
    c, d = load(0, state, 2 * LANES + lane), load(0, state, 3 * LANES + lane)
    first, a, b, c, d = _next(a, b, c, d)
    second, a, b, c, d = _next(a, b, c, d)
    third, a, b, c, d = _next(a, b, c, d)
    fourth, a, b, c, d = _next(a, b, c, d)
    store(0, state, lane, a)
    store(0, state, LANES + lane, b)
    store(0, state, 2 * LANES + lane, c)
    store(0, state, 3 * LANES + lane, d)
    return first, second, third, fourth


@inlined
def minus_log2(word: Any, numbers: Any) -> Any:
    """-log2((word + 1/2) / 2^32) for a uint32, float32: from x = m - 1 with u = m 2^e and m in [sqrt(1/2), sqrt(2))."""
    u = fma(float32(uint32(word)), load(1, numbers, 18), load(1, numbers, 19))
    above = int32(bits_of(u) - _ROOT_HALF)
    x = float_of(int32(bits_of(u) - int32(above & _EXPONENT))) - float32(1)
    found = fma(x, load(1, numbers, 7), load(1, numbers, 6))
    found = fma(x, found, load(1, numbers, 5))
    found = fma(x, found, load(1, numbers, 4))
    found = fma(x, found, load(1, numbers, 3))
    found = fma(x, found, load(1, numbers, 2))
    found = fma(x, found, load(1, numbers, 1))
    found = fma(x, found, load(1, numbers, 0))
    return fma(x, found, -float32(int32(above >> int32(23))))


@inlined
def polar(radius: Any, angle: Any, numbers: Any) -> Any:
    """r, s, c of two uint32, float32: r s and r c are two independent standard normals."""
    t = float32(int32(angle)) * load(1, numbers, 18)
    v = t * t
    sine = fma(v, load(1, numbers, 12), load(1, numbers, 11))
    sine = fma(v, sine, load(1, numbers, 10))
    sine = fma(v, sine, load(1, numbers, 9))
    sine = fma(v, sine, load(1, numbers, 8))
    cosine = fma(v, load(1, numbers, 17), load(1, numbers, 16))
    cosine = fma(v, cosine, load(1, numbers, 15))
    cosine = fma(v, cosine, load(1, numbers, 14))
    cosine = fma(v, cosine, load(1, numbers, 13))
    signed = float_of(int32(bits_of(cosine) ^ int32(int32(angle) << int32(31))))
    return math.sqrt(minus_log2(radius, numbers)), t * sine, signed


@inlined
def normals(state: Any, numbers: Any, lane: Any) -> Any:
    """The next four normals of a lane."""
    first, second, third, fourth = words(state, lane)
    r, a, b = polar(first, second, numbers)
    s, c, d = polar(third, fourth, numbers)
    return r * a, r * b, s * c, s * d


@inlined
def fill(state: Any, numbers: Any, count: Any, out: Any) -> None:
    """The next ``count`` normals, a multiple of 4, of each lane: rows 0, 1, ... of array 2, a row 16 numbers."""
    for k in range(0, count, 4):
        for lane in range(LANES):
            at = k * LANES + lane
            a, b, c, d = normals(state, numbers, lane)
            store(2, out, at, a)
            store(2, out, at + LANES, b)
            store(2, out, at + 2 * LANES, c)
            store(2, out, at + 3 * LANES, d)


@compiled
def _fill(key: Any, block: Any, whole: Any, more: Any, state: Any, numbers: Any, out: Any, rest: Any) -> None:
    aligned_stack()
    tile(key, block, 0, state)
    fill(state, numbers, whole, out)
    fill(state, numbers, more, rest)


def draw(key: int, block: int, out: NDArray[np.float32]) -> None:
    """Fill contiguous numbers with the normals of (key, block): those of sixteen walks, position after position."""
    state, rest = _scratch.take()
    whole = out.size // (4 * LANES) * 4
    more = out.size - whole * LANES
    _fill(np.uint64(key), np.uint64(block), whole, 4 if more else 0, state, NUMBERS, out, rest)
    out[whole * LANES :] = rest[:more]


_scratch = Scratch(lambda: (aligned(STATE * LANES, np.uint32), aligned(4 * LANES, np.float32)))


@compiled
def _spin(key: Any, block: Any, walks: Any, positions: Any, state: Any, numbers: Any, z: Any) -> None:
    aligned_stack()
    for first in range(0, walks, LANES):
        tile(key, block, first, state)
        for position in range(0, positions, TURN):
            fill(state, numbers, min(TURN, positions - position), z)


def spin(key: int, block: int, walks: int, positions: int) -> None:
    """Draw the normals of a block over one another, TURN positions at a time: what drawing alone costs."""
    width, padded = -(-walks // LANES) * LANES, -(-positions // 4) * 4
    state, z = aligned(STATE * LANES, np.uint32), aligned(TURN * LANES, np.float32)
    _spin(np.uint64(key), np.uint64(block), width, padded, state, NUMBERS, z)
