"""Where a token of a law with uniform directions lies: cells of its cosine with a direction, and how likely each is.

x = Sigma^(1/2) z with |z| = l sqrt(d), l one of equally likely lengths, so that x^T v = l sqrt(d) |Sigma^(1/2) v| c.
The cosine c is symmetric, and c^2 has the law Beta(1/2, (d - 1)/2); in one dimension c is 1 or -1. The mean of what is
made of x^T v alone lies in the sum over cells of their probabilities times balls around its values, and the probability
of an event between those of the cells in which it occurs and in which it may.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import pi, sin

import flint

from theorems.algebra.balls import between, precision, rational
from theorems.statement.reading.laws import Law
from theorems.statement.values.arithmetic import Number, absolute, add, ball, mul
from theorems.statement.values.values import Data

BITS = 128
#: Cells of the cosine from 0 to 1.
CELLS = 8
#: Laws of tokens with |z| = sqrt(d).
ONE_LENGTH = ("iid-sphere", "iid-signs", "frame-sphere")


@dataclass(frozen=True)
class Cell:
    """Lengths l and cosines c, in balls, and the probability of both."""

    mass: Number
    length: Number
    cosine: Number


def lengths(law: Law, case: Data) -> tuple[Number, ...]:
    """The equally likely l = |z|/sqrt(d) of a token at a case; none where any may be."""
    if law.lengths:
        return tuple(absolute(case.numbers[label]) for label in sorted(law.lengths))
    return (Fraction(1),) if law.kind in ONE_LENGTH else ()


def cells(law: Law, case: Data) -> list[Cell]:
    """Cells that one token lies in; none where its directions are not uniform."""
    every, d = lengths(law, case), int(case.numbers["d"])
    if law.kind == "iid-signs" and d > 1:
        return []
    share = Fraction(1, 2 * max(len(every), 1))
    return [
        Cell(mul(share, mass), length, sign * between(low, high))
        for length in every
        for sign in (1, -1)
        for low, high, mass in _grid(d)
    ]


def caps(law: Law, case: Data) -> list[Cell]:
    """Cells that several tokens may lie in at once: of all lengths, and of cosines beyond one number."""
    if not cells(law, case):
        return []
    length = reduce(flint.arb.union, map(ball, lengths(law, case)))
    found = []
    for sign in (1, -1):
        mass: Number = Fraction(0)
        for low, _, part in reversed(_grid(int(case.numbers["d"]))):
            mass = add(mass, part)
            found.append(Cell(mul(Fraction(1, 2), mass), length, sign * between(low, 1)))
    return found


@lru_cache
def _grid(d: int) -> tuple[tuple[Fraction, Fraction, Number], ...]:
    """Intervals of |c| from 0 to 1, with their probabilities."""
    if d == 1:
        return ((Fraction(1), Fraction(1), Fraction(1)),)
    ends = [Fraction(round(64 * CELLS * sin(pi * k / (2 * CELLS))), 64 * CELLS) for k in range(CELLS + 1)]
    with precision(BITS):
        below = [rational(end**2).beta_lower(flint.arb(1) / 2, rational(Fraction(d - 1, 2)), 1) for end in ends]
        return tuple(
            (low, high, after - before)
            for low, high, before, after in zip(ends, ends[1:], below, below[1:], strict=False)
        )
