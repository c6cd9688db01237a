"""Quantities that are numbers only in the limit, lim(...): a derivation or evaluation of a neighbour is seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import sympy as sp

from montecarlo import registry
from proofs_check.binding.hold import _in_limits
from proofs_check.binding.instances import values_bound
from proofs_check.checks.evaluating import evaluated_beside
from proofs_check.checks.evidence import EFFORTS, RunContext, Seen
from proofs_check.claims.pairing import Pair
from tests.proofs_check.binding.sides import derived_as, moved
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import fact
from theorems.kernel.settle import settle, value_of
from theorems.statement.deciding.decide import decide
from theorems.statement.deciding.limiting import reached
from theorems.statement.expression import StatementError
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.proposition import proposition
from theorems.statement.prose import in_words

CLAIMS = {"bao2024.sec4.eq6": "rho", "bao2024.sec4.a1-uniform": "slope"}
MADE = "omega[j] = x[j].T*W*x[T], s[i] = omega[i]/T - sum(omega[j], j, 1, T)/T**2"
CASE = {"theta": "3/4", "W": [["2", "0"], ["0", "-1"]], "Sigma": [["1", "0"], ["0", "1"]]}


@cache
def looked(claim: str) -> tuple[Pair, list[Seen]]:
    """A claim, what is evaluated beside its simulation, and what that found, worked out once."""
    pair, evaluation = Pair(by_id()[claim]), registry.beside(claim)
    assert evaluation is not None
    context, outcome = RunContext(effort=EFFORTS["quick"], effort_name="quick"), settle(pair.statement, pair.derived())
    return pair, evaluated_beside(pair, outcome, evaluation, context, None).seen


@pytest.mark.parametrize("claim", CLAIMS)
def test_both_sides_are_the_statement_s(claim: str) -> None:
    pair, seen = looked(claim)
    assert _in_limits(pair.statement) == {CLAIMS[claim]}
    found = values_bound(pair, seen, [CLAIMS[claim]])
    assert found.bound, found
    assert "by value at " in found.evidence[0] and found.evidence[0].endswith("first interpreter of statements alone")


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    "change", [lambda value: value + 1e-3, lambda value: 2 * value + 1e-2], ids=["moved", "scaled"]
)
def test_an_evaluation_of_a_neighbour_is_seen(claim: str, change: Callable[[float], float]) -> None:
    pair, seen = looked(claim)
    found = values_bound(pair, moved(seen, change), [CLAIMS[claim]])
    assert found.simulated[0].startswith("the empirical check is of another quantity") and not found.derived


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("change", ["theta", "value"])
def test_a_derivation_of_a_neighbour_is_seen(claim: str, change: str) -> None:
    pair, seen = looked(claim)
    name = CLAIMS[claim]
    value = value_of(pair.derived(), name).expr
    other = (
        value.xreplace({sp.Symbol("theta"): parse("theta + 1/1000")})
        if change == "theta"
        else value * parse("999/1000")
    )
    found = values_bound(derived_as(pair, **{name: fact(other, (), "")}), seen, [name])
    assert found.derived and not found.simulated


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_correction_that_prints_another_quantity_is_read_too(claim: str) -> None:
    corrected = by_id()[claim].corrected({"variance": "0"})
    assert _in_limits(corrected) == {CLAIMS[claim]}


def test_a_case_of_another_instance_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, seen = looked("bao2024.sec4.eq6")
    given = registry.instance_of("bao2024.sec4.eq6")
    assert given is not None

    def doubled(i: int, T: int, xi: str, eta: str) -> Any:
        return {**(given(i, T, xi, eta) or {}), "Sigma": [[2 * int(r == k) for k in range(16)] for r in range(16)]}

    monkeypatch.setitem(registry._INSTANCES, "bao2024.sec4.eq6", doubled)
    found = values_bound(pair, seen, ["rho"])
    assert found.simulated[0].startswith("the empirical check is of another quantity")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lim(E[s[i]])", "theta*1 - 1/2"),
        ("lim(sqrt(Var[s[i]]) + exp(1/T))", "sqrt((2*theta**2 - 2*theta + 7/12)*5) + exp(0)"),
        ("lim(T*E[s[i]]/(1 + T))", "theta - 1/2"),
        ("diff(lim(erf(E[s[i]])), theta)", "2*exp(-(theta - 1/2)**2)/sqrt(pi)"),
        ("3*lim(E[s[i]])**2 + diff(lim(Var[s[i]]), theta, 0)", "3*(theta - 1/2)**2 - 10"),
    ],
)
def test_limits_of_continuous_functions_of_moments(text: str, value: str) -> None:
    prop = proposition(f"{text} = 0", "W symmetric", MADE, limit="T -> oo, i/T -> theta")
    derivation, found = reached(prop)
    expected = sp.sympify(value, locals={"theta": sp.Symbol("theta")}).subs(sp.Symbol("theta"), sp.Rational(3, 4))
    assert float(found.at(derivation, CASE)) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize(
    ("text", "case", "word"),
    [
        ("lim(E[omega[i]])", CASE, "grows without bound"),
        ("lim(sqrt(E[s[i]] - E[s[i]])/(E[s[i]]*exp(0)))", {**CASE, "theta": "1/2"}, "not continuous"),
        ("lim(P[0 <= normal(0, Var[s[i]]) <= 1])", {**CASE, "W": [["0", "0"], ["0", "0"]]}, "not continuous"),
        ("lim(log(E[s[i]]))", {**CASE, "theta": "1/4"}, "not continuous"),
    ],
)
def test_where_a_function_is_not_continuous_there_is_no_limit(text: str, case: dict[str, Any], word: str) -> None:
    prop = proposition(f"{text} = 0", "W symmetric", MADE, limit="T -> oo, i/T -> theta")
    with pytest.raises((NotPolynomialError, ValueError), match=word):
        derivation, found = reached(prop)
        found.at(derivation, case)


def test_a_position_of_which_nothing_is_said_has_no_limit() -> None:
    prop = proposition("lim(E[s[i]]) = 0", "W symmetric", MADE, limit="T -> oo")
    with pytest.raises(NotPolynomialError, match="tends nowhere"):
        reached(prop)


def test_what_may_be_said_of_limits() -> None:
    for text, limit in (("lim(E[s[i]]) = 0", ""), ("lim(E[s[i]]) -> 0", "T -> oo"), ("lim(E[s[i]]) = o(1)", "T -> oo")):
        with pytest.raises(StatementError, match="is a number, along one limit"):
            proposition(text, "W symmetric", MADE, limit=limit)
    with pytest.raises(StatementError, match="only expectations are differentiated"):
        proposition("diff(theta*Var[s[i]], theta) = 0", "W symmetric", MADE, limit="T -> oo, i/T -> theta")
    prop = said(by_id()["bao2024.sec4.a1-uniform"], "slope")
    assert prop.asymptotic and "with tr(W*Sigma) = 0 and" in in_words(prop)
    assert decide(prop, None).status == "undecided"  # type: ignore[arg-type]
