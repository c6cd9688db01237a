"""A claim with its two sides: what the derivation says at a case, what the print says there, what is to be sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from theorems.asymptotics import degree, in_regime
from theorems.catalogue import Statement
from theorems.derivation import Derived, Expected
from theorems.deriving import derive
from theorems.expressions import parse
from theorems.kernel import printed_value, target, value_of
from theorems.numeric import Case, Numeric
from theorems.process import Moment
from theorems.ratio import Ratio, total


@dataclass(frozen=True)
class Target:
    """One quantity at one case: exact derived value, printed value (None where the print says nothing there)."""

    name: str
    derived: sp.Expr
    printed: sp.Expr | None
    remainder: sp.Expr
    true: sp.Expr
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
            )
        return self._derived[start]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The quantities that are compared: the printed ones, then those that the print refers to."""
        derived = self.derived()
        printed = tuple(self.statement.printed)
        mentioned = {s.name for text in self.statement.printed.values() for s in parse(text).free_symbols}
        return (*printed, *(name for name in derived.quantities if name in mentioned and name not in printed))

    @cached_property
    def formulas(self) -> dict[str, sp.Expr]:
        """The printed right-hand sides, definitions put in."""
        derived = self.derived()
        return {name: printed_value(self.statement, text, derived) for name, text in self.statement.printed.items()}

    def exact(self, raw: Mapping[str, Any]) -> Case:
        """The exact values of a case; theta = i/T where the claim is about the limit."""
        case = Case(raw)
        if self.statement.regime and "theta" not in case.scalars:
            case.scalars["theta"] = case.scalars["i"] / case.scalars["T"]
        return case

    def limiting(self, name: str, start: str = "sigma") -> Ratio:
        """The part of the finite-T value that the print is about: all of it, its limit, or its leading order."""
        return target(self.statement, value_of(self.derived(start), name))

    def target(self, name: str, raw: Mapping[str, Any]) -> Target:
        """What both sides say of a quantity at a case."""
        case, start = self.exact(raw), str(raw.get("start", "sigma"))
        derived = case.evaluate(value_of(self.derived(start), name).expr)
        true = case.evaluate(self.limiting(name, start).expr)
        judged = name in self.formulas and start == "sigma"
        claimed = case.evaluate(self.formulas[name]) if judged else None
        printed = self.finite(self.formulas[name], name, raw) if judged else None
        return Target(name, derived, printed, derived - true, true, claimed)

    def finite(self, formula: sp.Expr, name: str, raw: Mapping[str, Any]) -> sp.Expr:
        """What a formula in the place of the print says of the quantity at a case.

        For a claim up to o(remainder) that is the derived value plus the terms of formula - value which the remainder
        does not cover, so that the print, too, is compared with the simulation at finite T.
        """
        case = self.exact(raw)
        if not self.statement.remainder:
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

    def moment(self, name: str, raw: Mapping[str, Any]) -> Moment | Expected:
        """The derived moment of a quantity for the case's start; TypeError where it is none."""
        derived = self.derived(str(raw.get("start", "sigma")))
        moment = derived.quantities[name if name in derived.quantities else ""]
        if not isinstance(moment, Moment | Expected):
            raise TypeError(f"{self.source}: {name} is no moment, so no sample size can be planned for it")
        return moment

    def statistic(self, name: str, raw: Mapping[str, Any]) -> tuple[Moment | Expected, float, float]:
        """The moment, and exact mean and variance of the number that the simulation averages for it."""
        moment = self.moment(name, raw)
        if isinstance(moment, Expected):
            case = self.exact(raw)
            return moment, float(case.evaluate(moment.mean)), float(case.evaluate(moment.variance))
        return moment, *Numeric(self.exact(raw), moment.process).statistic(moment)


def measured_by_spread(moment: Moment | Expected) -> bool:
    """Whether an error of the moment is measured against its statistic's standard deviation: means of degree <= 2."""
    if isinstance(moment, Expected):
        return True
    return moment.kind == "mean" and moment.observable is not None and moment.observable.degree() <= 2


def scale_and_tolerance(moment: Moment | Expected, mean: float, variance: float, effort: float) -> tuple[float, float]:
    """The scale an error is measured on, and the error that must be caught.

    A mean of degree <= 2: 1% of max(|mean|, standard deviation); a variance, a covariance or a moment of higher order:
    2% of it. ``effort`` multiplies both.
    """
    if measured_by_spread(moment):
        scale = max(abs(mean), variance**0.5)
        return scale, 0.01 * effort * scale
    return abs(mean), 0.02 * effort * abs(mean)
