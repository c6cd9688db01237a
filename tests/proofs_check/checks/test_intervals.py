"""Intervals for heavy-tailed Gaussian polynomials: what they promise, counted; and what breaks them.

Every count is compared with its level by an exact binomial test at FALSE_ALARM, on fixed seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from montecarlo.empirical_checks import RegistryError, Tails
from montecarlo.hypercontractivity import kurtosis as bound_of
from proofs_check.checks.evidence import BETA, Evidence, Measured
from proofs_check.checks.intervals import (
    CONSTANT,
    Blocks,
    Drawn,
    Interval,
    combined,
    detectable_together,
    influence,
    interval,
    numbers_needed,
    p_value,
    spread_bound,
    spread_slack,
    tuning,
)
from proofs_check.checks.sampling import _fill
from proofs_check.claims.pairing import Target

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]

#: Probability that one of the counts below fails although the promise holds.
FALSE_ALARM = 1e-6


def too_many(misses: int, trials: int, level: float) -> bool:
    """Whether so many misses are more than chance allows at that level."""
    return bool(binomtest(misses, trials, level, alternative="greater").pvalue < FALSE_ALARM)


def fourth_power(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """x^4: mean 3, variance 96, degree 4."""
    return square(rng, shape) ** 2


def product(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """x y: mean 0, variance 1, degree 2."""
    return rng.standard_normal(shape) * rng.standard_normal(shape)


def square(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """x^2: mean 1, variance 2, degree 2."""
    return rng.standard_normal(shape) ** 2


def skew(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """x^3 + x^2: mean 1, variance 17, degree 3."""
    x = rng.standard_normal(shape)
    return x**3 + x**2


#: name: (draw, mean, variance, degree, numbers in a block); 16 blocks are the fewest that the variance allows.
FAMILIES: dict[str, tuple[Draw, float, float, int, int]] = {
    "product": (product, 0.0, 1.0, 2, 32),
    "square": (square, 1.0, 2.0, 2, 32),
    "skew": (skew, 1.0, 17.0, 3, 256),
    "fourth power": (fourth_power, 3.0, 96.0, 4, 2048),
}
BLOCKS, LEVEL = 16, 0.2


def reduced(values: Array) -> tuple[Array, Array, int]:
    """Block means (repeats, blocks), pair means (repeats,) and the number of pairs of values (repeats, blocks, k)."""
    gaps = values[..., ::2] - values[..., 1::2]
    return values.mean(-1), (gaps**2 / 2).mean((-2, -1)), values.shape[-2] * values.shape[-1] // 2


def repeats(name: str, count: int, seed: int) -> tuple[Array, Array, int]:
    draw, _, _, _, per_block = FAMILIES[name]
    rng = np.random.default_rng(seed)
    parts = [reduced(draw(rng, (min(50, count - k), BLOCKS, per_block))) for k in range(0, count, 50)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), parts[0][2]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("planned_by", [1.0, 1 / 30, 30.0])
def test_the_mean_is_missed_no_more_often_than_the_level(name: str, planned_by: float) -> None:
    _, mean, variance, degree, per_block = FAMILIES[name]
    count = 200
    means, pair_means, pairs = repeats(name, count, seed=1)
    around = [
        interval(m, per_block, v, pairs, degree=degree, planned=planned_by * variance, delta=LEVEL, beta=BETA)
        for m, v in zip(means, pair_means, strict=True)
    ]
    assert all(math.isfinite(a.low) and a.low < a.centre < a.high < math.inf for a in around)
    assert not too_many(sum(not a.holds(mean) for a in around), count, LEVEL)
    # the same count fails where the intervals are a thousand times narrower
    narrow = sum(abs(a.centre - mean) > (a.high - a.low) / 2000 for a in around)
    assert planned_by != 1.0 or too_many(narrow, count, LEVEL)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_variance_is_bounded_from_above(name: str) -> None:
    _, _, variance, degree, _ = FAMILIES[name]
    _, pair_means, pairs = repeats(name, 400, seed=2)
    slack = spread_slack(degree, pairs, math.log(2 / LEVEL))
    assert slack < 1
    assert not too_many(int((pair_means / (1 - slack) < variance).sum()), 400, LEVEL / 2)


def test_no_polynomial_has_such_a_bound() -> None:
    """A near miss of the class: exp(3 x) has every moment, yet its sampled variance is far too small."""
    rng = np.random.default_rng(3)
    _, pair_means, pairs = reduced(np.exp(3 * rng.standard_normal((400, BLOCKS, 2048))))
    slack = spread_slack(4, pairs, math.log(2 / LEVEL))
    variance = math.exp(18) - math.exp(9)
    assert too_many(int((pair_means / (1 - slack) < variance).sum()), 400, LEVEL / 2)


def test_a_wrong_planned_variance_widens_the_interval() -> None:
    means, pair_means, pairs = reduced(square(np.random.default_rng(4), (10, 64, 1024)))

    def width(planned: float) -> float:
        options: dict[str, Any] = {"degree": 2, "planned": planned, "delta": LEVEL, "beta": BETA}
        around = [interval(m, 1024, v, pairs, **options) for m, v in zip(means, pair_means, strict=True)]
        return float(np.mean([a.high - a.low for a in around]))

    assert width(2.0 / 30) > 1.5 * width(2.0)
    assert width(2.0 * 30) > 1.5 * width(2.0)


def test_the_inequality_that_the_bound_rests_on() -> None:
    x = np.concatenate(
        [np.linspace(-50, 50, 200_001), np.geomspace(1e-12, 1e6, 2_001), -np.geomspace(1e-12, 1e6, 2_001)]
    )
    assert (np.exp(influence(x)) <= (1 + x + x * x / 2) * (1 + 1e-12)).all()
    assert (np.exp(-influence(x)) <= (1 - x + x * x / 2) * (1 + 1e-12)).all()
    assert (np.diff(influence(np.sort(x))) >= 0).all()
    assert np.array_equal(influence(-x), -influence(x))
    # squares of which no float holds
    assert np.isfinite(influence(np.array([1e200, -1e308]))).all() and np.isinf(influence(np.array([np.inf])))


def gaussian_moment(polynomial: list[int], power: int) -> int:
    """E p(x)^power for x ~ N(0, 1), exactly; coefficients from the constant on."""
    total = [1]
    for _ in range(power):
        product = [0] * (len(total) + len(polynomial) - 1)
        for j, left in enumerate(total):
            for k, right in enumerate(polynomial):
                product[j + k] += left * right
        total = product
    return sum(c * math.prod(range(1, k, 2)) for k, c in enumerate(total) if k % 2 == 0)


@pytest.mark.parametrize(
    ("degree", "polynomial", "kurtosis"),
    [(1, [0, 1], 3), (2, [-1, 0, 1], 15), (3, [0, -3, 0, 1], 93), (4, [3, 0, -6, 0, 1], 639)],
)
def test_the_constant_of_hypercontractivity(degree: int, polynomial: list[int], kurtosis: int) -> None:
    """The bound against the exact kurtosis of the Hermite polynomial He_q, and of x^q about its mean."""
    assert gaussian_moment(polynomial, 1) == 0
    assert gaussian_moment(polynomial, 4) == kurtosis * gaussian_moment(polynomial, 2) ** 2
    power = [0] * degree + [1]
    power[0] -= gaussian_moment(power, 1)
    for centred in (polynomial, power):
        assert gaussian_moment(centred, 4) <= bound_of(degree) * gaussian_moment(centred, 2) ** 2
    # E Z^2 of Z = (f - f')^2 / 2, of which the variance's bound is made
    fourth, second = gaussian_moment(polynomial, 4), gaussian_moment(polynomial, 2)
    assert (fourth + 3 * second**2) / 2 <= (bound_of(degree) + 3) * second**2 / 2


PLANS: dict[str, tuple[str, float, float, int]] = {
    "square, at the level of a run": ("square", 0.35, 3e-9, 1500),
    "product, at the level of a run": ("product", 0.25, 3e-9, 1500),
    "fourth power, at a large level": ("fourth power", 1.2, 0.05, 400),
}


@pytest.mark.parametrize("plan", PLANS)
def test_an_error_of_the_planned_size_is_caught(plan: str) -> None:
    """From so many numbers the whole interval lies within the tolerance, so that every larger error is left out."""
    name, tolerance, delta, count = PLANS[plan]
    draw, mean, variance, degree, _ = FAMILIES[name]
    per_block = 64
    numbers = numbers_needed(
        variance, tolerance, degree=degree, delta=delta, beta=BETA, per_block=per_block, most=10**7
    )
    assert numbers is not None
    assert numbers % per_block == 0
    blocks = numbers // per_block
    rng = np.random.default_rng(5)
    log_spread, log_mean = math.log(2 / delta), math.log(4 / delta)
    alpha = tuning(variance, per_block, blocks, log_mean)
    missed = 0
    for first in range(0, count, 50):
        means, pair_means, pairs = reduced(draw(rng, (50, blocks, per_block)))
        spread = pair_means / (1 - spread_slack(degree, pairs, log_spread)) / per_block
        bound = alpha * spread / 2 + log_mean / (blocks * alpha)
        below = influence(alpha * (means - (mean - tolerance))).mean(-1) / alpha
        above = influence(alpha * (means - (mean + tolerance))).mean(-1) / alpha
        inside = (below > bound) & (above < -bound)
        missed += int((~inside).sum())
        if first == 0:
            # the vectorised criterion is the interval's own
            for k in range(10):
                options: dict[str, Any] = {"degree": degree, "planned": variance, "delta": delta, "beta": BETA}
                around = interval(means[k], per_block, float(pair_means[k]), pairs, **options)
                within = mean - tolerance < around.low and around.high < mean + tolerance
                assert within == inside[k]
                assert around.detectable <= tolerance
    assert not too_many(missed, count, BETA)


def test_numbers_needed_grows_with_what_is_asked_for() -> None:
    options: dict[str, Any] = {"degree": 2, "delta": 1e-9, "beta": 1e-3, "per_block": 64, "most": 10**9}
    base = numbers_needed(1.0, 0.02, **options)
    finer = numbers_needed(1.0, 0.01, **options)
    surer = numbers_needed(1.0, 0.02, **(options | {"delta": 1e-12}))
    assert base is not None and finer is not None and surer is not None
    assert 3 * base < finer < 5 * base
    assert base < surer
    assert numbers_needed(1.0, 0.02, **(options | {"most": base // 2})) is None
    assert numbers_needed(1.0, 0.0, **options) is None
    assert numbers_needed(0.0, 0.0, **options) == 128


def test_the_p_value_is_the_level_at_which_the_interval_leaves_a_value_out() -> None:
    means, pair_means, pairs = repeats("skew", 20, seed=6)
    options: dict[str, Any] = {"degree": 3, "planned": 17.0, "delta": LEVEL}
    for m, v in zip(means, pair_means, strict=True):
        around = interval(m, 256, v, pairs, beta=BETA, **options)
        width = around.high - around.low
        offsets = np.linspace(0, 2 * width, 41)
        ps = [p_value(around.centre + o, m, 256, v, pairs, **options) for o in offsets]
        assert all(later <= earlier for earlier, later in pairwise(ps))
        assert ps[0] == 1.0
        assert ps[-1] < 1.01 * LEVEL / 2
        for edge in (around.low, around.high):
            outwards = 1e-6 * width * (1 if edge == around.high else -1)
            assert p_value(edge + outwards, m, 256, v, pairs, **options) < LEVEL
            assert p_value(edge - outwards, m, 256, v, pairs, **options) > LEVEL


@pytest.mark.parametrize("size", [1e-20, 1e-14, 1e12])
def test_an_interval_is_as_wide_whatever_the_unit(size: float) -> None:
    means, pair_means, pairs = repeats("skew", 5, seed=6)
    options: dict[str, Any] = {"degree": 3, "delta": LEVEL, "beta": BETA}
    for m, v in zip(means, pair_means, strict=True):
        one = interval(m, 256, v, pairs, planned=17.0, **options)
        scaled = interval(size * m, 256, size**2 * v, pairs, planned=17.0 * size**2, **options)
        for end in ("low", "high", "centre"):
            assert getattr(scaled, end) / size == pytest.approx(getattr(one, end), rel=1e-9, abs=1e-9)
    # where the unit is too large to tell the ends apart they are outside, and not the centre
    far = interval(1e16 + 4 * means[0], 256, 16 * pair_means[0], pairs, planned=17.0 * 16, **options)
    assert far.low < far.centre < far.high


def test_a_statistic_that_does_not_vary() -> None:
    means = np.full(4, 2.5)
    options: dict[str, Any] = {"degree": 2, "planned": 0.0, "delta": 1e-9}
    around = interval(means, 64, 0.0, 128, beta=BETA, **options)
    assert around.holds(2.5)
    assert not around.holds(2.5 + 1e-8)
    assert around.detectable == pytest.approx(2.5 * CONSTANT)
    assert p_value(2.5, means, 64, 0.0, 128, **options) == 1.0
    assert p_value(2.5 + 1e-8, means, 64, 0.0, 128, **options) == 0.0


def test_numbers_that_vary_although_none_should_prove_nothing() -> None:
    means = np.array([2.0, 3.0, 2.0, 3.0])
    around = interval(means, 64, 0.25, 128, degree=2, planned=0.0, delta=1e-9, beta=BETA)
    assert (around.low, around.high) == (-math.inf, math.inf)


# -- numbers that are no Gaussian polynomials

#: name: (chance of a 1, width stated, kurtosis of the number, numbers in a block)
COINS: dict[str, tuple[float, float, float, int]] = {}
for _chance, _per_block in ((0.5, 16), (0.1, 64), (0.01, 256), (0.001, 4096)):
    _spread = _chance * (1 - _chance)
    COINS[f"p = {_chance}"] = (_chance, 1.0, (1 - 3 * _spread) / _spread, _per_block)


@pytest.mark.parametrize("name", COINS)
@pytest.mark.parametrize("known", ["width", "kurtosis"])
def test_the_variance_of_a_probability_is_bounded_from_above(name: str, known: str) -> None:
    chance, width, kurtosis, per_block = COINS[name]
    tails = Tails(width=width) if known == "width" else Tails(kurtosis=kurtosis)
    rng = np.random.default_rng(8)
    count, log = 600, math.log(2 / LEVEL)
    _, pair_means, pairs = reduced((rng.random((count, BLOCKS, per_block)) < chance).astype(np.float64))
    bounds = np.array([spread_bound(float(v), tails, pairs, log) for v in pair_means])
    assert (bounds >= pair_means).all()
    assert not too_many(int((bounds < chance * (1 - chance)).sum()), count, LEVEL / 2)
    # the average itself misses far too often
    assert too_many(int((pair_means < chance * (1 - chance)).sum()), count, LEVEL / 2)


@pytest.mark.parametrize("name", COINS)
def test_a_probability_is_missed_no_more_often_than_the_level(name: str) -> None:
    chance, width, _, per_block = COINS[name]
    variance = chance * (1 - chance)
    rng = np.random.default_rng(9)
    count = 300
    means, pair_means, pairs = reduced((rng.random((count, BLOCKS, per_block)) < chance).astype(np.float64))
    options: dict[str, Any] = {"degree": Tails(width=width), "planned": variance, "delta": LEVEL}
    around = [
        interval(m, per_block, float(v), pairs, beta=BETA, **options) for m, v in zip(means, pair_means, strict=True)
    ]
    assert all(a.low < a.centre < a.high for a in around)
    assert not too_many(sum(not a.holds(chance) for a in around), count, LEVEL)
    below = [
        p_value(chance, m, per_block, float(v), pairs, **options) < LEVEL
        for m, v in zip(means, pair_means, strict=True)
    ]
    assert below == [not a.holds(chance) for a in around]


def test_a_width_that_is_too_small_is_no_bound() -> None:
    """A near miss: a chance of 1/1000 and few pairs, with a width of 1/100 stated for numbers 0 and 1."""
    rng = np.random.default_rng(10)
    count, log = 600, math.log(2 / LEVEL)
    _, pair_means, pairs = reduced((rng.random((count, BLOCKS, 16)) < 0.001).astype(np.float64))
    for width, missed in ((1.0, False), (0.01, True)):
        bounds = [spread_bound(float(v), Tails(width=width), pairs, log) for v in pair_means]
        assert too_many(sum(b < 0.001 * 0.999 for b in bounds), count, LEVEL / 2) == missed


def test_the_bounds_of_the_variance_by_hand() -> None:
    # c = 1 * 4/(4 * 25) = 1/25, average 3/25 + 2/25 ... (1/5 + sqrt(1/25 + 3/25))^2 = (3/5)^2
    assert spread_bound(3 / 25, Tails(width=1.0), 25, 4.0) == pytest.approx(9 / 25)
    assert spread_bound(0.0, Tails(width=1.0), 25, 4.0) == pytest.approx(4 / 25)
    assert spread_bound(3 / 25, Tails(width=2.0), 100, 4.0) == pytest.approx(9 / 25)
    # e = sqrt((kurtosis + 3) L/N) = sqrt(4 * 1/16) = 1/2
    assert spread_bound(3.0, Tails(kurtosis=1.0), 16, 1.0) == pytest.approx(6.0)
    assert spread_slack(Tails(kurtosis=6.0), 36, 1.0) == pytest.approx(1 / 2)
    # a degree is a kurtosis
    assert spread_bound(3.0, 2, 10**4, 1.0) == spread_bound(3.0, Tails(kurtosis=bound_of(2)), 10**4, 1.0)
    for tails in (Tails(width=1.0), Tails(kurtosis=2.0), Tails(kurtosis=math.inf), 2):
        assert spread_bound(1.0, tails, 0, 1.0) == math.inf
    assert spread_bound(1.0, Tails(kurtosis=math.inf), 10**9, 1.0) == math.inf
    with pytest.raises(RegistryError, match="state one of degree, width and kurtosis"):
        Tails()
    assert spread_bound(1.0, Tails(kurtosis=100.0), 16, 1.0) == math.inf


def test_numbers_needed_for_a_probability() -> None:
    options: dict[str, Any] = {"delta": 1e-9, "beta": 1e-3, "per_block": 64, "most": 10**9}
    narrow = numbers_needed(0.09, 0.003, degree=Tails(width=1.0), **options)
    wide = numbers_needed(0.09, 0.003, degree=Tails(width=10.0), **options)
    heavy = numbers_needed(0.09, 0.003, degree=Tails(kurtosis=10**4), **options)
    assert narrow is not None and wide is not None and heavy is not None
    assert narrow < wide and narrow < heavy
    assert numbers_needed(0.09, 0.003, degree=Tails(kurtosis=math.inf), **options) is None


def test_an_infinite_interval_has_no_small_p_value() -> None:
    means = np.array([0.0, 10.0, 0.0, 10.0])
    assert p_value(7.0, means, 10, 50.0, 20, degree=2, planned=0.0, delta=1e-9) == 1.0
    assert p_value(7.0, means, 10, 0.0, 20, degree=2, planned=0.0, delta=1e-9) == 0.0
    around = interval(means, 10, 50.0, 20, degree=2, planned=0.0, delta=1e-9, beta=BETA)
    assert (around.low, around.high) == (-math.inf, math.inf)


def measured(around: Interval, printed: float = 1.0) -> Measured:
    import sympy as sp

    value = sp.Float(printed)
    target = Target("moment", value, value, value, value)
    blocks = Blocks(np.full(4, around.centre), 32, 1.0, around)
    return Measured({"i": 1}, target, around, 128, 0.1, 1.0, 0.04, 1.0, blocks)


def test_too_few_pairs_are_too_little_power_and_no_agreement() -> None:
    means, pair_means, _ = repeats("square", 1, seed=7)
    around = interval(means[0], 32, float(pair_means[0]), 256, degree=4, planned=2.0, delta=1e-9, beta=BETA)
    assert (around.low, around.high) == (-math.inf, math.inf)
    assert p_value(1e9, means[0], 32, float(pair_means[0]), 256, degree=4, planned=2.0, delta=1e-9) == 1.0
    assert spread_slack(2, 0, 1.0) == math.inf
    found = measured(around)
    assert not found.agrees and not found.contradicts and not found.conflicts
    evidence = Evidence()
    _fill(evidence, [found])
    assert evidence.status == "underpowered"
    assert evidence.detectable is None
    assert evidence.rows[0]["low"] is None and evidence.rows[0]["high"] is None


def test_not_rejecting_is_not_agreeing() -> None:
    for low, high, status in [
        (0.97, 1.03, "agrees"),
        (0.97, 1.05, "underpowered"),
        (1.01, 1.03, "contradicts"),
        (0.5, 0.9, "contradicts"),
    ]:
        evidence = Evidence()
        _fill(evidence, [measured(Interval(low, high, (low + high) / 2, 1.0, 0.0))])
        assert evidence.status == status


# -- several samples together

#: Weights, variances of a number (chi-square of one degree, scaled), and how many blocks of 32 numbers there are.
TOGETHER = ((-1.0, 2.0, 300), (0.5, 8.0, 170), (1.5, 0.5, 1000))
SURE = 0.02


def together(seed: int, shift: float = 0.0) -> list[tuple[float, Blocks]]:
    """Samples of c (x^2 - 1) + 1, the first one off by ``shift``."""
    rng, parts = np.random.default_rng(seed), []
    for k, (weight, variance, blocks) in enumerate(TOGETHER):
        numbers = math.sqrt(variance / 2) * (rng.standard_normal((blocks, 32)) ** 2 - 1) + 1 + shift * (k == 0)
        gaps = (numbers[:, ::2] - numbers[:, 1::2]) ** 2 / 2
        options: dict[str, Any] = {"degree": 2, "planned": variance, "delta": SURE, "beta": BETA}
        around = interval(numbers.mean(1), 32, float(gaps.mean()), gaps.size, **options)
        parts.append((weight, Blocks(numbers.mean(1), 32, variance, around)))
    return parts


def test_one_sample_alone_has_its_own_interval() -> None:
    ((_, blocks), *_) = together(0)
    found = combined([(1.0, blocks)], delta=SURE, beta=BETA)
    own = (blocks.around.low, blocks.around.high, blocks.around.centre, blocks.around.miss)
    assert (found.low, found.high, found.centre, found.miss) == pytest.approx(own)
    scaled = combined([(-2.0, blocks)], delta=SURE, beta=BETA)
    assert (scaled.low, scaled.high) == pytest.approx((-2 * own[1], -2 * own[0]))


def test_samples_together_hold_the_sum_and_are_narrower_than_their_intervals() -> None:
    """sum_k a_k mu_k = 1; an interval without the variances, a planted fault, misses it too often."""
    runs, missed, faulty, seen = 200, 0, 0, 0
    for seed in range(runs):
        parts = together(seed)
        found = combined(parts, delta=SURE, beta=BETA)
        missed += not found.holds(1.0)
        narrow = [(a, replace(b, around=replace(b.around, spread=0.0))) for a, b in parts]
        faulty += not combined(narrow, delta=SURE, beta=BETA).holds(1.0)
        widths = sum(abs(a) * (b.around.high - b.around.low) for a, b in parts)
        assert found.high - found.low < 0.75 * widths
        seen += not combined(together(seed, shift=-2 * found.detectable), delta=SURE, beta=BETA).holds(1.0)
    assert not too_many(missed, runs, SURE) and seen == runs
    assert too_many(faulty, runs, SURE)


def test_what_planned_samples_show_together_is_what_they_show() -> None:
    parts = [(a, Drawn(variance, 2, 32 * blocks, 32)) for a, variance, blocks in TOGETHER]
    planned = detectable_together(parts, delta=SURE, beta=BETA)
    found = [combined(together(seed), delta=SURE, beta=BETA).detectable for seed in range(50)]
    assert 0.7 * planned < max(found) <= planned
    # one sample alone is planned as ever
    options: dict[str, Any] = {"degree": 2, "delta": SURE, "beta": BETA}
    numbers = numbers_needed(2.0, 0.05, per_block=32, most=10**9, **options)
    assert numbers is not None
    alone = [
        detectable_together([(1.0, Drawn(2.0, 2, n, 32))], delta=SURE, beta=BETA) for n in (numbers, numbers * 9 // 10)
    ]
    assert alone[0] <= 0.05 < alone[1]


def test_blocks_are_put_together_in_their_order() -> None:
    (_, blocks) = together(0)[0]
    means, part = replace(blocks, means=np.arange(7.0), per_block=1).grouped(3)
    assert means.tolist() == [1.0, 3.5, 5.5] and part == pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 3)


def test_what_does_not_vary_only_shifts_the_others() -> None:
    parts = together(0)
    still = interval(np.full(4, 3.0), 32, 0.0, 64, degree=2, planned=0.0, delta=SURE, beta=BETA)
    constant = Blocks(np.full(4, 3.0), 32, 0.0, still)
    alone, moved = (combined(p, delta=SURE, beta=BETA) for p in (parts, [*parts, (2.0, constant)]))
    assert (moved.low, moved.high) == pytest.approx((alone.low + 6, alone.high + 6), abs=1e-7)
    assert moved.high - moved.low > alone.high - alone.low
    only = combined([(2.0, constant)], delta=SURE, beta=BETA)
    assert only.holds(6.0) and only.high - only.low < 1e-7
    # one that was said not to vary, and does, says nothing
    lies = interval(np.array([0.0, 9.0]), 32, 9.0, 64, degree=2, planned=0.0, delta=SURE, beta=BETA)
    wide = combined([*parts, (1.0, replace(constant, around=lies))], delta=SURE, beta=BETA)
    assert (wide.low, wide.high) == (-math.inf, math.inf)
