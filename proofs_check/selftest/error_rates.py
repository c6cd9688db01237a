"""How often the referee errs, counted over claims that are true: the derived value stands in the place of the print.

A run has a seed of its own and goes the referee's own way (``sampling.measure``), with the smallest sample that can be
planned and a level far above that of a real run, whose 1e-9 no count could reach. It is one trial of each error:

    refuted     the interval leaves the true value out                                             at most delta
    agreed      a print that is off by the planned tolerance is judged to agree                    at most delta
    missed      a print that is off by that tolerance, or by ``detectable``, is not contradicted   at most BETA
    confirmed   a true print is contradicted, and once more on fresh seeds                         at most delta^2
    spread      the bound of the variance is below the exact variance                              at most delta/2

Runs share no seed, and a run tallies one quantity, so the counts are sums of independent trials. Where the chances
differ between claims, the exact binomial interval still bounds their average from below at the stated confidence
(Hoeffding 1956). Every row is counted against two planted faults too, which have to be flagged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from scipy.stats import beta as beta_law
from scipy.stats import norm

from montecarlo.empirical_checks import Growth, Tails
from montecarlo.hypercontractivity import kurtosis as bound_of
from proofs_check.checks.evidence import BETA, EFFORTS, Measured, RunContext
from proofs_check.checks.growing import grown
from proofs_check.checks.intervals import Interval, interval
from proofs_check.claims.pairing import Pair
from proofs_check.selftest.true_claims import Source, empirical_check, estimators
from theorems.claims.catalogue import ALPHA, PLUGIN_SHARES, SHARES, Statement, added, by_id, shipped, with_sides
from theorems.kernel.outcome import Outcome

if TYPE_CHECKING:
    import torch
    from torch import Tensor

#: Two-sided confidence of the intervals of the counts.
CONFIDENCE = 0.999
#: The level delta that intervals are asked for, and runs of each estimator.
LEVEL, RUNS = 0.05, 400
#: Blocks from which the heaviest tails are found.
PILOT = 32
#: First and fresh samples count as dependent where independent ones would look so less often than this.
DEPENDENT = 1e-6
#: Empirical checks that no chance decides about, by type.
WITHOUT = {"Search": "searches", "Evaluation": "evaluations", "Observation": "observations"}
#: One of so many runs is spent on samples of the largest effort, at the level of a real run.
SELDOM, LARGEST = 16, "thorough"
#: The runs with one seed, told apart.
SPAN = 1_000_000
#: The claim in whose place a growth is simulated.
GROWTH = "bao2024.appB.order19"

#: The level of intervals for which a sample of some whole blocks is too small.
RARE = 1e-9

Step = Callable[[int, int], None]
Row = dict[str, Any]


@dataclass(frozen=True)
class Rate:
    """So many errors in so many independent trials, and the probability they may have."""

    count: int
    of: int
    level: float

    @property
    def low(self) -> float:
        """Lower end of the exact (Clopper-Pearson) interval."""
        tail = (1 - CONFIDENCE) / 2
        return float(beta_law.ppf(tail, self.count, self.of - self.count + 1)) if self.count else 0.0

    @property
    def high(self) -> float:
        """Upper end of the exact interval."""
        tail = (1 - CONFIDENCE) / 2
        return float(beta_law.isf(tail, self.count + 1, self.of - self.count)) if self.count < self.of else 1.0

    @property
    def consistent(self) -> bool:
        """Whether the count is no more than the level allows."""
        return self.low <= self.level

    def row(self) -> Row:
        """The rate as the report shows it."""
        ends = {"low": self.low, "high": self.high, "level": self.level, "consistent": self.consistent}
        return {"count": self.count, "of": self.of, **ends}


def rate(found: Iterable[bool], level: float) -> Row:
    """The row of a count."""
    trials = list(found)
    return Rate(sum(trials), len(trials), level).row()


@dataclass(frozen=True)
class Look:
    """One run: which errors it made, and on which side of the truth the two samples fell."""

    refuted: bool
    agreed: bool
    missed: bool
    unseen: bool
    confirmed: bool
    spread: bool
    narrow: bool
    plain: bool
    sides: tuple[bool, bool]


def printed(m: Measured, value: float) -> Measured:
    """The measurement, had the print been that value."""
    return replace(m, target=replace(m.target, printed=sp.Float(value)))


def look(source: Source, seed: int, sign: int, delta: float) -> Look:
    """One run, the wrong prints off towards ``sign``."""
    first = source.measured(seed, delta)
    again = source.measured(seed, delta, "confirmation")
    truth = float(first.target.derived)
    off = printed(first, truth + sign * first.tolerance)
    reach = first.interval.detectable
    return Look(
        refuted=first.contradicts,
        agreed=off.agrees,
        missed=not off.contradicts,
        unseen=math.isfinite(reach) and not printed(first, truth + sign * reach).contradicts,
        confirmed=first.contradicts and again.contradicts,
        spread=first.interval.spread < source.variance,
        narrow=abs(first.interval.centre - truth) > first.std_error,
        plain=first.std_error**2 * first.count < source.variance,
        sides=(first.interval.centre < truth, again.interval.centre < truth),
    )


def dependence(sides: Mapping[int, Sequence[tuple[bool, bool]]]) -> Row:
    """Whether first and fresh samples fall on the same side of the truth more or less often than independent ones.

    Cochran-Mantel-Haenszel over the sources, two-sided, by the normal law.
    """
    excess = variance = 0.0
    for pairs in sides.values():
        n, first, fresh = len(pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs)
        excess += sum(a and b for a, b in pairs) - first * fresh / n
        variance += first * (n - first) * fresh * (n - fresh) / (n * n * (n - 1)) if n > 1 else 0.0
    p = 2 * float(norm.sf(abs(excess) / math.sqrt(variance))) if variance else 1.0
    every = [pair for pairs in sides.values() for pair in pairs]
    same = sum(a == b for a, b in every)
    return {"same_side": same, "of": len(every), "p_value": p, "consistent": p >= DEPENDENT}


def tally(looks: Sequence[tuple[int, Look]], delta: float) -> Row:
    """The error rates of one estimator, from its runs: each the number of its source, and what was seen."""
    seen = [found for _, found in looks]
    rows = {
        "false_refutations": rate((f.refuted for f in seen), delta),
        "false_agreements": rate((f.agreed for f in seen), delta),
        "missed_errors": rate((f.missed for f in seen), BETA),
        "missed_detectable": rate((f.unseen for f in seen), BETA),
        "false_confirmations": rate((f.confirmed for f in seen), delta**2),
        "spread_too_small": rate((f.spread for f in seen), delta / 2),
    }
    by_source = groupby(
        sorted(((place, f.sides) for place, f in looks), key=lambda pair: pair[0]), lambda pair: pair[0]
    )
    fresh = dependence({place: [sides for _, sides in pairs] for place, pairs in by_source})
    planted = {
        "one standard error as interval": rate((f.narrow for f in seen), delta),
        "sample variance as its bound": rate((f.plain for f in seen), delta / 2),
    }
    flagged = not any(row["consistent"] for row in planted.values())
    consistent = flagged and fresh["consistent"] and all(row["consistent"] for row in rows.values())
    return {**rows, "fresh_seeds": fresh, "planted": planted, "planted_flagged": flagged, "consistent": consistent}


def kurtosis(source: Source, seed: int) -> float:
    """The kurtosis of a source's numbers, from how their half squared differences vary between blocks."""
    found = source.estimate(seed, PILOT, "kurtosis")
    each = found.pairs // len(found.pair_block_means)
    return float(2 * each * np.var(found.pair_block_means, ddof=1) / found.pair_mean**2 - 1)


def heaviest(found: Mapping[str, Sequence[Source]], seed: int) -> Source | None:
    """Of the sources of the highest degree the one with the heaviest tails; None where none has a degree."""
    every = [source for group in found.values() for source in group if not isinstance(source.tails, Tails)]
    highest = [s for s in every if s.tails == max(t for t in (o.tails for o in every) if not isinstance(t, Tails))]
    return max(highest, key=lambda source: kurtosis(source, seed)) if highest else None


def coverage(source: Source, seeds: Sequence[int], delta: float, work: Work) -> Row:
    """Intervals of the heaviest statistic at samples from far too small for its kurtosis bound to twice enough.

    Where the bound says nothing of the variance, the interval has to be infinite: ``finite_too_soon`` counts the
    finite ones, at level 0. Raises ValueError for a source without a degree.
    """
    if isinstance(source.tails, Tails):
        raise ValueError(f"source = {source.quantity} of {source.pair.source}; expected a polynomial in Gaussians")
    bound, delta = bound_of(source.tails), min(delta, RARE)
    each = source.estimate(seeds[0], 1, "coverage").pairs
    least = math.floor((bound + 3.0) * math.log(2.0 / delta) / each) + 1
    sizes = sorted({2, least - 1, least, 2 * least} - {0, 1})
    truth = float(source.pair.target(source.quantity, source.planned.raw).derived)

    def run(seed: int) -> list[Interval]:
        found = source.estimate(seed, sizes[-1], "coverage")
        return [
            interval(
                found.block_means[:blocks],
                found.numbers_per_block,
                float(found.pair_block_means[:blocks].mean()),
                blocks * each,
                degree=source.tails,
                planned=source.variance,
                delta=delta,
                beta=BETA,
            )
            for blocks in sizes
        ]

    around = list(work(run, seeds))
    rows: list[Row] = []
    for place, blocks in enumerate(sizes):
        at = [found[place] for found in around]
        finite = [math.isfinite(a.low) or math.isfinite(a.high) for a in at]
        rows.append(
            {
                "numbers": 2 * blocks * each,
                "enough": blocks >= least,
                "infinite": finite.count(False),
                "false_refutations": rate((not a.holds(truth) for a in at), delta),
                "finite_too_soon": rate((f and blocks < least for f in finite), 0.0),
            }
        )
    return {
        "claim": source.pair.source,
        "quantity": source.quantity,
        "degree": source.tails,
        "params": dict(source.planned.raw),
        "kurtosis": kurtosis(source, seeds[0]),
        "kurtosis_bound": bound,
        "sizes": rows,
        "consistent": all(r["false_refutations"]["consistent"] and r["finite_too_soon"]["consistent"] for r in rows),
    }


def growths(seeds: Sequence[int], alpha: float, effort: str, work: Work) -> Row:
    """Orders of growth, printed right and too small by 1/2, on sums T^p z^6 of known order.

    The truth is not what the interval is of, as numbers are cut off at a level that is itself sampled. A wide interval
    hides the difference, so that the rule has to be counted at the largest samples too. Sixth powers have the degree of
    the shipped sums. First and fresh sample share the shorter walks: alpha is all that bounds a false confirmation.
    """
    pair = Pair(by_id()[GROWTH])
    exact = {name: sp.sympify(pair.quantity(name).exponent) for name in pair.statement.printed}

    def powers(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        import torch

        z = torch.randn(n, generator=generator, dtype=torch.float64, device=generator.device)
        return {name: float(T) ** float(order) * z**6 for name, order in exact.items()}

    told = [
        replace(pair, statement=replace(pair.statement, printed={n: str(p - by) for n, p in exact.items()}))
        for by in (sp.Integer(0), sp.Rational(1, 2))
    ]
    outcome = Outcome("disproved", "as if it were, so that confirmation is tried")

    def run(seed: int) -> tuple[str, bool, bool, str]:
        context = RunContext(seed, effort=EFFORTS[effort], effort_name=effort)
        right, wrong = (grown(one, outcome, Growth(GROWTH, powers), alpha, context) for one in told)
        return right.status, bool(right.conflicts), right.confirmed, wrong.status

    looks = list(work(run, seeds))
    rows = {
        "false_refutations": rate((status == "contradicts" for status, _, _, _ in looks), alpha),
        "false_conflicts": rate((conflict for _, conflict, _, _ in looks), alpha),
        "false_confirmations": rate((confirmed for _, _, confirmed, _ in looks), alpha),
        "false_agreements": rate((status == "agrees" for _, _, _, status in looks), alpha),
    }
    return {"runs": len(looks), "effort": effort, **rows, "consistent": all(row["consistent"] for row in rows.values())}


def ledger(claims: Sequence[Statement] | None = None) -> Row:
    """What all claims and corrections may spend of ALPHA, with what is kept back for other packages."""
    every = (*shipped(), *added()) if claims is None else tuple(claims)
    # a correction holds as much again as its claim
    own = 2 * sum((Fraction(claim.alpha) for claim in every if not claim.plugin), Fraction(0))
    others = 2 * sum((Fraction(claim.alpha) for claim in every if claim.plugin), Fraction(0))
    kept = Fraction(ALPHA) * PLUGIN_SHARES / SHARES
    fits = own + kept <= Fraction(ALPHA) and others <= kept
    spent = {"claims": 2 * len(every), "given": float(own), "reserved": float(kept), "plugins": float(others)}
    return {"alpha": ALPHA, **spent, "consistent": fits}


@dataclass
class Work:
    """Runs spread over threads, told to ``step`` as they end; results come in the runs' order, whatever the threads."""

    jobs: int
    total: int
    step: Step
    done: int = 0

    def __call__(self, run: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The results of ``run`` for every item, in order."""
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(run, item) for item in items]
            try:
                for future in waiting:
                    found = future.result()
                    self.done += 1
                    self.step(self.done, self.total)
                    yield found
            finally:
                for future in waiting:
                    future.cancel()


def measure(
    *,
    seed: int = 0,
    runs: int = RUNS,
    jobs: int = 1,
    level: float = LEVEL,
    step: Step = lambda done, total: None,
    ids: Sequence[str] | None = None,
) -> Row:
    """The error rates of every estimator, of the heaviest tails, of growths and of the ledger; ``runs`` of each.

    The same for any ``jobs``. ``ids`` narrows the claims. Raises ValueError for a level outside (0, 1).
    """
    from montecarlo.threads import one_torch_thread

    if not 0 < level < 1:
        raise ValueError(f"level = {level}; expected a number between 0 and 1, e.g. {LEVEL}")
    found = estimators(seed, level, ids)
    # one context around all threads: each sample's own then finds and leaves a single torch thread
    with one_torch_thread():
        heavy = heaviest(found, seed)
        seeds = range(seed * SPAN, seed * SPAN + runs)
        large = seeds[: -(-runs // SELDOM)]
        work = Work(jobs, runs * (len(found) + (heavy is not None) + 1) + len(large), step)
        rows: dict[str, Row] = {}
        for name, group in found.items():
            # the wrong prints are off upwards and downwards in turn
            trials = [(k % len(group), seed, 1 - 2 * (k // len(group) % 2)) for k, seed in enumerate(seeds)]

            def run(trial: tuple[int, int, int], group: list[Source] = group) -> tuple[int, Look]:
                place, own, sign = trial
                return place, look(group[place], own, sign, level)

            claims = sorted({source.pair.source for source in group})
            rows[name] = {"runs": runs, "claims": claims, **tally(list(work(run, trials)), level)}
        tails = coverage(heavy, seeds, level, work) if heavy is not None else None
        own = by_id()[GROWTH].alpha
        orders = [growths(seeds, level, "quick", work), growths(large, own, LARGEST, work)]
    budget = ledger()
    parts = [*rows.values(), *([tails] if tails else []), *orders, budget]
    return {
        "runs": work.total,
        "level": level,
        "confidence": CONFIDENCE,
        "estimators": rows,
        "heaviest": tails,
        "growth": orders,
        "ledger": budget,
        "without_randomness": without_randomness(),
        "consistent": all(part["consistent"] for part in parts),
    }


def without_randomness() -> dict[str, int]:
    """How many claims have a check whose word is sure: bounds of rounding errors and exact decisions, no chance.

    A search draws its points at random, but what it finds at a point is beyond the rounding errors there.
    """
    kinds = Counter(type(empirical_check(claim)).__name__ for claim in with_sides())
    return {WITHOUT[name]: kinds[name] for name in WITHOUT if kinds[name]}
