"""Conditions of a claim: every relation with its signs, and what cannot be read."""

from __future__ import annotations

import pytest

from theorems.algebra.expressions import ExpressionError, parse
from theorems.claims.conditions import read, satisfiable


@pytest.mark.parametrize(
    ("relation", "signs"),
    [("<=", {-1, 0}), (">=", {0, 1}), ("!=", {-1, 1}), ("==", {0}), ("<", {-1}), (">", {1})],
)
def test_every_relation_has_its_signs(relation: str, signs: set[int]) -> None:
    gap, allowed = read(f"2*i {relation} j + 1")
    assert gap == parse("2*i - j - 1")
    assert set(allowed) == signs


def test_what_is_no_condition_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an inequality such as"):
        read("2*i + j")
    with pytest.raises(ExpressionError):
        read("import os <= 1")


@pytest.mark.parametrize(
    ("conditions", "answer"),
    [
        ((), True),
        (("a <= b", "b <= c", "c <= a"), True),
        (("a < b", "b < c", "c < a"), False),
        (("1 <= 0",), False),
        (("a > 0", "a < 0"), False),
        (("a**2 < 0",), False),
        (("a == 1", "a == 2"), False),
        (("a != 1", "a > 0", "a*b == 1"), True),
        (("a <= b", "b + 1 <= a"), False),
        (("keys == 1", "eps > 0", "eps < value_norm", "out_norm <= eps", "sink_norm == 0"), True),
    ],
)
def test_contradictory_conditions_are_met_nowhere(conditions: tuple[str, ...], answer: bool) -> None:
    assert satisfiable(conditions) is answer
