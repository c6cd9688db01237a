"""Values of what is said of every value of an index: hulls, distances, the largest and the smallest, indicators.

A distance of rational points is exact; conditions and extremes are decided in balls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from itertools import chain
from typing import Protocol

import flint

from theorems.balls import rational
from theorems.convex import nearest
from theorems.statement.expression import Expr
from theorems.statement.values import MAX_SUM, Data, Matrix, Number, UndefinedError, Value, Vector, root

#: The signs of left - right with which each relation holds.
_HOLDS = {"=": {0}, "<=": {-1, 0}, "<": {-1}, ">=": {0, 1}, ">": {1}, "!=": {-1, 1}}


class Reader(Protocol):
    """What evaluates an expression at a case, with the values of the indices around it."""

    case: Data
    own: Mapping[str, Fraction]

    def __init__(self, case: Data, own: Mapping[str, Fraction]) -> None: ...
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
        for place in _places(reader, ends):
            yield from members(type(reader)(reader.case, {**reader.own, index: place}), body)
    elif node.op == "given":
        body, *conditions = node.args
        if all(_settled(reader, condition) for condition in conditions):
            yield reader.value(body)
    else:
        yield reader.value(node)


def _places(reader: Reader, ends: list[Expr]) -> list[Fraction]:
    """The values of an index between two ends, or those that a sequence has."""
    if len(ends) == 1:
        listed = reader.value(ends[0])
        entries = listed.entries if isinstance(listed, Vector) else ()
        return [entry for entry in entries if isinstance(entry, Fraction)]
    low, high = (reader.number(end) for end in ends)
    if not (isinstance(low, Fraction) and isinstance(high, Fraction) and low.denominator == high.denominator == 1):
        raise UndefinedError(f"an index from {low} to {high}; expected integers")
    if high - low > MAX_SUM:
        raise UndefinedError(f"an index from {low} to {high}; expected at most {MAX_SUM} values")
    return [Fraction(place) for place in range(int(low), int(high) + 1)]


def truth(reader: Reader, relation: Expr) -> bool | None:
    """Whether a relation of two numbers holds; None where the balls settle nothing."""
    mark, left, right = relation.args
    gap = _gap(reader.number(left), reader.number(right))
    if isinstance(gap, Fraction):
        return (gap > 0) - (gap < 0) in _HOLDS[mark]
    if not (gap > 0 or gap < 0):
        return None
    return (1 if gap > 0 else -1) in _HOLDS[mark]


def _settled(reader: Reader, relation: Expr) -> bool:
    found = truth(reader, relation)
    if found is None:
        raise _UnsettledError
    return found


def indicator(reader: Reader, relation: Expr) -> Value:
    """1 where a relation holds, else 0."""
    found = truth(reader, relation)
    return flint.arb(0.5, 0.5) if found is None else Fraction(int(found))


def _extreme(reader: Reader, each: Expr, largest: bool) -> Value:
    try:
        found = [number for one in members(reader, each) for number in [_number(one)]]
    except _UnsettledError:
        return flint.arb.nan()
    if not found:
        raise UndefinedError(f"the {'largest' if largest else 'smallest'} of no numbers")
    return reduce(_larger if largest else _smaller, found)


def _larger(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return max(one, two)
    return _ball(one).max(_ball(two))


def _smaller(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return min(one, two)
    return _ball(one).min(_ball(two))


def _ball(number: Number) -> flint.arb:
    return rational(number) if isinstance(number, Fraction) else number


def _gap(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one - two
    return _ball(one) - _ball(two)


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


def _entries(one: Value) -> tuple[Number, ...]:
    if isinstance(one, Matrix):
        return tuple(chain.from_iterable(one.rows))
    if isinstance(one, Vector):
        return one.entries
    raise UndefinedError("a number in a hull; expected vectors or matrices")


#: What reads the nodes of these operations, from their arguments.
READ: dict[str, Callable[..., Value]] = {
    "indicator": indicator,
    "largest": lambda reader, each: _extreme(reader, each, True),
    "smallest": lambda reader, each: _extreme(reader, each, False),
    "dist": dist,
}
