"""Near misses and further true steps of the rules of theorems/rules/matrix.py."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from theorems.algebra.alphabet import Alphabet
from theorems.algebra.expressions import parse, symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.bao2024.locater import minimiser
from theorems.gaussian.process import Step

A, B, E, X = (
    Matrix.of(Letter(name, "d", columns)) for name, columns in (("A", "d"), ("B", "d"), ("E", "d"), ("X", "T"))
)
ONE = Matrix.identity("d")
ALPHABET = Alphabet((Letter("X", "d", "T"), Letter("g", "T", "1")), entries={"X": "x", "g": "g"})
T, t, r = symbol("T"), symbol("t"), symbol("r")
ZERO = sp.Integer(0)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    for table in ({"A": A * B}, {"A": B, "B": B * B}, {"A": B, "B": ONE}):
        value = (A + B).substitute(table)
        yield "a matrix is defined through itself", Step("matrix-substitution", "", (A + B, table, value))
    yield "another value", Step("matrix-substitution", "", (A * B, {"A": E}, B * E))
    function = (A.T * A * B).trace()
    for name in ("matrix-gradient", "matrix-differential"):
        for value, why in (
            (A * B, "a half of it"),
            (A * B - A * B.T, "B transposed"),
            (2 * A * B, "B is not symmetric"),
        ):
            yield why, Step(name, "", (function, "A", value))
        yield "by B it is another", Step(name, "", (function, "B", A * B + A * B.T))
    whole = A * B + A * A + B
    for value, why in ((A * B + B, "B alone has no A"), (A * A, "A occurs twice"), (ONE * 0, "A B is lost")):
        yield why, Step("matrix-part", "", (whole, {"A": 1}, value))
    product = X * ALPHABET["g"]
    for value, why in (
        (ALPHABET.read("Sum(i, x[i])"), "the weights are lost"),
        (ALPHABET.read("Sum(i, j, g[i]*x[j])"), "two indices"),
        (ALPHABET.read("g[T]*x[T]"), "the last token alone"),
    ):
        yield why, Step("column-expansion", "", (product, ALPHABET, value))
    gradient = 2 * A - ONE
    yield "it is -I there", Step("stationary-scalar-matrix", "", (gradient, "A", ZERO, -sp.Integer(1)))
    yield "it is I there", Step("stationary-scalar-matrix", "", (gradient, "A", sp.Integer(1), ZERO))
    for quadratic, lead, centre, least, why in (
        ("t**3", t, ZERO, ZERO, "the lead moves"),
        ("t**2", sp.Integer(4), t / 2, ZERO, "the centre moves"),
        ("t**2 + t", sp.Integer(1), ZERO, t, "the least value moves"),
        ("-t**2", -sp.Integer(1), ZERO, ZERO, "it is largest there"),
        ("r*t**2 - t**2", r - 1, ZERO, ZERO, "r - 1 may be negative"),
        ("t**2 - 2*t", sp.Integer(1), sp.Integer(1), ZERO, "the least value is -1"),
    ):
        yield why, Step("completed-square", "", (parse(quadratic), "t", lead, centre, least))
    below = sp.cos(3)
    yield "cos(3) < 0", Step("completed-square", "", (below * t**2, "t", below, ZERO, ZERO))
    yield "i is no lead", Step("completed-square", "", (sp.I * t**2, "t", sp.I, ZERO, ZERO))
    yield "i is no place", Step("completed-square", "", ((t - sp.I) ** 2, "t", sp.Integer(1), sp.I, ZERO))
    yield "the trace is no rank", Step("rank-trace", "", ("t", t))
    yield "lam is no rank", Step("rank-trace", "", ("lam", t**2 / symbol("lam")))
    yield "tr(W)^2 <= r tr(W^T W)", Step("rank-trace", "", ("r", t**2 * r))
    yield from _offsets()


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from minimiser().steps
    yield Step("matrix-substitution", "", (A * B + A.T, {"A": E * E, "B": E.T}, E * E * E.T + E.T * E.T))
    function = (A.T * A * B).trace()
    for name in ("matrix-gradient", "matrix-differential"):
        yield Step(name, "", (function, "A", A * B + A * B.T))
        # the direction must be no letter of the function
        yield Step(name, "", ((E.T * A).trace(), "A", E))
    yield Step("matrix-part", "", (A * B + A * A + B, {"A": 1}, A * B))
    yield Step("column-expansion", "", (X * ALPHABET["g"], ALPHABET, ALPHABET.read("Sum(i, g[i]*x[i])")))
    yield Step("completed-square", "", (parse("r*t**2 - 2*r*t"), "t", r, sp.Integer(1), -r))
    yield Step("rank-trace", "", ("d", t**2 / symbol("d")))
    yield Step("locally-constant", "", ((T - 1) / T**2, -(T**-2), 1 / T))


def _offsets() -> Iterator[tuple[str, Step]]:
    own, others, offset = 1 / T - 1 / T**2, -1 / T**2, 1 / T
    a = symbol("a")
    for why, data in (
        ("a is no size", (own * a, others, offset)),
        ("a is no size", (own, others * a, offset)),
        ("a is no size", (own, others, offset + a * own)),
        ("twice the own slope", (2 * own, others, offset)),
        ("any slope that is 0 for T = 1", ((T - 1) * 5, T**-7, offset)),
        ("no slope", (own, ZERO, offset)),
        ("the slopes exchanged", (others, own, offset)),
        ("the other sign", (own, -others, offset)),
        ("another mean", (own, others, 1 / T**2)),
        ("no rational function", (own, sp.sqrt(T), offset)),
        ("the branches differ for T = 1", (1 / T, others, offset)),
        ("it is no mean for T = 1", (own, others, offset / 2)),
        ("the offset is 0 for T = 2", (own, others, ((T - 2) / T) ** 2)),
        ("the offset is 1 for T = 2", (own, others, 1 - (T - 1) * (T - 2) / T**2 / 2)),
        ("the offset is 2", (own, others, 2 - 1 / T)),
        ("the offset is negative", (own, others, 2 / T - 1)),
        ("the offset is negative for T = 3", (own, others, 1 - (T - 1) * (T - 2))),
        ("the offset is 1 everywhere", (own, others, sp.Integer(1))),
        ("the offset has a pole at T = 2", (own, others, -1 / (T - 2))),
    ):
        yield why, Step("locally-constant", "", data)
