"""Identities between matrices of any size by normal form: polynomials in matrices, their traces and gradients.

A gradient is taken by the cyclic derivative of traces of words, so that what is equal here is equal for every d and m.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.matrix_calculus import Letter, Matrix, MatrixError
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import Hypotheses
from theorems.statement.reading.shapes import shape
from theorems.statement.values.kept import once

#: Largest power that is multiplied out.
MAX_POWER = 12
#: What only exact values and this normal form read.
OPERATIONS = ("grad", "at", "column", "element", "columns", "stack")


class NoNormalFormError(ValueError):
    """An expression that is no polynomial in matrices."""


@once
def about_matrices(prop: Proposition) -> bool:
    """Whether a statement without tokens is about matrices as such, or has matrices that need not be square."""
    if prop.known.sizes:
        return True
    sides = (prop.left, prop.right, *(side for _, one, two in prop.known.relations for side in (one, two)))
    return any(side.has(*OPERATIONS) for side in sides) or shape(prop.left) not in ("number", "comparison")


def equal_by_normal_form(prop: Proposition) -> Matrix | None:
    """The normal form of both sides where it is one, hence equal for matrices of every size; None where it is not."""
    if prop.relation != "=" or prop.known.relations:
        return None
    try:
        left, right = (normal_form(side, prop.known) for side in (prop.left, prop.right))
        if right.is_zero:
            return left if left.is_zero else None
        return left if left == right else None
    except (NoNormalFormError, MatrixError, StatementError):
        return None


def normal_form(node: Expr, known: Hypotheses) -> Matrix:
    """An expression as a sum of words; NoNormalFormError for one that is no polynomial in its matrices."""
    rule = _RULES.get(node.op)
    if rule is None:
        raise NoNormalFormError(f"{node} is no polynomial in matrices")
    return rule(node, known)


def _matrix(node: Expr, known: Hypotheses) -> Matrix:
    if node.args[0] == "I":
        return Matrix.identity("d")
    return Matrix.of(Letter(node.args[0], *known.size(node.args[0])))


def _family(node: Expr, known: Hypotheses) -> Matrix:
    if node.args[0] not in known.sequences:
        raise NoNormalFormError(f"{node} is defined entry by entry")
    return Matrix.of(Letter(node.args[0], known.sequences[node.args[0]][0], "1"))


def _quotient(node: Expr, known: Hypotheses) -> Matrix:
    """A quotient by a product of numbers and of names that a hypothesis keeps from 0."""
    found = normal_form(node.args[0], known)
    quotient: Matrix = found * (1 / _nonzero(node.args[1], known))
    return quotient


def _nonzero(node: Expr, known: Hypotheses) -> sp.Expr:
    if node.op == "number" and node.args[0] != 0:
        return sp.Rational(node.args[0].numerator, node.args[0].denominator)
    if node.op == "name":
        values = known.ranges.get(node.args[0])
        if node.args[0] in known.size_names | {"d"} or (values and (values.sign is not None or values.nonzero)):
            return symbol(node.args[0])
    if node.op == "*":
        return reduce(lambda one, two: one * two, (_nonzero(arg, known) for arg in node))
    if node.op == "**" and node.args[1].op == "number" and node.args[1].args[0].denominator == 1:
        return _nonzero(node.args[0], known) ** int(node.args[1].args[0])
    raise NoNormalFormError(f"{node} may be 0")


def _power(node: Expr, known: Hypotheses) -> Matrix:
    base, exponent = node.args
    count = exponent.args[0] if exponent.op == "number" else -1
    if not (0 <= count <= MAX_POWER) or int(count) != count:
        raise NoNormalFormError(f"{node}: the power of a matrix or a number is an integer from 0 to {MAX_POWER}")
    if base.op == "norm" and base.args[1] in ("", "fro") and int(count) % 2 == 0:
        inner = normal_form(base.args[0], known)
        square: Matrix = (inner.T * inner).trace()
        return square ** (int(count) // 2)
    found = normal_form(base, known)
    if found.shape == ("1", "1"):
        return found ** int(count)
    if count == 0:
        return Matrix.identity(found.rows)
    return reduce(lambda one, two: one * two, [found] * int(count))


def _gradient(node: Expr, known: Hypotheses) -> Matrix:
    function, variable = normal_form(node.args[0], known), normal_form(node.args[1], known)
    name = str(node.args[1].args[0])
    if not any(letter.name == name for letter in function.letters()):
        return Matrix(variable.rows, variable.columns, {})
    return function.gradient(name)


def _folded(join: Callable[[Any, Any], Any]) -> Callable[[Expr, Hypotheses], Matrix]:
    return lambda node, known: reduce(join, (normal_form(arg, known) for arg in node))


_RULES: Mapping[str, Callable[[Expr, Hypotheses], Matrix]] = {
    "number": lambda node, known: Matrix.scalar(sp.Rational(node.args[0].numerator, node.args[0].denominator)),
    "name": lambda node, known: Matrix.scalar(symbol(node.args[0])),
    "matrix": _matrix,
    "vector": lambda node, known: Matrix.of(Letter(node.args[0], "d", "1")),
    "family": _family,
    "T": lambda node, known: normal_form(node.args[0], known).T,
    "tr": lambda node, known: normal_form(node.args[0], known).trace(),
    "+": _folded(lambda one, two: one + two),
    "*": _folded(lambda one, two: one * two),
    "/": _quotient,
    "**": _power,
    "grad": _gradient,
}
