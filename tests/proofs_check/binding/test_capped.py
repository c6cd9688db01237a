"""What was not compared with the statement is not verified, a shipped claim either."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_check.binding.hold import capped
from proofs_check.binding.tied import Binding
from theorems.claims.catalogue import Statement, by_id

MEAN = by_id()["bao2024.sec4.lemma1-mean"]
MISSING = Binding(missing=["value was not compared with the statement: no case"])


@pytest.mark.parametrize(
    ("claim", "ruling"),
    [
        (MEAN, "undecided"),
        (replace(MEAN, plugin="mypaper"), "undecided"),
        # neither says anything that it could be compared with
        (replace(MEAN, says=None), "verified"),
        (replace(MEAN, corrects=MEAN.id), "verified"),
        (replace(MEAN, says=None, plugin="mypaper"), "undecided"),
    ],
)
def test_a_claim_that_was_not_compared_is_undecided(claim: Statement, ruling: str) -> None:
    assert capped(claim, MISSING, "verified", "")[0] == ruling
    assert capped(claim, MISSING, "conflict", "")[0] == "conflict"
    assert capped(claim, Binding(), "verified", "")[0] == "verified"
