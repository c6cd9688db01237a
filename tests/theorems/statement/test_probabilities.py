"""Probabilities of linear forms in Gaussian tokens: by the error function, where the variance is not 0."""

from __future__ import annotations

import pytest

from proofs_check.api import check
from theorems.statement.decide import Derivation, decide
from theorems.statement.proposition import proposition

DECIDED = {
    "P[x[1].T*u > 0] = 1/2": ("u in R^d, u != 0, Sigma = I", "iid", "proved"),
    "P[x[1].T*u >= 0] = 1/2": ("u in R^d, u != 0, Sigma positive definite", "iid", "proved"),
    "P[a > x[1].T*u] = (1 + erf(a/sqrt(2*u.T*u)))/2": ("u in R^d, u != 0, Sigma = I, a real", "iid", "proved"),
    "P[x[i].T*u > x[j].T*u] = 1/2": ("u in R^d, u != 0, Sigma = I, i < j", "walk", "proved"),
    "P[m.T*u < x[1].T*u] = 1/2": ("u in R^d, u != 0, Sigma = I", "walk(start=m)", "undecided"),
    # a variance that may be 0, or is 0
    "P[x[1].T*u > 0] = 2/4": ("u in R^d", "iid", "undecided"),
    "P[x[1].T*u > 0] = 3/6": ("u in R^d, u != 0", "iid", "undecided"),
    "P[x[i].T*u > x[j].T*u] = 2/4": ("u in R^d, u != 0, Sigma = I, i <= j", "walk", "undecided"),
    # other laws and numbers
    "P[x[1].T*u > 0] = 4/8": ("u in R^d, u != 0, Sigma = I", "iid(sphere)", "undecided"),
    "P[x[1].T*W*x[2] > 0] = 1/2": ("W != 0, Sigma = I", "iid", "undecided"),
    "P[exp(x[1].T*u) > 1] = 1/2": ("u in R^d, u != 0, Sigma = I", "iid", "undecided"),
}


@pytest.mark.parametrize("text", DECIDED)
def test_decided(text: str) -> None:
    hypotheses, law, status = DECIDED[text]
    prop = proposition(text, hypotheses, law=law)
    assert decide(prop, Derivation(prop)).status == status


def test_a_wrong_scale_is_refuted_by_both_sides() -> None:
    found = check(
        "P[x[1].T*u > a] = (1 - erf(a/norm(u)))/2", "u in R^d, u != 0, Sigma = I, a real", law="iid", effort="quick"
    )
    assert found.verdict == "refuted" and "erf" in str(found.correction)
    assert found.corrected is not None and found.corrected["verdict"] == "verified"
