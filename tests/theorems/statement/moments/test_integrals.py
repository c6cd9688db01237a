"""Integrals: read, enclosed at cases, derived where they are of powers of cos and sin, and worked out in floats."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import pytest
import sympy as sp

from montecarlo.search_values import evaluate
from montecarlo.statements import values as interpreter
from montecarlo.statements.environment import environment_of
from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.statement import StatementError, proposition
from theorems.statement.deciding.decide import Derivation
from theorems.statement.latex import latex
from theorems.statement.moments import integrals
from theorems.statement.reading.language import parsed
from theorems.statement.typeset import _text
from theorems.statement.values.arithmetic import UndefinedError, ball
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar, value

WHOLE = "k integer, k >= 1, n integer, n >= 0"
BOTH = "integral(cos(t)**(2*k)*sin(t)**n, t, 0, pi)"


@pytest.mark.parametrize("end", [1, 2])
@pytest.mark.parametrize(("a", "b"), [(0, 0), (2, 0), (0, 1), (4, 3), (6, 10), (3, 2), (1, 1)])
def test_the_closed_form_is_the_integral(a: int, b: int, end: int) -> None:
    prop = proposition(f"integral(cos(t)**{a}*sin(t)**{b}, t, 0, pi/{end}) = 0")
    t = sp.Symbol("t")
    wanted = sp.integrate(sp.cos(t) ** a * sp.sin(t) ** b, (t, 0, sp.pi / end))
    derivation = Derivation(prop)
    assert sp.simplify(derivation.value(derivation.orders[0], prop.left) - wanted) == 0
    assert flint.arb(str(sp.N(wanted, 30))).overlaps(flint.arb(0, 1e-25) + ball(scalar(prop.left, Case())))
    for floats in (
        evaluate(prop.left.plain(), {"numbers": {}}),
        interpreter.value(prop.left.plain(), environment_of({})),
    ):
        assert floats == pytest.approx(float(wanted), abs=1e-12)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_closed_form_holds_for_every_exponent(n: int) -> None:
    prop = proposition(f"{BOTH} = 0", WHOLE)
    derivation = Derivation(prop)
    found = derivation.value(derivation.orders[0], prop.left).subs({sp.Symbol("n"): n, sp.Symbol("k"): 2})
    t = sp.Symbol("t")
    assert sp.simplify(sp.expand_func(found) - sp.integrate(sp.cos(t) ** 4 * sp.sin(t) ** n, (t, 0, sp.pi))) == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("integral(exp(-t)*t**2, t, 0, 3)", 2 - 17 * math.exp(-3)),
        ("integral(log(t), t, 1, 2)", 2 * math.log(2) - 1),
        ("integral(sqrt(t + a), t, 0, 1)", 2 / 3 * (1.5**1.5 - 0.5**1.5)),
        ("integral(prod(a + j, j, 1, 2)/t, t, 1, 2)", 3.75 * math.log(2)),
    ],
)
def test_other_integrals_are_worked_out_on_both_sides(text: str, wanted: float) -> None:
    node, case = parsed(text), Case({"a": Fraction(1, 2)})
    assert float(ball(scalar(node, case))) == pytest.approx(wanted, rel=1e-12)
    assert evaluate(node.plain(), case.plain()) == pytest.approx(wanted, rel=1e-11)


def test_what_has_no_value_is_seen() -> None:
    found = value(parsed("integral(1/t, t, -1, 1)"), Case())
    assert isinstance(found, flint.arb) and not found.is_finite()
    assert math.isnan(evaluate(parsed("integral(1/t**2, t, 0, 1)").plain(), {"numbers": {}}))
    with pytest.raises(UndefinedError, match="integral"):
        value(parsed("integral(abs(t), t, -1, 1)"), Case())


@pytest.mark.parametrize("body", ["sqrt(t)", "log(t)", "t**(1/3)", "sqrt(t - 2)*sqrt(t - 3)"])
def test_where_a_function_is_no_real_number_there_is_no_integral(body: str) -> None:
    """The real part of that of sqrt(t) is 2/3, and sqrt(t - 2)*sqrt(t - 3) is a real number, its factors are none."""
    node = parsed(f"integral({body}, t, -1, 1)")
    assert not ball(scalar(node, Case())).is_finite()
    assert math.isnan(evaluate(node.plain(), Case().plain()))


def test_it_is_read_and_written() -> None:
    node = parsed("integral(cos(t)**n, t, 0, pi)")
    assert node.names() == {"n"} and parsed(str(node)) == node
    assert latex(node).startswith(r"\int_{0}^{") and _text(node).startswith("∫(t = 0 … π)")
    for text in ("integral(cos(t), t, 0)", "integral(cos(s), t, 0, 1)", "integral(x[1].T*u*t, t, 0, 1)"):
        with pytest.raises(StatementError):
            parsed(text)


@pytest.mark.parametrize(("right", "verdict"), [("2", "verified"), ("3", "refuted")])
def test_both_sides_judge_it(right: str, verdict: str) -> None:
    statement = f"(n + 2)*integral(sin(t)**(n + 2), t, 0, pi) = (n + {right} - 1)*integral(sin(t)**n, t, 0, pi)"
    (first, *_) = check_statement(Request(statement, "n integer, n >= 0"), effort="quick")
    assert first["verdict"] == verdict


def test_what_is_fixed_under_an_integral_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[object]()

    def counted(number: Fraction | flint.arb) -> flint.arb:
        read.append(number)
        return ball(number)

    monkeypatch.setattr(integrals, "ball", counted)
    node = parsed("integral(sqrt(a + t)*exp(b*t), t, 0, 1)")
    found = scalar(node, Case({"a": Fraction(2), "b": Fraction(3)}))
    assert isinstance(found, flint.arb) and found.is_finite()
    # the two ends, a and b
    assert len(read) == 4
