"""Exact values of sides and of wrong versions of them, also where they have no formula for every case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.cases.of_statements import Case
from theorems.algebra.balls import Enclosed
from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.statement.deciding.decide import Derivation, contradicts
from theorems.statement.expression import Expr, StatementError, number
from theorems.statement.moments.moments import Chain
from theorems.statement.moments.normal import equal, rational_form, sign, spelled
from theorems.statement.moments.scalars import Exact, joined, sympy_of
from theorems.statement.moments.signs import positive_names
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import Order, Place, place_of
from theorems.statement.reading.ranges import Range
from theorems.statement.values.numbers import rational_at

#: Functions that are real where their arguments are.
REAL = (sp.exp, sp.cos, sp.sin, sp.cosh, sp.sinh, sp.erf)
#: Values that are kept.
KEPT = 4096


class Exactly:
    """The exact values of expressions under a proposition's law and hypotheses."""

    def __init__(self, prop: Proposition, derivation: Derivation) -> None:
        self.prop = prop
        # by node and which object the case is; with the case, so that no other takes its place
        self._kept: dict[tuple[Expr, int], tuple[Mapping[str, Any], sp.Expr | None]] = {}
        self._by_places = {frozenset(prop.places): derivation}
        self._by_numbers: dict[tuple[Any, ...], Derivation] = {}

    def derivation(self, node: Expr) -> Derivation:
        """The derivation in whose orders all of the fixed tokens of a node stand: a wrong version may have others."""
        tokens = (place_of(part.args[0]) for part in node.walk() if part.op == "token" and not part.args[0].names())
        places = frozenset({*self.prop.places, *tokens})
        if places not in self._by_places:
            self._by_places[places] = Derivation(replace(self.prop, places=tuple(sorted(places))))
        return self._by_places[places]

    def at(self, node: Expr, case: Mapping[str, Any]) -> sp.Expr | None:
        """The value at a case, by the formula for every case or with the case's numbers put in; None where it has none.

        A power with the exponent 3 k has a formula where k is a number, pieces at a have one where its sign is known.
        A case is not changed once it is looked at.
        """
        key = node, id(case)
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = case, self._at(node, case)
        return self._kept[key][1]

    def _at(self, node: Expr, case: Mapping[str, Any]) -> sp.Expr | None:
        derivation = self.derivation(node)
        try:
            if not derivation.defined(node, case):
                return None
            try:
                value = derivation.at(node, case)
            except StatementError:
                value = self._there(derivation, case).at(_worked_out(node.put(self._numbers(case))), case)
        except (StatementError, KeyError, ZeroDivisionError):
            return None
        if value.is_Rational:
            return value
        if value.has(sp.zoo, sp.nan, sp.oo, -sp.oo):
            return None
        return value if visibly_real(value) or value.is_real is not False else None

    def _there(self, derivation: Derivation, case: Mapping[str, Any]) -> Derivation:
        """The derivation where the dimension and the parameters are known to be those of a case."""
        prop = derivation.prop
        names = [name for name in ("d", *prop.parameters) if name in case and name not in prop.positions]
        values = tuple(Fraction(case[name]) for name in names)
        key = (prop.places, *names, *values)
        if key not in self._by_numbers:
            ranges = {name: Range(value, value) for name, value in zip(names, values, strict=True)}
            known = replace(prop.known, ranges={**prop.known.ranges, **ranges})
            self._by_numbers[key] = Derivation(replace(prop, known=known))
        return self._by_numbers[key]

    def defined(self, node: Expr, case: Mapping[str, Any]) -> bool:
        """Whether nothing in an expression is seen to divide by 0, or to be a root of a negative number, at a case."""
        try:
            return self.derivation(node).defined(node, case)
        except (StatementError, KeyError, ZeroDivisionError):
            return True

    def violates(self, case: Case) -> bool:
        """Whether the exact values of the sides at a case are certain to violate the statement."""
        if (left := self.at(self.prop.left, case)) is None or (right := self.at(self.prop.right, case)) is None:
            return False
        return contradicts(self.prop, left, right) is True

    def agree(self, left: Expr, right: Expr) -> bool:
        """Whether two sides are equal in every order; the places are those of the second."""
        derivation = self.derivation(right)
        try:
            for order in derivation.orders:
                if not self._equal(derivation.under(order, left), derivation.under(order, right), order):
                    return False
        except StatementError:
            return False
        return True

    def _equal(self, one: sp.Expr, two: sp.Expr, order: Order) -> bool:
        """Whether two formulas are equal in an order: multiplied out, or by normal form."""
        return sp.expand(one) == sp.expand(two) or equal(one, two, positive_names(self.prop, order, one - two))

    def differ_at(self, left: Expr, right: Expr, case: Mapping[str, Any]) -> bool:
        """Whether two expressions are certain to have different values at a case, or the second alone to have none."""
        one, two = self.at(left, case), self.at(right, case)
        if one is None or two is None:
            return one is not None and bool(one.is_Rational)
        return bool(sign(one - two))

    def general(self, node: Expr) -> sp.Expr | None:
        """A side as one formula that is right in every order, where there is one."""
        derivation = self._by_places[frozenset(self.prop.places)]
        orders = sorted(derivation.orders, key=lambda order: -len(order.nodes))
        if not orders:
            return None
        try:
            best = joined(derivation.value(orders[0], node))
            if best.is_polynomial():
                best = sp.factor_terms(sp.expand(best))
            else:
                # powers such as a^T are names of their own
                form, meaning = rational_form(best, positive_names(self.prop, orders[0], best))
                shorter = spelled(sp.factor(form), meaning) if form.is_rational_function() else best
                # a^(j - i) has a value at a = 0, where a^j/a^i has none
                best = min((sp.powsimp(one, deep=True, combine="exp") for one in (best, shorter)), key=sp.count_ops)
            for candidate in self._formulas(best, node, orders):
                if candidate is not None and all(
                    self._equal(_in_order(candidate, order), joined(derivation.value(order, node)), order)
                    for order in orders
                ):
                    return candidate
        except StatementError:
            pass
        return None

    def _formulas(self, best: sp.Expr, node: Expr, orders: Sequence[Order]) -> Iterator[sp.Expr | None]:
        """Formulas that may be right in every order, each made where those before it are not."""
        yield best
        yield _by_size(best, orders[0])
        yield self._by_least(node, orders)

    def _by_least(self, node: Expr, orders: Sequence[Order]) -> sp.Expr | None:
        """A formula for a walk with min(i, j) in its covariances, where positions are not always ordered alike."""
        if not self.prop.law.continuous or node.has("sum", "mean") or any(place.offset for place in self.prop.places):
            return None
        exact = Exact(self.prop.law, self.prop.known, orders[0])
        chains = [Chain(order) for order in orders]

        def kernel(one: Place, two: Place, _: Chain) -> Ratio:
            ways = {chain.rank(one) <= chain.rank(two) for chain in chains if chain.rank(one) != chain.rank(two)}
            if len(ways) < 2:
                return own(one, two, chains[0])
            label = f"K({one}, {two})"
            least = sp.Min(symbol(one.name), symbol(two.name))
            exact.moments.opaque[label] = sympy_of(self.prop.law.below, {"s": least})
            return Ratio.of(label)

        own, exact.moments.kernel = exact.moments.kernel, kernel  # type: ignore[assignment,method-assign]
        try:
            found = sp.expand(joined(exact.value(node)))
        except StatementError:
            return None
        words = found.free_symbols - {symbol(name) for name in self.prop.positions}
        return sp.collect(found, sorted(words, key=str))

    def _numbers(self, case: Mapping[str, Any]) -> dict[str, Expr]:
        """The case's numbers of whole names that are no positions."""
        known = self.prop.known.ranges
        names = [one for one in self.prop.parameters if one in known and known[one].integer and one in case]
        return {one: number(Fraction(case[one])) for one in names if one not in self.prop.positions and one != "d"}


def visibly_real(value: sp.Expr) -> bool:
    """Whether a number is made of rationals and of real functions by arithmetic, which spares sympy's deductions."""
    if value.is_Rational or value.is_NumberSymbol or isinstance(value, Enclosed):
        return True
    if value.is_Pow and value.base.is_Rational and value.base.is_positive:
        return visibly_real(value.exp)
    whole = value.is_Add or value.is_Mul or isinstance(value, REAL) or (value.is_Pow and value.exp.is_Integer)
    return whole and all(map(visibly_real, value.args))


def _worked_out(node: Expr) -> Expr:
    """The node with the numbers for what is made of numbers alone."""
    if node.op in ("+", "*", "/", "**"):
        try:
            return number(rational_at(node, {}))
        except (StatementError, KeyError, ZeroDivisionError):
            pass
    return node.mapped(_worked_out)


def _by_size(formula: sp.Expr, order: Order) -> sp.Expr | None:
    """A formula for one < two in min(one, two) and max(one, two), where these are all the positions."""
    plain = [place.name for node in order.nodes for place in node]
    if len(plain) != 2 or not all(plain) or len(set(plain)) < 2:
        return None
    one, two = (sp.Symbol(name) for name in plain)
    return formula.xreplace({one: sp.Min(one, two), two: sp.Max(one, two)})


def _in_order(formula: sp.Expr, order: Order) -> sp.Expr:
    """A formula with what one order says: positions that are tied, the smaller and the larger one."""
    table = {
        sp.Symbol(name): sp.Symbol(p.name) + p.offset if p.name else sp.Integer(p.offset) for name, p in order.values
    }
    rank = {sp.Symbol(place.name): k for k, node in enumerate(order.nodes) for place in node if not place.offset}
    ends = {
        part: (min if isinstance(part, sp.Min) else max)(part.args, key=lambda arg: rank.get(arg, 0))
        for part in formula.atoms(sp.Min, sp.Max)
    }
    return formula.xreplace(ends).xreplace(table)
