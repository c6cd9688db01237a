"""Claims about orders of growth held to what they say: a side of a neighbouring expectation is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.bao2024.appendix_b import next_tokens, sums
from montecarlo.registry import Growth
from proofs_check.binding.orders import orders_bound
from proofs_check.binding.tied import Binding
from proofs_check.claims.pairing import Pair
from theorems.bao2024.gradient import gradient
from theorems.claims.catalogue import by_id
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import Derived
from theorems.rules.orders import Order

CLAIMS = {f"eq{k}": f"bao2024.appB.order{k}" for k in (19, 20, 21)}


def looked(name: str) -> tuple[Pair, Growth]:
    found = registry.find(CLAIMS[name])
    assert isinstance(found, Growth)
    return Pair(by_id()[CLAIMS[name]]), found


def stated(pair: Pair, **changed: Any) -> Pair:
    """The claim with other definitions, or another quantity."""
    says = pair.statement.says
    assert says is not None
    where = says.where
    for old, new in changed.pop("where", ()):
        assert old in where
        where = where.replace(old, new)
    return replace(pair, statement=replace(pair.statement, says=replace(says, where=where, **changed)))


@pytest.mark.parametrize("name", CLAIMS)
def test_the_expectations_of_both_sides_are_the_statement_s(name: str) -> None:
    pair, growth = looked(name)
    found = orders_bound(pair, growth, 0)
    assert found.bound and len(found.evidence) == 2
    assert found.evidence[0].endswith("equal summands at 5 cases")


def test_a_print_is_an_order_in_the_language() -> None:
    prop = said(by_id()[CLAIMS["eq19"]], "eq19")
    assert prop.error is not None and prop.error[0] == "O" and str(prop.error[1]) == "T**8"
    assert prop.limit.variable == "T" and prop.known.identity


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
    assert "gives no number whose expectation" in orders_bound(none, growth, 0).missing[0]


def test_a_second_side_of_a_neighbouring_expectation_is_seen() -> None:
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
        assert "second side is of another quantity" in told and "at walk" in told


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
    squared = {"eq20": f"({says.quantities['eq20']})**2"}
    assert "is no expectation" in orders_bound(stated(pair, quantities=squared), growth, 0).missing[0]
    absent = replace(growth, function=lambda generator, n, T: {"eq19": torch.zeros(n)})
    assert "it returns no eq20" in orders_bound(pair, absent, 0).missing[0]
    monkeypatch.delitem(registry._INSTANCES, CLAIMS["eq20"])
    assert "no case says what" in orders_bound(pair, growth, 0).missing[0]
    outside = {"hypotheses": says.hypotheses.replace("lam > 0", "lam > 10")}
    assert "outside the hypotheses" in orders_bound(stated(pair, **outside), growth, 0).missing[0]
