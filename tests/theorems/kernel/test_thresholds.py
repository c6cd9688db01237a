"""From which value of a name on a print holds: against what the function is at many numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.kernel.thresholds import Threshold, between, crossings, highest, lowest

lam = symbol("lam")


def threshold(upper: str) -> Threshold:
    bound = parse(upper)
    return Threshold(bound, bound, (), (), "", "lam", parse("kappa*C/sqrt(d)"), {})


SHARP = threshold("kappa*C/sqrt(d)*2*sqrt(5*lam**2 + 4*lam + 1)/lam**2")


@pytest.mark.parametrize("constant", ["7", "10", "12", "13", "1000"])
def test_the_least_value_is_where_the_two_meet(constant: str) -> None:
    printed = parse(f"{constant}*kappa*C/sqrt(d)")
    least = SHARP.least(printed)
    excess = SHARP.excess(printed)
    assert least is not None and excess is not None
    at = sp.lambdify(lam, excess)
    grid = np.linspace(0.01, 0.999, 400)
    assert np.array_equal(np.array([at(x) for x in grid]) >= 0, grid >= float(least))
    assert sp.sympify(str(least)) == least and not least.free_symbols


def test_least_values_at_the_ends() -> None:
    assert SHARP.least(parse("6*kappa*C/sqrt(d)")) == 1
    assert not SHARP.holds(parse("6*kappa*C/sqrt(d)"), ("lam >= 2/3",))
    assert SHARP.told(parse("6*kappa*C/sqrt(d)")) == []
    easy = threshold("-2*kappa*C/(sqrt(d)*sqrt(lam**2 + 1))")
    # -2/sqrt(2) is below -1/2 still
    assert easy.least(parse("-kappa*C/(2*sqrt(d))")) == 0
    assert easy.holds(parse("-kappa*C/(2*sqrt(d))"), ())
    assert easy.told(parse("-kappa*C/(2*sqrt(d))")) == [
        "upper: for all values of the other names it holds everywhere on 0 < lam < 1"
    ]
    # -3/2 holds for small lam alone
    assert easy.least(parse("-3*kappa*C/(2*sqrt(d))")) is None


def test_a_sharp_bound_proves_itself() -> None:
    written = parse("2*kappa*C*sqrt(5*lam**2 + 4*lam + 1)/(sqrt(d)*lam**2)")
    for printed in (SHARP.upper, written):
        assert SHARP.excess(printed) == 0 and SHARP.least(printed) == 0 and SHARP.holds(printed, ())
    short = written * sp.Rational(999, 1000)
    assert not SHARP.holds(short, ("lam >= 9/10",))


def test_terms_that_only_add() -> None:
    for more in ("kappa", "3*C**2/d"):
        printed = parse(f"12*kappa*C/sqrt(d) + {more}")
        assert SHARP.holds(printed, ("lam >= 2/3",)) and not SHARP.holds(printed, ("lam >= 3/5",))
        assert SHARP.exact(printed) is None
    for less in ("-kappa", "kappa*(lam - 1)", "(kappa - 1)*C", "kappa**x", "x*kappa"):
        assert not SHARP.holds(parse(f"12*kappa*C/sqrt(d) + {less}"), ("lam >= 2/3",))


def test_cases_where_a_print_is_violated() -> None:
    """Within the conditions, where the print is below the bound that one group attains; nowhere else."""
    bound = replace(SHARP, instances=lambda value: ({"C": "1", "lam": str(value)},))
    printed = parse("12*kappa*C/sqrt(d)")
    least = bound.least(printed)
    assert least is not None
    for conditions in ((), ("lam < 1",), ("lam >= 3/5", "lam < 2/3"), ("lam > 1/8", "lam <= 1/4")):
        (case,) = bound.violated(printed, conditions)
        lam_value = sp.Rational(case["lam"])
        assert lowest("lam", conditions) < lam_value < min(least, highest("lam", conditions))
    assert bound.violated(printed, ("lam >= 2/3",)) == ()
    assert bound.violated(bound.upper, ()) == () and bound.violated(parse("12*kappa*C"), ()) == ()
    # below a bound that is not attained nothing is shown false
    loose = replace(bound, quantity=bound.upper / 2)
    assert loose.violated(printed, ()) == () and SHARP.violated(printed, ()) == ()


@pytest.mark.parametrize(
    "wrong", ["12*kappa*C**2/sqrt(d)", "12*kappa*C/d", "12*kappa*C", "12*kappa*C/sqrt(d) - 1", "12*x*C/sqrt(d)"]
)
def test_another_shape_is_not_decided(wrong: str) -> None:
    assert SHARP.excess(parse(wrong)) is None
    assert SHARP.least(parse(wrong)) is None and not SHARP.holds(parse(wrong), ("lam >= 9/10",))


def test_conditions() -> None:
    printed = parse("12*kappa*C/sqrt(d)")
    assert SHARP.holds(printed, ("lam >= 2/3", "lam < 1"))
    assert SHARP.holds(printed, ("3*lam > 2",))
    assert not SHARP.holds(printed, ("lam >= 3/5",))
    assert not SHARP.holds(printed, ())
    assert lowest(
        "lam", ("lam >= 1/2", "2/3 <= lam", "lam <= 9/10", "C >= 4", "lam**2 >= 9/10", "lam == 9/10")
    ) == sp.Rational(2, 3)
    assert lowest("lam", ("-lam < -1/4",)) == sp.Rational(1, 4)
    assert highest("lam", ("lam < 9/10", "1 - lam >= 1/4", "lam**2 < 1/4", "C < 1/2")) == sp.Rational(3, 4)
    assert highest("lam", ("lam >= 1/2",)) == 1


def test_crossings() -> None:
    found = crossings(parse("(lam - 1/2)*(lam - 1/4)**2*(lam + 3)"), "lam")
    assert found == [sp.Rational(1, 4), sp.Rational(1, 2)]
    assert crossings(parse("1"), "lam") == []
    # a pole inside, a root of something that changes sign, two roots, and other functions
    assert crossings(parse("1/(lam - 1/2)"), "lam") is None
    assert crossings(parse("1 - sqrt(lam - 1/2)"), "lam") is None
    assert crossings(parse("sqrt(lam + 1) - sqrt(lam + 2)"), "lam") is None
    assert crossings(parse("exp(lam) - 2"), "lam") is None
    assert crossings(parse("lam - x"), "lam") is None
    # sqrt(lam) = lam^2 - 1/4 somewhere only if a root of the squares is one of the function
    ends = crossings(parse("sqrt(lam + 1) - 6/5"), "lam")
    assert ends == [sp.Rational(11, 25)]


def test_a_rational_between() -> None:
    assert between(sp.Integer(0), sp.Integer(1)) == Fraction(1, 2)
    low, high = sp.sqrt(2) / 2, sp.sqrt(2) / 2 + sp.Rational(1, 10**12)
    assert low < sp.Rational(str(between(low, high))) < high


def test_sharpness() -> None:
    bound = replace(
        SHARP, quantity=SHARP.upper.xreplace({symbol("C"): symbol("C") ** 2}), attained={"C": sp.Integer(1)}
    )
    printed = parse("12*kappa*C/sqrt(d)")
    assert bound.sharp and bound.exact(printed) == bound.least(printed) is not None
    loose = replace(bound, attained={"C": sp.Integer(2)})
    # what is nowhere attained shows no print false
    assert not loose.sharp and loose.exact(printed) is None and loose.told(printed) == []
    assert loose.least(printed) == bound.least(printed)
