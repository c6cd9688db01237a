"""A claim with its two sides: what the derivation says at a case, what the print says there, what is to be sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import sympy as sp

from theorems.algebra.asymptotics import degree, in_regime
from theorems.algebra.closed import names as names_in
from theorems.algebra.closed import substituted
from theorems.algebra.ratio import Ratio, total
from theorems.catalogue import Statement
from theorems.derivation import Derived, Expected, Fact
from theorems.deriving import derive
from theorems.expressions import floats, parse
from theorems.kernel import holds, printed_value, target, value_of
from theorems.limits import Limit, at_point, compare_cells
from theorems.numeric import Case, Numeric
from theorems.process import Moment

#: What a simulation can measure.
Sampled = Moment | Expected | Limit


@dataclass(frozen=True)
class Target:
    """One quantity at one case: exact derived value, printed value (None where the print says nothing there)."""

    name: str
    derived: sp.Expr
    printed: sp.Expr | None
    remainder: sp.Expr
    true: sp.Expr | None
    claimed: sp.Expr | None


@dataclass
class Pair:
    """A statement and its derivation, by the start of the walk."""

    statement: Statement
    second_route: bool = False
    symmetric: bool = True
    _derived: dict[str, Derived] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The id under which derivation and simulation are registered."""
        return self.statement.corrects or self.statement.id

    def derived(self, start: str = "sigma") -> Derived:
        """The derivation run on the walk with that start (memoised)."""
        if start not in self._derived:
            self._derived[start] = derive(
                self.source,
                self.statement.positions,
                start,
                parameters=self.statement.parameters,
                symmetric=self.symmetric,
                second_route=self.second_route,
                definitions=self.statement.definitions,
            )
        return self._derived[start]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The quantities that are compared: the printed ones, then those that the print refers to."""
        derived = self.derived()
        printed = tuple(self.statement.printed)
        mentioned = {n for text in self.statement.printed.values() for n in names_in(self._put(text))}
        other = [n for n in derived.quantities if n in mentioned and n not in printed]
        return (*printed, *other)

    def _put(self, text: str) -> sp.Expr:
        defined = {name: parse(formula) for name, formula in self.statement.definitions.items()}
        return substituted(parse(text), defined)

    @cached_property
    def sampled_names(self) -> tuple[str, ...]:
        """The quantities that a simulation measures: those that are derived as an expectation or a probability."""
        found = tuple(name for name in self.names if not isinstance(self.quantity(name), Fact))
        return found or self.names

    def quantity(self, name: str, start: str = "sigma") -> Any:
        """The derived quantity of that name."""
        quantities = self.derived(start).quantities
        return quantities[name if name in quantities else ""]

    def is_true(self, name: str, formula: sp.Expr) -> bool:
        """Whether a formula in the place of the print is shown true."""
        quantity = self.quantity(name)
        if isinstance(quantity, Limit):
            return compare_cells(quantity, formula, self.statement.conditions).equal is True
        value = value_of(self.derived(), name)
        return holds(value, formula, self.statement.regime, self.statement.remainder)

    @cached_property
    def formulas(self) -> dict[str, sp.Expr]:
        """The printed right-hand sides, definitions put in."""
        derived = self.derived()
        return {name: printed_value(self.statement, text, derived) for name, text in self.statement.printed.items()}

    def exact(self, raw: Mapping[str, Any]) -> Case:
        """The exact values of a case; theta = i/T where the claim is about the limit."""
        case = Case(raw)
        if "i" in self.statement.regime and "theta" not in case.scalars:
            case.scalars["theta"] = case.scalars["i"] / case.scalars["T"]
        # sequences (eta = 4^-k), then the printed definitions, as far as they are rational numbers at the case
        sequences = {n: f for n, f in self.statement.regime.items() if n not in self.statement.positions}
        for name, text in (*sequences.items(), *self.statement.definitions.items()):
            form = parse(text)
            if name not in case.scalars and names_in(form) <= set(case.scalars):
                value = case.evaluate(form)
                if value.is_Rational:
                    case.scalars[name] = Fraction(int(value.p), int(value.q))
        return case

    def handed(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """What the second side is handed: the case, and the printed objects that the claim is about.

        A definition that is a rational number at the case is handed by its name, one that is a function of names
        which the case leaves open as ``<name>_of``, a function of those names.
        """
        scalars = self.exact(raw).scalars
        found = dict(raw) | {
            name: str(scalars[name])
            for name in (*self.statement.regime, *self.statement.definitions)
            if name in scalars
        }
        for name, text in self.statement.definitions.items():
            form = parse(text)
            found[f"{name}_of"] = partial(_called, form)
        return found

    def limiting(self, name: str, start: str = "sigma") -> Ratio:
        """The part of the finite-T value that the print is about: all of it, its limit, or its leading order."""
        return target(self.statement, value_of(self.derived(start), name))

    def target(self, name: str, raw: Mapping[str, Any]) -> Target:
        """What both sides say of a quantity at a case."""
        case, start = self.exact(raw), str(raw.get("start", "sigma"))
        quantity = self.quantity(name, start)
        if isinstance(quantity, Limit):
            return self._limit_target(name, quantity, case)
        derived = case.evaluate(value_of(self.derived(start), name).expr)
        true = case.evaluate(self.limiting(name, start).expr)
        judged = name in self.formulas and start == "sigma"
        claimed = case.evaluate(self.formulas[name]) if judged else None
        printed = self.finite(self.formulas[name], name, raw) if judged else None
        return Target(name, derived, printed, derived - true, true, claimed)

    def _limit_target(self, name: str, limit: Limit, case: Case) -> Target:
        """A probability before the limit; the print moves it by what the printed limit is off the derived one."""
        derived, true = limit.at(case.scalars), limit.limit_at(case.scalars)
        claimed = at_point(self.formulas[name], case.scalars) if name in self.formulas else None
        printed = None if claimed is None or true is None else derived + claimed - true
        return Target(name, derived, printed, derived - (true or 0), true, claimed)

    def finite(self, formula: sp.Expr, name: str, raw: Mapping[str, Any]) -> sp.Expr:
        """What a formula in the place of the print says of the quantity at a case.

        For a claim up to o(remainder) that is the derived value plus the terms of formula - value which the remainder
        does not cover, so that the print, too, is compared with the simulation at finite T.
        """
        case = self.exact(raw)
        quantity = self.quantity(name)
        if isinstance(quantity, Limit):
            claimed, true = at_point(formula, case.scalars), quantity.limit_at(case.scalars)
            return sp.nan if claimed is None or true is None else quantity.at(case.scalars) + claimed - true
        if not self.statement.remainder or isinstance(quantity, Fact):
            return case.evaluate(formula)
        value = value_of(self.derived(), name)
        derived = case.evaluate(value.expr)
        try:
            gap = Ratio.from_expr(formula) - value
        except ValueError:
            return case.evaluate(formula) + derived - case.evaluate(self.limiting(name).expr)
        shift, T = degree(self.statement.remainder), Ratio.of("T")
        orders = in_regime(gap, self.statement.regime).terms("T")
        off = total(c * T**p if p >= 0 else c / T**-p for p, c in orders.items() if p >= shift)
        return derived + case.evaluate(off.expr)

    def moment(self, name: str, raw: Mapping[str, Any]) -> Sampled:
        """The derived moment of a quantity for the case's start; TypeError where it is none."""
        moment = self.quantity(name, str(raw.get("start", "sigma")))
        if not isinstance(moment, Sampled):
            raise TypeError(f"{self.source}: {name} is no moment, so no sample size can be planned for it")
        return moment

    def statistic(self, name: str, raw: Mapping[str, Any]) -> tuple[Sampled, float, float]:
        """The moment, and exact mean and variance of the number that the simulation averages for it."""
        moment = self.moment(name, raw)
        if isinstance(moment, Limit):
            chance = float(moment.at(self.exact(raw).scalars))
            return moment, chance, max(chance * (1 - chance), 0.0)
        if isinstance(moment, Expected):
            case = self.exact(raw)
            return moment, float(case.evaluate(moment.mean)), float(case.evaluate(moment.variance))
        return moment, *Numeric(self.exact(raw), moment.process).statistic(moment)


def _called(form: sp.Expr, **values: Any) -> Any:
    return floats(form, values)


def scale_name(moment: Sampled) -> str:
    """What an error of the moment is measured against, in words."""
    if isinstance(moment, Limit):
        return "a probability of 1"
    by_spread = isinstance(moment, Expected) or (
        moment.kind == "mean" and moment.observable is not None and moment.observable.degree() <= 2
    )
    return "max(|mean|, standard deviation)" if by_spread else "the value"


def scale_and_tolerance(moment: Sampled, mean: float, variance: float, effort: float) -> tuple[float, float]:
    """The scale an error is measured on, and the error that must be caught.

    A mean of degree <= 2: 1% of max(|mean|, standard deviation); a variance, a covariance or a moment of higher order:
    2% of it; a probability in the limit: 1% of 1. ``effort`` multiplies them.
    """
    if isinstance(moment, Limit):
        return 1.0, 0.01 * effort
    if scale_name(moment) != "the value":
        scale = max(abs(mean), variance**0.5)
        return scale, 0.01 * effort * scale
    return abs(mean), 0.02 * effort * abs(mean)
