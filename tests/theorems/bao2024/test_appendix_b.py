"""Appendix B.2's displays and diagonal dominance: exact sums against sums over coordinates and tokens, by numpy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.claims.catalogue import by_id
from theorems.gaussian.process import Step
from theorems.kernel.deriving import derive
from theorems.kernel.settle import settle
from theorems.rules import licensed

APPB, DOMINANCE = "bao2024.appB.", "bao2024.sec3.diagonal-dominance"
LENGTHS = (1, 2, 3, 4, 7)
#: A symmetric matrix of integers: tr = 2, so that tr(W)^2 and tr(W) differ.
W = np.array([[2, 1, 0], [1, -1, 3], [0, 3, 1]])


def squared(s: int, t: int) -> int:
    """E[(x_s^T W x_t)^2] = sum W_ab W_ce E[x_sa x_tb x_sc x_te], with Sigma = I, over Isserlis' three pairings."""
    one = np.eye(3, dtype=int)
    near, first, last = min(s, t), s, t
    own = np.einsum("ab,ce,ac,be->", W, W, one, one) * first * last
    across = np.einsum("ab,ce,ab,ce->", W, W, one, one) + np.einsum("ab,ce,ae,bc->", W, W, one, one)
    return int(own + near**2 * across)


def derived(claim: str, name: str, T: int) -> Fraction:
    """The derived value at T and at the traces of W."""
    value = derive(claim, ("T",)).ratio(name).expr
    traces = {"T": T, "tr1": int(np.trace(W)), "tr2": int(np.trace(W @ W))}
    found = sp.Rational(value.subs({symbol(k): v for k, v in traces.items()}))
    return Fraction(int(found.p), int(found.q))


@pytest.mark.parametrize("T", LENGTHS)
def test_display_b_is_the_sum_over_all_pairs(T: int) -> None:
    tokens = range(1, T + 1)
    assert derived(f"{APPB}display-b", "sum", T) == T**2 * sum(squared(i, j) for i in tokens for j in tokens)
    pairs = T**2 * sum(squared(i, j) for i in tokens for j in tokens if i <= j)
    assert T == 1 or derived(f"{APPB}display-b", "sum", T) != pairs


@pytest.mark.parametrize("T", LENGTHS)
def test_display_c_is_the_sum_over_the_tokens(T: int) -> None:
    assert derived(f"{APPB}display-c", "sum", T) == T**3 * sum(squared(b, T) for b in range(1, T + 1))


def test_the_numbers_are_those_of_sampled_walks() -> None:
    """The second moment that the sums are made of, over 200 000 walks."""
    rng = np.random.default_rng(1)
    walks = rng.standard_normal((200_000, 4, 3)).cumsum(1)
    for s, t in ((1, 1), (2, 4), (4, 2), (3, 3)):
        values = np.einsum("na,ab,nb->n", walks[:, s - 1], W, walks[:, t - 1]) ** 2
        assert abs(values.mean() - squared(s, t)) < 5 * values.std() / np.sqrt(len(values))


@pytest.mark.parametrize("claim", ["display-b", "display-c"])
def test_the_printed_displays_are_false(claim: str) -> None:
    statement = by_id()[APPB + claim]
    assert settle(statement, derive(statement.id, statement.positions)).status == "disproved"


@pytest.mark.parametrize("claim", ["display-b", "display-c"])
def test_the_derived_value_as_the_print_holds(claim: str) -> None:
    statement = by_id()[APPB + claim]
    value = derive(statement.id, statement.positions)
    right = replace(statement, printed={"sum": str(value.ratio("sum").expr)})
    assert settle(right, value).status == "proved"
    off = replace(statement, printed={"sum": f"{value.ratio('sum').expr} + T*tr2"})
    assert settle(off, value).status == "disproved"


# -- diagonal dominance


def parts(T: int) -> tuple[Fraction, Fraction]:
    """a^T E[X Gamma X^T] b/T over a^T Sigma b: the part with alpha = i, and all of it, gamma from the Jacobian."""
    share = Fraction(1, T)
    slope = [[share * ((alpha == i) - share) for alpha in range(T)] for i in range(T)]
    own = sum((slope[i][i] * (i + 1) for i in range(T)), Fraction(0))
    full = sum((slope[i][a] * (min(i, a) + 1) for i in range(T) for a in range(T)), Fraction(0))
    return own / T, full / T


@pytest.mark.parametrize("T", [2, 3, 5, 12])
def test_the_ratio_is_that_of_the_sums(T: int) -> None:
    found = derive(DOMINANCE, ("T",))
    own, full = parts(T)
    at: Any = {symbol("T"): T}
    assert found.ratio("ratio").expr.subs(at) == sp.Rational(own.numerator, own.denominator) / sp.Rational(
        full.numerator, full.denominator
    )
    scale = {name: found.ratio(name).expr for name in ("diagonal", "full")}
    # both are multiples of the word a^T Sigma b
    (word,) = {s for s in scale["full"].free_symbols if s != symbol("T")}
    for name, value in (("diagonal", own), ("full", full)):
        assert (scale[name] / word).subs(at) == sp.Rational(value.numerator, value.denominator)


def test_the_ratio_does_not_tend_to_1() -> None:
    ratio = derive(DOMINANCE, ("T",)).ratio("ratio").expr
    limit = sp.limit(ratio, symbol("T"), sp.oo)
    own, full = parts(300)
    assert abs(float(limit) - float(own / full)) < 0.02
    statement = by_id()[DOMINANCE]
    assert settle(statement, derive(DOMINANCE, statement.positions)).status == "disproved"


# -- the Cauchy-Schwarz step

p, a, b, c, d = (symbol(name) for name in "pabcd")
QUANTITY = (p * a * b * c * d) ** 2
UPPER = p**2 * (a * b * c * d) ** 2


def holds(*data: Any) -> bool:
    return licensed(Step("hoelder", "", data))


def test_hoelder_licenses_its_own_bound_and_no_other() -> None:
    factors = (a, b, c, d)
    assert holds(QUANTITY, UPPER, "p", factors)
    for wrong in (UPPER / p, UPPER * p, UPPER * p**2, UPPER / 2, 2 * UPPER, UPPER * a, p**4 * (a * b * c * d) ** 2):
        assert not holds(QUANTITY, wrong, "p", factors)
    for quantity in (QUANTITY / p, QUANTITY * p, 2 * QUANTITY, p * a * b * c * d):
        assert not holds(quantity, UPPER, "p", factors)
    # three factors, a factor twice, a factor that depends on the chance
    assert not holds((p * a * b * c) ** 2, p**2 * (a * b * c) ** 2, "p", (a, b, c))
    assert not holds(QUANTITY, UPPER, "p", (a, b, c, c))
    assert not holds((p**2 * b * c * d) ** 2, p**2 * (p * b * c * d) ** 2, "p", (p, b, c, d))


def test_hoelder_refuses_the_other_root() -> None:
    """The bound is a root of the product of fourth moments: the one that is not negative."""
    assert not holds(QUANTITY, -UPPER, "p", (a, b, c, d))


def test_four_factors_of_second_moments_do_not_bound() -> None:
    """The printed rule fails wherever p < 1, the derived bound nowhere: by enumeration of two atoms."""
    statement = by_id()[f"{APPB}cauchy-schwarz"]
    outcome = settle(statement, derive(statement.id))
    assert outcome.status == "disproved"
    printed = parse(statement.printed["upper"])
    for chance in (sp.Rational(1, 4), sp.Rational(1, 2), sp.Integer(1)):
        at = {p: chance, a: 2, b: -1, c: 1, d: 3}
        value = (chance * 2 * -1 * 1 * 3 + (1 - chance) * 0) ** 2
        assert value == QUANTITY.subs(at)
        assert (value <= printed.subs(at)) == (chance == 1)
        assert value <= UPPER.subs(at)
