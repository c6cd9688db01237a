"""Prints of claims about growth: O(T**p) and o(T**p), o(1) for what tends to 0; a bare exponent p is O(T**p)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sympy as sp

from theorems.algebra.expressions import ExpressionError, parse, symbol, text

#: The shortest walks at which a growth is looked for: at others terms of lower order are still large.
SHORTEST = 512

_ERROR = re.compile(r"\s*([oO])\s*\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True)
class Bound:
    """O(T^exponent), or o(T^exponent) where it is ``strict``."""

    exponent: sp.Expr
    strict: bool = False

    def allows(self, exponent: sp.Expr) -> bool:
        """Whether what grows like T^exponent is within the bound."""
        return bool(exponent < self.exponent if self.strict else exponent <= self.exponent)

    def largest(self, step: float) -> float:
        """The largest exponent that is allowed, of those that are multiples of ``step`` away from the bound's."""
        return float(self.exponent) - (step if self.strict else 0.0)

    @property
    def letter(self) -> str:
        """O or o."""
        return "o" if self.strict else "O"

    @property
    def scale(self) -> sp.Expr:
        """T^exponent."""
        return symbol("T") ** self.exponent

    def __str__(self) -> str:
        return f"{self.letter}({text(self.scale)})"


def bound(printed: str) -> Bound:
    """The bound that a print states; ExpressionError for a scale that is no power of T."""
    match = _ERROR.fullmatch(printed)
    scale = parse(match[2]) if match else symbol("T") ** parse(printed)
    base, exponent = scale.as_base_exp()
    if scale == 1:
        exponent = sp.Integer(0)
    elif base != symbol("T") or not exponent.is_Rational:
        raise ExpressionError(f"{printed} bounds no growth; expected an exponent such as 3/2, O(T**3) or o(1)")
    return Bound(exponent, bool(match and match[1] == "o"))


def corrected(printed: str, exponent: sp.Expr) -> str:
    """The bound O(T^exponent) in the form of a print: a bare exponent in the place of one."""
    return text(exponent) if bare(printed) else str(Bound(exponent))


def bare(printed: str) -> bool:
    """Whether a print is an exponent alone."""
    return _ERROR.fullmatch(printed) is None
