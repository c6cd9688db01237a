"""Sums to infinity in floats: their values, bounds of the rest that hold, and what is not seen to converge."""

from __future__ import annotations

import math
from typing import Any

import pytest

from montecarlo.statements import series
from montecarlo.statements.encloser import Encloser
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import NoValueError, frozen
from montecarlo.statements.values import value

K, ONE = ["name", "k"], ["number", "1"]
POWER = ["**", ["name", "w"], K]
FACTORIAL = ["prod", ["name", "j"], "j", ONE, K]
EXPONENTIAL = ["series", ["/", POWER, FACTORIAL], "k", ["number", "0"]]
LOGARITHM = ["series", ["/", POWER, K], "k", ONE]


def at(node: list[Any], w: float) -> tuple[float, float]:
    """The sum and how far it may be off."""
    _, body, index, first = frozen(node)
    env = environment_of({"w": str(w)}, None)
    return series.total(float(first[1]), body, index, lambda one: float(value(one, env)))


@pytest.mark.parametrize(
    ("node", "w", "true"),
    [
        (EXPONENTIAL, 0.5, math.exp(0.5)),
        (EXPONENTIAL, -5.0, math.exp(-5)),
        (EXPONENTIAL, 300.0, math.exp(300)),
        (LOGARITHM, 0.5, math.log(2)),
        (LOGARITHM, 0.99, math.log(100)),
        (LOGARITHM, -0.9, -math.log(1.9)),
    ],
)
def test_the_bound_holds(node: list[Any], w: float, true: float, monkeypatch: pytest.MonkeyPatch) -> None:
    found, off = at(node, w)
    assert abs(found - true) <= off <= 1e-9 * max(abs(true), 1.0)
    env = environment_of({"w": str(w)}, None)
    low, high = Encloser(env, lambda _: (0.0, 0.0)).number(frozen(node)).pair
    assert low <= true <= high
    # ratios that are taken too small leave too much out
    right = series.ratio
    monkeypatch.setattr(series, "ratio", lambda *args: tuple(1e-30 * one for one in right(*args)))
    found, off = at(node, w)
    assert abs(found - true) > off or w in (0.5, -5.0)


@pytest.mark.parametrize("w", [1.0, -1.0, 1.5, 0.9999])
def test_what_is_not_seen_to_converge_has_no_value(w: float) -> None:
    assert math.isnan(at(LOGARITHM, w)[0])
    with pytest.raises(NoValueError, match="converge"):
        value(LOGARITHM, environment_of({"w": str(w)}, None))


def test_terms_that_cancel_have_no_value() -> None:
    _, body, index, _ = frozen(EXPONENTIAL)
    env = environment_of({"w": "-60"}, None)
    assert math.isnan(series.value(0.0, body, index, lambda one: float(value(one, env))))
