"""Whether an expression is exactly 0, where balls only say that it is near: sums of exponentials at rational numbers.

A number is a quotient of sums of c_k exp(q_k) with rational c_k and distinct rational q_k. Such a sum is 0 only where
every c_k is (Lindemann and Weierstrass), so that what cancels is seen to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import flint

from theorems.algebra.balls import precision, rational
from theorems.statement.expression import Expr
from theorems.statement.values.arithmetic import Matrix, Vector
from theorems.statement.values.values import Data, value

#: c exp(q) for every q with a coefficient c other than 0.
Sum = Mapping[Fraction, Fraction]
Own = Mapping[str, Fraction]
#: Most terms of a sum, and most values of an index; bits of the balls that tell signs.
MOST, BITS = 256, 512


class NotExponentialError(ValueError):
    """An expression that is no quotient of sums of exponentials, as far as is seen here."""


@dataclass(frozen=True)
class Quotient:
    """above/below, with below other than 0."""

    above: Sum
    below: Sum

    @property
    def rational(self) -> Fraction | None:
        """The number itself where it is seen to be rational."""
        if not self.above:
            return Fraction(0)
        if set(self.above) == set(self.below) and len(self.below) == 1:
            ((shift, below),) = self.below.items()
            return self.above[shift] / below
        return None


Found = Quotient | tuple[Quotient, ...]


def vanishes(node: Expr, case: Data, own: Own | None = None) -> bool:
    """Whether a number is seen to be exactly 0 at a case; False where it is not, or is of another kind."""
    try:
        found = _Reader(case, own or {}).read(node)
    except (NotExponentialError, KeyError, ZeroDivisionError):
        return False
    return isinstance(found, Quotient) and not found.above


def _exact(number: Fraction) -> Quotient:
    return Quotient(_kept({Fraction(0): number}), {Fraction(0): Fraction(1)})


def _kept(table: Mapping[Fraction, Fraction]) -> Sum:
    if len(table) > MOST:
        raise NotExponentialError
    return {q: c for q, c in table.items() if c}


def _product(one: Sum, two: Sum) -> Sum:
    found: dict[Fraction, Fraction] = {}
    for p, a in one.items():
        for q, b in two.items():
            found[p + q] = found.get(p + q, Fraction(0)) + a * b
    return _kept(found)


def _total(one: Sum, two: Sum) -> Sum:
    return _kept({q: one.get(q, Fraction(0)) + two.get(q, Fraction(0)) for q in {*one, *two}})


def _plus(one: Found, two: Found) -> Found:
    if isinstance(one, Quotient) and isinstance(two, Quotient):
        if one.below == two.below:
            return Quotient(_total(one.above, two.above), one.below)
        above = _total(_product(one.above, two.below), _product(two.above, one.below))
        return Quotient(above, _product(one.below, two.below))
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        return tuple(_number(_plus(a, b)) for a, b in zip(one, two, strict=True))
    raise NotExponentialError


def _times(one: Found, two: Found) -> Found:
    if isinstance(one, Quotient) and isinstance(two, Quotient):
        return Quotient(_product(one.above, two.above), _product(one.below, two.below))
    if isinstance(one, tuple) and isinstance(two, tuple):
        raise NotExponentialError
    factor, entries = (one, two) if isinstance(two, tuple) else (two, one)
    assert isinstance(entries, tuple)
    return tuple(_number(_times(factor, entry)) for entry in entries)


def _number(found: Found) -> Quotient:
    if isinstance(found, tuple):
        raise NotExponentialError
    return found


class _Reader:
    def __init__(self, case: Data, own: Own, kept: dict[Expr, Found] | None = None) -> None:
        #: ``kept`` are values of what no index stands in: one softmax for all terms of a sum
        self.case, self.own, self.kept = case, own, {} if kept is None else kept

    def read(self, node: Expr) -> Found:
        """The value of a number or a vector; NotExponentialError for any other."""
        op, args = node.op, node.args
        if op in ("+", "*"):
            return reduce(_plus if op == "+" else _times, map(self.read, args))
        if op in _READ:
            return _READ[op](self, *args)
        found = value(node, self.case, self.own)
        if isinstance(found, Matrix):
            raise NotExponentialError
        entries = found.entries if isinstance(found, Vector) else (found,)
        exact = tuple(_exact(entry) for entry in entries if isinstance(entry, Fraction))
        if len(exact) < len(entries):
            raise NotExponentialError
        return exact if isinstance(found, Vector) else exact[0]

    def rational(self, node: Expr) -> Fraction:
        """The value of a number that is seen to be rational."""
        found = _number(self.read(node)).rational
        if found is None:
            raise NotExponentialError
        return found

    def exp(self, inner: Expr) -> Found:
        return Quotient({self.rational(inner): Fraction(1)}, {Fraction(0): Fraction(1)})

    def quotient(self, above: Expr, below: Expr) -> Found:
        under = _number(self.read(below))
        if not under.above:
            raise ZeroDivisionError
        return _times(self.read(above), Quotient(under.below, under.above))

    def norm(self, inner: Expr, kind: str) -> Found:
        """The one entry that is not 0 without its sign, or 0; a norm of several entries is no such number."""
        found = self.read(inner)
        entries = [entry for entry in (found if isinstance(found, tuple) else (found,)) if entry.above]
        if len(entries) > 1:
            raise NotExponentialError
        return _times(_exact(Fraction(_sign(entries[0]))), entries[0]) if entries else _exact(Fraction(0))

    def softmax(self, inner: Expr) -> Found:
        scores = self.read(inner)
        if not isinstance(scores, tuple):
            raise NotExponentialError
        powers = [_exp(score) for score in scores]
        total = reduce(_total, powers)
        return tuple(Quotient(power, total) for power in powers)

    def entry(self, head: str | Expr, index: Expr) -> Found:
        vector = Expr("family", (head,)) if isinstance(head, str) else head
        found = self.kept.get(vector) if vector.names().isdisjoint(self.own) else self.read(vector)
        if found is None:
            found = self.kept[vector] = self.read(vector)
        place = self.rational(index)
        if not isinstance(found, tuple) or place.denominator != 1 or not 1 <= place <= len(found):
            raise NotExponentialError
        return found[int(place) - 1]

    def summed(self, body: Expr, index: str, first: Expr, last: Expr) -> Found:
        low, high = self.rational(first), self.rational(last)
        if low.denominator != 1 or high.denominator != 1 or not 0 <= high - low <= MOST:
            raise NotExponentialError
        places = range(int(low), int(high) + 1)
        return reduce(
            _plus, (_Reader(self.case, {**self.own, index: Fraction(k)}, self.kept).read(body) for k in places)
        )


def _sign(found: Quotient) -> int:
    """The certified sign of a number other than 0."""
    sign = 1
    with precision(BITS):
        for part in (found.above, found.below):
            total = flint.arb(0)
            for exponent, coefficient in part.items():
                total += rational(coefficient) * rational(exponent).exp()
            if not (total > 0 or total < 0):
                raise NotExponentialError
            sign *= 1 if total > 0 else -1
    return sign


def _exp(score: Quotient) -> Sum:
    exponent = score.rational
    if exponent is None:
        raise NotExponentialError
    return {exponent: Fraction(1)}


_READ: dict[str, Callable[..., Found]] = {
    "exp": _Reader.exp,
    "/": _Reader.quotient,
    "norm": _Reader.norm,
    "softmax": _Reader.softmax,
    "entry": _Reader.entry,
    "sum": _Reader.summed,
}
