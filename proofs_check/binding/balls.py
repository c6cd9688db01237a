"""Values as balls that say enough to be compared."""

from __future__ import annotations

from fractions import Fraction

import flint

from proofs_check.binding.named import InstanceError
from theorems.algebra.balls import between, rational
from theorems.statement.expression import Expr
from theorems.statement.values.cases import Case
from theorems.statement.values.values import scalar

#: The most that a ball's radius may be, relative to 1 + |middle|; that of a least norm, and the second interpreter's.
TIGHT, LEAST = 1e-20, 1e-6


def ball_of(number: Fraction | flint.arb) -> flint.arb:
    """A number as a ball that says enough."""
    return _settled(rational(number) if isinstance(number, Fraction) else number)


def stated_value(side: Expr, case: Case) -> flint.arb:
    """The value of a side of a statement; that of a least norm is known between its certified ends."""
    number = scalar(side, case)
    return _settled(rational(number) if isinstance(number, Fraction) else number, _accuracy(side))


def _accuracy(side: Expr) -> float:
    return LEAST if side.has("least") else TIGHT


def _settled(number: flint.arb, tight: float = TIGHT) -> flint.arb:
    """The ball itself; InstanceError for one that says too little, which would overlap with everything."""
    if not number.is_finite() or number.rad() > tight * (1 + abs(number.mid())):
        raise InstanceError(f"its value {number.str(6)} is known too roughly")
    return number


def _around(value: float, error: float) -> flint.arb:
    middle, spread = Fraction(value), Fraction(error)
    return between(middle - spread, middle + spread)


def _shown(number: flint.arb) -> str:
    return str(number.str(12, radius=False))
