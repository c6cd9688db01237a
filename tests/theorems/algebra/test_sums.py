"""Faulhaber's closed sums against sums term by term."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import ring_of
from theorems.algebra.sums import antidifference, close_sum, power_sum

k, n, T = symbol("k"), symbol("n"), symbol("T")


@pytest.mark.parametrize("degree", range(9))
def test_power_sums_term_by_term(degree: int) -> None:
    coefficients = power_sum(degree)
    for top in range(12):
        closed = sum(
            (Fraction(int(c.numerator), int(c.denominator)) * Fraction(top) ** p for p, c in coefficients), Fraction(0)
        )
        assert closed == sum(j**degree for j in range(1, top + 1))


@pytest.mark.parametrize("degree", range(9))
def test_closed_sums_term_by_term_and_empty(degree: int) -> None:
    closed = close_sum(k**degree + 3 * T * k, k, n + 1, T)
    for low in range(6):
        for high in range(low, 8):
            wanted = sum(j**degree + 3 * high * j for j in range(low + 1, high + 1))
            assert closed.subs({n: low, T: high}) == wanted
        assert closed.subs({n: low, T: low}) == 0


@settings(max_examples=40)
@given(st.lists(st.fractions(-3, 3, max_denominator=4), min_size=1, max_size=9), st.integers(-4, 4), st.integers(0, 6))
def test_sum_of_any_polynomial(coefficients: list[Fraction], low: int, length: int) -> None:
    body = sp.Add(*(sp.Rational(c.numerator, c.denominator) * k**p for p, c in enumerate(coefficients)))
    wanted = sum(
        (c * Fraction(j) ** p for p, c in enumerate(coefficients) for j in range(low, low + length)), Fraction(0)
    )
    found = close_sum(body, k, sp.Integer(low), sp.Integer(low + length - 1))
    assert found == sp.Rational(wanted.numerator, wanted.denominator)


def test_nested_sum_of_a_minimum() -> None:
    """sum_{a, b <= T} min(a, b) = T(T + 1)(2T + 1)/6."""
    below = close_sum(close_sum(k, k, sp.Integer(1), n), n, sp.Integer(1), T)
    above = close_sum(k * (T - k), k, sp.Integer(1), T)
    for length in range(1, 9):
        pairs = [(a, b) for a in range(1, length + 1) for b in range(1, length + 1)]
        assert below.subs(T, length) == sum(a for a, b in pairs if a <= b)
        assert (
            (below + above).subs(T, length)
            == sum(min(a, b) for a, b in pairs)
            == length * (length + 1) * (2 * length + 1) // 6
        )


def test_antidifference_telescopes_and_vanishes_at_zero() -> None:
    ring = ring_of(("j", "x"))
    j, x = ring.gens
    for power in range(9):
        summand = j**power * (x**2 - 3) + x
        primitive = antidifference(summand, 0)
        assert primitive - primitive.compose(j, j - 1) == summand
        assert primitive.compose(j, ring.zero) == 0
        assert primitive.compose(j, j + 1) - primitive != summand or power == 0


def test_a_term_that_cancels_is_no_term() -> None:
    """sum_j (j^2 - j) = (n^3 - n)/3, in which the squares cancel."""
    ring = ring_of(("j",))
    (j,) = ring.gens
    found = antidifference(j**2 - j, 0)
    assert found == (j**3 - j) / 3
    assert len(found) == 2 and all(found.values())


@pytest.mark.parametrize("body", ["1/k", "sqrt(k)", "2**k", "1/(k + 1)"])
def test_only_polynomials_are_summed(body: str) -> None:
    with pytest.raises((ValueError, sp.PolynomialError)):
        close_sum(sp.sympify(body, locals={"k": k}), k, sp.Integer(1), T)
