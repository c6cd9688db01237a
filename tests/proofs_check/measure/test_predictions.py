"""What is said of a model is what the theorems derive, held to the definitions by other means."""

from __future__ import annotations

import math

import numpy as np
import pytest

from montecarlo.separability import nearest
from proofs_check.measure.measured import predicted
from proofs_check.measure.predictions import (
    THETAS,
    cosine_bound,
    entropy_bounds,
    least_norm,
    localised,
    on_the_map,
    switch_bound,
)

RANDOM = np.random.default_rng(0)


def of_traces(first: float, second: float, head_dim: int = 4) -> dict[str, object]:
    return predicted([first] * (len(THETAS) + 1), [second] * (len(THETAS) + 1), head_dim)


def test_a_prediction_is_the_derived_one() -> None:
    """A drift to later tokens puts the largest rho into the second half; without a positive square there is none."""
    found = of_traces(2.0, 1.0)
    assert (found["xi"], found["eta"]) == (2.0, 0.5)
    # Lemma 1's variance as derived: the printed one lacks - 2 theta
    variance = 2 * THETAS**2 - 2 * THETAS + 7 / 12
    mean = (THETAS - 0.5) * 2.0
    phi = [
        math.erf(m / math.sqrt(2 * v)) - math.erf((m - 2) / math.sqrt(2 * v))
        for m, v in zip(mean, variance, strict=True)
    ]
    assert found["rho"] == pytest.approx([value / 2 for value in phi])
    peaks = [of_traces(first, 1.0)["peak"] for first in (-2.0, 2.0)]
    assert isinstance(peaks[0], float) and isinstance(peaks[1], float) and peaks[0] < 0.5 < peaks[1]
    assert of_traces(1.0, 0.0)["peak"] is None


def test_how_local_a_profile_is() -> None:
    assert localised([1.0] * 16) == pytest.approx(0) and localised([0, 3.0, 0, 0]) == pytest.approx(1)
    assert localised([0.0] * 4) is None


def test_no_entropy_lies_below_the_derived_bound() -> None:
    """It is attained by one score up, and the print lies above ln T."""
    scores = RANDOM.standard_normal((200, 12)) * np.exp(RANDOM.uniform(-2, 2, (200, 1)))
    scores[0] = [6.0] + [0.0] * 11
    scores -= scores.mean(1, keepdims=True)
    p = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    entropy = -(p * np.log(np.maximum(p, 1e-300))).sum(1)
    least, printed = entropy_bounds(np.linalg.norm(scores, axis=1), 12)
    assert bool((entropy > least - 1e-9).all()) and entropy[0] == pytest.approx(least[0])
    assert bool((entropy < printed).any())


def test_no_output_is_farther_from_the_sinks_value_than_derived() -> None:
    """It is attained by equal scores and equal other values."""
    scores, values = RANDOM.standard_normal((200, 7)), RANDOM.standard_normal((200, 7, 3))
    scores[0], values[0] = [2.0] + [0.0] * 6, [[1.0, 0, 0]] + [[0, 1.0, 0]] * 6
    p = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    apart = np.linalg.norm((p[:, :, None] * values).sum(1) - values[:, 0], axis=1)
    radius = np.linalg.norm(values[:, 1:] - values[:, :1], axis=2).max(1)
    bound = switch_bound(scores[:, 0] - scores[:, 1:].max(1), radius, 6)
    assert bool((apart <= bound + 1e-9).all()) and apart[0] == pytest.approx(bound[0])
    # no sink at all: everything may be written
    assert switch_bound(-1e6, 2.0, 6) == pytest.approx(2.0)


def test_the_least_norm_is_that_of_a_matrix_that_makes_the_sink() -> None:
    z = RANDOM.standard_normal((6, 8))
    points = z[1:], z[:1] - z[1:]
    u, v = (nearest(some) @ some for some in points)
    norm = least_norm(3.0, 4, float(np.linalg.norm(u)), float(np.linalg.norm(v)))
    W = norm * np.outer(u, v) / np.linalg.norm(u) / np.linalg.norm(v)
    margins = points[0] @ W @ points[1].T / 2
    assert margins.min() == pytest.approx(3.0)
    assert least_norm(3.0, 4, 0.0, 1.0) == math.inf


@pytest.mark.parametrize(("c", "region"), [(0.5, "rises"), (-0.5, "between"), (-3.0, "rises"), (-0.9, "between")])
def test_the_region_of_a_multiple_of_the_identity(c: float, region: str) -> None:
    """W = c I: t1 = c tr B and t2 = c^2 tr B, so that R falls for c < -1 < 0 with beta = 1 nowhere but -1 < c < 0."""
    found = on_the_map(1.0, c * 2.0, c**2 * 2.0, 2.0, 5.0)
    expected = "rises" if c > 0 else ("falls" if c + c**2 < 0 else "between")
    assert found["region"] == expected
    assert found["size"] == pytest.approx(abs(c)) and found["along"] == pytest.approx(math.copysign(1, c))
    assert found["lean"] == pytest.approx((2 * c + c**2) * 2.0 / 5.0)


def test_cosines_and_their_ratio_are_as_near_as_derived() -> None:
    for scale in (0.1, 1.0):
        y = RANDOM.standard_normal((4000, 2, 3)) * np.exp(scale * RANDOM.standard_normal((4000, 2, 1))) + 1
        inner, square = (y[:, 0] * y[:, 1]).sum(1), (y**2).sum(2)
        cosine = (inner / np.sqrt(square.prod(1))).mean()
        spread = np.abs(1 - square / square.mean()).mean()
        # the means of 4000 draws are off by some percent
        assert abs(cosine - inner.mean() / square.mean()) < cosine_bound(float(spread)) + 0.1
