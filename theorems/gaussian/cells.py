"""Limits with case distinctions as data: cells of sign conditions on polynomials, and the probability before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import ClassVar

import flint
import sympy as sp

from theorems.algebra.closed import names, substituted
from theorems.algebra.expressions import symbol
from theorems.algebra.quotients import cancelled
from theorems.gaussian.process import Step

#: A sign condition: for some polynomials, the signs (-1, 0, 1) that each may have.
Pattern = tuple[tuple[sp.Expr, tuple[int, ...]], ...]
Signs = Mapping[sp.Expr, int]

#: Values tried for the names of a cell, when a point in it is looked for.
GRID = tuple(Fraction(k, 8) for k in (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 64))


@dataclass(frozen=True)
class Cell:
    """Where the signs are as in ``pattern`` the limit is ``value``; None where it depends on the sequence."""

    pattern: Pattern
    value: sp.Expr | None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Law:
    """A probability that has no closed form: its value at a case, and a ball around it far along the sequences.

    ``far`` takes exact values of ``names``. A function of a case alone is no Law: no ball confirms its limit.
    """

    at: Callable[[Mapping[str, Fraction]], Fraction]
    far: Callable[[Mapping[str, Fraction]], flint.arb]
    names: tuple[str, ...] = ("theta", "xi", "eta")

    def __call__(self, scalars: Mapping[str, Fraction]) -> Fraction:
        """The probability at a case."""
        return self.at(scalars)


@dataclass(frozen=True)
class Limit:
    """A probability before the limit, and its limit cell by cell.

    ``finite`` is the probability as an expression; a Law, or a function of a case, where it has no closed form.
    ``cells`` together with ``empty`` (sign patterns that no admissible point has) cover every sign of ``polynomials``.
    ``domain`` are polynomials that are >= 0 wherever the claim speaks.
    """

    finite: sp.Expr | Callable[[Mapping[str, Fraction]], Fraction]
    polynomials: tuple[sp.Expr, ...]
    cells: tuple[Cell, ...]
    empty: tuple[Pattern, ...]
    domain: tuple[sp.Expr, ...]
    steps: tuple[Step, ...]
    method: str

    kind: ClassVar[str] = "mean"

    def at(self, scalars: Mapping[str, Fraction]) -> sp.Rational:
        """The probability at a case, before the limit, to 30 digits or as exactly as it is known."""
        if callable(self.finite) and not isinstance(self.finite, sp.Basic):
            return sp.Rational(self.finite(scalars))
        assert isinstance(self.finite, sp.Expr)
        table = {name: sp.Rational(scalars[name]) for name in names(self.finite)}
        return sp.Rational(sp.N(substituted(self.finite, table), 30))

    def cell_of(self, signs: Signs) -> Cell | None:
        """The cell that holds these signs."""
        return next((cell for cell in self.cells if matches(cell.pattern, signs)), None)

    def limit_at(self, scalars: Mapping[str, Fraction]) -> sp.Expr | None:
        """The limit at a case; None where it depends on the sequence."""
        signs = {p: sign_at_point(p, scalars) for p in self.polynomials}
        cell = self.cell_of(signs)
        return None if cell is None else cell.value

    @cached_property
    def places(self) -> tuple[tuple[Signs, Cell | None, tuple[dict[str, Fraction], ...]], ...]:
        """Every combination of signs with its cell, and exact points that have them."""
        return tuple((signs, self.cell_of(signs), self.witnesses(signs)) for signs in self.sign_vectors())

    def sign_vectors(self) -> Iterator[dict[sp.Expr, int]]:
        """Every combination of signs that is not shown to be empty."""
        for signs in product((-1, 0, 1), repeat=len(self.polynomials)):
            table = dict(zip(self.polynomials, signs, strict=True))
            if not any(matches(pattern, table) for pattern in self.empty):
                yield table

    def witnesses(self, signs: Signs) -> tuple[dict[str, Fraction], ...]:
        """Exact admissible points with these signs, from a small grid."""
        return _witnesses(self.polynomials, self.domain, tuple(signs[p] for p in self.polynomials))


#: Points of a cell that are kept.
MOST = 24


@lru_cache(maxsize=1024)
def _witnesses(
    polynomials: tuple[sp.Expr, ...], domain: tuple[sp.Expr, ...], signs: tuple[int, ...]
) -> tuple[dict[str, Fraction], ...]:
    free = sorted({name for p in (*polynomials, *domain) for name in names(p)})
    found: list[dict[str, Fraction]] = []
    for values in product((*GRID, *(-v for v in GRID if v)), repeat=len(free)):
        point = dict(zip(free, values, strict=True))
        wanted = zip(polynomials, signs, strict=True)
        if all(sign_at_point(p, point) == s for p, s in wanted) and all(sign_at_point(p, point) >= 0 for p in domain):
            found.append(point)
            if len(found) == MOST:
                break
    return tuple(found)


#: What is said of a polynomial of which signs are allowed.
_SIGNED = {(-1,): "<", (0,): "=", (1,): ">", (-1, 0): "<=", (0, 1): ">=", (-1, 1): "!="}


def patterned(pattern: Pattern) -> str:
    """A pattern in words: "r - 1 >= 0 and r = 0"."""
    return " and ".join(f"{polynomial} {_SIGNED[tuple(sorted(allowed))]} 0" for polynomial, allowed in pattern)


def matches(pattern: Pattern, signs: Signs) -> bool:
    """Whether the signs meet a pattern."""
    return all(signs[polynomial] in allowed for polynomial, allowed in pattern)


def sign_at_point(polynomial: sp.Expr, scalars: Mapping[str, Fraction]) -> int:
    """The sign of a polynomial at an exact point."""
    value = _compiled(polynomial)(*(scalars[name] for name in sorted(names(polynomial))))
    return (value > 0) - (value < 0)


@lru_cache(maxsize=256)
def _compiled(polynomial: sp.Expr) -> Callable[..., Fraction]:
    """The polynomial as a function of Fractions, in the order of its names."""
    order = sorted(names(polynomial))
    terms = sp.Poly(polynomial, *(symbol(n) for n in order)).terms() if order else []
    constant = Fraction(0) if order else Fraction(int(polynomial.p), int(polynomial.q))
    table = [(powers, Fraction(int(c.p), int(c.q))) for powers, c in terms]

    def value(*point: Fraction) -> Fraction:
        total = constant
        for powers, coefficient in table:
            for x, power in zip(point, powers, strict=True):
                coefficient = coefficient * x**power
            total += coefficient
        return total

    return value


def sign_of(expression: sp.Expr, signs: Signs) -> int | None:
    """The sign of a product or quotient of the polynomials, up to a constant; None for other expressions."""
    found = _factors(expression, tuple(signs))
    if found is None:
        return None
    sign, above, below = found
    if any(signs[polynomial] == 0 for polynomial in below):
        return None
    for polynomial in (*above, *below):
        sign *= signs[polynomial]
    return sign


@lru_cache(maxsize=4096)
def _factors(
    expression: sp.Expr, polynomials: tuple[sp.Expr, ...]
) -> tuple[int, tuple[sp.Expr, ...], tuple[sp.Expr, ...]] | None:
    """A constant's sign, and the polynomials above and below the line, whose product the expression is."""
    numerator, denominator = cancelled(expression)
    sign = 1
    places: list[tuple[sp.Expr, ...]] = []
    for part in (numerator, denominator):
        if part.is_number:
            sign *= int(sp.sign(part))
            places.append(())
            continue
        ratios = [(known, sp.cancel(part / known)) for known in polynomials]
        match = next(((known, ratio) for known, ratio in ratios if ratio.is_Rational), None)
        if match is None:
            return None
        sign *= int(sp.sign(match[1]))
        places.append((match[0],))
    return sign, places[0], places[1]


def described(signs: Signs) -> str:
    """A sign vector in words: theta - 1/2 = 0, r > 0."""
    relation = {-1: "<", 0: "=", 1: ">"}
    return ", ".join(f"{polynomial} {relation[sign]} 0" for polynomial, sign in signs.items())
