"""Powers a^t of a covariance kernel, t a position, and sums over tokens of polynomials times such powers."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio, total
from theorems.statement.moments.forms import NotPolynomialError


class NotClosedError(NotPolynomialError):
    """A sum over tokens that has no closed form here."""


class Powers:
    """Values with names of their own for powers a^t, and for what has no closed form, each put back in the end."""

    def __init__(self) -> None:
        #: a^t for the names of its generators, and opaque kernel values, as expressions
        self.powers: dict[str, tuple[Ratio, str]] = {}
        self.opaque: dict[str, sp.Expr] = {}

    def _exponential(self, base: Ratio, exponent: Ratio) -> Ratio:
        """base^exponent for an exponent that is linear in positions with integer coefficients."""
        value = Ratio.of(1)
        for name in ("", *sorted(exponent.names)):
            weight = exponent.terms(name).get(1, Ratio.of(0)) if name else _constant_part(exponent)
            count = _integer(weight)
            factor = base if not name else self._power_of(base, name)
            for _ in range(abs(count)):
                value = value * factor if count > 0 else value / factor
        return value.reduced()

    def _power_of(self, base: Ratio, name: str) -> Ratio:
        label = f"({base})**{name}"
        self.powers[label] = (base, name)
        return Ratio.of(label)

    def _closed(self, summand: Ratio, index: str, above: Ratio, upto: Ratio) -> Ratio:
        """sum over above < index <= upto of a polynomial in the index times powers a^index."""
        if any(index in label for label in self.opaque if label in summand.names):
            raise NotClosedError("a sum over tokens of a covariance without a closed sum")
        moving = [label for label, (_, name) in self.powers.items() if name == index and label in summand.names]
        if not moving:
            if index in summand.den:
                raise NotClosedError("a sum over tokens of a quotient")
            primitive = summand.summed(index)
            return (primitive.substitute(index, upto) - primitive.substitute(index, above)).reduced()
        label, *others = moving
        if others:
            raise NotClosedError("a sum over tokens of powers of two bases")
        base, _ = self.powers[label]
        parts = []
        for count, polynomial in summand.terms(label).items():
            if count == 0:
                parts.append(self._closed(polynomial, index, above, upto))
            else:
                primitive = self._geometric(polynomial, index, base, count)
                ends = []
                for end in (upto, above):
                    inside = primitive.substitute(index, end)
                    ends.append(
                        inside * self._exponential(base, end) ** count
                        if count > 0
                        else inside / self._exponential(base, end) ** -count
                    )
                parts.append(ends[0] - ends[1])
        return total(parts).reduced()

    def _geometric(self, polynomial: Ratio, index: str, base: Ratio, count: int) -> Ratio:
        """q with q(n) r^n - q(n - 1) r^(n - 1) = p(n) r^n for r = base^count != 1."""
        rho = Ratio.of(1) / base**count if count > 0 else base**-count
        inverse = self._inverse(rho)
        coefficients = polynomial.terms(index)
        if any(power < 0 for power in coefficients):
            raise NotClosedError("a sum over tokens of a quotient")
        top = max(coefficients, default=0)
        found: dict[int, Ratio] = {}
        for power in range(top, -1, -1):
            value = coefficients.get(power, Ratio.of(0))
            for above in range(power + 1, top + 1):
                value = value + rho * found[above] * (comb(above, power) * (-1) ** (above - power))
            found[power] = (value * inverse).reduced()
        return total(found[power] * Ratio.of(index) ** power for power in found)

    def _inverse(self, rho: Ratio) -> Ratio:
        """1/(1 - rho): a name of its own, put back in the end."""
        gap = (1 - rho.expr).expand()
        if gap == 0:
            raise NotClosedError("a geometric sum with ratio 1")
        if gap.is_Rational:
            return Ratio.of(Fraction(int(gap.q), int(gap.p)))
        label = f"1/({gap})"
        self.opaque[label] = 1 / gap
        return Ratio.of(label)

    def expr(self, value: Ratio) -> sp.Expr:
        """The value as an expression in the statement's own names."""
        table = {symbol(label): base.expr ** symbol(name) for label, (base, name) in self.powers.items()}
        table |= {symbol(label): form for label, form in self.opaque.items()}
        return value.expr.xreplace(table) if table else value.expr


def _constant_part(value: Ratio) -> Ratio:
    for name in sorted(value.names):
        value = value.terms(name).get(0, Ratio.of(0))
    return value


def _integer(value: Ratio) -> int:
    number = value.expr
    if not number.is_Integer:
        raise NotPolynomialError(f"{value} is no integer")
    return int(number)
