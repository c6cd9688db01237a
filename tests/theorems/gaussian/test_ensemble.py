"""Finite exchangeable laws: every expectation against a sum over all orders of the tokens, and refused data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import sqrt
from random import Random
from typing import Any

import pytest
import sympy as sp

from theorems.algebra.expressions import parse
from theorems.gaussian import ensemble
from theorems.gaussian.ensemble import exact, read
from theorems.gaussian.numeric import Case

SHAPES = ((1, 2, 1), (2, 2, 2), (3, 3, 2), (2, 4, 3))


def law(shape: tuple[int, int, int], seed: int) -> dict[str, Any]:
    """A random case with small rationals, every head output non-zero."""
    rng = Random(seed)
    S, k, d = shape

    def number() -> str:
        return str(Fraction(rng.randint(-6, 6), rng.choice((1, 2, 3))))

    while True:
        tokens = [[[number() for _ in range(d)] for _ in range(k)] for _ in range(S)]
        raw = {"tokens": tokens, "W": [[number() for _ in range(d)] for _ in range(d)], "beta": number()}
        if all(any(entry) for end in (0, 1) for tokens in ensemble.images(raw, end) for entry in tokens):
            return raw


CASES = [law(shape, seed) for seed, shape in enumerate(SHAPES * 3)]


def orders(raw: dict[str, Any], lam: Fraction) -> Iterator[tuple[sp.Matrix, ...]]:
    """(z_1, z_2, Y_1, Y_2) for every set and every order of its tokens, all equally likely."""
    W, beta = sp.Matrix(raw["W"]), sp.Rational(raw["beta"])
    share = exact(lam)
    for tokens in raw["tokens"]:
        for order in permutations([sp.Matrix(token) for token in tokens]):
            mean = sum(order, sp.zeros(len(W[0, :]), 1)) / len(order)
            yield *order[:2], *(beta * z + W * ((1 - share) * z + share * mean) for z in order[:2])


def average(values: list[Any]) -> Any:
    return sum(values[1:], values[0]) / sp.Integer(len(values))


@pytest.mark.parametrize("raw", CASES)
def test_moments_and_traces_are_sums_over_all_orders(raw: dict[str, Any]) -> None:
    listed = list(orders(raw, Fraction(0)))
    same = average([one * one.T for one, *_ in listed])
    other = average([one * two.T for one, two, *_ in listed])
    found, W = ensemble.second_moments(raw), sp.Matrix(raw["W"])
    assert [sp.Matrix(rows) for rows in found] == [same - other, same, other]
    t1, t2 = ensemble.traces(raw)
    assert exact(t1) == ((same - other) * W).trace()
    assert exact(t2) == ((same - other) * W.T * W).trace()


def test_the_order_of_W_and_its_transpose_matters() -> None:
    """What the comparison above would miss for normal matrices."""
    raw = {"tokens": [[[1, 0], [0, 0]], [[1, 1], [2, 1]]], "W": [[1, 2], [0, 1]], "beta": "1"}
    turned = {**raw, "W": [[1, 0], [2, 1]]}
    assert ensemble.traces(raw)[1] != ensemble.traces(turned)[1]
    assert ensemble.energy(raw, 0) != ensemble.energy(turned, 0)


@pytest.mark.parametrize("lam", [Fraction(0), Fraction(1, 3), Fraction(1)])
@pytest.mark.parametrize("raw", CASES[:6])
def test_outputs_energies_and_cosines_are_sums_over_all_orders(raw: dict[str, Any], lam: Fraction) -> None:
    listed = [(one, two) for *_, one, two in orders(raw, lam)]
    D = average([one.dot(one) for one, _ in listed])
    N = average([one.dot(two) for one, two in listed])
    assert (exact(ensemble.energy(raw, lam)), exact(ensemble.cross(raw, lam))) == (D, N)
    assert exact(ensemble.ratio(raw, lam)) == N / D
    assert exact(ensemble.spread(raw, lam)) == average([abs(1 - one.dot(one) / D) for one, _ in listed])
    found = ensemble.cosine(raw, lam)
    wanted = sum(float(one.dot(two)) / sqrt(one.dot(one)) / sqrt(two.dot(two)) for one, two in listed) / len(listed)
    assert float(found) == pytest.approx(wanted, abs=1e-13)


@pytest.mark.parametrize("raw", CASES[3:6])
def test_the_sum_of_the_outputs_does_not_depend_on_lambda(raw: dict[str, Any]) -> None:
    """k D + k(k - 1) N = E|sum_i Y_i|^2, and sum_i Y_i = (beta + W) sum_i z_i for every l."""
    k = read(raw).k
    values = {ensemble.energy(raw, l) + (k - 1) * ensemble.cross(raw, l) for l in (0, Fraction(2, 7), 1)}  # noqa: E741
    assert len(values) == 1


@pytest.mark.parametrize("raw", CASES[:4])
def test_functionals_are_known_to_a_case(raw: dict[str, Any]) -> None:
    case, tokens = Case(raw), {"tokens": raw["tokens"]}
    t1, t2 = ensemble.traces(raw)
    assert case.evaluate(parse("beta*t1 + t2")) == exact(Fraction(raw["beta"]) * t1 + t2)
    for end in (0, 1):
        fall = case.evaluate(parse(f"cosine_{end} - ratio_{end} - spread_{end}"))
        rest = ensemble.cosine(raw, end) - exact(ensemble.ratio(raw, end) + ensemble.spread(raw, end))
        assert sp.expand(fall - rest) == 0
    if all(any(map(Fraction, token)) for tokens in raw["tokens"] for token in tokens):
        gap = abs(ensemble.cosine(tokens, 0) - exact(ensemble.ratio(tokens, 0)))
        assert sp.expand(case.evaluate(parse("gap")) - gap) == 0
        assert case.evaluate(parse("spread")) == exact(ensemble.spread(tokens, 0))


def test_a_cosine_is_rational_where_its_norms_are() -> None:
    assert ensemble.cosine({"tokens": [[[3, 4], [4, 3]]]}, 0) == sp.Rational(24, 25)
    assert ensemble.cosine({"tokens": [[[1, 0], [1, 1]]]}, 0) == sp.sqrt(2) / 2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"W": [["1"]], "beta": "1"}, "no ensemble"),
        ({"tokens": [[["x"], ["1"]]]}, "no ensemble"),
        ({"tokens": [[["1"]]]}, "one k >= 2"),
        ({"tokens": [[["1"], ["1"]], [["1"], ["1"], ["1"]]]}, "one k >= 2"),
        ({"tokens": [[["1"], ["1", "2"]]]}, "one k >= 2"),
        ({"tokens": [[[], []]]}, "d >= 1"),
        ({"tokens": [[["1"], ["2"]]], "W": [["1", "0"]]}, "W has rows"),
        ({"tokens": [[["1", "1"], ["2", "1"]]], "W": [["1", "0"]]}, "expected 2 rows"),
    ],
)
def test_data_of_another_shape_is_refused(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(raw)


def test_nothing_is_said_of_zero_tokens() -> None:
    with pytest.raises(ValueError, match="is zero"):
        ensemble.cosine({"tokens": [[["0"], ["1"]]]}, 0)
    with pytest.raises(ValueError, match="= 0"):
        ensemble.ratio({"tokens": [[["1"], ["1"]]], "W": [["-1"]], "beta": "1"}, 0)
