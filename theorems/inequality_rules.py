"""Trusted rules that conclude inequalities, and that every value up to a bound is reached."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import sympy as sp

from theorems.closed import names, substituted, vanishes
from theorems.expressions import same, symbol
from theorems.rules import rule


@rule("quotient")
def quotient(root: sp.Expr, square: sp.Expr, divisor: sp.Expr, result: sp.Expr) -> bool:
    """q^2 <= s and w > 0 imply (q/sqrt(w))^2 <= s/w. Trusted; w = tr2 is positive by the claim's assumption W != 0."""
    return divisor == symbol("tr2") and root.is_Symbol and same(square / divisor, result)


@rule("realised-spectrum")
def realised_spectrum(
    spectrum: tuple[tuple[sp.Expr, sp.Expr], ...], value: sp.Expr, square: sp.Expr, least: int
) -> bool:
    """Eigenvalues (w, multiplicity) with sum w = x and sum w^2 = 1, real wherever x^2 <= square, for every d >= least.

    So tr1/sqrt(tr2) takes the value x. Trusted: a symmetric matrix may have any real eigenvalues, and for positive
    definite Sigma = R R every symmetric matrix is R W_QK R.
    """
    d, x = symbol("d"), symbol("x")
    counts = sp.expand(sp.Add(*(m for _, m in spectrum)))
    first = sp.Add(*(m * w for w, m in spectrum))
    second = sp.Add(*(m * w**2 for w, m in spectrum))
    if value != x or not same(counts, d) or not vanishes(first - x) or not vanishes(second - 1):
        return False
    for w, m in spectrum:
        for node in sp.preorder_traversal(w):
            if node.is_Pow and not node.exp.is_Integer and not node.base.is_number:
                if node.exp != sp.Rational(1, 2):
                    return False
                ratio = sp.cancel(node.base * d / (square - x**2))
                if not (ratio.is_Rational and ratio > 0):
                    return False
        shifted = sp.Poly(sp.expand(m.xreplace({d: d + least})), d)
        if any(c < 0 or not c.is_Integer for c in shifted.coeffs()):
            return False
    return True


def _unit(expression: sp.Expr) -> bool:
    """Whether an expression is exp(-z^2) or exp(-c z^2), which lies in (0, 1] for real z."""
    if not isinstance(expression, sp.exp):
        return False
    inside = sp.factor(-expression.args[0])
    coefficient, rest = inside.as_coeff_Mul()
    even = all(
        (part.is_Pow and part.exp.is_Integer and part.exp % 2 == 0) or (part.is_number and part.is_positive)
        for part in sp.Mul.make_args(rest)
    )
    return bool(coefficient >= 0) and (even or _positive_below(rest))


def _positive_below(rest: sp.Expr) -> bool:
    """Even powers over something positive on [0, 1]."""
    from theorems.balls import positive

    numerator, denominator = sp.fraction(sp.together(rest))
    above = all(
        (part.is_number and part.is_positive) or (part.is_Pow and part.exp.is_Integer and part.exp % 2 == 0)
        for part in sp.Mul.make_args(sp.factor(numerator))
    )
    below = all(
        (part.is_number and part.is_positive)
        or (part.is_Pow and part.exp.is_Integer and part.exp % 2 == 0)
        or (names(part) == {"theta"} and positive(part, "theta", 0, 1))
        for part in sp.Mul.make_args(sp.factor(denominator))
    )
    return above and below


@rule("vertex-maximum")
def vertex_maximum(quantity: sp.Expr, upper: sp.Expr, form: sp.Expr, table: Mapping[str, sp.Expr]) -> bool:
    """|f(p, q, ...)| <= the largest |f| at the corners of [0, 1]^n, for f affine and p, q, ... in (0, 1].

    Trusted: a convex function on a box is largest at a corner.
    """
    units = [symbol(name) for name in table]
    if not units or not all(_unit(value) for value in table.values()):
        return False
    if sp.Poly(sp.expand(form), *units).total_degree() > 1:
        return False
    if quantity.func is not sp.Abs or not _up_to_sign(quantity.args[0], substituted(form, dict(table))):
        return False
    corners = [form.xreplace(dict(zip(units, corner, strict=True))) for corner in product((0, 1), repeat=len(units))]
    wanted = [sp.Abs(corner) for corner in corners if corner != 0]
    given = upper.args if isinstance(upper, sp.Max) else (upper,)
    if not wanted:
        return bool(upper == 0)
    return all(any(vanishes(one - other) for other in given) for one in wanted)


@rule("unit-combination")
def unit_combination(
    quantity: sp.Expr,
    upper: sp.Expr,
    parts: tuple[tuple[sp.Expr, sp.Expr], ...],
    factor: sp.Expr,
    table: Mapping[str, sp.Expr],
) -> bool:
    """|g sum_k c_k t_k| <= g sum_k |t_k| for coefficients c_k in [-1, 1] and g > 0 (the triangle inequality).

    The c_k are affine in names p, q, ... in (0, 1], so that it is enough to look at the corners.
    """
    units = [symbol(name) for name in table]
    if not all(_unit(value) for value in table.values()) or not _positive_factor(factor):
        return False
    if any(part.has(*units) for part in (factor, *(t for _, t in parts))):
        return False
    for coefficient, _ in parts:
        if sp.Poly(coefficient, *units).total_degree() > 1:
            return False
        corners = product((0, 1), repeat=len(units))
        if any(abs(coefficient.xreplace(dict(zip(units, corner, strict=True)))) > 1 for corner in corners):
            return False
    whole = substituted(factor * sp.Add(*(c * t for c, t in parts)), dict(table))
    if quantity.func is not sp.Abs or not _up_to_sign(quantity.args[0], whole):
        return False
    return vanishes(upper - factor * sp.Add(*(sp.Abs(t) for _, t in parts)))


@rule("hoelder")
def hoelder(quantity: sp.Expr, upper: sp.Expr, chance: str, factors: tuple[sp.Expr, ...]) -> bool:
    """|E[f_1 ... f_n]|^2 <= (prod E[f_k^n])^{2/n} for factors fixed on an event of probability p and 0 elsewhere.

    Trusted: Hoelder's inequality with n exponents n. There E[f_1 ... f_n] = p prod f_k and E[f_k^n] = p f_k^n.
    """
    p, n = symbol(chance), len(factors)
    if any(factor.has(p) for factor in factors):
        return False
    product = sp.Mul(*factors)
    # (prod p f_k^4)^(1/2) = p^2 prod f_k^2, the root that is not negative
    return n == 4 and vanishes(quantity - (p * product) ** 2) and vanishes(upper - p**2 * product**2)


def _positive_factor(factor: sp.Expr) -> bool:
    from theorems.analysis_rules import visibly_positive

    return visibly_positive(factor)


def _up_to_sign(one: sp.Expr, other: sp.Expr) -> bool:
    return vanishes(one - other) or vanishes(one + other)
