"""Appendix B.2's displays and diagonal dominance: exact sums against sums over coordinates and tokens, by numpy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import parse, symbol
from theorems.bao2024 import appendix_b  # noqa: F401  (registers the functionals)
from theorems.claims.catalogue import by_id
from theorems.gaussian.numeric import Case
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

QUANTITY = symbol("sum_abce") ** 2
UPPER = parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee)")


def holds(*data: Any) -> bool:
    return licensed(Step("hoelder", "", data))


def test_hoelder_licenses_its_own_bound_and_no_other() -> None:
    assert holds(QUANTITY, UPPER, "abce")
    assert holds(parse("sum_fghk**2"), parse("sqrt(sum_ffff*sum_gggg*sum_hhhh*sum_kkkk)"), "fghk")
    for wrong in (
        UPPER / 2,
        2 * UPPER,
        UPPER**2,
        sp.sqrt(UPPER),
        -UPPER,
        parse("sum_aa*sum_bb*sum_cc*sum_ee"),
        parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc)"),
        parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_ee)"),
        parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_ffff)"),
    ):
        assert not holds(QUANTITY, wrong, "abce")
    for quantity in (QUANTITY * 2, symbol("sum_abce"), parse("sum_abc**2"), parse("sum_aabc**2"), parse("p**2")):
        assert not holds(quantity, UPPER, "abce")
    # three factors need the third root; of one that stands twice the exponents add up to 1, too
    assert not holds(parse("sum_abc**2"), parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc)"), "abc")
    assert holds(parse("sum_abcc**2"), parse("sqrt(sum_aaaa*sum_bbbb*sum_cccc**2)"), "abcc")


def weighted(p: str, a: str, b: str, c: str, e: str) -> Case:
    return Case({name: row.split() for name, row in zip("pabce", (p, a, b, c, e), strict=True)})


def test_the_names_of_sums_are_sums_of_products() -> None:
    case = weighted("1/2 1/4", "1 2", "3 -1", "1 1", "5 1/3")
    assert case.value("sum_abce") == Fraction(1, 2) * 15 + Fraction(1, 4) * Fraction(-2, 3)
    assert case.value("sum_aa") == Fraction(1, 2) + 1 and case.value("sum_aaaa") == Fraction(1, 2) + 4
    assert case.value("sum_eeee") == Fraction(625, 2) + Fraction(1, 4 * 81)
    with pytest.raises(ValueError, match="argument"):
        weighted("1/2", "1 2", "3 -1", "1 1", "5 1/3").value("sum_aa")


def test_four_factors_of_second_moments_do_not_bound() -> None:
    """The printed rule fails for constants on an event of probability p < 1, the derived bound nowhere."""
    statement = by_id()[f"{APPB}cauchy-schwarz"]
    outcome = settle(statement, derive(statement.id))
    assert outcome.status == "disproved"
    printed = parse(statement.printed["upper"])
    for chance in ("1/4", "1/2", "1"):
        case = weighted(chance, "2", "-1", "1", "3")
        value = (Fraction(chance) * 2 * -1 * 1 * 3) ** 2
        assert case.evaluate(QUANTITY) == value == case.evaluate(UPPER)
        assert (value <= case.evaluate(printed)) == (chance == "1")
    # several points: the bound is not attained by families that are no multiples of one another
    case = weighted("1/2 1/2", "1 2", "2 1", "1 1", "1 1")
    assert case.evaluate(QUANTITY) < case.evaluate(UPPER)
    assert settle(replace(statement, printed={"upper": str(UPPER)}), derive(statement.id)).status == "proved"
    assert settle(replace(statement, printed={"upper": str(2 * UPPER)}), derive(statement.id)).status == "proved"
    for small in ("sqrt(sum_aaaa*sum_bbbb*sum_cccc*sum_eeee)*99/100", "sqrt(sum_aaaa*sum_bbbb*sum_cccc)*sum_ee"):
        assert settle(replace(statement, printed={"upper": small}), derive(statement.id)).status == "disproved"
