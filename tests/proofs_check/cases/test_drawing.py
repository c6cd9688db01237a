"""What is drawn follows from the seed alone, whatever else was imported or drawn before."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from proofs_check.cases import drawing


def drawn(count: int = 300) -> list[int]:
    found: list[int] = []
    drawing.each(st.integers(0, 10**9), 5, count, found.append)
    return found


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of the user's whose constants Hypothesis would draw."""
    file = tmp_path / "of_a_user.py"
    file.write_text("\n".join(f"c{k} = {123456789 + k}" for k in range(200)))
    module = ModuleType("of_a_user")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "of_a_user", module)
    # as in a process in which nothing has been drawn yet
    monkeypatch.setattr(providers, "_seen_modules", set())
    monkeypatch.setattr(providers, "_sys_modules_len", None)


def test_constants_of_loaded_modules_are_not_drawn(own_module: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    assert not {value for value in before if 123456789 <= value < 123456989}
    monkeypatch.setattr(drawing, "_without_constants_of_modules", nullcontext)
    after = drawn()
    # what the guard is for: without it they are drawn
    assert {value for value in after if 123456789 <= value < 123456989} and after != before


def test_what_was_drawn_before_changes_nothing() -> None:
    first = drawn()
    drawing.each(st.integers(0, 10**9), 6, 50, lambda value: None)
    assert drawn() == first and len(set(first)) > 200


def test_looking_ends_where_enough_was_seen() -> None:
    found: list[int] = []

    def look(value: int) -> None:
        found.append(value)
        if len(found) == 7:
            raise drawing.EnoughError

    drawing.each(st.integers(), 1, 100, look)
    assert len(found) == 7
    drawing.each(st.integers().filter(lambda value: False), 1, 10, look)
    assert len(found) == 7


def test_the_least_case_is_the_smallest_that_is_found() -> None:
    assert drawing.least(st.integers(0, 1000), lambda value: value > 17, 200, Random(1)) == 18
    assert drawing.least(st.integers(0, 1000), lambda value: value > 1000, 200, Random(1)) is None
