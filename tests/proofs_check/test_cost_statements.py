"""The costs of Section 7, held to what their claims say over the embeddings: a side of a neighbour is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from montecarlo import registry
from montecarlo.directly import evaluate
from montecarlo.empirical_checks import Evaluation, Observation
from montecarlo.registry import instance_of
from proofs_check.binding.instances import values_bound
from proofs_check.binding.named import instance, named
from proofs_check.binding.tied import Binding, quantities
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from tests.proofs_check.binding.sides import derived_as
from theorems.claims.catalogue import by_id
from theorems.kernel.derivation import Derived, Equivalence
from theorems.statement.values.cases import admissible
from theorems.statement.values.values import scalar

S7 = "lampert2026.sec7."
CONSTANT, SINK, DIAGONAL = f"{S7}lower-constant", f"{S7}sink-construction", f"{S7}diag-construction"
LOWER, CHEAPER = f"{S7}diag-lower", f"{S7}sinks-cheaper-when"
EMBEDDED = {"C": "2", "n": "2", "lam": "2/3", "kappa": "1/2", "d": "16", "family": "1"}
SMALL = {"C": "1", "n": "2", "lam": "4/5", "overlap": "0"}


def evaluated(claim: str, *cases: Mapping[str, Any]) -> tuple[Pair, list[Seen]]:
    """A claim and what its evaluation gives at cases."""
    pair, empirical_check = Pair(by_id()[claim]), registry.find(claim)
    assert isinstance(empirical_check, Evaluation)
    handed = [pair.handed(case) for case in cases]
    seen = [Seen(case, raw, evaluate(empirical_check, raw)) for case, raw in zip(cases, handed, strict=True)]
    return pair, seen


def observed(claim: str, *cases: Mapping[str, Any]) -> tuple[Pair, list[Seen]]:
    """A claim and what its observation decides at cases."""
    pair, empirical_check = Pair(by_id()[claim]), registry.find(claim)
    assert isinstance(empirical_check, Observation)
    found = [empirical_check.function(**{name: case[name] for name in empirical_check.parameters}) for case in cases]
    decided = [{name: value for name, value in row.items() if isinstance(value, bool)} for row in found]
    return pair, [Seen(case, case, row) for case, row in zip(cases, decided, strict=True)]


def at_another(seen: list[Seen], name: str, factor: float) -> list[Seen]:
    """The same cases with one number changed."""
    return [
        replace(one, found={**one.found, name: (one.found[name][0] * factor, one.found[name][1])})  # type: ignore[index]
        for one in seen
    ]


#: Cases with rational embeddings.
CASES: dict[str, list[Mapping[str, Any]]] = {
    CONSTANT: [
        {"C": "1", "lam": "1/8", "kappa": "3", "d": "16"},
        {"C": "3", "lam": "2/3", "kappa": "1", "d": "49"},
    ],
    SINK: [EMBEDDED],
    DIAGONAL: [EMBEDDED],
}


@pytest.mark.parametrize(("claim", "name"), [(CONSTANT, "cost"), (SINK, "nuclear"), (SINK, "a"), (DIAGONAL, "nuclear")])
def test_both_sides_are_the_statement_s_and_a_neighbour_is_seen(claim: str, name: str) -> None:
    pair, seen = evaluated(claim, *CASES[claim])
    found = values_bound(pair, seen)
    assert found.bound, (found.faults, found.missing)
    assert len(found.evidence) == len(quantities(pair.statement))
    wrong = values_bound(pair, at_another(seen, name, 1.001))
    assert wrong.simulated and wrong.simulated[0].startswith("the empirical check is of another quantity: at ")


def test_a_derived_value_of_a_neighbour_is_seen() -> None:
    pair, seen = evaluated(CONSTANT, *CASES[CONSTANT])
    other = by_id()[f"{S7}sink-construction"]
    nuclear = Pair(other).derived().quantities["nuclear"]
    swapped = replace(pair, _derived={"sigma": Derived({"cost": nuclear}, pair.derived().steps)})
    found = values_bound(swapped, seen)
    assert found.derived and not found.simulated
    assert found.derived[0].startswith("the derivation is of another quantity: at ")


def test_the_evidence_says_how_well_a_least_norm_is_known() -> None:
    pair, seen = evaluated(CONSTANT, *CASES[CONSTANT])
    (told,) = values_bound(pair, seen).evidence
    assert "by value at 2 cases: found within " in told and ", itself known within " in told


def test_cases_without_rational_embeddings_are_left_out() -> None:
    irrational = {"C": "1", "lam": "1/8", "kappa": "3", "d": "11"}
    pair, seen = evaluated(CONSTANT, *CASES[CONSTANT], irrational)
    assert named(seen[-1], instance_of(CONSTANT)) is None
    assert "at 2 cases" in values_bound(pair, seen).evidence[0]
    assert "no exact values at any case" in values_bound(pair, seen[-1:]).missing[0]


def test_what_a_point_knows_up_to_rounding_is_left_to_its_instance() -> None:
    claim = f"{S7}diag-upper"
    raw = {"C": "1", "lam": str(Fraction(0.8)), "kappa": "1", "d": "36"}
    square = (1 - Fraction(0.8) ** 2) * 36
    given = {"C": 1.0, "lam": 0.8, "kappa": 1.0, "d": 36.0, "r_eta": 1.0, "Delta_diag": float(4 * square)}
    pair = Pair(by_id()[claim])
    cost = 2 * (0.8**4 + 6 * 0.8**2 + 1) ** 0.5 / (6 * 0.8**2) + 4 * 6 / given["Delta_diag"]

    def seen(value: float, nearest: float) -> list[Seen]:
        found = {"upper": (value, 1e-12), "Delta_diag": (nearest, 1e-12)}
        return [Seen({**raw, "r_eta": "1"}, {**given, "Delta_diag": nearest}, found)]

    bound = values_bound(pair, seen(cost, given["Delta_diag"]))
    assert bound.bound, (bound.faults, bound.missing)
    assert values_bound(pair, seen(1.001 * cost, given["Delta_diag"])).simulated
    apart = values_bound(pair, seen(cost, given["Delta_diag"] * (1 + 1e-10)))
    assert "its instance has Delta_diag = " in apart.missing[0]


def budgets(claim: str) -> tuple[Pair, list[Seen]]:
    # the least diagonal cost is 3.242... for d = 4, kappa = 1, C = 1, n = 2, lam = 4/5
    place = {**SMALL, "d": "4", "kappa": "1"}
    return observed(claim, {**place, "budget": "3"}, {**place, "budget": "4"})


def test_a_property_of_costs_is_bound_and_a_neighbour_is_seen() -> None:
    pair, seen = budgets(LOWER)
    found = values_bound(pair, seen)
    assert found.bound, (found.faults, found.missing)
    ((name, equivalence),) = [(k, v) for k, v in pair.derived().quantities.items() if isinstance(v, Equivalence)]
    turned = [replace(one, found={name: not one.found[name]}) for one in seen]
    assert "empirical check is of another property" in values_bound(pair, turned).simulated[0]
    other = replace(equivalence, conditions=("diag_slack <= 0",))
    changed = derived_as(pair, **{name: other})
    assert "derivation is of another property" in values_bound(changed, seen).derived[0]


def test_the_costs_of_both_patterns_are_compared() -> None:
    pair, seen = observed(CHEAPER, SMALL, {**SMALL, "lam": "1/2"})
    found: Binding = values_bound(pair, seen)
    assert found.bound, (found.faults, found.missing)


@pytest.mark.parametrize("claim", [SINK, DIAGONAL])
@pytest.mark.parametrize("family", range(1, 6))
@pytest.mark.parametrize("n", [2, 3, 4])
def test_instances_satisfy_the_hypotheses(claim: str, family: int, n: int) -> None:
    raw = {**EMBEDDED, "d": "25", "family": str(family), "n": str(n)}
    one, given = Seen(raw, raw, {}), instance_of(claim)
    if named(one, given) is None:
        assert (n, family) in {(4, 2), (4, 3)}
        return
    prop = quantities(by_id()[claim])["nuclear"]
    assert admissible(prop, instance(prop, one, given)) == ""


def test_a_weaker_construction_lacks_some_of_its_margins() -> None:
    claim = by_id()[DIAGONAL]
    assert claim.says is not None
    weaker = claim.says.where.replace("2*kappa*sqrt(d)/Delta_diag*P_eta", "kappa*sqrt(d)/Delta_diag*P_eta")
    assert weaker != claim.says.where
    prop = quantities(replace(claim, says=replace(claim.says, where=weaker)))["shortfall"]
    found = scalar(prop.left, instance(prop, Seen(EMBEDDED, EMBEDDED, {}), instance_of(DIAGONAL)))
    # half of the nuisance part gives half of the margin of a dormant query against its own group
    assert found > 0
