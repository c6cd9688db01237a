"""Claims about moments of Gaussian tokens: a changed quantity is noticed, and a simulation of the statement has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from montecarlo.statements import StatementSimulation
from proofs_check.binding.hold import derivation_bound
from tests.proofs_check.binding.test_prints import MOMENTS, judged
from theorems.claims.catalogue import Statement, by_id
from theorems.kernel.catalogued import said
from theorems.kernel.deriving import derive
from theorems.statement.deciding.decide import Derivation
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition

#: Changes of a statement's text that change what it says.
PLANTED = (
    (r"Var\[", "E["),
    (r"x\[i\]", "x[i + 1]"),
    (r"x\[T\]", "x[T - 1]"),
    (r"x\[2\]", "x[3]"),
    (r"\[i\] = (.*?) - sum", r"[i] = \1 + sum"),
    (r"\bT\*\*([23])", r"T**(\1 + 1)"),
    (r"^2\*", "3*"),
    (r"1, T\)", "2, T)"),
    ("512/100", "128/100"),
)
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
SAID = [(claim, name) for claim in MOMENTS for name in by_id()[claim].printed]
WALKS, ERRORS = 40_000, 6.0


def changed(claim: Statement) -> Iterator[tuple[Statement, str]]:
    """The claim with one place of its text changed, for every change that applies to its first quantity."""
    says = claim.says
    assert says is not None
    first = next(iter(says.quantities))
    for pattern, new in PLANTED:
        if re.search(pattern, says.quantities[first]):
            table = {**says.quantities, first: re.sub(pattern, new, says.quantities[first])}
            yield replace(claim, says=replace(says, quantities=table)), f"{pattern} in {table[first]}"
        elif re.search(pattern, says.where):
            where = re.sub(pattern, new, says.where, count=1)
            yield replace(claim, says=replace(says, where=where)), f"{pattern} in {says.where}"


@pytest.mark.parametrize("claim_id", MOMENTS)
def test_a_changed_quantity_is_noticed(claim_id: str) -> None:
    """Var for E, another index, a sign, a power: it is no longer the derived one."""
    pair = judged(claim_id)[0]
    claim = pair.statement
    assert claim.says is not None

    def derived(kernel: Any, chain: tuple[str, ...], symmetric: bool) -> Any:
        return derive(claim.id, chain, kernel, parameters=claim.parameters, symmetric=symmetric)

    mutants = list(changed(claim))
    assert mutants
    for mutant, words in mutants[: 1 if claim.says.where else 2]:
        try:
            found = derivation_bound(mutant, [claim.says.law], derived)
        except StatementError:
            # the change leaves the positions from 1 to T
            continue
        assert not found.bound, f"{claim_id}: {words}"


# -- the statement alone, simulated


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
    prop = said(by_id()[claim_id], name)
    exact = float(Derivation(prop).at(prop.left, case_for(prop)))
    low, high = simulated(prop)
    assert low <= exact <= high
    assert high - low < 0.7 * max(abs(exact), 0.1)


def test_another_statement_is_told_apart() -> None:
    """The value of (C2) is none that the simulation of the sum from j on, not j + 1, allows."""
    claim = by_id()["bao2024.appC.lemma1-C2"]
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
    prop = said(by_id()["bao2024.appC.lemma1-C2"], "C2")
    simulation = StatementSimulation(prop.plain(), case_for(prop) | {"T": 400})
    assert len(simulation.statistics) == 1
