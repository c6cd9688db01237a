"""Conditions that are proved to suffice for a property, and when a print's conditions are at least as strong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
import sympy as sp

from theorems.algebra.balls import centred, precision
from theorems.algebra.covers import Box, covered, middle
from theorems.algebra.expressions import ExpressionError, floats, symbol
from theorems.algebra.quotients import cancelled
from theorems.algebra.sizes import cut, elementary, modest
from theorems.claims.conditions import read
from theorems.claims.facts import Facts

#: Rules that conclude "property if conditions"; their data begins with the property and its conditions.
IMPLICATIONS: set[str] = set()

Conditions = tuple[str, ...]
#: Points at which a gap is looked at, in floats, and what counts as below 0 there.
POINTS, TINY = 27, 1e-6
#: Where a name is at a point, on its way from its least value to infinity.
STEPS = np.array((0.03, 0.4, 0.97))
#: Boxes that an implication may take, and the bits of its enclosures.
BOXES, BITS = 3000, 64
#: Terms of a polynomial that is enclosed box by box, and the largest power in a condition: more takes too long.
TERMS, POWER = 60, 16


def implied(printed: Conditions, sufficient: Conditions, facts: Facts | Mapping[str, int]) -> bool:
    """Whether every sufficient condition follows from the printed ones, for names as the facts have them.

    The facts are those of one claim's setting, or the least values alone, and nothing else is known of a name.

    g >= 0 follows from h >= 0 where g - k h is shown to be non-negative for some k > 0, or g/h is; or from all printed
    ones, box by box: sound, and incomplete.
    """
    known = facts if isinstance(facts, Facts) else Facts(facts)
    short = tuple(filter(_short, printed))
    return all(
        any(_follows(other, condition, known) for other in short) or _by_boxes(short, condition, known)
        for condition in sufficient
    )


def _short(condition: str) -> bool:
    """Whether a condition has few parts and small powers, so that it is expanded soon; another one shows nothing."""
    gap, _ = read(condition)
    return modest(gap) and all(abs(power.exp) <= POWER for power in gap.atoms(sp.Pow) if power.exp.is_number)


def fails_everywhere(condition: str, facts: Facts) -> bool:
    """Whether a condition is shown to hold nowhere, for names as the facts have them."""
    found = _upwards(condition)
    return found is not None and _shown(-found[0], facts, strict=not found[1])


def _shown(gap: sp.Expr, facts: Facts, *, strict: bool) -> bool:
    return shown(gap, facts.least, strict=strict, above=facts.above, parts=facts.parts)


# wrong versions of a clause share all conditions but one
@lru_cache(maxsize=4096)
def _follows(given: str, wanted: str, facts: Facts) -> bool:
    one, two = _upwards(given), _upwards(wanted)
    if one is None or two is None:
        # equalities and inequations follow from themselves only
        return read(given)[1] == read(wanted)[1] and sp.expand(read(given)[0] - read(wanted)[0]) == 0
    (low, strict), (high, needed) = one, two
    shift = {symbol(name): symbol(name) + start for name, start in facts.least.items() if start}
    below, above = (sp.expand(sp.expand(gap.xreplace(shift))).as_coefficients_dict() for gap in (low, high))
    factors = {sp.Integer(1)} | {above[term] / below[term] for term in below if term in above and below[term] != 0}
    more = needed and not strict
    if any(k > 0 and _shown(high - k * low, facts, strict=more) for k in factors):
        return True
    # a product of what is positive, or not negative, with the given one; where that is 0, so is the wanted one
    quotient = sp.cancel(high / low) if low != 0 else sp.nan
    polynomial = quotient.is_polynomial(*quotient.free_symbols)
    return polynomial and not more and _shown(quotient, facts, strict=needed)


@lru_cache(maxsize=1024)
def _by_boxes(printed: Conditions, wanted: str, facts: Facts) -> bool:
    """Whether g > 0, box by box, wherever no printed h is negative: rational functions of one or two names.

    A name x >= a is a - 1 + 1/z for z in (0, 1]; the ends of the box stand for limits, where more is shown than asked.
    """
    found = [_upwards(condition) for condition in (wanted, *printed)]
    gaps = [
        gap.xreplace({symbol(name): value for name, value in facts.defined.items()}) for gap, _ in filter(None, found)
    ]
    names = {s.name for gap in gaps for s in gap.free_symbols}
    if found[0] is None or not 1 <= len(names) <= 2 or not names <= set(facts.least):
        return False
    table = {symbol(name): facts.least[name] - 1 + 1 / symbol(name) for name in names - facts.parts}
    gaps = [_numerator(gap.xreplace(table)) for gap in gaps]
    if gaps[0] is None:
        return False

    slopes = [(gap, {name: sp.diff(gap, symbol(name)) for name in names}) for gap in gaps if gap is not None]

    def settled(box: Box) -> bool | None:
        goal, *given = (centred(gap, by, box, {}) for gap, by in slopes)
        if goal > 0 or any(gap < 0 for gap in given):
            return True
        goal, *given = (centred(gap, by, middle(box), {}) for gap, by in slopes)
        return None if goal < 0 and all(gap > 0 for gap in given) else False

    with precision(BITS):
        return covered(settled, dict.fromkeys(names, (Fraction(0), Fraction(1))), BOXES)


def _numerator(gap: sp.Expr) -> sp.Expr | None:
    """A polynomial with the sign of the gap for names above 0; None where more than powers of these divides it."""
    if not gap.is_rational_function(*gap.free_symbols):
        return None
    above, below = cancelled(gap)
    names = sorted(gap.free_symbols, key=str)
    terms = sp.Poly(below, *names).terms() if names else [((), below)]
    if len(terms) > 1 or len(sp.Add.make_args(sp.expand(above))) > TERMS:
        return None
    return above * sp.sign(terms[0][1])


def _upwards(condition: str) -> tuple[sp.Expr, bool] | None:
    """The gap g of "g > 0" or "g >= 0", and whether it is strict; None for an equality."""
    gap, allowed = read(condition)
    if allowed in ((1,), (0, 1)):
        return gap, 0 not in allowed
    if allowed in ((-1,), (-1, 0)):
        return -gap, 0 not in allowed
    return None


# -- signs of expressions in names with least values


def visibly_non_negative(expression: sp.Expr, least: Mapping[str, int]) -> bool:
    """Whether an expression is a sum of products of positive numbers, powers of non-negative names, and such sums.

    ``least`` names the non-negative ones; they are taken to be positive where they stand below a line.
    """
    return all(_non_negative_term(term, least) for term in sp.Add.make_args(expression))


def _non_negative_term(term: sp.Expr, least: Mapping[str, int]) -> bool:
    for part in sp.Mul.make_args(term):
        base, power = part.as_base_exp()
        if part.is_number:
            if not part.is_nonnegative:
                return False
        elif base.is_Symbol:
            even = power.is_Integer and power % 2 == 0
            if not even and not (base.name in least and _real(power)):
                return False
        elif not (power.is_Rational and base.is_Add and visibly_non_negative(base, least)):
            return False
    return True


def _real(power: sp.Expr) -> bool:
    """Whether an exponent is a real number for names that are: x^i is not."""
    return bool(power.xreplace({name: sp.Dummy(real=True) for name in power.free_symbols}).is_real)


def shown(
    gap: sp.Expr,
    least: Mapping[str, int],
    *,
    strict: bool = False,
    above: Collection[str] = (),
    parts: Collection[str] = (),
) -> bool:
    """Whether gap >= 0 (gap > 0 where ``strict``) is shown for all names at or above their least values.

    Names in ``above`` are above them, and of these the ones in ``parts``, with the least value 0, lie below 1. The gap
    is shown by ``_by_terms``; or it is so at the least value of a name, and does not fall from there on, without a pole
    or a jump. Of what is no sum, product, power, exponential, logarithm or erf nothing is shown.
    """
    if not elementary(gap) or _negative_somewhere(gap, least, parts):
        return False
    if _by_terms(gap, least, strict, above, parts):
        return True
    table = {symbol(name): _placed(name, start, name in above, name in parts) for name, start in least.items()}
    if not all(_rational(inner, strict=True) for inner in cut(gap.xreplace(table))):
        return False
    for name, start in least.items():
        if name in above or not gap.has(symbol(name)):
            continue
        edge, slope = gap.xreplace({symbol(name): sp.Integer(start)}), sp.diff(gap, symbol(name))
        if _by_terms(slope, least, False, above, parts) and _by_terms(edge, least, strict, above, parts):
            return True
    return False


def _negative_somewhere(gap: sp.Expr, least: Mapping[str, int], parts: Collection[str]) -> bool:
    """Whether a look at a few points spares the algebra: it can refuse what would be shown by it, and no more."""
    names = sorted(gap.free_symbols, key=str)
    if not names or any(name.name not in least for name in names):
        return False
    # near to the least value, and far from it, in changing company
    table, turns = {}, np.arange(POINTS)
    for place, name in enumerate(names):
        steps = STEPS[(turns // 3 ** (place % 3) + place // 3) % 3]
        low = least[name.name]
        table[name.name] = steps if name.name in parts and not low else low + steps / (1 - steps)
    try:
        with np.errstate(all="ignore"):
            values = floats(gap, table)
    except (ExpressionError, TypeError):
        return False
    return bool((np.isfinite(values) & (values < -TINY)).any())


def _by_terms(
    gap: sp.Expr, least: Mapping[str, int], strict: bool, above: Collection[str], parts: Collection[str]
) -> bool:
    """Whether a gap is visibly non-negative, or a sum of terms in which each negative one has a larger positive one.

    The terms are A sqrt(Q), A and Q rational functions; they are compared by their squares.
    """
    shift = {symbol(name): symbol(name) + start for name, start in least.items() if start}
    if not strict and visibly_non_negative(sp.expand(sp.expand(gap.xreplace(shift))), least):
        return True
    table = {symbol(name): _placed(name, start, name in above, name in parts) for name, start in least.items()}
    plus, minus = [], []
    placed = gap.xreplace(table)
    # the product of two roots of negative numbers is not the root of their product
    if not all(_rational(power.base) for power in placed.atoms(sp.Pow) if not power.exp.is_Integer):
        return False
    for factor, square in _grouped(placed):
        if not square.is_rational_function() or not _rational(square, strict=True):
            return False
        if _rational(factor):
            plus.append((factor, square))
        elif _rational(-factor):
            minus.append((factor, square))
        else:
            return False
    return _covered(plus, minus, strict=strict)


@lru_cache(maxsize=256)
def _placed(name: str, start: int, above: bool, part: bool) -> sp.Expr:
    """A name in one that is not negative, or positive: 1/(1 + v) for a part of 1."""
    if part and above and start == 0:
        return 1 / (1 + sp.Dummy(name, positive=True))
    return start + sp.Dummy(name, positive=above or None, nonnegative=None if above else True)


Term = tuple[sp.Expr, sp.Expr]


def _grouped(expression: sp.Expr) -> list[Term]:
    """(A, Q) of terms A sqrt(Q) that add up to the expression, one for each root."""
    # a root of a sum is one unknown, and 1 over a sum another, so that products are multiplied out and these are not
    unknown: dict[sp.Dummy, sp.Expr] = {}
    known: dict[tuple[sp.Expr, sp.Expr], sp.Dummy] = {}

    def name(base: sp.Expr, power: sp.Rational) -> sp.Dummy:
        if (base, power) not in known:
            known[base, power] = sp.Dummy("root" if power > 0 else "inverse", positive=True)
            unknown[known[base, power]] = base**power
        return known[base, power]

    def named(base: sp.Expr, power: sp.Rational) -> sp.Expr:
        whole = sp.floor(power)
        value = name(base, sp.Rational(1, 2)) if power != whole else sp.Integer(1)
        return value * (base**whole if whole >= 0 else name(base, sp.Integer(-1)) ** -whole)

    def of_sum(node: sp.Basic) -> bool:
        halves = node.is_Pow and node.exp.is_Rational and node.exp.q in (1, 2)
        return bool(halves and node.base.is_Add and (node.exp.q == 2 or node.exp < 0))

    plain = sp.expand(expression.replace(of_sum, lambda node: named(*node.args)))
    groups: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(plain):
        roots = [part for part in sp.Mul.make_args(term) if _odd(part, unknown)]
        root = sp.Mul(*roots)
        groups[root] = groups.get(root, sp.Integer(0)) + term / root
    return [(_told(factor, unknown), _told(root**2, unknown)) for root, factor in groups.items()]


def _odd(part: sp.Expr, unknown: Mapping[sp.Dummy, sp.Expr]) -> bool:
    base, power = part.as_base_exp()
    return not power.is_Integer or (base in unknown and unknown[base].as_base_exp()[1] == sp.Rational(1, 2))


def _told(expression: sp.Expr, unknown: Mapping[sp.Dummy, sp.Expr]) -> sp.Expr:
    """The expression with what its unknowns stand for."""
    for dummy, value in reversed(list(unknown.items())):
        expression = expression.xreplace({dummy: value})
    return expression


def _covered(plus: Sequence[Term], minus: Sequence[Term], *, strict: bool) -> bool:
    """Whether each negative term A sqrt(Q) has a positive one of its own that is at least as large.

    Where ``strict``, some positive term is more than what it stands for.
    """
    if not minus:
        return not strict or any(_rational(factor, strict=True) for factor, _ in plus)
    (factor, square), rest = minus[0], minus[1:]
    for k, (large, under) in enumerate(plus):
        gap = large**2 * under - factor**2 * square
        others = [*plus[:k], *plus[k + 1 :]]
        if _rational(gap) and _covered(others, rest, strict=strict and not _rational(gap, strict=True)):
            return True
    return False


@lru_cache(maxsize=4096)
def _rational(expression: sp.Expr, *, strict: bool = False) -> bool:
    """Whether a quotient of polynomials is shown to be >= 0 (> 0): by the signs of its coefficients.

    Names of unknown sign may not stand in it.
    """
    names = sorted(expression.free_symbols, key=lambda s: (s.name, str(s)))
    if not expression.is_rational_function(*names) or any(name.is_nonnegative is not True for name in names):
        return False
    above, below = cancelled(expression)
    # at the least values only names that are positive are left
    edge = dict.fromkeys((name for name in names if not name.is_positive), sp.Integer(0))
    for part, positive in ((above, strict), (below, True)):
        coefficients = sp.Poly(part, *names).coeffs() if names else [part]
        if not all(c.is_nonnegative for c in coefficients) or (positive and part.xreplace(edge) == 0):
            return False
    return True
