"""Appendix A: every derived formula against moments by coordinates, for every start and for W not symmetric."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.theorems.bruteforce import Family, Rows, bilinear, eye, number, one, rows, walk, words
from tests.theorems.bruteforce import line as straight
from theorems.algebra.expressions import parse
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import by_id
from theorems.kernel.deriving import derive
from theorems.kernel.enumeration import enumerated
from theorems.kernel.settle import settle, value_of

SYMMETRIC: dict[int, Rows] = {1: rows((-2,)), 2: rows((1, 2), (2, "-1/2")), 3: rows((1, 0, 2), (0, -1, 1), (2, 1, 3))}
OTHER: dict[int, Rows] = {1: rows((3,)), 2: rows((1, 2), (-1, "1/2")), 3: rows((1, 4, 0), (0, -1, 1), (3, 0, "1/2"))}
SIGMA: dict[int, Rows] = {1: rows((2,)), 2: rows((2, 1), (1, 1)), 3: rows((2, 1, 0), (1, 2, 1), (0, 1, 1))}
M = {1: [Fraction(3)], 2: [Fraction(1), Fraction(-2)], 3: [Fraction(1), Fraction(1, 2), Fraction(-1)]}
A = {1: [Fraction(2)], 2: [Fraction(1), Fraction(3)], 3: [Fraction(0), Fraction(1), Fraction(2)]}
B = {1: [Fraction(-1)], 2: [Fraction(1, 2), Fraction(1)], 3: [Fraction(1), Fraction(-1), Fraction(1)]}


def matrix_of(d: int, symmetric: bool) -> Rows:
    return SYMMETRIC[d] if symmetric else OTHER[d]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_one_gaussian_vector(d: int, symmetric: bool) -> None:
    W = matrix_of(d, symmetric)
    x = Family(one, SIGMA[d], one, M[d])
    quadratic, table = (1, W, 1), words(W, SIGMA[d], M[d], A[d], B[d])
    wanted = {
        "eq11": x.forms(quadratic),
        "eq12": x.forms((A[d], eye(d), 1), (1, eye(d), B[d])),
        "eq13": x.forms((A[d], W, 1), quadratic),
        "eq14": x.forms(quadratic, quadratic),
    }
    if not symmetric:
        table["aWSWtm"] = _chain(A[d], W, SIGMA[d], _t(W), M[d])
        table["mWSWtm"], table["mWtSWm"] = (
            _chain(M[d], W, SIGMA[d], _t(W), M[d]),
            _chain(M[d], _t(W), SIGMA[d], W, M[d]),
        )
    for name, value in wanted.items():
        derived = derive(f"bao2024.appA.{name}", symmetric=symmetric)
        assert number(derived.ratio("").expr, dict(table)) == value, name


def _t(matrix: Rows) -> Rows:
    return [list(column) for column in zip(*matrix, strict=True)]


def _chain(u: list[Fraction], one_: Rows, sigma: Rows, two: Rows, v: list[Fraction]) -> Fraction:
    left = [bilinear(u, one_, unit) for unit in eye(len(u))]
    right = [bilinear(unit, two, v) for unit in eye(len(v))]
    return bilinear(left, sigma, right)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kernel", ["sigma", "zero", "mean", "line"])
def test_two_tokens_of_the_walk(kernel: str, d: int, symmetric: bool) -> None:
    W = matrix_of(d, symmetric)
    family = Family(straight, SIGMA[d]) if kernel == "line" else walk(kernel, SIGMA[d], M[d])
    table = words(W, SIGMA[d], M[d])
    derived = {
        k: derive(f"bao2024.appA.eq{k}", ("i", "j") if k > 16 else ("i",), kernel, symmetric=symmetric)
        for k in range(15, 19)
    }
    for i, j in ((1, 1), (1, 3), (2, 3), (3, 3)):
        wanted = {
            15: family.forms((i, W, i)),
            16: family.forms((i, W, i), (i, W, i)),
            17: family.forms((i, W, j), (j, W, i)),
            18: family.forms((i, W, j), (j, W, j)),
        }
        for k, value in wanted.items():
            assert number(derived[k].ratio("").expr, {**table, "i": i, "j": j}) == value, (k, i, j)


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize("name", ["eq15", "eq16", "eq17", "eq18"])
def test_exhaustive_enumeration(name: str, start: str) -> None:
    positions = by_id()[f"bao2024.appA.{name}"].positions
    for second in (False, True):
        derived = derive(f"bao2024.appA.{name}", positions, start, second_route=second)
        (evidence,) = enumerated(derived, positions, start)
        assert f"agrees at {13 if len(positions) == 1 else 25} instances" in evidence


def test_hand_values() -> None:
    """For one standard normal token: E = 1, 3, 3, 3; and E[x_1 x_2 x_2 x_1] = 4 in one dimension at i = 1, j = 2."""
    table = {"tr1": 1, "tr2": 1, "i": 1, "j": 1}
    values = [
        value_of(derive(f"bao2024.appA.eq{k}", ("i", "j") if k > 16 else ("i",)), "moment") for k in range(15, 19)
    ]
    assert [number(v.expr, dict(table)) for v in values] == [1, 3, 3, 3]
    # x_2 = x_1 + e: E[x_1^2 x_2^2] = 3 + 1, E[x_1 x_2^3] = 3 + 3
    assert [number(v.expr, {**table, "j": 2}) for v in values[2:]] == [4, 6]


@pytest.mark.parametrize("name", ["eq15", "eq16", "eq17", "eq18"])
def test_the_correction_is_the_moment_and_the_print_is_not(name: str) -> None:
    """In one dimension, W = Sigma = 1, at three pairs of tokens."""
    statement = by_id()[f"bao2024.appA.{name}"]
    outcome = settle(statement, derive(statement.id, statement.positions))
    W = rows((1,))
    family = walk("sigma", W)
    for i, j in ((1, 1), (2, 3), (5, 7)):
        truth = {
            "eq15": family.forms((i, W, i)),
            "eq16": family.forms((i, W, i), (i, W, i)),
            "eq17": family.forms((i, W, j), (j, W, i)),
            "eq18": family.forms((i, W, j), (j, W, j)),
        }[name]
        at = {"i": i, "j": j, "tr1": 1, "tr2": 1}
        assert number(outcome.corrections["moment"], dict(at)) == truth
        if (i, j) == (5, 7):
            assert number(parse(statement.printed["moment"]), dict(at)) != truth


def test_the_general_forms_reduce_to_the_symmetric_ones() -> None:
    """With every transposed word replaced by the plain one, the non-symmetric value is the symmetric one."""
    for name in ("eq11", "eq13", "eq14", "eq16", "eq17", "eq18"):
        positions = by_id()[f"bao2024.appA.{name}"].positions
        general, special = (derive(f"bao2024.appA.{name}", positions, symmetric=s).ratio("") for s in (False, True))
        for word in sorted(general.names):
            plain = {"tr_W_Wt": "tr2"}.get(word, word.replace("Wt", "W"))
            general = general.substitute(word, Ratio.of(plain))
        assert general == special
