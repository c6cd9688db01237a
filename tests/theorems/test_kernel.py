"""The proof kernel: what it proves, disproves and leaves undecided, and that a planted error never passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from theorems import asymptotics
from theorems import kernel as module
from theorems.catalogue import Paper, ProofLine, Statement, paper_claims
from theorems.derivation import Derived, SharpBound
from theorems.deriving import derive
from theorems.expressions import parse, same
from theorems.kernel import agrees_to_leading_order, check_lines, holds, printed_value, settle, target, value_of
from theorems.observables import W
from theorems.process import Moment, Process, Step, random_walk
from theorems.ratio import Ratio

CLAIMS = {c.id.removeprefix("bao2024."): c for c in paper_claims("bao2024")}
PAPER = Paper("p", "t", "a", "v")

#: What is true of the paper's claims, by the arguments of tests/theorems/bao2024.
TRUE = {"sec2.softmax-taylor", "sec4.lemma1-mean", "sec4.eq5", "sec5.eq8", "appA.eq11", "appA.eq12", "appA.eq13"}
TRUE |= {"appA.eq14", *(f"appC.lemma1-{part}" for part in ("A", "B1", "B3", "C1", "C2"))}


def ratio(text: str) -> Ratio:
    return Ratio.from_expr(parse(text))


def claim(printed: str, **changes: Any) -> Statement:
    data: dict[str, Any] = {
        "where": "",
        "kind": "identity",
        "statement": "",
        "reading": "",
        "quantity": "",
        "paper": PAPER,
    }
    data |= {"symbols": ("i", "T", "tr1", "tr2", "theta"), "positions": ("i", "T"), "model": "walk"}
    return Statement(id="p.x", printed={"value": printed}, **(data | changes))


def derived_of(source: Process, value: Moment) -> Derived:
    return Derived({"value": value}, tuple(source.steps), source)


def square() -> tuple[Process, Moment]:
    """E[(x_i^T W x_T)^2] = (i T + i^2) tr2 + i^2 tr1^2."""
    source = random_walk("i", "T")
    i, T = source.positions
    return source, source.expect(source.form(i, W, T) ** 2)


SQUARE = "(i*T + i**2)*tr2 + i**2*tr1**2"


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_the_status_of_every_claim(name: str) -> None:
    statement = CLAIMS[name]
    outcome = settle(statement, derive(statement.id, statement.positions))
    assert outcome.status == ("proved" if name in TRUE else "disproved")
    assert outcome.steps
    assert all(step.ok for step in outcome.steps)
    assert outcome.evidence
    assert bool(outcome.corrections) == (name not in TRUE)
    assert set(outcome.false_quantities) <= set(statement.printed)
    assert bool(outcome.false_quantities) == (name not in TRUE)


def test_an_identity_is_proved_or_disproved() -> None:
    source, moment = square()
    derived = derived_of(source, moment)
    good = settle(claim(SQUARE), derived)
    assert (good.status, good.corrections, good.method) == ("proved", {}, "Wick contraction")
    assert settle(claim("i*((T + i)*tr2 + i*tr1**2)"), derived).status == "proved"
    bad = settle(claim("(i*T + 2*i**2)*tr2 + i**2*tr1**2"), derived)
    assert bad.status == "disproved"
    assert bad.false_quantities == ("value",)
    assert str(bad.corrections["value"]) == str(parse(SQUARE))
    assert any("derived - printed = -i**2*tr2" in line for line in bad.evidence)


#: Every coefficient of the square, its signs, exponents and indices, one at a time.
MUTANTS = [
    *("(2*i*T + i**2)*tr2 + i**2*tr1**2", "(i*T + 2*i**2)*tr2 + i**2*tr1**2", "(i*T + i**2)*tr2 + 2*i**2*tr1**2"),
    *("(-i*T + i**2)*tr2 + i**2*tr1**2", "(i*T - i**2)*tr2 + i**2*tr1**2", "(i*T + i**2)*tr2 - i**2*tr1**2"),
    *("i*T*tr2 + i**2*tr1**2", "(i*T + i**2)*tr2", "(i*T + i)*tr2 + i**2*tr1**2", "(i*T + i**2)*tr1 + i**2*tr1**2"),
    *("(i*T + i**2)*tr2 + i**3*tr1**2", "(i*(T - 1) + i**2)*tr2 + i**2*tr1**2", "((i - 1)*T + i**2)*tr2 + i**2*tr1**2"),
    *("(i*T + i**2 + 1)*tr2 + i**2*tr1**2", "(i*T + i**2)*tr2 + i**2*tr1", "(i*T + i**2)*(tr2 + tr1**2)"),
]


@pytest.mark.parametrize("printed", MUTANTS)
def test_every_mutant_of_a_true_print_is_disproved(printed: str) -> None:
    source, moment = square()
    outcome = settle(claim(printed), derived_of(source, moment))
    assert outcome.status == "disproved"
    assert same(outcome.corrections["value"], parse(SQUARE))


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_a_mutant_of_every_print_is_told_from_the_truth(name: str) -> None:
    """The true value is proved as a print of its own; with one coefficient changed it is disproved."""
    statement = CLAIMS[name]
    derived = derive(statement.id, statement.positions)
    if statement.relation == "<=":
        for factor in ("d - 1", "d/2", "d/(1 + 1)"):
            wrong = replace(statement, printed={"upper": f"sqrt(({factor})*tr2)"})
            assert settle(wrong, derived).status != "proved"
        assert settle(replace(statement, printed={"upper": "sqrt((d + 1)*tr2)"}), derived).status == "proved"
        assert settle(replace(statement, printed={"upper": "-sqrt(d*tr2)"}), derived).status == "disproved"
        assert settle(replace(statement, printed={"lower": "sqrt(d*tr2)"}), derived).status == "disproved"
        return
    for quantity in statement.printed:
        true = target(statement, value_of(derived, quantity)).expr
        if statement.remainder and parse(statement.printed[quantity]) == 0:
            true = sp.Integer(0)
        assert settle(replace(statement, printed={quantity: str(true)}), derived).status == "proved"
        scale = parse(statement.remainder or "1")
        for term in sp.Add.make_args(sp.expand(true)):
            for wrong_print in (true + term, true - 2 * term, true - scale / 7):
                if sp.expand(wrong_print - true) == 0:
                    continue
                outcome = settle(replace(statement, printed={quantity: str(wrong_print)}), derived)
                assert outcome.status == "disproved", (wrong_print, outcome.evidence)


def test_a_wrong_step_leaves_the_claim_undecided() -> None:
    source, moment = square()
    good = source.steps[0]
    observable, value, model, chain = good.data
    planted = [
        replace(good, data=(observable, value + Ratio.of("i") * "tr2", model, chain)),
        replace(good, data=(observable, value * 2, model, chain)),
        replace(good, data=(observable, value, random_walk("i", "T", start="zero"), chain)),
        replace(good, rule="it is well known"),
        Step("identity", "{0} = {1}", (Ratio.of("i"), Ratio.of("T"))),
        Step("faulhaber", "sum", (ratio("j"), "j", ratio("0"), ratio("T"), ratio("j**2/2"), ratio("T**2/2"))),
        Step("derivative", "slope", (parse("u"), parse("u + T - 1"), "u", parse("1/T"))),
        Step("trace-identity", "trace", (("A", "B"), ("A", "A"), {})),
        Step(
            "cauchy-schwarz",
            "C-S",
            (
                (),
                ("M",),
                {(): parse("d"), ("M",): parse("tr1"), ("M", "M"): parse("tr2")},
                parse("tr1**2"),
                parse("tr2"),
                {},
            ),
        ),
        Step("power-sums", "power sums", (2, "tr1")),
    ]
    assert settle(claim(SQUARE), Derived({"value": moment}, (good,))).status == "proved"
    for wrong in planted:
        for steps in ((wrong,), (good, wrong), (wrong, good)):
            for printed in (SQUARE, "i*tr1"):
                outcome = settle(claim(printed), Derived({"value": moment}, steps))
                assert outcome.status == "undecided", wrong
                assert outcome.exact is None
                assert not outcome.corrections
                assert [step.ok for step in outcome.steps] == [step is good for step in steps]
                assert outcome.evidence[0].startswith("not licensed")


def test_a_limit_is_proved_disproved_or_left_to_the_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random_walk("i", "T")
    i, T = source.positions
    moment = source.expect(source.form(source.token(i) / T, W, T))
    regime: dict[str, Any] = {"regime": {"i": "theta*T"}, "remainder": "1", "kind": "asymptotic"}
    derived = derived_of(source, moment)
    assert settle(claim("theta*tr1", **regime), derived).status == "proved"
    assert settle(claim("(i + 5)*tr1/T", **regime), derived).status == "proved"
    wrong = settle(claim("2*theta*tr1", **regime), derived)
    assert wrong.status == "disproved"
    assert wrong.corrections["value"] == parse("theta*tr1")
    monkeypatch.setattr(module, "ball_check", lambda *_: False)
    for printed in ("theta*tr1", "2*theta*tr1"):
        outcome = settle(claim(printed, **regime), derived)
        assert outcome.status == "undecided"
        assert "ball arithmetic" in outcome.method


def test_the_balls_see_a_limit_that_was_read_off_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random_walk("i", "T")
    i, T = source.positions
    derived = derived_of(source, source.expect(source.form(source.token(i) / T, W, T)))
    statement = claim("2*theta*tr1", regime={"i": "theta*T"}, remainder="1", kind="asymptotic")
    honest = asymptotics.expand

    def doubled(value: Ratio, regime: Any, scale: str = "1") -> Any:
        found = honest(value, regime, scale)
        return replace(found, limit=found.limit * 2)

    monkeypatch.setattr(module, "expand", doubled)
    assert settle(statement, derived).status == "undecided"


def test_what_an_asymptotic_print_must_match() -> None:
    regime = {"i": "theta*T"}
    assert holds(ratio("i**2 + i"), parse("i**2"), regime, "T**2")
    assert not holds(ratio("i**2 + i"), parse("i**2"), regime, "T")
    assert not holds(ratio("i**2 + i"), parse("i**2"), regime, "")
    assert not holds(ratio("i**2"), parse("i**2 + T**3"), regime, "T**2")
    assert not holds(ratio("2*i**2"), parse("i**2"), regime, "T**2")
    assert holds(ratio("i/T"), parse("theta + 1/T"), regime, "1")


def test_definitions_in_a_print_are_put_in() -> None:
    statement = CLAIMS["sec2.remark2-selector"]
    derived = derive(statement.id, statement.positions)
    put_in = printed_value(statement, statement.printed["variance"], derived)
    # Var[x_i^T W x_T/(T lam)] = (theta + theta^2) tr2/lam^2 in the limit
    assert same(put_in, parse("(theta + theta**2)*tr2/lam**2"))
    assert same(printed_value(statement, "2*selector_mean + tr1", derived), parse("2*theta*tr1/lam + tr1"))


def test_a_bound_is_proved_disproved_or_undecided() -> None:
    statement = CLAIMS["sec4.eq5"]
    derived = derive(statement.id)
    undecided = settle(replace(statement, printed={"upper": "sqrt((2*d - 2)*tr2)"}), derived)
    assert undecided.status == "undecided"
    assert "undecided whether" in undecided.evidence[-1]
    refuted = settle(replace(statement, printed={"upper": "sqrt((d - 1)*tr2)"}), derived)
    assert refuted.status == "disproved"
    assert refuted.corrections == {"upper": sp.sqrt(parse("d*tr2"))}
    low = settle(replace(statement, printed={"lower": "-sqrt((d - 1)*tr2)"}), derived)
    assert low.status == "disproved"
    assert low.corrections == {"lower": -sp.sqrt(parse("d*tr2"))}
    fact = derive("bao2024.sec5.eq8")
    assert settle(statement, fact).status == "undecided"
    (bound,) = derived.quantities.values()
    assert isinstance(bound, SharpBound)
    steps = (*derived.steps[:-1], Step("cauchy-schwarz", "C-S", ((), ("A",), {}, parse("tr1**2"), parse("tr2"), {})))
    assert settle(statement, Derived({"": bound}, steps)).status == "undecided"


def test_a_false_line_reaches_the_end_or_does_not() -> None:
    """A claim with lines of its own: one true, one false that is not the print, one false that is."""
    statement = claim("i**2*tr2", regime={"i": "theta*T"}, remainder="T**2", kind="asymptotic")
    source, moment = square()
    lines = (
        ProofLine("true", "here", "value", SQUARE),
        ProofLine("false by lower order", "here", "value", SQUARE + " + i*tr1"),
        ProofLine("true to leading order", "here", "value", SQUARE + " + i*tr1", "T**2"),
        ProofLine("false", "here", "value", "i**2*tr2", "T**2"),
    )
    found = check_lines(statement, lines, derived_of(source, moment), statement.regime)
    assert [c.holds for c in found] == [True, False, True, False]
    assert [c.reaches for c in found][0::2] == [False, False]
    assert found[3].reaches
    assert same(parse(found[3].derived), parse(SQUARE))


def test_leading_order_of_exact_formulas() -> None:
    assert agrees_to_leading_order(ratio("i*tr1"), parse("(i - 1)*tr1"), ("i",))
    assert agrees_to_leading_order(ratio("i*j*tr2"), parse("(i - 3)*(j + 5)*tr2"), ("i", "j"))
    assert not agrees_to_leading_order(ratio("i*tr1"), parse("2*i*tr1"), ("i",))
    assert not agrees_to_leading_order(ratio("i*tr1"), parse("i**2*tr1"), ("i",))
    assert not agrees_to_leading_order(ratio("T*i*tr2"), parse("T*i*tr1"), ("i", "T"))
    assert not agrees_to_leading_order(ratio("i"), parse("i/(i + 1)"), ("i",))
