"""erf, pi, derivatives, indicators and probabilities of a normal number: read, told, and evaluated exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from montecarlo.search_values import evaluate
from montecarlo.statements.encloser import Encloser
from montecarlo.statements.environment import environment_of
from montecarlo.statements.nodes import frozen
from montecarlo.statements.values import value as number_of
from proofs_check.statements.without_tokens import found_without_tokens
from theorems.algebra.balls import precision
from theorems.statement.expression import StatementError
from theorems.statement.latex import latex, limit_latex
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.proposition import proposition
from theorems.statement.prose import in_words
from theorems.statement.reading.calculus import derivative
from theorems.statement.reading.language import parsed
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar

FUNCTIONS = (
    "u**3*exp(-u*v) + log(1 + u**2)",
    "sqrt(1 + u**2)/(2 + erf(u*v))",
    "(1 + u**2)**(u/2)",
    "erf((u - 1/2)*v/sqrt(2*(2*u**2 + 7/12)))/2",
    "u/(3*v**2 + 1) - u*u*u",
)
numbers = st.fractions(min_value=-3, max_value=3, max_denominator=16)


def at(text: str, **values: Fraction | int) -> Any:
    with precision(200):
        return scalar(parsed(text), Case({name: Fraction(value) for name, value in values.items()}))


@pytest.mark.parametrize("text", FUNCTIONS)
@given(u=numbers, v=numbers)
def test_derivatives_are_those_of_sympy(text: str, u: Fraction, v: Fraction) -> None:
    expected = sp.diff(sympy_of(parsed(text)), sp.Symbol("u"))
    value = expected.subs({sp.Symbol("u"): sp.Rational(str(u)), sp.Symbol("v"): sp.Rational(str(v))})
    found = at(f"diff({text}, u)", u=u, v=v)
    assert float(found) == pytest.approx(float(value), rel=1e-12, abs=1e-12)


def test_a_derivative_is_taken_at_its_place_and_binds_its_name() -> None:
    tree = parsed("diff(a*u**2, u, a)")
    assert tree.names() == {"a"} and str(tree) == "diff(a*u**2, u, a)"
    assert str(parsed("diff(u**2, u)")) == "diff(u**2, u)" and parsed(str(tree)) == tree
    assert at("diff(a*u**2, u, a)", a=3) == 18
    # what is put in for the place, or for another name, does not get under the derivative
    moved = tree.put({"a": parsed("u + 1")})
    assert scalar(moved, Case({"u": Fraction(2)})) == 18
    assert at("diff(diff(u**3*v**2, u), v)", u=2, v=5) == 120
    assert at("diff(sum(u**k, k, 1, 3), u)", u=2) == 1 + 4 + 12
    assert derivative(parsed("v"), "u") == parsed("0")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("diff(diff(diff(exp(2*t), t), t), t, 1)", 8 * math.exp(2)),
        ("diff(diff(diff(diff(t**4*u, t), t), t), t, 0)", 24 * 0.7),
        ("diff(diff(diff((u + t*v)**2*v**3, t), t), v, 2)", 2 * 5 * 2.0**4),
    ],
)
def test_the_second_side_takes_higher_derivatives_by_differences(text: str, value: float) -> None:
    point = {"numbers": {"u": 0.7, "v": 2.0, "t": 0.3}}
    assert evaluate(parsed(text).plain(), point) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("size", [10**2, 10**4, 10**5])
def test_differences_that_rounding_swallows_are_not_taken_for_a_derivative(size: int) -> None:
    """Of ever smaller steps all differences beside a large number become 0, and agree."""
    node = parsed("diff(diff((t/3 + r)**2, t), t, 0)").plain()
    found = evaluate(node, {"numbers": {"r": float(size)}})
    assert found == pytest.approx(2 / 9, abs=1e-11 * size**2)


def test_what_a_derivative_comes_to_corrects_an_identity() -> None:
    found = found_without_tokens(
        proposition("(diff(diff((a + b*t)**2, t), t, 0)/2)**2 = b**2*a**(m - 2)", "a >= 0, b >= 0, m >= 2, m integer"),
        "quick",
        0,
    )
    assert (found.status, found.correction, found.correction_sympy) == ("disproved", "b**4", "b**4")


@pytest.mark.parametrize("mu", ["1/3", "-2", "7"])
def test_the_probability_of_an_interval_is_the_integral_of_the_density(mu: str) -> None:
    with precision(128):
        centre, variance = flint.arb(flint.fmpq(*map(int, (mu + "/1").split("/")[:2]))), flint.arb(2)

        def density(x: flint.acb, _: bool) -> flint.acb:
            return (-((x - centre) ** 2) / (2 * variance)).exp() / (2 * flint.arb.pi() * variance).sqrt()

        total = flint.acb.integral(density, 0, 1).real
        found = at("P[0 <= normal(mu, 2) <= 1]", mu=Fraction(mu))
        assert total.overlaps(found) and found.rad() < 1e-30
    assert float(at("P[normal(mu, 2) > 1]", mu=Fraction(mu))) == pytest.approx(
        math.erfc((1 - float(Fraction(mu))) / 2) / 2, rel=1e-12
    )
    below, above = at("P[normal(mu, 2) < 1]", mu=Fraction(mu)), at("P[normal(mu, 2) >= 1]", mu=Fraction(mu))
    assert (below + above).overlaps(flint.arb(1))


def test_a_variance_that_is_not_positive_leaves_no_probability() -> None:
    for variance in (0, -1):
        with pytest.raises(UndefinedError, match=f"variance {variance}"):
            at("P[0 <= normal(0, v) <= 1]", v=variance)


@pytest.mark.parametrize(("low", "high"), [(-1, 2), (2, -1), (1, 2), (2, 1), (-2, -1), (-1, -2), (1, 1)])
def test_no_number_lies_in_an_interval_whose_ends_are_the_wrong_way_round(low: int, high: int) -> None:
    node = parsed("P[a <= normal(0, 1) <= b]")
    wanted = max(0.0, (math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2))) / 2)
    case = {"a": Fraction(low), "b": Fraction(high)}
    table = {name: str(one) for name, one in case.items()}
    found = at("P[a <= normal(0, 1) <= b]", **case)
    assert float(found) == pytest.approx(wanted, abs=1e-15)
    assert evaluate(node.plain(), {"numbers": table}) == pytest.approx(wanted, abs=1e-15)
    env = environment_of({name: int(one) for name, one in case.items()})
    assert float(number_of(node.plain(), env)) == pytest.approx(wanted, abs=1e-15)
    enclosed = Encloser(env, lambda _: (0.0, 0.0)).of(frozen(node.plain()))
    assert enclosed.low <= wanted <= enclosed.high and enclosed.high - enclosed.low < 1e-12


def test_a_case_that_does_not_apply_needs_no_value() -> None:
    assert at("1 + indicator(u > 2)*indicator(3 <= 1/u)*log(u)", u=0) == 1
    with pytest.raises(UndefinedError):
        at("indicator(u >= 0)*log(u)", u=0)


def test_indicators_are_exact() -> None:
    assert at("indicator(0 <= u <= 1/2)", u=Fraction(1, 2)) == 1
    assert at("indicator(0 <= u < 1/2)", u=Fraction(1, 2)) == 0
    assert at("indicator(u != 1)", u=1) == 0
    assert float(at("indicator(exp(u) > 2)", u=1)) == 1
    # what balls do not tell is neither 0 nor 1
    open_one = at("indicator(exp(u)*exp(-u) >= 1)", u=1)
    assert open_one.contains(0) and open_one.contains(1)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("E[normal(mu, v)] = mu", "of a normal number expected the probability"),
        ("normal(mu, v) = mu", "take a probability of it"),
        ("P[normal(mu, v) <= normal(0, v)] = 1", "expected the probability of an interval"),
        ("P[0 <= normal(mu, v) >= 1] = 1", "expected the probability of an interval"),
        ("P[normal(mu, v) + 1 <= mu] = 1", "expected the probability of an interval"),
        ("P[0 <= normal(x[1].T*x[1], v) <= mu] = 1", "expected numbers, or moments"),
        ("diff(min(mu, v), mu) = 1", "min\\(...\\) has no derivative"),
        ("diff(mu, 3) = 1", "expected diff"),
        ("diff(x[1].T*x[1]*mu, d) = 1", "d is no parameter"),
        ("diff(mu*Var[x[1].T*x[1]], mu) = v", "only expectations are differentiated"),
        ("indicator(mu) = v", "is of a comparison"),
        ("(mu <= 1) = v", "is a comparison"),
    ],
)
def test_errors_have_their_place_and_the_mend(text: str, word: str) -> None:
    with pytest.raises(StatementError, match=word) as told:
        proposition(text, "mu in R, v > 0")
    assert "^" in told.value.caret


def test_in_latex() -> None:
    prop = proposition("diff(P[0 <= normal(u, v) <= 1], u) <= pi*indicator(0 < u <= 2)", "u in R, v > 0")
    assert latex(prop.left) == r"\frac{\partial}{\partial u} \mathbb P\left[0 \le N(u, v) \le 1\right]"
    assert latex(prop.right) == r"\pi \, \mathbf 1\left[0 < u \le 2\right]"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (
            "P[0 <= normal(mu, v) <= 1] = (erf((1 - mu)/sqrt(2*v)) + erf(mu/sqrt(2*v)))/2",
            "P[0 <= normal(mu, v) <= 1] = (erf((1 - mu)/sqrt(v)) + erf(mu/sqrt(2*v)))/2",
        ),
        ("diff(exp(-mu**2)*v, mu) = -2*mu*v*exp(-mu**2)", "diff(exp(-mu**2)*v, mu) = -mu*v*exp(-mu**2)"),
        ("indicator(mu <= 1)*v <= v", "indicator(mu <= 1)*v < v"),
    ],
)
def test_a_check_refutes_the_false_ones_alone(true: str, false: str) -> None:
    assert found_without_tokens(proposition(true, "mu in R, v > 0"), "quick", 0).verdict[0] != "refuted"
    found = found_without_tokens(proposition(false, "mu in R, v > 0"), "quick", 0)
    assert found.verdict[0] == "refuted" and found.counterexample is not None


ERRORS = "erf((theta - 1/2)*xi) - erf((theta - 1/2)*xi - 1/eta) -> 2*indicator(theta >= 1/2)"
KNOWN = "0 <= theta <= 1, r >= 0, eta > 0"


@pytest.mark.parametrize(("end", "shown"), [("oo", r"\xi \to \infty"), ("-oo", r"\xi \to -\infty")])
def test_several_limits_at_once(end: str, shown: str) -> None:
    prop = proposition(ERRORS, KNOWN, limit=f"xi -> {end}, eta -> 0, xi*eta -> r")
    assert [str(one) for one in prop.limit.together] == [f"xi -> {end}", "eta -> 0", "xi*eta -> r"]
    assert limit_latex(prop) == shown + r", \eta \to 0, \xi \, \eta \to r"
    assert "along every such sequence" in in_words(prop)
    assert set(prop.parameters) == {"theta", "xi", "eta", "r"}
    # one of them alone says nothing of the others
    assert found_without_tokens(prop, "quick", 0).verdict[0] == "undecided"
