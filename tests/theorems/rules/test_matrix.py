"""The trusted rules of matrices: true instances are licensed, near misses not; they hold at random matrices."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

import theorems.rules.matrix  # noqa: F401  (registers its rules)
from theorems.algebra.contraction import evaluate
from theorems.algebra.expressions import parse, symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.bao2024.gradient import ALPHABET, gradient, model, objective
from theorems.bao2024.locater import LETTERS, PRODUCT, mean, scale
from theorems.gaussian.process import Step
from theorems.rules import RULES, licensed


def check(rule: str, *data: Any) -> bool:
    assert rule in RULES
    return licensed(Step(rule, "", data))


ONE = Matrix.scalar(1)


def near(value: Matrix) -> list[Matrix]:
    """Wrong versions of a matrix: a factor, a term, a transposition, nothing."""
    (first, coefficient), *rest = value.terms.items()
    changed = [
        value * 2,
        -value,
        Matrix(value.rows, value.columns, {first: coefficient + 1, **dict(rest)}),
        Matrix(value.rows, value.columns, {first: coefficient * symbol("lam"), **dict(rest)}),
    ]
    if rest:
        changed.append(Matrix(value.rows, value.columns, dict(rest)))
    if value.rows == value.columns != "1":
        changed.append(value.T)
    return [other for other in changed if other != value]


def test_definitions_are_put_in() -> None:
    for function in (scale(), mean(), scale() * mean()):
        value = function.substitute(PRODUCT)
        assert check("matrix-substitution", function, PRODUCT, value)
        for other in near(value):
            assert not check("matrix-substitution", function, PRODUCT, other)
        assert not check("matrix-substitution", function, {"W_QK": PRODUCT["W_QK"].T}, value - ONE)
    W = LETTERS["W_QK"]
    # a matrix defined through itself is no definition
    assert not check("matrix-substitution", scale(), {"W_QK": W * W}, scale().substitute({"W_QK": W * W}))


@pytest.mark.parametrize("rule", ["matrix-gradient", "matrix-differential"])
def test_gradients(rule: str) -> None:
    functions = [f.substitute(PRODUCT) for f in (scale(), mean(), scale() * mean())]
    for function in functions:
        for name in ("W_Q", "W_K"):
            value = function.gradient(name)
            assert check(rule, function, name, value)
            for other in near(value):
                assert not check(rule, function, name, other)
        assert not check(rule, function, "W_Q", function.gradient("W_K"))
        assert not check(rule, function, "W_QK", function.gradient("W_K"))
    assert not check(rule, PRODUCT["W_QK"], "W_Q", functions[0].gradient("W_Q"))


def test_parts_and_sums_over_tokens() -> None:
    value, _ = gradient()
    for degrees in ({"Gamma": 2}, {"Gamma": 1, "gamma_0": 1}, {"Gamma": 1, "gamma_0": 0}):
        part = value.part(degrees)
        assert check("matrix-part", value, degrees, part)
        for other in (*near(part), value, value - part):
            assert not check("matrix-part", value, degrees, other)
        tokens = part.in_columns(ALPHABET.entries)
        assert check("column-expansion", part, ALPHABET, tokens)
        for other in (*near(tokens), part):
            assert not check("column-expansion", part, ALPHABET, other)


def test_what_the_model_puts_in() -> None:
    function = objective()
    for table in model():
        put = function.substitute(table)
        assert check("matrix-substitution", function, table, put)
        for other in near(put):
            assert not check("matrix-substitution", function, table, other)
        function = put


def test_stationary_multiples_of_the_identity() -> None:
    one, two, d, s = (symbol(name) for name in ("kappa_1", "kappa_2", "d", "s"))
    slope = (scale() * one + mean() * two).gradient("W_QK")
    at = two / (one + d * two)
    assert check("stationary-scalar-matrix", slope, "W_QK", at, sp.Integer(0))
    for wrong in (at * 2, two / (one + two), s, sp.Integer(0), -at):
        assert not check("stationary-scalar-matrix", slope, "W_QK", wrong, sp.Integer(0))
    rest = 2 * one * s + 2 * two * (d * s - 1)
    # the remainder is right, but not 0
    assert not check("stationary-scalar-matrix", slope, "W_QK", s, rest)


def test_completed_squares() -> None:
    one, two, r, t = (symbol(name) for name in ("kappa_1", "kappa_2", "r", "t"))
    form, lead = one * t**2 / r + two * (t - 1) ** 2, one / r + two
    centre, least = two * r / (one + two * r), one * two / (one + two * r)
    assert check("completed-square", form, "t", lead, centre, least)
    wrong = [
        (form + 1, lead, centre, least),
        (form, lead + 1, centre, least),
        (form, lead, centre * 2, least),
        (form, lead, centre, least - t),
        (form, lead, -centre, least),
        (-form, -lead, centre, -least),
        (form - 2 * two * (t - centre) ** 2, lead - 2 * two, centre, least),
        (form, lead, t, form),
    ]
    for quadratic, *rest in wrong:
        assert not check("completed-square", quadratic, "t", *rest)


def test_the_trace_of_a_matrix_of_small_rank() -> None:
    t, r = symbol("t"), symbol("r")
    assert check("rank-trace", "r", t**2 / r)
    for wrong in (t**2, t**2 * r, 2 * t**2 / r, t / r):
        assert not check("rank-trace", "r", wrong)
    random = Random(4)
    for rank, d in ((1, 1), (1, 3), (2, 3), (3, 3), (2, 5)):
        low, high = (np.array([[Fraction(random.randint(-5, 5)) for _ in range(d)] for _ in range(rank)]) for _ in "ab")
        W = low.T @ high
        assert W.trace() ** 2 <= rank * (W * W).sum()
        projector = np.diag([Fraction(int(k < rank)) for k in range(d)])
        assert projector.trace() ** 2 == rank * (projector * projector).sum()


def test_where_the_branches_may_change() -> None:
    """The softmax's own slopes and mean; once any slope that is 0 for one token was licensed."""
    own, others, offset = (parse(text) for text in ("1/T - 1/T**2", "-1/T**2", "1/T"))
    assert check("locally-constant", own, others, offset)
    wrong = [
        # a constant score on a boundary
        (own, others, sp.Integer(0)),
        (own, others, sp.Integer(1)),
        (own, others, parse("1/T**2 - 1/T")),
        (own, others, parse("2/T")),
        (own, others, parse("T")),
        # for one token a score of 1 whose slope is not 0
        (parse("1/T"), others, offset),
        (own, others, symbol("c")),
        (own, sp.exp(symbol("T")), offset),
        # slopes that are not the softmax's
        (parse("5*(T - 1)"), parse("1/T**7"), offset),
        (own, -others, offset),
        (2 * own, others, offset),
        (others, own, offset),
    ]
    for data in wrong:
        assert not check("locally-constant", *data)


def test_rules_refuse_what_is_not_of_their_shape() -> None:
    for name in ("matrix-substitution", "matrix-gradient", "matrix-differential", "matrix-part", "column-expansion"):
        assert not check(name, 1, 2, 3)
        assert not check(name)
    stray = Matrix.of(Letter("Z", "d", "d")).trace()
    assert not check("matrix-gradient", stray, "W_Q", LETTERS["W_Q"])


def test_a_licensed_gradient_is_the_derivative_at_random_matrices() -> None:
    random = Random(7)
    function = (scale() + mean()).substitute(PRODUCT)
    value = function.gradient("W_Q")
    assert check("matrix-gradient", function, "W_Q", value)
    for m, d in ((1, 1), (2, 3), (3, 2)):
        a, e = (
            {
                name: np.array([[Fraction(random.randint(-3, 3)) for _ in range(d)] for _ in range(m)])
                for name in ("W_Q", "W_K")
            }
            for _ in "ab"
        )

        def f(h: int, a: Any = a, e: Any = e) -> Fraction:
            moved = {"W_Q": a["W_Q"] + h * e["W_Q"], "W_K": a["W_K"]}
            found: Fraction = evaluate(function, moved, {})[0, 0]
            return found

        assert (f(1) - f(-1)) / 2 == (evaluate(value, a, {}) * e["W_Q"]).sum()
