"""Near misses and further true steps of the rules of theorems/rules/orders.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Letter, Matrix
from theorems.algebra.sizes import LARGEST
from theorems.gaussian.observables import Vector
from theorems.gaussian.process import Step, random_walk
from theorems.rules.orders import integral

theta, phi, a, b, c = (symbol(name) for name in ("theta", "phi", "a", "b", "c"))
ONE, HALF = sp.Integer(1), sp.Rational(1, 2)
WHOLE = (sp.Integer(0), ONE)
KERNELS = {frozenset("xy"): a, frozenset("xz"): b, frozenset("yz"): c, frozenset("x"): theta, frozenset("y"): phi}

#: X, Gamma, W_QK, W_V and x_T, and the v that the score makes of them.
X, GAMMA, WQK, WV, LAST = (
    Matrix.of(Letter(name, rows, columns, index))
    for name, rows, columns, index in (
        ("X", "d", "T", ("", "")),
        ("Gamma", "T", "T", ("", "")),
        ("W_QK", "d", "d", ("", "")),
        ("W_V", "d", "d", ("", "")),
        ("x", "d", "T", ("", "T")),
    )
)
SCORED = X * GAMMA.T * X.T * WQK * LAST * (1 / symbol("lam"))
#: A path to 1 and one back to 0.
AHEAD, BACK = theta, theta * (1 - theta)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    slope = (("i", "alpha"),)
    for why, data in (
        ("an index counts once", (("i", "i"), (), (), 0, 2)),
        ("half a token", (("i",), (), (), HALF, sp.Rational(5, 4))),
        ("fewer than no tokens", (("i",), (), (), -1, HALF)),
        ("one sum takes one slope away", (("i", "alpha"), (*slope, *slope), (), 0, -2)),
        ("a sum taken away twice", (("i", "j", "alpha"), (*slope, ("j", "alpha")), (), 0, 0)),
        ("a slope without a sum", (("i",), slope, (), 0, -1)),
        ("a slope without a token", (("alpha",), slope, (), 0, -1)),
        ("a slope takes its own token", (("i",), (("i", "i"),), (), 0, -1)),
        ("an offset without a sum", (("i",), (), ("beta",), 0, 1)),
        ("a token is taken away", (("i", "j", "alpha"), (("i", "j"), ("j", "alpha")), (), 0, -1)),
        ("a smaller exponent", (("i",), (), (), 2, 1)),
    ):
        yield why, Step("hoelder-growth", "", data)
    for scale, value, why in ((1, theta + 1, "it is theta"), (2, theta, "K/T^2 -> 0"), (0, theta, "it grows")):
        yield why, _kernel(scale, value)
    walk, regime = random_walk("i", "j", "T"), {"i": "theta*T", "j": "phi*T"}
    fixed = (walk, Vector(fixed="a"), walk.token(walk.positions[-1]), regime, 1, sp.Integer(0))
    yield "a fixed vector has no covariance", Step("limit-kernel", "", fixed)
    edge = sp.Rational(3, 4)
    for density, window, other, steep, why in (
        (ONE, (HALF, sp.Rational(3, 2)), WHOLE, 1, "the window leaves [0, 1]"),
        (ONE, (HALF, sp.Rational(7, 6)), WHOLE, sp.Rational(3, 2), "the window leaves [0, 1]"),
        (-ONE, (HALF, -HALF), WHOLE, -1, "the slope falls"),
        (ONE, (HALF, ONE), WHOLE, 4, "another window"),
        (ONE, (HALF, edge), (sp.Integer(0), HALF), 4, "phi runs over no such tokens"),
        (phi, (HALF, edge), WHOLE, 4, "there is no second token"),
        (1 / theta, (HALF, edge), WHOLE, 4, "no polynomial"),
        (theta - sp.Rational(5, 8), (HALF, edge), WHOLE, 4, "the limit is 0"),
        (-ONE / 100, (HALF, edge), WHOLE, 4, "the limit is negative"),
        (a, (HALF, edge), WHOLE, 4, "a is unknown"),
        (theta ** (LARGEST + 1), (HALF, edge), WHOLE, 4, "too large a power to be integrated"),
    ):
        yield why, _concentrated(density, window, other, sp.Rational(steep))
    yield "twice as much", Step("concentrated-limit", "", (ONE, (HALF, edge), WHOLE, sp.Integer(4), HALF))
    for product, density, why in (
        ((("x", "c"), ("y", "c")), 2 * a, "one pairing"),
        ((("x", "c"), ("x", "c"), ("y", "e"), ("y", "e")), theta * phi + 2 * a**2, "two pairings leave one sum"),
        ((("x", "b"), ("y", "c"), ("y", "c"), ("x", "b")), 2 * a**2, "x x leaves one sum more"),
    ):
        yield why, Step("wick-leading", "", (product, KERNELS, density))
    yield "1 - 2 is -1", Step("quotient-growth", "", (ONE, 2 * ONE, ONE))
    yield from _pairs()
    yield from _tubes()


def _pairs() -> Iterator[tuple[str, Step]]:
    v = WV * SCORED
    term = _squared(v)
    for whole, name, vector, why in (
        (term, "W_QK", SCORED, "W_V is lost"),
        (term, "W_QK", 2 * v, "it is a quarter of that"),
        (term, "W_QK", -1 * symbol("lam") * v, "lam is lost"),
        (term, "W_V", v, "W_QK does not meet x_T then"),
        (term, "E", v, "E occurs nowhere"),
        (term * 2, "W_QK", v, "it is twice that"),
        (term + WQK, "W_QK", v, "a term more"),
        (SCORED * SCORED.T * WQK, "W_QK", v, "a square of another vector"),
        (WQK.T * LAST * LAST.T, "W_QK", WQK * LAST, "x^T W W x is no square"),
        (WQK * LAST * LAST.T, "W_QK", WQK * X, "all tokens, not the last one"),
        (LAST * LAST.T * WQK, "W_QK", WQK * LAST, "it is |W^T x_T|^2"),
        (WQK * LAST * LAST.T, "W_QK", WQK * LAST - LAST, "a token less"),
        # tr((W V - W V^T)^T W) = 0
        (WQK * LAST * LAST.T + WQK * WV - WQK * WV.T, "W_QK", WQK * LAST, "it is not 0 where v is"),
    ):
        yield why, Step("paired-square", "", (whole, name, vector))


def _tubes() -> Iterator[tuple[str, Step]]:
    for vector, along, aside, value, why in (
        (SCORED, AHEAD, BACK, sp.Rational(7, 2), "it grows slower"),
        (SCORED, AHEAD, sp.Integer(0), 3, "a skew W_QK has no scores along a line"),
        (SCORED, AHEAD, theta, 3, "the walk ends at another place"),
        (SCORED, AHEAD, 1 - theta, 3, "the walk starts at another place"),
        (SCORED, 1 - theta, BACK, 3, "the walk starts at u and ends at 0"),
        (SCORED, (1 + theta) / 2, BACK, 3, "the walk starts at u/2"),
        (SCORED, theta / 2, BACK, 3, "the walk ends at u/2"),
        (SCORED, theta * (3 * theta - 2), BACK, 3, "the path runs backwards first"),
        (SCORED, theta * (2 * theta - 1) ** 2, BACK, 3, "a^T b may be negative where the path is at 0"),
        (SCORED, theta**2, theta * (1 - theta), 3, "a^T b may be negative near 0"),
        (SCORED, 2 * theta / (1 + theta), BACK, 3, "no polynomial"),
        (SCORED, AHEAD, a * BACK, 3, "a may be 0"),
        (SCORED, AHEAD + a * BACK, BACK, 3, "a is unknown"),
        (SCORED, AHEAD, theta * (1 - theta) ** (LARGEST + 1), 3, "too large a power"),
        (SCORED, (AHEAD + AHEAD ** (LARGEST + 1)) / 2, BACK, 3, "too large a power"),
        (SCORED * symbol("lam"), AHEAD, BACK, 3, "the slopes are not those of the scores"),
        (SCORED * 2, AHEAD, BACK, 3, "twice a score"),
        (X * GAMMA * X.T * WQK * LAST * (1 / symbol("lam")), AHEAD, BACK, 3, "the rows of Gamma"),
        (X * GAMMA.T * X.T * WQK.T * LAST * (1 / symbol("lam")), AHEAD, BACK, 3, "W_QK transposed"),
        (X * GAMMA.T * X.T * WV * LAST * (1 / symbol("lam")), AHEAD, BACK, 3, "scores are those of W_QK"),
        (GAMMA.T * X.T * WQK * LAST * (1 / symbol("lam")), AHEAD, BACK, 3, "no sum of tokens"),
        (X.T * SCORED, AHEAD, BACK, 3, "X^T is not fixed"),
        (SCORED + LAST, AHEAD, BACK, 3, "a token more"),
        ((LAST.T * LAST) * SCORED, AHEAD, BACK, 3, "a factor of tokens"),
        (WV.trace() * SCORED, AHEAD, BACK, 3, "the trace of W_V may be 0"),
        (_square("Gamma") * SCORED, AHEAD, BACK, 3, "Gamma depends on the tokens"),
        (WV * _square("X").T * SCORED, AHEAD, BACK, 3, "X depends on the tokens"),
        (_square("M") * SCORED, AHEAD, BACK, 3, "M is no parameter of the model"),
        (SCORED, AHEAD, BACK, -sp.oo, "T^-oo is no growth"),
        (SCORED, AHEAD, BACK, sp.Float(2.5), "a rounded exponent"),
    ):
        yield why, Step("tube-growth", "", (vector, along, aside, sp.sympify(value)))


def _square(name: str) -> Matrix:
    return Matrix.of(Letter(name, "d", "d"))


def _squared(vector: Matrix) -> Matrix:
    """G with tr(G^T W_QK) = |v|^2, for a v that ends with W_QK x_T: v^T v = v^T (...) W_QK x_T."""
    letters = Matrix.of(Letter("E", "d", "d"))
    moved = vector.substitute({"W_QK": letters})
    return (vector.T * moved).gradient("E")


def true() -> Iterator[Step]:
    """Steps that hold."""
    for data in (
        (("i",), (), (), 0, 1),
        (("i", "j"), (), ("j",), 1, sp.Rational(5, 2)),
        (("i", "alpha"), (("i", "alpha"),), (), 0, 0),
        (("i", "j", "alpha", "beta"), (("i", "alpha"), ("j", "beta")), (), 3, sp.Rational(3, 2)),
    ):
        yield Step("hoelder-growth", "", data)
    yield _kernel(1, theta)
    yield _kernel(2, sp.Integer(0))
    for steep in (sp.Rational(5, 2), sp.Integer(4)):
        edge = HALF + 1 / steep
        for density, other in ((theta, WHOLE), (theta * phi, (theta, edge)), (theta**2 + phi, (edge, ONE))):
            yield _concentrated(density, (HALF, edge), other, steep)
    yield Step("wick-leading", "", ((("x", "c"), ("x", "c"), ("y", "e"), ("y", "e")), KERNELS, theta * phi))
    yield Step("wick-leading", "", ((("x", "b"), ("y", "b")), KERNELS, a))
    yield Step("wick-leading", "", ((("x", "b"), ("y", "b"), ("y", "b"), ("x", "b")), KERNELS, theta * phi + 2 * a**2))
    yield Step("quotient-growth", "", (ONE, HALF, HALF))
    yield Step("paired-square", "", (WQK * LAST * LAST.T, "W_QK", WQK * LAST))
    yield Step("paired-square", "", (LAST * LAST.T * WQK, "W_QK", WQK.T * LAST))
    for vector in (SCORED, WV * SCORED, WV * WV.T * SCORED):
        yield Step("paired-square", "", (_squared(vector), "W_QK", vector))
    for vector in (SCORED, WV * WQK.T * WV.T * SCORED):
        for along, aside in ((AHEAD, BACK), (theta * (2 - theta), -3 * BACK), (AHEAD * (2 * theta + 1) / 3, BACK**2)):
            yield Step("tube-growth", "", (vector, along, aside, sp.Integer(3)))
    yield Step("tube-growth", "", (SCORED, AHEAD, BACK, sp.Rational(5, 2)))


def _kernel(scale: int, value: sp.Expr) -> Step:
    walk = random_walk("i", "j", "T")
    i, _, last = walk.positions
    return Step(
        "limit-kernel", "", (walk, walk.token(i), walk.token(last), {"i": "theta*T", "j": "phi*T"}, scale, value)
    )


def _concentrated(density: sp.Expr, window: Any, other: Any, slope: sp.Expr) -> Step:
    value = integral(density, window, other)
    return Step("concentrated-limit", "", (density, window, other, slope, value))
