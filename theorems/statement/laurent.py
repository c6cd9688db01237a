"""Limits of functions of one name by their Laurent series, exactly, in rational numbers.

Where x tends to oo, x = 1/s; where it tends to a number a, x = a + s; s tends to 0. A function made of sums, products,
quotients, powers, exp, log, cos, sin and roots is analytic near s = 0, but for a pole, wherever what stands in log and
under roots tends to 1 (or to a rational square) and what stands in exp, cos and sin tends to 0. Its series is then that
of the parts, and its limit is read off the first term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial, isqrt
from typing import TYPE_CHECKING

from theorems.statement.expression import Expr

if TYPE_CHECKING:
    from theorems.statement.leading import Limit

#: Terms of a series that are kept.
TERMS = 16
INFINITE = (float("inf"), float("-inf"))


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

    @property
    def limit(self) -> Fraction | float:
        """Where it tends as s falls to 0."""
        if self.zero or self.valuation > 0:
            return Fraction(0)
        return self.terms[0] if self.valuation == 0 else INFINITE[self.terms[0] < 0]


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


class Reader:
    """Reads functions of one name as series in s."""

    def __init__(self, variable: str, at: Fraction | None) -> None:
        ones = (Fraction(1), *(Fraction(0),) * (TERMS - 1))
        near = Series(-1, ones) if at is None else Series(1, ones)
        self.sided = at is not None
        self.variable, self.own = variable, near if at is None or at == 0 else Series.of(at) + near

    def series(self, node: Expr) -> Series:
        """The series of a function; NoSeriesError where it has none here."""
        op, args = node.op, node.args
        if op == "number":
            return Series.of(args[0])
        if op == "name" and args[0] == self.variable:
            return self.own
        if op == "+":
            found = Series(0, ())
            for arg in args:
                found = found + self.series(arg)
            return found
        if op == "*":
            found = Series.of(1)
            for arg in args:
                found = found * self.series(arg)
            return found
        if op == "/":
            return self.series(args[0]) * self.series(args[1]).inverse
        if op == "**":
            return self._power(args[0], args[1])
        if op == "sqrt":
            return self._root(args[0], Fraction(1, 2))
        if op == "exp":
            return exp_of(self.series(args[0]))
        if op == "log":
            return self._logarithm(args[0])
        if op in ("cos", "sin"):
            return composed_wave(op, self.series(args[0]))
        raise NoSeriesError(f"{node} has no series here")

    def _power(self, base: Expr, exponent: Expr) -> Series:
        if exponent.op != "number":
            # a base > 0
            return exp_of(self.series(exponent) * self._logarithm(base))
        power = exponent.args[0]
        if power.denominator != 1:
            return self._root(base, power)
        one, found = self.series(base), Series.of(1)
        for _ in range(abs(int(power))):
            found = found * one
        return found.inverse if power < 0 else found

    def _root(self, inner: Expr, power: Fraction) -> Series:
        found = self.series(inner)
        if self.sided and not found.zero and found.valuation:
            # sqrt(s^2) = |s|
            raise NoSeriesError(f"the root of {inner} differs on either side")
        return root_of(found, power)

    def _logarithm(self, inner: Expr) -> Series:
        if inner.op == "**" and inner.args[1].op != "number":
            return self.series(inner.args[1]) * self._logarithm(inner.args[0])
        if inner.op == "exp":
            return self.series(inner.args[0])
        if not inner.names() and self.series(inner) == Series.of(1):
            # the number 1, and no series that begins with it
            return Series(0, ())
        return log_of(self.series(inner))


def quotient_limit(
    above: Expr, below: Expr, variable: str, at: Fraction | None, ways: Sequence[int] = (1, -1)
) -> Limit:
    """The limit of above/below; by leading terms where they have no series.

    A number is approached from the sides given, 1 for above; NoSeriesError where the limits there differ.
    """
    from theorems.statement.leading import limit

    try:
        reader = Reader(variable, at)
        found = reader.series(above) * reader.series(below).inverse
    except NoSeriesError as error:
        try:
            return limit(above, below, variable, at, ways if at is not None else (1,))
        except NoSeriesError as other:
            raise NoSeriesError(f"{error}; by leading terms, {other}") from None
    if at is not None and not found.zero and found.valuation < 0 and found.valuation % 2:
        raise NoSeriesError("it grows without bound with either sign")
    return found.limit
