"""Sides of a statement at an exact case where moments have no closed form: balls that hold them.

A probability lies between 0 and 1, a moment that is derived is what it is, and E of a number made of bounded tokens
lies between the ends of that number's values. A bound that is below what it bounds by such balls is disproved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import ball, precision
from theorems.statement.deciding.decide import Derivation, derivation_of
from theorems.statement.expression import HOLDS, MOMENTS, Expr, StatementError, minus, polynomial
from theorems.statement.moments.normal import sign
from theorems.statement.moments.orthogonal import paired
from theorems.statement.proposition import Proposition
from theorems.statement.reading.laws import Law
from theorems.statement.values.arithmetic import (
    Number,
    UndefinedError,
    Value,
    Vector,
    absolute,
    add,
    between_0_and_1,
    larger,
    mul,
    root,
    unknown,
)
from theorems.statement.values.arithmetic import ball as ball_of
from theorems.statement.values.cases import Case
from theorems.statement.values.values import Data, Reader

BITS = 128
RULE = "a probability is between 0 and 1, 1 of what always occurs, and E of bounded numbers between their ends"


class Enclosed(Reader):
    """Reads a side; ``closed`` is the value of a moment at the case, or None, ``reach`` the longest that a token is.

    ``centred`` says that tokens have the mean 0.
    """

    def __init__(
        self,
        case: Data,
        closed: Callable[[Expr], Number | None],
        reach: Number | None,
        own: Mapping[str, Fraction] | None = None,
        centred: bool = True,
    ) -> None:
        super().__init__(case, own or {})
        self.closed, self.reach, self.centred = closed, reach, centred

    def inside(self, index: str, place: Fraction) -> Enclosed:
        """The reader with the index of a sum bound."""
        return Enclosed(self.case, self.closed, self.reach, {**self.own, index: place}, self.centred)

    def value(self, node: Expr) -> Value:
        """A ball around a number; of a random one around all of its values."""
        if node.op in MOMENTS:
            found = self.closed(node)
            if found is not None:
                return found
            if node.op == "P":
                return self._chance(node.args[0])
            return self.value(paired(polynomial(node.args[0]))) if node.op == "E" else unknown()
        if node.op == "*" and node.random and len(node.args) == 2:
            one, two = node.args
            if one.op == "T" and "token" in (one.args[0].op, two.op):
                return self._form(two if one.args[0].op == "token" else one.args[0])
        return super().value(node)

    def _chance(self, event: Expr) -> Value:
        """1 for what occurs at all values of the tokens, 0 for what occurs at none, else between both."""
        mark, one, two = event.args if event.op == "relation" else ("", None, None)
        if mark not in ("<", "<=", ">", ">=") or one is None or two is None:
            return between_0_and_1()
        try:
            gap = self.number(paired(polynomial(minus(one, two) if mark[0] == ">" else minus(two, one))))
        except (UndefinedError, StatementError, LookupError, OverflowError):
            return between_0_and_1()
        ends = ball_of(gap)
        if ends > 0 or (gap == 0 and mark[1:]):
            return Fraction(1)
        return Fraction(0) if ends < 0 or gap == 0 else between_0_and_1()

    def size(self, node: Expr) -> Number:
        """What a sum of products would be at most if all were added."""
        if node.op in ("+", "*"):
            return reduce(add if node.op == "+" else mul, map(self.size, node.args))
        found = absolute(self.number(node))
        return found if isinstance(found, Fraction) else flint.arb(found.upper())

    def _form(self, direction: Expr) -> Value:
        """x^T v, of a token x = Sigma^(1/2) z with |z| <= reach."""
        if direction.random:
            return unknown()
        square = super().value(Expr("*", (Expr("T", (direction,)), Expr("matrix", ("Sigma",)), direction)))
        if isinstance(square, Vector) or not isinstance(square, Fraction | flint.arb):
            return unknown()
        if self.centred and square == 0:
            # almost surely, whatever the law
            return Fraction(0)
        if self.reach is None:
            return unknown()
        most = ball_of(mul(self.reach, root(square)))
        return most.union(-most)


def reach(law: Law, case: Data) -> Number | None:
    """The longest that a whitened token is at a case; None where it has no bound."""
    d = root(case.numbers["d"])
    if law.lengths:
        one, two = (absolute(case.numbers[label]) for label in sorted(law.lengths))
        return mul(d, larger(one, two))
    return d if law.kind in ("iid-sphere", "iid-signs", "frame-sphere") else None


class Excess:
    """By how much an inequality is violated at cases, which are handed in both forms."""

    def __init__(self, prop: Proposition, derivation: Derivation) -> None:
        self.prop, self.derivation = prop, derivation
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
            reader = Enclosed(case, closed, reach(self.prop.law, case), centred=not self.prop.law.moved)
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
