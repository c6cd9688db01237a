"""Which expressions may be handed to sympy's calculus: elementary ones, and small ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import sympy as sp

#: Most parts of an expression that is integrated or simplified, and the largest number in an exponent of it.
NODES, LARGEST = 250, 64


def elementary(expression: sp.Expr) -> bool:
    """Whether an expression is made of sums, products, powers, exp, log, cos, sin and erf: smooth where defined."""
    smooth = sp.exp | sp.log | sp.cos | sp.sin | sp.erf
    return all(
        node.is_Atom or node.is_Add or node.is_Mul or node.is_Pow or isinstance(node, smooth)
        for node in sp.preorder_traversal(expression)
    )


def cut(expression: sp.Expr) -> Iterator[sp.Expr]:
    """What must be positive for an elementary expression to have no pole and no jump, whatever its slope is.

    The arguments of logarithms, the bases of roots, the squares of divisors: log(1/x) + log(x) jumps at 0.
    """
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.log) or (node.is_Pow and not node.exp.is_Integer):
            yield node.args[0]
        elif node.is_Pow and node.exp.is_negative:
            yield node.base**2


def modest(expression: sp.Expr) -> bool:
    """Whether an expression has so few parts and so small powers that sympy's calculus ends soon."""
    if next(islice(sp.preorder_traversal(expression), NODES, None), None) is not None:
        return False
    numbers = {number for power in expression.atoms(sp.Pow) for number in power.exp.atoms(sp.Rational)}
    return all(max(abs(number.p), number.q) <= LARGEST for number in numbers)
