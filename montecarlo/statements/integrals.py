"""Integrals in floats: Gauss and Legendre's rule with more and more places, until two of them agree."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from montecarlo.statements.nodes import Node
from montecarlo.statements.series import Array, Number, values

#: Numbers of places, and the part of the integral of |f| by which two rules may differ.
PLACES, AGREE = (24, 40, 64, 104, 168, 272), 1e-12


def value(low: float, high: float, body: Node, index: str, number: Number) -> float:
    """The integral of a node over its index from low to high; NaN where the rules do not come to agree."""
    before = math.nan
    for count in PLACES:
        places, weights = _rule(count)
        with np.errstate(all="ignore"):
            terms = (high - low) * weights * values(body, index, low + (high - low) * places, number)
        found = float(terms.sum())
        if abs(found - before) <= AGREE * float(np.abs(terms).sum()):
            return found
        before = found
    return math.nan


@lru_cache(maxsize=len(PLACES))
def _rule(count: int) -> tuple[Array, Array]:
    """Places from 0 to 1 and weights."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return (places + 1) / 2, weights / 2
