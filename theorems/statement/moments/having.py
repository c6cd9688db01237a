"""Whether a statement about moments has a value wherever its hypotheses hold, as far as its parameters tell.

What is made of names alone, such as 1 - a below a line or under a root, is looked at as for a statement without tokens.
Moments, traces and norms are not: a quotient of moments is spoken of where it exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.expression import BINDERS, Expr, negative, number
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import numbers_of
from theorems.statement.work import Work

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

#: What is made of names and numbers.
PLAIN = ("name", "number", "+", "*", "/", "**", "sqrt", "exp", "log", "cos", "sin", "abs", "min", "max", "gamma")


def has_values(prop: Proposition) -> None:
    """NotPolynomialError where something made of names alone may have no value under the hypotheses.

    What is under the index of a sum has one at every place of the sum. Names that tend somewhere are left to the rules
    of limits, indices of others than sums to theirs.
    """
    moving = {prop.limit.variable} if prop.limit.variable else set()
    if prop.limit.variable == "T":
        moving |= set(prop.positions)
    values = Values(prop)
    for side in (prop.left, prop.right):
        for node in side.walk():
            if node.op in ("prod", "series", "integral") and values.prover.defined(node) is None:
                raise NotPolynomialError(
                    f"{node} is not shown to have a value wherever the hypotheses hold", at=node.at
                )
        for whole in numbers_of(side):
            for part, there in dict(_plain(whole, frozenset(moving), values)).items():
                if not there.exist(part):
                    raise NotPolynomialError(
                        f"{part} is not shown to have a value wherever the hypotheses hold; exclude the rest by a "
                        "hypothesis",
                        at=part.at,
                    )


def visibly_nonnegative(node: Expr) -> bool:
    """Whether an expression is made of variances, even powers, norms and expectations of such."""
    if node.op == "number":
        return bool(node.args[0] >= 0)
    if node.op == "**" and node.args[1].op == "number" and node.args[1].args[0] % 2 == 0:
        return True
    inside = node.op in ("+", "*", "/", "E", "**") and all(map(visibly_nonnegative, node))
    return inside or node.op in ("Var", "norm", "entrynorm", "abs", "sqrt", "exp")


class Values:
    """Says whether expressions in names have a value under the hypotheses of a statement."""

    def __init__(self, prop: Proposition, indices: frozenset[str] = frozenset()) -> None:
        #: ``indices`` are those of sums, which are integers
        self.prop, self.known, self.indices = prop, prop.known, indices

    @cached_property
    def prover(self) -> Prover:
        """The prover: most statements have no such part."""
        from theorems.statement.proofs.prover import STEPS, Prover

        found = Prover(self.prop, Work(STEPS))
        # the dimension is an integer >= 1, said or not
        found.known = replace(self.known, ranges={"d": self.known.dimension, **self.known.ranges})
        return found

    def within(self, node: Expr) -> tuple[Values, Expr]:
        """The same under the index of a sum, and the body under it."""
        prover, body = self.prover.within(node)
        own = {self.prover.own_index(node.args[1])} if self.whole(node.args[2]) else set()
        inside = Values(self.prop, self.indices | own)
        inside.prover = prover
        return inside, body

    def exist(self, node: Expr) -> bool:
        """Whether an expression is shown to have a value."""
        if not all(map(self.exist, node)):
            return False
        op, args = node.op, node.args
        if op == "/":
            return self.nonzero(args[1])
        if op == "**":
            return self._power(*args)
        # the Gamma function has its poles at 0, -1, -2, ...
        return op not in ("sqrt", "log", "gamma") or self._signed(args[0], op != "sqrt")

    def nonzero(self, node: Expr) -> bool:
        """Whether an expression is shown to be 0 nowhere."""
        if node.op == "*":
            return all(map(self.nonzero, node))
        if node.op in ("**", "/"):
            # one that has a value
            return self.nonzero(node.args[0])
        if node.op == "gamma":
            # the Gamma function has no zeros
            return True
        if node.op == "name" and node.args[0] in self.known.ranges and self.known.ranges[node.args[0]].nonzero:
            return True
        return self._signed(node, True) or self._signed(negative(node), True)

    def _power(self, base: Expr, exponent: Expr) -> bool:
        if not self.whole(exponent):
            return self._signed(base, True) or (self._signed(base, False) and self._signed(exponent, True))
        return self._signed(exponent, False) or self.nonzero(base)

    def whole(self, node: Expr) -> bool:
        """Whether an expression is an integer wherever it stands: of positions, of sizes and of integers."""
        if node.op == "number":
            return bool(node.args[0].denominator == 1)
        if node.op == "name":
            return node.args[0] in self.prover.whole | self.indices or node.args[0] == "d"
        return node.op in ("+", "*", "abs", "min", "max") and all(map(self.whole, node))

    def _signed(self, node: Expr, strict: bool) -> bool:
        if node.op == "number":
            return bool(node.args[0] > 0 or (node.args[0] == 0 and not strict))
        return (strict and self._above_at_ends(node)) or self.prover.at_least(node, number(0), strict) is not None

    def _above_at_ends(self, node: Expr) -> bool:
        """Whether an expression is of degree 1 in a name between two numbers, and > 0 at both.

        At an end that the name does not reach, >= 0 will do, if the other end has > 0.
        """
        for name in sorted(node.names()):
            known = self.known.ranges.get(name)
            if known is None or known.low is None or known.high is None or not _straight(node, name):
                continue
            low, high = (node.put({name: number(end)}) for end in (known.low, known.high))
            above = self._signed(low, True), self._signed(high, True)
            if any(above) and all(
                one or (unreached and self._signed(end, False))
                for one, unreached, end in zip(above, (known.low_open, known.high_open), (low, high), strict=True)
            ):
                return True
        return False


def _straight(node: Expr, name: str) -> bool:
    """Whether an expression is a polynomial of degree 1 in a name at most."""
    from theorems.statement.moments.scalars import sympy_of

    value, place = sympy_of(node), symbol(name)
    return bool(value.is_polynomial(place) and sp.degree(value, place) <= 1)


def _plain(node: Expr, taken: frozenset[str], values: Values) -> Iterator[tuple[Expr, Values]]:
    """The largest parts, and divisors of others, that are made of names alone, and of none that is taken.

    With what says whether they have values where they stand.
    """
    if node.op == "sum":
        inside, body = values.within(node)
        yield from _plain(body, taken, inside)
        for end in node.args[2:]:
            yield from _plain(end, taken, values)
        return
    if node.op in BINDERS:
        taken |= {arg for arg in node.args if isinstance(arg, str)}
    if is_plain(node):
        if not node.names() & taken:
            yield node, values
        return
    if node.op == "/" and is_plain(node.args[1]) and not node.args[1].names() & taken:
        yield Expr("/", (number(1), node.args[1]), at=node.at), values
    if node.op == "chance" and is_plain(node.args[2]) and not node.args[2].names() & taken:
        # the variance of a normal number is > 0
        yield Expr("/", (number(1), Expr("sqrt", (node.args[2],))), at=node.at), values
    for arg in node:
        yield from _plain(arg, taken, values)


def is_plain(node: Expr) -> bool:
    """Whether an expression is made of names and numbers alone."""
    return all(part.op in PLAIN for part in node.walk())
