"""Normals by numpy: what Box and Muller say of the same words, and standard normals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from montecarlo.calibration import misfit
from montecarlo.statements.normals import PAIRS, normals


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


@pytest.mark.parametrize("count", [1, 2, 5, 1000, 2 * PAIRS, 2 * PAIRS + 3])
def test_they_are_those_of_their_words_within_the_bound(count: int) -> None:
    found = normals(generator(3), (count,))
    words, place = generator(3).bit_generator, 0
    while place < count:
        size = min(2 * PAIRS, count - place)
        half = -(-size // 2)
        drawn = words.random_raw(half).view(np.uint32)
        r = np.sqrt(-2 * np.log((drawn[:half] + 0.5) / 2.0**32))
        angle = math.pi * (drawn[half:].view(np.int32) + 0.5) / 2.0**31
        exact = np.concatenate([r * np.sin(angle), r * np.cos(angle)])[:size]
        bound = np.tile(4e-7 * r + 2.0**-24 / r, 2)[:size]
        assert (abs(found[place : place + size] - exact) <= bound).all()
        place += size


def test_they_are_standard_normals_in_the_length_and_across() -> None:
    z = torch.from_numpy(normals(generator(7), (1 << 20,)))
    assert misfit(z.abs()) == ""
    assert abs(float(z.mean())) < 6 * 2.0**-10
    for lag in (1, 2, PAIRS, 2 * PAIRS):
        assert abs(float((z[lag:] * z[:-lag]).mean())) < 6 * 2.0**-10


def test_no_normal_is_zero() -> None:
    class Ends:
        def random_raw(self, count: int) -> np.ndarray:
            return np.tile(np.array([2**32 - 1, 0, 2**31], np.uint32), count)[: 2 * count].view(np.uint64)

    class Given:
        bit_generator = Ends()

    assert (normals(Given(), (3000,)) != 0).all()  # type: ignore[arg-type]


def test_a_shape_is_filled_and_the_generator_goes_on() -> None:
    one = generator()
    first = normals(one, (3, 5))
    assert first.shape == (3, 5) and (first == normals(generator(), (15,)).reshape(3, 5)).all()
    assert (first != normals(one, (3, 5))).all()
    assert normals(one, (0, 3)).shape == (0, 3)
