"""Claims about limits: the print itself against values along growing lengths, each planted fault seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from montecarlo import registry
from montecarlo.registry import variance as half_squares
from montecarlo.walks import form
from proofs_check.api import judge
from proofs_check.checks.approaching import Approached, Ladder, exponents, lengths, plan_ladder, reached
from proofs_check.checks.evidence import EFFORTS, Measured, RunContext
from proofs_check.checks.intervals import Blocks, Interval
from proofs_check.checks.sampling import _before, plan, sampled
from proofs_check.claims import pairing
from proofs_check.claims.pairing import Pair
from proofs_check.judging.judgement import verdict
from tests.proofs_check.judged import judged
from theorems import authoring
from theorems.authoring import W
from theorems.claims import catalogue
from theorems.claims.catalogue import Statement, by_id
from theorems.gaussian.process import Moment
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import value_of

MEAN, VARIANCE, B1, LEMMA2 = (
    f"bao2024.{name}" for name in ("sec4.lemma1-mean", "sec4.lemma1-variance", "appC.lemma1-B1", "sec4.lemma2-1")
)
UNIT: dict[str, Any] = {"d": 1, "W": [["1"]], "Sigma": [["1"]], "start": "sigma", "lam": "1"}
QUICK = RunContext(effort=EFFORTS["quick"], effort_name="quick")
MINE = "mypaper.sec1.limit"


@pytest.fixture
def mine() -> Iterator[None]:
    """Takes the tests' own claim out again."""
    yield
    catalogue.discard(MINE)


def ladder(pair: Pair, raw: Mapping[str, Any], delta: float = 1e-9) -> Ladder:
    found = plan_ladder(pair, registry.find(pair.source), raw, delta, QUICK)
    assert found is not None
    return found


def measured(pair: Pair, planned: Ladder, off: float = 0.0, half: float = 1e-9) -> list[list[Measured]]:
    """What a simulation that meets the derived values would have found, times 1 + off, within +-half."""
    found = []
    for rung in planned.rungs:
        at = []
        for name in planned.limits:
            target = pair.target(name, rung.raw)
            value = float(target.derived) * (1 + off)
            around = Interval(value - half, value + half, value, 1.0, 0.0)
            blocks = Blocks(np.full(64, value), 1, half**2, replace(around, spread=half**2))
            at.append(Measured(rung.raw, target, around, 100, half, 1.0, 1.0, 1.0, blocks))
        found.append(at)
    return found


# -- the lengths


def test_every_length_has_the_same_shares_and_the_case_is_among_them() -> None:
    pair = Pair(by_id()[VARIANCE])
    found = lengths(pair, UNIT | {"i": 4, "T": 16})
    assert [case["T"] for case in found] == [4, 8, 12, 16, 24, 32, 48]
    assert all(Fraction(case["i"], case["T"]) == Fraction(1, 4) for case in found)
    assert {key: found[0][key] for key in UNIT} == UNIT
    assert [case["T"] for case in lengths(pair, UNIT | {"i": 5, "T": 7})] == [7, 14, 21, 28, 42]
    assert lengths(pair, UNIT | {"i": 64, "T": 64})[-1]["T"] == 64
    with pytest.raises(ValueError, match="theta = 1/3, but i/T = 1/4"):
        lengths(pair, UNIT | {"i": 4, "T": 16, "theta": "1/3"})


def test_of_the_derived_value_only_the_exponents_are_used() -> None:
    pair = Pair(by_id()[VARIANCE])
    assert exponents(pair, "variance") == {1, 2}
    assert exponents(Pair(by_id()[B1]), "B1") == {1}
    raw = UNIT | {"i": 24, "T": 48}
    planned = ladder(pair, raw)
    # the very same weights for a derivation with other coefficients
    other = Pair(by_id()[VARIANCE])
    (derived,) = other.derived().quantities.values()
    assert isinstance(derived, Moment)
    object.__setattr__(derived, "ratio", derived.ratio * 3)
    assert ladder(other, raw).factors == pytest.approx(planned.factors)


def test_a_limit_follows_from_the_values_alone() -> None:
    """Var/(tr2/lam^2) -> 2 theta^2 - 2 theta + 7/12, which is 1/12 at theta = 1/2; at T = 48 it is 2309/27648."""
    pair = Pair(by_id()[VARIANCE])
    planned = ladder(pair, UNIT | {"i": 24, "T": 48})
    assert len(planned.rungs) >= 3 and planned.rungs[-1].raw["T"] == 48
    (found,) = reached(pair, planned, measured(pair, planned), 1e-9)
    assert found.interval.holds(1 / 12) and found.interval.high - found.interval.low < 1e-8
    assert found.contradicts and not found.agrees
    row: Any = found.row()
    # the printed formula at the case, literally: 2/4 + 7/12
    assert (row["printed"], row["derived"]) == ("13/12", "2309/27648")
    limit = row["limit"]
    assert (limit["at"], limit["printed"], limit["derived"]) == ("limit at theta = 1/2", "13/12", "1/12")
    assert [at["params"]["T"] for at in limit["along"]] == [rung.raw["T"] for rung in planned.rungs]
    # a simulation that is off moves the limit: nothing of it comes from the derivation
    (moved,) = reached(pair, planned, measured(pair, planned, off=0.1), 1e-9)
    assert moved.interval.centre == pytest.approx(1.1 / 12)


def test_a_print_of_an_order_is_met_over_that_order() -> None:
    """(B1) = o(T^3): its value over T^3, 2 (i^2 + T i) tr2/T^3 + ..., has the limit 0."""
    pair = Pair(by_id()[B1])
    raw = {k: v for k, v in UNIT.items() if k != "lam"} | {"i": 8, "T": 16}
    planned = ladder(pair, raw)
    (found,) = reached(pair, planned, measured(pair, planned), 1e-9)
    assert found.agrees and found.place == "limit of the value over T**3 at theta = 1/2"
    assert found.row()["printed"] == "0" and float(Fraction(str(found.row()["derived"]))) > 0
    wrong = Pair(replace(by_id()[B1], printed={"B1": "T**3*tr2/1000"}))
    (other,) = reached(wrong, planned, measured(wrong, planned), 1e-9)
    assert other.contradicts and other.stated == pytest.approx(1e-3)


def test_the_place_of_a_limit_names_what_the_claim_speaks_of() -> None:
    """Not s and mix, which only say along which sequence, and with which matrices, the cases go."""
    raw = {"theta": "1/2", "r": "1", "s": "0", "k": "2", "mix": "1"}
    rungs: Any = (SimpleNamespace(raw=raw),)
    found = Approached(rungs, 0, None, Pair(by_id()[LEMMA2]), 1.0, 0.1, 1e-9)
    assert found.place == "limit at theta = 1/2, r = 1"


# -- what is never verified


def proved(claim: Statement, **given: Any) -> tuple[str, Any]:
    """The ruling where the kernel is made to say that the print is proved."""
    outcome = Outcome("proved", "a planted fault")
    evidence = sampled(Pair(claim), outcome, registry.find(claim.id), claim.alpha, QUICK, given or None)
    return verdict(outcome, evidence)[0], evidence


def test_a_false_limit_that_the_derivation_shares_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finite-T value is right, its limit wrong, on the derivation's side and in the print alike."""
    claim = replace(by_id()[MEAN], printed={"mean": "(theta - 1/4)*tr1/lam"})
    kept = Pair.kept

    def wrong(self: Pair, formula: sp.Expr, raw: Mapping[str, Any]) -> sp.Expr | None:
        # the true value's limit, too, is given as the print has it
        own = kept(self, formula, raw)
        value = value_of(self.derived(), "mean").expr
        return kept(self, self.formulas["mean"], raw) if formula == value else own

    monkeypatch.setattr(Pair, "kept", wrong)
    target = Pair(claim).target("mean", UNIT | {"i": 24, "T": 48})
    assert target.true == target.claimed
    ruling, evidence = proved(claim)
    assert ruling == "conflict" and evidence.status == "contradicts" and not evidence.conflicts
    assert "limit at theta" in evidence.contradiction


@pytest.mark.slow
def test_a_false_limit_of_sequences_is_not_verified() -> None:
    """For r < 2 the exact law tends to 1 for theta > 1/2 and to 0 below, whatever a rule is led to conclude."""
    base = by_id()[LEMMA2]
    false = replace(
        base,
        conditions=("r < 2", "r + s > 0"),
        printed={"rho": "Indicator(theta < 1/2) + Indicator(theta == 1/2)/2"},
        strata=(
            {"theta": ("1/4",), "r": ("1",), "s": ("1",), "k": ("2",)},
            {"theta": ("3/4",), "r": ("1",), "k": ("3",)},
        ),
    )
    ruling, evidence = proved(false)
    assert ruling == "conflict" and not evidence.conflicts
    true = replace(false, printed={"rho": "Indicator(theta > 1/2) + Indicator(theta == 1/2)/2"})
    assert proved(true)[1].status == "agrees"


def test_a_value_before_a_limit_is_exact_where_a_closed_form_has_it() -> None:
    """Lemma 2 at theta = 1/2 and k = 2: erf(16 sqrt(78)/13)/2, which no floating-point number tells from 1/2."""
    pair, raw = Pair(by_id()[LEMMA2]), {"theta": "1/2", "r": "1", "s": "0", "k": "2", "mix": "1"}
    wrong: Any = SimpleNamespace(name="rho", raw=raw, target=pair.target("rho", raw))
    assert (wrong.target.derived, str(_before(pair, wrong))) == (sp.Rational(1, 2), "erf(16*sqrt(78)/13)/2")


@pytest.mark.slow
def test_a_limit_that_is_too_slow_for_the_lengths_is_left_open() -> None:
    """theta = 5/8, r = 0, s = 1: at k = 1, 2 the value is 0.58, 0.67, on its way to 1."""
    case = {"theta": "5/8", "r": "0", "s": "1", "k": "1", "mix": "1"}
    claim = replace(by_id()[LEMMA2], strata=(), printed={"rho": "1"})
    ruling, evidence = proved(claim, **case)
    assert (ruling, evidence.status) == ("undecided", "underpowered")
    assert "near enough to the printed limit" in evidence.reason
    assert proved(replace(claim, printed={"rho": "0"}), **case)[1].status == "contradicts"


def test_the_counterexample_of_a_limit_is_a_limit_with_the_exact_value_beside_it() -> None:
    report: Any
    again: Any
    report, corrected = judged(VARIANCE)
    example = report["counterexample"]
    assert (report["verdict"], corrected["verdict"]) == ("refuted", "verified")
    assert (example["printed"], example["true"], example["limit"]) == ("13/12", "1/12", "limit at theta = 1/2")
    params = example["params"]
    assert (params["i"], params["T"]) == (24, 48)
    assert example["finite"] == str(Pair(by_id()[VARIANCE]).target("variance", params).derived) == "2309/27648"
    # the case alone refutes it again
    again, _ = judged(VARIANCE, params)
    assert again["verdict"] == "refuted" and again["counterexample"]["limit"] == example["limit"]


def test_a_case_from_which_no_limit_can_be_formed_says_so() -> None:
    case = UNIT | {"i": 5, "T": 47}
    assert plan_ladder(Pair(by_id()[VARIANCE]), registry.find(VARIANCE), case, 1e-9, QUICK) is None
    (report,) = judged(VARIANCE, case)
    assert report["verdict"] == "undecided" and "none can be formed from this case" in report["reason"]
    assert [row["limit"] for row in report["cases"]] == [None]


def test_a_case_of_another_start_has_no_limit_to_be_compared() -> None:
    pair = Pair(by_id()[VARIANCE])
    chosen = plan(pair, registry.find(VARIANCE), UNIT | {"i": 4, "T": 8, "start": "zero"}, 1e-9, QUICK)
    assert chosen is not None and not isinstance(chosen, Ladder)


# -- lemmas of one's own


def lemma(quantity: str, printed: str, positions: str, remainder: str, derivation: Any, simulation: Any) -> Any:
    """The verdict of "quantity = printed + o(remainder) as T -> infinity" with both sides beside it."""
    statement = authoring.claim(
        MINE,
        printed={"value": printed},
        symbols=" ".join(name for name in ("i", "T", "tr1") if name in printed),
        positions=positions,
        remainder=remainder,
        quantity={"value": quantity},
        hypotheses="W symmetric",
    )
    return judge(statement, derivation, simulation, degree=2, effort="quick", device="cpu", jobs=1)


@pytest.mark.usefixtures("mine")
def test_an_order_for_every_token_is_judged_at_the_last_one_too() -> None:
    """E[x_i^T W x_T] = i tr1 is no o(T) for every i <= T."""
    found = lemma(
        "E[x[i].T*W*x[T]]",
        "0*i*tr1",
        "i T",
        "T",
        lambda walk, i, T: walk.expect(walk.form(i, W, T)),
        lambda walk, W, i, T: form(walk.token(i), W, walk.token(T)),
    )
    assert found.verdict == "refuted", found.reason
    assert found.counterexample is not None
    assert (found.counterexample["printed"], found.counterexample["true"]) == ("0", "1/2")
    params = found.counterexample["params"]
    assert 2 * params["i"] == params["T"]
    # at the last token, too
    assert "T = i; T -> oo: left side tr(W*Sigma), right side 0" in found.report["symbolic"]["evidence"]


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("printed", "expected"), [("T*i*tr1", "refuted"), ("T*i*tr1 - i**2*tr1/2", "verified")], ids=str
)
def test_a_free_position_is_no_constant(printed: str, expected: str) -> None:
    """sum_j E[x_j^T W x_i] = (i T - i^2/2) tr1 + o(T^2) for every i <= T."""
    found = lemma(
        "sum(E[x[j].T*W*x[i]], j, 1, T)",
        printed,
        "i T",
        "T**2",
        lambda walk, i, T: (
            walk.sum(lambda j: walk.expect(walk.form(j, W, i)), upto=i)
            + walk.sum(lambda j: walk.expect(walk.form(i, W, j)), above=i, upto=T)
        ),
        lambda walk, W, i, T: (walk.tokens @ W @ walk.token(i).unsqueeze(-1)).squeeze(-1).sum(1),
    )
    assert found.verdict == expected, found.reason


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(("factor", "expected"), [("2", "verified"), ("3", "refuted")])
def test_a_rational_print_is_compared_by_its_leading_orders(factor: str, expected: str) -> None:
    """sum_j E[x_j^T W x_T] = T^3/(2 T + 7) tr1 + o(T^2) is true, and no conflict."""
    found = lemma(
        "sum(E[x[j].T*W*x[T]], j, 1, T)",
        f"T**3*tr1/({factor}*T + 7)",
        "T",
        "T**2",
        lambda walk, T: walk.sum(lambda j: walk.expect(walk.form(j, W, T)), upto=T),
        lambda walk, W, T: walk.scores(W).sum(1),
    )
    assert found.verdict == expected, found.reason


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_an_author_is_told_of_two_models_with_both_values_and_the_smallest_case() -> None:
    """The variance of x_i^T W x_i, derived for the walk and simulated for twice the form."""
    statement = authoring.claim(MINE, printed="2*i**2*tr2", symbols="i tr2", positions="i", quantity="Var[x_i^T W x_i]")
    found = judge(
        statement,
        lambda walk, i: walk.variance(walk.form(i, W, i)),
        lambda walk, W, i: half_squares(2 * form(walk.token(i), W, walk.token(i))),
        degree=4,
        effort="quick",
        device="cpu",
        jobs=1,
    )
    assert found.verdict == "conflict"
    assert "not of the same model" in found.reason and "bug" not in found.reason
    assert '"d":1' in found.reason and '"i":1' in found.reason
    assert "derived 2, simulated [" in found.reason


def test_the_orders_of_a_formula_are_looked_up_once() -> None:
    pairing.orders.cache_clear()
    pair = Pair(by_id()[VARIANCE])
    for T in (16, 48):
        pair.target("variance", UNIT | {"i": T // 2, "T": T})
    assert pairing.orders.cache_info().misses == 2
