"""Ball arithmetic: rigorous enclosures of closed expressions, and the signs that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, reduce
from math import prod
from operator import itemgetter
from typing import Any

import flint
import sympy as sp

from theorems.algebra.covers import Box
from theorems.algebra.expressions import rational_at, value_at

_FUNCTIONS = {name: getattr(flint.arb, name) for name in ("exp", "log", "cos", "sin", "erf", "gamma")}
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


def lower_end(value: flint.arb) -> Fraction:
    """The least number in a finite ball, a dyadic one."""
    mantissa, exponent = value.lower().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


class Enclosed(sp.Function):  # type: ignore[misc]
    """A real function that sympy does not have, known by balls that hold its values."""

    is_real = True

    def enclosed(self, parts: Sequence[flint.arb]) -> flint.arb:
        """A ball that holds the value where these hold the arguments."""
        raise NotImplementedError

    def _eval_evalf(self, prec: int) -> Any:
        # where terms cancel many bits are lost
        for bits in (2 * prec, 16 * prec, 128 * prec):
            with precision(bits):
                found = None if self.free_symbols else ball(self, {})
            if found is not None and found.is_finite() and found.rel_accuracy_bits() >= prec:
                return sp.Float(found.mid().str(prec, radius=False), precision=prec)
        return None


#: The balls of names at a point, and of the parts of expressions that were met there.
Point = dict[Any, flint.arb]
Evaluation = Callable[[Point], flint.arb]


def ball(expression: sp.Expr, point: Mapping[str, flint.arb]) -> flint.arb:
    """An enclosure of the expression's value; ValueError for a function that has none here, KeyError for a name."""
    return _evaluation(expression)(dict(point))


@lru_cache(maxsize=4096)
def _evaluation(expression: sp.Expr) -> Evaluation:
    """The enclosure as a function of the point: the expression's tree is read once, and a part once at every point."""
    work = _read(expression)
    if expression.is_Atom:
        return work
    part = object()

    def once(point: Point) -> flint.arb:
        found = point.get(part)
        if found is None:
            found = point[part] = work(point)
        return found

    return once


def _read(expression: sp.Expr) -> Evaluation:
    if expression.is_Symbol:
        return itemgetter(expression.name)
    if expression.is_Rational:
        above, below = int(expression.p), int(expression.q)
        return lambda _: flint.arb(flint.fmpq(above, below))
    if expression is sp.pi:
        return lambda _: flint.arb.pi()
    if expression is sp.E:
        return lambda _: flint.arb(1).exp()
    if expression.is_Piecewise:
        return lambda point: _piecewise(expression, point)
    if expression.is_Pow:
        base, value = map(_evaluation, expression.args)
        return _power(base, value, expression.exp)
    name = expression.func.__name__
    if name == "hyper":
        return _hypergeometric(expression)
    parts = [_evaluation(argument) for argument in expression.args]
    if expression.is_Add:
        return lambda point: sum((part(point) for part in parts), flint.arb(0))
    if expression.is_Mul:
        return lambda point: prod((part(point) for part in parts), start=flint.arb(1))
    if isinstance(expression, Enclosed):
        return lambda point: expression.enclosed([part(point) for part in parts])
    if name in _FUNCTIONS:
        function = _FUNCTIONS[name]
        return lambda point: function(parts[0](point))
    if name == "Abs":
        return lambda point: abs(parts[0](point))
    if name in ("Max", "Min"):
        larger = flint.arb.max if name == "Max" else flint.arb.min
        return lambda point: reduce(larger, (part(point) for part in parts))
    known = ", ".join(_FUNCTIONS)
    raise ValueError(f"{expression}: no ball arithmetic for {name}; it reads sums, products, powers, {known}")


def _power(base: Evaluation, value: Evaluation, exponent: sp.Expr) -> Evaluation:
    if not exponent.is_Rational or exponent.q > 2:
        return lambda point: base(point) ** value(point)
    count, root = int(exponent.p), exponent.q == 2

    def power(point: Point) -> flint.arb:
        one = base(point).sqrt() if root else base(point)
        # arb's own power loses an interval around 0
        whole = prod((one,) * abs(count), start=flint.arb(1))
        return whole if count > 0 else 1 / whole

    return power


def _hypergeometric(expression: sp.Expr) -> Evaluation:
    """pFq at real numbers."""
    ups, downs, x = ([_evaluation(one) for one in part] for part in (*expression.args[:2], expression.args[2:]))

    def value(point: Point) -> flint.arb:
        above: list[Any] = [flint.acb(one(point)) for one in ups]
        below: list[Any] = [flint.acb(one(point)) for one in downs]
        return flint.acb(x[0](point)).hypgeom(above, below).real

    return value


def _piecewise(expression: sp.Expr, point: Point) -> flint.arb:
    """The branch whose condition is settled at the point; ValueError where none is."""
    for value, condition in expression.args:
        if condition is sp.true:
            return _evaluation(value)(point)
        gap = _evaluation(condition.lhs - condition.rhs)(point)
        holds, fails = _settled(condition, gap)
        if holds:
            return _evaluation(value)(point)
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
        exact = rational_at(expression, rationals)
        if exact is not None:
            return (exact > 0) - (exact < 0)
        # what is not 0 is told by balls in a part of the time that its closed form takes
        with suppress(ValueError):
            near = at(expression, point, PRECISIONS[0])
            if near > 0 or near < 0:
                return 1 if near > 0 else -1
        closed = value_at(expression, rationals)
        if closed.is_Rational:
            return int(sp.sign(closed))
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


def centred(expression: sp.Expr, slopes: Mapping[str, sp.Expr], box: Box, fixed: Mapping[str, Fraction]) -> flint.arb:
    """An enclosure of the expression over a box, by the mean value theorem: its middle, and its slopes over the box.

    ``slopes`` are its derivatives by the box's names, ``fixed`` the exact values of other names. At the present
    precision; not finite where the expression or a slope is not.
    """
    still = {name: rational(value) for name, value in fixed.items()}
    whole: Point = still | {name: between(*ends) for name, ends in box.items()}
    middle = still | {name: rational((low + high) / 2) for name, (low, high) in box.items()}
    # slopes have most of their parts in common
    moved = (_evaluation(slope)(whole) * (whole[name] - middle[name]) for name, slope in slopes.items())
    return sum(moved, ball(expression, middle))


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
