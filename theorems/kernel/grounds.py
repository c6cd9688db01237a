"""What the steps of a derivation stand on: every value comes from a step about a quantity of the model.

A rule that turns one expression into another derives nothing: what it takes must be the conclusion of a step before it,
the value of a moment, or something that the statement defines. A formula that is typed in is none of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theorems.algebra.closed import names, vanishes
from theorems.algebra.expressions import ExpressionError, parse, symbol
from theorems.claims.catalogue import Statement
from theorems.gaussian.process import Kernel, Moment, Step
from theorems.kernel.derivation import Derived
from theorems.kernel.hypotheses import comparisons, granted, plain
from theorems.rules import ABOUT, CONCLUSION
from theorems.rules.analysis import CONCLUSIONS
from theorems.statement.values.kept import once

#: Names with a meaning of their own in every claim: no step may let them be something else.
OWN = re.compile(r"tr\w*|d|T|lam|theta|Sigma|W\w*")


@dataclass(frozen=True)
class Law:
    """The process that a claim is about, where one was handed to its derivation, and the order of its positions."""

    kernel: Kernel | None = None
    positions: tuple[str, ...] = ()
    regime: Mapping[str, str] = field(default_factory=dict)

    def of_another(self, step: Step) -> bool:
        """Whether a step concludes a moment of another process, or a limit as its positions tend elsewhere."""
        if step.rule in ENGINE:
            return bool(self.foreign(step.data[2].kernel, step.data[3]))
        if step.rule != "moment-limit":
            return False
        moment, regime, _ = step.data
        elsewhere = any(self.regime.get(name, form) != form for name, form in regime.items())
        return elsewhere or bool(self.foreign(moment.process.kernel, moment.chain))

    def foreign(self, kernel: Kernel, chain: Collection[str]) -> str:
        """Why a moment of this kernel, under this order of positions, is not one of the claim's; "" where it is."""
        if self.kernel is not None and kernel != self.kernel:
            return f"is a moment of {kernel.name}, and the claim is about {self.kernel.name}"
        here = tuple(name for name in chain if name in self.positions)
        wanted = tuple(name for name in self.positions if name in here)
        return "" if here == wanted else f"was derived for {' <= '.join(here)}, not {' <= '.join(wanted)}"


@dataclass
class Grounds:
    """What is known while steps are gone through: expressions, and values of names.

    ``given`` are the statement's hypotheses, ``own`` the names that the statement speaks of, ``values`` the
    moments among its derived quantities, by name.
    """

    given: Collection[str]
    own: Collection[str]
    values: Mapping[str, sp.Expr] = field(default_factory=dict)
    law: Law = field(default_factory=lambda: Law())
    known: list[sp.Expr] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def take(self, steps: Iterable[Step]) -> Grounds:
        """Go through steps in their order."""
        for step in steps:
            if self.law.of_another(step):
                continue
            if step.rule == "substitution":
                loose = self._replaced(step)
                if loose:
                    self.complaints.append(f"{step.text}: {loose}")
                    continue
            elif step.rule in OF_A_MOMENT and not all(map(self.has, OF_A_MOMENT[step.rule](*step.data))):
                self.complaints.append(f"{step.text}: its mean and variance are those of no moment that was derived")
                continue
            elif not all(self.has(value) or (step.rule in LAWS and _plain(value)) for value in taken(step)):
                continue
            self.known += concluded(step)
        return self

    def has(self, value: sp.Expr) -> bool:
        """Whether an expression is known: concluded before, a moment's value, or what the statement defines."""
        known = [*self.known, *self.values.values(), *(formula for formula, _ in self._definitions())]
        return _among(value, known)

    def _definitions(self) -> Iterable[tuple[sp.Expr, sp.Expr]]:
        """(formula, name) for every name that a hypothesis makes equal to a formula."""
        for one in sorted(self.given):
            left, mark, right = one.partition(" = ")
            if not mark:
                continue
            try:
                sides = parse(left), parse(right)
            except ExpressionError:
                continue
            yield from ((b, a) for a, b in (sides, sides[::-1]) if a.is_Symbol and not b.has(a))

    def _replaced(self, step: Step) -> str:
        """Why a formula's names may not be replaced as a step does it; "" where they may."""
        formula, table, _ = step.data
        if not self.has(formula):
            return f"{formula} is neither derived nor a definition of the statement"
        for name, value in table.items():
            if not names(formula) & {name} or granted(f"{name} = {value}", self.given):
                continue
            if name in self.values and vanishes(self.values[name] - value):
                continue
            if name in self.own or name in self.values or OWN.fullmatch(name) or not self.has(value):
                return f"nothing says that {name} = {value}"
        return ""


#: Rules about the law of a quantity, and the limits of its mean and variance that they speak of, in units of eta.
OF_A_MOMENT: Mapping[str, Callable[..., tuple[sp.Expr, ...]]] = {
    "chebyshev-limit": lambda first, second, radicand, *_: (
        sp.expand(first[2] * symbol("xi") * symbol("eta")),
        sp.expand(radicand * symbol("eta") ** 2 / 2),
    ),
    "shrinking-interval": lambda square, *_: (sp.expand(square * symbol("eta") ** 2),),
}
#: Rules that conclude a mean; their data holds the process and the order of its positions.
ENGINE = frozenset({"isserlis", "wick"})
#: Rules about a law that a claim is free to choose: a mean or a variance may be a name or a number, too.
LAWS = frozenset({"normal-interval", "heat-flow"})


def _plain(value: sp.Expr) -> bool:
    return bool(value.is_number or value.is_Symbol)


def expression(value: Any) -> sp.Expr:
    """A conclusion as an expression."""
    return sp.sympify(getattr(value, "expr", value))


def concluded(step: Step) -> list[sp.Expr]:
    """The value that a step concludes, if it concludes one."""
    place = (CONCLUSION | CONCLUSIONS).get(step.rule, ABOUT[step.rule].concludes if step.rule in ABOUT else None)
    return [] if place is None else [expression(step.data[place])]


def taken(step: Step) -> tuple[sp.Expr, ...]:
    """What a step starts from: a rewriting one from its input, one at the origin from the quotient there."""
    if step.rule in ("at-origin", "derivative"):
        return (step.data[0] / step.data[1],)
    places = ABOUT[step.rule].takes if step.rule in ABOUT else ()
    return tuple(expression(step.data[place]) for place in places)


@once
def stated(statement: Statement) -> frozenset[str]:
    """What a statement assumes, as far as it is read: its assumptions part by part, its conditions, its positions."""
    texts = [part for text in statement.assumptions for part in re.split(r", | and | with |; ", text)]
    found = {one for text in (*texts, *statement.conditions) for one in plain(text)}
    found |= {f"{name} = {formula}" for name, formula in statement.definitions.items()}
    found |= {one for name in statement.positions for one in plain(f"1 <= {name}")}
    # dimensions and tokens are counted, where no parameter of the claim's own has their name
    found |= {f"1 <= {name}" for name in ("d", "T") if name not in statement.parameters}
    # i = theta T is a token's place
    along = [form for form in statement.regime.values() if form == "theta*T"]
    found |= {"0 <= theta", "theta <= 1"} if along else set()
    found |= {f"{low} <= {high}" for low, high in zip(statement.positions, statement.positions[1:], strict=False)}
    return frozenset(found | ({"Sigma = I"} if statement.covariance == "identity" else set()))


@once
def where_said(statement: Statement) -> tuple[str, ...]:
    """The comparisons that a claim assumes: it speaks of no point where one of them fails."""
    return tuple(dict.fromkeys((*statement.conditions, *comparisons(stated(statement)))))


def grounds(statement: Statement, derived: Derived) -> Grounds:
    """The grounds of a claim's steps: what its statement says, and its moments, which are computed again."""
    moments = {name: value.ratio.expr for name, value in derived.quantities.items() if isinstance(value, Moment)}
    own = {*statement.symbols, *statement.parameters, *statement.positions, *statement.regime, *statement.printed}
    kernel = derived.process.kernel if derived.process is not None else None
    law = Law(kernel, statement.positions, statement.regime)
    return Grounds(stated(statement), own - set(moments), moments, law)


def ungrounded(ground: Grounds, steps: Sequence[Step], value: sp.Expr) -> str:
    """Why a value does not come from steps about a quantity of the model, as a predicate of it; "" where it does."""
    found = Grounds(ground.given, ground.own, ground.values, ground.law).take(steps)
    if found.complaints:
        return f"comes from a step that nothing licenses: {found.complaints[0]}"
    if _among(value, found.known):
        return ""
    if _among(value, [one for step in steps for one in concluded(step)]):
        return "comes from no step about a quantity of the model, only from what was typed in"
    return "is not the conclusion of any of its steps"


def _among(value: sp.Expr, known: Sequence[sp.Expr]) -> bool:
    return any(value == one for one in known) or any(vanishes(one - value) for one in known)


def complaints(ground: Grounds, steps: Sequence[Step]) -> list[str]:
    """What replaces names in a way that nothing licenses, among steps in their order."""
    return Grounds(ground.given, ground.own, ground.values, ground.law).take(steps).complaints
