"""True claims to count errors over: the derived value stands in the place of the print, the samples are smallest."""

from __future__ import annotations

import math
from functools import partial

import pytest

from montecarlo.empirical_checks import Simulation, Tails
from proofs_check.checks.evidence import BETA
from proofs_check.checks.intervals import numbers_needed
from proofs_check.selftest.true_claims import (
    COVARIANCE,
    SMALLEST_MOST,
    TruePair,
    empirical_check,
    estimator,
    estimators,
    simulated,
    smallest,
)
from theorems.claims.catalogue import by_id, with_sides

FALSE = "bao2024.appA.eq15"


def test_what_is_printed_is_what_is_derived() -> None:
    claim = by_id()[FALSE]
    raw = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma", "i": 3}
    pair = TruePair(claim)
    target = pair.target("moment", raw)
    # the print is (i - 1) tr1
    assert float(target.derived) == float(target.printed or 0) == 3.0
    assert pair.target("moment", raw) is target
    assert pair.handed(raw) is pair.handed(raw)


@pytest.mark.parametrize(("tails", "per_block"), [(2, 8192), (4, 8192), (4, 4096), (Tails(width=1.0), 8192)])
def test_the_smallest_sample_is_as_planned_for_its_error_and_for_none_smaller(
    tails: int | Tails, per_block: int
) -> None:
    found = smallest(0.25, tails, per_block, 0.05)
    assert found is not None
    numbers, tolerance = found
    needed = partial(numbers_needed, 0.25, degree=tails, delta=0.05, beta=BETA, per_block=per_block)
    assert needed(tolerance, most=1 << 24) == numbers
    more = needed(tolerance * 0.999, most=1 << 24)
    assert more is not None and more > numbers
    assert tolerance <= 0.1 * math.sqrt(0.25)


def test_no_sample_within_reach_is_none() -> None:
    assert smallest(1.0, 8, 8192, 0.05) is None
    assert numbers_needed(1.0, 0.1, degree=8, delta=0.05, beta=BETA, per_block=8192, most=SMALLEST_MOST) is None


def test_estimators_are_named_by_what_is_averaged_and_its_tails() -> None:
    assert estimator("variance", 4) == "variance, degree 4"
    assert estimator("mean", Tails(width=1.0)) == "bounded numbers"
    assert estimator("mean", Tails(kurtosis=3.0)) == "stated kurtosis"


def test_every_simulated_claim_is_there_and_a_covariance() -> None:
    there = {pair.statement.id for pair, _ in simulated()}
    wanted = {claim.id for claim in with_sides() if isinstance(empirical_check(claim), Simulation)}
    assert there == wanted | {COVARIANCE}


def test_a_covariance_is_planned_by_its_pairs_of_walks_and_measured() -> None:
    found = estimators(0, 0.05, (COVARIANCE,))
    assert set(found) == {"covariance, degree 4"}
    source = found["covariance, degree 4"][0]
    m = source.measured(0, 0.05)
    assert m.count == source.planned.walks // 2
    assert m.target.name == source.quantity
    assert abs(m.z or 0) < 6
    assert not m.contradicts
    # the least error that was planned for is within the reach
    assert m.interval.detectable <= 2 * m.tolerance
    estimate = source.estimate(0, 3, "other")
    assert estimate.count == 3 * source.block // 2
    assert COVARIANCE not in by_id()
