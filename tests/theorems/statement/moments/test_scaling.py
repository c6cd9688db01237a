"""Moments of homogeneous functions of a token times powers of its length: decided, and against quadrature."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation


@pytest.mark.parametrize(("degree", "power"), [(2, -1), (2, 1), (4, -3), (2, -2)])
def test_the_formula_is_the_integral_in_the_plane(degree: int, power: int) -> None:
    prop = proposition(f"E[(x[1].T*u)**{degree}*norm(x[1])**({power})] = 0", "u in R^d, Sigma = I, d = 2", law="iid")
    derivation = Derivation(prop)
    found = derivation.value(derivation.orders[0], prop.left)
    found = float(found.xreplace({one: sp.Integer(1) for one in found.free_symbols}))
    angle = mpmath.quad(lambda t: mpmath.cos(t) ** degree, [0, mpmath.pi, 2 * mpmath.pi]) / (2 * mpmath.pi)
    radius = mpmath.quad(lambda r: r ** (degree + power + 1) * mpmath.exp(-(r**2) / 2), [0, 5, 20])
    assert found == pytest.approx(float(angle * radius), rel=1e-10)
