"""Interval arithmetic encloses: values at random points, wide means, and no bound over 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from montecarlo.statements import StatementSimulationError, enclosure
from montecarlo.statements.combine import combine
from montecarlo.statements.enclosure import Enclosure
from montecarlo.statements.environment import environment_of
from montecarlo.statements.values import value
from tests.montecarlo.statements.plain import (
    CASE,
    Plain,
    form,
    mat,
    minus,
    name,
    num,
    over,
    plus,
    power,
    relation,
    times,
    total,
    vec,
    x,
)
from tests.montecarlo.statements.test_values import FIXED

ONE, TWO = ["E", form("i", "j")], ["Var", form("i", "i")]
NAMES = ("E[(x[i].T*W*x[j])]", "Var[(x[i].T*W*x[i])]")
ENV = environment_of(CASE)


def holds(interval: tuple[float, float], expected: float) -> bool:
    """Whether a value lies inside, but for the rounding of the value itself."""
    slack = 2e-15 * (1 + abs(expected))
    return interval[0] - slack <= expected <= interval[1] + slack


def at(node: Plain, one: Sequence[float], two: Sequence[float]) -> tuple[float, float]:
    return combine(node, ENV, {NAMES[0]: (one[0], one[1]), NAMES[1]: (two[0], two[1])})


SIDES: dict[str, tuple[Plain, Any]] = {
    "sum": (plus(ONE, TWO), lambda e, v: e + v),
    "difference": (minus(ONE, TWO), lambda e, v: e - v),
    "product": (times(ONE, TWO, num("-1/3")), lambda e, v: -e * v / 3),
    "square": (power(ONE, 2), lambda e, v: e**2),
    "cube": (power(ONE, 3), lambda e, v: e**3),
    "inverse cube": (power(TWO, -3), lambda e, v: v**-3),
    "quotient": (over(ONE, TWO), lambda e, v: e / v),
    "root": (["sqrt", TWO], lambda e, v: math.sqrt(v)),
    "real power": (power(TWO, name("lam")), lambda e, v: v**1.75),
    "moment in the exponent": (power(TWO, ONE), lambda e, v: v**e),
    "exp": (["exp", ONE], lambda e, v: math.exp(e)),
    "log": (["log", TWO], lambda e, v: math.log(v)),
    "abs": (["abs", ONE], lambda e, v: abs(e)),
    "min": (["min", ONE, TWO, num("1/2")], lambda e, v: min(e, v, 0.5)),
    "max": (["max", ONE, TWO], lambda e, v: max(e, v)),
    "clip": (["clip", ONE, num("-1/2"), num(1)], lambda e, v: min(max(e, -0.5), 1)),
    "matrix": (["tr", times(ONE, mat("W"), mat("Sigma"))], lambda e, v: e * FIXED["trace"][1]),
    "norm": (["norm", times(ONE, mat("W")), "2"], lambda e, v: abs(e) * FIXED["spectral"][1]),
    "nuclear": (["norm", times(ONE, mat("W")), "nuclear"], lambda e, v: abs(e) * FIXED["nuclear"][1]),
}  # fmt: skip


@pytest.mark.parametrize("which", SIDES)
def test_a_side_is_enclosed_wherever_the_means_are(which: str) -> None:
    """Random intervals, 100 of them, each with its ends and 20 points inside; narrow ones give narrow sides."""
    node, exact = SIDES[which]
    random = np.random.default_rng(3)
    for _ in range(100):
        one, two = (np.sort(draw).tolist() for draw in (random.normal(size=2), random.uniform(0.1, 3, size=2)))
        low, high = at(node, one, two)
        assert math.isfinite(low) and math.isfinite(high)
        points = [(a, b) for a in one for b in two]
        points += list(zip(random.uniform(one[0], one[1], 20), random.uniform(two[0], two[1], 20), strict=True))
        assert all(holds((low, high), exact(a, b)) for a, b in points)
    low, high = at(node, (0.7, 0.7), (1.3, 1.3))
    assert holds((low, high), exact(0.7, 1.3)) and high - low < 1e-12 * max(1.0, abs(high))


def test_the_ends_are_those_of_the_means() -> None:
    assert at(minus(ONE, TWO), (1, 2), (3, 5)) == pytest.approx((-4, -1))
    assert at(power(ONE, 2), (-1, 2), (0, 0)) == pytest.approx((0, 4))
    assert at(over(ONE, TWO), (-1, 2), (2, 4)) == pytest.approx((-0.5, 1))


def test_over_0_there_is_no_bound() -> None:
    assert at(over(TWO, ONE), (-1, 1), (2, 3)) == (-math.inf, math.inf)
    assert at(power(ONE, -1), (0, 1), (2, 3))[1] == math.inf
    assert at(["log", ONE], (-1, 1), (2, 3)) == (-math.inf, math.inf)
    assert at(["sqrt", ONE], (-1, 1), (2, 3)) == (-math.inf, math.inf)
    assert at(power(ONE, "1/2"), (-1, 1), (2, 3)) == (-math.inf, math.inf)
    unbounded = at(plus(times(num(0), TWO), over(TWO, ONE)), (1, 2), (2, math.inf))
    assert unbounded[0] <= 1 and unbounded[1] == math.inf


def test_what_cannot_be_is_left_out() -> None:
    assert at(["sqrt", TWO], (0, 0), (-1, 4)) == pytest.approx((0, 2), abs=1e-12)
    corr = ["Corr", X, Y]
    names = {"Cov[x[1][1], x[2][1]]": (-9.0, 9.0), "Var[x[1][1]]": (1.0, 2.0), "Var[x[2][1]]": (1.0, 2.0)}
    assert combine(corr, ENV, names) == (-1.0, 1.0)
    assert combine(["P", relation(">", X, num(0))], ENV, {"P[x[1][1] > 0]": (-0.1, 0.4)}) == (0.0, 0.4)
    # what is averaged is never negative by its form
    square, product = power(["norm", x(1)], 2), times(X, Y)
    at_most_4 = {"E[(norm(x[1])**2)]": (-1.0, 4.0)}
    assert combine(["sqrt", ["E", square]], ENV, at_most_4) == pytest.approx((0, 2), abs=1e-12)
    assert combine(["sqrt", ["E", product]], ENV, {"E[(x[1][1]*x[2][1])]": (-1.0, 4.0)}) == (-math.inf, math.inf)
    # an interval that lies wholly elsewhere is no evidence for anything inside
    assert combine(["P", relation(">", X, num(0))], ENV, {"P[x[1][1] > 0]": (1.1, 1.2)}) == (1.1, 1.2)


X: Plain = ["entry", x(1), num(1)]
Y: Plain = ["entry", x(2), num(1)]


@pytest.mark.parametrize("which", FIXED)
def test_without_moments_it_is_the_value(which: str) -> None:
    node, expected = FIXED[which]
    low, high = combine(node, ENV)
    assert holds((low, high), expected)
    found = value(node, ENV)
    assert isinstance(found, float | int) and low <= found <= high
    assert high - low <= 1e-11 * max(1.0, abs(expected))


def test_integers_stay_exact() -> None:
    """So that i - 2 at i = 2 is 0, and a negative number has the power j - i."""
    assert combine(times(minus(name("j"), name("i")), plus(name("T"), num(-1))), ENV) == (8.0, 8.0)
    low, high = combine(power(name("a"), minus(name("j"), name("i"))), ENV)
    assert low <= 0.36 <= high and high - low < 1e-13
    assert combine(over(num(1), minus(name("i"), num(2))), ENV) == (-math.inf, math.inf)


def test_cancelling_terms_keep_their_rounding() -> None:
    """1e8 tr(W) - 1e8 tr(W) is 0: the interval holds it, and is no narrower than the rounding of its terms."""
    case = {**CASE, "W": [["1/3", "1/7"], ["0", "1/11"]]}
    trace = ["tr", mat("W")]
    big = times(num(10**8), minus(trace, plus(num("1/3"), num("1/11"))))
    low, high = combine(big, environment_of(case))
    assert low < 0 < high and high - low < 1e-6
    exact = (Fraction(1, 3) + Fraction(1, 11)) * 10**8
    low, high = combine(times(num(10**8), trace), environment_of(case))
    assert Fraction(low) <= exact <= Fraction(high)


def test_softmax_and_entropy_are_enclosed_to_50_digits() -> None:
    scores = [Fraction(1, 3), Fraction(-2), Fraction(1)]
    with mpmath.workdps(50):
        e = [mpmath.exp(mpmath.mpf(s.numerator) / s.denominator) for s in scores]
        p = [one / sum(e) for one in e]
        top, entropy = max(p), -sum(one * mpmath.log(one) for one in p)
        for node, exact in (
            (["max", ["softmax", ["family", "s"]]], top),
            (["entropy", ["softmax", ["family", "s"]]], entropy),
        ):
            low, high = combine(node, ENV)
            assert mpmath.mpf(low) <= exact <= mpmath.mpf(high)
            assert high - low < 1e-12


def test_functions_of_wide_vectors_enclose_points_inside() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        low = random.normal(size=4)
        high = low + random.exponential(0.5, size=4)
        wide = Enclosure("family", low, high)
        softmax = enclosure.softmax(wide)
        entropy = enclosure.entropy(softmax)
        norm = enclosure.norm(wide, "")
        square = enclosure.norm(Enclosure("matrix", low.reshape(2, 2), high.reshape(2, 2)), "2")
        nuclear = enclosure.norm(Enclosure("matrix", low.reshape(2, 2), high.reshape(2, 2)), "nuclear")
        for _ in range(10):
            s = random.uniform(low, high)
            p = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
            assert (softmax.low <= p).all() and (p <= softmax.high).all()
            assert entropy.low <= -(p * np.log(p)).sum() <= entropy.high
            assert norm.low <= np.linalg.norm(s) <= norm.high
            assert square.low <= np.linalg.norm(s.reshape(2, 2), 2) <= square.high
            assert nuclear.low <= np.linalg.norm(s.reshape(2, 2), "nuc") <= nuclear.high


def test_a_narrower_interval_is_seen_not_to_enclose(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of softmax above fails where the ends of an entry's own score are mixed up."""
    low, high = np.array([0.0, 0.0]), np.array([1.0, 0.0])
    right = enclosure.softmax(Enclosure("family", low, high))
    wrong = enclosure.softmax(Enclosure("family", high, low))
    p = np.exp([0.9, 0.0]) / np.exp([0.9, 0.0]).sum()
    assert (right.low <= p).all() and (p <= right.high).all()
    assert not ((wrong.low <= p).all() and (p <= wrong.high).all())


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (ONE, "no interval for E"),
        (vec("b"), "a side is a number"),
        (times(vec("b"), vec("m")), "multiplies"),
        (plus(mat("W"), num(1)), "different shapes"),
        (total(name("mu"), "k"), "no mu"),
    ],
)
def test_what_is_no_side_is_named(node: Plain, message: str) -> None:
    with pytest.raises(StatementSimulationError, match=message):
        combine(node, ENV, {})
