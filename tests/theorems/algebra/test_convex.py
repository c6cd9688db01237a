"""Exact hulls: nearest points, certificates either way, and W matrices, against independent oracles."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from theorems.algebra import convex
from theorems.algebra.convex import (
    Holds,
    Impossible,
    Representable,
    Separated,
    decide,
    exact,
    nearest,
    represent,
    verify,
)
from theorems.algebra.quotients import dot

Rows = list[tuple[int, ...]]


def drawn(rng: Random, count: int, dim: int, size: int = 3) -> Rows:
    return [tuple(rng.randint(-size, size) for _ in range(dim)) for _ in range(count)]


def feasible(rows: Rows) -> bool:
    """Whether 0 is a convex combination, by a linear program in the weights (small integers only)."""
    matrix = np.array(rows, dtype=np.float64).T
    solved = linprog(
        np.zeros(len(rows)),
        A_eq=np.vstack([matrix, np.ones(len(rows))]),
        b_eq=np.r_[np.zeros(len(matrix)), 1.0],
        method="highs",
    )
    return bool(solved.status == 0)


def test_the_nearest_point_meets_its_definition() -> None:
    rng = Random(1)
    inside = 0
    for _ in range(300):
        rows = drawn(rng, rng.randint(1, 7), rng.randint(1, 4), rng.choice((1, 2, 9)))
        found = nearest(rows)
        points = exact(rows)
        assert sum(found.weights) == 1 and min(found.weights) >= 0
        assert found.point == tuple(dot(found.weights, column) for column in zip(*points, strict=True))
        # nearest: no vector of the set leads nearer
        assert all(dot(found.point, row) >= found.square for row in points)
        inside += found.square == 0
    assert 50 < inside < 250


def test_the_nearest_point_of_an_interval_and_of_a_segment() -> None:
    rng = Random(2)
    for _ in range(100):
        numbers = [Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for _ in range(rng.randint(1, 5))]
        low, high = min(numbers), max(numbers)
        assert nearest([[n] for n in numbers]).point == (max(low, min(high, Fraction(0))),)
        a, b = (tuple(Fraction(rng.randint(-5, 5)) for _ in range(2)) for _ in range(2))
        step = tuple(y - x for x, y in zip(a, b, strict=True))
        share = -dot(a, step) / dot(step, step) if any(step) else Fraction(0)
        share = max(Fraction(0), min(Fraction(1), share))
        assert nearest([a, b]).point == tuple(x + share * s for x, s in zip(a, step, strict=True))


@pytest.mark.parametrize(
    ("rows", "square"),
    [
        ([["3/4"]], Fraction(9, 16)),
        ([[0, 0]], Fraction(0)),
        ([[1, 1], [1, 1], [1, 1]], Fraction(2)),
        ([[0, 0], [1, 0], [0, 0]], Fraction(0)),
        ([[1, 0], [2, 0], [3, 0], [4, 0]], Fraction(1)),
        ([[-1, 0], [2, 0], [3, 0]], Fraction(0)),
        ([[1, 1], [1, -1], [1, 0], [1, "1/2"]], Fraction(1)),
        ([[10**40, 1], [-(10**40), 1]], Fraction(1)),
        ([[f"1/{10**40}", 0], [0, f"1/{10**40}"]], Fraction(1, 2 * 10**80)),
        ([[10**30, f"1/{10**30}"], [10**30, 0]], Fraction(10**60)),
    ],
)
def test_special_hulls(rows: list[list[Any]], square: Fraction) -> None:
    assert nearest(rows).square == square
    assert verify(rows, decide(rows))
    assert isinstance(decide(rows), Holds) == (square == 0)


def test_hulls_of_nothing_or_of_unlike_vectors_are_refused() -> None:
    for rows in ([], [[1, 2], [1]]):
        with pytest.raises(ValueError, match="at least one vector"):
            nearest(rows)


@pytest.mark.parametrize("entry", [float("inf"), float("nan"), 1j, None, "1/0", "x", [1]], ids=str)
def test_points_that_are_no_rational_vectors_are_refused(entry: Any) -> None:
    with pytest.raises(ValueError):
        nearest([[entry, 1]])
    with pytest.raises(ValueError, match="no rational number"):
        nearest(entry if isinstance(entry, list) else [1])  # type: ignore[list-item]


def test_decisions_agree_with_a_linear_program_in_the_weights() -> None:
    rng = Random(3)
    seen = set()
    for _ in range(150):
        rows = drawn(rng, rng.randint(1, 8), rng.randint(1, 4), 2)
        found = decide(rows)
        assert verify(rows, found)
        assert isinstance(found, Holds) == feasible(rows)
        seen.add(type(found))
    assert seen == {Holds, Separated}


def test_a_certificate_that_is_off_by_a_little_is_refused() -> None:
    rng = Random(4)
    tried = 0
    tiny = Fraction(1, 10**30)
    for _ in range(60):
        rows = drawn(rng, 5, 2, 3)
        found = decide(rows)
        if isinstance(found, Separated):
            longer = tuple(x * (1 + tiny) for x in found.direction)
            assert not verify(rows, Separated(longer))
            assert not verify(rows, Separated(tuple(-x for x in found.direction)))
            assert not verify(rows, Separated((Fraction(0), Fraction(0))))
            assert not verify(rows, Holds((Fraction(1, 5),) * 5))
        else:
            moved = (found.weights[0] + tiny, *found.weights[1:])
            assert not verify(rows, Holds(moved))
            assert not verify(rows, Holds(tuple(2 * w for w in found.weights)))
            assert not verify(rows, Holds(found.weights[:-1]))
        tried += 1
    # weights of sum 1 that give 0, but not all of them non-negative
    assert not verify([[1], [2]], Holds((Fraction(2), Fraction(-1))))
    assert tried == 60


@pytest.mark.parametrize("inside", [False, True])
def test_large_instances_are_decided_by_a_solver_whose_word_is_checked(
    inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(5)
    rows = drawn(rng, 40, 32, 9)
    if inside:
        shares = [rng.randint(0, 3) for _ in range(39)]
        rows[-1] = tuple(-sum(w * row[c] for w, row in zip(shares, rows[:-1], strict=True)) for c in range(32))
    asked = convex._guessed(exact(rows))
    assert asked is not None and verify(rows, asked)
    assert isinstance(asked, Holds) == inside
    # a solver that errs, and one that gives up, cost time only
    wrong = SimpleNamespace(status=0, x=np.ones(33), ineqlin=SimpleNamespace(marginals=-np.ones(40)))
    for answer in (wrong, SimpleNamespace(status=1)):
        monkeypatch.setattr(convex, "linprog", lambda *_, answer=answer, **__: answer)
        found = decide(rows)
        assert verify(rows, found) and isinstance(found, Holds) == inside


def test_a_zero_among_many_vectors() -> None:
    rows = drawn(Random(6), 40, 32, 9)
    rows[7] = (0,) * 32
    found = decide(rows)
    assert isinstance(found, Holds) and found.weights[7] == 1


def test_the_keys_that_a_query_sees() -> None:
    assert list(convex.seen_keys(2, 4, "full")) == [1, 2, 3, 4]
    assert list(convex.seen_keys(0, 4, "full")) == [1, 2, 3, 4]
    assert list(convex.seen_keys(2, 4, "causal")) == [1, 2]
    assert list(convex.seen_keys(0, 4, "causal")) == []
    assert list(convex.seen_keys(3, 4, "window", 2)) == [2, 3]
    assert list(convex.seen_keys(1, 4, "window", 9)) == [1]
    assert list(convex.seen_keys(0, 4, "window", 3)) == []
    for arguments in ((1, 4, "band"), (1, 4, "window"), (1, 4, "window", 0), (1, 4, "full", 2), (5, 4, "full")):
        with pytest.raises(ValueError, match=r"expected|give"):
            convex.seen_keys(*arguments)


def test_in_dimension_one_the_sign_of_w_is_all_there_is() -> None:
    rng = Random(7)
    answers = set()
    for _ in range(200):
        T = rng.randint(1, 4)
        z = [rng.randint(-2, 2) for _ in range(T + 1)]
        J = sorted(rng.sample(range(T + 1), rng.randint(1, T + 1)))
        for mask, window in (("full", None), ("causal", None), ("window", 1), ("window", 2)):
            constraints = []
            for i in J:
                keys = range(1, T + 1) if mask == "full" else range(max(1, i - window + 1) if window else 1, i + 1)
                constraints += [z[i] * (z[0] - z[j]) for j in keys]
            wanted = any(all(W * c > 0 for c in constraints) for W in (1, -1))
            found = represent([[entry] for entry in z], J, mask, window)
            assert isinstance(found, Representable) == wanted
            answers.add((mask, window, wanted))
    assert len(answers) == 8


def test_bos_as_a_query() -> None:
    z = [[1, 0], [0, 1], [0, -1]]
    # BOS alone sees no other key under a mask: nothing is asked of W
    for mask, window in (("causal", None), ("window", 2)):
        found = represent(z, [0], mask, window)
        assert found == Representable(((Fraction(0),) * 2,) * 2)
    assert isinstance(represent(z, [0], "full"), Representable)
    assert isinstance(represent([[0, 0], [0, 1]], [0], "full"), Impossible)
    assert isinstance(represent(z, [1, 2], "causal"), Impossible)
    assert isinstance(represent(z, [0, 1], "causal"), Representable)


def test_certificates_of_w_are_checked_against_the_scores() -> None:
    rng = Random(8)
    found = {Representable: 0, Impossible: 0}
    for _ in range(120):
        T = rng.randint(1, 4)
        z = exact(drawn(rng, T + 1, 2, 2))
        J = sorted(rng.sample(range(1, T + 1), rng.randint(1, T)))
        which = convex.pairs(T, J, "window", 2)
        answer = represent(z, J, "window", 2)
        found[type(answer)] += 1
        if isinstance(answer, Representable):
            W = np.array([[float(x) for x in row] for row in answer.W])
            rows = np.array([[float(x) for x in row] for row in z])
            assert all(rows[i] @ W @ (rows[0] - rows[j]) > 0 for i, j in which)
            negative = Representable(tuple(tuple(-x for x in row) for row in answer.W))
            assert not convex.verify_representation(z, which, negative)
        else:
            ((pair, weight), *rest) = answer.weights
            assert not convex.verify_representation(z, which, Impossible(((pair, weight + 1), *rest)))
            # a pair that nobody sees
            assert not convex.verify_representation(z, [p for p in which if p != pair], answer)
    assert min(found.values()) > 10


def test_with_all_keys_visible_the_two_hulls_decide() -> None:
    rng = Random(9)
    answers = set()
    for _ in range(120):
        T = rng.randint(1, 4)
        z = exact(drawn(rng, T + 1, rng.randint(1, 3), 2))
        J = sorted(rng.sample(range(1, T + 1), rng.randint(1, T)))
        queries = nearest([z[i] for i in J]).square > 0
        keys = nearest([[s - k for s, k in zip(z[0], z[j], strict=True)] for j in range(1, T + 1)]).square > 0
        assert isinstance(represent(z, J, "full"), Representable) == (queries and keys)
        answers.add((queries, keys))
    assert len(answers) == 4
