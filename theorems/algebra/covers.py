"""Proofs by boxes: a claim about all points of a box, settled on halves of it until every part is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import flint

Box = Mapping[str, tuple[Fraction, Fraction]]


def middle(box: Box) -> Box:
    """The point in the middle, as a box."""
    return {name: ((low + high) / 2, (low + high) / 2) for name, (low, high) in box.items()}


def covered(settled: Callable[[Box], bool | None], box: Box, limit: int) -> bool:
    """Whether the box, or each of its parts after halving longest sides, is settled.

    False after ``limit`` boxes, and where ``settled`` gives None: no part of that box ever will be.
    """
    todo = [dict(box)]
    for _ in range(limit):
        if not todo:
            return True
        part = todo.pop(0)
        found = settled(part)
        if found is None:
            return False
        if not found:
            name = max(part, key=lambda side: part[side][1] - part[side][0])
            low, high = part[name]
            half = (low + high) / 2
            todo += [part | {name: (low, half)}, part | {name: (half, high)}]
    return not todo


def some_positive(enclosed: Callable[[Box], Iterable[flint.arb]], box: Box, limit: int) -> bool:
    """Whether at every point of a box some function is shown to be positive, by enclosures of all of them over parts.

    False as soon as all are negative in the middle of a part.
    """

    def settled(part: Box) -> bool | None:
        if any(value > 0 for value in enclosed(part)):
            return True
        return None if all(value < 0 for value in enclosed(middle(part))) else False

    return covered(settled, box, limit)
