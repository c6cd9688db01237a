"""The softmax at the origin: its value and its first-order Taylor coefficients (Section 2)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.observables import Vector
from theorems.gaussian.process import Position, Process, Step
from theorems.kernel.derivation import Fact, derivation, fact


def _slope(numerator: sp.Expr, denominator: sp.Expr, variable: str) -> Fact:
    """d/dw (numerator/denominator) at the origin, where u = exp(w_i), v = exp(w_j), hence d/dw acts as u d/du."""
    w = symbol("w")
    along = (numerator / denominator).subs(symbol(variable), sp.exp(w))
    value = sp.diff(along, w).subs({w: 0, symbol("u"): 1, symbol("v"): 1})
    words = "({0})/({1}) has the slope {3} in w at u = v = 1, where " + variable + " = exp(w)"
    steps = (
        _weight(numerator, denominator),
        Step("derivative", words, (numerator, denominator, variable, sp.simplify(value))),
    )
    return fact(value, steps, "differentiation")


def _weight(own: sp.Expr, whole: sp.Expr) -> Step:
    """The step that says which weight of the softmax over T scores a quotient of exponentials is."""
    counted = tuple((one, whole.coeff(one)) for one in (symbol("u"), symbol("v")) if whole.has(one))
    table = (*counted, (sp.Integer(1), sp.expand(whole - sp.Add(*(one * count for one, count in counted)))))
    return Step("softmax-weight", "S_i = {2}", (table, own, own / whole))


@cache
def taylor() -> dict[str, Fact]:
    """Value and slopes of S(omega)_i at 0, for every T.

    S_i = e^{w_i} / sum_k e^{w_k}. With the other scores at 0 the sum is e^{w_i} + (T - 1), and along one other score
    w_j it is e^{w_i} + e^{w_j} + (T - 2); the scores k != i are exchangeable, so one of them stands for all.
    """
    u, v, T = symbol("u"), symbol("v"), symbol("T")
    start = (u / (u + T - 1)).subs(u, 1)
    first = Step("at-origin", "S_i = ({0})/({1}) is {2} at u = v = 1", (u, u + T - 1, start))
    value = fact(start, [_weight(u, u + T - 1), first], "")
    return {
        "diagonal": _slope(u, u + T - 1, "u"),
        "off_diagonal": _slope(u, u + v + T - 2, "v"),
        "offset": value,
    }


def gamma(walk: Process, i: Position) -> Vector:
    """X gamma^i = sum_a gamma^i_a x_a, with gamma^i = grad S(0)_i as differentiated above."""
    slopes = taylor()
    every, own = slopes["off_diagonal"].ratio, slopes["diagonal"].ratio
    walk.steps.extend(step for slope in slopes.values() for step in slope.steps)
    return walk.token(i) * (own - every) + walk.tokens(upto="T") * every


@derivation("bao2024.sec2.softmax-taylor")
def softmax_taylor() -> dict[str, Fact]:
    """The gradient of the softmax at the origin and its value there."""
    return dict(taylor())
