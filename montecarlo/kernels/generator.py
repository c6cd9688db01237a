"""Standard normals on a CPU, each a function of its place: (stream, block, walk, position) and nothing else.

The bits are those of Philox 4x32 of seven rounds, under the stream's key and with the counter (position // 4, walk,
block, 0). A bijection of the counter under each key: no two places of a stream can share a block of bits. The walk
stands in the lanes and the position in the loop around them, so that the first two rounds and half of the third are
scalar.

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

from montecarlo.kernels.lanes import LANES, bits_of, compiled, float_of, fma, inlined, load, store

#: Positions whose bits are made before they become normals.
TURN = 64

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)

#: The bits of sqrt(1/2), where the logarithm's range begins, and those of the exponent.
_ROOT_HALF, _EXPONENT = np.int32(0x3F3504F3), np.int32(-(1 << 23))

#: The width of a cell of 32 bits, and its half.
_CELL, _HALF_CELL = np.float32(2.0**-32), np.float32(2.0**-33)
#: -2 ln 2, and -2 ln(1 + x) = -2 x + L2 x^2 + ... + L8 x^8 for sqrt(1/2) <= 1 + x < sqrt(2): relative error 1.8e-7.
_LOG = np.float32(-2 * math.log(2))
_L2, _L3, _L4 = np.float32(1.0000064), np.float32(-0.6666943), np.float32(0.49942458)
_L5, _L6, _L7, _L8 = np.float32(-0.39813766), np.float32(0.34486452), np.float32(-0.3236102), np.float32(0.20164767)
#: sin(pi t) = t (S1 + S3 t^2 + ...), relative error 5e-9, and cos(pi t) = C0 + C2 t^2 + ..., absolute 5e-8.
_S1, _S3, _S5 = np.float32(3.1415927), np.float32(-5.1677098), np.float32(2.5500698)
_S7, _S9 = np.float32(-0.5982421), np.float32(0.07756038)
_C0, _C2, _C4 = np.float32(0.99999994), np.float32(-4.934793), np.float32(4.058412)
_C6, _C8 = np.float32(-1.3318801), np.float32(0.21969676)


@inlined
def _key0(key: Any, turn: Any) -> Any:
    return ((key & _LOW) + uint64(turn) * _W0) & _LOW


@inlined
def _key1(key: Any, turn: Any) -> Any:
    return ((key >> _32) + uint64(turn) * _W1) & _LOW


@inlined
def of_walk(key: Any, block: Any, walk: Any) -> Any:
    """What a walk's numbers share, uint64: the product of the second round."""
    return _M0 * ((((_M1 * block) >> _32) ^ walk ^ _key0(key, 0)) & _LOW)


@inlined
def of_place(key: Any, block: Any, place: Any) -> Any:
    """What a quadruple of positions has in common for all walks, four uint64: two rounds and a half."""
    product = _M0 * place
    c1 = (_M1 * block) & _LOW
    c2 = ((product >> _32) ^ _key1(key, 0)) & _LOW
    second = _M1 * c2
    c0 = ((second >> _32) ^ c1 ^ _key0(key, 1)) & _LOW
    third = _M0 * c0
    own = (product & _LOW) ^ _key1(key, 1)
    return own, (second & _LOW) ^ _key0(key, 2), (third >> _32) ^ _key1(key, 2), third & _LOW


@inlined
def _high(factor: Any, word: Any) -> Any:
    """The upper half of a product of two words."""
    return uint32(uint64(uint64(factor) * uint64(word)) >> _32)


@inlined
def _round(c0: Any, c1: Any, c2: Any, c3: Any, key: Any, turn: Any) -> Any:
    k0, k1 = uint32(_key0(key, turn)), uint32(_key1(key, turn))
    first, second = uint32(uint32(_M0) * c0), uint32(uint32(_M1) * c2)
    return uint32(_high(_M1, c2) ^ c1 ^ k0), second, uint32(_high(_M0, c0) ^ c3 ^ k1), first


@inlined
def bits(key: Any, high: Any, low: Any, own: Any, c0: Any, c2: Any, c3: Any) -> Any:
    """Four words of 32 bits, for the halves of ``of_walk`` and what ``of_place`` gives."""
    word = uint32(high ^ uint32(own))
    c0, c1 = uint32(_high(_M1, word) ^ uint32(c0)), uint32(uint32(_M1) * word)
    c2, c3 = uint32(low ^ uint32(c2)), uint32(c3)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, key, 3)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, key, 4)
    c0, c1, c2, c3 = _round(c0, c1, c2, c3, key, 5)
    return _round(c0, c1, c2, c3, key, 6)


@inlined
def minus_twice_log(word: Any) -> Any:
    """-2 ln((word + 1/2) / 2^32) for a uint32, float32: from x = m - 1 with u = m 2^e and m in [sqrt(1/2), sqrt(2))."""
    u = fma(float32(uint32(word)), _CELL, _HALF_CELL)
    above = int32(bits_of(u) - _ROOT_HALF)
    x = float_of(int32(bits_of(u) - int32(above & _EXPONENT))) - float32(1)
    found = fma(x, _L8, _L7)
    found = fma(x, found, _L6)
    found = fma(x, found, _L5)
    found = fma(x, found, _L4)
    found = fma(x, found, _L3)
    found = fma(x, found, _L2)
    found = fma(x, found, float32(-2))
    return fma(x, found, float32(int32(above >> int32(23))) * _LOG)


@inlined
def sine_cosine(word: Any) -> Any:
    """(sin, cos) of pi t for t = word / 2^32, word an int32: t in [-1/2, 1/2]; float32."""
    t = float32(int32(word)) * _CELL
    v = t * t
    sine = fma(v, _S9, _S7)
    sine = fma(v, sine, _S5)
    sine = fma(v, sine, _S3)
    sine = fma(v, sine, _S1)
    cosine = fma(v, _C8, _C6)
    cosine = fma(v, cosine, _C4)
    cosine = fma(v, cosine, _C2)
    cosine = fma(v, cosine, _C0)
    return t * sine, cosine


@inlined
def pair(radius: Any, angle: Any) -> Any:
    """Two independent standard normals, float32, of two uint32."""
    r = math.sqrt(minus_twice_log(radius))
    sine, cosine = sine_cosine(angle)
    signed = int32(bits_of(r * cosine) ^ int32(int32(angle) << int32(31)))
    return r * sine, float_of(signed)


@inlined
def tile(key: Any, block: Any, first: Any, high: Any, low: Any) -> None:
    """Make ready the lanes of walks first, first + 1, ...: arrays 0 and 1, uint32."""
    for lane in range(LANES):
        shared = of_walk(key, block, uint64(first + lane))
        store(0, high, lane, uint32(shared >> _32))
        store(1, low, lane, uint32(shared & _LOW))


@inlined
def words(key: Any, block: Any, position: Any, count: Any, high: Any, low: Any, out: Any) -> None:
    """The bits of positions position, ..., position + count - 1, both multiples of 4: array 7, a position 16 words."""
    for k in range(0, count, 4):
        own, c0, c2, c3 = of_place(key, block, uint64((position + k) >> 2))
        for lane in range(LANES):
            at = k * LANES + lane
            a, b, c, e = bits(key, load(0, high, lane), load(1, low, lane), own, c0, c2, c3)
            store(7, out, at, a)
            store(7, out, at + LANES, b)
            store(7, out, at + 2 * LANES, c)
            store(7, out, at + 3 * LANES, e)


@inlined
def fill(key: Any, block: Any, position: Any, count: Any, high: Any, low: Any, bits: Any, out: Any, at: Any) -> None:
    """The normals of these positions, to array 2 from ``at`` on, a position 16 numbers; as ``words`` takes them.

    ``bits`` is array 7, for the words of ``TURN`` positions: two short loops overlap better than a long one.
    """
    for start in range(0, count, TURN):
        several = min(TURN, count - start)
        words(key, block, position + start, several, high, low, bits)
        for k in range(0, several, 4):
            for lane in range(LANES):
                word = k * LANES + lane
                here = at + start * LANES + word
                a, b = pair(load(7, bits, word), load(7, bits, word + LANES))
                c, d = pair(load(7, bits, word + 2 * LANES), load(7, bits, word + 3 * LANES))
                store(2, out, here, a)
                store(2, out, here + LANES, b)
                store(2, out, here + 2 * LANES, c)
                store(2, out, here + 3 * LANES, d)


@compiled
def _draw(
    key: Any, block: Any, walks: Any, positions: Any, turn: Any, high: Any, low: Any, bits: Any, out: Any
) -> None:
    kept = len(out) > turn * LANES
    for first in range(0, walks, LANES):
        tile(key, block, first, high, low)
        for position in range(0, positions, turn):
            at = (first * positions + position * LANES) if kept else 0
            fill(key, block, position, min(turn, positions - position), high, low, bits, out, at)


@compiled
def _bits(key: Any, block: Any, walks: Any, positions: Any, high: Any, low: Any, out: Any) -> None:
    for first in range(0, walks, LANES):
        tile(key, block, first, high, low)
        for position in range(0, positions, 4):
            own, c0, c2, c3 = of_place(key, block, uint64(position >> 2))
            for lane in range(LANES):
                at = ((first // LANES) * positions + position) * LANES + lane
                a, b, c, e = bits(key, load(0, high, lane), load(1, low, lane), own, c0, c2, c3)
                store(7, out, at, a)
                store(7, out, at + LANES, b)
                store(7, out, at + 2 * LANES, c)
                store(7, out, at + 3 * LANES, e)


@compiled
def _transform(radius: Any, angle: Any, first: Any, second: Any) -> None:
    for i in range(len(radius)):
        first[i], second[i] = pair(radius[i], angle[i])


def _counts(walks: int, positions: int) -> tuple[int, int]:
    return -(-walks // LANES) * LANES, -(-positions // 4) * 4


def _by_walk(flat: NDArray[Any], width: int, padded: int, walks: int, positions: int) -> NDArray[Any]:
    tiles = flat.reshape(width // LANES, padded, LANES)
    return tiles.transpose(0, 2, 1).reshape(width, padded)[:walks, :positions]


def draw_bits(key: int, block: int, walks: int, positions: int) -> NDArray[np.uint32]:
    """The words behind the normals of a block, (walks, positions) uint32: (radius, angle) in turn."""
    width, padded = _counts(walks, positions)
    out = np.empty(width * padded, np.uint32)
    high, low = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
    _bits(np.uint64(key), np.uint64(block), width, padded, high, low, out)
    return _by_walk(out, width, padded, walks, positions)


def draw(key: int, block: int, walks: int, positions: int) -> NDArray[np.float32]:
    """The normals of a block, (walks, positions) float32: those that the kernels make of the same key and block."""
    width, padded = _counts(walks, positions)
    out = np.empty(width * padded, np.float32)
    high, low = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
    _draw(np.uint64(key), np.uint64(block), width, padded, padded, high, low, np.empty(TURN * LANES, np.uint32), out)
    return _by_walk(out, width, padded, walks, positions)


def spin(key: int, block: int, walks: int, positions: int, turn: int = 128) -> None:
    """Draw the normals of a block over one another, ``turn`` positions at a time: what drawing alone costs."""
    width, padded = _counts(walks, positions)
    high, low = np.empty(LANES, np.uint32), np.empty(LANES, np.uint32)
    out = np.empty(turn * LANES, np.float32)
    _draw(np.uint64(key), np.uint64(block), width, padded, turn, high, low, np.empty(TURN * LANES, np.uint32), out)


def transform(radius: NDArray[np.uint32], angle: NDArray[np.uint32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The two normals of each pair of words: (r sin, +-r cos), float32."""
    first, second = np.empty(len(radius), np.float32), np.empty(len(radius), np.float32)
    _transform(radius, angle, first, second)
    return first, second
