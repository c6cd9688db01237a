"""Bounds and ranges: a print against the sharp bound, or against a proved inequality at points where it is sharp."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from typing import Any

import sympy as sp

from theorems.algebra.balls import sign
from theorems.algebra.closed import equal, names, substituted, vanishes
from theorems.algebra.expressions import parse, same, symbol
from theorems.claims.catalogue import Statement
from theorems.claims.conditions import SIGNS, read
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import Derived, Inequality, Quantity, SharpBound
from theorems.kernel.eventually import Eventually, settle_eventually, unsupported_eventually
from theorems.kernel.grounds import where_said
from theorems.kernel.outcome import CheckedStep, Outcome
from theorems.kernel.thresholds import Threshold
from theorems.rules.norm import COVARIANCE, DEFINITE, MEANING, NORM_RULES, SYMMETRIC, granted, meets
from theorems.rules.softmax import SOFTMAX_RULES, attains


def sharp_quantity(bound: SharpBound) -> sp.Expr | None:
    """What a two-sided bound is of, by its steps: Q/sqrt(R) for Q^2 <= square * R; None where they show none."""
    square = bound.square.expr
    quotients = [step.data for step in bound.steps if step.rule == "quotient" and same(step.data[3], square)]
    above = [square, *(data[1] for data in quotients)]
    roots = [step.data[0] for step in bound.steps if step.rule == "square-root" and step.data[1] in above]
    roots = [root for root in roots if not quotients or root in [data[0] for data in quotients]]
    shown = [
        root
        for root in roots
        for step in bound.steps
        if step.rule == "cauchy-schwarz" and same(step.data[2], root**2) and step.data[3] in above
    ]
    return shown[0] / sp.sqrt(quotients[0][2] if quotients else 1) if shown else None


def unsupported_bound(bound: SharpBound) -> list[str]:
    """Why a two-sided bound does not follow from its steps; empty where it does."""
    square, quantity = bound.square.expr, sharp_quantity(bound)
    if quantity is None:
        return [f"no steps lead to a bound by sqrt({square})"]
    rewritten = any(step.data[4] for step in bound.steps if step.rule == "cauchy-schwarz")
    if rewritten and not any(step.rule == "psd-root" and step.data[0] == "Sigma" for step in bound.steps):
        return ["Sigma = R R is used without a step that gives the root"]
    case = Case(bound.attained)
    if not same(case.evaluate(quantity**2), case.evaluate(square)):
        return [f"the bound sqrt({square}) is not attained at {bound.attained}"]
    return []


def unsupported_inequality(bound: Inequality) -> list[str]:
    """Why a proved inequality does not follow from its steps; empty where it does.

    The last step must conclude quantity <= upper, of the very quantity that the steps before it derived.
    """
    if isinstance(bound, Eventually):
        return unsupported_eventually(bound)
    last = bound.steps[-1] if bound.steps else None
    if last is None or last.rule not in INEQUALITIES:
        return ["no step concludes an inequality"]
    left, right = (last.data[k] for k in INEQUALITIES[last.rule])
    slopes = [step.data[2] for step in bound.steps if step.rule == "slope"]
    if slopes and not any(bound.quantity == sp.Abs(value, evaluate=False) for value in slopes):
        return [f"{bound.quantity} is not the size of the slope that the steps derived"]
    if not (vanishes(left - bound.quantity) and vanishes(right - bound.upper)):
        return [f"the last step concludes {left} <= {right}, not {bound.quantity} <= {bound.upper}"]
    return []


#: Where in the data of a step that concludes an inequality its two sides stand.
INEQUALITIES = {
    "vertex-maximum": (0, 1),
    "unit-combination": (0, 1),
    "hoelder": (0, 1),
    **dict.fromkeys(("cosine-average", "cosine-difference", "sum-over-groups", "cost-at-least"), (0, 1)),
    **dict.fromkeys(NORM_RULES | SOFTMAX_RULES, (0, 1)),
}
#: Rules whose data states hypotheses beside the two sides.
HYPOTHETICAL = NORM_RULES | SOFTMAX_RULES


def hypotheses(bound: Inequality) -> tuple[str, ...]:
    """The hypotheses of a proved inequality, by its last step."""
    return tuple(bound.steps[-1].data[2]) if bound.steps and bound.steps[-1].rule in HYPOTHETICAL else ()


def ungranted(statement: Statement, bound: Inequality) -> tuple[str, ...]:
    """The hypotheses of a proved inequality that the claim does not make."""
    return tuple(h for h in hypotheses(bound) if not granted(h, statement.assumptions, statement.conditions))


def admitted(statement: Statement, point: Mapping[str, Any] | Case) -> bool:
    """Whether an exact point is shown to meet a claim's conditions ("least_W*largest_W >= 0"), and what it assumes.

    Raises ValueError for a point that does not meet the claim's assumptions about W_QK and Sigma.
    """
    case = point if isinstance(point, Case) else Case(point)
    for hypothesis in (SYMMETRIC, COVARIANCE, DEFINITE):
        if granted(hypothesis, statement.assumptions, ()) and not meets(hypothesis, case.matrices):
            shown = {name: case.raw[name] for name in ("W", "Sigma") if name in case.raw}
            raise ValueError(f"{statement.id}: the point {shown} is not one with {hypothesis}; give one that is")
    for condition in where_said(statement):
        gap, allowed = read(condition)
        try:
            found = case.sign(gap)
        except KeyError:
            if condition in statement.conditions:
                raise
            # an assumption about what the point does not have
            continue
        if found not in allowed:
            return False
    return True


def settle_bound(statement: Statement, derived: Derived, steps: list[CheckedStep]) -> Outcome:
    """A printed bound against what was derived: a two-sided sharp bound, a range, or a proved inequality."""
    bound, *variants = derived.quantities.values()
    if isinstance(bound, Eventually):
        return settle_eventually(statement.printed, bound, steps)
    if isinstance(bound, Inequality):
        outcome = _settle_inequality(statement, bound, steps)
        outcome.evidence += [_proved_beside(key, other) for key, other in derived.quantities.items() if "@" in key]
        return outcome
    if variants:
        return Outcome("undecided", "one bound was wanted", steps)
    if not isinstance(bound, SharpBound):
        return Outcome("undecided", "no sharp bound was derived", steps)
    if statement.relation == "range":
        return _settle_range(statement, bound, steps)
    return _settle_sharp(statement, bound, steps)


def _proved_beside(key: str, bound: Quantity) -> str:
    """Another inequality that the derivation proves beside the claim's own, with the hypotheses of its proof."""
    if not isinstance(bound, Inequality):
        raise TypeError(f"{key} is a {type(bound).__name__}; expected an Inequality beside one")
    last = bound.steps[-1]
    given = f" for {', '.join(last.data[2])}" if last.rule in HYPOTHETICAL and last.data[2] else ""
    what = key.partition("@")[2]
    return f"proved beside it, by the derivation alone: {what}: {bound.quantity} <= {bound.upper}{given}"


def _settle_inequality(statement: Statement, bound: Inequality, steps: list[CheckedStep]) -> Outcome:
    """quantity <= printed: by the proved inequality where the two are one, else by its points, in ball arithmetic."""
    outcome = Outcome("proved", bound.method, steps)
    printed = substituted(parse(statement.printed["upper"]), _defined(statement))
    beyond = ungranted(statement, bound)
    where = f" where {', '.join(MEANING.get(h, h) for h in beyond)}" if beyond else ""
    outcome.evidence.append(f"proved: {statement.quantity} <= {bound.upper}{where}")
    if unread := [hypothesis for hypothesis in beyond if not any(relation in hypothesis for relation in SIGNS)]:
        return Outcome("undecided", f"the proof needs: {', '.join(unread)}, which the claim does not assume", steps)
    if isinstance(bound, Threshold):
        outcome.evidence += bound.told(printed)
        outcome.exact = bound.exact(printed) if statement.symbols else None
        if bound.holds(printed, statement.conditions):
            return outcome
    elif not beyond and _follows(statement, printed, bound):
        return outcome
    further = bound.violated(printed, statement.conditions) if isinstance(bound, Threshold) else ()
    for point in (*bound.points, *further):
        if not admitted(statement, point):
            continue
        case = Case(point)
        values = {name: case.number(name) for name in names(printed) | names(bound.quantity)}
        gap = sign(bound.quantity - printed, values)
        if gap == 1:
            outcome.status, outcome.false_quantities = "disproved", ("upper",)
            outcome.excluded = beyond
            shown = ", ".join(f"{name} = {value}" for name, value in sorted(point.items())).replace("'", "")
            outcome.evidence.append(f"upper: exceeded at {shown} (ball arithmetic)")
            if sign(printed, values) == 0:
                outcome.evidence.append("upper: the print is 0 there, so that no constant factor makes it true")
            outcome.corrections["upper"] = bound.upper
            return outcome
    if statement.attained and not beyond and attained(statement, bound):
        for point in bound.points:
            if admitted(statement, point) and larger(printed, bound, point):
                outcome.status, outcome.false_quantities = "disproved", ("upper",)
                shown = ", ".join(f"{name} = {value}" for name, value in sorted(point.items())).replace("'", "")
                outcome.evidence.append(f"upper: not attained at {shown}, where {bound.upper} is smaller")
                outcome.corrections["upper"] = bound.upper
                return outcome
    outcome.status, outcome.method = "undecided", "neither proved nor contradicted at the points of the derivation"
    return outcome


def _follows(statement: Statement, printed: sp.Expr, bound: Inequality) -> bool:
    """Whether a print is the proved bound, or larger where the claim does not say that it is attained."""
    if statement.attained:
        return attained(statement, bound) and equal(printed, bound.upper) is True
    return equal(printed, bound.upper) is True or _weaker(printed, bound.upper, statement.parameters)


def attained(statement: Statement, bound: Inequality) -> bool:
    """Whether the last step shows an equality under all conditions of the claim: each is among its hypotheses."""
    last = bound.steps[-1]
    return attains(last) and set(statement.conditions) <= set(last.data[2])


def larger(printed: sp.Expr, bound: Inequality, point: Mapping[str, Any]) -> bool:
    """Whether a print is shown larger than the proved bound at an exact case."""
    case = Case(point)
    values = {name: case.number(name) for name in names(printed) | names(bound.upper)}
    return sign(printed - bound.upper, values) == 1


def _defined(statement: Statement) -> dict[str, sp.Expr]:
    return {name: parse(formula) for name, formula in statement.definitions.items()}


def _weaker(printed: sp.Expr, upper: sp.Expr, own: Collection[str]) -> bool:
    """Whether the print is the proved bound times a number >= 1 and, d being the dimension, a power d^k, k >= 0.

    A parameter of the claim's ``own`` is any number, whether it is called d or like a norm.
    """
    d = sp.Dummy("d", positive=True)
    ratio = sp.powsimp((printed / upper).xreplace({symbol("d"): d} if "d" not in own else {}))
    coefficient, rest = ratio.as_independent(*ratio.free_symbols, as_Add=False)
    if not _never_negative(upper, own):
        return False
    base, power = rest.as_base_exp()
    of_d = rest == 1 or (base == d and bool(power.is_Rational and power >= 0))
    return bool(coefficient >= 1) and of_d


def _never_negative(upper: sp.Expr, own: Collection[str]) -> bool:
    """Whether a bound is a product of norms, absolute values, even powers, roots and positive numbers.

    The largest of several is not negative where one of them is so.
    """
    return all(
        (part.is_number and part.is_nonnegative)
        or isinstance(part, sp.Abs)
        or (isinstance(part, sp.Max) and any(_never_negative(one, own) for one in part.args))
        or (part.is_Pow and (part.exp.is_Rational and (part.exp.q == 2 or part.exp % 2 == 0)))
        or (part.is_Pow and _never_negative(part.base, own))
        or (part.is_Symbol and part.name not in own and part.name.partition("_")[0] in {"d", *NORMS})
        for part in sp.Mul.make_args(upper)
    )


#: Names that begin so are norms, or means of absolute values.
NORMS = frozenset({"spectral", "frobenius", "entrywise", "column", "nuclear", "spread"})


def _settle_range(statement: Statement, bound: SharpBound, steps: list[CheckedStep]) -> Outcome:
    """A printed range of values: both ends must be the sharp ones, and every value between them must be reached."""
    outcome = Outcome("proved", bound.method, steps)
    sharp = sp.sqrt(bound.square.expr)
    least = bound.at_least.get("d", 1)
    filled = [
        step
        for step in bound.steps
        if step.rule == "realised-spectrum" and same(step.data[2], bound.square.expr) and step.data[3] <= least
    ]
    if not filled:
        return Outcome("undecided", "no step shows that every value between the ends is reached", steps)
    loose = [name for name, value in bound.free.items() if not _free(bound, value)]
    if loose:
        return Outcome("undecided", f"no step shows that {loose[0]} takes every positive value beside it", steps)
    outcome.evidence += [f"sharp: |{statement.quantity}| <= {sharp}", filled[0].text, *bound.remarks]
    wrong = []
    for name, side in (("upper", 1), ("lower", -1)):
        verdict = equal(parse(statement.printed[name]), side * sharp)
        if verdict is None:
            return Outcome("undecided", f"whether the {name} end is {side * sharp} was not decided", steps)
        if not verdict:
            wrong.append(name)
            outcome.corrections[name] = side * sharp
    if wrong:
        outcome.status, outcome.false_quantities = "disproved", tuple(wrong)
    return outcome


def _free(bound: SharpBound, value: sp.Expr) -> bool:
    """Whether a value is sqrt(w)/p: w > 0 what the bounded quantity is divided by, p > 0 a name that it does not have.

    The bounded quantity stays what it is as p goes through all positive numbers.
    """
    divisors = [step.data[2] for step in bound.steps if step.rule == "quotient"]
    own = names(sharp_quantity(bound) or sp.Integer(0)) | names(bound.square.expr)
    others = sorted(names(value) - own)
    return len(others) == 1 and any(same((value * symbol(others[0])) ** 2, square) for square in divisors)


def _settle_sharp(statement: Statement, bound: SharpBound, steps: list[CheckedStep]) -> Outcome:
    """A two-sided bound against the sharp one: printed^2 - sharp^2 must be non-negative for every admissible value."""
    outcome = Outcome("proved", bound.method, steps)
    sharp = bound.square.expr
    outcome.evidence.append(f"sharp: |{statement.quantity}| <= sqrt({sharp}), attained")
    wrong = []
    for name, side in (("upper", 1), ("lower", -1)):
        if name not in statement.printed:
            continue
        printed = side * parse(statement.printed[name])
        verdict = _at_least(printed, sharp, bound.at_least)
        if verdict is None:
            outcome.status, outcome.method = "undecided", "the sign of printed^2 - sharp^2 was not decided"
            outcome.evidence.append(f"{name}: undecided whether {printed} >= sqrt({sharp})")
            return outcome
        if not verdict:
            wrong.append(name)
            outcome.evidence.append(f"{name}: {printed} < sqrt({sharp}) where the bound is attained")
            outcome.corrections[name] = side * sp.sqrt(sharp)
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
