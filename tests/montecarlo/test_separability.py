"""Separation by a hyperplane through 0: always decided on small integers, never without a certificate that holds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize
from scipy.optimize import nnls

from montecarlo import separability
from montecarlo.separability import Separation, nearest, separate

Vectors = Sequence[Sequence[Any]]


def certified(found: Separation | None, vectors: Vectors) -> bool:
    """Whether it is decided, and the certificate shows it: checked here anew, entry by entry."""
    assert found is not None, vectors
    if found.separable:
        assert all(sum(Fraction(a) * b for a, b in zip(v, found.direction, strict=True)) > 0 for v in vectors)
    else:
        assert len(found.weights) == len(vectors) and min(found.weights) >= 0 and sum(found.weights) == 1
        columns = zip(*vectors, strict=True)
        assert all(sum(w * Fraction(e) for w, e in zip(found.weights, c, strict=True)) == 0 for c in columns)
    assert found.shown(vectors)
    return found.separable


@pytest.mark.parametrize(
    ("vectors", "separable"),
    [
        ([[1]], True),
        ([[-7]], True),
        ([[0]], False),
        ([[0, 0], [1, 0]], False),
        ([[3, -1]], True),
        ([[2, 4], [1, 2], [1, 2], [5, 10]], True),
        ([[1, 2], [-2, -4]], False),
        ([[1, 0], [1, 0], [-1, 0], [0, 1]], False),
        # 0 on an edge, on a corner's ray, and inside of a flat triangle in space
        ([[1, 0], [-3, 0], [0, 1]], False),
        ([[1, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1]], False),
        ([[1, 1, 0], [-1, 0, 0], [0, -1, 1], [0, 0, 1]], True),
        # a narrow cone, and the same closed
        ([[1, 1000], [1, -1000], [-1, 1001]], True),
        ([[1, 1000], [1, -1000], [-1, 1000]], False),
        ([[Fraction(1, 3), Fraction(-2, 7)], [Fraction(-1, 6), Fraction(1, 7)]], False),
        ([[Fraction(1, 3), Fraction(-2, 7)], [Fraction(-1, 6), Fraction(1, 8)]], True),
        ([[10**700, 1], [1, 10**350]], True),
        ([[10**700, 10**700], [-1, -1], [1, -1]], False),
    ],
)
def test_known_families(vectors: Vectors, separable: bool) -> None:
    assert certified(separate(vectors), vectors) is separable


def family(draw: random.Random) -> list[list[int]]:
    """Random small integers: half of them towards one side, some in a plane, some with opposite or equal vectors."""
    D, m, size = draw.randint(1, 9), draw.randint(1, 20), draw.choice((1, 2, 5, 50))
    vectors = [[draw.randint(-size, size) for _ in range(D)] for _ in range(m)]
    if draw.random() < 0.5:
        vectors = [[abs(v[0]), *v[1:]] for v in vectors]
    if draw.random() < 0.3:
        vectors = [[*v[:-1], -sum(v[:-1])] for v in vectors]
    if draw.random() < 0.3:
        vectors.append([-2 * entry for entry in vectors[0]])
    return vectors


def test_small_integers_are_always_decided() -> None:
    draw = random.Random(1)
    seen = []
    for _ in range(1500):
        vectors = family(draw)
        seen.append(certified(separate(vectors), vectors))
    assert 400 < sum(seen) < 1100


def test_a_truth_planted_by_construction_is_found() -> None:
    """Vectors on the positive side of a hidden normal; and the same with one that closes the hull around 0."""
    draw = random.Random(2)
    for _ in range(150):
        D = draw.randint(2, 8)
        normal = [draw.randint(-9, 9) for _ in range(D - 1)] + [1]
        vectors = []
        for _ in range(draw.randint(1, 12)):
            v = [draw.randint(-9, 9) for _ in range(D - 1)]
            v.append(1 - sum(a * b for a, b in zip(v, normal, strict=False)))
            vectors.append(v)
        assert certified(separate(vectors), vectors)
        closing = [-sum(column) for column in zip(*vectors, strict=True)]
        assert not certified(separate([*vectors, closing]), [*vectors, closing])


def test_wrong_certificates_do_not_show_anything() -> None:
    vectors = [[1, 0], [0, 1], [-1, -1]]
    third = Fraction(1, 3)
    assert Separation(False, weights=(third,) * 3).shown(vectors)
    assert not Separation(False, weights=(third, third, Fraction(1, 2))).shown(vectors)
    assert not Separation(False, weights=(Fraction(0),) * 3).shown(vectors)
    assert not Separation(False, weights=(Fraction(2), Fraction(2), Fraction(-3))).shown([[1], [1], [Fraction(4, 3)]])
    assert not Separation(False, weights=(Fraction(1),)).shown(vectors)
    assert not Separation(True, direction=(1, 0)).shown(vectors)
    assert Separation(True, direction=(1, 1)).shown(vectors[:2])


@pytest.mark.parametrize("separable", [True, False])
def test_a_faulty_solver_leaves_it_undecided(separable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = [[2, 1], [-1, 5], [3, -1]] if separable else [[2, 1], [-1, 5], [3, -1], [-2, -2]]
    assert certified(separate(vectors), vectors) is separable

    def wrong(units: separability.Array) -> separability.Array:
        chosen: separability.Array = np.eye(len(units))[1 if separable else 0]
        return chosen

    monkeypatch.setattr(separability, "nearest", wrong)
    assert separate(vectors) is None


def test_too_many_weights_are_not_made_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = [[1, 0], [0, 1], [-1, -1]]
    monkeypatch.setattr(separability, "MAX_SUPPORT", 2)
    assert separate(vectors) is None and certified(separate(vectors[:2]), vectors[:2])


def test_the_nearest_point_is_optimal() -> None:
    """v . M >= |M|^2 for every vector; the second family is one where least squares in the first scale stop short."""
    draw = np.random.default_rng(3)
    families = [draw.integers(-3, 4, (m, D)) + 2.0 * (draw.random(D) < 0.4) for m in (1, 4, 12) for D in (1, 3, 6)] * 8
    queries, gaps = np.array([[1, 1], [0, 1], [0, 2]]), np.array([[2, 0], [1, 0], [1, 1], [1, -2]])
    families.append(-np.einsum("ia,jb->ijab", queries, gaps).reshape(12, 4).astype(float))
    for vectors in families:
        weights = nearest(vectors)
        assert weights.min() >= 0 and weights.sum() == pytest.approx(1, abs=1e-14)
        M = weights @ vectors
        assert (vectors @ M).min() >= M @ M - 1e-12 * np.linalg.norm(vectors, axis=1).max() ** 2


def test_a_solver_that_goes_round_in_circles_is_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def once(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("Maximum number of iterations reached.")
        return nnls(*arguments, **options)

    monkeypatch.setattr(optimize, "nnls", once)
    assert certified(separate([[2, 1], [-1, 5]]), [[2, 1], [-1, 5]])
    assert len(calls) > 1


@pytest.mark.parametrize("vectors", [[], [[1, 2], [1]]])
def test_vectors_that_make_no_family_are_refused(vectors: Vectors) -> None:
    with pytest.raises(ValueError, match="expected at least one, all of the same length"):
        separate(vectors)
