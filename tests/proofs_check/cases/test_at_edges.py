"""The edges of a proposition: what hypotheses leave equal is one of them, and cases are put there."""

from __future__ import annotations

import pytest

from proofs_check.cases import at_edges
from theorems.statement.proposition import proposition


@pytest.mark.parametrize(
    ("text", "given", "edge"),
    [
        ("E[x[i].T*x[j]] = i*tr(Sigma)", "i <= j", "i = j"),
        ("E[x[i].T*x[j]] = i*tr(Sigma)", "i < j", None),
        ("exp(a) <= exp(b)", "a real, b real, a <= b", "a = b"),
        ("exp(a) <= exp(b)", "a real, b real, b >= a", "a = b"),
        ("exp(a) < exp(b)", "a real, b real, a < b", None),
    ],
)
def test_what_a_hypothesis_lets_be_equal_is_an_edge(text: str, given: str, edge: str | None) -> None:
    prop = proposition(text, given)
    found = at_edges.edges(prop)
    assert {name for name in found if name in ("i = j", "a = b")} == ({edge} if edge else set())
    if edge is not None:
        cases = next(at_edges.drawn(prop, [found[edge]], 1, 2))
        assert cases and all(map(found[edge].met, cases))
