"""Ball arithmetic: rigorous enclosures of closed expressions, and the signs that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import flint
import sympy as sp

from theorems.expressions import value_at

#: Bits tried one after the other until a sign is settled.
PRECISIONS = (64, 128, 256, 512)


class precision:
    """flint's process-global precision, set for a while."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __enter__(self) -> None:
        self.before = flint.ctx.prec
        flint.ctx.prec = self.bits

    def __exit__(self, *_: object) -> None:
        flint.ctx.prec = self.before


def rational(value: Fraction | int) -> flint.arb:
    """The ball around a rational number at the present precision."""
    fraction = Fraction(value)
    return flint.arb(flint.fmpq(fraction.numerator, fraction.denominator))


def between(low: Fraction | int, high: Fraction | int) -> flint.arb:
    """A ball that holds the interval [low, high]."""
    return rational(low).union(rational(high))


def ball(expression: sp.Expr, point: Mapping[str, flint.arb]) -> flint.arb:
    """An enclosure of the expression's value; ValueError for a function that has none here, KeyError for a name."""
    if expression.is_Symbol:
        return point[expression.name]
    if expression.is_Rational:
        return flint.arb(flint.fmpq(int(expression.p), int(expression.q)))
    if expression is sp.pi:
        return flint.arb.pi()
    if expression is sp.E:
        return flint.arb(1).exp()
    if expression.is_Piecewise:
        return _piecewise(expression, point)
    parts = [ball(argument, point) for argument in expression.args]
    if expression.is_Add:
        return sum(parts, flint.arb(0))
    if expression.is_Mul:
        value = flint.arb(1)
        for part in parts:
            value = value * part
        return value
    if expression.is_Pow:
        return _power(parts[0], expression.exp, parts[1])
    name = expression.func.__name__
    if name in ("erf", "exp", "log"):
        value = {"erf": parts[0].erf, "exp": parts[0].exp, "log": parts[0].log}[name]()
        return value
    if name == "Abs":
        return abs(parts[0])
    if name in ("Max", "Min"):
        value = parts[0]
        for part in parts[1:]:
            value = value.max(part) if name == "Max" else value.min(part)
        return value
    raise ValueError(f"{expression}: no ball arithmetic for {name}; it reads sums, products, powers, erf, exp and log")


def _power(base: flint.arb, exponent: sp.Expr, value: flint.arb) -> flint.arb:
    if exponent.is_Integer:
        # arb's own power loses an interval around 0
        power = flint.arb(1)
        for _ in range(abs(int(exponent))):
            power = power * base
        return power if exponent > 0 else 1 / power
    if exponent.is_Rational and exponent.q == 2:
        return _power(base.sqrt(), sp.Integer(exponent.p), flint.arb(exponent.p))
    return base**value


def _piecewise(expression: sp.Expr, point: Mapping[str, flint.arb]) -> flint.arb:
    """The branch whose condition is settled at the point; ValueError where none is."""
    for value, condition in expression.args:
        if condition is sp.true:
            return ball(value, point)
        gap = ball(condition.lhs - condition.rhs, point)
        holds, fails = _settled(condition, gap)
        if holds:
            return ball(value, point)
        if not fails:
            raise ValueError(f"whether {condition} holds is not settled by balls")
    raise ValueError(f"no branch of {expression} applies")


def _settled(condition: sp.Basic, gap: flint.arb) -> tuple[bool, bool]:
    """Whether a relation holds, and whether it fails, for left - right in the ball."""
    above, below, zero = bool(gap > 0), bool(gap < 0), bool(gap.is_zero())
    table = {
        "StrictGreaterThan": (above, below or zero),
        "GreaterThan": (above or zero or bool(gap >= 0), below),
        "StrictLessThan": (below, above or zero),
        "LessThan": (below or zero or bool(gap <= 0), above),
        "Equality": (zero, above or below),
        "Unequality": (above or below, zero),
    }
    return table[type(condition).__name__]


#: A rational number, or a function that encloses another number at the present precision.
Value = Fraction | int | Callable[[], flint.arb]


def at(expression: sp.Expr, point: Mapping[str, Value], bits: int = 128) -> flint.arb:
    """An enclosure of the expression at an exact point."""
    with precision(bits):
        balls = {name: value() if callable(value) else rational(value) for name, value in point.items()}
        return ball(expression, balls)


def sign(expression: sp.Expr, point: Mapping[str, Value]) -> int | None:
    """The certified sign at an exact point, 1 or -1; 0 for an exact zero; None where the balls settle none."""
    rationals = {name: value for name, value in point.items() if not callable(value)}
    if len(rationals) == len(point):
        # a zero of rational arithmetic is one that balls around thirds do not show
        exact = value_at(expression, rationals)
        if exact.is_Rational:
            return int(sp.sign(exact))
    for bits in PRECISIONS:
        value = at(expression, point, bits)
        if value > 0:
            return 1
        if value < 0:
            return -1
        if value.is_zero():
            return 0
        if not value.is_finite():
            return None
    return None


def positive(expression: sp.Expr, name: str, low: Fraction | int, high: Fraction | int, pieces: int = 64) -> bool:
    """Whether a function of one name is shown positive on [low, high] by an interval cover."""
    if {s.name for s in expression.free_symbols} - {name}:
        return False
    start, width = Fraction(low), (Fraction(high) - Fraction(low)) / pieces
    with precision(64):
        return all(
            bool(ball(expression, {name: between(start + k * width, start + (k + 1) * width)}) > 0)
            for k in range(pieces)
        )
