"""Proofs by exponents, logarithms of products, and products of factors; neighbours that are false are not proved."""

from __future__ import annotations

import pytest

from montecarlo.search_values import evaluate
from proofs_check.api import check
from theorems.statement import proposition
from theorems.statement.proofs.prover import proved
from theorems.statement.reading.language import parsed
from theorems.statement.values.cases import Case
from theorems.statement.values.values import value
from theorems.statement.work import Work


@pytest.mark.parametrize(
    ("statement", "hypotheses", "verdict"),
    [
        ("E[exp(u.T*x[1])] >= 1 + norm(u)**2/2", "u in R^d, Sigma = I", "verified"),
        ("E[exp(u.T*x[1])] >= 1 + norm(u)**2", "u in R^d, Sigma = I", "refuted"),
        ("E[cosh(u.T*x[1])] > 1", "u in R^d, Sigma = I, norm(u) > 0", "verified"),
        ("E[cos(u.T*x[1])] < 1", "u in R^d, Sigma = I, norm(u) > 0", "verified"),
        ("E[cos(u.T*x[1])] < 1/2", "u in R^d, Sigma = I, norm(u) > 0", "refuted"),
    ],
)
def test_inequalities_between_moments_with_closed_forms(statement: str, hypotheses: str, verdict: str) -> None:
    found = check(statement, hypotheses=hypotheses, effort="quick")
    assert found.verdict == verdict
    if verdict == "verified":
        assert found.report["symbolic"]["method"].split("; ", 1)[1]


@pytest.mark.parametrize(("text", "number"), [("prod(k, k, 1, 5)", 120), ("prod(k/2, k, 1, 0)", 1)])
def test_products_are_those_of_their_factors_on_both_sides(text: str, number: int) -> None:
    node = parsed(text)
    assert value(node, Case({})) == number == evaluate(node.plain(), {"numbers": {}})


@pytest.mark.parametrize(
    ("statement", "hypotheses", "holds"),
    [
        (
            "1/factorial(n)/(1 - w/(n + 1)) = (n + 1)/factorial(n)/(n + 1 - w)",
            "n integer, n >= 1, 0 < w, w < n + 1",
            True,
        ),
        ("exp(w)*factorial(n) >= (1 + w)*factorial(n)", "n integer, n >= 1, w real", True),
        ("exp(w)*factorial(n) >= (1 + 2*w)*factorial(n)", "n integer, n >= 1, w real", False),
        # a product that is not shown to be positive
        ("exp(w)*prod(k - a, k, 1, n) >= (1 + w)*prod(k - a, k, 1, n)", "n integer, n >= 1, w real, a real", False),
        ("exp(w)*prod(k - a, k, 1, n) >= (1 + w)*prod(k - a, k, 1, n)", "n integer, n >= 1, w real, a < 1", True),
        # two products that are not the same
        ("exp(w)*factorial(n) >= (1 + w)*factorial(n + 1)", "n integer, n >= 1, w real", False),
    ],
)
def test_products_that_both_sides_have_are_positive_numbers(statement: str, hypotheses: str, holds: bool) -> None:
    assert (proved(proposition(statement, hypotheses), Work(1000)) is not None) == holds
