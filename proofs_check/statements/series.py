"""Exact forms in a growing length as series in 1/T: which powers occur, and what is left without them."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import sympy as sp

#: What grows; most powers of 1/T that are removed.
LENGTH = sp.Symbol("T")
MOST_POWERS = 3


@lru_cache(maxsize=256)
def expanded(value: sp.Expr) -> tuple[list[Fraction], list[sp.Expr]] | None:
    """The powers p of the terms T^-p of a form in LENGTH, and what is left of it after the limit and 1, 2, ... of them.

    None where the form has no limit, or is no rational function of sqrt(T) and of powers b^T with |b| < 1: these vanish
    beside every T^-p, and count to what is left.
    """
    lasting = _lasting(value)
    # 1/sqrt(T)
    inverse = sp.Symbol("inverse", positive=True)
    flipped = None if lasting is None else lasting.xreplace({LENGTH: inverse**-2})
    if flipped is None or not flipped.is_rational_function(inverse):
        return None
    above, below = (sp.Poly(part, inverse) for part in sp.fraction(sp.cancel(sp.together(flipped))))
    if below.eval(0) == 0:
        return None
    coefficients = _series(above, below, 4 * MOST_POWERS)
    places = [p for p, c in enumerate(coefficients) if p > 0 and c != 0][:MOST_POWERS]
    left = value - coefficients[0]
    rests = [left]
    for p in places:
        left -= coefficients[p] * LENGTH ** sp.Rational(-p, 2)
        rests.append(left)
    return [Fraction(p, 2) for p in places], [_short(rest) for rest in rests]


def _lasting(value: sp.Expr) -> sp.Expr | None:
    """A form without its powers b^T with |b| < 1, which vanish; None where another power of T stands in it."""
    vanishing = {}
    for node in value.atoms(sp.Pow, sp.exp):
        base, exponent = node.as_base_exp()
        if not exponent.has(LENGTH):
            continue
        slope = sp.expand(exponent).coeff(LENGTH)
        if (
            base.has(LENGTH)
            or not (base.is_number and slope.is_number)
            or sp.expand(exponent - slope * LENGTH).has(LENGTH)
        ):
            return None
        if not abs(complex(base)) ** float(slope) < 1:
            return None
        vanishing[node] = sp.Integer(0)
    return value.xreplace(vanishing)


def _short(value: sp.Expr) -> sp.Expr:
    return sp.cancel(value) if value.is_rational_function(LENGTH) else value


def _series(above: sp.Poly, below: sp.Poly, order: int) -> list[sp.Expr]:
    """The coefficients of above/below in powers of the variable, up to an order; below is not 0 at 0."""
    high, low = (poly.all_coeffs()[::-1] for poly in (above, below))
    found: list[sp.Expr] = []
    for k in range(order + 1):
        value = high[k] if k < len(high) else sp.Integer(0)
        value -= sum((low[m] * found[k - m] for m in range(1, min(k, len(low) - 1) + 1)), sp.Integer(0))
        found.append(value / low[0])
    return found
