"""The norm inequalities of Section 5: proofs, corrections, other norms, and faults on either side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

from montecarlo import registry
from montecarlo.directly import run_search
from montecarlo.empirical_checks import Points, Search
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.searching import searched
from proofs_check.claims.pairing import Pair
from proofs_check.judging.judgement import verdict
from tests.proofs_check.judged import judged
from theorems.algebra.expressions import floats, parse, text
from theorems.claims.catalogue import Statement, by_id
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.bounds import admitted
from theorems.kernel.derivation import Inequality
from theorems.kernel.deriving import registered
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.rules.norm import ONE_SIGNED, SYMMETRIC

FIRST, SECOND, ENTRIES, INDUCED, CAUCHY, TRACE = NAMES = (
    "bao2024.sec5.eq7-first",
    "bao2024.sec5.eq7-second",
    "bao2024.sec5.eq7-third-entrywise",
    "bao2024.sec5.eq7-third-induced",
    "bao2024.sec5.eq10-first",
    "bao2024.sec5.eq10-second",
)
BENCH = RunContext(effort=EFFORTS["quick"], effort_name="quick")


def bound(name: str, second_route: bool = False) -> Inequality:
    found = next(iter(Pair(by_id()[name], second_route).derived().quantities.values()))
    assert isinstance(found, Inequality)
    return found


@cache
def points(name: str) -> Points:
    search = registry.find(name)
    assert isinstance(search, Search)
    return run_search(search, BENCH.effort.points, 0)


def told(name: str, **columns: Any) -> Search:
    """The search's points as they are, or with columns replaced by functions of them."""
    found = points(name)
    table = {column: columns[column](found) if column in columns else v for column, v in found.columns.items()}
    return Search(name, lambda points, generator: Points(table, found.errors, found.matrices))


def found(
    statement: Statement, search: Search | None = None, second_route: bool = False
) -> tuple[Outcome, Evidence, str]:
    pair = Pair(statement, second_route)
    outcome = settle(statement, pair.derived())
    evidence = searched(pair, outcome, search or told(pair.source), BENCH)
    return outcome, evidence, verdict(outcome, evidence)[0]


def with_print(name: str, upper: str) -> Statement:
    return replace(by_id()[name], printed={"upper": upper})


def giving(value: Inequality) -> Callable[[], Inequality]:
    """A derivation that gives this."""
    return lambda: value


def correction(name: str) -> Statement:
    claim = by_id()[name]
    outcome = settle(claim, Pair(claim).derived())
    return claim.corrected({n: text(f) for n, f in outcome.corrections.items()}, outcome.excluded)


@pytest.mark.parametrize("second_route", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_bound_is_attained_at_one_of_its_points(name: str, second_route: bool) -> None:
    """In exact arithmetic quantity = upper; so the constant and the power of d cannot be lowered."""
    derived = bound(name, second_route)
    claim = replace(by_id()[name], conditions=(ONE_SIGNED,) if name == TRACE else ())
    reached = [point for point in derived.points if admitted(claim, point)]
    assert len(reached) >= 3
    for point in reached:
        case = Case(point)
        assert sp.simplify(case.evaluate(derived.quantity) - case.evaluate(derived.upper)) == 0


@pytest.mark.parametrize("name", [FIRST, INDUCED, TRACE])
def test_a_correction_is_proved_by_another_route(name: str) -> None:
    one, two = bound(name), bound(name, second_route=True)
    assert one.upper == two.upper
    assert one.quantity == two.quantity
    rules = [{step.rule for step in b.steps} - {"chain", "schatten-norms"} for b in (one, two)]
    assert all(rules)
    assert not rules[0] & rules[1]
    corrected = correction(name)
    assert settle(corrected, Pair(corrected, second_route=True).derived()).status == "proved"


def test_the_first_inequality_of_7_needs_d_in_the_place_of_its_root() -> None:
    outcome, evidence, ruling = found(by_id()[FIRST])
    assert ruling == "refuted"
    assert outcome.corrections["upper"] == parse("d*spectral_Sigma*spectral_W")
    # both are a product of one power of d with the norms
    assert outcome.corrections["upper"] / parse(by_id()[FIRST].printed["upper"]) == parse("sqrt(d)")
    assert evidence.counterexample is not None
    case = Case(evidence.counterexample["params"])
    assert case.evaluate(parse("Abs(tr1)")) > case.evaluate(parse(by_id()[FIRST].printed["upper"]))
    assert len(case.matrices["W"]) == 2


def test_the_induced_norm_needs_a_root_of_d() -> None:
    outcome, evidence, ruling = found(by_id()[INDUCED])
    assert ruling == "refuted"
    assert outcome.corrections["upper"] == parse("sqrt(d)*column_W")
    assert evidence.counterexample is not None
    assert (evidence.counterexample["printed"], evidence.counterexample["true"]) == ("1", "sqrt(2)")


def test_the_second_inequality_of_10_needs_eigenvalues_of_one_sign() -> None:
    outcome, evidence, ruling = found(by_id()[TRACE])
    assert ruling == "refuted"
    assert outcome.excluded == (ONE_SIGNED,)
    assert any("no constant factor" in line for line in outcome.evidence)
    assert evidence.counterexample is not None
    assert Case(evidence.counterexample["params"]).evaluate(parse("tr_W")) == 0
    corrected = correction(TRACE)
    assert corrected.conditions == (ONE_SIGNED,)
    assert found(corrected, second_route=True)[2] == "verified"
    # the hypothesis is what makes the difference: the same print without it stays refuted
    assert found(replace(corrected, conditions=()), second_route=True)[2] == "refuted"
    # a stronger form under the hypothesis is false, and is seen to be
    assert found(replace(corrected, printed={"upper": "9*Abs(tr_W)/10"}))[2] == "refuted"


def test_the_ends_of_10_hold_without_their_middle() -> None:
    """||W_QK||_2 <= ||Sigma^{-1}||_F sqrt(tr(W^2)) is proved beside it, and holds at the other search's points."""
    for second_route in (False, True):
        outcome = settle(by_id()[TRACE], Pair(by_id()[TRACE], second_route).derived())
        (beside,) = (line for line in outcome.evidence if "proved beside it, by the derivation alone" in line)
        assert "two ends of (10)" in beside
        assert beside.endswith("for W_QK symmetric, Sigma positive definite")
    table = points(CAUCHY).columns
    upper = table["frobenius_Sigma_inverse"] * np.sqrt(table["tr2"])
    assert (table["spectral_W"] <= upper * (1 + 1e-9)).all()
    assert (table["spectral_W"] > 0.9 * upper).any()


@pytest.mark.parametrize("name", NAMES)
def test_the_judge_reaches_the_bound_in_every_dimension(name: str) -> None:
    _, evidence, ruling = found(by_id()[name])
    assert ruling in ("verified", "refuted")
    assert evidence.detectable is not None
    assert evidence.detectable < 1e-3
    assert evidence.caught == evidence.decoys > 5
    assert not evidence.conflicts
    assert not evidence.survivors


def broken_somewhere(name: str, upper: sp.Expr) -> bool:
    """Whether numpy sees a violation of quantity <= upper by far more than rounding, at the search's points."""
    table = points(name).columns
    with np.errstate(all="ignore"):
        edge = np.broadcast_to(floats(upper, table), table["value"].shape)
        return bool((table["value"] > edge * (1 + 1e-6) + 1e-9 * np.abs(table["value"])).any())


OTHER_NORMS = {
    FIRST: ("d*spectral_Sigma*column_W", "spectral_Sigma*entrywise_W", "sqrt(d)*spectral_Sigma*frobenius_W"),
    SECOND: ("entrywise_W", "column_W", "Abs(tr_W)"),
    ENTRIES: ("spectral_W", "column_W", "Abs(tr_W)"),
    INDUCED: ("spectral_W", "entrywise_W", "sqrt(d)*spectral_W"),
    CAUCHY: ("frobenius_Sigma_inverse*tr2", "frobenius_Sigma_inverse*Abs(tr1)", "frobenius_W"),
    TRACE: ("frobenius_W", "column_W/2", "Abs(tr_W)*d"),
}


@pytest.mark.parametrize(("name", "upper"), [(name, upper) for name, forms in OTHER_NORMS.items() for upper in forms])
def test_another_norm_is_never_judged_wrongly(name: str, upper: str) -> None:
    false = broken_somewhere(name, parse(upper))
    ruling = found(with_print(name, upper))[2]
    assert ruling in (("refuted", "undecided", "conflict") if false else ("verified", "undecided")), ruling
    assert ruling != "conflict"


def test_a_search_that_is_off_gives_a_conflict() -> None:
    """1% more than the true values, or a column that is too small."""
    for name in NAMES:
        # the conflict is with the proved bound, whatever the print
        assert found(by_id()[name], told(name, value=lambda f: 1.01 * f.columns["value"]))[2] == "conflict", name
    for name, column in ((SECOND, "frobenius_W"), (ENTRIES, "entrywise_W"), (CAUCHY, "tr2"), (FIRST, "spectral_Sigma")):
        smaller = told(name, **{column: lambda f, column=column: 0.98 * f.columns[column]})
        assert found(by_id()[name], smaller)[2] == "conflict", column


def only(name: str, kept: Any) -> Search:
    """The search's points without those for which ``kept(columns)`` is false."""
    got = points(name)
    (places,) = np.nonzero(kept(got.columns))
    columns, errors = ({n: values[places] for n, values in table.items()} for table in (got.columns, got.errors))
    left = Points(columns, errors, {n: tuple(rows[k] for k in places) for n, rows in got.matrices.items()})
    return Search(name, lambda points, generator: left)


def short_of(name: str, part: float) -> Any:
    """Which points stay below a part of the proved bound."""
    return lambda table: table["value"] <= part * floats(bound(name).upper, table)


def test_a_search_that_stays_away_from_the_bound_decides_nothing() -> None:
    for name in (SECOND, ENTRIES, CAUCHY):
        assert found(by_id()[name], only(name, short_of(name, 0.7)))[2] == "undecided"


def test_a_search_that_reaches_the_bound_in_one_dimension_only_decides_nothing() -> None:
    def weak(table: Any) -> Any:
        return (table["d"] != 5) | short_of(SECOND, 0.9)(table)

    assert found(by_id()[SECOND], only(SECOND, weak))[2] == "undecided"


def test_a_derivation_that_is_off_is_not_believed() -> None:
    """A bound without its proof, with a step changed, or under a hypothesis that the claim does not make."""
    true = bound(CAUCHY)
    (step,) = true.steps
    half = step.data[1] / 2
    changed = Step(step.rule, step.words, (step.data[0], half, *step.data[2:]))
    for fault in (
        replace(true, upper=true.upper / 2),
        replace(true, upper=half, steps=(changed,)),
        replace(true, steps=()),
        replace(true, quantity=parse("Abs(tr1)")),
    ):
        with registered(CAUCHY, giving(fault)):
            outcome, _, ruling = found(by_id()[CAUCHY])
        assert outcome.status == "undecided"
        assert ruling in ("undecided", "conflict")
    claim = replace(by_id()[CAUCHY], assumptions=("W_QK symmetric", "Sigma positive semidefinite"))
    outcome, _, ruling = found(claim)
    assert (outcome.status, ruling) == ("undecided", "undecided")
    assert "needs: Sigma positive definite, which the claim does not assume" in outcome.method
    claim = replace(by_id()[CAUCHY], assumptions=("Sigma positive definite",))
    assert SYMMETRIC in settle(claim, Pair(claim).derived()).method


def test_a_false_rule_gives_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a trusted rule wrong, the search would contradict what follows from it."""
    from theorems.rules import RULES

    true = bound(SECOND)
    (step,) = true.steps
    wrong = replace(
        true, upper=true.upper / 2, steps=(Step(step.rule, "", (step.data[0], true.upper / 2, *step.data[2:])),)
    )
    monkeypatch.setitem(RULES, step.rule, lambda *data: True)
    with registered(SECOND, lambda: wrong):
        outcome, evidence, ruling = found(with_print(SECOND, "frobenius_W/2"))
    assert outcome.status == "proved"
    assert evidence.conflicts
    assert ruling == "conflict"


def test_a_singular_sigma_is_told_in_one_line() -> None:
    true = bound(CAUCHY)
    singular = {"d": 2, "W": [["1", "0"], ["0", "1"]], "Sigma": [["1", "0"], ["0", "0"]]}
    lopsided = {"d": 2, "W": [["1", "1"], ["0", "1"]], "Sigma": [["1", "0"], ["0", "1"]]}
    for point, what in ((singular, "Sigma positive definite"), (lopsided, "W_QK symmetric")):
        with registered(CAUCHY, giving(replace(true, points=(point,)))):
            (report,) = judged(with_print(CAUCHY, "sqrt(tr2)"))
        assert report["verdict"] == "error"
        assert f"is not one with {what}; give one that is" in report["reason"]
        assert "\n" not in report["reason"]
    claim = replace(with_print(CAUCHY, "frobenius_Sigma_inverse"), assumptions=("W_QK symmetric",))
    with pytest.raises(ValueError, match=r"is singular, but its inverse is needed; give a positive definite Sigma$"):
        Case(singular).number(claim.printed["upper"])


@pytest.mark.slow
def test_the_whole_path_with_its_correction() -> None:
    claim, corrected = judged(TRACE)
    assert claim["verdict"] == "refuted"
    assert corrected["verdict"] == "verified"
    assert "positive semidefinite" in claim["correction"]["holds"]
    assert claim["correction"]["latex"]
    assert claim["variants"] == [] and any("beside it" in line for line in claim["symbolic"]["evidence"])
    assert corrected["id"] == TRACE + ".corrected"
    assert all(step["ok"] for report in (claim, corrected) for step in report["proof"]["steps"])
