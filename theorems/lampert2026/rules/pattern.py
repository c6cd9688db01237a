"""Trusted rules about the sink and the diagonal pattern: margins, nuclear norms for symbolic C, and least costs.

Everywhere C >= 1 is a count, 0 < lam < 1, and kappa, d, Delta_diag and r_eta are positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import symbol
from theorems.lampert2026.patterns.group_matrices import ONE, ZERO, C, GroupMatrix, count, orbit, zero
from theorems.lampert2026.patterns.margins import (
    SQUARE,
    D,
    Delta,
    Routing,
    cross,
    d,
    demands,
    kappa,
    lam,
    margins,
    r_eta,
)
from theorems.rules import CONCLUDES, licensed, rule
from theorems.rules.analysis import CONCLUSIONS

#: Names that are positive wherever a rule of this module is used.
POSITIVE = frozenset({"C", "lam", "kappa", "d", "Delta_diag", "r_eta"})
#: What the rules about the patterns need of a claim; the others are a least square distance and a rank.
NEEDED = ("C >= 1", "lam > 0", "lam < 1", "kappa > 0")


def not_negative(expression: sp.Expr) -> bool:
    """Whether an expression is visibly >= 0: sums, products and powers of positive names, of C - 1 and of 1 - lam."""
    if expression in (C - 1, 1 - lam, 1 - lam**2):
        return True
    if expression.is_Symbol:
        return expression.name in POSITIVE
    if expression.is_number:
        return bool(expression.is_nonnegative)
    if expression.is_Pow and expression.exp.is_Rational:
        # C - 1 alone may be 0, and nothing that is 0 stands below a line
        below = expression.exp.is_negative and expression.base.xreplace({C: ONE}) == 0
        return not below and not_negative(expression.base)
    return (expression.is_Add or expression.is_Mul) and all(not_negative(part) for part in expression.args)


_t, _g, _y = sp.Dummy("t", positive=True), sp.Dummy("g", positive=True), sp.Dummy("y", positive=True)


def at_most(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether left <= right is shown for all values of the names: rational functions in sqrt(d), lam, C and the others.

    With lam = 1/(1 + t) and C = 1 + g, the difference is a quotient of polynomials with coefficients of one sign.
    """
    gap = (right - left).xreplace({lam: 1 / (1 + _t), C: 1 + _g, d: _y**2})
    numerator, denominator = sp.fraction(sp.cancel(sp.together(gap)))
    above, below = _one_sign(numerator), _one_sign(denominator)
    return above is not None and below is not None and above * below >= 0


def _one_sign(polynomial: sp.Expr) -> int | None:
    """The common sign of all coefficients, 0 for the polynomial 0; None where they differ or for no polynomial."""
    names = sorted(polynomial.free_symbols, key=str)
    if any(name.name not in POSITIVE and name not in (_t, _g, _y) for name in names):
        return None
    if not polynomial.is_polynomial(*names):
        return None
    coefficients = sp.Poly(polynomial, *names).coeffs() if names else [polynomial]
    signs = {int(sp.sign(value)) for value in coefficients}
    return signs.pop() if len(signs) == 1 else None


# -- margins


def worst(value: sp.Expr) -> sp.Expr:
    """The least value of a margin over all nuisances: affine in D >= Delta_diag and in |cross| <= (1 - lam^2) d.

    D = Delta_diag for some pair of every family; cross is at its upper end where two groups have the same nuisances.
    Raises ValueError where it is not shown that the margin rises with D and falls with cross.
    """
    form = sp.Poly(sp.expand(value), D, cross)
    by_pair, by_cross = (form.coeff_monomial(name) for name in (D, cross))
    if form.total_degree() > 1 or not at_most(ZERO, by_pair) or not at_most(by_cross, ZERO):
        raise ValueError(f"{value} is not affine in {D} and {cross}, rising with {D} and falling with {cross}")
    return sp.expand(form.as_expr().xreplace({D: Delta, cross: SQUARE}))


@rule("least-coefficient", needs=NEEDED)
def least_coefficient(
    pattern: str,
    matrix: GroupMatrix,
    fixed: Mapping[str, sp.Expr],
    unknown: str,
    later: tuple[str, ...],
    value: sp.Expr,
) -> bool:
    """The least value of a name in M with which every margin of the pattern can be at least kappa, W_QK = Pi^T M Pi.

    ``fixed`` are the names found before, each the least one in its turn. One margin without ``later`` names rises with
    the name and is kappa at the value, for every C, so that no smaller value does. There all margins without later
    names are at least kappa; those with one rise with it without bound. Trusted: this argument; that the margins are
    all that the pattern demands.
    """
    if fixed:
        *before, (found, least) = fixed.items()
        if not least_coefficient(pattern, matrix, dict(before), found, (unknown, *later), least):
            return False
    name, others = symbol(unknown), [symbol(n) for n in later]
    known = {symbol(n): v for n, v in fixed.items()} | {name: value}
    needed = False
    for margin in margins(pattern, matrix):
        form = sp.Poly(margin.value, name, *others)
        slopes = [slope for slope in map(form.coeff_monomial, others) if slope != 0]
        if form.total_degree() > 1 or margin.value.free_symbols & {D, cross}:
            return False
        if slopes:
            # a large enough later name will do, for C = 1 too
            if not all(map(_rises, slopes)):
                return False
            continue
        reached = margin.value.xreplace(known)
        if not at_most(kappa, reached):
            return False
        slope = form.coeff_monomial(name)
        needed = needed or bool(margin.always and _rises(slope) and vanishes(reached - kappa))
    return needed


def _rises(slope: sp.Expr) -> bool:
    """Whether a slope is shown to be positive, for C = 1 too."""
    return at_most(ZERO, slope) and not vanishes(slope.xreplace({C: ONE}))


@rule("least-margin", needs=NEEDED)
def least_margin(pattern: str, matrix: GroupMatrix, alpha: sp.Expr, value: sp.Expr) -> bool:
    """The least of all margins of the pattern for W_QK = Pi^T M Pi + alpha P_eta, over every C >= 1 and all nuisances
    with the given Delta_diag, in a space that is large enough for two groups.

    The value is a minimum over all C and all families; no single family need attain every part of it. Each part must be
    the worst value of a margin, which two groups of the same nuisances have, whatever one group's are; the margins of
    one group alone are there for C = 1. The entries of M must not depend on C. Trusted: this argument, and that two
    groups may have the same nuisances.
    """
    ends = [worst(margin.value) for margin in margins(pattern, matrix, alpha)]
    parts = value.args if isinstance(value, sp.Min) else (value,)
    if any(part.has(C) for part in (*matrix.parts, alpha)):
        return False
    if any(not any(vanishes(part - end) for end in ends) for part in parts):
        return False
    return all(any(at_most(part, end) for part in parts) for end in ends)


@rule("shortfall", needs=NEEDED)
def shortfall(value: sp.Expr, least: Any) -> bool:
    """max(0, kappa - margin) for the least margin of a pattern: 0 where every margin is at least kappa."""
    if least.rule != "least-margin" or not licensed(least):
        return False
    margin = least.data[3]
    parts = margin.args if isinstance(margin, sp.Min) else (margin,)
    if value == 0:
        return all(at_most(kappa, part) for part in parts)
    short = vanishes(value - kappa + margin) and any(at_most(part, kappa) for part in parts)
    return bool(short or value == sp.Max(ZERO, kappa - margin))


@rule("binding-pair", needs=NEEDED)
def binding_pair(
    pattern: str,
    matrix: GroupMatrix,
    pair: tuple[str, str],
    binding: tuple[str, str],
    values: tuple[sp.Expr, sp.Expr],
    name: str,
    value: sp.Expr,
) -> bool:
    """The least x, then the least y, in M with all margins at least kappa, from the two margins that bind (Cramer).

    ``pair`` are the names x and y, ``binding`` the texts of a margin p x and of a margin q x + r y with p, r > 0, both
    kappa at the values, both there for every C. So x >= kappa/p and, at that x, y >= (kappa - q x)/r; and all margins
    are at least kappa there. ``value`` is that of ``name``, one of the two.
    Trusted: this argument.
    """
    x, y = map(symbol, pair)
    found = margins(pattern, matrix)
    (one,), (two,) = ([m for m in found if m.text == text] for text in binding)
    if not (one.always and two.always):
        return False
    p, q, r = sp.diff(one.value, x), sp.diff(two.value, x), sp.diff(two.value, y)
    # what is not affine has a slope in x or y, of which no sign is shown
    if not (vanishes(one.value - p * x) and vanishes(two.value - q * x - r * y)):
        return False
    if not (_rises(p) and _rises(r)):
        return False
    if not (vanishes(values[0] - kappa / p) and vanishes(values[1] - (kappa - q * values[0]) / r)):
        return False
    at = {x: values[0], y: values[1]}
    return vanishes(value - values[pair.index(name)]) and all(at_most(kappa, m.value.xreplace(at)) for m in found)


# -- nuclear norms


def _is_nuclear(matrix: sp.ImmutableMatrix, value: sp.Expr, root: sp.Expr) -> bool:
    """Whether a matrix of rank <= 2 has the nuclear norm ``value``; ``root`` is the product of its singular values.

    (s_1 + s_2)^2 = tr(G) + 2 s_1 s_2 with G = A^T A, and (s_1 s_2)^2 is the sum of its principal 2 x 2 minors, while
    those of three rows vanish.
    """
    gram = matrix.T * matrix
    indices = range(gram.rows)

    def minors(size: int) -> list[sp.Expr]:
        return [gram.extract(list(rows), list(rows)).det() for rows in combinations(indices, size)]

    if not all(vanishes(minor) for size in indices if size >= 2 for minor in minors(size + 1)):
        return False
    product = sp.Add(*minors(2))
    signs = not_negative(value) and not_negative(root)
    return signs and vanishes(root**2 - product) and vanishes(value**2 - gram.trace() - 2 * root)


Parts = tuple[tuple[sp.Expr, sp.Expr], tuple[sp.Expr, sp.Expr]]


@rule("group-nuclear", needs=NEEDED)
def group_nuclear(matrix: GroupMatrix, parts: Parts, value: sp.Expr) -> bool:
    """||M||_* = (C - 1) v + v_1 from the nuclear norms v on 1-perp and v_1 on the span of e_0 and the vectors 1.

    ``parts`` are (v, product of the singular values) and the same of v_1. Trusted: the blocks of an orthogonal
    decomposition of both sides have the singular values of the whole; ||Pi^T M Pi||_* = ||M||_* as Pi Pi^T = I.
    """
    (v, root), (first, first_root) = parts
    small = _is_nuclear(matrix.standard, v, root) and _is_nuclear(matrix.trivial, first, first_root)
    return small and vanishes(value - (C - 1) * v - first)


@rule("nuclear-by-root", needs=NEEDED)
def nuclear_by_root(matrix: GroupMatrix, roots: tuple[sp.ImmutableMatrix, sp.ImmutableMatrix], value: sp.Expr) -> bool:
    """||M||_* = tr (M M^T)^(1/2): C - 1 times the trace of a root on 1-perp, and that of a root on the span of e_0, 1.

    ``roots`` are symmetric, with visibly non-negative minors, and of the squares M M^T of the two parts. Trusted: the
    positive semidefinite root is one only, and its eigenvalues are the singular values.
    """
    for part, root in zip((matrix.standard, matrix.trivial), roots, strict=True):
        indices = range(root.rows)
        subsets = [rows for size in indices for rows in combinations(indices, size + 1)]
        minors = [sp.factor(root.extract(list(rows), list(rows)).det()) for rows in subsets]
        if root != root.T or not all(not_negative(minor) for minor in minors):
            return False
        if not all(vanishes(e) for e in root * root - part * part.T):
            return False
    return vanishes(value - (C - 1) * roots[0].trace() - roots[1].trace())


@rule("orthogonal-sum", needs=NEEDED)
def orthogonal_sum(value: sp.Expr, block: Any, alpha: sp.Expr) -> bool:
    """||Pi^T M Pi + alpha P_eta||_* = ||M||_* + alpha r_eta for alpha >= 0.

    Trusted: the nuisances are orthogonal to the structural embeddings, and P_eta has r_eta singular values 1.
    """
    if block.rule != "group-nuclear" or not licensed(block) or not not_negative(alpha):
        return False
    return vanishes(value - block.data[2] - alpha * r_eta)


@rule("sum-over-groups", needs=NEEDED)
def sum_over_groups(cost: sp.Expr, upper: sp.Expr, norm: Any, one: tuple[sp.Expr, sp.Expr]) -> bool:
    """2 ||W||_* <= 2 C ||M_1||_* + 2 alpha r_eta: M is a sum over the groups of copies of M_1, the M of one group.

    ``norm`` is the step that gives ||W||_*, ``one`` is ||M_1||_* and the product of its singular values. M must have no
    entry that names two groups, none at e_0 alone and no coefficient in C. Trusted: the triangle inequality, and that
    min ||W_Q||_F^2 + ||W_K||_F^2 over W_Q^T W_K = W is 2 ||W||_*.
    """
    if not licensed(norm):
        return False
    value, block, alpha = {"group-nuclear": (norm.data[2], norm, ZERO), "orthogonal-sum": norm.data}[norm.rule]
    matrix = block.data[0]
    alone = matrix.corner == 0 and not any(matrix.every) and not any(part.has(C) for part in matrix.parts)
    if not alone or not _is_nuclear(matrix.of_one_group, *one):
        return False
    return vanishes(cost - 2 * value) and vanishes(upper - 2 * C * one[0] - 2 * alpha * r_eta)


# -- the copy queries alone


@rule("routing-average", needs=NEEDED)
def routing_average(pattern: str, families: tuple[Routing, ...]) -> bool:
    """Constraints that follow from a pattern: means of margins of a copy query over the numbers of dormant tokens.

    The mean of eta_ci over i is 0, so that of d_ci - k has the structural coordinates of d_ci - k and no others.
    Trusted: this argument.
    """
    wanted = []
    for query, attended, keys in demands(pattern):
        for key in attended:
            if query.group:
                continue
            for other in keys:
                if other not in attended:
                    wanted.append((query.coordinates, _difference(key.coordinates, other.coordinates)))
    return bool(families) and all((family.query, dict(family.key)) in wanted for family in families)


def _difference(one: Mapping[Any, sp.Expr], other: Mapping[Any, sp.Expr]) -> dict[Any, sp.Expr]:
    return {place: one.get(place, ZERO) - other.get(place, ZERO) for place in (*one, *other)}


@rule("routing-dual", needs=NEEDED)
def routing_dual(families: tuple[Routing, ...], weights: tuple[sp.Expr, ...], lower: sp.Expr) -> bool:
    """||W||_* >= lower for every W with the constraints: Y = sum of weights times q k^T has ||Y||_2 <= 1.

    sum of weights times q^T W k = <Y, W> <= ||Y||_2 ||W||_*, with weights >= 0; in the unit vectors a constraint reads
    q^T W k >= kappa/sqrt(d). On 1-perp and on the vectors 1 the Frobenius norm of Y must be 1, and ||Y||_2 is no
    larger. Trusted: the spectral and the nuclear norm are dual, |<Y, W>| <= ||Y||_2 ||W||_*.
    """
    if not all(not_negative(weight) for weight in weights):
        return False
    Y, total = zero(2), ZERO
    for family, weight in zip(families, weights, strict=True):
        Y = Y + orbit(2, family.query, family.key) * weight
        total += weight * count({**family.query, **family.key})
    squares = [(part.T * part).trace() for part in (Y.standard, Y.trivial)]
    return all(vanishes(square - 1) for square in squares) and vanishes(lower - total * kappa / sp.sqrt(d))


@rule("routing-primal", needs=NEEDED)
def routing_primal(families: tuple[Routing, ...], matrix: GroupMatrix) -> bool:
    """W = Pi^T M Pi meets the constraints: sqrt(d) q^T M k >= kappa for every family."""
    met = all(at_most(kappa, sp.sqrt(d) * matrix.form(family.query, family.key)) for family in families)
    return bool(families) and met


@rule("least-cost", needs=NEEDED)
def least_cost(value: sp.Expr, primal: Any, norm: Any, dual: Any) -> bool:
    """The least 2 ||W||_* under constraints: a W that meets them has the norm that every one of them must have.

    Trusted: min ||W_Q||_F^2 + ||W_K||_F^2 over W_Q^T W_K = W is 2 ||W||_*.
    """
    shapes = tuple(step.rule for step in (primal, norm, dual)) == ("routing-primal", "group-nuclear", "routing-dual")
    if not shapes or not all(licensed(step) for step in (primal, norm, dual)):
        return False
    same = primal.data[0] == dual.data[0] and primal.data[1] == norm.data[0]
    return same and vanishes(value - 2 * norm.data[2]) and vanishes(value - 2 * dual.data[2])


@rule("cost-at-least", needs=NEEDED)
def cost_at_least(left: sp.Expr, right: sp.Expr, factors: tuple[sp.Expr, ...], average: Any, least: Any) -> bool:
    """-cost <= right for every solution of a pattern: -cost <= -(least cost) = left <= right.

    ``average`` shows that the constraints of ``least`` follow from the pattern; right - left is the product of the
    factors, each visibly >= 0 or a difference of two that are, the larger square first.
    Trusted: x >= y where x, y >= 0 and x^2 >= y^2.
    """
    if (average.rule, least.rule) != ("routing-average", "least-cost"):
        return False
    if not licensed(average) or not licensed(least) or average.data[1] != least.data[1].data[0]:
        return False
    signs = all(_factor(factor) for factor in factors)
    return signs and vanishes(left + least.data[0]) and vanishes(right - left - sp.Mul(*factors))


def _factor(factor: sp.Expr) -> bool:
    """Whether a factor is >= 0: visibly, or x - y with x, y >= 0 and x^2 - y^2 >= 0."""
    if not_negative(factor):
        return True
    terms = sp.Add.make_args(factor)
    above = sp.Add(*(term for term in terms if not term.could_extract_minus_sign()))
    below = above - factor
    squares = not_negative(sp.expand(above**2 - below**2))
    return not_negative(above) and not_negative(below) and squares


#: The quantities that these rules conclude.
CONCLUDES.update(
    {
        "least-coefficient": lambda *data: str(data[3]),
        "binding-pair": lambda *data: f"{data[5]}_bound",
        "least-margin": lambda *_: "margin",
        "shortfall": lambda *_: "shortfall",
        "group-nuclear": lambda *_: "nuclear",
        "nuclear-by-root": lambda *_: "nuclear_by_root",
        "least-cost": lambda *_: "cost",
    }
)
CONCLUSIONS |= {"least-coefficient": 5, "binding-pair": 6, "least-margin": 3, "shortfall": 0}
CONCLUSIONS |= {"group-nuclear": 2, "nuclear-by-root": 2, "orthogonal-sum": 0, "least-cost": 0}
