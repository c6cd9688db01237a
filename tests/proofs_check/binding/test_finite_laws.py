"""Claims about exchangeable tokens are held to what they say: a side of a neighbouring quantity is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from montecarlo import registry
from montecarlo.walk_by_walk import NotComparedError, apart
from proofs_check.binding import instances
from proofs_check.binding.finite_laws import LAWS, finite_laws, finite_laws_bound
from proofs_check.binding.tied import quantities
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from theorems.claims.catalogue import Said, Statement, by_id

SLOPE, FALLS = "lampert2026.sec5.dprime-1", "lampert2026.sec5.monotone-iff"
CASE: dict[str, Any] = {
    "k": 3,
    "beta": "2",
    "W": [["1", "2"], ["0", "-1"]],
    "L": [["1", "0"], ["1", "2"]],
    "m": ["1", "0"],
    "law": "student",
}


def saying(claim_id: str, **changed: str) -> Statement:
    """A claim that says something else of its quantities."""
    claim = by_id()[claim_id]
    assert claim.says is not None
    return replace(claim, says=replace(claim.says, quantities={**claim.says.quantities, **changed}))


def test_the_slope_is_derived_and_simulated_as_it_is_said() -> None:
    claim = by_id()[SLOPE]
    assert finite_laws_bound(Pair(claim)).bound
    plain = {name: prop.left.plain() for name, prop in quantities(claim).items() if name in claim.printed}
    simulation: Any = registry.find(SLOPE)
    assert apart(simulation, CASE, ["exchangeable"], plain, seed=0, key="here") is None


NEIGHBOURS = {
    "at the other end": "diff(E[norm(Y[i])**2], l, 0)",
    "of two tokens": "diff(E[Y[i].T*Y[j]], l, 1)",
    # W.T alone would change no expectation at l = 1: B is symmetric
    "squared": "diff(E[norm(beta*x[i] + W*W*((1 - l)*x[i] + l*mean(x)))**2], l, 1)",
    "doubled": "2*diff(E[norm(Y[i])**2], l, 1)",
}


@pytest.mark.parametrize("other", NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_a_derivation_and_a_simulation_of_a_neighbour_are_seen(other: str) -> None:
    claim = saying(SLOPE, slope=other)
    found = finite_laws_bound(Pair(claim))
    assert found.derived and "another quantity" in found.derived[0]
    plain = {"slope": quantities(claim)["slope"].left.plain()}
    simulation: Any = registry.find(SLOPE)
    seen = apart(simulation, CASE, ["exchangeable"], plain, seed=0, key="here")
    assert seen is not None and seen.quantity == "slope"


RATIOS = ("lampert2026.sec5.dense-smooths-more", "lampert2026.sec5.dense-smooths-less")


@pytest.mark.parametrize(
    "name", [SLOPE, "lampert2026.sec5.dprime-0", FALLS, *RATIOS, "lampert2026.sec5.uniform-vs-identity"]
)
def test_two_tokens_that_may_be_one_are_seen(name: str) -> None:
    """B = E[x_i x_i^T] - E[x_i x_j^T] is 0 for i = j, which nothing but i != j leaves out."""
    claim = by_id()[name]
    assert claim.says is not None
    assert finite_laws_bound(Pair(claim)).bound
    wider = replace(claim.says, hypotheses=claim.says.hypotheses.replace("i != j, ", ""))
    assert finite_laws_bound(Pair(replace(claim, says=wider))).faults


def test_laws_are_within_the_hypotheses() -> None:
    table = quantities(by_id()[RATIOS[1]])
    laws = finite_laws(tuple(table.values()))
    assert len(laws) == LAWS and all(law["i"] != law["j"] for law in laws)
    none = replace(by_id()[SLOPE], says=Said({"slope": "E[x[i].T*x[j]]"}, "i != j, T = 1", law="exchangeable"))
    assert finite_laws_bound(Pair(none)).missing


def test_a_print_of_other_traces_is_seen() -> None:
    found = finite_laws_bound(Pair(saying(SLOPE, t1="tr(B*W.T*W)")))
    assert found.derived


def test_a_free_simulation_without_tokens_is_not_compared() -> None:
    simulation: Any = registry.find(SLOPE)
    with pytest.raises(NotComparedError, match="a generator of its own"):
        apart(replace(simulation, drawn=None), CASE, ["exchangeable"], {}, seed=0, key="here")
    with pytest.raises(NotComparedError, match="which is no walk"):
        apart(simulation, CASE, ["walk"], {}, seed=0, key="here")


HEAD: Mapping[str, Any] = {"tokens": [[["1", "0"], ["-1", "0"]]], "beta": "1"}
HEADS = {
    # W, whether D decreases, whether it increases
    "turn": ([["0", "1"], ["-1", "0"]], True, False),
    "same": ([["1", "0"], ["0", "1"]], True, False),
    "undo": ([["-1", "0"], ["0", "-1"]], False, True),
    "more": ([["-1/2", "0"], ["0", "0"]], False, True),
}


def seen_at(falls: str = "D decreasing", rises: str = "D increasing") -> list[Seen]:
    """What an observation finds at the heads."""
    found = []
    for W, down, up in HEADS.values():
        case = {**HEAD, "W": W}
        found.append(Seen(case, case, {falls: down, rises: up}))
    return found


def test_when_the_energy_falls_is_bound_by_truth_value() -> None:
    bound = instances.values_bound(Pair(by_id()[FALLS]), seen_at())
    assert bound.bound, (bound.missing, bound.faults)
    assert all("by the second interpreter too at 4" in told for told in bound.evidence)


def test_an_observation_of_another_property_is_seen() -> None:
    bound = instances.values_bound(Pair(by_id()[FALLS]), seen_at("D increasing", "D decreasing"))
    assert bound.simulated and "another property" in bound.simulated[0]


@pytest.mark.parametrize(
    "other",
    [
        "increasing(E[norm(Y[i])**2], l, 0, 1)",
        "decreasing(E[Y[i].T*Y[j]], l, 0, 1)",
        "decreasing(E[norm(Y[i])**2], l, 1, 2)",
    ],
)
def test_a_property_that_is_not_the_derived_one_is_seen(other: str) -> None:
    claim = saying(FALLS, **{"D decreasing": other})
    assert instances.values_bound(Pair(claim), seen_at()).faults


def test_a_clause_of_other_traces_is_seen() -> None:
    claim = by_id()[FALLS]
    assert claim.says is not None
    other = replace(claim.says, where=claim.says.where.replace("t1 = tr(B*W)", "t1 = -tr(B*W)"))
    bound = instances.values_bound(Pair(replace(claim, says=other)), seen_at())
    assert any("another clause" in fault for fault in bound.derived)
