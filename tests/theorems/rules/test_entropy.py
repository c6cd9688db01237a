"""The rules about softmax entropies and crossings: true instances, numbers that bear them out, and near-misses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from tests.mutation.steps import holds
from theorems.algebra.expressions import parse, symbol
from theorems.bao2024 import entropy
from theorems.gaussian.process import Step
from theorems.rules import ABOUT, RULES, licensed
from theorems.rules import entropy as rules

x, e, T, nu, s = (symbol(name) for name in ("x", "e", "T", "nu", "s"))
HALF = sp.Rational(1, 2)


def step(name: str) -> Step:
    """The one step of that rule in the derivations of (9)."""
    for second in (False, True):
        found: list[Step] = [one for one in entropy.eq9(second).steps if one.rule == name]
        if found:
            return found[0]
    raise LookupError(name)


def changed(name: str, place: int, value: Any) -> bool:
    """Whether the step is licensed with one entry of its data replaced."""
    data = list(step(name).data)
    assert data[place] != value
    data[place] = value
    return holds(name, *data)


@pytest.mark.parametrize("second_route", [False, True])
def test_every_step_of_the_derivation_is_licensed(second_route: bool) -> None:
    for one in entropy.eq9(second_route).steps:
        assert licensed(one), one.text


@pytest.mark.parametrize(
    ("expression", "positive", "sign"),
    [
        ("x + 2*exp(-x)", "x", 1),
        ("-x*y**2", "xy", -1),
        ("-(x + 1)**2", "x", -1),
        ("(-x - 1)**(-3)", "x", -1),
        ("sqrt(x)/(1 + y)", "xy", 1),
        ("x - y", "xy", None),
        ("x + y", "x", None),
        ("sqrt(-x)", "x", None),
        ("exp(y)", "x", None),
        ("0", "x", 0),
    ],
)
def test_visible_signs(expression: str, positive: str, sign: int | None) -> None:
    assert rules.visible_sign(parse(expression), set(positive)) == sign


def test_exponentials_become_powers_of_one_unknown() -> None:
    form = rules.in_unknown(parse("exp(-nu) + nu*exp(nu/2)"), "nu", -HALF, "e")
    assert sp.expand(form - e**2 - nu / e) == 0
    for bad in ("exp(-nu/3)", "exp(nu**2)", "exp(T*nu)"):
        with pytest.raises(ValueError, match="no integer power"):
            rules.in_unknown(parse(bad), "nu", -HALF, "e")
    with pytest.raises(ValueError, match="name of its own"):
        rules.in_unknown(e * sp.exp(nu), "nu", -HALF, "e")


def test_exponential_slope() -> None:
    function = parse("nu*exp(-nu) + log(1 + exp(-nu/2))")
    form = nu * e**2 + sp.log(1 + e)
    slope = e**2 - nu * e**2 - e / (2 * (1 + e))
    assert holds("exponential-slope", function, "nu", -HALF, "e", form, slope)
    assert not holds("exponential-slope", function, "nu", -HALF, "e", form, slope + e)
    assert not holds("exponential-slope", function, "nu", -HALF, "e", form + e, slope)
    assert not holds("exponential-slope", function, "nu", sp.Integer(-1), "e", form, slope)


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        ("x - 1 + exp(-x)", True),
        ("1 - x + x**2/2 - exp(-x)", True),
        ("1 - exp(-x)*(1 + x + x**2/2)", True),
        ("1 - exp(-x)*(1 + x)", True),
        ("x**2", True),
        ("1 - x - exp(-x)", False),
        ("1 - x + x**2/3 - exp(-x)", False),
        ("exp(-x)*(1 + x) - 1", False),
        ("x - 2 + exp(-x)", False),
        ("x - y", False),
        ("x - x", False),
    ],
)
def test_taylor_sign_and_what_the_numbers_say(function: str, answer: bool) -> None:
    formula = parse(function)
    assert rules.taylor_sign(formula, "x") is answer
    if answer:
        points = np.random.default_rng(0).uniform(0.05, 12, 64)
        assert np.all(sp.lambdify(x, formula)(points) > 0)


@pytest.mark.parametrize("name", ["non-negative-sum", "crossing"])
def test_rules_that_use_taylors_formula_say_so(name: str) -> None:
    assert "Taylor" in ABOUT[name].trusted


def test_non_negative_sum() -> None:
    value, parts, variable, share = step("non-negative-sum").data
    assert rules.non_negative_sum(value, parts, variable, share)
    assert not rules.non_negative_sum(value + s, parts, variable, share)
    (weight, term), other = parts
    assert not rules.non_negative_sum(other[0] * other[1] - weight * term, ((-weight, term), other), variable, share)
    assert not rules.non_negative_sum(value, ((s - 1, -term), other), variable, share)
    assert not rules.non_negative_sum(sp.Integer(0), (), variable, share)


def test_two_roots_are_found_at_random_parameters() -> None:
    function, variable, mean, factor, given = step("two-roots").data
    grid = np.linspace(-60, 12, 200_001)
    generator = np.random.default_rng(1)
    for _ in range(20):
        m, c = generator.uniform(0.01, 4), generator.uniform(0.05, 5)
        values = np.exp(grid) * (grid - m) - c * grid
        roots = grid[:-1][np.sign(values[:-1]) != np.sign(values[1:])]
        assert len(roots) == 2 and roots[0] < 0 < roots[1]
    m, c = symbol(mean), symbol(factor)
    assert rules.two_roots(function, variable, mean, factor, given)
    assert not rules.two_roots(function + 2 * c * x, variable, mean, factor, given)
    assert not rules.two_roots(sp.exp(x) * (x - m) - c * x**2, variable, mean, factor, given)
    assert not rules.two_roots(sp.exp(x) * (x**2 - m) - c * x, variable, mean, factor, given)
    assert not rules.two_roots(sp.exp(x) * (x + m) - c * x, variable, mean, factor, given)


def test_two_roots_need_positive_constants() -> None:
    """exp(x)(x + 1) - x/2 has no root above 0, and exp(x)(x - 1) + x none below it: m and k must be said positive."""
    grid = np.linspace(1e-6, 12, 10_001)
    assert np.all(np.exp(grid) * (grid + 1) - grid / 2 > 0)
    assert np.all(np.exp(-grid) * (-grid - 1) - grid < 0)
    function, variable, mean, factor, given = step("two-roots").data
    for said in ((), given[:1], given[1:], ("m >= 0", "k > 0"), ("m < 0", "k > 0"), ("m > 0", "k >= 0")):
        assert not rules.two_roots(function, variable, mean, factor, said)
        assert not changed("stationary-score", 4, said)
    premises, total, norm, value = step("least-entropy").data
    for name in ("two-roots", "stationary-score"):
        weaker = tuple(replace(p, data=(*p.data[:4], given[::-1])) if p.rule == name else p for p in premises)
        assert not holds("least-entropy", weaker, total, norm, value)


def test_the_entropy_of_two_levels() -> None:
    up, total, gap, square, value = step("two-level-entropy").data
    for low, high, width in ((1, 4, 0.7), (2, 5, 3.0), (3, 4, 1.1)):
        scores = np.zeros(high)
        scores[:low] = width
        scores -= scores.mean()
        p = np.exp(scores) / np.exp(scores).sum()
        table = {up: low, total: high, gap: width}
        assert float(value.subs(table)) == pytest.approx(-(p * np.log(p)).sum(), rel=1e-12)
        assert float(square.subs(table)) == pytest.approx((scores**2).sum(), rel=1e-12)
    assert not changed("two-level-entropy", 3, square * 2)
    assert not changed("two-level-entropy", 4, value + 1)
    assert not changed("two-level-entropy", 4, value.xreplace({gap: -gap}))


def test_the_least_entropy_needs_each_of_its_premises() -> None:
    premises, total, norm, value = step("least-entropy").data
    assert holds("least-entropy", premises, total, norm, value)
    for place in range(len(premises)):
        assert not holds("least-entropy", premises[:place] + premises[place + 1 :], total, norm, value)
    assert not holds("least-entropy", premises, total, norm, value + 1)
    # two scores up
    width = nu * sp.sqrt(T / (2 * (T - 2)))
    assert not holds("least-entropy", premises, total, norm, entropy.two_levels(T, sp.Integer(2), width))
    # the norm off by a factor
    assert not holds("least-entropy", premises, total, norm, value.xreplace({nu: 2 * nu}))
    # premises about another function of the share, another constraint, another rise
    (place,) = (p for p, one in enumerate(premises) if one.rule == "implicit-slope")
    function, *rest, rise = premises[place].data
    for data in ((function + s, *rest, rise + 1), (2 * function, *rest, 2 * rise)):
        other = (*premises[:place], Step("implicit-slope", "", data), *premises[place + 1 :])
        assert licensed(other[place])
        assert not holds("least-entropy", other, total, norm, value)


def test_the_sandwich() -> None:
    total, norm, partition, largest, mean, low = step("entropy-sandwich").data
    generator = np.random.default_rng(2)
    for _ in range(50):
        size, radius = int(generator.integers(2, 40)), generator.uniform(0, 4)
        scores = generator.normal(size=size)
        scores -= scores.mean()
        scores *= radius / np.linalg.norm(scores)
        p = np.exp(scores) / np.exp(scores).sum()
        table = {total: size, norm: radius}
        assert -(p * np.log(p)).sum() >= float(low.subs(table)) - 1e-12
        assert p.max() <= float(largest.subs(table)) + 1e-12
    assert not changed("entropy-sandwich", 2, partition - 1)
    assert not changed("entropy-sandwich", 3, largest / 2)
    assert not changed("entropy-sandwich", 4, mean / 2)
    assert not changed("entropy-sandwich", 4, -mean)
    assert not changed("entropy-sandwich", 5, low + 1 / total)


def test_the_expansion() -> None:
    function, variable, count, small, remainder = step("log-expansion").data
    for size, width in ((1, 0.0), (3, 0.5), (50, 2.0), (1000, 5.0)):
        table = {symbol(count): size, symbol(variable): width}
        off = abs(float(function.subs(table)) - np.log(size + 1))
        assert off <= float(remainder.subs(table))
    assert not changed("log-expansion", 0, function + small)
    assert not changed("log-expansion", 3, 2 * small)
    assert not changed("log-expansion", 4, remainder / 2)


@pytest.mark.parametrize("second_route", [False, True])
def test_the_squeeze(second_route: bool) -> None:
    last = entropy.eq9(second_route).steps[-1]
    premise, least, total, norm, low, high, leading = last.data
    assert licensed(last)
    assert not holds("squeeze", premise, least, total, norm, low + 1, high, leading)
    assert not holds("squeeze", premise, least, total, norm, low, high + 1, leading)
    assert not holds("squeeze", premise, least, total, norm, low, high, leading + 1)
    assert not holds("squeeze", Step("identity", "", (1, 1)), least, total, norm, low, high, leading)
    broken = Step(premise.rule, "", (*premise.data[:-1], premise.data[-1] + 1))
    assert not holds("squeeze", broken, least, total, norm, low, high, leading)


def test_a_remainder_that_stays_is_no_remainder() -> None:
    mean = nu * sp.exp(nu / 2)
    low = sp.log(T) - mean
    premise = Step("entropy-sandwich", "", (T, nu, T, sp.exp(nu), mean, low))
    assert not licensed(premise)
    assert not rules._dies_out(mean, T)
    assert not rules._dies_out(mean / sp.log(T), T)
    assert rules._dies_out(mean / sp.sqrt(T), T)


def test_a_crossing_and_its_near_misses() -> None:
    good = list(unimodal("crossing").data)
    assert holds("crossing", *good)
    grid = np.linspace(1e-3, 80, 20_001)
    for length in np.random.default_rng(3).uniform(0.1, 1e4, 20):
        values = sp.lambdify(nu, good[0].subs(T, length))(grid)
        assert np.sum(np.diff(np.sign(np.diff(values))) != 0) == 1
    factor, power, below, above = good[5]
    for place, value in (
        (0, good[0] + nu),
        (4, "S"),
        (5, (-factor, power, -below, -above)),
        (5, (factor, 0, below, above)),
        (5, (factor, power, below, above + 1)),
        (6, (nu**2 / 8 / 2, nu / 2)),
        (6, (nu**2 / 4, 2 * nu)),
        (6, (nu, nu / 2)),
        (7, "minima"),
        (7, "turns"),
        (8, sp.Integer(2)),
    ):
        bad = list(good)
        bad[place] = value
        assert not holds("crossing", *bad), (place, value)


def unimodal(name: str, text: str = "") -> Step:
    """A step of the derivation about the shape of the printed bound."""
    from theorems.claims.catalogue import by_id

    formula = parse(text or by_id()["bao2024.sec5.eq9-unimodal"].definitions["bound"])
    facts = entropy.eq9_unimodal(formula).values()
    found: Step = next(one for fact in facts for one in fact.steps if one.rule == name)
    return found


def test_no_turn() -> None:
    function, variable, slope, count = unimodal("no-turn").data
    assert holds("no-turn", function, variable, slope, count)
    assert not holds("no-turn", function, variable, -slope, count)
    assert not holds("no-turn", function, variable, slope, sp.Integer(1))
    # x exp(-x) turns once
    assert not holds("no-turn", x * sp.exp(-x), "x", (1 - x) * sp.exp(-x), sp.Integer(0))


@pytest.mark.parametrize(
    "broken", ["1/(x - 1)", "sqrt((x - 1)**2)/(x - 1)", "log(x - 1)", "log(1 - x)", "(x - 1)**(1/3)"]
)
def test_a_function_that_breaks_may_turn_where_its_slope_has_one_sign(broken: str) -> None:
    """x - 5 sgn(x - 1) rises on either side of 1, where it falls by 10; a pole is no better."""
    for scale in (1, -5):
        function = x + scale * parse(broken)
        for slope in (sp.Integer(1), sp.simplify(sp.diff(function, x)), sp.diff(function, x)):
            assert not holds("no-turn", function, "x", slope, sp.Integer(0))
    assert holds("no-turn", x + sp.sqrt(x) + 1, "x", 1 + 1 / (2 * sp.sqrt(x)), sp.Integer(0))
    assert not holds("no-turn", x + sp.I, "x", sp.Integer(1), sp.Integer(0))


@pytest.mark.parametrize(
    ("function", "value", "answer"),
    [
        ("x*exp(-x)", "0", True),
        ("log(2 + exp(-x)) + x*exp(-x)/(1 + exp(-x))", "log(2)", True),
        ("x*exp(-x)", "1", False),
        ("x", "0", False),
        ("exp(x)*x", "0", False),
        ("x*exp(-x)/exp(-x)", "0", False),
        ("log(exp(-x))", "0", False),
        ("1/exp(-x)", "0", False),
        ("x*exp(-x)/(exp(-x) - 1)", "0", False),
    ],
)
def test_decay(function: str, value: str, answer: bool) -> None:
    assert holds("decay", parse(function), "x", sp.Integer(-1), parse(value)) is answer
    assert not holds("decay", parse(function), "x", sp.Integer(1), parse(value))


def test_balls_far_out() -> None:
    place = (("x", 512),)
    assert holds("far-enclosure", parse("2 + x*exp(-x)"), place, sp.Integer(2))
    assert not holds("far-enclosure", parse("2 + x*exp(-x)"), place, sp.Integer(1))
    assert not holds("far-enclosure", parse("1/x"), place, sp.Integer(0))
    assert not holds("far-enclosure", parse("y*exp(-x)"), place, sp.Integer(0))
    # 0 at the place, and 1 beyond
    assert not holds("far-enclosure", parse("x/512 - 1"), place, sp.Integer(0))
    assert not holds("far-enclosure", parse("2 - x/512"), (("x", 1024),), sp.Integer(0))
    assert holds("far-enclosure", parse("y + exp(-x)"), (("y", 3), *place), sp.Integer(3))


def test_data_of_another_shape_is_not_licensed() -> None:
    for name in (name for name, check in RULES.items() if check.__module__ == rules.__name__):
        assert not licensed(Step(name, "", ())), name
        assert not licensed(Step(name, "", (None, "x"))), name
