"""Inequalities between moments by Jensen's and Markov's inequalities; next to every true one false ones like it."""

from __future__ import annotations

import pytest

from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.proofs.moment_bounds import _never_negative

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


@pytest.mark.parametrize(("text", "hypotheses", "law"), PROVED)
def test_proved(text: str, hypotheses: str, law: str) -> None:
    prop = proposition(text, hypotheses, law=law)
    found = decide(prop, Derivation(prop))
    assert found.status == "proved" and all(part.proof for part in found.parts)


def test_a_token_under_an_index_is_another_one_for_each_of_its_values() -> None:
    signs = {"sum(a[k]*norm(x[k])**2, k, 1, T)*sum(a[k], k, 1, T)": False, "sum(k*norm(x[k])**2, k, 1, T)/T": True}
    for text, sign in signs.items():
        prop = proposition(f"E[{text}] >= a[1] - a[1]", "a in R^T", law="iid")
        assert _never_negative(prop.left.args[0], prop) is sign
