"""Extreme laws of exchangeable tokens: two kinds of pairs whose outputs have sizes far apart at one end of a head.

A pair s + t, s - t of tokens becomes p + v, p - v at l = 0 and p + u, p - u at l = 1, three orthogonal vectors' lengths
chosen at will. Where the norms of both kinds agree at an end the expected cosine is the ratio there; at the other end
the two may differ by as much as there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

#: Lengths that are tried, and pairs of the first kind for one of the second.
SIZES = tuple(map(Fraction, ("0", "1/10", "1", "10")))
MANY = 5
#: By how much, at most, squared norms that agree may differ, as a part of them.
LIKE = Fraction(1, 50)

Lengths = tuple[Fraction, Fraction, Fraction]


def lengths() -> list[Lengths]:
    """(p, u, v) of pairs whose tokens and outputs are not 0."""
    every = product(SIZES, SIZES, SIZES)
    return [(p, u, v) for p, u, v in every if (p or (u and v)) and (u or not v)]


def pairs() -> Iterator[dict[str, Any]]:
    """Laws of one kind of pairs, then of two kinds whose norms agree at one end, with W and beta = 1."""
    kinds = lengths()
    for kind in kinds:
        yield _law(((1, kind),))
    for one, two in product(kinds, kinds):
        # at both ends alike they show no more than one kind does
        if _alike(one, two, 0) != _alike(one, two, 1):
            yield _law(((MANY, one), (1, two)))


def _alike(one: Lengths, two: Lengths, end: int) -> bool:
    first, last = (p**2 + (u if end else v) ** 2 for p, u, v in (one, two))
    return abs(first - last) <= LIKE * max(first, last)


def _law(kinds: tuple[tuple[int, Lengths], ...]) -> dict[str, Any]:
    """The means of all pairs on the first axis, on which W = 0; the differences of each kind on one of its own."""
    sets, diagonal = [], [Fraction(0)]
    for place, (count, (p, u, v)) in enumerate(kinds, 1):
        away = [u * (place == axis) for axis in range(1, len(kinds) + 1)]
        sets += [[[str(p), *(str(side * part) for part in away)] for side in (1, -1)]] * count
        # (1 + w) u = v
        diagonal.append(v / u - 1 if u else Fraction(0))
    W = [[str(w * (r == c)) for c in range(len(diagonal))] for r, w in enumerate(diagonal)]
    return {"tokens": sets, "W": W, "beta": "1"}
