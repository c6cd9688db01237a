"""rho of long walks by interpolation: near the exact law, within the stated error, and the error is seen to grow."""

from __future__ import annotations

import numpy as np
import pytest

from theorems.law import interpolated as law_interpolated
from theorems.law import rho, rho_matrix, spectrum
from theorems.law.interpolated import basis, chosen, rho_interpolated
from theorems.law.quadrature import Array

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("wanted", "T", "d", "start"),
    [
        *((wanted, 300, 3, "sigma") for wanted in (1e-2, 1e-5)),
        pytest.param(1e-9, 300, 3, "sigma", marks=pytest.mark.slow),
        *((wanted, 150, 5, "zero") for wanted in (1e-2, 1e-5, 1e-9)),
        *((wanted, 40, 2, "sigma") for wanted in (1e-2, 1e-5, 1e-9)),
    ],
)
def test_the_truth_is_within_the_stated_error(T: int, d: int, start: str, wanted: float) -> None:
    rng = np.random.default_rng(T + d)
    W, root = rng.normal(size=(d, d)) / (d * T**0.7), rng.normal(size=(d, d))
    exact = rho_matrix(T, W, root @ root.T, 1.5, start)
    found = rho_interpolated(T, W, root @ root.T, 1.5, start, wanted=wanted)
    assert np.all(np.abs(found.values - exact.values) <= found.errors + exact.errors)
    assert np.max(found.errors) <= wanted
    assert len(found.methods) == T and {"exact"} <= set(found.methods)
    kept = [k for k, how in enumerate(found.methods) if how == "exact"]
    assert np.allclose(found.values[kept], exact.values[kept], rtol=0, atol=1e-11)


def test_fewer_points_state_a_larger_error(monkeypatch: pytest.MonkeyPatch) -> None:
    W = np.array([[0.03, -0.02], [0.05, 0.01]])
    coarse, fine = (rho_interpolated(500, W, np.eye(2), wanted=wanted) for wanted in (0.5, 1e-9))
    assert np.max(coarse.errors) > 1e3 * np.max(fine.errors)
    assert coarse.methods.count("exact") < fine.methods.count("exact") < 100
    actual = np.max(np.abs(coarse.values - fine.values))
    assert 1e-9 < actual <= np.max(coarse.errors)


def test_a_wrong_interpolation_is_not_stated_as_a_good_one(monkeypatch: pytest.MonkeyPatch) -> None:
    W = np.array([[0.03, -0.02], [0.05, 0.01]])

    def shifted(points: list[int], T: int) -> Array:
        return basis(points, T) * (1 + 0.01 / len(points))

    monkeypatch.setattr(law_interpolated, "basis", shifted)
    found = rho_interpolated(60, W, np.eye(2), wanted=1e-6)
    # no level agrees with the next, so every token is computed
    assert set(found.methods) == {"exact"}


def test_a_symmetric_matrix_needs_no_interpolation() -> None:
    W = np.diag([0.1, -0.05, 0.02])
    values, counts = spectrum(W, np.eye(3))
    assert np.array_equal(rho_interpolated(64, W, np.eye(3)).values, rho(64, values, counts).values)


@pytest.mark.parametrize("T", [1, 2, 9, 10])
def test_short_walks_are_exact(T: int) -> None:
    W = np.array([[0.3, -0.2], [0.5, 0.1]])
    found = rho_interpolated(T, W, np.eye(2), wanted=1e-12)
    assert np.allclose(found.values, rho_matrix(T, W, np.eye(2)).values, rtol=0, atol=1e-11)


def test_the_points_hold_both_ends_and_the_basis_reproduces_polynomials() -> None:
    points = chosen(4096, 33)
    assert points[0] == 1 and points[-1] == 4096 and len(set(points)) == len(points) == 33
    i = np.arange(1, 4097) / 4096
    for power in (0, 1, 7, 20):
        assert np.allclose(basis(points, 4096) @ (np.array(points) / 4096) ** power, i**power, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"wanted": 0.0}, "wanted = 0.0"),
        ({"T": 0}, "T = 0"),
        ({"lam": -1.0}, "lam = -1.0"),
        ({"W_QK": np.full((2, 2), np.nan)}, "not finite"),
        ({"Sigma": -np.eye(2)}, "eigenvalue"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], told: str) -> None:
    given: dict[str, object] = {"T": 20, "W_QK": np.array([[0.3, -0.2], [0.5, 0.1]]), "Sigma": np.eye(2), **arguments}
    with pytest.raises(ValueError, match=told):
        rho_interpolated(**given)  # type: ignore[arg-type]
