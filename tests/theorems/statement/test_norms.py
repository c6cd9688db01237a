"""Chains of norms: proved where they hold for every size, never where one constant or side is another."""

from __future__ import annotations

import pytest

from proofs_check.statements.deterministic import judge_deterministic
from theorems.statement import proposition
from theorems.statement.proofs import proved

TRUE = [
    ("norm(W, 2)**2 <= norm(W, 1)*norm(W, oo)", ""),
    ("norm(W, max) <= norm(W, 2)", ""),
    ("norm(W, 2) <= d*norm(W, max)", ""),
    ("norm(W, oo) <= sqrt(d)*norm(W, 2)", ""),
    ("norm(W, nuclear) <= norm(W, sum)", ""),
    ("norm(W, sum) <= d*norm(W, fro)", ""),
    ("norm(W.T, 1) = norm(W, oo)", ""),
    ("norm(W, 2) <= norm(W, 1)", "W symmetric"),
    ("norm(-2*W, sum) = 2*norm(W, sum)", ""),
    ("norm(W*B, 1) <= norm(W, 1)*norm(B, 1)", "B any"),
    ("norm(W + B, oo) <= norm(W, oo) + norm(B, oo)", "B any"),
    ("norm(A, 1) <= sqrt(m)*norm(A, 2)", "A in R^(m x k)"),
    ("norm(A, 2) <= sqrt(m*k)*norm(A, max)", "A in R^(m x k)"),
    ("abs(tr(W)) <= norm(W, sum)", ""),
    ("norm(a, 1) <= sqrt(d)*norm(a)", "a in R^d"),
    ("norm(a)**2 <= norm(a, oo)*norm(a, 1)", "a in R^d"),
    ("norm(W*a, oo) <= norm(W, oo)*norm(a, oo)", "a in R^d"),
    ("norm(A*b, 1) <= norm(A, 1)*norm(b, 1)", "A in R^(m x k), b in R^k"),
    ("norm(W - B, 1) >= norm(W, 1) - norm(B, 1)", "B any"),
    ("norm(W - B, 2) >= norm(W, 2) - norm(B, 2)", "B any"),
    ("abs(a.T*b) <= norm(a, 1)*norm(b, oo)", "a in R^d, b in R^d"),
    ("norm(W.T*W, 2) = norm(W, 2)**2", ""),
    ("norm(W*W.T, nuclear) = norm(W, fro)**2", ""),
    ("norm(W*W, 2) = norm(W, 2)**2", "W symmetric"),
    ("norm(A*b, 1) <= sqrt(m)*norm(A*b)", "A in R^(m x k), b in R^k"),
]
#: The other index, no symmetry, a smaller constant, the norm of the transpose.
FALSE = [
    ("norm(W, 2) <= norm(W, 1)", ""),
    ("norm(W, 1) = norm(W, oo)", ""),
    ("norm(W, 2) <= sqrt(d)*norm(W, max)", ""),
    ("norm(W, sum) <= sqrt(d)*norm(W, fro)", ""),
    ("norm(W, nuclear) <= norm(W, 1)", ""),
    ("norm(W*B, max) <= norm(W, max)*norm(B, max)", "B any"),
    ("norm(W*B, 1) <= norm(W, 1)*norm(B, oo)", "B any"),
    ("norm(A, 1) <= sqrt(k)*norm(A, 2)", "A in R^(m x k)"),
    ("norm(a, 1) <= norm(a)", "a in R^d"),
    ("norm(W*a, oo) <= norm(W, 1)*norm(a, oo)", "a in R^d"),
    ("norm(W - B, 1) <= norm(W, 1) - norm(B, 1)", "B any"),
    ("abs(a.T*b) <= norm(a, oo)*norm(b, oo)", "a in R^d, b in R^d"),
    ("norm(W*W, 2) = norm(W, 2)**2", ""),
    ("norm(W.T*W, nuclear) = norm(W, nuclear)**2", ""),
    ("norm(A*b, 1) <= sqrt(k)*norm(A*b)", "A in R^(m x k), b in R^k"),
]


@pytest.mark.parametrize(("text", "given"), TRUE)
def test_chains_of_norms_are_proved(text: str, given: str) -> None:
    assert proved(proposition(text, given)) is not None


@pytest.mark.parametrize(("text", "given"), FALSE)
def test_near_misses_are_refuted(text: str, given: str) -> None:
    prop = proposition(text, given)
    assert proved(prop) is None
    assert judge_deterministic(prop, "quick").verdict == "refuted"


def test_a_chain_is_verified_with_a_search_and_wrong_versions() -> None:
    found = judge_deterministic(proposition("norm(W, 2)**2 <= norm(W, 1)*norm(W, oo)"), "quick")
    assert found.verdict == "verified" and any(mutant.fate == "caught" for mutant in found.mutants)
