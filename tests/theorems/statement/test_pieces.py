"""Expectations of functions that differ from piece to piece, against quadrature on the pieces; what is not decided."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

from proofs_check.api import check
from tests.theorems.statement.test_waves import KERNELS
from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide

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
    z = np.arange(-9, 9, STEP) + STEP / 2
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


U = "u in R^d, Sigma = I"
#: Statements, hypotheses, law, and what is decided: next to every true one, false ones that differ little.
DECIDED = {
    "E[abs(x[1].T*u)] = sqrt(2/pi)*norm(u)": (U, "iid", "proved"),
    "E[abs(x[1].T*u)] = 1003*sqrt(2/pi)*norm(u)/1000": (U, "iid", "open"),
    "E[abs(x[1].T*u)] = -sqrt(2/pi)*norm(u)": (U, "iid", "open"),
    "E[abs(x[i].T*u)] = sqrt(2*i/pi)*norm(u)": (U, "walk", "proved"),
    "E[abs(x[i].T*u)] = i*sqrt(2/pi)*norm(u)": (U, "walk", "open"),
    "E[max(x[1].T*u, 0)] = norm(u)/sqrt(2*pi)": (U, "iid", "proved"),
    "E[max(x[1].T*u, 0)] = norm(u)/sqrt(4*pi)": (U, "iid", "open"),
    "E[min(x[1].T*u, 0)] = -norm(u)/sqrt(2*pi)": (U, "iid", "proved"),
    "E[min(x[1].T*u, 0)] = norm(u)/sqrt(2*pi)": (U, "iid", "open"),
    "E[max(x[1].T*u, x[2].T*u)] = norm(u)/sqrt(pi)": (U, "iid", "proved"),
    "E[max(x[1].T*u, x[2].T*u)] = norm(u)/sqrt(2*pi)": (U, "iid", "open"),
    "E[max(x[1].T*u, x[2].T*u)] = norm(u)/sqrt(2*pi) + 0": (U, "walk", "proved"),
    "E[x[1].T*u*exp(x[1].T*v)] = u.T*v*exp(norm(v)**2/2)": (f"{U}, v in R^d", "iid", "proved"),
    "E[x[1].T*u*exp(x[2].T*v)] = u.T*v*exp(norm(v)**2/2)": (f"{U}, v in R^d", "iid", "open"),
    "E[x[1].T*W*x[1]*cos(x[1].T*u)] = (tr(W) - u.T*W*u)*exp(-norm(u)**2/2)": (U, "iid", "proved"),
    "E[x[1].T*W*x[1]*cos(x[1].T*u)] = (tr(W) + u.T*W*u)*exp(-norm(u)**2/2)": (U, "iid", "open"),
    "Var[sum(max(x[j].T*u, 0), j, 1, T)/T] = norm(u)**2*(1/2 - 1/(2*pi))/T": (U, "iid", "proved"),
    "Var[sum(max(x[j].T*u, 0), j, 1, T)/T] = norm(u)**2/(2*T)": (U, "iid", "open"),
    # where the variance may be 0 a jump is at a place that the formula does not know
    "E[indicator(x[1].T*u > 0)] = 1/2": (f"{U}, u != 0", "iid", "proved"),
    "E[indicator(x[1].T*u > 0)] = 2/4": (U, "iid", "undecided"),
    "E[sum(indicator(x[j].T*u > 0), j, 1, T)] = T/2": (U, "iid", "undecided"),
    "E[abs(x[1].T*u + b)] = b*erf(b/(sqrt(2)*norm(u))) + sqrt(2/pi)*norm(u)*exp(-b**2/(2*norm(u)**2))": (
        f"{U}, b real",
        "iid",
        "undecided",
    ),
    "P[abs(x[1].T*u) > a] = 1 - erf(a/(sqrt(2)*norm(u)))": (f"{U}, u != 0, a > 0", "iid", "proved"),
    "P[abs(x[1].T*u) > a] = 1 - erf(a/norm(u))": (f"{U}, u != 0, a > 0", "iid", "open"),
    "P[abs(x[1].T*u) > a] = 1 - 1*erf(a/(sqrt(2)*norm(u)))": (f"{U}, u != 0, a real", "iid", "undecided"),
    "P[max(x[1].T*u, 0) >= 0] = 1/2": (f"{U}, u != 0", "iid", "undecided"),
    # two correlated steps have no closed form here, nor has a form that is not linear or a law that is not Gaussian
    "E[max(x[i].T*u, 0)*max(x[j].T*u, 0)] = 0": (f"{U}, i < j", "walk", "undecided"),
    "E[max(x[i].T*u, 0)*max(x[j].T*u, 0)] = norm(u)**2/(2*pi)": (f"{U}, i < j", "iid", "proved"),
    "E[erf(x[1].T*u)**2] = 0": (U, "iid", "undecided"),
    "E[abs(x[1].T*x[2])] = 0": ("Sigma = I", "iid", "undecided"),
    "E[abs(x[1].T*u)] = 0": (U, "iid(signs)", "undecided"),
    "E[abs(x[1].T*u)] = 0*d": (f"{U}, T <= d", "frame", "undecided"),
}


@pytest.mark.parametrize("text", DECIDED)
def test_decided(text: str) -> None:
    hypotheses, law, status = DECIDED[text]
    prop = proposition(text, hypotheses, law=law)
    assert decide(prop, Derivation(prop)).status == status


@pytest.mark.parametrize(
    ("text", "hypotheses", "verdict"),
    [
        ("E[abs(x[1].T*u)] = sqrt(2/pi)*norm(u)", U, "verified"),
        ("E[abs(x[1].T*u)] = norm(u)", U, "refuted"),
        ("E[x[1].T*u*exp(x[1].T*v)] = u.T*v*exp(norm(v)**2/2)", f"{U}, v in R^d", "verified"),
        ("E[x[1].T*u*exp(x[1].T*v)] = u.T*u*exp(norm(v)**2/2)", f"{U}, v in R^d", "refuted"),
        ("E[x[1].T*u*(1 + erf(x[1].T*u/sqrt(2)))/2] = norm(u)**2/sqrt(2*pi*(1 + norm(u)**2))", U, "verified"),
    ],
)
def test_judged_by_both_sides(text: str, hypotheses: str, verdict: str) -> None:
    assert check(text, hypotheses, law="iid", effort="quick").verdict == verdict
