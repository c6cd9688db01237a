"""Sums with what does not hold their index taken out: sum_j a_i b_j = a_i sum_j b_j, numbers from any place."""

from __future__ import annotations

from theorems.statement.expression import Expr, number
from theorems.statement.reading.shapes import shape


def factored(node: Expr) -> Expr:
    """An equal expression of a sum over at least one place, sums inside it first; the sum itself where nothing goes."""
    if node.op != "sum" or node.args[0] == number(1):
        # a sum of 1 counts
        return node
    body, index, first, last = node.args
    body = factored(body)
    inside = list(body.args) if body.op == "*" else [body]
    free = [part for part in inside if index not in part.names()]
    before = [part for part in free if shape(part) == "number"]
    inside = [part for part in inside if part not in before]
    after: list[Expr] = []
    while inside and index not in inside[0].names():
        before.append(inside.pop(0))
    while inside and index not in inside[-1].names():
        after.insert(0, inside.pop())
    if not before and not after:
        return node if body is node.args[0] else Expr("sum", (body, index, first, last), node.at)
    rest = Expr("*", tuple(inside)) if len(inside) > 1 else inside[0] if inside else number(1)
    return Expr("*", (*before, Expr("sum", (rest, index, first, last)), *after), node.at)
