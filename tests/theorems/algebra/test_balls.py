"""Ball arithmetic: enclosures hold at random points, signs and covers are certified, the precision is put back."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theorems.algebra.balls import at, ball, between, positive, precision, rational, sign
from theorems.algebra.expressions import parse, symbol

#: Formulas with every operation that balls know; real for x, y in (0, 4].
FORMULAS = [
    "x**2 - 3*x*y + y/7",
    "sqrt(x + y)*exp(-x*y)",
    "erf((x - y)/sqrt(2*x))/2 - erf(-y)",
    "1/(x + y)**3 + log(x*y)",
    "(x + 1/3)**(3/2)/(y + 2)**(1/2)",
    "x**(1/3) + y**(2/3)",
    "Abs(x - y)*Max(x, y, x*y) - Min(x, 2*y)",
    "pi*exp(1)*x - sqrt(2)*y",
    "Indicator(x >= y - sqrt(2)/2)*x**2 + Indicator(x < y + sqrt(3)/2)*y",
    "exp(-(x - 1/2)**2/(2*y))/sqrt(2*pi*y)",
]
fractions = st.fractions(Fraction(1, 50), 4, max_denominator=60)


def read(text: str) -> sp.Expr:
    return parse(text.replace("exp(1)", "e")).xreplace({symbol("e"): sp.E})


def exact(expression: sp.Expr, point: dict[str, Fraction]) -> Any:
    """The value by mpmath, 60 digits."""
    names = sorted(point)
    function = sp.lambdify([symbol(n) for n in names], expression, "mpmath")
    with mpmath.workdps(60):
        return mpmath.mpf(function(*(mpmath.mpf(point[n].numerator) / point[n].denominator for n in names)))


def holds(enclosure: flint.arb, value: Any) -> bool:
    """Whether a ball holds a number that is known to 50 digits."""
    with mpmath.workdps(60), precision(256):
        text = mpmath.nstr(value, 55, strip_zeros=False, min_fixed=1, max_fixed=0)
        return bool(enclosure.overlaps(flint.arb(text) + flint.arb(0, 1e-45) * (1 + abs(flint.arb(text)))))


@settings(max_examples=40)
@given(st.sampled_from(FORMULAS), fractions, fractions, st.sampled_from([40, 128]))
def test_enclosures_hold_the_value(text: str, x: Fraction, y: Fraction, bits: int) -> None:
    expression, point = read(text), {"x": x, "y": y}
    found = at(expression, point, bits)
    value = exact(expression, point)
    assert holds(found, value)
    # and they are narrow: a value that is a little off lies outside
    assert float(found.rad()) <= 2.0 ** (12 - bits) * (1 + abs(float(value)))
    assert not holds(found, value + mpmath.mpf(2) ** (16 - bits) * (1 + abs(value)))


@settings(max_examples=40)
@given(st.sampled_from(FORMULAS[:8]), fractions, fractions, st.fractions(0, 1, max_denominator=9))
def test_enclosures_of_an_interval_hold_every_value_in_it(text: str, x: Fraction, y: Fraction, part: Fraction) -> None:
    width = Fraction(1, 64)
    with precision(64):
        found = ball(read(text), {"x": between(x, x + width), "y": between(y, y + width)})
    inside = {"x": x + part * width, "y": y + (1 - part) * width}
    assert holds(found, exact(read(text), inside))


def test_rationals_and_intervals() -> None:
    with precision(64):
        assert holds(rational(Fraction(1, 3)), exact(sp.Rational(1, 3), {}))
        wide = between(Fraction(-1, 3), 2)
    for inside in (Fraction(-1, 3), 0, 2):
        assert wide.overlaps(rational(inside))
    assert not wide.overlaps(rational(Fraction(201, 100))) and not wide.overlaps(rational(Fraction(-34, 100)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y**2 - 2*y", 0),
        ("x - 1/3 + y/10**60", 1),
        ("x - 1/3 - y/10**60", -1),
        ("erf(x) - erf(x + y)", -1),
        ("exp(x) - 1 - x", 1),
        # exactly 0, as rationals are; among roots no ball of finite precision can tell
        ("x - 1/3", 0),
        ("sqrt(3*x + y + 2 + 2*sqrt(6)) - sqrt(2) - sqrt(3)", None),
        # no real value
        ("sqrt(x - y)", None),
        ("log(x - 1/3)", None),
    ],
)
def test_signs(text: str, expected: int | None) -> None:
    assert sign(parse(text), {"x": Fraction(1, 3), "y": 2}) == expected


@settings(max_examples=40)
@given(st.sampled_from(FORMULAS), fractions, fractions, st.integers(-60, 60))
def test_a_sign_is_never_wrong(text: str, x: Fraction, y: Fraction, shift: int) -> None:
    """The formula less a number near its value: mpmath's sign, or none."""
    point = {"x": x, "y": y}
    value = exact(read(text), point)
    near = Fraction(str(mpmath.nstr(value, 12))) + Fraction(shift, 10**13)
    with mpmath.workdps(60):
        gap = value - mpmath.mpf(near.numerator) / near.denominator
    found = sign(read(text) - sp.Rational(near.numerator, near.denominator), point)
    if abs(gap) > mpmath.mpf(10) ** -40:
        assert found == int(mpmath.sign(gap))


def test_positive_on_an_interval() -> None:
    t = symbol("t")
    assert positive(t**2 - t + sp.Rational(1, 2), "t", 0, 1)
    assert positive(sp.exp(-t) - sp.Rational(1, 3), "t", 0, 1)
    assert positive(sp.Integer(1), "t", 0, 1)
    rejected = [
        # a zero at an end, in the middle, between the pieces' ends, and of even order
        t,
        1 - t,
        t - sp.Rational(1, 2),
        (t - sp.Rational(1, 2)) ** 2,
        (t - sp.Rational(1, 3)) ** 2,
        t**2 - sp.Rational(1, 2),
        # negative, a pole, not real, 0, and of another name
        -1 - t,
        1 / (t - sp.Rational(1, 3)) ** 2,
        sp.sqrt(t - 2),
        sp.Integer(0),
        t + symbol("s") ** 2 + 1,
    ]
    for function in rejected:
        assert not positive(function, "t", 0, 1), function
    # the interval counts
    assert positive(t - sp.Rational(1, 2), "t", 1, 2)
    assert positive(t, "t", Fraction(1, 100), 1)


def test_a_branch_is_taken_only_where_its_condition_is_certain() -> None:
    t = symbol("t")
    half = sp.Rational(1, 2)
    relations = {
        sp.Ge: (1, 1, 0),
        sp.Gt: (1, 0, 0),
        sp.Le: (0, 1, 1),
        sp.Lt: (0, 0, 1),
        sp.Eq: (0, 1, 0),
        sp.Ne: (1, 0, 1),
    }
    for relation, (above, edge, below) in relations.items():
        step = sp.Piecewise((sp.Integer(1), relation(t, half)), (sp.Integer(0), True))
        for value, expected in ((Fraction(3, 4), above), (Fraction(1, 2), edge), (Fraction(1, 4), below)):
            assert at(step, {"t": value}) == expected
        with precision(64):
            wide = between(Fraction(1, 4), Fraction(3, 4))
            with pytest.raises(ValueError, match="not settled by balls"):
                ball(step, {"t": wide})
            # touching the edge settles a weak relation and not its converse
            touching = between(Fraction(1, 2), Fraction(3, 4))
            try:
                assert ball(step, {"t": touching}) in {sp.Ge: (1,), sp.Lt: (0,)}.get(relation, ())
            except ValueError as error:
                assert "not settled" in str(error)
    none = sp.Piecewise((sp.Integer(1), t > 5))
    with pytest.raises(ValueError, match="no branch"):
        at(none, {"t": Fraction(1)})


def test_what_balls_do_not_know() -> None:
    t = symbol("t")
    for other in (sp.tan(t), sp.floor(t), sp.Heaviside(t), sp.zeta(t)):
        with pytest.raises(ValueError, match="no ball arithmetic"):
            at(other, {"t": 1})
    with pytest.raises(KeyError):
        at(t + symbol("s"), {"t": 1})


def test_the_precision_is_put_back() -> None:
    before = flint.ctx.prec
    with pytest.raises(ValueError):
        at(sp.tan(symbol("t")), {"t": 1}, bits=333)
    assert flint.ctx.prec == before
    sign(parse("sqrt(2*t) - sqrt(3*t)"), {"t": 1})
    assert not positive(symbol("t"), "t", 0, 1)
    assert flint.ctx.prec == before
    with precision(99), precision(77):
        assert flint.ctx.prec == 77
    assert flint.ctx.prec == before
