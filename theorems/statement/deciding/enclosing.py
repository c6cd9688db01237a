"""Sides of a statement at an exact case where moments have no closed form: balls that hold them.

A probability lies between 0 and 1, a moment that is derived is what it is, and E of a number made of bounded tokens
lies between the ends of that number's values. A bound that is below what it bounds by such balls is disproved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from fractions import Fraction
from functools import reduce
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import ball, precision
from theorems.statement.deciding.cells import BITS, Cell, caps, cells, lengths
from theorems.statement.deciding.decide import Derivation, derivation_of
from theorems.statement.expression import HOLDS, MOMENTS, Expr, StatementError, minus, polynomial
from theorems.statement.moments.normal import sign
from theorems.statement.moments.orthogonal import paired
from theorems.statement.proposition import Proposition
from theorems.statement.reading.laws import Law
from theorems.statement.reading.shapes import shape
from theorems.statement.values.arithmetic import (
    Matrix,
    Number,
    UndefinedError,
    Value,
    Vector,
    absolute,
    add,
    between_0_and_1,
    larger,
    mul,
    plus,
    power,
    root,
    scaled,
    smaller,
    times,
    unknown,
)
from theorems.statement.values.arithmetic import ball as ball_of
from theorems.statement.values.cases import Case
from theorems.statement.values.kept import once
from theorems.statement.values.values import Reader

_ZERO: Number = Fraction(0)
_ONE: Number = Fraction(1)

#: So many independent tokens, at most, are looked at together.
SEVERAL = 4
RULE = "a probability is between 0 and 1, 1 of what always occurs, and E of bounded numbers between their ends"


class Enclosed(Reader):
    """Reads a side under a law; ``closed`` is the value of a moment at the case, or None.

    Without ``fine`` a moment lies between the ends of all values, with it as the cells have it, which takes longer.
    """

    def __init__(self, case: Case, closed: Callable[[Expr], Number | None], law: Law, *, fine: bool = True) -> None:
        super().__init__(case, {})
        self.closed, self.law, self.reach, self.fine = closed, law, reach(law, case), fine
        #: Directions of the forms that were asked for, by token.
        self.asked: dict[Number, list[Vector]] = {}
        #: Values of what is not random, and v^T Sigma v and its root, which are the same in every cell.
        self.fixed: dict[Expr, Value] = {}
        self.squares: dict[Vector, tuple[Number, Number]] = {}
        #: The cell that some tokens lie in, and the direction of its cosine.
        self.cell: Cell | None = None
        self.axis, self.tokens = Vector(()), frozenset[Number]()

    def inside(self, index: str, place: Fraction) -> Enclosed:
        """The reader with the index of a sum bound."""
        found = copy(self)
        found.own = {**self.own, index: place}
        return found

    def _within(self, cell: Cell | None, other: Enclosed) -> Enclosed:
        """The reader where all tokens that another one was asked for lie in a cell, of its first direction."""
        found = copy(self)
        found.cell, found.tokens, found.kept, found.asked = cell, frozenset(other.asked), {}, {}
        directions = (one for several in other.asked.values() for one in several if any(one.entries))
        found.axis = next(directions, Vector(()))
        return found

    def value(self, node: Expr) -> Value:
        """A ball around a number; of a random one around all of its values."""
        if node.op in MOMENTS:
            found = self.closed(node)
            if found is not None or node.op not in ("E", "P"):
                return unknown() if found is None else found
            whole = self._within(None, self)
            return whole.chance_of(node.args[0]) if node.op == "P" else whole.mean(_at_cases(node.args[0]))
        if not node.random:
            return self._fixed(node)
        if node.op == "*" and len(node.args) == 2:
            one, two = node.args
            if one.op == "T" and "token" in (one.args[0].op, two.op):
                token, direction = (one.args[0], two) if one.args[0].op == "token" else (two, one.args[0])
                return self._form(self.number(token.args[0]), direction)
        if _is_length(node):
            return self._length(self.number(node.args[0].args[0]))
        if node.op == "**" and _is_length(node.args[0]):
            return power(self.number(node.args[0]), self.number(node.args[1]))
        # what is kept with the case would be that of another cell
        return self.read(node)

    def _fixed(self, node: Expr) -> Value:
        """The value of what is not random, the same in every cell."""
        if node.op in ("number", "name") or not self.own.keys().isdisjoint(node.names()):
            return super().value(node)
        if node not in self.fixed:
            self.fixed[node] = super().value(node)
        return self.fixed[node]

    def mean(self, inner: Expr) -> Value:
        """E of a number or a matrix: between the ends of its values, or of those in the cells of a single token."""
        whole = self.value(inner)
        parts = cells(self.law, self.case) if self.fine and len(self.asked) == 1 else []
        found = (scaled(one.mass, self._within(one, self).value(inner)) for one in parts)
        return reduce(plus, found) if parts else whole

    def chance_of(self, event: Expr) -> Number:
        """P of an event: by the cells of a single token, or those that several independent ones may lie in at once."""
        occurs, many = self._occurs(event), len(self.asked)
        if isinstance(occurs, Fraction) or not self.fine:
            return occurs
        if many == 1 and (parts := cells(self.law, self.case)):
            return reduce(add, (mul(one.mass, self._within(one, self)._occurs(event)) for one in parts))
        low, high = _ZERO, _ONE
        for one in caps(self.law, self.case) if self.law.kind.startswith("iid-") and many <= SEVERAL else ():
            found, mass = self._within(one, self)._occurs(event), power(one.mass, Fraction(many))
            if found == 1:
                low = larger(low, mass)
            elif found == 0:
                high = smaller(high, add(_ONE, mul(Fraction(-1), mass)))
        return ball_of(low).union(ball_of(high))

    def _occurs(self, event: Expr) -> Number:
        """1 for what occurs at all values of the tokens, 0 for what occurs at none, else between both."""
        mark, one, two = event.args if event.op == "relation" else ("", None, None)
        if mark not in ("<", "<=", ">", ">=") or one is None or two is None:
            return between_0_and_1()
        try:
            gap = self.number(_at_cases(minus(one, two) if mark[0] == ">" else minus(two, one)))
        except (UndefinedError, StatementError, LookupError, OverflowError):
            return between_0_and_1()
        ends = ball_of(gap)
        if ends > 0 or (gap == 0 and mark[1:]):
            return _ONE
        return _ZERO if ends < 0 or gap == 0 else between_0_and_1()

    def size(self, node: Expr) -> Number:
        """What a sum of products would be at most if all were added."""
        # vectors and matrices are no factors of their own, as in u.T*Sigma*u
        if node.op == "+" or (node.op == "*" and all(shape(arg) == "number" for arg in node.args)):
            return reduce(add if node.op == "+" else mul, map(self.size, node.args))
        found = absolute(self.number(node))
        return found if isinstance(found, Fraction) else flint.arb(found.upper())

    def _form(self, token: Number, direction: Expr) -> Value:
        """x^T v, of a token x = Sigma^(1/2) z with |z| <= reach, or in the cell."""
        vector = unknown() if direction.random else self._fixed(direction)
        self.asked.setdefault(token, []).extend([vector] if isinstance(vector, Vector) else [])
        if not isinstance(vector, Vector):
            return unknown()
        square, size = self._size(vector)
        if not self.law.moved and square == 0:
            # almost surely, whatever the law
            return _ZERO
        if self.reach is None:
            return unknown()
        factor = _times(vector, self.axis) if token in self.tokens else None
        if self.cell is not None and factor is not None:
            long = mul(root(self.case.numbers["d"]), self._size(self.axis)[1])
            return mul(mul(factor, long), mul(self.cell.length, self.cell.cosine))
        most = ball_of(mul(self.reach, size))
        return most.union(-most)

    def _size(self, vector: Vector) -> tuple[Number, Number]:
        """v^T Sigma v, and its root."""
        if vector not in self.squares:
            rows = Matrix(tuple(map(tuple, self.case.matrices["Sigma"])))
            found = times(Vector(vector.entries, row=True), times(rows, Vector(vector.entries)))
            assert isinstance(found, Fraction | flint.arb)
            self.squares[vector] = found, root(found)
        return self.squares[vector]

    def _length(self, token: Number) -> Number:
        """|x| of a token, where Sigma = I."""
        self.asked.setdefault(token, [])
        rows = self.case.matrices["Sigma"]
        here = self.cell is not None and token in self.tokens
        every = (self.cell.length,) if self.cell is not None and here else lengths(self.law, self.case)
        if not every or any(v != (r == c) for r, row in enumerate(rows) for c, v in enumerate(row)):
            return unknown()
        return mul(root(self.case.numbers["d"]), reduce(_hull, every))


def _hull(one: Number, two: Number) -> Number:
    return ball_of(one).union(ball_of(two))


def _is_length(node: Expr) -> bool:
    """norm(x[k])"""
    return node.op == "norm" and node.args[0].op == "token" and node.args[1] in ("", "fro")


def _times(vector: Vector, axis: Vector) -> Fraction | None:
    """What an exact vector is an exact axis times; None where it is no multiple."""
    pairs = [(one, two) for one, two in zip(vector.entries, axis.entries, strict=False)]
    exact = [(one, two) for one, two in pairs if isinstance(one, Fraction) and isinstance(two, Fraction)]
    factor = next((one / two for one, two in exact if two), None)
    if factor is None or len(exact) < len(vector.entries) or any(one != factor * two for one, two in exact):
        return None
    return factor


@once
def _at_cases(node: Expr) -> Expr:
    """A node as it is read at cases: power series as polynomials, forms as one factor each."""
    return paired(polynomial(node))


def reach(law: Law, case: Case) -> Number | None:
    """The longest that a whitened token is at a case; None where it has no bound."""
    every = lengths(law, case)
    return mul(root(case.numbers["d"]), reduce(larger, every)) if every else None


class Excess:
    """By how much an inequality is violated at cases, which are handed in both forms."""

    def __init__(self, prop: Proposition, derivation: Derivation, *, fine: bool = True) -> None:
        self.prop, self.derivation, self.fine = prop, derivation, fine
        self.high, self.low = (prop.right, prop.left) if prop.relation[0] == "<" else (prop.left, prop.right)
        self._open: set[Expr] = set()

    def at(self, case: Case, given: Mapping[str, Any]) -> tuple[Number, Number] | None:
        """A ball around low - high, > 0 where the inequality surely fails, and the size of what the high side adds up.

        None where there is no finite ball.
        """
        kept: dict[Expr, Number | None] = {}

        def closed(node: Expr) -> Number | None:
            if node not in kept:
                kept[node] = self._closed(node, given)
            return kept[node]

        with precision(BITS):
            reader = Enclosed(case, closed, self.prop.law, fine=self.fine)
            try:
                found, size = reader.number(minus(self.low, self.high)), reader.size(self.high)
            except (UndefinedError, IndexError, OverflowError):
                return None
        finite = all(isinstance(one, Fraction) or one.is_finite() for one in (found, size))
        return (found, size) if finite else None

    def _closed(self, node: Expr, case: Mapping[str, Any]) -> Number | None:
        """What a moment is at a case, where its formula is derived."""
        if node in self._open:
            return None
        try:
            value = self.derivation.at(node, case)
        except (StatementError, KeyError):
            self._open.add(node)
            return None
        try:
            return Fraction(int(value.p), int(value.q)) if value.is_Rational else ball(value, {})
        except (ValueError, TypeError, ArithmeticError):
            return None


def assumed(prop: Proposition, case: Mapping[str, Any]) -> bool:
    """Whether the hypotheses about moments hold at a case, decided exactly; False where they are not derived."""
    if prop.law.exchangeable:
        # its cases bring the laws that moments are taken of
        return True
    for relation, left, right in prop.known.relations:
        if left.has(*MOMENTS) or right.has(*MOMENTS):
            try:
                value = sp.sympify(derivation_of(prop).at(minus(left, right), case))
                found = 0 if value == 0 else sign(value)
            except (StatementError, KeyError):
                return False
            if found not in HOLDS[relation]:
                return False
    return True
