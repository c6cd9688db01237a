"""Exact gradients at a case: the derivative along each entry of a matrix or vector, by the rules of calculus.

``along`` gives a value together with its derivative in one direction; where there is none, such as of a clipped number
at an end, UndefinedError is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from theorems.statement.expression import SUMS, Expr, StatementError
from theorems.statement.values.arithmetic import (
    Matrix,
    Number,
    UndefinedError,
    Value,
    Vector,
    add,
    dot,
    entries_of,
    inverse,
    joined,
    log,
    mul,
    plus,
    power,
    root,
    scaled,
    times,
)
from theorems.statement.values.values import Reader

ZERO, ONE = Fraction(0), Fraction(1)
#: A value, and its derivative; None where it does not depend on the variable.
Pair = tuple[Value, Value | None]


def gradient(reader: Reader, function: Expr, variable: Expr) -> Value:
    """The gradient of a number by a matrix or a vector, entry by entry, in that one's shape."""
    here = reader.value(variable)
    rows = here.rows if isinstance(here, Matrix) else tuple((entry,) for entry in entries_of(here))
    found = [
        [_Along(reader, variable, _unit(here, r, c)).number(function) for c in range(len(row))]
        for r, row in enumerate(rows)
    ]
    if isinstance(here, Matrix):
        return Matrix(tuple(map(tuple, found)))
    return Vector(tuple(row[0] for row in found))


def _unit(shape: Value, row: int, column: int) -> Value:
    """1 in one entry, 0 elsewhere."""
    if isinstance(shape, Matrix):
        size = range(len(shape.rows[0]))
        return Matrix(tuple(tuple(Fraction(r == row and c == column) for c in size) for r in range(len(shape.rows))))
    return Vector(tuple(Fraction(k == row) for k in range(len(entries_of(shape)))))


class _Along:
    """Values with their derivatives in one direction of a variable."""

    def __init__(self, reader: Reader, variable: Expr, direction: Value, kept: dict[Any, Pair] | None = None) -> None:
        self.reader, self.variable, self.direction = reader, variable, direction
        self.kept = {} if kept is None else kept

    def number(self, node: Expr) -> Number:
        """The derivative of a number."""
        found = self.pair(node)[1]
        if isinstance(found, Vector | Matrix):
            raise StatementError(f"{node} is no number; a gradient is that of a number", at=node.at)
        return ZERO if found is None else found

    def pair(self, node: Expr) -> Pair:
        """A value and its derivative."""
        if node == self.variable:
            return self.reader.value(node), self.direction
        if not _depends(node, self.variable):
            return self.reader.value(node), None
        rule = _RULES.get("linear" if node.op in _LINEAR else node.op)
        if rule is None:
            raise StatementError(
                f"{node} has no gradient here; expected polynomials, norms, exp, softmax, entropy or clip", at=node.at
            )
        key = self.reader.key(node)
        if key not in self.kept:
            self.kept[key] = rule(self, node)
        return self.kept[key]

    def inside(self, index: str, place: int) -> _Along:
        """The same with the index of a sum bound."""
        return _Along(self.reader.inside(index, Fraction(place)), self.variable, self.direction, self.kept)

    def scalar(self, node: Expr) -> tuple[Number, Number]:
        """The value and the derivative of a number."""
        value, moved = self.pair(node)
        if isinstance(value, Vector | Matrix) or isinstance(moved, Vector | Matrix):
            raise StatementError(f"{node} is no number", at=node.at)
        return value, ZERO if moved is None else moved


def _depends(node: Expr, variable: Expr) -> bool:
    if node == variable:
        return True
    if node.op == "at" and node.args[1] == variable:
        return _depends(node.args[2], variable)
    if node.op == "entry" and isinstance(node.args[0], str):
        return variable == Expr("family", (node.args[0],)) or _depends(node.args[1], variable)
    return any(_depends(arg, variable) for arg in node)


def _joined(one: Value | None, two: Value | None) -> Value | None:
    if one is None or two is None:
        return two if one is None else one
    return plus(one, two)


def _sum(of: _Along, node: Expr) -> Pair:
    pairs = [of.pair(arg) for arg in node]
    return reduce(plus, (value for value, _ in pairs)), reduce(_joined, (moved for _, moved in pairs))


def _product(of: _Along, node: Expr) -> Pair:
    return reduce(_times, (of.pair(arg) for arg in node))


def _times(one: Pair, two: Pair) -> Pair:
    left = None if one[1] is None else times(one[1], two[0])
    right = None if two[1] is None else times(one[0], two[1])
    return times(one[0], two[0]), _joined(left, right)


def _quotient(of: _Along, node: Expr) -> Pair:
    below, moved = of.scalar(node.args[1])
    turned = inverse(below)
    change = mul(Fraction(-1), mul(moved, mul(turned, turned)))
    return _times((turned, change), of.pair(node.args[0]))


def _power(of: _Along, node: Expr) -> Pair:
    base, exponent = node.args
    if _depends(exponent, of.variable):
        raise StatementError(f"{node}: an exponent that depends on {of.variable} has no gradient here", at=node.at)
    count = of.reader.number(exponent)
    whole = int(count) if isinstance(count, Fraction) and count.denominator == 1 else None
    if base.op == "norm" and base.args[1] in ("", "fro") and whole is not None and whole % 2 == 0:
        # |v|^2 is smooth where |v| is not
        square, moved = _squared(of, base)
        return _raised(square, moved, Fraction(whole, 2))
    pair = of.pair(base)
    if isinstance(pair[0], Matrix):
        if whole is None or not 0 < whole <= 64:
            raise StatementError(f"{node}: a matrix has powers 1, 2, 3, ... here", at=node.at)
        return reduce(_times, [pair] * whole)
    return _raised(*of.scalar(base), count)


def _raised(value: Number, moved: Number, count: Number) -> Pair:
    if count == 0:
        return ONE, None
    slope = mul(count, power(value, add(count, Fraction(-1))))
    return power(value, count), mul(slope, moved)


def _squared(of: _Along, node: Expr) -> tuple[Number, Number]:
    """|v|^2 of a vector, |W|_F^2 of a matrix, and its derivative 2 <v, dv>."""
    value, moved = of.pair(node.args[0])
    entries = entries_of(value)
    change = ZERO if moved is None else mul(Fraction(2), dot(entries, entries_of(moved)))
    return dot(entries, entries), change


def _norm(of: _Along, node: Expr) -> Pair:
    if node.args[1] not in ("", "fro"):
        raise StatementError(f"{node} has no gradient everywhere; expected norm(v) or norm(W, fro)", at=node.at)
    square, moved = _squared(of, node)
    size = root(square)
    return size, mul(moved, inverse(mul(Fraction(2), size)))


def _linear(of: _Along, node: Expr) -> Pair:
    """A transpose, a trace, an entry or a column: the derivative is that of the whole, treated alike."""
    whole = node.args[0]
    inner = Expr("family", (whole,)) if isinstance(whole, str) else whole
    value, moved = of.pair(inner)
    if any(_depends(arg, of.variable) for arg in node.args[1:]):
        raise StatementError(f"{node}: a place that depends on {of.variable} has no gradient", at=node.at)
    part = of.reader.part
    return part(node, value), None if moved is None else part(node, moved)


def _bound(of: _Along, node: Expr) -> Pair:
    body, index, first, last = node.args
    places = of.reader.places(first, last)
    if places is None or any(_depends(end, of.variable) for end in (first, last)):
        raise UndefinedError(f"{node}: too long, or its ends depend on {of.variable}")
    pairs = [of.inside(index, place).pair(body) for place in places]
    zeros = [value if moved is None else moved for value, moved in pairs]
    changes = [scaled(ZERO, zero) if moved is None else moved for zero, (_, moved) in zip(zeros, pairs, strict=True)]
    return joined(node, [value for value, _ in pairs]), joined(node, changes)


def _softmax(of: _Along, node: Expr) -> Pair:
    """p of s: dp_i = p_i (ds_i - sum_k p_k ds_k)."""
    shares = entries_of(of.reader.value(node))
    moved = of.pair(node.args[0])[1]
    assert moved is not None
    changes = entries_of(moved)
    mean = mul(Fraction(-1), dot(shares, changes))
    return Vector(shares), Vector(tuple(mul(p, add(change, mean)) for p, change in zip(shares, changes, strict=True)))


def _entropy(of: _Along, node: Expr) -> Pair:
    """-sum_k p_k log(p_k) of numbers > 0: the derivative is -sum_k (log(p_k) + 1) dp_k."""
    value, moved = of.pair(node.args[0])
    assert moved is not None
    slopes = tuple(add(log(share), ONE) for share in entries_of(value))
    return of.reader.number(node), mul(Fraction(-1), dot(slopes, entries_of(moved)))


def _elementary(slope: Callable[[Number, Number], Number]) -> Callable[[_Along, Expr], Pair]:
    """A function of one number whose slope is given by its argument and its value."""

    def read(of: _Along, node: Expr) -> Pair:
        inner, moved = of.scalar(node.args[0])
        value = of.reader.number(node)
        return value, mul(slope(inner, value), moved)

    return read


def _sign(number: Number, _: Number) -> Number:
    if number > 0 or number < 0:
        return Fraction(1 if number > 0 else -1)
    raise UndefinedError("abs has no gradient at 0")


def _clip(of: _Along, node: Expr) -> Pair:
    """The slope of what is clipped inside, 0 outside; at an end there is one only where both agree."""
    if any(_depends(end, of.variable) for end in node.args[1:]):
        raise StatementError(f"{node}: ends that depend on {of.variable} have no gradient here", at=node.at)
    inner, moved = of.scalar(node.args[0])
    below, above = (add(inner, mul(Fraction(-1), of.reader.number(end))) for end in node.args[1:])
    value = of.reader.value(node)
    if moved == 0 or below < 0 or above > 0:
        return value, None
    if below > 0 and above < 0:
        return value, moved
    raise UndefinedError(f"{node} has no gradient where it is clipped just so")


def _locally_constant(of: _Along, node: Expr) -> Pair:
    _, one, two = node.args[0].args
    gap = add(of.reader.number(one), mul(Fraction(-1), of.reader.number(two)))
    if not (gap > 0 or gap < 0):
        raise UndefinedError(f"{node} has no gradient where both sides are equal")
    return of.reader.value(node), None


def _elsewhere(of: _Along, node: Expr) -> Pair:
    body, variable, value = node.args
    if _depends(value, of.variable):
        raise StatementError(f"{node}: a value that depends on {of.variable} has no gradient here", at=node.at)
    return _Along(of.reader.at(variable, value), of.variable, of.direction).pair(body)


#: What is linear in its first argument.
_LINEAR = ("T", "tr", "entry", "element", "column")
_RULES: Mapping[str, Callable[[Any, Expr], Pair]] = {
    "+": _sum,
    "*": _product,
    "/": _quotient,
    "**": _power,
    "norm": _norm,
    "linear": _linear,
    "softmax": _softmax,
    "entropy": _entropy,
    "exp": _elementary(lambda _, value: value),
    "log": _elementary(lambda inner, _: inverse(inner)),
    "sqrt": _elementary(lambda _, value: inverse(mul(Fraction(2), value))),
    "abs": _elementary(_sign),
    "clip": _clip,
    "indicator": _locally_constant,
    "at": _elsewhere,
    **dict.fromkeys((one for one in SUMS if one != "prod"), _bound),
}
