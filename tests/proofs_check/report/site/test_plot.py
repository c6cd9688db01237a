"""The drawing of the cases: where values stand, and that no number breaks it."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
import sympy as sp
from markupsafe import Markup, escape

from proofs_check.claims.cases import numbers, shown_case
from proofs_check.report.site import plot

CASE: Any = {
    "params": {},
    "quantity": "moment",
    "printed": "0",
    "derived": "1",
    "estimate": 1.01,
    "low": 0.9,
    "high": 1.1,
    "samples": 10,
    "z": None,
}


def test_distances_are_in_half_widths_from_the_derived_value() -> None:
    (row,) = plot.rows([CASE]).rows
    assert math.isclose(row["low"], -1) and math.isclose(row["high"], 1)
    assert math.isclose(row["estimate"], 0.1) and math.isclose(row["printed"], -10)


def test_a_print_outside_the_interval_is_marked() -> None:
    inside = CASE | {"printed": "1.05"}
    tree = ET.fromstring(str(plot.drawn(plot.rows([CASE, inside, CASE | {"printed": None}]), "p", escape)))
    marks = [node.get("class") for node in tree.iter("path")]
    assert marks == ["printed outside", "printed inside"]
    assert "outside the interval in 1 of 2" in "".join(tree.itertext())


def test_a_bound_outside_is_no_error_where_the_check_agrees() -> None:
    drawing = plot.rows([CASE])
    assert "printed outside" not in str(plot.drawn(drawing, "p", escape, contradicts=False))
    assert "need not lie" in plot.remarks(drawing, contradicts=False)[0]
    agreeing = plot.rows([CASE | {"printed": "1.05"}])
    assert "at the counterexample" in plot.remarks(agreeing)[0] and plot.remarks(agreeing, contradicts=False) == []


def test_distances_far_away_are_drawn_at_the_edge() -> None:
    assert plot.bent(0.5) == 0.5 and plot.bent(-10) == -2 and plot.bent(1e300) == plot.bent(1e9)


def test_no_number_breaks_the_drawing() -> None:
    odd = [math.nan, math.inf, 1e308, -1e308, 10**400, "1/0", "x", None, True, "9" * 5000, 5e-324]
    cases = [CASE | {key: value} for key in ("printed", "derived", "estimate", "low", "high") for value in odd]
    cases += [CASE | {"numbers": {"printed": value, "derived": value, "within": value}} for value in odd]
    for case in cases:
        drawing = plot.rows([case])
        drawn = str(plot.drawn(drawing, "p", escape))
        assert bool(drawn) is not bool(drawing.left)
        if drawn:
            ET.fromstring(drawn)
            assert not re.search(r"\b(nan|inf)\b", drawn.replace("infinite", ""))
    assert str(plot.drawn(plot.rows([]), "p", escape)) == ""


THETA, ROOT = sp.Symbol("theta"), sp.sqrt(sp.Rational(1, 2))


@pytest.mark.parametrize(
    ("printed", "derived", "at"),
    [
        (sp.erf(ROOT) / 2, sp.erf(ROOT), -5 * float(sp.erf(ROOT))),
        (-sp.sqrt(78) * sp.exp(-1) / sp.sqrt(sp.pi), sp.Integer(0), -10 * math.sqrt(78 / math.pi) / math.e),
        (None, sp.sqrt(2), None),
        (True, False, 1.0),
        (sp.false, sp.true, -1.0),
    ],
)
def test_every_value_of_the_two_sides_has_its_place(printed: Any, derived: Any, at: float | None) -> None:
    answer = str(derived) in ("True", "False")
    middle = float(bool(derived)) if answer else float(derived)
    half = 0.0 if answer else 0.1
    case = shown_case({}, "q", printed, derived, (middle - half, middle + half))
    (row,) = plot.rows([case]).rows
    assert row["printed"] == (None if at is None else pytest.approx(at)) and row["estimate"] == 0


def test_a_limit_brings_its_own_numbers() -> None:
    limit = CASE | {"at": "limit", "derived": "sqrt(2)", "printed": "pi", "along": [], "low": 1.3, "high": 1.5}
    case: Any = shown_case({}, "q", 0, 100, (99, 101))
    case["limit"] = limit | {"numbers": numbers(sp.pi, sp.sqrt(2)), "estimate": 1.4}
    (row,) = plot.rows([case]).rows
    assert row["printed"] == pytest.approx((math.pi - math.sqrt(2)) / 0.1)
    # the number before the limit is not put in its place
    case["limit"].pop("numbers")
    assert plot.rows([case]).rows == []


def test_the_caption_counts_what_is_not_drawn_and_says_why() -> None:
    cases = [
        shown_case({}, "q", 1, sp.nan, (0, 1)),
        shown_case({}, "q", 1, THETA, (0, 1)),
        shown_case({}, "q", 1, None, (0, 1)),
        shown_case({}, "q", 1, 1, (0, math.inf)),
        CASE | {"derived": "sqrt(2)"},
        CASE,
    ]
    drawing = plot.rows(cases)
    assert len(drawing.rows) == 1 and sum(drawing.left.values()) == 5
    told = " ".join(plot.remarks(drawing))
    assert "1 case is not drawn: no finite value was derived" in told
    assert "3 cases are not drawn: the report has the derived value as text" in told
    assert "the interval has no finite middle" in told
    many = plot.rows([CASE] * (plot.MOST + 3))
    assert len(many.rows) == plot.MOST and "3 cases are not drawn" in " ".join(plot.remarks(many))
    assert plot.remarks(plot.rows([CASE])) == []


def test_an_enclosure_is_a_band_and_an_answer_is_one() -> None:
    case = shown_case({}, "q", None, (0.9, 1.1), (0.95, 1.15))
    (row,) = plot.rows([case]).rows
    assert row["within"] == pytest.approx(1) and row["estimate"] == pytest.approx(0.5)
    assert case["derived"] == "0.9 to 1.1" and 'class="band"' in str(plot.drawn(plot.rows([case]), "p", escape))
    assert any("enclosure" in text for text in plot.remarks(plot.rows([case])))
    answer = plot.rows([shown_case({}, "q", True, False, (0, 0))])
    assert any("where it holds" in text for text in plot.remarks(answer))
    assert "derived False, printed True" in str(plot.drawn(answer, "p", escape))


def test_rows_of_several_quantities_have_theirs_typeset() -> None:
    def typeset(name: str) -> Markup:
        return Markup("<math><mi>{}</mi></math>").format(name)

    several = [CASE, CASE | {"quantity": "exp(u.T*v), limit"}]
    tree = ET.fromstring(str(plot.drawn(plot.rows(several), "p", typeset)))
    told = ["".join(node.itertext()) for node in tree.iter("div")]
    assert told == ["case 1, moment", "case 2, exp(u.T*v)"]
    assert [node.text for node in tree.iter("mi")] == ["moment", "exp(u.T*v)"]
    assert "<math>" not in str(plot.drawn(plot.rows([CASE]), "p", typeset))
