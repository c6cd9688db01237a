"""Where a refuted bound follows from its correction: by the one factor whose sign the hypotheses leave open."""

from __future__ import annotations

from itertools import product

import pytest
import sympy as sp

from proofs_check.judging.following import follows_where
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id

TAIL = by_id()["choromanski2021.sec3.thm3-ort"]
SERIES = by_id()["choromanski2021.appF.thm5"]
TAILS = "exp(-theta*m*a)*(M**m - m*(m - 1)/(4*(d + 2))*(theta*exp((-(xx + yy))/2))**4*zz**4)"
SERIES_TOO = "exp(-theta*m*a)*(M**m - m*(m - 1)/(4*(d + 2))*theta**4*a1**4*zz**4*(square**2/d**2))"


@pytest.mark.parametrize(
    ("claim", "correction", "condition"),
    [
        (TAIL, TAILS, "m >= 4"),
        (SERIES, SERIES_TOO, "a1**2 >= a0**(m - 2)"),
        # a correction that is above the print everywhere, one one of a long condition, and one that is the print
        (TAIL, "exp(-theta*m*a)*M**m", ""),
        (TAIL, "exp(-theta*m*a)*(M**m - a*zz)", ""),
        (TAIL, TAIL.printed["upper"], ""),
    ],
)
def test_one_factor_decides_or_nothing_is_said(claim: object, correction: str, condition: str) -> None:
    told, rests = follows_where(claim, "upper", correction)  # type: ignore[arg-type]
    assert told == condition
    assert rests.startswith(f"the print follows from the correction where {told}: ") == bool(told)


def test_what_that_rests_on_is_listed() -> None:
    _, rests = follows_where(TAIL, "upper", TAILS)
    assert "print - correction = m*theta**4*zz**4*" in rests
    assert rests.endswith("whose other factors have a sign as d > 0, m > 0, theta > 0, xx >= 0, yy >= 0, zz >= 0")


def test_the_condition_is_that_of_the_values() -> None:
    gap = parse(TAIL.printed["upper"]) - parse(TAILS)
    for m, xx, yy in product((2, 3, 4, 5, 8), (0, 1), (1, 2)):
        at = {"theta": 2, "m": m, "a": 1, "M": 3, "d": 9, "zz": 2, "xx": xx, "yy": yy}
        assert (sp.N(gap.subs(at)) >= 0) == (m >= 4)
