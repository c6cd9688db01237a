"""Whether two formulas of a report are the same function, so that no page calls a reordered formula a correction."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from proofs_check.report.site import formula

#: Where formulas are compared: the value of the k-th name in alphabetical order at each point.
POINTS = ((3, 7), (5, 4), (11, 13), (2, 3), (17, 9))


@lru_cache(maxsize=4_000)
def same(one: str, two: str) -> bool | None:
    """Whether the formulas agree: by normal form or at points of the positive orthant; None where neither can tell.

    A difference is only ever told where a value shows it.
    """
    if " ".join(one.split()) == " ".join(two.split()):
        return True
    if formula.clause(one) or formula.clause(two):
        return False
    from sympy import Abs, Max, Min

    from theorems.algebra.agreement import agree
    from theorems.algebra.expressions import ExpressionError, floats, parse

    try:
        left, right = parse(one), parse(two)
        if agree(left, right):
            return True
        # agreement at points says little of what may differ on the other side of a corner
        smooth = not any(part.has(Abs, Max, Min) for part in (left, right))
        names = sorted({symbol.name for symbol in (*left.free_symbols, *right.free_symbols)})
        told = 0
        for above, below in POINTS:
            table = {name: float(Fraction(above + k, below + 2 * k)) for k, name in enumerate(names)}
            values = _number(floats(left, table)), _number(floats(right, table))
            if None in values:
                continue
            told += 1
            if abs(values[0] - values[1]) > 1e-9 * max(1.0, abs(values[0]), abs(values[1])):
                return False
        return True if told >= 2 and smooth else None
    except (ExpressionError, ArithmeticError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _number(value: Any) -> Any:
    found = float(value)
    return found if math.isfinite(found) else None
