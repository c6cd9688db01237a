"""Arithmetic of exact values: rationals, balls where they are not rational, and vectors and matrices of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import factorial, isqrt, lcm

import flint

from theorems.algebra.balls import rational
from theorems.algebra.quotients import fraction
from theorems.statement.expression import Expr, StatementError
from theorems.statement.values.kept import once

Number = Fraction | flint.arb
#: Exponents and sizes of numbers beyond which a value is left to balls.
MAX_POWER, MAX_BITS = 4_096, 100_000
#: Largest integer whose Gamma function is worked out exactly.
MOST_FACTORS = 256
_ZERO: Number = Fraction(0)
_ONE: Number = Fraction(1)


class UndefinedError(ValueError):
    """An expression without a value at a case, such as log(0)."""


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


def entries_of(found: Value) -> tuple[Number, ...]:
    """The entries of a value, row by row."""
    if isinstance(found, Matrix):
        return tuple(entry for row in found.rows for entry in row)
    return found.entries if isinstance(found, Vector) else (found,)


def ball(number: Number) -> flint.arb:
    """The number as a ball."""
    return rational(number) if isinstance(number, Fraction) else number


def unknown() -> flint.arb:
    """A ball that holds every number."""
    return flint.arb.nan()


def add(one: Number, two: Number) -> Number:
    """The sum, rational where both are."""
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one + two if one and two else one or two
    return ball(one) + ball(two)


def mul(one: Number, two: Number) -> Number:
    """The product, rational where both are, or where one is 0."""
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one * two if one and two else _ZERO
    if 0 in (one if isinstance(one, Fraction) else 1, two if isinstance(two, Fraction) else 1):
        return Fraction(0)
    return ball(one) * ball(two)


def root(number: Number) -> Number:
    """The square root, rational where it is; UndefinedError for a negative number."""
    if isinstance(number, Fraction):
        if number < 0:
            raise UndefinedError(f"sqrt({number}) has no value")
        above, below = isqrt(number.numerator), isqrt(number.denominator)
        if above**2 == number.numerator and below**2 == number.denominator:
            return Fraction(above, below)
        return ball(number).sqrt()
    if number < 0:
        raise UndefinedError("a square root of a negative number has no value")
    # whether a ball around 0 has a square root is not known
    return number.sqrt() if number >= 0 else unknown()


def exp(number: Number) -> Number:
    """The exponential, rational at 0 alone."""
    return Fraction(1) if number == 0 and isinstance(number, Fraction) else ball(number).exp()


def log(number: Number) -> Number:
    """The logarithm; UndefinedError for a number <= 0."""
    if isinstance(number, Fraction):
        if number <= 0:
            raise UndefinedError(f"log({number}) has no value")
        return Fraction(0) if number == 1 else ball(number).log()
    if number <= 0:
        raise UndefinedError("a logarithm of a number <= 0 has no value")
    return number.log() if number > 0 else unknown()


def absolute(number: Number) -> Number:
    """The absolute value."""
    return abs(number) if isinstance(number, Fraction) else number.max(-number)


def larger(one: Number, two: Number) -> Number:
    """The larger of two numbers."""
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return max(one, two)
    return ball(one).max(ball(two))


def smaller(one: Number, two: Number) -> Number:
    """The smaller of two numbers."""
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return min(one, two)
    return ball(one).min(ball(two))


def erf(number: Number) -> Number:
    """The error function."""
    return Fraction(0) if number == 0 and isinstance(number, Fraction) else ball(number).erf()


def gamma(number: Number) -> Number:
    """Gamma(number), rational for small integers; UndefinedError at 0, -1, -2, ..."""
    if isinstance(number, Fraction) and number.denominator == 1:
        if number <= 0:
            raise UndefinedError(f"gamma({number}) has no value")
        return Fraction(factorial(int(number) - 1)) if number <= MOST_FACTORS else ball(number).gamma()
    # a ball around a pole has no finite one
    return ball(number).gamma()


def between_0_and_1() -> flint.arb:
    """A ball that holds every number from 0 to 1."""
    half = flint.arb(0.5)
    return flint.arb(half, half)


ELEMENTARY: dict[str, Callable[[Number], Number]] = {
    "sqrt": root,
    "exp": exp,
    "log": log,
    "cos": lambda number: Fraction(1) if number == 0 else ball(number).cos(),
    "sin": lambda number: Fraction(0) if number == 0 else ball(number).sin(),
    "erf": erf,
    "abs": absolute,
    "gamma": gamma,
}


def inverse(number: Number) -> Number:
    """1/number; UndefinedError for 0."""
    if isinstance(number, Fraction):
        if number == 0:
            raise UndefinedError("a division by 0")
        return 1 / number
    return 1 / number if number > 0 or number < 0 else unknown()


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
            return ball(base) ** count
        # arb's own power loses an interval around 0
        return reduce(mul, [base] * count, _ONE) if count <= 64 else base**count
    if isinstance(exponent, Fraction) and exponent.denominator == 2:
        return power(root(base), Fraction(exponent.numerator))
    if isinstance(base, Fraction):
        if base < 0:
            raise UndefinedError(f"({base})**({exponent}) has no value")
        if base == 0:
            if isinstance(exponent, Fraction) and exponent < 0:
                raise UndefinedError("a division by 0")
            return Fraction(0) if exponent > 0 else unknown()
        return Fraction(1) if base == 1 else exp(mul(log(base), exponent))
    return exp(mul(log(base), exponent)) if base > 0 else unknown()


def _kind(found: Value) -> str:
    return type(found).__name__.lower() if isinstance(found, Vector | Matrix) else "number"


def _size(found: Vector | Matrix) -> tuple[int, int]:
    if isinstance(found, Matrix):
        return len(found.rows), len(found.rows[0])
    return (1, len(found.entries)) if found.row else (len(found.entries), 1)


def plus(one: Value, two: Value) -> Value:
    """The sum of two values of one shape; StatementError for others."""
    if isinstance(one, Vector) and isinstance(two, Vector) and one.row == two.row:
        if len(one.entries) == len(two.entries):
            return Vector(tuple(map(add, one.entries, two.entries)), one.row)
    elif isinstance(one, Matrix) and isinstance(two, Matrix) and _size(one) == _size(two):
        return Matrix(tuple(tuple(map(add, a, b)) for a, b in zip(one.rows, two.rows, strict=True)))
    elif not isinstance(one, Vector | Matrix) and not isinstance(two, Vector | Matrix):
        return add(one, two)
    raise StatementError(f"a {_kind(one)} and a {_kind(two)} are added; the shapes differ")


def times(one: Value, two: Value) -> Value:
    """The product of two values; StatementError where their shapes do not fit."""
    if not isinstance(one, Vector | Matrix):
        return scaled(one, two)
    if not isinstance(two, Vector | Matrix):
        return scaled(two, one)
    if isinstance(one, Vector) and isinstance(two, Vector) and one.row != two.row:
        if one.row and len(one.entries) == len(two.entries):
            return dot(one.entries, two.entries)
        if two.row:
            return Matrix(tuple(tuple(mul(a, b) for b in two.entries) for a in one.entries))
    if isinstance(one, Matrix) and _size(two)[0] == _size(one)[1]:
        rows = _rows(one, two)
        if isinstance(two, Matrix):
            return Matrix(rows)
        if not two.row:
            return Vector(tuple(entry for (entry,) in rows))
    if isinstance(one, Vector) and one.row and isinstance(two, Matrix) and len(one.entries) == len(two.rows):
        return Vector(_rows(one, two)[0], row=True)
    raise StatementError(f"a {_kind(one)} is multiplied by a {_kind(two)}; the shapes do not fit")


def scaled(factor: Number, found: Value) -> Value:
    """A value times a number."""
    if isinstance(found, Vector):
        return Vector(tuple(mul(factor, v) for v in found.entries), found.row)
    if isinstance(found, Matrix):
        return Matrix(tuple(tuple(mul(factor, v) for v in row) for row in found.rows))
    return mul(factor, found)


def _rows(one: Vector | Matrix, two: Vector | Matrix) -> tuple[tuple[Number, ...], ...]:
    """The rows of a product whose shapes fit: of rational numbers by flint, else a dot product each."""
    left, right = _exact(one), _exact(two)
    if left is None or right is None:
        columns = [two.entries] if isinstance(two, Vector) else list(zip(*two.rows, strict=True))
        return tuple(tuple(dot(row, column) for column in columns) for row in _as_rows(one))
    return tuple(tuple(fraction(v) for v in row) for row in (left * right).tolist())


@once
def _exact(found: Vector | Matrix) -> flint.fmpq_mat | None:
    """A value of rational entries for flint; None where one is known in a ball alone."""
    if not all(isinstance(entry, Fraction) for entry in entries_of(found)):
        return None
    return flint.fmpq_mat([[flint.fmpq(*entry.as_integer_ratio()) for entry in row] for row in _as_rows(found)])  # type: ignore[union-attr]


def _as_rows(found: Vector | Matrix) -> Sequence[Sequence[Number]]:
    if isinstance(found, Matrix):
        return found.rows
    return [found.entries] if found.row else [(entry,) for entry in found.entries]


def dot(one: Sequence[Number], two: Sequence[Number]) -> Number:
    """sum_k one_k two_k."""
    above, below = 0, 1
    rest: list[Number] = []
    for a, b in zip(one, two, strict=False):
        if type(a) is Fraction and type(b) is Fraction:
            # a sum of integers over one denominator costs a tenth of one of Fractions
            (p, q), (r, s) = a.as_integer_ratio(), b.as_integer_ratio()
            if p and r:
                q *= s
                common = lcm(below, q)
                above, below = above * (common // below) + p * r * (common // q), common
        elif a and b:
            rest.append(mul(a, b))
    rest.append(Fraction(above, below))
    return reduce(add, rest)


def transposed(found: Value) -> Value:
    """The transpose of a value."""
    if isinstance(found, Matrix):
        return Matrix(tuple(zip(*found.rows, strict=True)))
    return Vector(found.entries, not found.row) if isinstance(found, Vector) else found


def weights(scores: Sequence[Number]) -> Vector:
    """Softmax weights over one common denominator: n exponentials, not n squared."""
    top = mul(Fraction(-1), reduce(larger, scores))
    sizes = [exp(add(score, top)) for score in scores]
    share = inverse(reduce(add, sizes))
    return Vector(tuple(mul(size, share) for size in sizes))


def joined(node: Expr, parts: list[Value]) -> Value:
    """The terms of a sum added, or entries or columns put beside each other."""
    if node.op == "sum":
        return reduce(plus, parts) if parts else Fraction(0)
    if node.op == "prod":
        return reduce(times, parts) if parts else Fraction(1)
    if not parts:
        raise UndefinedError(f"{node} is empty")
    if node.op == "stack":
        numbers = [part for part in parts if not isinstance(part, Vector | Matrix)]
        if len(numbers) == len(parts):
            return Vector(tuple(numbers))
    columns = [part for part in parts if isinstance(part, Vector) and not part.row]
    if node.op == "stack" or len(columns) < len(parts):
        raise StatementError(f"{node}: stack takes numbers, columns takes vectors", at=node.at)
    return Matrix(tuple(zip(*(column.entries for column in columns), strict=True)))
