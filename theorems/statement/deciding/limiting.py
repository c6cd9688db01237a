"""lim(f): the limit of a quantity along what the statement says tends, where it is a continuous function of others.

Limits of moments are read off the powers of T (``limits``); a function of them is continuous at their limits, which
is asked for at every case at which the value is taken: a divisor is not 0, a variance and a logarithm's argument > 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import flint
import sympy as sp

from theorems.algebra.balls import ball
from theorems.algebra.expressions import symbol
from theorems.statement.deciding.decide import Derivation, derivation_of
from theorems.statement.expression import ELEMENTARY, MOMENTS, Expr, StatementError
from theorems.statement.limits.limits import consequences, limit, put, regimes
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.scalars import combined, sympy_of
from theorems.statement.proposition import Proposition
from theorems.statement.reading.chances import by_erf
from theorems.statement.reading.places import Order
from theorems.statement.values.kept import once

_CONTINUOUS = ("+", "*", "/", "**", "sqrt", "exp", "cos", "sin", "erf", "abs", "log")


@dataclass(frozen=True)
class Reached:
    """A value with limits in it, and what must not be 0, and be > 0, where it is taken."""

    value: sp.Expr
    nonzero: tuple[sp.Expr, ...]
    positive: tuple[sp.Expr, ...]
    order: Order

    def at(self, derivation: Derivation, case: Mapping[str, Any]) -> flint.arb:
        """The value at a case, matrices as nested lists of rationals; NotPolynomialError where it is not continuous."""

        def number(form: sp.Expr) -> flint.arb:
            exact = derivation.put(form, self.order, {name: v for name, v in case.items() if v is not None})
            return ball(exact, {})

        for form in (*self.nonzero, *self.positive):
            found = number(form)
            if not (found > 0 or (form in self.nonzero and form not in self.positive and found < 0)):
                raise NotPolynomialError(f"the limit is not continuous where {form} is {found.str(6)}")
        return number(self.value)


class _Limits:
    """Works out the limits of one side, in one order of the positions."""

    def __init__(self, derivation: Derivation, order: Order) -> None:
        self.prop, self.derivation, self.order = derivation.prop, derivation, order
        self.regimes = list(regimes(self.prop, order))
        self.shares = {symbol(f"{name}/T"): sympy_of(form) for name, form in self.prop.limit.regime}
        self.nonzero: list[sp.Expr] = []
        self.positive: list[sp.Expr] = []

    def value(self, node: Expr) -> sp.Expr:
        """The value of a side, its limits taken and differentiated."""
        if node.op == "lim":
            return self.limit(node.args[0])
        if not node.has("lim"):
            return self.derivation.value(self.order, node)
        if node.op == "diff":
            body, variable, at = node.args
            slope = sp.diff(self.value(body), symbol(variable))
            return sp.sympify(slope.xreplace({symbol(variable): self.value(at)}))
        if node.op not in _CONTINUOUS:
            raise NotPolynomialError(f"{node.op}(...) of a limit has no closed form here", at=node.at)
        return combined(node.op, [self.value(arg) for arg in node], node)

    def limit(self, node: Expr) -> sp.Expr:
        """The limit of an expression: of a rational one by its powers, of a continuous function by its arguments."""
        if node.op == "chance":
            self.positive.append(self.limit(node.args[2]))
            return self.limit(by_erf(node))
        if node.op in _CONTINUOUS and not _rational(node):
            parts = [self.limit(arg) for arg in node]
            if node.op == "/":
                self.nonzero.append(parts[1])
            if node.op in ("log", "**"):
                self.positive.append(parts[0])
            return combined(node.op, parts, node)
        exact = put(self.derivation.value(self.order, node), self.regimes[0])
        found = limit(exact, frozenset(), self._never_zero).xreplace(self.shares)
        if found is sp.oo:
            raise NotPolynomialError(f"{node} grows without bound", at=node.at)
        return found

    def _never_zero(self, value: sp.Expr) -> bool:
        self.nonzero.append(value.xreplace(self.shares))
        return True


def _rational(node: Expr) -> bool:
    """Whether an expression is made of moments, positions and names by +, *, / and whole powers alone."""
    if node.op in MOMENTS:
        return True
    if node.op == "**" and not (node.args[1].op == "number" and node.args[1].args[0].denominator == 1):
        return False
    return node.op not in (*ELEMENTARY, "chance") and all(_rational(arg) for arg in node)


@once
def reached(prop: Proposition) -> tuple[Derivation, Reached]:
    """The left side, its limits taken, where shares of T are free in the order; StatementError without a value."""
    derivation = derivation_of(prop)
    loose = {name for name in prop.positions if name != "T"} - dict(prop.limit.regime).keys()
    if prop.limit.variable == "T" and loose:
        raise NotPolynomialError(f"{min(loose)} tends nowhere; say where, e.g. {min(loose)}/T -> theta")
    for order in derivation.orders:
        if prop.limit.variable == "T" and "T" in dict(order.values):
            continue
        limits = _Limits(derivation, order)
        if not consequences(prop, order, limits.regimes[0]):
            value = limits.value(prop.left)
            return derivation, Reached(value, tuple(limits.nonzero), tuple(limits.positive), order)
    raise StatementError(f"{prop.left}: no order of the positions leaves its limit free")
