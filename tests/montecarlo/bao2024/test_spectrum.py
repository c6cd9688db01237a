"""The spectrum's evaluation and search: exact rational arithmetic agrees within the bounds; both ends are reached."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from montecarlo import registry
from montecarlo.directly import evaluate, run_search
from montecarlo.empirical_checks import Evaluation, Points, Search
from montecarlo.threads import EngineError

Matrix = list[list[Fraction]]


def exact(rows: Any) -> Matrix:
    return [[Fraction(entry) for entry in row] for row in rows]


def product(a: Matrix, b: Matrix) -> Matrix:
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0)) for column in zip(*b, strict=True)]
        for row in a
    ]


def trace(a: Matrix) -> Fraction:
    return sum((a[k][k] for k in range(len(a))), Fraction(0))


MATRICES = [
    ([["3"]], [["2"]]),
    ([["1", "-1/2"], ["-1/2", "3"]], [["1", "0"], ["0", "1/4"]]),
    ([["1", "0"], ["0", "1"]], [["1", "0"], ["0", "1"]]),
    # W_QK Sigma is a nilpotent Jordan block, whose eigenvalues are the worst conditioned.
    ([["0", "1"], ["1", "0"]], [["1", "0"], ["0", "0"]]),
    ([["1/3", "2", "0"], ["2", "-5", "1"], ["0", "1", "1/7"]], [["2", "1", "0"], ["1", "2", "1"], ["0", "1", "2"]]),
    ([["1000", "1"], ["1", "-1000"]], [["1", "0"], ["0", "1/1000000"]]),
]


@pytest.mark.parametrize(("W", "Sigma"), MATRICES)
def test_eq8_is_within_its_bound(W: list[list[str]], Sigma: list[list[str]]) -> None:
    """d^2 Var = d sum w^2 - (sum w)^2, here from exact traces; the bound is small beside the matrices' size."""
    entry = registry.find("bao2024.sec5.eq8")
    assert isinstance(entry, Evaluation)
    value, bound = evaluate(entry, {"d": len(W), "W": W, "Sigma": Sigma})["variance"]
    P = product(exact(W), exact(Sigma))
    size = sum(float(x) ** 2 for row in exact(W) for x in row) * sum(float(x) ** 2 for row in exact(Sigma) for x in row)
    assert abs(Fraction(value) - (len(W) * trace(product(P, P)) - trace(P) ** 2)) <= bound
    assert bound < 1e-11 * size


@pytest.fixture(scope="module")
def points() -> Points:
    entry = registry.find("bao2024.sec4.eq5")
    assert isinstance(entry, Search)
    return run_search(entry, 1440, seed=0)


def ratio(points: Points, d: int) -> Any:
    """tr(W) / sqrt(tr(W^2)) at the points of dimension d that have one."""
    chosen = (points.columns["d"] == d) & (points.columns["tr2"] > 0)
    return points.columns["value"][chosen] / np.sqrt(points.columns["tr2"][chosen])


def test_the_columns_are_exact_within_their_errors(points: Points) -> None:
    """Every tenth point in rational arithmetic; Sigma is exactly positive semidefinite, W_QK exactly symmetric."""
    for k in range(0, len(points), 10):
        W, Sigma = exact(points.point(k)["W"]), exact(points.point(k)["Sigma"])
        assert [list(row) for row in zip(*W, strict=True)] == W
        assert [list(row) for row in zip(*Sigma, strict=True)] == Sigma
        P = product(W, Sigma)
        assert abs(Fraction(points.columns["value"][k]) - trace(P)) <= points.error[k]
        assert abs(Fraction(points.columns["tr2"][k]) - trace(product(P, P))) <= points.errors["tr2"][k]
        assert points.columns["d"][k] == len(W)
        values = np.linalg.eigvalsh(np.array(points.point(k)["Sigma"]))
        assert values[0] >= -1e-13 * values[-1]
    assert points.error.max() < 1e-9


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_both_ends_are_reached_in_every_dimension(d: int, points: Points) -> None:
    """The largest |tr(W)| / sqrt(tr(W^2)) found is sqrt(d) to 1e-6, at either end, and never above it."""
    found = ratio(points, d)
    assert found.max() == pytest.approx(math.sqrt(d), rel=1e-6)
    assert found.min() == pytest.approx(-math.sqrt(d), rel=1e-6)
    assert max(found.max(), -found.min()) <= math.sqrt(d) * (1 + 1e-12)


def test_a_bound_that_is_a_little_too_tight_is_violated(points: Points) -> None:
    """1% off the constant, or d - 1 for d: the search finds points beyond, by more than their errors."""
    value, d, tr2 = (points.columns[name] for name in ("value", "d", "tr2"))
    for bound in (0.99 * np.sqrt(d * tr2), np.sqrt((d - 1) * tr2)):
        for end in (value, -value):
            assert ((end - bound) > 1e3 * points.error).any()


def test_the_points_are_of_many_kinds(points: Points) -> None:
    """All dimensions alike; singular Sigma, W_QK of rank one, spectra of both signs and of one."""
    assert np.unique(points.columns["d"], return_counts=True)[1].tolist() == [240] * 6
    big = [k for k in range(len(points)) if points.columns["d"][k] == 5]
    ranks = [np.linalg.matrix_rank(points.matrices["W"][k], tol=1e-2) for k in big]
    assert {1, 5} <= set(map(int, ranks))
    smallest = [np.linalg.eigvalsh(points.matrices["Sigma"][k])[[0, -1]] for k in big]
    assert any(low < 1e-6 * high for low, high in smallest) and any(low > 0.9 * high for low, high in smallest)
    signs = [np.sign(np.linalg.eigvalsh(points.matrices["W"][k])) for k in big]
    assert any(len(set(s.tolist())) == 1 for s in signs) and any({-1.0, 1.0} <= set(s.tolist()) for s in signs)


def test_a_search_of_no_point_is_refused() -> None:
    entry = registry.find("bao2024.sec4.eq5")
    assert isinstance(entry, Search)
    assert len(run_search(entry, 1, seed=0)) == 1
    with pytest.raises(EngineError, match="points = 0; expected an integer >= 1"):
        run_search(entry, 0, seed=0)
