"""Expectations of functions that differ from piece to piece, against quadrature on the pieces; what is not decided."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

from tests.theorems.statement.moments.test_waves import KERNELS
from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation

#: A function of two of three scalar tokens, and the places where it has a kink or a step, as a function of the first.
TWO: dict[str, tuple[Callable[..., Any], tuple[int, int]]] = {
    "E[abs(x[1].T*u + 1/3)]": (lambda a, b, u, v: abs(a * u + 1 / 3), (1, 2)),
    "E[max(x[2].T*u, x[3].T*v)]": (lambda a, b, u, v: np.maximum(a * u, b * v), (2, 3)),
    "E[min(x[1].T*u, 1/4, -2*x[1].T*u)]": (lambda a, b, u, v: np.minimum(np.minimum(a * u, 0.25), -2 * a * u), (1, 2)),
    "E[max(x[1].T*u, 0)**3*x[2].T*v]": (lambda a, b, u, v: np.maximum(a * u, 0) ** 3 * b * v, (1, 2)),
    "E[exp(x[2].T*v)*abs(x[1].T*u)*(x[2].T*v)**2]": (
        lambda a, b, u, v: np.exp(b * v) * abs(a * u) * (b * v) ** 2,
        (1, 2),
    ),
    "E[clip(x[1].T*u, -1/2, 1)**2]": (lambda a, b, u, v: np.clip(a * u, -0.5, 1) ** 2, (1, 2)),
    "E[x[2].T*v*indicator(x[1].T*u > 1/2)]": (lambda a, b, u, v: b * v * (a * u > 0.5), (1, 2)),
    "P[abs(x[1].T*u) > 1/3]": (lambda a, b, u, v: abs(a * u) > 1 / 3, (1, 2)),
    "P[-1/2 < x[1].T*u <= 1/3]": (lambda a, b, u, v: (a * u > -0.5) & (a * u <= 1 / 3), (1, 2)),
    "E[x[1].T*u*erf(x[2].T*v + 1/4)]": (lambda a, b, u, v: a * u * erf(b * v + 0.25), (1, 2)),
    "E[x[1].T*u*cos(x[1].T*u)*exp(x[2].T*v)]": (lambda a, b, u, v: a * u * np.cos(a * u) * np.exp(b * v), (1, 2)),
    "E[(x[1].T*u)**2*sin(x[2].T*v + 1)]": (lambda a, b, u, v: (a * u) ** 2 * np.sin(b * v + 1), (1, 2)),
    "E[exp(abs(x[1].T*u))*x[2].T*v]": (lambda a, b, u, v: np.exp(abs(a * u)) * b * v, (1, 2)),
    "E[norm(x[2])**2*tr(W)*max(x[1].T*u, 0)*indicator(x[1].T*u <= 1)]": (
        lambda a, b, u, v: -2 * b**2 * np.maximum(a * u, 0) * (a * u <= 1),
        (1, 2),
    ),
}
#: The step of the rule, and its error at a jump by at most 1 (half a step times the density, twice) and at a kink.
STEP = 1 / 200
JUMP, FLAT = STEP / 2 * 0.8, STEP**2
CASE = {"d": 1, "T": 3, "u": ["2/5"], "v": ["-1/3"], "W": [["-2"]], "Sigma": [["3/2"]], "m": ["1/4"]}


def by_quadrature(quantity: str, law: str) -> float:
    """The moment of two scalar tokens by the midpoint rule, fine enough for kinks and steps."""
    function, (s, t) = TWO[quantity]
    K = KERNELS[law]
    one, shared, two = (1.5 * K(*pair) for pair in ((s, s), (s, t), (t, t)))
    # beyond 6.5 standard deviations lies less than 1e-10, far less than the rule's own error
    z = np.arange(-6.5, 6.5, STEP) + STEP / 2
    weight = np.exp(-(z**2) / 2) * STEP / math.sqrt(2 * math.pi)
    mean = 0.25 if law == "walk(start=m)" else 0.0
    a = mean + math.sqrt(one) * z[:, None]
    slope = shared / math.sqrt(one) if one else 0.0
    b = mean + slope * z[:, None] + math.sqrt(max(two - slope**2, 0.0)) * z[None, :]
    return float(weight @ (function(a + 0 * b, b, 0.4, -1 / 3) @ weight))


@pytest.mark.parametrize(
    ("quantity", "law"),
    # a walk that starts at m has no random x_1
    [(q, law) for q in TWO for law in KERNELS if "x[1]" not in q or not law.startswith("walk(")],
)
def test_expectations_are_those_of_quadrature(quantity: str, law: str) -> None:
    prop = proposition(f"{quantity} = 0", ", ".join(f"{n} in R^d" for n in "uv" if f"*{n}" in quantity), law=law)
    derivation = Derivation(prop)
    exact = float(derivation.at(prop.left, CASE))
    assert exact == pytest.approx(
        by_quadrature(quantity, law), abs=JUMP if "indicator" in quantity or "P" in quantity else FLAT
    )
