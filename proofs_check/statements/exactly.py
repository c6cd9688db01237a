"""Exact values of sides and of wrong versions of them, also where they have no formula for every case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.cases.of_statements import Case
from theorems.statement.decide import Derivation, contradicts
from theorems.statement.expression import Expr, StatementError, number
from theorems.statement.numbers import rational_at
from theorems.statement.places import place_of
from theorems.statement.proposition import Proposition


class Exactly:
    """The exact values of expressions under a proposition's law and hypotheses."""

    def __init__(self, prop: Proposition, derivation: Derivation) -> None:
        self.prop = prop
        self._by_places = {frozenset(prop.places): derivation}

    def derivation(self, node: Expr) -> Derivation:
        """The derivation in whose orders all of the fixed tokens of a node stand: a wrong version may have others."""
        tokens = (place_of(part.args[0]) for part in node.walk() if part.op == "token" and not part.args[0].names())
        places = frozenset({*self.prop.places, *tokens})
        if places not in self._by_places:
            self._by_places[places] = Derivation(replace(self.prop, places=tuple(sorted(places))))
        return self._by_places[places]

    def at(self, node: Expr, case: Mapping[str, Any]) -> sp.Expr | None:
        """The value at a case, by the formula for every case or with the case's numbers put in; None where it has none.

        A power with the exponent 3 k has a formula where k is a number.
        """
        derivation = self.derivation(node)
        try:
            if not derivation.defined(node, case):
                return None
            try:
                value = derivation.at(node, case)
            except StatementError:
                value = derivation.at(_worked_out(node.put(self._numbers(case))), case)
        except (StatementError, KeyError, ZeroDivisionError):
            return None
        if value.is_Rational:
            return value
        return None if value.has(sp.zoo, sp.nan, sp.oo, -sp.oo) or value.is_real is False else value

    def violation(self, cases: Iterable[Case]) -> Case | None:
        """The first of some cases at which the exact values of the sides are certain to violate the statement."""
        return next((case for case in cases if self.violates(case)), None)

    def violates(self, case: Case) -> bool:
        """Whether the exact values of the sides at a case are certain to violate the statement."""
        left, right = (self.at(side, case) for side in (self.prop.left, self.prop.right))
        return left is not None and right is not None and contradicts(self.prop, left, right) is True

    def _numbers(self, case: Mapping[str, Any]) -> dict[str, Expr]:
        """The case's numbers of whole names that are no positions."""
        known = self.prop.known.ranges
        names = [one for one in self.prop.parameters if one in known and known[one].integer and one in case]
        return {one: number(Fraction(case[one])) for one in names if one not in self.prop.positions and one != "d"}


def _worked_out(node: Expr) -> Expr:
    """The node with the numbers for what is made of numbers alone."""
    if node.op in ("+", "*", "/", "**"):
        try:
            return number(rational_at(node, {}))
        except (StatementError, KeyError, ZeroDivisionError):
            pass
    return node.mapped(_worked_out)
