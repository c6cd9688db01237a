"""The QK-gradient (3) of the one-layer model with the clipped softmax, and its terms (19) to (21) token by token."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import sympy as sp

from theorems.algebra.alphabet import Alphabet, differential
from theorems.algebra.expressions import symbol, value_at
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.bao2024.locater import count, drawn
from theorems.bao2024.softmax import taylor
from theorems.gaussian.process import Step
from theorems.kernel.derivation import derivation
from theorems.kernel.matrix_facts import Instance, MatrixFact, matrix_fact

#: Where a false print is looked at exactly.
POINTS = tuple(
    {"dim": str(d), "tokens": str(T), "lam": lam, "seed": str(seed)}
    for d, T, lam, seed in ((1, 2, "2", 1), (2, 3, "2", 2), (2, 5, "1/2", 3), (3, 6, "3", 4), (2, 8, "2", 5))
)
#: How far from a boundary of the branches every score of a case is kept.
MARGIN = Fraction(1, 2**20)
DRAWS = 1000

_d, _T = "d", "T"
ALPHABET = Alphabet(
    (
        Letter("X", _d, _T),
        Letter("Gamma", _T, _T),
        Letter("gamma_0", _T, "1"),
        *(Letter(name, _d, _d) for name in ("W_QK", "W_V", "W_F")),
        *(Letter(name, _d, "1") for name in ("y", "F")),
        *(Letter(name, _T, "1") for name in ("S", "omega")),
    ),
    entries={"X": "x", "Gamma": "gamma", "gamma_0": "gamma_0"},
    scalars=("lam",),
)
GIVEN = ("X", "W_QK", "W_V", "W_F", "y")
BRANCHES = ("score below 0", "score in [0, 1]", "score above 1")


def objective() -> Matrix:
    """(1/2) |y - F|^2, for one sequence."""
    off = ALPHABET["y"] - ALPHABET["F"]
    half: Matrix = (off.T * off) * sp.Rational(1, 2)
    return half


def model() -> tuple[dict[str, Matrix], ...]:
    """The definitions of the model, one after the other: F by S, S by omega, omega by W_QK.

    F = W_F (W_V X S + x_T), S = Gamma^T omega + gamma_0, omega = X^T W_QK x_T / lambda.
    """
    A, last = ALPHABET, ALPHABET.entry("x", "T")
    return (
        {"F": A["W_F"] * (A["W_V"] * A["X"] * A["S"] + last)},
        {"S": A["Gamma"].T * A["omega"] + A["gamma_0"]},
        {"omega": A["X"].T * A["W_QK"] * last * (1 / symbol("lam"))},
    )


def instance(case: Mapping[str, Any]) -> Instance:
    """The matrices that a case (``dim``, ``tokens``, ``lam``, ``seed``) stands for, Gamma and gamma_0 by definition.

    Scores of all three branches occur; a draw with a score nearer than 2^-20 to a boundary is not taken, but for one
    token, whose score is always 1. Raises ValueError for a temperature that is not positive.
    """
    d, T, lam = count(case, "dim"), count(case, "tokens"), Fraction(case["lam"])
    if lam <= 0:
        raise ValueError(f"lam = {lam}; expected a positive number")
    random = Random(f"bao2024.sec3.eq3 {d} {T} {count(case, 'seed')}")
    for _ in range(DRAWS):
        arrays = {name: drawn(random, d, d) for name in ("W_V", "W_F")}
        arrays |= {"X": drawn(random, d, T), "y": drawn(random, d, 1)}
        arrays["W_QK"] = drawn(random, d, d, Fraction(random.choice((1, 4, 16)), 4))
        scores, slopes, offset = _scores(arrays, lam, T)
        if T == 1 or all(min(abs(score), abs(score - 1)) > MARGIN for score in scores):
            break
    else:
        raise ValueError(f"no draw of {dict(case)} keeps its scores from the boundaries; take another seed")
    branch = [int(score >= 0) + int(score > 1) for score in scores]
    arrays["Gamma"] = np.array(
        [[row[i] if branch[i] == 1 else Fraction(0) for i in range(T)] for row in slopes], dtype=object
    )
    arrays["gamma_0"] = np.array([[(Fraction(0), offset, Fraction(1))[at]] for at in branch], dtype=object)
    arrays |= {entry: arrays[whole] for whole, entry in ALPHABET.entries.items()}
    numbers = {"lam": lam, "d": Fraction(d), "T": Fraction(T)}
    notes = {name: branch.count(at) for at, name in enumerate(BRANCHES)}
    return Instance(arrays, numbers, {"T": T - 1}, notes)


def _scores(arrays: Mapping[str, Any], lam: Fraction, T: int) -> tuple[list[Fraction], list[list[Fraction]], Fraction]:
    """<gamma^i, omega> + gamma_0^i of every token, the matrix with the columns gamma^i, and gamma_0^i, exactly."""
    at = {name: _number(fact.ratio.expr, T) for name, fact in taylor().items()}
    slopes = [[at["diagonal" if i == alpha else "off_diagonal"] for i in range(T)] for alpha in range(T)]
    X = arrays["X"]
    omega = (X.T @ arrays["W_QK"] @ X[:, -1:])[:, 0] / lam
    scores = [sum((slopes[a][i] * omega[a] for a in range(T)), at["offset"]) for i in range(T)]
    return scores, slopes, at["offset"]


def _number(expression: sp.Expr, T: int) -> Fraction:
    value = value_at(expression, {"T": T})
    return Fraction(int(value.p), int(value.q))


@cache
def gradient(second_route: bool = False) -> tuple[Matrix, tuple[Step, ...]]:
    """The gradient of (1/2) |y - F|^2 by W_QK, in X, Gamma, gamma_0 and the parameters, and the steps to it."""
    slopes = [taylor()[name].ratio.expr for name in ("diagonal", "off_diagonal", "offset")]
    words = "Gamma and gamma_0 are locally constant for almost every W_QK: own slope {0}, the others {1}, offset {2}"
    steps = [step for fact in taylor().values() for step in fact.steps]
    steps.append(Step("locally-constant", words, tuple(slopes)))
    function = objective()
    for table in model():
        put = function.substitute(table)
        told = ", ".join(f"{name} = {value}" for name, value in table.items())
        steps.append(Step("matrix-substitution", f"with {told}: {{2}}", (function, table, put)))
        function = put
    if second_route:
        value = differential(function, "W_QK", "E").gradient("E")
        steps.append(Step("matrix-differential", "gradient by {1}, from f(W_QK + E): {2}", (function, "W_QK", value)))
    else:
        value = function.gradient("W_QK")
        steps.append(Step("matrix-gradient", "gradient by {1}: {2}", (function, "W_QK", value)))
    return value, tuple(steps)


def _fact(value: Matrix, steps: tuple[Step, ...], second_route: bool) -> MatrixFact:
    return matrix_fact(
        value,
        steps,
        "the part linear in a perturbation" if second_route else "cyclic derivative of traces of words",
        alphabet=ALPHABET,
        instance=instance,
        given=GIVEN,
        points=POINTS,
        frozen=("Gamma", "gamma_0", "gamma"),
    )


def _term(degrees: Mapping[str, int], second_route: bool) -> MatrixFact:
    """The terms of the gradient with these letters so often, token by token."""
    value, steps = gradient(second_route)
    part = value.part(degrees)
    tokens = part.in_columns(ALPHABET.entries)
    told = ", ".join(f"{name} {times} times" for name, times in degrees.items())
    picked = Step("matrix-part", f"the terms with {told}: {{2}}", (value, degrees, part))
    expanded = Step("column-expansion", "X Gamma = sum over tokens of columns: {2}", (part, ALPHABET, tokens))
    return _fact(tokens, (*steps, picked, expanded), second_route)


@derivation("bao2024.sec3.eq3")
def eq3(second_route: bool) -> MatrixFact:
    """The gradient of (1/2) |y - F|^2 by an unconstrained W_QK, for one sequence."""
    return _fact(*gradient(second_route), second_route)


@derivation("bao2024.appB.eq19")
def eq19(second_route: bool) -> MatrixFact:
    """The part that is quadratic in Gamma: it comes from W_F W_V X Gamma^T omega against itself."""
    return _term({"Gamma": 2}, second_route)


@derivation("bao2024.appB.eq20")
def eq20(second_route: bool) -> MatrixFact:
    """The part with gamma_0."""
    return _term({"Gamma": 1, "gamma_0": 1}, second_route)


@derivation("bao2024.appB.eq21")
def eq21(second_route: bool) -> MatrixFact:
    """The part with Gamma once and without gamma_0: it comes from W_F x_T - y."""
    return _term({"Gamma": 1, "gamma_0": 0}, second_route)
