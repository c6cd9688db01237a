"""Matrices of every kind where Python code hands them over: a ValueError that names them, or finite numbers."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_check.api import judge
from tests.proofs_check.hostile import one_line
from theorems.bao2024 import law
from theorems.claims.catalogue import by_id

#: Matrices that no law is one of, and matrices that are only odd.
BAD: dict[str, Any] = {
    "nan": [[np.nan]],
    "infinity": [[np.inf]],
    "wide": np.zeros((2, 3)),
    "row": [1.0],
    "scalar": 1.0,
    "cube": np.zeros((1, 1, 1)),
    "text": [["x"]],
    "code": [["__import__('os').system('touch PWNED')"]],
    "another size": np.eye(2),
    "complex": [[1j]],
    "complex array": np.array([[1 + 0j]]),
}
ODD: dict[str, Any] = {
    "integers": np.array([[100]], dtype=np.int8),
    "true": np.array([[True]]),
    "zero": [[0.0]],
    "tiny": [[1e-320]],
    "small": [[1e-30]],
    "negative": [[-1.0]],
}


@pytest.mark.parametrize("place", ["W", "Sigma"])
@pytest.mark.parametrize("name", BAD)
def test_matrices_that_are_refused(name: str, place: str) -> None:
    one = np.eye(1)
    pair = (BAD[name], one) if place == "W" else (one, BAD[name])
    for call in (lambda: law.rho_matrix(8, *pair), lambda: law.spectrum(*pair)):
        with pytest.raises(ValueError) as caught:
            call()
        one_line(f"error: {caught.value}\n")


def test_matrices_of_no_dimension_are_refused() -> None:
    for call in (lambda: law.rho_matrix(8, np.empty((0, 0)), np.empty((0, 0))), lambda: law.spectrum([], [])):
        with pytest.raises(ValueError, match="expected two d by d matrices"):
            call()


def test_matrices_of_objects_are_read_as_numbers() -> None:
    assert law.spectrum(np.array([[Fraction(1, 2)]], dtype=object), np.eye(1))[0] == 0.5
    with pytest.raises(ValueError, match="expected real numbers"):
        law.spectrum(np.array([["a"]], dtype=object), np.eye(1))


def test_matrices_beyond_float64_are_refused() -> None:
    for pair in (([[1e200]], [[1e200]]), ([[1e308]], [[1e308]])):
        with pytest.raises(ValueError, match="leaves the range of float64"):
            law.spectrum(*pair)
    values, _ = law.spectrum([[1.0]], [[1e308]])
    assert values == pytest.approx([1e308])


@pytest.mark.parametrize("name", ODD)
def test_matrices_that_are_odd(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, _ = law.spectrum(ODD[name], np.eye(1))
    assert np.isfinite(values).all()


@pytest.mark.parametrize(
    "matrix",
    [[[float("nan")]], [["inf"]], [[1e308]], [["1e999"]], [[1j]], [[True]], [[None]], [], [["1", "2"]], [["1"], ["2"]]],
    ids=str,
)
@pytest.mark.parametrize("name", ["W", "Sigma"])
def test_matrices_of_a_case_that_are_refused(name: str, matrix: Any) -> None:
    case = {"i": 1, "d": 1, "W": [["1"]], "Sigma": [["1"]], name: matrix}
    with pytest.raises(ValueError, match=r"^case = ") as caught:
        judge(by_id()["bao2024.appA.eq15"], effort="quick", case=case)
    one_line(f"error: {caught.value}\n")
