"""Whether finitely many vectors lie strictly on one side of a hyperplane through 0, with a certificate either way.

Non-negative least squares (Lawson and Hanson) finds the point of the vectors' convex hull nearest to 0. Away from 0 it
is a separating direction, at 0 its weights show that there is none. What float64 found counts only once it is rounded
to rationals and verified exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Bits that the largest entry of a direction is rounded to, in turn: few give a certificate that can be read.
BITS = (3, 8, 20, 36, 52)
#: Weights below these parts of the largest are left out, in turn, when the weights are made exact.
NEGLIGIBLE = (1e-7, 1e-10, 1e-13, 0.0)
#: More weights than these are not made exact, which would take minutes.
MAX_SUPPORT = 128
#: The least squares are solved again in other scales until the nearest point is optimal up to this relative gap.
OPTIMAL, ROUNDS = 2e-15, 6
#: A distance below this part of the longest vector is no distance but rounding.
NOTHING = 1e-12


@dataclass(frozen=True)
class Separation:
    """Whether an x exists with v . x > 0 for every vector v, and what shows it.

    ``direction`` is such an x, in integers; where there is none, ``weights`` w >= 0, one a vector, sum to 1 and have
    sum_i w_i v_i = 0.
    """

    separable: bool
    direction: tuple[int, ...] = ()
    weights: tuple[Fraction, ...] = ()

    def shown(self, vectors: Sequence[Sequence[int | Fraction]]) -> bool:
        """Whether the certificate holds for these vectors, in exact arithmetic."""
        if self.separable:
            return all(sum(map(mul, v, self.direction)) > 0 for v in vectors)
        if len(self.weights) != len(vectors) or min(self.weights) < 0 or sum(self.weights) != 1:
            return False
        kept = [(w, v) for w, v in zip(self.weights, vectors, strict=True) if w]
        return all(sum(w * v[column] for w, v in kept) == 0 for column in range(len(vectors[0])))


def nearest(vectors: Array) -> Array:
    """Weights (m,), non-negative and of sum 1, of the point of the hull of vectors (m, D) nearest to 0, in float64.

    The w >= 0 that minimises |V^T w|^2 + (1 - sum w)^2 is a multiple of those weights. The point M is the nearest one
    where v . M >= |M|^2 for every vector v; of several tries the one that misses this least is returned.
    """
    # half a second, which few need
    from scipy.optimize import nnls

    largest = float(np.linalg.norm(vectors, axis=1).max())
    best, least = np.full(len(vectors), 1 / len(vectors)), math.inf
    target = np.zeros(vectors.shape[1] + 1)
    target[-1] = 1
    scale = largest
    for _ in range(ROUNDS if largest else 0):
        system = np.vstack(((vectors / scale).T, np.ones(len(vectors))))
        try:
            found, _ = nnls(system, target, maxiter=30 * len(vectors))
        except RuntimeError:
            # it went round in circles
            scale *= 0.7
            continue
        weights: Array = found / found.sum()
        point = weights @ vectors
        distance = float(np.linalg.norm(point))
        gap = (distance**2 - float((vectors @ point).min())) / (largest * max(distance, NOTHING * largest))
        if gap < least:
            best, least = weights, gap
        if distance < NOTHING * largest or (gap < OPTIMAL and distance > scale / 8):
            break
        # far from 0 the two terms balance in the scale of the distance; the solver fails in an unlucky one
        scale = distance if distance < scale / 8 else 0.7 * scale
    return best


def separate(vectors: Sequence[Sequence[int | Fraction]]) -> Separation | None:
    """Whether some x has v . x > 0 for every one of the vectors, verified; None where no certificate was found.

    None is left to distances near float64's rounding, and to hulls that hold 0 by more than MAX_SUPPORT weights only.
    Takes at least one vector, all of one length, with integer or rational entries; raises ValueError otherwise.
    """
    if not vectors or len({len(v) for v in vectors}) != 1:
        raise ValueError(f"vectors = {vectors!r:.60}; expected at least one, all of the same length")
    scales, rows = zip(*map(_primitive, vectors), strict=True)
    places = {row: place for place, row in reversed(list(enumerate(rows)))}
    distinct = sorted(places, key=places.__getitem__)
    for row in distinct:
        if not any(row):
            return Separation(False, weights=tuple(Fraction(int(p == places[row])) for p in range(len(rows))))
    units = np.array([_unit(row) for row in distinct])
    for order in (slice(None), slice(None, None, -1)):
        weights = nearest(units[order])[order]
        for direction in roundings(weights @ units):
            found = Separation(True, direction=direction)
            if found.shown(distinct):
                return found
        for exact in _exact_weights(distinct, weights):
            full = dict(zip((places[row] for row in distinct), exact, strict=True))
            scaled = [full.get(place, Fraction(0)) * scales[place] for place in range(len(rows))]
            total = sum(scaled)
            found = Separation(False, weights=tuple(w / total for w in scaled))
            if found.shown(vectors):
                return found
    return None


def _primitive(vector: Sequence[int | Fraction]) -> tuple[Fraction, tuple[int, ...]]:
    """The positive factor that makes a rational vector a primitive integer one, and that vector; factor 1 for 0."""
    whole = math.lcm(*(entry.denominator for entry in vector))
    entries = [int(entry * whole) for entry in vector]
    common = math.gcd(*entries) or 1
    return Fraction(whole, common), tuple(entry // common for entry in entries)


def _length(row: Sequence[int]) -> tuple[int, Array, float]:
    """An integer vector's largest entry, the vector over it, and the norm of that."""
    largest = max(map(abs, row))
    # a quotient of integers is rounded once, however large they are
    floats = np.array([entry / largest for entry in row])
    return largest, floats, float(np.linalg.norm(floats))


def _unit(row: Sequence[int]) -> Array:
    _, floats, norm = _length(row)
    return floats / norm


def roundings(point: Array) -> Iterator[tuple[int, ...]]:
    """The point rounded to integers, more and more finely."""
    largest = float(np.abs(point).max())
    if largest > 0:
        for bits in BITS:
            yield tuple(map(int, np.rint(point / largest * 2.0**bits)))


def _exact_weights(rows: Sequence[Sequence[int]], weights: Array) -> Iterator[list[Fraction]]:
    """Exact weights w >= 0, not all 0, with sum_i w_i rows_i = 0, near the given ones and on part of their support.

    ``weights`` are those of the unit vectors along the rows.
    """
    tried = set()
    for negligible in NEGLIGIBLE:
        support = tuple(np.flatnonzero(weights > negligible * weights.max()).tolist())
        if support in tried or len(support) > MAX_SUPPORT:
            continue
        tried.add(support)
        lengths = [_length(rows[place]) for place in support]
        near = [
            Fraction(float(weights[place])) / Fraction(norm) / largest
            for place, (largest, _, norm) in zip(support, lengths, strict=True)
        ]
        solution = _null_vector([[rows[place][c] for place in support] for c in range(len(rows[0]))], near)
        if solution and min(solution) >= 0 and any(solution):
            full = [Fraction(0)] * len(rows)
            for place, weight in zip(support, solution, strict=True):
                full[place] = weight
            yield full


def _null_vector(matrix: list[list[int]], near: Sequence[Fraction]) -> list[Fraction]:
    """A vector x with matrix x = 0 that has the entries of ``near`` where elimination leaves them free."""
    size = len(near)
    pivots: list[tuple[int, list[int]]] = []
    for row in matrix:
        work = list(row)
        for column, pivot in pivots:
            if work[column]:
                up, down = pivot[column], work[column]
                work = [up * a - down * b for a, b in zip(work, pivot, strict=True)]
        common = math.gcd(*work)
        if common:
            work = [entry // common for entry in work]
            pivots.append((next(c for c in range(size) if work[c]), work))
            if len(pivots) == size:
                return []
    taken = {column for column, _ in pivots}
    solution = [Fraction(0) if column in taken else near[column] for column in range(size)]
    # every pivot row is free of the earlier rows' pivots, so the last one is solved first
    for column, pivot in reversed(pivots):
        rest = sum((pivot[c] * solution[c] for c in range(size) if c != column and pivot[c]), Fraction(0))
        solution[column] = -rest / pivot[column]
    return solution
