"""What a derivation is written with: the decorator that registers it, and what it may return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, NoReturn

import sympy as sp

from theorems.algebra.ratio import Ratio
from theorems.claims.facts import Facts
from theorems.gaussian.process import Moment, Process, Step
from theorems.kernel.limits import Limit
from theorems.rules.orders import Order

Function = Callable[..., Any]

#: Derivations, consequences of proof lines and remarks, by the id of their claim.
registry: dict[str, Function] = {}
consequences: dict[str, Function] = {}
remarks: dict[str, Function] = {}


class DerivationError(ValueError):
    """A derivation that cannot be used; the message names the claim, the function and the mend."""


@dataclass(frozen=True)
class Fact:
    """A quantity derived without an expectation: its value and the steps that lead to it."""

    ratio: Ratio
    steps: tuple[Step, ...]
    method: str


class Closed(Ratio):
    """A value in closed form that is no polynomial over a monomial: it can be compared and evaluated, no more."""

    __slots__ = ("_expr",)

    def __init__(self, expression: sp.Expr) -> None:
        super().__init__(Ratio.of(0).num)
        self._expr = expression

    @property
    def expr(self) -> sp.Expr:
        """The value as a sympy expression."""
        return self._expr

    @property
    def names(self) -> frozenset[str]:
        """Every name that occurs."""
        return frozenset(s.name for s in self._expr.free_symbols)

    def reduced(self) -> Ratio:
        """The same value."""
        return self

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError(f"{self._expr} is no polynomial over a monomial; take limits of moments of a process only")

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __neg__ = __truediv__ = __pow__ = _refuse
    terms = substitute = summed = at = _refuse  # type: ignore[assignment]


def closed(expression: sp.Expr) -> Ratio:
    """A Ratio where the expression is one, a Closed value where it is not."""
    try:
        return Ratio.from_expr(expression)
    except (ValueError, sp.PolynomialError):
        return Closed(expression)


@dataclass(frozen=True)
class Expected:
    """An expectation that does not come from a Gaussian process: E[f] and E[f^2] as expressions, and the steps."""

    mean: sp.Expr
    second: sp.Expr
    steps: tuple[Step, ...]
    method: str

    kind: ClassVar[str] = "mean"

    @property
    def ratio(self) -> Ratio:
        """E[f]."""
        return closed(self.mean)

    @property
    def variance(self) -> sp.Expr:
        """Var f, for planning sample sizes."""
        return self.second - self.mean**2


@dataclass(frozen=True)
class SharpBound:
    """A two-sided bound with both ends attained: |quantity| <= sqrt(square), a polynomial in non-negative names.

    ``at_least`` gives the least value of each name; ``attained`` is a case (JSON-able) where quantity = sqrt(square);
    ``remarks`` go into the report. ``free`` are quantities that take every positive value beside any of the bounded
    one: a positive number over a parameter that the bounded one does not have.
    """

    square: Ratio
    at_least: dict[str, int]
    attained: dict[str, Any]
    steps: tuple[Step, ...]
    method: str
    remarks: tuple[str, ...] = ()
    free: Mapping[str, sp.Expr] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[str, ...]:
        """What the claim must assume of the names."""
        return tuple(f"{name} >= {low}" for name, low in self.at_least.items())


@dataclass(frozen=True)
class Inequality:
    """quantity <= upper, proved by the steps, the quantity itself derived; ``points`` are where it is sharp or nearly.

    ``quantity`` and ``upper`` are closed expressions; a print of the upper bound is looked at in the points, exact
    cases (JSON-able).
    """

    quantity: sp.Expr
    upper: sp.Expr
    points: tuple[dict[str, Any], ...]
    steps: tuple[Step, ...]
    method: str

    @property
    def needs(self) -> tuple[str, ...]:
        """What the claim must assume of the names, beside what the steps need."""
        return ()


@dataclass(frozen=True)
class Equivalence:
    """A property holds iff all conditions hold, proved by the steps; ``points`` are exact cases to look at a print in.

    Where every condition is linear and homogeneous in two ``coordinates`` (expressions in the case's names), a print
    in them is decided everywhere: on every ray and in every sector of their ``plane``, a function that gives an exact
    case (JSON-able) for two values of the coordinates, None where no case has them.

    ``sufficient`` are conjunctions, each proved by a step to suffice for the property, first the one that corrects a
    print: an "if" print that implies one of them is true. ``facts`` of the setting are what may be used to see that.
    """

    property: str
    conditions: tuple[str, ...]
    points: tuple[dict[str, Any], ...]
    steps: tuple[Step, ...]
    method: str
    coordinates: tuple[sp.Expr, ...] = ()
    plane: Callable[[Fraction, Fraction], dict[str, Any] | None] | None = None
    sufficient: tuple[tuple[str, ...], ...] = ()
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True)
class Enclosed:
    """A number of the case between what bounds it there: every one of ``lows`` <= number <= every one of ``highs``.

    The bounds are expressions in the case's names and functionals. It bears on no proof: the check encloses the
    number too, and the two must meet.
    """

    lows: tuple[sp.Expr, ...]
    highs: tuple[sp.Expr, ...]
    method: ClassVar[str] = "enclosed from both sides"


@dataclass(frozen=True)
class Incomplete:
    """Nothing can be derived, as the source leaves out what the claim is about: ``reason`` says what is missing."""

    reason: str


Quantity = Moment | Expected | Fact | SharpBound | Inequality | Equivalence | Enclosed | Limit | Order | Incomplete
#: Quantities that carry their own steps.
STEPPED = (Expected, Fact, SharpBound, Inequality, Equivalence, Limit, Order)

#: Quantities that are no single value.
UNVALUED = SharpBound | Inequality | Equivalence | Enclosed | Limit | Order | Incomplete


@dataclass
class Derived:
    """What a derivation returned: quantities by name, in the order given, and every step taken."""

    quantities: dict[str, Quantity]
    steps: tuple[Step, ...]
    process: Process | None = None

    @property
    def missing(self) -> str:
        """What the source leaves out, so that nothing was derived; "" where something was."""
        return next((value.reason for value in self.quantities.values() if isinstance(value, Incomplete)), "")

    def ratio(self, name: str) -> Ratio:
        """The exact finite-T value of a quantity; raises KeyError for one that was not derived."""
        value = self.quantities[name]
        if isinstance(value, UNVALUED):
            raise KeyError(name)
        return value.ratio

    def known(self, name: str) -> bool:
        """Whether a value of that name was derived."""
        return name in self.quantities and not isinstance(self.quantities[name], UNVALUED)


def derivation(claim: str) -> Callable[[Function], Function]:
    """Register a derivation for a claim.

    The parameters are filled by name: ``walk`` or ``x`` (the process, with the statement's positions in their order),
    the positions themselves, rational parameters (``lam``) as coefficients, the statement's definitions as expressions,
    and ``second_route``, whether another way than the first is wanted. It returns one moment (or fact), or a
    table of them by the names of the statement's printed quantities.
    """

    def register(function: Function) -> Function:
        if not callable(function):
            raise DerivationError(f"{claim}: {function!r} is no derivation; expected a function")
        if claim in registry:
            raise DerivationError(f"{claim}: a second derivation ({function.__module__}.{function.__name__}); keep one")
        registry[claim] = function
        return function

    return register


def _into(table: dict[str, Function], claim: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        table[claim] = function
        return function

    return register


def consequence(claim: str) -> Callable[[Function], Function]:
    """Register what a line of the claim's printed proof would imply for its conclusion.

    The function takes (quantity, printed value, derived quantities) and returns the conclusion that follows, and the
    true one.
    """
    return _into(consequences, claim)


def remark(claim: str) -> Callable[[Function], Function]:
    """Register what the report says beside a claim's verdict: a function that returns lines of text, or data
    whose text is one.

    It bears on no verdict. Its parameters are the statement's definitions, as expressions.
    """
    return _into(remarks, claim)


def consequence_of(claim: str) -> Function | None:
    """The registered consequence function of a claim, if its proof has one."""
    return consequences.get(claim)


def fact(expression: sp.Expr, steps: Sequence[Step], method: str) -> Fact:
    """A Fact from a sympy expression, in closed form where it is no polynomial over a monomial."""
    return Fact(closed(expression), tuple(steps), method)
