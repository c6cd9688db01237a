"""Mean squared errors of random features' estimators, derived from what the claims of choromanski2021 say."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import sympy as sp

from proofs_check.inputs.lookup import by_id
from theorems.algebra.expressions import floats, symbol
from theorems.kernel.catalogued import said
from theorems.statement.deciding.decide import Derivation

PAPER = "choromanski2021."
#: The features whose errors are compared, by the claim that states the error.
CLAIMS = {"trigonometric": f"{PAPER}sec3.lemma2-trig", "positive": f"{PAPER}sec3.lemma2-positive"}
#: The claim about SMREG/SM, for every x and y.
REGULARISED = f"{PAPER}appF.eq30"
#: Digits of that quotient, which is near 1.
DIGITS = 25


@cache
def error(kind: str) -> Callable[[float, float, float, int], float]:
    """The error as a function of |x|^2, |y|^2, x.y and m >= 2, as it is derived."""
    prop = said(by_id(CLAIMS[kind]), "value")
    derivation = Derivation(prop)
    value = derivation.value(derivation.orders[-1], prop.left)

    def at(xx: float, yy: float, xy: float, m: int) -> float:
        return float(floats(value, {"u.T*u": xx, "v.T*v": yy, "u.T*v": xy, "T": m}))

    return at


def at_angle(kind: str, length: float, angle: float, m: int = 2) -> float:
    """The error for two vectors of one length with an angle (in radians) between them."""
    square = length**2
    return error(kind)(square, square, square * math.cos(angle), m)


def ratio(length: float, angle: float) -> float:
    """The trigonometric features' error over the positive ones'."""
    return at_angle("trigonometric", length, angle) / at_angle("positive", length, angle)


@cache
def _regularised() -> sp.Expr:
    """SMREG/SM as it is derived."""
    prop = said(by_id(REGULARISED), "value")
    derivation = Derivation(prop)
    return derivation.value(derivation.orders[-1], prop.left)


def regularised_error(length: float, d: int) -> float:
    """1 - SMREG/SM in R^d, d >= 2, where |x + y| is a length: how far the regularised kernel falls short."""
    table = {symbol(name): sp.Rational(length) ** 2 / 4 for name in ("u.T*u", "v.T*v", "u.T*v")}
    return float(1 - sp.N(_regularised().xreplace({**table, symbol("d"): sp.Integer(d)}), DIGITS))
