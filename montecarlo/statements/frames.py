"""Orthogonal tokens: the columns of a uniformly random orthonormal frame, times lengths, made of standard normals.

The frame comes from the columns z_1, ..., z_k of normals by Gram and Schmidt's method (QR with a positive diagonal), so
that it depends on their directions alone; their lengths |z_t| are independent of these and of each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.statements import radii
from montecarlo.statements.arrays import Array, Generator, library

KINDS = ("frame", "frame-sphere", "frame-isotropic")
#: A column of which a smaller part is left is made orthogonal once more.
LOST = 0.5
#: A series ends where a term is below this part of the sum, and is given up after so many terms.
SMALL, MOST_TERMS = 2.0**-70, 1_000


def several(kind: str, places: int) -> bool:
    """Whether it is a law of frames, and not that of one Gaussian token."""
    return kind in KINDS and (places > 1 or kind != "frame")


def whitened(kind: str, given: Sequence[float], z: Array, generator: Generator) -> Array:
    """The whitened tokens (places, d, n) of standard normals z of that shape, places <= d."""
    own, d = library(z), z.shape[1]
    lengths = own.sqrt(own.einsum("kdn,kdn->kn", z, z))
    made = z / lengths[:, None]
    for k in range(1, len(z)):
        lost = own.where(_left(made[k], made[:k]) < LOST)[0]
        # again where much of it is lost, so that rounding is not magnified
        if len(lost):
            column = made[k][:, lost]
            _left(column, made[:k][:, :, lost])
            made[k][:, lost] = column
    if kind == "frame-isotropic":
        return made * (math.sqrt(d) * radii.lengths(given, z, generator))
    return made * (math.sqrt(d) if kind == "frame-sphere" else lengths[:, None])


def _left(column: Array, frame: Array) -> Array:
    """Make unit vectors (d, n) orthogonal to a frame (k, d, n), and unit vectors again; how long they were between."""
    own = library(column)
    for one in frame:
        column -= own.einsum("dn,dn->n", one, column) * one
    length: Array = own.sqrt(own.einsum("dn,dn->n", column, column))
    column /= length
    return length


@dataclass(frozen=True)
class Frame:
    """The law of such tokens for expectations of exponentials exp(sum c_t b^T z_t) in one direction b.

    With x_t = c_t^2 b^T b/2, E is the sum over t_1, t_2, ... of prod x_i^(t_i) (d/2)_(t_i)/t_i!/(d/2)_n, n their sum:
    sum_n p_n/(d/2)_n with sum_n p_n s^n = prod (1 - s x_i)^(-d/2). Of lengths sqrt(d) it is 0F1(; d/2; d sum x_i/2).
    """

    kind: str
    d: int

    def mean(self, slope: NDArray[Any]) -> Any:
        """E exp(slope^T z), of one slope or of each in a row of its own.

        Raises DirectionError where the slopes of the tokens are not all in one direction.
        """
        if self.kind == "frame-isotropic":
            raise DirectionError("lengths of any law")
        rows = slope.reshape(-1, slope.shape[-1] // self.d, self.d).astype(np.complex128)
        first = (rows != 0).any(2).argmax(1)
        base = rows[np.arange(len(rows)), first]
        sizes = (base * base.conj()).sum(1).real
        # without any slope it is exp(0)
        shares = (rows * base.conj()[:, None]).sum(2) / np.where(sizes, sizes, 1.0)[:, None]
        off = np.abs(rows - shares[:, :, None] * base[:, None]).max((1, 2))
        if (off > 1e-12 * np.abs(rows).max((1, 2))).any():
            raise DirectionError("tokens of a frame in several directions")
        x = shares**2 * (base * base).sum(1)[:, None] / 2
        if self.kind == "frame-sphere":
            from scipy import special

            means = special.hyp0f1(self.d / 2, self.d * x.sum(1) / 2)
        else:
            means = np.array([_series(self.d / 2, tuple(sorted(filter(None, one), key=abs))) for one in x.tolist()])
        return means.reshape(slope.shape[:-1])[()]

    def shared(self, slope: NDArray[Any]) -> set[int]:
        """What an exponential has in common with those that it depends on: all of the frame."""
        return {0} if np.any(slope) else set()


@dataclass
class Powers:
    """The same law for products of powers of z_1^T b, z_2^T b, ..., b the unit vector of all linear forms that are met.

    E prod (b^T z_i)^(2 t_i) = prod (2 t_i - 1)!! (d/2)_(t_i)/(d/2)_n, n the sum of the t_i; of lengths sqrt(d) it is
    prod (2 t_i - 1)!! (d/2)^n/(d/2)_n; of lengths sqrt(d) s_i, s_i one of ``given``, times prod E s_i^(2 t_i).
    Odd powers have the mean 0.
    """

    kind: str
    d: int
    given: Sequence[float] = ()
    direction: NDArray[np.float64] | None = None

    def powers(self, start: float, slope: NDArray[np.float64]) -> dict[tuple[complex, ...], complex]:
        """A linear form by the powers of its tokens; DirectionError where it is of another direction."""
        rows = slope.reshape(-1, self.d)
        if self.direction is None and np.any(rows):
            row = rows[np.abs(rows).max(1).argmax()]
            self.direction = row / math.sqrt(row @ row)
        direction = np.zeros(self.d) if self.direction is None else self.direction
        shares = rows @ direction
        if np.abs(rows - shares[:, None] * direction).max() > 1e-12 * np.abs(rows).max():
            raise DirectionError("tokens of a frame in several directions")
        one = np.eye(len(rows))
        found = {tuple(map(complex, one[k])): complex(share) for k, share in enumerate(shares) if share}
        return {tuple(0j for _ in rows): complex(start), **found}

    def mean(self, exponents: NDArray[Any]) -> Any:
        """E of the product of the powers, of one such or of each in a row of its own."""
        if exponents.ndim > 1:
            return np.array([self.mean(row) for row in exponents])
        counts = [round(complex(count).real) for count in exponents]
        if any(count % 2 for count in counts):
            return 0.0
        half, n = self.d / 2, sum(counts) // 2
        below = math.prod(half + k for k in range(n))
        found = math.prod(math.prod(range(1, count, 2)) for count in counts)
        if self.kind != "frame":
            lengths = math.prod(
                sum(one**count for one in self.given) / len(self.given) for count in counts if self.given
            )
            return found * half**n / below * lengths
        return found * math.prod(half + k for count in counts for k in range(count // 2)) / below

    def shared(self, exponents: NDArray[Any]) -> set[int]:
        """What a product has in common with those that it depends on: all of the frame."""
        return {0} if np.any(exponents) else set()


class DirectionError(ArithmeticError):
    """An expectation that has no formula here."""


@lru_cache(maxsize=4096)
def _series(half: float, squares: tuple[complex, ...]) -> complex:
    """sum_n p_n/(half)_n, by n p_n = half sum_k (sum_i x_i^k) p_(n-k); each x_i is divided by the largest at first."""
    if not squares:
        return 1.0 + 0j
    x = np.array(squares)
    scale = float(np.abs(x).max())
    terms = np.arange(1, MOST_TERMS)
    sums = half * ((x / scale)[:, None] ** terms).sum(0)
    p = np.zeros(MOST_TERMS, np.complex128)
    p[0] = total = rising = 1.0 + 0j
    for n in range(1, MOST_TERMS):
        p[n] = sums[:n] @ p[n - 1 :: -1] / n if n > 1 else sums[0]
        rising *= scale / (half + n - 1)
        total += p[n] * rising
        if n > 4 * scale and abs(p[n] * rising) <= SMALL * abs(total):
            return complex(total)
    raise OverflowError("a series of too many terms")
