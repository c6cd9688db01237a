"""Limits of exact values: T -> infinity with i/T -> theta, or a parameter to a value; and error terms o(g), O(g).

Everything is read off rational functions, numerator and denominator by powers of what tends: no computer-algebra limit
is taken. Powers a^T with |a| < 1 tend to 0 faster than every power of T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.moments.normal import rational_form, spelled
from theorems.statement.moments.scalars import sympy_of
from theorems.statement.proposition import Proposition
from theorems.statement.reading.places import ZERO, Order, ordered

#: How near to its limit a parameter is looked for in its range.
NEAR = Fraction(1, 10**12)
#: What tends to infinity, after every substitution; no name of a statement holds a #.
GROWING = sp.Symbol("growing#")


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
                sides = [s for s in sides if known.holds(Fraction(str(point)) + s * NEAR)]
            for side in sides:
                yield Regime({variable: point + side / GROWING}, f"{variable} -> {point}")
        return
    tied = dict(order.values)
    said = dict(prop.limit.regime)
    near = ordered(prop.known.places, order).shortest(prop.positions)
    assert near is not None
    if near["T", ZERO] < float("inf"):
        return
    free = [n for n in prop.positions if n != "T" and n not in said and n not in tied]
    # i/T -> theta leaves i = (theta + o(1)) T: the share of T itself stays open until the limit is taken
    base = {n: symbol(f"{n}/T") * GROWING for n in said if n not in tied}
    for choice in product((True, False), repeat=len(free)):
        table = {"T": GROWING, **base}
        words = ["T -> oo", *(f"{n}/T -> {form}" for n, form in said.items())]
        # what is at most a number stays, and what is at most a number below T grows
        ends = (near[n, ZERO] if grows else near["T", n] for n, grows in zip(free, choice, strict=True))
        if any(end < float("inf") for end in ends):
            continue
        # nor does what grows lie below what stays
        moves = dict(zip(free, choice, strict=True))
        if any(near[low, high] < float("inf") and moves[low] > moves[high] for low in free for high in free):
            continue
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
            return {sp.Symbol("never#"): sp.Integer(1)}
    return found


@dataclass(frozen=True)
class Leading:
    """value ~ coefficient * GROWING^power, as GROWING -> infinity; coefficient 0 for the value 0."""

    coefficient: sp.Expr
    power: sp.Rational


#: Whether a value is never 0 under a statement's hypotheses.
NeverZero = Callable[[sp.Expr], bool]


def leading(value: sp.Expr, small: frozenset[sp.Expr], never_zero: NeverZero) -> Leading:
    """The leading term in GROWING of a value; NotPolynomialError where it cannot be read off.

    ``small`` are bases a with |a| < 1: a^GROWING counts as 0 beside every power. The leading coefficient of a
    denominator, and of what stands under a root, must not vanish anywhere, or a lower term would lead there; a factor
    of the whole denominator may, as the value does not exist where it does. A share of T may not: where i/T -> 0, i
    is not 0.
    """
    if value == 0:
        return Leading(sp.Integer(0), sp.Integer(0))
    for part in sp.preorder_traversal(value):
        # T/i is the inverse of a share, and log(i/T) the logarithm of one
        inner = part.args[0] if isinstance(part, sp.log) or (part.is_Pow and part.exp.is_negative) else sp.Integer(1)
        if not inner.has(GROWING) and not never_zero(_shares(inner)):
            raise NotPolynomialError(f"the limit where {_told(inner)} = 0 is another one; exclude that by a hypothesis")
    if not value.has(GROWING):
        return Leading(value, sp.Integer(0))
    form, names = rational_form(value)
    table = {made: spelled(meaning, names) for made, meaning in names.items()}
    replaced: dict[sp.Symbol, sp.Expr] = {}
    for made, meaning in table.items():
        if not meaning.is_Pow:
            continue
        inverse = sp.Pow(meaning.base, -meaning.exp, evaluate=False)
        if _shrinks(inverse):
            # exp(T) is the inverse of exp(-T), which vanishes
            form, table[made] = form.xreplace({made: 1 / made}), inverse
    for made, meaning in table.items():
        if not meaning.has(GROWING):
            continue
        if meaning.is_Pow and meaning.exp.is_Rational:
            inner = leading(meaning.base, small, never_zero)
            _settled(meaning.base, inner.coefficient, never_zero)
            if meaning.exp.is_negative and not never_zero(_shares(inner.coefficient)):
                raise NotPolynomialError(
                    f"the limit of {_told(meaning)} where {_told(inner.coefficient)} = 0 is another one"
                )
            replaced[made] = inner.coefficient**meaning.exp * GROWING ** (inner.power * meaning.exp)
            if any(_beside_others(part, made) for part in sp.fraction(sp.together(form))):
                # the leading terms might cancel, and what is left of the root count
                raise NotPolynomialError(f"the limit of a sum with the root {_told(meaning)} is not decided here")
        elif meaning.is_Pow and ((meaning.base in small and _grows(meaning.exp)) or _shrinks(meaning)):
            replaced[made] = sp.Integer(0)
        else:
            raise NotPolynomialError(f"the limit of {_told(meaning)} is not decided here")
    bottom = sp.fraction(sp.together(form))[1]
    common = _common(bottom, (GROWING, *replaced)).xreplace(table)
    # a root's own coefficient was looked at already
    for made, value in replaced.items():
        common *= value.as_independent(GROWING)[0] ** sp.degree(bottom, made) if bottom.has(made) and value != 0 else 1
    if replaced:
        numerator, denominator = sp.fraction(sp.together(form))
        if any(sp.expand(denominator).subs(made, 0) == 0 for made, v in replaced.items() if v == 0):
            raise NotPolynomialError("a power that vanishes stands in a denominator")
        form = (sp.expand(numerator) / sp.expand(denominator)).xreplace(replaced)
        if form.has(sp.nan, sp.zoo):
            raise NotPolynomialError("powers that vanish stand in a denominator")
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
                raise NotPolynomialError(f"the limit of {_told(term)} is not decided here")
            powers.setdefault(exponent, []).append(rest)
        sums = {exponent: sp.expand(sp.Add(*rests)) for exponent, rests in powers.items()}
        top = max(exponent for exponent, total in sums.items() if total != 0)
        tops.append((sums[top], top))
    (high, up), (low, down) = tops
    if not never_zero(low) and not never_zero(sp.cancel(low / common) * _shares(common)):
        raise NotPolynomialError(
            f"the limit where {_told(low)} = 0 is another one: it is the leading coefficient of a denominator; exclude "
            "0 by hypotheses, such as theta > 0 where i/T -> theta, Sigma positive definite, W != 0"
        )
    return Leading(sp.cancel(high / low) if high.is_polynomial() and low.is_polynomial() else high / low, up - down)


def _settled(node: sp.Expr, coefficient: sp.Expr, never_zero: NeverZero) -> None:
    """NotPolynomialError where the leading coefficient under a root may vanish, a common factor apart."""
    form, names = rational_form(node)
    above = spelled(sp.fraction(sp.together(form))[0], names)
    if not never_zero(sp.cancel(coefficient / _common(above, (GROWING,)))):
        raise NotPolynomialError(
            f"the limit of the root of {_told(node)} where {_told(coefficient)} = 0 is another one; exclude it"
        )


def _common(part: sp.Expr, moving: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The greatest common factor of a polynomial's coefficients in what moves."""
    found = sp.expand(part)
    if not found.is_polynomial(*found.free_symbols):
        return sp.Integer(1)
    coefficients = sp.Poly(found, *moving).coeffs() if moving else [found]
    return reduce(sp.gcd, coefficients)


def uniform(value: sp.Expr, chain: list[sp.Symbol], free: set[sp.Symbol], known: Mapping[sp.Symbol, sp.Expr]) -> None:
    """NotPolynomialError unless fixed positions and shares of T tell how large a value is at all others.

    A numerator is largest at these ends. A denominator is, up to constants, its largest term: one that no other exceeds
    where 1 <= ``chain[0]`` <= ... <= T. With T/(i^2 + T) neither term is, and the value is largest near i^2 = T.
    """
    form, table = rational_form(value, known)
    bottom = sp.fraction(sp.together(form))[1]
    if any(made in bottom.free_symbols and spelled(made, table).free_symbols & free for made in table):
        raise NotPolynomialError(
            f"whether {_told(value)} is uniform in {', '.join(sorted(map(str, free)))} is not decided here"
        )
    for factor, _ in sp.factor_list(bottom)[1]:
        if not factor.free_symbols & free:
            continue
        terms = sp.Poly(factor, *chain).terms()
        common = reduce(sp.gcd, [coefficient for _, coefficient in terms])
        weights = [sp.cancel(coefficient / common) for _, coefficient in terms]
        tails = [[sum(powers[k:]) for k in range(len(chain))] for powers, _ in terms]
        largest = [max(column) for column in zip(*tails, strict=True)]
        if largest not in tails or not all(weight.is_positive for weight in weights):
            raise NotPolynomialError(
                f"a denominator holds {factor}, which is not decided uniformly in "
                f"{', '.join(sorted(str(s) for s in factor.free_symbols & free))}; fix it, or say i/T -> theta"
            )


def _shares(value: sp.Expr) -> sp.Expr:
    """The factors of a value, and of what its powers are of, that hold shares of T."""
    found = sp.Integer(1)
    for part in sp.Mul.make_args(sp.factor(value)):
        base, exponent = part.as_base_exp()
        if exponent != 1:
            found *= _shares(base)
        elif any(name.name.endswith("/T") for name in part.free_symbols):
            found *= part
    return found


def _grows(exponent: sp.Expr) -> bool:
    """Whether an exponent is a positive multiple of GROWING plus what stays."""
    return bool(sp.expand(exponent).coeff(GROWING).is_positive)


def _shrinks(power: sp.Expr) -> bool:
    """Whether a power b^(c GROWING + ...) with numbers b and c vanishes: |b|^c < 1."""
    base, exponent = power.args
    slope = sp.expand(exponent).coeff(GROWING)
    if not (base.is_number and slope.is_number and slope.is_real and (base < 0 or base.is_positive)):
        return False
    return bool(abs(base) ** slope < 1)


def _beside_others(part: sp.Expr, made: sp.Symbol) -> bool:
    """Whether a symbol stands in a sum beside terms without the same power of it."""
    powers = {sp.degree(term, made) for term in sp.Add.make_args(sp.expand(part))}
    return len(powers) > 1


def _told(value: sp.Expr) -> str:
    """A value as it stands in a message: what grows is N, and shares of T stand in brackets."""
    shares = {s: sp.Symbol(f"({s.name})") for s in value.free_symbols if s.name.endswith("/T")}
    shown = str(value.xreplace({GROWING: sp.Symbol("N"), **shares}))
    return f"{shown} (N -> oo)" if value.has(GROWING) else shown


def limit(value: sp.Expr, small: frozenset[sp.Expr], never_zero: NeverZero) -> sp.Expr:
    """The limit of a value as GROWING -> infinity: an expression, or +-oo (as ``sp.oo`` with an unknown sign)."""
    found = leading(value, small, never_zero)
    if found.coefficient == 0 or found.power < 0:
        return sp.Integer(0)
    return found.coefficient if found.power == 0 else sp.oo
