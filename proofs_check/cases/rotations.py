"""Symmetric matrices with rational entries and a given spectrum, which do not commute."""

from __future__ import annotations

from fractions import Fraction
from math import lcm


def rotated(values: list[str], direction: list[int]) -> list[list[str]]:
    """H diag(values) H with the Householder reflection H = I - 2 v v^T/(v^T v), exact; H = I for v = 0."""
    size = len(values)
    norm = sum(v * v for v in direction)
    # integers alone: norm H, or H itself where it is I, and the values over their common denominator
    scale = norm or 1
    reflection = [[scale * (r == c) - 2 * direction[r] * direction[c] for c in range(size)] for r in range(size)]
    spectrum = [Fraction(v) for v in values]
    common = lcm(*(v.denominator for v in spectrum))
    whole = [v.numerator * (common // v.denominator) for v in spectrum]
    below = common * scale**2
    return [
        [
            str(Fraction(sum(reflection[r][k] * whole[k] * reflection[k][c] for k in range(size)), below))
            for c in range(size)
        ]
        for r in range(size)
    ]
