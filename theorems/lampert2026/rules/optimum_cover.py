"""The trusted rule that compares costs for all numbers of groups and all lam at once, box by box.

Costs are in units of kappa/sqrt(d), as in ``rules.optimum``.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import flint
import sympy as sp

from theorems.algebra.balls import ball, centred, lower_end, precision, rational
from theorems.algebra.closed import vanishes
from theorems.algebra.covers import Box, some_positive
from theorems.lampert2026.rules.optimum import GROUPS, C, delta2, lam, r_eff
from theorems.lampert2026.rules.optimum_dormant import share
from theorems.rules import rule

#: The name of the rule.
BELOW = "below-everywhere"
#: Boxes that a comparison of costs may take; the proved ones take a few hundred.
BOXES = 2000
#: Bits of their enclosures, and the denominator of a share.
BITS, DIGITS = 64, 10**6
ENDS = Fraction(0), Fraction(1)
#: 1/sqrt(C), from 0 to 1, and a lower bound of r_eff/delta^2.
y, q = sp.Symbol("y", positive=True), sp.Symbol("q")


@rule(BELOW, needs=GROUPS)
@lru_cache(maxsize=32)
def below_everywhere(
    uppers: tuple[sp.Expr, ...], lower: sp.Expr, own: sp.Expr, start: sp.Rational, least: sp.Expr
) -> bool:
    """An upper cost is below the lower one for all C >= 1, start <= lam < 1 and r_eff > least, in which delta^2 stands.

    The lower one is r_eff/delta^2 and a function of C, lam, share, for any share in [0, 1] with own <= r_eff/delta^2.
    The gaps, over C, as functions of y = 1/sqrt(C) and lam are shown positive box by box, in ball arithmetic: in a box
    r_eff/delta^2 >= q, and share is a number with own <= q, which is worst at the smallest y and lam. Trusted:
    r_eff >= 1, and delta^2 = 1 - lam^2.
    """
    if not vanishes(own - C * share / (lam * sp.sqrt(lam**2 + 1))):
        return False
    rest = sp.expand(lower - r_eff / delta2)
    if rest.free_symbols - {C, lam, share} or sp.Tuple(*uppers).free_symbols - {C, lam}:
        return False
    gaps = [_over_groups(q + rest - upper) for upper in uppers]
    sloped = [(gap, {"y": sp.diff(gap, y), "lam": sp.diff(gap, lam)}) for gap in gaps]
    ratio = sp.cancel(least / delta2)

    def enclosed(box: Box) -> Iterator[flint.arb]:
        (least_y, _), (low, high) = box["y"], box["lam"]
        ranks = _rank_ratio(ratio, 1 - high**2, 1 - low**2)
        fixed = {"q": ranks, "share": _share(ranks * least_y**2, low)}
        return (centred(gap, slopes, box, fixed) for gap, slopes in sloped)

    with precision(BITS):
        return some_positive(enclosed, {"y": ENDS, "lam": (Fraction(str(start)), ENDS[1])}, BOXES)


def _over_groups(gap: sp.Expr) -> sp.Expr:
    """A gap over C as a function of y = 1/sqrt(C) and lam that has no pole at y = 0."""
    placed = gap.xreplace({C: 1 / y**2})
    # sqrt(1 + 1/y^2) is sqrt(y^2 + 1)/y
    powers = {power: sp.sqrt(sp.factor(sp.together(power.base))) ** (2 * power.exp) for power in placed.atoms(sp.Pow)}
    return sp.expand(y**2 * placed.xreplace(powers))


def _rank_ratio(ratio: sp.Expr, low: Fraction, high: Fraction) -> Fraction:
    """A rational at most max(1, f(x))/x for low < x <= high, with ratio = f(x)/x."""
    found = ball(ratio, {"delta2": rational(low).union(rational(high))})
    # not finite where the ratio has a pole at 0
    return max(1 / high, lower_end(found)) if found.is_finite() else 1 / high


def _share(ranks: Fraction, ratio: Fraction) -> Fraction:
    """A share <= 1 with share <= ranks lam sqrt(1 + lam^2), near to the largest one, for lam = ratio."""
    square = min(ENDS[1], ranks**2 * ratio**2 * (1 + ratio**2))
    return Fraction(isqrt(int(square * DIGITS**2)), DIGITS)
