"""Values that are worked out once: of a whole object, and at a case of nodes that hold no index that is bound."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import flint

from theorems.algebra.balls import PRECISIONS, precision
from theorems.statement.expression import Expr

K = TypeVar("K")
R = TypeVar("R")


def once(work: Callable[[K], R]) -> Callable[[K], R]:
    """A function of an object that is not changed: its value is worked out once, and kept as long as the object is."""
    name = f"{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def found(one: K) -> R:
        # with the object itself, which need not have a hash
        if name not in vars(one):
            vars(one)[name] = work(one)
        kept: R = vars(one)[name]
        return kept

    return found


#: What is worked out once at a case where it holds no bound index.
COSTLY = ("+", "*", "/", "sum", "least", "smallest", "largest", "onto")


#: Of these, equal nodes are one: working them out again would cost more than their comparison.
WHOLE = ("sum", "least", "smallest", "largest", "onto")


class _Kept:
    """Values at one case of nodes that hold no bound index, by the precision, each node being kept with its value."""

    def __init__(self, case: Any) -> None:
        self.case = case
        self.nodes: dict[int, Expr] = {}
        self.values: dict[tuple[Expr | int, int], Any] = {}

    def value(self, node: Expr, reader: Any) -> Any:
        """The value of a node, from before where it was worked out before."""
        if not node.names().isdisjoint(reader.own):
            return reader.read(node)
        self.nodes[id(node)] = node
        if node.op == "least":
            # its ends are as far apart as a floating-point solver's digits, at every precision
            with precision(PRECISIONS[-1]):
                return self._once(node, node, reader)
        return self._once(node if node.op in WHOLE else id(node), node, reader)

    def _once(self, name: Expr | int, node: Expr, reader: Any) -> Any:
        key = name, flint.ctx.prec
        if key not in self.values:
            self.values[key] = reader.read(node)
        return self.values[key]


#: Of so many cases values are kept, the last one first.
CASES = 32
_KEPT: list[_Kept] = []


def kept(case: Any) -> _Kept:
    """What is kept of a case."""
    if not _KEPT or _KEPT[0].case is not case:
        place = next((k for k, one in enumerate(_KEPT) if one.case == case), None)
        found = _Kept(case) if place is None else _KEPT.pop(place)
        found.case = case
        _KEPT[:] = [found, *_KEPT[: CASES - 1]]
    return _KEPT[0]
