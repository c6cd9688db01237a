"""Trusted rules for what dormant queries' rows add to the diagonal cost, for every C >= 1, n >= 2 and lam in (0, 1).

Costs are in units of kappa/sqrt(d); s is the mean of eta_ci^T W eta_ci over the dormant tokens, in units of
kappa sqrt(d): what W does for them on the nuisances. Multipliers may depend on ``share``, any number from 0 to 1, the
length of the dormant queries' rows in the dual matrix.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import symbol
from theorems.lampert2026.patterns.symmetric import Family, dual_blocks, orbits, products
from theorems.lampert2026.rules.optimum import GROUPS, C, Table, delta2, families, r_eff, summed
from theorems.rules import licensed_by, rule
from theorems.rules.implication import shown

share = symbol("share")
#: The dormant queries' constraint that is used: on the mean over i it holds with 1 - s in the place of 1.
OWN = "g: g > f"
#: Least values for more than one group, and the names that lie strictly between 0 and 1.
LEAST_VALUES = {"C": 2, "lam": 0, "share": 0}
UNIT = {"lam", "share"}


@rule("dormant-dual", needs=GROUPS)
@lru_cache(maxsize=64)
def dormant_dual(bound: sp.Expr, weights: Table) -> bool:
    """2 ||P_S W P_S||_* >= bound - 2 w s for every W with the diagonal pattern's margins, w a multiplier.

    ``weights`` are multipliers by orbit: of the copy queries' constraints, and w of d_ci^T W (d_ci - c_c) >= 1 - s, a
    dormant query's mean over i. Checked: they are >= 0, twice their sum is the bound, and Y has norm 1 at most: of both
    blocks, (1 - |e|^2)(1 - |f|^2) = (e f)^2 for the rows e, f with |e| = share, or there is no such block. Trusted:
    sum y <= tr(Y^T W) <= ||Y||_2 ||W||_*, that exchanging groups keeps margins and norms, that d_ci^T W (d_ci - c_c)
    has over i the mean lam^2 e_c^T W e_c - lam e_c^T W f_c and eta_ci^T W eta_ci's, as sum_i eta_ci = 0, and continuity
    at share = 0 and 1.
    """
    for family, alone in families():
        forms, table = _read(family, alone, weights)
        if not vanishes(2 * sp.Add(*table.values()) - bound.xreplace({C: family.C})):
            return False
        apart, means = dual_blocks(summed(forms, table), family.C)
        two = (sp.Matrix(apart) * sp.Matrix(apart).T).tolist()
        if not _at_most_one(products(means, 1 / family.C)) or not (alone or _at_most_one(two)):
            return False
    return True


@rule("dormant-factors", needs=GROUPS)
@lru_cache(maxsize=64)
def dormant_factors(bound: sp.Expr, weights: Table) -> bool:
    """|W_Q P_S|_F^2 + |W_K P_S|_F^2 >= bound - 2 w s for every W_Q^T W_K with the diagonal pattern's margins.

    As ``dormant-dual``, from the inner products of the 2 C rows of Y themselves: those of one group and those of two
    groups x, y, which have the eigenvalues of x - y and x + (C - 1) y. Trusted: sum y <= tr(Y^T W_Q^T W_K) <=
    ||Y||_2 |W_Q P_S|_F |W_K P_S|_F (Cauchy-Schwarz), and 2 x y <= x^2 + y^2; the rest as there.
    """
    for family, alone in families():
        forms, table = _read(family, alone, weights)
        if not vanishes(2 * sp.Add(*table.values()) - bound.xreplace({C: family.C})):
            return False
        size = family.C
        sums = summed(forms, table)
        # a row has one entry on b, one on each of its own e and f, and one on each of the others', where there are any
        on_b = sp.Matrix([sums[row + "b"] for row in "ef"]) / size
        own, far = (sp.Matrix([[sums[row + column] for column in kind] for row in "ef"]) for kind in ("ef", "EF"))
        own /= size
        same = on_b * on_b.T + own * own.T
        parts = [same]
        if not alone:
            far /= size * (size - 1)
            same += (size - 1) * far * far.T
            crossed = on_b * on_b.T + own * far.T + far * own.T + (size - 2) * far * far.T
            parts = [same + (size - 1) * crossed, same - crossed]
        if not all(_at_most_one(part.tolist()) for part in parts):
            return False
    return True


def _read(family: Family, alone: bool, weights: Table) -> tuple[dict[str, dict[str, Any]], dict[str, sp.Expr]]:
    """The forms of the constraints that may be used, and the weights that are not 0.

    Raises ValueError where one is not shown to be >= 0.
    """
    kept = (o for o in orbits(family, "diag", alone=alone) if o.name.startswith("f:") or o.name == OWN)
    found = ((name, weight.xreplace({C: family.C})) for name, weight in weights)
    table = {name: weight for name, weight in found if weight != 0}
    if len({name for name, _ in weights}) < len(weights):
        raise ValueError("a constraint has two weights")
    if not all(map(_never_negative, table.values())):
        raise ValueError("a weight is not shown to be non-negative")
    return {orbit.name: orbit.form for orbit in kept}, table


@lru_cache(maxsize=256)
def _never_negative(weight: sp.Expr) -> bool:
    """Whether all factors of a weight are shown >= 0 for C >= 2 and lam, share in (0, 1)."""
    return all(shown(factor, LEAST_VALUES, above=UNIT, parts=UNIT) for factor in sp.Mul.make_args(weight))


def _at_most_one(product: list[list[sp.Expr]]) -> bool:
    """Whether the block with this B B^T has norm 1 at most."""
    (e, cross), (_, f) = product
    return vanishes(e - share**2) and vanishes((1 - share**2) * (1 - f) - cross**2)


@rule("dormant-pairs", needs=GROUPS, argued=True)
def dormant_pairs(bound: sp.Expr, own: sp.Expr, parts: tuple[Any, Any]) -> bool:
    """The cost of every diagonal solution is at least bound = r_eff/delta^2 + x - w, where w = own <= r_eff/delta^2.

    ``parts``: x - 2 w s bounds the structural part, and for the nuisances the mean over pairs is at least 2, which is
    s >= (n - 1)/n: tr(W Sigma_D) = 2 n s/(n - 1). So 2 ||P_eta W P_eta||_* >= 2 s r_eff/delta^2, and the sum of both is
    at least x + 2 s (r_eff/delta^2 - w), which grows with s, where s >= 1/2 as n >= 2. Trusted: that and, as in
    ``pinching`` and ``factors-add``, that structural and nuisance parts add up.
    """
    structural, pairs = parts
    if not licensed_by(structural, ("dormant-dual", "dormant-factors")) or not licensed_by(pairs, ("pair-average",)):
        return False
    x, weights = structural.data
    return vanishes(own - dict(weights)[OWN]) and vanishes(bound - r_eff / delta2 - x + own)
