"""Means over the entries of sequences: by fixed weights, by softmax, by 1/n; next to what is true, what is false."""

from __future__ import annotations

from theorems.statement.proofs.averages import weights
from theorems.statement.proposition import proposition

P = "p in R^n, t in R^n, p[j] >= 0, sum(p[j], j, 1, n) = 1"


def test_weights_are_of_all_entries() -> None:
    assert weights(proposition("sum(p[j]*t[j], j, 1, n) <= max(t)", P)) == {"p"}
    for other in (P.replace("= 1", "= 1/2"), P.replace("p[j] >= 0", "p[1] >= 0"), P.replace("p[j] >= 0", "p[j] >= -1")):
        assert not weights(proposition("sum(p[j]*t[j], j, 1, n) <= max(t)", other))
