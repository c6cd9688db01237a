"""Sums over tokens whose ends are other sums' indices, and sums without tokens, against sums that are written out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from theorems.statement import proposition
from theorems.statement.deciding.cumulants import CaseMoments
from theorems.statement.deciding.decide import Derivation
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.moments import Moments
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar

LAWS = ("walk", "walk(start=m)", "iid", "ar1(1/2)")
NESTED = (
    "sum(sum(x[j].T*W*x[T]*x[k].T*W*x[T], k, j + 1, T), j, 1, T)",
    "sum(sum(x[j].T*W*x[k], k, 1, j - 1), j, 1, T)",
    "sum(sum(x[j].T*W*x[k]*x[i].T*W*x[i], k, j + 1, T), j, 1, i)",
    "sum(sum(sum(x[j].T*W*x[k]*x[l].T*W*x[T], l, j + 1, k - 1), k, j + 1, T), j, 1, T)",
)
MATRICES: dict[str, Any] = {"d": 2, "W": [["2", "1"], ["0", "-1"]], "Sigma": [["3", "1"], ["1", "2"]]}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("body", NESTED)
def test_sums_from_another_index_on(law: str, body: str) -> None:
    """sum over k > j, k < j and j < l < k, beside every token and at both ends, equals the sum written out."""
    derivation = Derivation(proposition(f"E[{body}] = 0", law=law))
    for T in range(1, 6):
        for i in range(1, T + 1) if "x[i]" in body else (0,):
            case = MATRICES | {"T": T} | ({"i": i} if i else {}) | ({"m": ["1", "2"]} if "m" in law else {})
            closed = derivation.at(derivation.prop.left, case)
            written_out = CaseMoments(derivation, case).expectation(derivation.prop.left.args[0])
            assert Fraction(int(closed.p), int(closed.q)) == written_out, (T, i)


#: Sums over independent tokens: with the same ends and with others, beside a token that they meet, times the index.
ALIKE = (
    "sum(x[k].T*W*x[k], k, 1, T)**2*x[i].T*x[i]",
    "sum(x[k].T*W*x[i], k, 1, T)**2",
    "sum(x[k].T*W*x[k], k, i, T)*sum(x[k].T*x[k], k, 1, T)",
    "sum(x[k].T*W*x[i]*sum(x[i].T*x[j], j, 1, T), k, 2, T)",
    "sum(k*x[k].T*W*x[i], k, 1, T)*sum(x[k].T*x[i], k, 1, T)",
)


@pytest.mark.parametrize("body", ALIKE)
def test_sums_over_tokens_that_are_alike(body: str) -> None:
    """Where an index stands does not matter, but for the tokens that it meets."""
    derivation = Derivation(proposition(f"E[{body}] = 0", "i <= T, T >= 2", law="iid"))
    for T in range(2, 5):
        for i in range(1, T + 1):
            case = MATRICES | {"T": T, "i": i}
            closed = derivation.at(derivation.prop.left, case)
            written_out = CaseMoments(derivation, case).expectation(derivation.prop.left.args[0])
            assert Fraction(int(closed.p), int(closed.q)) == written_out, (T, i)


@pytest.mark.parametrize("law", ["iid", "iid(sphere)", "frame(sphere)"])
def test_waves_of_tokens_that_are_alike_have_the_formula_of_a_sum_split_at_every_token(
    law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "E[(sum(exp(x[k].T*u), k, 1, T) - 1)**2*exp(x[i].T*u)] = 0"
    prop = proposition(text, "u in R^d, Sigma = I, T <= d, i <= T", law=law)
    shorter = [Derivation(prop).value(order, prop.left) for order in Derivation(prop).orders]
    monkeypatch.setattr(Moments, "_alike", lambda *_: None)
    assert shorter == [Derivation(prop).value(order, prop.left) for order in Derivation(prop).orders]


def test_a_sum_that_may_pass_another_token_is_not_closed() -> None:
    """From j + 2 on, the sum may begin beyond T: nothing is said of it."""
    derivation = Derivation(proposition("E[sum(sum(x[j].T*x[k], k, j + 2, T), j, 1, T)] = 0"))
    with pytest.raises(NotPolynomialError, match="two or more positions"):
        derivation.at(derivation.prop.left, {"T": 3, "d": 1, "Sigma": [["1"]]})


def test_a_sum_of_what_does_not_hold_its_index_counts() -> None:
    prop = proposition("sum(u, j, 1, n) = n*u", "u real, n integer, n >= 1")
    assert scalar(prop.left, Case({"u": Fraction(3, 2), "n": Fraction(4)})) == 6
