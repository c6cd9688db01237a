"""Probabilities of events of random directions: both sides held to the statement, and neighbours of each seen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import torch

from montecarlo import registry
from montecarlo.empirical_checks import RegistryError, Simulation
from montecarlo.lampert2026 import representability as second
from montecarlo.registry import drawing_of
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import frozen
from montecarlo.statements.values import numbers
from proofs_check.binding import hold as binding
from proofs_check.binding import signs
from proofs_check.binding.hold import derivation_bound, sides_bound, simulation_bound
from proofs_check.claims.pairing import Pair
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import Derived, Expected
from theorems.statement import proposition
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar

WENDEL = by_id()["lampert2026.sec4.wendel"]
CASES = [{"dim": "2", "points": "3"}, {"dim": "3", "points": "4"}]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dimension 2 alone and few tokens decide these tests."""
    monkeypatch.setattr(signs, "DIMENSIONS", (2,))
    monkeypatch.setattr(signs, "LENGTHS", (2, 4))
    monkeypatch.setattr(signs, "SETS", 1)


def _derived(text: str) -> Any:
    value = parse(text)
    return lambda *_: Derived({"probability": Expected(value, value, (), "")}, ())


def test_both_sides_are_the_statement_s() -> None:
    simulation = registry.find(WENDEL.id)
    found = sides_bound(Pair(WENDEL), simulation, [{"params": case} for case in CASES], 0)
    assert found.bound, (found.faults, found.missing)
    assert "share of the signs" in found.evidence[0] and "2 different shares" in found.evidence[0]
    assert f"{binding.DRAWS} at each of 2 cases" in found.evidence[1]


@pytest.mark.parametrize(
    "text",
    [
        "2**(1 - points)*Sum(binomial(points - 1, k), k, 0, dim - 2)",
        "2**(1 - points)*Sum(binomial(points, k), k, 0, dim - 1)",
        "2**(-points)*Sum(binomial(points - 1, k), k, 0, dim - 1)",
    ],
)
def test_a_derivation_of_another_probability_is_seen(text: str) -> None:
    found = derivation_bound(WENDEL, ["iid"], _derived(text))
    assert found.derived and "the derivation is of another quantity: at d = 2" in found.derived[0]


def test_a_print_that_reads_otherwise_is_seen() -> None:
    value = "2**(1 - points)*Sum(binomial(points - 1, k), k, 0, dim - 1)"
    prop = said(WENDEL, "probability")
    parameters = {"dim": proposition("d = 0", "d >= 2"), "points": proposition("T - 1 = 0", "T >= 2")}
    assert signs.signs_bound(prop, parameters, parse(value), parse(value), "probability").bound
    found = signs.signs_bound(prop, parameters, parse(value), parse(value) + 1, "probability")
    assert "the print is judged as another formula" in found.derived[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i, 2, T, j", "i, 2, 2, j"),
        ("i, 2, T, j", "i, 3, T, j"),
        ("j, 2, T))", "j, i, i))"),
    ],
)
def test_a_statement_of_another_event_is_seen(old: str, new: str) -> None:
    assert WENDEL.says is not None and old in WENDEL.says.quantities["probability"]
    text = WENDEL.says.quantities["probability"].replace(old, new)
    claim = replace(WENDEL, says=replace(WENDEL.says, quantities={**WENDEL.says.quantities, "probability": text}))
    simulation = registry.find(WENDEL.id)
    assert isinstance(simulation, Simulation)
    value = "2**(1 - points)*Sum(binomial(points - 1, k), k, 0, dim - 1)"
    by_derivation = derivation_bound(claim, ["iid"], _derived(value))
    by_draws = simulation_bound(claim, simulation, CASES, 0, ["probability"])
    assert by_derivation.derived or by_draws.simulated


def test_a_simulation_of_another_event_is_seen_on_its_own_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "DRAWS", 24)
    simulation = registry.find(WENDEL.id)
    assert isinstance(simulation, Simulation)

    def first_query(generator: torch.Generator, n: int, dim: float, points: float) -> torch.Tensor:
        return second.decided(second._directions(generator, n, int(dim), int(points) + 1), [1])

    other = Simulation(WENDEL.id, first_query, bounded=(0, 1))
    found = simulation_bound(WENDEL, other, CASES, 0, ["probability"])
    assert found.simulated and "the simulation is of another quantity" in found.simulated[0]


def test_a_free_simulation_without_its_drawing_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = registry.find(WENDEL.id)
    assert isinstance(simulation, Simulation) and drawing_of(WENDEL.id) is not None
    with pytest.raises(RegistryError, match="a second drawing"):
        registry.drawing(WENDEL.id)(second.on_the_sphere)
    monkeypatch.delitem(registry._DRAWN, WENDEL.id)
    found = simulation_bound(WENDEL, simulation, CASES, 0, ["probability"])
    assert not found.bound and "@drawing" in found.missing[0]


def test_the_tokens_that_are_drawn_are_those_of_the_simulation() -> None:
    tokens = second.on_the_sphere(torch.Generator().manual_seed(3), 50, 3.0, 4.0)
    assert tokens.shape == (50, 5, 3)
    assert torch.allclose(tokens.norm(dim=-1), torch.ones(50, 5, dtype=torch.float64))
    held = second.wendel(torch.Generator().manual_seed(3), 50, 3.0, 4.0)
    assert torch.equal(held, second.decided(tokens.permute(1, 2, 0), range(1, 5)))


def test_existence_is_decided_walk_by_walk() -> None:
    """In dimension 1 a W exists where all queries have one sign and no key reaches as far as the sink."""
    prop = said(WENDEL, "probability")
    node = frozen(prop.left.plain())[1]
    tokens = torch.tensor([[[1.0], [0.5], [0.2]], [[1.0], [0.5], [-0.2]], [[0.3], [0.5], [0.2]]], dtype=torch.float64)
    text = "P[exists(W, every(x[i].T*W*x[1] > x[i].T*W*x[j], i, 2, T, j, 2, T))] = 1"
    node = frozen(proposition(text, "", "", "iid").left.plain())[1]
    found = numbers(node, environment_of({"d": 1, "T": 3}).with_tokens(tokens))
    assert found.tolist() == [True, False, False]


def test_the_print_of_wendel_is_read() -> None:
    prop = said(WENDEL, "probability")
    for d, T, exact in ((2, 4, Fraction(3, 4)), (2, 5, Fraction(1, 2)), (3, 5, Fraction(7, 8)), (4, 3, Fraction(1))):
        assert scalar(prop.right, Case({"d": Fraction(d), "T": Fraction(T)})) == exact


WIDER = {
    "lengths of normal tokens": ("z[i] = x[i]", "Sigma = I, d >= 2, T >= 2"),
    "Sigma may be singular": ("z[i] = x[i]/norm(x[i])", "d >= 2, T >= 2"),
    "no query": ("z[i] = x[i]/norm(x[i])", "Sigma = I, d >= 2, T >= 1"),
    "on a line": ("z[i] = x[i]/norm(x[i])", "Sigma = I, d >= 1, T >= 2"),
}


@pytest.mark.parametrize(("where", "hypotheses"), WIDER.values(), ids=WIDER)
def test_a_statement_of_more_tokens_is_seen(where: str, hypotheses: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wendel's theorem is one of directions in general position; the simulation draws these, whatever is said."""
    for name, value in (("DIMENSIONS", (1, 2)), ("LENGTHS", (1, 2, 4)), ("SETS", 2)):
        monkeypatch.setattr(signs, name, value)
    assert WENDEL.says is not None
    derived = _derived("2**(1 - points)*Sum(binomial(points - 1, k), k, 0, dim - 1)")
    wider = replace(WENDEL.says, where=where, hypotheses=hypotheses)
    assert derivation_bound(replace(WENDEL, says=wider), ["iid"], derived).derived
    regular = replace(WENDEL.says, hypotheses="Sigma positive definite, d >= 2, T >= 2")
    assert derivation_bound(replace(WENDEL, says=regular), ["iid"], derived).bound
