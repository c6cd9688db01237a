"""Steps that the rules refuse, as the pages show them: computed from shipped steps, and kept in a file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_check.report import near_misses
from proofs_check.report.near_misses import refused
from theorems.kernel.deriving import derive
from theorems.rules import RULES, load


def test_a_step_is_changed_where_its_words_say_it() -> None:
    steps = {step.rule: step for step in derive("bao2024.sec4.xi-eta-range").steps}
    # of an upper bound half of it, of an equation twice as much: both are false
    assert refused(steps["cauchy-schwarz"]) == "tr(M)^2 <= tr(I) tr(M^T M): tr1**2 <= d*tr2/2"
    assert refused(steps["square-root"]) == "-sqrt(d*tr2) <= 2*tr1 <= sqrt(d*tr2)"
    moment = next(step for step in derive("bao2024.appA.eq11").steps if step.rule in ("isserlis", "wick"))
    assert refused(moment).split(" = ")[0] == moment.text.split(" = ")[0] and refused(moment) != moment.text
    # words that name no part say nothing of a change
    assert refused(replace(steps["square-root"], words="a root")) == ""


def test_what_a_rule_accepts_is_no_near_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = derive("bao2024.sec4.xi-eta-range").steps
    assert any(map(refused, steps))
    monkeypatch.setattr(near_misses, "licensed", lambda _: True)
    assert not any(map(refused, steps))


def test_they_are_of_rules_that_there_are() -> None:
    load()
    kept = near_misses.near_misses()
    assert len(kept) > 80 and set(kept) <= set(RULES)


@pytest.mark.slow
def test_the_file_holds_what_is_computed() -> None:
    assert near_misses.found() == near_misses.near_misses(), "run `python -m proofs_check.report.near_misses`"
