"""The weights of the chi-squares that a score is a sum of: from eigenvalues, or from the matrices themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorems.bao2024.law.arguments import Counts, checked, real, reals
from theorems.bao2024.law.kernels import Kernel2
from theorems.bao2024.law.quadrature import HELD
from theorems.bao2024.law.transform import Array

Numbers = Sequence[float] | Array


def halves(ab: Fraction, c: Fraction) -> tuple[float, float]:
    """((c + sqrt(ab))/2, (c - sqrt(ab))/2), the one that would cancel from the product (c^2 - ab)/4."""
    root, middle = math.sqrt(ab), float(c)
    large = middle + math.copysign(root, middle)
    small = float(c * c - ab) / large if large else 0.0
    return (large / 2, small / 2) if large >= 0 else (small / 2, large / 2)


def weights(eigenvalues: Numbers, multiplicities: Counts | None, kernel: Kernel2) -> tuple[Array, Array]:
    """The weights of Q for symmetric W_QK and their multiplicities: w (c + sqrt(ab))/2 for all w, then the others."""
    values, counts = counted(eigenvalues, multiplicities)
    a, b, c = kernel
    plus, minus = halves(a * b, c)
    return np.concatenate([values * plus, values * minus]), np.concatenate([counts, counts])


def counted(eigenvalues: Numbers, multiplicities: Counts | None) -> tuple[Array, Array]:
    """Eigenvalues and their multiplicities as arrays; all 1 where none are given."""
    values = np.atleast_1d(reals("eigenvalues", eigenvalues))
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise ValueError(f"eigenvalues of shape {values.shape}; expected a list of finite numbers")
    counts = np.ones(len(values)) if multiplicities is None else checked(multiplicities, len(values))
    return values, counts


def scaled(values: Array, lam: float) -> tuple[Array, float]:
    """Eigenvalues or weights, the largest of a modulus below 1, and lam over the same power of two.

    The score is the same, and products stay among the normal numbers, which have all their digits; a lam beyond those
    is the largest or the smallest number.
    """
    lam = real("lam", lam)
    if not (lam > 0 and math.isfinite(lam)):
        raise ValueError(f"lam = {lam}; expected a positive number")
    power = -np.frexp(np.max(np.abs(values), initial=0.0))[1]
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(values, power), float(np.clip(np.ldexp(lam, power), 5e-324, np.finfo(np.float64).max))


def matrices(W_QK: Any, Sigma: Any) -> tuple[Array, Array]:
    """R^T W_QK R and W_QK, with Sigma = R R^T; ValueError for what is no matrix or no covariance."""
    matrix, sigma = reals("W_QK", W_QK), reals("Sigma", Sigma)
    if matrix.ndim != 2 or matrix.shape != sigma.shape or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"W_QK of shape {matrix.shape}, Sigma of shape {sigma.shape}; expected two d by d matrices")
    if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(sigma))):
        raise ValueError("W_QK or Sigma has an entry that is not finite; expected real numbers")
    largest = np.max(np.abs(sigma), initial=0.0)
    if not np.allclose(sigma, sigma.T, rtol=0, atol=1e-12 * largest):
        raise ValueError("Sigma is not symmetric; expected a covariance matrix")
    values, vectors = np.linalg.eigh(sigma / 2 + sigma.T / 2)
    if np.any(values < -1e-12 * len(sigma) * largest):
        raise ValueError(f"Sigma has the eigenvalue {values.min():.3g}; expected none below 0")
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        core = root.T @ matrix @ root
    if not np.all(np.isfinite(core)):
        raise ValueError("W_QK Sigma leaves the range of float64; expected entries of moderate size")
    return core, matrix


def spectrum(W_QK: Any, Sigma: Any) -> tuple[Array, Array]:
    """The eigenvalues of W_QK Sigma for symmetric W_QK, increasing, and their multiplicities (equal floats joined).

    Those within d eps of 0, relative to the largest, are rounding and become 0: a matrix of rank one has one other.
    Raises ValueError for a W_QK that is not symmetric: its law is ``rho_matrix``'s.
    """
    core, matrix = matrices(W_QK, Sigma)
    if not is_symmetric(matrix):
        raise ValueError("W_QK is not symmetric; its law does not follow from eigenvalues, use rho_matrix")
    values, counts = np.unique(_eigenvalues(core / 2 + core.T / 2), return_counts=True)
    return values, counts.astype(np.float64)


def _eigenvalues(blocks: Array) -> Array:
    """Of symmetric matrices, with rounding beside the largest put to 0; shape (..., d)."""
    values = np.asarray(np.linalg.eigvalsh(blocks), dtype=np.float64)
    largest = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    real = np.abs(values) > values.shape[-1] * np.finfo(np.float64).eps * largest
    return np.asarray(values * real, dtype=np.float64)


def is_symmetric(matrix: Array) -> bool:
    """Whether a matrix is its transpose, up to rounding."""
    # halves, as the difference of two entries may leave the range of floating point
    largest = np.max(np.abs(matrix), initial=0.0)
    return bool(np.allclose(matrix / 2, matrix.T / 2, rtol=0, atol=0.5e-14 * largest))


def block_weights(core: Array, kernels: Sequence[Kernel2]) -> Array:
    """The weights of Q at each of the kernels, (kernels, 2d), for M = ``core``.

    Each costs the eigenvalues of a 2d by 2d matrix, 0.1 s at d = 512; a few of these matrices are held at once.
    """
    some = max(1, HELD // (4 * len(core) ** 2))
    parts = [_block_weights(core, kernels[at : at + some]) for at in range(0, len(kernels), some)]
    return np.concatenate(parts) if parts else np.zeros((0, 2 * len(core)))


def _block_weights(core: Array, kernels: Sequence[Kernel2]) -> Array:
    d = len(core)
    blocks = np.zeros((len(kernels), 2 * d, 2 * d))
    c = np.array([float(k[2]) for k in kernels])[:, None, None]
    root = np.array([math.sqrt(k[0] * k[1] - k[2] * k[2]) for k in kernels])[:, None, None]
    blocks[:, :d, :d] = c * (core + core.T) / 2
    blocks[:, :d, d:], blocks[:, d:, :d] = root * core.T / 2, root * core / 2
    return _eigenvalues(blocks)
