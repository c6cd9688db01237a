"""Statements typeset in one line of Unicode."""

from __future__ import annotations

import re
from random import Random

import pytest
import sympy as sp

from theorems.statement.latex import statement_latex
from theorems.statement.proposition import proposition
from theorems.statement.prose import in_words
from theorems.statement.typeset import typeset

SHOWN = {
    ("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 - (i + j)/2", "W symmetric"): (
        "𝔼[(xᵢᵀ W xⱼ)²] = i² tr(W Σ)² - (i + j)/2"
    ),
    ("E[norm(x[T] - x[i])**2] = (T - i)*tr(Sigma)", "i <= T"): "𝔼[‖x_T - xᵢ‖²] = (T - i) tr(Σ)",
    ("max(softmax(s)) <= 1/2", "s in R^n"): "max(softmax(s)) ≤ 1/2",
    ("norm(W, 2) <= norm(W, nuclear)", ""): "‖W‖₂ ≤ ‖W‖_*",
    ("P[x[1].T*x[2] > 0] = 1/2", ""): "ℙ[x₁ᵀ x₂ > 0] = 1/2",
    ("P[0 <= normal(mu, v) <= 1] = P[normal(mu, v) > 1]", "mu in R, v > 0"): "ℙ[0 ≤ N(μ, v) ≤ 1] = ℙ[N(μ, v) ≥ 1]",
    ("E[norm(mean(x))**2] = sum(j, j, 1, T)*lam**(T/2)", "lam > 0"): "𝔼[‖x̄‖²] = (∑(j = 1 … T) j) λ^(T/2)",
    ("a/2*b <= 1/2*a/3", "a > 0, b > 0"): "a/2 · b ≤ 1/2 · a/3",
    ("largest(s[j], j, 1, n)**2 >= 0", "s in R^n"): "largest(s[j], j, 1, n)² ≥ 0",
    ("diff(u**2, u)*W[1, 2] = 0", "u real, d >= 2"): "diff(u**2, u) W[1, 2] = 0",
    ("indicator(0 <= u < 1)*P[normal(u, 1) > 2] <= 1", "u real"): "indicator(0 <= u < 1) ℙ[N(u, 1) ≥ 2] ≤ 1",
    ("eps*epsilon = 1", "eps > 0, epsilon > 0"): "eps ε = 1",
}
#: What would be taken for something else: a derivative, a maximum or a limit of a product, a sign after a sign.
LATEX = {
    ("diff(u**2, u)*u = 2", "u real"): r"\left(\frac{\partial}{\partial u} u^{2}\right) \, u = 2",
    ("largest(s[j], j, 1, n)**2 = 1", "s in R^n"): r"\left(\max_{1 \le j \le n} s_{j}\right)^{2} = 1",
    ("largest(s[j]**2, j, 1, n) = 1", "s in R^n"): r"\max_{1 \le j \le n} s_{j}^{2} = 1",
    ("u - (-v) = u + v", "u real, v real"): r"u -\left(-v\right) = u + v",
}
#: What the reading says of hypotheses.
WORDS = {
    ("n**2 >= n", "n integer, n >= -3"): "For every integer n >= -3:",
    ("max(s) >= 0", "s in R^n, s[j] >= 0, n >= 3"): "For every n >= 3 and s in R^n with s[j] >= 0 for every j:",
    ("E[x[i - 1].T*x[i]] = 0", ""): "For every d, covariance Sigma, position i (1 <= i) and i - 1 >= 1:",
    ("E[x[i - 1].T*x[i]] = 0", "i >= 2"): "For every d, covariance Sigma and i >= 2:",
    ("E[x[i + 1].T*x[T]] = 0", "i <= T"): "For every d, covariance Sigma, i <= T and i + 1 <= T:",
    ("E[x[i + 1].T*x[T]] = 0", "i < T"): "For every d, covariance Sigma and i < T:",
    ("E[x[T - 1].T*x[T]] = 0", ""): "For every d, covariance Sigma, length T and T - 1 >= 1:",
    ("E[x[T + 1].T*x[T]] = 0", ""): "For every d, covariance Sigma and length T:",
    ("u >= 0", "positive(u + t, t, 0, 1), u real"): "For every u with positive(u + t, t, 0, 1):",
    ("g[0] = 0", "g entire with coefficients >= 0, g[0] = 0"): "For every g0 = 0 and power series g(u)",
}


@pytest.mark.parametrize(("text", "hypotheses"), LATEX)
def test_latex_means_what_is_judged(text: str, hypotheses: str) -> None:
    assert statement_latex(proposition(text, hypotheses)) == LATEX[text, hypotheses]


@pytest.mark.parametrize(("text", "hypotheses"), WORDS)
def test_the_reading_says_every_hypothesis(text: str, hypotheses: str) -> None:
    assert in_words(proposition(text, hypotheses)).startswith(WORDS[text, hypotheses])


@pytest.mark.parametrize(
    ("text", "gloss"),
    [
        ("Kurt[norm(x[1])**2] <= 12", "Kurt is the excess kurtosis, 0 for a Gaussian number."),
        (
            "norm(W, 1) <= norm(W, oo)*d",
            "norm(W, 1) is the largest column sum of absolute entries. norm(W, oo) is the ",
        ),
        ("eig(W*Sigma)[1] >= 0", "Eigenvalues are numbered in rising order."),
    ],
)
def test_the_reading_says_which_convention_is_meant(text: str, gloss: str) -> None:
    assert f". {gloss}" in in_words(proposition(text, "W psd" if "W" in text else ""))


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
    line = line.split(" ≤ ")[0].replace("^", "**").replace(" · ", "*")
    line = re.sub("[⁰¹²³]", lambda found: f"**{'⁰¹²³'.index(found[0])}", line)
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
