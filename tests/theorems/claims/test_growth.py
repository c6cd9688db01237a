"""Prints of claims about growth."""

from __future__ import annotations

import pytest
import sympy as sp

from theorems.algebra.expressions import ExpressionError
from theorems.claims.growth import Bound, bare, bound, corrected

HALF = sp.Rational(1, 2)


@pytest.mark.parametrize(
    ("printed", "exponent", "strict", "told"),
    [
        ("8", 8, False, "O(T**8)"),
        ("-1/2", -HALF, False, "O(1/sqrt(T))"),
        ("0", 0, False, "O(1)"),
        ("O(1)", 0, False, "O(1)"),
        ("O(T)", 1, False, "O(T)"),
        ("o(1)", 0, True, "o(1)"),
        (" o( T**2 ) ", 2, True, "o(T**2)"),
        ("o(sqrt(T))", HALF, True, "o(sqrt(T))"),
        ("o(1/T)", -1, True, "o(1/T)"),
    ],
)
def test_a_print_bounds_a_growth(printed: str, exponent: sp.Expr, strict: bool, told: str) -> None:
    found = bound(printed)
    assert found == Bound(sp.sympify(exponent), strict) and str(found) == told
    assert bound(told) == found
    assert bare(printed) == ("(" not in printed)


@pytest.mark.parametrize(
    "printed", ["O(n)", "o(2*T)", "o(T + 1)", "o(2)", "o(0)", "p", "O(T**p)", "o(1) + 1", "", "o()"]
)
def test_what_is_no_power_of_T_bounds_no_growth(printed: str) -> None:
    with pytest.raises(ExpressionError):
        bound(printed)


def test_little_o_leaves_its_own_exponent_out() -> None:
    for at, big, little in ((-HALF, True, True), (0, True, False), (HALF, False, False)):
        assert bound("O(1)").allows(sp.sympify(at)) == big
        assert bound("o(1)").allows(sp.sympify(at)) == little
    assert (bound("O(1)").largest(0.5), bound("o(1)").largest(0.5), bound("o(T)").largest(0.5)) == (0.0, -0.5, 0.5)


def test_a_correction_has_the_form_of_the_print() -> None:
    assert corrected("5/2", sp.Integer(3)) == "3"
    assert corrected("o(1)", sp.Integer(0)) == "O(1)"
    assert corrected("O(T)", 3 * HALF) == "O(T**(3/2))"
