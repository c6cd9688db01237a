"""Chains of norms: proved where they hold for every size, never where one constant or side is another."""

from __future__ import annotations

from proofs_check.statements.deterministic import judge_deterministic
from theorems.statement import proposition


def test_a_chain_is_verified_with_a_search_and_wrong_versions() -> None:
    found = judge_deterministic(proposition("norm(W, 2)**2 <= norm(W, 1)*norm(W, oo)"), "quick")
    assert found.verdict == "verified" and any(mutant.fate == "caught" for mutant in found.mutants)
