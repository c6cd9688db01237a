"""Symmetric matrices with rational entries and a given spectrum, which do not commute."""

from __future__ import annotations

from fractions import Fraction
from math import lcm


def rotated(values: list[str], direction: list[int]) -> list[list[str]]:
    """H diag(values) H with the Householder reflection H = I - 2 v v^T/(v^T v), exact; H = I for v = 0."""
    norm = sum(v * v for v in direction)
    # integers alone: of norm H, or of H itself where it is I, and of the values over their common denominator
    scale = norm or 1
    spectrum = [Fraction(v) for v in values]
    common = lcm(*(v.denominator for v in spectrum))
    whole = [v.numerator * (common // v.denominator) for v in spectrum]
    middle, below = 4 * sum(w * v * v for w, v in zip(whole, direction, strict=True)), common * scale**2
    pairs = list(zip(whole, direction, strict=True))
    return [
        [
            str(Fraction(scale**2 * w * (r == c) + (middle - 2 * scale * (w + other)) * v * turned, below))
            for c, (other, turned) in enumerate(pairs)
        ]
        for r, (w, v) in enumerate(pairs)
    ]
