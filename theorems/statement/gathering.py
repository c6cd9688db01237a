"""Reading what is said of every value of an index: hulls, largest and smallest values, distances and indicators.

hull(v[j], j, 2, n, norm(v[j]) > 0) is the hull of the v_j with 2 <= j <= n that are not 0. Further indices follow the
first one, and conditions stand last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from theorems.statement.expression import Expr


def _each(reader: Any, head: str, node: ast.Call, depth: int) -> Expr:
    """One expression for every value of its indices, the first one outermost, where all conditions hold.

    An index runs between two ends, or through the entries of a sequence.
    """
    expected = f"expected {head}(expression, j, first, last), e.g. {head}({EXAMPLES[head]})"
    body: Expr = reader.build(node.args[0], depth)
    place, found = 1, list[tuple[str, tuple[Expr, ...]]]()
    while place < len(node.args) and isinstance(arg := node.args[place], ast.Name):
        if _taken(reader, arg.id) or arg.id in {name for name, _ in found}:
            raise reader.fail(f"{arg.id} cannot be an index of {head}; take another letter", arg)
        rest = node.args[place + 1 : place + 3]
        through = bool(rest) and isinstance(rest[0], ast.Name) and rest[0].id in reader.words.sequences
        ends = tuple(reader.build(end, depth) for end in (rest[:1] if through else rest))
        if len(ends) != (1 if through else 2) or any(end.op == "relation" for end in ends):
            raise reader.fail(expected, arg)
        if any(arg.id in end.names() for end in ends):
            raise reader.fail(f"the ends of {arg.id} hold {arg.id} itself; rename one", arg)
        found.append((arg.id, ends))
        place += 1 + len(ends)
    conditions = [reader.build(arg, depth) for arg in node.args[place:]]
    if not found or any(condition.op != "relation" for condition in conditions):
        raise reader.fail(expected, node)
    body = Expr("given", (body, *conditions), body.at) if conditions else body
    for index, ends in reversed(found):
        body = Expr("each", (body, index, *ends), reader.place(node))
    return body


def _taken(reader: Any, label: str) -> bool:
    """Whether a word stands for something, so that it cannot be an index."""
    words = reader.words
    known = (words.matrices, words.vectors, words.sequences, words.definitions, words.values)
    return label in ("x", "T", "d") or label.startswith("_") or any(label in table for table in known)


def _of_each(reader: Any, head: str, node: ast.Call, depth: int) -> Expr:
    if not node.args:
        raise reader.fail(f"expected {head}(expression, j, first, last), e.g. {head}({EXAMPLES[head]})", node)
    return Expr(head, (_each(reader, head, node, depth),))


def _hull(reader: Any, head: str, node: ast.Call, depth: int) -> Expr:
    """The hull of one vector for every value of indices, or of vectors one by one."""
    second = node.args[1] if len(node.args) > 1 else None
    if not node.args or (isinstance(second, ast.Name) and not _taken(reader, second.id)):
        return _of_each(reader, head, node, depth)
    return Expr(head, tuple(reader.build(arg, depth) for arg in node.args))


def _dist(reader: Any, head: str, node: ast.Call, depth: int) -> Expr:
    """The least distance of a vector, or of 0, from a hull."""
    parts = [reader.build(arg, depth) for arg in node.args]
    if len(parts) != 2 or parts[1].op != "hull" or parts[0].op == "hull":
        raise reader.fail(f"expected dist(a, hull(...)), or dist(0, hull({EXAMPLES['hull']}))", node)
    return Expr(head, tuple(parts))


def _indicator(reader: Any, head: str, node: ast.Call, depth: int) -> Expr:
    parts = [reader.build(arg, depth) for arg in node.args]
    if len(parts) != 1 or parts[0].op != "relation":
        raise reader.fail("expected indicator(a > b), which is 1 where a > b and 0 elsewhere", node)
    return Expr(head, tuple(parts))


EXAMPLES = {"hull": "v[j], j, 1, n", "largest": "norm(v[j]), j, 1, n", "smallest": "s[j], j, 2, n, s[j] > 0"}
#: How the calls of this module are read.
GATHERED: dict[str, Callable[[Any, str, ast.Call, int], Expr]] = {
    "hull": _hull,
    "largest": _of_each,
    "smallest": _of_each,
    "dist": _dist,
    "indicator": _indicator,
}
