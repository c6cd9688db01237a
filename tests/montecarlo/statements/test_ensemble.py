"""The interpreter of the simulations at a finite exchangeable law: means over every order, properties on a grid."""

from __future__ import annotations

from fractions import Fraction

import pytest

from montecarlo.search_conditions import property_margin
from montecarlo.search_values import evaluate
from montecarlo.statements.ensemble import law_of
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import StatementSimulationError, frozen
from montecarlo.statements.values import value
from tests.theorems.statement.values.test_monotone import SETS, W, law
from theorems.statement.proposition import proposition
from theorems.statement.values.values import scalar

CASE = {"tokens": SETS, "W": W, "i": 1, "j": 2, "l": "1/3"}
Y = "Y[i] = x[i] + W*((1 - l)*x[i] + l*mean(x))"


@pytest.mark.parametrize(
    "text",
    [
        "E[x[i].T*W*x[j]]",
        "tr(E[x[i]*x[j].T]*W)",
        "E[norm(Y[i])**2]",
        "E[Y[i].T*Y[j]]/E[norm(Y[i])**2]",
        "E[abs(1 - norm(x[i])**2/E[norm(x[i])**2])]",
        "diff(E[norm(Y[i])**2], l, 1)",
        "diff(E[norm(Y[i])**2], l, 0)",
        "E[norm(mean(Y))**2]",
    ],
)
def test_both_interpreters_have_one_value(text: str) -> None:
    known = ["i != j"] if "[j]" in text else []
    known += ["l real"] if "Y" in text and "diff" not in text else []
    prop = proposition(f"{text} = 0", ", ".join(known), Y, "exchangeable")
    found = scalar(prop.left, law().with_number("l", Fraction(1, 3)))
    exact = float(found) if isinstance(found, Fraction) else float(found.mid())
    assert value(frozen(prop.left.plain()), law_of(CASE)) == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_an_expectation_stands_at_a_whole_law_alone() -> None:
    node = frozen(["E", ["name", "u"]])
    with pytest.raises(StatementSimulationError, match="a moment stands inside another one"):
        value(node, environment_of({"u": 1}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("increasing(t**2, t, 0, 1)", 1.0),
        ("decreasing(t**2, t, 0, 1)", 0.0),
        ("peaks(t*(1 - t), t, 0, 1)", 1.0),
        ("positive(t - 1/2, t, 0, 1)", 0.0),
    ],
)
def test_properties_on_a_grid(text: str, expected: float) -> None:
    plain = proposition(f"{text} if u > 0", "u real").left.plain()
    assert value(frozen(plain), environment_of({"u": 1})) == expected
    assert (evaluate(plain, {"numbers": {"u": 1}}) > 0) == bool(expected)


def test_the_margin_of_a_property_has_its_sign() -> None:
    assert property_margin("increasing", [0.0, 1.0, 2.0]) > 0
    assert property_margin("increasing", [0.0, 1.0, 1.0]) == 0
    assert property_margin("peaks", [0.0, 1.0, 0.5]) > 0
    assert property_margin("peaks", [0.0, 0.5, 1.0]) < 0
    assert property_margin("positive", [1.0, -1.0]) < 0
