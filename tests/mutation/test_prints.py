"""Which changed bounds are weaker ones: ranges of names, pieces of a largest one, extreme laws, parts of sums."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proofs_check.cases import drawn as cases
from tests.mutation import laws, prints
from tests.mutation.prints import judged_print, print_mutants
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case

TRANSFER = "lampert2026.sec5.cosine-transfer"


def above(claim: str, large: str, small: str, **changed: Any) -> bool:
    return prints._above(replace(by_id()[claim], **changed), parse(large), parse(small))


@pytest.mark.parametrize(
    ("large", "small", "answer"),
    [
        # 0 < p <= 1 and any a, by the assumptions
        ("p*a**2", "p**2*a**2", True),
        ("p**2*a**2", "p*a**2", False),
        ("1", "p", True),
        ("p", "0", True),
        ("1 - p", "p/100", False),
        # d is a number here, no dimension
        ("d", "1", False),
        ("d**4", "d**2", False),
    ],
)
def test_assumptions_bound_names_from_both_sides(large: str, small: str, answer: bool) -> None:
    own = {"assumptions": ("0 < p <= 1",), "parameters": ("p", "a", "d"), "ranges": dict.fromkeys("pad", ("1", "-1"))}
    assert above("bao2024.sec5.eq9", large, small, **own) is answer


@pytest.mark.parametrize(
    ("large", "answer"),
    [
        ("sqrt((sum_aaaa + 1)*sum_bbbb*sum_cccc*sum_eeee)", True),
        ("sqrt((sum_aaaa + sum_aabb)*sum_bbbb*sum_cccc*sum_eeee)", True),
        ("sqrt((sum_aaaa + sum_abbb)*sum_bbbb*sum_cccc*sum_eeee)", False),
        ("sqrt((sum_aaaa - 1)*sum_bbbb*sum_cccc*sum_eeee)", False),
    ],
)
def test_a_sum_of_even_powers_is_not_negative(large: str, answer: bool) -> None:
    assert above("bao2024.appB.cauchy-schwarz", large, "sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee)") is answer


@pytest.mark.parametrize(
    ("large", "small", "answer"),
    [
        ("Max(Abs(X), Abs(Y), Abs(2*X - Y))", "Max(Abs(X), Abs(Y), Abs(X - Y))", True),
        ("Max(Abs(X), Abs(Y), Abs(X - Y))", "Max(Abs(X), Abs(Y), Abs(2*X - Y))", False),
        ("Abs(X - Y)", "Max(Abs(X), Abs(Y))", False),
        ("Abs(X) + Abs(Y)", "Abs(X - Y)", True),
        ("Abs(X - Y)", "Abs(X) - Abs(Y)", True),
        ("-Abs(X)", "X", False),
        ("2 - Abs(X)", "2 - X", False),
    ],
)
def test_a_largest_of_several_is_compared_piece_by_piece(large: str, small: str, answer: bool) -> None:
    assert above("bao2024.appC.lemma2-inequality", large, small) is answer


@pytest.mark.parametrize(
    ("large", "small", "answer"),
    [
        ("2", "gap", True),
        ("1", "gap", False),
        ("1 + spread", "ratio_0 + spread", True),
        ("ratio_0", "cosine_0", False),
    ],
)
def test_names_of_laws_lie_between_their_ends(large: str, small: str, answer: bool) -> None:
    assert above(TRANSFER, large, small) is answer


def test_extreme_laws_stay_between_these_ends_and_come_near_them() -> None:
    statement = by_id()[TRANSFER]
    every = [raw for raw in list(laws.pairs())[::6] if cases.meets(statement, raw)]
    assert len(every) > 40
    seen: dict[str, list[float]] = {}
    for raw in every:
        case = Case(raw)
        for name in ("cosine_0", "cosine_1", "ratio_0", "ratio_1", "spread_0", "spread_1"):
            seen.setdefault(name.partition("_")[0], []).append(float(case.evaluate(parse(name))))
    for name, values in seen.items():
        low, high = prints.WITHIN[name]
        assert low <= min(values) < low + 0.25 and high - 0.5 < max(values) <= high, name


@pytest.mark.slow
def test_an_outlying_bound_of_the_fall_is_broken_by_an_extreme_law() -> None:
    """Each of these holds at all points of the derivation and at all drawn laws."""
    found = {
        mutant.name.partition(": ")[2]: mutant for mutant in print_mutants(TRANSFER) if mutant.kind == "correction"
    }
    for label in ("times 21/20", "spread_0 -> spread_0**0", "ratio_0 times 19/20"):
        assert judged_print(found[label]) == ("caught", "disproved"), label
    assert judged_print(found["ratio_0 -> ratio_0**0"]) == ("equivalent", "a weaker bound")


def test_a_sum_of_parts_that_are_not_negative_is_told_by_its_parts() -> None:
    claim = "lampert2026.sec5.monotone-iff"

    def sums(*conditions: str) -> object:
        return prints._sums(claim, conditions)

    assert sums("beta*t1 >= 0", "beta*t1 + t2 > 0") == sums("beta*t1 >= 0", "beta*t1 + t2**2 > 0")
    # beta*t1 may be negative where no condition says otherwise, and t1 alone may be so everywhere
    assert sums("beta*t1 + t2 > 0") != sums("beta*t1 + t2**2 > 0")
    assert sums("beta*t1 >= 0", "beta*t1 - t2 > 0") != sums("beta*t1 >= 0", "beta*t1 - t2**2 > 0")
    assert sums("beta*t1 >= 0", "beta*t1 + t2 > 0") != sums("beta*t1 >= 0", "beta*t1 + t2 >= 0")
    assert sums("beta*t1 >= 0", "t1 + t2 > 0") != sums("beta*t1 >= 0", "t1 + t2**2 > 0")


def test_a_bound_that_the_conditions_do_not_grant_is_no_weaker_one() -> None:
    statement = replace(by_id()[TRANSFER], conditions=("ratio_0 >= 1/2",))
    assert prints._above(statement, parse("ratio_0"), parse("1/2"))
    assert not above(TRANSFER, "ratio_0", "1/2")
