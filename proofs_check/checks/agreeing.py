"""Whether a claim's two sides agree at a case: what is derived there, and what is simulated, evaluated or observed.

The statistical test is of the hypothesis that both sides are right: the simulation's single numbers Y_1 .. Y_N are
independent with the derived mean mu and the derived variance v. With psi(x) = sign(x) log(1 + |x| + x^2/2) and alpha
fixed beforehand, exp(+-sum_k psi(alpha (Y_k - mu)) - N alpha^2 v/2) has an expectation of at most 1 (Catoni), so that

    |sum_k psi(alpha (Y_k - mu))| <= N alpha^2 v/2 + log(2/delta)

but for a probability of at most delta, at every N and whatever the tails. At alpha = sqrt(2 log(2/delta)/(N v)) an
error of about sqrt(8 log(2/delta) v/N) is seen. The same holds of the sum over all cases of a claim (``Pooled``), where
an error too small to be seen at any one case adds up. What is evaluated without randomness must be the derived number
within the bound of its rounding.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Observation, Registered, Simulation
from proofs_check.cases import wide
from proofs_check.cases.drawn import Case, key
from proofs_check.cases.wide import Lengths
from proofs_check.checks.evaluating import LOOSE
from proofs_check.checks.evidence import RunContext
from proofs_check.checks.intervals import influence
from proofs_check.checks.matrices import entry_rows
from proofs_check.checks.observing import observed
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Agreement
from proofs_check.claims.schema import empty
from theorems.gaussian.process import Moment
from theorems.kernel import equivalence
from theorems.kernel.derivation import Enclosed, Equivalence
from theorems.kernel.limits import Limit
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.outcome import Outcome

#: Normals of a case, and bounds of its walks.
NORMALS, FEWEST, MOST = 1 << 20, 1 << 10, 1 << 14
#: Standard deviations that a sum exceeds downwards but for one time in a thousand.
SEEN = 3.1
#: What an error is multiplied by until it is seen.
MORE = 1.1
#: Numbers may be off by this part of what is added up in them, for rounding.
ROUNDING = 1e-8
#: Longest walks of any draw, and of one that is aimed at long ones, by how many summed tokens stand in one form, as
#: both do in x_s^T W x_t: its numbers are T^2, and the variance of their sum takes T^3.
LENGTHS = (Lengths(1024, 1024), Lengths(128, 1024), Lengths(12, wide.LONG + 1))
#: How often cases are drawn once more at edges where none would show an error, and where some number is 0 at least.
ROUNDS, SOME = 8, 2
#: What their keys are apart.
AGAIN = 10**6
#: What stands for the kernel's outcome where nothing is judged.
UNSETTLED = Outcome("undecided", "")

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sides:
    """A claim's derivation, its empirical check, and what is evaluated beside a simulation."""

    pair: Pair
    check: Registered
    beside: Evaluation | None = None

    @property
    def claim(self) -> str:
        """The id under which verify knows it."""
        return self.pair.statement.id

    @property
    def quantities(self) -> int:
        """How many numbers are compared by sampling at one case."""
        return len(self.pair.sampled_names) if isinstance(self.check, Simulation) else 0


@dataclass(frozen=True)
class Budget:
    """The level of one comparison of a sample, and its size: ``effort`` multiplies MOST, its square NORMALS."""

    delta: float
    seed: int = 0
    effort: int = 1

    @property
    def log(self) -> float:
        """log(2/delta)."""
        return math.log(2 / self.delta)


@dataclass
class Pooled:
    """One quantity over all cases: the sums of psi and of alpha^2 v/2, in numbers of mean 0 and variance 1.

    Numbers are turned so that the derived mean is not negative: a factor that is wrong has one direction at all cases.
    """

    alpha: float
    total: float = 0.0
    count: int = 0
    means: float = 0.0

    def add(self, standard: Array, mean: float = 0.0) -> None:
        """Take in a case's standardised numbers, and their derived mean in standard deviations."""
        self.total += float(influence(self.alpha * standard).sum())
        self.count += len(standard)
        self.means += mean * len(standard)

    def apart(self, delta: float) -> float:
        """How far the sum is beyond what chance explains; 0 where it is not."""
        return max(0.0, abs(self.total) - self.count * self.alpha**2 / 2 - math.log(2 / delta))

    def least(self, delta: float) -> float:
        """The smallest error, as a part of every derived mean, that is seen but for about one run in a thousand."""
        needed = self.count * self.alpha**2 / 2 + math.log(2 / delta) + SEEN * self.alpha * math.sqrt(self.count)
        return needed / (self.alpha * self.means) if self.means else math.inf


@dataclass
class Look:
    """What was seen at one case: how the sides differ ("" where they do not), and whether anything was compared."""

    told: str = ""
    compared: int = 0
    #: the quantities of which both sides had a value
    names: set[str] = field(default_factory=set)
    #: numbers in standard form, and their derived mean in standard deviations
    standard: dict[str, tuple[Array, float]] = field(default_factory=dict)
    #: the largest of the least errors that are seen here, as parts of max(|mean|, standard deviation)
    least: float = 0.0
    #: whether a number twice as large would be seen
    tells: bool = False


def look(sides: Sides, case: Case, budget: Budget) -> Look:
    """Ask both sides of a claim at a case."""
    check = sides.check
    if isinstance(check, Simulation):
        found = _sampled(sides, check, case, budget)
        if sides.beside is not None and not found.told and case.get("start", "sigma") == "sigma":
            further = {name: values[0] for name, values in sides.beside.at.items()}
            beside = _evaluated(sides, sides.beside, {**case, **further})
            found.told, found.names = beside.told, found.names | beside.names
        return found
    if isinstance(check, Observation):
        return _observed(sides, check, case)
    if isinstance(check, Evaluation):
        return _entries(sides, check, case) if matrix_of(sides.pair.derived()) else _evaluated(sides, check, case)
    raise TypeError(f"{sides.claim}: a {type(check).__name__} is not asked at a case")


# -- samples


def walks_of(case: Mapping[str, Any], check: Simulation, effort: int) -> int:
    """How many walks are sampled at a case."""
    from montecarlo.cases import dimension, length

    normals = check.shape[0] * check.shape[1]
    if check.model != "free":
        normals = dimension(case) * (length(case) if check.model == "walk" else 1)
    walks = max(FEWEST, min(effort * MOST, effort**2 * NORMALS // normals))
    return max(2, min(walks, effort * check.most_walks) if check.model == "free" else walks) // 2 * 2


def numbers_of(sides: Sides, check: Simulation, case: Case, budget: Budget) -> dict[str, Array]:
    """A simulation's numbers at a case, by quantity: in as many parts as the effort is, each of a stream of its own."""
    from montecarlo.engine import numbers

    handed = sides.pair.handed(case) if check.model == "free" else case
    walks, name = walks_of(case, check, budget.effort), f"property {key(case)}"
    most = walks_of(case, check, 1)
    parts = []
    for first in range(0, walks, most):
        options = {"walks": min(most, walks - first), "key": f"{name} from {first}" if first else name}
        found = numbers(check, handed, seed=budget.seed, claim_id=sides.claim, **options)  # type: ignore[arg-type]
        parts.append({quantity: values.numpy() for quantity, values in found.items()})
    return {quantity: np.concatenate([part[quantity] for part in parts]) for quantity in parts[0]}


def alone(standard: Array, budget: Budget, off: float = 0.0) -> float:
    """An error, in standard deviations, that is seen in such numbers but for one run in a thousand, and in these.

    Each of them may be off by ``off`` for rounding.
    """
    error = (math.sqrt(2 * budget.log) + SEEN) / math.sqrt(len(standard)) + off
    while not all(beyond(standard + sign * error, off, budget.delta) for sign in (1, -1)):
        error *= MORE
    return error


def _sampled(sides: Sides, check: Simulation, case: Case, budget: Budget) -> Look:
    from montecarlo.calibration import check_normals

    pair, found = sides.pair, Look()
    if check.model != "free":
        # what is wrong in a thousandth of the normals is seen in them, and in no claim's numbers
        check_normals("literal", "cpu")
    given = numbers_of(sides, check, case, budget)
    size = _size(pair, case)
    for name in pair.sampled_names:
        own = given[name] if name in given else given["value"]
        variance = pair.statistic(name, case)[2]
        exact = float(pair.target(name, case).derived)
        slack = ROUNDING * max(abs(exact), size(name), math.sqrt(variance))
        found.compared += 1
        found.names.add(name)
        told, standard = compared(own, exact, variance, slack, budget.delta)
        if len(standard):
            deviation = math.sqrt(variance)
            if not told:
                found.least = max(
                    found.least, alone(standard, budget, slack / deviation) * deviation / max(abs(exact), deviation)
                )
            # numbers in standard form have a variance above what rounding may move
            found.standard[name] = (standard if exact >= 0 else -standard, abs(exact) / deviation)
        if told and not found.told:
            found.told = f"{name}: {told}"
    return found


def telling(sides: Sides, case: Case, budget: Budget, constant: bool = False) -> bool:
    """Whether a case shows a derived number that is twice what is right; as asked where all are constantly 0.

    Told from what is derived alone: which cases are sampled does not depend on samples.
    """
    check, pair = sides.check, sides.pair
    if not isinstance(check, Simulation):
        return True
    walks = walks_of(case, check, budget.effort)

    def tells(name: str) -> bool:
        moment, mean, variance = pair.statistic(name, case)
        if not mean:
            # what is 0 is measured against its deviation
            return bool(variance) or constant
        if constant and isinstance(moment, Limit):
            # a probability that is nearly 0 everywhere is measured against 1
            return True
        pairs = isinstance(moment, Moment) and moment.kind != "mean"
        return 8 * budget.log * variance <= mean**2 * (walks // (1 + pairs))

    return any(map(tells, pair.sampled_names))


def compared(own: Array, mean: float, variance: float, slack: float, delta: float) -> tuple[str, Array]:
    """How numbers differ from a mean and a variance ("" where they do not), and the numbers in standard form."""
    if not np.isfinite(own).all():
        return "the simulation's numbers are not finite", np.zeros(0)
    exact = math.sqrt(variance)
    if exact <= ROUNDING * slack:
        worst = float(own[np.argmax(abs(own - mean))])
        told = f"derived {mean:.9g} without variance, simulated {worst:.9g}" if abs(worst - mean) > 10 * slack else ""
        return told, np.zeros(0)
    # numbers that hardly vary are compared by a bound on their variance, which says nothing over all cases
    deviation = max(exact, slack)
    standard = (own - mean) / deviation
    if not beyond(standard, slack / deviation, delta):
        return "", standard if exact > slack else np.zeros(0)
    error, n = deviation / math.sqrt(len(own)), len(own)
    return f"derived {mean:.9g}, simulated {own.mean():.9g} on {n} numbers (standard error {error:.3g})", standard


def beyond(standard: Array, off: float, delta: float) -> bool:
    """Whether numbers in standard form, each moved by at most ``off``, have another mean than 0."""
    log, n = math.log(2 / delta), len(standard)
    alpha = math.sqrt(2 * log / n)
    high, low = (float(influence(alpha * (standard + sign * off)).sum()) for sign in (-1, 1))
    return max(high, -low) > n * alpha**2 / 2 + log


def _size(pair: Pair, case: Case) -> Callable[[str], float]:
    """What a quantity's numbers are where nothing cancels: W, Sigma and its root L their sizes times I, and |beta|."""
    names = [name for name in ("W", "Sigma", "L") if name in case]
    if not names:
        return lambda name: 0.0

    def full(rows: Sequence[Sequence[str]]) -> list[list[str]]:
        largest = max(sum(abs(Fraction(entry)) for entry in row) for row in rows)
        return [[str(largest) if r == c else "0" for c in range(len(rows))] for r in range(len(rows))]

    plain = dict(case) | {name: full(case[name]) for name in names}
    if "beta" in case:
        plain["beta"] = str(abs(Fraction(case["beta"])))

    def found(name: str) -> float:
        return abs(float(pair.target(name, plain).derived)) + math.sqrt(pair.statistic(name, plain)[2])

    return found


def longest(sides: Sides) -> Lengths:
    """The longest walks at which a claim's moments, and its simulation, are cheap."""
    sums = int(sides.beside is not None)
    for name in sides.pair.sampled_names if isinstance(sides.check, Simulation) else ():
        moment = sides.pair.quantity(name)
        if isinstance(moment, Moment) and moment.observable is not None:
            for term in moment.observable.terms:
                summed = {bound.index for bound in term.bounds}
                sums = max(sums, *(len(summed & form.tokens) for form in term.forms), bool(summed))
    return LENGTHS[min(sums, len(LENGTHS) - 1)]


# -- evaluations


def _evaluated(sides: Sides, check: Evaluation, case: Case) -> Look:
    from montecarlo.directly import evaluate

    found = Look()
    for name, (value, error) in evaluate(check, sides.pair.handed(case)).items():
        if "@" in name and name not in sides.pair.formulas:
            continue
        derived = float(sides.pair.target(name, case).derived)
        slack = error + 4 * math.ulp(abs(derived))
        # an evaluation that knows little agrees with anything
        if slack <= LOOSE * max(1.0, abs(derived)):
            found.compared += 1
            found.names.add(name)
        if not found.told and not abs(value - derived) <= slack:
            found.told = f"{name}: derived {derived!r}, evaluated {value!r} within {error:.1e}"
    return found


def _entries(sides: Sides, check: Evaluation, case: Case) -> Look:
    fact = matrix_of(sides.pair.derived())
    assert fact is not None
    found = Look(names={*sides.pair.statement.printed})
    for name, target, around, _, _ in entry_rows(sides.pair, fact, check, case):
        assert around is not None
        found.compared += 1
        slack = around.miss + 4 * math.ulp(abs(float(target.derived)))
        if not found.told and not abs(around.centre - float(target.derived)) <= slack:
            found.told = f"{name}: derived {float(target.derived)!r}, evaluated {around.centre!r}"
    return found


def _observed(sides: Sides, check: Observation, case: Case) -> Look:
    """Properties that both sides decide, and what the check encloses of the numbers that the derivation gives."""
    pair = sides.pair
    evidence = observed(pair, UNSETTLED, check, RunContext(), case)
    found = Look(next(iter(evidence.conflicts), ""))
    for name in evidence.seen[0].found:
        one = pair.quantity(name)
        # what is derived may leave a property open, and a number without an end
        if isinstance(one, Equivalence):
            settled = equivalence.truth(one, pair.exact(case)) is not None
        else:
            settled = not isinstance(one, Enclosed) or bool(one.lows or one.highs)
        if settled:
            found.compared += 1
            found.names.add(name)
    return found


# -- over many cases


@dataclass
class Agreed:
    """What many cases of a claim showed: the smallest at which the sides differ, and the edges that they miss."""

    claim: str
    cases: list[Case] = field(default_factory=list)
    compared: int = 0
    case: Case | None = None
    told: str = ""
    pooled: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    #: edges that cases meet, of which none can be afforded, or would show a number twice as large
    unasked: list[str] = field(default_factory=list)
    #: printed quantities of which the two sides had a value together at no case
    silent: list[str] = field(default_factory=list)
    shrunk: int = 0
    #: the smallest error of each simulated quantity, as a part of its mean, that all cases together would show
    least: dict[str, float] = field(default_factory=dict)
    #: the smallest that a case shows alone, as a part of max(|mean|, standard deviation), case by case
    alone: list[float] = field(default_factory=list)

    @property
    def replay(self) -> str:
        """The command that judges the claim at the case that was found."""
        return shlex.join(["twofold", "verify", self.claim, "--case", json.dumps(self.case, separators=(",", ":"))])

    def __str__(self) -> str:
        if self.case is not None:
            shown = ", ".join(f"{name} = {value}" for name, value in self.case.items()).replace("'", "")
            return f"{self.claim}: the two sides differ at {shown}: {self.told}\n    {self.replay}"
        if self.pooled:
            return f"{self.claim}: over {len(self.cases)} cases together, {'; '.join(self.pooled)}"
        return f"{self.claim}: no case with {', '.join(self.missed)}" if self.missed else ""


def agreement(sides: Sides, draws: int, delta: float, seed: int = 0, effort: int = 1) -> Agreed:
    """Ask both sides at so many drawn cases; where they differ, at ever smaller ones."""
    budget, top = Budget(delta, seed, effort), longest(sides)
    found = Agreed(sides.claim)
    pools: dict[str, Pooled] = {}
    names: set[str] = set()
    for case, aim in _drawn(sides, draws, budget, top):
        seen = look(sides, case, budget)
        found.cases.append(case)
        found.compared += seen.compared
        names |= seen.names
        found.alone += [seen.least] * bool(seen.least)
        if seen.told:
            _shrink(sides, found, case, aim, budget, top)
            return found
        for name, (standard, mean) in seen.standard.items():
            whole = pools.setdefault(name, Pooled(math.sqrt(2 * math.log(2 / delta) / (draws * effort * MOST / 2))))
            whole.add(standard, mean)
    for name, whole in pools.items():
        found.least[name] = whole.least(delta)
        if whole.apart(delta):
            mean = whole.total / whole.alpha / whole.count
            found.pooled.append(f"{name} is off by {mean:.2g} standard deviations in {whole.count} numbers")
    told = [case for case in found.cases if telling(sides, case, budget, constant=True)]
    found.missed = wide.missed(sides.pair.statement, told)
    found.silent = sorted({*sides.pair.statement.printed} - names)
    return found


def _drawn(sides: Sides, draws: int, budget: Budget, top: Lengths) -> list[tuple[Case, wide.Aim]]:
    """Drawn cases; in the place of those that show nothing, others at the edges which are met by no other."""
    statement = sides.pair.statement
    found = list(wide.drawn(statement, budget.seed, draws, top))
    idle = [place for place, (case, _) in enumerate(found) if not telling(sides, case, budget)]
    wanted = {*wide.missed(statement, [case for k, (case, _) in enumerate(found) if k not in idle])}
    for number in range(1, ROUNDS + 1):
        if number > SOME:
            sure = [case for case, _ in found if telling(sides, case, budget, constant=True)]
            wanted &= {*wide.missed(statement, sure)}
        if not (idle and wanted):
            break
        for case, aim in wide.drawn(statement, budget.seed + AGAIN * number, draws, top):
            met = wanted & wide.features(statement, case)
            if not met or key(case) in {key(one) for one, _ in found} or not telling(sides, case, budget):
                continue
            for place in idle:
                others = [*found[:place], *found[place + 1 :], (case, aim)]
                if not wide.missed(statement, [one for one, _ in others]):
                    found[place] = case, aim
                    idle.remove(place)
                    wanted -= met
                    break
    return found


def _shrink(sides: Sides, found: Agreed, case: Case, aim: wide.Aim, budget: Budget, top: Lengths) -> None:
    """Put the smallest case at which the sides differ into what was found."""

    def differs(one: Case) -> bool:
        found.shrunk += 1
        return bool(look(sides, one, budget).told)

    least = wide.smallest(sides.pair.statement, aim, differs, top) or case
    found.case, found.told = least, look(sides, least, budget).told


#: Cases of a claim in a run, by effort; a quick run leaves them to the other efforts.
DRAWS = {"quick": 0, "standard": 30, "thorough": 300}
#: How large their samples are.
EFFORT = 4
#: The part of a claim's false-alarm budget that they spend.
PART = 1e-3


def widely(pair: Pair, alpha: float, seed: int, effort: str) -> tuple[Agreement, str]:
    """Ask both sides of a claim at cases as wide as its hypotheses: what these cover, and where the sides differ.

    Of what is judged by a search or by its growth nothing is asked.
    """
    sides = Sides(pair, registry.find(pair.source), registry.beside(pair.source))
    draws = DRAWS[effort] if isinstance(sides.check, Simulation | Observation | Evaluation) else 0
    if not draws:
        return empty(Agreement), ""
    found = agreement(sides, draws, PART * alpha / (max(1, sides.quantities) * (draws + 1)), seed, EFFORT)
    return reported(found, wide.edges(pair.statement)), str(found) if found.case is not None or found.pooled else ""


def reported(found: Agreed, edges: Iterable[str]) -> Agreement:
    """What the report says of the cases, of which the hypotheses have these edges."""
    together, alone = max(found.least.values(), default=math.inf), sorted(found.alone)
    return {
        "cases": len(found.cases),
        "compared": found.compared,
        "ranges": wide.ranges(found.cases),
        "edges": sorted({*edges} - {*found.missed, *found.unasked}),
        "missed": sorted({*found.missed, *found.unasked}),
        "least": together if together < math.inf else None,
        "alone": {"half": alone[(len(alone) - 1) // 2], "all": alone[-1]} if alone else None,
    }
