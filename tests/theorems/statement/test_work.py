"""Steps that a search or a proof may take: they are counted, and what they leave undone is not found."""

from __future__ import annotations

import time

import pytest

from proofs_check.statements.deterministic import judge_deterministic
from theorems.statement.proofs import proved
from theorems.statement.proposition import proposition
from theorems.statement.work import Work


def test_steps_are_spent() -> None:
    work = Work(2)
    assert work.spend() and work.spend() and work.over
    assert not work.spend()


def test_a_proof_without_steps_is_not_found() -> None:
    prop = proposition("log(1 + u) <= u", "u > -1")
    assert proved(prop) is not None
    assert proved(prop, Work(0)) is None


@pytest.mark.parametrize("text", ["norm(W, nuclear) <= norm(W, fro)", "norm(W, fro) <= sqrt(d)*norm(W, 2)"])
def test_what_is_found_does_not_hang_on_the_clock(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prop = proposition(text)
    found = judge_deterministic(prop, "quick", 3)
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(time, "process_time", lambda: float(next(hours)))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(hours)))
    assert judge_deterministic(prop, "quick", 3) == found
