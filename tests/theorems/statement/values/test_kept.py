"""Values that are kept of a case are those of this case, at the precision that is asked for."""

from __future__ import annotations

from fractions import Fraction

import flint

from theorems.algebra.balls import between, precision
from theorems.statement.reading.language import parsed
from theorems.statement.values.cases import Case
from theorems.statement.values.values import value

SUM = parsed("exp(a) + b*b")


def at(a: object) -> Case:
    # a value that is read as a number may be a ball
    return Case({"a": a, "b": Fraction(3)})  # type: ignore[dict-item]


def found(case: Case) -> flint.arb:
    one = value(SUM, case)
    assert isinstance(one, flint.arb)
    return one


def test_equal_cases_share_what_is_kept_and_others_do_not() -> None:
    with precision(128):
        one, other, again = (found(at(Fraction(k))) for k in (1, 2, 1))
        assert again.overlaps(one) and not other.overlaps(one)


def test_a_value_is_worked_out_again_at_more_bits() -> None:
    case = at(Fraction(1))
    widths = []
    for bits in (64, 256, 64):
        with precision(bits):
            widths.append(float(found(case).rad()))
    assert widths[1] < widths[0] / 2**100 and widths[2] == widths[0]


def test_cases_whose_numbers_are_balls_are_each_their_own() -> None:
    with precision(128):
        ends = [between(Fraction(k, 2), Fraction(k + 1, 2)) for k in (0, 2, 0)]
        low, high, again = (found(at(one)) for one in ends)
        assert low.contains(flint.arb(10)) and not high.overlaps(low)
        assert again.overlaps(low) and found(at(ends[0])).contains(flint.arb(10))
