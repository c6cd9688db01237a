"""Corrections: one number changed keeps the form of the print; a presentable form is equal to what it presents."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theorems.algebra.expressions import parse, same
from theorems.gaussian.repair import _never, _points, presentable, repaired


@pytest.mark.parametrize(
    ("printed", "true", "form"),
    [
        ("(i - 1)*tr1", "i*tr1", "i*tr1"),
        (
            "(T**2*i - 2*T*i**2 - i**3)*tr2 + (T**2*i - i**3)*tr1**2",
            "(3*T**2*i - 2*T*i**2 - i**3)*tr2 + (T**2*i - i**3)*tr1**2",
            "(3*T**2*i - 2*T*i**2 - i**3)*tr2 + (T**2*i - i**3)*tr1**2",
        ),
        ("(theta - 1/2)*tr1/lam", "(theta - 1/3)*tr1/lam", "(theta - 1/3)*tr1/lam"),
        ("2*(i + 3)*tr1", "5*(i + 3)*tr1", "5*(i + 3)*tr1"),
        ("(i + j)**2*tr2", "(i + 2*j)**2*tr2", None),
        ("(i + j)*tr2", "(i + j**2)*tr2", "(i + j**2)*tr2"),
        ("T**4/4*tr1**2", "T**3/4*tr1**2", "T**3/4*tr1**2"),
        ("i*(i + j)*tr2", "i*(i + j + 4)*tr2", "i*(i + j + 4)*tr2"),
        ("0", "7", "7"),
        ("i*tr1", "j*tr1", None),
        ("(i - 1)*tr1", "(2*i + 5)*tr1", None),
        ("i*tr1 + tr2", "2*i*tr1 + 2*tr2", "2*i*tr1 + 2*tr2"),
    ],
)
def test_one_number_is_enough_or_it_is_not(printed: str, true: str, form: str | None) -> None:
    found = repaired(parse(printed), parse(true))
    if form is None:
        assert found is None
        return
    assert found is not None
    assert same(found, parse(true))
    assert found == parse(form) or sp.simplify(found - parse(form)) == 0
    assert sp.count_ops(found) <= sp.count_ops(parse(printed)) + 2


@pytest.mark.parametrize(
    ("template", "true", "never"),
    [
        ("(i + repair_c)*tr1", "(i + 3)*tr1", False),
        ("(i + repair_c)*tr1", "(i + j)*tr1", True),
        ("i**2*tr1", "i*tr1", True),
        ("i*tr1", "i*tr1", False),
        ("1/(i + repair_c)", "1/(i + 2)", False),
        # a point where it is no number, an unknown that is squared, and a root tell nothing
        ("repair_c/(i - 3)", "j/(i - 3)", False),
        ("repair_c**2*i", "4*i", False),
        ("repair_c*sqrt(i)", "2*sqrt(j)", False),
    ],
)
def test_a_look_at_two_points_leaves_out_what_is_never_true(template: str, true: str, never: bool) -> None:
    value = parse(true)
    points = _points(parse(template).free_symbols - {sp.Symbol("repair_c")} | value.free_symbols)
    assert _never(parse(template), points, [value.xreplace(point) for point in points]) is never


def test_the_form_of_the_print_is_kept() -> None:
    printed = parse("(i**2 + T*i)*tr2 + (i**2 - 2*i + 2)*tr1**2")
    true = parse("(i**2 + 4*T*i)*tr2 + (i**2 - 2*i + 2)*tr1**2")
    assert str(repaired(printed, sp.expand(true))) == str(true)
    # the true value itself comes back as it was printed
    assert repaired(printed, sp.expand(printed)) == printed


numbers = st.fractions(-4, 4, max_denominator=6).map(lambda f: sp.Rational(f.numerator, f.denominator))
words = st.lists(st.sampled_from(["tr1", "tr2", "tr3", "mWm"]), max_size=2)
powers = st.tuples(*(st.integers(low, 2) for low in (0, 0, -2, -2)))


def monomial(coefficient: sp.Expr, exponents: tuple[int, ...], names: list[str]) -> sp.Expr:
    positions = [sp.Symbol(n) for n in ("i", "theta", "T", "lam")]
    return sp.Mul(
        coefficient, *(s**p for s, p in zip(positions, exponents, strict=True)), *(sp.Symbol(n) for n in names)
    )


polynomials = st.lists(st.builds(monomial, numbers, powers, words), max_size=6).map(lambda terms: sp.Add(*terms))


@settings(max_examples=120)
@given(polynomials)
def test_a_presentable_form_is_equal_to_its_input(expression: sp.Expr) -> None:
    shown = presentable(expression)
    assert sp.expand(shown - expression) == 0
    assert sp.expand(sp.sympify(str(shown)) - expression) == 0
    assert shown.free_symbols <= expression.free_symbols


@settings(max_examples=40)
@given(polynomials, numbers.filter(bool))
def test_a_repair_is_true_or_none(expression: sp.Expr, error: sp.Expr) -> None:
    terms = sp.Add.make_args(expression)
    printed = sp.Add(*terms[1:], terms[0] * (1 + error)) if expression != 0 else error
    found = repaired(printed, expression)
    assert found is not None or error == -1 or expression == 0
    if found is not None:
        assert sp.expand(found - expression) == 0


def test_a_common_coefficient_is_taken_out() -> None:
    assert str(presentable(parse("i**2*tr1**2 + 2*i**2*tr2"))) == "i**2*(tr1**2 + 2*tr2)"
    assert str(presentable(parse("T**3*tr1**2/3 + 5*T**3*tr2/6"))) == "T**3*(2*tr1**2 + 5*tr2)/6"
    assert str(presentable(parse("theta*tr1/lam - tr1/(2*lam)"))) == "tr1*(theta - 1/2)/lam"
    assert presentable(parse("i*j - 1")) == parse("i*j - 1")
