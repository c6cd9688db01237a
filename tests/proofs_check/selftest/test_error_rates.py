"""The referee's own error rates: every count against an oracle, and every check against a fault put in on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from scipy.stats import binomtest

from montecarlo.empirical_checks import Evaluation, Observation, Search
from proofs_check.checks import intervals
from proofs_check.checks.evidence import BETA, Evidence, Measured
from proofs_check.claims.pairing import Target
from proofs_check.selftest import error_rates
from proofs_check.selftest.error_rates import (
    CONFIDENCE,
    Look,
    Rate,
    Work,
    coverage,
    dependence,
    heaviest,
    kurtosis,
    ledger,
)
from proofs_check.selftest.true_claims import COVARIANCE, Source, empirical_check, estimators, smallest
from theorems.claims.catalogue import ALPHA, PLUGIN_SHARES, SHARES, shipped, with_sides

LEVEL, RUNS, PER_BLOCK = 0.05, 120, 64
PLAN = cast(tuple[int, float], smallest(2.0, 2, PER_BLOCK, LEVEL))
QUICK = ("bao2024.appA.eq14", "bao2024.appA.eq15", "bao2024.sec4.gaussian-rho")


@pytest.mark.parametrize(("count", "of"), [(0, 400), (1, 400), (17, 400), (399, 400), (400, 400), (1, 1)])
def test_the_interval_of_a_count_is_the_exact_binomial_one(count: int, of: int) -> None:
    ends = binomtest(count, of).proportion_ci(CONFIDENCE, method="exact")
    found = Rate(count, of, LEVEL)
    assert [found.low, found.high] == pytest.approx([ends.low, ends.high])


@pytest.mark.parametrize(("of", "level"), [(400, 0.05), (400, 0.001), (50, 0.2), (400, 0.0)])
def test_a_rate_is_inconsistent_from_the_first_count_that_chance_does_not_explain(of: int, level: float) -> None:
    tail = (1 - CONFIDENCE) / 2
    counts = [k for k in range(1, of + 1) if level == 0 or binomtest(k, of, level, alternative="greater").pvalue < tail]
    assert not Rate(counts[0], of, level).consistent
    assert Rate(counts[0] - 1, of, level).consistent


# ---- one estimator, on numbers whose law is known: squares of Gaussians, mean 1, variance 2, degree 2

Interval = Callable[..., intervals.Interval]


@dataclass(frozen=True)
class Squares:
    """Stands for a Source: intervals around means of x^2; ``fresh`` is whether a confirmation has seeds of its own."""

    around: Interval = intervals.interval
    fresh: bool = True
    variance: float = 2.0

    def measured(self, seed: int, delta: float, mark: str = "") -> Measured:
        numbers, tolerance = PLAN
        rng = np.random.default_rng([seed, len(mark) * self.fresh])
        x: NDArray[np.float64] = rng.standard_normal((numbers // PER_BLOCK, PER_BLOCK)) ** 2
        gaps = (x[:, ::2] - x[:, 1::2]) ** 2 / 2
        options: dict[str, Any] = {"degree": 2, "planned": 2.0, "delta": delta, "beta": BETA}
        found = self.around(x.mean(1), PER_BLOCK, float(gaps.mean()), gaps.size, **options)
        one = sp.Float(1)
        target = Target("moment", one, one, one, one)
        error = float(x.std(ddof=1)) / math.sqrt(numbers)
        blocks = intervals.Blocks(x.mean(1), PER_BLOCK, self.variance, found)
        return Measured({}, target, found, numbers, error, 1.0, tolerance, 1.0, blocks)


def tallied(source: Squares) -> dict[str, Any]:
    looks = [(0, error_rates.look(cast(Source, source), k, 1 - 2 * (k % 2), LEVEL)) for k in range(RUNS)]
    return error_rates.tally(looks, LEVEL)


def test_the_intervals_are_consistent_and_planted_faults_are_seen() -> None:
    found = tallied(Squares())
    assert found["consistent"]
    assert found["planted_flagged"]
    assert found["planted"]["one standard error as interval"]["count"] > 0.2 * RUNS
    # a row that could not see a planted fault is not consistent, for want of runs
    few = [(0, error_rates.look(cast(Source, Squares()), k, 1, LEVEL)) for k in range(4)]
    assert not error_rates.tally(few, LEVEL)["consistent"]


def ignoring_delta(*data: Any, delta: float, **options: Any) -> intervals.Interval:
    """As if a level of 1.5 had been asked for."""
    return intervals.interval(*data, delta=1.5, **options)


def halved_spread(*data: Any, **options: Any) -> intervals.Interval:
    means, per_block, pair_mean, pairs = data
    return intervals.interval(means, per_block, pair_mean / 2, pairs, **options)


def too_wide(*data: Any, **options: Any) -> intervals.Interval:
    """Twice as wide, with the reach of the right one: errors are missed."""
    found = intervals.interval(*data, **options)
    half = found.high - found.low
    return replace(found, low=found.centre - half, high=found.centre + half, miss=found.miss - half)


def shifted(*data: Any, **options: Any) -> intervals.Interval:
    """Moved by the width: the truth is left out, and a wrong print within the tolerance agrees."""
    found = intervals.interval(*data, **options)
    by = found.high - found.low
    return replace(found, low=found.low + by, high=found.high + by, centre=found.centre + by)


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (ignoring_delta, {"false_refutations", "false_confirmations"}),
        (halved_spread, {"spread_too_small"}),
        (too_wide, {"missed_errors", "missed_detectable"}),
        (shifted, {"false_refutations", "false_agreements", "false_confirmations"}),
    ],
)
def test_a_fault_in_the_intervals_is_flagged_by_the_rates_that_it_bears_on(fault: Interval, seen: set[str]) -> None:
    found = tallied(Squares(fault))
    flagged = {name for name, row in found.items() if isinstance(row, dict) and row.get("consistent") is False}
    assert seen <= flagged
    assert not found["consistent"]


def test_a_confirmation_on_the_same_seeds_is_flagged() -> None:
    found = tallied(Squares(fresh=False))
    assert found["fresh_seeds"]["same_side"] == RUNS
    assert not found["fresh_seeds"]["consistent"]
    assert not found["consistent"]


def test_sources_that_fall_on_different_sides_are_no_dependence() -> None:
    rng = np.random.default_rng(1)
    sides = {k: [(bool(a < p), bool(b < p)) for a, b in rng.random((300, 2))] for k, p in enumerate((0.1, 0.9))}
    assert dependence(sides)["consistent"]
    # the same runs in one heap look dependent
    assert not dependence({0: sides[0] + sides[1]})["consistent"]
    assert dependence({0: [(True, True)]})["consistent"]


# ---- real claims


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, list[Source]]]:
    yield estimators(0, LEVEL, (*QUICK, COVARIANCE))


def test_the_heaviest_tails_are_found_by_degree_and_kurtosis(found: dict[str, list[Source]]) -> None:
    heavy = heaviest({name: group for name, group in found.items() if name != "covariance, degree 4"}, 0)
    assert heavy is not None
    assert (heavy.pair.source, heavy.tails) == ("bao2024.appA.eq14", 4)
    assert heaviest({"bounded numbers": found["bounded numbers"]}, 0) is None
    # x^2 in one dimension: kurtosis 15, within four standard deviations of the mean of sixteen
    one = next(s for s in found["mean, degree 2"] if s.planned.raw["d"] == 1)
    every = [kurtosis(one, seed) for seed in range(16)]
    assert np.mean(every) == pytest.approx(15, abs=float(np.std(every)))
    assert np.std(every) < 6


def test_too_small_a_sample_gives_an_infinite_interval(
    found: dict[str, list[Source]], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = found["mean, degree 4"][0]
    row = coverage(source, range(6), LEVEL, Work(1, 6, lambda done, total: None))
    assert row["consistent"]
    assert [(size["infinite"], size["enough"]) for size in row["sizes"]] == [(6, False)] * 2 + [(0, True)] * 2
    assert (
        row["sizes"][2]["numbers"]
        >= 2 * (row["kurtosis_bound"] + 3) * math.log(2 / error_rates.RARE)
        > row["sizes"][1]["numbers"]
    )

    def understated(*data: Any, degree: int, **options: Any) -> intervals.Interval:
        return intervals.interval(*data, degree=degree - 2, **options)

    monkeypatch.setattr(error_rates, "interval", understated)
    row = coverage(source, range(6), LEVEL, Work(1, 6, lambda done, total: None))
    assert not row["consistent"]
    assert row["sizes"][0]["finite_too_soon"]["count"] == 6
    with pytest.raises(ValueError, match="polynomial in Gaussians"):
        coverage(found["bounded numbers"][0], range(2), LEVEL, Work(1, 2, lambda done, total: None))


def test_the_whole_measurement_is_the_same_for_any_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_rates, "LARGEST", "quick")
    told: list[tuple[int, int]] = []
    one = error_rates.measure(runs=3, ids=QUICK[1:], step=lambda done, total: told.append((done, total)))
    assert one == error_rates.measure(runs=3, jobs=3, ids=QUICK[1:])
    assert told == [(k, 13) for k in range(1, 14)]
    assert one["runs"] == 13
    assert set(one["estimators"]) == {"bounded numbers", "mean, degree 2"}
    # a true claim that is refuted, through the referee's own way
    real = error_rates.look

    def refuted(*given: Any) -> Look:
        return replace(real(*given), refuted=True)

    monkeypatch.setattr(error_rates, "look", refuted)
    wrong = error_rates.measure(runs=4, ids=QUICK[1:2], seed=1)
    assert wrong["estimators"]["mean, degree 2"]["false_refutations"]["count"] == 4
    assert not wrong["consistent"]
    with pytest.raises(ValueError, match=r"level = 1.5; expected a number between 0 and 1"):
        error_rates.measure(level=1.5)


def test_orders_of_growth_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(1, 3, lambda done, total: None)
    row = error_rates.growths(range(3), ALPHA, "quick", work)
    assert row["consistent"]
    assert [row[name]["count"] for name in ("false_refutations", "false_conflicts", "false_agreements")] == [0, 0, 0]

    told: set[str] = set()

    def wrong(pair: Any, *given: Any) -> Evidence:
        told.add(pair.statement.printed["eq19"])
        right = pair.statement.printed["eq19"] == str(pair.quantity("eq19").exponent)
        return Evidence(status="contradicts" if right else "agrees", confirmed=right)

    monkeypatch.setattr(error_rates, "grown", wrong)
    row = error_rates.growths(range(8), ALPHA, "thorough", work)
    counted = ("false_refutations", "false_confirmations", "false_agreements")
    assert [(row[name]["count"], row[name]["consistent"]) for name in counted] == [(8, False)] * 3
    assert row["false_conflicts"]["count"] == 0
    assert len(told) == 2
    assert not row["consistent"]


def test_the_ledger_adds_up_and_an_overspent_one_does_not() -> None:
    assert ledger()["consistent"]
    every = shipped()
    spent = 2 * sum(claim.share for claim in every)
    left = (SHARES - PLUGIN_SHARES - spent) / 2
    assert left > 0
    assert ledger([*every, replace(every[0], share=left * 0.999)])["consistent"]
    assert not ledger([*every, replace(every[0], share=left * 1.001)])["consistent"]
    assert not ledger([*every, *[replace(every[0], plugin="other")] * 600])["consistent"]


def test_sides_without_randomness_are_counted() -> None:
    kinds = [empirical_check(claim) for claim in with_sides()]
    found = error_rates.without_randomness()
    assert sum(found.values()) == sum(isinstance(kind, (Evaluation, Observation, Search)) for kind in kinds)
    assert found["searches"] == sum(isinstance(kind, Search) for kind in kinds)
