"""Limits: read from the exact form, with the remainder, and confirmed or rejected in ball arithmetic."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest

from tests.theorems.bruteforce import number
from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio
from theorems.gaussian.asymptotics import ball_check, degree, expand, in_regime, leading, order_part

REGIME = {"i": "theta*T"}


def ratio(text: str) -> Ratio:
    return Ratio.from_expr(parse(text))


@pytest.mark.parametrize(("scale", "power"), [("1", 0), ("T", 1), ("T**4", 4), ("1/T", -1)])
def test_scales(scale: str, power: int) -> None:
    assert degree(scale) == power


@pytest.mark.parametrize("scale", ["2*T", "T + 1", "i", "0"])
def test_other_scales_are_refused(scale: str) -> None:
    with pytest.raises(ValueError, match="not a power of T"):
        degree(scale)


def test_limit_and_remainder_add_up_to_the_value() -> None:
    value = ratio("(i - 1)*tr1/(lam*T) - (T + 1)*tr1/(2*lam*T) + i**2*tr2/T**3")
    found = expand(value, REGIME)
    assert found.limit == ratio("(theta - 1/2)*tr1/lam")
    assert not found.grows
    assert found.limit + found.remainder == in_regime(value, REGIME)
    assert all(power < 0 for power, c in found.remainder.terms("T").items() if c != 0)
    # the remainder is what is left at a large T
    table = {"theta": Fraction(1, 4), "T": 4000, "tr1": 3, "tr2": 5, "lam": 2}
    left = number(value.expr, {**table, "i": 1000}) - number(found.limit.expr, dict(table))
    assert left == number(found.remainder.expr, dict(table))
    assert 0 < abs(left) < Fraction(1, 500)


def test_growth_is_seen() -> None:
    assert expand(ratio("T*tr1"), REGIME).grows
    assert not expand(ratio("T*tr1"), REGIME, "T").grows
    assert expand(ratio("i**3"), REGIME, "T**2").grows
    assert expand(ratio("i"), REGIME, "T**2").limit == 0


def test_leading_parts_are_written_in_the_positions() -> None:
    value = ratio("3*T**2*i - 2*T*i**2 + 7*i**2 + T")
    assert leading(value, REGIME) == ratio("3*T**2*i - 2*T*i**2")
    assert order_part(value, REGIME, 2) == ratio("7*i**2")
    assert order_part(value, REGIME, 1) == "T"
    assert order_part(value, REGIME, 4) == 0
    assert leading(ratio("1/T + 1/T**2"), REGIME) == ratio("1/T")
    assert leading(Ratio.of(0), REGIME) == 0


@pytest.mark.parametrize(
    ("value", "limit", "scale"),
    [
        ("(i - 1)*tr1/(lam*T)", "theta*tr1/lam", "1"),
        ("i**2*tr2 + T*i*tr2 + 3*i", "theta**2*tr2 + theta*tr2", "T**2"),
        ("tr1/T", "0", "1"),
        ("5/T**2 + 2", "2", "1"),
    ],
)
def test_balls_confirm_a_limit_and_reject_every_wrong_one(value: str, limit: str, scale: str) -> None:
    assert ball_check(ratio(value), REGIME, scale, ratio(limit))
    for change in ("1", "theta", "1/1000", "tr1/1000", "theta**3*tr2/8", "theta*(1 - theta)/100"):
        assert not ball_check(ratio(value), REGIME, scale, ratio(limit) + ratio(change))
    assert not ball_check(ratio(value), REGIME, "1/T", ratio(limit))


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ("1/lam", "1/lam**2"),
        ("1/lam**2", "1/lam"),
        ("theta*tr1/lam", "theta*tr1"),
        ("theta*tr2/lam**2", "theta*tr2/lam**3"),
        ("lam", "1"),
    ],
)
def test_a_wrong_power_of_the_temperature_is_rejected(value: str, limit: str) -> None:
    """At lam = 1 alone the two are one number."""
    assert ratio(value).substitute("lam", 1) == ratio(limit).substitute("lam", 1)
    assert not ball_check(ratio(value), REGIME, "1", ratio(limit))
    assert ball_check(ratio(value), REGIME, "1", ratio(value))


@pytest.mark.parametrize("size", ["1000", "10**6", "10**9"])
def test_a_large_remainder_does_not_hide_a_limit(size: str) -> None:
    assert ball_check(ratio(f"tr1 + {size}*tr1/T"), REGIME, "1", ratio("tr1"))
    assert ball_check(ratio(f"tr1 - {size}*(i + 1)*tr2/T**2"), REGIME, "1", ratio("tr1"))
    for wrong in ("0", "2*tr1", "tr1 + tr2", "tr1 + theta"):
        assert not ball_check(ratio(f"tr1 + {size}*tr1/T"), REGIME, "1", ratio(wrong))


def test_a_limit_that_misses_only_at_one_end_is_rejected() -> None:
    """theta^1000 is below 10^-28 up to 15/16, and 1 at theta = 1: the balls cover all of [0, 1]."""
    theta = Ratio.of("theta")
    assert not ball_check(theta + theta**1000, {}, "1", theta)
    assert ball_check(theta + theta**1000 / "T", {}, "1", theta)


def test_the_precision_is_put_back() -> None:
    before = flint.ctx.prec
    ball_check(ratio("1/T"), {}, "1", Ratio.of(0))
    assert flint.ctx.prec == before
