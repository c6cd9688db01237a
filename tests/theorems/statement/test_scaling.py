"""Moments of homogeneous functions of a token times powers of its length: decided, and against quadrature."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide

KNOWN = "u in R^d, Sigma = I, k integer, k >= 1"


@pytest.mark.parametrize(
    ("statement", "known", "law", "status"),
    [
        ("E[(x[1].T*u)**(2*k)/norm(x[1])**(2*k)] = E[(x[1].T*u)**(2*k)]/E[norm(x[1])**(2*k)]", KNOWN, "iid", "proved"),
        ("E[(x[1].T*u)**(2*k + 1)/norm(x[1])**(2*k + 1)] = 0", KNOWN, "iid", "proved"),
        ("E[(x[1].T*u)**2/norm(x[1])] = norm(u)**2*E[norm(x[1])]/d", KNOWN, "iid", "proved"),
        ("E[((x[1].T*u)**2/norm(x[1])**2)**2] = 3*norm(u)**4/(d*(d + 2))", KNOWN, "iid", "proved"),
        ("E[x[1].T*W*x[1]*norm(x[1])] = tr(W)*E[norm(x[1])**3]/d", "Sigma = I", "iid", "proved"),
        ("E[(x[2].T*u)**2/norm(x[2])] = sqrt(2)*norm(u)**2*E[norm(x[1])]/d", KNOWN, "walk", "proved"),
        # neighbours
        ("E[(x[1].T*u)**(2*k)/norm(x[1])**(2*k)] = E[(x[1].T*u)**(2*k)]/d**k", KNOWN, "iid", "open"),
        ("E[(x[1].T*u)**2/norm(x[1])] = norm(u)**2*E[norm(x[1])]/(d + 1)", KNOWN, "iid", "open"),
        ("E[(x[2].T*u)**2/norm(x[2])] = norm(u)**2*E[norm(x[1])]/d", KNOWN, "walk", "open"),
        # it need not exist, is of two tokens, is not homogeneous, is of another law
        ("E[(x[1].T*u)**2/norm(x[1])**3] = 0", KNOWN, "iid", "undecided"),
        ("E[(x[1].T*u)**(2*k)/norm(x[2])**(2*k)] = 0", KNOWN, "iid", "undecided"),
        ("E[(1 + (x[1].T*u)**2)/norm(x[1])] = 0", KNOWN, "iid", "undecided"),
        ("E[exp(x[1].T*u)/norm(x[1])] = 0", KNOWN, "iid", "undecided"),
        ("E[(x[1].T*u)**2/norm(x[1])**2] = norm(u)**2/d", "u in R^d", "iid", "undecided"),
        ("E[(x[1].T*u)**2/norm(x[1])**2] = norm(u)**2/d", KNOWN.split(", k")[0], "iid(student(5))", "undecided"),
    ],
)
def test_what_is_decided(statement: str, known: str, law: str, status: str) -> None:
    known = known if "k" in statement.replace("walk", "") or "k" not in known else known.split(", k")[0]
    prop = proposition(statement, known, law=law)
    assert decide(prop, Derivation(prop)).status == status


@pytest.mark.parametrize(("degree", "power"), [(2, -1), (2, 1), (4, -3), (2, -2)])
def test_the_formula_is_the_integral_in_the_plane(degree: int, power: int) -> None:
    prop = proposition(f"E[(x[1].T*u)**{degree}*norm(x[1])**({power})] = 0", "u in R^d, Sigma = I, d = 2", law="iid")
    derivation = Derivation(prop)
    found = derivation.value(derivation.orders[0], prop.left)
    found = float(found.xreplace({one: sp.Integer(1) for one in found.free_symbols}))
    angle = mpmath.quad(lambda t: mpmath.cos(t) ** degree, [0, mpmath.pi, 2 * mpmath.pi]) / (2 * mpmath.pi)
    radius = mpmath.quad(lambda r: r ** (degree + power + 1) * mpmath.exp(-(r**2) / 2), [0, 5, 20])
    assert found == pytest.approx(float(angle * radius), rel=1e-10)
