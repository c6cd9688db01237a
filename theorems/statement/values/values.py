"""Values of a statement without tokens at an exact case: rational where they are, else a ball that holds the value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any, Protocol

import flint
import sympy as sp

from theorems.algebra.balls import PRECISIONS, ball, precision
from theorems.statement.expression import HOLDS, SUMS, Expr, StatementError, minus
from theorems.statement.reading.calculus import settled
from theorems.statement.reading.chances import by_erf
from theorems.statement.values import ensembles
from theorems.statement.values.arithmetic import (
    ELEMENTARY,
    Matrix,
    Number,
    UndefinedError,
    Value,
    Vector,
    absolute,
    add,
    between_0_and_1,
    entries_of,
    exp,
    inverse,
    joined,
    larger,
    log,
    mul,
    plus,
    power,
    root,
    scaled,
    smaller,
    times,
    transposed,
    unknown,
    weights,
)
from theorems.statement.values.factoring import factored
from theorems.statement.values.kept import ALWAYS, COSTLY, _Kept, once
from theorems.statement.values.kept import kept as kept_at
from theorems.statement.values.spectra import eigenvalues, entry_norm, matrix_norm
from theorems.statement.values.spectra import inverse as inverted

#: Longest sum; a longer one is refused.
MAX_SUM = 4_096
#: Different scores beyond which weights have a common denominator, and wider balls.
MANY = 64


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
    @property
    def families(self) -> Mapping[str, Sequence[Any]]: ...


def compared(left: Expr, right: Expr, case: Data) -> int | None:
    """The certified sign of left - right: -1, 0 or 1; None where the balls settle none. Raises UndefinedError.

    Of vectors and matrices it is the sign of the first entry that is seen to differ; 0 is a matrix of any size.
    """
    for bits in PRECISIONS:
        with precision(bits):
            gaps = differences(left, right, case)
            signs = [int((gap > 0) - (gap < 0)) for gap in gaps if isinstance(gap, Fraction) or gap > 0 or gap < 0]
            if any(signs):
                return next(filter(None, signs))
            if len(signs) == len(gaps):
                return 0
            if not all(isinstance(gap, Fraction) or gap.is_finite() for gap in gaps):
                continue
    return 0 if len(gaps) == 1 and _cancels(left, right, case) else None


def _cancels(left: Expr, right: Expr, case: Data) -> bool:
    # sums of exponentials, which need the values here
    from theorems.statement.values.exponentials import vanishes

    return vanishes(minus(left, right), case)


def differences(left: Expr, right: Expr, case: Data) -> list[Number]:
    """left - right, entry by entry."""
    reader = Reader(case, {})
    one, two = reader.known(left), reader.known(right)
    if isinstance(one, Vector | Matrix) and right == Expr("number", (Fraction(0),)):
        two = scaled(Fraction(0), one)
    return list(entries_of(plus(one, scaled(Fraction(-1), two))))


def scalar(node: Expr, case: Data) -> Number:
    """The value of a number; StatementError where the expression is a vector or a matrix."""
    found = value(node, case)
    if isinstance(found, Vector | Matrix):
        raise StatementError(f"{node} is a {type(found).__name__.lower()}, not a number", at=node.at)
    return found


def value(node: Expr, case: Data, own: Mapping[str, Fraction] | None = None) -> Value:
    """The value of an expression at a case, at flint's present precision; ``own`` are the values of bound indices."""
    return Reader(case, {}).known(node) if not own else Reader(case, own).value(node)


def norm_at(node: Expr, case: Data) -> sp.Expr:
    """A spectral or nuclear norm at a case, exactly; StatementError where the matrix is not known in fractions."""
    inner, kind = node.args
    found = value(inner, case)
    if not isinstance(found, Matrix) or (exact := matrix_norm(kind, found.rows)) is None:
        raise StatementError(f"{node} has no exact value at a case", at=node.at)
    return exact


class Reader:
    """Evaluates an expression; ``own`` are the values of the indices of sums, ``put`` of variables that ``at`` sets.

    ``kept`` holds what was worked out, by the place of its arguments in memory, the indices that occur in it and the
    tokens that it depends on.
    """

    def __init__(
        self,
        case: Data,
        own: Mapping[str, Fraction],
        put: Mapping[Expr, Value] | None = None,
        kept: dict[Any, Any] | None = None,
    ) -> None:
        self.case, self.own, self.put = case, own, put or {}
        self.kept = {} if kept is None else kept

    def inside(self, index: str, place: Fraction) -> Reader:
        """The reader with the index of a sum bound."""
        return Reader(self.case, {**self.own, index: place}, self.put, self.kept)

    def at(self, variable: Expr, other: Expr) -> Reader:
        """The reader where a variable has another value; a number stands for all of its entries."""
        here, there = self.value(variable), self.value(other)
        if isinstance(here, Vector | Matrix) and not isinstance(there, Vector | Matrix):
            if there != 0:
                raise StatementError(f"{variable} at {other}; expected 0 or an expression of its size", at=other.at)
            there = scaled(Fraction(0), here)
        return Reader(self.case, self.own, {**self.put, variable: there})

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

    def known(self, node: Expr) -> Value:
        """The value of a whole expression, for which hypotheses, quantities and prints ask again at the same case."""
        if node.op in ("number", "name"):
            return self.value(node)
        found: Value = self._at_case(node.op).once(node, lambda: self.value(node))
        return found

    def value(self, node: Expr) -> Value:
        op, args = node.op, node.args
        if op == "number":
            return Fraction(args[0])
        if op in ("name", "matrix", "vector", "family"):
            return self.put[node] if node in self.put else self._named(op, args[0])
        if not self.put and (op in ALWAYS or (self.own and op in COSTLY)):
            before: Value = self._at_case(op).value(node, self)
            return before
        return self.read(node)

    def _at_case(self, op: str) -> _Kept:
        if isinstance(self.case, ensembles.Ordered):
            # an order is looked at once, and its values go with it
            return kept_at(self.case.case) if op == "E" else _of_order(self.case)
        return kept_at(self.case)

    def read(self, node: Expr) -> Value:
        """The value of a node, worked out unless it was before."""
        if node.op in _KEPT:
            key = self.key(node)
            if key not in self.kept:
                self.kept[key] = self._worked_out(node)
            found: Value = self.kept[key]
            return found
        return self._worked_out(node)

    def key(self, node: Expr) -> tuple[Any, ...]:
        """A node's place in memory, the values of the indices that occur in it, and the tokens that it depends on."""
        known = self.kept.get(id(node.args))
        if known is None:
            asked = ensembles.asked(node) if node.random else ()
            # the arguments are kept too, so that no other ones get their place in memory
            bound = frozenset[str]().union(*(place.names() for place in asked or ()))
            known = self.kept[id(node.args)] = (tuple(sorted(node.names())), asked, bound, node.args)
        names, asked, bound, _ = known
        own = tuple(self.own.get(name) for name in names)
        if not (node.random and isinstance(self.case, ensembles.Ordered)):
            return id(node.args), node.op, own
        # where an index is bound, what is not read need not have a token
        places = asked if bound.isdisjoint(self.own) else None
        return id(node.args), node.op, own, self.case.chosen(places, self.number)

    def _worked_out(self, node: Expr) -> Value:
        op, args = node.op, node.args
        if op == "+":
            return reduce(plus, (self.value(arg) for arg in args))
        if op == "*":
            # cases: where one does not apply, its formula need not have a value
            if any(arg.op == "indicator" and self.value(arg) == Fraction(0) for arg in args) and _is_number(node):
                return Fraction(0)
            return reduce(times, (self.value(arg) for arg in args))
        if op == "/":
            return times(inverse(self.number(args[1])), self.value(args[0]))
        if op == "**":
            return self._power(*args)
        if op in ELEMENTARY:
            return ELEMENTARY[op](self.number(args[0]))
        if op == "token":
            return Vector(ensembles.token(self.case, self.number(args[0])))
        if op == "mean":
            return Vector(ensembles.mean(self.case))
        if op == "E":
            return self._expected(args[0])
        if op in ("min", "max"):
            return reduce(larger if op == "max" else smaller, self._several(args))
        if op in SUMS:
            return self.bound(node)
        if op in _WHOLE:
            return self.part(node, self.value(args[0]))
        if op == "entry":
            return self.part(node, self.vector(Expr("family", (args[0],)) if isinstance(args[0], str) else args[0]))
        if op in _READERS:
            return _READERS[op](self, *args)
        raise StatementError(f"{node} has no value in a statement without tokens", at=node.at)

    def _expected(self, inner: Expr) -> Value:
        """The mean over all equally likely orders of a finite exchangeable law's tokens."""
        base, kept = ensembles.base(self.case), dict[Any, Any]()
        if not inner.random:
            return Reader(base, self.own).value(inner)
        orders = ensembles.orders(inner, base, self.number)
        found = [Reader(order, self.own, kept=kept).value(inner) for order in orders]
        return scaled(Fraction(1, len(found)), reduce(plus, found))

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

    def _power(self, base: Expr, exponent: Expr) -> Value:
        if base.op == "norm" and exponent.op == "number" and exponent.args[0] == 2 and base.args[1] in ("", "fro"):
            return self._squared_norm(self.value(base.args[0]))
        found, count = self.value(base), self.number(exponent)
        if isinstance(found, Matrix):
            if not isinstance(count, Fraction) or count.denominator != 1 or not 0 <= count <= 64:
                raise StatementError(f"the power {count} of the matrix {base}; expected one from 0 to 64", at=base.at)
            unit = Matrix(
                tuple(tuple(Fraction(r == c) for c in range(len(found.rows))) for r in range(len(found.rows)))
            )
            powers: list[Value] = [unit, *[found] * int(count)]
            return reduce(times, powers)
        if isinstance(found, Vector):
            raise StatementError(f"a power of the vector {base}; expected a number", at=base.at)
        return power(found, count)

    def _squared_norm(self, inner: Value) -> Number:
        """The sum of the squared entries, without a root."""
        if isinstance(inner, Matrix):
            return reduce(add, (power(v, Fraction(2)) for row in inner.rows for v in row))
        entries = inner.entries if isinstance(inner, Vector) else (inner,)
        return reduce(add, (power(v, Fraction(2)) for v in entries))

    def part(self, node: Expr, whole: Value) -> Value:
        """A transpose, a trace, an entry or a column of a whole."""
        if node.op == "T":
            return transposed(whole)
        if node.op == "entry":
            if not isinstance(whole, Vector):
                raise StatementError(f"{node.args[0]} is no vector; expected e.g. softmax(s)", at=node.at)
            return whole.entries[self._place(node.args[1], len(whole.entries))]
        if not isinstance(whole, Matrix):
            raise StatementError(f"{node.op}(...) takes a matrix; {node.args[0]} is none", at=node.at)
        if node.op == "tr":
            return reduce(add, (row[k] for k, row in enumerate(whole.rows)))
        column = self._place(node.args[-1], len(whole.rows[0]))
        if node.op == "column":
            return Vector(tuple(row[column] for row in whole.rows))
        return whole.rows[self._place(node.args[1], len(whole.rows))][column]

    def member(self, label: str, firsts: str, *indices: Expr) -> Value:
        found: Any = self.case.families[label]
        for first, index in zip(firsts.split(","), indices, strict=True):
            place = self.number(index)
            if not isinstance(place, Fraction) or place.denominator != 1 or not 0 <= place - int(first) < len(found):
                raise IndexError(f"{label} has no index {place}; expected {first} to {int(first) + len(found) - 1}")
            found = found[int(place) - int(first)]
        return Vector(tuple(found))

    def least(self, *args: Any) -> Value:
        # a program of its own, which needs this reader
        from theorems.statement.values.programs import least_value

        return least_value(Expr("least", args), self.case, self.own)

    def _place(self, index: Expr, length: int) -> int:
        place = self.number(index)
        if not isinstance(place, Fraction) or place.denominator != 1 or not 1 <= place <= length:
            raise IndexError(f"there is no entry {place} of {length}")
        return int(place) - 1

    def gradient(self, function: Expr, variable: Expr) -> Value:
        """The gradient of a number by a matrix or a vector."""
        from theorems.statement.values.gradients import gradient

        return gradient(self, function, variable)

    def softmax(self, inner: Expr) -> Value:
        scores = self.vector(inner).entries
        if len({s for s in scores if isinstance(s, Fraction)}) > MANY:
            return weights(scores)
        # equal scores have equal weights: each is worked out once
        exact: dict[Number, int] = Counter(score for score in scores if isinstance(score, Fraction))
        kinds = [*exact.items(), *((score, 1) for score in scores if not isinstance(score, Fraction))]

        def weight(one: Number) -> Number:
            parts = (mul(Fraction(count), exp(add(two, mul(Fraction(-1), one)))) for two, count in kinds)
            return inverse(reduce(add, parts))

        known = {score: weight(score) for score in exact}
        return Vector(tuple(known[score] if isinstance(score, Fraction) else weight(score) for score in scores))

    def entropy(self, inner: Expr) -> Value:
        """-sum p log p, with 0 log 0 = 0."""
        total: Number = Fraction(0)
        for part in self.vector(inner).entries:
            if not (isinstance(part, Fraction) and part == 0):
                total = add(total, mul(Fraction(-1), mul(part, log(part))))
        return total

    def norm(self, inner: Expr, kind: str) -> Value:
        found = self.value(inner)
        if not isinstance(found, Vector | Matrix):
            return absolute(found)
        entries = [v for row in found.rows for v in row] if isinstance(found, Matrix) else list(found.entries)
        if isinstance(found, Vector) or kind in ("", "fro"):
            # of a vector all three norms are the Euclidean one
            return root(reduce(add, (power(v, Fraction(2)) for v in entries)))
        exact = matrix_norm(kind, found.rows)
        if exact is None:
            return unknown()
        return Fraction(int(exact.p), int(exact.q)) if exact.is_Rational else ball(exact, {})

    def entry_norm(self, inner: Expr, kind: str) -> Value:
        found = self.value(inner)
        if isinstance(found, Matrix):
            return entry_norm(found.rows, kind, add, larger)
        if isinstance(found, Vector):
            # a column, or a row, as a matrix
            rows = [found.entries] if found.row else [(v,) for v in found.entries]
            return entry_norm(rows, kind, add, larger)
        return absolute(found)

    def square(self, node: Expr) -> Matrix:
        found = self.value(node)
        if isinstance(found, Matrix) and all(len(row) == len(found.rows) for row in found.rows):
            return found
        raise StatementError(f"{node} is no square matrix", at=node.at)

    def inverted(self, inner: Expr) -> Value:
        found = inverted(self.square(inner).rows)
        if found is None:
            raise UndefinedError(f"inv({inner}): the matrix has no inverse")
        return Matrix(tuple(map(tuple, found)))

    def eigenvalues(self, inner: Expr) -> Value:
        found = eigenvalues(self.square(inner).rows)
        if found is None:
            raise UndefinedError(f"eig({inner}): not all eigenvalues are real numbers that can be isolated")
        return Vector(tuple(found))

    def clip(self, inner: Expr, low: Expr, high: Expr) -> Value:
        return smaller(larger(self.number(inner), self.number(low)), self.number(high))

    def pi(self) -> Value:
        return flint.arb.pi()

    def derived(self, body: Expr, variable: str, at: Expr) -> Value:
        return self.value(settled(Expr("diff", (body, variable, at))))

    def turns(self, op: str, body: Expr, name: str, low: Expr) -> Value:
        """How many maxima or minima a function has on a half-line."""
        from theorems.statement.values.turning import count

        start = self.number(low)
        if not isinstance(start, Fraction):
            raise UndefinedError(f"{op}(...) from {low} on; expected a rational end")
        return count(op, body, name, start, self)

    def far_out(self, body: Expr, name: str) -> Value:
        """The limit of a function as its name grows."""
        from theorems.statement.values.turning import limit

        return limit(body, name, self)

    def chance(self, kind: str, mean: Expr, variance: Expr, *ends: Expr) -> Value:
        """P[low <= normal(mean, variance) <= high]; a variance that is not sure to be > 0 leaves it open."""
        spread = self.number(variance)
        if spread <= 0:
            raise UndefinedError(f"a normal number of variance {spread}; expected one > 0")
        return self.value(by_erf(Expr("chance", (kind, mean, variance, *ends)))) if spread > 0 else unknown()

    def indicator(self, condition: Expr) -> Value:
        """1 where every relation holds, 0 where one fails, and anything between where balls do not tell."""
        if condition.op not in ("relation", "and"):
            return _gathered("indicator", self, condition)
        found = [self._held(*one.args) for one in (condition.args if condition.op == "and" else (condition,))]
        if False in found:
            return Fraction(0)
        return Fraction(1) if all(found) else between_0_and_1()

    def _held(self, mark: str, left: Expr, right: Expr) -> bool | None:
        gap = add(self.number(left), mul(Fraction(-1), self.number(right)))
        sign = 1 if gap > 0 else -1 if gap < 0 else 0 if isinstance(gap, Fraction) else None
        return None if sign is None else sign in HOLDS[mark]

    def places(self, first: Expr, last: Expr) -> range | None:
        """The values of an index; None for more than MAX_SUM."""
        ends = (self.number(first), self.number(last))
        if not all(isinstance(end, Fraction) and end.denominator == 1 for end in ends):
            raise UndefinedError(f"a sum from {ends[0]} to {ends[1]}; expected integers")
        low, high = int(ends[0]), int(ends[1])  # type: ignore[arg-type]
        return None if high - low > MAX_SUM else range(low, high + 1)

    def bound(self, node: Expr) -> Value:
        """A sum, the vector of some numbers, or the matrix of some columns."""
        body, index, first, last = node.args
        places = self.places(first, last)
        if places is None:
            return unknown()
        if node.op == "sum" and places:
            apart = self.kept.get(("apart", id(node.args)))
            if apart is None:
                apart = self.kept["apart", id(node.args)] = (factored(node), node.args)
            if apart[0].op != "sum":
                return self.value(apart[0])
            body = apart[0].args[0]
        return joined(node, [self.inside(index, Fraction(k)).value(body) for k in places])


@once
def _of_order(_: ensembles.Ordered) -> _Kept:
    return _Kept()


#: What is worked out once for the same indices.
_KEPT = (*SUMS, "+", "*", "/", "**", "entry", "element", "column", "softmax", "grad", "at", "indicator", "clip", "norm")
_WHOLE = ("T", "tr", "element", "column")


def _is_number(node: Expr) -> bool:
    from theorems.statement.reading.shapes import shape

    return shape(node) == "number"


def _gathered(op: str, reader: Reader, *args: Expr) -> Value:
    # what is said of every value of an index, which needs this reader
    from theorems.statement.deciding.gathered import READ

    return READ[op](reader, *args)


_READERS: dict[str, Callable[..., Value]] = {
    "member": Reader.member,
    "least": Reader.least,
    **{op: partial(_gathered, op) for op in ("dist", "largest", "smallest", "onto", "binomial", "series", "integral")},
    "softmax": Reader.softmax,
    "entropy": Reader.entropy,
    "norm": Reader.norm,
    "entrynorm": Reader.entry_norm,
    "inv": Reader.inverted,
    "eig": Reader.eigenvalues,
    "clip": Reader.clip,
    "indicator": Reader.indicator,
    "grad": Reader.gradient,
    "at": lambda reader, body, variable, other: reader.at(variable, other).value(body),
    "pi": Reader.pi,
    "diff": Reader.derived,
    "maxima": lambda reader, *args: reader.turns("maxima", *args),
    "minima": lambda reader, *args: reader.turns("minima", *args),
    "limit": Reader.far_out,
    "chance": Reader.chance,
}
