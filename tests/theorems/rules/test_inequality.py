"""The rules that conclude inequalities: instances hold numerically and are licensed, near misses are not."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import theorems.kernel.settle  # noqa: F401  (registers every rule)
from tests.mutation.steps import holds
from theorems.algebra.expressions import floats, parse, symbol
from theorems.rules import RULES

d, x = (symbol(name) for name in ("d", "x"))
a, b, p, q, X, Y = (symbol(name) for name in ("a", "b", "p", "q", "X", "Y"))
ONE = sp.Integer(1)
TABLE = {"p": sp.exp(-(a**2)), "q": sp.exp(-(b**2))}


def absolute(expression: sp.Expr) -> sp.Expr:
    return sp.Abs(expression, evaluate=False)


def put(expression: sp.Expr, table: Mapping[str, sp.Expr]) -> sp.Expr:
    return expression.xreplace({symbol(name): value for name, value in table.items()})


def exceeds(quantity: sp.Expr, upper: sp.Expr, points: int = 4000) -> bool:
    """Whether the quantity exceeds the bound at one of many random points, theta in [0, 1], eta and v positive."""
    generator = np.random.default_rng(5)
    table: dict[str, Any] = {}
    for name in sorted(s.name for s in quantity.free_symbols | upper.free_symbols):
        scale = 10.0 ** generator.uniform(-3, 1, points)
        table[name] = generator.standard_normal(points) * scale
        if name == "theta":
            table[name] = generator.uniform(0, 1, points)
        if name in ("eta", "v", "u"):
            table[name] = np.abs(table[name]) + 1e-3
    with np.errstate(all="ignore"):
        gap = floats(quantity, table) - floats(upper, table)
    return bool((gap > 1e-9).any())


def test_the_rules_are_registered() -> None:
    assert set(RULES) >= {"quotient", "realised-spectrum", "vertex-maximum", "unit-combination"}


# -- quotient


# -- realised-spectrum

SIDE = sp.sqrt((1 - x**2 / d) / 2)
PAIR = ((x / d + SIDE, ONE), (x / d - SIDE, ONE), (x / d, d - 2))
#: Four eigenvalues beside the mean, for d >= 4.
TWO_PAIRS = (
    (x / d + sp.sqrt(1 - x**2 / d) / 2, sp.Integer(2)),
    (x / d - sp.sqrt(1 - x**2 / d) / 2, sp.Integer(2)),
    (x / d, d - 4),
)


@pytest.mark.parametrize(("spectrum", "least"), [(PAIR, 2), (TWO_PAIRS, 4)])
def test_realised_spectra(spectrum: Any, least: int) -> None:
    """Every x up to the bound, from real eigenvalues: their sum and sum of squares, by numbers."""
    for dimension in range(least, least + 4):
        for value in np.linspace(-1, 1, 9) * dimension**0.5 * (1 - 1e-12):
            weights = [(complex(w.subs({d: dimension, x: value})), int(m.subs(d, dimension))) for w, m in spectrum]
            assert all(m >= 0 for _, m in weights) and all(abs(w.imag) < 1e-9 for w, _ in weights)
            assert sum(m for _, m in weights) == dimension
            assert sum(m * w for w, m in weights).real == pytest.approx(value, abs=1e-9)
            assert sum(m * w**2 for w, m in weights).real == pytest.approx(1, abs=1e-9)
    assert holds("realised-spectrum", spectrum, x, d, least)


# -- vertex-maximum


def corners(form: sp.Expr, table: Mapping[str, sp.Expr]) -> sp.Expr:
    units = [symbol(name) for name in table]
    values = [
        form.xreplace(dict(zip(units, map(sp.Integer, c), strict=True))) for c in product((0, 1), repeat=len(units))
    ]
    return sp.Max(*(sp.Abs(value) for value in values))


coefficients = st.sampled_from(["X", "Y", "X - Y", "2*X + 1", "X*Y", "-Y", "3"]).map(parse)


@settings(max_examples=16)
@given(coefficients, coefficients, st.sampled_from([ONE, sp.Integer(0), Y]), st.sampled_from([-1, 1]))
def test_vertex_maxima(one: sp.Expr, other: sp.Expr, constant: sp.Expr, side: int) -> None:
    """|p X + q Y + Z| against the corners at random points; a corner dropped, or f not affine, is not licensed."""
    form = p * one + side * q * other + constant
    quantity, upper = absolute(put(form, TABLE)), corners(form, TABLE)
    every = [form.xreplace({p: c, q: e}) for c, e in product((sp.Integer(0), ONE), repeat=2)]
    if not isinstance(upper, sp.Max) or set(upper.args) != {sp.Abs(c) for c in every if c != 0}:
        # sympy leaves out what it knows to be smaller
        return
    assert not exceeds(quantity, upper)
    assert holds("vertex-maximum", quantity, upper, form, TABLE)
    assert holds("vertex-maximum", absolute(-put(form, TABLE)), upper, form, TABLE)
    for k, argument in enumerate(upper.args):
        rest = sp.Max(*(other for place, other in enumerate(upper.args) if place != k))
        assert not holds("vertex-maximum", quantity, rest, form, TABLE), (argument, rest)
    near_misses = [
        (quantity, upper / 2, form, TABLE),
        (quantity, -upper, form, TABLE),
        (put(form, TABLE), upper, form, TABLE),
        (absolute(2 * put(form, TABLE)), upper, form, TABLE),
        (absolute(put(form, TABLE) + 1), upper, form, TABLE),
        (quantity, upper, form, TABLE | {"p": 2 * sp.exp(-(a**2))}),
        (quantity, upper, form, TABLE | {"q": sp.exp(b**2)}),
        (quantity, upper, form, TABLE | {"q": -sp.exp(-(b**2))}),
        (quantity, upper, form, {"p": TABLE["p"]}),
    ]
    for data in near_misses:
        assert not holds("vertex-maximum", *data), data


@pytest.mark.parametrize(
    "unit", ["exp(-a**2)", "exp(-3*a**2)", "exp(-a**2*b**4)", "exp(-(a - b)**2/2)", "exp(-a**2/(2*theta**2 + 7/12))"]
)
def test_units(unit: str) -> None:
    table = {"p": parse(unit)}
    quantity = absolute(put(p * X, table))
    assert not exceeds(quantity, sp.Abs(X))
    assert holds("vertex-maximum", quantity, sp.Abs(X), p * X, table)


def test_nothing_is_below_a_negative_number() -> None:
    """|0| <= -1 is false, though no corner of 0 says so."""
    zero = sp.Integer(0)
    for form, table in ((zero, {"p": TABLE["p"]}), (zero, {})):
        assert not holds("vertex-maximum", absolute(zero), sp.Integer(-1), form, table)


# -- unit-combination

factors = st.sampled_from(["1", "1/v", "eta/2", "1/(2*theta**2 + 7/12)", "1/sqrt(pi)", "(theta + 1)*v"]).map(parse)
weights = st.sampled_from(["p", "q", "p - q", "-q", "1", "-1", "1 - p", "1/2", "p/2 + q/2", "2*p - 1"]).map(parse)


@settings(max_examples=16)
@given(weights, weights, coefficients, coefficients, factors)
def test_unit_combinations(c: sp.Expr, e: sp.Expr, one: sp.Expr, other: sp.Expr, factor: sp.Expr) -> None:
    parts = ((c, one), (e, other))
    whole = put(factor * (c * one + e * other), TABLE)
    if whole == 0 or put(c * one + e * other, TABLE) == 0:
        return
    quantity, upper = absolute(whole), factor * (sp.Abs(one) + sp.Abs(other))
    assert not exceeds(quantity, upper)
    assert holds("unit-combination", quantity, upper, parts, factor, TABLE)
    near_misses = [
        (quantity, upper / 2, parts, factor, TABLE),
        (quantity, -upper, parts, factor, TABLE),
        (quantity, factor * sp.Abs(one), parts, factor, TABLE),
        (quantity, factor * sp.Abs(one + other), parts, factor, TABLE),
        (whole, upper, parts, factor, TABLE),
        (absolute(whole + 1), upper, parts, factor, TABLE),
        (absolute(3 * whole), 3 * upper, parts, factor, TABLE),
        (quantity, upper, ((c, one), (3 * e, other)), factor, TABLE),
        (quantity, -upper, parts, -factor, TABLE),
        (quantity, upper, parts, factor, TABLE | {"p": sp.exp(a**2), "q": sp.exp(b**2)}),
    ]
    for data in near_misses:
        # |t + t| = |t| + |t|
        if data[0] != quantity or data[1] != upper or data[2:] != (parts, factor, TABLE):
            assert not holds("unit-combination", *data), data


@pytest.mark.parametrize("weight", ["p + q", "2*p", "1 + p", "p - q - 1", "3/2", "p*q - 2", "p**2", "4*p*(1 - p)", "X"])
def test_weights_beyond_one_are_not_licensed(weight: str) -> None:
    """p + q <= 2, p - q - 1 >= -2; a product is not affine, whatever its corners."""
    c = parse(weight)
    quantity = absolute(put(c * X, TABLE))
    assert not holds("unit-combination", quantity, sp.Abs(X), ((c, X),), ONE, TABLE)


@pytest.mark.parametrize("factor", ["-1", "0", "xi", "theta", "theta - 1/2", "v - 1", "v*xi", "1/(theta - 1/2)"])
def test_factors_of_either_sign_are_not_licensed(factor: str) -> None:
    g = parse(factor)
    quantity = absolute(g * put(p * X, TABLE))
    assert not holds("unit-combination", quantity, g * sp.Abs(X), ((p, X),), g, TABLE)


def test_the_units_stand_in_the_coefficients_only() -> None:
    """|exp(-a^2) X| <= |p X| for a free p is false; and so is |exp(-a^2) X| <= u |X| for a free u."""
    quantity = absolute(TABLE["p"] * X)
    assert exceeds(quantity, sp.Abs(p * X))
    assert not holds("unit-combination", quantity, sp.Abs(p * X), ((ONE, p * X),), ONE, TABLE)
    u = symbol("u")
    assert exceeds(quantity, u * sp.Abs(X))
    assert not holds("unit-combination", quantity, u * sp.Abs(X), ((ONE, X),), u, {"u": TABLE["p"]})
