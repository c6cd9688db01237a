"""Isotropic tokens at a case: directions that are uniform, or those of a frame, and one of two lengths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from montecarlo.statements import frames, radii
from montecarlo.statements.nodes import NoValueError
from montecarlo.statements.tokens import Process

LENGTHS = {"length1": 0.5, "length2": 2.0}
GIVEN = [["name", "length1"], ["name", "length2"]]


def drawn(kind: str, n: int = 40_000, d: int = 3, T: int = 2) -> np.ndarray:
    process = Process([kind, *GIVEN], T, np.eye(d), LENGTHS)
    return np.asarray(process.draw(n, np.random.default_rng(0)))


@pytest.mark.parametrize("kind", radii.ISOTROPIC)
def test_lengths_are_two_in_equal_shares_and_directions_have_their_moments(kind: str) -> None:
    x = drawn(kind)
    lengths = np.sqrt((x**2).sum(-1)) / math.sqrt(3)
    assert np.allclose(np.minimum(abs(lengths - 0.5), abs(lengths - 2.0)), 0, atol=1e-12)
    # 5 standard deviations of a share of 40,000
    assert abs((lengths > 1).mean(0) - 0.5).max() < 5 * 0.5 / math.sqrt(len(x))
    assert abs(((lengths > 1).all(1)).mean() - 0.25) < 5 * 0.44 / math.sqrt(len(x))
    fourth = (x[:, 0, 0] ** 4) / (lengths[:, 0] ** 4)
    assert abs(fourth.mean() - 9 * 3 / 15) < 5 * fourth.std() / math.sqrt(len(x))
    inner = (x[:, 0] * x[:, 1]).sum(-1)
    assert np.allclose(inner, 0, atol=1e-9) == (kind == "frame-isotropic")


def test_the_exact_moments_of_powers_are_those_drawn() -> None:
    x = drawn("frame-isotropic", 400_000)
    product = x[:, 0, 0] ** 2 * x[:, 1, 0] ** 2
    law = frames.Powers("frame-isotropic", 3, (0.5, 2.0))
    exact = law.mean(np.array([2, 2]))
    assert exact == pytest.approx(((0.25 + 4) / 2) ** 2 * 3 / 5)
    assert abs(product.mean() - exact) < 5 * product.std() / math.sqrt(len(x))
    assert law.mean(np.array([1, 2])) == 0.0


def test_a_law_without_its_lengths_is_refused() -> None:
    with pytest.raises(NoValueError):
        Process(["iid-isotropic"], 2, np.eye(2), {})
