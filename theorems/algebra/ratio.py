"""Polynomials over a monomial: the coefficients of every derivation, with equality decided by normal form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, PolyRing

from theorems.algebra.expressions import symbol
from theorems.algebra.quotients import cancelled
from theorems.algebra.sums import antidifference


@cache
def ring_of(names: tuple[str, ...]) -> PolyRing:
    """QQ[names], one object for one tuple of names."""
    return PolyRing([symbol(name) for name in names], QQ)


def _lift(polynomial: PolyElement, names: tuple[str, ...]) -> PolyElement:
    old = _names(polynomial)
    if old == names:
        return polynomial
    place = [names.index(name) for name in old]
    terms = {}
    for monomial, coefficient in polynomial.items():
        exponents = [0] * len(names)
        for slot, exponent in zip(place, monomial, strict=True):
            exponents[slot] = exponent
        terms[tuple(exponents)] = coefficient
    return PolyElement(ring_of(names), terms)


@cache
def _ring_names(ring: PolyRing) -> tuple[str, ...]:
    return tuple(generator.name for generator in ring.symbols)


def _names(polynomial: PolyElement) -> tuple[str, ...]:
    return _ring_names(polynomial.ring)


class Ratio:
    """A polynomial with rational coefficients over a monomial, e.g. (i - 1)*tr1/(lam*T)."""

    __slots__ = ("den", "num")

    def __init__(self, num: PolyElement, den: Mapping[str, int] | None = None) -> None:
        self.num = num
        self.den = {name: power for name, power in (den or {}).items() if power}

    @staticmethod
    def of(value: Any) -> Ratio:
        """A Ratio from an int, a Fraction, a name or a Ratio; raises TypeError for anything else."""
        if isinstance(value, Ratio):
            return value
        if isinstance(value, str | int | Fraction):
            return _made(value)
        as_ratio = getattr(value, "ratio", None)
        if isinstance(as_ratio, Ratio):
            return as_ratio
        raise TypeError(f"{value!r} is no coefficient; expected an integer, a Fraction, a position or a derived value")

    @staticmethod
    def from_expr(expression: sp.Expr) -> Ratio:
        """Read a sympy expression whose denominator is a monomial; raises ValueError for any other."""
        terms = _laurent(expression)
        if terms is not None:
            return terms
        numerator, denominator = cancelled(expression)
        names = tuple(sorted(s.name for s in (numerator.free_symbols | denominator.free_symbols)))
        ring = ring_of(names)
        low = ring.from_expr(sp.expand(denominator))
        if len(low) != 1:
            raise ValueError(f"{expression} has the denominator {denominator}; expected a monomial")
        ((monomial, coefficient),) = low.terms()
        high = ring.from_expr(sp.expand(numerator)) * (QQ(1) / coefficient)
        return Ratio(high, dict(zip(names, monomial, strict=True))).reduced()

    def _pair(self, other: Ratio) -> tuple[PolyElement, PolyElement]:
        mine, theirs = _names(self.num), _names(other.num)
        if mine == theirs:
            return self.num, other.num
        names = tuple(sorted({*mine, *theirs}))
        return _lift(self.num, names), _lift(other.num, names)

    def __mul__(self, other: Any) -> Ratio:
        if not _coefficient(other):
            return NotImplemented
        other = Ratio.of(other)
        left, right = self._pair(other)
        den = dict(self.den)
        for name, power in other.den.items():
            den[name] = den.get(name, 0) + power
        return Ratio(left * right, den)

    __rmul__ = __mul__

    def _over(self, den: Mapping[str, int]) -> Ratio:
        factor = self
        for name, power in den.items():
            extra = power - self.den.get(name, 0)
            if extra:
                factor = Ratio(factor.num) * Ratio(ring_of((name,)).gens[0] ** extra)
        return Ratio(factor.num)

    def __add__(self, other: Any) -> Ratio:
        if not _coefficient(other):
            return NotImplemented
        other = Ratio.of(other)
        if self.den == other.den:
            a, b = self._pair(other)
            return Ratio(a + b, self.den)
        den = {name: max(self.den.get(name, 0), other.den.get(name, 0)) for name in {*self.den, *other.den}}
        left, right = self._over(den), other._over(den)
        a, b = left._pair(right)
        return Ratio(a + b, den)

    __radd__ = __add__

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.den)

    def __sub__(self, other: Any) -> Ratio:
        if not _coefficient(other):
            return NotImplemented
        return self + (-Ratio.of(other))

    def __rsub__(self, other: Any) -> Ratio:
        return Ratio.of(other) - self

    def __pow__(self, exponent: int) -> Ratio:
        if exponent == 0:
            return Ratio.of(1)
        return Ratio(self.num**exponent, {name: power * exponent for name, power in self.den.items()})

    def __truediv__(self, other: Any) -> Ratio:
        other = Ratio.of(other).reduced()
        terms = other.num.terms()
        if len(terms) != 1:
            raise ZeroDivisionError(f"division by {other}; expected a single non-zero term")
        ((monomial, coefficient),) = terms
        inverse = Ratio(
            ring_of(()).ground_new(QQ(1) / coefficient), dict(zip(_names(other.num), monomial, strict=True))
        )
        for name, power in other.den.items():
            inverse = inverse * Ratio(ring_of((name,)).gens[0] ** power)
        return self * inverse

    def __rtruediv__(self, other: Any) -> Ratio:
        return Ratio.of(other) / self

    def lowest(self, below: Ratio) -> tuple[Ratio, Ratio]:
        """Two polynomials without their common factors."""
        one, two = self.reduced(), below.reduced()
        if one.den or two.den:
            raise ValueError(f"{self} and {below} are not both polynomials")
        left, right = one._pair(two)
        above, under = left.cancel(right)
        return Ratio(above).reduced(), Ratio(under).reduced()

    def reduced(self) -> Ratio:
        """The same value with the common monomial cancelled and unused names dropped: its normal form."""
        if not self.num:
            return Ratio(ring_of(()).zero)
        names = _names(self.num)
        powers = list(zip(*self.num, strict=True))
        cut = [min(self.den.get(name, 0), *own) for name, own in zip(names, powers, strict=True)]
        slots = [slot for slot, own in enumerate(powers) if max(own) > cut[slot]]
        if len(slots) == len(names) and not any(cut):
            return Ratio(self.num, self.den)
        den = {**self.den, **{name: self.den[name] - common for name, common in zip(names, cut, strict=True) if common}}
        reduced = {tuple(monomial[s] - cut[s] for s in slots): value for monomial, value in self.num.items()}
        return Ratio(PolyElement(ring_of(tuple(names[s] for s in slots)), reduced), den)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratio | int | Fraction | str):
            return NotImplemented
        other = Ratio.of(other)
        if self.den == other.den and _names(self.num) == _names(other.num):
            return bool(self.num == other.num)
        return not (self - other).num

    def __hash__(self) -> int:
        normal = self.reduced()
        if not normal.den and not _names(normal.num):
            constant = normal.num.get((), QQ(0))
            return hash(Fraction(int(constant.numerator), int(constant.denominator)))
        if not normal.den and len(normal.num) == 1:
            ((monomial, coefficient),) = normal.num.terms()
            if coefficient == 1 and sum(monomial) == 1:
                return hash(_names(normal.num)[0])
        return hash((_names(normal.num), frozenset(normal.num.items()), frozenset(normal.den.items())))

    @property
    def data(self) -> tuple[Any, ...]:
        """The normal form as tuples, which sort: names, monomials with their coefficients, and what is below."""
        normal = self.reduced()
        return _names(normal.num), tuple(sorted(normal.num.items())), tuple(sorted(normal.den.items()))

    @property
    def names(self) -> frozenset[str]:
        """Every name that occurs."""
        normal = self.reduced()
        return frozenset(_names(normal.num)) | frozenset(normal.den)

    @property
    def expr(self) -> sp.Expr:
        """The value as a sympy expression, expanded."""
        normal = self.reduced()
        below = sp.Mul(*(symbol(name) ** power for name, power in sorted(normal.den.items())))
        return sp.Add(*(term / below for term in sp.Add.make_args(normal.num.as_expr())))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {sp.latex(self.expr)}$"

    def __repr__(self) -> str:
        return str(self.expr)

    def terms(self, name: str) -> dict[int, Ratio]:
        """Coefficients by power of ``name`` (negative powers included)."""
        names = _names(self.num)
        shift = self.den.get(name, 0)
        rest = {key: power for key, power in self.den.items() if key != name}
        if name not in names:
            return {-shift: Ratio(self.num, rest)} if self.num else {}
        slot = names.index(name)
        others = names[:slot] + names[slot + 1 :]
        parts: dict[int, dict[tuple[int, ...], Any]] = {}
        for monomial, coefficient in self.num.terms():
            part = parts.setdefault(monomial[slot] - shift, {})
            part[monomial[:slot] + monomial[slot + 1 :]] = coefficient
        return {power: Ratio(ring_of(others).from_dict(part), rest) for power, part in parts.items()}

    def substitute(self, name: str, value: Any) -> Ratio:
        """The value with ``name`` replaced; a negative power of it needs a single-term replacement."""
        replacement = Ratio.of(value)
        total = Ratio.of(0)
        for power, coefficient in self.terms(name).items():
            factor = replacement**power if power >= 0 else Ratio.of(1) / replacement ** (-power)
            total = total + coefficient * factor
        return total.reduced()

    def summed(self, name: str) -> Ratio:
        """P with P(name) - P(name - 1) equal to this value and P(0) = 0; raises ValueError below the fraction bar."""
        if name in self.den:
            raise ValueError(f"sum over {name}: {self} is not a polynomial in {name}")
        names = tuple(sorted({*_names(self.num), name}))
        return Ratio(antidifference(_lift(self.num, names), names.index(name)), self.den)

    def at(self, values: Mapping[str, float]) -> float:
        """The value in floating point; raises KeyError for a name without a value."""
        names = _names(self.num)
        total = 0.0
        for monomial, coefficient in self.num.terms():
            term = float(Fraction(int(coefficient.numerator), int(coefficient.denominator)))
            for name, power in zip(names, monomial, strict=True):
                if power:
                    term *= values[name] ** power
            total += term
        for name, power in self.den.items():
            total /= values[name] ** power
        return total


@lru_cache(maxsize=1 << 14, typed=True)
def _made(value: str | int | Fraction) -> Ratio:
    """A name or a number."""
    if isinstance(value, str):
        return Ratio(ring_of((value,)).gens[0])
    exact = Fraction(value)
    return Ratio(ring_of(()).ground_new(QQ(exact.numerator, exact.denominator)))


def _coefficient(value: Any) -> bool:
    """Whether a value is a coefficient itself: what only has a ratio (a moment) takes the operation over."""
    return isinstance(value, Ratio | int | Fraction | str) or getattr(value, "is_position", False)


def _laurent(expression: sp.Expr) -> Ratio | None:
    """The Ratio of an expression that expands to rational multiples of products of integer powers, else None."""
    table: dict[tuple[tuple[str, int], ...], Any] = {}
    for term in sp.Add.make_args(sp.expand(expression)):
        coefficient, rest = term.as_coeff_Mul()
        powers = []
        for factor in sp.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if base == 1:
                continue
            if not (base.is_Symbol and exponent.is_Integer):
                return None
            powers.append((base.name, int(exponent)))
        if not coefficient.is_Rational:
            return None
        key = tuple(sorted(powers))
        table[key] = table.get(key, QQ(0)) + QQ(int(coefficient.p), int(coefficient.q))
    names = tuple(sorted({name for powers in table for name, _ in powers}))
    den = {name: max(0, *(-dict(powers).get(name, 0) for powers in table)) for name in names}
    rows = {
        tuple(dict(powers).get(name, 0) + den[name] for name in names): value
        for powers, value in table.items()
        if value
    }
    return Ratio(ring_of(names).from_dict(rows), den).reduced()


def total(values: Iterable[Ratio]) -> Ratio:
    """The sum of some values; 0 for none."""
    parts = list(values)
    den: dict[str, int] = {}
    for part in parts:
        den |= {name: power for name, power in part.den.items() if power > den.get(name, 0)}
    over = [part.num if part.den == den else part._over(den).num for part in parts]
    names = tuple(sorted({name for polynomial in over for name in _names(polynomial)}))
    found: dict[tuple[int, ...], Any] = {}
    for polynomial in over:
        for monomial, coefficient in _lift(polynomial, names).items():
            found[monomial] = found.get(monomial, 0) + coefficient
    return Ratio(PolyElement(ring_of(names), {key: value for key, value in found.items() if value}), den)
