"""Turns and limits on a half-line: counted at exact cases by either interpreter, against functions known by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import frozen
from montecarlo.statements.values import value
from proofs_check.api import check
from theorems.statement import proposition
from theorems.statement.expression import Expr, StatementError
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar

EQ9 = "log(1 + u*exp(-t)) + t*exp(-t/2)/(1/u + exp(-t))"


def left(text: str) -> Expr:
    return proposition(f"{text} = 0", "u real" if "u" in text.replace("u(", "") else "").left


def both(text: str, u: str = "1") -> tuple[float, float]:
    """The number by either interpreter."""
    node = left(text)
    assert left(str(node)) == node
    exact = scalar(node, Case({"u": Fraction(u)}, {}, {}))
    exact_float = float(exact) if isinstance(exact, Fraction) else float(exact.mid())
    return exact_float, float(value(frozen(node.plain()), environment_of({"u": u})))


@pytest.mark.parametrize(
    ("function", "u", "maxima", "minima"),
    [
        (EQ9, "4", 1, 0),
        (EQ9, "1024", 1, 0),
        # with a slope far out: a maximum and a minimum, both inside
        (f"{EQ9} + t/u", "64", 1, 1),
        (f"-({EQ9})", "16", 0, 1),
        ("t*exp(-u*t)", "2", 1, 0),
        # the slope is 0 at the end, first up or down from there
        ("t**2*exp(-u*t)", "1", 1, 0),
        ("u*t**2 - t**3", "1", 1, 0),
        ("u*t**2 - t**3", "-1", 0, 0),
        # a place where the slope is 0 at the end of the half-line alone, or beyond it
        ("(t + u)**2", "0", 0, 0),
        ("(t - u)**2", "2", 0, 1),
        ("exp(-t) - u*exp(-2*t) + exp(-3*t)", "2", 1, 0),
        ("u*t", "0", 0, 0),
        ("u*exp(-t)", "3", 0, 0),
        ("log(1 + t**2) - u*t", "1/2", 1, 1),
        ("log(1 + t**2) - u*t", "2", 0, 0),
    ],
)
def test_turns_are_counted_by_both(function: str, u: str, maxima: int, minima: int) -> None:
    assert both(f"maxima({function}, t, 0, oo)", u) == (maxima, maxima)
    assert both(f"minima({function}, t, 0, oo)", u) == (minima, minima)


def test_the_half_line_begins_where_it_is_said() -> None:
    assert both("minima((t - u)**2, t, 3, oo)", "2") == (0, 0)
    assert both("minima((t - u)**2, t, 1, oo)", "2") == (1, 1)


@pytest.mark.parametrize(
    ("function", "u", "limit"),
    [
        (EQ9, "16", 0.0),
        (f"{EQ9} + 1/u", "16", 1 / 16),
        ("log(2 + u*exp(-t))", "5", 0.6931471805599453),
        ("(1 + u*exp(-t))/(3 - exp(-2*t))", "5", 1 / 3),
        ("t**3*exp(-u*t)", "2", 0.0),
    ],
)
def test_limits_far_out(function: str, u: str, limit: float) -> None:
    assert both(f"limit({function}, t, oo)", u) == pytest.approx((limit, limit), abs=1e-15)


@pytest.mark.parametrize(
    ("text", "u", "told"),
    [
        # a turn that just touches, a pole, a logarithm of what may be negative
        ("maxima((t - u)**3, t, 0, oo)", "1", "balls do not settle"),
        ("maxima(1/(t - u), t, 0, oo)", "1", "not seen to exist"),
        ("maxima(log(t - u), t, 0, oo)", "1", "not seen to exist"),
        ("maxima(exp(-t**2), t, 0, oo)", "1", "is no exponential of a multiple of t"),
        ("minima(t**2, t, u, oo)", "-1", "expected an end >= 0"),
        ("limit(t*u, t, oo)", "1", "grows without bound"),
        ("limit(log(u*exp(-t)), t, oo)", "1", "not settled"),
    ],
)
def test_what_is_not_settled_has_no_value(text: str, u: str, told: str) -> None:
    with pytest.raises(UndefinedError, match=told):
        scalar(left(text), Case({"u": Fraction(u)}, {}, {}))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("maxima(t*exp(-t), t, 0, 3)", "expected maxima\\(f, t, 0, oo\\)"),
        ("maxima(t*exp(-t), t, oo)", "expected maxima\\(f, t, 0, oo\\)"),
        ("limit(t*exp(-t), t, 0, oo)", "expected limit\\(f, t, oo\\)"),
        ("limit(u*exp(-u), t, oo)", "does not depend on t"),
        ("maxima(t, 2, 0, oo)", "f in terms of t"),
    ],
)
def test_errors_say_what_is_expected(text: str, told: str) -> None:
    with pytest.raises(StatementError, match=told):
        left(text)


def test_the_name_is_bound() -> None:
    node = left("maxima(t*exp(-u*t), t, 0, oo)")
    assert node.names() == {"u"}
    # another t is not captured
    assert node.put({"u": Expr("name", ("t",))}).names() == {"t"}


def test_a_check_is_undecided_and_says_why() -> None:
    found = check("maxima(t*exp(-u*t), t, 0, oo) = 1", hypotheses="u > 0", effort="quick")
    assert found.verdict == "undecided" and "half-line" in found.reason
