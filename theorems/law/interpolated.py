"""rho_i for long walks and any W_QK: the exact law at a few tokens, interpolated in i, with a stated error.

The law of the score needs the eigenvalues of a 2d by 2d matrix at every token. Its characteristic function is
det(I - 2is A_i)^(-1/2), in which i enters through c and D = ab - c^2 alone, both rational in i without poles on
[1, T] (``theorems.law``); sqrt(D) occurs with its square only. So rho_i is a smooth function of i, and polynomials
through its values at Chebyshev points, rounded to tokens, come near it fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BarycentricInterpolator

from theorems.law import Rho, block_weights, is_symmetric, matrices, rho, spectrum, token_kernel, window
from theorems.law.quadrature import Array, intervals

#: Points of the first level; each further level halves the angles between them.
FIRST = 9


def rho_interpolated(
    T: int,
    W_QK: Any,
    Sigma: Any,
    lam: float = 1.0,
    start: str = "sigma",
    low: float = 0.0,
    high: float = 1.0,
    wanted: float = 1e-5,
    tolerance: float = 1e-12,
) -> Rho:
    """rho_i = P(low <= score_i <= high) for i = 1 .. T; W_QK need not be symmetric.

    The error stated is the largest difference between the last two levels of interpolation, plus what the errors at
    the tokens computed exactly can grow to. It is an estimate, where that of ``rho_matrix`` is a bound; levels are
    added until it is below ``wanted``, or until every token is computed exactly. A symmetric W_QK needs one set of
    eigenvalues for all tokens and is not interpolated at all.
    """
    if T < 1:
        raise ValueError(f"T = {T}; expected a number of tokens, 1 or more")
    core, matrix = matrices(W_QK, Sigma)
    if is_symmetric(matrix):
        return rho(T, *spectrum(matrix, Sigma), lam, start, low, high, tolerance)
    if not 0 < wanted < 1:
        raise ValueError(f"wanted = {wanted}; expected an error between 0 and 1")
    ends = window(T, lam, low, high)
    known: dict[int, tuple[float, float]] = {}

    def at(i: int) -> tuple[float, float]:
        if i not in known:
            # one token at a time: the blocks of many would fill the memory
            alphas = block_weights(core, [token_kernel(T, i, start)])
            rows = intervals(alphas, np.ones(alphas.shape[1]), *ends, tolerance)
            known[i] = float(rows.values[0]), float(rows.errors[0])
        return known[i]

    count, before = FIRST, None
    while True:
        points = chosen(T, count)
        found = np.array([at(i) for i in points])
        if len(points) == T:
            return Rho(found[:, 0], found[:, 1], ("exact",) * T)
        matrix_of = basis(points, T)
        values = matrix_of @ found[:, 0]
        if before is not None:
            apart = float(np.max(np.abs(values - before)))
            errors = apart + np.abs(matrix_of) @ found[:, 1]
            if np.max(errors) <= wanted:
                exact = set(points)
                methods = tuple("exact" if i in exact else "interpolated" for i in range(1, T + 1))
                errors[np.array(points) - 1] = found[:, 1]
                return Rho(np.clip(values, 0.0, 1.0), errors, methods)
        before, count = values, 2 * count - 1


def chosen(T: int, count: int) -> list[int]:
    """``count`` Chebyshev points of the second kind on [1, T], rounded to tokens; all tokens where these are few."""
    # points that are rounded by more than a part of their distance would not be Chebyshev points any more
    if 3 * count >= T:
        return list(range(1, T + 1))
    angles = np.cos(np.pi * np.arange(count) / (count - 1))
    return sorted({int(i) for i in np.rint(1 + (T - 1) * (1 - angles) / 2)})


def basis(points: list[int], T: int) -> Array:
    """The interpolating polynomial's value at every token as a linear map of those at the points, (T, points)."""
    # with a fixed order of the points the same numbers come out in every run
    scale = BarycentricInterpolator(np.array(points, dtype=np.float64), np.eye(len(points)), rng=0)
    return np.asarray(scale(np.arange(1, T + 1, dtype=np.float64)), dtype=np.float64)
