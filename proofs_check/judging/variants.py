"""What becomes of a claim for another object than the printed one: each such variant judged as a claim of its own.

A derivation names a variant ``quantity@what`` beside the printed quantity. It is compared with the same print, by both
sides; its verdict bears on that of the claim only where the two sides disagree, which is a conflict of either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from proofs_check.checks.agreeing import PART
from proofs_check.checks.evidence import Evidence
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Variant, Verdict
from proofs_check.judging.judgement import verdict
from theorems.claims.catalogue import Statement
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle


@dataclass(frozen=True)
class Judged:
    """A variant with what both sides found of it."""

    name: str
    outcome: Outcome
    evidence: Evidence
    verdict: Verdict
    reason: str

    def report(self) -> Variant:
        """The report's entry."""
        return {
            "name": self.name,
            "holds": {"proved": True, "disproved": False}.get(self.outcome.status),
            "evidence": list(self.outcome.evidence),
            "verdict": self.verdict,
            "reason": self.reason,
            "symbolic": {"status": self.outcome.status, "method": self.outcome.method},
            "simulation": {
                "status": self.evidence.status,
                "samples": self.evidence.samples,
                "cases": self.evidence.cases,
                "detectable": self.evidence.detectable,
                "power": self.evidence.power,
            },
            "cases": self.evidence.rows,
        }


def keys(pair: Pair) -> tuple[str, ...]:
    """The names of the variants that are derived of a claim's printed quantities."""
    claim = pair.statement
    if claim.relation != "=":
        return ()
    return tuple(key for key in pair.derived().quantities if "@" in key and key.partition("@")[0] in claim.printed)


def of(pair: Pair, key: str) -> Statement:
    """The claim with a variant in the place of the printed quantity."""
    claim, (name, _, what) = pair.statement, key.partition("@")
    return replace(claim, id=f"{claim.id}@{what}", corrects=pair.source, printed={key: claim.printed[name]})


def part(pair: Pair) -> float:
    """What a claim, and each of its variants, may spend of the claim's part of the false-alarm budget."""
    return (1 - PART) * pair.statement.alpha / (1 + sum("@" in key for key in pair.derived().quantities))


def judged(pair: Pair, look: Callable[[Pair, Outcome], Evidence]) -> list[Judged]:
    """Every variant of a claim, judged by its derivation and by what ``look`` finds."""
    found = []
    for key in keys(pair):
        one = replace(pair, statement=of(pair, key))
        outcome = settle(one.statement, one.derived())
        evidence = look(one, outcome)
        ruling, reason = verdict(outcome, evidence)
        # what both sides say of the other quantities is told with the claim
        evidence.rows = [row for row in evidence.rows if row["quantity"] == key]
        found.append(Judged(key.partition("@")[2], outcome, evidence, ruling, reason))
    return found
