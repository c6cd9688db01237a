"""The judgement: the verdict that follows from what the two sides found."""

from __future__ import annotations

from proofs_check.checks.evidence import Evidence
from proofs_check.claims.report import Verdict
from proofs_check.report.telling import counted
from theorems.kernel.outcome import Outcome

#: What a conflict in an author's own lemma comes from, as far as it can be told.
AUTHOR = (
    "derivation and simulation of this lemma are not of the same model (another law or another start of the tokens in "
    "one of them, another quantity, or a biased simulation)"
)


def verdict(outcome: Outcome, evidence: Evidence, *, plugin: bool = False) -> tuple[Verdict, str]:
    """The verdict and its reason, from what both sides found; of a ``plugin``'s lemma the author is told.

    Only a derivation whose value is licensed can be in conflict with anything.
    """
    differ = evidence.conflicts[0] if evidence.conflicts else ""
    if outcome.status not in ("proved", "disproved"):
        reason = f"the derivation is {outcome.status}: {outcome.method}"
        return "undecided", f"{reason}; besides, its value is not the empirical check's: {differ}" if differ else reason
    if differ:
        blame = f"{AUTHOR}; the smallest case seen" if plugin else "derivation and simulation disagree"
        return "conflict", f"{blame}: {differ}"
    if outcome.status == "proved":
        if evidence.status == "contradicts":
            told = f": {evidence.contradiction}" if evidence.contradiction else ""
            if evidence.rows and any(row.get("limit") for row in evidence.rows):
                # the sides agree at every length, or they would have been found in conflict above
                told += "; at each length the two sides agree, so the derived limit is not that of the derived values"
                plugin = False
            blame = f"{AUTHOR}: " if plugin else ""
            return "conflict", f"{blame}the print is proved, yet the simulation contradicts it{told}"
        if evidence.status != "agrees":
            return "undecided", evidence.reason or "the simulation had too little power at this effort"
        if evidence.survivors:
            others = counted(len(evidence.survivors), "wrong version")
            return "undecided", f"{others} not told apart: " + "; ".join(evidence.survivors[:3])
        return "verified", ""
    if evidence.status == "contradicts" and evidence.confirmed:
        return "refuted", ""
    if evidence.status == "agrees":
        return "undecided", "disproved, but no simulated case tells the print from the truth"
    return "undecided", evidence.reason or "disproved, but the simulation could not confirm it at this effort"
