"""Interval arithmetic on scalars, vectors and matrices: low <= value <= high, entry by entry, rounded outwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Relative error of numpy's exp, log and powers, well above what is seen.
FUNCTION = 1e-14
#: Integers up to here are exact in float64.
EXACT = 2.0**53
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Enclosure:
    """Every entry lies in [low, high]; ``kind`` is scalar (), column (d, 1), row (1, d), matrix (d, d), family (k,)."""

    kind: str
    low: Array
    high: Array

    @property
    def pair(self) -> tuple[float, float]:
        """The interval of a scalar."""
        return float(self.low), float(self.high)

    @property
    def exact(self) -> float | None:
        """The value of a scalar whose interval is one point."""
        return float(self.low) if self.kind == "scalar" and self.low == self.high else None


def scalar(low: float, high: float) -> Enclosure:
    """A number in [low, high]."""
    return Enclosure("scalar", np.float64(low), np.float64(high))  # type: ignore[arg-type]


def point(value: float, exact: bool = False) -> Enclosure:
    """A number that was rounded to a float, or that is one."""
    return scalar(value, value) if exact else outwards("scalar", np.float64(value), np.float64(value))  # type: ignore[arg-type]


LINE = scalar(-math.inf, math.inf)


def outwards(kind: str, low: Array, high: Array, relative: float = 0.0) -> Enclosure:
    """The interval with its ends moved outwards by a unit in the last place, and by a relative slack; NaN is open."""
    with np.errstate(invalid="ignore", over="ignore"):
        low = np.nextafter(low - relative * np.abs(low), -np.inf)
        high = np.nextafter(high + relative * np.abs(high), np.inf)
    return Enclosure(kind, np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def added(one: Enclosure, two: Enclosure) -> Enclosure:
    """one + two, of one kind."""
    if one.kind == "scalar" and one.exact == 0.0:
        return two
    if two.kind == "scalar" and two.exact == 0.0:
        return one
    if _integers(one, two) and abs(one.low + two.low) <= EXACT:
        return scalar(float(one.low + two.low), float(one.low + two.low))
    with np.errstate(invalid="ignore"):
        return outwards(one.kind, one.low + two.low, one.high + two.high)


def _integers(one: Enclosure, two: Enclosure) -> bool:
    """Whether both are known integers: positions, which are reckoned without rounding."""
    ends = (one.exact, two.exact)
    return all(end is not None and abs(end) <= EXACT and end == round(end) for end in ends)


def _products(one: Enclosure, two: Enclosure) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore", over="ignore"):
        ends = [a * b for a in (one.low, one.high) for b in (two.low, two.high)]
    # 0 times an unbounded number is 0
    ends = [np.where(np.isnan(end), 0.0, end) for end in ends]
    return np.minimum.reduce(ends), np.maximum.reduce(ends)


def scaled(one: Enclosure, two: Enclosure, kind: str) -> Enclosure:
    """one * two entry by entry, one of them a scalar."""
    if one.exact == 1.0:
        return Enclosure(kind, two.low, two.high)
    if two.exact == 1.0:
        return Enclosure(kind, one.low, one.high)
    if _integers(one, two) and abs(one.low * two.low) <= EXACT:
        return scalar(float(one.low * two.low), float(one.low * two.low))
    return outwards(kind, *_products(one, two))


def contracted(one: Enclosure, two: Enclosure, kind: str) -> Enclosure:
    """The matrix product of two arrays, midpoints and radii: |error| <= |A| rB + rA |B| + rA rB + gamma |A| |B|."""
    (a, ra), (b, rb) = _ball(one), _ball(two)
    gamma = 4 * (a.shape[-1] + 2) * EPS
    # what has no bound gives NaN, which is open
    with np.errstate(invalid="ignore", over="ignore"):
        middle = a @ b
        radius = (np.abs(a) @ rb + ra @ np.abs(b) + ra @ rb) * (1 + gamma) + gamma * (np.abs(a) @ np.abs(b))
        low, high = middle - radius, middle + radius
    if kind == "scalar":
        low, high = low[..., 0, 0], high[..., 0, 0]
    return outwards(kind, low, high)


def _ball(one: Enclosure) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore", over="ignore"):
        middle = (one.low + one.high) / 2
        return middle, np.maximum(one.high - middle, middle - one.low) * (1 + 4 * EPS)


def divided(one: Enclosure, two: Enclosure) -> Enclosure:
    """one/two for a scalar two; the whole line where two may be 0."""
    low, high = two.pair
    if low <= 0.0 <= high:
        return Enclosure(one.kind, np.full_like(one.low, -np.inf), np.full_like(one.high, np.inf))
    if two.exact == 1.0:
        return one
    with np.errstate(invalid="ignore", over="ignore"):
        ends = [a / b for a in (one.low, one.high) for b in (two.low, two.high)]
    # an unbounded number over an unbounded one is anything
    lows = [np.where(np.isnan(end), -np.inf, end) for end in ends]
    highs = [np.where(np.isnan(end), np.inf, end) for end in ends]
    return outwards(one.kind, np.minimum.reduce(lows), np.maximum.reduce(highs))


def power(base: Enclosure, exponent: Enclosure) -> Enclosure:
    """base ** exponent of scalars; the whole line where it has no real value."""
    low, high = base.pair
    k = exponent.exact
    if k is not None and k == round(k):
        return _integer_power(low, high, round(k))
    if low < 0.0 or (low == 0.0 and exponent.low < 0.0):
        return LINE
    ends = [_raised(b, float(e)) for b in (low, high) for e in (exponent.low, exponent.high)]
    if any(math.isnan(end) for end in ends):
        return scalar(0.0, math.inf)
    return _relative(min(ends), max(ends))


def _raised(base: float, exponent: float) -> float:
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return float(np.float64(base) ** np.float64(exponent))


def _integer_power(low: float, high: float, k: int) -> Enclosure:
    if k == 0:
        return scalar(1.0, 1.0)
    if k == 1:
        return scalar(low, high)
    if k < 0:
        return divided(scalar(1.0, 1.0), _integer_power(low, high, -k))
    ends = sorted((_raised(low, k), _raised(high, k)))
    if k % 2 == 0 and low <= 0.0 <= high:
        return scalar(0.0, _relative(0.0, ends[1]).pair[1])
    return _relative(*ends)


def _relative(low: float, high: float) -> Enclosure:
    return outwards("scalar", np.float64(low), np.float64(high), FUNCTION)  # type: ignore[arg-type]


def monotone(change: Callable[[Array], Array], one: Enclosure, least: float = -math.inf) -> Enclosure:
    """An increasing function, defined from ``least`` on; the whole line where the interval reaches below."""
    if bool(np.any(one.low < least)):
        return Enclosure(one.kind, np.full_like(one.low, -np.inf), np.full_like(one.high, np.inf))
    with np.errstate(over="ignore", divide="ignore"):
        return outwards(one.kind, change(one.low), change(one.high), FUNCTION)


def absolute(one: Enclosure) -> Enclosure:
    """|value|, entry by entry."""
    sizes = np.abs(one.low), np.abs(one.high)
    low = np.where((one.low <= 0.0) & (one.high >= 0.0), 0.0, np.minimum(*sizes))
    return Enclosure(one.kind, low, np.maximum(*sizes))


def transposed(one: Enclosure) -> Enclosure:
    """The transpose; scalars and families are their own."""
    kind = {"column": "row", "row": "column"}.get(one.kind, one.kind)
    return one if kind in ("scalar", "family") else Enclosure(kind, one.low.T, one.high.T)


def total(one: Enclosure) -> Enclosure:
    """The sum of all entries."""
    size = 4 * one.low.size * EPS * np.maximum(np.abs(one.low), np.abs(one.high)).sum()
    return outwards("scalar", one.low.sum() - size, one.high.sum() + size)


def trace(one: Enclosure) -> Enclosure:
    """tr of a matrix."""
    return total(Enclosure("family", np.diagonal(one.low), np.diagonal(one.high)))


def inverse(one: Enclosure) -> Enclosure:
    """The inverse of every matrix in the interval; the whole line where it may be singular, as far as is seen.

    For X near the inverse and E = I - X A with row sums r_i <= r < 1, A^-1 = X + E A^-1, so that the columns of A^-1
    are at most those of X over 1 - r, in the largest entry: |A^-1 - X|_ij <= r_i max_k |X_kj|/(1 - r).
    """
    middle, _ = _ball(one)
    nowhere = Enclosure("matrix", np.full_like(middle, -np.inf), np.full_like(middle, np.inf))
    if not np.isfinite(middle).all():
        return nowhere
    try:
        found = np.linalg.inv(middle).astype(np.float64)
    except np.linalg.LinAlgError:
        return nowhere
    near = contracted(Enclosure("matrix", found, found), one, "matrix")
    identity = np.eye(len(middle))
    rest = np.maximum(np.abs(near.low - identity), np.abs(near.high - identity)).sum(1) * (1 + 4 * len(middle) * EPS)
    if not rest.max() < 1.0:
        return nowhere
    radius = np.outer(rest, np.abs(found).max(0)) / (1.0 - rest.max()) * (1 + 16 * EPS)
    return outwards("matrix", found - radius, found + radius)


def norm(one: Enclosure, kind: str) -> Enclosure:
    """The Euclidean or Frobenius norm of any kind; of matrices the spectral ("2") and the nuclear norm too."""
    middle, radius = _ball(one)
    if one.kind != "matrix" or kind in ("", "fro"):
        size = absolute(one)
        squares = Enclosure("family", np.square(size.low).ravel(), np.square(size.high).ravel())
        found = total(outwards("family", squares.low, squares.high))
        return monotone(np.sqrt, scalar(max(0.0, float(found.low)), float(found.high)))
    if not np.isfinite(middle).all():
        return scalar(0.0, math.inf)
    values = np.linalg.svd(middle, compute_uv=False)
    # |norm(A + E) - norm(A)| <= norm(E), and E's is at most its Frobenius norm, times sqrt d for the nuclear one
    d = len(values)
    error = (float(np.linalg.norm(radius)) + 64 * d * EPS * float(values[0])) * (1.0 if kind == "2" else d)
    value = float(values[0] if kind == "2" else values.sum())
    return outwards("scalar", np.float64(max(0.0, value - error)), np.float64(value + error))  # type: ignore[arg-type]


def softmax(one: Enclosure) -> Enclosure:
    """softmax of a vector: an entry is least where it is at its low end and the others at their high ends."""
    if not (np.isfinite(one.low).all() and np.isfinite(one.high).all()):
        return Enclosure("family", np.zeros_like(one.low), np.ones_like(one.high))

    def at(own: Array, others: Array) -> Array:
        gaps = others.reshape(1, -1) - own.reshape(-1, 1)
        np.fill_diagonal(gaps, 0.0)
        with np.errstate(over="ignore"):
            found: Array = 1.0 / np.exp(gaps).sum(1)
        return found

    size = max(1.0, float(np.abs(one.low).max()), float(np.abs(one.high).max()))
    slack = 8 * (one.low.size + 4) * EPS * size + FUNCTION
    found = outwards("family", at(one.low, one.high), at(one.high, one.low), slack)
    return Enclosure("family", np.maximum(found.low, 0.0), np.minimum(found.high, 1.0))


def entropy(one: Enclosure) -> Enclosure:
    """-sum p log p of a vector of numbers in [0, 1]; p log p turns at 1/e."""

    def term(p: Array) -> Array:
        p = np.maximum(p, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(p > 0.0, -p * np.log(p), 0.0)

    ends = term(one.low), term(one.high)
    top = np.where((one.low <= math.exp(-1)) & (one.high >= math.exp(-1)), math.exp(-1), np.maximum(*ends))
    return total(outwards("family", np.minimum(*ends), top, FUNCTION))
