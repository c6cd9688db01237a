"""Whether the two sides' values at one case differ by more than rounding: exact ones, and those of the simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from montecarlo.search_values import evaluate
from proofs_check.statements.rounding import data, radii_of, widths
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import numbers_of
from theorems.statement.values.cases import Case
from theorems.statement.values.certify import shown

#: Relative difference of two values beyond which they disagree.
AGREE = 1e-6
#: The part in which values agree where nothing bounds their rounding, as of an integral of numbers.
DIGITS = 1e-3


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= AGREE * max(abs(one), abs(other))


def conflicting(prop: Proposition, case: Case, evaluated: Proposition | None = None) -> str:
    """What is said where the two sides' values at one case differ; "" where they agree as far as floats go.

    ``evaluated`` is what the other side evaluates, where that may be another statement.
    """
    other = evaluated or prop
    pairs = ((prop.left, other.left), (prop.right, other.right))
    numbers = ((numbers_of(one), numbers_of(two)) for one, two in pairs)
    for node, again in (pair for both in numbers for pair in zip(*both, strict=True)):
        value = evaluate(again.plain(), case.plain())
        try:
            text = shown(node, case)
            # as a fraction, a decimal with an exponent of millions would be written out
            exact = float(Fraction(text)) if "/" in text else float(text)
        except (ValueError, OverflowError):
            # not known exactly, a ball too wide to print, or a number beyond floats
            continue
        if not (math.isfinite(value) and math.isfinite(exact)) or _near(exact, value):
            continue
        bounds = widths(prop, node, case)
        # how far rounding alone may take the value
        (rounding,) = radii_of(bounds, case, partial(_evaluated, node.plain()), 1)
        if math.isinf(rounding) and (evaluated or (bounds is None and not data(case))):
            rounding = DIGITS * max(abs(exact), abs(value))
        rounding += max(abs(evaluate(again.plain(), case.plain(), moved) - value) for moved in (1.0, -1.0))
        # of an estimate alone, what is small beside 1 may be rounding of what cancels
        enclosed = bounds is not None and all(map(math.isfinite, bounds))
        scale = abs(exact) if enclosed else max(abs(exact), 1.0)
        if abs(exact - value) > rounding + AGREE * scale:
            return f"{node} at {case} is {text} exactly and {value!r} in floats"
    return ""


def _evaluated(plain: Sequence[Any], case: Case) -> list[float]:
    return [evaluate(plain, case.plain())]
