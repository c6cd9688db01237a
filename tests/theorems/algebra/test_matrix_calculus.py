"""Matrix words: every operation against exact arithmetic at random matrices of several sizes, and the reader."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.alphabet import Alphabet, differential
from theorems.algebra.contraction import evaluate
from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Letter, Matrix, MatrixError, word_text

ALPHABET = Alphabet(
    (
        Letter("A", "d", "d"),
        Letter("B", "d", "d"),
        Letter("C", "m", "d"),
        Letter("X", "d", "T"),
        Letter("G", "T", "T"),
        Letter("g", "T", "1"),
        Letter("u", "d", "1"),
        Letter("v", "d", "1"),
    ),
    entries={"X": "x", "G": "G", "g": "g"},
    scalars=("lam", "k"),
)
SIZES = ((1, 1, 1), (1, 2, 3), (2, 1, 2), (3, 2, 4))
A, B, C, X, G, g, u, v = (ALPHABET[letter.name] for letter in ALPHABET.letters)


def arrays(d: int, m: int, T: int, seed: int = 0) -> tuple[dict[str, Any], dict[str, Fraction], dict[str, int]]:
    """Random exact matrices for every letter."""
    random, sizes = Random(f"{d} {m} {T} {seed}"), {"d": d, "m": m, "T": T, "1": 1}
    found = {
        letter.name: np.array(
            [
                [Fraction(random.randint(-6, 6), random.randint(1, 3)) for _ in range(sizes[letter.columns])]
                for _ in range(sizes[letter.rows])
            ],
            dtype=object,
        )
        for letter in ALPHABET.letters
    }
    found |= {entry: found[whole] for whole, entry in ALPHABET.entries.items()}
    numbers = {"lam": Fraction(3, 2), "k": Fraction(-2, 5), "d": Fraction(d), "m": Fraction(m), "T": Fraction(T)}
    return found, numbers, {"T": T - 1}


def at(expression: Matrix, sizes: tuple[int, int, int], seed: int = 0) -> Any:
    return evaluate(expression, *arrays(*sizes, seed))


def the_same(expression: Matrix, formula: Any, sizes: tuple[int, int, int]) -> bool:
    """Whether an expression has the value that numpy gives to a formula of the arrays."""
    found, numbers, _ = arrays(*sizes)
    return bool((at(expression, sizes) == formula(found, numbers)).all())


@pytest.mark.parametrize("sizes", SIZES)
def test_every_operation_is_numpys(sizes: tuple[int, int, int]) -> None:
    cases: list[tuple[Matrix, Any]] = [
        (A * B, lambda a, n: a["A"] @ a["B"]),
        ((A * B).T, lambda a, n: a["B"].T @ a["A"].T),
        (A + B * 2 - A * B, lambda a, n: a["A"] + 2 * a["B"] - a["A"] @ a["B"]),
        (A * (1 / symbol("lam")), lambda a, n: a["A"] / n["lam"]),
        ((A * B).trace(), lambda a, n: np.full((1, 1), (a["A"] @ a["B"]).trace())),
        ((C.T * C).trace() * A, lambda a, n: (a["C"].T @ a["C"]).trace() * a["A"]),
        (u * (v.T * A * u) * v.T, lambda a, n: a["u"] @ (a["v"].T @ a["A"] @ a["u"]) @ a["v"].T),
        ((u * v.T).trace(), lambda a, n: a["v"].T @ a["u"]),
        ((u * v.T * A * v * u.T).trace(), lambda a, n: (a["u"].T @ a["u"]) * (a["v"].T @ a["A"] @ a["v"])),
        (Matrix.identity("d") * A, lambda a, n: a["A"]),
        (Matrix.identity("d").trace() * A, lambda a, n: n["d"] * a["A"]),
        ((A.trace() - Matrix.scalar(1)) ** 2, lambda a, n: np.full((1, 1), (a["A"].trace() - 1) ** 2)),
        (Matrix.identity("d") * (u.T * u), lambda a, n: (a["u"].T @ a["u"])[0, 0] * np.eye(len(a["A"]), dtype=int)),
        ((A * B).substitute({"A": u * v.T, "B": A.T + A}), lambda a, n: a["u"] @ a["v"].T @ (a["A"].T + a["A"])),
        ((A.T * A).trace().substitute({"A": C.T * C * B}), lambda a, n: _square(a["C"].T @ a["C"] @ a["B"])),
        (A.trace().substitute({"A": Matrix.identity("d") * 3}), lambda a, n: np.full((1, 1), 3 * n["d"])),
        (X * G * g, lambda a, n: a["X"] @ a["G"] @ a["g"]),
        ((X * G.T * X.T).in_columns(ALPHABET.entries), lambda a, n: a["X"] @ a["G"].T @ a["X"].T),
        (
            (X * G * g * g.T * X.T).in_columns(ALPHABET.entries),
            lambda a, n: _outer(a["X"] @ a["G"] @ a["g"], a["X"] @ a["g"]),
        ),
        (
            (G * X.T * A * X).trace().in_columns(ALPHABET.entries),
            lambda a, n: _trace(a["G"] @ a["X"].T @ a["A"] @ a["X"]),
        ),
        ((g.T * G * g).in_columns(ALPHABET.entries), lambda a, n: a["g"].T @ a["G"] @ a["g"]),
        (ALPHABET.read("x[T]*x[T].T"), lambda a, n: a["X"][:, -1:] @ a["X"][:, -1:].T),
        (ALPHABET.read("Sum(i, j, x[i]*x[i].T)"), lambda a, n: n["T"] * a["X"] @ a["X"].T),
    ]
    for expression, formula in cases:
        assert the_same(expression, formula, sizes), expression
    # the check can fail
    assert not the_same(A * B + A, lambda a, n: a["A"] @ a["B"], (2, 1, 2))


def _square(a: Any) -> Any:
    return np.full((1, 1), (a.T @ a).trace())


def _outer(a: Any, b: Any) -> Any:
    return a @ b.T


def _trace(a: Any) -> Any:
    return np.full((1, 1), a.trace())


def test_sums_over_tokens_are_loops() -> None:
    text = "Sum(i, j, alpha, G[alpha, i]*g[j]*(x[i].T*A*x[j])*x[alpha]*x[T].T)"
    for sizes in SIZES:
        a, _, _ = arrays(*sizes)
        x, T = a["X"], sizes[2]
        total: Any = 0
        for i, j, alpha in product(range(T), repeat=3):
            inner = (x[:, [i]].T @ a["A"] @ x[:, [j]])[0, 0]
            total = total + a["G"][alpha, i] * a["g"][j, 0] * inner * (x[:, [alpha]] @ x[:, [T - 1]].T)
        assert (at(ALPHABET.read(text), sizes) == total).all()
    assert ALPHABET.read(text) == (X * G * X.T * A * X * g * ALPHABET.entry("x", "T").T).in_columns(ALPHABET.entries)


def derivative(function: Matrix, name: str, direction: Any, sizes: tuple[int, int, int]) -> Fraction:
    """d/dh f(W + h E) at 0, exact for polynomials up to degree 4."""
    found, numbers, places = arrays(*sizes)

    def f(h: int) -> Fraction:
        moved = dict(found)
        moved[name] = found[name] + h * direction
        value: Fraction = evaluate(function, moved, numbers, places)[0, 0]
        return value

    return (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / 12


FUNCTIONS = {
    "A": [
        (A.T * A).trace(),
        (A * A * B).trace(),
        (A * B * A.T * B.T).trace() + A.trace() * (A * B).trace(),
        (u.T * A * v) ** 2,
        (A.trace() - Matrix.scalar(1)) ** 2 * (1 / symbol("lam")),
        u.T * A.T * C.T * C * A * v,
        (X * G * X.T * A * u).T * X * g,
        ((A.T * X * G * X.T * A).trace()).in_columns(ALPHABET.entries),
    ],
    "C": [(C.T * C).trace(), ((C.T * C).trace() - Matrix.scalar(1)) ** 2, (C.T * C * A * C.T * C).trace()],
    "u": [u.T * A * u, (u.T * v) ** 2 * symbol("k"), (u * u.T * A).trace()],
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("sizes", SIZES)
def test_gradients_are_derivatives_in_every_direction(name: str, sizes: tuple[int, int, int]) -> None:
    found, _, _ = arrays(*sizes)
    directions, _, _ = arrays(*sizes, seed=1)
    for function in FUNCTIONS[name]:
        gradient = at(function.gradient(name), sizes)
        assert gradient.shape == found[name].shape
        slope = derivative(function, name, directions[name], sizes)
        assert slope == (gradient * directions[name]).sum(), function
        # both routes give one normal form
        assert differential(function, name, "E").gradient("E") == function.gradient(name)
    twice = at((A.T * A).trace().gradient("A") + A, (2, 1, 2))
    assert (
        derivative((A.T * A).trace(), "A", arrays(2, 1, 2, 1)[0]["A"], (2, 1, 2))
        != (twice * arrays(2, 1, 2, 1)[0]["A"]).sum()
    )


def test_what_is_equal_has_one_form_and_what_is_not_has_two() -> None:
    equal = [
        ("tr(A*B)", "tr(B.T*A.T)"),
        ("u.T*A*v", "v.T*A.T*u"),
        ("(u.T*v)*A", "A*(v.T*u)"),
        ("u*(v.T*u)*v.T", "(u.T*v)*u*v.T"),
        ("Sum(i, j, G[i, j]*(x[i].T*x[j])*A)", "Sum(beta, alpha, G[alpha, beta]*(x[beta].T*x[alpha])*A)"),
        ("tr(A*B*C.T*C)", "tr(C.T*C*A*B)"),
        ("x[T].T*u", "u.T*x[T]"),
        ("A*P, P = B*Q, Q = B.T", "A*B*B.T"),
    ]
    for left, right in equal:
        assert ALPHABET.read(left) == ALPHABET.read(right)
    different = [
        ("tr(A*B)", "tr(A*B.T)"),
        ("A*B", "B*A"),
        ("u.T*A*v", "u.T*A.T*v"),
        ("u*v.T", "v*u.T"),
        ("Sum(i, j, G[i, j]*x[i]*x[j].T)", "Sum(i, j, G[j, i]*x[i]*x[j].T)"),
        ("Sum(i, G[i, i]*x[i]*x[T].T)", "Sum(i, j, G[i, j]*x[i]*x[T].T)"),
        ("tr(A)*tr(A)", "tr(A*A)"),
        ("lam*A", "k*A"),
    ]
    for left, right in different:
        one, two = ALPHABET.read(left), ALPHABET.read(right)
        assert one != two
        assert (at(one, (3, 2, 4)) != at(two, (3, 2, 4))).any()


def test_a_product_keeps_the_sums_of_its_factors_apart() -> None:
    one = ALPHABET.read("Sum(i, g[i]*x[i])")
    assert (at(one * one.T, (2, 1, 3)) == at(one, (2, 1, 3)) @ at(one, (2, 1, 3)).T).all()
    # one sum for both would be another matrix
    assert one * one.T != ALPHABET.read("Sum(i, g[i]*g[i]*x[i]*x[i].T)")


def test_texts_read_back() -> None:
    for text in ("tr(A*B)*A", "Sum(i, j, k, G[i, j]*g[k]*(x[i].T*A*x[k])*x[j]*x[T].T)", "A*B.T", "(u.T*A*v)*u*v.T"):
        matrix = ALPHABET.read(text)
        (key,) = matrix.terms
        assert ALPHABET.read(word_text(key)) == matrix
    assert str(A * 2 - B) == "2*A - B"
    assert str(A.trace() - Matrix.scalar(1)) == "-1 + tr(A)"
    assert str(A - A) == "0"


def test_factors_of_words_are_polynomials_in_named_traces() -> None:
    t = A.trace()
    gradient = ((t - Matrix.scalar(1)) ** 2 * t).gradient("A")
    ((key, factor),) = gradient.by_word({"t": t}).items()
    assert key == ((), ())
    assert sp.expand(factor - sp.sympify("(t - 1)**2 + 2*t*(t - 1)")) == 0
    tied = ALPHABET.read("Sum(i, g[i]*x[i])*tr(B)").by_word()
    assert [str(factor) for factor in tied.values()] == ["tr(B)"]
    assert (B - B).by_word() == {}


@pytest.mark.parametrize(
    "text",
    [
        "A*u.T",
        "A + u",
        "tr(C)",
        "G[i]",
        "x[i]*x[i].T",
        "Sum(i, x[j])",
        "A[i, j]",
        "y",
        "A, B",
        "A/2",
        "A**2",
        "__import__('os').system('true')",
        "A.B",
        "Sum(A)",
        "1.5*A",
        "A*(",
        "",
        "lambda: A",
    ],
)
def test_what_is_no_matrix_formula_is_refused(text: str) -> None:
    with pytest.raises(MatrixError):
        ALPHABET.read(text)


def test_what_has_no_gradient_is_refused() -> None:
    refused: tuple[Callable[[], Any], ...] = (
        lambda: A.gradient("A"),
        lambda: (A.T * A).trace().gradient("B"),
        lambda: X.in_columns(ALPHABET.entries),
        lambda: (X * G * X.T).in_columns({"X": "x"}),
        lambda: A.substitute({"A": u}),
        lambda: differential((A.T * A).trace(), "A", "A"),
        lambda: C.trace(),
        lambda: A**2,
        lambda: A + u,
    )
    for call in refused:
        with pytest.raises(MatrixError):
            call()
