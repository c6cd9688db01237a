"""Derivatives by automatic differentiation, probabilities of a normal number and indicators, of plain data."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from montecarlo import search_values
from montecarlo.statements.combine import combine
from montecarlo.statements.environment import Environment, environment_of
from montecarlo.statements.nodes import StatementSimulationError, frozen, names, put
from montecarlo.statements.simulation import StatementSimulation
from montecarlo.statements.values import numbers, value

U, V = ["name", "u"], ["name", "v"]


def _number(text: str) -> list[Any]:
    return ["number", text]


CHANCE = ["chance", "within", U, V, _number("0"), _number("1")]
#: A function of u and v, and its derivative by u at (u, v).
SLOPES: list[tuple[list[Any], Any]] = [
    (["**", U, _number("3")], lambda u, v: 3 * u**2),
    (["/", ["erf", ["*", U, V]], V], lambda u, v: 2 * math.exp(-((u * v) ** 2)) / math.sqrt(math.pi)),
    (["sqrt", ["+", _number("1"), ["**", U, _number("2")]]], lambda u, v: u / math.sqrt(1 + u**2)),
    (
        CHANCE,
        lambda u, v: (math.exp(-(u**2) / (2 * v)) - math.exp(-((1 - u) ** 2) / (2 * v))) / math.sqrt(2 * math.pi * v),
    ),
    (["sum", ["**", U, ["name", "k"]], "k", _number("1"), _number("3")], lambda u, v: 1 + 2 * u + 3 * u**2),
    (["*", V, ["pi"]], lambda u, v: 0.0),
]


@pytest.mark.parametrize(("body", "slope"), SLOPES)
@pytest.mark.parametrize("point", [(0.25, 2.0), (-1.5, 0.5), (3.0, 1.0)])
def test_slopes(body: list[Any], slope: Any, point: tuple[float, float]) -> None:
    u, v = point
    node = ["diff", body, "u", U]
    case = {"u": str(u), "v": str(v)}
    assert value(node, environment_of(case)) == pytest.approx(slope(u, v), rel=1e-13, abs=1e-15)
    # the search has difference quotients instead
    found = search_values.evaluate(node, {"numbers": {"u": u, "v": v}})
    assert found == pytest.approx(slope(u, v), rel=1e-9, abs=1e-9)


def test_slopes_of_slopes_and_at_another_place() -> None:
    env = environment_of({"u": "2", "v": "5"})
    inner = ["diff", ["*", ["**", U, _number("3")], ["**", V, _number("2")]], "u", U]
    assert value(["diff", inner, "v", V], env) == pytest.approx(120.0, rel=1e-13)
    assert value(["diff", inner, "u", U], env) == pytest.approx(6 * 2 * 25, rel=1e-13)
    # a name in the body keeps its value, whatever stands at the place
    placed = ["diff", ["*", V, ["**", U, _number("2")]], "u", V]
    assert value(["diff", placed, "v", V], env) == pytest.approx(4 * 5.0, rel=1e-13)
    node = frozen(placed)
    assert names(node) == {"v"} and put(node, "u", ("number", "1")) == node


def test_slopes_inside_sums_and_walk_by_walk() -> None:
    env = environment_of({"u": "2"})
    node = ["sum", ["diff", ["**", U, ["name", "k"]], "u", U], "k", _number("1"), _number("4")]
    assert value(node, env) == pytest.approx(1 + 4 + 12 + 32, rel=1e-13)
    tokens = torch.tensor([[[2.0]], [[3.0]]], dtype=torch.float64)
    walks = Environment(2, tokens, {"I": torch.eye(1, dtype=torch.float64)}, {}, {"d": 1, "u": 2.0})
    square = ["*", ["T", ["token", _number("1")]], ["token", _number("1")], ["**", U, _number("2")]]
    assert numbers(frozen(["diff", square, "u", U]), walks).tolist() == [16.0, 36.0]


def test_probabilities_keep_their_tails() -> None:
    env = environment_of({"u": "0", "v": "1"})
    for kind, end, expected in (("above", "9", 1.1285884059538406e-19), ("below", "-9", 1.1285884059538406e-19)):
        assert value(["chance", kind, U, V, _number(end)], env) == pytest.approx(expected, rel=1e-12)
    far = ["chance", "within", U, V, _number("9"), _number("10")]
    assert value(far, env) == pytest.approx(1.1285884059538406e-19, rel=1e-4)
    mirrored = ["chance", "within", U, V, _number("-10"), _number("-9")]
    assert value(mirrored, env) == pytest.approx(value(far, env), rel=1e-12)
    with pytest.raises(StatementSimulationError, match="the variance is -1"):
        value(CHANCE, environment_of({"u": "0", "v": "-1"}))


def test_enclosures_hold_the_values() -> None:
    env = environment_of({"u": "1/3", "v": "2"})
    for node in (CHANCE, ["erf", U], ["*", ["pi"], U], ["chance", "above", U, V, _number("1/2")]):
        low, high = combine(node, env)
        assert low <= value(node, env) <= high < low + 1e-12
    open_mean = ["chance", "within", ["E", U], V, _number("0"), _number("1")]
    low, high = combine(open_mean, env, {"E[u]": (0.0, 0.5)})
    for mean in (0.0, 0.25, 0.5):
        assert low <= value(put(frozen(CHANCE), "u", ("number", str(mean))), env) <= high


def test_indicators_and_chains() -> None:
    chain = ["and", ["relation", "<=", _number("0"), U], ["relation", "<", U, _number("1/2")]]
    for u, expected in (("1/4", 1.0), ("1/2", 0.0), ("-1/4", 0.0)):
        assert value(["indicator", chain], environment_of({"u": u})) == expected
        assert search_values.evaluate(["indicator", chain], {"numbers": {"u": u}}) == expected


def test_a_case_that_does_not_apply_needs_no_value() -> None:
    node = ["*", ["indicator", ["relation", ">", U, _number("2")]], ["/", _number("1"), U]]
    for u, expected in (("0", 0.0), ("4", 0.25)):
        assert value(node, environment_of({"u": u})) == expected
        assert search_values.evaluate(node, {"numbers": {"u": u}}) == expected


def test_a_chain_is_an_event_of_walks() -> None:
    square = ["*", ["T", ["token", _number("1")]], ["token", _number("1")]]
    chain = ["and", ["relation", "<=", _number("1/4"), square], ["relation", "<=", square, _number("1")]]
    simulation = StatementSimulation(
        {"law": ["walk"], "left": ["P", chain], "right": _number("0")}, {"d": 1, "Sigma": [["1"]]}
    )
    (found,) = simulation.draw(20_000, 3, "test.chain", "chain").estimates.values()
    expected = math.erf(1 / math.sqrt(2)) - math.erf(0.5 / math.sqrt(2))
    assert abs(found.mean - expected) < 6 * found.std_error < 0.03
