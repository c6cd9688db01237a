"""The numbers of a search against the derivation's functionals: what is off is seen at its points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from montecarlo import registry
from montecarlo.directly import run_search
from montecarlo.empirical_checks import Points, Search
from proofs_check.checks.points import exact_quantity, misread
from proofs_check.claims.pairing import Pair
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id

#: A search for every kind of case: matrices, columns alone, an ensemble, a context; and a threshold.
CLAIMS = (
    "bao2024.sec4.eq5",
    "bao2024.sec5.eq7-second",
    "bao2024.appB.cauchy-schwarz",
    "bao2024.appC.lemma2-inequality",
    "lampert2026.sec6.zero-output-implies-sink",
    "lampert2026.sec7.sink-lower",
)


def found(claim: str) -> tuple[Pair, Points]:
    pair, entry = Pair(by_id()[claim]), registry.find(claim)
    assert isinstance(entry, Search)
    return pair, run_search(entry, 40, 0, "cpu", claim, pair.handed({}))


@pytest.mark.parametrize("claim", CLAIMS)
def test_right_numbers_are_not_misread_and_wrong_ones_are(claim: str) -> None:
    pair, points = found(claim)
    places = [k for k in range(len(points)) if abs(points.columns["value"][k]) > 1e-3][:10]
    assert places and not misread(pair, points, places)
    for factor in (-1.0, 1.05, 0.5):
        columns = {**points.columns, "value": factor * points.columns["value"]}
        told = misread(pair, replace(points, columns=columns), places)
        assert len(told) == len(places) and all(line.startswith("value at ") for line in told)


def test_every_column_that_the_derivation_knows_is_looked_at() -> None:
    pair, points = found("bao2024.sec5.eq7-second")
    for name in ("frobenius_W", "entrywise_W", "column_W", "spectral_W"):
        off = {**points.columns, name: 1.01 * points.columns[name]}
        assert any(line.startswith(name) for line in misread(pair, replace(points, columns=off), range(20)))


def test_a_number_may_be_off_by_its_error_alone() -> None:
    pair, points = found("bao2024.sec4.eq5")
    shifted = points.columns["value"] + 1e-3
    columns = {**points.columns, "value": shifted}
    wide = {**points.errors, "value": np.full(len(points), 1.01e-3)}
    narrow = {**points.errors, "value": np.full(len(points), 0.99e-3)}
    assert not misread(pair, Points(columns, wide, points.matrices), range(10))
    assert len(misread(pair, Points(columns, narrow, points.matrices), range(10))) == 10


def test_points_that_are_no_numbers_are_passed_over() -> None:
    pair, points = found("lampert2026.sec6.zero-output-implies-sink")
    masked = [k for k in range(len(points)) if not np.isfinite(points.matrices["scores"][k]).all()]
    wrong: dict[str, Any] = {**points.columns, "value": points.columns["value"] + 1}
    assert masked and not misread(pair, replace(points, columns=wrong), masked)


def test_the_quantity_is_that_of_the_derivation() -> None:
    assert exact_quantity(Pair(by_id()["bao2024.sec5.eq9"])) is None
    assert exact_quantity(Pair(by_id()["bao2024.sec4.xi-eta-range"])) == parse("tr1/sqrt(tr2)")
    assert exact_quantity(Pair(by_id()["bao2024.sec5.eq7-second"])) == parse("spectral_W")
    assert exact_quantity(Pair(by_id()["bao2024.sec4.eq5"])) == parse("tr1")
