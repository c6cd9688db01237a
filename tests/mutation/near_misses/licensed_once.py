"""False steps that a rule once licensed, by another way to the same hole than its other near misses take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from tests.mutation.near_misses.analysis import FORM
from tests.mutation.near_misses.entropy import taylor
from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.rules.cosine import PARTS, slacks
from theorems.rules.softmax import APART, beside, j, kappa, norm, rho, share, v
from theorems.rules.softmax_sums import m, n

ZERO, ONE = sp.Integer(0), sp.Integer(1)
x, T, d, r, eta = (symbol(name) for name in ("x", "T", "d", "r", "eta"))
#: -1 below 1 and 1 above it, written with a root.
JUMP = sp.sqrt((x - 1) ** 2) / (x - 1)

#: 2 pi i below 1 and 0 above it.
WINDING = sp.log(1 / (x - 1)) + sp.log(x - 1)


def near() -> Iterator[tuple[str, Step]]:
    """Why it is false, and the step."""
    nothing = (kappa + 1) ** 2 - kappa**2 - 2 * kappa - 1
    middle = nothing / sp.sqrt(n * nothing)
    halves = (Step("sum-identity", "", (ONE, middle, ())), Step("sum-identity", "", (middle, ZERO, ())))
    yield from (("0 below the line under a root", step) for step in halves)
    yield "1 <= 0 by way of 0/0", Step("in-turn", "", (ONE, ZERO, (), halves))
    outside = (symbol("outside") * rho, norm(beside(middle * v[j], m)), (), middle)
    yield "a weight that is 0/0", Step("hull-distance", "", outside)
    yield "a factor to a power that makes it anything", Step("cosine-pointwise", "", (ZERO, ZERO, _powers()))
    yield "a maximum of what falls", _crossing(-(x + 1) * sp.exp(-x) - 3 * x**2 / 2, "x", 3 * x)
    jumps = -T * sp.exp(-x) - x**2 / 2 + 10 * x + 10 * sp.sqrt((x - 1) ** 2)
    yield "two maxima beside a jump", _crossing(jumps, "T", x - 10 * (1 + JUMP))
    edge = (1 / eta, "xi", 1 / r), (ZERO, "1/eta", ZERO)
    limit = (*edge, ONE, ((r, (1,)),), (r,), None, sp.Rational(1, 2), FORM)
    yield "a mean at the edge of the interval", Step("chebyshev-limit", "", limit)
    normal = sp.erf(x / sp.sqrt(2)) / 2
    ends = (sp.I, 1 + sp.I)
    between = normal.xreplace({x: ends[1]}) - normal.xreplace({x: ends[0]})
    yield "complex ends", Step("normal-interval", "", (ZERO, ONE, *ends, normal, between))
    yield "a jump written with a root", taylor(1 + x - 5 * (1 + JUMP))
    yield "a jump written with logarithms", taylor(sp.cos(WINDING) - 2 + x / 1000)
    yield "a complex exponential", taylor(sp.exp(sp.I * sp.pi * x))
    hull = (APART, (sp.I * sp.pi, sp.log(share[j]) + sp.log(3)), sp.Rational(3, 2))
    yield "a weight above 1", Step("hull-needed", "", hull)
    yield "0 to a power that vanishes", Step("decay", "", (sp.Pow(0, sp.exp(-x)), "x", -ONE, ONE))
    below = symbol("below")
    yield "the name of what is below 1", Step("non-negative-sum", "", (below * x, ((below, x),), "x", "s"))
    positive = sp.Symbol("x", positive=True)
    yield "a name that is positive by assumption", Step("slope", "", (positive**2, "x", ZERO))


def true() -> Iterator[Step]:
    """Nothing: the other modules have true steps of every rule."""
    return iter(())


def _powers() -> tuple[Any, ...]:
    """Certificates of |1 - a b| <= 0: each slack as the first factor to the power log(slack)/log(factor)."""
    found = []
    for part, _, slack in slacks(ZERO, ZERO):
        first, *others = PARTS[part][2]
        found.append(((ONE, (sp.log(slack) / sp.log(first), *(0 for _ in others))),))
    return tuple(found)


def _crossing(function: sp.Expr, parameter: str, above: sp.Expr) -> Step:
    pieces = (ONE, 1, ONE, above)
    return Step(
        "crossing", "", (function, "x", -ONE, "e", parameter, pieces, (4 * x, sp.Rational(1, 2)), "maxima", ONE)
    )
