"""What changed between two reports is told, each thing once, and nothing else is."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from proofs_check.report.site.changes import Change, diff

Report = Any


def test_nothing_changed(sample_report: Report) -> None:
    found = diff(sample_report, copy.deepcopy(sample_report))
    assert found.changes == () and found.settings == {} and found.lines() == ["No claim changed."]


EDITS: dict[str, tuple[Callable[[Report], Any], Change]] = {
    "verdict": (
        lambda claim: claim.update(verdict="undecided"),
        Change("bao2024.appA.eq15", "verdict", "refuted", "undecided"),
    ),
    "correction": (
        lambda claim: claim["correction"].update(sympy="2*i*tr1"),
        Change("bao2024.appA.eq15", "correction", "i*tr1", "2*i*tr1"),
    ),
    "no correction": (
        lambda claim: claim["correction"].update(sympy=None, latex=""),
        Change("bao2024.appA.eq15", "correction", "i*tr1", None),
    ),
    "exact": (
        lambda claim: claim["symbolic"].update(exact=None),
        Change("bao2024.appA.eq15", "exact", "i*tr1", None),
    ),
    "power": (
        lambda claim: claim["simulation"].update(detectable=0.02),
        Change("bao2024.appA.eq15", "detectable", "0.0094", "0.02"),
    ),
    "print": (
        lambda claim: claim.update(printed={"moment": "i*tr1"}),
        Change("bao2024.appA.eq15", "printed", "moment = (i - 1)*tr1", "moment = i*tr1"),
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_a_change_is_told(what: str, sample_report: Report) -> None:
    after = copy.deepcopy(sample_report)
    edit, expected = EDITS[what]
    edit(after["claims"][1])
    found = diff(sample_report, after)
    assert found.changes == (expected,)
    assert json.loads(json.dumps(found.data()))["changes"][0]["id"] == "bao2024.appA.eq15"
    assert found.lines()[0] == expected.sentence


def test_power_that_hardly_moves_is_the_same(sample_report: Report) -> None:
    after = copy.deepcopy(sample_report)
    after["claims"][0]["simulation"]["detectable"] *= 1.01
    assert diff(sample_report, after).changes == ()


def test_claims_that_are_new_or_gone(sample_report: Report) -> None:
    after = copy.deepcopy(sample_report)
    gone = after["claims"].pop(0)
    after["claims"].append(copy.deepcopy(gone) | {"id": "a.b.c"})
    found = diff(sample_report, after)
    assert {(c.id, c.field) for c in found.verdicts} == {("a.b.c", "added"), (gone["id"], "removed")}
    assert found.others == ()


def test_a_partial_run_says_nothing_of_what_it_did_not_reach(sample_report: Report) -> None:
    after = copy.deepcopy(sample_report)
    after["claims"] = after["claims"][:2]
    after["run"]["partial"] = True
    for one, two in ((sample_report, after), (after, sample_report)):
        found = diff(one, two)
        assert found.changes == () and found.partial and "interrupted" in found.lines()[-1]


def test_settings_that_differ_are_told(sample_report: Report) -> None:
    after = copy.deepcopy(sample_report)
    after["run"].update(seed=3, versions={"torch": "2.14.0", "sympy": "1.14"})
    settings = diff(sample_report, after).settings
    assert settings == {"seed": ("0", "3"), "sympy": ("none", "1.14"), "torch": ("2.13.0", "2.14.0")}
