"""Lemma 1's simulations: exact under the product rule against Isserlis, at hand-computed values, and as sampled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.accumulate import Sample
from montecarlo.bao2024 import lemma1
from montecarlo.empirical_checks import Simulation
from montecarlo.engine import draw
from montecarlo.walks import Walks
from tests.montecarlo.enumeration import Array, all_pairs_of_walks, all_walks, expectation, walk_moments

W = torch.tensor([[1.0, -0.5], [2.0, 3.0]], dtype=torch.float64)
SIGMA = torch.tensor([[1.0, 0.25], [0.25, 0.5]], dtype=torch.float64)
ONE = torch.ones(1, 1, dtype=torch.float64)
LARGEST_Z = 6.0


def gamma(T: int, i: int) -> Array:
    """The selector's coefficients, typed here and nowhere in the package: e^i / T - 1 / T^2."""
    found: Array = np.eye(T)[i - 1] / T - 1 / T**2
    return found


def moments(T: int, matrix: Tensor, Sigma: Tensor, start: str) -> tuple[Array, Array]:
    """E s_a, (T,), and E s_a s_b, (T, T), of the scores s_a = x_a^T W x_T, by Isserlis."""
    exact, w, last = walk_moments(T, Sigma, start), matrix.numpy(), T - 1
    means = np.array([exact.form(w, a, last) for a in range(T)])
    return means, np.array([[exact.forms(w, a, last, b, last) for b in range(T)] for a in range(T)])


def expected(T: int, i: int, j: int, lam: float, matrix: Tensor, Sigma: Tensor, start: str) -> dict[str, float]:
    """Every quantity of the lemma and its proof, from the scores' moments."""
    means, pairs = moments(T, matrix, Sigma, start)
    g, cov, p = gamma(T, i), pairs - np.outer(means, means), i - 1
    return {
        "linear": g @ means / lam,
        "mean": g @ means / lam + 1 / T,
        "variance": g @ cov @ g / lam**2,
        "selector_mean": means[p] / (lam * T),
        "selector_variance": cov[p, p] / (lam * T) ** 2,
        "pair": pairs[p, j - 1],
        "A": pairs[p, p],
        "B1": 2 * pairs[p, p],
        "B2": 2 * pairs[p, i:].sum(),
        "B3": 2 * pairs[p, :p].sum(),
        "C1": np.trace(pairs),
        "C2": 2 * np.triu(pairs, 1).sum(),
        "second_moment": g @ pairs @ g,
    }


def proof_lines(walk: Walks, matrix: Tensor, i: int, j: int) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for line in (lemma1.lemma1_a, lemma1.lemma1_b1, lemma1.lemma1_b2, lemma1.lemma1_b3, lemma1.lemma1_second_moment):
        found |= line(walk, matrix, i)
    return found | lemma1.eq22(walk, matrix, i, j) | lemma1.lemma1_c1(walk, matrix) | lemma1.lemma1_c2(walk, matrix)


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize("T", [1, 2, 4])
def test_the_proof_s_lines_are_exact(T: int, start: str) -> None:
    """(22), (A) ... (C2) and the second moment for every i, j, a non-symmetric W and both starts, to 1e-11."""
    walk, weights = all_walks(T, SIGMA, start)
    for i in range(1, T + 1):
        for j in range(i, T + 1):
            exact = expected(T, i, j, 1.5, W, SIGMA, start)
            for name, numbers in proof_lines(walk, W, i, j).items():
                assert numbers.shape == (walk.n,)
                assert expectation(numbers, weights) == pytest.approx(exact[name], rel=1e-11, abs=1e-11), (name, i, j)


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize(("T", "d"), [(1, 1), (3, 1), (2, 2)])
def test_means_and_variances_are_exact(T: int, d: int, start: str) -> None:
    """The lemma's and the remark's mean and variance, over all pairs of walks, to 1e-11."""
    matrix, Sigma = W[:d, :d], SIGMA[:d, :d]
    walk, weights = all_walks(T, Sigma, start)
    pairs, pair_weights = all_pairs_of_walks(T, Sigma, start)
    for i in range(1, T + 1):
        exact = expected(T, i, i, 1.5, matrix, Sigma, start)
        for name in ("mean", "variance", "selector_mean", "selector_variance"):
            sampled = (pairs, pair_weights) if name.endswith("variance") else (walk, weights)
            found = lemma1.remark2_selector(sampled[0], matrix, i, 1.5)[name]
            value = exact["linear"] if name == "mean" else exact[name]
            assert expectation(found, sampled[1]) == pytest.approx(value, rel=1e-11, abs=1e-12)
        full = lemma1.lemma1_mean(walk, matrix, i, 1.5)["mean"]
        assert expectation(full, weights) == pytest.approx(exact["mean"], rel=1e-11)
        spread = lemma1.lemma1_variance(pairs, matrix, i, 1.5)["variance"]
        assert expectation(spread, pair_weights) == pytest.approx(exact["variance"], rel=1e-11, abs=1e-12)


def test_by_hand() -> None:
    """d = 1, T = 2, W = Sigma = lam = 1, i = 1: s = (x_1 x_2, x_2^2) with E s = (1, 2), E s s^T = ((4, 6), (6, 12)).

    E x_1^2 x_2^2 = 1 * 2 + 2 * 1, E x_1 x_2^3 = 3 * 1 * 2, E x_2^4 = 3 * 4; gamma^1 = (1, -1) / 4.
    """
    walk, weights = all_walks(2, ONE)
    found = {name: expectation(f, weights) for name, f in proof_lines(walk, ONE, 1, 2).items()}
    by_hand = {"A": 4, "B1": 8, "B2": 12, "B3": 0, "C1": 16, "C2": 12, "pair": 6, "second_moment": (4 - 12 + 12) / 16}
    assert found == pytest.approx(by_hand)
    assert expectation(lemma1.lemma1_mean(walk, ONE, 1, 1.0)["mean"], weights) == pytest.approx(-1 / 4 + 1 / 2)
    pairs, pair_weights = all_pairs_of_walks(2, ONE)
    spread = lemma1.lemma1_variance(pairs, ONE, 1, 1.0)["variance"]
    assert expectation(spread, pair_weights) == pytest.approx((3 - 2 * 4 + 8) / 16)


def test_sums_off_by_one_are_caught() -> None:
    """(B2) over j >= i, (B3) over j <= i and (C2) with its diagonal: each is told from the line as defined."""
    walk, weights = all_walks(4, SIGMA)
    exact, s, i = expected(4, 2, 2, 1.0, W, SIGMA, "sigma"), walk.scores(W), 2
    wrong = {
        "B2": 2 * s[:, i - 1] * s[:, i - 1 :].sum(1),
        "B3": 2 * s[:, i - 1] * s[:, :i].sum(1),
        "C2": s.sum(1) ** 2,
    }
    for name, numbers in wrong.items():
        assert abs(expectation(numbers, weights) / exact[name] - 1) > 0.05, name


CASE: dict[str, Any] = {"d": 2, "T": 12, "i": 5, "j": 8, "lam": "3/2", "start": "sigma"}
CASE |= {"W": [["1", "-1/2"], ["2", "3"]], "Sigma": [["1", "1/4"], ["1/4", "1/2"]]}
CLAIMS = {
    "bao2024.sec2.remark2-selector": {"mean": "linear"},
    "bao2024.sec4.lemma1-mean": {},
    "bao2024.sec4.lemma1-variance": {},
    "bao2024.appC.eq22": {},
    "bao2024.appC.lemma1-A": {},
    "bao2024.appC.lemma1-B1": {},
    "bao2024.appC.lemma1-B2": {},
    "bao2024.appC.lemma1-B3": {},
    "bao2024.appC.lemma1-C1": {},
    "bao2024.appC.lemma1-C2": {},
    "bao2024.appC.lemma1-second-moment": {},
}


def sample(claim: str, walks: int = 2**19, **options: Any) -> Sample:
    found = registry.find(claim)
    assert isinstance(found, Simulation)
    return draw(found, CASE, walks=walks, seed=0, claim_id=claim, key="test", **options)


@pytest.mark.parametrize("claim", CLAIMS)
def test_as_sampled(claim: str) -> None:
    """2^19 walks of 12 tokens give the exact finite-T value within 6 standard errors, errors below 2%."""
    exact = expected(12, 5, 8, 1.5, W, SIGMA, "sigma")
    for name, estimate in sample(claim).estimates.items():
        value = exact[CLAIMS[claim].get(name, name)]
        error = estimate.block_means.std(ddof=1) / math.sqrt(len(estimate.block_means))
        assert abs(estimate.mean - value) < LARGEST_Z * error, name
        assert error < 0.02 * max(abs(value), math.sqrt(estimate.variance)), name


def test_a_correction_has_seeds_of_its_own() -> None:
    claim = "bao2024.sec4.lemma1-mean"
    found = registry.find(f"{claim}.corrected")
    assert isinstance(found, Simulation)
    other = draw(found, CASE, walks=2**15, seed=0, claim_id=f"{claim}.corrected", key="test")
    assert not np.isin(other["mean"].block_means, sample(claim, 2**15)["mean"].block_means).any()


def test_threads_change_nothing_here_either() -> None:
    claim = "bao2024.sec2.remark2-selector"
    one, two = sample(claim, 2**16), sample(claim, 2**16, threads=2)
    for name in one.estimates:
        assert np.array_equal(one[name].block_means, two[name].block_means)
