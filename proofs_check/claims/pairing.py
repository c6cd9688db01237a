"""A claim with its two sides: what the derivation says at a case, what the print says there, what is to be sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

import sympy as sp

from theorems.algebra.closed import names as names_in
from theorems.algebra.closed import substituted
from theorems.algebra.expressions import floats, parse, symbol
from theorems.algebra.ratio import Ratio
from theorems.claims.catalogue import Statement
from theorems.gaussian.asymptotics import degree, uniform
from theorems.gaussian.numeric import Case, Numeric
from theorems.gaussian.process import Moment
from theorems.kernel.derivation import Closed, Derived, Expected, Fact
from theorems.kernel.deriving import derive
from theorems.kernel.grounds import where_said
from theorems.kernel.limits import Limit, at_point, compare_cells
from theorems.kernel.settle import holds, printed_value, target, value_of

V = TypeVar("V")
#: What a simulation can measure.
Sampled = Moment | Expected | Limit


@dataclass(frozen=True)
class Target:
    """One quantity at one case: the exact derived value, and the printed formula there (None where it says nothing).

    ``true`` and ``claimed`` are what the claim puts against each other: those two, or where it is about a ``limit`` the
    two limits; up to o(T^k) the terms of order T^k and more, at the case.
    """

    name: str
    derived: sp.Expr
    printed: sp.Expr | None
    true: sp.Expr | None
    claimed: sp.Expr | None
    limit: bool = False


@lru_cache(maxsize=4096)
def orders(formula: sp.Expr, regime: tuple[tuple[str, str], ...], least: int) -> Mapping[int, sp.Expr] | None:
    """The terms of order T^least and more of a formula as T -> infinity, by their order; None where it has none.

    ``regime`` gives the positions as parts of T. A rational function of T is expanded by division.
    """
    T = symbol("T")
    formula = formula.xreplace({symbol(name): parse(form) for name, form in regime})
    if not formula.has(T):
        return {0: formula} if least <= 0 and formula != 0 else {}
    if not formula.is_rational_function(T):
        return None
    shift = max(0, -least)
    numerator, denominator = sp.fraction(sp.together(formula))
    quotient, _ = sp.div(sp.Poly(numerator * T**shift, T).to_field(), sp.Poly(denominator, T).to_field())
    terms = {powers[0] - shift: sp.cancel(c) for powers, c in quotient.terms() if c != 0}
    return {power: c for power, c in terms.items() if power >= least}


@dataclass
class Pair:
    """A statement and its derivation, by the start of the walk, and its samples, by all that they depend on."""

    statement: Statement
    second_route: bool = False
    symmetric: bool = True
    samples: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False, compare=False)
    _derived: dict[str, Derived] = field(default_factory=dict)
    _once: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False, compare=False)
    _last: tuple[dict[str, Any], Case] | None = field(default=None, repr=False, compare=False)

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
        if self.statement.relation in ("order", "when"):
            # such a print is no formula, and refers to none
            return printed
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
            return compare_cells(name, quantity, formula, where_said(self.statement)).equal is True
        value = value_of(self.derived(), name)
        return holds(value, formula, self.statement.regime, self.statement.remainder, self.statement.positions)

    @cached_property
    def formulas(self) -> dict[str, sp.Expr]:
        """The printed right-hand sides, definitions put in."""
        derived = self.derived()
        return {name: printed_value(self.statement, text, derived) for name, text in self.statement.printed.items()}

    def exact(self, raw: Mapping[str, Any]) -> Case:
        """The exact values of a case; theta = i/T where the claim is about the limit. The last one asked for is kept.

        Lists of the case are not to be changed in place.
        """
        if self._last is None or self._last[0] != raw:
            self._last = dict(raw), self._exact(raw)
        return self._last[1]

    def _exact(self, raw: Mapping[str, Any]) -> Case:
        case = Case(raw)
        for name, form in self.regime:
            share = form.removesuffix("*T")
            if share != form and share.isidentifier() and share not in case.scalars and {name, "T"} <= set(raw):
                case.scalars[share] = case.scalars[name] / case.scalars["T"]
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
        """What the empirical check is handed: the case, and the printed objects that the claim is about.

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

    @cached_property
    def regime(self) -> tuple[tuple[str, str], ...]:
        """How the positions go along with T: as the statement says, and as parts of T where it does not say."""
        statement = self.statement
        positions = statement.positions if statement.remainder else ()
        return tuple(uniform(statement.regime, positions).items())

    @property
    def least(self) -> int:
        """The order in T from which on the print says something."""
        return degree(self.statement.remainder)

    def in_the_limit(self, name: str) -> bool:
        """Whether what is said of a quantity is about its limit, so that no single case can be put against it."""
        quantity = self.quantity(name)
        if isinstance(quantity, Limit):
            return True
        settled = isinstance(quantity, Fact) or isinstance(value_of(self.derived(), name), Closed)
        return bool(self.statement.remainder) and not settled

    def target(self, name: str, raw: Mapping[str, Any]) -> Target:
        """What both sides say of a quantity at a case."""
        case, start = self.exact(raw), str(raw.get("start", "sigma"))
        quantity, limit = self.quantity(name, start), self.in_the_limit(name)
        judged = name in self.formulas and start == "sigma"
        if isinstance(quantity, Limit):
            claimed = at_point(self.formulas[name], case.scalars) if judged else None
            return Target(name, quantity.at(case.scalars), claimed, quantity.limit_at(case.scalars), claimed, limit)
        value = value_of(self.derived(start), name).expr
        derived = case.evaluate(value)
        printed = case.evaluate(self.formulas[name]) if judged else None
        if not limit:
            return Target(name, derived, printed, derived, printed)
        claimed = self.kept(self.formulas[name], raw) if judged else None
        return Target(name, derived, printed, self.kept(value, raw), claimed, limit)

    def kept(self, formula: sp.Expr, raw: Mapping[str, Any]) -> sp.Expr | None:
        """The terms of a formula that o(remainder) does not cover, at a case; None where it has no such form."""
        found = orders(formula, self.regime, self.least)
        if found is None:
            return None
        case, T = self.exact(raw), symbol("T")
        return sp.Add(*(case.evaluate(c * T**power) for power, c in found.items()))

    def stated(self, formula: sp.Expr, name: str, raw: Mapping[str, Any]) -> sp.Expr:
        """What a formula in the place of the print says at a case: of the limit, where the claim is about one."""
        case = self.exact(raw)
        if isinstance(self.quantity(name), Limit):
            found = at_point(formula, case.scalars)
        else:
            found = self.kept(formula, raw) if self.in_the_limit(name) else case.evaluate(formula)
        return sp.nan if found is None else found

    def moment(self, name: str, raw: Mapping[str, Any]) -> Sampled:
        """The derived moment of a quantity for the case's start; TypeError where it is none."""
        moment = self.quantity(name, str(raw.get("start", "sigma")))
        if not isinstance(moment, Sampled):
            raise TypeError(f"{self.source}: {name} is no moment, so no sample size can be planned for it")
        return moment

    def once(self, what: tuple[Any, ...], raw: Mapping[str, Any], work: Callable[[], V]) -> V:
        """What is asked for again and again while samples are planned, worked out once at a case."""
        key = (*what, repr(sorted(raw.items())))
        if key not in self._once:
            self._once[key] = work()
        found: V = self._once[key]
        return found

    def statistic(self, name: str, raw: Mapping[str, Any]) -> tuple[Sampled, float, float]:
        """The moment, and exact mean and variance of the number that the simulation averages for it."""
        return self.once(("statistic", name), raw, lambda: self._statistic(name, raw))

    def _statistic(self, name: str, raw: Mapping[str, Any]) -> tuple[Sampled, float, float]:
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
