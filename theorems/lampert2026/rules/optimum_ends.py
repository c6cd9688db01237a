"""Trusted rules for where the proved bounds of the costs end: at the bound itself, and where sinks stop being cheaper.

Costs are in units of kappa/sqrt(d), as in ``rules.optimum``.
"""

from __future__ import annotations

from typing import Any

from theorems.algebra.closed import vanishes
from theorems.claims.conditions import read
from theorems.gaussian.process import Step
from theorems.lampert2026.rules.optimum import CHEAPER, GROUPS, NO_SOLUTION, lam, r_eff
from theorems.lampert2026.rules.optimum_cover import BELOW
from theorems.rules import licensed, licensed_by, rule
from theorems.rules.implication import IMPLICATIONS


@rule("budget-at", needs=(*GROUPS, "kappa > 0", "d >= 1"), argued=True)
def budget_at(prop: str, conditions: tuple[str, ...], part: Any) -> bool:
    """No solution costs the budget if budget <= kappa/sqrt(d) times a proved lower bound, as no solution attains it.

    ``part`` says so for budgets below the bound. Trusted: the bound is one for the copy queries' rows P_f W P_S alone,
    and the mean tr(W Sigma_D) >= 2 kappa sqrt(d) over the pairs, or less. Where another row of P_S W P_S is not 0, its
    nuclear norm is above that of P_f W P_S: no singular value is smaller, and their squares add up to more. Where all
    others are 0, d_ci^T W (d_ci - b_BOS) has over i the mean of eta_ci^T W eta_ci, as sum_i eta_ci = 0; so that is at
    least kappa sqrt(d), and tr(W Sigma_D), the mean of it over c times 2 n/(n - 1), is above 2 kappa sqrt(d). The least
    cost is attained.
    """
    (condition,), (below,) = conditions, part.data[1]
    gap, allowed = read(condition)
    known = prop == NO_SOLUTION and licensed(Step("budget-below", "", part.data))
    return known and allowed == (-1, 0) and vanishes(gap - read(below)[0])


@rule("costs-apart-where", needs=GROUPS)
def costs_apart_where(prop: str, conditions: tuple[str, ...], uppers: tuple[Any, ...], lower: Any, cover: Any) -> bool:
    """Sinks are cheaper if lam >= L (lam^2 >= L^2) and r_eff > f(delta^2), or under the first alone, for every C and n.

    ``uppers`` are sink solutions; ``cover`` (``below-everywhere``) says that one of them costs less than the bound
    ``lower`` of every diagonal one. Trusted: r_eff >= 1, as a trace is at least the norm, and delta^2 = 1 - lam^2.
    """
    if prop != CHEAPER or not all(licensed_by(upper, ("symmetric-primal",)) for upper in uppers):
        return False
    if not licensed_by(lower, ("dormant-pairs",)) or not licensed_by(cover, (BELOW,)):
        return False
    costs, bound, own, start, least = cover.data
    if costs != tuple(upper.data[1] for upper in uppers) or (bound, own) != lower.data[:2]:
        return False
    (gap, allowed), *more = map(read, conditions)
    if allowed != (0, 1) or not (lam - gap == start or lam**2 - gap >= start**2):
        return False
    # r_eff > least, or no word of r_eff
    return more == ([] if least == 1 else [(r_eff - least, (1,))])


IMPLICATIONS.update({"budget-at", "costs-apart-where"})
