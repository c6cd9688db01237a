"""The fast routine lies within its reported error of the certified ball, over spectra with every degenerate one."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy import stats

from theorems.bao2024.law import rho
from theorems.bao2024.law.certified import certified, certified_probability
from theorems.bao2024.law.quadrature import probability

SPECTRA: dict[str, tuple[list[float], list[int]]] = {
    "one eigenvalue": ([1.0], [1]),
    "one negative": ([-0.3], [1]),
    "rank one": ([2.5, 0.0], [1, 9]),
    "zero": ([0.0], [4]),
    "equal": ([0.75], [6]),
    "all of one size": ([0.5, -0.5], [3, 3]),
    "high multiplicity": ([1e-3], [10**6]),
    "an outlier on a bulk": ([1.0, 1e-4], [1, 2000]),
    "mixed": ([0.7, -0.2, 1.3], [1, 2, 1]),
    "tiny beside large": ([1.0, -1e-9], [1, 1]),
}


def holds(value: float, error: float, ball: flint.arb) -> bool:
    return abs(value - float(ball.mid())) <= error + float(ball.rad())


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("start", ["sigma", "zero"])
def test_rho_is_within_its_error_of_the_ball(name: str, start: str) -> None:
    values, counts = SPECTRA[name]
    for T, tokens, lam in ((1, (1,), 1), (2, (1, 2), 1), (7, (1, 4, 7), 2)):
        fast = rho(T, values, counts, lam, start)
        for i in tokens:
            ball = certified(T, i, values, counts, lam, bits=50, start=start)
            assert float(ball.rad()) < 1e-13
            assert holds(fast.values[i - 1], fast.errors[i - 1], ball), (T, i, fast.values[i - 1], ball)
            # and the check can fail
            assert not holds(fast.values[i - 1] + 3e-12, fast.errors[i - 1], ball)


def test_many_distinct_eigenvalues() -> None:
    values = np.random.default_rng(0).normal(size=24)
    fast = rho(9, values, None, 3.0)
    for i in (1, 5):
        assert holds(fast.values[i - 1], fast.errors[i - 1], certified(9, i, values.tolist(), None, 3.0, bits=50))


def test_infinite_ends_and_other_intervals() -> None:
    values = [0.7, -0.2, 1.3]
    for low, high in ((-math.inf, 0.25), (0.5, math.inf), (-math.inf, math.inf), (0.125, 0.125), (-2.0, -1.0)):
        fast = rho(4, values, low=low, high=high)
        assert holds(fast.values[1], fast.errors[1], certified(4, 2, values, low=low, high=high, bits=50))


def test_random_laws_are_within_their_errors() -> None:
    rng = np.random.default_rng(2)
    used = []
    for _ in range(40):
        size = int(rng.integers(1, 6))
        weights = rng.choice([-1, 1], size) * np.exp(rng.normal(size=size) * rng.choice([0.1, 1, 5]))
        counts = [int(m) for m in rng.choice([1, 1, 2, 3, 7, 300], size)]
        low, high = np.sort(rng.normal(size=2)) * 10.0 ** float(rng.integers(-3, 3))
        fast = probability(weights, counts, low, high, float(rng.choice([1e-13, 1e-9, 1e-5])))
        ball = certified_probability(weights.tolist(), counts, float(low), float(high), bits=50)
        assert holds(fast.value, fast.error, ball), (weights, counts, low, high, fast, ball)
        used.append(abs(fast.value - float(ball.mid())) / (fast.error + 1e-30))
    # the bounds are not met by being vacuous
    assert max(used) > 1e-3


@pytest.mark.parametrize("bits", [40, 100])
def test_balls_hold_closed_forms_and_shrink(bits: int) -> None:
    flint.ctx.prec = 200
    exponential = 1 - (-flint.arb(1) / 2).exp()
    found = certified_probability([1, -1], [2, 2], 0, 1, bits=bits)
    assert found.overlaps(exponential / 2) and float(found.rad()) < 2.0 ** (-bits + 2)
    assert not found.overlaps(exponential / 2 + flint.arb(2) ** (3 - bits))
    third = certified_probability([Fraction(1, 3)], [2], Fraction(1, 3), math.inf, bits=bits)
    assert third.overlaps((-flint.arb(1) / 2).exp())
    root = certified_probability([1], [1], -1, 1, bits=bits)
    assert root.overlaps((flint.arb(1) / 2).sqrt().erf())
    assert flint.ctx.prec == 200


def test_extreme_scales() -> None:
    assert holds(0.5 - math.exp(-2) / 2, 1e-15, certified_probability([1e200, -1e200], [2, 2], 0, 4e200, bits=50))
    assert holds(0.5 - math.exp(-2) / 2, 1e-15, certified_probability([1e-300, -1e-300], [2, 2], 0, 4e-300, bits=50))
    ball = certified_probability([1], [10**6], -math.inf, 10**6, bits=50)
    assert holds(float(stats.chi2(1e6).cdf(1e6)), 2e-12, ball)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="low <= high"):
        certified(3, 1, [1], low=1, high=0)
    with pytest.raises(ValueError, match="positive"):
        certified(3, 1, [1], lam=0)
    with pytest.raises(ValueError, match="for each"):
        certified(3, 1, [1], [1, 2])
    with pytest.raises(ValueError, match="bits"):
        certified(3, 1, [1], bits=4)
    with pytest.raises(ValueError, match="lam = inf"):
        certified(3, 1, [1], lam=math.inf)
    with pytest.raises(ValueError, match="a weight = nan"):
        certified_probability([math.nan])
    with pytest.raises(ValueError, match="a multiplicity = inf"):
        certified_probability([1], [math.inf])  # type: ignore[list-item]
