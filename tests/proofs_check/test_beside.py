"""Quantities that a simulation does not return, evaluated beside it: they count as those of any empirical check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Simulation
from proofs_check.checks import sampling
from proofs_check.checks.evaluating import evaluated_beside
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.claims.pairing import Pair
from proofs_check.judging.judgement import verdict
from theorems.claims.catalogue import by_id
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle

CLAIM, RHO = "bao2024.sec3.diagonal-dominance", "bao2024.sec4.a1-uniform"
BENCH = RunContext(effort=EFFORTS["quick"], effort_name="quick")
Numbers = dict[str, tuple[float, float]]


def beside(
    claim: str,
    printed: Mapping[str, str],
    evaluation: Evaluation | None = None,
    only: Mapping[str, Any] | None = None,
) -> Evidence:
    """What is found beside the simulation of a claim with other prints."""
    pair = Pair(replace(by_id()[claim], printed={**by_id()[claim].printed, **printed}))
    outcome = settle(pair.statement, pair.derived())
    entry = evaluation or registry.beside(claim)
    assert entry is not None
    return evaluated_beside(pair, outcome, entry, BENCH, only)


def test_a_true_number_agrees_and_wrong_ones_contradict() -> None:
    true = beside(CLAIM, {"ratio": "3"})
    assert (true.status, true.conflicts, true.survivors) == ("agrees", [], [])
    assert true.caught == true.decoys >= 3 and {row["quantity"] for row in true.rows} == {"ratio"}
    wrong = beside(CLAIM, {"ratio": "1"})
    assert (wrong.status, wrong.confirmed) == ("contradicts", True) and not wrong.conflicts
    assert wrong.counterexample is not None and wrong.counterexample["true"] == "3"


def test_a_number_that_differs_from_the_derived_one_is_a_conflict() -> None:
    off = Evaluation(CLAIM, lambda T: {"ratio": (3.001, 1e-9)} if T > 1 else {})
    assert beside(CLAIM, {"ratio": "3"}, off).conflicts


@pytest.mark.slow
def test_further_parameters_take_all_their_values_and_cases_of_another_start_are_left_out() -> None:
    seen: list[tuple[float, float]] = []

    def watched(i: int, T: int, eta: float) -> Numbers:
        seen.append((i / T, eta))
        entry = registry.beside(RHO)
        assert entry is not None
        found: Numbers = entry.function(i, T, eta)
        return found

    evidence = beside(RHO, {}, Evaluation(RHO, watched, at={"eta": ("1", "1/2", "4")}))
    assert not evidence.conflicts and {eta for _, eta in seen} == {1.0, 0.5, 4.0}
    assert all(row["params"]["start"] == "sigma" for row in evidence.rows)
    zero = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "zero", "i": 1, "T": 4, "lam": "1"}
    assert beside(RHO, {}, only=zero).cases == 0


def judged(one: Evidence, two: Evidence, status: Any) -> tuple[str, str]:
    """Status and verdict of a simulation's evidence with what was evaluated beside it."""
    pair = Pair(by_id()[CLAIM])
    sampling._joined(one, two, pair)
    outcome = Outcome(status, "", [])
    return one.status, verdict(outcome, one)[0]


def evaluated(status: Any, *, confirmed: bool = False, cases: int = 3) -> Evidence:
    rows: Any = [{"quantity": "ratio"}] * bool(cases)
    return Evidence(status=status, cases=cases, rows=rows, confirmed=confirmed, samples=cases)


@pytest.mark.parametrize(
    ("one", "two", "confirmed", "status", "found"),
    [
        ("agrees", "agrees", False, "proved", ("agrees", "verified")),
        ("agrees", "underpowered", False, "proved", ("underpowered", "undecided")),
        ("agrees", "contradicts", True, "disproved", ("contradicts", "refuted")),
        ("agrees", "contradicts", True, "proved", ("contradicts", "conflict")),
        ("contradicts", "agrees", False, "disproved", ("contradicts", "undecided")),
        ("underpowered", "agrees", False, "proved", ("underpowered", "undecided")),
    ],
)
def test_both_must_agree_and_either_contradicts(
    one: Any, two: Any, confirmed: bool, status: Any, found: tuple[str, str]
) -> None:
    assert judged(Evidence(status=one, cases=2), evaluated(two, confirmed=confirmed), status) == found


def test_a_number_that_is_nowhere_given_leaves_the_claim_undecided() -> None:
    lacking = replace(evaluated("agrees"), rows=[])
    evidence = Evidence(status="agrees")
    sampling._joined(evidence, lacking, Pair(by_id()[CLAIM]))
    assert (evidence.status, evidence.reason) == ("underpowered", "the evaluation gives no ratio at any case")
    # no case of this start: nothing was asked
    evidence = Evidence(status="agrees")
    sampling._joined(evidence, evaluated("none", cases=0), Pair(by_id()[CLAIM]))
    assert evidence.status == "agrees"


def test_every_claim_with_a_fact_beside_moments_has_its_evaluation() -> None:
    missing = []
    for claim in by_id().values():
        if claim.plugin:
            continue
        try:
            entry = registry.find(claim.id)
        except LookupError:
            continue
        if isinstance(entry, Simulation):
            pair = Pair(claim)
            if set(claim.printed) - set(pair.sampled_names) and registry.beside(claim.id) is None:
                missing.append(claim.id)
    assert not missing
