"""Limits from values at several lengths: exact on polynomials in 1/T, honest about what is left, slow to refute."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from proofs_check.checks.extrapolation import (
    Extrapolated,
    ExtrapolationError,
    allotted,
    approach,
    distances,
    extrapolated,
    weights,
)
from proofs_check.checks.intervals import Interval

LENGTHS = (2, 4, 6, 8, 16, 24, 32, 48)


def about(value: float, half: float = 0.0) -> Interval:
    return Interval(value - half, value + half, value, half**2, half / 10)


def within(found: Extrapolated, value: float) -> bool:
    return found.interval.holds(value)


@pytest.mark.parametrize("exponents", [(), (1,), (1, 2), (2,), (1, 2, 3, 4), (Fraction(1, 2), 1)], ids=str)
def test_terms_of_known_exponents_are_eliminated_whatever_their_coefficients(exponents: tuple[int, ...]) -> None:
    for seed in range(5):
        coefficients = np.random.default_rng(seed).normal(size=len(exponents)) * 100
        values = [3 + sum(c * T ** -float(p) for c, p in zip(coefficients, exponents, strict=True)) for T in LENGTHS]
        found = extrapolated(LENGTHS, [about(v) for v in values], exponents)
        assert found.interval.centre == pytest.approx(3, abs=1e-9)
        assert within(found, 3) and not within(found, 3.0001) and not within(found, 2.9999)


def test_a_term_that_is_left_out_is_seen() -> None:
    """Weights made for 1/T alone leave 5/T^2 in."""
    values = [about(3 + 7 / T + 5 / T**2) for T in LENGTHS]
    assert not within(extrapolated(LENGTHS, values, (1,)), 3)
    assert within(extrapolated(LENGTHS, values, (1, 2)), 3)


def test_intervals_add_up_by_the_sizes_of_the_weights() -> None:
    found = extrapolated((8, 16), [about(1.0, 0.1), about(1.0, 0.2)], (1,))
    assert found.weights == pytest.approx((-1.0, 2.0))
    assert (found.interval.low, found.interval.high) == pytest.approx((0.5, 1.5))
    assert found.interval.miss == pytest.approx(0.05)
    # both ends are reached by values within the intervals
    ends = [2 * 0.8 - 1.1, 2 * 1.2 - 0.9]
    assert ends == pytest.approx([found.interval.low, found.interval.high])


def test_the_cheapest_lengths_are_taken() -> None:
    even, dear = weights(LENGTHS, (1, 2)), weights(LENGTHS, (1, 2), [1, 1, 1, 1, 1, 1, 1, 1000])
    assert np.count_nonzero(even) == np.count_nonzero(dear) == 3
    assert even[-1] != 0 and dear[-1] == 0
    assert np.abs(even).sum() < np.abs(dear).sum()
    # Chebyshev: no weights at nodes in [1/48, 1/2] have less than T_2((24 + 1)/(24 - 1)) in all
    assert 2 * (25 / 23) ** 2 - 1 <= np.abs(even).sum() < 1.6


def test_what_is_allotted_keeps_the_limit_within_the_tolerance_at_the_least_cost() -> None:
    factors, spreads, costs = (0.5, -1.0, 1.5), (2.0, 1.0, 1.0), (2.0, 8.0, 48.0)
    halves = allotted(factors, spreads, costs, 0.1)

    def cost(h: list[float]) -> float:
        return sum(c * s**2 / x**2 for c, s, x in zip(costs, spreads, h, strict=True))

    assert sum((a * h) ** 2 for a, h in zip(factors, halves, strict=True)) == pytest.approx(0.1**2)
    rng = np.random.default_rng(0)
    for _ in range(50):
        other = np.array(halves) * np.exp(rng.normal(size=3) / 10)
        other *= 0.1 / float(np.linalg.norm(factors * other))
        assert cost(list(other)) >= cost(halves)
    assert allotted((1.0, 2.0), (0.0, 1.0), (1.0, 1.0), 0.1) == pytest.approx([0.1, 0.05])


@pytest.mark.parametrize(
    ("lengths", "exponents", "lack"),
    [
        ((2, 4), (1, 2), "2 lengths for 3 terms"),
        ((2, 2, 4), (1,), "distinct"),
        ((2, 4), (0,), "exponent 0"),
        ((2, 4), (-1,), "exponent -1"),
    ],
    ids=str,
)
def test_what_cannot_be_extrapolated_is_said(lengths: tuple[int, ...], exponents: tuple[int, ...], lack: str) -> None:
    with pytest.raises(ExtrapolationError, match=lack):
        weights(lengths, exponents)


def test_an_interval_a_length_is_asked_for() -> None:
    with pytest.raises(ExtrapolationError, match="1 intervals for 2 lengths"):
        extrapolated((2, 4), [about(1.0)], (1,))


@pytest.mark.parametrize(
    ("values", "limit", "told"),
    [
        ((0.66, 0.96, 1.0), 1.0, "approaches"),
        ((0.66, 0.96, 1.0), 0.0, "stays away"),
        ((0.5, 0.5, 0.5), 1.0, "stays away"),
        ((0.5, 0.5, 0.5), 0.5, "approaches"),
        # 1/index: halves each time, so that no finite index tells
        ((0.5, 0.25, 0.125), 0.0, "open"),
        # near, but moving away
        ((1.0, 0.999, 0.985), 1.0, "stays away"),
        ((0.9, 0.6, 0.58), 0.5, "stays away"),
    ],
    ids=str,
)
def test_values_along_an_index_approach_a_limit_or_do_not(values: tuple[float, ...], limit: float, told: str) -> None:
    assert approach((2, 4, 8), [about(v, 0.004) for v in values], limit, 0.02) == told


def test_wide_intervals_tell_nothing() -> None:
    wide = [about(0.9, 0.3), about(0.9, 0.3)]
    assert approach((1, 2), wide, 1.0, 0.02) == "open"
    assert approach((1, 2), wide, 0.0, 0.02) == "stays away"
    # from 1 to 4 the distance may shrink to a quarter
    assert approach((1, 4), [about(1.0, 0.01), about(0.3, 0.01)], 0.0, 0.02) == "stays away"
    assert approach((1, 4), [about(1.0, 0.01), about(0.25, 0.01)], 0.0, 0.02) == "open"
    assert distances([about(0.9, 0.3)], 1.0)[0] == pytest.approx((0.0, 0.4))
    for indices in ((1,), (2, 1), (1, 1)):
        with pytest.raises(ExtrapolationError, match="two or more"):
            approach(indices, [about(1.0)] * len(indices), 1.0, 0.1)
