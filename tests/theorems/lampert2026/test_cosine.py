"""Section 5, cosines: the points near equality, what is decided of other constants, and the two routes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from theorems.algebra.balls import sign
from theorems.algebra.closed import names, vanishes
from theorems.algebra.expressions import parse, text
from theorems.claims.catalogue import Statement, by_id
from theorems.gaussian import ensemble
from theorems.gaussian.numeric import Case
from theorems.kernel.bounds import admitted
from theorems.kernel.derivation import Inequality
from theorems.kernel.deriving import derive, remarked
from theorems.kernel.settle import settle
from theorems.lampert2026.cosine import SHARP, _whole_fall
from theorems.rules import licensed

APPROXIMATION, TRANSFER = NAMES = ("lampert2026.sec5.cosine-approximation", "lampert2026.sec5.cosine-transfer")


def bound(name: str, second_route: bool = False) -> Inequality:
    found = derive(name, second_route=second_route).quantities[""]
    assert isinstance(found, Inequality)
    return found


def with_print(name: str, upper: str) -> Statement:
    return replace(by_id()[name], printed={"upper": upper})


def value(case: Case, formula: str) -> float:
    return float(case.evaluate(parse(formula)))


@pytest.mark.parametrize("name", NAMES)
def test_the_two_routes_prove_one_inequality_by_different_steps(name: str) -> None:
    first, second = bound(name), bound(name, second_route=True)
    assert all(licensed(step) for step in (*first.steps, *second.steps))
    assert vanishes(first.upper - second.upper) and first.quantity == second.quantity
    assert first.steps[0].rule != second.steps[0].rule
    assert first.method != second.method


@pytest.mark.parametrize("name", NAMES)
def test_every_point_meets_the_inequality_and_the_last_ones_nearly_attain_it(name: str) -> None:
    found, reached = bound(name), []
    for point in found.points:
        case = Case(point)
        assert all(any(map(Fraction, token)) for tokens in point["tokens"] for token in tokens)
        assert all(any(y) for end in (0, 1) for tokens in ensemble.images(case, end) for y in tokens)
        gap, top = found.upper - found.quantity, case.evaluate(found.upper)
        slack = sign(gap, {free: case.number(free) for free in names(gap)})
        assert slack == (1 if top else 0)
        reached.append(float(case.evaluate(found.quantity) / top) if top else 0.0)
    assert max(reached) > 0.999
    # nearer and nearer
    assert sum(ratio > 0.95 for ratio in reached) >= 3


@pytest.mark.parametrize("constant", ["0", "1", "7/5", "149/100", "1499/1000", "3/2", "1501/1000", "2", "3"])
def test_other_constants_are_decided_as_the_sharp_one_says(constant: str) -> None:
    statement = with_print(APPROXIMATION, f"{constant}*spread")
    outcome = settle(statement, derive(APPROXIMATION))
    assert outcome.status == ("proved" if parse(constant) >= SHARP else "disproved")
    if outcome.status == "disproved":
        assert text(outcome.corrections["upper"]) == text(SHARP * parse("spread"))


@pytest.mark.parametrize("upper", ["spread**2", "spread/2 + 1/100", "2*spread - 1/1000", "-spread"])
def test_prints_of_another_shape_that_fail_at_a_point_are_disproved(upper: str) -> None:
    assert settle(with_print(APPROXIMATION, upper), derive(APPROXIMATION)).status == "disproved"


def test_a_print_that_no_point_decides_is_left_open() -> None:
    assert settle(with_print(APPROXIMATION, "2*spread + 1"), derive(APPROXIMATION)).status == "undecided"


def test_points_of_the_transfer_are_admitted_by_the_sign_of_beta_t1() -> None:
    statement, found = by_id()[TRANSFER], bound(TRANSFER)
    for point in found.points:
        assert admitted(statement, point)
        head = {"W": [[str(-Fraction(w)) for w in row] for row in point["W"]]}
        assert not admitted(statement, {**point, **head})
    # both signs turned: the same cosines
    turned = {**found.points[0], "W": [["-1", "0"], ["-1", "0"]], "beta": "-1"}
    assert admitted(statement, turned)
    assert Case(turned).evaluate(found.quantity) == Case(found.points[0]).evaluate(found.quantity)


def test_the_cosine_falls_where_the_ratio_rises() -> None:
    for point in bound(TRANSFER).points:
        case = Case(point)
        assert value(case, "cosine_0 - cosine_1") > 0 > value(case, "ratio_0 - ratio_1")


@pytest.mark.parametrize("copies", [1, 2, 40])
def test_the_fall_comes_as_near_to_two_as_one_likes(copies: int) -> None:
    law = _whole_fall(copies)
    assert ensemble.cosine(law, 0) - ensemble.cosine(law, 1) == sp.Rational(2 * copies, copies + 1)
    assert ensemble.traces(law)[0] == Fraction(8 * copies**2 - 6 * copies, copies + 1) > 0


@pytest.mark.parametrize(
    "upper",
    [
        "0",
        "1",
        "spread_0 + 3/2*spread_1 + ratio_0 - ratio_1",
        "3/2*spread_0 + 1/2*spread_1 + ratio_0 - ratio_1",
        "149/100*(spread_0 + spread_1) + ratio_0 - ratio_1",
        "3/2*(spread_0 + spread_1) - 2*(ratio_1 - ratio_0)",
    ],
)
def test_no_smaller_bound_of_the_fall_survives_the_points(upper: str) -> None:
    outcome = settle(with_print(TRANSFER, upper), derive(TRANSFER))
    assert outcome.status == "disproved"
    assert vanishes(outcome.corrections["upper"] - bound(TRANSFER).upper)


def test_without_a_point_that_meets_the_conditions_nothing_is_disproved() -> None:
    statement = replace(by_id()[TRANSFER], conditions=("beta*t1 < 0",))
    assert settle(statement, derive(TRANSFER)).status == "undecided"


def test_the_correction_is_proved_by_the_second_route() -> None:
    upper = text(bound(TRANSFER).upper)
    outcome = settle(with_print(TRANSFER, upper), derive(TRANSFER, second_route=True))
    assert outcome.status == "proved"


def test_remarks_show_the_constant_and_the_plain_failures() -> None:
    assert any(f"{SHARP} is sharp" in line for line in remarked(APPROXIMATION))
    assert any("weak form" in line for line in remarked(TRANSFER))
