"""Laurent series of functions of s, which tends to 0, exactly, in rational numbers.

A function made of sums, products, quotients, powers, exp, log, cos, sin and roots is analytic near s = 0, but for a
pole, wherever what stands in log and under roots tends to 1 (or to a rational square) and what stands in exp, cos and
sin tends to 0. Its series is then that of the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial, isqrt

#: Terms of a series that are kept.
TERMS = 16


class NoSeriesError(ValueError):
    """A function that has no such series here; the message says of which part."""


@dataclass(frozen=True)
class Series:
    """s^valuation (c_0 + c_1 s + ... + O(s^n)), c_0 != 0; a sum of nothing known is refused, and 0 has no terms.

    Of a ``constant`` it is known that nothing follows.
    """

    valuation: int
    terms: tuple[Fraction, ...]
    constant: bool = field(default=False, compare=False)

    @staticmethod
    def of(number: Fraction | int) -> Series:
        """A constant."""
        return Series(0, (Fraction(number), *(Fraction(0),) * (TERMS - 1)) if number else (), True)

    @property
    def zero(self) -> bool:
        """Whether it is exactly 0."""
        return not self.terms

    def term(self, power: int) -> Fraction:
        """The coefficient of s^power."""
        place = power - self.valuation
        return self.terms[place] if 0 <= place < len(self.terms) else Fraction(0)

    def __add__(self, other: Series) -> Series:
        if self.zero or other.zero:
            return other if self.zero else self
        if self.constant and other.constant:
            return Series.of(self.terms[0] + other.terms[0])
        low = min(self.valuation, other.valuation)
        # what both are known to
        high = min(self.valuation + len(self.terms), other.valuation + len(other.terms))
        return _normal(low, [self.term(k) + other.term(k) for k in range(low, high)])

    def __mul__(self, other: Series) -> Series:
        if self.zero or other.zero:
            return Series(0, ())
        if self.constant and other.constant:
            return Series.of(self.terms[0] * other.terms[0])
        count = min(len(self.terms), len(other.terms))
        found = [sum((self.terms[i] * other.terms[k - i] for i in range(k + 1)), Fraction(0)) for k in range(count)]
        return Series(self.valuation + other.valuation, tuple(found))

    @property
    def inverse(self) -> Series:
        """1/series."""
        if self.zero:
            raise NoSeriesError("a division by 0")
        found = [1 / self.terms[0]]
        for k in range(1, len(self.terms)):
            found.append(-sum((self.terms[i] * found[k - i] for i in range(1, k + 1)), Fraction(0)) / self.terms[0])
        return Series(-self.valuation, tuple(found))

    def scaled(self, number: Fraction) -> Series:
        """number * series."""
        return self * Series.of(number)


def _normal(valuation: int, terms: Sequence[Fraction]) -> Series:
    first = next((k for k, one in enumerate(terms) if one), None)
    if first is None:
        raise NoSeriesError(f"more than {TERMS} terms cancel")
    return Series(valuation + first, tuple(terms[first:]))


def _composed(coefficients: Sequence[Fraction], inner: Series, what: str) -> Series:
    """sum c_k inner^k, for inner that tends to 0."""
    if inner.zero:
        return Series.of(coefficients[0])
    if inner.valuation <= 0:
        raise NoSeriesError(f"what stands in {what} does not tend there")
    known = inner.valuation + len(inner.terms)
    total, power = [Fraction(0)] * known, Series.of(1)
    for k, coefficient in enumerate(coefficients):
        for place in range(known):
            total[place] += coefficient * power.term(place)
        power = power * inner
        if (k + 1) * inner.valuation >= known:
            break
    return _normal(0, total)


def exp_of(inner: Series) -> Series:
    """exp of a series that tends to 0."""
    return _composed([Fraction(1, factorial(k)) for k in range(TERMS * 2)], inner, "exp")


def composed_wave(op: str, inner: Series) -> Series:
    """cos or sin of a series that tends to 0."""
    first = op == "sin"
    signs = [Fraction((-1) ** (k // 2), factorial(k)) * (k % 2 == first) for k in range(TERMS * 2)]
    return _composed(signs, inner, op)


def log_of(inner: Series) -> Series:
    """log of a series that tends to 1."""
    shifted = _from_one(inner, "log")
    if shifted is None:
        # log(1 + O(s^n)) = O(s^n), which need not be 0
        raise NoSeriesError(f"more than {TERMS} terms of what stands in log cancel")
    coefficients = [Fraction(0), *(Fraction((-1) ** (k + 1), k) for k in range(1, TERMS * 2))]
    return _composed(coefficients, shifted, "log")


def _from_one(inner: Series, what: str) -> Series | None:
    """inner - 1, for a series that tends to 1; None where nothing but the 1 is known of it."""
    if inner.zero or inner.valuation != 0 or inner.terms[0] != 1:
        raise NoSeriesError(f"what stands in {what} does not tend to 1")
    rest = inner.terms[1:]
    return _normal(1, rest) if any(rest) else None


def root_of(inner: Series, power: Fraction) -> Series:
    """inner^power for a power that is no whole number."""
    if inner.zero or inner.terms[0] <= 0 or (inner.valuation * power).denominator != 1:
        raise NoSeriesError("a root of what may be no square")
    scale = rational_power(inner.terms[0], power)
    plain = Series(0, tuple(one / inner.terms[0] for one in inner.terms))
    binomials = [Fraction(1)]
    for k in range(1, TERMS * 2):
        binomials.append(binomials[-1] * (power - k + 1) / k)
    shifted = _from_one(plain, "a root")
    # (1 + O(s^n))^power = 1 + O(s^n)
    found = plain if shifted is None else _composed(binomials, shifted, "a root")
    return Series(found.valuation + int(inner.valuation * power), tuple(scale * one for one in found.terms))


def rational_power(number: Fraction, power: Fraction) -> Fraction:
    """A power that is a rational number; NoSeriesError for another one."""
    if number == 1:
        return number
    above, below = isqrt(number.numerator), isqrt(number.denominator)
    if power.denominator != 2 or above**2 != number.numerator or below**2 != number.denominator:
        raise NoSeriesError(f"{number}**({power}) is no rational number")
    return Fraction(above, below) ** power.numerator
