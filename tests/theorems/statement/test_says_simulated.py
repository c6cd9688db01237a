"""What the claims say, simulated from the statement alone, against its exact value: one case each, fixed seeds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from montecarlo.statements import StatementSimulation
from tests.theorems.statement.saying import said
from theorems.claims.catalogue import shipped
from theorems.statement.decide import Derivation
from theorems.statement.proposition import Proposition

POINT: dict[str, Any] = {
    "T": 4,
    "i": 2,
    "j": 3,
    "d": 2,
    "W": [["1", "1/2"], ["1/2", "-1/4"]],
    "Sigma": [["2", "1"], ["1", "1"]],
    "a": ["1", "2"],
    "b": ["1", "1"],
    "m": ["1", "2"],
    "lam": "2",
    "theta": "1/2",
}
SAID = [
    (claim.id, name)
    for claim in shipped()
    if claim.says is not None and claim.relation == "="
    for name in claim.printed
    if name in claim.says.quantities and "x[" in claim.says.quantities[name] + claim.says.where
    # limits within a side are of no finite walk
    if "lim(" not in claim.says.quantities[name] and said(claim, name).random
    # the probability of an event has no moments to be derived from: it is held to both sides in other ways
    if not said(claim, name).left.has("exists")
    if said(claim, name).law.gaussian
]
CLAIMS = {claim.id: claim for claim in shipped()}
WALKS, ERRORS = 40_000, 6.0


def case_for(prop: Proposition) -> dict[str, Any]:
    """The point, with what the statement has."""
    names = {"d", "Sigma", *prop.positions, *prop.parameters, *prop.matrices, *prop.known.vectors}
    found = {name: value for name, value in POINT.items() if name in names or (name == "m" and prop.law.moved)}
    return found | ({"Sigma": [["1", "0"], ["0", "1"]]} if prop.known.identity else {})


def simulated(prop: Proposition) -> tuple[float, float]:
    """The interval of the left side where every raw mean lies within some standard errors of its estimate."""
    simulation = StatementSimulation(prop.plain(), case_for(prop))
    sample = simulation.draw(WALKS, 5, "statement", prop.text)
    spread = {
        name: (one.mean - ERRORS * one.std_error, one.mean + ERRORS * one.std_error)
        for name, one in sample.estimates.items()
    }
    return simulation.interval("left", spread)


@pytest.mark.parametrize(("claim_id", "name"), SAID)
def test_the_simulation_of_a_statement_has_its_value(claim_id: str, name: str) -> None:
    """The exact value lies within six standard errors, and these are a small part of it."""
    prop = said(CLAIMS[claim_id], name)
    derivation = Derivation(prop)
    exact = float(derivation.at(prop.left, case_for(prop)))
    low, high = simulated(prop)
    assert low <= exact <= high
    assert high - low < 0.7 * max(abs(exact), 0.1)


def test_another_statement_is_told_apart() -> None:
    """The value of (C2) is none that the simulation of the sum from j on, not j + 1, allows."""
    claim = CLAIMS["bao2024.appC.lemma1-C2"]
    assert claim.says is not None
    prop = said(claim, "C2")
    exact = float(Derivation(prop).at(prop.left, case_for(prop)))
    text = claim.says.quantities["C2"].replace("j + 1, T", "j, T")
    assert text != claim.says.quantities["C2"]
    other = said(replace(claim, says=replace(claim.says, quantities={"C2": text})), "C2")
    low, high = simulated(other)
    assert not low <= exact <= high


def test_nested_sums_of_expectations_are_one_statistic() -> None:
    """However long the walk: (C2) is the mean of one number a walk."""
    prop = said(CLAIMS["bao2024.appC.lemma1-C2"], "C2")
    simulation = StatementSimulation(prop.plain(), case_for(prop) | {"T": 400})
    assert len(simulation.statistics) == 1
