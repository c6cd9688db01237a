"""Cells of limits, as they are told."""

from __future__ import annotations

from theorems.algebra.expressions import symbol
from theorems.gaussian.cells import patterned

r = symbol("r")


def test_a_pattern_is_told_by_what_it_allows() -> None:
    assert patterned(((r - 1, (0, 1)), (r, (-1,)))) == "r - 1 >= 0 and r < 0"
    assert patterned(((r, (1, -1)),)) == "r != 0"
