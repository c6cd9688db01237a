"""Equation (9): the least entropy against brute force, how formulas grow, and what is decided about a print."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize

from theorems.algebra.balls import at
from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import parse, symbol
from theorems.bao2024 import entropy
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Step
from theorems.kernel.bounds import settle_bound
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.eventually import Eventually, Growth, below, excess, growth, unsupported_eventually
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.rules import licensed

EQ9, SHAPE = "bao2024.sec5.eq9", "bao2024.sec5.eq9-unimodal"
T, nu = symbol("T"), symbol("nu")
NAMES = frozenset({"T", "nu"})


def bound(second_route: bool = False) -> Eventually:
    found = entropy.eq9(second_route)
    assert isinstance(found, Eventually)
    return found


def settled(lower: str, derived: Derived | None = None) -> Outcome:
    claim = replace(by_id()[EQ9], printed={"lower": lower})
    return settle(claim, derived or derive(EQ9))


def entropy_of(scores: np.ndarray[Any, Any]) -> float:
    shifted = scores - scores.max()
    log_p = shifted - np.log(np.exp(shifted).sum())
    return float(-(np.exp(log_p) * log_p).sum())


def size(formula: sp.Expr, point: dict[str, int]) -> float:
    """An upper bound of |formula| at a point."""
    return float(at(formula, point).abs_upper())


@pytest.mark.parametrize("length", [2, 3, 4, 7])
@pytest.mark.parametrize("norm", [0.3, 1.0, 2.5, 6.0])
def test_the_least_entropy_is_the_least_that_an_optimiser_finds(length: int, norm: float) -> None:
    least = float(bound().upper.subs({T: length, nu: norm}))
    generator = np.random.default_rng(length)

    def objective(free: np.ndarray[Any, Any]) -> float:
        return entropy_of(norm * free / np.linalg.norm(free))

    found = [minimize(objective, generator.normal(size=length), method="BFGS").fun for _ in range(4 * length)]
    assert min(found) >= least - 1e-10
    assert min(found) == pytest.approx(least, abs=1e-6)


def test_one_score_up_is_least_of_all_two_level_scores() -> None:
    for length in (2, 3, 5, 12):
        for norm in ("1/8", "1", "3", "9"):
            values = []
            for up in range(1, length):
                gap = nu * sp.sqrt(sp.Rational(length, up * (length - up)))
                levels = entropy.two_levels(sp.Integer(length), sp.Integer(up), gap)
                values.append(at(levels, {"nu": Fraction(norm)}))
            for one, two in pairwise(values):
                assert one < two
            assert values[0].overlaps(at(bound().upper, {"T": length, "nu": Fraction(norm)}))


def test_the_bound_is_what_the_least_entropy_becomes() -> None:
    for length, norm in ((10**6, 1), (10**9, 3), (10**12, 12)):
        point = {"T": length, "nu": norm}
        assert size(bound().upper - bound().quantity, point) < 1e-3
        assert size(bound().upper - sp.log(T), point) < 1e-3


@pytest.mark.parametrize("second_route", [False, True])
def test_both_routes_give_the_same_bound_with_other_steps(second_route: bool) -> None:
    one, other = bound(second_route), bound(not second_route)
    assert (one.quantity, one.upper, one.leading) == (other.quantity, other.upper, other.leading)
    assert {step.rule for step in one.steps} != {step.rule for step in other.steps}
    assert one.method != other.method
    assert unsupported_eventually(one) == []


# -- how formulas grow


@pytest.mark.parametrize(
    ("text", "powers", "log", "constant"),
    [
        ("log(T)", {}, "1", "0"),
        ("log(2*T**3 + T)", {}, "3", "log(2)"),
        ("log(1 + T*exp(-nu))", {}, "1", "-nu"),
        ("-3*log(nu + exp(-nu)/T)", {}, "0", "-3*log(nu)"),
        ("nu*exp(-nu)/(1/T + exp(-nu))", {}, "0", "nu"),
        ("(T**2 + 3*T + 5)/(T + 1)", {1: "1"}, "0", "2"),
        ("nu + 1/T", {}, "0", "nu"),
        ("T*nu/(1 + 1/T)", {1: "nu"}, "0", "-nu"),
        ("2*(log(T) + nu)", {}, "2", "2*nu"),
    ],
)
def test_growth(text: str, powers: dict[int, str], log: str, constant: str) -> None:
    found = growth(parse(text), NAMES)
    assert found is not None
    assert set(found.powers) == set(powers)
    wanted = Growth({k: parse(c) for k, c in powers.items()}, parse(log), parse(constant))
    assert vanishes(found.minus(wanted).expr)
    # the growth is what is left of the formula at a long T
    assert size(parse(text) - found.expr, {"T": 10**12, "nu": 2}) < 1e-6


@pytest.mark.parametrize(
    "text", ["T*log(T)", "log(T)**2", "exp(T)", "sqrt(T)", "log(1 - T)", "1/(nu - exp(-nu) + 1/T)", "log(nu - 1 + 1/T)"]
)
def test_no_growth_is_claimed_where_none_is_found(text: str) -> None:
    assert growth(parse(text), NAMES) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("log(T)", True),
        ("log(T) - nu", True),
        ("log(T) - 1", True),
        ("log(T)/2 + 100*nu", True),
        ("100 - T*nu", True),
        ("log(T) + 1 - T*nu", False),
        ("100 - T*exp(nu)", True),
        ("log(T) + 5/T", True),
        ("log(T) + exp(-nu)", False),
        ("log(T) + nu", False),
        ("log(T) + nu - 1/2", False),
        ("log(T) + nu*exp(nu/2) - nu", False),
        ("2*log(T) - nu", False),
        ("log(T) + nu*T", False),
        ("log(T)*(1 - nu)", True),
        ("log(T)*(2 - nu)", False),
        ("log(T)*(1 + nu*exp(-nu) - nu)", None),
        ("log(T) + nu*exp(-nu) - nu", True),
        ("log(T) + nu*exp(-nu/2)/(1 + exp(-nu)) - nu", True),
        # exp(-nu)/2 - exp(-nu/2) + 1/2 > 0 by little
        ("log(T) + exp(-nu)/2 - exp(-nu/2) + 1/2", False),
        ("log(T) + nu*exp(-nu) - 1", None),
        ("sqrt(T)", None),
    ],
)
def test_which_formulas_are_lower_bounds(text: str, answer: bool | None) -> None:
    assert below(parse(text), bound()) is answer


# -- the print


def test_the_print_is_settled_and_replaced() -> None:
    claim = by_id()[EQ9]
    outcome = settle(claim, derive(EQ9))
    assert all(step.ok for step in outcome.steps)
    gap = excess(parse(claim.printed["lower"]), bound())
    assert gap is not None
    # ln T is the largest entropy there is, so an excess over it that stays positive breaks any lower bound
    stays = at(gap.constant, {"nu": 1})
    assert not gap.powers and gap.log == 0
    assert (outcome.status == "disproved") == bool(stays > 0)
    assert outcome.exact == bound().quantity and outcome.attained == bound().upper
    corrected = claim.corrected({"lower": str(outcome.corrections["lower"])})
    assert settle(corrected, derive(EQ9, second_route=True)).status == "proved"


@pytest.mark.parametrize(
    ("lower", "status"),
    [
        ("log(1 + T*exp(-nu)) + nu*exp(-nu)/(1/T + exp(-nu))", "proved"),
        ("log(1 + T*exp(-nu))", "proved"),
        ("log(1 + T*exp(-nu)) + nu*exp(-nu)/(2/T + exp(-nu))", "proved"),
        ("log(2 + T*exp(-nu)) + 2*nu*exp(-nu)/(1/T + exp(-nu))", "disproved"),
        ("log(1 + 2*T*exp(-nu)) + nu*exp(-nu)/(1/T + exp(-nu))", "disproved"),
        ("log(1 + T*exp(-nu)) + nu/(1/T + exp(-nu))", "disproved"),
        ("log(1 + T**2*exp(-nu))", "disproved"),
        ("log(T)**2", "undecided"),
    ],
)
def test_other_prints(lower: str, status: str) -> None:
    outcome = settled(lower)
    assert outcome.status == status
    assert bool(outcome.corrections) == (status == "disproved")


def test_a_bound_without_its_steps_settles_nothing() -> None:
    whole = bound()
    for place, _ in enumerate(whole.steps):
        partial = replace(whole, steps=whole.steps[:place] + whole.steps[place + 1 :])
        rules = {step.rule for step in whole.steps} - {step.rule for step in partial.steps}
        if rules & {"least-entropy", "squeeze"}:
            assert unsupported_eventually(partial)
            assert settled("log(T)", Derived({"": partial}, partial.steps)).status == "undecided"


@pytest.mark.parametrize(
    "change",
    [
        {"upper": entropy.two_levels(T, sp.Integer(1), nu)},
        {"quantity": sp.log(T) + nu},
        {"quantity": sp.log(T) - nu},
        {"quantity": T},
        {"leading": 2 * sp.log(T)},
    ],
)
def test_a_bound_that_is_not_what_the_steps_conclude_settles_nothing(change: dict[str, Any]) -> None:
    other = replace(bound(), **change)
    assert unsupported_eventually(other)
    assert settled("log(T)", Derived({"": other}, other.steps)).status == "undecided"


def test_balls_must_confirm_the_growth() -> None:
    wrong = replace(bound(), upper=bound().upper + 1)
    claim = replace(by_id()[EQ9], printed={"lower": "log(T)"})
    outcome = settle_bound(claim, Derived({"": wrong}, wrong.steps), [])
    assert outcome.status == "undecided"
    assert "ball arithmetic" in outcome.method


# -- the shape of the print


def shape(definition: str) -> Outcome:
    claim = by_id()[SHAPE]
    facts = entropy.eq9_unimodal(parse(definition))
    steps = tuple(dict.fromkeys(step for fact in facts.values() for step in fact.steps))
    return settle(replace(claim, definitions={"bound": definition}), Derived(dict(facts), steps))


def test_the_shape_of_the_print() -> None:
    claim = by_id()[SHAPE]
    assert claim.definitions["bound"] == by_id()[EQ9].printed["lower"]
    outcome = settle(claim, derive(SHAPE))
    assert outcome.status == "proved"
    assert all(step.ok for step in outcome.steps)
    # of the least entropy itself the same print is false
    (key,) = (name for name in derive(SHAPE).quantities if "@" in name)
    assert settle(replace(claim, printed={key: claim.printed["maxima"]}), derive(SHAPE)).status == "disproved"


@pytest.mark.parametrize(
    ("definition", "status"),
    [
        # falls everywhere
        ("log(1 + T*exp(-nu)) + nu*exp(-nu)/(1/T + exp(-nu))", "disproved"),
        ("1 + log(1 + T*exp(-nu)) + nu*exp(-nu/2)/(1/T + exp(-nu))", "disproved"),
        # falls first: two turns
        ("log(1 + T*exp(-nu)) + nu*exp(-3*nu/2)/(1/T + exp(-nu))", "undecided"),
    ],
)
def test_another_bound_has_another_shape(definition: str, status: str) -> None:
    assert shape(definition).status == status


def test_another_count_is_false() -> None:
    claim = replace(by_id()[SHAPE], printed={"maxima": "2", "minima": "1", "limit": "0"})
    outcome = settle(claim, derive(SHAPE))
    assert outcome.status == "disproved"
    assert outcome.false_quantities == ("maxima", "minima")


def test_the_growth_is_that_of_the_very_least_value() -> None:
    """The least entropy of scores of norm <= T is about 0, and a squeeze for norms <= nu says nothing of it."""
    bound = entropy.eq9(False)
    assert unsupported_eventually(bound) == []
    premises, total, norm, value = next(step.data for step in bound.steps if step.rule == "least-entropy")
    grown = value.xreplace({symbol(norm): symbol(total)})
    least = Step("least-entropy", "", (premises, total, total, grown))
    last = Step("squeeze", "", (bound.steps[-1].data[0], grown, *bound.steps[-1].data[2:]))
    assert licensed(least) and not licensed(last)
    steps = tuple(least if step.rule == "least-entropy" else step for step in bound.steps[:-1])
    assert "another number, or norm" in unsupported_eventually(replace(bound, upper=grown, steps=(*steps, last)))[0]


def test_a_growth_without_points_is_not_confirmed() -> None:
    assert unsupported_eventually(replace(entropy.eq9(False), points=())) != []
