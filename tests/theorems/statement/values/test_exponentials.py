"""What cancels exactly is seen to, where balls only say that it is near 0."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorems.algebra.balls import precision
from theorems.statement import Expr, proposition
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.exponentials import vanishes
from theorems.statement.values.values import compared, scalar

KNOWN = "s in R^n, v[1..n] in R^d"


def _left(text: str) -> Expr:
    return proposition(f"{text} <= 1", KNOWN).left


def _case(s: tuple[int | str, ...], v: tuple[tuple[int, ...], ...] = ()) -> Case:
    v = v or ((1,),) * len(s)
    members = tuple(tuple(map(Fraction, row)) for row in v)
    numbers = {"n": Fraction(len(s)), "d": Fraction(len(members[0]))}
    return Case(numbers, sequences={"s": tuple(map(Fraction, s))}, families={"v": members})


@pytest.mark.parametrize(
    ("text", "s"),
    [
        ("softmax(s)[1] - softmax(s)[2]", (1, 1, 0)),
        ("exp(s[1])*exp(s[2]) - exp(s[1] + s[2])", ("1/3", "2/7")),
        ("sum(softmax(s)[j], j, 1, n) - 1", (1, 0, "5/2")),
        ("norm(sum(softmax(s)[j]*v[j], j, 1, n))", (2, 2, 0)),
        ("norm(sum(exp(s[j])*v[j], j, 1, n) - 2*exp(s[1])*v[2]) - 2*exp(s[1])", ("1/2", "1/2", 1)),
        ("exp(s[1])/exp(s[2]) - exp(s[1] - s[2])", (3, "1/2")),
    ],
)
def test_what_cancels_vanishes_and_balls_do_not_tell(text: str, s: tuple[int | str, ...]) -> None:
    case = _case(s, ((1,), (-1,), (0,)))
    node = _left(text)
    assert vanishes(node, case)
    assert compared(node, Expr("number", (Fraction(0),)), case) == 0
    with precision(256):
        assert not isinstance(scalar(node, case), Fraction)


@pytest.mark.parametrize(
    ("text", "s"),
    [
        # a name that is an index of a sum, too: n = 2 after it
        ("sum(softmax(n*s)[1], n, 1, 3) - softmax(s)[1] - softmax(2*s)[1] - softmax(n*s)[1]", (1, 0)),
        ("softmax(s)[1] - softmax(s)[2]", (1, "1000001/1000000")),
        ("exp(s[1]) - 1 - s[1]", ("1/1000000", 0)),
        ("norm(sum(softmax(s)[j]*v[j], j, 1, n))", (2, "2000001/1000000")),
        ("sum(softmax(s)[j], j, 1, n) - softmax(s)[1]", (1, 0)),
        ("exp(exp(s[1])) - exp(exp(s[2]))", (1, 1)),
    ],
)
def test_what_is_only_near_zero_or_of_another_kind_does_not(text: str, s: tuple[int | str, ...]) -> None:
    assert not vanishes(_left(text), _case(s, ((1,), (-1,))))


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=5), st.data())
@settings(max_examples=60, deadline=None)
def test_a_sum_vanishes_only_where_its_coefficients_at_every_exponent_do(
    exponents: list[int], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(-2, 2), min_size=len(exponents), max_size=len(exponents)))
    case = _case(tuple(exponents), tuple((w,) for w in weights))
    groups = {e: sum(w for f, w in zip(exponents, weights, strict=True) if f == e) for e in exponents}
    node = _left("norm(sum(exp(s[j])*v[j], j, 1, n))")
    assert vanishes(node, case) == (not any(groups.values()))


def test_a_hypothesis_that_an_output_is_zero_admits_what_cancels() -> None:
    prop = proposition("softmax(s)[1] <= 1", f"{KNOWN}, norm(sum(softmax(s)[j]*v[j], j, 1, n)) = 0")
    assert admissible(prop, _case((1, 1, 1), ((1, 0), (-1, 1), (0, -1)))) == ""
    assert "norm" in admissible(prop, _case((1, 1, 2), ((1, 0), (-1, 1), (0, -1))))
