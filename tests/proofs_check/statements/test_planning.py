"""Sample sizes from exact variances: against samples, where they are cheap, and what a wrong one does."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from montecarlo.empirical_checks import Tails
from montecarlo.statements import StatementSimulation
from proofs_check.checks.intervals import constant_after
from proofs_check.statements import measuring, moments, planning, sampled
from proofs_check.statements.growing import LimitChecker
from proofs_check.statements.judging import check_statement
from proofs_check.statements.planning import Spread, told
from proofs_check.statements.request import Request
from theorems.statement.deciding.cumulants import CaseMoments
from theorems.statement.deciding.decide import Derivation
from theorems.statement.expression import Expr
from theorems.statement.moments.forms import NotPolynomialError

CASE = {"i": 2, "j": 3, "d": 2, "W": [["1", "1/2"], ["0", "-1"]], "Sigma": [["1", "0"], ["0", "1/2"]]}


def spreads(text: str, case: Any = CASE, law: str = "walk") -> dict[str, Spread]:
    prop = Request(text, law=law).read()
    checker = moments.Checker(prop, "test.plan")
    assert isinstance(checker.derivation, Derivation)
    return checker.spreads(case)


@pytest.mark.parametrize(
    "text",
    [
        "E[x[i].T*W*x[j]] = 1",
        "E[(x[i].T*W*x[j])**2] = E[norm(x[i])**2]",
        "Var[x[i].T*W*x[j]] = 1",
        "E[x[i].T*x[i]]/Var[x[j].T*W*x[i]] = 1",
    ],
)
def test_exact_means_and_variances_of_raw_numbers_are_those_of_a_sample(text: str) -> None:
    found, prop = spreads(text), Request(text).read()
    simulation = StatementSimulation(prop.plain(), CASE)
    sample = simulation.draw(2**18, 1, "test.plan", "k")
    assert found.keys() == simulation.statistics.keys()
    for name, spread in found.items():
        estimate = sample[name]
        assert spread.exact and abs(estimate.mean - spread.mean) <= 6 * estimate.std_error
        assert estimate.variance == pytest.approx(spread.variance, rel=0.15)
        assert simulation.numbers_per_block(name) == estimate.numbers_per_block


@pytest.mark.parametrize("text", ["E[(x[i].T*W*x[j])**3] = 1", "P[x[i].T*x[j] > 0] = 1/2", "Kurt[x[i].T*x[j]] = 1"])
def test_where_the_variance_is_not_cheap_a_pilot_is_drawn(text: str) -> None:
    assert spreads(text) == {}


def test_no_pilot_is_drawn_where_the_variance_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("a pilot sample")

    monkeypatch.setattr(measuring, "pilot_spreads", refused)
    (report,) = check_statement(Request("E[norm(x[i])**2] = i*tr(Sigma)"), "quick")
    assert report["verdict"] == "verified" and "planned from the exact variance" in report["simulation"]["power"]


@pytest.mark.parametrize("factor", [4.0, 0.25])
def test_a_wrong_variance_is_a_conflict_or_costs_power(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    real = planning.exact_spreads

    def wrong(*given: Any) -> dict[str, Spread]:
        return {name: replace(one, variance=factor * one.variance) for name, one in real(*given).items()}

    monkeypatch.setattr(sampled, "exact_spreads", wrong)
    report: Any
    (report,) = check_statement(Request("E[norm(x[i])**2] = i*tr(Sigma)"), "quick")
    if factor > 1:
        assert report["verdict"] == "conflict" and "derived variance" in report["reason"]
    else:
        # too few walks: nothing false is said of what was seen
        assert report["verdict"] in ("undecided", "verified")
        assert report["verdict"] == "undecided" or report["simulation"]["detectable"] <= 0.04


def test_what_was_planned_how_is_told() -> None:
    def drawn(exactly: bool, moved: bool = False) -> measuring.Measurement:
        return measuring.Measurement({}, (0, 0), (0, 0), 1, 0.0, exactly=exactly, moved=moved)

    assert told([]) == ""
    assert told([drawn(True), drawn(True)]) == "sizes planned from the exact variance"
    assert told([drawn(False)]).startswith("sizes planned from a pilot sample")
    assert told([drawn(True), drawn(False)]).startswith("1 of 2 sizes planned from the exact variance")
    assert "; sampled by importance" in told([drawn(False, True)])
    assert "; 1 of 2 sampled by importance" in told([drawn(True), drawn(False, True)])


def test_sums_over_many_indices_take_a_pilot_sample() -> None:
    """The variance of sum |x_j - mean|^2 has sums over six indices: a minute of algebra for a second's sample."""
    case = {"d": 1, "T": 2, "Sigma": [["1"]]}
    assert not spreads("E[sum(norm(x[j] - mean(x))**2, j, 1, T)] = 0", case)
    assert spreads("E[norm(mean(x))**2] = 0", case)


@pytest.mark.parametrize("law", ["walk", "walk(start=m)", "iid", "ar1(1/2)"])
@pytest.mark.parametrize(
    "text", ["norm(mean(x))**2", "sum(j*x[j].T*W*x[T], j, 1, T)", "(mean(x) - x[1]).T*W*x[2] + m.T*x[2]"]
)
def test_the_variance_of_a_sum_at_a_case_is_its_closed_forms(text: str, law: str) -> None:
    prop = Request(f"E[{text}] = 0", "" if law == "walk(start=m)" or "m.T" not in text else "m in R^d", law=law).read()
    derivation, f = Derivation(prop), prop.left.args[0]
    case = {**CASE, "T": 4, "Sigma": [["1", "1/3"], ["1/3", "1/2"]], "m": ["1", "-2"]}
    closed = derivation.at(Expr("Var", (f,)), case)
    assert closed == sp.Rational(str(CaseMoments(derivation, case).variance(f)))


def test_the_variance_at_a_case_is_of_quadratic_forms_alone() -> None:
    derivation = Derivation(Request("E[norm(mean(x))**4] = 0").read())
    with pytest.raises(NotPolynomialError, match="is no quadratic form"):
        CaseMoments(derivation, {"d": 1, "T": 2, "Sigma": [["1"]]}).variance(derivation.prop.left.args[0])


CASE_OF_ONE = {"T": 1, "d": 1, "Sigma": [["1"]], "u": ["1"]}


def measured_at(text: str, case: Any = CASE_OF_ONE) -> measuring.Measurement:
    prop = Request(text, "u in R^d, Sigma = I", law="iid").read()
    return moments.Checker(prop, "test.rare", "quick")._measure(case)


def test_a_rare_event_is_sampled_until_its_probability_is_known_as_well_as_any_number() -> None:
    """P = 3.2e-5: a pilot sample has none, and with its own interval for a tolerance 1/1000 would agree."""
    found = measured_at("P[x[1].T*u > 4] = 1/1000")
    chance = math.erfc(4 / math.sqrt(2)) / 2
    assert found.exactly and found.contradicts("=") and not found.agrees("=")
    assert found.tolerance == pytest.approx(2 * 0.02 * math.sqrt(chance), rel=1e-3)


def test_what_did_not_vary_in_a_pilot_sample_is_known_within_a_part_of_its_range() -> None:
    prop = Request("P[x[1].T*u > 4] <= 1", "u in R^d, Sigma = I", law="iid").read()
    for effort, factor in (("quick", 2.0), ("standard", 1.0)):
        found = measuring.measure(prop, CASE_OF_ONE, claim_id="test.rare", seed=1, delta=1e-10, effort=effort)
        assert not found.exactly and found.tolerance == pytest.approx(2 * measuring.RELATIVE * factor)
        assert found.left[1] - found.left[0] <= found.tolerance


def test_what_did_not_vary_and_is_not_bounded_is_not_taken_for_a_constant() -> None:
    """E max(g - 9, 0) exp(20 g) is about e^200, of values that no sample has."""
    text = "E[max(x[1].T*u - 9, 0)*exp(20*x[1].T*u)] = 0"
    prop = Request(text, "u in R^d, Sigma = I", law="iid").read()
    with pytest.raises(measuring.TooDearError, match="no bound of the kurtosis"):
        measuring.measure(prop, CASE_OF_ONE, claim_id="test.rare", seed=1, delta=1e-10, effort="quick")
    # its variance is derived, and says nothing of the tails of a sample
    with pytest.raises(measuring.TooDearError, match="no bound of the kurtosis"):
        measured_at(text)


@pytest.mark.parametrize("chance", [0.3, 1e-2, 1e-5])
def test_numbers_that_do_not_vary_are_a_constant_where_their_kurtosis_would_have_shown(chance: float) -> None:
    """Of an event of this probability, with the kurtosis 1/(p q) - 3, so many pairs alike are rarer than delta."""
    kurtosis, delta = 1 / (chance * (1 - chance)) - 3, 1e-9
    count = constant_after(Tails(kurtosis=max(1.0, kurtosis)), delta)
    assert (1 - 2 * chance * (1 - chance)) ** (count / 2) <= delta


def test_the_tolerance_at_a_kink_is_that_of_the_effort() -> None:
    """|m| and m^2 do not move with m near m = 0: their own intervals are no tolerance."""
    assert measured_at("abs(E[x[1].T*u]) = 0").tolerance == pytest.approx(2 * 0.02)
    assert measured_at("E[x[1].T*u]**2 = 0").tolerance == pytest.approx(2 * 0.02**2)


def test_exact_chances_plan_the_samples_of_events() -> None:
    prop = Request("P[x[1].T*u > 1] = 1", "u in R^d, Sigma = I", law="iid").read()
    ((name, spread),) = moments.Checker(prop, "test.rare").spreads(CASE_OF_ONE).items()
    sample = StatementSimulation(prop.plain(), CASE_OF_ONE).draw(2**16, 1, "test.plan", "k")
    assert spread.exact and abs(sample[name].mean - spread.mean) <= 6 * sample[name].std_error
    assert sample[name].variance == pytest.approx(spread.variance, rel=0.05)


def test_samples_of_wrong_versions_have_streams_of_their_own_and_one_case_is_counted_once() -> None:
    """Two wrong versions may be told at one case: the second sample is no copy of the first one's beginning."""
    checker = moments.Checker(Request("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "i <= j").read(), "test.own", "quick")
    wrong = Request("E[x[i].T*W*x[j]] = 2*i*tr(W*Sigma)", "i <= j").read().right
    checker.measured = [checker._measure(CASE)]
    for _ in range(2):
        plan = next(one for one in checker._telling_plans(wrong, [CASE]) if one.case == checker._telling(wrong, [CASE]))
        checker.measured.append(plan(checker.found.streams))
    _, first, second = checker.measured
    assert first.case == second.case and first.left != second.left
    checker._told()
    assert f"at each of {len({str(m.case) for m in checker.measured})} cases" in checker.found.power
    checker.measured, keys = checker.measured[:1], set[str]()
    for mark in ("", "confirmation", checker._further_mark()):
        keys.add(checker._plan(CASE, mark).stream["key"])
    assert len(keys) == 3


# O(T^-1) of the sum's own size: within 5% at some length it takes more walks than standard effort has
SLOW = Request("E[sum(x[j].T*W*x[T], j, 1, T)] = T**3/(2*T + 7)*tr(W*Sigma) + o(T**2)", limit="T -> oo")


def test_what_an_effort_does_not_afford_is_looked_for_as_the_one_below_does() -> None:
    checker = LimitChecker(SLOW.read(), "test.level", "standard")
    found = checker.run()
    assert found.verdict[0] == "verified" and checker.level == "quick"
    # nothing was drawn for what could not be brought to an end
    assert found.samples == found.samples_drawn


def test_a_wrong_version_is_sampled_where_it_takes_fewest_normals() -> None:
    prop = Request("E[(x[i].T*W*x[i])**2] = 3*i**2*tr(W*Sigma)**2", "d = 1").read()
    checker = moments.Checker(prop, "test.cheap", "quick")
    pool = [{"i": 9, "d": 1, "W": [["1"]], "Sigma": [["1"]]}]
    wrong = Request("E[x[i].T*x[i]] = 2*i**2*tr(W*Sigma)**2", "d = 1").read().right
    sizes = [plan.normals for plan in checker._telling_plans(wrong, pool)]
    assert len(sizes) == 2 and sizes == sorted(sizes)
