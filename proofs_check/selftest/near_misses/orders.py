"""Near misses and further true steps of the rules of theorems/orders.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.expressions import symbol
from theorems.observables import Vector
from theorems.orders import integral
from theorems.process import Step, random_walk
from theorems.rules import LARGEST

theta, phi, a, b, c = (symbol(name) for name in ("theta", "phi", "a", "b", "c"))
ONE, HALF = sp.Integer(1), sp.Rational(1, 2)
WHOLE = (sp.Integer(0), ONE)
KERNELS = {frozenset("xy"): a, frozenset("xz"): b, frozenset("yz"): c, frozenset("x"): theta, frozenset("y"): phi}


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
    yield "1 - 2 is -1", Step("quotient-order", "", (ONE, 2 * ONE, ONE))


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
    yield Step("quotient-order", "", (ONE, HALF, HALF))


def _kernel(scale: int, value: sp.Expr) -> Step:
    walk = random_walk("i", "j", "T")
    i, _, last = walk.positions
    return Step(
        "limit-kernel", "", (walk, walk.token(i), walk.token(last), {"i": "theta*T", "j": "phi*T"}, scale, value)
    )


def _concentrated(density: sp.Expr, window: Any, other: Any, slope: sp.Expr) -> Step:
    value = integral(density, window, other)
    return Step("concentrated-limit", "", (density, window, other, slope, value))
