"""What the simulation's side of a claim found: measurements, decoys, conflicts, in the form the report shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proofs_check.checks.intervals import Blocks, Interval
from proofs_check.checks.streams import Streams
from proofs_check.claims.cases import shown_case
from proofs_check.claims.pairing import Target
from proofs_check.claims.report import Case, Counterexample, Exponent, Observed, Simulation

#: An error of the stated size is missed at most this often.
BETA = 1e-3


@dataclass(frozen=True)
class Effort:
    """How small an error is looked for (as a multiple of 1% and 2%), and how much one case may cost."""

    factor: float
    most_normals: int
    points: int
    draws: int


EFFORTS = {
    "quick": Effort(4.0, 200_000_000, 200, 12),
    "standard": Effort(1.0, 400_000_000, 2_000, 16),
    "thorough": Effort(0.5, 1_600_000_000, 20_000, 24),
}


@dataclass
class Measured:
    """One quantity at one case, sampled: the targets, the interval and what an error would have to be to be seen.

    ``measured`` says what the error is measured against; ``blocks`` are the sample's own means.
    """

    raw: Mapping[str, Any]
    target: Target
    interval: Interval
    count: int
    std_error: float
    scale: float
    tolerance: float
    p: float
    blocks: Blocks
    measured: str = "the value"

    @property
    def judged(self) -> bool:
        """Whether the print says anything about this very case; a print of a limit does not."""
        return self.target.printed is not None and not self.target.limit

    @property
    def stated(self) -> float | None:
        """What the print says of the value that the interval is of; None where it says nothing."""
        return float(self.target.printed) if self.judged else None  # type: ignore[arg-type]

    def excludes(self, value: float) -> bool:
        """Whether the data leave out a value in the place of the printed one."""
        return not self.interval.holds(value)

    @property
    def contradicts(self) -> bool:
        """Whether the interval leaves the printed value out."""
        return self.stated is not None and self.excludes(self.stated)

    @property
    def agrees(self) -> bool:
        """Whether the whole interval lies within the tolerance of the printed value."""
        printed = self.stated
        if printed is None:
            return False
        inside = printed - self.tolerance <= self.interval.low and self.interval.high <= printed + self.tolerance
        return inside and not self.contradicts

    @property
    def conflicts(self) -> bool:
        """Whether the interval leaves the derived value out."""
        return not self.interval.holds(float(self.target.derived))

    @property
    def detectable(self) -> float:
        """The error that would have been caught, relative to its scale."""
        return self.interval.detectable / self.scale if self.scale else 0.0

    @property
    def z(self) -> float | None:
        """(estimate - print)/standard error, a display."""
        if self.stated is None or not self.std_error:
            return None
        return (self.interval.centre - self.stated) / self.std_error

    def row(self) -> Case:
        """The measurement as the report shows it."""
        ends = (self.interval.low, self.interval.high)
        return shown_case(
            self.raw,
            self.target.name,
            self.target.printed,
            self.target.derived,
            ends,
            estimate=self.interval.centre,
            samples=self.count,
            z=self.z,
        )


@dataclass(frozen=True)
class Seen:
    """What an empirical check without walks gave at one case: by name a number with the bound of its error, or whether
    a property holds.

    ``case`` is exact, as the derivation reads it; ``given`` is what the check had there. Of ``sampled`` numbers
    the error is half the width of their interval.
    """

    case: Mapping[str, Any]
    given: Mapping[str, Any]
    found: Mapping[str, tuple[float, float] | bool]
    sampled: bool = False


@dataclass
class Evidence:
    """What the simulation's side found.

    ``seen`` holds the cases at which an empirical check without walks was looked at.
    """

    status: Observed = "none"
    samples: int = 0
    cases: int = 0
    max_z: float | None = None
    p: float | None = None
    detectable: float | None = None
    tier: str = ""
    power: str = ""
    reason: str = ""
    rows: list[Case] = field(default_factory=list)
    trend: list[str] = field(default_factory=list)
    exponents: list[Exponent] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    contradiction: str = ""
    caught: int = 0
    decoys: int = 0
    survivors: list[str] = field(default_factory=list)
    spent: float = 0.0
    counterexample: Counterexample | None = None
    confirmed: bool = False
    trusted: list[str] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    def simulation(self) -> Simulation:
        """The report's ``simulation`` object."""
        return {
            "status": self.status,
            "samples": self.samples,
            "cases": self.cases,
            "max_z": self.max_z,
            "p_value": self.p,
            "detectable": self.detectable,
            "tier": self.tier,
            "power": self.power,
            "trusted": list(self.trusted),
            "exponents": list(self.exponents),
        }


@dataclass(frozen=True)
class Planned:
    """A case to sample: how many walks, and for every quantity the variance, scale and tolerance planned with.

    ``tier`` says how its walks are sampled.
    """

    raw: Mapping[str, Any]
    walks: int
    normals: int
    quantities: Mapping[str, tuple[float, float, float]]
    tier: str = "literal"


@dataclass(frozen=True)
class RunContext:
    """Where and how sampling runs: seed, device, threads, who is told of progress, who else draws the blocks, the
    least number of walks of a case, how these are sampled (``planning.tier_of``), and who takes note of the streams."""

    seed: int = 0
    device: str = "cpu"
    threads: int = 1
    effort: Effort = EFFORTS["standard"]
    effort_name: str = "standard"
    step: Callable[[int, int], None] = lambda done, total: None
    elsewhere: Any = None
    walks: int = 0
    tier: str = "auto"
    streams: Streams | None = None
