"""Prints that are sums of words, "factor of X*Gamma*q*x[T].T, q = ...", in the language of statements.

No derivation may import this module: it reads prints.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from theorems.statement.expression import StatementError

PREFIX = "factor of "


def is_factored(printed: Mapping[str, str]) -> bool:
    """Whether every printed quantity is the factor of a word."""
    return all(name.startswith(PREFIX) for name in printed)


def summed(printed: Mapping[str, str]) -> str:
    """The sum of the printed factors times their words, in the language of statements."""
    return " + ".join(f"({factor})*({word(name)})" for name, factor in printed.items())


def word(name: str) -> str:
    """The word of "factor of <word>, P = ...": definitions put in, Sum(i, j, body) as sums over all tokens."""
    text = name.removeprefix(PREFIX)
    try:
        call = ast.parse(f"_({text})", mode="eval").body
    except SyntaxError:
        raise StatementError(f"{text!r} is no word; expected e.g. {PREFIX}W_K*W_K.T*W_Q", text, 0) from None
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        raise StatementError(f"{text!r} is no word; expected one formula, then definitions such as P = X.T*X", text, 0)
    defined: dict[str, ast.expr] = {}
    # a definition may name those that stand after it
    for keyword in reversed(call.keywords):
        defined[keyword.arg or ""] = _Words(defined).visit(keyword.value)
    return ast.unparse(_Words(defined).visit(call.args[0]))


class _Words(ast.NodeTransformer):
    def __init__(self, defined: Mapping[str, ast.expr]) -> None:
        self.defined = defined

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.defined.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not (isinstance(node.func, ast.Name) and node.func.id == "Sum"):
            self.generic_visit(node)
            return node
        *indices, body = node.args
        found: ast.expr = self.visit(body)
        for index in reversed(indices):
            ends: list[ast.expr] = [ast.Constant(1), ast.Name("T")]
            found = ast.Call(ast.Name("sum"), [found, index, *ends], [])
        return found
