"""Inequalities as d -> oo of vectors that change with d: disproved along a path, and true ones never."""

from __future__ import annotations

import pytest
import sympy as sp

from proofs_check.api import check
from theorems.algebra.spherical import SphereCos, SphereExp
from theorems.statement import dimensions, proposition
from theorems.statement.decide import Derivation
from theorems.statement.dimensions import D, decided, leading, lowest

RATIO = "E[exp(x[1].T*(u + v) - (norm(u)**2 + norm(v)**2)/2)]/exp(u.T*v)"
NAMES = "u in R^d, v in R^d, Sigma = I, d >= 2, C >= 1"


def status(text: str, names: str) -> str:
    prop = proposition(text, names, "", "iid(sphere)", "d -> oo")
    return decided(prop, Derivation(prop))[0].status


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "exp(u.T*v) <= C", "open"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + O(1)", "exp(u.T*v) <= C", "open"),
        (f"1 - {RATIO} <= 1/2 + o(1)", "exp(u.T*v) <= C", "open"),
        # true: the ratio is positive, and of short vectors it tends to 1
        (f"1 - {RATIO} <= 1 + o(1)", "exp(u.T*v) <= C", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u) <= C, norm(v) <= C", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= d**(1/3) + o(1)", "exp(u.T*v) <= C", "undecided"),
    ],
)
def test_only_what_is_false_is_disproved(text: str, names: str, expected: str) -> None:
    assert status(text, f"{NAMES}, {names}") == expected


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        (D ** sp.Rational(1, 3) * (1 - sp.exp(D ** sp.Rational(3, 2) - D**2 / 2)) - 2, sp.oo),
        (3 - 2 / D - sp.exp(-D), 3),
        (5 - D ** sp.Rational(1, 2), -sp.oo),
        (1 / D, 0),
        (sp.exp(D) - 1, None),
        (sp.sin(D), None),
        (sp.exp(2 - D + D), None),
    ],
)
def test_limits_of_sums_of_powers_and_exponentials(value: sp.Expr, limit: sp.Expr | None) -> None:
    assert leading(value) == limit


def test_bounds_are_on_the_right_side(monkeypatch: pytest.MonkeyPatch) -> None:
    for q in (sp.Integer(1), D, D**2 / 3):
        for sign in (1, -1):
            value: sp.Expr = sp.Integer(2) + sign * SphereExp(D, q)
            least = lowest(value)
            assert least is not None
            for d in (2, 5, 40):
                assert sp.N(least.subs(D, d)) <= sp.N(value.subs(D, d)) * (1 + sp.Float("1e-9") * sign)
    assert lowest(SphereCos(D, D)) is None and lowest(SphereExp(D, D) ** 2) is None
    # with 1 for an upper bound of F a true statement would be disproved
    monkeypatch.setattr(dimensions, "lowest", lambda value: value.replace(SphereExp, lambda *_: sp.exp(-D)))
    assert status(f"1 - 2*{RATIO}*exp(norm(u + v)**2/2) <= 0 + o(1)", f"{NAMES}, exp(u.T*v) <= C") == "open"
    monkeypatch.undo()
    assert status(f"1 - 2*{RATIO}*exp(norm(u + v)**2/2) <= 0 + o(1)", f"{NAMES}, exp(u.T*v) <= C") == "undecided"


def test_a_check_refutes_it() -> None:
    found = check(
        f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)",
        hypotheses=f"{NAMES}, exp(u.T*v) <= C",
        law="iid(sphere)",
        limit="d -> oo",
        effort="quick",
    )
    assert found.verdict == "refuted"
