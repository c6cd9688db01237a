"""Closed expressions: what the normal form proves is true, what the balls disprove is false, and true identities."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theorems.algebra.closed import equal, names, points, substituted, vanishes
from theorems.algebra.expressions import parse, symbol
from theorems.kernel.deriving import derive

x, y, theta, eta = (symbol(name) for name in ("x", "y", "theta", "eta"))
HALF = sp.Rational(1, 2)

#: Places where a formula in x, y and theta is looked at; x may be negative.
PLACES = [("0.37", "1.9", "0.81"), ("2.3", "0.11", "0.27"), ("-1.7", "0.6", "0.64"), ("-0.2", "3.1", "0.05")]

leaves = st.sampled_from(
    [x, y, theta, *map(sp.Integer, (1, 2, 3)), HALF, -x, x - 1, theta - HALF, x**2, 4 * theta**2 + 1]
)


def _larger(inner: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda pair: pair[0] + pair[1]),
        two.map(lambda pair: pair[0] - pair[1]),
        two.map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.sampled_from([x**2 + 1, y, sp.sqrt(y) + 1, x + sp.sqrt(x**2), theta + 2])).map(
            lambda pair: pair[0] / pair[1]
        ),
        inner.map(lambda e: sp.sqrt(e**2 + 1)),
        inner.map(lambda e: sp.sqrt(e)),
        inner.map(lambda e: sp.sqrt(e**2)),
        inner.map(lambda e: e**2),
        inner.map(sp.erf),
        inner.map(sp.Abs),
        inner.map(lambda e: sp.exp(-(e**2))),
    )


expressions = st.recursive(leaves, _larger, max_leaves=6)
plain = st.one_of(
    leaves, leaves.map(lambda e: sp.sqrt(e**2 + 1)), leaves.map(sp.erf), leaves.map(lambda e: e / (sp.sqrt(y) + 1))
)


def values(expression: sp.Expr) -> list[Any]:
    """Finite values at the places where the expression is defined, 30 digits."""
    function = sp.lambdify([x, y, theta], expression, "mpmath")
    found = []
    with mpmath.workdps(30):
        for place in PLACES:
            try:
                value = function(*map(mpmath.mpf, place))
            except (ZeroDivisionError, ValueError, OverflowError):
                continue
            if mpmath.isfinite(value):
                found.append(value)
    return found


def nowhere_zero(expression: sp.Expr) -> bool:
    """Whether some place shows that the expression is not identically 0."""
    with mpmath.workdps(30):
        return any(abs(value) > mpmath.mpf(10) ** -12 for value in values(expression))


@settings(max_examples=100)
@given(expressions, expressions)
def test_what_is_said_to_vanish_is_zero(one: sp.Expr, other: sp.Expr) -> None:
    """Random formulas, their differences, and near copies: none that has a value other than 0 is said to vanish."""
    for candidate in (
        one - other,
        one,
        one - one.xreplace({theta: theta + 1}),
        one - one.xreplace({x: -x}),
        one + other,
    ):
        if not candidate.has(sp.zoo, sp.nan, sp.oo) and nowhere_zero(candidate):
            assert not vanishes(candidate), candidate


@settings(max_examples=60)
@given(expressions, expressions, st.sampled_from([sp.erf, sp.exp, sp.Abs, sp.sqrt]))
def test_no_two_arguments_become_one(one: sp.Expr, other: sp.Expr, function: Any) -> None:
    """f(p) - f(q) vanishes only where p and q do not differ (f is one to one, or the values say so)."""
    gap = function(one) - function(other)
    assume(not gap.has(sp.zoo, sp.nan, sp.oo))
    if nowhere_zero(gap):
        assert not vanishes(gap), gap


@settings(max_examples=30)
@given(plain, plain)
def test_true_rewritings_vanish(one: sp.Expr, other: sp.Expr) -> None:
    """Products multiplied out, squares of roots, and odd arguments: the normal form proves them."""
    assert vanishes((one + other) ** 2 - one**2 - 2 * one * other - other**2)
    assert vanishes(sp.sqrt(one**2 + 1) ** 2 - one**2 - 1)
    assert vanishes(sp.erf(one) + sp.erf(-one))
    assert not vanishes(one - one + 1)


#: Arguments over a denominator that is 0 on one side (x + |x| for x < 0): unequal where they are defined.
BRANCHES = ["x + sqrt(x**2)", "sqrt(x)*sqrt(y) + sqrt(x*y)", "sqrt(x**2*y) + x*sqrt(y)", "sqrt(x**4) + x**2"]


@pytest.mark.parametrize("below", BRANCHES)
@pytest.mark.parametrize("function", [sp.exp, sp.erf])
def test_a_denominator_that_its_conjugate_kills_makes_no_two_things_one(below: str, function: Any) -> None:
    """1/(x + sqrt(x^2)) = 1/(2 x) for x > 0, but multiplying with x - sqrt(x^2) leaves 0/0 for every argument."""
    one = 1 / parse(below)
    assert nowhere_zero(function(one) - function(3 * one))
    assert not vanishes(function(one) - function(3 * one))
    assert not vanishes(function(one) - function(one + 1))
    assert equal(function(one), function(3 * one)) is not True


#: Identities as the derivations of localisation.py need them; v, eta > 0 where a root of a square stands.
TRUE = [
    ("sqrt(8)*x", "2*sqrt(2)*x"),
    ("1/sqrt(2*y)", "sqrt(2*y)/(2*y)"),
    ("sqrt(x/2)", "sqrt(2*x)/2"),
    ("(x + sqrt(y))*(x - sqrt(y))", "x**2 - y"),
    ("1/(1 + sqrt(2))", "sqrt(2) - 1"),
    ("sqrt(3 + sqrt(y))**2", "3 + sqrt(y)"),
    ("(4*theta**2 + 7/6)**(3/2)", "(2*(2*theta**2 + 7/12))*sqrt(4*theta**2 + 7/6)"),
    ("1/sqrt(2*(2*theta**2 + 7/12))", "sqrt(4*theta**2 + 7/6)/(4*theta**2 + 7/6)"),
    ("erf((1 - x)/sqrt(2*y))", "-erf((x - 1)/sqrt(2*y))"),
    ("erf((x - 1)*sqrt(2)/(2*sqrt(y)))", "erf(x/sqrt(2*y) - 1/sqrt(2*y))"),
    ("exp(-(x - 1/2)**2/(2*y))", "exp(-(2*x - 1)**2/(8*y))"),
    ("exp(-x**2/(4*theta**2 + 7/6))", "exp(-6*x**2/(24*theta**2 + 7))"),
    ("sqrt(x**2)**2", "x**2"),
    ("sqrt(x)*sqrt(x)", "x"),
    ("Abs(x)*(y + 1)", "Abs(x)*y + Abs(x)"),
    ("Max(x*(y + 1), 2)", "Max(x*y + x, 2)"),
    ("sqrt(12*x + 12)", "2*sqrt(3)*sqrt(x + 1)"),
]


@pytest.mark.parametrize(("left", "right"), TRUE, ids=[left for left, _ in TRUE])
def test_true_identities_are_proved(left: str, right: str) -> None:
    one, other = parse(left), parse(right)
    assert vanishes(one - other)
    assert equal(one, other) is True
    # a number, a sign or an index off, and it is proved no longer
    for wrong in (other + sp.Rational(1, 10**6), -other, other * sp.Rational(1001, 1000)):
        assert not vanishes(one - wrong)
        assert equal(one, wrong) is False


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # true on one side of 0 only
        ("sqrt(x**2)", "x"),
        ("Abs(x)", "x"),
        ("sqrt(x*y)", "sqrt(x)*sqrt(y)"),
        ("sqrt(x**2*y)", "x*sqrt(y)"),
        # true for all real x, but by a law that the normal form does not use
        ("exp(x)*exp(y - 3)", "exp(x + y - 3)"),
        ("Abs(x)**2", "x**2"),
        ("log(exp(x))", "x"),
    ],
)
def test_what_is_not_an_identity_of_the_normal_form_is_left_open(left: str, right: str) -> None:
    """Where all points that are looked at agree, the answer is none."""
    one, other = parse(left), parse(right)
    if one != other:
        assert equal(one, other) in (None, True)
    if left in ("sqrt(x**2)", "Abs(x)", "sqrt(x*y)", "sqrt(x**2*y)"):
        assert not vanishes(one - other)
        assert equal(one, other) is None


def test_equal_is_false_at_a_point_only() -> None:
    assert equal(parse("erf(x)"), parse("erf(x) + 10**-30".replace("10**-30", "1/10**30"))) is False
    assert equal(parse("Abs(x - 100)"), parse("100 - x")) is None
    assert equal(parse("sqrt(2)"), parse("3/2")) is False
    assert equal(sp.Integer(0), sp.Integer(0)) is True
    # no real value anywhere
    assert equal(parse("sqrt(-1 - x**2)"), parse("x")) is None
    # a function without balls
    assert equal(sp.tan(x), x) is None


def test_indicators_are_compared_or_left_open() -> None:
    """A print with an indicator in the place of a formula must not break the comparison."""
    step = parse("Indicator(theta >= 1/2)")
    assert not vanishes(step - 1)
    assert equal(step, sp.Integer(1)) is False
    assert equal(step, step) is True


def test_the_points_are_admissible() -> None:
    for point in points(["i", "j", "T", "d", "theta", "eta", "xi"]):
        assert 1 <= point["i"] <= point["j"] <= point["T"] and point["d"] >= 1
        assert all(point[name].denominator == 1 for name in ("i", "j", "T", "d"))
        assert 0 < point["theta"] < 1 and point["eta"] > 0
    assert points([]) and all(point == {} for point in points([]))


def test_helpers() -> None:
    assert names(parse("x*exp(y) + 2")) == {"x", "y"}
    # names are put in at once, not one after the other
    assert substituted(x + 2 * y, {"x": y, "y": x}) == y + 2 * x


def test_every_closed_value_of_the_section_is_recognised_and_told_from_others() -> None:
    """The derived slope against itself in another form, and against copies with one exponent or sign moved."""
    slope = derive("bao2024.appC.lemma2-derivative").ratio("").expr
    again = sp.expand_mul(slope.replace(sp.exp, lambda part: sp.exp(sp.factor(part))))
    assert again != slope
    assert vanishes(slope - again)
    moved = [
        slope.xreplace({theta: 1 - theta}),
        slope.xreplace({eta: 2 * eta}),
        slope + sp.exp(-(theta**2)) / 10**9,
        slope.xreplace({node: 1 / node for node in slope.atoms(sp.exp)}),
        -slope,
    ]
    for wrong in moved:
        assert not vanishes(slope - wrong)
        assert equal(slope, wrong) is False


def test_places_are_used() -> None:
    """The numerical check sees what is not 0, and nothing where it is 0."""
    assert nowhere_zero(sp.sqrt(x**2) - x)
    assert not nowhere_zero(sp.sqrt(x**2) - sp.Abs(x))
    assert math.isclose(float(values(x + y)[0]), 0.37 + 1.9)


def test_powers_of_a_number_are_brought_to_one_unknown() -> None:
    assert vanishes(2**x * 2 ** (1 - x) - 2)
    assert vanishes(parse("2**(3*x - 2)") - 2**x / 4 * parse("2**(2*x)"))
    assert vanishes(parse("2**(x/2)") - parse("2**(x/2 + 1)") / 2)
    assert not vanishes(2**x * 2 ** (1 - x) - 1)
    assert not vanishes(parse("2**(2*x)") - parse("2**x"))
    assert not vanishes(parse("2**(x/2)") - parse("2**x"))


def test_sums_over_a_row_of_pascals_triangle_are_compared_at_whole_numbers() -> None:
    row = parse("Sum(binomial(points - 1, k), k, 0, dim - 1)")
    assert equal(2 ** (1 - symbol("points")) * row, 2 * row / 2 ** symbol("points")) is True
    for wrong in ("Sum(binomial(points - 1, k), k, 0, dim)", "Sum(binomial(points, k), k, 0, dim - 1)"):
        assert equal(row, parse(wrong)) is False
    assert equal(2 ** (1 - symbol("points")) * row, HALF) is False
