"""Reading what is said of every value of an index: hulls, largest and smallest values, and distances.

hull(v[j], j, 2, n, norm(v[j]) > 0) is the hull of the v_j with 2 <= j <= n that are not 0. Further indices follow the
first one, and conditions stand last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from theorems.statement.expression import Expr
from theorems.statement.reading.binders import ranged, taken

if TYPE_CHECKING:
    from theorems.statement.reading.language import _Reader


def _of_each(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """What is taken of one expression for every value of its indices, where all conditions hold."""
    expected = f"expected {head}(expression, j, first, last), e.g. {head}({_EXAMPLES[head]})"
    if not node.args:
        raise reader.fail(expected, node)
    return Expr(head, (ranged(reader, node, depth, reader.build(node.args[0], depth), expected, "each"),))


def _hull(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """The hull of one vector for every value of indices, or of vectors one by one."""
    second = node.args[1] if len(node.args) > 1 else None
    if not node.args or (isinstance(second, ast.Name) and not taken(reader.words, second.id)):
        return _of_each(reader, head, node, depth)
    return Expr(head, tuple(reader.build(arg, depth) for arg in node.args))


def _dist(reader: _Reader, head: str, node: ast.Call, depth: int) -> Expr:
    """The least distance of a vector, or of 0, from a hull."""
    parts = [reader.build(arg, depth) for arg in node.args]
    if len(parts) != 2 or parts[1].op != "hull" or parts[0].op == "hull":
        raise reader.fail(f"expected dist(a, hull(...)), or dist(0, hull({_EXAMPLES['hull']}))", node)
    return Expr(head, tuple(parts))


_EXAMPLES = {
    "hull": "v[j], j, 1, n",
    "largest": "norm(v[j]), j, 1, n",
    "smallest": "s[j], j, 2, n, s[j] > 0",
    "onto": "v[j], j, 1, n",
}
#: How the calls of this module are read.
GATHERED: dict[str, Callable[[Any, str, ast.Call, int], Expr]] = {
    "hull": _hull,
    "largest": _of_each,
    "smallest": _of_each,
    "onto": _of_each,
    "dist": _dist,
}
