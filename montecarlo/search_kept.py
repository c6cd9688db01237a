"""Parts of a sum's terms that do not depend on its index, marked: they are worked out once a sum, not once a term."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

KEPT = "kept"
#: What costs nothing, or must be seen where it stands: a product with an indicator that is 0 is 0.
_LEFT = frozenset({"number", "name", "pi", "matrix", "vector", "family", "indicator", KEPT})
#: Operations whose arguments are all worked out, at the same case.
_OPEN = frozenset(
    (
        *("+", "*", "/", "**", "T", "tr", "sqrt", "exp", "log", "cos", "sin", "abs", "min", "max", "erf", "gamma"),
        *("clip", "inv", "eig", "softmax", "entropy", "norm", "entrynorm", "entry"),
    )
)
_SUMS = ("sum", "prod")
_owners = count()


def marked(body: Sequence[Any], index: str) -> tuple[Sequence[Any], str]:
    """The terms of a sum with such parts marked, and the name under which a case holds their values."""
    owner = f"{KEPT} {next(_owners)}"
    return _marked(body, frozenset({index}), owner, count()), owner


def once(owner: str, place: int, value: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A marked part at a case: worked out where it is first asked for."""

    def found(case: Any) -> Any:
        known = case[owner]
        if place not in known:
            known[place] = value(case)
        return known[place]

    return found


def _marked(node: Any, bound: frozenset[str], owner: str, places: Iterator[int]) -> Any:
    if isinstance(node, str) or node[0] in _LEFT:
        return node
    if bound.isdisjoint(_texts(node)):
        fixed = node[0] == "entry" and isinstance(node[1], str)
        return node if fixed else (KEPT, owner, next(places), node)
    if node[0] in _SUMS:
        # what an inner sum binds is no name of the outer one's
        body, index, *ends = node[1:]
        inner = _marked(body, bound | {index}, owner, places)
        return (node[0], inner, index, *(_marked(end, bound, owner, places) for end in ends))
    if node[0] in _OPEN and not any(arg[0] == "indicator" for arg in node[1:] if not isinstance(arg, str)):
        return (node[0], *(_marked(arg, bound, owner, places) for arg in node[1:]))
    return node


def _texts(node: Any) -> frozenset[str]:
    """All texts of a node, its names among them, but for what its sums bind."""
    if isinstance(node, str):
        return frozenset({node})
    if node[0] == KEPT:
        # marked for a sum around this one
        return _texts(node[3])
    if node[0] in _SUMS:
        return (_texts(node[1]) - {node[2]}).union(*map(_texts, node[3:]))
    return frozenset().union(*map(_texts, node))
