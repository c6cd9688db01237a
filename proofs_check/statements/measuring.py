"""Sampling a statement at a case: how many walks, an interval for each side, and whether they can be equal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from montecarlo.empirical_checks import Tails
from proofs_check.cases.of_statements import readable_case
from proofs_check.checks.intervals import constant_after, interval, numbers_needed
from proofs_check.checks.streams import Streams
from proofs_check.report.telling import parameters
from proofs_check.statements.planning import Spread, pilot_spreads
from theorems.statement.proposition import Proposition

if TYPE_CHECKING:
    from montecarlo.statements.simulation import StatementSimulation

#: An error of the stated size is missed at most this often.
BETA = 1e-3
#: A wanted difference is seen with this part of it to spare.
ROOM = 0.9
#: Walks of the pilot sample that the size of a sample is planned from.
PILOT = 1 << 14
#: An error of this part of a raw number's max(|mean|, standard deviation) is to be seen, times the effort's factor.
RELATIVE = 0.01
EFFORTS = {"quick": (2.0, 40_000_000), "standard": (1.0, 160_000_000), "thorough": (0.5, 800_000_000)}


@dataclass(frozen=True)
class Measurement:
    """Both sides at a case: intervals, what could be told apart there, and how many walks were drawn.

    ``scale`` is what ``tolerance`` is a small part of: max(|mean|, standard deviation) of the raw numbers, as far as
    they move left - right. ``exactly`` says whether the number of walks was planned from exact variances, ``ranged``
    whether errors are parts of the range of a number that did not vary in the pilot sample, ``moved`` whether
    exponentials were sampled where they are large; ``misfit`` says of which variance the data are too narrow.
    """

    case: Mapping[str, Any]
    left: tuple[float, float]
    right: tuple[float, float]
    walks: int
    tolerance: float
    scale: float = 1.0
    names: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    exactly: bool = False
    misfit: str = ""
    ranged: bool = False
    moved: bool = False

    @property
    def gap(self) -> tuple[float, float]:
        """The interval of left - right."""
        return self.left[0] - self.right[1], self.left[1] - self.right[0]

    @property
    def centre(self) -> float:
        """The middle of the left side's interval."""
        return (self.left[0] + self.left[1]) / 2

    def contradicts(self, relation: str) -> bool:
        """Whether the relation fails for all values within the intervals."""
        low, high = self.gap
        return {
            "=": low > 0 or high < 0,
            "<=": low > 0,
            "<": low > 0,
            ">=": high < 0,
            ">": high < 0,
        }.get(relation, False)

    def agrees(self, relation: str) -> bool:
        """Whether the relation holds within the tolerance for all values within the intervals; never within any."""
        low, high = self.gap
        room = self.tolerance
        if not math.isfinite(room):
            return False
        return {
            "=": -room <= low <= 0 <= high <= room,
            "<=": high <= room and not self.contradicts(relation),
            "<": high <= room and not self.contradicts(relation),
            ">=": low >= -room and not self.contradicts(relation),
            ">": low >= -room and not self.contradicts(relation),
        }.get(relation, False)

    def holds(self, value: float) -> bool:
        """Whether an exact value of left - right is compatible with what was sampled."""
        low, high = self.gap
        slack = self.slack(max(abs(value), abs(low) if math.isfinite(low) else 0.0))
        return low - slack <= value <= high + slack

    @staticmethod
    def slack(size: float) -> float:
        """How far rounding may take a value of such a size."""
        return 1e-9 * max(1.0, size)


class TooDearError(Exception):
    """A case that cannot be sampled at this effort with the wanted power; the message says why."""


class WithoutValueError(TooDearError):
    """A case at which the simulation finds no value, or no tokens: nothing is seen there of the statement."""


class UnsimulatedError(WithoutValueError):
    """What the simulation cannot evaluate at a case: told as what it is, never as a want of walks."""


def measure(prop: Proposition, case: Mapping[str, Any], streams: Streams | None = None, **options: Any) -> Measurement:
    """Sample both sides at a case, with the options of ``planned``, as ``plan`` plans it; ``streams`` were seen."""
    return plan(prop, case, **options)(Streams() if streams is None else streams)


def plan(prop: Proposition, case: Mapping[str, Any], **options: Any) -> Plan:
    """Plan to sample both sides at a case, with the options of ``planned``; what cannot be evaluated is a TooDearError.

    It is a WithoutValueError where a side has no value, or the law no tokens, and an UnsimulatedError where the
    simulation has no way to evaluate a side. Numbers outside of the bounds that were
    derived for them stay what they are, a fault.
    """
    with _told_at(case):
        found = planned(prop, case, **options)
    return found


@contextmanager
def _told_at(case: Mapping[str, Any]) -> Iterator[None]:
    """Make what a simulation cannot do at a case a TooDearError."""
    from montecarlo.statements.nodes import NoValueError, StatementSimulationError
    from montecarlo.statements.simulation import BoundsError

    try:
        yield
    except BoundsError:
        raise
    except (NoValueError, ArithmeticError) as error:
        raise WithoutValueError(f"no value at {parameters(readable_case(case))}: {error}") from None
    except StatementSimulationError as error:
        raise UnsimulatedError(f"the simulation stops at {parameters(readable_case(case))}: {error}") from None


@dataclass(frozen=True)
class Plan:
    """A sample of so many walks at a case, which is drawn when it is called; a TooDearError as of ``plan``.

    By raw number: its ``spreads``, the variances that it is planned with, its tails, and how far left - right moves
    with it.
    """

    case: Mapping[str, Any]
    simulation: StatementSimulation
    walks: int
    share: float
    part: float
    spreads: Mapping[str, Spread]
    variances: Mapping[str, float]
    tails: Mapping[str, Any]
    sensitive: Mapping[str, float]
    stream: Mapping[str, Any]

    @property
    def normals(self) -> int:
        """Normals that the sample takes."""
        return self.walks * self.simulation.normals

    def __call__(self, streams: Streams) -> Measurement:
        """Draw the sample; SharedStreamError where its stream is that of another one that was seen."""
        with _told_at(self.case):
            return self._drawn(streams)

    def _drawn(self, streams: Streams) -> Measurement:
        simulation, spreads = self.simulation, self.spreads
        if not simulation.statistics:
            ends = [simulation.interval(side, {}) for side in ("left", "right")]
            return Measurement(self.case, ends[0], ends[1], 0, 0.0)
        sample = simulation.draw(self.walks, **self.stream)
        streams.see(sample, f"the sample at {self.stream['key']}")
        intervals: dict[str, tuple[float, float]] = {}
        misfits = []
        for name, estimate in sample.estimates.items():
            found = interval(
                estimate.block_means,
                estimate.numbers_per_block,
                estimate.pair_mean,
                estimate.pairs,
                degree=self.tails[name],
                planned=self.variances[name],
                delta=self.share,
                beta=BETA,
            )
            intervals[name] = (found.low, found.high)
            if spreads[name].exact and spreads[name].variance * (1 - 1e-9) > found.spread:
                # both are within the interval's own error rate
                misfits.append(
                    f"derived variance of {name} = {spreads[name].variance:.6g}, simulated <= {found.spread:.6g}"
                )
        left, right = (simulation.interval(side, intervals) for side in ("left", "right"))
        means = {name: spread.mean for name, spread in spreads.items()}
        widths = {name: self.part * spread.scale for name, spread in spreads.items()}
        tolerance = sum(
            self.sensitive[name] * width or _moved(simulation, means, name, width) for name, width in widths.items()
        )
        # what does not vary is known as exactly as it is computed
        known = {name: intervals[name] if self.variances[name] == 0.0 else (mean, mean) for name, mean in means.items()}
        rounded = [simulation.interval(side, known) for side in ("left", "right")]
        tolerance += max(high - low for low, high in rounded)
        scale = tolerance / self.part if self.sensitive else 1.0
        exactly = all(spread.exact for spread in spreads.values())
        return Measurement(
            self.case,
            left,
            right,
            sample.walks,
            2 * tolerance,
            scale,
            intervals,
            exactly=exactly,
            misfit="; ".join(misfits),
            ranged=any(spread.reach for spread in spreads.values()),
            moved=bool(simulation.tilts),
        )


def planned(
    prop: Proposition,
    case: Mapping[str, Any],
    *,
    claim_id: str,
    seed: int,
    delta: float,
    effort: str,
    mark: str = "",
    wanted: float | None = None,
    budget: int = 1,
    threads: int = 2,
    device: str = "cpu",
    derived: Mapping[str, Spread] | None = None,
) -> Plan:
    """Plan a sample at a case; ``wanted`` is a difference of the sides that must be seen, if smaller than usual.

    ``budget`` multiplies what the effort affords. Where that is too little, means of exponentials are sampled where
    these are large (importance sampling).
    The number of walks is planned from the variances that are ``derived``, by raw number, or where one is missing
    from those of a pilot sample with a stream of its own; the intervals come from the data of the sample itself and
    from the tails that follow from the statement. Raises TooDearError.
    """
    from montecarlo.statements.nodes import NoValueError
    from montecarlo.statements.simulation import StatementSimulation

    simulation = StatementSimulation(prop.plain(), case)
    key = json.dumps(case, sort_keys=True) + mark
    given: dict[str, Any] = {"delta": delta, "effort": effort, "wanted": wanted, "budget": budget}
    given["stream"] = {"seed": seed, "claim_id": claim_id, "device": device, "threads": threads}
    try:
        return _planned(case, simulation, key, derived or {}, **given)
    except TooDearError:
        tilted = simulation.tilted()
        if tilted is None:
            raise
        known = {name: spread for name, spread in (derived or {}).items() if name not in tilted.tilts}
        try:
            return _planned(case, tilted, key + "tilted", known, **given)
        except (TooDearError, NoValueError, ArithmeticError):
            # numbers, or their squares, too large for floats say nothing of the statement
            pass
        raise


def _planned(
    case: Mapping[str, Any],
    simulation: StatementSimulation,
    key: str,
    derived: Mapping[str, Spread],
    *,
    delta: float,
    effort: str,
    wanted: float | None,
    budget: int,
    stream: Mapping[str, Any],
) -> Plan:
    """Plan a sample of a simulation, with a stream of that key."""
    factor, most = EFFORTS[effort]
    statistics = simulation.statistics
    if not statistics:
        return Plan(case, simulation, 0, delta, RELATIVE * factor, {}, {}, {}, {}, stream)
    share = delta / len(statistics)
    spreads, afforded = dict(derived), _most(budget * most, simulation)
    if not spreads.keys() >= statistics.keys():
        for name in statistics:
            # whatever a pilot sample would find
            known = name in spreads or statistics[name].tails.width is not None
            if not known and constant_after(tails := _tails(simulation, name), share) > afforded:
                raise _too_dear(name, tails, effort)
        spreads = pilot_spreads(simulation, PILOT, key=key + "pilot", **stream) | spreads
    means = {name: spreads[name].mean for name in statistics}
    sensitive = _sensitivity(simulation, means)
    spreads = {name: _as_planned(spreads[name], simulation, name) for name in statistics}
    # what did not vary is bounded by its range, whatever else is known of it
    tails_of = {
        name: statistics[name].tails if spreads[name].reach else _tails(simulation, name) for name in statistics
    }
    variances: dict[str, float] = {}
    needed = 0
    for name in statistics:
        spread, part = spreads[name], RELATIVE * factor * spreads[name].scale
        if wanted is not None and sensitive.get(name, 0.0) > 0:
            part = min(part, ROOM * wanted / (len(statistics) * sensitive[name]))
        # what did not occur is planned for as what would just be an error of that size
        variances[name] = spread.reach * part if spread.reach else spread.variance
        per = simulation.numbers_per_block(name)
        tails = tails_of[name]
        count: float | None
        if variances[name] == 0.0 and not spread.exact:
            least = constant_after(tails, share)
            count = least if least <= afforded else None
        elif variances[name] == 0.0 or part == 0.0:
            continue
        else:
            count = numbers_needed(
                variances[name], part, degree=tails, delta=share, beta=BETA, per_block=per, most=afforded
            )
        if count is None or (isinstance(tails, Tails) and tails.kurtosis == math.inf):
            raise _too_dear(name, tails, effort)
        needed = max(needed, math.ceil(count / per) * simulation.walks_per_block)
    walks = max(needed, PILOT)
    stream = {**stream, "key": key}
    return Plan(case, simulation, walks, share, RELATIVE * factor, spreads, variances, tails_of, sensitive, stream)


def _too_dear(name: str, tails: int | Tails, effort: str) -> TooDearError:
    if isinstance(tails, Tails) and tails.kurtosis == math.inf:
        return TooDearError(f"no bound of the kurtosis of {name} is known, so that no interval follows from samples")
    return TooDearError(f"{name} needs more walks than {effort} effort affords")


def _most(most_normals: int, simulation: StatementSimulation) -> int:
    """The most walks that an effort affords, by the normals that a walk takes."""
    return max(1 << 15, most_normals // simulation.normals)


def _tails(simulation: StatementSimulation, name: str) -> Any:
    """What an interval needs to know of a statistic's tails: its degree in Gaussians, its kurtosis, or its bounds."""
    tails = simulation.tails(name)
    return tails.degree if tails.degree is not None else tails


def _as_planned(spread: Spread, simulation: StatementSimulation, name: str) -> Spread:
    """The spread that a sample is planned with: of a bounded number that did not vary in a pilot sample, its range.

    Whether something rare occurs varies so little, and is no constant.
    """
    width = simulation.statistics[name].tails.width
    return spread if spread.exact or spread.variance > 0.0 or not width else replace(spread, reach=width)


def _sensitivity(simulation: Any, means: Mapping[str, float]) -> dict[str, float]:
    """How much left - right moves with each raw mean, near these means; 0 where it has no value there."""
    found = {}
    for name, mean in means.items():
        step = 1e-3 * max(abs(mean), 1e-3)
        moved = [_gap(simulation, means, name, shift) for shift in (-step, step)]
        found[name] = abs(moved[1] - moved[0]) / (2 * step) if all(map(math.isfinite, moved)) else 0.0
    return found


def _moved(simulation: Any, means: Mapping[str, float], name: str, width: float) -> float:
    """How far left - right moves at most where a raw mean moves by a width; infinity where it has no value there."""
    here, *moved = (_gap(simulation, means, name, shift) for shift in (0.0, -width, width))
    gaps = [abs(one - here) for one in moved]
    return max(gaps) if all(map(math.isfinite, gaps)) else math.inf


def _gap(simulation: Any, means: Mapping[str, float], name: str, shift: float) -> float:
    """The middle of left - right where all raw means are as given, but one is shifted."""
    point = {other: (value, value) for other, value in means.items()} | {name: (means[name] + shift,) * 2}
    (left, right) = (simulation.interval(side, point) for side in ("left", "right"))
    return float((left[0] + left[1]) / 2 - (right[0] + right[1]) / 2)
