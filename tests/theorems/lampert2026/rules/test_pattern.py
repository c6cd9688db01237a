"""Every rule about the two patterns: what it licenses is true at random numbers, and near misses are refused."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from tests.mutation.steps import step
from theorems.algebra.expressions import parse, symbol
from theorems.kernel.bounds import INEQUALITIES
from theorems.kernel.derivation import Fact
from theorems.kernel.deriving import derive
from theorems.lampert2026 import costs
from theorems.lampert2026.patterns.group_matrices import ONE, ZERO, C, GroupMatrix, group_matrix
from theorems.lampert2026.patterns.margins import (
    SQUARE,
    D,
    Delta,
    cross,
    d,
    diagonal_matrix,
    kappa,
    lam,
    r_eta,
    sink_matrix,
)
from theorems.lampert2026.rules.pattern import at_most, not_negative, worst
from theorems.rules import CONCLUDES, concludes, licensed
from theorems.rules.analysis import CONCLUSIONS

UNIT = kappa / sp.sqrt(d)
a, b = symbol("a"), symbol("b")
DIAGONAL = tuple(parse(text) for text in ("kappa/(lam**2*sqrt(d))", "kappa/sqrt(d)", "2*kappa/(lam*sqrt(d))"))
ALPHA = parse("2*kappa*sqrt(d)/Delta_diag")


def refused(name: str, good: tuple[Any, ...], *changes: tuple[int, Any]) -> None:
    """The data is licensed, and with any one of the changes it is not."""
    assert licensed(step(name, *good))
    for place, value in changes:
        assert not licensed(step(name, *good[:place], value, *good[place + 1 :])), (name, place, value)


def values(rng: Random) -> dict[sp.Symbol, sp.Rational]:
    """Random admissible values of every name."""
    names = {C: sp.Integer(rng.randint(1, 5)), lam: sp.Rational(rng.randint(1, 15), 16)}
    return names | {name: sp.Rational(rng.randint(1, 40), 8) for name in (kappa, d, Delta, r_eta)}


CANDIDATES = [
    parse(text)
    for text in (
        *("0", "kappa", "kappa/lam", "kappa*lam", "kappa*(1 - lam**2)", "kappa*C", "-kappa", "kappa*sqrt(d)"),
        *("kappa*(1 + lam)/lam**2", "kappa*C/(C + lam)"),
    )
]


def test_at_most_is_sound_and_finds_what_is_plain() -> None:
    rng = Random(3)
    places = [values(rng) for _ in range(40)]
    numbers = {form: [float(form.xreplace(at)) for at in places] for form in CANDIDATES}
    shown = true = 0
    for left in CANDIDATES:
        for right in CANDIDATES:
            holds = all(x <= y + 1e-12 for x, y in zip(numbers[left], numbers[right], strict=True))
            found = at_most(left, right)
            assert holds or not found, (left, right)
            true, shown = true + holds, shown + found
    # what is plain at numbers is shown nine times in ten
    assert 10 * shown > 9 * true
    # names whose sign nobody knows
    assert not at_most(ZERO, symbol("x")) and not at_most(ZERO, sp.sqrt(C))


def test_not_negative_is_sound() -> None:
    assert all(
        not_negative(parse(t))
        for t in ("C - 1", "1 - lam", "sqrt(C)*kappa/lam", "(1 - lam**2)*d", "0", "sqrt(lam**2 + C)")
    )
    assert not any(not_negative(parse(t)) for t in ("lam - 1", "C - 2", "-kappa", "x", "kappa - 1", "sqrt(2) - 2"))


# -- margins


def test_the_worst_nuisances() -> None:
    assert worst(kappa + D) == kappa + Delta
    # the square of a nuisance is (1 - lam^2) d
    square = sp.expand((1 - lam**2) * d)
    assert sp.expand(worst(kappa - cross) - (kappa - square)) == 0
    # no margin of W = Pi^T M Pi + alpha P_eta rises with both D and cross: alpha stands before D and -cross
    for bad in (kappa - D, kappa + 2 * cross, D**2, symbol("x") * cross, D * cross):
        with pytest.raises(ValueError):
            worst(bad)


def test_least_coefficients() -> None:
    matrix = sink_matrix(a, b)
    least_a, least_b = UNIT / lam, UNIT * (1 + lam) / lam**2
    refused(
        "least-coefficient",
        ("sink", matrix, {}, "a", ("b",), least_a),
        # too small, too large, and the value that only the copy queries ask for
        (5, least_a / 2),
        (5, 2 * least_a),
        (5, UNIT),
        (5, UNIT / lam**2),
        (4, ()),
        (0, "diagonal"),
        # with the opposite sign of b no b will do
        (1, sink_matrix(a, -b)),
    )
    refused(
        "least-coefficient",
        ("sink", matrix, {"a": least_a}, "b", (), least_b),
        (5, UNIT / lam),
        (5, UNIT * (2 + lam) / lam**2),
        (5, 2 * UNIT / lam),
        (2, {"a": 2 * least_a}),
        (2, {}),
    )


def test_what_is_least_is_realised_by_two_groups() -> None:
    """d_ci over d_ek with the same nuisance, at numbers: the scores of tokens written out."""
    share, width, alpha = 0.5, 16.0, 3.0
    for sign in (1, -1):
        eta = np.sqrt((1 - share**2) * width) * np.array([1.0, 0, 0])
        one, two = np.array([share * 4, 0, *eta]), np.array([0, share * 4, *(sign * eta)])
        W = np.diag([0.7, 0.7, alpha, alpha, alpha])
        seen = one @ W @ (one - two) / 4
        told = 0.7 * share**2 * 4 + alpha * (SQUARE - sign * SQUARE).xreplace({lam: share, d: width}) / 4
        assert seen == pytest.approx(float(told))


def test_shortfalls() -> None:
    least = step("least-margin", "diagonal", diagonal_matrix(*DIAGONAL), ALPHA, kappa)
    refused("shortfall", (ZERO, least), (0, kappa), (0, -kappa), (1, step("least-margin", *least.data[:3], 2 * kappa)))
    half = step("least-margin", "diagonal", diagonal_matrix(*DIAGONAL), ALPHA / 2, kappa / 2)
    refused("shortfall", (kappa / 2, half), (0, ZERO), (0, kappa), (0, sp.Max(ZERO, kappa)))
    assert licensed(step("shortfall", sp.Max(ZERO, kappa / 2), half))
    twice = step("least-margin", "diagonal", diagonal_matrix(*(2 * x for x in DIAGONAL)), 2 * ALPHA, 2 * kappa)
    refused("shortfall", (ZERO, twice), (0, -kappa), (1, half), (1, step("least-margin")))


def test_each_step_concludes_one_quantity() -> None:
    """Every fact of the two constructions stands on one step, which concludes no other quantity."""
    for name in ("sink-construction", "diag-construction"):
        for quantity, found in derive(f"lampert2026.sec7.{name}").quantities.items():
            assert isinstance(found, Fact)
            (last,) = found.steps
            assert concludes(last) == quantity and licensed(last)
            assert sp.expand(last.data[CONCLUSIONS[last.rule]] - found.ratio.expr) == 0


# -- nuclear norms


def number(expression: sp.Expr, at: dict[sp.Symbol, Any]) -> float:
    return float(expression.xreplace(at))


def size(matrix: GroupMatrix, at: dict[sp.Symbol, Any]) -> float:
    """The nuclear norm of the matrix written out."""
    groups = int(at[C])
    places = [None, *((block, str(g)) for block in range(2) for g in range(groups))]
    entries = [[number(matrix.entry(p, q), at) for q in places] for p in places]
    return float(np.linalg.svd(np.array(entries), compute_uv=False).sum())


SINK = sink_matrix(UNIT / lam, UNIT * (1 + lam) / lam**2)
MATRICES = [
    SINK,
    diagonal_matrix(*DIAGONAL),
    diagonal_matrix(UNIT, UNIT, UNIT),
    sink_matrix(UNIT, 3 * UNIT),
    group_matrix(2, {((1, "c"), (0, "c")): UNIT, ((1, "c"), (0, "e")): UNIT / 2}),
]


@pytest.mark.parametrize("matrix", MATRICES)
def test_nuclear_norms_are_those_of_the_matrix(matrix: GroupMatrix) -> None:
    found, other = costs._nuclear(matrix), costs._by_root(matrix)
    assert licensed(found) and licensed(other)
    rng = Random(5)
    for _ in range(6):
        at = values(rng)
        for told in (found.data[2], other.data[2]):
            assert size(matrix, at) == pytest.approx(number(told, at), rel=1e-9)


def test_the_sum_over_groups() -> None:
    norm, one = costs._nuclear(SINK), costs._rank_two(SINK.of_one_group)
    cost, upper = 2 * norm.data[2], 2 * C * one[0]
    refused(
        "sum-over-groups",
        (cost, upper, norm, one),
        (0, norm.data[2]),
        (1, C * one[0]),
        (1, 2 * one[0]),
        (3, (2 * one[0], one[1])),
    )
    rng = Random(9)
    for _ in range(20):
        at = values(rng)
        assert number(cost, at) <= number(upper, at) * (1 + 1e-12)
    # entries between groups, and coefficients that know their number, are no sum of groups
    for matrix in (MATRICES[4], sink_matrix(UNIT * C, UNIT)):
        other = costs._nuclear(matrix)
        alone = costs._rank_two(matrix.of_one_group)
        assert licensed(other)
        assert not licensed(step("sum-over-groups", 2 * other.data[2], 2 * C * alone[0], other, alone))
    # the nuisance part counts twice the rank times alpha
    block = costs._nuclear(MATRICES[1])
    whole = step("orthogonal-sum", block.data[2] + ALPHA * r_eta, block, ALPHA)
    pair = costs._rank_two(MATRICES[1].of_one_group)
    right = 2 * C * pair[0] + 2 * ALPHA * r_eta
    refused("sum-over-groups", (2 * whole.data[0], right, whole, pair), (1, right - ALPHA * r_eta), (2, block))


# -- the copy queries


def test_primal_and_dual_of_the_copy_queries() -> None:
    primal, norm, dual, least = costs._copy_routing()
    families, matrix = primal.data
    refused("routing-primal", (families, matrix), (1, matrix * sp.Rational(99, 100)), (1, matrix * -ONE))
    (first, second), value = dual.data[1:]
    refused(
        "routing-dual",
        (families, (first, second), value),
        (1, (first, 2 * second)),
        (1, (first, -second)),
        (1, (first, ZERO)),
        (2, 2 * value),
        (2, value / 2),
        (0, families[::-1]),
    )
    refused(
        "least-cost",
        least.data,
        (0, norm.data[2]),
        (0, 3 * value),
        (1, step("routing-primal", families, matrix * sp.Integer(2))),
        (2, costs._nuclear(SINK)),
        (3, step("routing-dual", families, (first, second), value / 2)),
    )


def test_a_lower_bound_needs_a_difference_of_one_sign() -> None:
    found = costs.sink_lower()
    last = found.steps[-1]
    left, right, factors, average, least = last.data
    refused(
        "cost-at-least",
        last.data,
        (0, left / 2),
        (1, right / 2),
        (2, (-factors[0], -factors[1], *factors[2:])),
        (3, least),
        (4, average),
    )
    assert not licensed(step("cost-at-least", right, left, (-factors[0], *factors[1:]), average, least))
    rng = Random(2)
    for _ in range(20):
        at = values(rng)
        assert number(left, at) <= number(right, at) * (1 - 1e-12)


def test_where_the_conclusions_stand() -> None:
    names = {"least-coefficient", "least-margin", "group-nuclear", "orthogonal-sum", "least-cost"}
    names |= {"binding-pair", "shortfall", "nuclear-by-root"}
    assert set(CONCLUDES) == names - {"orthogonal-sum"}
    assert names <= set(CONCLUSIONS) and {"sum-over-groups", "cost-at-least"} <= set(INEQUALITIES)
