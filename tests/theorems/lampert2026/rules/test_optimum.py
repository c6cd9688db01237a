"""What is shown to be non-negative behind the costs of the patterns, and bounds of multipliers against true optima."""

from fractions import Fraction as F
from typing import Any

import pytest
import sympy as sp

from tests.mutation.near_misses import optimum as made
from theorems.algebra.expressions import symbol
from theorems.lampert2026.patterns.optimum import symmetric
from theorems.lampert2026.rules.optimum import C, at_least_zero, lam
from theorems.rules import licensed

SIZE = sp.sqrt(lam**2 + 4)


def test_a_sum_is_larger_than_the_root_of_its_squares() -> None:
    more = 2 * C * SIZE / lam + 4 / sp.sqrt(lam**2 + C + 1)
    assert at_least_zero(more - 2 * C - 2)
    assert at_least_zero(C + sp.sqrt(lam) - 1)
    # 2 sqrt(5) is above 4, and not above 5; three terms of 1 are more than sqrt(3) by this, and not more than 2
    assert not at_least_zero(more - 5 * C - 2)
    assert not at_least_zero(sp.sqrt(C) + 1 / sp.sqrt(lam) + sp.sqrt(C + 1) - 4)


@pytest.mark.parametrize("bad", [symbol("k"), 1 + symbol("v"), 2 - sp.sqrt(1 - C), 1 - sp.I, sp.sqrt(C) - C])
def test_nothing_of_unknown_sign_is_shown(bad: sp.Expr) -> None:
    assert not at_least_zero(bad)


@pytest.mark.parametrize("step", [*made.LESS, made._turning(), made._every_kind()])
@pytest.mark.parametrize("place", [(1, F(9, 10)), (9, F(19, 20))])
def test_bounds_of_multipliers_hold_at_certified_optima(step: Any, place: tuple[int, F]) -> None:
    groups, ratio = place
    assert licensed(step)
    bound = step.data[1].xreplace({C: sp.Integer(groups), lam: sp.Rational(ratio)})
    assert bound <= symmetric("diag", groups, 2, ratio, F(0)).high


def test_a_true_bound_may_be_below_twice_the_groups() -> None:
    bound = made._turning().data[1]
    point = {lam: sp.Rational(99, 100)}
    assert bound.xreplace({C: sp.Integer(1), **point}) > 2
    assert bound.xreplace({C: sp.Integer(9), **point}) < 18
