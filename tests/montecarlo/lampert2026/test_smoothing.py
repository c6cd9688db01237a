"""Exchangeable tokens as they are sampled, and properties of finite laws decided in rationals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo.lampert2026 import smoothing

HEAD = {"W": [["1", "2"], ["-1", "1/2"]], "beta": "1/2"}
L, M = torch.tensor([[1.0, 0.0], [-2.0, 1.0]], dtype=torch.float64), torch.tensor([1.0, -1.0], dtype=torch.float64)


@pytest.mark.parametrize("law", ["gaussian", "centred", "signs", "mixture", "student"])
def test_tokens_are_exchangeable_with_the_stated_second_moments(law: str) -> None:
    n, k = 60_000, 3
    z = smoothing.tokens(torch.Generator().manual_seed(5), n, k, L, M, law).numpy()
    same = np.einsum("nia,nib->iab", z, z) / n
    other = np.einsum("nia,njb->ijab", z, z) / n
    B = (L @ L.T).numpy()
    bound = 6 * np.sqrt((np.einsum("nia,nib->niab", z, z) ** 2).mean((0, 1)) / n)
    for i in range(k):
        for j in range(k):
            if i != j:
                assert (abs(same[i] - other[i, j] - B) < 3 * bound).all()


def test_a_token_that_is_not_like_the_others_is_seen() -> None:
    z = smoothing.tokens(torch.Generator().manual_seed(5), 60_000, 3, L, M, "gaussian").numpy()
    z[:, 0] *= 1.2
    gap = (z[:, 0] ** 2).mean(0) - (z[:, 1] ** 2).mean(0)
    assert (gap > 6 * np.sqrt(2 * (z[:, 1] ** 4).mean(0) / 60_000)).all()


def test_the_declared_kurtosis_covers_every_law() -> None:
    assert max(smoothing.kurtosis_bound(law) for law in ("gaussian", "mixture", "student")) <= smoothing.KURTOSIS
    assert smoothing.kurtosis_bound("gaussian") == 81
    # E s^2 = 1 and the higher moments of the two scales
    for power, stated in zip((2, 3, 4), smoothing.SCALES["mixture"], strict=True):
        assert 0.8 * 0.5**power + 0.2 * 3.0**power == pytest.approx(stated, rel=1e-12)
    for power, stated in zip((2, 3, 4), smoothing.SCALES["student"], strict=True):
        assert 10.0**power / np.prod([12 - 2 * j for j in range(1, power + 1)]) == pytest.approx(stated, rel=1e-12)


@pytest.mark.parametrize("law", ["gaussian", "signs", "mixture", "student", "centred"])
def test_the_kurtosis_of_the_slopes_is_within_the_bound(law: str) -> None:
    generator = torch.Generator().manual_seed(3)
    z = smoothing.exchangeable(generator, 200_000, 3, [["1", "0"], ["-2", "1"]], ["1", "-1"], law)
    f = smoothing.dprime_0(z, 0.5, HEAD["W"]).numpy()
    centred = f - f.mean()
    assert (centred**4).mean() < smoothing.kurtosis_bound(law) * (centred**2).mean() ** 2


def test_a_slope_is_the_difference_quotient_of_the_energy() -> None:
    z = smoothing.tokens(torch.Generator().manual_seed(1), 4_000, 3, L, M, "gaussian")
    slopes = smoothing.dprime_1(z, 0.5, HEAD["W"])
    W = torch.tensor([[1.0, 2.0], [-1.0, 0.5]], dtype=torch.float64)
    energy = [(smoothing.mixed(z, W, 0.5, level) ** 2).sum(-1).mean(1) for level in (0.5, 1.5)]
    assert torch.allclose(slopes, energy[1] - energy[0], rtol=1e-10, atol=1e-10)


def test_energies_of_a_law_by_hand() -> None:
    # Y = +-3 at l = 0, +-2 at l = 1/2; at l = 1 the mean is 0 and Y = +-1
    for level, size in ((Fraction(0), 3), (Fraction(1, 2), 2), (Fraction(1), 1)):
        Y = smoothing.outputs([[1], [-1]], [[2]], 1, level)
        # times two tokens and the denominator
        square = Fraction(2 * level.denominator * size) ** 2
        assert (smoothing.own(Y), smoothing.cross(Y)) == (square, -square)
    assert smoothing.cross([[1], [2], [4]]) == Fraction(2 + 4 + 8, 3)


TURN: dict[str, Any] = {"tokens": [[["1", "1"], ["-1", "1"]]], "W": [["0", "1"], ["-1", "0"]], "beta": "1"}


def test_properties_of_a_quarter_turn() -> None:
    assert smoothing.monotone_iff(**TURN) == {"D decreasing": True, "D increasing": False}
    assert smoothing.dense_smooths_more(**TURN) == {"R increasing": True}
    still = TURN | {"W": [["0", "0"], ["0", "0"]]}
    assert smoothing.monotone_iff(**still) == {"D decreasing": False, "D increasing": False}


def test_without_a_sum_no_ratio_is_judged() -> None:
    assert smoothing.dense_smooths_more([[["1"], ["-1"]]], [["2"]], "1") == {"R increasing": None}


def test_an_interior_maximum_is_enclosed() -> None:
    # B = diag(2, 0), t1 = t2 = 2, beta = -1/4: the maximum stands at 3/4
    found = smoothing.uniform_vs_identity(TURN["tokens"], [["1", "0"], ["0", "2"]], "-1/4")
    assert found["interior maximum"] is True
    low, high = found["place"]  # type: ignore[misc]
    assert low <= 0.75 <= high
    assert high - low < 0.04


@pytest.mark.parametrize(
    ("slope", "rising"),
    [
        ((0, 1, 0), True),
        ((1, -1, 0), True),
        ((1, -2, 1), True),
        ((1, -3, 2), False),
        ((0, 0, 0), False),
        ((-1, 2, 0), False),
    ],
)
def test_strict_rises_are_decided_exactly(slope: tuple[int, int, int], rising: bool) -> None:
    assert smoothing.rises(tuple(Fraction(c) for c in slope)) is rising  # type: ignore[arg-type]
