"""Section 4 held to its statements by value: existence of W, distances of hulls, and least norms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from montecarlo.lampert2026 import representability as second
from proofs_check.binding.instances import _chosen, values_bound
from proofs_check.cases.structured_edges import edges, features
from tests.proofs_check.binding.sides import derived_as, looked
from theorems.algebra.expressions import parse
from theorems.kernel.derivation import Equivalence, fact

FULL, CAUSAL, WINDOW = (f"lampert2026.sec4.prop41{mask}" for mask in ("", "-causal", "-window"))
COST = "lampert2026.sec4.cost"


def test_cases_at_the_edges_are_among_those_that_are_compared() -> None:
    """At equal distances there may be none of z_0 equal to a key that a mask hides from all queries."""
    pair, seen = looked(CAUSAL)
    claim, wanted = pair.statement, edges(pair.statement)
    met = {edge for one in seen for edge in wanted & features(claim, one.case)}
    chosen = _chosen(claim, seen, 24)
    assert len(chosen) == 24 < len(seen) and "only a key after all queries is z_0" in met
    assert met <= {edge for one in chosen for edge in features(claim, one.case)}


@pytest.mark.parametrize("claim", [FULL, CAUSAL, WINDOW])
def test_existence_and_distances_are_the_statement_s(claim: str) -> None:
    pair, seen = looked(claim)
    found = values_bound(pair, seen)
    assert found.bound, (found.faults, found.missing)
    assert "exists(W" in found.evidence[0] and "by the second interpreter too" in found.evidence[0]
    assert sum("by value at " in told for told in found.evidence) >= 2


@pytest.mark.parametrize(
    ("claim", "conditions"),
    [
        (WINDOW, ("rho_Q > 0", "rho_K_window > 0")),
        (WINDOW, ("rho_Q > 0",)),
        (FULL, ("rho_Q > 0",)),
        (FULL, ("rho_K > 0",)),
        (CAUSAL, ("rho_Q > 0", "rho_K > 0")),
    ],
)
def test_a_derivation_of_another_condition_is_seen(claim: str, conditions: tuple[str, ...]) -> None:
    pair, seen = looked(claim)
    ((name, found),) = pair.derived().quantities.items()
    assert isinstance(found, Equivalence)
    other = derived_as(pair, **{name: replace(found, conditions=conditions)})
    binding = values_bound(other, seen)
    assert binding.derived and not binding.simulated
    assert "the derivation is of another property" in binding.derived[0]


def _told(observed: Mapping[str, bool | None]) -> dict[str, tuple[float, float] | bool]:
    return {name: held for name, held in observed.items() if held is not None}


def test_an_observation_under_another_mask_is_seen() -> None:
    for claim, observe in ((FULL, second.prop41_causal), (CAUSAL, second.prop41)):
        pair, seen = looked(claim)
        other = [replace(one, found=_told(observe(one.case["z"], one.case["J"]))) for one in seen]
        binding = values_bound(pair, other)
        assert binding.simulated and not binding.derived
        assert "the empirical check is of another property" in binding.simulated[0]


def test_a_print_about_another_distance_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name rho_K in the print stands for what the claim says it does, and the derivation's functional is that."""
    pair, seen = looked(FULL)
    says = pair.statement.says
    assert says is not None
    for text in ("dist(z[1], hull(z[j], j, 1, n))", "dist(0, hull(z[j], j, 1, n))", "dist(z[0], hull(z[j], j, J))"):
        other = replace(says, quantities={**says.quantities, "rho_K": text})
        changed = replace(pair, statement=replace(pair.statement, says=other))
        assert values_bound(changed, seen).derived, text


@pytest.mark.slow
def test_least_norms_are_the_statement_s_and_neighbours_are_seen() -> None:
    pair, seen = looked(COST)
    few = seen[:: max(1, len(seen) // 6)][:6]
    found = values_bound(pair, few)
    assert found.bound, (found.faults, found.missing)
    wrong = fact(parse("kappa*sqrt(d)/(rho_Q*rho_K**2)"), (), "")
    assert values_bound(derived_as(pair, spectral=wrong), few).derived
    smaller = [
        replace(one, found={name: (0.999 * value, error) for name, (value, error) in one.found.items()})  # type: ignore[misc]
        for one in few
    ]
    assert values_bound(pair, smaller).simulated
