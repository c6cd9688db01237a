"""What both sides say at a case, against values computed by hand and by linear algebra."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from proofs_check.claims.pairing import Pair, orders, scale_and_tolerance
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Numeric
from theorems.gaussian.process import Moment

UNIT: dict[str, Any] = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"}
PLANE: dict[str, Any] = {
    "d": 2,
    "W": [["1", "-1/2"], ["-1/2", "3"]],
    "Sigma": [["2", "1/2"], ["1/2", "1/4"]],
    "start": "sigma",
}


def trace_square() -> Fraction:
    """tr((W Sigma)^2) at PLANE."""
    W, S = ([[Fraction(v) for v in row] for row in PLANE[name]] for name in ("W", "Sigma"))
    M = [[sum((W[r][k] * S[k][c] for k in range(2)), Fraction(0)) for c in range(2)] for r in range(2)]
    return sum((M[r][c] * M[c][r] for r in range(2) for c in range(2)), Fraction(0))


def pair_of(claim: str) -> Pair:
    return Pair(by_id()[claim])


def test_an_exact_claim_at_a_case() -> None:
    """tr(W Sigma) = 2 - 1/4 - 1/4 + 3/4 = 9/4."""
    target = pair_of("bao2024.appA.eq15").target("moment", PLANE | {"i": 3})
    assert (target.derived, target.printed) == (sp.Rational(27, 4), sp.Rational(9, 2))
    assert (target.true, target.claimed, target.limit) == (sp.Rational(27, 4), sp.Rational(9, 2), False)


def test_the_print_says_nothing_about_another_start() -> None:
    target = pair_of("bao2024.appA.eq15").target("moment", UNIT | {"i": 3, "start": "zero"})
    assert target.derived == 2
    assert target.printed is None and target.claimed is None


def test_a_print_of_a_limit_is_the_printed_formula_and_nothing_else() -> None:
    """Mean (i/T - 1/2) tr1/lam + o(1): the o(1) is offset 1/T less tr1/(2 lam T), and is not added to the print."""
    pair = pair_of("bao2024.sec4.lemma1-mean")
    raw = UNIT | {"i": 3, "T": 4, "lam": "2"}
    target = pair.target("mean", raw)
    assert target.true is not None
    # i/(lam T) - (T + 1)/(2 lam T) + 1/T with i = 3, T = 4, lam = 2
    assert target.derived == sp.Rational(3, 8) - sp.Rational(5, 16) + sp.Rational(1, 4)
    assert target.limit and target.printed == target.claimed == target.true == sp.Rational(1, 8)
    assert target.printed != target.derived
    assert pair.exact(raw).scalars["theta"] == sp.Rational(3, 4)
    assert pair.stated(parse("(theta - 1/4)*tr1/lam"), "mean", raw) == sp.Rational(1, 4)
    # what o(1) covers is not the print's to say, in whatever form it comes
    for same in (
        "(theta - 1/2)*tr1/lam + 9/T",
        "(i + 5)*tr1/(lam*T) - tr1/(2*lam)",
        "(theta - 1/2)*tr1/lam - tr2/T**3",
        "theta*T*tr1/(lam*T + lam) - tr1/(2*lam)",
    ):
        assert pair.stated(parse(same), "mean", raw) == target.true
    # what grows is
    assert pair.stated(parse("(theta - 1/2)*tr1/lam + T*tr2"), "mean", raw) == target.true + 4


def test_lower_orders_of_a_print_up_to_a_power_are_left_to_the_remainder() -> None:
    """(B3) is stated up to o(T^3): what is of lower order in the print says nothing, but is printed."""
    claim = by_id()["bao2024.appC.lemma1-B3"]
    pair = Pair(claim)
    raw = UNIT | {"i": 3, "T": 5}
    target = pair.target("B3", raw)
    assert target.true is not None
    assert claim.remainder == "T**3"
    # T i^2 tr2 + i^3 (tr2 + tr1^2)
    assert target.printed == 5 * 9 + 2 * 27 == target.true == target.claimed
    shifted = "(T*(i + 1)**2 + (i + 1)**3)*tr2 + (i + 1)**3*tr1**2"
    assert pair.stated(parse(shifted), "B3", raw) == target.true
    literal = Pair(replace(claim, printed={"B3": shifted})).target("B3", raw)
    assert literal.printed == 5 * 16 + 2 * 64 and literal.claimed == target.true
    top = parse(f"{claim.printed['B3']} + T**3*tr1")
    assert pair.stated(top, "B3", raw) == target.true + 5**3


@pytest.mark.parametrize(
    ("formula", "least", "found"),
    [
        ("T**3*tr1/(2*T + 7)", 2, {2: "tr1/2"}),
        ("T**3*tr1/(2*T + 7)", 0, {2: "tr1/2", 1: "-7*tr1/4", 0: "49*tr1/8"}),
        ("(i + 1)**2", 0, {2: "theta**2", 1: "2*theta", 0: "1"}),
        ("1/(T + 1)", -2, {-1: "1", -2: "-1"}),
        ("sqrt(tr2)*T", 1, {1: "sqrt(tr2)"}),
        ("tr1", 1, {}),
        ("tr1", 0, {0: "tr1"}),
        ("0", 0, {}),
    ],
)
def test_a_formula_in_powers_of_the_length(formula: str, least: int, found: dict[int, str]) -> None:
    terms = orders(parse(formula), (("i", "theta*T"),), least)
    assert terms is not None and set(terms) == set(found)
    assert all(sp.expand(terms[p] - parse(text)) == 0 for p, text in found.items())


def test_a_formula_without_powers_of_the_length_has_no_such_form() -> None:
    assert orders(parse("log(T)"), (), 0) is None
    pair = pair_of("bao2024.sec4.lemma1-mean")
    assert pair.stated(parse("log(T)"), "mean", UNIT | {"i": 3, "T": 4, "lam": "2"}) is sp.nan


def test_a_formula_in_the_place_of_an_exact_print_is_taken_as_it_is() -> None:
    pair = pair_of("bao2024.appA.eq15")
    assert pair.stated(parse("i**2*tr1 + tr2/i"), "moment", PLANE | {"i": 3}) == sp.Rational(81, 4) + sp.Rational(
        trace_square() / 3
    )


def test_a_given_theta_is_kept() -> None:
    pair = pair_of("bao2024.sec4.lemma1-mean")
    assert pair.exact(UNIT | {"i": 3, "T": 8, "lam": "1", "theta": "1/3"}).scalars["theta"] == sp.Rational(1, 3)


def test_the_quantities_that_a_print_refers_to_are_compared_too() -> None:
    pair = pair_of("bao2024.sec2.remark2-selector")
    assert pair.names == ("variance", "mean", "selector_variance", "selector_mean")
    assert set(pair.formulas) == {"variance", "mean"}
    # the definition put in is the limit of the derived one
    assert sp.expand(pair.formulas["mean"] - parse("theta*tr1/lam")) == 0
    raw = UNIT | {"i": 4, "T": 8, "lam": "1"}
    assert pair.target("selector_variance", raw).printed is None
    assert pair.target("variance", raw).printed is not None


def test_a_correction_uses_its_claim_and_another_route() -> None:
    correction = by_id()["bao2024.appA.eq15"].corrected({"moment": "i*tr1"})
    pair = Pair(correction, second_route=True)
    assert pair.source == "bao2024.appA.eq15"
    assert "wick" in {step.rule for step in pair.derived().steps}
    assert {step.rule for step in pair_of("bao2024.appA.eq15").derived().steps} == {"isserlis"}
    assert pair.target("moment", UNIT | {"i": 3}).printed == 3


def cumulants(matrix: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """Mean, variance and fourth central moment of z^T M z for standard normal z."""
    m = (matrix + matrix.T) / 2
    second = 2 * np.trace(m @ m)
    return float(np.trace(m)), float(second), float(3 * second**2 + 48 * np.trace(m @ m @ m @ m))


def steps_to(token: int, length: int, d: int) -> np.ndarray[Any, Any]:
    """x_token = A z with Sigma = I: ones over the first increments, (d, T d)."""
    return np.kron((np.arange(1, length + 1) <= token)[None, :].astype(float), np.eye(d))


def test_the_planned_variance_of_a_mean_is_that_of_the_numbers() -> None:
    pair = pair_of("bao2024.appA.eq15")
    raw: dict[str, Any] = {"d": 2, "W": PLANE["W"], "Sigma": [["1", "0"], ["0", "1"]], "start": "sigma", "i": 3}
    moment, mean, variance = pair.statistic("moment", raw)
    W = np.array([[1, -0.5], [-0.5, 3]])
    x = steps_to(3, 3, 2)
    wanted_mean, wanted_variance, _ = cumulants(x.T @ W @ x)
    assert isinstance(moment, Moment) and moment.kind == "mean"
    assert [mean, variance] == pytest.approx([wanted_mean, wanted_variance])


@pytest.mark.parametrize(("i", "T"), [(1, 2), (2, 5), (5, 5)])
def test_the_planned_variance_of_a_variance_is_that_of_half_squared_differences(i: int, T: int) -> None:
    """(mu_4 + sigma^4)/2, for the score of Lemma 1 as a quadratic form in the increments."""
    pair = pair_of("bao2024.sec4.lemma1-variance")
    unit = [["1", "0"], ["0", "1"]]
    raw = {"d": 2, "W": PLANE["W"], "Sigma": unit, "start": "sigma", "i": i, "T": T, "lam": "2"}
    moment, mean, variance = pair.statistic("variance", raw)
    weights = np.full(T, -1 / T**2)
    weights[i - 1] += 1 / T
    left = sum(w * steps_to(a, T, 2) for a, w in enumerate(weights, 1))
    W = np.array([[1, -0.5], [-0.5, 3]])
    _, spread, fourth = cumulants(left.T @ W @ steps_to(T, T, 2) / 2)
    assert isinstance(moment, Moment) and moment.kind == "variance"
    assert mean == pytest.approx(spread, rel=1e-10)
    assert variance == pytest.approx((fourth + spread**2) / 2, rel=1e-9)


def test_a_variance_is_planned_once_for_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    def statistic(self: Numeric, moment: Moment) -> tuple[float, float]:
        asked.append(self.length)
        return 0.0, float(len(asked))

    monkeypatch.setattr(Numeric, "statistic", statistic)
    pair = pair_of("bao2024.sec4.lemma1-variance")
    raw = UNIT | {"i": 2, "T": 3, "lam": "1"}
    # neither the order of its entries nor another object makes it another case
    assert pair.statistic("variance", raw)[2] == pair.statistic("variance", dict(reversed(raw.items())))[2] == 1
    assert pair.statistic("variance", raw | {"T": 4})[2] == 2 and asked == [3, 4]
    assert pair_of("bao2024.sec4.lemma1-variance").statistic("variance", raw)[2] == 3


def test_the_scale_of_an_error() -> None:
    """1% of max(|mean|, standard deviation) for a mean of degree 2, 2% of the value for a fourth-order one."""
    two, *_ = pair_of("bao2024.appA.eq15").statistic("moment", UNIT | {"i": 2})
    assert list(scale_and_tolerance(two, 3.0, 4.0, 1.0)) == pytest.approx([3.0, 0.03])
    assert list(scale_and_tolerance(two, -1.0, 4.0, 1.0)) == pytest.approx([2.0, 0.02])
    four, *_ = pair_of("bao2024.appA.eq16").statistic("moment", UNIT | {"i": 2})
    assert list(scale_and_tolerance(four, -3.0, 400.0, 1.0)) == pytest.approx([3.0, 0.06])
    spread, *_ = pair_of("bao2024.sec4.lemma1-variance").statistic("variance", UNIT | {"i": 2, "T": 3, "lam": "1"})
    assert list(scale_and_tolerance(spread, 3.0, 400.0, 4.0)) == pytest.approx([3.0, 0.24])


def test_a_claim_without_moments_has_no_sample_size() -> None:
    with pytest.raises(TypeError, match="diagonal is no moment"):
        pair_of("bao2024.sec2.softmax-taylor").statistic("diagonal", {"T": 3, "i": 1})
