"""True claims to count errors over: every simulated claim, with its derived value in the place of the print.

Each comes at drawn cases, with the smallest sample that can be planned there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy as sp

from montecarlo import registry
from montecarlo.empirical_checks import SINGLE, Registered, Simulation, Tails
from proofs_check.cases import drawn as drawing
from proofs_check.checks import sampling
from proofs_check.checks.evidence import BETA, Measured, Planned, RunContext
from proofs_check.checks.intervals import numbers_needed
from proofs_check.checks.planning import degree_of
from proofs_check.claims.pairing import Pair, Target
from theorems.claims.catalogue import Statement, by_id, with_sides
from theorems.gaussian.observables import W
from theorems.gaussian.process import Moment, Position, Process
from theorems.kernel import deriving

if TYPE_CHECKING:
    from torch import Tensor

    from montecarlo.accumulate import Estimate
    from montecarlo.walks import Walks

#: Samples are as small as lets an error of this many standard deviations be planned for.
COARSE = 0.1
#: More numbers than this are too dear for a run.
SMALLEST_MOST = 1 << 22
#: Cases of each claim, draws for one, and entries of the longest walk.
CASES, DRAWS, LONGEST = 2, 4, 64
#: An estimator that no shipped claim uses.
COVARIANCE = "selftest.covariance"


@dataclass
class TruePair(Pair):
    """A claim with its derived values in the place of the print: whatever contradicts it errs."""

    targets: dict[tuple[str, str], Target] = field(default_factory=dict)
    given: dict[str, dict[str, Any]] = field(default_factory=dict)

    def target(self, name: str, raw: Mapping[str, Any]) -> Target:
        """The derived value of a quantity at a case, as derived and as printed (memoised)."""
        place = name, drawing.key(raw)
        if place not in self.targets:
            value = sp.Float(float(super().target(name, raw).derived))
            self.targets[place] = Target(name, value, value, value, value)
        return self.targets[place]

    def handed(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """What the simulation is handed at a case (memoised)."""
        place = drawing.key(raw)
        if place not in self.given:
            self.given[place] = super().handed(raw)
        return self.given[place]


@dataclass(frozen=True)
class Source:
    """A quantity of a true claim at a case, its planned sample, and the exact variance of one number.

    ``tails`` is the numbers' degree in Gaussians or what else is known of them, ``block`` the walks in a block.
    """

    pair: TruePair
    simulation: Simulation
    planned: Planned
    quantity: str
    variance: float
    tails: int | Tails
    block: int

    def measured(self, seed: int, delta: float, mark: str = "") -> Measured:
        """The quantity as the referee measures it in the run of that seed; ``mark`` names a fresh stream."""
        found = sampling.measure(self.pair, self.simulation, self.planned, delta, RunContext(seed), mark)
        return next(m for m in found if m.target.name == self.quantity)

    def estimate(self, seed: int, blocks: int, key: str) -> Estimate:
        """So many blocks of numbers, without an interval around them."""
        from montecarlo.engine import draw

        raw = self.planned.raw
        handed = self.pair.handed(raw) if self.simulation.model == "free" else raw
        claim = self.pair.statement.id
        sample = draw(self.simulation, handed, walks=blocks * self.block, seed=seed, claim_id=claim, key=key)
        return sample[self.quantity if self.quantity in sample.estimates else SINGLE]


def _covariance(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
    from montecarlo.walks import form

    return registry.covariance(form(walk.token(i), W, walk.last), form(walk.token(j), W, walk.last))


def covariance_pair() -> tuple[TruePair, Simulation]:
    """Cov(x_i^T W x_T, x_j^T W x_T): a claim for the estimator that no shipped claim uses."""

    def derived(walk: Process, i: Position, j: Position, T: Position) -> Moment:
        return walk.cov(walk.form(i, W, T), walk.form(j, W, T))

    model = by_id()["bao2024.appC.eq22"]
    claim = replace(
        model, id=COVARIANCE, printed={"value": "0"}, positions=("i", "j", "T"), regime={}, remainder="", conditions=()
    )
    pair = TruePair(claim)
    with deriving.registered(COVARIANCE, derived):
        for start in ("sigma", "zero"):
            pair.derived(start)
    return pair, Simulation(COVARIANCE, _covariance, degree=4)


def empirical_check(claim: Statement) -> Registered | None:
    """What is registered for a claim; None where nothing is."""
    try:
        return registry.find(claim.id)
    except LookupError:
        return None


def simulated(ids: Sequence[str] | None = None) -> Iterator[tuple[TruePair, Simulation]]:
    """The claims with a random simulation, shipped ones and one of the suite's own, as true claims."""
    for claim in with_sides():
        side = empirical_check(claim) if ids is None or claim.id in ids else None
        if isinstance(side, Simulation):
            pair = TruePair(claim)
            if not pair.derived().missing:
                yield pair, side
    if ids is None or COVARIANCE in ids:
        yield covariance_pair()


def smallest(variance: float, tails: int | Tails, per_block: int, delta: float) -> tuple[int, float] | None:
    """The fewest numbers with which an error of COARSE deviations can be planned for, and the least error that they
    are planned to catch; None for more than SMALLEST_MOST."""
    planned = partial(numbers_needed, variance, degree=tails, delta=delta, beta=BETA, per_block=per_block)
    high = COARSE * math.sqrt(variance)
    numbers, low = planned(high, most=SMALLEST_MOST), 0.0
    if numbers is None:
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if planned(middle, most=numbers) is None else (low, middle)
    return numbers, high


def sources(pair: TruePair, simulation: Simulation, seed: int, delta: float) -> Iterator[tuple[str, Source]]:
    """The quantities of a claim at CASES drawn cases, each with the name of its estimator and a smallest sample."""
    for place, slot in enumerate(drawing.slots(pair.statement, "quick")[:CASES]):
        for raw in reversed(drawing.drawn(pair.statement, slot, seed * 64 + place, DRAWS)):
            found = list(_at(pair, simulation, raw, delta))
            if found:
                yield from found
                break


def _at(pair: TruePair, simulation: Simulation, raw: Mapping[str, Any], delta: float) -> Iterator[tuple[str, Source]]:
    from montecarlo.cases import dimension, length
    from montecarlo.walks import block_walks

    T = length(raw) if simulation.model == "walk" else 1
    d = dimension(raw) if simulation.model != "free" else 1
    if T * d > LONGEST:
        return
    block = walks = block_walks(T, d)
    quantities: dict[str, tuple[float, float, float]] = {}
    found: list[tuple[str, str, float, int | Tails]] = []
    for name in pair.sampled_names:
        moment, mean, variance = pair.statistic(name, raw)
        tails, kind = degree_of(simulation, name, pair), getattr(moment, "kind", "mean")
        # half squared differences, and half products of differences, are one number for two walks
        walks_each = 2 if kind in ("variance", "covariance") else 1
        least = smallest(variance, tails, block // walks_each, delta) if variance > 1e-12 * mean * mean else None
        quantities[name] = (variance, 1.0, least[1]) if least else (0.0, 1.0, 0.0)
        if least:
            walks = max(walks, walks_each * least[0])
            found.append((estimator(kind, tails), name, variance, tails))
    planned = Planned(raw, walks, walks * T * d, quantities)
    pair.handed(raw)
    for group, name, variance, tails in found:
        pair.target(name, raw)
        yield group, Source(pair, simulation, planned, name, variance, tails, block)


def estimator(kind: str, tails: int | Tails) -> str:
    """The name of an estimator: what is averaged, and what is known of its tails."""
    if isinstance(tails, Tails):
        return "bounded numbers" if tails.width is not None else "stated kurtosis"
    return f"{kind}, degree {tails}"


def estimators(seed: int, delta: float, ids: Sequence[str] | None = None) -> dict[str, list[Source]]:
    """Every estimator of the suite with the claims and cases that it is counted over."""
    found: dict[str, list[Source]] = {}
    for pair, simulation in simulated(ids):
        for group, source in sources(pair, simulation, seed, delta):
            found.setdefault(group, []).append(source)
    return dict(sorted(found.items()))
