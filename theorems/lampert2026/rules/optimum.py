"""Trusted rules for the cost 2 ||W||_* of the patterns, for every C >= 1, n >= 2 and lam in (0, 1).

Costs are in units of kappa/sqrt(d); an invariant W has the coordinates of ``optimum_symmetric``, in which the rules
compute margins and blocks themselves. Names: C, n, lam, r_eff, delta2 = 1 - lam^2 > 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import symbol
from theorems.claims.conditions import read
from theorems.claims.facts import Facts
from theorems.lampert2026.patterns.symmetric import COORDINATES, Family, blocks, dual_blocks, orbits, products
from theorems.rules import EQUIVALENCES, licensed, licensed_by, rule
from theorems.rules.implication import IMPLICATIONS, visibly_non_negative

C, n, lam, r_eff, delta2, kappa, d, budget = (
    symbol(name) for name in ("C", "n", "lam", "r_eff", "delta2", "kappa", "d", "budget")
)

ONE = sp.Integer(1)

#: Least values of the names; lam, delta2, kappa and d are positive.
LEAST = {"C": 1, "n": 2, "lam": 0, "r_eff": 1, "delta2": 0, "kappa": 0, "d": 0}
#: The setting of the patterns, where d counts dimensions and kappa is a margin.
PATTERNS = Facts(
    {**LEAST, "d": 1}, frozenset({"lam", "delta2", "kappa"}), frozenset({"lam", "delta2"}), {"delta2": 1 - lam**2}
)
#: What the rules about the patterns need of a claim.
GROUPS = ("C >= 1", "n >= 2", "lam > 0", "lam < 1")
#: Properties of a case, and the condition that says what they mean (the sign of a certified difference).
NO_SOLUTION = "no solution within the budget"
CHEAPER = "sinks cheaper"
MEANING = {NO_SOLUTION: ("diag_slack > 0",), CHEAPER: ("sink_gain > 0",)}

#: Rules that bound every diagonal solution's cost from below; their data begins with the bound.
LOWER = ("pinching", "factors-add")

Table = tuple[tuple[str, sp.Expr], ...]
Root = tuple[sp.Expr, sp.Expr]


def at_least_zero(expression: sp.Expr) -> bool:
    """Whether an expression in C >= 1 and lam in (0, 1] is shown to be non-negative.

    Sums and products of such; quotients of polynomials without minus signs in C - 1 and 1/lam - 1; and x - y for
    visibly non-negative x, y with q - y^2 of that kind, q the sum of the squares of the terms of x: x^2 >= q.
    """
    expression = sp.sympify(expression)
    if visibly_non_negative(expression, LEAST) or _polynomial(expression):
        return True
    if expression.is_Mul or expression.is_Add:
        if all(map(at_least_zero, expression.args)):
            return True
        plus = [t for t in sp.Add.make_args(expression) if visibly_non_negative(t, LEAST)]
        below = sp.Add(*plus) - expression
        return visibly_non_negative(below, LEAST) and _polynomial(sp.Add(*(t**2 for t in plus)) - below**2)
    return False


def _polynomial(expression: sp.Expr) -> bool:
    """Whether a rational function has no minus sign in k = C - 1 and v = 1/lam - 1."""
    if not expression.is_rational_function(*expression.free_symbols) or expression.free_symbols - {C, lam}:
        return False
    k, v = sp.symbols("k v")
    shifted = sp.cancel(sp.together(expression.xreplace({C: k + 1, lam: 1 / (1 + v)})))
    parts = [sp.Poly(part, k, v).coeffs() for part in sp.fraction(shifted)]
    return all(c.is_nonnegative for part in parts for c in part)


def families() -> tuple[tuple[Family, bool], ...]:
    """C = 1, where no constraint names another group, and symbolic C >= 2; nothing here depends on the nuisances."""
    return (Family(ONE, n, lam), True), (Family(C, n, lam), False)


def summed(forms: Mapping[str, Mapping[str, Any]], weights: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
    """The coordinates of sum y (constraint): forms and weights y by orbit."""
    return {name: sp.Add(*(y * forms[orbit].get(name, 0) for orbit, y in weights.items())) for name in COORDINATES}


@rule("symmetric-dual", needs=GROUPS)
def symmetric_dual(pattern: str, bound: sp.Expr, weights: Table) -> bool:
    """2 ||P_S W P_S||_* >= bound for every W with the pattern's margins, S the span of the structural tokens.

    ``weights`` are multipliers by orbit (the weight of all of its constraints together), of copy queries alone, so that
    the mean over i of a dormant token stands for it: that is lam dbar_c. Checked: weights >= 0; the matrix Y that they
    give has norm 1 at most (both blocks have one row other than 0, of length at most 1); 2 sum of weights = bound.
    Trusted: sum y <= tr(Y^T W) <= ||Y||_2 ||W||_*, and that exchanging groups keeps margins and norms.
    """
    return _dual_holds(pattern, bound, weights)


def _weighed(weights: Table, family: Family, forms: Mapping[str, Any]) -> dict[str, sp.Expr] | None:
    """The weights of copy queries' constraints that are not 0, at a family; None where one is another's, or below 0."""
    table = {name: sp.sympify(weight).xreplace({C: family.C}) for name, weight in weights}
    if any(not name.startswith("f:") for name in table) or not all(map(at_least_zero, table.values())):
        return None
    table = {name: weight for name, weight in table.items() if weight != 0}
    return None if set(table) - set(forms) else table


@lru_cache(maxsize=64)
def _dual_holds(pattern: str, bound: sp.Expr, weights: Table) -> bool:
    for family, alone in families():
        forms = {orbit.name: orbit.form for orbit in orbits(family, pattern, alone=alone)}
        at, table = {C: family.C}, _weighed(weights, family, forms)
        if table is None:
            return False
        apart, means = dual_blocks(summed(forms, table), family.C)
        lengths = [apart[1][0] ** 2 + apart[1][1] ** 2, products(means, 1 / family.C)[1][1]]
        if not all(vanishes(sp.sympify(1 - v)) or v == 0 for v in lengths):
            return False
        if not vanishes(2 * sp.Add(*table.values()) - bound.xreplace(at)):
            return False
    return True


@rule("symmetric-primal", needs=GROUPS)
@lru_cache(maxsize=64)
def symmetric_primal(pattern: str, cost: sp.Expr, entries: Table, apart: Root, means: Root) -> bool:
    """A W with the pattern's margins and 2 ||W||_* = cost, by its coordinates on the structural tokens.

    ``apart`` = (s, r) has s = ||2 x 2 block||_* and r = |its determinant|, s^2 = ||block||_F^2 + 2 r, and ``means`` the
    same of the 2 x 3 block B with r^2 = det(B B^T); cost = 2 (C - 1) s + 2 s'. All margins are checked, for C = 1 and
    every C >= 2; without A and B, no W has those of the diagonal pattern, where d_ci must prefer itself to d_cj.
    Trusted: the two singular values have the sum s, as (s_1 + s_2)^2 = s_1^2 + s_2^2 + 2 s_1 s_2.
    """
    table = dict(entries)
    if not set(table) <= set(COORDINATES) - {"A", "B"}:
        return False
    for family, alone in families():
        at = {C: family.C}
        values = {name: sp.sympify(value).xreplace(at) for name, value in table.items()}
        for orbit in orbits(family, pattern, alone=alone):
            margin = sp.Add(*(value * values.get(name, 0) for name, value in orbit.form.items()))
            if not at_least_zero(sp.cancel(margin - 1)):
                return False
    two, three = blocks(table, C)
    product = products(three, C)
    small = sp.Add(*(entry**2 for row in two for entry in row))
    whole = two[0][0] * two[1][1] - two[0][1] * two[1][0]
    checks = [
        (*apart, small, sp.sympify(whole) ** 2),
        (*means, product[0][0] + product[1][1], product[0][0] * product[1][1] - product[0][1] ** 2),
    ]
    for total, root, square, determinant in checks:
        if not (at_least_zero(total) and at_least_zero(root)):
            return False
        if not (vanishes(root**2 - determinant) and vanishes(total**2 - square - 2 * root)):
            return False
    return vanishes(2 * (C - 1) * apart[0] + 2 * means[0] - cost)


@rule("factor-dual", needs=GROUPS)
@lru_cache(maxsize=64)
def factor_dual(pattern: str, bound: sp.Expr, weights: Table) -> bool:
    """|W_Q P_S|_F^2 + |W_K P_S|_F^2 >= bound for every W_Q^T W_K with the pattern's margins: the factors themselves.

    Checked: the weights of copy queries' constraints are >= 0 with 2 sum = bound, and the rows of their matrix Y are
    orthonormal. Trusted: sum y <= tr(Y^T W_Q^T W_K) <= ||Y||_2 |W_Q P_S|_F |W_K P_S|_F (Cauchy-Schwarz), and
    2 x y <= x^2 + y^2.
    """
    for family, alone in families():
        forms = {orbit.name: orbit.form for orbit in orbits(family, pattern, alone=alone)}
        at, size, table = {C: family.C}, family.C, _weighed(weights, family, forms)
        if table is None:
            return False
        if not vanishes(2 * sp.Add(*table.values()) - bound.xreplace(at)):
            return False
        # a row has the same entries in every group: one on b, one on its own e and f, one on each of the others'
        sums = summed(forms, table)
        on_b, *own = (sums[name] / size for name in ("fb", "fe", "ff"))
        square = sp.Add(on_b**2, *(entry**2 for entry in own))
        if not alone:
            far = [sums[name] / (size * (size - 1)) for name in ("fE", "fF")]
            others = sp.Add(*(entry**2 for entry in far))
            square += (size - 1) * others
            shared = sp.Matrix(own).dot(sp.Matrix(far))
            if not vanishes(on_b**2 + 2 * shared + (size - 2) * others):
                return False
        if not vanishes(1 - square):
            return False
    return True


@rule("pair-average", needs=GROUPS, argued=True)
def pair_average(margins: sp.Expr, trace: sp.Expr, bound: sp.Expr) -> bool:
    """2 ||P_eta W P_eta||_* >= bound = 2 margins r_eff / tr Sigma_D in the diagonal pattern.

    The constraints of (i, j) and (j, i) add up to (d_ci - d_cj)^T W (d_ci - d_cj) >= 2 = margins, on the mean
    tr(W Sigma_D) >= 2, and d_ci - d_cj = eta_ci - eta_cj. With sum_i eta_ci = 0,
    sum_{i != j} |eta_ci - eta_cj|^2 = 2 n sum_i |eta_ci|^2 = 2 n (n delta^2), which gives the trace. Trusted:
    tr(W Sigma_D) <= ||P_eta W P_eta||_* ||Sigma_D||_2, and r_eff = tr Sigma_D/||Sigma_D||_2.
    """
    squares = 2 * n * (n * delta2)
    return margins == 2 and vanishes(trace - squares / (n * (n - 1))) and vanishes(bound - 2 * margins * r_eff / trace)


@rule("pinching", needs=GROUPS)
def pinching(bound: sp.Expr, parts: tuple[Any, Any]) -> bool:
    """2 ||W||_* >= bound, the sum of a bound for P_S W P_S and one for P_eta W P_eta in the diagonal pattern.

    Trusted: S and the span of the nuisances are orthogonal, and ||W||_* >= ||P_S W P_S||_* + ||P_eta W P_eta||_*.
    """
    return _added("symmetric-dual", bound, parts)


@rule("factors-add", needs=GROUPS)
def factors_add(bound: sp.Expr, parts: tuple[Any, Any]) -> bool:
    """|W_Q|_F^2 + |W_K|_F^2 >= bound, the sum of a bound for the factors on S and one for those on the nuisances.

    Trusted: |W_Q|_F^2 >= |W_Q P_S|_F^2 + |W_Q P_eta|_F^2 for orthogonal spaces (Pythagoras), W_K alike; the bound of
    ``pair-average`` holds for the factors, as tr(W_Q^T W_K Sigma_D) <= ||Sigma_D||_2 |W_Q P_eta|_F |W_K P_eta|_F.
    """
    return _added("factor-dual", bound, parts)


def _added(wanted: str, bound: sp.Expr, parts: tuple[Any, Any]) -> bool:
    if [part.rule for part in parts] != [wanted, "pair-average"] or not all(map(licensed, parts)):
        return False
    structural, nuisances = parts
    return structural.data[0] == "diag" and vanishes(bound - structural.data[1] - nuisances.data[2])


@rule("weaker-bound", needs=GROUPS)
def weaker_bound(bound: sp.Expr, part: Any) -> bool:
    """2 ||W||_* >= bound = r_eff/delta^2 + 2 C, from 2 (n - 1) r_eff/(n delta^2) + s, s the structural part.

    2 (n - 1)/n >= 1 for n >= 2. Checked: s >= 2 C, at C = 1 and, with C + 1 in the place of C, for every C >= 2.
    """
    if not licensed_by(part, LOWER):
        return False
    groups = 2 * C
    gap = part.data[1][0].data[1] - groups
    enough = all(at_least_zero(sp.expand(gap.xreplace({C: size}))) for size in (ONE, C + ONE))
    return enough and vanishes(bound - r_eff / delta2 - groups)


@rule("optimum-decides", needs=GROUPS, facts=PATTERNS, argued=True)
def optimum_decides(prop: str, conditions: tuple[str, ...]) -> bool:
    """A property of the least costs holds iff a certified difference of them is positive.

    ``no solution within the budget``: the least diagonal cost exceeds it; ``sinks cheaper``: the least sink cost is
    below the least diagonal one. Trusted: the least costs are attained (a closed set of W, and a norm), and
    ``diag_slack`` and ``sink_gain`` have the signs of these differences, by primal and dual certificates.
    """
    return MEANING.get(prop) == tuple(conditions)


@rule("budget-below", needs=(*GROUPS, "kappa > 0", "d >= 1"))
def budget_below(prop: str, conditions: tuple[str, ...], part: Any) -> bool:
    """No solution costs as little as the budget if budget < kappa/sqrt(d) times a proved lower bound."""
    if prop != NO_SOLUTION or not licensed_by(part, (*LOWER, "weaker-bound")):
        return False
    (condition,) = conditions
    gap, allowed = read(condition)
    return allowed == (-1,) and vanishes(gap - budget + kappa / sp.sqrt(d) * part.data[0])


@rule("costs-apart", needs=GROUPS)
def costs_apart(prop: str, conditions: tuple[str, ...], parts: tuple[Any, Any]) -> bool:
    """Sinks are cheaper if the cost of one sink solution is below a lower bound of every diagonal one.

    ``symmetric-primal`` licenses sink solutions alone.
    """
    upper, lower = parts
    if prop != CHEAPER or not licensed_by(upper, ("symmetric-primal",)) or not licensed_by(lower, LOWER):
        return False
    (condition,) = conditions
    gap, allowed = read(condition)
    return allowed == (-1,) and vanishes(gap - upper.data[1] + lower.data[0])


EQUIVALENCES.add("optimum-decides")
IMPLICATIONS.update({"budget-below", "costs-apart"})
