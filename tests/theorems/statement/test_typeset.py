"""Statements typeset in one line of Unicode."""

from __future__ import annotations

import pytest

from theorems.statement.proposition import proposition
from theorems.statement.typeset import typeset

SHOWN = {
    ("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 - (i + j)/2", "W symmetric"): (
        "𝔼[(xᵢᵀ W xⱼ)²] = i² tr(W Σ)² - (i + j)/2"
    ),
    ("E[norm(x[T] - x[i])**2] = (T - i)*tr(Sigma)", "i <= T"): "𝔼[‖x_T - xᵢ‖²] = (T - i) tr(Σ)",
    ("max(softmax(s)) <= 1/2", "s in R^n"): "max(softmax(s)) ≤ 1/2",
    ("norm(W, 2) <= norm(W, nuclear)", ""): "‖W‖₂ ≤ ‖W‖_*",
    ("P[x[1].T*x[2] > 0] = 1/2", ""): "ℙ[x₁ᵀ x₂ > 0] = 1/2",
    ("E[norm(mean(x))**2] = sum(j, j, 1, T)*lam**(T/2)", "lam > 0"): "𝔼[‖x̄‖²] = (∑(j = 1 … T) j) λ^(T/2)",
}


@pytest.mark.parametrize(("text", "hypotheses"), SHOWN)
def test_a_statement_is_typeset(text: str, hypotheses: str) -> None:
    assert typeset(proposition(text, hypotheses)) == SHOWN[text, hypotheses]


def test_a_limit_and_an_error_term_are_shown_with_what_tends() -> None:
    told = typeset(proposition("E[norm(x[1] + lam*x[2])**2] = o(1)", limit="lam -> 0"))
    assert told == "𝔼[‖x₁ + λ x₂‖²] = o(1)   (λ → 0)"
    told = typeset(proposition("E[x[i].T*x[T]]/T -> theta*tr(Sigma)", limit="T -> oo, i/T -> theta"))
    assert told == "𝔼[xᵢᵀ x_T]/T → θ tr(Σ)   (T → ∞, i/T → θ)"
