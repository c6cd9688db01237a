"""The proof kernel: the only place that says ``proved`` or ``disproved``.

A derivation hands in its steps as data. The kernel checks that each is licensed by a trusted rule, then compares the
derived value with the print by normal form: exactly, or to the order that the print claims.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from theorems.algebra.closed import equal as equal_closed
from theorems.algebra.closed import substituted
from theorems.algebra.expressions import normal, parse, same, symbol
from theorems.algebra.quotients import cancelled
from theorems.algebra.ratio import Ratio, total
from theorems.claims.catalogue import ProofLine, Statement
from theorems.claims.growth import bound
from theorems.gaussian.asymptotics import ball_check, degree, expand, in_regime, leading, order_part, regimes, uniform
from theorems.gaussian.moments.recompute import recomputed
from theorems.gaussian.process import Moment, Step
from theorems.gaussian.repair import presentable, repaired
from theorems.kernel import hypotheses
from theorems.kernel.bounds import admitted, settle_bound, unsupported_bound, unsupported_inequality
from theorems.kernel.derivation import (
    Closed,
    Derived,
    Enclosed,
    Equivalence,
    Expected,
    Incomplete,
    Inequality,
    SharpBound,
    consequence_of,
)
from theorems.kernel.equivalence import settle_equivalence, unsupported_equivalence
from theorems.kernel.eventually import Eventually
from theorems.kernel.grounds import complaints, grounds, ungrounded, where_said
from theorems.kernel.grounds import stated as assumed
from theorems.kernel.limits import Limit, compare_cells, enclosed, supported_cells
from theorems.kernel.matrix_claims import matrix_of, settle_matrix, unsupported_matrix
from theorems.kernel.matrix_facts import MatrixFact
from theorems.kernel.outcome import CheckedStep, Conclusion, Grows, Outcome, Trusted
from theorems.rules import ABOUT, RULES, concludes, licensed, load
from theorems.rules.analysis import REWRITING
from theorems.rules.orders import Order, concluded, numbered, unsupported_order
from theorems.rules.refusal import refused

# what is proved does not depend on which module was imported before
load()


@dataclass(frozen=True)
class CheckedLine:
    """A printed line of a proof, what was derived for it, whether it holds, and whether its error reaches the end."""

    line: ProofLine
    derived: str
    holds: bool
    reaches: bool


def value_of(derived: Derived, name: str) -> Ratio:
    """The derived finite-T value of a printed quantity; a derivation of a single value need not name it."""
    matrix = matrix_of(derived)
    if matrix is not None:
        return matrix.known(name)
    return derived.ratio(_key(derived, name))


def _key(derived: Derived, name: str) -> str:
    """The name under which a printed quantity was derived; ValueError naming both sides where there is none."""
    if name in derived.quantities:
        return name
    if set(derived.quantities) == {""}:
        return ""
    given = ", ".join(derived.quantities)
    raise ValueError(f"the print names {name!r}, the derivation gives {given}; use one name for both")


def target(statement: Statement, value: Ratio) -> Ratio:
    """What the print should be equal to: the value itself, or all of its terms that o(remainder) does not cover.

    For o(1) they are in theta (and T, where the value grows), for o(T^k) in the positions; a value that o(T^k) covers
    whole is stated by its own part of highest order.
    """
    if not statement.remainder or isinstance(value, Closed):
        return value
    shift = degree(statement.remainder)
    regime = uniform(statement.regime, statement.positions)
    orders = in_regime(value, regime).terms("T")
    kept = [p for p, c in orders.items() if p >= shift and c != 0]
    if shift == 0 and set(regime) == set(statement.regime):
        return total(orders[p] * Ratio.of("T") ** p for p in kept).reduced()
    if not kept:
        return leading(value, regime)
    return total(order_part(value, regime, p) for p in kept).reduced()


def printed_value(statement: Statement, text: str, derived: Derived) -> sp.Expr:
    """The printed right-hand side, with the other derived quantities that it names put in."""
    defined = {name: parse(formula) for name, formula in statement.definitions.items()}
    expression = substituted(parse(text), defined)
    return _with_definitions(expression, derived, lambda ratio: target(statement, ratio))


def _with_definitions(expression: sp.Expr, derived: Derived, reading: object) -> sp.Expr:
    table = {}
    for free in expression.free_symbols:
        if derived.known(free.name):
            value = derived.ratio(free.name)
            table[free] = (reading(value) if callable(reading) else value).expr
    return expression.xreplace(table)


def compare(
    value: Ratio, printed: sp.Expr, regime: Mapping[str, str], remainder: str, positions: Sequence[str] = ()
) -> bool | None:
    """Whether value = printed, or value = printed + o(remainder) as T -> infinity; None where that is not decided.

    The remainder is uniform in those ``positions`` (1 <= i <= j <= ... <= T) of which the regime does not speak.
    """
    gap = value.expr - printed
    if gap.has(sp.zoo, sp.nan, sp.oo):
        return None
    if isinstance(value, Closed):
        # a closed value is a limit already
        return equal_closed(value.expr, printed)
    rational = gap.is_rational_function(*gap.free_symbols)
    if not remainder:
        return same(value.expr, printed) if rational else equal_closed(value.expr, printed)
    if not rational:
        return None
    scaled = sp.cancel(sp.together(gap)) / parse(remainder)
    if not all(_vanishes(_in_regime(scaled, found)) for found in regimes(regime, positions)):
        return False
    free = [name for name in positions if name not in (*regime, "T") and scaled.has(symbol(name))]
    return _between(_in_regime(scaled, regime), free)


def _vanishes(scaled: sp.Expr, T: sp.Symbol | None = None) -> bool:
    """Whether a rational function tends to 0 as T -> infinity, its other names generic."""
    index = T or symbol("T")
    numerator, denominator = cancelled(scaled)
    return bool(numerator == 0 or sp.degree(numerator, index) < sp.degree(denominator, index))


def _between(scaled: sp.Expr, free: Sequence[str]) -> bool | None:
    """Whether what tends to 0 for positions that are fixed, and for parts of T, does so for all that is between.

    With p = T^s the orders of numerator and denominator are convex and piecewise linear in s. Over a monomial their
    difference is largest at an end; else, with one position, at a bend of the denominator's, where p = v T^s is looked
    at too. With several positions that is left open.
    """
    denominator = cancelled(scaled)[1]
    names = [name for name in free if denominator.has(symbol(name))]
    T = symbol("T")
    powers = sp.Poly(denominator, T, *(symbol(name) for name in names)).monoms()
    if len(powers) == 1 or not names:
        return True
    if len(names) > 1:
        return None
    bends = {sp.Rational(a[0] - b[0], b[1] - a[1]) for a in powers for b in powers if a[1] != b[1]}
    position, share, root = symbol(names[0]), sp.Dummy("v"), sp.Dummy("t")
    for bend in (s for s in bends if 0 < s < 1):
        at = scaled.xreplace({position: share * root**bend.p, T: root**bend.q})
        if not _vanishes(at, root):
            return False
    return True


def holds(
    value: Ratio, printed: sp.Expr, regime: Mapping[str, str], remainder: str, positions: Sequence[str] = ()
) -> bool:
    """Whether the print is shown equal to the value, up to o(remainder)."""
    return compare(value, printed, regime, remainder, positions) is True


def settle(statement: Statement, derived: Derived) -> Outcome:
    """Decide the statement, and list what its derivation takes on trust."""
    outcome = _settled(statement, derived)
    outcome.trusted = trusted(derived.steps)
    return outcome


def unlicensed(step: Step) -> str:
    """Why a step is not licensed, in a line."""
    return f"not licensed: {step.text} ({refused(step)})"


def ungranted(derived: Derived, given: Collection[str]) -> tuple[str, ...]:
    """The hypotheses that a derivation's steps use, or that its quantities speak of, and that are not given."""
    own = (value.needs for value in derived.quantities.values() if isinstance(value, SharpBound | Inequality))
    wanted = dict.fromkeys(need for needs in own for need in needs)
    if any(isinstance(value, Eventually) for value in derived.quantities.values()):
        # of T -> infinity a least length is no hypothesis
        given = (*given, "T >= 2")
    return (
        *(need for need in wanted if not hypotheses.granted(need, given)),
        *hypotheses.ungranted(derived.steps, given),
    )


def trusted(steps: Iterable[Step]) -> tuple[Trusted, ...]:
    """What the rules of steps, and of the steps in their data, take on trust, in order of use.

    Of a rule that is not one of this package's nothing is known but what it says.
    """
    rules = dict.fromkeys(part.rule for step in steps for part in hypotheses.parts(step))
    found = []
    for name in rules:
        about = ABOUT.get(name)
        if name in RULES and not RULES[name].__module__.startswith("theorems."):
            words = " ".join((RULES[name].__doc__ or "").split())
            found.append(Trusted(name, words or "whatever it licenses", RULES[name].__module__, foreign=True))
        elif about is not None and about.trusted:
            found.append(Trusted(name, about.trusted, about.source))
    return tuple(found)


def _settled(statement: Statement, derived: Derived) -> Outcome:
    """Decide the statement: check every step, compare every printed quantity, and state what is true instead."""
    if derived.missing:
        return Outcome("undecided", f"the source is incomplete: {derived.missing}")
    steps = [CheckedStep(step.text, step.rule, licensed(step)) for step in derived.steps]
    broken = [unlicensed(step) for step, seen in zip(derived.steps, steps, strict=True) if not seen.ok]
    broken += unsupported(statement, derived)
    if broken:
        return Outcome("undecided", "the derivation's steps do not license its value", steps, broken[:1])
    needed = ungranted(derived, assumed(statement))
    if needed:
        reason = f"the derivation needs {', '.join(needed)}, which the claim does not assume"
        return Outcome("undecided", reason, steps, [f"not assumed: {need}" for need in needed])
    if statement.relation == "order":
        return _settle_order(statement, derived, steps)
    if statement.relation == "when":
        return settle_equivalence(statement, derived, steps)
    if statement.relation != "=":
        return settle_bound(statement, derived, steps)
    matrix = matrix_of(derived)
    if matrix is not None:
        return settle_matrix(statement, matrix, steps)
    outcome = Outcome("proved", _method(derived), steps)
    wrong = []
    for name, text in statement.printed.items():
        quantity = derived.quantities[_key(derived, name)]
        if isinstance(quantity, Limit):
            wrong += _settle_limit(statement, name, quantity, outcome)
            continue
        value = value_of(derived, name)
        printed = printed_value(statement, text, derived)
        true = target(statement, value)
        if statement.remainder and not isinstance(value, Closed):
            _explain_limit(statement, name, value, outcome)
        else:
            outcome.evidence.append(f"{name}: derived {true}")
            outcome.conclusions.append(Conclusion(name, str(true)))
        equal = compare(value, printed, statement.regime, statement.remainder, statement.positions)
        if equal is None:
            outcome.status, outcome.method = "undecided", f"whether {name} equals its print was not decided"
        if equal is False:
            wrong.append(name)
            outcome.evidence.append(f"{name}: derived - printed = {difference(statement, true, printed)}")
        outcome.corrections[name] = _correction(text, true)
    outcome.exact = _exact(statement, derived)
    if not wrong:
        outcome.corrections = {}
    elif outcome.status == "proved":
        outcome.status, outcome.false_quantities = "disproved", tuple(wrong)
    return outcome


def _settle_order(statement: Statement, derived: Derived, steps: list[CheckedStep]) -> Outcome:
    """Printed bounds of growth against the sharp exponents: O(T^k) is true from these on, o(T^k) beyond them."""
    outcome = Outcome("proved", "", steps)
    wrong = []
    for name, printed in statement.printed.items():
        order = derived.quantities[_key(derived, name)]
        if not isinstance(order, Order):
            return Outcome("undecided", f"no order of growth was derived for {name}", steps)
        outcome.method = order.method
        term, *divisor = numbered(order)
        whose, where = (f"{term} over {divisor[0]}", f"{divisor[0]} not identically 0") if divisor else (term, "")
        outcome.orders.append(Grows(name, whose, where, str(order.exponent), order.attained))
        outcome.evidence.append(str(outcome.orders[-1]))
        stated = bound(printed)
        if not stated.allows(order.exponent):
            wrong.append(name)
            outcome.evidence.append(f"{name}: not {stated}, for {order.attained}")
            outcome.corrections[name] = order.exponent
        if statement.symbols and outcome.exact is None:
            outcome.exact = order.exponent
    if wrong:
        outcome.status, outcome.false_quantities = "disproved", tuple(wrong)
    return outcome


def _settle_limit(statement: Statement, name: str, limit: Limit, outcome: Outcome) -> list[str]:
    """Compare a printed limit with the derived one cell by cell; the name where some cell contradicts the print."""
    found = compare_cells(name, limit, parse(statement.printed[name]), where_said(statement))
    outcome.cells += found.cells
    outcome.evidence += map(str, found.cells)
    outcome.method = limit.method
    if found.equal is None:
        outcome.status, outcome.method = "undecided", f"whether the limit of {name} is the printed one: {found.reason}"
    doubt = enclosed(limit, statement.regime, statement.ranges)
    if doubt:
        outcome.status, outcome.method = "undecided", doubt
    outcome.corrections[name] = found.formula
    outcome.excluded += found.excluded
    return [name] if found.equal is False else []


def _in_regime(printed: sp.Expr, regime: Mapping[str, str]) -> sp.Expr:
    return printed.xreplace({symbol(name): parse(form) for name, form in regime.items()})


def difference(statement: Statement, true: Ratio, printed: sp.Expr) -> sp.Expr:
    """What is true minus what is printed, factored; in the regime where the claim is about the limit."""
    gap = true.expr - printed
    gap = gap if isinstance(true, Closed) else _in_regime(gap, statement.regime)
    return sp.factor(gap) if gap.is_rational_function(*gap.free_symbols) else gap


def unsupported(statement: Statement, derived: Derived) -> list[str]:
    """Why a printed quantity's value does not follow from the licensed steps; empty where every one does.

    A moment is computed again from its observable by the other route, sums included; a fact, or an expectation of
    another kind, must be the conclusion of a step; a bound must follow from steps about that very bound.
    """
    found = []
    ground = grounds(statement, derived)
    printed = [_key(derived, name) for name in statement.printed] if statement.relation == "=" else []
    # what a print refers to is a derived value like any other
    mentioned = {free.name for name in printed for free in parse(statement.printed.get(name, "0")).free_symbols}
    printed += [name for name in derived.quantities if name in mentioned]
    for name in dict.fromkeys((*printed, *(key for key in derived.quantities if "@" in key or not printed))):
        quantity = derived.quantities[name]
        if isinstance(quantity, Enclosed):
            # no clause follows from it
            continue
        if isinstance(quantity, Moment):
            if quantity.observable is None:
                found.append(f"{name} is not the moment of one observable, so it cannot be computed again")
            elif foreign := ground.law.foreign(quantity.process.kernel, quantity.chain):
                found.append(f"{name} {foreign}")
            elif recomputed(quantity) != quantity.ratio:
                found.append(f"{name} = {quantity.ratio}, but its observable gives {recomputed(quantity)}")
        elif isinstance(quantity, MatrixFact):
            found += unsupported_matrix(quantity)
        elif isinstance(quantity, SharpBound):
            found += unsupported_bound(quantity)
            if not admitted(statement, quantity.attained):
                found.append(f"{quantity.attained} is no case of the claim")
        elif isinstance(quantity, Inequality):
            found += unsupported_inequality(quantity)
        elif isinstance(quantity, Equivalence):
            found += unsupported_equivalence(quantity)
        elif isinstance(quantity, Incomplete):
            found.append(f"{name} was not derived: {quantity.reason}")
        elif isinstance(quantity, Order):
            loose = unsupported_order(quantity)
            # as for a fact: what its steps conclude is the order of no other quantity
            if not loose and concluded(quantity) != name:
                loose = [f"its steps give the order of {' over '.join(numbered(quantity))}"]
            found += [f"{name}: {reason}" for reason in loose]
        elif isinstance(quantity, Limit):
            found += [
                f"{name}: {reason}" for reason in (*supported_cells(quantity), *complaints(ground, quantity.steps))
            ]
        else:
            rules = {step.rule for step in quantity.steps}
            if rules and rules <= REWRITING and statement.kind != "definition":
                found.append(f"{name} = {quantity.ratio} comes from rewriting alone")
            # a step that names its quantity concludes no other
            mine = [step for step in quantity.steps if concludes(step) in ("", name.partition("@")[0])]
            values = [quantity.ratio.expr]
            if statement.plugin and isinstance(quantity, Expected):
                # the sizes of samples are planned by it
                values.append(quantity.second)
            found += [f"{name} = {v} {why}" for v in values if (why := ungrounded(ground, mine, v))]
    return found


def _method(derived: Derived) -> str:
    kinds = {step.rule for step in derived.steps}
    if "isserlis" in kinds:
        return "Wick contraction" + (", exact sums over tokens" if "faulhaber" in kinds else "")
    if "wick" in kinds:
        return "independent increments and joint cumulants"
    return next(
        (value.method for value in derived.quantities.values() if not isinstance(value, Moment | Incomplete)),
        "normal form",
    )


def _explain_limit(statement: Statement, name: str, value: Ratio, outcome: Outcome) -> None:
    """Put the finite-T form, its limit and the remainder into the evidence; balls must confirm the limit."""
    scale = statement.remainder
    regime = uniform(statement.regime, statement.positions)
    found = expand(value, regime, scale)
    outcome.evidence.append(f"{name}, finite T: {value}")
    if found.grows:
        outcome.evidence.append(f"{name}: grows faster than {scale}")
        return
    outcome.evidence.append(f"{name}/({scale}) = {found.limit} + remainder, remainder exactly {found.remainder}")
    parts = (str(part) for part in (value, scale, found.limit, found.remainder))
    outcome.conclusions.append(Conclusion(name, *parts))
    if not ball_check(value, regime, scale, found.limit):
        outcome.status, outcome.method = "undecided", "ball arithmetic did not confirm the limit"


def _correction(text: str, true: Ratio) -> sp.Expr:
    """The true right-hand side, in the form of the print where one number of it is all that must change."""
    if isinstance(true, Closed):
        return true.expr
    form = repaired(parse(text), true.expr)
    return form if form is not None else presentable(true.expr)


def _exact(statement: Statement, derived: Derived) -> sp.Expr | None:
    if not statement.symbols and not statement.coefficient_of:
        return None
    true = target(statement, value_of(derived, next(iter(statement.printed))))
    return stated(statement, true.expr)


def stated(statement: Statement, value: sp.Expr) -> sp.Expr:
    """A value as ``symbolic.exact`` and ``correction.sympy`` state it: one word's coefficient, or all of it."""
    if statement.coefficient_of:
        return sp.expand(value).coeff(symbol(statement.coefficient_of), 1)
    # what is no polynomial over a monomial stays as it was derived
    return presentable(value) if value.is_rational_function(*value.free_symbols) else value


def check_lines(
    statement: Statement, lines: Sequence[ProofLine], derived: Derived, regime: Mapping[str, str]
) -> list[CheckedLine]:
    """Check printed lines of a proof one by one, and whether a false one changes the conclusion."""
    implied = consequence_of(statement.id)
    checked = []
    for line in lines:
        value = derived.ratio(line.quantity)
        printed = _with_definitions(parse(line.printed), derived, None)
        good = holds(value, printed, regime, line.remainder, statement.positions)
        true = value
        if line.remainder:
            true = target(replace(statement, regime=dict(regime), remainder=line.remainder), value)
        reaches = False
        if not good and printed.is_rational_function(*printed.free_symbols):
            taken = Ratio.from_expr(printed)
            if implied is not None:
                got, wanted = implied(line.quantity, taken, derived)
                reaches = expand(got, regime).limit != expand(wanted, regime).limit
            elif line.quantity in statement.printed:
                reaches = not holds(value, printed, statement.regime, statement.remainder, statement.positions)
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
