"""Probabilities of linear forms in Gaussian tokens: by the error function, where the variance is not 0."""

from __future__ import annotations

from proofs_check.api import check


def test_a_wrong_scale_is_refuted_by_both_sides() -> None:
    found = check(
        "P[x[1].T*u > a] = (1 - erf(a/norm(u)))/2", "u in R^d, u != 0, Sigma = I, a real", law="iid", effort="quick"
    )
    assert found.verdict == "refuted" and "erf" in str(found.correction)
    assert found.corrected is not None and found.corrected["verdict"] == "verified"
