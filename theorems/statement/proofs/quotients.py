"""Fractions of polynomials in atoms."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

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


def terms(value: Ratio) -> list[tuple[Ratio, Fraction]]:
    """The monomials of a polynomial with their coefficients."""
    return [(monomial(powers), coefficient) for powers, coefficient in monomials(value).items()]


def monomial(powers: tuple[tuple[str, int], ...]) -> Ratio:
    """The product of powers of names."""
    return reduce(Ratio.__mul__, (Ratio.of(label) ** count for label, count in powers), ONE)


def monomials(value: Ratio) -> dict[tuple[tuple[str, int], ...], Fraction]:
    """The coefficient of every monomial, ((label, power), ...)."""
    found = value.reduced()
    labels = [generator.name for generator in found.num.ring.symbols]
    out = {}
    for powers, coefficient in found.num.terms():
        key = tuple(sorted((label, power) for label, power in zip(labels, powers, strict=True) if power))
        out[key] = Fraction(int(coefficient.numerator), int(coefficient.denominator))
    return out


def substituted(value: Ratio, label: str, square: Ratio) -> Ratio:
    """The polynomial with the square of a name replaced."""
    total = NONE
    for key, coefficient in monomials(value).items():
        powers = dict(key)
        count = powers.get(label, 0)
        powers[label] = count % 2
        rest = monomial(tuple((one, power) for one, power in powers.items() if power))
        total = total + Ratio.of(coefficient) * rest * square ** (count // 2)
    return total.reduced()


def number_of(value: Ratio) -> Fraction | None:
    """The number that a polynomial without names is; None for another one."""
    found = value.reduced()
    return None if found.names else sum((coefficient for _, coefficient in terms(found)), Fraction(0))
