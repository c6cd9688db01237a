"""What a check found, before it is written down: both sides, counterexample, mutants, and the verdict they give."""

from __future__ import annotations

from dataclasses import dataclass, field

from proofs_check.checks.streams import Streams
from proofs_check.claims.report import Case, Counterexample, Observed, Path, Status, Step, Trusted, Verdict
from proofs_check.report.telling import counted


@dataclass
class Found:
    """Both sides of one statement."""

    status: Status = "none"
    method: str = ""
    reason: str = ""
    evidence: list[str] = field(default_factory=list)
    path: Path | None = None
    steps: list[Step] = field(default_factory=list)
    trusted: list[Trusted] = field(default_factory=list)
    exact: str | None = None
    #: the exact value in the language of statements
    derived: str | None = None
    correction: str | None = None
    correction_latex: str = ""
    correction_sympy: str | None = None
    holds: str = ""
    simulation: Observed = "none"
    samples: int = 0
    cases: list[Case] = field(default_factory=list)
    power: str = ""
    detectable: float | None = None
    counterexample: Counterexample | None = None
    confirmed: bool = False
    conflicts: list[str] = field(default_factory=list)
    caught: int = 0
    mutants: int = 0
    survivors: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    spent: float = 0.0
    samples_drawn: int = 0
    doing: str = "while reading"
    tier: str = ""
    streams: Streams = field(default_factory=Streams, repr=False)

    def took(self, rule: str, words: str, trusted: str) -> None:
        """Put down a step of the proof, and what it takes on trust, if anything."""
        self.steps.append({"text": f"{words} (trusted: {trusted})" if trusted else words, "rule": rule, "ok": True})
        one: Trusted = {"rule": rule, "what": trusted, "source": ""}
        if trusted and one not in self.trusted:
            self.trusted.append(one)

    @property
    def verdict(self) -> tuple[Verdict, str]:
        """The verdict, and the reason where it is no plain verified or refuted."""
        if self.conflicts:
            return "conflict", "derivation and simulation disagree: " + self.conflicts[0]
        if self.status == "proved":
            if self.simulation == "contradicts":
                return "conflict", "the statement is proved, yet the simulation contradicts it"
            if self.simulation != "agrees":
                return "undecided", self.reason or "proved; the simulation had too little power at this effort"
            if self.survivors:
                told = "; ".join(self.survivors[:3]).replace(" -> ", " turned into ")
                wrong = counted(len(self.survivors), "wrong version")
                return "undecided", f"proved; the simulation cannot tell it from {wrong}: {told}"
            return "verified", ""
        if self.status == "disproved":
            if self.simulation == "contradicts" and self.confirmed:
                return "refuted", ""
            return "undecided", self.reason or "disproved; the simulation could not confirm it at this effort"
        return "undecided", self.reason or "the derivation could not decide it"
