"""A matrix W as the kernels read it: x_a^T W x_T as a form in standard normal steps, with as few products as can be.

With Sigma = R R^T, the steps of a walk are R z_t, and its scores forms in z under M = R^T W R. For every orthogonal
Q, R Q is as good a root of Sigma as R, with Q^T M Q in the place of M. Q is chosen so that this is diagonal where M is
symmetric, and else upper triangular but for 2 x 2 blocks (the real Schur form): the law of the walk is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

#: Rows of a panel: so many sums are kept in registers at once.
ROWS = 8


@dataclass(frozen=True)
class Form:
    """Q^T M Q / scale in panels of 8 rows, float32: of each the columns first, ..., last - 1, column by column."""

    d: int
    basis: NDArray[np.float64]
    scale: float
    weights: NDArray[np.float32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def symmetric(M: NDArray[np.float64]) -> bool:
    """Whether M, (d, d), is symmetric but for roundoff, as R W R of a symmetric W is."""
    return bool(np.abs(M - M.T).max() <= 8 * len(M) * np.finfo(np.float64).eps * np.abs(M).max())


def reduced(M: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(Q^T M Q, Q): diagonal for a symmetric M, quasi-triangular else."""
    if symmetric(M):
        values, Q = np.linalg.eigh((M + M.T) / 2)
        return np.diag(values), Q
    triangle, Q = scipy.linalg.schur(M, output="real")
    return triangle, Q


def form(M: NDArray[np.float64], basis: NDArray[np.float64] | None = None) -> Form:
    """The form under M, (d, d), in the coordinates of ``basis``, or in those of its own choice.

    Raises ValueError where M is no square matrix of finite numbers.
    """
    if M.ndim != 2 or M.shape[0] != M.shape[1] or not np.isfinite(M).all():
        raise ValueError(f"M has shape {M.shape}; expected a square matrix of finite numbers")
    return _form(M.astype(np.float64).tobytes(), None if basis is None else basis.tobytes(), len(M))


# samples follow each other at one case, and the Schur form of a large matrix takes as long as many blocks
@lru_cache(maxsize=8)
def _form(entries: bytes, coordinates: bytes | None, d: int) -> Form:
    M = np.frombuffer(entries).reshape(d, d)
    if coordinates is None:
        matrix, basis = reduced(M)
    else:
        basis = np.frombuffer(coordinates).reshape(d, d)
        matrix = basis.T @ M @ basis
    # so that float32 holds them, whatever the unit of W
    scale = float(np.abs(matrix).max()) or 1.0
    rows = np.zeros((-(-d // ROWS) * ROWS, d), np.float32)
    rows[:d] = matrix / scale
    panels = [rows[k : k + ROWS] for k in range(0, len(rows), ROWS)]
    spans = [np.flatnonzero(panel.any(0)) for panel in panels]
    first = np.array([span[0] if len(span) else 0 for span in spans])
    last = np.array([span[-1] + 1 if len(span) else 0 for span in spans])
    weights = [panel[:, a:b].T.ravel() for panel, a, b in zip(panels, first, last, strict=True)]
    return Form(d, basis, scale, np.concatenate(weights), first, last)
