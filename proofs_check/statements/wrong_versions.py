"""Wrong versions of a statement without tokens: a number off by 1, a side or a term off by a factor, the other way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from proofs_check.statements import clauses
from theorems.statement.expression import Expr, number
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import CLAUSES

MIRRORED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "=": "="}


def mutants_of(prop: Proposition) -> list[Proposition]:
    """Wrong versions of the right side, and the other direction of an inequality."""
    if prop.relation in CLAUSES:
        return clauses.mutants_of(prop, list(changed_numbers(prop.right)))
    rights = [*changed_numbers(prop.right)]
    rights += [_scaled(prop.right, factor) for factor in (Fraction(51, 50), Fraction(49, 50))]
    if prop.right.op == "+":
        for k, term in enumerate(prop.right.args):
            doubled = Expr("*", (number(2), term))
            rights.append(Expr("+", (*prop.right.args[:k], doubled, *prop.right.args[k + 1 :])))
    rights = [right for right in dict.fromkeys(rights) if right != prop.right and str(right) != str(prop.right)]
    found = [replace(prop, right=right) for right in rights[:30]]
    if prop.relation != "=":
        found.append(replace(prop, relation=MIRRORED[prop.relation]))
    return found


def _scaled(node: Expr, factor: Fraction) -> Expr:
    return number(factor * node.args[0]) if node.op == "number" else Expr("*", (number(factor), node))


def changed_numbers(node: Expr) -> Iterator[Expr]:
    """The expression with one of its numbers off by 1."""
    if node.op == "number":
        yield number(node.args[0] + 1)
        yield number(node.args[0] - 1)
        return
    for k, arg in enumerate(node.args):
        if isinstance(arg, Expr):
            for new in changed_numbers(arg):
                yield Expr(node.op, (*node.args[:k], new, *node.args[k + 1 :]))
