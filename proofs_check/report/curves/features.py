"""Mean squared errors of random features' estimators, derived from what the claims of choromanski2021 say."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import sympy as sp

from proofs_check.inputs.lookup import by_id
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
    table = {free.name: free for free in value.free_symbols}
    names = [sp.Dummy() for _ in range(4)]
    given = zip(("u.T*u", "v.T*v", "u.T*v", "T"), names, strict=True)
    plain = value.xreplace({table[word]: dummy for word, dummy in given})
    found: Callable[[float, float, float, int], float] = sp.lambdify(names, plain, "math")
    return found


def at_angle(kind: str, length: float, angle: float, m: int = 2) -> float:
    """The error for two vectors of one length with an angle (in radians) between them."""
    square = length**2
    return error(kind)(square, square, square * math.cos(angle), m)


def ratio(length: float, angle: float) -> float:
    """The trigonometric features' error over the positive ones'."""
    return at_angle("trigonometric", length, angle) / at_angle("positive", length, angle)
