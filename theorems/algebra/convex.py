"""Exact rational convexity: the point of a hull nearest to 0, certificates either way, and when a sink has a W_QK."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import flint
import numpy as np
from scipy.optimize import linprog

from theorems.algebra.quotients import dot, fraction

Vector = tuple[Fraction, ...]
Pair = tuple[int, int]

MASKS = ("full", "causal", "window")
#: Numbers of vectors times dimension from which on a floating-point solver is asked first.
LARGE = 600
#: Largest denominator that a floating-point solution is rounded to.
DENOMINATOR = 10**6


@dataclass(frozen=True)
class Separated:
    """0 is outside the hull: direction . a >= |direction|^2 > 0 for every vector a."""

    direction: Vector


@dataclass(frozen=True)
class Holds:
    """0 is in the hull: weights >= 0 that add up to 1, with sum_k weights_k a_k = 0."""

    weights: Vector


@dataclass(frozen=True)
class Nearest:
    """The point of conv{a_k} nearest to 0, and weights >= 0 that add up to 1, with sum_k weights_k a_k = point."""

    point: Vector
    weights: Vector

    @property
    def square(self) -> Fraction:
        """The squared distance |point|^2."""
        return dot(self.point, self.point)


@dataclass(frozen=True)
class Representable:
    """An exact W, shape (d, d), with z_i^T W z_0 > z_i^T W z_j for every query i and every key j that it sees."""

    W: tuple[Vector, ...]


@dataclass(frozen=True)
class Impossible:
    """Weights >= 0 on the pairs (i, j), of sum 1, with sum w_ij z_i (x) (z_0 - z_j) = 0: no W can make all positive."""

    weights: tuple[tuple[Pair, Fraction], ...]


def exact(points: Iterable[Iterable[Fraction | int | str]]) -> tuple[Vector, ...]:
    """Vectors of Fractions from integers, Fractions or strings "p/q"; ValueError for none, or unlike lengths."""
    try:
        found = tuple(tuple(Fraction(entry) for entry in row) for row in points)
    except (TypeError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(
            f"points hold what is no rational number ({error}); expected integers or strings p/q"
        ) from None
    if not found or len({len(row) for row in found}) > 1:
        raise ValueError(f"points = {found}; expected at least one vector, all of one length")
    return found


def nearest(points: Iterable[Iterable[Fraction | int | str]]) -> Nearest:
    """The point of conv(points) nearest to 0, by Wolfe's method in exact arithmetic.

    It ends: every round leaves a point that is nearest to 0 on the affine hull of its carriers, strictly nearer than
    the one before, and there are finitely many sets of carriers.
    """
    return _nearest(exact(points))


@lru_cache(maxsize=1024)
def _nearest(points: tuple[Vector, ...]) -> Nearest:
    scale = lcm(*(entry.denominator for row in points for entry in row))
    rows = flint.fmpz_mat([[int(entry * scale) for entry in row] for row in points])
    gram = rows * rows.transpose()
    first = min(range(len(points)), key=lambda k: int(gram[k, k]))
    carriers, weights = [first], [flint.fmpq(1)]
    while True:
        slopes = [
            sum((w * gram[k, c] for c, w in zip(carriers, weights, strict=True)), flint.fmpq(0)) for k in _all(rows)
        ]
        square = sum((w * slopes[c] for c, w in zip(carriers, weights, strict=True)), flint.fmpq(0))
        steepest = min(_all(rows), key=lambda k: slopes[k])
        if slopes[steepest] >= square:
            break
        carriers, weights = _settled(gram, [*carriers, steepest], [*weights, flint.fmpq(0)])
    found = dict(zip(carriers, weights, strict=True))
    shares = tuple(fraction(found[k]) if k in found else Fraction(0) for k in range(len(points)))
    return Nearest(_combined(points, shares), shares)


def _all(rows: flint.fmpz_mat) -> range:
    return range(int(rows.nrows()))


def _settled(
    gram: flint.fmpz_mat, carriers: list[int], weights: list[flint.fmpq]
) -> tuple[list[int], list[flint.fmpq]]:
    """Carriers and weights of the point nearest to 0 on the affine hull of affinely independent carriers.

    Where that point lies outside the hull of the carriers, the way to it ends at a face, and a carrier is dropped.
    """
    while True:
        aim = _affine(gram, carriers)
        if all(a > 0 for a in aim):
            return carriers, aim
        step = min(w / (w - a) for w, a in zip(weights, aim, strict=True) if a <= 0 and w != a)
        moved = [w + step * (a - w) for w, a in zip(weights, aim, strict=True)]
        kept = [k for k, w in enumerate(moved) if w > 0]
        carriers, weights = [carriers[k] for k in kept], [moved[k] for k in kept]


def _affine(gram: flint.fmpz_mat, carriers: list[int]) -> list[flint.fmpq]:
    """Weights of sum 1 of the point nearest to 0 on the affine hull: all inner products with it are equal."""
    bordered = [[0, *(1 for _ in carriers)], *([1, *(int(gram[a, b]) for b in carriers)] for a in carriers)]
    right = flint.fmpz_mat([[1], *([0] for _ in carriers)])
    solved = flint.fmpz_mat(bordered).solve(right)
    return [solved[k, 0] for k in range(1, len(carriers) + 1)]


def _combined(points: Sequence[Vector], weights: Sequence[Fraction]) -> Vector:
    used = [(w, row) for w, row in zip(weights, points, strict=True) if w]
    return tuple(sum((w * row[c] for w, row in used), Fraction(0)) for c in range(len(points[0])))


def verify(points: Iterable[Iterable[Fraction | int | str]], certificate: Separated | Holds) -> bool:
    """Whether a certificate shows what it says of conv(points), by its definition and in exact arithmetic."""
    rows = exact(points)
    if isinstance(certificate, Separated):
        u = certificate.direction
        square = dot(u, u)
        return len(u) == len(rows[0]) and square > 0 and all(dot(u, row) >= square for row in rows)
    w = certificate.weights
    if len(w) != len(rows) or any(share < 0 for share in w) or sum(w) != 1:
        return False
    return all(dot(w, (row[c] for row in rows)) == 0 for c in range(len(rows[0])))


def decide(points: Iterable[Iterable[Fraction | int | str]]) -> Separated | Holds:
    """Whether conv(points) holds 0, with a certificate that ``verify`` has checked.

    Large instances go to a floating-point solver first, whose answer is rounded and re-checked exactly; where that
    fails, and for small ones, the nearest point decides.
    """
    rows = exact(points)
    if len(rows) * len(rows[0]) >= LARGE:
        guessed = _guessed(rows)
        if guessed is not None:
            return guessed
    found = _nearest(rows)
    certificate = Separated(found.point) if found.square else Holds(found.weights)
    if not verify(rows, certificate):
        raise ArithmeticError(f"the certificate {certificate} does not hold for {rows}; the method is at fault")
    return certificate


def _guessed(rows: tuple[Vector, ...]) -> Separated | Holds | None:
    """A certificate from a floating-point linear program that holds exactly; None where rounding gives none."""
    sizes = [max(abs(entry) for entry in row) for row in rows]
    if not all(sizes):
        return Holds(_unit(len(rows), sizes.index(Fraction(0))))
    scaled = tuple(tuple(entry / size for entry in row) for row, size in zip(rows, sizes, strict=True))
    matrix = np.array([[float(entry) for entry in row] for row in scaled])
    n, d = matrix.shape
    # the largest t with y . a >= t for all a, |y| <= 1 in every coordinate; its dual is a weighting of the vectors
    solved = linprog(
        np.r_[np.zeros(d), -1.0],
        A_ub=np.c_[-matrix, np.ones(n)],
        b_ub=np.zeros(n),
        bounds=[*[(-1, 1)] * d, (None, 1)],
        method="highs",
    )
    if solved.status != 0:
        return None
    direction = tuple(Fraction(float(y)).limit_denominator(DENOMINATOR) for y in solved.x[:d])
    made = _scaled_direction(rows, direction)
    if made is not None:
        return made
    shares = -np.asarray(solved.ineqlin.marginals, dtype=np.float64)
    return _exact_weights(rows, scaled, [int(k) for k in np.flatnonzero(shares > 1e-9)])


def _unit(count: int, place: int) -> Vector:
    return tuple(Fraction(int(k == place)) for k in range(count))


def _scaled_direction(rows: tuple[Vector, ...], direction: Vector) -> Separated | None:
    """The direction, shortened so that direction . a >= |direction|^2; None where some a is not on its side."""
    square = dot(direction, direction)
    least = min(dot(direction, row) for row in rows)
    if not (square > 0 and least > 0):
        return None
    factor = least / square
    found = Separated(tuple(factor * entry for entry in direction))
    return found if verify(rows, found) else None


def _exact_weights(rows: tuple[Vector, ...], scaled: tuple[Vector, ...], support: list[int]) -> Holds | None:
    """Exact weights on a support that is all but one independent; None where it gives no certificate."""
    if not support:
        return None
    columns = [
        [flint.fmpq(scaled[k][c].numerator, scaled[k][c].denominator) for k in support] for c in range(len(rows[0]))
    ]
    reduced, rank = flint.fmpq_mat(columns).rref()
    if rank != len(support) - 1:
        return None
    pivots = [next(c for c in range(len(support)) if reduced[r, c] != 0) for r in range(rank)]
    (free,) = set(range(len(support))) - set(pivots)
    found = {support[free]: Fraction(1)}
    found |= {support[c]: -fraction(reduced[r, free]) for r, c in enumerate(pivots)}
    # back to the vectors as they were given
    sizes = {k: max(abs(entry) for entry in rows[k]) for k in support}
    raw = {k: share / sizes[k] for k, share in found.items()}
    total = sum(raw.values(), Fraction(0))
    if total <= 0:
        return None
    certificate = Holds(tuple(raw.get(k, Fraction(0)) / total for k in range(len(rows))))
    return certificate if verify(rows, certificate) else None


def seen_keys(query: int, tokens: int, mask: str, window: int | None = None) -> range:
    """The keys j >= 1 that a query sees among the tokens 1..T; BOS is query 0, which under a mask sees itself only."""
    if mask not in MASKS:
        raise ValueError(f"mask = {mask!r}; expected one of {', '.join(MASKS)}")
    if (window is None) == (mask == "window") or (window is not None and window < 1):
        raise ValueError(f"window = {window} with the mask {mask!r}; give a window >= 1 for the mask 'window' only")
    if not 0 <= query <= tokens:
        raise ValueError(f"J holds {query}; expected queries from 0 to {tokens}")
    if mask == "full":
        return range(1, tokens + 1)
    return range(1 if window is None else max(1, query - window + 1), query + 1)


def pairs(tokens: int, J: Iterable[int], mask: str, window: int | None = None) -> tuple[Pair, ...]:
    """Every (query, key) pair that constrains W: i in J, j != 0 seen by i."""
    return tuple((i, j) for i in J for j in seen_keys(i, tokens, mask, window))


def products(z: Sequence[Vector], which: Iterable[Pair]) -> tuple[Vector, ...]:
    """The flattened matrices z_i (x) (z_0 - z_j), each of d^2 entries, by rows."""
    return tuple(tuple(q * (s - k) for q in z[i] for s, k in zip(z[0], z[j], strict=True)) for i, j in which)


def represent(
    z: Iterable[Iterable[Fraction | int | str]], J: Iterable[int], mask: str, window: int | None = None
) -> Representable | Impossible:
    """Whether some W has z_i^T W z_0 > z_i^T W z_j for all i in J and every key j != 0 that i sees, with a certificate.

    ``z`` holds the embeddings z_0..z_T as rows; ``mask`` is "full", "causal" (j <= i) or "window" (the last ``window``
    tokens up to i). Decided in the space of matrices: <W, z_i (x) (z_0 - z_j)> > 0. Raises ValueError for a mask, a
    window or a query that does not exist.
    """
    rows = exact(z)
    which = pairs(len(rows) - 1, J, mask, window)
    d = len(rows[0])
    if not which:
        return Representable(tuple(tuple(Fraction(0) for _ in range(d)) for _ in range(d)))
    found = decide(products(rows, which))
    answer: Representable | Impossible
    if isinstance(found, Separated):
        answer = Representable(tuple(found.direction[r * d : (r + 1) * d] for r in range(d)))
    else:
        answer = Impossible(tuple((pair, w) for pair, w in zip(which, found.weights, strict=True) if w))
    if not verify_representation(rows, which, answer):
        raise ArithmeticError(f"the certificate {answer} does not hold for {rows}; the method is at fault")
    return answer


def verify_representation(z: Sequence[Vector], which: Iterable[Pair], certificate: Representable | Impossible) -> bool:
    """Whether a certificate shows what it says of the pairs: the scores compared, or the weighted matrices summed."""
    d = len(z[0])
    allowed = set(which)
    if isinstance(certificate, Representable):
        W = certificate.W

        def score(i: int, j: int) -> Fraction:
            return sum((z[i][r] * W[r][c] * z[j][c] for r in range(d) for c in range(d)), Fraction(0))

        return all(score(i, 0) > score(i, j) for i, j in allowed)
    shares = dict(certificate.weights)
    if len(shares) != len(certificate.weights) or not set(shares) <= allowed:
        return False
    if any(w < 0 for w in shares.values()) or sum(shares.values()) != 1:
        return False
    return all(
        sum((w * z[i][r] * (z[0][c] - z[j][c]) for (i, j), w in shares.items()), Fraction(0)) == 0
        for r in range(d)
        for c in range(d)
    )


def solver() -> Any:
    """cvxpy, imported where it is used: it takes a second."""
    import cvxpy

    return cvxpy
