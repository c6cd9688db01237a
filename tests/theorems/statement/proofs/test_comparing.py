"""Comparisons through logarithms, term by term and by signs: what they prove, and what is false and must not be."""

from __future__ import annotations

import pytest

from theorems.statement.expression import StatementError
from theorems.statement.proofs import proved
from theorems.statement.proposition import proposition


def test_steps_name_what_was_compared() -> None:
    proof = proved(proposition("log(sum(exp(s[j]), j, 1, n)) <= B + log(n)", "s in R^n, abs(s[j]) <= B"))
    assert proof is not None
    rules = [step.rule for step in proof.steps]
    found = rules.index("log is increasing")
    assert "a sum is bounded by its terms" in rules[found:] and "exp is increasing" in rules[found:]


def test_names_of_matrices_and_vectors() -> None:
    with pytest.raises(StatementError, match=r"A in R\^\(m x d\)"):
        proposition("norm(A, 2) <= norm(A, fro)")
    assert proposition("norm(A, 2) <= norm(A, fro)", "A in R^{m x d}").known.size("A") == ("m", "d")
    assert proved(proposition("norm(u)**2 > 0", "u in R^d, u != 0")) is not None
    assert proved(proposition("norm(u)**2 > 0", "u in R^d")) is None
