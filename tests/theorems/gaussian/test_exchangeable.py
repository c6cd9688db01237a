"""Moments of exchangeable tokens: two routes, finite laws by enumeration, and the rules that build on them."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
import sympy as sp

from theorems.algebra.expressions import same, symbol
from theorems.gaussian.exchangeable import (
    Vector,
    Weighted,
    moment,
    moment_by_deviations,
    output,
    token,
    trace,
    weighted_moment,
)
from theorems.gaussian.process import Step
from theorems.rules import exchangeable as exchangeable_rules
from theorems.rules import licensed
from theorems.rules.exchangeable import LEVEL

beta, k, t1, t2 = (symbol(n) for n in ("beta", "k", "t1", "t2"))
TOKENS = [[1, 2], [0, -1], [3, 1]]
W = [[1, -2], [3, 1]]


def matrix(rows: Any) -> sp.Matrix:
    return sp.Matrix([[sp.Rational(Fraction(v).numerator, Fraction(v).denominator) for v in row] for row in rows])


def values() -> dict[sp.Symbol, sp.Expr]:
    """The trace words of the law that permutes TOKENS, by enumeration."""
    z, w = [matrix([row]).T for row in TOKENS], matrix(W)
    A = sum((v * v.T for v in z), sp.zeros(2)) / 3
    C = sum((a * b.T for a, b in permutations(z, 2)), sp.zeros(2)) / 6
    letters = {"W": w, "Wt": w.T}
    table = {beta: sp.Rational(1, 2), k: sp.Integer(3), LEVEL: sp.Rational(1, 3)}
    for name, law in (("A", A), ("B", A - C)):
        for word in ((), ("W",), ("Wt",), ("Wt", "W"), ("W", "W"), ("W", "Wt")):
            product = sp.eye(2)
            for letter in word:
                product = product * letters[letter]
            table[trace(name, word)] = (law * product).trace()
    return table


def enumerated(first: int, second: int) -> sp.Rational:
    """E[Y_i^T Y_j] over all permutations of TOKENS, from the definition of Y."""
    w, total = matrix(W), sp.Integer(0)
    orders = list(permutations(TOKENS))
    for order in orders:
        z = [matrix([row]).T for row in order]
        mean = (z[0] + z[1] + z[2]) / 3
        Y = [v / 2 + w * (sp.Rational(2, 3) * v + mean / 3) for v in z]
        total += (Y[first].T * Y[second])[0, 0]
    return total / len(orders)


@pytest.mark.parametrize("route", [moment, moment_by_deviations])
@pytest.mark.parametrize(("first", "second", "places"), [("i", "i", (0, 0)), ("i", "j", (0, 1))])
def test_moments_are_those_of_an_enumerated_law(route: Any, first: str, second: str, places: tuple[int, int]) -> None:
    value = route(output(first, LEVEL), output(second, LEVEL))
    assert value.xreplace(values()) == enumerated(*places)


def test_both_routes_agree_for_any_vectors() -> None:
    one = token("i").mapped() + token("mean").times(symbol("c"))
    two = token("j").mapped("Wt").mapped() + token("i").times(2)
    assert same(moment(one, two), moment_by_deviations(one, two))
    assert not same(moment(one, two), moment_by_deviations(one, one))


def test_uniform_weights_give_the_mean_of_all_tokens() -> None:
    one = Weighted(((sp.Integer(1), ("W",), "u"), (beta, (), "e")))
    products = {("u", "u"): 1 / k, ("u", "e"): 1 / k, ("e", "u"): 1 / k, ("e", "e"): sp.Integer(1)}
    mean = token("mean").mapped() + token("i").times(beta)
    assert same(weighted_moment(one, one, products), moment(mean, mean))


def energy() -> Step:
    one = output("i", LEVEL)
    return Step("exchangeable-moment", "", (one, one, moment(one, one)))


def cross() -> Step:
    one, two = output("i", LEVEL), output("j", LEVEL)
    return Step("exchangeable-moment", "", (one, two, moment(one, two)))


CONE = Step("energy-cone", "", (t1, t2))
FALLS, RISES = ("beta*t1 >= 0", "beta*t1 + t2 > 0"), ("beta*t1 + t2 <= 0", "beta*t1 < 0")


def balance() -> Step:
    return Step("energy-balance", "", (energy(), cross()))


def slope_sign(name: str, conditions: tuple[str, ...]) -> Step:
    return Step("slope-sign", "", (name, conditions, energy(), CONE))


def test_the_rules_license_what_is_true() -> None:
    s = symbol("s")
    chord = 2 * beta * t1 + (2 - s) * t2
    loss = ("2*beta*t1 + t2 > 0",)
    steps = [
        energy(),
        cross(),
        CONE,
        balance(),
        Step("level-slope", "", (energy(), sp.Integer(1), -2 * beta * (1 - 1 / k) * t1)),
        slope_sign("D decreasing", FALLS),
        slope_sign("D increasing", RISES),
        Step("chord-sign", "", ("D decreasing", FALLS, energy(), CONE, chord)),
        Step("ratio-of-energy", "", ("R increasing", FALLS, balance(), slope_sign("D decreasing", FALLS))),
        Step("ends-compared", "", ("R(1) > R(0)", loss, balance())),
        Step("interior-maximum", "", ("interior maximum", ("beta*t1 + t2 > 0", "beta*t1 < 0"), balance(), CONE)),
        Step("level-root", "", (energy(), 1 + beta * t1 / t2)),
    ]
    assert [step.rule for step in steps if not licensed(step)] == []


def near_misses() -> list[Step]:
    one, two = output("i", LEVEL), output("j", LEVEL)
    wrong = Step("exchangeable-moment", "", (one, one, moment(one, one) + t2 / k))
    s = symbol("s")
    return [
        wrong,
        Step("exchangeable-moment", "", (one, two, moment(one, one))),
        Step("energy-cone", "", (t2, t1)),
        Step("energy-balance", "", (energy(), energy())),
        Step("energy-balance", "", (wrong, cross())),
        Step("level-slope", "", (energy(), sp.Integer(1), -2 * beta * t1)),
        Step("level-slope", "", (energy(), sp.Integer(0), -2 * beta * (1 - 1 / k) * t1)),
        slope_sign("D decreasing", ("beta*t1 > 0",)),
        slope_sign("D decreasing", ("beta*t1 > 0", "beta*t1 + t2 > 0")),
        slope_sign("D decreasing", ("beta*t1 >= 0",)),
        slope_sign("D decreasing", RISES),
        slope_sign("D increasing", FALLS),
        slope_sign("R decreasing", RISES),
        Step("slope-sign", "", ("D decreasing", FALLS, wrong, CONE)),
        Step("slope-sign", "", ("D decreasing", FALLS, energy(), Step("energy-cone", "", (t1, t1)))),
        Step("chord-sign", "", ("D decreasing", FALLS, energy(), CONE, 2 * beta * t1 + (2 + s) * t2)),
        Step("chord-sign", "", ("D increasing", FALLS, energy(), CONE, 2 * beta * t1 + (2 - s) * t2)),
        Step("ratio-of-energy", "", ("R decreasing", FALLS, balance(), slope_sign("D decreasing", FALLS))),
        Step("ratio-of-energy", "", ("R increasing", ("beta*t1 > 0",), balance(), slope_sign("D decreasing", FALLS))),
        Step("ends-compared", "", ("R(1) > R(0)", ("2*beta*t1 + t2 >= 0",), balance())),
        Step("ends-compared", "", ("R(1) > R(0)", ("beta*t1 + t2 > 0",), balance())),
        Step("ends-compared", "", ("R(1) < R(0)", ("2*beta*t1 + t2 > 0",), balance())),
        Step("interior-maximum", "", ("interior maximum", ("beta*t1 + t2 >= 0", "beta*t1 < 0"), balance(), CONE)),
        Step("level-root", "", (energy(), 1 - beta * t1 / t2)),
    ]


@pytest.mark.parametrize("place", range(len(near_misses())))
def test_near_misses_are_not_licensed(place: int) -> None:
    assert not licensed(near_misses()[place])


def test_energies_of_tokens_that_are_not_apart_are_no_balance() -> None:
    turned = Vector(output("j", LEVEL).terms)
    same_token = Step("exchangeable-moment", "", (turned, turned, moment(turned, turned)))
    assert licensed(same_token)
    assert not exchangeable_rules.energy_balance(energy(), same_token)


def test_the_energy_of_another_vector_says_nothing_of_D() -> None:
    """Y' = -beta z_i + W(...): its moment is licensed, what it would say of D and R is not."""
    one, two = (
        Vector(tuple((-c if not product else c, product, place) for c, product, place in output(slot, LEVEL).terms))
        for slot in ("i", "j")
    )
    other = Step("exchangeable-moment", "", (one, one, moment(one, one)))
    apart = Step("exchangeable-moment", "", (one, two, moment(one, two)))
    assert licensed(other)
    assert licensed(apart)
    turned = ("-beta*t1 >= 0", "-beta*t1 + t2 > 0")
    assert not licensed(Step("slope-sign", "", ("D decreasing", turned, other, CONE)))
    assert not licensed(Step("energy-balance", "", (other, apart)))
    assert not licensed(Step("level-slope", "", (apart, sp.Integer(1), sp.diff(apart.data[2], LEVEL))))
    # nor the level turned round
    back = output("i", 1 - LEVEL)
    reverse = Step("exchangeable-moment", "", (back, back, moment(back, back)))
    assert licensed(reverse)
    assert not licensed(Step("level-root", "", (reverse, -beta * t1 / t2)))
