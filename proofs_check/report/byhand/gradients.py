"""Gradients between matrices of one entry: the derivative of a function of one number."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.report.byhand.substituting import chain, close, exact, formula, put_in, told
from theorems.algebra.expressions import parse


class _Scalar(ast.NodeTransformer):
    """A formula of matrices as one of numbers: transposes and traces of one entry are that entry."""

    def __init__(self, defined: Mapping[str, str]) -> None:
        self.defined = defined

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self.visit(node.value) if node.attr == "T" else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node = ast.Call(node.func, [self.visit(part) for part in node.args], [])
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "tr" else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.visit(ast.parse(self.defined[node.id], mode="eval").body) if node.id in self.defined else node


def lines(claim: Mapping[str, Any]) -> list[str]:
    """The check of a gradient's factor where every matrix has one entry."""
    example, said = claim["counterexample"], claim["said"]
    given = {name: _entry(value) for name, value in example.get("given", {}).items()}
    ((_, text),) = said["quantities"].items()
    ((label, printed),) = claim["printed"].items()
    tree = ast.parse(text, mode="eval").body
    if not given or not isinstance(tree, ast.Call) or getattr(tree.func, "id", "") != "grad" or len(tree.args) != 2:
        return []
    defined = dict(part.strip().split(" = ", 1) for part in said["where"].split(","))
    scalar, stated = _Scalar(defined), ast.unparse(tree.args[0])
    function, by = ast.unparse(scalar.visit(tree.args[0])), ast.unparse(tree.args[1])
    slope = sp.factor(sp.diff(parse(function), sp.Symbol(by)))
    true = exact(str(slope), given)
    names = {
        name: exact(ast.unparse(scalar.visit(ast.parse(body, mode="eval").body)), given)
        for name, body in defined.items()
    }
    values = {**given, **{name: Fraction(int(v.p), int(v.q)) for name, v in names.items()}}
    whole = f"({printed})*{label.removeprefix('factor of ')}"
    whole = ast.unparse(_Scalar({}).visit(ast.parse(whole, mode="eval")))
    claimed = exact(whole, values)
    if not close(true, sp.Rational(example["true"])) or not close(claimed, sp.Rational(example["printed"])):
        return []
    place = ", ".join(f"{name} = {value}" for name, value in given.items())
    shown = {name: str(value) for name, value in values.items()}
    used = [name for name in names if name in printed]
    told_names = "".join(f", with {name} = {shown[name]}" for name in used)
    return [
        f"Take matrices of one entry, {place}. Then {formula(stated)} is the number {formula(function)}.",
        f"Its derivative by {by} is {chain(str(slope), put_in(str(slope), shown), told(true))}.",
        f"The print gives {chain(whole, put_in(whole, shown), told(claimed))}{told_names}.",
    ]


def _entry(value: Any) -> Fraction:
    while isinstance(value, list):
        (value,) = value
    return Fraction(value)
