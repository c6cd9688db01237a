"""Statements of numbers beyond floats, of whole numbers that are none, and of products of too many factors."""

from __future__ import annotations

import pytest

from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from proofs_check.statements.timing import time_limit

SQUARE, VECTOR = "M in R^(n x n)", "s in R^n"
STATEMENTS = [
    # beyond floats, as they stand, in a coefficient and in a tower
    ("norm(M, fro) < 1e300*1e300", SQUARE),
    ("norm(s, 2)*1e300*1e300 >= log(1/10)", VECTOR),
    ("1e300*1e300*M = M", SQUARE),
    ("tr(M**2) <= clip((1e300)**n, -1, n)", SQUARE),
    ("exp(-exp(exp(exp(exp(10))))) > 0", ""),
    ("abs(factorial(100)) >= min(mean(s), 1e-300 + 1)", VECTOR),
    # of tokens: the sampled number, a side, both sides of a comparison
    ("E[1e200*1e200*x[i].T*W*x[i]] = 1e200*1e200*i*tr(W*Sigma)", ""),
    ("Var[x[i].T*W*x[i]] <= 1e300*1e300*i", ""),
    ("Kurt[1e200*x[i].T*W*x[i]] >= 0", ""),
    ("P[1e300*1e300*x[1].T*x[1] > 1] = 1", "Sigma = I"),
    ("P[1e300*1e300*x[1].T*u > 0] = 1/2", "u in R^d, u != 0, Sigma = I"),
    # what only one of the interpreters has a value of
    ("gamma(mean(s)) <= tr(M)", f"{SQUARE}, {VECTOR}"),
    # no whole numbers where such are expected
    ("factorial(log(a - 2)) >= 0", "a > 0"),
    ("factorial(tanh(10**60)) <= 10**20", ""),
    ("s[factorial(log(a - 2))] <= 1", f"{VECTOR}, a > 0"),
    ("M**k = M", f"{SQUARE}, k real"),
    # more factors than are written out
    ("factorial(sum(10**19, j, 2, k)) = gamma(pi)", ""),
    ("prod(j + 10**12, j, 1, n) = gamma(n)", "n integer, n >= 1"),
    ("prod(j, j, 1, n + 10**12) = gamma(n)", "n integer, n >= 1"),
    ("binomial(10**12, 10**6) > 1", ""),
    ("binomial(n, 10**7) = 1", "n integer, n >= 1"),
]


@pytest.mark.parametrize(("text", "hypotheses"), STATEMENTS)
def test_it_is_judged_or_left_undecided_in_time(text: str, hypotheses: str) -> None:
    with time_limit(20):
        reports = check_statement(Request(text, hypotheses), "quick")
    for report in reports:
        assert report["verdict"] in ("verified", "refuted", "undecided"), report["reason"]
        assert "stopped after" not in report["reason"]
        assert "nan" not in (report["simulation"]["power"] or "")
        assert "the simulation contradicts" not in report["reason"]


def test_cases_without_a_value_agree_with_nothing() -> None:
    (report,) = check_statement(Request("s[k] <= 1", "s in R^n, k >= n + 1, k <= n + 5"), "quick")
    assert report["simulation"]["status"] == "underpowered"
    assert "none of 430 tries had a value on both sides" in str(report["simulation"]["power"])
