"""Both interpreters of what a claim says at cases as wide as its hypotheses, as a run asks them."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.checks.agreeing import DRAWS, PART
from proofs_check.judging.options import Options
from proofs_check.judging.stated import judged_claim
from proofs_check.statements import agreeing
from proofs_check.statements.agreeing import Interpreters, multiplied, widely
from theorems.claims.catalogue import by_id

LEMMA1 = "choromanski2021.sec2.lemma1-positive"


@pytest.fixture
def drawn_at_quick_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DRAWS, "quick", DRAWS["standard"])


def test_what_was_asked_stands_in_the_report(drawn_at_quick_effort: None) -> None:
    (report, spent), *_ = judged_claim(by_id()[LEMMA1], Options(effort="quick"), "cpu")
    asked = report["agreement"]
    assert report["verdict"] == "verified" and asked["cases"] == asked["compared"] >= 25
    assert {"d = 1", "16 <= d", "u = 0", "u = -v"} <= {*asked["edges"]} and not asked["missed"]
    assert (asked["alone"] or {"half": 1.0})["half"] < 0.2
    assert spent <= by_id()[LEMMA1].alpha and 0 < PART < 1


def test_a_fault_that_no_judged_case_sees_is_a_conflict(
    monkeypatch: pytest.MonkeyPatch, drawn_at_quick_effort: None
) -> None:
    """Interpreters that differ from d = 5 on, which no case that is judged reaches."""
    look = Interpreters._look

    def wrong(self: Interpreters, case: dict[str, Any]) -> Any:
        if case["d"] >= 5:
            self = Interpreters(self.claim, multiplied(self.derived), self.simulated, self.delta, self.seed)
        return look(self, case)

    monkeypatch.setattr(Interpreters, "_look", wrong)
    (report, _), *_ = judged_claim(by_id()[LEMMA1], Options(effort="quick"), "cpu")
    assert report["verdict"] == "conflict" and {row["params"]["d"] for row in report["cases"]} <= {1, 2, 3, 4}
    assert "value: " in report["reason"] and f"twofold verify {LEMMA1} --case" in report["reason"]


def test_nothing_is_asked_at_quick_effort_nor_of_what_is_known_by_a_bound_alone() -> None:
    for claim, effort in ((LEMMA1, "quick"), ("choromanski2021.sec3.thm3-iid", "standard")):
        asked, told = widely(by_id()[claim], 1e-9, 0, effort)
        assert not (asked["cases"] or asked["edges"] or asked["missed"] or told)
    assert agreeing.bounded(agreeing.propositions(by_id()["choromanski2021.sec3.thm3-iid"])["upper"])
