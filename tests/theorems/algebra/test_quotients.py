"""Rational functions in lowest terms: as sympy has them, and what is none is left to it."""

from __future__ import annotations

import pytest
import sympy as sp

from theorems.algebra.quotients import NotRationalError, cancelled, quotient

x, y, z = sp.symbols("x y z")
FUNCTIONS = (
    (x**2 - y**2) / (x - y),
    1 / x + 1 / y - (x + y) / (x * y),
    (x + y / 3) ** 3 / (2 * x + 2 * y / 3) - z / (x + y),
    (x**3 - 1) / (x**2 + x + 1) / (x - 1),
    -x / (-y - z) + 5,
    sp.Rational(2, 3) * x * (y + z) ** -2,
    sp.Integer(7) / 3,
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_lowest_terms_are_sympy_s(function: sp.Expr) -> None:
    above, below = cancelled(function)
    p, q = sp.fraction(sp.cancel(sp.together(function)))
    assert sp.expand(above * q - below * p) == 0
    assert sp.gcd(above, below).is_number
    assert below.is_number or sp.Poly(below, *sorted(below.free_symbols, key=str)).LC() == 1


def test_symbols_of_one_name_are_told_apart() -> None:
    one, two = sp.Dummy("v", positive=True), sp.Dummy("v")
    assert cancelled((one**2 - two**2) / (one + two))[0] in (one - two, -two + one)


@pytest.mark.parametrize("other", [sp.sqrt(x) / x, sp.exp(x), sp.sqrt(2) * x, sp.Pow(0, -1, evaluate=False)])
def test_what_is_no_quotient_of_polynomials_is_refused(other: sp.Expr) -> None:
    with pytest.raises(NotRationalError):
        quotient(other)


def test_roots_are_left_to_sympy() -> None:
    above, below = cancelled((x - 1) / (sp.sqrt(x) + 1))
    assert sp.simplify(above / below - (sp.sqrt(x) - 1)) == 0
