"""Statements are read as data: what is part of the language, and where an error stands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorems.statement import StatementError, proposition
from theorems.statement.expression import Expr
from theorems.statement.reading.coherent import check_used
from theorems.statement.reading.language import MAX_LENGTH, parsed

SIMPLE = "E[x[i].T*W*x[j]] = i*tr(W*Sigma)"


@pytest.mark.parametrize(
    "text",
    [
        "x[i].T*W*x[j]",
        "i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)",
        "a**(t - s)*tr(W*Sigma)",
        "-(i - 1)/(2*T + 7)",
        "7/12 - 2*theta*(1 - theta)",
        "sum(x[j].T*W*x[T], j, 1, T)/T**2",
        "norm(W, fro)**2 - norm(W, 2)",
        "Cov[x[i].T*x[i], x[j].T*x[j]]",
        "exp(-abs(t - s))*sqrt(d)",
        "2*-3*i",
    ],
)
def test_an_expression_written_down_reads_back_to_the_same_tree(text: str) -> None:
    tree = parsed(text)
    assert parsed(str(tree)) == tree


def test_a_long_sum_is_not_nested() -> None:
    assert parsed("+".join(["i"] * 1000)).op == "+" and len(parsed("+".join(["i"] * 1000)).args) == 1000
    assert parsed("-".join(["2*i"] * 300) + "*j") == parsed(str(parsed("-".join(["2*i"] * 300) + "*j")))
    with pytest.raises(StatementError, match="nested"):
        parsed("1/(1 + " * 70 + "i" + ")" * 70)


def test_a_caret_is_a_power() -> None:
    assert parsed("2*i^2 + j") == parsed("2*i**2 + j")
    assert parsed("-i^2") == parsed("-(i**2)")


@pytest.mark.parametrize(
    ("text", "hypotheses", "says", "at"),
    [
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma) +", "", "nothing follows +", 33),
        ("E[x[i].T*W*x[j]] + = i*tr(W*Sigma)", "", "nothing follows +", 17),
        ("E[x[i].T*W*x[j]] = * i", "", "nothing stands before *", 19),
        ("E[x[i].T*W*x[j]] = 2 i*tr(W*Sigma)", "", "write * for a product", 21),
        ("E[x[i].T*W*x[j] = i*tr(W*Sigma)", "", "[ of column 2 is not closed; write ] here", 15),
        ("P[x[i].T*W*x[j] > 0 = 1/2", "", "[ of column 2 is not closed; write ] here", 19),
        ("E[x[i].T*W*x[j]) = i", "", ") stands where [ of column 2 is open; write ]", 15),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma))", "", ") closes nothing", 32),
        ("MIN(1, lam) <= 1", "lam > 0", "did you mean min?", 0),
        ("E[x[i].T*W*x[j]] = i*tr(W*Sigma", "", "( of column 24 is not closed; write ) here", 31),
        ("E[x[i].T*W*x[j]] = lam", "", "lam is declared nowhere", 19),
        ("E[x[i].T*W*x[j]] == i", "", "write =", 17),
        ("E[x[i].T*W*x[j]]", "", "no relation", 16),
        ("E(x[i].T*x[j]) = i", "", "write E[...]", 0),
        ("Ex[x[i].T*x[j]] = i", "", "unknown", 0),
        ("E[x[i].T*W*x[j]] = trace(W)", "", "trace(...) is not read: write tr(...)", 19),
        ("x[i].T*x[j] = i", "", "is random", 0),
        ("E[x[i].T*W*x[j]] = __import__('os')", "", "is unknown", 19),
        ("E[x[i].T*W*x[j]] = (lambda: 1)()", "", "unknown", 19),
        ("E[x[i].T*W*x[j]] = 9**9999", "", "the exponent 9999 is over 64; write a smaller power", 22),
        ("E[x] = 0", "", "x without a position; write x[i]", 2),
        ("E[x[i].T*W*x[j]] = 1e999999", "", "'1e999999' has over 40 digits; write a large number as a power", 19),
        (SIMPLE, "W symmetric, d >= 100", "expected d <= 64, or every d", 13),
        (SIMPLE, "W symetric", "did you mean symmetric?", 0),
        (SIMPLE, "i <= j, j < i", "no positions satisfy", 0),
        (SIMPLE, "d = 1, d >= 2", "leaves", 7),
        (SIMPLE, "lam > 0", "which the statement does not have", 0),
        (SIMPLE, "B symmetric", "which the statement does not have", 0),
        ("E[norm(x[i])**2] -> 1", "", "what tends where", 17),
        ("E[norm(x[i])**2] = i + o(T)", "", "what tends where", 25),
        ("max(a, 0) <= norm(a)", "a in R^d", "max(max(a), 0), or the vector with the entries max(a[k], 0)", 0),
        ("1 <= min(a + b, u)", "a in R^d, b in R^d, u real", "min(min(a + b), u), or", 5),
        ("1 <= min(u, a + b)", "a in R^d, b in R^d, u real", "the entries min(u, (a + b)[k])", 5),
        ("max(s, t) <= 1", "s in R^n, t in R^n", "max(s, t) has two readings, as s is a vector", 0),
        ("E[max(x[1], 0)] = 1", "", "max(x[1], 0) has two readings", 2),
        ("max(W, 0) <= norm(W, 2)", "", "W is a matrix; expected numbers or a vector", 4),
        ("E[abs(x[1])] >= 0", "", "x[1] is a vector, not a number", 6),
        ("clip(a, 0, 1) <= 1", "a in R^d", "a is a vector, not a number", 5),
    ],
)
def test_an_error_says_what_is_wrong_and_where(text: str, hypotheses: str, says: str, at: int) -> None:
    with pytest.raises(
        StatementError,
        match="(?i)" + re.escape(says),
    ) as caught:
        proposition(text, hypotheses)
    assert caught.value.at == at
    assert "\n" not in str(caught.value)
    if caught.value.text:
        assert caught.value.caret.splitlines()[1].index("^") == 2 + at - max(0, at - 60)


def test_a_limit_needs_a_relation_that_states_one_and_a_law_its_parameters_range() -> None:
    with pytest.raises(StatementError, match="states no limit"):
        proposition("E[norm(x[T])**2] = T*tr(Sigma)", limit="T -> oo")
    with pytest.raises(StatementError, match="stationary"):
        proposition("E[x[s].T*x[t]] = a**(t - s)*tr(Sigma)", "s <= t, a > 0", law="ar1(a)")
    with pytest.raises(StatementError, match="expected a number from -1 to 1"):
        proposition("E[x[s].T*x[t]] = 0", law="ar1(2)")
    with pytest.raises(StatementError, match="symmetric in s and t"):
        proposition("E[x[i].T*x[j]] = 0", law="gaussian(s - t)")
    with pytest.raises(StatementError, match="did you mean walk"):
        proposition("E[x[i].T*x[j]] = 0", law="wlak")


def test_definitions_are_put_in_and_may_build_on_one_another() -> None:
    prop = proposition("Var[s[i]] = f", "W symmetric", "s[i] = x[i].T*W*x[T]/T; f = 2*T", limit="")
    assert prop.left == parsed("Var[x[i].T*W*x[T]/T]")
    assert prop.right == parsed("2*T")
    assert prop.positions == ("i", "T")


@pytest.mark.parametrize(
    ("text", "where", "unused", "at"),
    [
        ("E[norm(x[i])**2] = i*tr(Sigma)", "f = 1", "f", 0),
        ("E[norm(x[i])**2] = i*tr(Sigma)", "f = f + 1", "f", 0),
        ("f = 1", "f = 1, g = f", "g", 7),
        ("E[s[i]] = 0", "s[j] = x[j].T*u, t[i] = s[i]**2", "t", 17),
        ("E[s[i]] = 0", "u = 2; s[j] = u*x[j].T*v", "", 0),
        ("λ**2 >= 0", "lam = u - 1", "", 0),
    ],
)
def test_a_definition_that_is_not_used_is_refused(text: str, where: str, unused: str, at: int) -> None:
    if not unused:
        check_used(text, where)
        return
    with pytest.raises(StatementError, match=f"{unused} is defined, and the statement does not use it") as caught:
        check_used(text, where)
    assert (caught.value.text, caught.value.at) == (where, at)


def test_too_long_and_too_deep_texts_are_refused() -> None:
    with pytest.raises(StatementError, match=str(MAX_LENGTH)):
        parsed("i+" * MAX_LENGTH + "i")
    with pytest.raises(StatementError, match="nested"):
        parsed("(" * 300 + "i" + ")" * 300)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.text(alphabet="EVarx[]()ijTWSigma.*+-/=<>~^ ,0123sumd", max_size=60))
def test_no_text_does_anything_but_read_or_raise_a_statement_error(text: str) -> None:
    try:
        assert isinstance(proposition(text).left, Expr)
    except StatementError as error:
        assert str(error) and "\n" not in str(error)
