"""Values of what is said of every value of an index: hulls, distances, the largest and the smallest, indicators.

A distance of rational points is exact; conditions and extremes are decided in balls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from itertools import chain
from math import comb
from typing import Protocol

import flint

from theorems.algebra.convex import nearest
from theorems.algebra.quotients import fraction
from theorems.statement.expression import Expr
from theorems.statement.moments.integrals import enclosed as integral
from theorems.statement.moments.series import enclosed
from theorems.statement.values.arithmetic import (
    Matrix,
    Number,
    UndefinedError,
    Value,
    Vector,
    ball,
    larger,
    root,
    smaller,
)
from theorems.statement.values.truths import places, truth
from theorems.statement.values.values import Data

#: Largest n of a binomial coefficient, which has as many bits.
MOST = 100_000


class Reader(Protocol):
    """What evaluates an expression at a case, with the values of the indices around it."""

    case: Data
    own: Mapping[str, Fraction]

    def inside(self, index: str, place: Fraction) -> Reader:
        """The reader with an index bound."""
        ...

    def number(self, node: Expr) -> Number:
        """The value of a number."""
        ...

    def value(self, node: Expr) -> Value:
        """The value of an expression."""
        ...


class _UnsettledError(Exception):
    """Balls do not tell whether a condition holds."""


def members(reader: Reader, node: Expr) -> Iterator[Value]:
    """The values of what stands for every value of an index, where its conditions hold."""
    if node.op == "each":
        body, index, *ends = node.args
        for place in places(ends, reader.case, reader.own):
            yield from members(reader.inside(index, place), body)
    elif node.op == "given":
        body, *conditions = node.args
        if all(_settled(reader, condition) for condition in conditions):
            yield reader.value(body)
    else:
        yield reader.value(node)


def _settled(reader: Reader, condition: Expr) -> bool:
    found = truth(condition, reader.case, reader.own)
    if found is None:
        raise _UnsettledError
    return found


def indicator(reader: Reader, condition: Expr) -> Value:
    """1 where what is true or false holds, else 0."""
    found = truth(condition, reader.case, reader.own)
    return flint.arb(0.5, 0.5) if found is None else Fraction(int(found))


def _extreme(reader: Reader, each: Expr, largest: bool) -> Value:
    try:
        found = [number for one in members(reader, each) for number in [_number(one)]]
    except _UnsettledError:
        return flint.arb.nan()
    if not found:
        raise UndefinedError(f"the {'largest' if largest else 'smallest'} of no numbers")
    return reduce(larger if largest else smaller, found)


def binomial(reader: Reader, above: Expr, below: Expr) -> Value:
    """The number of ways to choose some of n: 0 for more than n, or fewer than none."""
    n, k = reader.number(above), reader.number(below)
    if not (isinstance(n, Fraction) and isinstance(k, Fraction) and n.denominator == k.denominator == 1 and n >= 0):
        raise UndefinedError(f"binomial({n}, {k}) has no value here; expected integers, the first one >= 0")
    if n > MOST:
        raise UndefinedError(f"binomial({n}, {k}) is not written out; expected n <= {MOST}")
    return Fraction(comb(int(n), int(k)) if k >= 0 else 0)


def _gap(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one - two
    return ball(one) - ball(two)


def _number(one: Value) -> Number:
    if isinstance(one, Vector | Matrix):
        raise UndefinedError("a vector or matrix where a number was expected")
    return one


def dist(reader: Reader, point: Expr, hull: Expr) -> Value:
    """The least Euclidean (for matrices Frobenius) distance of a point from a hull; UndefinedError for an empty one."""
    try:
        rows = [_entries(one) for arg in hull.args for one in members(reader, arg)]
    except _UnsettledError:
        return flint.arb.nan()
    if not rows:
        raise UndefinedError("the hull of no points")
    zero = point.op == "number"
    centre = (Fraction(0),) * len(rows[0]) if zero else _entries(reader.value(point))
    moved = [[_gap(entry, middle) for entry, middle in zip(row, centre, strict=True)] for row in rows]
    exact = [[entry for entry in row if isinstance(entry, Fraction)] for row in moved]
    if any(len(row) != len(centre) for row in exact):
        return flint.arb.nan()
    return root(nearest(exact).square)


def onto(reader: Reader, each: Expr) -> Value:
    """The orthogonal projector onto the span of vectors: B^T (B B^T)^(-1) B for the rows B of a basis."""
    try:
        rows = [_entries(one) for one in members(reader, each)]
    except _UnsettledError:
        raise UndefinedError("balls do not tell which vectors span the space of a projector") from None
    exact = [[flint.fmpq(v.numerator, v.denominator) for v in row if isinstance(v, Fraction)] for row in rows]
    if not rows or any(len(row) < len(rows[0]) for row in exact):
        raise UndefinedError("a projector onto the span of no vectors, or of ones that are not rational")
    reduced, rank = flint.fmpq_mat(exact).rref()
    size = len(rows[0])
    if not rank:
        return Matrix(((Fraction(0),) * size,) * size)
    basis = flint.fmpq_mat([[reduced[r, c] for c in range(size)] for r in range(rank)])
    found = basis.transpose() * (basis * basis.transpose()).inv() * basis
    return Matrix(tuple(tuple(fraction(v) for v in row) for row in found.tolist()))


def _entries(one: Value) -> tuple[Number, ...]:
    if isinstance(one, Matrix):
        return tuple(chain.from_iterable(one.rows))
    if isinstance(one, Vector):
        return one.entries
    raise UndefinedError("a number in a hull; expected vectors or matrices")


#: What reads the nodes of these operations, from their arguments.
READ: dict[str, Callable[..., Value]] = {
    "indicator": indicator,
    "binomial": binomial,
    "largest": lambda reader, each: _extreme(reader, each, True),
    "smallest": lambda reader, each: _extreme(reader, each, False),
    "dist": dist,
    "onto": onto,
    "series": lambda reader, *args: enclosed(Expr("series", args), reader),
    "integral": lambda reader, *args: integral(Expr("integral", args), reader),
}
