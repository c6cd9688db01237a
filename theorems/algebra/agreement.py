"""Whether two formulas are one, decided in bounded work: as rational functions of their symbols and opaque parts.

An opaque part is what is no arithmetic: a root, exp, a maximum, an indicator. Two are the same where their functions
are the same and their arguments agree. A numerator is multiplied out over a denominator, never simplified, so that the
work is known as it is done: beyond MAX_WORK products of terms nothing is decided.
"""

from __future__ import annotations

from collections.abc import Iterator

import flint
import sympy as sp

#: Most products of two terms, and most opaque parts and symbols, before it is given up.
MAX_WORK, MAX_PARTS = 1_000_000, 100

_Fraction = tuple[flint.fmpq_mpoly, flint.fmpq_mpoly]


class _TooLong(Exception):
    """It would take longer than the bound."""


def agree(left: sp.Expr, right: sp.Expr) -> bool | None:
    """Whether two formulas are the same rational function of their symbols and opaque parts; None where too long.

    False says no more than that the two are not seen to be the same: sqrt(x**2) and Abs(x) are two parts.
    """
    if left == right:
        return True
    try:
        return _Comparison((left, right)).same(left, right)
    except _TooLong:
        return None


class _Comparison:
    """The symbols and opaque parts of some formulas as generators of one ring of polynomials."""

    def __init__(self, formulas: tuple[sp.Expr, ...]) -> None:
        #: What stands for each part: the first that it agrees with.
        self.heads: dict[sp.Basic, sp.Basic] = {}
        self.work = 0
        found = dict.fromkeys(part for formula in formulas for part in _parts(formula))
        if len(found) > MAX_PARTS:
            raise _TooLong
        names = [(f"g{number}", 1) for number, _ in enumerate(found)] or [("g0", 1)]
        self.ring = flint.fmpq_mpoly_ctx.get(names, flint.Ordering.lex)
        self.numbers = {part: number for number, part in enumerate(found)}
        # inner parts come first, so that arguments are known as they are compared
        for part in found:
            self.heads[part] = next((head for head in {*self.heads.values()} if self._one(head, part)), part)

    def _one(self, one: sp.Basic, other: sp.Basic) -> bool:
        """Whether two parts are the same function of agreeing arguments."""
        if one.func != other.func or not one.args or len(one.args) != len(other.args):
            return bool(one == other)
        return all(self._argument(a, b) for a, b in zip(one.args, other.args, strict=True))

    def _argument(self, one: sp.Basic, other: sp.Basic) -> bool:
        if one == other:
            return True
        if isinstance(one, sp.Expr) and isinstance(other, sp.Expr):
            return self.same(one, other)
        # a piece and its condition, and a relation, hold formulas
        return self._one(one, other)

    def same(self, left: sp.Expr, right: sp.Expr) -> bool:
        """left = n/d and right = n'/d': whether n d' = n' d."""
        (above, below), (over, under) = self._fraction(left), self._fraction(right)
        # what divides by zero has no value, and would agree with everything
        return bool(len(below) and len(under) and self._times(above, under) == self._times(over, below))

    def _times(self, one: flint.fmpq_mpoly, other: flint.fmpq_mpoly) -> flint.fmpq_mpoly:
        self.work += len(one) * len(other)
        if self.work > MAX_WORK:
            raise _TooLong
        return one * other

    def _raised(self, base: flint.fmpq_mpoly, power: int) -> flint.fmpq_mpoly:
        found = self.ring.constant(1)
        for _ in range(power):
            found = self._times(found, base)
        return found

    def _fraction(self, formula: sp.Expr) -> _Fraction:
        one = self.ring.constant(1)
        if formula.is_Rational:
            return self.ring.constant(flint.fmpq(int(formula.p), int(formula.q))), one
        if formula.is_Add or formula.is_Mul:
            above, below = self._fraction(formula.args[0])
            for part in formula.args[1:]:
                over, under = self._fraction(part)
                if formula.is_Mul:
                    above, below = self._times(above, over), self._times(below, under)
                elif below == under:
                    above = above + over
                else:
                    above = self._times(above, under) + self._times(over, below)
                    below = self._times(below, under)
            return above, below
        if _is_power(formula):
            exponent = formula.exp
            base = formula.base if exponent.is_Integer else _root(formula)
            above, below = self._fraction(base)
            power = abs(int(exponent.p))
            above, below = self._raised(above, power), self._raised(below, power)
            return (above, below) if exponent > 0 else (below, above)
        return self.ring.gen(self.numbers[self.heads[formula]]), one


def _is_power(formula: sp.Expr) -> bool:
    """Whether it is multiplied out, or by its root: no root is its own power."""
    return bool(formula.is_Pow and formula.exp.is_Rational and formula.exp.p != 1)


def _root(formula: sp.Expr) -> sp.Expr:
    """x**(1/q) for x**(p/q)."""
    return sp.Pow(formula.base, sp.Rational(1, formula.exp.q), evaluate=False)


def _parts(formula: sp.Basic) -> Iterator[sp.Basic]:
    """Symbols and opaque parts, those inside others first."""
    if isinstance(formula, sp.Expr) and formula.is_Rational:
        return
    arithmetic = isinstance(formula, sp.Expr) and (formula.is_Add or formula.is_Mul or _is_power(formula))
    for part in formula.args:
        yield from _parts(part)
    if arithmetic and formula.is_Pow and not formula.exp.is_Integer:
        yield _root(formula)
    elif not arithmetic and isinstance(formula, sp.Expr):
        yield formula
