"""The steps made by hand: every rule refuses its near misses and licenses its true steps, and has both."""

from __future__ import annotations

import pytest

from tests.mutation import near_misses
from tests.mutation.probes import key, probes
from theorems.gaussian.process import Step
from theorems.rules import RULES, licensed


@pytest.mark.parametrize("module", near_misses.MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_near_misses_are_refused_and_true_steps_licensed(module: near_misses.Module) -> None:
    assert [(step.rule, why) for why, step in module.near() if licensed(step)] == []
    assert [(step.rule, key(step.data)) for step in module.true() if not licensed(step)] == []
    assert all(why and step.rule in RULES for why, step in module.near())


def test_no_rule_is_without_both() -> None:
    own = {name for name, check in RULES.items() if check.__module__.startswith("theorems.")}
    assert own - {step.rule for step in near_misses.near_misses()} == set()
    assert own - {step.rule for step in near_misses.true_steps()} == set()


def test_probes_hold_all_that_is_made_by_hand_and_copies_of_true_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.mutation import probes as found

    right, wrong = (tuple(made) for made in (near_misses.true_steps(), near_misses.near_misses()))
    monkeypatch.setattr(found, "true_steps", lambda: {"assumed": tuple(s for s in right if s.rule == "assumed")})
    probes.cache_clear()
    try:
        asked = probes("assumed")
        assert asked.true[: asked.own_true] == tuple(step for step in right if step.rule == "assumed")
        assert asked.copies[: asked.own_false] == tuple(step for step in wrong if step.rule == "assumed")
        assert len(asked.copies) > asked.own_false > 0
        # the rule refuses each of them, so that each may tell a mutant
        assert all(asked.refused(place) for place in range(asked.own_false))
        assert asked.refused(asked.copies.index(Step("none", "", asked.true[0].data)))
    finally:
        probes.cache_clear()
