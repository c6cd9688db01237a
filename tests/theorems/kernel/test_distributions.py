"""Expectations without a Gaussian process, against sums of fractions and scipy's quadrature."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from theorems.algebra.expressions import parse, symbol
from theorems.claims.catalogue import Paper, Statement
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Closed, Derived
from theorems.kernel.distributions import Finite, density, finite
from theorems.kernel.settle import unsupported
from theorems.rules import licensed

p, q, t = (symbol(n) for n in ("p", "q", "t"))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.fractions(-3, 3, max_denominator=5), st.integers(1, 6)), min_size=1, max_size=5))
def test_a_finite_distribution_is_a_weighted_sum(weights: list[tuple[Fraction, int]]) -> None:
    whole = sum(weight for _, weight in weights)
    found = finite([(sp.Rational(x.numerator, x.denominator), sp.Rational(w, whole)) for x, w in weights]).expect(
        lambda x: x**2 - 3 * x
    )

    def moment(power: int) -> Fraction:
        return sum((Fraction(w, whole) * (x * x - 3 * x) ** power for x, w in weights), Fraction(0))

    for expression, exact in ((found.mean, moment(1)), (found.second, moment(2))):
        assert expression == sp.Rational(exact.numerator, exact.denominator)
    assert found.ratio == moment(1)
    assert found.variance == found.second - found.mean**2 >= 0
    assert [step.rule for step in found.steps] == ["finite-expectation"] * 2
    assert all(licensed(step) for step in found.steps)


def test_symbolic_probabilities() -> None:
    coin = finite([(1, p), (0, 1 - p)])
    assert coin.expect(lambda x: x).mean == p
    assert sp.expand(coin.expect(lambda x: x).variance - p * (1 - p)) == 0
    product = finite([(q, p), (-q, 1 - p)]).expect(lambda x: x**3)
    assert sp.expand(product.mean - q**3 * (2 * p - 1)) == 0
    assert sp.expand(product.second - q**6) == 0
    # a value that is no polynomial over a monomial can be stated all the same
    fraction = finite([(1 / (1 + p), 1)]).expect(lambda x: x)
    assert isinstance(fraction.ratio, Closed)
    assert fraction.ratio.expr == 1 / (1 + p)
    assert fraction.ratio.names == {"p"}
    with pytest.raises(TypeError, match="take limits of moments of a process only"):
        fraction.ratio * 2


def test_what_is_no_distribution_is_named() -> None:
    with pytest.raises(ValueError, match="add up to p; expected 1"):
        finite([(1, p)])
    with pytest.raises(ValueError, match="add up to 3/2; expected 1"):
        finite([(1, sp.Rational(1, 2)), (0, 1)])
    for table in ([("p", 1)], [(1, "p"), (0, 1)]):
        with pytest.raises(ValueError, match="numbers and symbols, not text"):
            finite(table)
    # built past the check, and with a weight below 0, it is no step of a proof
    for wrong in (Finite((p,), (sp.Rational(1, 2),)), Finite((p, q), (sp.Integer(2), sp.Integer(-1)))):
        assert not any(licensed(step) for step in wrong.expect(lambda x: x).steps)


@pytest.mark.parametrize(
    ("expression", "low", "high", "statistic"),
    [
        ("1", 0, 1, "t**2"),
        ("1/2", -1, 1, "t**4 - t"),
        ("2*t", 0, 1, "t"),
        ("3*t**2/7", 1, 2, "1/t"),
        ("exp(-t)/(1 - exp(-1))", 0, 1, "t"),
        ("1/t**2", 1, "oo", "1/t"),
    ],
)
def test_a_density_is_integrated(expression: str, low: int, high: int | str, statistic: str) -> None:
    f, weight = parse(statistic), parse(expression)
    top = sp.sympify(high)
    found = density(weight, t, low, top).expect(lambda x: f.xreplace({t: x}))
    for power, value in ((1, found.mean), (2, found.second)):
        numeric, error = quad(sp.lambdify(t, f**power * weight), low, float(top))
        assert float(value) == pytest.approx(numeric, abs=10 * error + 1e-12)
    assert [step.rule for step in found.steps] == ["antiderivative"] * 3
    assert all(licensed(step) for step in found.steps)


def test_a_density_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="integrates to 2, not 1; divide by that"):
        density(1, t, 0, 2).expect(lambda x: x)
    with pytest.raises(ValueError, match="no antiderivative"):
        density(1, t, 0, 1).expect(lambda x: sp.sin(sp.sin(x)))
    # across a pole the primitive's ends would give a negative "integral"
    poled = Step("antiderivative", "", (1 / t**2, t, -sp.S.One, sp.S.One, -1 / t, -2 * sp.S.One))
    assert not licensed(poled)


@pytest.mark.parametrize("weight", ["3*t - 1/2", "5/2 - 3*t", "(3*t - 1)*(t + 1)", "p*exp(-p*t)/(1 - exp(-p))"])
def test_a_density_that_is_negative_somewhere_or_not_known_is_refused(weight: str) -> None:
    with pytest.raises(ValueError, match=r"is not seen to be >= 0 for t in \[0, 1\]"):
        density(parse(weight), t, 0, 1).expect(lambda x: x)


@pytest.mark.parametrize(
    ("weight", "low", "high"), [("6*t*(1 - t)", 0, 1), ("12*(t - 1/2)**2", 0, 1), ("1/t**2", "-oo", -1)]
)
def test_a_density_that_touches_0_is_one(weight: str, low: Any, high: Any) -> None:
    assert all(map(licensed, density(parse(weight), t, low, high).expect(lambda x: 1 / x if low == "-oo" else x).steps))


def test_an_expectation_needs_the_step_that_concludes_it() -> None:
    found = finite([(1, p), (0, 1 - p)]).expect(lambda x: x)
    texts: dict[str, Any] = {"where": "", "kind": "identity", "statement": "", "reading": "", "quantity": ""}
    statement = Statement(id="p.x", symbols=("p",), printed={"value": "p"}, paper=Paper("p", "t", "a", "v"), **texts)
    assert unsupported(statement, Derived({"value": found}, found.steps)) == []
    bare = type(found)(found.mean, found.second, (), found.method)
    (reason,) = unsupported(statement, Derived({"value": bare}, ()))
    assert reason == "value = p is not the conclusion of any of its steps"
    wrong = type(found)(found.mean + p, found.second, found.steps, found.method)
    assert unsupported(statement, Derived({"value": wrong}, found.steps))
