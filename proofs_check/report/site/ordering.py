"""A correction with its terms and factors in the order of the print, so that what differs is seen beside it."""

from __future__ import annotations

import ast
import re
from functools import lru_cache, reduce

from proofs_check.report.site import formula

_TRACE = re.compile(r"\btr\d*(?:_\w+)?\b")


@lru_cache(maxsize=1_000)
def arranged(text: str, like: str) -> str:
    """The formula with its terms in the order of the traces in another one, and these behind their coefficients there.

    A text that is no formula, or that has no traces to go by, is left as it is.
    """
    order = list(dict.fromkeys(_TRACE.findall(like)))
    tree = formula.parsed(text)
    if tree is None or not order:
        return text
    behind = re.search(r"\)\*tr", like) is not None
    moved = _Arranged(order, behind).visit(tree)
    return re.sub(r" ([*/]+) ", r"\1", ast.unparse(moved))


class _Arranged(ast.NodeTransformer):
    def __init__(self, order: list[str], behind: bool) -> None:
        self.order, self.behind = order, behind

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        terms = _terms(node)
        if len(terms) > 1:
            moved: list[ast.expr] = sorted((self.visit(term) for term in terms), key=self._place)
            return reduce(lambda one, other: ast.BinOp(one, ast.Add(), other), moved)
        left, right = self.visit(node.left), self.visit(node.right)
        swapped = (
            self.behind and isinstance(node.op, ast.Mult) and _is_trace(left) and not _TRACE.search(ast.unparse(right))
        )
        return ast.BinOp(right, node.op, left) if swapped else ast.BinOp(left, node.op, right)

    def _place(self, term: ast.expr) -> int:
        found = _TRACE.search(ast.unparse(term))
        return self.order.index(found[0]) if found and found[0] in self.order else len(self.order)


def _terms(node: ast.expr) -> list[ast.expr]:
    """The summands of a sum without differences."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_terms(node.left), node.right]
    return [node]


def _is_trace(node: ast.expr) -> bool:
    """Whether a factor is a trace or a power of one."""
    base = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) else node
    return isinstance(base, ast.Name) and _TRACE.fullmatch(base.id) is not None
