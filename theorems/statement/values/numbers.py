"""Expressions of numbers and parameters, evaluated in rationals at a case."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any

from theorems.statement.expression import Expr, StatementError


def rational_at(node: Expr, case: Mapping[str, Any]) -> Fraction:
    """A rational expression's value at a case; StatementError for one that is not rational."""
    op, args = node.op, node.args
    if op == "number":
        return Fraction(args[0])
    if op == "name":
        return Fraction(case[args[0]])
    if op == "+":
        return sum((rational_at(arg, case) for arg in args), Fraction(0))
    if op == "*":
        return prod((rational_at(arg, case) for arg in args), start=Fraction(1))
    if op == "/":
        return rational_at(args[0], case) / rational_at(args[1], case)
    if op == "**":
        exponent = rational_at(args[1], case)
        if exponent.denominator == 1:
            return rational_at(args[0], case) ** int(exponent)
    if op in ("min", "max", "abs"):
        values = [rational_at(arg, case) for arg in args]
        return abs(values[0]) if op == "abs" else min(values) if op == "min" else max(values)
    raise StatementError(f"{node} is not rational", at=node.at)
