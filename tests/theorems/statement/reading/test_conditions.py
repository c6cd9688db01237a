"""``A iff B`` and ``A if B``: how they are read, decided at a case, proved, and decided for moments."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theorems.statement.expression import StatementError
from theorems.statement.latex import statement_latex
from theorems.statement.proposition import proposition
from theorems.statement.prose import in_words
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case
from theorems.statement.values.certify import shown, violation
from theorems.statement.values.truths import truth


def test_a_statement_of_two_conditions_is_read_and_written_back() -> None:
    prop = proposition("0 < u*v <= w iff u > 0 and v >= 1", "u real, v real, w real")
    assert prop.relation == "iff"
    assert str(prop.left) == "0 < u*v <= w"
    assert str(prop.right) == "u > 0 and v >= 1"
    assert "if and only if" in in_words(prop)
    assert r"\iff" in statement_latex(prop)


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("u > 0 iff v > 0 if u > 1", 16, "in one statement"),
        ("u iff v > 0", 0, "u is no relation"),
        ("u > 0 iff v", 10, "v is no relation"),
        ("u > 0 iff v -> 0", 12, "-> is no relation of a condition"),
        ("u > 0 iff v > o(1)", 14, "no error term"),
        ("u > 0 iff v > 0 and ", 20, "no condition stands here"),
        ("u > 0 iff W > 0", 10, "is a matrix"),
        ("x[1].T*x[1] > 0 iff u > 0", 0, "is random"),
        ("u > 0 > v", 6, "join them by iff or if"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, at: int, said: str) -> None:
    with pytest.raises(StatementError, match=said.replace("(", r"\(")) as caught:
        proposition(text, "u real, v real")
    assert caught.value.at == at, caught.value.caret


@pytest.mark.parametrize(
    ("text", "u", "v", "violated"),
    [
        ("u > 0 iff v > 0", 1, 0, True),
        ("u > 0 iff v > 0", 0, 1, True),
        ("u > 0 iff v > 0", 1, 2, False),
        ("u > 0 if v > 0", 1, 0, False),
        ("u > 0 if v > 0", 0, 1, True),
        ("u > 0 if v > 0 and u != 0", 0, 1, False),
        ("1/u > 0 iff v > 0", 0, 1, None),
        ("sqrt(u)**2 - u >= 0 iff v > 0", 2, 1, None),
    ],
)
def test_truth_values_at_a_case_are_compared(text: str, u: int, v: int, violated: bool | None) -> None:
    prop = proposition(text, "u real, v real")
    assert violation(prop, Case({"u": Fraction(u), "v": Fraction(v)})) is violated


def test_a_case_shows_whether_a_condition_holds() -> None:
    prop = proposition("u > 0 iff v > 0", "u real, v real")
    assert shown(prop.left, Case({"u": Fraction(1, 2), "v": Fraction(0)})) == "holds: 1/2 > 0"
    assert shown(prop.right, Case({"u": Fraction(1, 2), "v": Fraction(0)})) == "fails: 0 > 0"


def test_a_condition_that_is_not_settled_leaves_a_relation_for_every_index_open() -> None:
    text = "u <= 1 if every(u > 5, j, 1, 3, j != 1, sqrt(2)*sqrt(j) {})"
    at = Case({"u": Fraction(1)})
    # at j = 3, and nowhere
    assert truth(proposition(text.format("> 21/10"), "u real").right, at) is False
    assert truth(proposition(text.format("< 19/10"), "u real").right, at) is True
    # at j = 2, as no ball tells
    with pytest.raises(UndefinedError, match="is not settled"):
        truth(proposition(text.format("= 2"), "u real").right, at)
