"""Both interpreters of a statement agree at cases drawn at every edge of its hypotheses; faults in either are found.

That is every quantity with tokens, but of orthogonal tokens, power series and probabilities, whose tails take seconds a
case (``test_interpreted`` draws fewer cases of these), and of a statement without tokens both sides: exact or ball
arithmetic against floating point. Of a limit the quantity is looked at, at cases short of it. Each quantity has the
level PART/(quantities x (SEEDS + 3)) in each of its tests (see ``levels``), of which one draws otherwise. What has no
tokens has no false alarms.
"""

from __future__ import annotations

import shlex
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from montecarlo.statements import pieces
from proofs_check.cases import at_edges
from proofs_check.cases.given import parse_case
from proofs_check.cases.of_statements import Case, satisfied
from proofs_check.checks.agreeing import Agreed
from proofs_check.judging.options import Options
from proofs_check.judging.stated import judged_claim
from proofs_check.statements import agreeing
from proofs_check.statements.agreeing import Interpreters, above, costly, multiplied, propositions
from proofs_check.statements.conflicting import AGREE, DIGITS
from tests.properties.levels import PART
from theorems.claims.catalogue import by_id, shipped
from theorems.kernel.catalogued import said as print_of
from theorems.statement.proposition import Proposition

#: Draws of a quantity in ``make test``, seeds, and draws in ``make test-slow``.
DRAWS, SEEDS, MANY = 30, 20, 1000
INTERPRETED = [claim.id for claim in shipped() if claim.interpreted and claim.says is not None]
#: Edges at which no case can be sampled: numbers that are constant there, with nothing known of their tails, events
#: too rare for samples of the size of a property's, and what is small there beside the width of its interval.
UNASKED = {
    "choromanski2021.appF.lemma5": {"u = 0", "u small"},
    "choromanski2021.appF.thm5-sum": {"v small"},
    "choromanski2021.sec2.fig2-ratio": {"T = 1", "33 <= T"},
    "choromanski2021.sec3.thm1-lower": {"16 <= d", "C = 1", "d = 2", "u = 0", "u small", "v = 0", "v small"},
}
#: A moment generating function of exponentials, for which nothing is derived: it has one interpreter.
ALONE = {("choromanski2021.sec3.thm3-iid", "M")}
#: Claims whose draws take about ten seconds.
DEAR = frozenset(
    f"choromanski2021.{name}"
    for name in ("sec2.fig2-ratio", "sec3.thm1-lower", "appF.eq33-tail", "appF.eq35-end", "appF.thm5-sum")
)


@cache
def said(claim: str) -> dict[str, Proposition]:
    found = propositions(by_id()[claim])
    return {name: prop for name, prop in found.items() if not costly(prop) and (claim, name) not in ALONE}


CLAIMS = [claim for claim in INTERPRETED if said(claim)]


@cache
def delta() -> float:
    quantities = sum(prop.random for claim in CLAIMS for prop in said(claim).values())
    return PART / (quantities * (SEEDS + 3))


def asked(claim: str, name: str, draws: int = DRAWS, key: int = 1, **wrong: Proposition) -> Agreed:
    statement = by_id()[claim]
    prop, printed = propositions(statement)[name], tuple(print_of(statement, one) for one in statement.printed)
    both = {"derived": prop, "simulated": prop, **wrong}
    return Interpreters(claim, **both, delta=delta(), seed=key, says=printed).agreement(draws, key)


def agree(claim: str, draws: int = DRAWS, key: int = 1) -> None:
    for name in said(claim):
        found = asked(claim, name, draws=draws, key=key)
        assert not str(found), f"{name}: {found}"
        assert found.compared, name
        assert set(found.unasked) <= UNASKED.get(claim, set()), f"{name}: {found.unasked}"


@pytest.mark.parametrize("claim", [pytest.param(c, marks=pytest.mark.slow if c in DEAR else ()) for c in CLAIMS])
def test_both_interpreters_agree(claim: str) -> None:
    agree(claim)


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_both_interpreters_agree_at_many_cases(claim: str) -> None:
    agree(claim, MANY, key=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_flaky(seed: int) -> None:
    for claim in CLAIMS:
        agree(claim, key=100 + seed)


def found_and_small(claim: str, in_the_derivation: bool) -> None:
    name, prop = next(iter((said(claim) or propositions(by_id()[claim])).items()))
    wrong = multiplied(prop, FACTORS.get(claim, 2))
    found = asked(claim, name, derived=wrong) if in_the_derivation else asked(claim, name, simulated=wrong)
    assert found.case is not None, found
    sizes = [value for value in found.case.values() if isinstance(value, int)]
    assert all(size <= 4 for size in sizes) and len(str(found.case)) <= 300, found
    assert f"twofold verify {claim} --case" in str(found)


#: A moment, an integral, an inequality of sequences.
FEW = {f"choromanski2021.{name}" for name in ("sec2.gauss", "appF.eq26", "appF.lemma6")}
#: Claims that are costly, of which both interpreters have values.
COSTLY = tuple(f"choromanski2021.{name}" for name in ("sec3.thm2", "sec3.thm2-reg", "appF.eq73", "appF.thm6"))
#: Factors of faults where the quantity, a difference of squared errors, is small beside what it is sampled from.
FACTORS = {"choromanski2021.sec3.thm2": 10}
SOME = [pytest.param(claim, marks=() if claim in FEW else pytest.mark.slow) for claim in (*CLAIMS, *COSTLY)]


@pytest.mark.parametrize("claim", SOME)
def test_a_fault_in_the_derivation_is_found_and_shrunk(claim: str) -> None:
    found_and_small(claim, in_the_derivation=True)


@pytest.mark.parametrize("claim", SOME)
def test_a_fault_in_the_check_is_found_and_shrunk(claim: str) -> None:
    found_and_small(claim, in_the_derivation=False)


SAMPLED = [claim for claim in CLAIMS if any(prop.random for prop in said(claim).values())]


@pytest.mark.parametrize(
    "claim", [pytest.param(claim, marks=() if claim in FEW else pytest.mark.slow) for claim in SAMPLED]
)
def test_the_least_error_that_is_stated_is_found(claim: str) -> None:
    """Of a simulation; with no error nothing is found at the same seed."""
    name, prop = next((name, prop) for name, prop in said(claim).items() if prop.random)
    right = asked(claim, name)
    least = right.least[""]
    assert not str(right) and least < 2, right
    assert asked(claim, name, simulated=multiplied(prop, above(least))).case is not None


#: Integrals of numbers, whose rounding nothing bounds: there values agree in DIGITS.
INTEGRALS = {"choromanski2021.appF.eq26", "choromanski2021.appF.thm5-weight"}


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim not in SAMPLED])
def test_a_small_error_of_an_evaluation_is_found(claim: str) -> None:
    """Values agree in AGREE of max(1, |value|) beside their rounding: this is a hundred times as much, or three."""
    name, prop = next(iter(said(claim).items()))
    factor = 1 + Fraction(3 * DIGITS if claim in INTEGRALS else 100 * AGREE).limit_denominator(10**6)
    assert asked(claim, name, simulated=multiplied(prop, factor)).case is not None


@pytest.mark.parametrize("claim", ["choromanski2021.appF.eq26", "choromanski2021.sec3.limit-positive"])
def test_the_command_of_a_failure_judges_its_case(claim: str) -> None:
    """Of a statement without tokens, and short of a limit: both sides agree there, but for the fault."""
    prop = said(claim)["value"]
    found = asked(claim, "value", simulated=multiplied(prop))
    words = shlex.split(found.replay)
    assert words[:3] == ["twofold", "verify", claim]
    case = parse_case(words[-1], by_id()[claim])
    report = judged_claim(by_id()[claim], Options(effort="quick", case=case), "cpu")[0][0]
    assert report["verdict"] == "undecided" and "both sides agree" in report["reason"]


@pytest.mark.parametrize(
    ("claim", "name"),
    [("sec2.gauss", "SM"), ("sec3.strictly-better", "one"), ("appF.eq32", "lower"), ("appF.thm5-sum", "ww")],
)
def test_the_case_of_a_quantity_is_one_of_its_claim(claim: str, name: str) -> None:
    """With the names that only what is printed has."""
    claim = f"choromanski2021.{claim}"
    found = asked(claim, name, simulated=multiplied(propositions(by_id()[claim])[name]))
    assert parse_case(shlex.split(found.replay)[-1], by_id()[claim])


def test_a_property_whose_draws_miss_an_edge_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_edges, "_put", lambda one, two, factor, case: case)
    monkeypatch.setattr(agreeing, "ROUNDS", 1)
    found = asked("choromanski2021.sec3.lemma2-trig", "value")
    assert "u small" in found.missed and "no case with" in str(found)


@pytest.mark.parametrize(
    ("claim", "edge"),
    [("sec3.lemma2-trig", "33 <= T"), ("sec3.lemma2-positive", "16 <= d"), ("sec2.lemma1-positive", "u small")],
)
def test_a_fault_at_one_edge_alone_is_found(claim: str, edge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prop = said(f"choromanski2021.{claim}")["value"]
    both = Interpreters(claim, prop, prop, delta=delta(), seed=1)
    there, exact = at_edges.edges(prop)[edge], both.checker.sides

    def wrong(case: Case) -> Any:
        left, right = exact(case)
        return (left and 2 * left, right) if there.met(case) else (left, right)

    monkeypatch.setattr(both.checker, "sides", wrong)
    found = both.agreement(DRAWS, 1)
    assert found.case is not None and there.met(found.case), found


def test_a_fault_where_vectors_are_small_is_shrunk_there(monkeypatch: pytest.MonkeyPatch) -> None:
    prop = said("choromanski2021.sec2.lemma1-hyperbolic")["value"]
    both = Interpreters("choromanski2021.sec2.lemma1-hyperbolic", prop, prop, delta=delta(), seed=1)
    there, exact = at_edges.edges(prop)["u small"], both.checker.sides

    def wrong(case: Case) -> Any:
        left, right = exact(case)
        return left and left * (1 + there.met(case)), right

    monkeypatch.setattr(both.checker, "sides", wrong)
    found = both.agreement(DRAWS, 1)
    assert found.case is not None and there.met(found.case) and found.case["d"] == 1, found


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("lemma6", 1),
        *(pytest.param(name, key, marks=pytest.mark.slow) for name, key in (("eq33-tail", 1), ("eq35-end", 111))),
    ],
)
def test_twice_a_number_is_seen_however_small_it_is(name: str, key: int) -> None:
    """Powers of 10^-6, and exponentials of -100 and of -10,000, whose rounding an enclosure bounds."""
    assert not asked(f"choromanski2021.appF.{name}", "upper", key=key).unasked


@pytest.mark.slow
def test_an_edge_at_which_twice_a_number_is_within_its_interval_is_not_met() -> None:
    """Products of many moments over one of a high order."""
    assert "u small" in asked("choromanski2021.appF.lemma5", "even").unasked


@pytest.mark.parametrize(("claim", "name"), ALONE)
def test_what_is_left_out_has_no_derived_value(claim: str, name: str) -> None:
    prop = propositions(by_id()[claim])[name]
    found = Interpreters(claim, prop, prop, delta=delta(), seed=1)
    cases = [case for cases in at_edges.drawn(prop, at_edges.edges(prop).values(), 1, 4) for case in cases]
    assert cases and all(found.checker.sides(case)[0] is None for case in cases)


def test_an_edge_at_which_nothing_is_shown_is_not_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mean square of differences at 16 <= d: an interval from few walks holds twice the value as well."""
    prop = said("choromanski2021.sec3.lemma2-hyperbolic")["value"]
    monkeypatch.setattr(agreeing, "MANY", agreeing.MOST)
    monkeypatch.setattr(agreeing, "ROUNDS", 1)
    found = Interpreters("choromanski2021.sec3.lemma2-hyperbolic", prop, prop, delta=delta(), seed=1).agreement(
        DRAWS, 1
    )
    assert "16 <= d" in found.unasked


def test_an_edge_that_a_hypothesis_forbids_is_none() -> None:
    prop = said("choromanski2021.sec3.strictly-better")["one"]
    forbidden = {edge.name: at_edges.forbidden(prop, edge) for edge in at_edges._edges(prop)}
    assert forbidden["u = -v"] == "norm(u + v) > 0" and "u = -v" not in at_edges.edges(prop)
    assert not forbidden["u = v"] and not forbidden["u = 0"]


def test_vectors_have_the_lengths_that_they_are_given() -> None:
    prop = said("choromanski2021.sec2.fig2-ratio")["value"]
    drawn = [case for cases in at_edges.drawn(prop, at_edges.edges(prop).values(), 1, 6) for case in cases]
    assert drawn and all(satisfied(prop, case) for case in drawn)


def test_a_sum_of_which_no_form_varies_has_no_kurtosis() -> None:
    """cos(x.(u - v)) at u = v, which a singular value decomposition of no forms broke on."""
    with pytest.raises(pieces.NotFewError):
        pieces._cumulants([(("number", "1"), {})], None, 4)  # type: ignore[arg-type]
