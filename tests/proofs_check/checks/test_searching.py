"""Bounds: a search that comes near, what contradicts it, and a search that proves nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from montecarlo import registry
from montecarlo.empirical_checks import Points, Search
from proofs_check.checks.both_sides import UNSETTLED
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.searching import searched
from proofs_check.claims.pairing import Pair
from proofs_check.judging.judgement import verdict
from tests.proofs_check.judged import judged
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle

EQ5 = "bao2024.sec4.eq5"
BENCH = RunContext(effort=EFFORTS["quick"], effort_name="quick")
PRINT = {"upper": "sqrt(d*tr2)", "lower": "-sqrt(d*tr2)"}


def found(printed: dict[str, str] | None = None, search: Search | None = None) -> tuple[Outcome, Evidence, str, str]:
    """Outcome, evidence, verdict and reason for a print of (5), with the given search in the place of the true one."""
    pair = Pair(replace(by_id()[EQ5], printed=printed or PRINT))
    outcome = settle(pair.statement, pair.derived())
    evidence = searched(pair, outcome, search or registry.find(EQ5), BENCH)
    return outcome, evidence, *verdict(outcome, evidence)


def changed(**columns: Any) -> Search:
    """The true search with columns replaced by functions of its points."""
    true = registry.find(EQ5)
    assert isinstance(true, Search)

    def search(points: int, generator: Any) -> Points:
        got = true.function(points, generator)
        table = {name: columns[name](got) if name in columns else values for name, values in got.columns.items()}
        return Points(table, got.errors, got.matrices)

    return Search(EQ5, search)


def only(kept: Any) -> Search:
    """The true search without the points for which ``kept(columns)`` is false."""
    true = registry.find(EQ5)
    assert isinstance(true, Search)

    def search(points: int, generator: Any) -> Points:
        got = true.function(points, generator)
        (places,) = np.nonzero(kept(got.columns))
        columns, errors = ({n: values[places] for n, values in table.items()} for table in (got.columns, got.errors))
        return Points(columns, errors, {name: tuple(rows[k] for k in places) for name, rows in got.matrices.items()})

    return Search(EQ5, search)


def test_the_bound_holds_and_the_search_reaches_it() -> None:
    outcome, evidence, ruling, _ = found()
    assert (outcome.status, evidence.status, ruling) == ("proved", "agrees", "verified")
    assert evidence.samples == EFFORTS["quick"].points
    assert evidence.detectable is not None and 0 <= evidence.detectable < 1e-3
    assert evidence.caught == evidence.decoys > 10
    assert not evidence.conflicts


@pytest.mark.parametrize(
    "printed",
    [
        PRINT | {"upper": "sqrt((d - 1)*tr2)"},
        PRINT | {"upper": "sqrt(d*tr2)/2"},
        PRINT | {"upper": "-sqrt(d*tr2)"},
        PRINT | {"lower": "-sqrt(tr2)"},
        PRINT | {"lower": "-sqrt(d*(tr2 - 1))"},
    ],
    ids=lambda printed: ", ".join(printed.values()),
)
def test_a_false_bound_is_refuted_at_an_exact_point(printed: dict[str, str]) -> None:
    outcome, evidence, ruling, _ = found(printed)
    assert (outcome.status, evidence.status, ruling) == ("disproved", "contradicts", "refuted")
    assert evidence.counterexample is not None
    (name,) = outcome.false_quantities
    case = Case(evidence.counterexample["params"])
    value, true = case.evaluate(parse("tr1")), case.evaluate(parse(PRINT[name]))
    claimed = case.evaluate(parse(printed[name]))
    assert (str(claimed), str(true)) == (evidence.counterexample["printed"], evidence.counterexample["true"])
    # either the counterexample itself breaks the print, or the print is too small where the true bound is attained
    assert not claimed.is_real or abs(claimed) < abs(true) or claimed * true < 0
    assert abs(value) <= abs(true)


@pytest.mark.parametrize(
    "upper",
    # a root that is 0 at d = 1, and a bound of another order; the rest are refuted at exact points above, or are alike
    [
        *("sqrt((d - 1)*tr2)", "d*tr2"),
        *(pytest.param(upper, marks=pytest.mark.slow) for upper in ("sqrt(d)", "sqrt(d*tr2**2)", "sqrt(tr2)")),
    ],
)
def test_a_false_bound_is_refuted_on_the_whole_path(upper: str) -> None:
    claim = replace(by_id()[EQ5], symbols=("d", "tr2"))
    reports = judged(replace(claim, printed=PRINT | {"upper": upper}))
    assert reports[0]["verdict"] == "refuted", reports[0]["reason"]
    case = Case(reports[0]["counterexample"]["params"])
    claimed, true = (case.evaluate(parse(text)) for text in (upper, PRINT["upper"]))
    assert not claimed.is_real or claimed < true
    assert same_root(reports[0]["correction"]["sympy"], PRINT["upper"])


def same_root(one: str, two: str) -> bool:
    return bool(sp.expand(parse(one) ** 2 - parse(two) ** 2) == 0 and not parse(one).could_extract_minus_sign())


def test_a_weaker_bound_is_true() -> None:
    outcome, evidence, _, _ = found(PRINT | {"upper": "2*sqrt(d*tr2)"})
    assert outcome.status == "proved"
    assert evidence.status == "agrees"
    assert not evidence.conflicts


def test_a_search_that_breaks_the_sharp_bound_is_a_conflict() -> None:
    broken = changed(value=lambda got: 1.1 * got.columns["value"])
    _, evidence, ruling, reason = found(search=broken)
    assert ruling == "conflict"
    assert evidence.conflicts and "derived" in reason


def test_a_search_with_a_wrong_square_is_a_conflict() -> None:
    broken = changed(tr2=lambda got: 0.5 * got.columns["tr2"])
    assert found(search=broken)[2] == "conflict"


@pytest.mark.parametrize("factor", [-1.0, 0.5, 0.0])
def test_a_value_that_is_not_the_quantity_is_a_conflict_though_it_keeps_the_bound(factor: float) -> None:
    other = changed(value=lambda got: factor * got.columns["value"])
    _, evidence, ruling, reason = found(search=other)
    assert (evidence.status == "contradicts", ruling) == (False, "conflict")
    assert "value at d = " in reason and "derived" in reason


def test_a_search_that_stays_away_from_the_bound_proves_nothing() -> None:
    timid = only(lambda table: 4 * table["value"] ** 2 <= table["d"] * table["tr2"])
    _, evidence, ruling, _ = found(search=timid)
    assert (evidence.status, ruling) == ("underpowered", "undecided")
    assert evidence.detectable is not None and evidence.detectable >= 0.49
    assert evidence.survivors


def test_a_search_on_one_side_only_leaves_the_other_end_open() -> None:
    one_sided = only(lambda table: table["value"] > 0)
    _, evidence, ruling, reason = found(search=one_sided)
    assert ruling == "undecided"
    assert any(survivor.startswith("lower") for survivor in evidence.survivors)
    assert "not told apart" in reason


def test_errors_below_0_are_refused() -> None:
    with pytest.raises(ValueError, match=r"errors\['value'\] = -1.0 at a point; expected bounds >= 0"):
        Points({"value": np.zeros(2)}, {"value": np.array([0.0, -1.0])}, {})


def test_the_same_seed_tries_the_same_points() -> None:
    assert found()[1] == found()[1]


SINK = "lampert2026.sec6.sink-implies-switch"
SWITCH = "lampert2026.sec6.switch-implies-sink"


@pytest.mark.parametrize(
    ("claim", "upper", "verdict"),
    [
        # larger than the sharp bound, and so never attained
        pytest.param(SINK, "keys*exp(-kappa)*value_radius", "refuted", marks=pytest.mark.slow),
        (SWITCH, "-log((value_norm - eps)/(2*eps))", "refuted"),
        # smaller, and so exceeded
        (SINK, "keys*exp(-kappa)/(2 + keys*exp(-kappa))*value_radius", "refuted"),
    ],
)
def test_a_bound_that_is_said_to_be_attained_must_be_the_sharp_one(
    claim: str, upper: str, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = replace(by_id()[claim], printed={"upper": upper})
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], points=60))
    first, second = judged(statement)
    assert first["verdict"] == verdict
    assert second["verdict"] == "verified"
    assert first["counterexample"]["printed"] != first["counterexample"]["true"]


def test_a_larger_bound_that_nobody_calls_attained_is_true() -> None:
    pair = Pair(replace(by_id()[SINK], printed={"upper": "2*keys*exp(-kappa)/(1 + keys*exp(-kappa))*value_radius"}))
    assert settle(pair.statement, pair.derived()).status == "disproved"
    weak = replace(pair.statement, attained=False)
    assert settle(weak, pair.derived()).status != "disproved"


@pytest.mark.parametrize(
    ("claim", "strict"), [(SINK, "kappa < sink_margin"), (SWITCH, "out_norm < eps")], ids=["margin", "output"]
)
def test_what_equality_is_excluded_from_is_not_attained(claim: str, strict: str) -> None:
    statement = by_id()[claim]
    narrowed = replace(statement, conditions=(*statement.conditions, strict))
    pair = Pair(narrowed)
    assert settle(narrowed, pair.derived()).status == "undecided"


def test_a_difference_that_cancels_is_no_violation() -> None:
    """1 - 1/(1 + x) is x/(1 + x); in floats it loses what is left of x."""
    statement = replace(by_id()[SINK], printed={"upper": "value_radius*(1 - 1/(1 + keys*exp(-kappa)))"})
    (report,) = judged(statement)
    assert report["verdict"] == "verified"


def test_a_search_is_asked_at_a_case() -> None:
    """At W = Sigma = I the bound (5) is attained; what is searched instead has other points."""
    pair, entry = Pair(by_id()[EQ5]), registry.find(EQ5)
    eye = [["1", "0"], ["0", "1"]]
    found = searched(pair, UNSETTLED, entry, BENCH, {"d": 2, "W": eye, "Sigma": eye})
    assert found.samples == 1 and found.seen[0].case["W"] == eye and not found.conflicts and not found.survivors


def test_a_search_without_a_single_point_says_what_to_do() -> None:
    def search(points: int, generator: Any) -> Points:
        raise AssertionError

    with pytest.raises(LookupError, match=r"measures no single case; give it one, @search\(\.\.\., at=function\)"):
        searched(Pair(by_id()[EQ5]), UNSETTLED, Search(EQ5, search), BENCH, {"W": [["1"]], "Sigma": [["1"]]})
