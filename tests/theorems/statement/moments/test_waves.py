"""Expectations of exponentials, cosines and sines of linear forms, against quadrature; what is no such is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from proofs_check.api import check
from proofs_check.cases.of_statements import drawn
from theorems.statement import proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.moments import moments
from theorems.statement.moments.waves import Linear, Wave

Function = Callable[..., Any]
#: Cov(x_s, x_t) of scalar tokens, for the three tokens 1, 2 and 3.
KERNELS: dict[str, Callable[[int, int], float]] = {
    "walk": lambda s, t: min(s, t),
    "walk(start=0)": lambda s, t: min(s, t) - 1,
    "walk(start=m)": lambda s, t: min(s, t) - 1,
    "iid": lambda s, t: s == t,
    "ar1(1/3)": lambda s, t: 3.0 ** -abs(s - t),
}
QUANTITIES: dict[str, Function] = {
    "E[exp(x[1].T*u)*cos(x[2].T*v + 1/2)]": lambda x, u, v: np.exp(x[0] * u) * np.cos(x[1] * v + 0.5),
    "E[sin(x[2].T*W*u)*sin(x[3].T*v)]": lambda x, u, v: np.sin(-2 * x[1] * u) * np.sin(x[2] * v),
    "E[cos(u.T*x[1])*sin(v.T*x[3] - u.T*x[2])]": lambda x, u, v: np.cos(u * x[0]) * np.sin(v * x[2] - u * x[1]),
    "E[sin(u.T*x[1] + 1)*cos(v.T*x[2])]": lambda x, u, v: np.sin(u * x[0] + 1) * np.cos(v * x[1]),
    "E[(cosh(x[1].T*u) - exp(x[3].T*v)/2)**2]": lambda x, u, v: (np.cosh(x[0] * u) - np.exp(x[2] * v) / 2) ** 2,
    "E[sum(exp(x[k].T*u), k, 1, 3)**2]": lambda x, u, v: sum(np.exp(t * u) for t in x) ** 2,
    "Var[sum(sinh(x[k].T*u)*cos(x[k].T*v), k, 1, 2)]": lambda x, u, v: sum(
        np.sinh(t * u) * np.cos(t * v) for t in x[:2]
    ),
}
CASE = {"d": 1, "u": ["2/5"], "v": ["-1/3"], "W": [["-2"]], "Sigma": [["3/2"]], "m": ["1/4"]}


def by_quadrature(quantity: str, law: str) -> float:
    """The moment of three scalar tokens by Gauss and Hermite's formula in each of three normals."""
    places, weights = np.polynomial.hermite_e.hermegauss(24)
    cov = np.array([[1.5 * KERNELS[law](s, t) for t in (1, 2, 3)] for s in (1, 2, 3)])
    values, vectors = np.linalg.eigh(cov)
    z = np.array(list(product(places, repeat=3))).T
    x = vectors * np.sqrt(values.clip(0)) @ z + (0.25 if law == "walk(start=m)" else 0.0)
    weight = np.array([math.prod(w) for w in product(weights, repeat=3)]) / (2 * math.pi) ** 1.5
    f = QUANTITIES[quantity](list(x), 0.4, -1 / 3)
    mean = weight @ f
    return float(weight @ (f - mean) ** 2 if quantity.startswith("Var") else mean)


@pytest.mark.parametrize(
    # sums of exponentials close where the tokens are independent
    ("quantity", "law"),
    [(quantity, law) for quantity in QUANTITIES for law in KERNELS if law == "iid" or "sum" not in quantity],
)
def test_expectations_are_those_of_quadrature(quantity: str, law: str) -> None:
    hypotheses = ", ".join(f"{name} in R^d" for name in "uv" if f"{name}" in quantity.replace("sum", ""))
    prop = proposition(f"{quantity} = 0", hypotheses, law=law)
    derivation = Derivation(prop)
    exact = derivation.at(prop.left, {"T": 3, **CASE})
    assert float(exact) == pytest.approx(by_quadrature(quantity, law), rel=1e-9)


@pytest.mark.parametrize(
    ("left", "hypotheses", "law"),
    [
        ("E[exp(x[1].T*W*x[2])]", "", "walk"),
        ("E[exp(norm(x[1])**2)]", "", "walk"),
        ("E[exp(exp(x[1].T*u))]", "u in R^d", "walk"),
        ("E[exp(mean(x).T*u)]", "u in R^d", "walk"),
        ("E[exp(x[1].T*u)]", "u in R^d", "iid(signs)"),
        ("E[exp(x[1].T*u)*cos(x[1].T*u)]", "u in R^d", "iid(sphere)"),
        ("E[1/exp(x[1].T*u)]", "u in R^d", "walk"),
        ("E[sum(exp(x[k].T*u), k, 1, T)**2]", "u in R^d", "walk"),
    ],
)
def test_what_is_no_linear_form_of_normal_tokens_is_not_decided(left: str, hypotheses: str, law: str) -> None:
    prop = proposition(f"{left} = 0", hypotheses, law=law)
    found = decide(prop, Derivation(prop))
    assert (found.status, found.method) == ("undecided", "no closed form")


def test_cases_of_exponentials_are_small_enough_to_be_sampled() -> None:
    prop = proposition("E[exp(x[1].T*u)] = 0", "u in R^d", law="iid")
    assert all(abs(float(eval(entry))) <= 0.5 for case in drawn(prop, 1, 20) for entry in case["u"])


@pytest.mark.parametrize(
    ("d", "quantity", "expected"),
    [
        # a coordinate is +1 or -1, an arcsine, or uniform, times sqrt(d)
        (1, "E[exp(x[1].T*u)]", math.cosh(0.5)),
        (1, "E[cos(x[1].T*u)*cos(x[1].T*u)]", math.cos(0.5) ** 2),
        (2, "E[exp(x[1].T*u)]", float(np.i0(0.5 * math.sqrt(2)))),
        (3, "E[exp(x[1].T*u)]", math.sinh(0.5 * math.sqrt(3)) / (0.5 * math.sqrt(3))),
        (3, "E[cos(x[1].T*u + 1)]", math.cos(1) * math.sin(0.5 * math.sqrt(3)) / (0.5 * math.sqrt(3))),
        (3, "E[sin(x[1].T*u)]", 0.0),
        (3, "E[exp(x[1].T*u - x[2].T*u)]", (math.sinh(0.5 * math.sqrt(3)) / (0.5 * math.sqrt(3))) ** 2),
        (3, "E[exp(x[1].T*u)**2]", math.sinh(math.sqrt(3)) / math.sqrt(3)),
    ],
)
def test_expectations_on_the_sphere_are_those_of_a_coordinate(d: int, quantity: str, expected: float) -> None:
    prop = proposition(f"{quantity} = 0", "u in R^d, Sigma = I", law="iid(sphere)")
    case = {
        "d": d,
        "T": 2,
        "u": ["1/2", *["0"] * (d - 1)],
        "Sigma": [[str(int(r == c)) for c in range(d)] for r in range(d)],
    }
    assert float(Derivation(prop).at(prop.left, case)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("E[exp(x[1].T*u)] <= exp(norm(u)**2/2)", "verified"),
        ("E[exp(x[1].T*u)] <= exp(norm(u)**2/4)", "refuted"),
        ("E[exp(x[1].T*u)] = exp(norm(u)**2/2)", "refuted"),
        ("E[exp(x[1].T*u)] >= 1", "verified"),
        ("E[cos(x[1].T*u)] <= 1", "verified"),
        ("E[cos(x[1].T*u)] >= 1", "refuted"),
        ("E[exp(x[1].T*u)*exp(x[2].T*u)] = E[exp(x[1].T*u)]**2", "verified"),
        ("E[exp(x[1].T*u)*exp(x[1].T*u)] = E[exp(x[1].T*u)]**2", "refuted"),
    ],
)
def test_both_sides_judge_exponentials_on_the_sphere(statement: str, verdict: str) -> None:
    found = check(statement, hypotheses="u in R^d, Sigma = I", law="iid(sphere)", effort="quick")
    assert found.verdict == verdict, found.reason
    assert "Sphere" not in str(found.report)


# -- what is worked out once

ALIKE = (
    "E[(sum(exp(x[k].T*u) + 2*exp(-x[k].T*u), k, 1, T)/T - exp(x[1].T*v))**3]",
    "E[(sum(cos(x[k].T*u), k, 1, T) - sum(sin(x[k].T*v), k, 1, T))**3]",
    "E[(exp(x[1].T*u) + sum(cos(x[k].T*v), k, 2, T - 1))**2]",
)


def values_of(quantity: str) -> list[Any]:
    prop = proposition(f"{quantity} = 0", "T >= 3, u in R^d, v in R^d", law="iid")
    derivation = Derivation(prop)
    return [derivation.value(order, prop.left) for order in derivation.orders]


@pytest.mark.parametrize("quantity", ALIKE)
def test_terms_that_differ_in_their_indices_alone_are_one(quantity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = values_of(quantity)
    with monkeypatch.context() as every_term:
        every_term.setattr(moments, "alike_joined", list)
        every_term.setattr(Wave, "by_tokens", lambda wave, rank: object())
        assert values_of(quantity) == found


def test_what_tells_indices_and_tokens_apart_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: parts by their vectors alone, whatever stands beside them."""
    found = values_of(ALIKE[0])
    monkeypatch.setattr(
        Linear, "data", property(lambda part: (part.vector, "", "", part.place.offset, part.place.name))
    )
    assert values_of(ALIKE[0]) != found
