"""Polynomials over a monomial: arithmetic against Fractions at points, and the normal form."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems.bruteforce import number
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio, ring_of, total

NAMES = ("T", "i", "tr1")
POINT = {"T": Fraction(7), "i": Fraction(-3, 2), "tr1": Fraction(5, 3)}


def polynomial(table: dict[tuple[int, int, int], int], below: tuple[int, int, int]) -> Ratio:
    return Ratio(
        ring_of(NAMES).from_dict({k: ring_of(NAMES).domain(v) for k, v in table.items() if v}),
        dict(zip(NAMES, below, strict=True)),
    )


def at(table: dict[tuple[int, int, int], int], below: tuple[int, int, int]) -> Fraction:
    def monomial(powers: tuple[int, int, int]) -> Fraction:
        value = Fraction(1)
        for name, power in zip(NAMES, powers, strict=True):
            value *= POINT[name] ** power
        return value

    return sum((v * monomial(k) for k, v in table.items()), Fraction(0)) / monomial(below)


small = st.integers(0, 2)
tables = st.dictionaries(st.tuples(small, small, small), st.integers(-3, 3), max_size=4)
belows = st.tuples(small, small, small)


@settings(max_examples=60)
@given(tables, belows, tables, belows)
def test_arithmetic_is_that_of_fractions_at_a_point(
    one: dict[tuple[int, int, int], int],
    low: tuple[int, int, int],
    two: dict[tuple[int, int, int], int],
    under: tuple[int, int, int],
) -> None:
    a, b, x, y = polynomial(one, low), polynomial(two, under), at(one, low), at(two, under)
    assert number((a + b).expr, POINT) == x + y
    assert number((a - b).expr, POINT) == x - y
    assert number((a * b).expr, POINT) == x * y
    assert number((a**2).expr, POINT) == x * x
    assert number((3 - a).expr, POINT) == 3 - x
    assert a.at({k: float(v) for k, v in POINT.items()}) == pytest.approx(float(x), rel=1e-12, abs=1e-12)
    if a == b:
        assert hash(a) == hash(b)
        assert x == y
    assert (a == b) == (sp.expand(a.expr - b.expr) == 0)
    assert Ratio.from_expr(a.expr) == a


@settings(max_examples=40)
@given(tables, belows, st.sampled_from(NAMES))
def test_terms_put_the_value_together_again(
    table: dict[tuple[int, int, int], int], below: tuple[int, int, int], name: str
) -> None:
    value = polynomial(table, below)
    parts = value.terms(name)
    assert all(name not in c.names for c in parts.values())
    again = total(c * Ratio.of(name) ** p if p >= 0 else c / Ratio.of(name) ** -p for p, c in parts.items())
    assert again == value


def test_equal_values_have_one_normal_form_and_unequal_ones_differ() -> None:
    T, i = Ratio.of("T"), Ratio.of("i")
    assert (i * T) / T == i
    assert repr((i * T) / T) == "i"
    assert ((i * T) / T).names == {"i"}
    assert (i + 1) * (i - 1) == i**2 - 1
    assert i / T != i / T**2
    assert Ratio.of(2) == 2
    assert Ratio.of(Fraction(1, 3)) != Fraction(1, 2)
    assert Ratio.of("i") == "i"
    assert (i == object()) is False


def test_division_needs_a_single_term() -> None:
    T, i = Ratio.of("T"), Ratio.of("i")
    assert (1 / T.expr) == (Ratio.of(1) / T).expr
    assert Ratio.of(6) / (2 * i / T) == 3 * T / i
    with pytest.raises(ZeroDivisionError, match="expected a single non-zero term"):
        i / (T + 1)
    with pytest.raises(ZeroDivisionError, match="expected a single non-zero term"):
        i / 0


def test_substitution_replaces_every_power() -> None:
    T, i = Ratio.of("T"), Ratio.of("i")
    value = i**2 + i / T
    assert value.substitute("i", T - 1) == (T - 1) ** 2 + (T - 1) / T
    assert (i / T).substitute("T", 2 * i) == Fraction(1, 2)
    with pytest.raises(ZeroDivisionError):
        (i / T).substitute("T", T + 1)


def test_zero_can_be_put_in() -> None:
    T, i = Ratio.of("T"), Ratio.of("i")
    assert (i**2 * T + 3 * i + 5).substitute("i", 0) == 5
    assert (i * T + T).substitute("i", 0) == T
    assert (i * T).substitute("i", 0) == 0
    assert (T + 1).substitute("i", 0) == T + 1
    assert Ratio.of(0).substitute("i", 0) == 0
    assert (i / T - 1).substitute("i", 0) == -1
    with pytest.raises(ZeroDivisionError):
        (T / i).substitute("i", 0)


def test_the_power_nought_is_one() -> None:
    T = Ratio.of("T")
    assert T**0 == (T + 1) ** 0 == Ratio.of(0) ** 0 == 1
    assert (T**0).names == frozenset()


def test_a_constant_hashes_like_the_number_that_it_equals() -> None:
    for number_ in (0, 1, -3, 10**30, Fraction(1, 3), Fraction(-7, 2)):
        value = Ratio.of(number_)
        assert value == number_
        assert hash(value) == hash(number_)
        assert len({value, number_, Ratio.of("T") - "T" + number_}) == 1
    assert {Ratio.of(2): "two"}[2] == "two"  # type: ignore[index]
    T, i = Ratio.of("T"), Ratio.of("i")
    assert hash((i * T) / T + 1) == hash(i + 1)
    assert len({i, T, i + 1, i / T, Ratio.of(1)}) == 5


def test_reading_expressions() -> None:
    T, i, tr1 = (symbol(n) for n in NAMES)
    assert (
        Ratio.from_expr((i - (T + 1) / 2) * tr1 / T)
        == Ratio.of("i") * "tr1" / "T" - Ratio.of("tr1") / 2 - Ratio.of("tr1") / 2 / "T"
    )
    assert Ratio.from_expr((i**2 - 1) / (T * (i - 1))) == (Ratio.of("i") + 1) / "T"
    with pytest.raises(ValueError, match="expected a monomial"):
        Ratio.from_expr(i / (T + 1))
    with pytest.raises(TypeError, match="is no coefficient"):
        Ratio.of(1.5)


def test_summed_telescopes() -> None:
    j, T = Ratio.of("j"), Ratio.of("T")
    closed = (j**2 * T + j / T).summed("j")
    assert closed - closed.substitute("j", j - 1) == j**2 * T + j / T
    assert closed.substitute("j", 0) == 0
    with pytest.raises(ValueError, match="not a polynomial in T"):
        (j / T).summed("T")


def test_values_need_every_name() -> None:
    with pytest.raises(KeyError):
        (Ratio.of("i") + "T").at({"i": 1.0})
