"""Conditions that are linear in unknowns, as exact data: their coefficients and bounds at a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import chain
from typing import Any

from theorems.statement.expression import Expr, StatementError
from theorems.statement.values.arithmetic import Matrix, Number, Value, Vector, inverse, mul, plus, times, transposed
from theorems.statement.values.kept import once
from theorems.statement.values.truths import Own, instances, places
from theorems.statement.values.values import Data, Reader


class NotRationalError(ValueError):
    """A coefficient at a case that is no rational number."""


@dataclass(frozen=True)
class Linear:
    """<coefficients, unknowns> >= bound, or > bound: every unknown matrix by its entries, row by row, numbers alone."""

    coefficients: tuple[Fraction, ...]
    bound: Fraction
    strict: bool = False

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # thousands of fractions, as part of a program that is looked up: ratios of integers are hashed in less time
        return hash((*(v.as_integer_ratio() for v in (*self.coefficients, self.bound)), self.strict))

    def at(self, point: tuple[Fraction, ...]) -> Fraction:
        """<coefficients, point>."""
        return sum((c * x for c, x in zip(self.coefficients, point, strict=True) if c and x), Fraction(0))


@dataclass(frozen=True)
class _Term:
    """left * unknown * right, the unknown transposed or not; None stands for nothing beside it."""

    name: str
    left: Value | None = None
    right: Value | None = None
    turned: bool = False

    @cached_property
    def outer(self) -> Matrix:
        """The coefficients of an unknown matrix between two vectors."""
        left, right = self.left, self.right
        if not isinstance(left, Vector) or not isinstance(right, Vector):
            raise StatementError(f"{self.name} stands without vectors on both sides; expected e.g. x.T*{self.name}*y")
        one, two = (right, left) if self.turned else (left, right)
        nothing = (_ZERO,) * len(two.entries)
        rows = (tuple(_times(a, b) for b in two.entries) if not _nothing(a) else nothing for a in one.entries)
        return Matrix(tuple(rows))


@dataclass(frozen=True)
class _Affine:
    """A sum of terms and a value without unknowns (None: 0)."""

    terms: tuple[_Term, ...]
    rest: Value | None = None
    # coefficients of unknowns in a number, by their entries: what a trace leaves of its terms
    entries: tuple[tuple[str, Matrix], ...] = ()


def linears(
    node: Expr, case: Data, own: Own, shapes: Mapping[str, int], ways: Sequence[bool | None] = (None,)
) -> list[tuple[Linear, ...]]:
    """The inequalities that a condition stands for at a case; ``shapes`` has the size of every unknown, 0 for a number.

    A bound that is known in a ball alone is replaced by a rational one that is no looser (True among the ``ways``), or
    no tighter (False); each inequality is told in every way. Raises NotRationalError where a coefficient, or for None
    a bound, is no rational number.
    """
    found = []
    gaps: dict[int, Expr] = {}
    kept: dict[Any, Any] = {}
    for relation, at in instances(node, case, own):
        mark, left, right = relation.args
        one, two = (left, right) if mark in (">", ">=") else (right, left)
        # one node for all values of the indices, so that what holds few of them is worked out as often
        gap = gaps.setdefault(id(relation), Expr("+", (one, Expr("*", (_MINUS, two)))))
        coefficients, constant = functional(gap, Reader(case, at, kept=kept), shapes)
        bounds = [-end(constant, way) for way in ways]
        made = {bound: Linear(coefficients, bound, mark in ("<", ">")) for bound in dict.fromkeys(bounds)}
        found.append(tuple(made[bound] for bound in bounds))
    return found


_MINUS = Expr("number", (Fraction(-1),))
_ZERO = Fraction(0)


def functional(node: Expr, reader: Reader, shapes: Mapping[str, int]) -> tuple[tuple[Fraction, ...], Value]:
    """The coefficients of a number that is linear in the unknowns, and what it is where they are 0."""
    affine = _affine(node, reader)
    table = {name: [_ZERO] * max(size, 1) ** 2 for name, size in shapes.items()}
    for name, rows in [*affine.entries, *((term.name, _rank_one(term, shapes)) for term in affine.terms)]:
        kept = table[name]
        for place, entry in enumerate(chain.from_iterable(rows.rows)):
            # most entries are the one zero
            if entry is not _ZERO and not _nothing(entry):
                before, own = kept[place], _rational(entry)
                kept[place] = own if before is _ZERO else before + own
    return tuple(chain.from_iterable(table.values())), _ZERO if affine.rest is None else affine.rest


def end(found: Value, lower: bool | None) -> Fraction:
    """A rational number; of one that is known in a ball alone the lower end, or (False) the upper one."""
    if isinstance(found, Fraction | Vector | Matrix) or lower is None or not found.is_finite():
        return _rational(found)
    mantissa, exponent = (found.lower() if lower else found.upper()).man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _rational(found: Value) -> Fraction:
    if not isinstance(found, Fraction):
        raise NotRationalError("a coefficient is no rational number here; take a case with rational roots")
    return found


@once
def _open(node: Expr) -> bool:
    """Whether a node holds an unknown that no ``least`` in it binds."""
    if not node.has("unknown"):
        return False
    return node.op == "unknown" or (node.op not in ("least", "exists") and any(map(_open, node)))


def _affine(node: Expr, reader: Reader) -> _Affine:
    if not _open(node):
        return _Affine((), reader.value(node))
    op, args = node.op, node.args
    if op == "unknown":
        return _Affine((_Term(args[0]),))
    if op == "+":
        return reduce(_added, (_affine(arg, reader) for arg in args))
    if op == "*":
        # the same for all values of indices that do not occur in it
        key = "affine", *reader.key(node)
        if key not in reader.kept:
            reader.kept[key] = _multiplied(args, reader)
        made: _Affine = reader.kept[key]
        return made
    if op == "/":
        return _beside(inverse(reader.number(args[1])), _affine(args[0], reader), None)
    if op == "T":
        return _turned(_affine(args[0], reader))
    if op == "tr":
        return _traced(_affine(args[0], reader))
    if op == "sum":
        body, index, *ends = args
        found = [_affine(body, reader.inside(index, place)) for place in places(ends, reader.case, reader.own)]
        return reduce(_added, found) if found else _Affine((), Fraction(0))
    raise StatementError(f"{node} is not linear in the unknowns", at=node.at)


def _added(one: _Affine, two: _Affine) -> _Affine:
    rests = [rest for rest in (one.rest, two.rest) if rest is not None]
    return _Affine((*one.terms, *two.terms), reduce(plus, rests) if rests else None, (*one.entries, *two.entries))


def _multiplied(args: tuple[Expr, ...], reader: Reader) -> _Affine:
    (place,) = (k for k, arg in enumerate(args) if _open(arg))
    before, after = ([reader.value(arg) for arg in part] for part in (args[:place], args[place + 1 :]))
    left, right = (reduce(times, part) if part else None for part in (before, after))
    return _beside(left, _affine(args[place], reader), right)


def _product(one: Value | None, two: Value | None) -> Value | None:
    return two if one is None else one if two is None else times(one, two)


def _beside(left: Value | None, inner: _Affine, right: Value | None) -> _Affine:
    """left * inner * right."""
    terms = tuple(
        _Term(term.name, _product(left, term.left), _product(term.right, right), term.turned) for term in inner.terms
    )
    rest = None if inner.rest is None else _product(_product(left, inner.rest), right)
    factor = _product(left, right)
    scaled = inner.entries
    if scaled and factor is not None:
        scaled = tuple((name, Matrix(times(factor, rows).rows)) for name, rows in scaled)  # type: ignore[union-attr]
    return _Affine(terms, rest, scaled)


def _turned(inner: _Affine) -> _Affine:
    def turn(found: Value | None) -> Value | None:
        return None if found is None else transposed(found)

    terms = tuple(_Term(term.name, turn(term.right), turn(term.left), not term.turned) for term in inner.terms)
    return _Affine(terms, turn(inner.rest), inner.entries)


def _traced(inner: _Affine) -> _Affine:
    """tr(L W R) = <(R L)^T, W>, and tr(L W^T R) = <R L, W>."""
    entries = []
    for term in inner.terms:
        both = _product(term.right, term.left)
        if both is None:
            raise StatementError("the trace of an unknown alone; write tr(I*W)")
        if not isinstance(both, Matrix):
            raise StatementError("the trace of an unknown takes matrices beside it; write tr(B*W)")
        entries.append((term.name, both if term.turned else Matrix(tuple(zip(*both.rows, strict=True)))))
    rest = inner.rest
    if isinstance(rest, Matrix):
        diagonal: list[Value] = [row[k] for k, row in enumerate(rest.rows)]
        rest = reduce(plus, diagonal)
    return _Affine((), rest, tuple(entries))


def _rank_one(term: _Term, shapes: Mapping[str, int]) -> Matrix:
    """The coefficients of left * unknown * right, a number."""
    if not shapes[term.name]:
        factor = _product(term.left, term.right)
        return Matrix(((Fraction(1) if factor is None else factor,),))  # type: ignore[arg-type]
    return term.outer


def _nothing(number: Value) -> bool:
    """Whether a number is 0 for certain."""
    return isinstance(number, Fraction) and not number


def _times(one: Number, two: Number) -> Number:
    """The product of two numbers; of most that meet here one is 0."""
    return _ZERO if _nothing(one) or _nothing(two) else mul(one, two)
