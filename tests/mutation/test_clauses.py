"""Changed clauses: what has no real value is false, boundaries are found, and differences with roots are compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.mutation import prints
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import Equivalence

BUDGET = "lampert2026.sec7.diag-lower"
NAME = "no solution within the budget"
#: x y <= 2, at cases of two numbers.
FOUND = Equivalence("small", ("x*y <= 2",), (), (), "")


def test_what_has_no_real_value_at_a_case_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case({"x": "1", "y": "3"})
    for condition, unreal in (("sqrt(x - y) > 0", True), ("1/(x - 1) > 0", True), ("sqrt(y) > 2", False)):
        assert prints._unreal(condition, case) is unreal
    monkeypatch.setattr(prints, "_truths", lambda claim, name: ((case, False),))
    statement = by_id()[BUDGET]
    for clause, false in (
        ("if sqrt(x - y) > 0", True),
        ("if y/(x - 1) < 0", True),
        ("if y > x", True),
        ("if y < x", False),
        ("iff y < x", False),
        ("iff y > x", True),
    ):
        assert prints._false_clause(replace(statement, printed={NAME: clause})) is false, clause
    monkeypatch.setattr(prints, "_truths", lambda claim, name: ((case, True),))
    # an "if" without a value says nothing where the property holds
    assert not prints._false_clause(replace(statement, printed={NAME: "if sqrt(x - y) > 0"}))
    assert prints._false_clause(replace(statement, printed={NAME: "iff sqrt(x - y) > 0"}))


@pytest.mark.parametrize("start", ["1/1000", "1/10", "7", "900"])
def test_a_boundary_is_found_from_either_side(start: str) -> None:
    two = [Fraction(raw["x"]) for raw in prints._boundary(FOUND, {"x": start, "y": "3"}, "x")]
    assert len(two) == 2
    low, high = sorted(two)
    assert low <= Fraction(2, 3) < high or low < Fraction(2, 3) <= high
    assert high - low < Fraction(1, 1000)


def test_where_nothing_changes_there_is_no_boundary() -> None:
    assert list(prints._boundary(FOUND, {"x": "3", "y": "-1"}, "x")) == []


def test_what_has_no_upper_end_may_be_moved_far() -> None:
    statement = by_id()[BUDGET]
    ends = {name: prints._ends_above(statement, name) for name in ("lam", "overlap", "kappa", "budget")}
    assert ends == {"lam": True, "overlap": True, "kappa": False, "budget": False}


@pytest.mark.parametrize(
    ("gap", "known"),
    [
        ("kappa*(sqrt(d + 1) - sqrt(d))/Delta_diag", True),
        ("kappa*(sqrt(d) - 1)/Delta_diag", True),
        ("kappa*(r_eta**2 - r_eta)", True),
        ("kappa*(sqrt(d) - 2)/Delta_diag", False),
        ("kappa*(kappa - 1)", False),
        ("kappa*(1 - lam)", False),
    ],
)
def test_differences_with_roots(gap: str, known: bool) -> None:
    assert prints._by_roots(by_id()["lampert2026.sec7.diag-upper"], parse(gap)) is known
