"""What a statement's names stand for, and what a limit is over: indices, places, shares of T, sizes that may vanish."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.reading.language import parsed


def status(text: str, hypotheses: str = "", where: str = "", law: str = "walk", limit: str = "") -> str:
    prop = proposition(text, hypotheses, where, law, limit)
    return decide(prop, Derivation(prop)).status


def test_a_sum_may_end_before_it_begins_and_is_0_there() -> None:
    assert status("E[norm(sum(x[j] - x[j-1], j, i + 1, T))**2] = (T - i)*tr(Sigma)", "i <= T") == "proved"
    prop = proposition("E[sum(x[j].T*x[j], j, 1, i - 1)] = i*(i - 1)/2*tr(Sigma)")
    derivation = Derivation(prop)
    assert derivation.at(prop.left, {"i": 1, "d": 1, "Sigma": [["1"]]}) == 0


def test_a_decimal_is_read_to_its_last_digit_wherever_it_stands() -> None:
    for text in ("E[norm(x[1])**2] = 1.05*tr(Sigma)", "E[norm(x[1])^2] = 1.05*tr(Sigma)", "E[norm(x[1])^2]=x^0+1.05"):
        numbers = [node.args[0] for node in parsed(text.split("=")[1].replace("x", "y")).walk() if node.op == "number"]
        assert Fraction(21, 20) in numbers
    assert status("E[norm(x[1])**2] = 1.05*tr(Sigma)") == "open"
    assert status("E[norm(x[1])**2]*4 = 2.25*tr(Sigma) + 1.75*tr(Sigma)") == "proved"
    with pytest.raises(StatementError, match="over 40 digits"):
        proposition("E[norm(x[1])**2] = 1e400")


@pytest.mark.parametrize("text", ["E[lam] = lam", "P[exp(lam) > 1] <= exp(-lam)", "lam <= Var[lam*u.T*v]"])
def test_a_moment_of_what_is_not_random_is_refused(text: str) -> None:
    with pytest.raises(StatementError, match=r"nothing in this statement is random, so that \w+\[...\] says nothing"):
        proposition(text, hypotheses="lam > 0, u in R^d, v in R^d" if "u.T" in text else "lam > 0")
    assert proposition("E[lam*norm(x[1])**2] >= 0", hypotheses="lam > 0", law="iid")
