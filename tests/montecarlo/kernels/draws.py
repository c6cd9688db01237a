"""The generator's words and normals as arrays, walk by walk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.kernels.generator import NUMBERS, STATE, fill, polar, tile, words
from montecarlo.kernels.lanes import LANES, aligned, aligned_stack, compiled, load, store


@compiled
def _bits(key: Any, block: Any, walks: Any, positions: Any, state: Any, out: Any) -> None:
    for first in range(0, walks, LANES):
        tile(key, block, first, state)
        for position in range(0, positions, 4):
            for lane in range(LANES):
                at = first * positions + position * LANES + lane
                a, b, c, d = words(state, lane)
                store(2, out, at, a)
                store(2, out, at + LANES, b)
                store(2, out, at + 2 * LANES, c)
                store(2, out, at + 3 * LANES, d)


@compiled
def _normals(key: Any, block: Any, walks: Any, positions: Any, state: Any, numbers: Any, z: Any, out: Any) -> None:
    aligned_stack()
    for first in range(0, walks, LANES):
        tile(key, block, first, state)
        fill(state, numbers, positions, z)
        for i in range(positions * LANES):
            store(3, out, first * positions + i, load(2, z, i))


@compiled
def _transform(radius: Any, angle: Any, numbers: Any, first: Any, second: Any) -> None:
    for i in range(len(radius)):
        r, sine, cosine = polar(radius[i], angle[i], numbers)
        first[i], second[i] = r * sine, r * cosine


def _rounded(walks: int, positions: int) -> tuple[int, int]:
    return -(-walks // LANES) * LANES, -(-positions // 4) * 4


def _by_walk(flat: NDArray[Any], walks: int, positions: int) -> NDArray[Any]:
    width, padded = _rounded(walks, positions)
    tiles = flat.reshape(width // LANES, padded, LANES)
    return tiles.transpose(0, 2, 1).reshape(width, padded)[:walks, :positions]


def draw_bits(key: int, block: int, walks: int, positions: int) -> NDArray[np.uint32]:
    """The words behind the normals of a block, (walks, positions) uint32: (radius, angle) in turn."""
    width, padded = _rounded(walks, positions)
    out = aligned(width * padded, np.uint32)
    _bits(np.uint64(key), np.uint64(block), width, padded, aligned(STATE * LANES, np.uint32), out)
    return _by_walk(out, walks, positions)


def draw(key: int, block: int, walks: int, positions: int) -> NDArray[np.float32]:
    """The normals of a block, (walks, positions) float32: those that the kernels make of the same key and block."""
    width, padded = _rounded(walks, positions)
    out, z = aligned(width * padded, np.float32), aligned(padded * LANES, np.float32)
    _normals(np.uint64(key), np.uint64(block), width, padded, aligned(STATE * LANES, np.uint32), NUMBERS, z, out)
    return _by_walk(out, walks, positions)


def transform(radius: NDArray[np.uint32], angle: NDArray[np.uint32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The two normals of each pair of words: (r sin, +-r cos), float32."""
    first, second = np.empty(len(radius), np.float32), np.empty(len(radius), np.float32)
    _transform(radius, angle, NUMBERS, first, second)
    return first, second
