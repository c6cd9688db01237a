"""Sums to infinity of terms with a rational ratio: where they converge, closed forms, and values with their remainders.

The terms t_0, t_1, ... of sum(body, k, first, oo) have t_(n+1)/t_n = x (n + a_1)...(n + a_p)/((n + b_1)...(n + b_q)).
Where no n + b_j is 0, such a sum converges for every x if p < q and for |x| < 1 if p = q, by d'Alembert's test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import flint
import sympy as sp

from theorems.algebra.balls import ball, rational
from theorems.algebra.expressions import symbol
from theorems.algebra.spherical import SphereExp
from theorems.statement.expression import Expr, StatementError, minus, name, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.scalars import combined, sympy_of
from theorems.statement.reading.shapes import shape
from theorems.statement.values.arithmetic import Number, UndefinedError, unknown
from theorems.statement.values.arithmetic import ball as ball_of

if TYPE_CHECKING:
    from theorems.statement.values.values import Reader

#: Most terms that are added, and every how many of them the remainder is looked at.
MOST, EVERY = 4096, 8
#: Terms that are worked out as they stand.
APART = 48
#: Bits of the remainder beyond those of the balls.
GUARD = 4
_N = sp.Symbol("n#")


class NoRatioError(StatementError):
    """Terms whose ratio is not seen to be a rational function of the index."""


@dataclass
class _Reading:
    """Reads a body by its index; ``parts`` are what of it is no arithmetic of names, by its text."""

    index: str
    parts: dict[str, Expr] = field(default_factory=dict)
    #: what has to be >= 0 at every index, so that a ratio holds from the first term on
    needs: list[Expr] = field(default_factory=list)

    def number(self, node: Expr) -> sp.Expr:
        """An expression as sympy reads it."""
        try:
            return sympy_of(node)
        except NotPolynomialError:
            # u.T*v is a number of its own, and u.T none
            if node.op in ("+", "*", "/", "**") and all(shape(arg) == "number" for arg in node):
                return combined(node.op, [self.number(arg) for arg in node.args], node)
            if self.index in node.names():
                raise self.none(node) from None
            self.parts[str(node)] = node
            return symbol(str(node))

    def none(self, node: Expr) -> NoRatioError:
        """The error for what has no rational ratio."""
        return NoRatioError(
            f"no rule says whether a sum to oo of {node} converges; expected terms whose ratio is rational in "
            f"{self.index}, such as u**{self.index}/{self.index}",
            at=node.at,
        )

    def step(self, node: Expr) -> sp.Expr:
        """How far an expression moves with the index, which must be the same everywhere."""
        moved = node.put({self.index: Expr("+", (name(self.index), number(1)))})
        found = sp.cancel(sp.expand(self.number(moved) - self.number(node)))
        if symbol(self.index) in found.free_symbols:
            raise self.none(node)
        return found

    def ratio(self, node: Expr) -> sp.Expr:
        """node at the next index over node at this one."""
        op, args = node.op, node.args
        if self.index not in node.names():
            return sp.Integer(1)
        if op == "*":
            return sp.Mul(*map(self.ratio, args))
        if op == "/":
            return self.ratio(args[0]) / self.ratio(args[1])
        if op == "exp":
            return sp.exp(self.step(args[0]))
        if op == "**" and self.index not in args[0].names():
            return self.number(args[0]) ** self.step(args[1])
        if op == "**" and args[1].op == "number" and args[1].args[0].denominator == 1:
            return self.ratio(args[0]) ** int(args[1].args[0])
        if op == "prod":
            return self._factors(node)
        if op == "gamma":
            # Gamma(t + 1) = t Gamma(t)
            start, step = self.number(args[0]), self.step(args[0])
            if not step.is_Integer or not 0 <= step <= 8:
                raise self.none(node)
            return sp.Mul(*(start + k for k in range(int(step))))
        value, own = self.number(node), symbol(self.index)
        if value == 0 or not value.is_rational_function(own):
            raise self.none(node)
        return value.subs(own, own + 1) / value

    def _factors(self, node: Expr) -> sp.Expr:
        """The factors that a product to a moving end gains."""
        body, inner, first, last = node.args
        count = self.step(last)
        if self.index in body.names() | first.names() or not count.is_Integer or not 0 <= count <= 8:
            raise self.none(node)
        # an empty product is 1, and shorter than that it gains no factor
        self.needs.append(Expr("+", (minus(last, first), number(1))))
        gained = (body.put({inner: Expr("+", (last, number(k)))}) for k in range(1, int(count) + 1))
        return sp.Mul(*map(self.number, gained))


@dataclass(frozen=True)
class Terms:
    """The first term, the ratio of the others, above/below in n, and what has to be >= 0 at every index."""

    start: sp.Expr
    above: sp.Poly
    below: sp.Poly
    needs: tuple[Expr, ...]
    parts: dict[str, Expr]

    @cached_property
    def shifts(self) -> tuple[sp.Expr, tuple[sp.Expr, ...], tuple[sp.Expr, ...]]:
        """x, (a_1, ..., a_p) and (b_1, ..., b_q); NoRatioError where a factor is not linear in n."""
        (lead, ups), (least, downs) = linear_factors(self.above), linear_factors(self.below)
        return sp.cancel(lead / least), ups, downs

    @cached_property
    def everywhere(self) -> bool:
        """Whether it converges for every x; else for |x| < 1."""
        _, ups, downs = self.shifts
        if len(ups) > len(downs):
            raise NoRatioError("the terms of the sum grow: it diverges")
        return len(ups) < len(downs)

    @cached_property
    def closed(self) -> sp.Expr | None:
        """The sum in closed form: geometric, exponential, binomial, logarithmic, as E exp on a sphere, or pFq."""
        if self.start == 0:
            # its ratio to the next term says nothing of that
            return None
        x, ups, downs = self.shifts
        rest = sorted(downs, key=lambda one: one != 1)
        if not rest or rest[0] != 1:
            # (n + 1)/(n + 1)
            ups, rest = (*ups, sp.Integer(1)), [sp.Integer(1), *rest]
        known = _closed(x, sorted(ups, key=str), rest[1:])
        if known is None and self.everywhere:
            known = sp.hyper(ups, rest[1:], x)
        return None if known is None else self.start * known


def _closed(x: sp.Expr, ups: list[sp.Expr], downs: list[sp.Expr]) -> sp.Expr | None:
    """sum_n (a_1)_n ... (a_p)_n/((b_1)_n ... (b_q)_n) x^n/n!."""
    if not ups and not downs:
        return sp.exp(x)
    if len(ups) == 1 and not downs:
        return (1 - x) ** -ups[0]
    if ups == [1, 1] and downs == [2]:
        return -sp.log(1 - x) / x
    if not ups and len(downs) == 1:
        return SphereExp(2 * downs[0], sp.cancel(2 * x / downs[0]))
    return None


def linear_factors(poly: sp.Poly) -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    """c and (s_1, ...) of c (n + s_1) ...; NoRatioError where a factor is not linear."""
    lead, factors = sp.factor_list(poly.as_expr())
    shifts: list[sp.Expr] = []
    for factor, count in factors:
        one = sp.Poly(factor, poly.gen)
        if one.degree() > 1:
            raise NoRatioError(f"the ratio of the terms has the factor {factor}, which is not linear")
        lead *= one.LC() ** count
        shifts += [sp.cancel(one.nth(0) / one.LC())] * (count if one.degree() else 0)
    return lead, tuple(shifts)


@lru_cache(maxsize=256)
def terms_of(node: Expr) -> Terms:
    """The terms of a sum to infinity; NoRatioError where they have no rational ratio."""
    body, index, first = node.args
    reading = _Reading(index)
    found = reading.ratio(body)
    start = reading.number(_written_out(body.put({index: first})))
    place = reading.number(first) + _N
    above, below = sp.fraction(sp.cancel(sp.together(found.xreplace({symbol(index): place}))))
    try:
        polys = sp.Poly(above, _N), sp.Poly(below, _N)
    except sp.PolynomialError:
        raise reading.none(body) from None
    if any(one.has_only_gens() is False and one.free_symbols_in_domain & {_N} for one in polys):
        raise reading.none(body)
    if any(reading.number(need.put({index: first})).is_negative for need in reading.needs):
        raise NoRatioError(f"a product in the sum over {index} has less than 0 factors at first", at=body.at)
    if start.has(sp.zoo, sp.nan):
        raise NoRatioError(f"the first term of the sum over {index} has no value", at=body.at)
    return Terms(start, *polys, tuple(reading.needs), reading.parts)


def _written_out(node: Expr) -> Expr:
    """The expression with products of few factors, by their numbers, written out."""
    node = node.mapped(_written_out)
    if node.op != "prod":
        return node
    body, index, first, last = node.args
    length = sympy_of(minus(last, first))
    if not length.is_Integer or not -1 <= length <= 8:
        return node
    factors = [body.put({index: Expr("+", (first, number(k)))}) for k in range(int(length) + 1)]
    return Expr("*", tuple(factors)) if len(factors) > 1 else factors[0] if factors else number(1)


def enclosed(node: Expr, reader: Reader) -> Number:
    """The value at a case: the terms one by one, and the rest by the largest ratio that is left.

    Where |t_(n+1)/t_n| <= r < 1 for n >= N, what follows t_N is at most |t_N| r/(1 - r) in absolute value.
    UndefinedError where it diverges.
    """
    body, index, first = node.args
    start = reader.number(first)
    if not isinstance(start, Fraction) or start.denominator != 1:
        raise UndefinedError(f"{node} begins at {start}; expected an integer")
    terms = terms_of(node)
    point = {
        one.name: _value(one.name, terms, reader)
        for one in terms.above.free_symbols | terms.below.free_symbols
        if one != _N
    }
    above, below = ([ball(c, point) for c in poly.all_coeffs()] for poly in (terms.above, terms.below))
    least, far = _ratios(above, below, MOST)
    if not (far < 1 or least > 1):
        return unknown()
    total = term = flint.arb(0)
    for n in range(MOST):
        # the first terms as they stand, so that one without a value is seen; the others by their ratios
        if n < APART:
            term = ball_of(reader.inside(index, start + n).number(body))
        else:
            term = term * _at(above[::-1], flint.arb(n - 1)) / _at(below[::-1], flint.arb(n - 1))
        total += term
        if not term.is_finite():
            return unknown()
        if n % EVERY or not n:
            continue
        least, most = _ratios(above, below, n)
        if least > 1 and term != 0:
            raise UndefinedError(f"{node} diverges: its terms grow")
        if most < 1:
            rest = abs(term).upper() * most / (1 - most)
            small = flint.arb(2) ** -(flint.ctx.prec + GUARD)
            if rest <= small * max(abs(total).lower(), small) or rest == 0:
                return total + flint.arb(0, rest.upper())
            if n >= 64 and rest * far ** (MOST - n) > small * abs(total).upper():
                # not even with the last ratio would the rest become small
                break
    return unknown()


def _value(label: str, terms: Terms, reader: Reader) -> flint.arb:
    return ball_of(reader.number(terms.parts.get(label, name(label))))


def _ratios(above: list[flint.arb], below: list[flint.arb], n: int) -> tuple[flint.arb, flint.arb]:
    """What |ratio| is at least, and at most, from the n-th term on: at 1/s for s from 0 to 1/n."""
    s = rational(0).union(1 / flint.arb(n))
    size = abs(_at(above, s) / _at(below, s))
    lift = len(above) - len(below)
    scale = flint.arb(n) ** lift
    return (size.lower() * scale if lift >= 0 else flint.arb(0)), (
        size.upper() * scale if lift <= 0 else flint.arb("inf")
    )


def _at(coefficients: Iterable[flint.arb], s: flint.arb) -> flint.arb:
    """c_0 + c_1 s + ... for the coefficients of the highest powers first."""
    found = flint.arb(0)
    for one in reversed(list(coefficients)):
        found = found * s + one
    return found


__all__ = ["NoRatioError", "Terms", "enclosed", "linear_factors", "terms_of"]
