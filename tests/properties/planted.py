"""Faults planted in one side of a claim, whatever its kind: the outlet of the derivation, or the empirical check."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import sympy as sp
import torch

from montecarlo.empirical_checks import Evaluation, Observation, Simulation
from proofs_check.cases.wide import features
from proofs_check.checks.both_sides import Sides
from proofs_check.claims.pairing import Pair, Target
from theorems.kernel.derivation import Derived, Equivalence, SharpBound
from theorems.kernel.eventually import Eventually
from theorems.kernel.matrix_claims import matrix_of

#: What a number is multiplied by.
FACTOR = 2
#: Whose multiples lie evenly between whole numbers.
GOLDEN = (5**0.5 - 1) / 2


@dataclass
class Wrong(Pair):
    """A derivation whose numbers are off by a factor, and 0 by 1; whose properties hold where they do not."""

    def target(self, name: str, raw: Any) -> Target:
        found = super().target(name, raw)
        return replace(found, derived=found.derived * FACTOR if found.derived != 0 else sp.Integer(1))


def at_an_edge(sides: Sides, edge: str, zero: int = 0, only: str = "") -> Sides:
    """The sides with a derivation whose numbers (or ``only`` one) are off by a factor, 0 by ``zero``, at an edge."""
    statement = sides.pair.statement

    class There(Pair):
        def target(self, name: str, raw: Any) -> Target:
            found = super().target(name, raw)
            if edge not in features(statement, raw) or name != (only or name):
                return found
            return replace(found, derived=found.derived * FACTOR if found.derived != 0 else sp.Integer(zero))

    return replace(sides, pair=There(statement, _derived=sides.pair._derived))


def with_check(sides: Sides, function: Any) -> Sides:
    """The sides with another function in the empirical check."""
    return replace(sides, check=replace(sides.check, function=function))


def in_the_derivation(sides: Sides) -> Sides:
    """The sides with a wrong derivation."""
    pair = sides.pair
    derived = pair.derived()
    matrix = matrix_of(derived)
    changed: dict[str, Any] = dict(derived.quantities)
    if matrix is not None:
        (name,) = changed
        changed[name] = replace(matrix, value=matrix.value * FACTOR)
    for name, one in derived.quantities.items():
        if isinstance(one, Equivalence):
            # beta t1 > 0 becomes -(beta t1) > 0
            left, sign, right = re.split(r" (>=|>|<=|<|==|!=) ", one.conditions[0])
            changed[name] = replace(one, conditions=(f"-({left}) {sign} {right}", *one.conditions[1:]))
    return with_derived(sides, changed, Wrong)


def with_derived(sides: Sides, quantities: dict[str, Any], pair: type[Pair] = Pair) -> Sides:
    """The sides with other derived quantities."""
    derived = sides.pair.derived()
    changed = {"sigma": Derived(quantities, derived.steps, derived.process)}
    return replace(sides, pair=pair(sides.pair.statement, _derived=changed))


def in_the_bound(sides: Sides) -> Sides:
    """The sides with a bound that is derived for FACTOR times the quantity, or whose ends are as much too near."""
    quantities: Mapping[str, Any] = sides.pair.derived().quantities
    name, bound = next(iter(quantities.items()))
    if isinstance(bound, SharpBound):
        wrong: Any = replace(bound, square=bound.square / FACTOR**2)
    elif isinstance(bound, Eventually):
        wrong = replace(bound, upper=bound.upper * FACTOR)
    else:
        wrong = replace(bound, quantity=bound.quantity * FACTOR)
    return with_derived(sides, {**quantities, name: wrong})


def in_the_order(sides: Sides) -> Sides:
    """The sides with derived exponents that are off by 1."""
    orders: Mapping[str, Any] = sides.pair.derived().quantities
    return with_derived(sides, {name: replace(order, exponent=order.exponent + 1) for name, order in orders.items()})


def in_the_check(sides: Sides, factor: float = FACTOR) -> Sides:
    """The sides with a wrong simulation, evaluation or observation."""
    check = sides.check
    function: Any = check.function

    @wraps(function)
    def simulated(*given: Any, **named: Any) -> Any:
        found = function(*given, **named)
        table = found if isinstance(found, dict) else {"value": found}
        return {name: less(v, factor - 1) if v.dtype == torch.bool else factor * v for name, v in table.items()}

    @wraps(function)
    def evaluated(*given: Any, **named: Any) -> Any:
        return {n: (factor * v if v else 1.0, off) for n, (v, off) in function(*given, **named).items()}

    @wraps(function)
    def observed(*given: Any, **named: Any) -> Any:
        return {n: not v if isinstance(v, bool) else v for n, v in function(*given, **named).items()}

    kinds = {Simulation: simulated, Evaluation: evaluated, Observation: observed}
    made = next(made for kind, made in kinds.items() if isinstance(check, kind))
    return with_check(sides, made)


def less(v: torch.Tensor, part: float) -> torch.Tensor:
    """Booleans, with that part of those that are true made false: a mean cannot be above 1."""
    turn = torch.arange(v.numel(), dtype=torch.float64, device=v.device) * GOLDEN % 1
    return v & (turn >= part).reshape(v.shape)


def clamped(draw: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """What draws normals, with these clamped at 3.5 standard deviations."""

    def drawn(out: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        return draw(out, generator).clamp_(-3.5, 3.5)

    return drawn


def in_the_search(sides: Sides) -> Sides:
    """The sides with a search that says FACTOR times the value at its points."""
    check: Any = sides.check

    def wrong(function: Any) -> Any:
        @wraps(function)
        def searched(*given: Any, **named: Any) -> Any:
            found = function(*given, **named)
            return replace(found, columns={**found.columns, "value": FACTOR * found.columns["value"]})

        return searched

    return replace(sides, check=replace(check, function=wrong(check.function), at=wrong(check.at)))


def in_the_growth(sides: Sides) -> Sides:
    """The sides with a growth whose exponents are off by 3/4."""
    function: Any = sides.check.function

    @wraps(function)
    def grown(generator: torch.Generator, n: int, T: int) -> dict[str, torch.Tensor]:
        return {
            name: v if name == "divisor" else T**0.75 * v for name, v in function(generator=generator, n=n, T=T).items()
        }

    return with_check(sides, grown)
