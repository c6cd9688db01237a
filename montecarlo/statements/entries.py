"""One entry of a side that is a vector or a matrix, as a number that is simulated: its row and column are unit vectors.

The case holds them as the lists "_left" and "_right"; a vector has the one, a row the other, a matrix both.
"""

from __future__ import annotations

from collections.abc import Sequence

from montecarlo.statements.nodes import Node, StatementSimulationError, has_moment, text

ROW, COLUMN = ("T", ("family", "_left")), ("family", "_right")
_KINDS = {
    **dict.fromkeys(("token", "mean", "vector", "member", "family", "column", "stack", "eig"), "column"),
    **dict.fromkeys(("matrix", "columns", "inv", "onto"), "matrix"),
}
_TIMES = {
    ("matrix", "matrix"): "matrix",
    ("matrix", "column"): "column",
    ("row", "matrix"): "row",
    ("row", "column"): "scalar",
    ("column", "row"): "matrix",
}


def kind(node: Node) -> str:
    """Whether a node is a scalar, column, row or matrix, moments included."""
    op = node[0]
    if op == "T":
        inner = kind(node[1])
        return {"column": "row", "row": "column"}.get(inner, inner)
    if op == "Cov":
        return "matrix" if kind(node[1]) == "column" else "scalar"
    if op in ("+", "/", "**", "E", "sum", "softmax"):
        return kind(node[1])
    if op != "*":
        return _KINDS.get(op, "scalar")
    found = "scalar"
    for part in node[1:]:
        other = kind(part)
        found = other if found == "scalar" else found if other == "scalar" else _TIMES.get((found, other), "scalar")
    return found


def picked(node: Node) -> Node:
    """The entry of a side; a number is itself."""
    found = kind(node)
    if found == "scalar":
        return node
    return _pick((ROW,) if found != "row" else (), node, (COLUMN,) if found != "column" else ())


def _pick(above: tuple[Node, ...], node: Node, below: tuple[Node, ...]) -> Node:
    """The number ``above`` * node * ``below``, its moments taken of numbers."""
    op, *args = node
    if not has_moment(node):
        return _times((*above, node, *below))
    if op == "E":
        return ("E", _times((*above, args[0], *below)))
    if op == "Cov" and kind(node) == "matrix":
        return ("Cov", _times((*above, args[0])), _times((*map(_flipped, reversed(below)), args[1])))
    if op == "T":
        return _pick(tuple(map(_flipped, reversed(below))), args[0], tuple(map(_flipped, reversed(above))))
    if op == "+":
        return ("+", *(_pick(above, part, below) for part in args))
    if op in ("/", "sum"):
        return (op, _pick(above, args[0], below), *args[1:])
    if op == "*":
        return _pick_of_product(above, args, below)
    return _times((*above, node, *below))


def _pick_of_product(above: tuple[Node, ...], args: list[Node], below: tuple[Node, ...]) -> Node:
    plain, others = _scalars_apart(args)
    random = [k for k, part in enumerate(others) if has_moment(part)]
    if len(random) < 2:
        k = random[0] if random else 0
        return _flat(*plain, _pick((*above, *others[:k]), others[k], (*others[k + 1 :], *below)))
    for k in range(1, len(others)):
        if kind(("*", *others[:k])) == "column" and kind(("*", *others[k:])) == "row":
            return _flat(*plain, _pick_of_product(above, others[:k], ()), _pick_of_product((), others[k:], below))
    raise StatementSimulationError(f"{text(('*', *args))} is a product of matrices of moments; define one of them")


def _scalars_apart(args: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """The scalars of a product, x.T*W*x before x*x.T among them, and what is left of it."""
    plain: list[Node] = []
    others: list[Node] = []
    for part in args:
        (plain if kind(part) == "scalar" else others).append(part)
        if len(others) > 1 and kind(("*", *others)) == "scalar":
            last = part is args[-1] or all(kind(one) == "scalar" for one in args[args.index(part) + 1 :])
            if not last:
                plain, others = [*plain, *others], []
    return plain, others


def _flipped(node: Node) -> Node:
    return node[1] if node[0] == "T" else ("T", node)


def _times(factors: tuple[Node, ...]) -> Node:
    """The product, scalars of its factors first."""
    apart = [_scalars_apart(one[1:]) if one[0] == "*" else ([], [one]) for one in factors]
    return _flat(*(part for plain, _ in apart for part in plain), *(part for _, others in apart for part in others))


def _flat(*factors: Node) -> Node:
    flat = [part for one in factors for part in (one[1:] if one[0] == "*" else (one,))]
    return flat[0] if len(flat) == 1 else ("*", *flat)
