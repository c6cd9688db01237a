"""Partial sums of a row of Pascal's triangle: their numbers, what stays unevaluated, and how they are written."""

from __future__ import annotations

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.pascal import MAX_ROW, RowSum

n, m = symbol("n"), symbol("m")


def test_the_numbers_term_by_term() -> None:
    for row in range(-4, 8):
        for last in range(-3, 9):
            wanted = sum(sp.binomial(row, k) for k in range(last + 1))
            assert RowSum(sp.Integer(row), sp.Integer(last)) == wanted


def test_pascals_rule_and_the_whole_row() -> None:
    for row in range(1, 9):
        assert RowSum(sp.Integer(row), sp.Integer(row)) == 2**row == RowSum(sp.Integer(row), sp.Integer(row + 3))
        for last in range(9):
            above = [RowSum(sp.Integer(row - 1), sp.Integer(last - shift)) for shift in (0, 1)]
            assert RowSum(sp.Integer(row), sp.Integer(last)) == sum(above)


def test_what_is_no_number_yet_or_too_long_stays() -> None:
    for first, last in ((n, m), (n, sp.Integer(2)), (sp.Rational(1, 2), sp.Integer(2)), (sp.Integer(5), m)):
        assert RowSum(first, last).func is RowSum
    assert RowSum(sp.Integer(MAX_ROW + 1), sp.Integer(1)).func is RowSum


def test_it_is_written_as_a_sum() -> None:
    assert sp.latex(RowSum(n - 1, m)) == r"\sum_{k=0}^{m} \binom{n - 1}{k}"
    assert str(RowSum(symbol("k"), m)) == "Sum(binomial(k, l), l, 0, m)"
