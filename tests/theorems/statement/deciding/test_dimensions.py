"""Inequalities as d -> oo of vectors that change with d: disproved along a path, and true ones never."""

from __future__ import annotations

import pytest
import sympy as sp

from proofs_check.api import check
from theorems.algebra.spherical import SphereCos, SphereExp, plain
from theorems.statement import proposition
from theorems.statement.deciding import dimensions
from theorems.statement.deciding.decide import Derivation
from theorems.statement.deciding.dimensions import D, decided, leading, lowest

RATIO = "E[exp(x[1].T*(u + v) - (norm(u)**2 + norm(v)**2)/2)]/exp(u.T*v)"
NAMES = "u in R^d, v in R^d, Sigma = I, d >= 2"


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
        # proved of vectors whose sum is bounded, by a number that does not change with d
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u) <= C, norm(v) <= C", "proved"),
        (f"d**(1/3)*(1 - {RATIO}) <= 0 + o(1)", "norm(u + v)**2 <= C", "proved"),
        (f"d*(1 - {RATIO}) <= C**4/4 + o(1)", "norm(u + v) <= C", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= -1 + o(1)", "norm(u + v) <= C", "open"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u) <= C", "open"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u) <= d, norm(v) <= C", "open"),
        # what is compared with d may move with it, and only a norm's bound is one of its square
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u + v) <= l, l >= d", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u + v) <= l, l <= d", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u + v) <= l, l = d", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "-norm(u + v) <= C", "open"),
        ("d**(1/3)*(1 - E[exp(x[1].T*(u + v))]) <= 2 + o(1)", "norm(u + v) <= C", "undecided"),
        (f"d**2*(1 - {RATIO}) <= 2 + o(1)", "norm(u) <= C, norm(v) <= C", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)", "norm(u - v) <= C", "open"),
        (f"d**(1/3)*({RATIO} - 1) <= 2 + o(1)", "norm(u) <= C, norm(v) <= C", "undecided"),
        (f"d**(1/3)*(1 - {RATIO}) <= d**(1/3) + o(1)", "exp(u.T*v) <= C", "undecided"),
    ],
)
def test_only_what_is_false_is_disproved(text: str, names: str, expected: str) -> None:
    assert status(text, f"{NAMES}, {names}{', C >= 1' * ('C' in names)}") == expected


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
    assert status(f"1 - 2*{RATIO}*exp(norm(u + v)**2/2) <= 0 + o(1)", f"{NAMES}, C >= 1, exp(u.T*v) <= C") == "open"
    monkeypatch.undo()
    assert (
        status(f"1 - 2*{RATIO}*exp(norm(u + v)**2/2) <= 0 + o(1)", f"{NAMES}, C >= 1, exp(u.T*v) <= C") == "undecided"
    )


def test_a_check_refutes_it() -> None:
    found = check(
        f"d**(1/3)*(1 - {RATIO}) <= 2 + o(1)",
        hypotheses=f"{NAMES}, C >= 1, exp(u.T*v) <= C",
        law="iid(sphere)",
        limit="d -> oo",
        effort="quick",
    )
    assert found.verdict == "refuted"


@pytest.mark.parametrize("d", [2, 3, 7, 50])
@pytest.mark.parametrize("q", ["1/10", "1", "5", "40"])
def test_the_first_terms_are_a_lower_bound(d: int, q: str) -> None:
    exact, variance = plain(SphereExp(sp.Integer(d), sp.Rational(q))), sp.Rational(q)
    least = sp.exp(variance / 2) * (1 - variance**2 / (4 * d))
    assert sp.N(exact - least, 30) > 0
    # and a sharp one to the order 1/d
    near = sp.N((1 - plain(SphereExp(sp.Integer(10**6), variance)) * sp.exp(-variance / 2)) * 10**6, 30)
    assert abs(near / (variance**2 / 4) - 1) < sp.Rational(1, 1000)
