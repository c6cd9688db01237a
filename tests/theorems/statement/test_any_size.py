"""Matrices of any size in statements: how they are read, their exact values and gradients, and identities by proof."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from theorems.statement import StatementError, proposition
from theorems.statement.latex import statement_latex
from theorems.statement.proofs import proved
from theorems.statement.prose import in_words
from theorems.statement.values.arithmetic import UndefinedError, entries_of
from theorems.statement.values.cases import Case, admissible, only_set
from theorems.statement.values.factoring import factored
from theorems.statement.values.values import compared, value

BOTH = "W_Q in R^(m x d), W_K in R^(m x d)"


def rows(*lines: tuple[int, ...]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, line)) for line in lines)


RECTANGLES = Case(
    {"m": Fraction(2), "d": Fraction(3)},
    {"W_Q": rows((1, 2, 3), (0, 1, -1)), "W_K": rows((1, 2, 1), (3, 1, -1))},
)
VECTOR = Case({"n": Fraction(3), "i": Fraction(2)}, {}, {}, {"s": (Fraction(1), Fraction(-2), Fraction(3))})


@pytest.mark.parametrize(
    ("text", "hypotheses", "place", "told"),
    [
        ("tr(W_Q*W_K) = 1", BOTH, 7, "W_Q is m x d and W_K is m x d; expected as many columns"),
        ("tr(W_Q) = 1", BOTH, 0, "W_Q is m x d; expected a square matrix"),
        ("W_Q**2 = W_K", BOTH, 0, "expected a square matrix"),
        ("W_Q + W_K.T = 0", BOTH, 6, "expected equal sizes"),
        ("W_Q = W_K.T", BOTH, 6, "W_Q is m x d and W_K.T is d x m; expected equal sizes"),
        ("W_Q <= W_K", BOTH, 0, "and <= is about numbers"),
        ("grad(W_Q, W_Q) = 0", BOTH, 5, "is a matrix, not a number"),
        ("grad(tr(W_Q.T*W_K), f) = W_K", BOTH, 20, "f is no matrix and no vector that may vary"),
        ("grad(tr(W), I) = I", "", 12, "no matrix and no vector that may vary"),
        ("grad(tr(W)) = I", "", 0, "expected grad(f, W)"),
        ("at(softmax(s)[i], s) = 1", "s in R^n", 0, "expected at(f, s, 0)"),
        ("indicator(s[1]) = 1", "s in R^n", 0, "indicator(...) is of a comparison"),
        ("columns(s[i], i, 1, n) = 0", "s in R^n", 8, "expected vectors in columns(...)"),
        ("stack(W*a, i, 1, 3) = 0", "a in R^d", 6, "expected numbers in stack(...)"),
        ("W_Q[1, 2, 3] = 0", BOTH, 0, "the row and the column of a matrix"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(text: str, hypotheses: str, place: int, told: str) -> None:
    with pytest.raises(StatementError) as caught:
        proposition(text, hypotheses)
    assert told in str(caught.value)
    assert caught.value.at == place
    assert caught.value.caret.endswith("^")


@pytest.mark.parametrize(
    ("text", "told", "place"),
    [
        ("E[x[i].T*A*x[i]] = 0", "x[i].T is a row of length d and A is m x d", 9),
        ("E[norm(A.T*x[i])**2] = 0", "A.T is d x m and x[i] is a vector of length d", 11),
        ("E[norm(A*x[i] + x[i])**2] = 0", "A*x[i] is a vector of length m and x[i] is a vector of length d", 16),
        ("E[tr(A)] = 0", "A is m x d; expected a square matrix", 2),
    ],
)
def test_sizes_that_do_not_fit_are_told_with_both(text: str, told: str, place: int) -> None:
    with pytest.raises(StatementError, match=re.escape(told)) as refused:
        proposition(text, "A in R^(m x d)")
    assert refused.value.at == place
    # tokens that are columns of a matrix are no random ones
    assert not proposition("x[1].T*x[1] >= 0", "X in R^(d x T)", "x[i] = column(X, i)").random


def test_the_words_name_the_sizes() -> None:
    prop = proposition("grad(tr(W_Q.T*W_K), W_Q) = W_K", BOTH)
    assert "real m x d matrix W_Q" in in_words(prop)
    assert statement_latex(prop).startswith(r"\nabla_{W_{Q}} \operatorname{tr}")


def test_a_case_has_the_sizes_that_are_said() -> None:
    prop = proposition("W_Q = W_K", BOTH)
    assert not admissible(prop, RECTANGLES)
    turned = Case(RECTANGLES.numbers, {"W_Q": rows((1, 0), (2, 1), (3, -1)), "W_K": RECTANGLES.matrices["W_K"]})
    assert admissible(prop, turned) == "W_Q is not 2 x 3"


def sign(text: str, hypotheses: str, case: Case, where: str = "") -> int | None:
    named = ", ".join(part for part in hypotheses.split(", ") if part.split()[0] in text)
    prop = proposition(text, named, where)
    return compared(prop.left, prop.right, case)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grad(tr(W_Q.T*W_K), W_Q) = W_K", 0),
        ("grad(tr(W_Q.T*W_K), W_K) = W_K", 1),
        ("grad(norm(W_Q, fro)**2, W_Q) = 2*W_Q", 0),
        ("grad(norm(W_Q, fro), W_Q) = W_Q/norm(W_Q, fro)", 0),
        ("grad(tr(W_Q.T*W_K)/tr(W_Q.T*W_Q), W_Q) = W_K/16 - tr(W_Q.T*W_K)/128*W_Q", 0),
        ("grad(tr((W_Q.T*W_K)**2), W_Q) = 2*W_K*W_Q.T*W_K", 0),
        ("grad(W_Q[1, 2]**3, W_Q)[1, 2] = 12", 0),
        ("grad(column(W_Q, 3).T*column(W_K, 3), W_Q) = columns(indicator(k == 3)*column(W_K, 3), k, 1, d)", 0),
        ("grad(sum(W_Q[1, k]**2, k, 1, d), W_Q)[1, 3] = 6", 0),
        ("grad(clip(W_Q[1, 1], 0, 5), W_Q)[1, 1] = 1", 0),
        ("grad(clip(W_Q[1, 3], 0, 2), W_Q) = 0", 0),
        ("grad(indicator(W_Q[1, 1] > 0)*W_Q[1, 2], W_Q)[1, 2] = 1", 0),
        ("at(grad(tr(W_Q.T*W_Q), W_Q), W_Q, W_K) = 2*W_K", 0),
        ("at(grad(tr(W_Q.T*W_Q), W_Q), W_Q, 0) = 0", 0),
        ("grad(at(tr(W_Q.T*W_Q), W_Q, W_K), W_Q) = 0", 0),
    ],
)
def test_exact_values(text: str, expected: int) -> None:
    assert sign(text, BOTH, RECTANGLES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at(grad(softmax(s)[i], s), s, 0)[i] = 1/n - 1/n**2", 0),
        ("at(grad(softmax(s)[i], s), s, 0)[1] = -1/n**2", 0),
        ("at(softmax(s)[i], s, 0) = 1/n", 0),
        ("at(grad(softmax(s)[i], s), s, 0)[i] = 1/n", -1),
        ("grad(exp(s.T*s - 14), s) = 2*s", 0),
        ("grad(log(s.T*s), s) = s/7", 0),
        ("grad(sqrt(s.T*s + 2), s) = s/4", 0),
        ("grad(abs(s[2]), s)[2] = -1", 0),
        ("stack(s[k]**2, k, 1, n)[2] = 4", 0),
    ],
)
def test_exact_values_of_vectors(text: str, expected: int) -> None:
    assert sign(text, "s in R^n", VECTOR) == expected


def test_the_gradient_of_a_softmax_is_the_known_one_in_balls() -> None:
    prop = proposition("grad(softmax(s)[2], s)[1] = -softmax(s)[1]*softmax(s)[2]", "s in R^n")
    (one,), (two,) = (entries_of(value(node, VECTOR)) for node in (prop.left, prop.right))
    assert not isinstance(one, Fraction)
    assert not isinstance(two, Fraction)
    assert one.overlaps(two)
    assert abs(float(one)) > 1e-4


@pytest.mark.parametrize(
    "text",
    ["grad(clip(s[1], 1, 2), s) = 0", "grad(abs(s[1] - 1), s) = 0", "grad(indicator(s[1] >= 1)*s[2], s) = 0"],
)
def test_where_there_is_no_gradient(text: str) -> None:
    prop = proposition(text, "s in R^n")
    with pytest.raises(UndefinedError, match="no gradient"):
        value(prop.left, VECTOR)


def test_a_clip_that_does_not_move_has_a_gradient_at_its_end() -> None:
    assert sign("grad(clip(1 + 0*s[1], 0, 1) + s[2], s)[2] = 1", "s in R^n", VECTOR) == 0


@pytest.mark.parametrize("text", ["grad(max(s), s) = 0", "grad(grad(s.T*s, s)[1], s) = 0", "grad(2**s[1], s) = 0"])
def test_what_has_no_rule_is_told(text: str) -> None:
    with pytest.raises(StatementError, match="no gradient here"):
        value(proposition(text, "s in R^n").left, VECTOR)


def test_what_at_sets_everywhere_needs_no_value() -> None:
    assert only_set(proposition("at(softmax(s)[1], s, 0) = 1/n", "s in R^n"), "s")
    assert not only_set(proposition("at(softmax(s)[1], s, 0) = s[1]", "s in R^n"), "s")


def test_sums_are_factored_without_change() -> None:
    where = "x[i] = column(W_Q, i)"
    text = "sum(sum(W_K[1, j]*(x[i].T*x[j])*x[i]*x[1].T*W_K[2, i], j, 1, d), i, 1, d) = 0"
    prop = proposition(text, BOTH, where)
    apart = factored(prop.left)
    assert apart.op == "*"
    assert apart.args[-1].op == "T"
    term = [
        proposition(f"W_K[1, {j}]*(x[{i}].T*x[{j}])*x[{i}]*x[1].T*W_K[2, {i}] = 0", BOTH, where).left
        for i in (1, 2, 3)
        for j in (1, 2, 3)
    ]
    parts = [entries_of(value(one, RECTANGLES)) for one in term]
    assert entries_of(value(prop.left, RECTANGLES)) == tuple(map(sum, zip(*parts, strict=True)))


@pytest.mark.parametrize(
    ("text", "hypotheses", "true"),
    [
        ("grad(tr(W_Q.T*W_K*W_K.T*W_Q), W_Q) = 2*W_K*W_K.T*W_Q", BOTH, True),
        ("grad((tr(W_Q.T*W_K) - 1)**2, W_K) = 2*(tr(W_Q.T*W_K) - 1)*W_Q", BOTH, True),
        ("grad(norm(W*a - b)**2, W) = 2*(W*a - b)*a.T", "a in R^d, b in R^d", True),
        ("tr(A*B) = tr(B*A)", "A in R^(m x d), B in R^(d x m)", True),
        ("grad(u**2*tr(W)/lam, W) = u**2/lam*I", "u real, lam > 0", True),
        ("u/u*W = W", "u real", False),
        ("grad(tr(W*W), W) = 2*W", "", False),
        ("grad(tr(W_Q.T*W_K), W_Q) = W_Q", BOTH, False),
        ("grad(tr(A.T*A), A) = A", "A in R^(m x d), d = 1", False),
        # facts about d x d matrices say nothing of others
        ("tr(A.T*A)**2 <= d*tr(A.T*A*A.T*A)", "A in R^(m x k)", False),
        ("at(grad(softmax(s)[i], s), s, 0)[i] = 1/n - 1/n**2", "s in R^n", False),
    ],
)
def test_proofs_by_normal_form(text: str, hypotheses: str, true: bool) -> None:
    found = proved(proposition(text, hypotheses))
    assert (found is not None) == true
    if found is not None:
        assert [step.rule for step in found.steps] == ["matrix identity by normal form"]


@pytest.mark.parametrize("rows", [[[3, 0, 4]], [[3], [0], [4]], [[0, 0, 0], [3, 0, 4]]])
@pytest.mark.parametrize("kind", ["2", "nuclear", "fro"])
def test_a_matrix_of_rank_1_that_is_not_square_has_one_norm(rows: list[list[int]], kind: str) -> None:
    numbers = {"m": Fraction(len(rows)), "n": Fraction(len(rows[0]))}
    case = Case(numbers, {"B": tuple(tuple(Fraction(entry) for entry in row) for row in rows)})
    for bound, sign in (("5", 0), ("51/10", -1), ("49/10", 1)):
        prop = proposition(f"norm(B, {kind}) <= {bound}", "B in R^(m x n)")
        assert compared(prop.left, prop.right, case) == sign


PRODUCT, PAIR = "A in R^(m x k), B in R^(k x n)", "A in R^(m x k), B in R^(m x k)"
