"""Every value comes from a step about the model, and no name is replaced by what nothing says it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import Paper, Statement, by_id
from theorems.gaussian.observables import W
from theorems.gaussian.process import Moment, Step, process, random_walk
from theorems.kernel.derivation import Derived, Expected, Fact, fact
from theorems.kernel.deriving import derive
from theorems.kernel.grounds import Grounds, complaints, grounds
from theorems.kernel.limits import Limit
from theorems.kernel.settle import settle, trusted, unsupported
from theorems.rules import RULES, licensed, rule

ZERO, ONE = sp.Integer(0), sp.Integer(1)


def claim(printed: str = "i*tr1", **changes: Any) -> Statement:
    data: dict[str, Any] = {"where": "", "kind": "identity", "statement": "", "reading": "", "quantity": ""}
    data |= {"id": "notes.sec1.cheat", "symbols": ("i", "tr1"), "positions": ("i", "j"), "model": "walk"}
    data |= {"printed": {"value": printed}, "paper": Paper("notes", "t", "a", "v"), "plugin": "notes"}
    return Statement(**(data | changes))


def first_moment() -> Moment:
    walk = random_walk("i", "j")
    i, j = walk.positions
    return walk.expect(walk.form(i, W, j))


def status(statement: Statement, quantity: Any, steps: tuple[Step, ...]) -> str:
    assert all(map(licensed, steps))
    return settle(statement, Derived({"value": quantity}, steps)).status


# -- typed in


X = parse("7*i*tr2")
PIECE = parse("(T + 64 - sqrt((T - 64)**2))/2")
TYPED = [
    Step("at-origin", "{2}", (X, ONE, X)),
    Step("at-origin", "{2}", (PIECE, ONE, PIECE)),
    Step("derivative", "{3}", (X * symbol("u"), ONE, "u", X)),
    Step(
        "faulhaber",
        "{5}",
        (Ratio.from_expr(X), "k", Ratio.of(0), Ratio.of(1), Ratio.from_expr(X * symbol("k")), Ratio.from_expr(X)),
    ),
    Step("substitution", "{2}", (symbol("p") + X, {"p": ZERO}, X)),
    Step("slope", "{2}", (X * symbol("xi"), "xi", X)),
    Step("continuous-limit", "{3}", (X + symbol("xi"), "xi", ZERO, X)),
    Step("positive-root", "{1}", (X + sp.sqrt(symbol("v") ** 2) - symbol("v"), X, "v")),
]


@pytest.mark.parametrize("step", TYPED, ids=lambda step: str(step.rule))
def test_a_formula_that_is_typed_in_is_not_proved(step: Step) -> None:
    value = step.data[-1] if step.rule not in ("positive-root",) else step.data[1]
    value = getattr(value, "expr", value)
    steps: tuple[Step, ...] = (step,)
    statement = claim(str(value), symbols=("i", "tr2", "T"), assumptions=("v > 0",))
    assert status(statement, fact(value, steps, ""), steps) == "undecided"
    # nor beside a step that is about something else
    moment = first_moment()
    steps = (*moment.process.steps, step)
    assert status(statement, fact(value, steps, ""), steps) == "undecided"
    assert settle(statement, Derived({"value": fact(value, steps, "")}, steps)).evidence


def test_what_a_chain_of_steps_leads_to_is_proved() -> None:
    u, T = symbol("u"), symbol("T")
    weight = Step("softmax-weight", "{2}", (((u, ONE), (ONE, T - 1)), u, u / (u + T - 1)))
    last = Step("at-origin", "{2}", (u, u + T - 1, 1 / T))
    statement = claim("1/T", symbols=("T",), positions=(), model="none")
    assert status(statement, fact(1 / T, (weight, last), ""), (weight, last)) == "proved"
    # the steps in the other order, and the weight of another softmax
    assert status(statement, fact(1 / T, (last, weight), ""), (last, weight)) == "undecided"
    other = Step("softmax-weight", "{2}", (((u, ONE), (ONE, T - 1)), ONE, 1 / (u + T - 1)))
    assert status(statement, fact(1 / T, (other, last), ""), (other, last)) == "undecided"


def test_a_second_moment_that_is_typed_in_plans_no_samples() -> None:
    value = parse("i*tr1")
    moment = first_moment()
    steps = tuple(moment.process.steps)
    honest, cheat = (Expected(value, second, steps, "") for second in (value, 9 * value**2 + 9))
    assert not unsupported(claim(), Derived({"value": honest}, steps))
    (why,) = unsupported(claim(), Derived({"value": cheat}, steps))
    assert "is not the conclusion of any of its steps" in why


# -- names that are replaced


def replaced(value: sp.Expr, table: dict[str, sp.Expr], formula: sp.Expr | None = None, **changes: Any) -> str:
    """The status of the claim with this print, from a moment of the walk and one replacement."""
    moment = first_moment()
    whole = moment.ratio.expr if formula is None else formula
    steps = (*moment.process.steps, Step("substitution", "{2}", (whole, table, value)))
    names = tuple(sorted(s.name for s in value.free_symbols))
    return status(claim(str(value), symbols=names, **changes), Fact(fact(value, (), "").ratio, steps, ""), steps)


def test_a_replacement_needs_an_identity_of_the_statement() -> None:
    i, tr1, xi, eta = (symbol(name) for name in ("i", "tr1", "xi", "eta"))
    assert replaced(1001 * i * tr1 / 1000, {"tr1": 1001 * tr1 / 1000}) == "undecided"
    given = ("tr1 = 1001*tr1/1000",)
    assert replaced(1001 * i * tr1 / 1000, {"tr1": 1001 * tr1 / 1000}, assumptions=given) == "undecided"
    assert replaced(i * xi * eta, {"tr1": xi * eta}) == "undecided"
    assert replaced(i * xi * eta, {"tr1": xi * eta}, assumptions=("tr1 = eta*xi",)) == "proved"
    assert replaced(i * xi * eta, {"tr1": xi * eta}, assumptions=("tr1 = 2*eta*xi",)) == "undecided"
    assert replaced(i * xi * eta, {"tr1": xi * eta}, definitions={"tr1": "eta*xi"}) == "proved"
    # a position and what the claim is about are themselves
    for name, value in (("i", symbol("i") + 1), ("d", sp.Integer(2))):
        assert replaced(value * tr1, {name: value}, symbol(name) * tr1) == "undecided"


def test_the_formula_itself_is_derived_or_the_statements() -> None:
    i, tr1, part = (symbol(name) for name in ("i", "tr1", "part"))
    value = 2 * i * tr1
    assert replaced(value, {"part": i * tr1}, 2 * part) == "undecided"
    assert replaced(value, {"part": i * tr1}, 2 * part, assumptions=("value = 2*part",)) == "proved"
    # what is put in is derived, too
    assert replaced(2 * tr1, {"part": tr1}, 2 * part, assumptions=("value = 2*part",)) == "undecided"


def test_a_derived_quantity_is_called_by_its_own_name() -> None:
    claim_id = "bao2024.sec3.diagonal-dominance"
    statement = by_id()[claim_id]
    derived = derive(claim_id, statement.positions)
    ratio = derived.quantities["ratio"]
    assert isinstance(ratio, Fact)
    *before, last = ratio.steps
    one, two = (last.data[1][name] for name in ("diagonal", "full"))
    swapped = replace(last, data=(last.data[0], {"diagonal": two, "full": one}, two / one))
    lame = Fact(fact(two / one, (), "").ratio, (*before, swapped), "")
    assert licensed(swapped)
    found = settle(statement, Derived({**derived.quantities, "ratio": lame}, (*derived.steps, swapped)))
    assert found.status == "undecided" and "nothing says that diagonal" in found.evidence[0]
    assert settle(replace(statement, assumptions=()), derived).status == "undecided"


# -- laws


@pytest.mark.parametrize(("claim_id", "name"), [("lemma2-1", "T -> infinity first"), ("lemma2-4", "T >= 2")])
def test_the_law_of_a_limit_is_that_of_a_moment(claim_id: str, name: str) -> None:
    statement = by_id()[f"bao2024.sec4.{claim_id}"]
    derived = derive(statement.id, definitions=statement.definitions)
    key = next(key for key in derived.quantities if key.endswith(name))
    limit = derived.quantities[key]
    assert isinstance(limit, Limit)
    ground = grounds(statement, derived)
    assert not complaints(ground, limit.steps)
    theta = symbol("theta")
    for k, step in enumerate(limit.steps):
        if step.rule == "chebyshev-limit":
            # twice the variance, and the mean of another law
            for place, other in ((2, 2 * step.data[2]), (0, (*step.data[0][:2], theta + 1))):
                lame = replace(step, data=(*step.data[:place], other, *step.data[place + 1 :]))
                assert complaints(ground, (*limit.steps[:k], lame))
        if step.rule == "shrinking-interval":
            lame = replace(step, data=(1 + theta, ZERO))
            assert licensed(lame) and complaints(ground, (*limit.steps[:k], lame))
        if step.rule == "moment-limit":
            assert complaints(ground, (*limit.steps[:k], *limit.steps[k + 1 :]))


@pytest.mark.parametrize(
    ("model", "regime", "limit", "wanted"),
    [
        ("sigma", {"i": "theta*T"}, "theta*tr1", "proved"),
        ("line", {"i": "theta*T"}, "theta*tr1", "undecided"),
        ("sigma", {"i": "T - theta*T"}, "tr1 - theta*tr1", "undecided"),
    ],
)
def test_a_limit_is_one_of_the_claim_s_process_in_its_regime(
    model: str, regime: dict[str, str], limit: str, wanted: str
) -> None:
    walk, other = random_walk("i", "T"), process(model, ("i", "T"))
    i, T = other.positions
    moment = other.expect(other.form(i, W, T) * (1 / T if model == "sigma" else 1 / T**2))
    step = Step("moment-limit", "{2}", (moment, regime, parse(limit)))
    assert licensed(step)
    told = claim(limit, positions=("i", "T"), symbols=("theta", "tr1"), regime={"i": "theta*T"})
    found = settle(told, Derived({"value": fact(parse(limit), (step,), "a limit")}, (step,), walk))
    assert found.status == wanted, found


def test_what_is_known_grows_step_by_step() -> None:
    ground = Grounds(("value = a*b",), {"a"})
    assert ground.has(parse("a*b")) and not ground.has(parse("a")) and not ground.has(ONE)
    ground.take((Step("finite-expectation", "", ((parse("c"),), (ONE,), symbol("x"), 1, parse("c"))),))
    assert ground.has(parse("c")) and not ground.complaints


# -- what is taken on trust


def test_what_is_trusted_is_listed() -> None:
    statement = by_id()["bao2024.appB.cauchy-schwarz"]
    (one,) = settle(statement, derive(statement.id)).trusted
    assert one.rule == "hoelder" and one.what.startswith("Hoelder's inequality") and "Hardy" in one.source
    found = {t.rule: t for t in trusted((Step("pinching", "", (1, (Step("pair-average", ""), Step("identity", "")))),))}
    assert set(found) == {"pinching", "pair-average"}
    # an argument that no code checks is trusted as a whole
    assert "add up to" in found["pair-average"].what and found["pinching"].what.startswith("S and the span")


def test_a_rule_of_another_package_is_trusted_as_a_whole() -> None:
    def always(*_: Any) -> bool:
        """Whatever one likes."""
        return True

    always.__module__ = "mypaper.rules"
    rule("always, for this test")(always)
    try:
        (one,) = trusted((Step("always, for this test", "", (1,)),))
        assert (one.what, one.source) == ("Whatever one likes.", "mypaper.rules")
    finally:
        del RULES["always, for this test"]


# -- the process


def test_a_moment_is_one_of_the_claims_process_in_the_claims_order() -> None:
    """E[x_i^T W x_j] = i j tr1 on a random straight line, and j tr1 for j <= i."""
    statement = claim("i*j*tr1", symbols=("i", "j", "tr1"))
    law = random_walk("i", "j")
    for source, printed in ((process("line", ("i", "j")), "i*j*tr1"), (random_walk("j", "i"), "j*tr1")):
        places = {position.name: position for position in source.positions}
        moment = source.expect(source.form(places["i"], W, places["j"]))
        assert moment.ratio.expr == parse(printed) and all(map(licensed, source.steps))
        told = replace(statement, printed={"value": printed})
        steps = tuple(source.steps)
        assert settle(told, Derived({"value": moment}, steps, law)).status == "undecided"
        value = Fact(moment.ratio, steps, "")
        assert settle(told, Derived({"value": value}, steps, law)).status == "undecided"
        own = replace(told, positions=source.chain[1:])
        assert settle(own, Derived({"value": moment}, steps, source)).status == "proved"
        assert settle(own, Derived({"value": value}, steps, source)).status == "proved"
