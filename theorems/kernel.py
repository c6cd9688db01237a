"""The proof kernel: the only place that says ``proved`` or ``disproved``.

A derivation hands in its steps as data. The kernel checks that each is licensed by a trusted rule, then compares the
derived value with the print by normal form: exactly, or to the order that the print claims.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import sympy as sp

from theorems.asymptotics import ball_check, degree, expand, in_regime, leading, order_part
from theorems.catalogue import ProofLine, Statement
from theorems.derivation import Closed, Derived, SharpBound, consequence_of
from theorems.expressions import normal, parse, same, symbol
from theorems.increments import SecondRoute
from theorems.numeric import Case
from theorems.observables import START, Observable
from theorems.process import Moment, Process
from theorems.ratio import Ratio, total
from theorems.repair import presentable, repaired
from theorems.rules import CONCLUSION, licensed


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
    orders = in_regime(value, statement.regime).terms("T")
    kept = [p for p, c in orders.items() if p >= shift and c != 0]
    if shift == 0:
        return total(orders[p] * Ratio.of("T") ** p for p in kept).reduced()
    if not kept:
        return leading(value, statement.regime)
    return total(order_part(value, statement.regime, p) for p in kept).reduced()


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


def compare(value: Ratio, printed: sp.Expr, regime: Mapping[str, str], remainder: str) -> bool | None:
    """Whether value = printed, or value = printed + o(remainder) as T -> infinity; None where that is not decided."""
    gap = value.expr - printed
    if gap.has(sp.zoo, sp.nan, sp.oo):
        return None
    rational = gap.is_rational_function(*gap.free_symbols)
    if not remainder:
        return same(value.expr, printed) if rational else _equal(gap)
    if not rational:
        return None
    T = symbol("T")
    scaled = _in_regime(gap, regime) / parse(remainder)
    numerator, denominator = sp.fraction(sp.cancel(sp.together(scaled)))
    if numerator == 0:
        return True
    return bool(sp.degree(numerator, T) < sp.degree(denominator, T))


def _equal(gap: sp.Expr) -> bool | None:
    """Whether an expression vanishes: by its expansion, or not by its value at a point; None where neither decides."""
    if sp.expand(gap) == 0:
        return True
    names = sorted(gap.free_symbols, key=lambda s: s.name)
    for shift in range(5):
        # an admissible point: positions are integers in their order, other names positive
        point = {s: sp.Rational(3 + 2 * k + 5 * shift, 7 + k) for k, s in enumerate(names)}
        point |= {symbol("i"): sp.Integer(2 + shift), symbol("j"): sp.Integer(3 + 2 * shift)}
        point |= {symbol("T"): sp.Integer(7 + 3 * shift), symbol("d"): sp.Integer(1 + shift)}
        value = gap.xreplace(point).evalf(40)
        if value.is_number and value.is_finite and abs(value) > sp.Float("1e-25"):
            return False
    return None


def holds(value: Ratio, printed: sp.Expr, regime: Mapping[str, str], remainder: str) -> bool:
    """Whether the print is shown equal to the value, up to o(remainder)."""
    return compare(value, printed, regime, remainder) is True


def settle(statement: Statement, derived: Derived) -> Outcome:
    """Decide the statement: check every step, compare every printed quantity, and state what is true instead."""
    steps = [CheckedStep(step.text, step.rule, licensed(step)) for step in derived.steps]
    broken = [f"not licensed: {step.text}" for step in steps if not step.ok] + unsupported(statement, derived)
    if broken:
        return Outcome("undecided", "the derivation's steps do not license its value", steps, broken[:1])
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
        equal = compare(value, printed, statement.regime, statement.remainder)
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


def _in_regime(printed: sp.Expr, regime: Mapping[str, str]) -> sp.Expr:
    return printed.xreplace({symbol(name): parse(form) for name, form in regime.items()})


def difference(statement: Statement, true: Ratio, printed: sp.Expr) -> sp.Expr:
    """What is true minus what is printed, factored; in the regime where the claim is about the limit."""
    gap = _in_regime(true.expr - printed, statement.regime)
    return sp.factor(gap) if gap.is_rational_function(*gap.free_symbols) else gap


def unsupported(statement: Statement, derived: Derived) -> list[str]:
    """Why a printed quantity's value does not follow from the licensed steps; empty where every one does.

    A moment is computed again from its observable by the other route, sums included; a fact, or an expectation of
    another kind, must be the conclusion of a step; a bound must follow from steps about that very bound.
    """
    found = []
    for name in statement.printed if statement.relation == "=" else [next(iter(derived.quantities))]:
        quantity = derived.quantities[_key(derived, name)]
        if isinstance(quantity, Moment):
            if quantity.observable is None:
                found.append(f"{name} is not the moment of one observable, so it cannot be computed again")
            elif recomputed(quantity) != quantity.ratio:
                found.append(f"{name} = {quantity.ratio}, but its observable gives {recomputed(quantity)}")
        elif isinstance(quantity, SharpBound):
            found += _unsupported_bound(quantity, derived)
        else:
            conclusions = [step.data[CONCLUSION[step.rule]] for step in quantity.steps if step.rule in CONCLUSION]
            if not any(same(sp.sympify(getattr(c, "expr", c)), quantity.ratio.expr) for c in conclusions):
                found.append(f"{name} = {quantity.ratio} is not the conclusion of any of its steps")
    return found


def _unsupported_bound(bound: SharpBound, derived: Derived) -> list[str]:
    square = bound.square.expr
    roots = [step.data[0] for step in bound.steps if step.rule == "square-root" and same(step.data[1], square)]
    shown = [
        root
        for root in roots
        for step in bound.steps
        if step.rule == "cauchy-schwarz" and same(step.data[2], root**2) and same(step.data[3], square)
    ]
    if not shown:
        return [f"no steps lead to a bound by sqrt({square})"]
    rewritten = any(step.data[4] for step in bound.steps if step.rule == "cauchy-schwarz")
    if rewritten and not any(step.rule == "psd-root" and step.data[0] == "Sigma" for step in bound.steps):
        return ["Sigma = R R is used without a step that gives the root"]
    case = Case(bound.attained)
    if not same(case.evaluate(shown[0] ** 2), case.evaluate(square)):
        return [f"the bound sqrt({square}) is not attained at {bound.attained}"]
    return []


def recomputed(moment: Moment) -> Ratio:
    """The moment's value from its observable alone, by the route that its derivation did not take."""
    source = moment.process
    family = Process if isinstance(source, SecondRoute) else SecondRoute

    def mean(observable: Observable) -> Ratio:
        parts = []
        for term in observable.terms:
            chain = moment.chain or source.chain
            for bound in term.bounds:
                place = chain.index(bound.upto)
                chain = (*chain[:place], bound.index, *chain[place:])
            value = term.coefficient * family(source.kernel, chain, source.symmetric).product(term.forms)
            for bound in reversed(term.bounds):
                closed = value.summed(bound.index)
                low = Ratio.of(0) if bound.above == START else Ratio.of(bound.above)
                high = Ratio.of(bound.upto) - (1 if bound.strict else 0)
                value = (closed.substitute(bound.index, high) - closed.substitute(bound.index, low)).reduced()
            parts.append(value)
        return total(parts).reduced()

    f = moment.observable
    assert f is not None
    if moment.kind == "mean":
        return mean(f)
    g = moment.other if moment.other is not None else f
    return (mean(f * g) - mean(f) * mean(g)).reduced()


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


def _correction(text: str, true: Ratio) -> sp.Expr:
    """The true right-hand side, in the form of the print where one number of it is all that must change."""
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
    """Whether printed >= sqrt(sharp) for all names at or above their least values; None where that is not decided.

    The bound is attained wherever its names are admissible, so one point below it disproves the print.
    """
    if {s.name for s in printed.free_symbols | sharp.free_symbols} - set(least):
        return None
    shifted = {symbol(name): symbol(name) + low for name, low in least.items()}
    for point in _points(least):
        value, edge = printed.xreplace(point), sharp.xreplace(point)
        if value.is_real is False or value.has(sp.zoo, sp.nan) or bool(value < sp.sqrt(edge)):
            return False
    gap = sp.expand((printed**2 - sharp).xreplace(shifted))
    if gap == 0:
        return True
    if not gap.is_polynomial(*gap.free_symbols):
        return None
    # non-negative coefficients in names that are non-negative after the shift; the points settled the sign of the print
    if gap.is_number:
        return True if gap > 0 and _non_negative(printed, shifted) else None
    names = sorted(gap.free_symbols, key=lambda s: s.name)
    return True if all(c >= 0 for c in sp.Poly(gap, *names).coeffs()) and _non_negative(printed, shifted) else None


def _non_negative(printed: sp.Expr, shifted: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether an expression is visibly non-negative: roots and polynomials without minus signs, multiplied."""
    factor, rest = printed.as_coeff_Mul()
    if factor < 0:
        return False
    factors = sp.Mul.make_args(rest)
    for part in factors:
        if part.is_Pow and part.exp == sp.Rational(1, 2):
            continue
        moved = sp.expand(part.xreplace(dict(shifted)))
        if not moved.is_polynomial(*moved.free_symbols):
            return False
        if moved.free_symbols and not all(c >= 0 for c in sp.Poly(moved, *moved.free_symbols).coeffs()):
            return False
    return True


def _points(least: Mapping[str, int]) -> list[dict[sp.Symbol, sp.Rational]]:
    """A few admissible points: every name at, near and far above its least value."""
    steps = (sp.Rational(0), sp.Rational(1, 4), sp.Rational(1), sp.Rational(5))
    names = sorted(least)
    # d counts dimensions, so it moves by whole numbers
    choices = [[least[n] + (s if n != "d" else sp.ceiling(s)) for s in steps] for n in names]
    return [dict(zip((symbol(n) for n in names), point, strict=True)) for point in product(*choices)]


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
            true = target(replace(statement, regime=dict(regime), remainder=line.remainder), value)
        reaches = False
        if not good and printed.is_rational_function(*printed.free_symbols):
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
