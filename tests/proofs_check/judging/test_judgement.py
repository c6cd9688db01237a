"""The verdict table: every combination of what the two sides can find."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from proofs_check.checks.evidence import Evidence
from proofs_check.judging.judgement import verdict
from proofs_check.statements.found import Found
from theorems.kernel.outcome import Outcome

SYMBOLIC = ("proved", "disproved", "checked", "undecided", "none")
SIMULATED = ("agrees", "contradicts", "underpowered", "none")


def expected(symbolic: Any, simulated: Any, conflicts: bool, survivors: bool, confirmed: bool) -> str:
    """The table of the design, written again."""
    licensed = symbolic in ("proved", "disproved")
    if (conflicts and licensed) or (symbolic == "proved" and simulated == "contradicts"):
        return "conflict"
    if (symbolic, simulated, survivors) == ("proved", "agrees", False):
        return "verified"
    if (symbolic, simulated, confirmed) == ("disproved", "contradicts", True):
        return "refuted"
    return "undecided"


@pytest.mark.parametrize("symbolic", SYMBOLIC)
@pytest.mark.parametrize("simulated", SIMULATED)
def test_every_combination(symbolic: Any, simulated: Any) -> None:
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
    assert counts == {"verified": 2, "refuted": 2, "conflict": 36, "undecided": 120}


def test_the_reason_says_what_was_found() -> None:
    conflict = Evidence(status="agrees", conflicts=["moment: derived 1, simulated [2, 3]", "another"])
    assert "derived 1, simulated [2, 3]" in verdict(Outcome("proved", ""), conflict)[1]
    # what was not licensed is in conflict with nothing; both values are told
    ruling, reason = verdict(Outcome("undecided", "a step is not licensed"), conflict)
    assert ruling == "undecided" and "a step is not licensed" in reason and "derived 1, simulated [2, 3]" in reason
    survivors = Evidence(status="agrees", survivors=["a", "b", "c", "d"])
    assert verdict(Outcome("proved", ""), survivors)[1] == "4 wrong versions not told apart: a; b; c"
    dear = Evidence(status="underpowered", reason="no affordable case among 3 drawn at this effort")
    failing: Any
    for failing in ("proved", "disproved"):
        assert verdict(Outcome(failing, ""), dear) == ("undecided", dear.reason)
    assert "sign not decided" in verdict(Outcome("undecided", "sign not decided"), Evidence(status="agrees"))[1]


@pytest.mark.parametrize("symbolic", ["proved", "disproved"])
def test_the_author_of_a_lemma_is_told_of_two_models_and_no_bug_of_the_suite(symbolic: Any) -> None:
    conflict = Evidence(status="agrees", conflicts=['moment at {"i":1}: derived 1, simulated [2, 3]'])
    ruling, reason = verdict(Outcome(symbolic, ""), conflict, plugin=True)
    assert ruling == "conflict"
    assert "not of the same model" in reason and 'at {"i":1}: derived 1, simulated [2, 3]' in reason
    assert "smallest case" in reason
    own = verdict(Outcome(symbolic, ""), conflict)[1]
    assert own.startswith("derivation and simulation disagree") and "model" not in own


def test_a_proved_print_that_the_simulation_contradicts_says_which_two_values() -> None:
    against = Evidence(status="contradicts", contradiction="moment, case {}: printed 1, simulated [2, 3]")
    for plugin in (False, True):
        ruling, reason = verdict(Outcome("proved", ""), against, plugin=plugin)
        assert ruling == "conflict" and "printed 1, simulated [2, 3]" in reason
        assert ("not of the same model" in reason) is plugin


def test_a_derived_limit_that_the_derived_values_do_not_have_is_named_as_such() -> None:
    told = "rho, limit at theta = 1/4: printed 1, simulated [0, 0]"
    rows: Any = [{"limit": {"at": "limit at theta = 1/4"}}]
    against = Evidence(status="contradicts", contradiction=told, rows=rows)
    for plugin in (False, True):
        ruling, reason = verdict(Outcome("proved", ""), against, plugin=plugin)
        assert ruling == "conflict" and told in reason
        assert reason.endswith("the derived limit is not that of the derived values") and "same model" not in reason


@pytest.mark.parametrize(
    ("survivors", "told"),
    [(["<= -> >="], "1 wrong version: <= turned into >="), (["a", "b"], "2 wrong versions: a; b")],
)
def test_what_a_simulation_cannot_tell_apart_is_counted_in_english(survivors: list[str], told: str) -> None:
    found = Found(status="proved", simulation="agrees", survivors=survivors)
    assert found.verdict == ("undecided", f"proved; the simulation cannot tell it from {told}")
