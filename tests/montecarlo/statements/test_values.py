"""Each node against numpy written out, on a few walks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from montecarlo.statements import StatementSimulationError, sums
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import frozen, put, text
from montecarlo.statements.values import value
from tests.montecarlo.statements.plain import (
    CASE,
    Plain,
    form,
    mat,
    minus,
    name,
    num,
    observe,
    over,
    plus,
    power,
    relation,
    times,
    total,
    vec,
    x,
)

Array = NDArray[np.float64]
N, T, D = 7, 5, 2
X: Array = np.random.default_rng(1).normal(size=(N, T, D))


def array(key: str) -> Array:
    return np.array(np.vectorize(lambda entry: float(Fraction(entry)))(CASE[key]), dtype=np.float64)


W, B, SIGMA, M, VECTOR, S = (array(key) for key in ("W", "B", "Sigma", "m", "b", "s"))
A, LAM = -0.6, 1.75


def token(position: int) -> Array:
    return X[:, position - 1]


def forms(one: Array, matrix: Array, two: Array) -> Array:
    return np.array([u @ matrix @ v for u, v in zip(one, two, strict=True)])


def softmax(s: Array) -> Array:
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


P = softmax(S)
X2, X4, X5 = token(2), token(4), token(5)
F = forms(X2, W, X4)
SCORES = np.stack([forms(token(t), W, X5) / 5 for t in range(1, 6)], 1)
STACK: Plain = ["stack", over(form("t", "T"), name("T")), "t", num(1), name("T")]
SQUARES = (X2 * X2).sum(1)

RANDOM: dict[str, tuple[Plain, Any]] = {
    "form": (form("i", "j"), F),
    "transposed": (times(["T", x("i")], ["T", mat("W")], x("j")), forms(X2, W.T, X4)),
    "transpose of a product": (["T", form("i", "j")], F),
    "later position": (form(plus(name("i"), num(1)), minus(name("T"), num(1))), forms(token(3), W, X4)),
    "inner product": (times(["T", x("i")], x("j")), (X2 * X4).sum(1)),
    "fixed vector": (times(["T", vec("b")], x("i")), X2 @ VECTOR),
    "two matrices": (times(["T", x("i")], mat("W"), mat("B"), x("j")), forms(X2, W @ B, X4)),
    "identity": (times(["T", x("i")], mat("I"), x("j")), (X2 * X4).sum(1)),
    "sum of vectors": (times(["T", minus(x("j"), x("i"))], mat("W"), x("T")), forms(X4 - X2, W, X5)),
    "sum of matrices": (times(["T", x("i")], plus(mat("W"), mat("B")), x("j")), forms(X2, W + B, X4)),
    "difference, scaled": (minus(times(num("1/3"), form("i", "j")), name("lam")), F / 3 - LAM),
    "vector times a number": (times(["T", x("i")], times(x("j"), name("a"))), A * (X2 * X4).sum(1)),
    "vector times a random number": (times(["T", times(form("i", "j"), x("i"))], x("j")), F * (X2 * X4).sum(1)),
    "vector over a random number": (times(["T", over(x("i"), form("i", "j"))], x("j")), (X2 * X4).sum(1) / F),
    "square": (power(form("i", "j"), 2), F**2),
    "cube": (power(form("i", "j"), 3), F**3),
    "fourth power": (power(form("i", "j"), 4), F**4),
    "fifth power": (power(form("i", "j"), 5), F**5),
    "power of a parameter": (power(["norm", x("i"), ""], name("lam")), SQUARES ** (LAM / 2)),
    "quotient": (over(form("i", "j"), form("i", "i")), F / forms(X2, W, X2)),
    "outer product": (
        ["tr", times(x("i"), ["T", x("j")], mat("W"))],
        np.array([np.trace(np.outer(u, v) @ W) for u, v in zip(X2, X4, strict=True)]),
    ),
    "matrix times an outer product": (
        times(["T", x("T")], mat("W"), x("i"), ["T", x("j")], mat("B"), x("T")),
        forms(X5, W, X2) * forms(X4, B, X5),
    ),
    "outer product times a vector": (
        times(["T", x("T")], times(x("i"), ["T", x("j")]), x("T")),
        (X5 * X2).sum(1) * (X4 * X5).sum(1),
    ),
    "square of an outer product": (["tr", power(times(x("i"), ["T", x("i")]), 2)], SQUARES**2),
    "Frobenius norm of one": (["norm", times(x("i"), ["T", x("i")]), "fro"], SQUARES),
    "spectral norm of one": (["norm", times(x("i"), ["T", x("i")]), "2"], SQUARES),
    "nuclear norm of one": (["norm", times(x("i"), ["T", x("i")]), "nuclear"], SQUARES),
    "norm of a column": (["norm", minus(x("T"), x("i")), ""], np.linalg.norm(X5 - X2, axis=1)),
    "norm of a row": (["norm", times(["T", x("i")], mat("W")), ""], np.linalg.norm(X2 @ W, axis=1)),
    "norm of a number": (["norm", form("i", "j"), ""], np.abs(F)),
    "entry of a token": (["entry", x("i"), num(2)], X2[:, 1]),
    "mean of the tokens": (times(["T", ["mean"]], mat("W"), ["mean"]), forms(X.mean(1), W, X.mean(1))),
    "sum": (total(form("k", "T"), "k"), sum(forms(token(k), W, X5) for k in range(1, 6))),
    "sum with weights": (
        total(times(name("k"), form("k", plus(name("k"), num(1)))), "k", 1, minus(name("T"), num(1))),
        sum(k * forms(token(k), W, token(k + 1)) for k in range(1, 5)),
    ),
    "sum of vectors over tokens": (times(["T", total(x("k"), "k", 2, 4)], x("T")), (X[:, 1:4].sum(1) * X5).sum(1)),
    "sum of outer products": (
        ["tr", times(total(times(x("k"), ["T", x("k")]), "k"), mat("W"))],
        sum(forms(token(k), W.T, token(k)) for k in range(1, 6)),
    ),
    "sum without its index": (total(form("i", "j"), "k", 2, 4), 3 * F),
    "sum of one": (total(form("k", "j"), "k", 2, 2), F),
    "empty sum": (plus(form("i", "j"), total(form("k", "j"), "k", 3, 2)), F),
    "sum with factors on both sides": (
        total(times(["T", x("i")], mat("W"), x("k"), ["T", x("k")], mat("B"), x("j")), "k"),
        sum(forms(X2, W, token(k)) * forms(token(k), B, X4) for k in range(1, 6)),
    ),
    "square of a sum": (power(total(form("k", "T"), "k"), 2), sum(forms(token(k), W, X5) for k in range(1, 6)) ** 2),
    "double sum": (
        total(total(times(name("k"), form("k", "l")), "l"), "k"),
        sum(k * forms(token(k), W, token(m)) for k in range(1, 6) for m in range(1, 6)),
    ),
    "double sum, the inner one to the outer index": (
        total(total(form("k", "l"), "l", 1, "k"), "k"),
        sum(forms(token(k), W, token(m)) for k in range(1, 6) for m in range(1, k + 1)),
    ),
    "sum of squared sums": (
        total(power(total(form("k", "l"), "l", 2, "T"), 2), "k", 1, 3),
        sum(np.square(sum(forms(token(k), W, token(m)) for m in range(2, 6))) for k in range(1, 4)),
    ),
    "two sums of one index": (
        times(total(form("k", "k"), "k", 1, 2), total(form("k", "k"), "k", 3, 5)),
        sum(forms(token(k), W, token(k)) for k in (1, 2)) * sum(forms(token(k), W, token(k)) for k in (3, 4, 5)),
    ),
    "index of a sum inside another": (
        total(times(name("k"), total(form("k", "k"), "k", 1, 2)), "k", 3, 4),
        7 * sum(forms(token(k), W, token(k)) for k in (1, 2)),
    ),
    "softmax of scores": (["entry", ["softmax", STACK], name("i")], softmax(SCORES)[:, 1]),
    "softmax at every entry": (
        total(times(name("k"), ["entry", ["softmax", STACK], name("k")]), "k"),
        softmax(SCORES) @ np.arange(1.0, 6),
    ),
    "softmax of a token": (["entry", ["softmax", x("i")], num(1)], softmax(X2)[:, 0]),
    "entropy": (["entropy", ["softmax", STACK]], -(softmax(SCORES) * np.log(softmax(SCORES))).sum(1)),
    "largest score": (["max", STACK], SCORES.max(1)),
    "least score": (["min", STACK], SCORES.min(1)),
    "norm of the scores": (["norm", STACK, ""], np.linalg.norm(SCORES, axis=1)),
    "softmax inside a sum": (
        total(["entry", ["softmax", ["stack", form("k", "l"), "l", num(1), name("T")]], num(1)], "k"),
        sum(
            softmax(np.stack([forms(token(k), W, token(m)) for m in range(1, 6)], 1))[:, 0] for k in range(1, 6)
        ),
    ),
    "sqrt": (["sqrt", times(["T", x("i")], x("i"))], np.sqrt(SQUARES)),
    "exp": (["exp", over(form("i", "j"), num(10))], np.exp(F / 10)),
    "log": (["log", times(["T", x("i")], x("i"))], np.log(SQUARES)),
    "abs": (["abs", form("i", "j")], np.abs(F)),
    "min": (["min", form("i", "j"), num("1/2"), name("lam")], np.minimum(F, 0.5)),
    "max": (["max", form("i", "j"), num("1/2")], np.maximum(F, 0.5)),
    "clip": (["clip", form("i", "j"), num(-1), num("1/2")], np.clip(F, -1, 0.5)),
    "greater": (relation(">", form("i", "j"), num(0)), F > 0),
    "less": (relation("<", form("i", "j"), num(0)), F < 0),
    "at most": (relation("<=", form("i", "j"), form("i", "i")), forms(X2, W, X2) >= F),
    "at least": (relation(">=", form("i", "j"), form("i", "i")), forms(X2, W, X2) <= F),
    "equal": (relation("=", form("i", "j"), form("i", "j")), np.ones(N)),
}  # fmt: skip

FIXED: dict[str, tuple[Plain, float]] = {
    "number": (num("-7/12"), -7 / 12),
    "name": (name("lam"), LAM),
    "trace": (["tr", times(mat("W"), mat("Sigma"))], float(np.trace(W @ SIGMA))),
    "trace of a power": (
        ["tr", power(times(mat("W"), mat("Sigma")), 3)],
        float(np.trace(np.linalg.matrix_power(W @ SIGMA, 3))),
    ),
    "chain of fixed vectors": (times(["T", vec("b")], mat("W"), vec("m")), float(VECTOR @ W @ M)),
    "Frobenius": (["norm", mat("W"), ""], float(np.linalg.norm(W))),
    "spectral": (["norm", mat("W"), "2"], float(np.linalg.norm(W, 2))),
    "nuclear": (["norm", mat("W"), "nuclear"], float(np.linalg.norm(W, "nuc"))),
    "entry of a sequence": (["entry", "s", num(2)], -2.0),
    "largest of a sequence": (["max", ["family", "s"]], 1.0),
    "softmax of a sequence": (["max", ["softmax", ["family", "s"]]], float(P.max())),
    "entropy of a sequence": (["entropy", ["softmax", ["family", "s"]]], float(-(P * np.log(P)).sum())),
    "sum": (total(power(name("a"), name("k")), "k", 0, 9), sum(A**k for k in range(10))),
    "double sum": (
        total(total(times(name("k"), name("l")), "l", 1, "k"), "k"),
        sum(k * m for k in range(1, 6) for m in range(1, k + 1)),
    ),
    "minimum of positions": (["min", name("i"), name("j")], 2.0),
    "distance of positions": (["abs", minus(name("i"), name("j"))], 2.0),
}  # fmt: skip


def on_walks(node: Plain, case: dict[str, Any] = CASE) -> Array:
    """The numbers walk by walk, by numpy's arrays; those of torch's are the same."""
    found, other = np.asarray(observe(node, case, X)), observe(node, case, torch.from_numpy(X)).numpy()
    assert found.dtype == other.dtype
    np.testing.assert_allclose(found.astype(float), other.astype(float), rtol=1e-12, atol=1e-12)
    return found.astype(np.float64)


@pytest.mark.parametrize("which", RANDOM)
def test_a_random_expression_is_that_of_numpy(which: str) -> None:
    node, expected = RANDOM[which]
    found = on_walks(node)
    assert found.shape == (N,)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("which", RANDOM)
def test_sums_piece_by_piece_are_the_same(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    node, expected = RANDOM[which]
    monkeypatch.setattr(sums, "MOST_ENTRIES", 2 * N * D)
    np.testing.assert_allclose(on_walks(node), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("which", FIXED)
def test_a_fixed_expression_is_that_of_numpy(which: str) -> None:
    node, expected = FIXED[which]
    found = value(node, environment_of(CASE))
    assert isinstance(found, float | int)
    assert found == pytest.approx(expected, rel=1e-13)


def test_shapes_of_vectors_and_matrices() -> None:
    env = environment_of(CASE, None).with_tokens(X)
    shapes = {(N, D): x("i"), (N, D, D): times(x("i"), ["T", x("j")]), (D, D): mat("W"), (D,): vec("b"), (N, T): STACK}
    for shape, node in shapes.items():
        found = value(node, env)
        assert isinstance(found, np.ndarray)
        assert found.shape == shape


def test_rounding_decides_no_relation() -> None:
    """x^T (W - W^T) x is 0, and only rounding makes it anything else."""
    skew = minus(form("i", "i"), times(["T", x("i")], ["T", mat("W")], x("i")))
    case = {**CASE, "W": [["1/3", "-1/7"], ["1/11", "3/13"]]}
    plain = on_walks(skew, case)
    assert (plain != 0).any() and np.abs(plain).max() < 1e-14
    assert not on_walks(relation(">", skew, num(0)), case).any()
    assert on_walks(relation(">=", skew, num(0)), case).all()
    assert on_walks(relation("=", ["norm", x("i"), ""], ["sqrt", times(["T", x("i")], x("i"))])).all()


WRONG: dict[str, tuple[Plain, str]] = {
    "shapes added": (plus(x("i"), num(1)), "adds"),
    "column by column": (times(x("i"), x("j")), "multiplies"),
    "position past the end": (form("i", 6), r"x\[6\]"),
    "position 0": (form("i", minus(name("i"), name("i"))), r"x\[0\]"),
    "no integer": (form("i", num("1/2")), "no integer"),
    "no name": (times(name("mu"), form("i", "j")), "no mu"),
    "no matrix": (form("i", "j", "C"), "no matrix C"),
    "no vector": (times(["T", vec("c")], x("i")), "no vector c"),
    "wrong length": (times(["T", vec("s")], x("i")), "s has 3 entries"),
    "a moment": (minus(form("i", "j"), ["E", form("i", "j")]), "moment"),
    "an unknown operation": (["cosh", form("i", "j")], "no operation"),
    "trace of a number": (["tr", form("i", "j")], "tr takes a matrix"),
    "a vector for a number": (x("i"), "expected a number"),
    "division by 0": (over(form("i", "j"), minus(name("i"), num(2))), "divides by 0"),
    "root of a negative number": (times(["sqrt", name("a")], form("i", "j")), "no finite real"),
    "fraction power of one": (times(power(name("a"), "1/2"), form("i", "j")), "no finite real"),
    "entry past the end": (times(["entry", "s", num(4)], form("i", "j")), "from 1 to 3"),
    "a limit": (relation("->", form("i", "j"), num(0)), "no single walk"),
}  # fmt: skip


@pytest.mark.parametrize("which", WRONG)
def test_what_has_no_value_is_named(which: str) -> None:
    node, message = WRONG[which]
    with pytest.raises(StatementSimulationError, match=message):
        on_walks(node)


def test_equal_expressions_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from montecarlo.statements import evaluation

    seen: list[str] = []
    monkeypatch.setitem(
        evaluation.READERS,
        "token",
        lambda node, env: seen.append(text(node)) or _token(node, env),  # type: ignore[func-returns-value]
    )
    observe(times(form("i", "j"), form("i", "j"), total(form("i", "k"), "k")), CASE, torch.from_numpy(X))
    assert sorted(seen) == ["x[i]", "x[j]", "x[k]"]


def _token(node: Any, env: Any) -> Any:
    from montecarlo.statements.arithmetic import _token as reader

    return reader(node, env)


def test_a_defined_family_has_the_entries_of_its_body() -> None:
    definitions = {"f": ["t", over(form("t", "T"), name("T"))]}
    found = observe(["max", ["family", "f"]], CASE, torch.from_numpy(X), definitions)
    np.testing.assert_allclose(found.numpy(), SCORES.max(1), rtol=1e-12)


def test_replacing_a_name_leaves_the_index_of_a_sum() -> None:
    node = frozen(total(times(name("k"), name("i")), "k", 1, "k"))
    assert put(node, "k", ("number", "3")) == frozen(total(times(name("k"), name("i")), "k", 1, 3))
    assert put(node, "i", ("number", "3")) == frozen(total(times(name("k"), num(3)), "k", 1, "k"))
