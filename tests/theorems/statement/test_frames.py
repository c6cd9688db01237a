"""Tokens of a random orthogonal frame: moments against quadrature, proofs term by term, and what is not proved."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from random import Random

import flint
import numpy as np
import pytest
import sympy as sp

from proofs_check.cases.of_statements import drawn
from theorems.algebra.balls import at, ball
from theorems.algebra.expressions import symbol
from theorems.algebra.spherical import FrameCos, FrameExp, SphereExp, bounds
from theorems.statement import proposition
from theorems.statement.deciding.cumulants import CaseMoments
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.normal import nonnegative
from theorems.statement.proofs import termwise

TWO = "u in R^d, Sigma = I, d >= 2"
CASE = {"d": 2, "T": 2, "u": ["1/2", "1/4"], "v": ["-1/3", "1"], "Sigma": [["1", "0"], ["0", "1"]]}


def by_quadrature(function: str, law: str) -> float:
    """A moment in two dimensions: the frame by its angle and both orientations, the lengths by Rayleigh's law."""
    angles = np.arange(24) * 2 * math.pi / 24
    places, weight = np.polynomial.legendre.leggauss(60)
    r = 5 + 5 * places if law == "frame" else np.array([math.sqrt(2)])
    weight = 5 * weight * r * np.exp(-(r**2) / 2) if law == "frame" else np.ones(1)
    u = np.array([0.5, 0.25])
    total = 0.0
    for angle, way in product(angles, (1, -1)):
        one = u @ [math.cos(angle), math.sin(angle)] * r[:, None]
        two = way * (u @ [-math.sin(angle), math.cos(angle)]) * r[None, :]
        values = {
            "exp": np.exp(one + two),
            "exp -": np.exp(one - two),
            "cos": np.cos(one) * np.cos(two),
            "2, 4": one**2 * two**4,
            "exp 2": np.exp(one + 2 * two),
        }[function]
        total += float(weight @ values @ weight) / 48
    return total


@pytest.mark.parametrize(
    ("quantity", "function", "law"),
    [
        ("E[exp(x[1].T*u)*exp(x[2].T*u)]", "exp", "frame"),
        ("E[exp(x[1].T*u - x[2].T*u)]", "exp -", "frame"),
        ("E[cos(x[1].T*u)*cos(x[2].T*u)]", "cos", "frame"),
        ("E[(x[1].T*u)**2*(u.T*x[2])**4]", "2, 4", "frame"),
        ("E[exp(x[1].T*u)*exp(x[2].T*u)]", "exp", "frame(sphere)"),
        ("E[exp(x[1].T*u + 2*x[2].T*u)]", "exp 2", "frame(sphere)"),
        ("E[cos(x[1].T*u)*cos(x[2].T*u)]", "cos", "frame(sphere)"),
        ("E[(x[1].T*u)**2*(u.T*x[2])**4]", "2, 4", "frame(sphere)"),
    ],
)
def test_moments_are_those_of_quadrature(quantity: str, function: str, law: str) -> None:
    derivation = Derivation(proposition(f"{quantity} = 0", TWO, "", law))
    value = derivation.at(derivation.prop.left, CASE)
    assert float(ball(value, {}).mid()) == pytest.approx(by_quadrature(function, law), rel=1e-6)


@pytest.mark.parametrize("law", ["frame", "frame(sphere)"])
@pytest.mark.parametrize(
    "quantity",
    [
        "E[(x[1].T*W*x[2])**2]",
        "E[x[1].T*W*x[1]*(x[2].T*u)**2]",
        "E[(x[1].T*u)**2*(x[2].T*v)**2]",
        "E[exp(x[1].T*u + x[2].T*v)]",
        "E[exp(x[1].T*u)*cos(x[2].T*u)]",
        "E[x[1].T*u*exp(x[2].T*u)]",
    ],
)
def test_what_has_no_closed_form_is_refused(quantity: str, law: str) -> None:
    names = [f"{name} in R^d" for name in "uv" if f"T*{name}" in quantity]
    derivation = Derivation(proposition(f"{quantity} = 0", ", ".join([*names, "Sigma = I, d >= 2"]), "", law))
    with pytest.raises(NotPolynomialError):
        derivation.value(derivation.orders[0], derivation.prop.left)


@pytest.mark.parametrize(
    ("statement", "hypotheses", "status"),
    [
        # T <= d says of every position that it is at most d
        ("E[x[i].T*u*x[j].T*v] = 0", "u in R^d, v in R^d, i < j", "proved"),
        ("E[x[i].T*u*x[j].T*v] = u.T*v", "u in R^d, v in R^d, i <= j", "open"),
        ("E[(x[i].T*x[j])**2] = 0", "i < j", "proved"),
        ("E[(x[i].T*x[j])**2] = 0", "i <= j", "open"),
        ("E[norm(mean(x))**2] = d/T", "", "proved"),
        ("E[norm(mean(x))**2] = d/(T + 1)", "", "open"),
        ("E[(x[1].T*u)**2*(x[2].T*u)**2] = d*norm(u)**4/(d + 2)", "u in R^d", "proved"),
    ],
)
def test_distinct_tokens_are_orthogonal_and_each_as_its_negative(statement: str, hypotheses: str, status: str) -> None:
    prop = proposition(statement, ", ".join(filter(None, [hypotheses, "Sigma = I, T <= d"])), "", "frame")
    assert decide(prop, Derivation(prop)).status == status
    assert all(case["T"] <= case["d"] for case in drawn(prop, 1, 12))
    assert len(drawn(prop, 1, 12)) >= 4


def test_one_token_of_a_frame_has_the_law_of_one_alone() -> None:
    for statement in ("E[(x[1].T*W*x[1])**2]", "E[exp(2*x[1].T*u)]", "E[norm(x[1])**6]"):
        known = "u in R^d" if "u" in statement else ""
        for law, other in (("frame", "iid"), ("frame(sphere)", "iid(sphere)")):
            values = [Derivation(proposition(f"{statement} = 0", known, "", one)) for one in (law, other)]
            one, two = (one.value(one.orders[0], one.prop.left) for one in values)
            assert sp.cancel(one - two) == 0


def test_joint_cumulants_do_not_take_them_for_independent() -> None:
    derivation = Derivation(proposition("E[(x[1].T*u)**2*(x[2].T*u)**2] = 0", TWO, "", "frame"))
    with pytest.raises(NotPolynomialError):
        CaseMoments(derivation, {**CASE}).expectation(derivation.prop.left.args[0])


def series(double: sp.Expr, single: sp.Expr, d: int, w: float, most: int = 60) -> float:
    """1 + the double series of t, u >= 1 and the single one of n >= 1, with a_n and tau from their definitions."""
    a = np.cumprod([1.0, *(d / (d + 2 * k) for k in range(2 * most))])
    inner, outer = (sp.lambdify((termwise._A, termwise._B, termwise._TAU), one) for one in (double, single))
    size = [w**n / math.factorial(n) for n in range(most)]
    total = 1 + sum(size[n] * outer(a[n], 0, 0) for n in range(1, most))
    for t, u in product(range(1, most), repeat=2):
        total += size[t] * size[u] * inner(a[t], a[u], a[t + u] / (a[t] * a[u]))
    return float(total)


def table_fails() -> list[tuple[str, ...]]:
    """The kinds of series whose coefficients are not those of the functions."""
    wrong = []
    for kinds, (double, single) in termwise._DOUBLE.items():
        for d, w in ((1, 0.5), (2, 1.25), (5, 2.0)):
            q = sp.Rational(str(2 * w))
            values = {
                "e": sp.exp(q / 2),
                "s": SphereExp(d, q),
                "frame": FrameExp(d, 2, q),
                "sphere": SphereExp(d, 2 * q),
            }
            exact = ball(sp.Mul(*(values[kind] for kind in kinds)), {})
            if float(exact.mid()) != pytest.approx(series(double, single, d, w), rel=1e-9):
                wrong.append(kinds)
                break
    return wrong


def test_the_coefficients_are_those_of_the_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table_fails() == []
    monkeypatch.setitem(termwise._DOUBLE, ("frame",), (termwise._TAU * termwise._A, sp.Integer(2)))
    assert table_fails() == [("frame",)]


def test_what_the_rule_trusts_of_tau() -> None:
    """tau(t, u) = a_(t + u)/(a_t a_u) is at most d/(d + 2), at t = u = 1, and tends to 0."""
    for d in (1, 2, 3, 8, 40):
        a = [sp.Integer(1)]
        for k in range(60):
            a.append(a[-1] * sp.Rational(d, d + 2 * k))
        values = {(t, u): a[t + u] / (a[t] * a[u]) for t, u in product(range(1, 30), repeat=2)}
        assert max(values.values()) == values[1, 1] == sp.Rational(d, d + 2)
        assert min(values.values()) > 0 and max(a) == 1


def test_what_the_rule_trusts_of_one_series() -> None:
    """1 - n (n - 1)/(d + 2) <= a_n, with equality at n = 2, and a_n <= d/(d + 2) from n = 2 on."""
    for d in (1, 2, 3, 8, 40):
        a = sp.Integer(1)
        for n in range(60):
            least = 1 - sp.Rational(n * (n - 1), d + 2)
            assert a == 1 if n < 2 else least <= a <= sp.Rational(d, d + 2)
            assert n != 2 or a == least
            a *= sp.Rational(d, d + 2 * n)


PAIR = "u in R^d, v in R^d"
RATIO = "exp(-(norm(u)**2 + norm(v)**2)/2)*E[exp(x[1].T*(u + v))]/exp(u.T*v)"


@pytest.mark.parametrize(
    ("statement", "hypotheses", "status"),
    [
        (f"{RATIO} >= 1 - norm(u + v)**4/(4*(d + 2))", PAIR, "proved"),
        (f"{RATIO} >= 1 - norm(u + v)**4/(4*(d + 2)) + norm(u + v)**6/(d + 2)**3", PAIR, "open"),
        (f"{RATIO} >= 1 - norm(u + v)**4/(5*(d + 2))", PAIR, "open"),
        ("E[exp(x[1].T*u)] <= exp(norm(u)**2/2)*(1 + norm(u)**2/100)", "u in R^d", "proved"),
        ("E[exp(x[1].T*u)] <= exp(norm(u)**2/2)*(1 - norm(u)**2/100)", "u in R^d", "open"),
        ("E[exp(x[1].T*u)] >= exp(norm(u)**2/2)*(1 - norm(u)**2)", "u in R^d", "proved"),
        ("E[exp(x[1].T*u)] <= exp(norm(u)**2/2)*(1 - (norm(u)**2 - 4)/(d + 2))", "u in R^d", "open"),
    ],
)
def test_polynomials_beside_one_series(statement: str, hypotheses: str, status: str) -> None:
    prop = proposition(statement, f"{hypotheses}, Sigma = I", "", "iid(sphere)")
    assert decide(prop, Derivation(prop)).status == status


def test_bounds_and_balls_of_the_functions() -> None:
    for d, k in ((2, 2), (3, 3), (5, 2)):
        q = sp.Rational(7, 3)
        low, high = (ball(end, {}) for end in bounds(FrameExp(d, k, q)))
        assert low < ball(FrameExp(d, k, q), {}) < high
        assert abs(ball(FrameCos(d, k, q), {})) < flint.arb(1)
    assert FrameExp(3, 1, q) == sp.exp(q / 2) and FrameCos(3, 1, q) == sp.exp(-q / 2)


def test_what_the_rule_says_is_so_of_drawn_combinations() -> None:
    """Random combinations of the functions: each that is shown to be >= 0 is, at a grid of dimensions and arguments."""
    random, d, w = Random(0), symbol("d"), symbol("w")
    values = {
        "1": sp.Integer(1),
        "e": sp.exp(w),
        "e2": sp.exp(2 * w),
        "s": SphereExp(d, 2 * w),
        "s2": SphereExp(d, 2 * w) ** 2,
        "frame": FrameExp(d, 2, 2 * w),
        "sphere": SphereExp(d, 4 * w),
        "es": sp.exp(w) * SphereExp(d, 2 * w),
    }
    powers = {"s": values["s"], **{f"w{k}e": w**k * sp.exp(w) for k in range(4)}}
    numbers = [sp.Integer(k) for k in (-2, -1, 1, 2)] + [sign * 2 / (d + 2) for sign in (1, -1)] + [d / (d + 2)]
    for pool in (values, powers):
        shown = refused = 0
        for _ in range(200):
            chosen = random.sample(sorted(pool), random.choice((2, 3, 4)))
            if not set(chosen) & {"s", "s2", "frame", "sphere", "es"}:
                continue
            gap = sum(random.choice(numbers) * pool[name] for name in chosen)
            step = termwise.by_terms(gap * sp.exp(-3 * w), lambda value: nonnegative(value, {d: 1 + sp.Symbol("more")}))
            grid = [(n, place) for n in (1, 2, 3, 9) for place in ("1/100", "1/2", "2", "6")]
            lowest = min(float(at(gap, {"d": Fraction(n), "w": Fraction(place)}).mid()) for n, place in grid)
            shown, refused = shown + (step is not None), refused + (step is None and lowest < -1e-9)
            assert step is None or lowest > -1e-9, gap
        assert shown > 10 and refused > 20
