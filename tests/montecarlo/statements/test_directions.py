"""Numbers made of a token's direction are bounded by Cauchy and Schwarz."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import frozen
from montecarlo.statements.tails import bounds
from montecarlo.statements.values import value

TOKEN = ["token", ["number", "1"]]
FORM = ["*", ["T", TOKEN], ["vector", "u"]]


def quotient(above: int, below: int, norm: list[Any] | None = None) -> Any:
    length = ["norm", norm or TOKEN, ""]
    return frozen(["/", ["**", FORM, ["number", str(above)]], ["**", length, ["number", str(below)]]])


@pytest.mark.parametrize("power", [1, 2, 3, 6])
def test_the_bounds_hold_and_are_attained(power: int) -> None:
    env = environment_of({"d": 2, "u": ["3", "-4"]})
    low, high = bounds(quotient(power, power), env) or (math.nan, math.nan)
    assert high == pytest.approx(5.0**power) and low == (0 if power % 2 == 0 else pytest.approx(-(5.0**power)))
    angles = torch.linspace(0, 2 * math.pi, 721, dtype=torch.float64)
    tokens = 2 * torch.stack([torch.cos(angles), torch.sin(angles)], -1)[:, None]
    found = torch.as_tensor(value(quotient(power, power), env.with_tokens(tokens)))
    assert low <= float(found.min()) and float(found.max()) <= high
    assert float(found.max()) > 0.999 * high


def test_others_have_none() -> None:
    env = environment_of({"d": 2, "u": ["3", "-4"]})
    other = ["token", ["number", "2"]]
    assert bounds(quotient(3, 2), env) is bounds(quotient(2, 3), env) is bounds(quotient(2, 2, other), env) is None
