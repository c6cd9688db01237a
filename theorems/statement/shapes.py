"""Shapes of expressions: numbers, vectors, rows and matrices, told before anything is worked out."""

from __future__ import annotations

from collections.abc import Iterable

from theorems.statement.expression import MOMENTS, PREDICATES, Expr, StatementError

#: How shapes multiply.
_PRODUCTS = {
    ("matrix", "matrix"): "matrix",
    ("matrix", "vector"): "vector",
    ("row", "matrix"): "row",
    ("row", "vector"): "number",
    ("vector", "row"): "matrix",
}
_TURNED = {"vector": "row", "row": "vector"}


def shape(node: Expr, text: str = "") -> str:
    """number, vector, row, matrix or comparison; StatementError where shapes do not fit, at the place where that is."""
    op, args = node.op, node.args
    if op in ("token", "mean", "vector"):
        return "vector"
    if op == "matrix":
        return "matrix"
    if op == "T":
        inner = shape(args[0], text)
        return _TURNED.get(inner, inner)
    if op == "+":
        found = [shape(arg, text) for arg in args]
        if len(set(found)) > 1:
            raise StatementError(f"{node} adds a {found[0]} and a {_other(found)}; the shapes differ", text, node.at)
        return found[0]
    if op == "*":
        return _product(node, text)
    if op in ("/", "**", "sum"):
        inner = shape(args[0], text)
        _numbers(args[1:], text)
        if op == "**" and inner not in ("number", "matrix"):
            raise StatementError(f"{node} is a power of a {inner}; expected e.g. norm(x[i])**2", text, node.at)
        return inner
    if op in PREDICATES:
        _numbers(args, text)
        return "comparison"
    if op in ("relation", "and"):
        _numbers(args if op == "relation" else [side for one in args for side in one.args], text)
        return "comparison"
    if op == "indicator" or (op == "P" and args[0].op in ("relation", "and")):
        shape(args[0], text)
        return "number"
    if op in ("diff", "chance"):
        _numbers(args, text)
        return "number"
    if op == "norm":
        shape(args[0], text)
        return "number"
    if op == "tr":
        if shape(args[0], text) != "matrix":
            raise StatementError(f"tr(...) takes a matrix; {args[0]} is a {shape(args[0], text)}", text, node.at)
        return "number"
    if op == "E":
        return shape(args[0], text)
    if op in MOMENTS:
        _numbers(args, text)
    return "number"


def _numbers(args: Iterable[object], text: str) -> None:
    for arg in args:
        if isinstance(arg, Expr) and (found := shape(arg, text)) != "number":
            mend = "take a number of it, e.g. a.T*x[i] with a in R^d, or its norm"
            raise StatementError(f"{arg} is a {found}, not a number; {mend}", text, arg.at)


def _product(node: Expr, text: str) -> str:
    found = "number"
    for arg in node.args:
        other = shape(arg, text)
        joined = other if found == "number" else found if other == "number" else _PRODUCTS.get((found, other), "")
        if not joined:
            raise StatementError(
                f"{node} multiplies a {found} by a {other}; expected e.g. x[i].T*W*x[j]", text, max(arg.at, node.at)
            )
        found = joined
    return found


def _other(found: list[str]) -> str:
    return next(shape for shape in found if shape != found[0])
