"""The least cost 2 min ||W||_* of a pattern, between two certified rationals, in units of kappa/sqrt(d).

A floating-point solver proposes; what counts is checked in rationals. Multipliers y >= 0 of the constraints
q^T W (w - l) >= 1 give 2 sum y <= cost as soon as ||sum y q (w - l)^T||_2 <= 1, a W with all margins >= 1 gives its own
cost from above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np

from theorems.algebra.convex import solver
from theorems.lampert2026.patterns.symmetric import COORDINATES, Family, blocks, dual_blocks, orbits, products

#: Largest denominator of the solver's numbers after rounding.
DENOMINATOR = 10**9
#: How far a float may be off before a certificate is tried with it.
SLACK = Fraction(1, 10**9)
#: Squares are rooted to this many decimal digits.
DIGITS = 30
ROOT_ERROR = Fraction(1, 10**DIGITS)


@dataclass(frozen=True)
class Bracket:
    """low <= least cost <= high, both certified; the certificates: ``entries`` of a W and ``multipliers``, by name."""

    low: Fraction
    high: Fraction
    entries: dict[Any, Fraction]
    multipliers: dict[Any, Fraction]

    @property
    def gap(self) -> Fraction:
        """(high - low)/high."""
        return (self.high - self.low) / self.high


class Uncertified(ArithmeticError):
    """The solver's answer could not be turned into a certificate."""


def rational(value: Any) -> Fraction:
    """A float as a rational with a small denominator."""
    return Fraction(float(value)).limit_denominator(DENOMINATOR)


def root_above(square: Fraction) -> Fraction:
    """A rational above the root of a rational square >= 0, by at most ROOT_ERROR."""
    scale = 10**DIGITS
    return Fraction(isqrt(square.numerator * scale**2 // square.denominator) + 1, scale)


# -- the program reduced by symmetry


class _Program:
    """The reduced program, stated once for all C, n, lam and overlap, whose numbers are parameters."""

    def __init__(self, rows: int, alone: bool) -> None:
        cp = solver()
        self.w = {name: cp.Variable() for name in COORDINATES}
        self.forms = cp.Parameter((rows, len(COORDINATES)))
        self.others, self.root = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)
        self.copies = {name: cp.Parameter(nonneg=True) for name in "AB"}
        self.idle = {name: cp.Parameter() for name in COORDINATES}
        entries = cp.hstack([self.w[name] for name in COORDINATES])
        self.margins = self.forms @ entries >= 1
        apart, means = blocks(self.w, 1)
        for k, row in enumerate("ef"):
            means[k][0] = self.root * self.w[row + "b"]
            for column, letter in ((1, "E"), (2, "F")):
                means[k][column] = means[k][column] + self.others * self.w[row + letter]
        cost = cp.normNuc(cp.bmat(means)) + sum(self.copies[name] * cp.abs(self.w[name]) for name in "AB")
        if not alone:
            cost = cost + self.others * cp.normNuc(cp.bmat(apart))
        # a coordinate that does not exist is multiplied by 1, the others by 0
        still = [self.idle[name] * self.w[name] == 0 for name in COORDINATES]
        self.problem = cp.Problem(cp.Minimize(cost), [self.margins, *still])

    def solve(self, forms: Sequence[dict[str, Any]], family: Family) -> tuple[dict[str, float], list[float]]:
        """The coordinates and the multipliers that the solver proposes; Uncertified where it gives none."""
        copies = _copies(family)
        self.forms.value = np.array([[float(form.get(name, 0)) for name in COORDINATES] for form in forms])
        self.others.value, self.root.value = float(family.C - 1), float(family.C) ** 0.5
        for name, parameter in self.copies.items():
            parameter.value = float(copies.get(name, 0))
        for name, parameter in self.idle.items():
            parameter.value = float(not _used(name, family.C, copies))
        cp = solver()
        self.problem.solve(solver=cp.CLARABEL, warm_start=False)
        if self.problem.status not in ("optimal", "optimal_inaccurate"):
            raise Uncertified(f"{family}: the solver says {self.problem.status}")
        used = (name for name in COORDINATES if _used(name, family.C, copies))
        return {name: float(self.w[name].value) for name in used}, [float(y) for y in self.margins.dual_value]


@lru_cache(maxsize=8)
def _program(rows: int, alone: bool) -> _Program:
    return _Program(rows, alone)


@lru_cache(maxsize=512)
def symmetric(pattern: str, C: int, n: int, lam: Fraction, overlap: Fraction) -> Bracket:
    """The least cost where the nuisances are ``instances.overlapping(C, n, lam, overlap)``, by the reduced program.

    Raises ValueError where no such directions exist, Uncertified where the solver fails.
    """
    if not Fraction(-1) <= overlap * (C - 1) <= C - 1:
        raise ValueError(f"overlap = {overlap}; expected a number from -1/(C - 1) to 1 for C = {C} groups")
    family = Family(C, n, lam, overlap)
    found = orbits(family, pattern, alone=C == 1)
    forms = [orbit.form for orbit in found]
    proposed, weights = _program(len(forms), C == 1).solve(forms, family)
    entries = feasible({name: rational(value) for name, value in proposed.items()}, forms)
    multipliers = {orbit.name: max(rational(y), Fraction(0)) for orbit, y in zip(found, weights, strict=True)}
    multipliers, low = bounded(multipliers, family, pattern)
    return Bracket(low, 2 * nuclear_above(entries, family), entries, multipliers)


def _copies(family: Family) -> dict[str, int]:
    """How often A and B stand in the nuclear norm; a direction that no nuisance has stands nowhere."""
    mean, apart = family.spectrum
    found = {"A": (family.n - 1) * int(mean > 0), "B": (family.n - 1) * (family.C - 1) * int(apart > 0)}
    return {name: count for name, count in found.items() if count}


def _used(name: str, C: int, copies: dict[str, int]) -> bool:
    return name in copies if name in "AB" else C > 1 or name[1] not in "EF"


def feasible(entries: dict[str, Fraction], forms: Sequence[dict[str, Any]]) -> dict[str, Fraction]:
    """The entries over their least margin, so that all are at least 1; Uncertified where a margin is not positive."""
    least = min(sum((Fraction(v) * entries.get(name, 0) for name, v in form.items()), Fraction(0)) for form in forms)
    if least <= 0:
        raise Uncertified(f"a margin of the solver's W is {float(least):.3g}")
    return {name: value / least for name, value in entries.items()}


def nuclear_above(entries: dict[str, Fraction], family: Family) -> Fraction:
    """A rational upper bound of ||W||_*, within about 10^-30, for an invariant W by its coordinates."""
    C = family.C
    apart, means = blocks(entries, C)
    two = [[sum((x * y for x, y in zip(one, other, strict=True)), Fraction(0)) for other in apart] for one in apart]
    total: Fraction = _nuclear_above(products(means, C)) + (C - 1) * _nuclear_above(two)
    return total + sum(
        (abs(entries.get(name, Fraction(0))) * count for name, count in _copies(family).items()), Fraction(0)
    )


def _nuclear_above(product: Sequence[Sequence[Fraction]]) -> Fraction:
    """s_1 + s_2 <= sqrt(tr + 2 sqrt(det)) of B B^T, for a block B of two rows."""
    determinant = product[0][0] * product[1][1] - product[0][1] * product[1][0]
    return root_above(product[0][0] + product[1][1] + 2 * root_above(determinant))


def bounded(multipliers: dict[str, Fraction], family: Family, pattern: str) -> tuple[dict[str, Fraction], Fraction]:
    """The multipliers over a certified bound of their matrix's norm, and the lower bound 2 sum y of the cost."""
    C = family.C
    forms = {orbit.name: orbit.form for orbit in orbits(family, pattern, alone=C == 1)}
    size = norm_above(multipliers, forms, family)
    scaled = {name: value / size for name, value in multipliers.items()}
    if any(value < 0 for value in scaled.values()):
        raise Uncertified(f"a multiplier is negative: {min(scaled.values())}")
    return scaled, 2 * sum(scaled.values(), Fraction(0))


def norm_above(multipliers: dict[str, Fraction], forms: dict[str, dict[str, Any]], family: Family) -> Fraction:
    """A rational t with ||sum y q (w - l)^T||_2 <= t: t^2 I - B B^T is positive semidefinite for every block B."""
    C, sums = family.C, dict.fromkeys(COORDINATES, Fraction(0))
    for name, weight in multipliers.items():
        for coordinate, value in forms[name].items():
            sums[coordinate] += weight * Fraction(value)
    apart, means = dual_blocks(sums, C)
    two = [
        [sum((Fraction(x) * y for x, y in zip(one, other, strict=True)), Fraction(0)) for other in apart]
        for one in apart
    ]
    parts = [products(means, Fraction(1, C)), two]
    counts = _copies(family)
    if any(sums[name] and name not in counts for name in "AB"):
        raise Uncertified("a multiplier acts where no nuisance is")
    edges = [abs(sums[name]) / count for name, count in counts.items()]
    guess = max([*(float(np.linalg.eigvalsh(np.array(p, dtype=float))[-1]) ** 0.5 for p in parts), *map(float, edges)])
    size = Fraction(guess).limit_denominator(DENOMINATOR) * (1 + 4 * SLACK)
    if not all(_below(part, size) for part in parts) or any(edge > size for edge in edges):
        raise Uncertified(f"the multipliers' matrix is not shown to have a norm below {float(size)}")
    return size


def _below(product: Sequence[Sequence[Fraction]], size: Fraction) -> bool:
    """Whether size^2 I - B B^T is positive semidefinite, for a 2 x 2 product."""
    one, two, cross = size**2 - product[0][0], size**2 - product[1][1], product[0][1]
    return one >= 0 and two >= 0 and one * two >= cross**2
