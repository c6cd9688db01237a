"""Limits of exact values: T -> infinity with i/T -> theta, or a parameter to a value; and error terms o(g), O(g).

Everything is read off rational functions, numerator and denominator by powers of what tends: no computer-algebra limit
is taken. Powers a^T with |a| < 1 tend to 0 faster than every power of T.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import sympy as sp

from theorems.expressions import symbol
from theorems.statement.forms import NotPolynomialError
from theorems.statement.normal import rational_form
from theorems.statement.places import Order
from theorems.statement.proposition import Proposition
from theorems.statement.scalars import sympy_of

#: What tends to infinity, after every substitution.
GROWING = sp.Symbol("growing")


@dataclass(frozen=True)
class Regime:
    """How the names of a statement tend, in one order of the positions: every name in GROWING and names that stay."""

    table: dict[str, sp.Expr]
    words: str


def regimes(prop: Proposition, order: Order) -> Iterator[Regime]:
    """The ways in which the positions may tend; a position of which nothing is said is both fixed and a share of T."""
    variable = prop.limit.variable
    if variable != "T":
        if prop.limit.value is None:
            form: sp.Expr = GROWING
            yield Regime({variable: form}, f"{variable} -> oo")
        else:
            # from both sides, unless the hypotheses leave one
            point = sympy_of(prop.limit.value)
            known = prop.known.ranges.get(variable)
            sides = [1, -1]
            if known is not None and point.is_Rational:
                sides = [
                    s
                    for s in sides
                    if (known.high if s > 0 else known.low) is None
                    or (sp.Rational(str(known.high if s > 0 else known.low)) - point) * s > 0
                ]
            for side in sides or [1]:
                yield Regime({variable: point + side / GROWING}, f"{variable} -> {point}")
        return
    tied = dict(order.values)
    said = dict(prop.limit.regime)
    free = [n for n in prop.positions if n != "T" and n not in said and n not in tied]
    base = {n: sympy_of(form) * GROWING for n, form in said.items() if n not in tied}
    for choice in product((True, False), repeat=len(free)):
        table = {"T": GROWING, **base}
        words = ["T -> oo", *(f"{n}/T -> {form}" for n, form in said.items())]
        for name, grows in zip(free, choice, strict=True):
            if grows:
                # any share of T, as the statement holds for every position
                table[name] = symbol(f"{name}/T") * GROWING
                words.append(f"{name} any share of T")
            else:
                words.append(f"{name} fixed")
        yield Regime(table, ", ".join(words))


def put(value: sp.Expr, regime: Regime) -> sp.Expr:
    """The value with everything that tends written in GROWING."""
    return value.xreplace({symbol(name): form for name, form in regime.table.items()})


def consequences(prop: Proposition, order: Order, regime: Regime) -> dict[sp.Symbol, sp.Expr]:
    """What an order implies for the shares: i = T forces theta = 1, i = 3 forces theta = 0."""
    found: dict[sp.Symbol, sp.Expr] = {}
    said = dict(prop.limit.regime)
    for name, place in order.values:
        if name not in said:
            continue
        share = sympy_of(said[name])
        anchor = place.name
        other = sp.Integer(0) if not anchor else sp.Integer(1) if anchor == "T" else None
        if anchor in said:
            other = sympy_of(said[anchor])
        if other is not None and share.is_Symbol:
            found[share] = other
        elif other is not None and sp.expand(share - other) != 0:
            # the order contradicts the limit: nothing is to be shown in it
            return {sp.Symbol("never"): sp.Integer(1)}
    return found


@dataclass(frozen=True)
class Leading:
    """value ~ coefficient * GROWING^power, as GROWING -> infinity; coefficient 0 for the value 0."""

    coefficient: sp.Expr
    power: sp.Rational


def leading(value: sp.Expr, small: frozenset[sp.Expr] = frozenset()) -> Leading:
    """The leading term in GROWING of a value; NotPolynomialError where it cannot be read off.

    ``small`` are bases a with 0 < a < 1: a^GROWING counts as 0 beside every power.
    """
    if value == 0:
        return Leading(sp.Integer(0), sp.Integer(0))
    if not value.has(GROWING):
        return Leading(value, sp.Integer(0))
    form, table = rational_form(value)
    replaced: dict[sp.Symbol, sp.Expr] = {}
    for made, meaning in table.items():
        if not meaning.has(GROWING):
            continue
        if meaning.is_Pow and meaning.exp.is_Rational:
            inner = leading(meaning.base.xreplace(table), small)
            replaced[made] = inner.coefficient**meaning.exp * GROWING ** (inner.power * meaning.exp)
            if any(_beside_others(part, made) for part in sp.fraction(sp.together(form))):
                # the leading terms might cancel, and what is left of the root count
                raise NotPolynomialError(f"the limit of a sum with the root {meaning} is not decided here")
        elif meaning.is_Pow and meaning.base in small and _grows(meaning.exp):
            replaced[made] = sp.Integer(0)
        else:
            raise NotPolynomialError(f"the limit of {meaning} is not decided here")
    if replaced:
        numerator, denominator = sp.fraction(sp.together(form))
        if any(sp.expand(denominator).subs(made, 0) == 0 for made, v in replaced.items() if v == 0):
            raise NotPolynomialError("a power that vanishes stands in a denominator")
        form = form.xreplace(replaced)
    form = form.xreplace(table)
    numerator, denominator = (sp.expand(part) for part in sp.fraction(sp.together(form)))
    if numerator == 0:
        return Leading(sp.Integer(0), sp.Integer(0))
    tops = []
    for part in (numerator, denominator):
        powers: dict[sp.Expr, list[sp.Expr]] = {}
        for term in sp.Add.make_args(part):
            rest, power = term.as_independent(GROWING, as_Add=False)
            exponent = (
                sp.Integer(0) if power == 1 else power.as_base_exp()[1] if power.as_base_exp()[0] == GROWING else None
            )
            if exponent is None or not exponent.is_Rational:
                raise NotPolynomialError(f"the limit of {term} is not decided here")
            powers.setdefault(exponent, []).append(rest)
        sums = {exponent: sp.expand(sp.Add(*rests)) for exponent, rests in powers.items()}
        top = max(exponent for exponent, total in sums.items() if total != 0)
        tops.append((sums[top], top))
    (high, up), (low, down) = tops
    return Leading(sp.cancel(high / low) if high.is_polynomial() and low.is_polynomial() else high / low, up - down)


def _grows(exponent: sp.Expr) -> bool:
    """Whether an exponent is a positive multiple of GROWING plus what stays."""
    return bool(sp.expand(exponent).coeff(GROWING).is_positive)


def _beside_others(part: sp.Expr, made: sp.Symbol) -> bool:
    """Whether a symbol stands in a sum beside terms without the same power of it."""
    powers = {sp.degree(term, made) for term in sp.Add.make_args(sp.expand(part))}
    return len(powers) > 1


def limit(value: sp.Expr, small: frozenset[sp.Expr] = frozenset()) -> sp.Expr:
    """The limit of a value as GROWING -> infinity: an expression, or +-oo (as ``sp.oo`` with an unknown sign)."""
    found = leading(value, small)
    if found.coefficient == 0 or found.power < 0:
        return sp.Integer(0)
    return found.coefficient if found.power == 0 else sp.oo
