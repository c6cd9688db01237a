"""Faults in one side alone: every kind is planted and caught, small ones are not, and nothing stays changed."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from montecarlo import registry
from montecarlo.directly import evaluate
from montecarlo.empirical_checks import Evaluation
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.plugins import empirical_check
from proofs_check.judging import variants
from proofs_check.selftest import independence
from proofs_check.selftest.independence import NOT_APPLICABLE, SIDES, broken, faulty, measure, quantities, spoilt, tally
from tests.proofs_check.judged import judged
from theorems.claims.catalogue import by_id
from theorems.kernel import deriving
from theorems.kernel.derivation import Equivalence, Fact, closed
from theorems.kernel.eventually import Eventually
from theorems.kernel.limits import Limit

#: A cheap claim for every kind of derived quantity and every kind of empirical check.
CLAIMS = {
    "bao2024.appA.eq12": "a moment, sampled: planned by its spread",
    "bao2024.appA.eq14": "a moment, sampled: planned by its value",
    "bao2024.sec4.gaussian-rho": "an expectation, sampled within bounds",
    "bao2024.sec4.lemma2-4": "a limit, sampled",
    "bao2024.sec4.fig3-eta": "a fact, evaluated",
    "bao2024.sec6.grad-scale-q": "a matrix, evaluated",
    "bao2024.sec4.eq5": "a sharp bound, searched",
    "bao2024.appB.cauchy-schwarz": "an inequality, searched",
    "bao2024.appB.order21": "an order of growth",
    "lampert2026.sec4.prop41": "an equivalence, observed",
}
#: Faults that are too small to be seen: this part of a whole one.
TINY = Fraction(1, 10**18)
FIG3 = "bao2024.sec4.fig3-eta"


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_fault_in_either_side_alone_is_a_conflict(claim: str) -> None:
    before = deriving.find(claim), empirical_check(by_id()[claim])
    rows = measure(seed=3, claims=[by_id()[claim]])
    pair = Pair(by_id()[claim])
    claims = (claim, *(variants.of(pair, key).id for key in variants.keys(pair)))
    assert [(row["id"], row["side"]) for row in rows] == [(one, side) for one in claims for side in SIDES]
    for row in rows:
        assert row["caught"] and row["verdict"] == "conflict", row
        assert "disagree" in row["reason"] and row["fault"] != "none"
    assert (deriving.find(claim), registry.find(claim)) == before


@pytest.mark.parametrize("claim", ["bao2024.appA.eq12", "bao2024.sec4.fig3-eta", "lampert2026.sec4.prop41"])
def test_an_unbroken_claim_is_in_no_conflict(claim: str) -> None:
    assert {report["verdict"] for report in judged(claim)} <= {"verified", "refuted"}


@pytest.mark.parametrize(
    ("claim", "side"),
    [
        ("bao2024.appA.eq12", "derivation"),
        ("bao2024.appA.eq12", "simulation"),
        ("bao2024.sec4.fig3-eta", "derivation"),
        ("bao2024.sec4.fig3-eta", "simulation"),
        ("bao2024.appC.lemma2-inequality", "derivation"),
    ],
)
def test_a_fault_too_small_to_see_is_not_caught(claim: str, side: str) -> None:
    row = broken(by_id()[claim], side, size=TINY)
    assert not row["caught"] and row["verdict"] not in ("conflict", NOT_APPLICABLE), row
    assert row["reason"]


def test_an_empirical_check_that_copies_the_derivation_is_found_out() -> None:
    """The one defect that all of this looks for: numbers that come from the other side."""
    claim = by_id()[FIG3]

    def copied(xi: float, product: float) -> dict[str, tuple[float, float]]:
        given = {"xi": str(Fraction(xi)), "product": str(Fraction(product).limit_denominator(1000))}
        return {"eta": (float(Pair(claim).target("eta", given).derived), 1e-12)}

    with registry.registered(Evaluation(FIG3, copied)):
        rows = measure(claims=[claim])
    assert [(row["side"], row["caught"]) for row in rows] == [("derivation", False), ("simulation", True)]
    assert tally(rows) == {"caught": 1, "of": 2, "apart": 0}


def test_a_quantity_that_the_empirical_check_does_not_give_is_named() -> None:
    claim = by_id()[FIG3]
    with registry.registered(Evaluation(FIG3, lambda xi, product: {})):
        row = broken(claim, "simulation")
    assert not row["caught"]
    assert row["reason"] == "the empirical check gives no such number, so that nothing can be wrong in it"


def test_a_conflict_that_is_there_without_the_fault_does_not_count() -> None:
    claim = by_id()[FIG3]
    with registry.registered(Evaluation(claim.id, lambda xi, product: {"eta": (1e6, 0.0)})):
        rows = measure(claims=[claim])
    assert [row["caught"] for row in rows] == [False, False]
    assert all("without a fault" in row["reason"] for row in rows)


def test_nothing_stays_changed_after_a_failure() -> None:
    claim = by_id()[FIG3]

    def stopped(xi: float, product: float) -> dict[str, tuple[float, float]]:
        raise KeyboardInterrupt

    def failing(xi: float, product: float) -> dict[str, tuple[float, float]]:
        raise ArithmeticError("it broke")

    before = deriving.find(claim.id), registry.find(claim.id)
    for side in SIDES:
        with registry.registered(Evaluation(claim.id, stopped)), pytest.raises(KeyboardInterrupt):
            broken(claim, side)
        with registry.registered(Evaluation(claim.id, failing)):
            row = broken(claim, side)
        assert not row["caught"] and row["verdict"] == "error" and "it broke" in row["reason"]
    assert (deriving.find(claim.id), registry.find(claim.id)) == before


def test_a_claim_without_anything_to_break_is_counted_apart() -> None:
    rows = measure(claims=[by_id()["lampert2026.sec7.value-terms"]])
    assert {row["verdict"] for row in rows} == {NOT_APPLICABLE}
    assert all("incomplete" in row["reason"] for row in rows)
    assert tally(rows) == {"caught": 0, "of": 0, "apart": 2}


def test_progress_is_told_claim_by_claim() -> None:
    told: list[tuple[int, int]] = []
    claims = [by_id()["lampert2026.sec7.value-terms"], by_id()[FIG3]]
    measure(claims=claims, step=lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_side_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="side = 'both'; expected one of derivation, simulation"):
        broken(by_id()[FIG3], "both")


def test_a_quantity_of_unknown_kind_is_named() -> None:
    with pytest.raises(TypeError, match="int has no fault to plant"):
        faulty(3, Fraction(1))


def test_printed_and_mentioned_quantities_are_broken_and_numbers_beside_a_property() -> None:
    for claim, names in {
        "bao2024.sec2.remark2-selector": ("variance", "mean", "selector_mean", "selector_variance"),
        "lampert2026.sec5.uniform-vs-identity": ("R(1) > R(0)", "R(1) < R(0)", "interior maximum", "place"),
        "bao2024.sec4.eq5": ("",),
    }.items():
        assert sorted(quantities(by_id()[claim], Pair(by_id()[claim]).derived())) == sorted(names)


def test_faults_change_what_they_say() -> None:
    whole = Fraction(1)
    zero, words = faulty(Fact(closed(sp.Integer(0)), (), ""), whole)
    assert (zero.ratio.expr, words) == (sp.Rational(1, 10), "0 -> 1/10")
    property_, words = faulty(Equivalence("p", ("a > 0", "b >= 0"), (), (), ""), whole)
    assert (property_.conditions, words) == (("a <= 0", "b >= 0"), "a > 0 negated")
    least = Pair(by_id()["bao2024.sec5.eq9"]).derived().quantities[""]
    assert isinstance(least, Eventually)
    raised, _ = faulty(least, whole)
    assert raised.upper == least.upper * sp.Rational(3, 2) + sp.Rational(1, 10) and raised.steps == least.steps
    limit = Limit(lambda scalars: scalars["p"], (), (), (), (), (), "")
    assert faulty(limit, whole)[0].at({"p": Fraction(1, 2)}) == sp.Rational(3, 5)


def test_a_fault_in_one_number_leaves_the_others() -> None:
    claim = by_id()["bao2024.sec2.softmax-taylor"]
    entry = empirical_check(claim)
    plain = evaluate(entry, {"T": 5, "i": 2})
    wrong, _, touched = spoilt(entry, "offset", claim, Fraction(1))
    assert isinstance(wrong, Evaluation)
    found = evaluate(wrong, {"T": 5, "i": 2})
    assert touched == {"offset"} and set(found) == set(plain)
    assert [name for name in plain if plain[name] != found[name]] == ["offset"]
    # where the side's own error bound is larger, no number is wrong
    assert independence._shifted((1.0, 0.5), 1e-3) == (1.0, 0.5)


def test_prints_that_are_no_formulas_have_quantities() -> None:
    """o(1) for what tends to 0."""
    claim = by_id()["bao2024.appB.dominance"]
    assert quantities(claim, Pair(claim).derived()) == ("eq20_over_eq19", "eq21_over_eq19")
