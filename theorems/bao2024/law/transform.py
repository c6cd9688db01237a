"""M(s) = E exp(s Q) = prod_j (1 - 2 alpha_j s)^(-m_j/2) of Q = sum_j alpha_j chi^2_{m_j}, for many laws and many s.

The weights of the laws that are asked for together are mostly multiples of the same ones: alpha = p w_j for the few
factors p of a law and all j. Then log M(s) = sum_p L(p s) with one function for all of them,

    L(z) = -sum_j m_j log(1 - 2 w_j z)/2,

whose singularities, the 1/(2 w_j), lie on two rays of the real axis. Where it is asked at many z, the plane is cut into
squares whose side is a power of 2, above 1/16 and at most 1/8 of the distance to the rays, and L is its series about
the middle c of the square:

    L(z) = L(c) + sum_n (z - c)^n/(2 n) sum_j m_j t_j^n,  t_j = 2 w_j/(1 - 2 w_j c).

Here |t_j (z - c)| = |z - c|/|1/(2 w_j) - c| <= RATIO, as |z - c| is at most side/sqrt(2), so that after TERMS terms
less than EPS sum_j m_j |t_j (z - c)| is left. The disc around 0 that reaches RATIO of the way to the rays is such a
square too, with c = 0: there L(c) = 0, and what rounding does falls with z. Otherwise the logarithms are taken one by
one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
What = Literal["log", "modulus", "slope"]

#: sqrt(2)/16 of the distance from z to the rays is at most RATIO of the distance from the middle.
RATIO, TERMS = math.sqrt(2) / (16 - math.sqrt(2)), 15
#: Largest array of argument times weight that is held at once.
BLOCK = 1 << 18
#: Squares along an axis that a key tells apart; a point beyond is too near to a ray for its size.
SQUARES = 1 << 20
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Transform:
    """The laws of R rows: weights factors_rk w_j of multiplicity m_j, w of shape (1, n) or one row a law, (R, n)."""

    weights: Array
    counts: Array
    factors: Array
    #: L about the middles of squares, for weights that all rows share
    table: _Table | None = None

    @staticmethod
    def of(weights: Array, counts: Array, factors: Array | None = None) -> Transform:
        """Of weights (R, n), or of shared ones (n,) times factors (R, K)."""
        if factors is None:
            factors = np.ones((len(weights), 1))
        weights = np.atleast_2d(weights)
        # the largest is 1, so that no power of a weight leaves the range of floating point
        top = np.abs(weights).max(axis=1, initial=0.0)[:, None]
        weights, factors = weights / np.where(top > 0, top, 1.0), factors * top
        shared = len(weights) == 1 and weights.shape[1] > TERMS
        return Transform(weights, counts, factors, _Table(weights[0], counts) if shared else None)

    def __len__(self) -> int:
        return len(self.factors)

    @property
    def width(self) -> int:
        """Factors of M in a row."""
        return int(self.factors.shape[1]) * len(self.counts)

    def over(self, size: Array | float) -> Transform:
        """The laws of Q_r/size_r; divided, as 1/size may leave the range of floating point."""
        return replace(self, factors=self.factors / np.reshape(size, (-1, 1)))

    def pick(self, rows: Any) -> Transform:
        weights = self.weights[rows] if len(self.weights) == len(self) > 1 else self.weights
        return replace(self, weights=weights, factors=self.factors[rows])

    @property
    def top(self) -> Array:
        """The largest modulus of a weight of every row, (R,); 0 where there is none."""
        return np.asarray(np.abs(self.factors).max(axis=1) * np.abs(self.weights).max(axis=1, initial=0.0))

    def row(self, at: int) -> tuple[Array, Array]:
        """The weights of one law and their multiplicities."""
        own = self.weights[at if len(self.weights) > 1 else 0]
        return np.outer(self.factors[at], own).ravel(), np.tile(self.counts, self.factors.shape[1])

    def ends(self) -> tuple[Array, Array]:
        """The least and the largest weight of every row, (R,)."""
        least, most = self.weights.min(axis=1)[:, None], self.weights.max(axis=1)[:, None]
        products = np.stack([self.factors * least, self.factors * most])
        return products.min(axis=(0, 2)), products.max(axis=(0, 2))

    def power(self, n: int) -> Array:
        """sum_j m_j |alpha_j|^n of every row, (R,)."""
        return np.asarray(np.sum(np.abs(self.factors) ** n, axis=1) * (np.abs(self.weights) ** n @ self.counts))

    def log(self, s: Any) -> tuple[Any, Array]:
        """log M(s), s of shape (R, N) off the rays, and what its rounding is relative to."""
        parts = [self._one("log", factor[:, None] * s) for factor in self.factors.T]
        return sum(value for value, _ in parts), np.asarray(sum(spread for _, spread in parts))

    def modulus(self, s: Any) -> Array:
        """log |M(s)|, s of shape (R, N) off the rays."""
        return np.asarray(sum(self._one("modulus", factor[:, None] * s)[0].real for factor in self.factors.T))

    def slope(self, s: Any) -> Any:
        """d log M/d s = sum_j m_j alpha_j/(1 - 2 alpha_j s) at s of shape (R, N) off the rays."""
        return sum(factor[:, None] * self._one("slope", factor[:, None] * s)[0] for factor in self.factors.T)

    def _one(self, what: What, z: Any) -> tuple[Any, Array]:
        """What is asked of L at z, (R, N), and for "log" what its rounding is relative to."""
        shape = z.shape
        if len(self.weights) < len(z) or self.table is not None:
            z = z.reshape(1, -1)
        found = self.table.at(what, z[0]) if self.table is not None else None
        value, spread = found or _direct(what, self.weights, self.counts, z)
        return value.reshape(shape), spread.reshape(shape)


def _direct(what: What, weights: Array, counts: Array, z: Any) -> tuple[Any, Array]:
    """``Transform._one`` by the logarithms, z of shape (R, N) for weights (R, n)."""
    value, wrong = np.empty(z.shape, dtype=np.complex128), np.zeros(z.shape)
    twice = 2 * weights[:, None, :]
    block = max(1, BLOCK // weights.size)
    for first in range(0, z.shape[1], block):
        part = slice(first, first + block)
        across, up = twice * z.real[:, part, None], twice * z.imag[:, part, None]
        # |1 - z|^2 - 1: log(1 - z) without 1 - z, whose rounding a high multiplicity would magnify
        beside = across * (across - 2) + up * up
        if what == "slope":
            pull = twice / (2 * (1 + beside))
            value[:, part] = ((1 - across) * pull) @ counts + 1j * ((up * pull) @ counts)
            continue
        real = np.log1p(beside) / 2
        value[:, part] = -0.5 * (real @ counts)
        if what == "log":
            angle = np.arctan2(-up, 1 - across)
            value[:, part] -= 0.5j * (angle @ counts)
            condition = (across * across + up * up + 2 * np.abs(across)) / (1 + beside)
            wrong[:, part] = 0.5 * (condition + np.abs(angle) + np.abs(real)) @ counts
    return value, wrong


@dataclass
class _Table:
    """The series of L about the middles of the squares that were met, and about 0."""

    weights: Array
    counts: Array
    places: dict[int, int] = field(default_factory=dict)
    #: (TERMS + 1, squares), in (z - c)/side, and what the rounding at c, and beside it, is relative to, (2, squares)
    series: Any = field(default_factory=lambda: np.zeros((TERMS + 1, 0), dtype=np.complex128))
    spread: Array = field(default_factory=lambda: np.zeros((2, 0)))

    def at(self, what: What, z: Any) -> tuple[Any, Array] | None:
        """``Transform._one`` by the series, z of shape (N,); None where the logarithms one by one cost less."""
        if len(z) < TERMS:
            return None
        below = z.imag < 0
        z = np.where(below, np.conj(z), z)
        most, least = self.weights.max(), self.weights.min()
        right, left = 0.5 / most if most > 0 else math.inf, 0.5 / least if least < 0 else -math.inf
        x, y = z.real, z.imag
        gap = np.minimum(np.hypot(np.maximum(right - x, 0), y), np.hypot(np.maximum(x - left, 0), y))
        exponent = np.frexp(gap / 8)[1] - 1
        side = np.ldexp(1.0, exponent)
        across, up = np.floor(x / side), np.floor(y / side)
        if not (np.all(np.abs(across) < SQUARES) and np.all(up < SQUARES)):
            return None
        key = ((exponent.astype(np.int64) * 2 + 1) * SQUARES + across.astype(np.int64)) * SQUARES + up.astype(np.int64)
        middle, home = (across + 0.5 + 1j * (up + 0.5)) * side, RATIO * min(right, -left)
        near = np.abs(z) <= home
        # no key of a square is 0
        key, middle, side = np.where(near, 0, key), np.where(near, 0, middle), np.where(near, home, side)
        keys, first, where = np.unique(key, return_index=True, return_inverse=True)
        new = [k for k, name in enumerate(keys.tolist()) if name not in self.places]
        if (len(new) * len(self.counts) + len(z)) * TERMS > len(z) * len(self.counts):
            return None
        if new:
            self._meet(keys[new], middle[first[new]], side[first[new]])
        place = np.array([self.places[name] for name in keys.tolist()])[where]
        step = (z - middle) / side
        value, lowest = np.zeros(z.shape, dtype=np.complex128), 1 if what == "slope" else 0
        for n in range(TERMS, lowest - 1, -1):
            value = value * step + self.series[n].take(place) * (n if lowest else 1)
        value = value / side if lowest else value
        spread = self.spread[0].take(place) + self.spread[1].take(place) * np.abs(step)
        return np.where(below, np.conj(value), value), spread

    def _meet(self, keys: Any, middle: Any, side: Array) -> None:
        """The series about more middles."""
        value, wrong = _direct("log", self.weights[None, :], self.counts, middle[None, :])
        series = np.empty((TERMS + 1, len(middle)), dtype=np.complex128)
        series[0], total = value[0], np.empty(len(middle))
        block = max(1, BLOCK // len(self.counts))
        for first in range(0, len(middle), block):
            part = slice(first, first + block)
            ratio = 2 * self.weights * side[part, None] / (1 - 2 * self.weights * middle[part, None])
            total[part], power = np.abs(ratio) @ self.counts, self.counts / 2
            for n in range(1, TERMS + 1):
                power = power * ratio
                series[n, part] = np.sum(power, axis=1) / n
        self.places.update(zip(keys.tolist(), range(len(self.places), len(self.places) + len(keys)), strict=True))
        self.series = np.concatenate([self.series, series], axis=1)
        # within a square the condition of 1 - 2 w z changes by less than a factor 2; the rest is that of the terms
        self.spread = np.concatenate([self.spread, 2 * np.stack([wrong[0], total])], axis=1)
