"""Claims about a normal number, its limits and its slopes, held to what they say: a side of a neighbour is seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp
from scipy import stats

from montecarlo import registry
from proofs_check.binding.hold import sampled, sides_bound
from proofs_check.binding.instances import Place, around_the_limit, values_bound
from proofs_check.binding.named import instance
from proofs_check.claims.pairing import Pair
from tests.proofs_check.binding.sides import derived_as, looked, moved
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import by_id
from theorems.kernel.catalogued import said
from theorems.kernel.derivation import Expected, fact
from theorems.kernel.limits import Limit
from theorems.kernel.settle import value_of

NUMBER, FIRST, LAST = "bao2024.sec4.gaussian-rho", "bao2024.sec4.lemma2-1", "bao2024.sec4.lemma2-4"
SLOPE, FLAT, BOUND = "bao2024.appC.lemma2-derivative", "bao2024.sec4.lemma2-3", "bao2024.appC.lemma2-final-bound"
CASES: dict[str, list[dict[str, str]]] = {
    NUMBER: [{"mu": mu, "v": v} for mu, v in (("1/2", "1"), ("0", "4"), ("-1", "1/2"), ("3/2", "2"))],
    FIRST: [
        {"theta": theta, "r": r, "s": s, "k": k, "mix": "1"}
        for theta, r, s, k in (
            ("5/8", "0", "1", "2"),
            ("1/4", "1", "0", "2"),
            ("1", "4", "1", "1"),
            ("3/4", "1", "0", "1"),
        )
    ],
    LAST: [
        {"theta": theta, "xi": xi, "k": k} for theta, xi, k in (("1/4", "0", "1"), ("1", "-1", "2"), ("1/8", "2", "1"))
    ],
}


def probability(given: dict[str, Any]) -> float:
    """P[0 <= N <= 1] of the printed moments."""
    if "mu" in given:
        mean, variance = (float(Fraction(given[name])) for name in ("mu", "v"))
    else:
        theta, xi, eta = (float(Fraction(given[name])) for name in ("theta", "xi", "eta"))
        mean, variance = (theta - 0.5) * xi * eta, (2 * theta**2 + 7 / 12) * eta**2
    law = stats.norm(mean, variance**0.5)
    return float(law.cdf(1) - law.cdf(0))


def rows(pair: Pair, shift: float = 0.0, half: float = 4e-3) -> list[dict[str, Any]]:
    """Rows of a report, as a simulation of the quantity (and of a neighbour, ``shift``) fills them."""
    found = []
    for case in CASES[pair.source]:
        value = probability(pair.handed(case)) + shift
        found.append({"params": case, "quantity": "rho", "low": value - half, "high": value + half})
    return found


@pytest.mark.parametrize("claim", [NUMBER, FIRST, LAST])
def test_numbers_with_randomness_of_their_own_are_bound(claim: str) -> None:
    pair = Pair(by_id()[claim])
    found = sides_bound(pair, registry.find(claim), rows(pair), 0)
    assert found.bound, found
    assert f"at {len(CASES[claim])} cases: sampled within " in found.evidence[0]


@pytest.mark.parametrize("claim", [NUMBER, FIRST, LAST])
def test_a_simulation_of_a_neighbour_is_seen(claim: str) -> None:
    pair = Pair(by_id()[claim])
    found = sides_bound(pair, registry.find(claim), rows(pair, shift=0.01), 0)
    assert not found.bound and found.simulated[0].startswith("the empirical check is of another quantity: at ")


@pytest.mark.parametrize(
    ("claim", "limit", "word"),
    [
        (FIRST, "xi -> -oo, eta -> 0, xi*eta -> r", "xi -> -oo is said"),
        (FIRST, "xi -> oo, eta -> 0, xi*eta -> r + 1", "xi\\*eta -> r \\+ 1 is said"),
        (FIRST, "xi -> oo, eta -> 1, xi*eta -> r", "eta -> 1 is said"),
        (LAST, "eta -> -oo", "eta -> -oo is said"),
        (LAST, "xi -> oo", "xi -> oo is said"),
    ],
)
def test_sequences_that_tend_elsewhere_are_seen(claim: str, limit: str, word: str) -> None:
    statement = by_id()[claim]
    assert statement.says is not None
    pair = Pair(replace(statement, says=replace(statement.says, limit=limit)))
    found = values_bound(pair, sampled(pair, rows(pair)))
    assert re.search(word, found.simulated[0])


def test_wide_intervals_bind_nothing() -> None:
    pair = Pair(by_id()[NUMBER])
    found = sides_bound(pair, registry.find(NUMBER), rows(pair, half=0.1), 0)
    assert not found.bound and not found.faults and "says too little" in found.missing[0]
    assert not sides_bound(pair, registry.find(NUMBER), [], 0).bound


@pytest.mark.parametrize("moved", ["variance", "mean"])
@pytest.mark.parametrize("claim", [NUMBER, FIRST, LAST])
def test_a_derivation_of_a_neighbour_is_seen(claim: str, moved: str) -> None:
    pair = Pair(by_id()[claim])
    quantity = pair.derived().quantities["rho" if claim != NUMBER else next(iter(pair.derived().quantities))]
    symbols = {"variance": ("v", "xi"), "mean": ("mu", "eta")}[moved]
    table = {sp.Symbol(name): sp.Rational(1001, 1000) * sp.Symbol(name) for name in symbols}
    if isinstance(quantity, Limit):
        assert isinstance(quantity.finite, sp.Expr)
        other: Any = replace(quantity, finite=quantity.finite.xreplace(table))
    else:
        assert isinstance(quantity, Expected)
        other = replace(quantity, mean=quantity.mean.xreplace(table))
    name = next(name for name, one in pair.derived().quantities.items() if one is quantity)
    found = values_bound(derived_as(pair, **{name: other}), sampled(pair, rows(pair)))
    assert not found.bound and found.derived[0].startswith("the derivation is of another quantity: at ")


@pytest.mark.parametrize("claim", [SLOPE, FLAT, BOUND])
def test_slopes_are_bound(claim: str) -> None:
    pair, seen = looked(claim)
    found = values_bound(pair, seen)
    assert found.bound, found
    assert "diff(rho_6" in found.evidence[0] and "by value at 24 cases: found within " in found.evidence[0]


@pytest.mark.parametrize("claim", [SLOPE, FLAT])
@pytest.mark.parametrize("change", [lambda value: 1.001 * value + 1e-3, lambda value: -value], ids=["scaled", "turned"])
def test_an_empirical_check_of_another_slope_is_seen(claim: str, change: Callable[[float], float]) -> None:
    pair, seen = looked(claim)
    assert values_bound(pair, moved(seen, change)).simulated


@pytest.mark.parametrize("claim", [SLOPE, FLAT])
@pytest.mark.parametrize("factor", ["1001/1000", "-1", "theta", "eta"])
def test_a_derivation_of_another_slope_is_seen(claim: str, factor: str) -> None:
    pair, seen = looked(claim)
    other = derived_as(pair, slope=fact(parse(factor) * value_of(pair.derived(), "slope").expr, (), ""))
    found = values_bound(other, seen)
    assert found.derived and not found.simulated


def test_what_tends_to_a_number_is_taken_near_it() -> None:
    pair, seen = looked(FLAT)
    prop = said(pair.statement, "slope")
    place = Place(seen[0], instance(prop, seen[0], None), pair.exact(seen[0].case))
    near = around_the_limit(prop, place)
    ball: Any = near.numbers["xi"]
    assert place.case.numbers["xi"] == 0 and ball.contains(0) and ball.rad() > 0
