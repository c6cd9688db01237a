"""Values that are worked out once: of a whole object, and at a case of nodes that hold no index that is bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, wraps
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
#: The same without any bound index around.
ALWAYS = ("least", "E")
#: Of these, equal nodes are one: working them out again would cost more than their comparison.
WHOLE = ("sum", *ALWAYS, "smallest", "largest", "onto")


class _Kept:
    """Values at one case of nodes that hold no bound index, by the precision, each node being kept with its value."""

    def __init__(self) -> None:
        self.nodes: dict[int, Expr] = {}
        self.values: dict[tuple[Any, int], Any] = {}
        self.exact: dict[Any, tuple[int, Fraction]] = {}

    def value(self, node: Expr, reader: Any) -> Any:
        """The value of a node, from before where it was worked out before."""
        if not node.names().isdisjoint(reader.own):
            return reader.read(node)
        self.nodes[id(node)] = node
        if node.op == "least":
            # its ends are as far apart as a floating-point solver's digits, at every precision
            with precision(PRECISIONS[-1]):
                return self.once(node, lambda: reader.read(node))
        return self.once(node if node.op in WHOLE else id(node), lambda: reader.read(node))

    def once(self, name: Any, work: Callable[[], Any]) -> Any:
        """What is worked out under a name at the present precision; a rational number is the same at more bits."""
        bits, found = self.exact.get(name, (None, None))
        if bits is not None and bits <= flint.ctx.prec:
            return found
        key = name, flint.ctx.prec
        if key not in self.values:
            self.values[key] = work()
            if isinstance(self.values[key], Fraction):
                self.exact[name] = flint.ctx.prec, self.values[key]
        return self.values[key]


#: Of so many cases values are kept.
CASES = 256


_LAST: list[tuple[Any, _Kept]] = [(None, _Kept())]


def kept(case: Any) -> _Kept:
    """What is kept of a case."""
    last = _LAST[0]
    if last[0] is not case:
        # equal cases are compared number by number
        last = _LAST[0] = case, _of(case)
    return last[1]


@lru_cache(maxsize=CASES)
def _of(_: Any) -> _Kept:
    return _Kept()
