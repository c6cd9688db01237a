"""Tokens on the sphere have a bound, and so has what is made of them; others have none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from montecarlo.statements.environment import environment_of
from montecarlo.statements.simulation import BoundsError, StatementSimulation
from montecarlo.statements.tails import bounds
from theorems.statement.proposition import proposition

CASE = {"d": 2, "T": 3, "Sigma": [["2", "1"], ["1", "2"]], "u": ["1/2", "-1/4"], "a": "1"}


def simulated(law: str) -> StatementSimulation:
    prop = proposition("E[exp(x[1].T*u)] <= a", "u in R^d, a real", "", law)
    return StatementSimulation(prop.plain(), CASE)


@pytest.mark.parametrize("law", ["iid(sphere)", "iid(signs)"])
def test_the_values_lie_within_the_bounds(law: str) -> None:
    (statistic,) = simulated(law).statistics.values()
    assert statistic.bounds is not None
    # u.T*Sigma*u = 3/8, so that |x.u| <= sqrt(2*3/8)
    assert statistic.bounds == pytest.approx((2.718281828**-0.8660254, 2.718281828**0.8660254))
    found = simulated(law).draw(1 << 14, 0, "test", "case").estimates
    (estimate,) = found.values()
    assert statistic.bounds[0] < float(estimate.block_means.mean()) < statistic.bounds[1]


@pytest.mark.parametrize("law", ["iid", "walk", "iid(student(40))"])
def test_other_tokens_have_no_bound(law: str) -> None:
    (statistic,) = simulated(law).statistics.values()
    assert statistic.bounds is None


def test_a_radius_that_is_too_small_is_a_fault() -> None:
    simulation = simulated("iid(sphere)")
    env = environment_of(CASE)
    env.radius = 1.0
    (name,) = simulation.statistics
    statistic: Any = simulation.statistics[name]
    simulation.statistics[name] = replace(statistic, bounds=bounds(statistic.arguments[0], env))
    with pytest.raises(BoundsError, match="outside its bounds"):
        simulation.draw(1 << 12, 0, "test", "case")
