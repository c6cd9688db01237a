"""The searches of Section 5: errors are small, bounds reached, and false prints violated."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo import registry
from montecarlo.bao2024 import norms as searches
from montecarlo.directly import run_search
from montecarlo.empirical_checks import Points, Search
from theorems.algebra.balls import rational
from theorems.algebra.norms import functional
from theorems.gaussian.numeric import Case

#: The true bounds: |value| is at most this, and near it somewhere in every dimension.
BOUNDS: dict[str, Any] = {
    "eq7-first": lambda c: c["d"] * c["spectral_Sigma"] * c["spectral_W"],
    "eq7-second": lambda c: c["frobenius_W"],
    "eq7-third-entrywise": lambda c: c["entrywise_W"],
    "eq7-third-induced": lambda c: np.sqrt(c["d"]) * c["column_W"],
    "eq10-first": lambda c: c["frobenius_Sigma_inverse"] * np.sqrt(c["tr2"]),
    "eq10-second": lambda c: np.where(
        c["least_W"] * c["largest_W"] > 1e-14 * c["spectral_W"] ** 2, abs(c["tr_W"]), np.inf
    ),
}
#: What is false for d >= 2, the value over it, so that a search must exceed 1.
FALSE: dict[str, Any] = {
    "eq7-first": lambda c: np.sqrt(c["d"]) * c["spectral_Sigma"] * c["spectral_W"],
    "eq7-second": lambda c: c["frobenius_W"] * 0.999,
    "eq7-third-entrywise": lambda c: c["entrywise_W"] * 0.999,
    "eq7-third-induced": lambda c: c["column_W"],
    "eq10-first": lambda c: c["frobenius_Sigma_inverse"] * np.sqrt(c["tr2"]) * 0.999,
    "eq10-second": lambda c: abs(c["tr_W"]),
}
SYMMETRIC = ("eq7-first", "eq7-third-induced", "eq10-first", "eq10-second")


def entry(name: str) -> Search:
    found = registry.find("bao2024.sec5." + name)
    assert isinstance(found, Search)
    return found


@cache
def points(name: str, count: int = 200, seed: int = 0) -> Points:
    return run_search(entry(name), count, seed)


def exactly(found: Points, k: int) -> Case:
    """One point's matrices as they are, without any rounding."""
    matrices = {name: [[str(Fraction(v)) for v in row] for row in rows] for name, rows in found.point(k).items()}
    return Case({"d": int(found.columns["d"][k]), **matrices})


@pytest.mark.parametrize("name", BOUNDS)
def test_errors_are_not_generous(name: str) -> None:
    """At most 1e-12 of the sum of W_QK's entries."""
    found = points(name)
    scale = np.array([np.abs(W).sum() for W in found.matrices["W"]])
    for column, error in found.errors.items():
        if functional(column) is not None and "Sigma" not in column:
            assert (error <= 1e-12 * scale).all(), column


@pytest.mark.parametrize("name", BOUNDS)
def test_every_bound_is_reached_in_every_dimension_and_never_passed(name: str) -> None:
    found = points(name)
    # 0/0 for a zero matrix
    with np.errstate(invalid="ignore"):
        ratio = np.nan_to_num(found.columns["value"] / BOUNDS[name](found.columns))
    assert ratio.max() < 1 + 1e-9
    for d in searches.DIMENSIONS:
        assert ratio[found.columns["d"] == d].max() > 0.9999, d


@pytest.mark.parametrize("name", FALSE)
def test_a_false_bound_is_violated_in_every_dimension(name: str) -> None:
    found = points(name)
    with np.errstate(invalid="ignore"):
        beyond = found.columns["value"] > FALSE[name](found.columns) + 1e3 * found.error
    assert {d for d in searches.DIMENSIONS if beyond[found.columns["d"] == d].any()} >= {2, 3, 4, 5, 6}


@pytest.mark.parametrize("name", BOUNDS)
def test_points_are_what_the_claim_is_about(name: str) -> None:
    """Symmetric where the claim says so and lopsided elsewhere; several sizes; Sigma positive definite, exactly."""
    found = points(name)
    W = found.matrices["W"]
    assert len(W) == len(found)
    lopsided = sum(not np.array_equal(A, A.T) for A in W)
    assert lopsided == 0 if name in SYMMETRIC else lopsided > 100
    sizes = {float(np.abs(A).max()) > 1 for A in W}
    assert sizes == {True, False}
    for k in range(0, len(found), 40):
        case = exactly(found, k)
        if "Sigma" in case.matrices:
            least = case.number("least_Sigma")
            assert (least() if callable(least) else rational(least)) > 0


def test_near_singular_and_anisotropic_covariances_occur() -> None:
    conditions = [np.linalg.cond(S) for S in points("eq10-first").matrices["Sigma"]]
    assert max(conditions) > 1e3
    assert min(conditions) < 1.01


def test_matrices_of_one_sign_occur_exactly() -> None:
    """Half of the points against the second inequality of (10) are C C^T or -C C^T, without rounding."""
    found = points("eq10-second")
    product = found.columns["least_W"] * found.columns["largest_W"]
    traces = set()
    for k in range(len(found)):
        if product[k] > 0 and k % 7 == 0:
            case = exactly(found, k)
            ends = [case.number(name) for name in ("least_W", "largest_W")]
            low, high = (end() if callable(end) else rational(end) for end in ends)
            assert low * high >= 0
            traces.add(float(found.columns["tr_W"][k]) > 0)
    assert traces == {True, False}
    # and matrices of both signs stay in the search
    assert (product < 0).sum() > 50


@pytest.mark.parametrize("count", [1, 3, 7])
def test_few_points_are_enough_to_run(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "STEPS", 5)
    assert 1 <= len(run_search(entry("eq10-second"), count, 0)) <= count


def test_an_inverse_that_is_not_sound_is_told() -> None:
    close = [[1.0, 1.0], [1.0, 1.0 + 2**-50]]
    Sigma = torch.tensor([[[1.0, 2.0], [2.0, 4.0]], close, [[2.0, 0.0], [0.0, 4.0]]], dtype=torch.float64)
    size, error, sound = searches.inverse_norm(Sigma)
    assert sound.tolist() == [False, False, True]
    assert abs(float(size[2]) - (1 / 4 + 1 / 16) ** 0.5) <= float(error[2]) < 1e-13


def test_the_residual_bounds_see_a_wrong_decomposition(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that is off by 1e-6 makes the bound grow with it, instead of being believed."""
    A = torch.randn((4, 3, 3), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    A = A + A.mT
    true, small = searches.spectral_norm(A)
    (low, narrow), _ = searches.extreme_eigenvalues(A)
    svd, eigh = torch.linalg.svd, torch.linalg.eigh

    def off(function: Any, place: int) -> Any:
        def called(matrix: Any) -> Any:
            parts = list(function(matrix))
            parts[place] = parts[place] * (1 + 1e-6)
            return parts

        return called

    for place in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(torch.linalg, "svd", off(svd, place))
            value, error = searches.spectral_norm(A)
        assert bool((abs(value - true) <= error).all())
        assert bool((error > 1e3 * small).all())
    for place in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(torch.linalg, "eigh", off(eigh, place))
            (value, error), _ = searches.extreme_eigenvalues(A)
        assert bool((abs(value - low) <= error).all())
        assert bool((error > 1e3 * narrow).all())
