"""Fractions of polynomials in atoms."""

from __future__ import annotations

from dataclasses import dataclass

from theorems.algebra.ratio import Ratio

ONE, NONE = Ratio.of(1), Ratio.of(0)


class NoFormError(Exception):
    """An expression that has no normal form here."""


@dataclass(frozen=True)
class Quotient:
    """above/below, polynomials in atoms; below is not 0 wherever the expression is defined."""

    above: Ratio
    below: Ratio = ONE

    def __add__(self, other: Quotient) -> Quotient:
        if self.below == other.below:
            return Quotient((self.above + other.above).reduced(), self.below)
        return Quotient(
            (self.above * other.below + other.above * self.below).reduced(), (self.below * other.below).reduced()
        )

    def __mul__(self, other: Quotient) -> Quotient:
        return Quotient((self.above * other.above).reduced(), (self.below * other.below).reduced())

    @property
    def lowest(self) -> Quotient:
        """The quotient without the common factors of its parts."""
        return self if self.below == ONE else Quotient(*self.above.lowest(self.below))

    @property
    def inverse(self) -> Quotient:
        """below/above."""
        if self.above == NONE:
            raise NoFormError
        return Quotient(self.below, self.above)
