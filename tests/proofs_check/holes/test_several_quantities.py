"""A lemma about several quantities: what is said of one is said of what it is tied to."""

from __future__ import annotations

import pytest

from tests.proofs_check.holes.lemmas import found
from theorems.authoring import claim


@pytest.mark.parametrize(
    ("hypotheses", "verdicts"),
    # nothing ties i to j <= 3 in the last
    [("i <= j, j <= 3", ("verified", "undecided")), ("i != j, j <= 3", ("refuted",)), ("j <= 3", ("refuted",))],
)
def test_a_hypothesis_counts_by_way_of_another_quantity(hypotheses: str, verdicts: tuple[str, ...]) -> None:
    """(i - 1)(i - 2)(i - 3) is 0 for i <= j <= 3."""
    verdict = found(
        claim(
            "holes.sec1.both",
            quantity={"one": "E[norm(x[i])**2]", "other": "E[norm(x[j])**2]"},
            printed={"one": "i*tr_I + (i - 1)*(i - 2)*(i - 3)", "other": "j*tr_I"},
            symbols="i j tr_I",
            hypotheses=hypotheses,
        )
    )
    assert verdict.verdict in verdicts, verdict
