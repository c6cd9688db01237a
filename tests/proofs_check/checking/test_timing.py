"""A check that takes too long is stopped, and says at what it was."""

from __future__ import annotations

import time

import pytest

from proofs_check.checking import timing
from proofs_check.checking.judging import check_statement
from proofs_check.checking.request import Request


def test_a_block_that_works_longer_than_its_limit_is_stopped() -> None:
    began = time.process_time()
    with pytest.raises(timing.TimeLimitError), timing.time_limit(0.2):
        while time.process_time() < began + 30:
            pass
    assert time.process_time() < began + 20


def test_a_block_that_ends_in_time_is_left_alone() -> None:
    with timing.time_limit(30):
        assert sum(range(10)) == 45


def test_a_statement_over_the_limit_is_undecided_and_says_at_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(timing.SECONDS, "quick", 0.02)
    (report,) = check_statement(Request("Kurt[x[i].T*W*x[j]] = 3", "i <= j"), "quick")
    assert report["verdict"] == "undecided"
    assert "stopped after" in report["reason"] and "while" in report["reason"]
