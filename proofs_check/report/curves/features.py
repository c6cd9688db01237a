"""Mean squared errors of random features' estimators, derived from what the claims of choromanski2021 say."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from proofs_check.inputs.lookup import by_id
from theorems.algebra.expressions import floats
from theorems.kernel.catalogued import said
from theorems.statement.decide import Derivation

PAPER = "choromanski2021."
#: The features whose errors are compared, by the claim that states the error.
CLAIMS = {"trigonometric": f"{PAPER}sec3.lemma2-trig", "positive": f"{PAPER}sec3.lemma2-positive"}


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
