"""The verdict table: every combination of what the two sides can find."""

from __future__ import annotations

from itertools import product

import pytest

from proofs_check.evidence import Evidence
from proofs_check.judgement import verdict
from theorems.outcome import Outcome

SYMBOLIC = ("proved", "disproved", "checked", "undecided", "none")
SIMULATED = ("agrees", "contradicts", "underpowered", "none")


def expected(symbolic: str, simulated: str, conflicts: bool, survivors: bool, confirmed: bool) -> str:
    """The table of the design, written again."""
    if conflicts or (symbolic == "proved" and simulated == "contradicts"):
        return "conflict"
    if (symbolic, simulated, survivors) == ("proved", "agrees", False):
        return "verified"
    if (symbolic, simulated, confirmed) == ("disproved", "contradicts", True):
        return "refuted"
    return "undecided"


@pytest.mark.parametrize("symbolic", SYMBOLIC)
@pytest.mark.parametrize("simulated", SIMULATED)
def test_every_combination(symbolic: str, simulated: str) -> None:
    for conflicts, survivors, confirmed in product((False, True), repeat=3):
        evidence = Evidence(
            status=simulated,
            conflicts=["moment: derived 1, simulated [2, 3]"] if conflicts else [],
            survivors=["moment: i -> i + 1"] if survivors else [],
            confirmed=confirmed,
        )
        ruling, reason = verdict(Outcome(symbolic, "some method"), evidence)
        assert ruling == expected(symbolic, simulated, conflicts, survivors, confirmed)
        # a reason for all but the two verdicts that speak for themselves
        assert bool(reason) == (ruling not in ("verified", "refuted"))


def test_how_often_each_verdict_is_given() -> None:
    rulings = [
        expected(*combination)
        for combination in product(SYMBOLIC, SIMULATED, (False, True), (False, True), (False, True))
    ]
    counts = {ruling: rulings.count(ruling) for ruling in set(rulings)}
    # verified: 2 of the 160 (confirmed or not); refuted: 2 (survivors or not)
    assert counts == {"verified": 2, "refuted": 2, "conflict": 84, "undecided": 72}


def test_the_reason_says_what_was_found() -> None:
    conflict = Evidence(status="agrees", conflicts=["moment: derived 1, simulated [2, 3]", "another"])
    assert "derived 1, simulated [2, 3]" in verdict(Outcome("proved", ""), conflict)[1]
    survivors = Evidence(status="agrees", survivors=["a", "b", "c", "d"])
    assert verdict(Outcome("proved", ""), survivors)[1] == "4 decoys survive: a; b; c"
    dear = Evidence(status="underpowered", reason="no affordable case among 3 drawn at this effort")
    for symbolic in ("proved", "disproved"):
        assert verdict(Outcome(symbolic, ""), dear) == ("undecided", dear.reason)
    assert "sign not decided" in verdict(Outcome("undecided", "sign not decided"), Evidence(status="agrees"))[1]
