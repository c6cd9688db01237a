"""Nodes of a statement: nested tuples ("+", ("number", "1/2"), ("name", "i")), made of the plain lists it comes as."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

Node = tuple[Any, ...]

MOMENTS = ("E", "Var", "Cov", "Corr", "Skew", "Kurt", "P")
#: Nodes that bind an index: their arguments are body, index, and its ends or the sequence that it runs through.
BINDING = ("sum", "prod", "series", "integral", "stack", "columns", "every", "each")
#: A derivative binds a name too: its arguments are body, name and where it is taken.
DERIVATIVE = "diff"
#: Numbers of a function of one name on a half-line: body, name, and where it begins.
HALF_LINE = ("maxima", "minima", "limit")


class StatementSimulationError(ValueError):
    """A statement that cannot be simulated at a case: what stands where, what was expected, and the mend."""


class NoValueError(StatementSimulationError):
    """A case at which a statement has no value, or its law no tokens."""


def frozen(plain: Sequence[Any], definitions: Mapping[str, Sequence[Any]] | None = None) -> Node:
    """The node of a plain list; a defined family, ``name: [index, body]``, becomes the stack of its entries 1 ... T."""
    node = _frozen(plain)
    table = {name: (str(index), frozen(body, None)) for name, (index, body) in (definitions or {}).items()}
    return _with_definitions(node, table) if table else node


def _frozen(plain: Sequence[Any]) -> Node:
    if not plain or not isinstance(plain[0], str):
        raise StatementSimulationError(f"{plain!r} is no expression; expected a list that begins with its operation")
    return tuple(_frozen(part) if isinstance(part, list | tuple) else str(part) for part in plain)


def _with_definitions(node: Node, table: Mapping[str, tuple[str, Node]]) -> Node:
    if node[0] == "family" and node[1] in table:
        index, body = table[node[1]]
        return ("stack", _with_definitions(body, table), index, ("number", "1"), ("name", "T"))
    return mapped(node, lambda part: _with_definitions(part, table))


def parts(node: Node) -> list[Node]:
    """The arguments that are nodes."""
    return [part for part in node[1:] if isinstance(part, tuple)]


def walk(node: Node) -> Iterator[Node]:
    """This node and all below it."""
    yield node
    for part in parts(node):
        yield from walk(part)


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with every argument that is a node changed."""
    return tuple(change(part) if isinstance(part, tuple) else part for part in node)


@lru_cache(maxsize=4096)
def names(node: Node) -> frozenset[str]:
    """The names that occur free: no index of a sum."""
    if node[0] == "name":
        return frozenset((node[1],))
    if node[0] in (*BINDING, *HALF_LINE):
        _, body, index, *ends = node
        return (names(body) - {index}).union(*map(names, ends))
    if node[0] == DERIVATIVE:
        return (names(node[1]) - {node[2]}) | names(node[3])
    return frozenset(name for part in parts(node) for name in names(part))


@lru_cache(maxsize=4096)
def random(node: Node) -> bool:
    """Whether the value differs from walk to walk: a token stands outside every moment."""
    return node[0] not in MOMENTS and (node[0] in ("token", "mean") or any(random(part) for part in parts(node)))


@lru_cache(maxsize=4096)
def has_unknown(node: Node) -> bool:
    """Whether an unknown occurs that the node does not look for itself."""
    return bool(_unknowns(node))


def _unknowns(node: Node) -> frozenset[str]:
    if node[0] == "unknown":
        return frozenset((node[1],))
    own = node[1] if node[0] == "exists" else node[2] if node[0] == "least" else ""
    return frozenset(name for part in parts(node) for name in _unknowns(part)).difference(own.split(", "))


@lru_cache(maxsize=4096)
def has_moment(node: Node) -> bool:
    """Whether a moment occurs."""
    return node[0] in MOMENTS or any(has_moment(part) for part in parts(node))


def put(node: Node, name: str, value: Node) -> Node:
    """The node with a name replaced; the index of a sum is its own."""
    if node[0] == "name":
        return value if node[1] == name else node
    if node[0] in (*BINDING, *HALF_LINE) and node[2] == name:
        _, body, index, *ends = node
        return (node[0], body, index, *(put(end, name, value) for end in ends))
    if node[0] == DERIVATIVE and node[2] == name:
        return (node[0], node[1], node[2], put(node[3], name, value))
    return mapped(node, lambda part: put(part, name, value))


def text(node: Node) -> str:
    """The node in one line, every compound argument in brackets, so that unequal nodes have unequal texts."""
    op, args = node[0], node[1:]
    if op == "number":
        return str(args[0]) if str(args[0]).isdigit() else f"({args[0]})"
    if op in ("name", "matrix", "vector", "family", "unknown"):
        return str(args[0])
    if op == "member":
        return f"{args[0]}[{', '.join(map(text, args[2:]))}]"
    if op == "token":
        return f"x[{text(args[0])}]"
    if op == "entry":
        return f"{args[0] if isinstance(args[0], str) else text(args[0])}[{text(args[1])}]"
    if op == "element":
        return f"{text(args[0])}[{text(args[1])}, {text(args[2])}]"
    if op == "T":
        return f"{text(args[0])}.T"
    if op in ("+", "*", "/", "**"):
        return f"({op.join(text(arg) for arg in args)})"
    if op == "relation":
        return f"{text(args[1])} {args[0]} {text(args[2])}"
    if op == "and":
        return " and ".join(text(arg) for arg in args)
    if op == "mean":
        return "mean(x)"
    inside = ", ".join(text(arg) if isinstance(arg, tuple) else str(arg) for arg in args if arg != "")
    return f"{op}[{inside}]" if op in MOMENTS else f"{op}({inside})"
