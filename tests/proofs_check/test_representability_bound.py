"""Section 4 held to its statements by value: existence of W, distances of hulls, and least norms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from montecarlo import registry
from montecarlo.lampert2026 import representability as second
from proofs_check.binding.instances import values_bound
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from proofs_check.judging import runner
from proofs_check.judging.runner import Options, Silent
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.kernel.derivation import Derived, Equivalence, fact
from theorems.kernel.settle import settle

FULL, CAUSAL, WINDOW = (f"lampert2026.sec4.prop41{mask}" for mask in ("", "-causal", "-window"))
COST = "lampert2026.sec4.cost"

_LOOKED: dict[str, tuple[Pair, list[Seen]]] = {}


def looked(claim: str) -> tuple[Pair, list[Seen]]:
    """A claim, and what its empirical check found, worked out once."""
    if claim not in _LOOKED:
        pair, options = Pair(by_id()[claim]), Options(effort="quick", device="cpu", jobs=1)
        outcome = settle(pair.statement, pair.derived())
        _LOOKED[claim] = pair, runner._empirical_check(pair, outcome, options, "cpu", Silent()).seen
    return _LOOKED[claim]


def derived_as(pair: Pair, **changed: Any) -> Pair:
    """The pair with derived quantities changed."""
    derived = pair.derived()
    return replace(pair, _derived={"sigma": Derived({**derived.quantities, **changed}, derived.steps)})


@pytest.mark.slow_for("causal", "window")
@pytest.mark.parametrize("claim", [FULL, CAUSAL, WINDOW])
def test_existence_and_distances_are_the_statement_s(claim: str) -> None:
    pair, seen = looked(claim)
    found = values_bound(pair, registry.find(claim), seen)
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
    binding = values_bound(other, registry.find(claim), seen)
    assert binding.derived and not binding.simulated
    assert "the derivation is of another property" in binding.derived[0]


def _told(observed: Mapping[str, bool | None]) -> dict[str, tuple[float, float] | bool]:
    return {name: held for name, held in observed.items() if held is not None}


def test_an_observation_under_another_mask_is_seen() -> None:
    for claim, observe in ((FULL, second.prop41_causal), (CAUSAL, second.prop41)):
        pair, seen = looked(claim)
        other = [replace(one, found=_told(observe(one.case["z"], one.case["J"]))) for one in seen]
        binding = values_bound(pair, registry.find(claim), other)
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
        assert values_bound(changed, registry.find(FULL), seen).derived, text


@pytest.mark.slow
def test_least_norms_are_the_statement_s_and_neighbours_are_seen() -> None:
    pair, seen = looked(COST)
    few = seen[:: max(1, len(seen) // 6)][:6]
    found = values_bound(pair, registry.find(COST), few)
    assert found.bound, (found.faults, found.missing)
    wrong = fact(parse("kappa*sqrt(d)/(rho_Q*rho_K**2)"), (), "")
    assert values_bound(derived_as(pair, spectral=wrong), registry.find(COST), few).derived
    smaller = [
        replace(one, found={name: (0.999 * value, error) for name, (value, error) in one.found.items()})  # type: ignore[misc]
        for one in few
    ]
    assert values_bound(pair, registry.find(COST), smaller).simulated
