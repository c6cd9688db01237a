"""Conditions that are proved to suffice for a property, and when a print's conditions are at least as strong."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from theorems.conditions import read
from theorems.expressions import symbol

#: Rules that conclude "property if conditions"; their data begins with the property and its conditions.
IMPLICATIONS: set[str] = set()
#: Least values that the setting gives the names of its cases; what shows an implication may use these and no others.
LEAST_VALUES: dict[str, int] = {}

Conditions = tuple[str, ...]


def implied(printed: Conditions, sufficient: Conditions, least: Mapping[str, int]) -> bool:
    """Whether every sufficient condition follows from one printed one, for names at or above their least values.

    g >= 0 follows from h >= 0 where g - k h is visibly non-negative for some k > 0: sound, and incomplete.
    """
    return all(any(_follows(other, condition, least) for other in printed) for condition in sufficient)


def _follows(given: str, wanted: str, least: Mapping[str, int]) -> bool:
    one, two = _upwards(given), _upwards(wanted)
    if one is None or two is None:
        # equalities and inequations follow from themselves only
        return read(given)[1] == read(wanted)[1] and sp.expand(read(given)[0] - read(wanted)[0]) == 0
    (low, strict), (high, needed) = one, two
    if needed and not strict:
        return False
    shift = {symbol(name): symbol(name) + start for name, start in least.items() if start}
    low, high = (sp.expand(sp.expand(gap.xreplace(shift))) for gap in (low, high))
    below, above = low.as_coefficients_dict(), high.as_coefficients_dict()
    factors = {above[term] / below[term] for term in below if term in above and below[term] != 0}
    return any(k > 0 and visibly_non_negative(sp.expand(high - k * low), least) for k in factors)


def _upwards(condition: str) -> tuple[sp.Expr, bool] | None:
    """The gap g of "g > 0" or "g >= 0", and whether it is strict; None for an equality."""
    gap, allowed = read(condition)
    if allowed in ((1,), (0, 1)):
        return gap, 0 not in allowed
    if allowed in ((-1,), (-1, 0)):
        return -gap, 0 not in allowed
    return None


def visibly_non_negative(expression: sp.Expr, least: Mapping[str, int]) -> bool:
    """Whether an expression is a sum of products of positive numbers, powers of non-negative names, and such sums.

    ``least`` names the non-negative ones; they are taken to be positive where they stand below a line.
    """
    return all(_non_negative_term(term, least) for term in sp.Add.make_args(expression))


def _non_negative_term(term: sp.Expr, least: Mapping[str, int]) -> bool:
    for part in sp.Mul.make_args(term):
        base, power = part.as_base_exp()
        if part.is_number:
            if not part.is_nonnegative:
                return False
        elif base.is_Symbol:
            even = power.is_Integer and power % 2 == 0
            if not even and base.name not in least:
                return False
        elif not (power.is_Rational and base.is_Add and visibly_non_negative(base, least)):
            return False
    return True
