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

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.empirical_checks import Evaluation, Observation, Registered, Simulation
from proofs_check.cases.drawn import Case, key
from proofs_check.checks.evaluating import LOOSE
from proofs_check.checks.evidence import RunContext
from proofs_check.checks.intervals import influence
from proofs_check.checks.matrices import entry_rows
from proofs_check.checks.observing import observed
from proofs_check.claims.pairing import Pair
from theorems.gaussian.process import Moment
from theorems.kernel import equivalence
from theorems.kernel.derivation import Enclosed, Equivalence
from theorems.kernel.limits import Limit
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.outcome import Outcome

#: Normals of a case, and bounds of its walks.
NORMALS, FEWEST, MOST = 1 << 20, 1 << 11, 1 << 14
#: Standard deviations that a sum exceeds downwards but for one time in a thousand.
SEEN = 3.1
#: What an error is multiplied by until it is seen.
MORE = 1.1
#: Numbers may be off by this part of what is added up in them, for rounding.
ROUNDING = 1e-8
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
    #: the same of every number that is evaluated and is not 0, as a property is none
    shows: dict[str, bool] = field(default_factory=dict)


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
    """A simulation's numbers at a case, by quantity."""
    from montecarlo.engine import numbers

    handed = sides.pair.handed(case) if check.model == "free" else case
    walks, name = walks_of(case, check, budget.effort), f"property {key(case)}"
    found = numbers(check, handed, walks=walks, seed=budget.seed, claim_id=sides.claim, key=name)
    return {quantity: values.numpy() for quantity, values in found.items()}


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


def telling(sides: Sides, case: Case, budget: Budget) -> dict[str, bool]:
    """Of which quantities a case shows a derived number that is twice what is right; none of what is 0 there.

    Of a simulation told from what is derived alone: which cases are sampled does not depend on samples.
    """
    pair, found = sides.pair, dict[str, bool]()
    assert isinstance(sides.check, Simulation)
    walks = walks_of(case, sides.check, budget.effort)
    for name in pair.sampled_names:
        moment, mean, variance = pair.statistic(name, case)
        pairs = isinstance(moment, Moment) and moment.kind != "mean"
        # what is 0 is measured against its deviation
        seen = 8 * budget.log * variance <= mean**2 * (walks // (1 + pairs)) if mean else bool(variance)
        # a probability that is nearly 0 everywhere is measured against 1
        if (seen and (mean or variance)) or (mean and not isinstance(moment, Limit)):
            found[name] = seen
    return found


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
        if derived:
            found.shows[name] = abs(derived) > 2 * slack
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
        if target.derived:
            found.shows[""] = found.shows.get("", False) or abs(float(target.derived)) > 2 * slack
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
            found.shows[""] = True
    return found
