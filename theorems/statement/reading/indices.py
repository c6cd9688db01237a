"""Indices: integers, and entries that vectors and matrices have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from theorems.statement.expression import RANGES, Expr, StatementError
from theorems.statement.reading.declaring import said_real
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.places import ZERO, Place, place_of
from theorems.statement.reading.sizes import size

#: Names of indices that sums and alike bind, with the ends that they go between.
Bound = Mapping[str, tuple[Expr, Expr]]


def indices_of(node: Expr) -> Iterator[Expr]:
    """What stands in the square brackets of a node, or at its ends."""
    places = {"token": node.args[:1], "entry": node.args[1:], "element": node.args[1:], "member": node.args[2:]}
    given = node.args[2:] if node.op in RANGES else places.get(node.op, ())
    yield from (index for index in given if isinstance(index, Expr))


def check_indices(sides: tuple[Expr, ...], hypotheses: str, text: str) -> None:
    """What stands in x[...], in s[...] or at an end of a sum is an integer, and not said to be real."""
    real = said_real(hypotheses)
    for side in sides:
        for node in side.walk():
            if wrong := sorted(real & {name for index in indices_of(node) for name in index.names()}):
                raise StatementError(
                    f"{wrong[0]} is said to be real, and stands as an index; drop that, or say {wrong[0]} integer",
                    text,
                    max(node.at, 0),
                )


def check_entries(sides: tuple[Expr, ...], known: Hypotheses, text: str, hypotheses: str) -> None:
    """No index is beyond what it is an index of, in a side or in a hypothesis, whatever the sizes may be."""
    for side in sides:
        _look(side, known, {}, text)
    for _, *pair in known.relations:
        for side in pair:
            try:
                _look(side, known, {}, hypotheses)
            except StatementError as error:
                at = hypotheses.find(str(error).partition(" has no value")[0])
                raise StatementError(str(error), hypotheses, max(at, 0)) from None


def _look(node: Expr, known: Hypotheses, bound: Bound, text: str) -> None:
    if node.op == "entry":
        vector = node.args[0] if isinstance(node.args[0], Expr) else Expr("family", node.args[:1])
        rows, columns = size(vector, known, text)
        _held(node, node.args[1], columns if rows == "1" else rows, known, bound, text)
    if node.op == "element":
        for index, length in zip(node.args[1:], size(node.args[0], known, text), strict=True):
            _held(node, index, length, known, bound, text)
    if node.op in RANGES and len(node.args) == 4:
        body, index, first, last = node.args
        for end in (first, last):
            _look(end, known, bound, text)
        return _look(body, known, {**bound, index: (first, last)}, text)
    for arg in node:
        _look(arg, known, bound, text)


def _held(node: Expr, index: Expr, length: str, known: Hypotheses, bound: Bound, text: str) -> None:
    """StatementError where no size and no value makes an index an integer from 1 to ``length``."""
    if not (length.isdigit() or length.isidentifier()):
        return
    where = ""
    try:
        place = place_of(index)
        ends = _ends(place, bound)
        wrong = _beyond(ends, length, known)
        if ends != (place, place):
            where = f" for all {index} from {ends[0]} to {ends[1]}"
    except StatementError:
        # 2*k may be one; 1/2 is none
        wrong = index.op == "number"
    if wrong:
        told = f"{node} has no value{where}; expected an index from 1 to {length}"
        raise StatementError(told, text, max(node.at, 0))


def _ends(place: Place, bound: Bound) -> tuple[Place, Place]:
    """The least and the largest position that a place stands for, with the ends of sums for their indices."""
    first = last = place
    while first.name in bound:
        end = place_of(bound[first.name][0])
        first = Place(end.name, end.offset + first.offset)
    while last.name in bound:
        end = place_of(bound[last.name][1])
        last = Place(end.name, end.offset + last.offset)
    return first, last


def _beyond(ends: tuple[Place, Place], length: str, known: Hypotheses) -> bool:
    """Whether the first is certainly below 1, or the last certainly above the length."""
    first, last = ends
    top = Place(ZERO, int(length)) if length.isdigit() else Place(length)
    if last.name == top.name:
        above = last.offset > top.offset
    else:
        least, most = _range(last, known)[0], _range(top, known)[1]
        table = known.places.shortest([last.name, top.name])
        assert table is not None
        # how far the last is at least beyond the top, as hypotheses of both say, such as k > n
        apart = last.offset - table[top.name, last.name] - top.offset
        above = apart > 0 or (least is not None and most is not None and least > most)
    highest = _range(first, known)[1]
    return above or (highest is not None and highest < 1) or _fraction(first, known) or _fraction(last, known)


def _range(place: Place, known: Hypotheses) -> tuple[Fraction | None, Fraction | None]:
    """The least and the largest value of a place, as far as hypotheses say."""
    if place.name == ZERO:
        return Fraction(place.offset), Fraction(place.offset)
    values = known.ranges.get(place.name)
    low, high = (values.low, values.high) if values is not None else (None, None)
    table = known.places.shortest([place.name])
    assert table is not None
    least, most = -table[ZERO, place.name], table[place.name, ZERO]
    if low is None and least > -math.inf:
        low = Fraction(int(least))
    if high is None and most < math.inf:
        high = Fraction(int(most))
    return None if low is None else low + place.offset, None if high is None else high + place.offset


def _fraction(place: Place, known: Hypotheses) -> bool:
    """Whether a place is said to be one number, and that is no integer."""
    low, high = _range(place, known)
    return low is not None and low == high and low.denominator != 1
