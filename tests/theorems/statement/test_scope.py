"""What a statement's names stand for, and what a limit is over: indices, places, shares of T, sizes that may vanish."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.language import parsed


def status(text: str, hypotheses: str = "", where: str = "", law: str = "walk", limit: str = "") -> str:
    prop = proposition(text, hypotheses, where, law, limit)
    return decide(prop, Derivation(prop)).status


def test_the_index_of_a_sum_captures_no_name_that_is_put_into_a_definition() -> None:
    where = "s[i] = sum(x[i].T*W*x[j], j, 1, T)"
    assert status("E[s[j]] = T*(T + 1)/2*tr(W*Sigma)", "j <= T", where) != "proved"
    assert status("E[s[j]] = (T*j - j*(j - 1)/2)*tr(W*Sigma)", "j <= T", where) == "proved"


@pytest.mark.parametrize(
    ("text", "hypotheses", "limit"),
    [
        ("min(lam, 1)*E[norm(x[1])**2] = tr(Sigma)", "lam > 0", ""),
        ("g0*E[norm(x[1])**2] = sqrt(lam)*tr(Sigma)", "g0 > 0, lam > 0", ""),
        ("E[norm(x[T])**2]*growing/T**2 -> tr(Sigma)", "growing > 0", "T -> oo"),
        ("Var[norm(x[i], 2)**2] = 0", "", ""),
    ],
)
def test_a_parameter_is_no_place_and_a_name_is_its_own(text: str, hypotheses: str, limit: str) -> None:
    assert status(text, hypotheses, limit=limit) == "open"


@pytest.mark.parametrize("text", ["x[j] - x[j-1], j, 1, T", "x[j+1] - x[j], j, 1, T", "x[j+2], j, 2, T - 1"])
def test_a_sum_that_reaches_no_token_is_an_error(text: str) -> None:
    with pytest.raises(StatementError, match="reaches"):
        proposition(f"E[norm(sum({text}))**2] = T*tr(Sigma)")


def test_a_sum_may_end_before_it_begins_and_is_0_there() -> None:
    assert status("E[norm(sum(x[j] - x[j-1], j, i + 1, T))**2] = (T - i)*tr(Sigma)", "i <= T") == "proved"
    prop = proposition("E[sum(x[j].T*x[j], j, 1, i - 1)] = i*(i - 1)/2*tr(Sigma)")
    derivation = Derivation(prop)
    assert derivation.at(prop.left, {"i": 1, "d": 1, "Sigma": [["1"]]}) == 0


@pytest.mark.parametrize(
    ("text", "hypotheses", "limit"),
    [
        # i = theta T + o(T), and not theta T
        ("E[norm(x[i])**2] = theta*T*tr(Sigma) + O(1)", "", "T -> oo, i/T -> theta"),
        ("E[norm(x[j] - x[i])**2] -> 0", "i <= j", "T -> oo, i/T -> theta, j/T -> theta"),
        ("E[norm(x[i])**2] -> 0", "", "T -> oo, i/T -> 0"),
        # theta = 0 with i fixed
        ("E[norm(x[i])**2]/(E[norm(x[i])**2] + tr(Sigma)) -> 1", "", "T -> oo, i/T -> theta"),
        ("E[norm(x[i])**2] ~ theta*T*tr(Sigma)", "", "T -> oo, i/T -> theta"),
        # tr(W Sigma) = 0
        ("E[x[T].T*W*x[T]]/E[x[T].T*W*x[T] + x[1].T*B*x[1]] -> 1", "B any", "T -> oo"),
        # largest near i^2 = T, and not where i is fixed or a share of T; near i = T
        ("E[norm(x[i])**2]*T/(i**2 + T) = 0 + O(1)", "i <= T", "T -> oo"),
        ("E[norm(x[1])**2]/(T - i) -> 0", "i < T", "T -> oo"),
        # tr(Sigma) grows with d, j with i; lam = 0
        ("E[norm(x[T])**2]/d -> 0", "", "d -> oo"),
        ("E[norm(x[j])**2]/i -> 0", "i <= j", "i -> oo"),
        ("E[norm(x[T])**2] = 0 + O(lam*T)", "lam real", "T -> oo"),
        ("lam/(lam + mu)*E[norm(x[T])**2] -> 0", "lam > 0, mu real", "lam -> 0"),
    ],
)
def test_a_limit_that_fails_somewhere_is_not_proved(text: str, hypotheses: str, limit: str) -> None:
    assert status(text, hypotheses, limit=limit) in ("open", "undecided")


@pytest.mark.parametrize(
    ("text", "hypotheses", "limit"),
    [
        ("E[norm(x[i])**2] = theta*T*tr(Sigma) + o(T)", "", "T -> oo, i/T -> theta"),
        ("E[norm(x[j] - x[i])**2]/T -> 0", "i <= j", "T -> oo, i/T -> theta, j/T -> theta"),
        ("E[norm(x[i])**2]/T -> 0", "", "T -> oo, i/T -> 0"),
        ("E[norm(x[i])**2]/(E[norm(x[i])**2] + tr(Sigma)) -> 1", "theta > 0", "T -> oo, i/T -> theta"),
        ("E[norm(x[i])**2] ~ theta*T*tr(Sigma)", "theta > 0", "T -> oo, i/T -> theta"),
        ("E[norm(x[i])**2]*T/(i + T) = 0 + O(T)", "i <= T", "T -> oo"),
        ("E[norm(x[T])**2]/d -> T", "Sigma = I", "d -> oo"),
        ("E[norm(x[T])**2] = 0 + O(lam*T)", "lam > 0", "T -> oo"),
        ("Corr[norm(x[i])**2, norm(x[T])**2] -> theta", "theta > 0", "T -> oo, i/T -> theta"),
        ("Corr[norm(mean(x))**2, norm(x[T])**2] -> 3/4", "", "T -> oo"),
    ],
)
def test_a_limit_that_holds_everywhere_is_proved(text: str, hypotheses: str, limit: str) -> None:
    assert status(text, hypotheses, limit=limit) == "proved"


@pytest.mark.parametrize("share", ["2", "-1/2", "theta**2"])
def test_a_share_of_T_is_a_name_or_a_number_from_0_to_1(share: str) -> None:
    with pytest.raises(StatementError, match="from 0 to 1"):
        proposition("E[norm(x[i])**2]/T -> tr(Sigma)", "theta real", "", "walk", f"T -> oo, i/T -> {share}")


def test_what_hypotheses_say_of_positions_and_of_d_is_used() -> None:
    assert status("E[x[i].T*x[j]] = 0", "i != j", law="iid") == "proved"
    assert status("E[x[i].T*x[j]] = 0", "i <= j", law="iid") == "open"
    assert status("E[norm(x[1])**4] = (d + 2)*tr(Sigma)**2", "d = 1") == "proved"
    assert status("E[x[i].T*x[j]] = 0", "i < j", law="ar1(0)") == "proved"


@pytest.mark.parametrize("power", ["9**9**9**9", "tr(Sigma)**(10**10)", "tr(Sigma)**(60 + 60)", "((10**60)**60)**60"])
def test_a_tower_of_powers_is_refused_and_never_worked_out(power: str) -> None:
    with pytest.raises(StatementError, match="smaller power"):
        proposition(f"E[norm(x[i])**2] = {power}")


def test_a_power_of_numbers_is_read() -> None:
    assert status("E[norm(x[1])**2]*2**(1/2)*(1 + 1)**3 = 8*sqrt(2)*tr(Sigma)") == "proved"


def test_T_tends_to_infinity_alone() -> None:
    with pytest.raises(StatementError, match="T -> oo"):
        proposition("E[norm(x[T])**2] -> tr(Sigma)", "", "", "walk", "T -> 5")


def test_a_decimal_is_read_to_its_last_digit_wherever_it_stands() -> None:
    for text in ("E[norm(x[1])**2] = 1.05*tr(Sigma)", "E[norm(x[1])^2] = 1.05*tr(Sigma)", "E[norm(x[1])^2]=x^0+1.05"):
        numbers = [node.args[0] for node in parsed(text.split("=")[1].replace("x", "y")).walk() if node.op == "number"]
        assert Fraction(21, 20) in numbers
    assert status("E[norm(x[1])**2] = 1.05*tr(Sigma)") == "open"
    assert status("E[norm(x[1])**2]*4 = 2.25*tr(Sigma) + 1.75*tr(Sigma)") == "proved"
    with pytest.raises(StatementError, match="no number"):
        proposition("E[norm(x[1])**2] = 1e400")


def test_a_share_of_a_position_that_the_statement_has_not_is_an_error() -> None:
    with pytest.raises(StatementError, match="no position k"):
        proposition("E[norm(x[i])**2]/T -> theta*tr(Sigma)", "", "", "walk", "T -> oo, k/T -> theta")


@pytest.mark.parametrize("text", ["E[lam] = lam", "P[exp(lam) > 1] <= exp(-lam)", "lam <= Var[lam*u.T*v]"])
def test_a_moment_of_what_is_not_random_is_refused(text: str) -> None:
    with pytest.raises(StatementError, match=r"nothing in this statement is random, so that \w+\[...\] says nothing"):
        proposition(text, hypotheses="lam > 0, u in R^d, v in R^d" if "u.T" in text else "lam > 0")
    assert proposition("E[lam*norm(x[1])**2] >= 0", hypotheses="lam > 0", law="iid")
