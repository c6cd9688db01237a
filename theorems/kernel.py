"""The proof kernel: the only place that says ``proved`` or ``disproved``.

A derivation hands in its steps as data. The kernel checks that each is licensed by a trusted rule, then compares the
derived value with the print by normal form: exactly, or to the order that the print claims.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from theorems.asymptotics import ball_check, degree, expand, in_regime, leading, order_part
from theorems.catalogue import ProofLine, Statement
from theorems.derivation import Derived, SharpBound, consequence_of
from theorems.expressions import normal, parse, same, symbol
from theorems.process import Moment
from theorems.ratio import Ratio
from theorems.repair import presentable, repaired
from theorems.rules import licensed


@dataclass(frozen=True)
class CheckedStep:
    """A step as it was found: its words, the rule it names, and whether the rule licenses it."""

    text: str
    rule: str
    ok: bool


@dataclass(frozen=True)
class CheckedLine:
    """A printed line of a proof, what was derived for it, whether it holds, and whether its error reaches the end."""

    line: ProofLine
    derived: str
    holds: bool
    reaches: bool


@dataclass
class Outcome:
    """What the kernel found for one claim; ``exact`` and ``corrections`` are expressions in the claim's symbols."""

    status: str
    method: str
    steps: list[CheckedStep] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    exact: sp.Expr | None = None
    corrections: dict[str, sp.Expr] = field(default_factory=dict)
    false_quantities: tuple[str, ...] = ()


def value_of(derived: Derived, name: str) -> Ratio:
    """The derived finite-T value of a printed quantity; a derivation of a single value need not name it."""
    if name not in derived.quantities and set(derived.quantities) == {""}:
        name = ""
    return derived.ratio(name)


def target(statement: Statement, value: Ratio) -> Ratio:
    """What the print should be equal to: the value itself, its limit, or its part of highest order."""
    if not statement.remainder:
        return value
    if degree(statement.remainder) == 0:
        return expand(value, statement.regime).limit
    return leading(value, statement.regime)


def printed_value(statement: Statement, text: str, derived: Derived) -> sp.Expr:
    """The printed right-hand side, with the other derived quantities that it names put in."""
    return _with_definitions(parse(text), derived, lambda ratio: target(statement, ratio))


def _with_definitions(expression: sp.Expr, derived: Derived, reading: object) -> sp.Expr:
    table = {}
    for free in expression.free_symbols:
        if derived.known(free.name):
            value = derived.ratio(free.name)
            table[free] = (reading(value) if callable(reading) else value).expr
    return expression.xreplace(table)


def holds(value: Ratio, printed: sp.Expr, regime: Mapping[str, str], remainder: str) -> bool:
    """Whether value = printed, or value = printed + o(remainder) as T -> infinity."""
    if not remainder:
        return same(value.expr, printed)
    try:
        gap = value - Ratio.from_expr(printed)
    except ValueError:
        return False
    found = expand(gap, regime, remainder)
    return found.limit == 0 and not found.grows


def settle(statement: Statement, derived: Derived) -> Outcome:
    """Decide the statement: check every step, compare every printed quantity, and state what is true instead."""
    steps = [CheckedStep(step.text, step.rule, licensed(step)) for step in derived.steps]
    broken = [step for step in steps if not step.ok]
    if broken:
        return Outcome(
            "undecided", "a step of the derivation is not licensed", steps, [f"not licensed: {broken[0].text}"]
        )
    if statement.relation == "<=":
        return _settle_bound(statement, derived, steps)
    outcome = Outcome("proved", _method(derived), steps)
    wrong = []
    for name, text in statement.printed.items():
        value = value_of(derived, name)
        printed = printed_value(statement, text, derived)
        true = target(statement, value)
        if statement.remainder:
            _explain_limit(statement, name, value, outcome)
        else:
            outcome.evidence.append(f"{name}: derived {true}")
        if not holds(value, printed, statement.regime, statement.remainder):
            wrong.append(name)
            gap = sp.factor(in_regime(true, statement.regime).expr - _in_regime(printed, statement.regime))
            outcome.evidence.append(f"{name}: derived - printed = {gap}")
        outcome.corrections[name] = _correction(statement, text, value, true)
    outcome.exact = _exact(statement, derived)
    if not wrong:
        outcome.corrections = {}
    elif outcome.status == "proved":
        outcome.status, outcome.false_quantities = "disproved", tuple(wrong)
    return outcome


def _in_regime(printed: sp.Expr, regime: Mapping[str, str]) -> sp.Expr:
    return printed.xreplace({symbol(name): parse(form) for name, form in regime.items()})


def _method(derived: Derived) -> str:
    kinds = {step.rule for step in derived.steps}
    if "isserlis" in kinds:
        return "Wick contraction" + (", exact sums over tokens" if "faulhaber" in kinds else "")
    if "wick" in kinds:
        return "independent increments and joint cumulants"
    return next((value.method for value in derived.quantities.values() if not isinstance(value, Moment)), "normal form")


def _explain_limit(statement: Statement, name: str, value: Ratio, outcome: Outcome) -> None:
    """Put the finite-T form, its limit and the remainder into the evidence; balls must confirm the limit."""
    scale = statement.remainder
    found = expand(value, statement.regime, scale)
    outcome.evidence.append(f"{name}, finite T: {value}")
    if found.grows:
        outcome.evidence.append(f"{name}: grows faster than {scale}")
        return
    outcome.evidence.append(f"{name}/({scale}) = {found.limit} + remainder, remainder exactly {found.remainder}")
    if not ball_check(value, statement.regime, scale, found.limit):
        outcome.status, outcome.method = "undecided", "ball arithmetic did not confirm the limit"


def _correction(statement: Statement, text: str, value: Ratio, true: Ratio) -> sp.Expr:
    """The true right-hand side, in the form of the print where one number of it is all that must change."""
    if statement.remainder and degree(statement.remainder) > 0:
        part = order_part(value, statement.regime, degree(statement.remainder))
        true = part if part != 0 else true
    form = repaired(parse(text), true.expr)
    return form if form is not None else presentable(true.expr)


def _exact(statement: Statement, derived: Derived) -> sp.Expr | None:
    if not statement.symbols and not statement.coefficient_of:
        return None
    true = target(statement, value_of(derived, next(iter(statement.printed))))
    if statement.coefficient_of:
        return true.terms(statement.coefficient_of).get(1, Ratio.of(0)).expr
    return presentable(true.expr)


def _settle_bound(statement: Statement, derived: Derived, steps: list[CheckedStep]) -> Outcome:
    """A two-sided bound against the sharp one: printed^2 - sharp^2 must be non-negative for every admissible value."""
    (bound,) = derived.quantities.values()
    if not isinstance(bound, SharpBound):
        return Outcome("undecided", "no sharp bound was derived", steps)
    outcome = Outcome("proved", bound.method, steps)
    sharp = bound.square.expr
    outcome.evidence.append(f"sharp: |{statement.quantity}| <= sqrt({sharp}), attained")
    wrong = []
    for name, sign in (("upper", 1), ("lower", -1)):
        if name not in statement.printed:
            continue
        printed = sign * parse(statement.printed[name])
        verdict = _at_least(printed, sharp, bound.at_least)
        if verdict is None:
            outcome.status, outcome.method = "undecided", "the sign of printed^2 - sharp^2 was not decided"
            outcome.evidence.append(f"{name}: undecided whether {printed} >= sqrt({sharp})")
            return outcome
        if not verdict:
            wrong.append(name)
            outcome.evidence.append(f"{name}: {printed} < sqrt({sharp}) where the bound is attained")
            outcome.corrections[name] = sign * sp.sqrt(sharp)
    if wrong:
        outcome.status, outcome.false_quantities = "disproved", tuple(wrong)
    return outcome


def _at_least(printed: sp.Expr, sharp: sp.Expr, least: Mapping[str, int]) -> bool | None:
    """Whether printed >= sqrt(sharp) for all names at or above their least values; None where that is not decided."""
    shifted = {symbol(name): symbol(name) + low for name, low in least.items()}
    if not printed.is_number and any(
        part.is_Pow and part.exp == sp.Rational(1, 2) for part in sp.preorder_traversal(printed)
    ):
        factor, root = printed.as_coeff_Mul()
        if not (root.is_Pow and root.exp == sp.Rational(1, 2)):
            return None
        if factor < 0:
            return _sometimes_positive(sharp, shifted)
        gap = sp.expand((factor**2 * root.base - sharp).xreplace(shifted))
    else:
        gap = sp.expand((printed**2 - sharp).xreplace(shifted))
        if not all(
            c >= 0 for c in sp.Poly(sp.expand(printed.xreplace(shifted)), *gap.free_symbols or [symbol("d")]).coeffs()
        ):
            return None
    if gap == 0:
        return True
    signs = {bool(c > 0) for c in sp.Poly(gap, *gap.free_symbols or [symbol("d")]).coeffs()}
    if signs == {True}:
        return True
    if signs == {False}:
        return False
    return None


def _sometimes_positive(sharp: sp.Expr, shifted: Mapping[sp.Symbol, sp.Expr]) -> bool | None:
    """False (the bound fails) where the sharp square is positive somewhere, as -sqrt(...) is then below it."""
    expanded = sp.expand(sharp.xreplace(dict(shifted)))
    return False if expanded != 0 else None


def check_lines(
    statement: Statement, lines: Sequence[ProofLine], derived: Derived, regime: Mapping[str, str]
) -> list[CheckedLine]:
    """Check printed lines of a proof one by one, and whether a false one changes the conclusion."""
    implied = consequence_of(statement.id)
    checked = []
    for line in lines:
        value = derived.ratio(line.quantity)
        printed = _with_definitions(parse(line.printed), derived, None)
        good = holds(value, printed, regime, line.remainder)
        true = value
        if line.remainder:
            true = leading(value, regime) if degree(line.remainder) > 0 else expand(value, regime).limit
        reaches = False
        if not good:
            taken = Ratio.from_expr(printed)
            if implied is not None:
                got, wanted = implied(line.quantity, taken, derived)
                reaches = expand(got, regime).limit != expand(wanted, regime).limit
            elif line.quantity in statement.printed:
                reaches = not holds(value, printed, statement.regime, statement.remainder)
        checked.append(CheckedLine(line, str(presentable(normal(true.expr))), good, reaches))
    return checked


def agrees_to_leading_order(value: Ratio, printed: sp.Expr, positions: Sequence[str]) -> bool:
    """Whether the parts of highest total degree in the positions coincide."""
    try:
        other = Ratio.from_expr(printed)
    except ValueError:
        return False
    scaled = {name: f"{name}*T" if name != "T" else "T" for name in positions}
    stretch = {name: form for name, form in scaled.items() if name != "T"}
    one, two = (in_regime(v, stretch).terms("T") for v in (value, other))
    tops = [max((p for p, c in terms.items() if c != 0), default=0) for terms in (one, two)]
    return tops[0] == tops[1] and one.get(tops[0], Ratio.of(0)) == two.get(tops[0], Ratio.of(0))
