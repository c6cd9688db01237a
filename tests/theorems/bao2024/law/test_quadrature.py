"""P(low <= sum alpha_j chi^2_{m_j} <= high) against closed forms, convolution, another package, and its own bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

import gx2  # type: ignore[import-untyped]
import numpy as np
import pytest
from scipy import integrate, stats

from theorems.bao2024.law import certified, rho
from theorems.bao2024.law import quadrature as law_quadrature
from theorems.bao2024.law.quadrature import intervals, probability
from theorems.bao2024.law.transform import Array, Transform

INF = math.inf


def laplace(weight: float, low: float, high: float) -> float:
    """weight (chi^2_2 - chi^2_2') is Laplace with scale 2 weight."""
    return float(stats.laplace(scale=2 * weight).cdf(high) - stats.laplace(scale=2 * weight).cdf(low))


def chi2(weight: float, m: int, low: float, high: float) -> float:
    return float(stats.chi2(m).cdf(high / weight) - stats.chi2(m).cdf(low / weight))


def hypoexponential(rates: list[float], low: float, high: float) -> float:
    """Distinct weights of multiplicity 2 are exponentials; partial fractions of the transform give the law."""
    total = 0.0
    for k, weight in enumerate(rates):
        share = math.prod(1 / (1 - other / weight) for j, other in enumerate(rates) if j != k)
        tails = [(x > 0, math.exp(-abs(x) / abs(2 * weight))) for x in (low, high)]
        if weight > 0:
            part = [1 - tail if right else 0.0 for right, tail in tails]
        else:
            part = [1.0 if right else tail for right, tail in tails]
        total += share * (part[1] - part[0])
    return total


@pytest.mark.parametrize(
    ("weights", "counts", "low", "high", "truth"),
    [
        ([0.5, -0.5], [2, 2], -1.0, 2.0, laplace(0.5, -1, 2)),
        ([0.5, -0.5], [2, 2], 0.0, INF, 0.5),
        ([1e200, -1e200], [2, 2], 0.0, 4e200, laplace(1, 0, 4)),
        ([1e-300, -1e-300], [2, 2], -1e-300, 4e-300, laplace(1, -1, 4)),
        ([1.0], [1], 1e-6, 4.0, chi2(1, 1, 1e-6, 4)),
        ([1.0], [1], 0.0, 1e-8, chi2(1, 1, 0, 1e-8)),
        ([-2.0], [1], -4.0, 7.0, float(stats.chi2(1).cdf(2))),
        ([2.0, 0.0], [3, 5], -INF, 7.0, chi2(2, 3, 0, 7)),
        ([1.0] * 5, [1] * 5, 1.0, 4.0, chi2(1, 5, 1, 4)),
        ([1.0], [40], 20.0, 45.0, chi2(1, 40, 20, 45)),
        # ends so near to 0 that the contour's middle is far out
        *(([1.0], [count], 0.0, end, chi2(1, count, 0, end)) for count in (1, 2, 50) for end in (1e-200, 1e-90, 1e-50)),
        ([1e308], [10**9], 0.0, 1.0, 0.0),
        ([1.0], [10**6], -INF, 1e6, float(stats.chi2(1e6).cdf(1e6))),
        ([3.0, 2.0, -1.0], [2, 2, 2], -1.0, 8.0, hypoexponential([3, 2, -1], -1, 8)),
        ([3.0, 2.0, -1.0, -0.01, 7.0], [2] * 5, 0.0, 1.0, hypoexponential([3, 2, -1, -0.01, 7], 0, 1)),
        ([1.0, 1.0, -1.0], [1, 1, 2], -INF, INF, 1.0),
    ],
)
def test_closed_forms(weights: list[float], counts: list[int], low: float, high: float, truth: float) -> None:
    found = probability(weights, counts, low, high)
    # the closed forms are in floating point, too: scipy's at a million degrees of freedom is good to 1e-12
    assert abs(found.value - truth) <= found.error + (2e-12 if counts[0] > 1e5 else 2e-15), (found, truth)
    assert found.error < law_quadrature.MISSED * 1e-13


@pytest.mark.parametrize("power", [-1074, -1040, -1023, -600, 600, 1020])
def test_a_law_in_other_units_is_the_same_law(power: int) -> None:
    """Down to the least float, whose inverse is none."""
    weights, counts, factors = [1.0, -1.0] + [2.0] * 20, [2, 3] + [1] * 20, np.array([[1.0, -1.0], [1.0, -2.0]])
    unit = math.ldexp(1.0, power)
    here = intervals(np.array(weights), counts, -1.0, 7.0, factors=factors)
    there = intervals(np.array(weights) * unit, counts, -unit, 7 * unit, factors=factors)
    assert np.array_equal(here.values, there.values) and here.methods == there.methods
    assert np.all((here.values > 0.01) & (here.errors < 1e-12))


def test_high_multiplicities_magnify_little() -> None:
    """Of many weights, by the series, as of one: what rounding does falls with the argument."""
    size, counts = 512, 100_000
    end = 1.0 * size * counts
    one, many = probability([1.0], [size * counts], -INF, end), probability([1.0] * size, [counts] * size, -INF, end)
    assert many.method == one.method and many.error < 20 * one.error
    assert abs(many.value - one.value) <= many.error + one.error


def test_a_wrong_value_is_told_from_a_right_one() -> None:
    found = probability([0.5, -0.5], [2, 2], -1, 2)
    wrong = laplace(0.5, -1, 2 + 1e-12)
    assert abs(found.value - wrong) > found.error


@pytest.mark.parametrize(
    ("weights", "counts", "low", "high", "truth"),
    [
        ([0.0, 0.0], [1, 7], 0.0, 1.0, 1.0),
        ([0.0], [1], -1.0, 0.0, 1.0),
        ([0.0], [1], 1e-300, 1.0, 0.0),
        ([1.0], [0], -1.0, 1.0, 1.0),
        ([], [], -1.0, 1.0, 1.0),
        ([1.0, 2.0], [1, 1], -5.0, 0.0, 0.0),
        ([1.0, 2.0], [1, 1], -5.0, -1.0, 0.0),
        ([-1.0], [1], 0.0, INF, 0.0),
        ([1.0, -1.0], [1, 1], 2.0, 2.0, 0.0),
    ],
)
def test_point_masses_and_ends_of_the_support_are_exact(
    weights: list[float], counts: list[int], low: float, high: float, truth: float
) -> None:
    found = probability(weights, counts, low, high)
    assert abs(found.value - truth) <= found.error <= 1e-13
    assert found.value == truth


def test_far_intervals_and_infinite_ends() -> None:
    assert probability([1.0, -2.0], [3, 4], 1e4, INF).value <= 1e-13
    assert probability([1.0, -2.0], [3, 4], -INF, 1e9).value == pytest.approx(1, abs=1e-13)
    both = probability([1.0, -2.0], [3, 4], -INF, -1.0), probability([1.0, -2.0], [3, 4], -1.0, INF)
    assert abs(both[0].value + both[1].value - 1) <= both[0].error + both[1].error


@pytest.mark.parametrize(("weights", "low", "high"), [((1.0, -0.6), -1.0, 2.0), ((1.5, 0.4), 0.5, 3.0)])
def test_direct_convolution(weights: tuple[float, float], low: float, high: float) -> None:
    one, two = weights
    law = stats.chi2(1)

    def inner(z: float) -> float:
        # chi^2_1 = z^2 without the density's pole at 0
        ends = sorted(((low - one * z * z) / two, (high - one * z * z) / two))
        return float(2 * stats.norm.pdf(z) * (law.cdf(ends[1]) - law.cdf(ends[0])))

    kinks = [math.sqrt(x / one) for x in (low, high) if x / one > 0]
    truth = integrate.quad(inner, 0, 9, points=kinks, epsabs=1e-12, epsrel=1e-12, limit=400)[0]
    found = probability(weights, [1, 1], low, high)
    assert found.value == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_package_gx2_agrees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, counts = rng.normal(size=6), rng.integers(1, 5, size=6)
    none = np.zeros(6)
    ends = [
        float(gx2.cdf(x, weights, counts, none, 0, 0, method="imhof", AbsTol=1e-11, RelTol=1e-9)) for x in (-1.0, 3.0)
    ]
    found = probability(weights, counts, -1.0, 3.0)
    assert found.value == pytest.approx(ends[1] - ends[0], abs=1e-8)


def test_sampling() -> None:
    rng = np.random.default_rng(5)
    weights, counts = np.array([1.0, -0.7, 0.1]), np.array([1, 2, 9])
    draws = rng.chisquare(counts, size=(400_000, 3)) @ weights
    hits = np.mean((draws >= -0.5) & (draws <= 1.5))
    found = probability(weights, counts, -0.5, 1.5).value
    # five standard deviations: a false alarm in one of two million seeds
    assert abs(hits - found) < 5 * math.sqrt(found * (1 - found) / 400_000)


def cases(rng: np.random.Generator) -> tuple[Array, Array]:
    size = int(rng.integers(1, 7))
    weights = rng.choice([-1, 1], size) * np.exp(rng.normal(size=size) * rng.choice([0.1, 1, 5]))
    return weights, rng.choice([1, 1, 1, 2, 3, 7, 20, 300, 100_000], size)


def test_both_rules_agree_within_their_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    met = set()
    for _ in range(40):
        weights, counts = cases(rng)
        spread = math.sqrt(2 * float(weights**2 @ counts))
        low, high = float(weights @ counts) + spread * np.sort(rng.normal(size=2))
        found = []
        for few in (0, 5000):
            monkeypatch.setattr(law_quadrature, "FEW", few)
            found.append(probability(weights, counts, low, high, 1e-10))
        met |= {one.method for one in found}
        assert abs(found[0].value - found[1].value) <= found[0].error + found[1].error, (weights, counts)
        assert max(one.error for one in found) < 1e-9
    assert met == {"line", "hyperbola"}


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-8, 1e-11])
def test_loose_tolerances_are_kept(tolerance: float) -> None:
    rng = np.random.default_rng(3)
    spent = []
    for _ in range(40):
        weights, counts = cases(rng)
        low = float(weights @ counts)
        fine, rough = (probability(weights, counts, low, low + 3.0, t) for t in (1e-13, tolerance))
        assert abs(fine.value - rough.value) <= fine.error + rough.error
        assert rough.error < 20 * tolerance
        spent.append(abs(fine.value - rough.value))
    # the bound is not vacuous: some of what it allows is spent
    assert max(spent) > 1e-4 * tolerance


def test_the_line_returns_exactly_the_wrapped_law() -> None:
    beta, counts = np.array([[0.3, -0.2]]), np.array([12.0, 9.0])
    period, low, high = 9.0, -1.0, 2.5
    value, rounding = law_quadrature._line(
        Transform.of(beta, counts), np.array([low]), np.array([high]), np.array([2 * math.pi / period]), 400
    )
    parts = [probability(beta[0], counts, low + k * period, high + k * period) for k in range(-12, 13)]
    assert abs(value[0] - sum(part.value for part in parts)) < 1e-11 + rounding[0]
    # and not the law itself: the mass that wraps is seen
    assert abs(value[0] - parts[12].value) > 1e-3


def test_chernoff_ends_hold_and_are_not_far_off() -> None:
    for counts, slip in ((1, 1e-6), (3, 1e-12), (500, 1e-9)):
        spread = math.sqrt(2 * counts)
        law = Transform.of(np.array([[1 / spread]]), np.array([float(counts)]))
        end = law_quadrature._quantile(law, slip)[0] * spread
        tail = float(stats.chi2(counts).sf(end))
        assert 1e-3 * slip < tail <= slip


def test_rows_are_those_of_single_laws() -> None:
    rng = np.random.default_rng(8)
    weights, counts = rng.normal(size=(7, 5)), [1, 2, 1, 4, 1]
    weights[2], weights[3] = 0.0, [1e-9, 0, 0, 0, 0]
    low, high = rng.normal(size=7) - 1, rng.normal(size=7) + 3
    rows = intervals(weights, counts, low, high)
    for k in range(7):
        one = probability(weights[k], counts, low[k], high[k])
        assert abs(rows.values[k] - one.value) <= rows.errors[k] + one.error
    assert rows.methods[2] == "point" and rows.values[2] == float(low[2] <= 0 <= high[2])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: probability([1.0], [1], 2, 1), "low <= high"),
        (lambda: probability([1.0], [1], math.nan, 1), "low = nan"),
        (lambda: probability([math.nan], [1], 0, 1), "weights = .nan"),
        (lambda: probability([1.0], [-1], 0, 1), "0 or more"),
        (lambda: probability([1.0], np.array([1.5]), 0, 1), "0 or more"),
        (lambda: probability([1.0], [1, 2], 0, 1), "one for each"),
        (lambda: probability([1.0], [1], 0, 1, 0.0), "tolerance"),
        (lambda: probability(np.ones((2, 2)), [1, 1], 0, 1), "shape"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


#: Heavy weights beside light ones: (weights, multiplicities, the upper end), where a wide contour bounds nothing.
UNEVEN = [
    ([1.9234, 1.19, -1.6366, 1.41e-7], [1, 1, 1, 1390], 2.46e-7),
    ([1.579, -0.524, -1.637, 1.768e-8], [1, 1, 1, 5204], 7.2e-12),
    ([-1.4374, 1.27e-8, 1.136e-8], [1, 71, 618], 1.1e-3),
    ([-1.63, 1.87, -2.9e-10, 2.5e-10], [1, 1, 14, 1176], 2.6e-5),
    ([-1.63, 1.87, -2.9e-10, 2.5e-10], [1, 1, 14, 900], 2.6e-5),
    ([-1.4374, 1.27e-8], [1, 100], 1.1e-3),
]


@pytest.mark.parametrize(("weights", "counts", "high"), UNEVEN)
def test_heavy_weights_beside_light_ones_are_enclosed(weights: list[float], counts: list[int], high: float) -> None:
    found = probability(weights, counts, 0.0, high)
    finer = certified.certified_probability(weights, counts, 0, high, 100)
    assert found.error < 1e-11
    assert abs(found.value - float(finer.mid())) <= found.error + float(finer.rad())


@pytest.mark.parametrize("bend", [0.1, 3.0, 40.0, 300.0])
def test_an_area_between_nodes_is_what_it_is(bend: float) -> None:
    """exp of a parabola whose top lies anywhere between two nodes, which a sum over the nodes does not see."""
    u, fine = 0.5 * np.arange(16), np.linspace(0.0, 7.5, 30_001)
    for top in np.linspace(2.0, 2.5, 11):
        truth = np.trapezoid(np.exp(-bend / 2 * (fine - top) ** 2), fine)
        area = float(law_quadrature._area(-bend / 2 * (u[None, :] - top) ** 2, 0.5)[0])
        assert 0.98 * truth <= area <= 10 * truth


def test_both_narrow_contours_and_balls_are_met() -> None:
    assert {probability(*row[:2], 0.0, row[2]).method for row in UNEVEN} == {"hyperbola", "ball"}


class Refused(Exception):
    """Raised where a ball is asked for that none should."""


def refused(*_: object) -> None:
    raise Refused


@pytest.mark.parametrize("lam", [1e-4, 1e-6, 1e-20])
def test_one_heavy_eigenvalue_beside_many_light_ones_takes_contours_alone(
    lam: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ball costs seconds for hundreds of weights, and the widest contour alone leaves errors at which it is tried."""
    spectrum = np.concatenate([[1.0], 1e-6 * np.random.default_rng(0).standard_normal(200)])
    monkeypatch.setattr(certified, "certified_probability", refused)
    found = rho(40, spectrum, lam=lam)
    assert set(found.methods) == {"hyperbola"} and max(found.errors) < 1e-10
    monkeypatch.setattr(law_quadrature, "OPENINGS", law_quadrature.OPENINGS[:1])
    monkeypatch.setattr(law_quadrature, "MANY", 1)
    with pytest.raises(Refused):
        rho(40, spectrum, lam=lam)


def test_no_ball_is_asked_for_what_rounding_alone_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digits that a float does not hold are no reason for an enclosure of every token."""
    monkeypatch.setattr(certified, "certified_probability", refused)
    found = rho(40, [1.0, 1e-7, -1e-7], [1, 10**12, 10**12], lam=1e-6)
    assert law_quadrature.MISSED * 1e-12 < max(found.errors) < 1e-8


def test_the_work_of_all_balls_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst rows are enclosed first; what is left when the work is spent keeps its value and its error."""
    weights, counts, high = UNEVEN[0]
    rows, ends = np.outer(np.linspace(1, 1.1, 30), weights), np.full(30, high)
    monkeypatch.setattr(law_quadrature, "OPENINGS", law_quadrature.OPENINGS[:1])
    monkeypatch.setattr(law_quadrature, "USELESS", 2.0)
    spent = []

    class Counted(certified.Work):
        def __init__(self) -> None:
            super().__init__(20_000)
            spent.append(self)

    monkeypatch.setattr(certified, "Work", Counted)
    found = law_quadrature.intervals(rows, counts, 0.0, ends)
    balls = np.array(found.methods) == "ball"
    # the last ball is as wide as the work left it
    assert 1 < np.sum(balls) < 30 and np.sort(found.errors[balls])[-2] < 1e-11 < np.min(found.errors[~balls])
    # one evaluation may begin while some is left
    (work,) = spent
    assert -1000 < work.left <= 0


def test_what_no_rule_bounds_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    none = certified.Work(0)
    monkeypatch.setattr(certified, "Work", lambda: none)
    monkeypatch.setattr(law_quadrature, "OPENINGS", law_quadrature.OPENINGS[:1])
    with pytest.raises(ArithmeticError, match="no rule bounds it"):
        probability(*UNEVEN[0][:2], 0.0, UNEVEN[0][2])


#: Weights over many sizes, most of them far below the largest, as of W with a falling spectrum.
FALLING = np.array([(-1) ** k / (k + 1.0) ** 2 for k in range(512)])


@pytest.mark.parametrize("place", [1, 20, 39])
def test_a_falling_spectrum_is_within_its_error_of_the_ball(place: int) -> None:
    found = rho(40, 10 * FALLING[:64])
    ball = certified.certified(40, place, [float(value) for value in 10 * FALLING[:64]])
    wrong = abs(found.values[place - 1] - float(ball.mid()))
    assert wrong <= found.errors[place - 1] + float(ball.rad()) < 1e-11


def test_rows_are_worked_out_some_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.outer(np.linspace(1, 2, 30), FALLING[:8])
    whole = law_quadrature.intervals(rows, np.ones(8), 0.0, 1.0)
    monkeypatch.setattr(law_quadrature, "HELD", law_quadrature.NODES * 7)
    parted = law_quadrature.intervals(rows, np.ones(8), 0.0, 1.0)
    assert np.all(np.abs(whole.values - parted.values) <= whole.errors + parted.errors)


@pytest.mark.parametrize(("weights", "counts"), [([1.0, -1e-9], [1, 10**9]), ([1.0, -1e-9], [2, 10**9])])
def test_multiplicities_of_billions_overflow_nothing(weights: list[float], counts: list[int]) -> None:
    # a warning is an error here
    assert 0 < probability(weights, counts, 0.0, 1.0).value < 1
