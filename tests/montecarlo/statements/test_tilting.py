"""Importance sampling of exponentials: the means are those of closed forms, far beyond where plain samples see them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from montecarlo.statements import tilting, waves
from montecarlo.statements.nodes import StatementSimulationError
from montecarlo.statements.simulation import StatementSimulation
from proofs_check.statements.measuring import TooDearError, WithoutValueError, measure, plan
from proofs_check.statements.request import Request
from tests.montecarlo.statements.plain import Plain, num, x

U: Plain = ["vector", "u"]
CASE = {"d": 2, "T": 2, "Sigma": [["2", "0"], ["0", "1/2"]], "u": ["3", "-2"], "m": ["1", "1"]}
#: u^T Sigma u
Q = 20.0


def along(position: int, *, factor: str = "1") -> Plain:
    """factor x[position]^T u."""
    return ["*", ["number", factor], ["T", x(position)], U]


def exp(form: Plain) -> Plain:
    return ["exp", form]


def simulated(argument: Plain, law: str = "iid", case: dict[str, Any] = CASE) -> StatementSimulation:
    found = StatementSimulation({"law": [law], "left": ["E", argument], "right": num(0)}, case).tilted()
    assert found is not None
    return found


def mean_and_error(simulation: StatementSimulation, device: str = "cpu") -> tuple[float, float]:
    sample = simulation.draw(1 << 17, seed=1, claim_id="test.tilting", key=device, device=device)
    (estimate,) = sample.estimates.values()
    return float(estimate.block_means.mean()), math.sqrt(estimate.pair_mean / (1 << 17))


@pytest.mark.parametrize(
    ("law", "argument", "mean"),
    [
        ("iid", exp(along(1)), math.exp(Q / 2)),
        ("walk", exp(along(2)), math.exp(Q)),
        ("walk-mean", exp(along(1)), math.e),
        ("walk-mean", exp(along(2)), math.exp(1 + Q / 2)),
        ("iid", ["*", exp(along(1)), exp(along(2))], math.exp(Q)),
        ("iid", ["+", exp(along(1)), exp(along(1, factor="-1"))], 2 * math.exp(Q / 2)),
        ("iid", ["**", ["+", exp(along(1)), exp(along(2)), num(-3)], num(2)], None),
        ("iid", ["*", exp(along(1)), ["cos", along(2, factor="1/4")]], math.exp(Q / 2 - Q / 32)),
    ],
)
def test_means_of_exponentials(law: str, argument: Plain, mean: float | None) -> None:
    if mean is None:
        one, two, four = math.exp(Q / 2), math.exp(Q), math.exp(2 * Q)
        mean = 2 * four + 2 * two + 9 - 12 * one
    if law == "walk-mean" and argument == exp(along(1)):
        # x_1 = m is no random number
        assert StatementSimulation({"law": [law], "left": ["E", argument], "right": num(0)}, CASE).tilted() is None
        return
    found, error = mean_and_error(simulated(argument, law))
    assert abs(found - mean) < 5 * error < 0.05 * abs(mean)


def test_of_a_kurtosis_that_is_exact() -> None:
    """Of one exponential, whatever its slope was: that of exp(z/2)."""
    simulation = simulated(exp(along(1)))
    (name,) = simulation.statistics
    w = math.exp(tilting.LEFT**2)
    assert simulation.tails(name).kurtosis == pytest.approx(w**4 + 2 * w**3 + 3 * w**2 - 3, rel=2e-3)
    plain = StatementSimulation({"law": ["iid"], "left": ["E", exp(along(1))], "right": num(0)}, CASE)
    assert (plain.tails(name).kurtosis or 0.0) > 1e30


def test_short_slopes_and_bounded_numbers_stay_plain() -> None:
    short = CASE | {"u": ["1/4", "0"]}
    for argument, case in ((exp(along(1)), short), (["cos", along(1)], CASE), (["**", along(1), num(2)], CASE)):
        plain = StatementSimulation({"law": ["iid"], "left": ["E", argument], "right": num(0)}, case)
        assert plain.tilted() is None


@pytest.mark.filterwarnings("error")
def test_exponentials_that_cancel_are_none() -> None:
    gone = [exp(along(1)), ["*", num(-1), exp(along(1))]]
    simulation = simulated(["+", *gone, exp(along(2))])
    assert all(len(tilt.slopes) == 1 for tilt in simulation.tilts.values())
    found, error = mean_and_error(simulation)
    assert abs(found - math.exp(Q / 2)) < 5 * error
    assert StatementSimulation({"law": ["iid"], "left": ["E", ["+", *gone]], "right": num(0)}, CASE).tilted() is None


@pytest.mark.parametrize("law", ["iid-sphere", "frame"])
def test_of_tokens_that_are_not_gaussian_nothing_is_moved(law: str) -> None:
    assert StatementSimulation({"law": [law], "left": ["E", exp(along(1))], "right": num(0)}, CASE).tilted() is None


def test_torch_draws_the_same_law() -> None:
    simulation = simulated(["+", exp(along(1)), exp(along(2, factor="-1"))])
    sample = simulation.by_torch(claim_id="test.tilting", walks=1 << 16, seed=1, key="torch", device="cpu", threads=1)
    (estimate,) = sample.estimates.values()
    error = math.sqrt(estimate.pair_mean / (1 << 16))
    assert abs(float(estimate.block_means.mean()) - 2 * math.exp(Q / 2)) < 5 * error


def test_an_expansion_that_is_not_the_expression_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = waves.exponentials

    def wrong(*given: Any) -> waves.Terms:
        return {slope: 1.001 * weight for slope, weight in honest(*given).items()}

    monkeypatch.setattr(waves, "exponentials", wrong)
    with pytest.raises(StatementSimulationError, match="not the sum of exponentials"):
        simulated(exp(along(1)))


def test_a_wrong_density_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without exp(-|c|^2/2) the mean is another one."""
    honest = tilting.tilted

    def wrong(terms: waves.Terms) -> tilting.Tilted | None:
        found = honest(terms)
        assert found is not None
        lost = (np.linalg.norm(np.array(list(terms)).real, axis=1) - tilting.LEFT) ** 2 / 2
        return tilting.Tilted(found.slopes, found.logarithms + lost)

    monkeypatch.setattr(tilting, "tilted", wrong)
    found, error = mean_and_error(simulated(exp(along(1))))
    assert abs(found - math.exp(Q / 2)) > 5 * error


WIDE = {"d": 1, "Sigma": [["1"]], "u": ["5"]}


def test_where_plain_samples_do_not_suffice_tokens_are_moved() -> None:
    prop = Request("E[exp(x[1].T*u)] = exp(u.T*u/2)", "u in R^d", law="iid").read()
    given: dict[str, Any] = {"claim_id": "test.tilting", "seed": 0, "delta": 1e-9, "effort": "quick"}
    measured = measure(prop, WIDE, **given)
    assert measured.moved and measured.agrees("=") and measured.left[0] < math.exp(12.5) < measured.left[1]
    assert not plan(prop, WIDE | {"u": ["1/2"]}, **given).simulation.tilts
    wrong = Request("E[exp(x[1].T*u)] = 21/20*exp(u.T*u/2)", "u in R^d", law="iid").read()
    assert measure(wrong, WIDE, **given).contradicts("=")
    # exp(450) is a value, whose square is too large for a float
    with pytest.raises(TooDearError) as raised:
        plan(prop, WIDE | {"u": ["30"]}, **given)
    assert not isinstance(raised.value, WithoutValueError)
    with pytest.raises(TooDearError, match="no bound of the kurtosis"):
        plan(Request("Var[exp(x[1].T*u)] = 1", "u in R^d", law="iid").read(), WIDE, **given)
