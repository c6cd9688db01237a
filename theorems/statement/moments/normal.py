"""Equality and sign of exact values: rational functions of names, powers a^t and square roots, by normal form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import flint
import sympy as sp

from theorems.algebra.balls import ball, precision
from theorems.algebra.expressions import symbol
from theorems.algebra.quotients import cancelled

#: Largest multiple of a logarithm that is read as a power.
MOST_LOGARITHMS = 16
#: Largest exponent, and argument of the Gamma function, at the point that two values are compared at.
MOST_DIGITS = 1000
#: Largest integer by which arguments of the Gamma function that are compared differ.
MOST_SHIFTED = 64


def rational_form(
    expression: sp.Expr, known: Mapping[sp.Symbol, sp.Expr] = MappingProxyType({})
) -> tuple[sp.Expr, dict[sp.Symbol, sp.Expr]]:
    """The expression as a rational function: a^t, exp(c t) and roots replaced by symbols, and what these stand for.

    What a root of a root stands for has the inner one's symbol, which ``spelled`` replaces.

    a^(t - s) becomes a^t/a^s, so that equal powers are equal symbols; a root of a product takes out the factors that
    are >= 0 by their terms, ``known`` writing names in variables that are >= 0: i as 1 + a, and j as 1 + a + b.
    """
    table: dict[sp.Expr, sp.Symbol] = {}
    meaning: dict[sp.Symbol, sp.Expr] = {}
    parts = [p for one in expression.atoms(sp.exp) for p in sp.Add.make_args(sp.expand(one.args[0]))]
    # exp(u/2) and exp(u) are powers of one name
    roots = math.lcm(*(int(p.as_coeff_Mul()[0].q) for p in parts if p.as_coeff_Mul()[0].is_Rational))

    def named(value: sp.Expr, key: sp.Expr | None = None) -> sp.Symbol:
        made = table.setdefault(value if key is None else key, sp.Symbol(f"g{len(table)}#"))
        meaning.setdefault(made, value)
        return made

    def power(base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        if exponent.is_Add:
            return sp.Mul(*(power(base, part) for part in exponent.args))
        if exponent.is_Rational:
            return rooted(base, exponent)
        count, rest = exponent.as_coeff_Mul()
        if base is sp.E:
            count, rest = count * roots, rest / roots
        if count.is_Integer:
            return named(sp.Pow(base, rest, evaluate=False)) ** count
        return named(sp.Pow(base, exponent, evaluate=False))

    def rooted(base: sp.Expr, exponent: sp.Rational) -> sp.Expr:
        if exponent.is_Integer:
            return change(base) ** exponent
        inner = sp.together(change(base))
        above, below = (sp.factor_list(part) for part in sp.fraction(inner))
        factors = [(factor, count * way) for part, way in ((above, 1), (below, -1)) for factor, count in part[1]]
        powers = [made for made, value in meaning.items() if value.is_Pow and _visibly_positive(value.base, known)]
        sure = {**known, **dict(zip(powers, powers, strict=True))}
        turned = [factor for factor, _ in factors if _visibly_positive(-factor, sure)]
        factors = [(-factor if factor in turned else factor, count) for factor, count in factors]
        sign = sp.Integer(-1) ** sum(count for factor, count in factors if -factor in turned)
        value = sp.sympify((sign * above[0] / below[0]) ** exponent)
        kept = sp.Integer(1)
        for factor, count in factors:
            if _visibly_positive(factor, sure):
                whole = sp.Rational(count) * exponent
                value *= factor**whole if whole.is_Integer else named(factor ** sp.Rational(1, whole.q)) ** whole.p
            else:
                kept *= factor**count
        if kept != 1:
            value *= named(kept ** sp.Rational(1, exponent.q)) ** exponent.p
        return value

    def change(node: sp.Expr) -> sp.Expr:
        if not node.args:
            return node
        if isinstance(node, sp.exp):
            return power(sp.E, sp.expand(node.args[0]))
        if node.is_Pow:
            return power(node.base, sp.expand(node.exp))
        if node.is_Function:
            # arguments that are equal by normal form are one
            parts = [sp.cancel(sp.together(change(arg))) if isinstance(arg, sp.Expr) else arg for arg in node.args]
            if isinstance(node, sp.erf | sp.sin):
                # erf(-t) = -erf(t) is no name of its own
                least = min(parts[0], turned := sp.cancel(-parts[0]), key=sp.default_sort_key)
                way = -1 if least == turned else 1
                return way * named(way * node, node.func(least, evaluate=False))
            return named(node, node.func(*parts))
        return node.func(*(change(arg) for arg in node.args))

    found = change(expression)
    return found, meaning


def spelled(value: sp.Expr, meaning: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """A value with what the names of ``rational_form`` stand for, and with that of the names in these."""
    for _ in meaning:
        value = value.xreplace(dict(meaning))
    return value


def _visibly_positive(factor: sp.Expr, known: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a factor is seen to be >= 0: pi, and what is a sum of products of variables >= 0."""
    if factor.is_number:
        return bool(factor.is_positive)
    if not factor.free_symbols <= set(known) or not factor.is_polynomial(*factor.free_symbols):
        return False
    written = sp.expand(factor.xreplace(dict(known)))
    return all(bool(one.is_positive) for one in sp.Poly(written, *written.free_symbols).coeffs())


def equal_logarithms(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether two values are equal by log a + log b = log(a b), every argument of a logarithm being > 0."""
    rest, product = _logarithms(left - right)
    return not rest.has(sp.log) and equal(rest, sp.Integer(0)) and equal(product, sp.Integer(1))


def _logarithms(value: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """What is no whole multiple of a logarithm, and the product p such that the others are log p where each exists."""
    rest, product = sp.Integer(0), sp.Integer(1)
    for term in sp.Add.make_args(sp.expand_mul(value)):
        count, inner = term.as_coeff_Mul()
        if isinstance(inner, sp.log) and count.is_Integer and abs(count) <= MOST_LOGARITHMS:
            product *= inner.args[0] ** count
        else:
            rest += term
    return rest, product


def equal(left: sp.Expr, right: sp.Expr, known: Mapping[sp.Symbol, sp.Expr] = MappingProxyType({})) -> bool:
    """Whether two values are equal by normal form (False: not shown equal); ``known`` as in ``rational_form``."""
    if _apart(left - right, known):
        return False
    form, table = rational_form(lowered(_halved(_by_gamma(left - right))), known)
    if not form.is_rational_function(*form.free_symbols):
        return False
    numerator, _ = cancelled(form)
    if numerator == 0:
        return True
    for made, value in table.items():
        # a root r of order q is reduced by r^q = its radicand
        if value.is_Pow and value.exp.is_Rational and numerator.has(made):
            numerator = sp.expand(sp.rem(numerator, made**value.exp.q - value.base, made))
            numerator = sp.expand(sp.fraction(sp.together(numerator))[0])
    return bool(numerator == 0)


def _apart(gap: sp.Expr, known: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a difference with roots or powers is certain not to be 0 at a point where all names are positive.

    What is equal by normal form is equal there; that takes the algebra of most that is not.
    """
    if gap.is_rational_function(*gap.free_symbols):
        return False
    inner = set().union(*(known.get(name, name).free_symbols for name in gap.free_symbols))
    point = {name: sp.Integer(sp.prime(k + 2)) for k, name in enumerate(sorted(inner, key=str))}
    point |= {name: form.xreplace(point) for name, form in known.items()}
    sizes = [one.exp for one in gap.atoms(sp.Pow)] + [one.args[0] for one in gap.atoms(sp.gamma)]
    # a number of too many digits is not worked out
    for size in (one for one in sizes if one.free_symbols):
        there = None if size.has(sp.Pow, sp.gamma) else size.xreplace(point)
        if there is None or not there.is_Rational or abs(there) > MOST_DIGITS:
            return False
    return bool(sign(gap.xreplace(point)))


def _by_gamma(value: sp.Expr) -> sp.Expr:
    """The value with n! as Gamma(n + 1), and a (a + 1) ... (a + k - 1) as Gamma(a + k)/Gamma(a) where a > 0.

    a is a number, or one beside a multiple of the dimension d.
    """
    table = {one: sp.gamma(one.args[0] + 1) for one in value.atoms(sp.factorial)}
    above = {symbol("d"): sp.Dummy(positive=True)}
    rising = [one for one in value.atoms(sp.RisingFactorial) if one.args[0].xreplace(above).is_positive]
    table |= {one: sp.gamma(sp.Add(*one.args)) / sp.gamma(one.args[0]) for one in rising}
    return value.xreplace(table) if table else value


def _halved(value: sp.Expr) -> sp.Expr:
    """The value with 2^(2a - 1) Gamma(a) Gamma(a + 1/2)/sqrt(pi) for Gamma(2a) where Gamma(a + n/2) is beside it."""
    arguments = [one.args[0] for one in value.atoms(sp.gamma)]
    table = {}
    for one in arguments:
        if any((2 * sp.expand(other - one / 2)).is_Integer for other in arguments):
            parts = sp.gamma(one / 2) * sp.gamma(sp.expand((one + 1) / 2))
            table[sp.gamma(one)] = 2 ** (one - 1) * parts / sp.sqrt(sp.pi)
    return value.xreplace(table) if table else value


def lowered(value: sp.Expr) -> sp.Expr:
    """The value with Gamma(a + n) written as a (a + 1) ... (a + n - 1) Gamma(a) for the lowest a that occurs beside it.

    Where both have values, none divides by 0; n is at most ``MOST_SHIFTED``.
    """
    arguments = sorted((one.args[0] for one in value.atoms(sp.gamma)), key=str)
    table = {}
    for one in arguments:
        gaps = [gap for other in arguments if (gap := sp.expand(one - other)).is_Integer and 0 < gap <= MOST_SHIFTED]
        if gaps:
            low = sp.expand(one - max(gaps))
            table[sp.gamma(one)] = sp.Mul(*(low + k for k in range(int(max(gaps))))) * sp.gamma(low)
    return value.xreplace(table) if table else value


def sign(value: sp.Expr, bits: int = 256) -> int | None:
    """The certified sign of an exact number; None where it is too near 0 to tell, or is no real number."""
    if value.is_Rational:
        return int(sp.sign(value))
    if value.has(sp.nan, sp.zoo, sp.oo, sp.I) or value.free_symbols:
        return None
    try:
        with precision(bits):
            found = ball(value, {})
            return None if found.contains(flint.arb(0)) else 1 if found > 0 else -1
    except (ValueError, TypeError, NotImplementedError, ArithmeticError):
        return None


def nonnegative(value: sp.Expr, known: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a value is >= 0 by the signs of its terms, ``known`` writing names in variables that are >= 0.

    Every coefficient of the expanded numerator and denominator is >= 0, odd powers standing at non-negative names only.
    A rule that suffices; it decides nothing where it fails.
    """
    form, table = rational_form(value)
    if any(not (made_value.is_Pow and made_value.exp.is_Rational) for made_value in table.values()):
        return False
    allowed = {symbol for form_ in known.values() for symbol in form_.free_symbols} | set(table)
    numerator, denominator = sp.fraction(sp.together(form.xreplace(dict(known))))
    return all(_positive_terms(part, allowed) for part in (numerator, denominator))


def _positive_terms(part: sp.Expr, allowed: set[sp.Symbol]) -> bool:
    part = sp.expand(part)
    if not part.is_polynomial(*part.free_symbols):
        return False
    if not part.free_symbols:
        return bool(part.is_real and part >= 0)
    polynomial = sp.Poly(part, *sorted(part.free_symbols, key=str))
    for powers, coefficient in polynomial.terms():
        odd = {gen for gen, power in zip(polynomial.gens, powers, strict=True) if power % 2}
        # a root of what is negative in some order is no real number
        if not coefficient.is_real or coefficient < 0 or not odd <= allowed:
            return False
    return True
