"""Formulas with numbers put in for their names, as text that a reader can follow, and their exact values."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import parse, value_at


def put_in(text: str, values: Mapping[str, str]) -> str:
    """The formula with texts in the place of names, in brackets where they bind less: ``(1 - 1)*2``."""

    class Put(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            node.args = [self.visit(argument) for argument in node.args]
            return node

        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.parse(values[node.id], mode="eval").body if node.id in values else node

    return ast.unparse(Put().visit(ast.parse(text.strip(), mode="eval")))


def exact(text: str, values: Mapping[str, Fraction]) -> sp.Expr:
    """The value of a formula of numbers; KeyError for a name that has none."""
    return value_at(parse(text), values)


def close(one: Any, two: Any) -> bool:
    """Whether two exact numbers are the same to 12 digits."""
    a, b = sp.N(one, 30), sp.N(two, 30)
    return bool(a.is_real and b.is_real and abs(a - b) <= sp.Float("1e-12", 30) * max(1, abs(a), abs(b)))


def reported(text: str) -> sp.Expr:
    """A value of the report: a closed expression, or digits."""
    return sp.Float(text, 30) if re.fullmatch(r"-?\d+\.\d+", text) else parse(text)


def told(value: Any) -> str:
    """A number as it is written; one that is no fraction with six digits of it."""
    found = sp.sympify(value)
    if found.is_Rational:
        return str(found)
    digits = f"about {float(found):.6g}"
    return f"{found} ({digits})" if len(str(found)) <= 60 else digits


def chain(*sides: str) -> str:
    """The formula ``a = b = c``, without a side that says the same as the next; digits of it stand behind.

    A power 0^0 among them is told to be 1.
    """
    bare = [side.partition(" (about")[0].replace(" ", "") for side in sides]
    # what says more of the same value comes last
    kept = [side for place, side in enumerate(sides) if place + 1 == len(sides) or bare[place] != bare[place + 1]]
    *before, last = kept
    if not before and last.startswith("about"):
        return last
    exactly, about, digits = last.partition(" (about")
    convention = ", with " + formula("0**0 = 1") if any(map(_has_empty_power, before)) else ""
    return formula(" = ".join([*before, exactly])) + about + digits + convention


def _has_empty_power(text: str) -> bool:
    """Whether numbers that are 0 stand to the power of numbers that are 0; a text in other words has none."""
    try:
        nodes = ast.walk(ast.parse(text, mode="eval"))
    except SyntaxError:
        return False
    powers = [node for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    return any(_is_zero(node.left) and _is_zero(node.right) for node in powers)


def _is_zero(node: ast.expr) -> bool:
    numbers = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    return all(isinstance(part, numbers) for part in ast.walk(node)) and parse(ast.unparse(node)) == 0


def formula(text: str) -> str:
    """A formula within a line: between backticks, where ``prose`` looks for it."""
    return f"`{text}`"
