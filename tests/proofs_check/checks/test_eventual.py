"""Lower bounds up to o(1): what contradicts one, planted faults on either side, and a search that proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

from montecarlo import registry
from montecarlo.empirical_checks import Evaluation, Points, Search
from proofs_check.checks import eventual
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.searching import searched
from proofs_check.claims.pairing import Pair
from proofs_check.judging import runner
from proofs_check.judging.judgement import verdict
from proofs_check.judging.options import Options, Silent
from theorems.algebra.expressions import parse, symbol
from theorems.bao2024 import entropy
from theorems.claims.catalogue import by_id
from theorems.kernel.bounds import settle_bound
from theorems.kernel.derivation import Derived
from theorems.kernel.eventually import Eventually
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle

pytestmark = pytest.mark.usefixtures("prints_are_held_elsewhere")
EQ9, SHAPE = "bao2024.sec5.eq9", "bao2024.sec5.eq9-unimodal"
BENCH = RunContext(effort=EFFORTS["quick"], effort_name="quick")
TRUE = "log(1 + T*exp(-nu)) + nu*exp(-nu)/(1/T + exp(-nu))"
T, nu = symbol("T"), symbol("nu")


@cache
def shared() -> Points:
    """One run of the true search, shared by the tests."""
    from montecarlo.directly import run_search

    search = registry.find(EQ9)
    assert isinstance(search, Search)
    return run_search(search, BENCH.effort.points, 0, "cpu", EQ9)


def moved(by: Callable[[Points], Any] = lambda found: found.columns["value"]) -> Search:
    """The search with its values changed."""
    kept = shared()

    def search(points: int, generator: Any) -> Points:
        return replace(kept, columns={**kept.columns, "value": by(kept)})

    return Search(EQ9, search)


def judged(lower: str = TRUE, search: Search | None = None, bound: Eventually | None = None) -> tuple[Evidence, str]:
    """Evidence and verdict for a print of (9), with a search or a derivation in the place of the true ones."""
    pair = Pair(replace(by_id()[EQ9], printed={"lower": lower}))
    if bound is not None:
        pair._derived["sigma"] = Derived({"": bound}, bound.steps)
    outcome = settle(pair.statement, pair.derived())
    if bound is not None:
        # a fault that got past the kernel
        outcome = Outcome("proved", "planted")
    evidence = searched(pair, outcome, search or moved(), BENCH)
    return evidence, verdict(outcome, evidence)[0]


def test_the_bound_holds_and_the_search_reaches_it_everywhere() -> None:
    evidence, ruling = judged()
    assert (evidence.status, ruling) == ("agrees", "verified")
    assert evidence.detectable is not None and evidence.detectable < 1e-6
    assert evidence.caught == evidence.decoys > 10
    assert len(evidence.trend) == len(eventual.TREND)


@pytest.mark.parametrize(
    "lower",
    [
        TRUE + " + 1/1000",
        "log(1 + T*exp(-nu)) + 2*nu*exp(-nu)/(1/T + exp(-nu))",
        "log(1 + T*exp(-nu)) + nu/(1/T + exp(-nu))",
        "log(1 + T**2*exp(-nu))",
        "log(T) + nu*exp(nu/2) - nu",
    ],
)
def test_a_false_bound_is_refuted_and_replaced(lower: str) -> None:
    evidence, ruling = judged(lower)
    assert (evidence.status, ruling) == ("contradicts", "refuted")
    assert evidence.counterexample is not None
    assert float(evidence.counterexample["printed"]) > float(evidence.counterexample["true"])
    assert isinstance(evidence.counterexample["params"]["T"], int)


@pytest.mark.parametrize("lower", ["log(T) - 1", "log(T) + 100/T"])
def test_a_weaker_bound_or_one_off_by_a_vanishing_part_is_not_contradicted(lower: str) -> None:
    evidence, _ = judged(lower)
    assert evidence.status == "agrees"
    assert not evidence.conflicts


def test_the_print_is_judged_on_the_whole_path() -> None:
    options = Options(effort="quick", seed=0, device="cpu", jobs=1)
    with registry.registered(moved()):
        first: Any
        first, second = (report for report, _ in runner.judge(by_id()[EQ9], options, "cpu", Silent()))
    assert first["verdict"] in ("refuted", "verified"), first["reason"]
    assert second["verdict"] == "verified", second["reason"]
    assert second["id"].endswith(".corrected")
    assert first["correction"]["sympy"] == first["symbolic"]["exact"] == second["symbolic"]["exact"]
    assert {str(s) for s in sp.sympify(first["symbolic"]["exact"]).free_symbols} == {"T", "nu"}
    assert first["symbolic"]["method"] != second["symbolic"]["method"]


# -- planted faults


@pytest.mark.parametrize(
    "fault",
    [
        lambda found: found.columns["value"] * (1 - 1e-6),
        lambda found: np.where(found.columns["T"] == 3, found.columns["value"] / 2, found.columns["value"]),
    ],
)
def test_a_search_that_falls_below_the_least_value_is_a_conflict(fault: Callable[[Points], Any]) -> None:
    evidence, ruling = judged(search=moved(fault))
    assert ruling == "conflict"
    assert evidence.conflicts


@pytest.mark.parametrize(
    "upper",
    [
        # the gap without its factor, two scores up, a coefficient
        entropy.two_levels(T, sp.Integer(1), nu),
        entropy.two_levels(T, sp.Integer(2), nu * sp.sqrt(T / (2 * T - 4 + 1))),
        sp.log(T),
    ],
)
def test_a_derivation_whose_least_value_is_too_large_is_a_conflict(upper: sp.Expr) -> None:
    evidence, ruling = judged(bound=replace(entropy.eq9(False), upper=upper))
    assert ruling == "conflict"
    assert "found" in evidence.conflicts[0]


def test_a_derivation_whose_least_value_is_too_small_is_not_reached() -> None:
    evidence, ruling = judged(bound=replace(entropy.eq9(False), upper=entropy.two_levels(T, sp.Integer(1), 2 * nu)))
    assert (evidence.status, ruling) == ("underpowered", "undecided")


@pytest.mark.parametrize(
    "timid",
    [
        lambda found: np.log(found.columns["T"]),
        # near the least value at all but one length
        lambda found: np.where(found.columns["T"] == 64, np.log(64), found.columns["value"]),
    ],
)
def test_a_search_that_stays_away_proves_nothing(timid: Callable[[Points], Any]) -> None:
    evidence, ruling = judged(search=moved(timid))
    assert (evidence.status, ruling) == ("underpowered", "undecided")
    assert evidence.detectable is not None and evidence.detectable > 0.5


def test_a_growth_that_balls_do_not_confirm_is_not_settled() -> None:
    bound = replace(entropy.eq9(False), upper=sp.log(T) - 1)
    claim = replace(by_id()[EQ9], printed={"lower": "log(T)"})
    assert settle_bound(claim, Derived({"": bound}, ()), []).status == "undecided"


# -- the shape of the print


def shape(change: dict[str, float] | None = None, **fields: Any) -> str:
    claim = replace(by_id()[SHAPE], ranges={"length": ("4", "16")}, **fields)
    true = registry.find(SHAPE)
    assert isinstance(true, Evaluation)

    def evaluation(length: float, bound_of: Any) -> dict[str, tuple[float, float]]:
        found: dict[str, tuple[float, float]] = true.function(length, bound_of)
        return {name: ((change or {}).get(name, value), error) for name, (value, error) in found.items()}

    with registry.registered(Evaluation(SHAPE, evaluation)):
        options = Options(effort="quick", seed=0, device="cpu", jobs=1)
        return str(runner.judge(claim, options, "cpu", Silent())[0][0]["verdict"])


def test_the_shape_of_the_print_is_judged() -> None:
    assert shape() == "verified"


@pytest.mark.parametrize("fault", [{"maxima": 2.0}, {"minima": 1.0}, {"limit": 1e-6}])
def test_another_shape_on_the_empirical_check_is_a_conflict(fault: dict[str, float]) -> None:
    assert shape(fault) == "conflict"


@pytest.mark.parametrize("printed", [{"maxima": "2"}, {"minima": "1"}, {"limit": "1"}, {"maxima": "0"}])
def test_a_print_of_another_shape_is_refuted(printed: dict[str, str]) -> None:
    assert shape(printed={**by_id()[SHAPE].printed, **printed}) == "refuted"


def test_decoys_change_one_exponent_at_one_place() -> None:
    labels = [other for _, other in eventual._exponents(parse(TRUE))]
    assert parse("log(1 + T*exp(-nu)) + nu*exp(-nu/2)/(1/T + exp(-nu))") in labels
    assert parse("log(1 + T*exp(-nu)) + nu*exp(-nu)/(1/T + exp(-2*nu))") in labels
    assert parse("log(1 + T*exp(nu)) + nu*exp(-nu)/(1/T + exp(-nu))") in labels
    assert len(labels) == 12
