"""Appendix A's simulations: exact under the product rule against Isserlis, at hand-computed values, and as sampled."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.bao2024 import appendix_a
from montecarlo.empirical_checks import Simulation
from montecarlo.engine import draw
from montecarlo.walks import Walks, covariance_root, form
from tests.montecarlo.enumeration import Isserlis, all_walks, expectation, product_rule, walk_moments

W = torch.tensor([[1.0, -0.5], [2.0, 3.0]], dtype=torch.float64)
SIGMA = torch.tensor([[1.0, 0.25], [0.25, 0.5]], dtype=torch.float64)
M = torch.tensor([1.0, -2.0], dtype=torch.float64)
A, B = torch.tensor([0.5, 1.0], dtype=torch.float64), torch.tensor([-1.0, 3.0], dtype=torch.float64)
ONE = torch.ones(1, 1, dtype=torch.float64)
LARGEST_Z = 6.0


def all_points(mean: Tensor, Sigma: Tensor) -> tuple[Tensor, Tensor]:
    nodes, weights = product_rule(len(mean))
    return (covariance_root(Sigma) @ nodes).T + mean, weights


def test_gaussian_moments_are_exact() -> None:
    """(11)-(14) for a non-symmetric W and a mean, to 1e-12."""
    x, weights = all_points(M, SIGMA)
    exact = Isserlis(np.ones((1, 1)), SIGMA.numpy(), M.numpy()[None])
    second, fourth, w = exact.second(0, 0), exact.fourth(0, 0, 0, 0), W.numpy()
    # E[x_a x_b x_c] is the fourth moment with a constant fourth factor.
    m = M.numpy()
    mixed = [np.einsum(spec, second, m) for spec in ("ab,c->abc", "ac,b->abc", "bc,a->abc")]
    third = sum(mixed) - 2 * np.einsum("a,b,c->abc", m, m, m)
    expected = {
        "eq11": (second * w).sum(),
        "eq12": A.numpy() @ second @ B.numpy(),
        "eq13": np.einsum("abc,a,bc->", third, A.numpy() @ w, w),
        "eq14": np.einsum("abcd,ab,cd->", fourth, w, w),
    }
    found = {
        "eq11": appendix_a.eq11(x, W),
        "eq12": appendix_a.eq12(x, A, B),
        "eq13": appendix_a.eq13(x, W, A),
        "eq14": appendix_a.eq14(x, W),
    }
    for name, numbers in found.items():
        assert expectation(numbers["moment"], weights) == pytest.approx(float(expected[name]), rel=1e-12), name


def test_gaussian_moments_by_hand() -> None:
    """d = 1, m = 2, Sigma = 3, W = 1: E x^2 = 7, a E x^3 = a (8 + 18), E x^4 = 16 + 72 + 27."""
    x, weights = all_points(torch.tensor([2.0], dtype=torch.float64), 3 * ONE)
    a = torch.tensor([5.0], dtype=torch.float64)
    assert expectation(appendix_a.eq11(x, ONE)["moment"], weights) == pytest.approx(7)
    assert expectation(appendix_a.eq12(x, a, a)["moment"], weights) == pytest.approx(175)
    assert expectation(appendix_a.eq13(x, ONE, a)["moment"], weights) == pytest.approx(130)
    assert expectation(appendix_a.eq14(x, ONE)["moment"], weights) == pytest.approx(115)


def walk_numbers(walk: Walks, matrix: Tensor, i: int, j: int) -> dict[str, Tensor]:
    return {
        "eq15": appendix_a.eq15(walk, matrix, i)["moment"],
        "eq16": appendix_a.eq16(walk, matrix, i)["moment"],
        "eq17": appendix_a.eq17(walk, matrix, i, j)["moment"],
        "eq18": appendix_a.eq18(walk, matrix, i, j)["moment"],
    }


def discrepancies(numbers: dict[str, Tensor], weights: Tensor, exact: Isserlis, i: int, j: int) -> dict[str, float]:
    """How far each expectation is from its moment, relative to the moment (or absolute, where that is below 1)."""
    w, p, q = W.numpy(), i - 1, j - 1
    expected = {
        "eq15": exact.form(w, p, p),
        "eq16": exact.forms(w, p, p, p, p),
        "eq17": exact.forms(w, p, q, q, p),
        "eq18": exact.forms(w, p, q, q, q),
    }
    return {n: abs(expectation(f, weights) - expected[n]) / max(1, abs(expected[n])) for n, f in numbers.items()}


@pytest.mark.parametrize("start", ["sigma", "zero"])
def test_walk_moments_are_exact(start: str) -> None:
    """(15)-(18) for every 1 <= i <= j <= 4, a non-symmetric W and both starts, to 1e-12."""
    walk, weights = all_walks(4, SIGMA, start)
    exact = walk_moments(4, SIGMA, start)
    for i, j in itertools.combinations_with_replacement(range(1, 5), 2):
        assert max(discrepancies(walk_numbers(walk, W, i, j), weights, exact, i, j).values()) < 1e-12, (i, j)


def test_walk_moments_by_hand() -> None:
    """d = 1, W = Sigma = 1, i = 2, j = 3: E x_2^2 = 2, E x_2^4 = 12, E x_2^2 x_3^2 = 6 + 8, E x_2 x_3^3 = 18."""
    walk, weights = all_walks(3, ONE)
    found = {name: expectation(f, weights) for name, f in walk_numbers(walk, ONE, 2, 3).items()}
    assert found == pytest.approx({"eq15": 2, "eq16": 12, "eq17": 14, "eq18": 18})


def test_wrong_simulations_are_caught() -> None:
    """An index off by one, a transposed factor and a wrong start, each against the same exact moments."""
    walk, weights = all_walks(4, SIGMA)
    exact, i, j = walk_moments(4, SIGMA), 2, 3
    x, y = walk.token(i), walk.token(j)
    shifted = walk_numbers(walk, W, i + 1, j + 1)
    transposed = {"eq17": form(x, W, y) * form(x, W, y), "eq18": form(x, W, y) * form(y, W.T, y) * 1.0}
    late, _ = all_walks(4, SIGMA, "zero")
    for wrong in (shifted, walk_numbers(late, W, i, j), {"eq17": transposed["eq17"]}):
        assert min(discrepancies(wrong, weights, exact, i, j).values()) > 1e-3
    # y^T W y does not see a transposed W: no fault, and not caught.
    assert discrepancies({"eq18": transposed["eq18"]}, weights, exact, i, j)["eq18"] < 1e-12


CASE: dict[str, Any] = {"d": 2, "T": 6, "i": 2, "j": 4, "start": "sigma", "m": ["1", "-2"], "a": ["1/2", "1"]}
CASE |= {"b": ["-1", "3"], "W": [["1", "-1/2"], ["2", "3"]], "Sigma": [["1", "1/4"], ["1/4", "1/2"]]}


@pytest.mark.parametrize("name", ["eq11", "eq12", "eq13", "eq14", "eq15", "eq16", "eq17", "eq18"])
def test_as_sampled(name: str) -> None:
    """2^19 walks give the exact moment within 6 standard errors (one seed in 5 10^8 would fail, for a normal error)."""
    claim = f"bao2024.appA.{name}"
    found = registry.find(claim)
    assert isinstance(found, Simulation)
    if found.model == "gaussian":
        x, weights = all_points(M, SIGMA)
        extra = {"eq12": (A, B), "eq13": (W, A)}.get(name, (W,))
        exact = expectation(getattr(appendix_a, name)(x, *extra)["moment"], weights)
    else:
        walk, weights = all_walks(4, SIGMA)
        exact = expectation(walk_numbers(walk, W, 2, 4)[name], weights)
    estimate = draw(found, CASE, walks=2**19, seed=0, claim_id=claim, key="test")["moment"]
    error = estimate.block_means.std(ddof=1) / math.sqrt(len(estimate.block_means))
    assert abs(estimate.mean - exact) < LARGEST_Z * error
    assert error < 0.02 * max(abs(exact), math.sqrt(estimate.variance))
