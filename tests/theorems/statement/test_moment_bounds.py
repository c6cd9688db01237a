"""Inequalities between moments by Jensen's and Markov's inequalities; next to every true one false ones like it."""

from __future__ import annotations

import pytest

from proofs_check.api import check
from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide

U = "u in R^d, a > 0"
PROVED = [
    ("E[norm(x[1])] <= sqrt(d)", "Sigma = I", "walk"),
    ("E[norm(x[1])]**2 <= d", "Sigma = I", "walk"),
    ("E[norm(x[1])]/sqrt(d) <= 1", "Sigma = I", "walk"),
    ("-E[norm(x[1])] >= -sqrt(d)", "Sigma = I", "walk"),
    ("E[norm(x[i])] <= sqrt(i*tr(Sigma))", "", "walk"),
    ("E[norm(x[i] - x[j])] <= sqrt((j - i)*tr(Sigma))", "i <= j", "walk"),
    ("E[norm(mean(x))] <= sqrt(tr(Sigma)/T)", "", "iid"),
    ("E[norm(x[1])**3] >= d**(3/2)", "Sigma = I", "walk"),
    ("E[norm(x[1])] >= 0", "", "walk"),
    ("E[abs(x[1].T*W*x[2])] <= sqrt(tr(W*Sigma*W.T*Sigma))", "", "iid"),
    ("E[abs(x[1].T*W*x[1])] >= abs(tr(W*Sigma))", "", "walk"),
    ("P[norm(x[1])**2 > a] <= d/a", "Sigma = I, a > 0", "walk"),
    ("P[norm(x[1]) > a] <= d/a**2", "Sigma = I, a > 0", "walk"),
    ("P[x[1].T*W*x[1] > a] <= tr(W*Sigma)/a", "W psd, a > 0", "walk"),
    ("P[abs(x[i].T*u) > a] <= i*u.T*Sigma*u/a**2", U, "walk"),
    ("P[abs(x[1].T*x[2]) >= a] <= tr(Sigma**2)/a**2", "a > 0", "iid(signs)"),
]
NOT_PROVED = [
    ("E[norm(x[1])] < sqrt(d)*997/1000", "Sigma = I", "walk"),
    ("E[norm(x[1])] >= sqrt(d)", "Sigma = I", "walk"),
    ("-E[norm(x[1])] <= -sqrt(d)", "Sigma = I", "walk"),
    ("1/E[norm(x[1])] <= 1/sqrt(d)", "Sigma = I", "walk"),
    ("(E[norm(x[1])] - 2*sqrt(d))**2 <= d", "Sigma = I", "walk"),
    ("E[norm(x[i])] <= sqrt(tr(Sigma))", "", "walk"),
    # in one order the root is not real
    ("E[norm(x[i] - x[j])] <= sqrt((j - i)*tr(Sigma))", "", "walk"),
    ("E[norm(x[1])**3] <= d**(3/2)", "Sigma = I", "walk"),
    ("E[norm(x[1])**3] >= 1003*d**(3/2)/1000", "Sigma = I", "walk"),
    ("E[norm(x[1])] > 0", "", "walk"),
    ("E[abs(x[1].T*W*x[1])] <= abs(tr(W*Sigma))", "", "walk"),
    ("E[abs(x[1].T*W*x[1])] <= sqrt(tr(W*Sigma*W.T*Sigma))", "", "walk"),
    # Markov's inequality is for numbers that are never negative, and for a > 0
    ("P[x[1].T*W*x[1] > a] <= tr(W*Sigma)/a", "W symmetric, a > 0", "walk"),
    ("P[norm(x[1])**2 > a] <= d/a", "Sigma = I, a real, a != 0", "walk"),
    ("P[norm(x[1])**2 < a] <= d/a", "Sigma = I, a > 0", "walk"),
    ("P[norm(x[1])**2 > a] >= d/a", "Sigma = I, a > 0", "walk"),
    ("P[norm(x[1])**2 > a] <= 997*d/(1000*a)", "Sigma = I, a > 0", "walk"),
    ("P[abs(x[i].T*u) > a] <= u.T*Sigma*u/a**2", U, "walk"),
    ("P[norm(x[1])**4 > a] <= E[norm(x[1])**4]/a", "nu > 2, a > 0", "iid(student(nu))"),
]


@pytest.mark.parametrize(("text", "hypotheses", "law"), PROVED)
def test_proved(text: str, hypotheses: str, law: str) -> None:
    prop = proposition(text, hypotheses, law=law)
    found = decide(prop, Derivation(prop))
    assert found.status == "proved" and all(part.proof for part in found.parts)


@pytest.mark.parametrize(("text", "hypotheses", "law"), NOT_PROVED)
def test_what_is_false_is_not_proved(text: str, hypotheses: str, law: str) -> None:
    prop = proposition(text, hypotheses, law=law)
    assert decide(prop, Derivation(prop)).status != "proved"


@pytest.mark.parametrize(
    ("text", "hypotheses", "verdict"),
    [
        # at Sigma = 0 the root of what is 0 up to rounding has a value
        ("E[norm(x[1])] <= sqrt(tr(Sigma))", "", "verified"),
        ("P[abs(x[i].T*u) > a] <= i*u.T*Sigma*u/a**2", U, "verified"),
        ("P[abs(x[i].T*u) > a] <= u.T*Sigma*u/a**2", U, "refuted"),
    ],
)
def test_judged_by_both_sides(text: str, hypotheses: str, verdict: str) -> None:
    assert check(text, hypotheses, effort="quick").verdict == verdict
