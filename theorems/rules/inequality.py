"""Trusted rules that conclude inequalities, and that every value up to a bound is reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from theorems.algebra.closed import substituted, vanishes
from theorems.algebra.expressions import same, symbol
from theorems.rules import rule
from theorems.rules.analysis import even_power, positive_in_theta, relied, visibly_positive


@rule("quotient", needs=("tr2 > 0",))
def quotient(root: sp.Expr, square: sp.Expr, divisor: sp.Expr, result: sp.Expr) -> bool:
    """q^2 <= s and w = tr2 > 0 imply (q/sqrt(w))^2 <= s/w."""
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
        # of i, an unknown to the sums above, no square would cancel
        if w.atoms(sp.Function):
            return False
        for node in sp.preorder_traversal(w):
            if node.is_Pow and not node.exp.is_Integer:
                if node.base.is_nonnegative:
                    continue
                if node.exp != sp.Rational(1, 2):
                    return False
                if not sp.cancel(node.base * d / (square - x**2)).is_positive:
                    return False
        shifted = sp.Poly(sp.expand(m.xreplace({d: d + least})), d)
        if not all(c.is_Integer and c.is_nonnegative for c in shifted.coeffs()):
            return False
    return True


def _unit(expression: sp.Expr) -> bool:
    """Whether an expression is exp(-c), which lies in (0, 1] for c >= 0.

    Then c is a product of even powers and of something that is positive for theta in [0, 1], a number perhaps.
    """
    return isinstance(expression, sp.exp) and positive_in_theta(_rate(expression))


def _rate(unit: sp.Expr) -> sp.Expr:
    """What has to be positive in c, of exp(-c): its factors that are no even powers."""
    parts = sp.Mul.make_args(sp.factor(-unit.exp))
    return sp.Mul(*(part for part in parts if not even_power(part)))


def _in_units(table: Mapping[str, sp.Expr]) -> tuple[str, ...]:
    """What keeps exp(-c) in (0, 1]: its parts have values, and c is not negative."""
    return relied(*table.values(), *(1 / _rate(unit) for unit in table.values() if isinstance(unit, sp.exp)))


def _corners(form: sp.Expr, units: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """The values of a form where each of the units is 0 or 1."""
    found = [form]
    for unit in units:
        found = [value.xreplace({unit: sp.Integer(end)}) for value in found for end in (0, 1)]
    return found


def _mixed(*data: Any) -> tuple[str, ...]:
    return _in_units(data[3])


@rule("vertex-maximum", needs=_mixed)
def vertex_maximum(quantity: sp.Expr, upper: sp.Expr, form: sp.Expr, table: Mapping[str, sp.Expr]) -> bool:
    """|f(p, q, ...)| <= the largest |f| at the corners of [0, 1]^n, for f affine and p, q, ... in (0, 1].

    Trusted: a convex function on a box is largest at a corner.
    """
    units = [symbol(name) for name in table]
    if not all(_unit(value) for value in table.values()) or sp.Poly(sp.expand(form), *units).total_degree() > 1:
        return False
    if not vanishes(_inside(quantity) ** 2 - substituted(form, dict(table)) ** 2):
        return False
    wanted = [sp.Abs(corner) for corner in _corners(form, units) if corner != 0]
    given = upper.args if isinstance(upper, sp.Max) else (upper,)
    return bool(wanted) and all(any(vanishes(one - other) for other in given) for one in wanted)


def _combined(*data: Any) -> tuple[str, ...]:
    # the factor is positive, wherever its names stand in it
    return tuple(dict.fromkeys((*relied(data[3], 1 / data[3]), *_in_units(data[4]))))


@rule("unit-combination", needs=_combined)
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
    if not all(_unit(value) for value in table.values()) or not visibly_positive(factor):
        return False
    if any(part.has(*units) for part in (factor, *(t for _, t in parts))):
        return False
    for coefficient, _ in parts:
        if sp.Poly(coefficient, *units).total_degree() > 1:
            return False
        if any(abs(corner) > 1 for corner in _corners(coefficient, units)):
            return False
    whole = substituted(factor * sp.Add(*(c * t for c, t in parts)), dict(table))
    return vanishes(_inside(quantity) ** 2 - whole**2) and vanishes(
        upper - factor * sp.Add(*(sp.Abs(t) for _, t in parts))
    )


def _weights(quantity: sp.Expr, upper: sp.Expr, factors: str) -> tuple[str, ...]:
    return ("p_j >= 0",)


@rule("hoelder", needs=_weights, source="Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 11")
def hoelder(quantity: sp.Expr, upper: sp.Expr, factors: str) -> bool:
    """|E[f g h k]|^2 <= (E[f^4] E[g^4] E[h^4] E[k^4])^{1/2}, E[f] = sum_j p_j f_j for weights p_j >= 0.

    Trusted: Hoelder's inequality with four exponents 4. The ``factors`` are four letters, and a name sum_ffg stands for
    sum_j p_j f_j^2 g_j.
    """
    if len(factors) != 4 or not factors.isalpha():
        return False
    fourth = (symbol(f"sum_{letter * 4}") for letter in factors)
    return bool(quantity == symbol(f"sum_{factors}") ** 2 and upper == sp.sqrt(sp.Mul(*fourth)))


def _inside(quantity: sp.Expr) -> sp.Expr:
    """What stands between the bars; ValueError for what is no absolute value."""
    if not isinstance(quantity, sp.Abs):
        raise ValueError(f"{quantity}; expected an absolute value")
    (found,) = quantity.args
    return found
