"""Section 4: the exact distances, what is proved of them, and that wrong prints are found out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest
import sympy as sp

import theorems.lampert2026.representability  # noqa: F401  (registers the distances)
from theorems.algebra.balls import sign
from theorems.algebra.convex import Representable, represent
from theorems.algebra.expressions import parse, value_at
from theorems.claims.catalogue import Statement, by_id
from theorems.claims.conditions import clause
from theorems.gaussian.functionals import known
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import Equivalence, Expected
from theorems.kernel.deriving import derive
from theorems.kernel.equivalence import contradicted, truth
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.rules.convex import SEEN

MASKS = {"prop41": "full", "prop41-causal": "causal", "prop41-window": "window"}
DISTANCES = ("rho_Q", "rho_K", "rho_K_causal", "rho_K_window", "rho_C", "rho_C_causal", "rho_C_window")


def claim(name: str) -> Statement:
    return by_id()[f"lampert2026.sec4.{name}"]


def settled(name: str, printed: dict[str, str] | None = None, *, second_route: bool = False) -> Outcome:
    statement = claim(name)
    derived = derive(statement.id, parameters=statement.parameters, second_route=second_route)
    return settle(statement if printed is None else replace(statement, printed=printed), derived)


def equivalence(name: str) -> Equivalence:
    found = derive(f"lampert2026.sec4.{name}").quantities["representable"]
    assert isinstance(found, Equivalence)
    return found


def cases(count: int) -> list[dict[str, Any]]:
    """Small integer embeddings, in which every hull holds its point now and then."""
    rng, found = Random(1), []
    for _ in range(count):
        T, d = rng.randint(1, 4), rng.randint(1, 2)
        z = [[str(rng.randint(-1, 1)) for _ in range(d)] for _ in range(T + 1)]
        J = sorted(rng.sample(range(1, T + 1), rng.randint(1, T)))
        found.append({"z": z, "J": J, "w": rng.randint(1, 3)})
    return found


@pytest.mark.parametrize(
    ("z", "J", "window", "squares"),
    [
        # one dimension: the hulls are intervals
        ([["0"], ["1"], ["3"]], [2], 1, ("9", "1", "1", "9", "9", "9", "81")),
        ([["0"], ["1"], ["-1"]], [1, 2], 1, ("0", "0", "0", "0", "0", "0", "1")),
        # a triangle's side 2 x + y = 1 is at distance 1/sqrt(5)
        ([["0", "0"], ["1/2", "0"], ["0", "1"]], [1, 2], 2, ("1/5", "1/5", "1/5", "1/5", None, None, None)),
    ],
)
def test_distances_in_cases_that_can_be_looked_at(
    z: list[list[str]], J: list[int], window: int, squares: tuple[str | None, ...]
) -> None:
    case = Case({"z": z, "J": J, "w": window})
    for name, square in zip(DISTANCES, squares, strict=True):
        value = case.functional(name)
        if square is not None:
            assert value**2 == sp.Rational(square)
        assert known(name) is not None and sign(value, {}) in (0, 1)


def test_hulls_of_more_points_are_nearer() -> None:
    for raw in cases(40):
        case = Case(raw)
        at = {name: case.functional(name) ** 2 for name in DISTANCES}
        assert at["rho_K"] <= at["rho_K_causal"] <= at["rho_K_window"]
        assert at["rho_C"] <= at["rho_C_causal"] <= at["rho_C_window"]
        # the nearest points' product lies in the hull of the products
        assert at["rho_C"] <= at["rho_Q"] * at["rho_K"]


@pytest.mark.parametrize("name", MASKS)
def test_the_derived_condition_is_the_definition_on_random_cases(name: str) -> None:
    found, seen = equivalence(name), set()
    for raw in cases(120):
        mask = MASKS[name]
        window = raw["w"] if mask == "window" else None
        exists = isinstance(represent(raw["z"], raw["J"], mask, window), Representable)
        assert truth(found, raw) == exists
        seen.add(exists)
    assert seen == {True, False}


@pytest.mark.parametrize("name", MASKS)
def test_the_print_is_judged_as_the_definition_says(name: str) -> None:
    """The kernel's word, against a search of random cases for one that contradicts the print."""
    statement = claim(name)
    word, conditions = clause(statement.printed["representable"])
    found = equivalence(name)
    wrong = [raw for raw in cases(400) if contradicted(word, conditions, found, raw)]
    assert settled(name).status == ("disproved" if wrong else "proved")


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(
    "printed",
    [
        *("iff rho_Q > 0", "iff KEYS > 0", "iff rho_Q > 0 & KEYS >= 0", "iff rho_Q >= 0 & KEYS > 0"),
        *("iff rho_Q > 0 & KEYS > 1", "iff rho_Q - 1 > 0 & KEYS > 0", "iff rho_Q > 0 & KEYS < 3", "if rho_Q > 0"),
        *("iff rho_Q + KEYS > 0", "if KEYS > 0"),
    ],
)
def test_wrong_prints_are_found_out(name: str, printed: str) -> None:
    keys = {"prop41": "rho_K", "prop41-causal": "rho_K_causal", "prop41-window": "rho_K_window"}[name]
    outcome = settled(name, {"representable": printed.replace("KEYS", keys)})
    assert outcome.status == "disproved"
    assert outcome.corrections["representable"].free_symbols


@pytest.mark.parametrize("second_route", [False, True])
def test_both_routes_prove_the_correction_of_a_wrong_print(second_route: bool) -> None:
    found = equivalence("prop41-window")
    right = "iff " + " & ".join(found.conditions)
    outcome = settled("prop41-window", {"representable": right}, second_route=second_route)
    assert outcome.status == "proved" and all(step.ok for step in outcome.steps)
    derived = derive("lampert2026.sec4.prop41-window", second_route=second_route)
    rules = {step.rule for step in derived.steps}
    assert ("nearest-point" in rules, "gordan" in rules) == (second_route, not second_route)


def test_a_derivation_for_another_mask_is_not_licensed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were every query to see the window only, the proof of the causal case would break."""
    monkeypatch.setitem(SEEN, "rho_C_causal", SEEN["rho_C_window"])
    assert settled("prop41-causal").status == "undecided"


def test_the_first_contradicted_point_is_a_small_one() -> None:
    statement, found = claim("prop41-window"), equivalence("prop41-window")
    word, conditions = clause(statement.printed["representable"])
    first = next(point for point in found.points if contradicted(word, conditions, found, point))
    assert len(first["z"]) <= 3 and len(first["z"][0]) == 1
    exists = represent(first["z"], first["J"], "window", first["w"])
    assert isinstance(exists, Representable) == truth(found, first)


def test_the_cost_is_attained_and_cannot_be_lowered_at_random_cases() -> None:
    value = derive("lampert2026.sec4.cost").ratio("nuclear").expr
    tried = 0
    for raw in cases(80):
        case = Case(raw | {"kappa": "3/2", "d": len(raw["z"][0])})
        if 0 in (case.functional("rho_Q"), case.functional("rho_K")):
            continue
        tried += 1
        d = len(raw["z"][0])
        square = sp.Rational(9, 4) * d / (case.functional("rho_Q") * case.functional("rho_K")) ** 2
        assert sp.simplify(case.evaluate(value) ** 2 - square) == 0
    assert tried > 20


@pytest.mark.parametrize(
    "wrong",
    [
        *("kappa*d/(rho_Q*rho_K)", "kappa/(rho_Q*rho_K)", "2*kappa*sqrt(d)/(rho_Q*rho_K)", "kappa*sqrt(d)/rho_Q"),
        "kappa**2*sqrt(d)/(rho_Q*rho_K)",
    ],
)
def test_a_wrong_cost_is_found_out(wrong: str) -> None:
    printed = dict(claim("cost").printed)
    assert settled("cost").status == "proved"
    for name in printed:
        outcome = settled("cost", printed | {name: wrong})
        assert outcome.status == "disproved" and outcome.false_quantities == (name,)


@cache
def cells(count: int, dim: int) -> int:
    """Cells of hyperplanes through 0 in general position, by taking one away."""
    return 2 if count == 1 or dim == 1 else cells(count - 1, dim) + cells(count - 1, dim - 1)


def test_the_probability_is_cells_over_sign_patterns() -> None:
    found = derive("lampert2026.sec4.wendel", parameters=("dim", "points")).quantities[""]
    assert isinstance(found, Expected)
    for dim in range(1, 6):
        for count in range(1, 9):
            at = {"dim": dim, "points": count}
            share = Fraction(cells(count, dim), 2**count)
            wanted = sp.Rational(share.numerator, share.denominator)
            assert value_at(found.mean, at) == wanted
            assert value_at(found.variance, at) == wanted * (1 - wanted)


@pytest.mark.parametrize(
    "wrong",
    [
        "2**(-points)*Sum(binomial(points - 1, k), k, 0, dim - 1)",
        "2**(1 - points)*Sum(binomial(points - 1, k), k, 0, dim)",
        "2**(1 - points)*Sum(binomial(points, k), k, 0, dim - 1)",
        "2**(1 - points)*Sum(binomial(points - 1, k), k, 0, dim - 2)",
        "1/2",
    ],
)
def test_a_wrong_probability_is_found_out(wrong: str) -> None:
    assert settled("wendel").status == "proved"
    outcome = settled("wendel", {"probability": wrong})
    assert outcome.status == "disproved"
    assert outcome.corrections["probability"] != parse(wrong)


def test_the_same_probability_in_another_form() -> None:
    same = "2*Sum(binomial(points - 1, k), k, 0, dim - 1)/2**points"
    assert settled("wendel", {"probability": same}).status == "proved"
