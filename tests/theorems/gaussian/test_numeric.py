"""Cases: exact values of words; and the moments in floating point that sample sizes are planned from."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import pytest

from tests.theorems.bruteforce import Rows, number, rows, walk, words
from theorems.algebra.expressions import parse
from theorems.gaussian.numeric import Case, Numeric
from theorems.gaussian.observables import Observable, W
from theorems.gaussian.process import Moment, Position, process, random_walk
from theorems.gaussian.words import Letter, chain
from theorems.kernel.deriving import derive

RAW: dict[str, Any] = {
    "d": 2,
    "T": 4,
    "i": 2,
    "j": 3,
    "W": [["1", "-1/2"], ["-1/2", "3"]],
    "Sigma": [["1", "1/4"], ["1/4", "1/4"]],
    "start": "sigma",
    "m": ["1", "2"],
    "a": ["1/3", "-1"],
    "lam": "3/2",
    "theta": "1/4",
}
MATRIX, SIGMA = rows(*RAW["W"]), rows(*RAW["Sigma"])
M, A = [Fraction(1), Fraction(2)], [Fraction(1, 3), Fraction(-1)]


def test_values_of_a_case_are_exact() -> None:
    case = Case(RAW)
    letter = Letter("W")
    for left, letters, right in (("m", 1, "m"), ("m", 2, "m"), ("a", 1, "m"), ("a", 2, "m")):
        chain(left, (letter,) * letters, right)
    chain("a", (Letter(""),), "m")
    for name, value in words(MATRIX, SIGMA, M, A).items():
        # W is symmetric here
        if "Wt" not in name:
            assert case.value(name) == value, name
    assert case.value("lam") == Fraction(3, 2)
    assert case.value("tr3") == words(MATRIX, SIGMA)["tr1"] ** 3 - 3 * _determinant() * words(MATRIX, SIGMA)["tr1"]
    assert case.evaluate(parse("(i - 1)*tr1/lam")) == parse(str(words(MATRIX, SIGMA)["tr1"] / Fraction(3, 2)))
    assert Case({"Sigma": [["1", "0"], ["0", "1"]]}).value("d") == 2
    with pytest.raises(KeyError, match="nonsense"):
        case.value("nonsense")


def _determinant() -> Fraction:
    """det(W Sigma), for tr(A^3) = tr(A)^3 - 3 det(A) tr(A) in two dimensions."""

    def det(m: Rows) -> Fraction:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]

    return det(MATRIX) * det(SIGMA)


@pytest.mark.parametrize("start", ["sigma", "zero", "mean"])
@pytest.mark.parametrize("claim", ["bao2024.appC.lemma1-B2", "bao2024.appC.lemma1-C2", "bao2024.appA.eq18"])
def test_moments_agree_with_the_exact_ones(claim: str, start: str) -> None:
    names = ("i", "j") if claim.endswith("eq18") else ("i", "T") if claim.endswith("B2") else ("T",)
    derived = derive(claim, names, start)
    (moment,) = derived.quantities.values()
    assert isinstance(moment, Moment)
    case = Case(RAW)
    mean, variance = Numeric(case, moment.process).statistic(moment)
    assert mean == pytest.approx(float(case.evaluate(moment.ratio.expr)), rel=1e-12)
    assert variance > 0


def test_no_array_holds_two_positions_beside_the_tokens() -> None:
    """Two sums over 300 tokens: a table of pairs has 0.7 MB, one of pairs beside the tokens 216."""
    (moment,) = derive("bao2024.appC.lemma1-C2", ("T",), "sigma").quantities.values()
    assert isinstance(moment, Moment)
    numeric = Numeric(Case({**RAW, "T": 300}), moment.process)
    tracemalloc.start()
    try:
        numeric.statistic(moment)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize("start", ["sigma", "zero", "mean"])
def test_variance_of_a_mean_s_statistic(start: str) -> None:
    """E[f^2] - E[f]^2 for f = x_i^T W x_T, by coordinates."""
    source = random_walk("i", "T", start=start)
    form = source.form(Position("i"), W, Position("T"))
    mean, variance = Numeric(Case(RAW), source).statistic(source.expect(form))
    triple = (2, MATRIX, 4)
    family = walk(start, SIGMA, M)
    assert mean == pytest.approx(float(family.forms(triple)), rel=1e-12)
    assert variance == pytest.approx(float(family.forms(triple, triple) - family.forms(triple) ** 2), rel=1e-12)


@pytest.mark.parametrize("start", ["sigma", "zero", "mean"])
def test_variance_of_a_variance_s_statistic(start: str) -> None:
    """Var[(f - f')^2/2] for independent f, f' is (mu_4 + sigma^4)/2, mu_4 from eight-factor moments by coordinates."""
    source = random_walk("i", "T", start=start)
    form = source.form(Position("i"), W, Position("T"))
    spread, variance = Numeric(Case(RAW), source).statistic(source.variance(form))
    triple, family = (2, MATRIX, 4), walk(start, SIGMA, M)
    raw = [family.forms(*(triple,) * k) for k in range(5)]
    second = raw[2] - raw[1] ** 2
    fourth = raw[4] - 4 * raw[1] * raw[3] + 6 * raw[1] ** 2 * raw[2] - 3 * raw[1] ** 4
    assert spread == pytest.approx(float(second), rel=1e-12)
    assert variance == pytest.approx(float((fourth + second**2) / 2), rel=1e-11)


@pytest.mark.parametrize("start", ["sigma", "mean"])
def test_variance_of_a_covariance_s_statistic(start: str) -> None:
    """Var[(f - f')(g - g')/2] over two walks, expanded into moments of each by coordinates."""
    source = random_walk("i", "T", start=start)
    i, T = Position("i"), Position("T")
    covariance = source.cov(source.form(i, W, T), source.form(T, W, T))
    found, variance = Numeric(Case(RAW), source).statistic(covariance)
    family, f, g = walk(start, SIGMA, M), (2, MATRIX, 4), (4, MATRIX, 4)

    def e(p: int, q: int) -> Fraction:
        return family.forms(*(f,) * p, *(g,) * q)

    cross = e(1, 1) - e(1, 0) * e(0, 1)
    assert found == pytest.approx(float(cross), rel=1e-12)
    assert found == pytest.approx(float(Case(RAW).evaluate(covariance.ratio.expr)), rel=1e-12)
    assert e(1, 0) != e(0, 1)
    # E[(f - f')^2 (g - g')^2]/4 by multiplying out; primes are independent copies
    square = Fraction(0)
    for p, wp in ((0, 1), (1, -2), (2, 1)):
        for q, wq in ((0, 1), (1, -2), (2, 1)):
            square += wp * wq * e(2 - p, 2 - q) * e(p, q)
    assert variance == pytest.approx(float(square / 4 - cross**2), rel=1e-11)


def test_one_gaussian_vector() -> None:
    source = process("one", ["x"])
    form = source.form(Position("x"), W, Position("x"))
    found = Numeric(Case({k: v for k, v in RAW.items() if k not in ("T", "i", "j")}), source).moment(form**2)
    table: dict[str, Any] = dict(words(MATRIX, SIGMA, M))
    assert found == pytest.approx(float(number(source.expect(form**2).ratio.expr, table)), rel=1e-12)


def test_a_value_without_an_observable_has_no_sample_size() -> None:
    source = random_walk("i", "T")
    moment = source.expect(source.form(Position("i"), W, Position("T")))
    with pytest.raises(ValueError, match="sample sizes need one"):
        Numeric(Case(RAW), source).statistic(moment * moment)
    assert Numeric(Case(RAW), source).moment(Observable.of(7)) == 7


def test_a_constant_hides_no_variance() -> None:
    """The 1/T of a softmax beside a form of the size 1e-6."""
    small = [["1/1000" if r == c else "0" for c in range(3)] for r in range(3)]
    case = {"d": 3, "W": small, "Sigma": small, "i": 1, "T": 2, "lam": "1", "theta": "1/2", "start": "sigma"}
    (moment,) = derive("bao2024.sec4.lemma1-variance", ("i", "T")).quantities.values()
    assert isinstance(moment, Moment)
    mean, variance = Numeric(Case(case), moment.process).statistic(moment)
    assert mean == pytest.approx(float(Case(case).evaluate(moment.ratio.expr)), rel=1e-9)
    # half of a fourth moment and a squared second one, which is the lesser
    assert variance >= mean**2
