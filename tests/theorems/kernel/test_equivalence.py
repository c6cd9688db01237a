"""Clauses "iff" and "if" against a proved equivalence: by points, by normal form, by every cell of a plane."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import theorems.rules.exchangeable  # noqa: F401  (registers slope-sign)
from theorems.algebra.balls import sign
from theorems.algebra.expressions import symbol
from theorems.claims.catalogue import Paper, Statement
from theorems.claims.conditions import clause, conjunction, read, written
from theorems.gaussian import numeric
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Derived, Equivalence
from theorems.kernel.deriving import derive
from theorems.kernel.equivalence import (
    boundaries,
    cells,
    clause_of,
    conjoined,
    holds,
    judged,
    settle_equivalence,
    unsupported_equivalence,
)
from theorems.kernel.grounds import where_said
from theorems.rules import licensed


def plane(x: Fraction, y: Fraction) -> dict[str, Any] | None:
    return None if y < 0 or (y == 0 and x != 0) else {"x": str(x), "y": str(y)}


def equivalence(*conditions: str, points: tuple[dict[str, Any], ...] = (), flat: bool = True) -> Equivalence:
    coordinates = (symbol("x"), symbol("y")) if flat else ()
    return Equivalence("it", conditions, points, (), "", coordinates, plane if flat else None)


FOUND = equivalence("x >= 0", "x + y > 0")


@pytest.mark.parametrize(
    ("word", "printed", "true"),
    [
        ("iff", "x >= 0 & x + y > 0", True),
        ("iff", "2*x >= 0 & 3*y + 3*x > 0", True),
        # y >= 0 in the plane, and x = 0 where y = 0: another form of the same
        ("iff", "x >= 0 & 2*x + y > 0", True),
        ("iff", "x > 0", False),
        ("iff", "x >= 0", False),
        ("iff", "x + y > 0", False),
        ("if", "x > 0", True),
        ("if", "x >= 0 & y > 0", True),
        ("if", "x >= 0", False),
        ("if", "x + y > 0", False),
        ("if", "x - y > 0", True),
        ("if", "x < 0", False),
        # not linear in the coordinates: no cell decides it
        ("iff", "x*y > 0", None),
        ("iff", "x > 1", None),
    ],
)
def test_every_cell_of_the_plane_decides_a_clause(word: str, printed: str, true: bool | None) -> None:
    verdict, point = judged(word, conjunction(printed), FOUND, [])
    assert verdict is true
    if verdict is False:
        claimed, actual = holds(conjunction(printed), point), holds(FOUND.conditions, point)
        assert claimed and not actual if word == "if" else claimed != actual


@pytest.mark.parametrize(
    ("word", "printed", "where"),
    [
        # x > 0 lacks the ray x = 0 < y alone; x + y > 0 and x >= 0 let whole sectors in or out
        ("iff", "x > 0", ("x = 0",)),
        ("iff", "x > 0 & x + y > 0", ("x = 0",)),
        ("iff", "x + y > 0", ()),
        ("if", "x >= 0", ("x = 0",)),
        ("if", "x + y >= 0", ()),
        # nothing is wrong, or not linear
        ("iff", "x >= 0 & x + y > 0", ()),
        ("iff", "x*y > 0", ()),
    ],
)
def test_a_clause_may_be_wrong_on_its_boundaries_alone(word: str, printed: str, where: tuple[str, ...]) -> None:
    assert boundaries(word, conjunction(printed), FOUND) == where


def test_without_a_plane_points_disprove_and_equal_conditions_prove() -> None:
    found = equivalence("x > 0", "y > 0", flat=False)
    assert judged("iff", ("y > 0", "3*x > 0"), found, []) == (True, None)
    assert judged("if", ("x > 0", "y > 0", "x > 2"), found, []) == (True, None)
    assert judged("iff", ("x > 0",), found, []) == (None, None)
    point = {"x": "1", "y": "0"}
    assert judged("iff", ("x > 0",), found, [point]) == (False, point)
    assert judged("iff", ("x > 0", "y >= 0"), found, [{"x": "1", "y": "1"}])[0] is None


def test_cells_hold_every_ray_and_every_sector_between() -> None:
    seen = {(sp.sign(Fraction(c["x"])), sp.sign(Fraction(c["x"]) + Fraction(c["y"]))) for c in cells((), FOUND) if c}
    assert seen == {(0, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)}


def test_a_case_of_another_ray_is_refused() -> None:
    wrong = Equivalence("it", ("x > 0",), (), (), "", (symbol("x"), symbol("y")), lambda x, y: {"x": "1", "y": "1"})
    with pytest.raises(ValueError, match="wanted the ray"):
        list(cells((), wrong))


def test_an_equivalence_must_be_the_conclusion_of_its_last_step() -> None:
    assert unsupported_equivalence(FOUND) == ["no step concludes an equivalence"]
    other = Step("slope-sign", "", ("it", ("x > 0",)))
    moved = Equivalence("it", ("x >= 0",), (), (other,), "")
    assert "not it iff" in unsupported_equivalence(moved)[0]
    assert not unsupported_equivalence(Equivalence("it", ("x > 0",), (), (other,), ""))
    trusted = Step("energy-cone", "", ("it", ("x > 0",)))
    assert unsupported_equivalence(Equivalence("it", ("x > 0",), (), (trusted,), ""))


@pytest.mark.parametrize("text", ["x > 0", "x + y >= 0 & x - 1 < 0", "x != 0 & y == 0 & x <= 0"])
def test_conditions_are_written_as_they_are_read(text: str) -> None:
    conditions = conjunction(text)
    again = clause(clause_of("if", conjoined(conditions)))
    assert again[0] == "if"
    assert sorted(map(str, map(read, again[1]))) == sorted(map(str, map(read, conditions)))
    assert [read(written(*read(c))) for c in conditions] == [read(c) for c in conditions]


@pytest.mark.parametrize("text", ["x > 0", "when x > 0", "iff x", "iff x > 0 & ", "if 2", ""])
def test_what_is_no_clause_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|expression|formula"):
        clause(text)


def statement(printed: dict[str, str], **changes: Any) -> Statement:
    data: dict[str, Any] = {"where": "", "kind": "bound", "statement": "", "reading": "", "quantity": "", "symbols": ()}
    data |= {"paper": Paper("p", "t", "a", "v"), "relation": "when", "model": "ensemble", "printed": printed}
    return Statement(id="p.s.t", **(data | changes))


def test_a_plane_needs_a_step_that_says_where_it_ends() -> None:
    step = Step("slope-sign", "", ("it", ("x > 0",)))
    open_ended = Equivalence("it", ("x > 0",), (), (step,), "", (symbol("x"), symbol("y")), lambda x, y: None)
    assert unsupported_equivalence(open_ended) == ["no step says where the coordinates end"]
    # a cell without a case decides nothing
    assert judged("iff", ("x < 0",), open_ended, []) == (None, None)


def test_what_was_derived_for_another_property_is_not_taken() -> None:
    found = derive("lampert2026.sec5.monotone-iff").quantities
    swapped = Derived({"D increasing": found["D decreasing"]}, ())
    claim = statement({"D increasing": "iff beta*t1 >= 0 & beta*t1 + t2 > 0"})
    assert settle_equivalence(claim, swapped, []).status == "undecided"


def test_a_claim_is_judged_where_it_speaks() -> None:
    found = derive("lampert2026.sec5.monotone-iff")
    true = {"D decreasing": "iff beta*t1 > 0"}
    outcome = settle_equivalence(statement(true), found, [])
    assert outcome.status == "disproved"
    (fails,) = (text for text in outcome.evidence if "fails at" in text)
    assert fails.endswith(", where D decreasing holds") and "'" not in fails and "{" not in fails
    assert outcome.boundaries == {"D decreasing": ("beta*t1 = 0",)}
    # the boundary is excluded, so that nothing contradicts it; what a whole cell says is then open
    assert settle_equivalence(statement(true, conditions=("beta*t1 != 0",)), found, []).status == "undecided"


def test_a_name_that_no_case_gives_is_told() -> None:
    with pytest.raises(ValueError, match="asks for foo, which a case of x, y does not give"):
        holds(("foo > 0",), {"x": "1", "y": "1"})


def test_what_suffices_for_fewer_keys_is_not_taken_for_all() -> None:
    """J = {1}, z_0 = (1, 1), z_1 = (1, 0), z_2 = (1, 2): a W exists where z_2 is not seen, and none where it is."""
    full, causal = (
        derive("lampert2026.sec4.prop41-window").quantities["representable"],
        ("rho_Q > 0", "rho_K_causal > 0"),
    )
    assert isinstance(full, Equivalence)
    assert unsupported_equivalence(full) == []
    made, _, last = full.steps
    i = symbol("i")
    keys = (sp.Integer(1), i)
    part = Step("rank-one", "", (causal, *keys, made.data[3], symbol("rho_Q") ** 2 * symbol("rho_K_causal") ** 2))
    other = Step("sufficient-alone", "", ("representable", causal, *keys, part))
    assert licensed(other)
    mixed = replace(full, steps=(part, other, last), sufficient=(causal,))
    assert unsupported_equivalence(mixed) == ["no step concludes that rho_Q > 0 & rho_K_causal > 0 suffices"]


def test_a_condition_has_its_sign_told_once_at_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[sp.Expr]()

    def counted(gap: sp.Expr, point: dict[str, Fraction]) -> int | None:
        asked.append(gap)
        return sign(gap, point)

    monkeypatch.setattr(numeric, "sign", counted)
    case = Case({"x": "1", "y": "-2"})
    for last, true in (("x + y > 0", False), ("x + y >= 0", False), ("x + y < 0", True)):
        assert holds(("x > 0", last), case) is true
    assert asked == [symbol("x"), symbol("x") + symbol("y")]


def test_what_a_claim_assumes_is_read_once() -> None:
    claim = statement({"it": "iff x > 0"})
    assert where_said(claim) is where_said(claim)
    assert where_said(replace(claim, conditions=("x >= 0",))) != where_said(claim)
