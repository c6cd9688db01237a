"""Statements typeset in one line of Unicode."""

from __future__ import annotations

import re
from random import Random

import pytest
import sympy as sp

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


def written(random: Random, depth: int) -> str:
    """A formula of names, numbers, sums, differences, products, quotients and squares."""
    if depth == 0:
        return random.choice(["a", "b", "c", "2", "3", "1/2", "-1"])
    one, two = written(random, depth - 1), written(random, random.randrange(depth))
    return random.choice(["({}) + ({})", "({}) - ({})", "({})*({})", "({})/({})", "-({})", "({})**2"]).format(one, two)


def read_back(line: str) -> sp.Expr:
    """One line of Unicode as what a reader takes it for."""
    line = re.sub("[⁰¹²³]", lambda found: f"**{'⁰¹²³'.index(found[0])}", line.split(" ≤ ")[0].replace("^", "**"))
    return sp.sympify(re.sub(r"(?<=[\w)]) (?=[\w(])", "*", line))


def test_a_leading_minus_takes_no_parentheses() -> None:
    assert str(proposition("exp(-a*b) - 2*a <= 7", "a > 0, b > 0").left) == "exp(-a*b) - 2*a"


@pytest.mark.parametrize("seed", range(8))
def test_what_is_typeset_reads_as_what_was_stated(seed: int) -> None:
    random, seen = Random(seed), 0
    at = {"a": sp.Rational(3, 7), "b": sp.Rational(5, 3), "c": sp.Rational(11, 13)}
    while seen < 25:
        text = written(random, 1 + random.randrange(4))
        names = [name for name in at if name in text]
        value = sp.sympify(text).subs(at)
        if not value.is_Rational or not names:
            continue
        prop = proposition(f"{text} <= 7", ", ".join(f"{name} > 0" for name in names))
        assert read_back(typeset(prop)).subs(at) == value, (text, typeset(prop))
        assert sp.sympify(str(prop.left)).subs(at) == value, (text, str(prop.left))
        seen += 1
