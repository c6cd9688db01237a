"""The judgement: the verdict that follows from what the two sides found."""

from __future__ import annotations

from proofs_check.evidence import Evidence
from theorems.outcome import Outcome


def verdict(outcome: Outcome, evidence: Evidence) -> tuple[str, str]:
    """The verdict and its reason, from what both sides found."""
    if evidence.conflicts:
        return "conflict", "derivation and simulation disagree: " + evidence.conflicts[0]
    if outcome.status == "proved":
        if evidence.status == "contradicts":
            return "conflict", "the print is proved, yet the simulation contradicts it"
        if evidence.status != "agrees":
            return "undecided", evidence.reason or "the simulation had too little power at this effort"
        if evidence.survivors:
            return "undecided", f"{len(evidence.survivors)} decoys survive: " + "; ".join(evidence.survivors[:3])
        return "verified", ""
    if outcome.status == "disproved":
        if evidence.status == "contradicts" and evidence.confirmed:
            return "refuted", ""
        if evidence.status == "agrees":
            return "undecided", "disproved, but no simulated case tells the print from the truth"
        return "undecided", evidence.reason or "disproved, but the simulation could not confirm it at this effort"
    return "undecided", f"the derivation is {outcome.status}: {outcome.method}"
