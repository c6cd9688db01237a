"""Rational functions over the rationals in lowest terms, by python-flint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

import flint
import sympy as sp


@dataclass(frozen=True)
class Quotient:
    """above/below without a common factor, the leading coefficient of ``below`` 1; ``names`` are the unknowns."""

    above: flint.fmpq_mpoly
    below: flint.fmpq_mpoly
    names: tuple[sp.Symbol, ...]

    def expressions(self) -> tuple[sp.Expr, sp.Expr]:
        """Numerator and denominator as expanded polynomials."""
        return self._polynomial(self.above), self._polynomial(self.below)

    def _polynomial(self, found: flint.fmpq_mpoly) -> sp.Expr:
        return sp.Add(
            *(
                sp.Mul(sp.Rational(int(c.p), int(c.q)), *(n**k for n, k in zip(self.names, powers, strict=True) if k))
                for powers, c in found.terms()
            )
        )


class NotRationalError(ValueError):
    """An expression that is no quotient of polynomials with rational coefficients, or is one by 0."""


@lru_cache(maxsize=2048)
def quotient(expression: sp.Expr) -> Quotient:
    """A rational function of its names in lowest terms; NotRationalError for another expression."""
    names = tuple(sorted(expression.free_symbols, key=lambda s: (s.name, str(s.sort_key()))))
    context = flint.fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(names))), flint.Ordering.lex)
    known = dict(zip(names, context.gens(), strict=True))
    above, below = _read(sp.sympify(expression), known, context.constant(1))
    lead = below.leading_coefficient() if not below.is_zero() else flint.fmpq(1)
    return Quotient(above / lead, below / lead, names)


Pair = tuple[flint.fmpq_mpoly, flint.fmpq_mpoly]


def _read(node: sp.Expr, known: dict[sp.Symbol, flint.fmpq_mpoly], one: flint.fmpq_mpoly) -> Pair:
    if node.is_Symbol:
        return known[node], one
    if node.is_Rational:
        return one * flint.fmpq(int(node.p), int(node.q)), one
    if node.is_Add or node.is_Mul:
        combine = _sum if node.is_Add else _product
        return combine([_read(part, known, one) for part in node.args], one)
    if node.is_Pow and node.exp.is_Integer:
        above, below = _read(node.base, known, one)
        if node.exp < 0:
            above, below = below, above
        if below.is_zero():
            raise NotRationalError(f"{node} divides by 0")
        count = abs(int(node.exp))
        return above**count, below**count
    raise NotRationalError(f"{node} is no quotient of polynomials with rational coefficients")


def _lowest(above: flint.fmpq_mpoly, below: flint.fmpq_mpoly) -> Pair:
    if below.is_one():
        return above, below
    common = above.gcd(below)
    return above / common, below / common


def _product(parts: Sequence[Pair], one: flint.fmpq_mpoly) -> Pair:
    above, below = one, one
    for more, under in parts:
        above, below = _lowest(above * more, below * under)
    return above, below


def _sum(parts: Sequence[Pair], one: flint.fmpq_mpoly) -> Pair:
    above, below = one - one, one
    for more, under in parts:
        if under == below:
            above = above + more
        else:
            above, below = _lowest(above * under + more * below, below * under)
    return _lowest(above, below)


def cancelled(expression: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Numerator and denominator in lowest terms, expanded; with roots and functions as unknowns of sympy's."""
    try:
        return quotient(expression).expressions()
    except NotRationalError:
        above, below = sp.fraction(sp.cancel(sp.together(expression)))
        return above, below


def fraction(value: flint.fmpq) -> Fraction:
    """A rational of flint as Python's."""
    return Fraction(int(value.p), int(value.q))


def dot(one: Iterable[Fraction], two: Iterable[Fraction]) -> Fraction:
    """The inner product of two vectors of one length: integers over one denominator, in a tenth of Fractions' time."""
    above, below = 0, 1
    for a, b in zip(one, two, strict=True):
        (p, q), (r, s) = a.as_integer_ratio(), b.as_integer_ratio()
        if p and r:
            q *= s
            common = lcm(below, q)
            above, below = above * (common // below) + p * r * (common // q), common
    return Fraction(above, below)
