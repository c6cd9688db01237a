"""The trusted rules of matrices: true instances are licensed, near misses not; they hold at random matrices."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import theorems.rules.matrix  # noqa: F401  (registers its rules)
from tests.mutation.steps import holds
from theorems.algebra.contraction import evaluate
from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.bao2024.locater import LETTERS, PRODUCT, mean, scale


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


@pytest.mark.parametrize("rule", ["matrix-gradient", "matrix-differential"])
def test_gradients(rule: str) -> None:
    functions = [f.substitute(PRODUCT) for f in (scale(), mean(), scale() * mean())]
    for function in functions:
        for name in ("W_Q", "W_K"):
            value = function.gradient(name)
            assert holds(rule, function, name, value)
            for other in near(value):
                assert not holds(rule, function, name, other)
        assert not holds(rule, function, "W_Q", function.gradient("W_K"))
        assert not holds(rule, function, "W_QK", function.gradient("W_K"))
    assert not holds(rule, PRODUCT["W_QK"], "W_Q", functions[0].gradient("W_Q"))


def test_the_trace_of_a_matrix_of_small_rank() -> None:
    t, r = symbol("t"), symbol("r")
    assert holds("rank-trace", "r", t**2 / r)
    for wrong in (t**2, t**2 * r, 2 * t**2 / r, t / r):
        assert not holds("rank-trace", "r", wrong)
    random = Random(4)
    for rank, d in ((1, 1), (1, 3), (2, 3), (3, 3), (2, 5)):
        low, high = (np.array([[Fraction(random.randint(-5, 5)) for _ in range(d)] for _ in range(rank)]) for _ in "ab")
        W = low.T @ high
        assert W.trace() ** 2 <= rank * (W * W).sum()
        projector = np.diag([Fraction(int(k < rank)) for k in range(d)])
        assert projector.trace() ** 2 == rank * (projector * projector).sum()


def test_rules_refuse_what_is_not_of_their_shape() -> None:
    for name in ("matrix-substitution", "matrix-gradient", "matrix-differential", "matrix-part", "column-expansion"):
        assert not holds(name, 1, 2, 3)
        assert not holds(name)
    stray = Matrix.of(Letter("Z", "d", "d")).trace()
    assert not holds("matrix-gradient", stray, "W_Q", LETTERS["W_Q"])


def test_a_licensed_gradient_is_the_derivative_at_random_matrices() -> None:
    random = Random(7)
    function = (scale() + mean()).substitute(PRODUCT)
    value = function.gradient("W_Q")
    assert holds("matrix-gradient", function, "W_Q", value)
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
