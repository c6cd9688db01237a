"""Claims about orders of growth held to what they say: a side of a neighbouring expectation is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.bao2024.appendix_b import example, next_tokens, sums
from montecarlo.empirical_checks import Growth
from proofs_check.binding.orders import orders_bound
from proofs_check.binding.tied import Binding
from proofs_check.claims.pairing import Pair
from theorems.bao2024.appendix_b import order19, order20, order21, quotient
from theorems.bao2024.gradient import gradient
from theorems.claims.catalogue import Said, by_id
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import Derived
from theorems.rules.orders import Order

CLAIMS = {f"eq{k}": f"bao2024.appB.order{k}" for k in (19, 20, 21)}
DOMINANCE = "bao2024.appB.dominance"


def looked(name: str) -> tuple[Pair, Growth]:
    claim = CLAIMS.get(name, name)
    found = registry.find(claim)
    assert isinstance(found, Growth)
    return Pair(by_id()[claim]), found


def stated(pair: Pair, **changed: Any) -> Pair:
    """The claim with other definitions, or another quantity."""
    says = pair.statement.says
    assert says is not None
    where = says.where
    for old, new in changed.pop("where", ()):
        assert old in where
        where = where.replace(old, new)
    return replace(pair, statement=replace(pair.statement, says=replace(says, where=where, **changed)))


@pytest.mark.parametrize("name", [*CLAIMS, DOMINANCE])
def test_the_expectations_of_both_sides_are_the_statement_s(name: str) -> None:
    pair, growth = looked(name)
    found = orders_bound(pair, growth, 0)
    assert found.bound and len(found.evidence) == len(pair.statement.printed) + 1
    assert all(told.endswith("equal summands at 5 cases") for told in found.evidence[:-1])


@pytest.mark.parametrize("law", ["gaussian(s**9*t**9)", "iid", "walk(start=0)", "exchangeable"])
def test_the_tokens_are_those_of_the_steps(law: str) -> None:
    """With Var x_t = t^18 Sigma nothing of this is O(T^8)."""
    pair, growth = looked("eq19")
    found = orders_bound(stated(pair, law=law), growth, 0)
    assert found.derived == [f"the steps to the order of eq19 are about the walk, not {law}"]


@pytest.mark.parametrize(
    ("claim", "name", "letter", "scale"),
    [
        (CLAIMS["eq19"], "eq19", "O", "T**8"),
        (DOMINANCE, "eq20_over_eq19", "o", "1"),
        (DOMINANCE, "eq21_over_eq19", "o", "1"),
    ],
)
def test_a_print_is_an_order_in_the_language(claim: str, name: str, letter: str, scale: str) -> None:
    prop = said(by_id()[claim], name)
    assert prop.error is not None and (prop.error[0], str(prop.error[1])) == (letter, scale)
    assert str(prop.right) == "0" and prop.limit.variable == "T" and prop.known.identity


def test_dominance_is_said_wherever_19_is_not_0() -> None:
    pair, growth = looked(DOMINANCE)
    for name in ("W_QK", "W_V"):
        own = {**example(), name: [[0.0] * 4 for _ in range(4)]}
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(registry._INSTANCES, DOMINANCE, lambda own=own: own)
            told = orders_bound(pair, growth, 0).missing[0]
        assert "a case outside the hypotheses" in told and ("W_QK != 0" if name == "W_QK" else "W_F*W_V") in told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # no clipping, and clipping on one side
        ("inside[i] = indicator(score[i] >= 0)*indicator(score[i] <= 1)", "inside[i] = 1 + 0*score[i]"),
        ("*indicator(score[i] <= 1)", ""),
        ("omega = X.T*W_QK*x[T]/lam", "omega = X.T*W_QK.T*x[T]/lam"),
        ("omega = X.T*W_QK*x[T]/lam", "omega = X.T*W_QK*x[T]/lam**2"),
        ("Pc = W_V.T*W_F.T*W_F*W_V", "Pc = W_V.T*W_F.T*W_F"),
    ],
)
def test_a_neighbouring_expectation_is_seen_in_the_derivation(old: str, new: str) -> None:
    pair, growth = looked("eq19")
    found = orders_bound(stated(pair, where=[(old, new)]), growth, 0)
    assert "the derivation is of another quantity" in found.derived[0]


def test_a_term_that_the_steps_do_not_pick_is_seen() -> None:
    pair, growth = looked("eq20")
    order = pair.quantity("eq20")
    assert isinstance(order, Order)
    part = gradient()[0].part({"Gamma": 2})
    steps = tuple(replace(s, data=(*s.data[:2], part)) if s.rule == "matrix-part" else s for s in order.steps)
    other = replace(pair, _derived={"sigma": Derived({"eq20": replace(order, steps=steps)}, steps)})
    assert "the derivation is of another quantity" in orders_bound(other, growth, 0).derived[0]
    none = replace(pair, _derived={"sigma": Derived({"eq20": replace(order, summand=None)}, order.steps)})
    assert "gives no 1 matrices at cases" in orders_bound(none, growth, 0).missing[0]
    never = replace(pair, _derived={"sigma": Derived({"eq20": replace(order, points=())}, order.steps)})
    assert not orders_bound(never, growth, 0).bound


def test_an_empirical_check_of_a_neighbouring_expectation_is_seen() -> None:
    pair, growth = looked("eq21")

    def other(change: Any) -> Binding:
        def function(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
            return {"eq21": change(sums(generator, n, T))}

        return orders_bound(pair, replace(growth, function=function), 0)

    assert other(lambda found: found["eq21"]).bound
    for change in (
        lambda found: found["eq20"],
        lambda found: 2 * found["eq21"],
        lambda found: found["eq21"].abs(),
        lambda found: found["eq21"].flip(0),
    ):
        told = other(change).simulated[0]
        assert "empirical check is of another quantity" in told and "at walk" in told


def test_the_target_is_the_next_token() -> None:
    pair, growth = looked("eq21")

    def repeated(generator: torch.Generator, n: int, T: int) -> Tensor:
        tokens = next_tokens(generator, n, T)
        return torch.cat((tokens[:, :T], tokens[:, T - 1 : T]), 1)

    assert "another quantity" in orders_bound(pair, replace(growth, tokens=repeated), 0).simulated[0]
    says = pair.statement.says
    assert says is not None
    last = {"eq21": says.quantities["eq21"].replace("x[T + 1]", "x[T]")}
    found = orders_bound(stated(pair, quantities=last), growth, 0)
    assert found.derived and found.simulated


def test_what_cannot_be_compared_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, growth = looked("eq20")
    assert "says nothing of its tokens" in orders_bound(pair, replace(growth, tokens=None), 0).missing[0]
    short = replace(growth, tokens=lambda generator, n, T: next_tokens(generator, n, T)[:, :T])
    assert "expected (64, 2, d)" in orders_bound(pair, short, 0).missing[0]
    says = pair.statement.says
    assert says is not None
    for changed, told in (
        (f"({says.quantities['eq20']})**2", "is no norm(E[...], fro), and no quotient of two"),
        (says.quantities["eq20"].replace("fro", "2"), "is no norm(E[...], fro), and no quotient of two"),
        (says.quantities["eq20"].replace("E[", "W_V*E["), "is no expectation, nor one over a number"),
    ):
        assert told in orders_bound(stated(pair, quantities={"eq20": changed}), growth, 0).missing[0]
    absent = replace(growth, function=lambda generator, n, T: {"eq19": torch.zeros(n)})
    assert "it returns no eq20" in orders_bound(pair, absent, 0).missing[0]
    monkeypatch.delitem(registry._INSTANCES, CLAIMS["eq20"])
    assert "no case says what" in orders_bound(pair, growth, 0).missing[0]
    outside = {"hypotheses": says.hypotheses.replace("lam > 0", "lam > 10")}
    assert "outside the hypotheses" in orders_bound(stated(pair, **outside), growth, 0).missing[0]


# -- quotients


def derived_as(pair: Pair, **orders: Order) -> Pair:
    """The claim with other derived quotients."""
    table = {name: pair.quantity(name) for name in pair.statement.printed} | orders
    return replace(pair, _derived={"sigma": Derived(table, ())})


def test_a_derivation_of_a_neighbouring_quotient_is_seen() -> None:
    pair, growth = looked(DOMINANCE)
    above, below = order20(), order19()
    eq21_over_eq19 = pair.quantity("eq21_over_eq19")
    neighbours = {
        # (21) over (20), (19) over (20), and (21) over (19) in the place of (20) over (19)
        "divisor's summand": quotient(above, order21()),
        "its summand": quotient(below, above),
        "at dim": eq21_over_eq19,
    }
    for part, other in neighbours.items():
        told = orders_bound(derived_as(pair, eq20_over_eq19=other), growth, 0)
        assert not told.bound and "another quantity than eq20_over_eq19" in told.derived[0] and part in told.derived[0]
    over20 = quotient(order21(), above)
    assert (
        "another quantity than eq21_over_eq19"
        in orders_bound(derived_as(pair, eq21_over_eq19=over20), growth, 0).derived[0]
    )
    assert orders_bound(derived_as(pair, eq20_over_eq19=quotient(above, below)), growth, 0).bound
    # one matrix alone is no quotient
    assert "gives no 2 matrices" in orders_bound(derived_as(pair, eq20_over_eq19=above), growth, 0).missing[0]


@pytest.mark.parametrize(
    "names",
    [
        {"eq20_over_eq19": "eq19", "eq21_over_eq19": "eq21", "divisor": "eq20"},
        {"eq20_over_eq19": "eq20", "eq21_over_eq19": "eq21", "divisor": "eq20"},
        {"eq20_over_eq19": "eq21", "eq21_over_eq19": "eq20", "divisor": "eq19"},
        {"eq20_over_eq19": "eq20", "eq21_over_eq19": "eq20", "divisor": "eq19"},
    ],
)
def test_an_empirical_check_of_a_neighbouring_quotient_is_seen(names: dict[str, str]) -> None:
    pair, growth = looked(DOMINANCE)

    def function(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        found = sums(generator, n, T)
        return {name: found[part] for name, part in names.items()}

    told = orders_bound(pair, replace(growth, function=function), 0).simulated[0]
    assert "empirical check is of another quantity" in told and "at walk" in told


def test_a_divisor_stands_on_both_sides_or_on_none() -> None:
    """What is measured is divided by the numbers of that name, whatever the statement says."""
    pair, growth = looked(DOMINANCE)
    alone = replace(growth, function=lambda generator, n, T: dict(list(growth.function(generator, n, T).items())[:2]))
    assert "it returns no divisor" in orders_bound(pair, alone, 0).missing[0]
    pair, growth = looked("eq20")

    def divided(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
        found = sums(generator, n, T)
        return {"eq20": found["eq20"], "divisor": found["eq19"]}

    told = orders_bound(pair, replace(growth, function=divided), 0).missing[0]
    assert "it returns divisor, of which nothing is said" in told


def test_quantities_have_one_divisor() -> None:
    pair, growth = looked(DOMINANCE)
    says = pair.statement.says
    assert says is not None
    eq21_over_eq19 = says.quantities["eq21_over_eq19"].replace("lam**2", "lam**3")
    other = derived_as(stated(pair, quantities={**says.quantities, "eq21_over_eq19": eq21_over_eq19}))
    # at the empirical check's lambda = 1 the numbers are the same
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("proofs_check.binding.orders._derived", lambda *_: Binding())
        assert "eq21_over_eq19 has another divisor" in orders_bound(other, growth, 0).missing[0]
    assert "its divisor's summand differs" in orders_bound(other, growth, 0).derived[0]


def test_a_trace_stands_for_a_norm_at_multiples_of_the_identity_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, growth = looked("eq19")
    for r, c in ((0, 0), (1, 2)):
        own = example()
        own["W_V"][r][c] += 0.5
        monkeypatch.setitem(registry._INSTANCES, CLAIMS["eq19"], lambda own=own: own)
        assert "W_V is no multiple of I" in orders_bound(pair, growth, 0).missing[0]


@pytest.mark.parametrize(
    ("quantity", "hypotheses", "law"),
    [
        ("norm(E[x[1][1]*x[T]*x[T].T], fro)", "", "walk"),
        ("norm(E[a.T*x[T]*x[1]*x[T].T], fro)", "a in R^d", "walk"),
        ("norm(E[x[1]*x[T].T], fro)", "", "walk(start=m)"),
    ],
)
def test_a_trace_says_too_little_where_directions_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, quantity: str, hypotheses: str, law: str
) -> None:
    pair, growth = looked("eq19")
    says = Said({"eq19": quantity}, f"Sigma = I, {hypotheses}".strip(", "), law=law, limit="T -> oo")
    other = replace(pair, statement=replace(pair.statement, says=says))
    monkeypatch.setattr("proofs_check.binding.orders._derived", lambda *_: Binding())
    one = {"Sigma": example()["Sigma"], "a": [1.0, 0.0, 0.0, 0.0], "m": [1.0, 0.0, 0.0, 0.0]}
    monkeypatch.setitem(registry._INSTANCES, CLAIMS["eq19"], lambda: one)
    assert "so tr(M) says too little of it" in orders_bound(other, growth, 0).missing[0]
