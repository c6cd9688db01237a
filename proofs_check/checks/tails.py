"""What a simulation declares of its tails, and what of that can be checked: the rest is told, or caps the claim.

A rare event beyond any sample makes a declared kurtosis or bound false and is seen by nobody. What follows from
elsewhere is a polynomial degree, from the derived observable, and the bounds of truth values. The suite's own
simulations may declare more, with a proof beside them; that is listed as trusted. A plug-in's may not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from montecarlo.empirical_checks import Simulation
from proofs_check.checks.evidence import Evidence
from proofs_check.claims.pairing import Pair
from theorems.gaussian.process import Moment


def unchecked(pair: Pair, simulation: Simulation, raw: Mapping[str, Any]) -> list[str]:
    """The declarations, quantity by quantity, that follow from nothing: tried on a block of the case."""
    from montecarlo.engine import truth_values

    told = []
    for name in pair.sampled_names:
        tails = simulation.tails_of(name if isinstance(simulation.degree, Mapping) else "value")
        if tails.kurtosis is not None:
            told.append(f"a kurtosis of at most {tails.kurtosis:g} for {name}")
        elif tails.width is not None:
            given = truth_values(simulation, pair.handed(raw) if simulation.model == "free" else raw)
            if name not in given and given != {"value"}:
                told.append(f"bounded = {simulation.bounded} for {name}, whose numbers are no truth values")
        elif not _derived(pair, name, raw):
            told.append(f"degree {tails.degree} for {name}, which is not derived as a moment of a polynomial")
    return told


def _derived(pair: Pair, name: str, raw: Mapping[str, Any]) -> bool:
    """Whether the derivation has the observable itself, whose degree the declared one is compared with."""
    quantity = pair.quantity(name, str(raw.get("start", "sigma")))
    return isinstance(quantity, Moment) and quantity.observable is not None


def told(pair: Pair, simulation: Simulation, evidence: Evidence) -> Evidence:
    """The evidence with what is trusted of the tails; of a plug-in it shows too little then, whatever it shows."""
    if not evidence.rows:
        return evidence
    found = unchecked(pair, simulation, evidence.rows[0]["params"])
    evidence.trusted += found
    if found and pair.statement.plugin and evidence.status in ("agrees", "contradicts"):
        evidence.status, evidence.confirmed = "underpowered", False
        evidence.reason = (
            f"the simulation declares {found[0]}, and nothing shows that it holds; return truth values for a "
            "probability, or polynomials of the walk with their degree"
        )
    return evidence
