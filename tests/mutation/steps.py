"""Steps made by hand, in few letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from theorems.gaussian.process import Step
from theorems.rules import licensed


def step(rule: str, *data: Any) -> Step:
    """A step without words."""
    return Step(rule, "", data)


def holds(rule: str, *data: Any) -> bool:
    """Whether the rule licenses a step of these data."""
    return licensed(step(rule, *data))


def made(rule: str, *rows: tuple[str, tuple[Any, ...]]) -> Iterator[tuple[str, Step]]:
    """A step of the rule for every row (why it is false, data)."""
    yield from ((why, step(rule, *data)) for why, data in rows)


def changed(before: Step, place: int, value: object) -> Step:
    """The step with one part of its data exchanged."""
    return Step(before.rule, "", (*before.data[:place], value, *before.data[place + 1 :]))
