"""A check of what no cases are drawn for is undecided with the reason, not an error."""

from __future__ import annotations

import pytest

from proofs_check.statements.deterministic import judge_deterministic
from theorems.statement import proposition


@pytest.mark.parametrize(
    ("text", "known", "says"),
    [
        ("dist(0, hull(v[j], j, 1, n)) <= norm(v[1])", "v[1..n] in R^d", "no cases are drawn for v"),
        ("largest(J[k], k, 1, m) <= n", "J in {1..n}^m, n >= 1", "no cases are drawn for J"),
        ("least(norm(W, fro), W, a.T*W*a >= 1) <= 1", "a in R^d", "no search goes through the values of unknowns"),
    ],
)
def test_what_is_not_drawn_is_undecided(text: str, known: str, says: str) -> None:
    found = judge_deterministic(proposition(text, known), "quick")
    assert found.verdict == "undecided" and says in found.reason
