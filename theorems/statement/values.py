"""Values of a statement without tokens at an exact case: rational where they are, else a ball that holds the value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import isqrt
from typing import Any, Protocol

import flint

from theorems.balls import PRECISIONS, precision, rational
from theorems.norms import enclosure, rational_value
from theorems.statement import ensembles
from theorems.statement.calculus import settled
from theorems.statement.chances import by_erf
from theorems.statement.expression import Expr, StatementError

Number = Fraction | flint.arb
#: Exponents, lengths of sums and sizes of numbers beyond which a value is left to balls, or refused.
MAX_POWER, MAX_SUM, MAX_BITS = 4_096, 4_096, 100_000
#: Different scores beyond which weights have a common denominator, and wider balls.
MANY = 64


#: The signs of left - right with which each relation holds.
HOLDS = {"=": {0}, "<=": {-1, 0}, "<": {-1}, ">=": {0, 1}, ">": {1}, "!=": {-1, 1}}
_ZERO: Number = Fraction(0)
_ONE: Number = Fraction(1)


class UndefinedError(ValueError):
    """An expression without a value at a case, such as log(0)."""


class Data(Protocol):
    """What a case gives: numbers, matrices, vectors and sequences by name."""

    @property
    def numbers(self) -> Mapping[str, Fraction]: ...
    @property
    def matrices(self) -> Mapping[str, Sequence[Sequence[Fraction]]]: ...
    @property
    def vectors(self) -> Mapping[str, Sequence[Fraction]]: ...
    @property
    def sequences(self) -> Mapping[str, Sequence[Fraction]]: ...


@dataclass(frozen=True)
class Vector:
    """A column, or a row."""

    entries: tuple[Number, ...]
    row: bool = False


@dataclass(frozen=True)
class Matrix:
    """A matrix by its rows."""

    rows: tuple[tuple[Number, ...], ...]


Value = Number | Vector | Matrix


def compared(left: Expr, right: Expr, case: Data) -> int | None:
    """The certified sign of left - right: -1, 0 or 1; None where the balls settle none. Raises UndefinedError."""
    for bits in PRECISIONS:
        with precision(bits):
            gap = _add(scalar(left, case), _mul(Fraction(-1), scalar(right, case)))
            if isinstance(gap, Fraction):
                return (gap > 0) - (gap < 0)
            if gap > 0 or gap < 0:
                return 1 if gap > 0 else -1
            if not gap.is_finite():
                continue
    return None


def scalar(node: Expr, case: Data) -> Number:
    """The value of a number; StatementError where the expression is a vector or a matrix."""
    found = value(node, case)
    if isinstance(found, Vector | Matrix):
        raise StatementError(f"{node} is a {type(found).__name__.lower()}, not a number", at=node.at)
    return found


def value(node: Expr, case: Data) -> Value:
    """The value of an expression at a case, at flint's present precision."""
    return _Reader(case, {}).value(node)


def _ball(number: Number) -> flint.arb:
    return rational(number) if isinstance(number, Fraction) else number


def _unknown() -> flint.arb:
    return flint.arb.nan()


def _between_0_and_1() -> flint.arb:
    half = flint.arb(0.5)
    return flint.arb(half, half)


def _add(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one + two
    return _ball(one) + _ball(two)


def _mul(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one * two
    if 0 in (one if isinstance(one, Fraction) else 1, two if isinstance(two, Fraction) else 1):
        return Fraction(0)
    return _ball(one) * _ball(two)


def root(number: Number) -> Number:
    """The square root, rational where it is; UndefinedError for a negative number."""
    if isinstance(number, Fraction):
        if number < 0:
            raise UndefinedError(f"sqrt({number}) has no value")
        above, below = isqrt(number.numerator), isqrt(number.denominator)
        if above**2 == number.numerator and below**2 == number.denominator:
            return Fraction(above, below)
        return _ball(number).sqrt()
    if number < 0:
        raise UndefinedError("a square root of a negative number has no value")
    # whether a ball around 0 has a square root is not known
    return number.sqrt() if number >= 0 else _unknown()


def _exp(number: Number) -> Number:
    return Fraction(1) if number == 0 and isinstance(number, Fraction) else _ball(number).exp()


def _log(number: Number) -> Number:
    if isinstance(number, Fraction):
        if number <= 0:
            raise UndefinedError(f"log({number}) has no value")
        return Fraction(0) if number == 1 else _ball(number).log()
    if number <= 0:
        raise UndefinedError("a logarithm of a number <= 0 has no value")
    return number.log() if number > 0 else _unknown()


def _erf(number: Number) -> Number:
    return Fraction(0) if number == 0 and isinstance(number, Fraction) else _ball(number).erf()


def _absolute(number: Number) -> Number:
    return abs(number) if isinstance(number, Fraction) else number.max(-number)


def _larger(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return max(one, two)
    return _ball(one).max(_ball(two))


def _smaller(one: Number, two: Number) -> Number:
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return min(one, two)
    return _ball(one).min(_ball(two))


_ELEMENTARY: dict[str, Callable[[Number], Number]] = {
    "sqrt": root,
    "exp": _exp,
    "log": _log,
    "erf": _erf,
    "abs": _absolute,
}


def inverse(number: Number) -> Number:
    """1/number; UndefinedError for 0."""
    if isinstance(number, Fraction):
        if number == 0:
            raise UndefinedError("a division by 0")
        return 1 / number
    return 1 / number if number > 0 or number < 0 else _unknown()


def power(base: Number, exponent: Number) -> Number:
    """base ** exponent for real numbers: 0 ** 0 = 1, and a negative base has whole powers only."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        count = int(exponent)
        if count < 0:
            return power(inverse(base), Fraction(-count))
        if isinstance(base, Fraction):
            size = max(base.numerator.bit_length(), base.denominator.bit_length())
            if count <= MAX_POWER and count * size <= MAX_BITS:
                return base**count
            return _ball(base) ** count
        # arb's own power loses an interval around 0
        return reduce(_mul, [base] * count, _ONE) if count <= 64 else base**count
    if isinstance(exponent, Fraction) and exponent.denominator == 2:
        return power(root(base), Fraction(exponent.numerator))
    if isinstance(base, Fraction):
        if base < 0:
            raise UndefinedError(f"({base})**({exponent}) has no value")
        if base == 0:
            if isinstance(exponent, Fraction) and exponent < 0:
                raise UndefinedError("a division by 0")
            return Fraction(0) if exponent > 0 else _unknown()
        return Fraction(1) if base == 1 else _exp(_mul(_log(base), exponent))
    return _exp(_mul(_log(base), exponent)) if base > 0 else _unknown()


class _Reader:
    """Evaluates an expression; ``own`` are the values of the indices of sums."""

    def __init__(self, case: Data, own: Mapping[str, Fraction]) -> None:
        self.case, self.own = case, own

    def number(self, node: Expr) -> Number:
        found = self.value(node)
        if isinstance(found, Vector | Matrix):
            raise StatementError(f"{node} is a {type(found).__name__.lower()}, not a number", at=node.at)
        return found

    def vector(self, node: Expr) -> Vector:
        found = self.value(node)
        if isinstance(found, Vector):
            return found
        raise StatementError(f"{node} is no vector; expected e.g. softmax(s)", at=node.at)

    def value(self, node: Expr) -> Value:
        op, args = node.op, node.args
        if op == "number":
            return Fraction(args[0])
        if op in ("name", "matrix", "vector", "family"):
            return self._named(op, args[0])
        if op == "+":
            return reduce(self._plus, (self.value(arg) for arg in args))
        if op == "*":
            return reduce(self._times, (self.value(arg) for arg in args))
        if op == "/":
            return self._times(inverse(self.number(args[1])), self.value(args[0]))
        if op == "**":
            return self._power(*args)
        if op in _ELEMENTARY:
            return _ELEMENTARY[op](self.number(args[0]))
        if op in ("min", "max"):
            return reduce(_larger if op == "max" else _smaller, self._several(args))
        if op == "token":
            return Vector(ensembles.token(self.case, self.number(args[0])))
        if op == "mean":
            return Vector(ensembles.mean(self.case))
        if op == "E":
            return self._expected(args[0])
        if op in _READERS:
            return _READERS[op](self, *args)
        raise StatementError(f"{node} has no value in a statement without tokens", at=node.at)

    def _expected(self, inner: Expr) -> Value:
        """The mean over all equally likely orders of a finite exchangeable law's tokens."""
        base = self.case.case if isinstance(self.case, ensembles.Ordered) else self.case
        if not inner.random:
            return _Reader(base, self.own).value(inner)
        found = [_Reader(order, self.own).value(inner) for order in ensembles.orders(inner, base, self.number)]
        return _scaled(Fraction(1, len(found)), reduce(self._plus, found))

    def _named(self, op: str, label: str) -> Value:
        case = self.case
        if op == "name":
            return self.own[label] if label in self.own else case.numbers[label]
        if op == "vector":
            return Vector(tuple(case.vectors[label]))
        if op == "family":
            return Vector(tuple(case.sequences[label]))
        if label == "I":
            d = int(case.numbers["d"])
            return Matrix(tuple(tuple(Fraction(int(r == c)) for c in range(d)) for r in range(d)))
        return Matrix(tuple(tuple(row) for row in case.matrices[label]))

    def _several(self, args: tuple[Expr, ...]) -> list[Number]:
        found: list[Number] = []
        for arg in args:
            one = self.value(arg)
            if isinstance(one, Matrix):
                raise StatementError(f"{arg} is a matrix; min and max take numbers or a vector", at=arg.at)
            found += one.entries if isinstance(one, Vector) else [one]
        return found

    def _plus(self, one: Value, two: Value) -> Value:
        if isinstance(one, Vector) and isinstance(two, Vector) and one.row == two.row:
            if len(one.entries) == len(two.entries):
                return Vector(tuple(map(_add, one.entries, two.entries)), one.row)
        elif isinstance(one, Matrix) and isinstance(two, Matrix):
            return Matrix(tuple(tuple(map(_add, a, b)) for a, b in zip(one.rows, two.rows, strict=True)))
        elif not isinstance(one, Vector | Matrix) and not isinstance(two, Vector | Matrix):
            return _add(one, two)
        raise StatementError(f"a {_kind(one)} and a {_kind(two)} are added; the shapes differ")

    def _times(self, one: Value, two: Value) -> Value:
        if not isinstance(one, Vector | Matrix):
            return _scaled(one, two)
        if not isinstance(two, Vector | Matrix):
            return _scaled(two, one)
        if isinstance(one, Vector) and isinstance(two, Vector) and one.row != two.row:
            if one.row and len(one.entries) == len(two.entries):
                return _dot(one.entries, two.entries)
            if two.row:
                return Matrix(tuple(tuple(_mul(a, b) for b in two.entries) for a in one.entries))
        if isinstance(one, Matrix) and len(two.rows if isinstance(two, Matrix) else two.entries) == len(one.rows):
            if isinstance(two, Matrix):
                columns = list(zip(*two.rows, strict=True))
                return Matrix(tuple(tuple(_dot(row, column) for column in columns) for row in one.rows))
            if not two.row:
                return Vector(tuple(_dot(row, two.entries) for row in one.rows))
        if isinstance(one, Vector) and one.row and isinstance(two, Matrix) and len(one.entries) == len(two.rows):
            return Vector(tuple(_dot(one.entries, column) for column in zip(*two.rows, strict=True)), row=True)
        raise StatementError(f"a {_kind(one)} is multiplied by a {_kind(two)}; the shapes do not fit")

    def _power(self, base: Expr, exponent: Expr) -> Value:
        if base.op == "norm" and exponent.op == "number" and exponent.args[0] == 2 and base.args[1] in ("", "fro"):
            return self._squared_norm(self.value(base.args[0]))
        found, count = self.value(base), self.number(exponent)
        if isinstance(found, Matrix):
            if not isinstance(count, Fraction) or count.denominator != 1 or not 0 <= count <= 64:
                raise StatementError(f"the power {count} of a matrix; expected an integer from 0 to 64", at=base.at)
            return reduce(self._times, [found] * int(count), self._named("matrix", "I"))
        if isinstance(found, Vector):
            raise StatementError(f"a power of the vector {base}; expected a number", at=base.at)
        return power(found, count)

    def _squared_norm(self, inner: Value) -> Number:
        """The sum of the squared entries, without a root."""
        if isinstance(inner, Matrix):
            return reduce(_add, (power(v, Fraction(2)) for row in inner.rows for v in row))
        entries = inner.entries if isinstance(inner, Vector) else (inner,)
        return reduce(_add, (power(v, Fraction(2)) for v in entries))

    def turned(self, inner: Expr) -> Value:
        found = self.value(inner)
        if isinstance(found, Matrix):
            return Matrix(tuple(zip(*found.rows, strict=True)))
        return Vector(found.entries, not found.row) if isinstance(found, Vector) else found

    def trace(self, inner: Expr) -> Value:
        found = self.value(inner)
        if not isinstance(found, Matrix):
            raise StatementError(f"tr(...) takes a matrix; {inner} is none", at=inner.at)
        return reduce(_add, (row[k] for k, row in enumerate(found.rows)))

    def entry(self, head: Any, index: Expr) -> Value:
        vector = self.vector(Expr("family", (head,)) if isinstance(head, str) else head)
        place = self.number(index)
        if not isinstance(place, Fraction) or place.denominator != 1 or not 1 <= place <= len(vector.entries):
            raise IndexError(f"there is no entry {place} of {len(vector.entries)}")
        return vector.entries[int(place) - 1]

    def softmax(self, inner: Expr) -> Value:
        scores = self.vector(inner).entries
        if len({s for s in scores if isinstance(s, Fraction)}) > MANY:
            return _weights(scores)
        # equal scores have equal weights: each is worked out once
        exact: dict[Number, int] = Counter(score for score in scores if isinstance(score, Fraction))
        kinds = [*exact.items(), *((score, 1) for score in scores if not isinstance(score, Fraction))]

        def weight(one: Number) -> Number:
            parts = (_mul(Fraction(count), _exp(_add(two, _mul(Fraction(-1), one)))) for two, count in kinds)
            return inverse(reduce(_add, parts))

        known = {score: weight(score) for score in exact}
        return Vector(tuple(known[score] if isinstance(score, Fraction) else weight(score) for score in scores))

    def entropy(self, inner: Expr) -> Value:
        """-sum p log p, with 0 log 0 = 0."""
        total: Number = Fraction(0)
        for part in self.vector(inner).entries:
            if not (isinstance(part, Fraction) and part == 0):
                total = _add(total, _mul(Fraction(-1), _mul(part, _log(part))))
        return total

    def norm(self, inner: Expr, kind: str) -> Value:
        found = self.value(inner)
        if not isinstance(found, Vector | Matrix):
            return _absolute(found)
        entries = [v for row in found.rows for v in row] if isinstance(found, Matrix) else list(found.entries)
        if isinstance(found, Vector) or kind in ("", "fro"):
            # of a vector all three norms are the Euclidean one
            return root(reduce(_add, (power(v, Fraction(2)) for v in entries)))
        rows = [[v for v in row if isinstance(v, Fraction)] for row in found.rows]
        if any(len(row) != len(found.rows) for row in rows):
            return _unknown()
        name = {"2": "spectral_W", "nuclear": "nuclear_W"}[kind]
        exact = rational_value(name, {"W": rows})
        return enclosure(name, {"W": rows}) if exact is None else exact

    def clip(self, inner: Expr, low: Expr, high: Expr) -> Value:
        return _smaller(_larger(self.number(inner), self.number(low)), self.number(high))

    def pi(self) -> Value:
        return flint.arb.pi()

    def derived(self, body: Expr, variable: str, at: Expr) -> Value:
        return self.value(settled(Expr("diff", (body, variable, at))))

    def chance(self, kind: str, mean: Expr, variance: Expr, *ends: Expr) -> Value:
        """P[low <= normal(mean, variance) <= high]; a variance that is not sure to be > 0 leaves it open."""
        spread = self.number(variance)
        if spread <= 0:
            raise UndefinedError(f"a normal number of variance {spread}; expected one > 0")
        return self.value(by_erf(Expr("chance", (kind, mean, variance, *ends)))) if spread > 0 else _unknown()

    def indicator(self, condition: Expr) -> Value:
        """1 where every relation holds, 0 where one fails, and anything between where balls do not tell."""
        found = [self._held(*one.args) for one in (condition.args if condition.op == "and" else (condition,))]
        if False in found:
            return Fraction(0)
        return Fraction(1) if all(found) else _between_0_and_1()

    def _held(self, mark: str, left: Expr, right: Expr) -> bool | None:
        gap = _add(self.number(left), _mul(Fraction(-1), self.number(right)))
        sign = 1 if gap > 0 else -1 if gap < 0 else 0 if isinstance(gap, Fraction) else None
        return None if sign is None else sign in HOLDS[mark]

    def summed(self, body: Expr, index: str, first: Expr, last: Expr) -> Value:
        ends = (self.number(first), self.number(last))
        if not all(isinstance(end, Fraction) and end.denominator == 1 for end in ends):
            raise UndefinedError(f"a sum from {ends[0]} to {ends[1]}; expected integers")
        low, high = int(ends[0]), int(ends[1])  # type: ignore[arg-type]
        if high - low > MAX_SUM:
            return _unknown()
        parts = [_Reader(self.case, {**self.own, index: Fraction(k)}).value(body) for k in range(low, high + 1)]
        return reduce(self._plus, parts) if parts else Fraction(0)


_READERS: dict[str, Callable[..., Value]] = {
    "T": _Reader.turned,
    "tr": _Reader.trace,
    "entry": _Reader.entry,
    "softmax": _Reader.softmax,
    "entropy": _Reader.entropy,
    "norm": _Reader.norm,
    "clip": _Reader.clip,
    "sum": _Reader.summed,
    "pi": _Reader.pi,
    "diff": _Reader.derived,
    "chance": _Reader.chance,
    "indicator": _Reader.indicator,
}


def _kind(found: Value) -> str:
    return type(found).__name__.lower() if isinstance(found, Vector | Matrix) else "number"


def _scaled(factor: Number, found: Value) -> Value:
    if isinstance(found, Vector):
        return Vector(tuple(_mul(factor, v) for v in found.entries), found.row)
    if isinstance(found, Matrix):
        return Matrix(tuple(tuple(_mul(factor, v) for v in row) for row in found.rows))
    return _mul(factor, found)


def _weights(scores: Sequence[Number]) -> Vector:
    """Softmax weights over one common denominator: n exponentials, not n squared."""
    top = _mul(Fraction(-1), reduce(_larger, scores))
    sizes = [_exp(_add(score, top)) for score in scores]
    share = inverse(reduce(_add, sizes))
    return Vector(tuple(_mul(size, share) for size in sizes))


def _dot(one: Sequence[Number], two: Sequence[Number]) -> Number:
    return reduce(_add, map(_mul, one, two), _ZERO)
