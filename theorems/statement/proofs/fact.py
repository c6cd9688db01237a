"""An inequality that holds by a general rule, as data, and what such expressions are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from theorems.statement.expression import Expr, minus, name, number
from theorems.statement.moments.traces import Letters
from theorems.statement.reading.hypotheses import Hypotheses

if TYPE_CHECKING:
    from theorems.statement.proofs.atoms import Atoms

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


def largest(known: Hypotheses, label: str) -> tuple[Expr, ...]:
    """A size, and where hypotheses bound it its largest value too."""
    values = known.ranges.get(label)
    top = None if values is None or values.low == values.high else values.high
    return (count(label),) if top is None else (count(label), number(top))


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


def between(ends: tuple[Expr, Expr], node: Expr) -> Iterator[Fact]:
    """What a hypothesis says of an integer between two ends."""
    low, high = ends
    yield Fact("hypothesis", minus(node, low))
    yield Fact("hypothesis", minus(high, node))


def spoken(atoms: Atoms, values: Iterable[Expr]) -> bool:
    """Whether numbers are made of the atoms that the statement has."""
    return all(map(atoms.has, values))
