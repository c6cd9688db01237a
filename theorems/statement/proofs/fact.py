"""An inequality that holds by a general rule, as data, and what such expressions are made of."""

from __future__ import annotations

from dataclasses import dataclass

from theorems.statement.expression import Expr, name, number
from theorems.statement.hypotheses import Hypotheses
from theorems.statement.traces import Letters

ONE, ZERO = number(1), number(0)


@dataclass(frozen=True)
class Fact:
    """``node`` >= 0, or > 0 where ``strict``, or = 0 where ``equal``."""

    rule: str
    node: Expr
    strict: bool = False
    equal: bool = False
    trusted: str = ""


def add(*parts: Expr) -> Expr:
    """A sum."""
    return Expr("+", parts)


def times(*parts: Expr) -> Expr:
    """A product."""
    return Expr("*", parts)


def count(label: str) -> Expr:
    """A size, which is a name or a number."""
    return number(int(label)) if label.isdigit() else name(label)


def extent(known: Hypotheses, letters: Letters) -> tuple[str, str]:
    """Rows and columns of a product of matrices."""
    if not letters:
        return "d", "d"
    (first, turned), (last, back) = letters[0], letters[-1]
    return known.size(first)[turned], known.size(last)[not back]


def size(known: Hypotheses, vector: Expr) -> Expr:
    """How many entries a sequence, or a softmax of one, has."""
    inner = vector.args[0] if vector.op == "softmax" else vector
    return count(known.sequences[inner.args[0]][0])
