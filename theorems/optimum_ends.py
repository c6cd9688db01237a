"""Trusted rules for where the proved bounds of the costs end: at the bound itself, and at a value of lam alone.

Costs are in units of kappa/sqrt(d), as in ``optimum_rules``.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorems.closed import vanishes
from theorems.conditions import read
from theorems.implication import ABOVE, IMPLICATIONS, LEAST_VALUES, PARTS
from theorems.optimum_rules import CHEAPER, LEAST, NO_SOLUTION, lam
from theorems.process import Step
from theorems.rules import licensed, rule

#: Least values of the names, where d counts dimensions; lam and delta2 lie strictly between 0 and 1, kappa above 0.
ENDS = {**LEAST, "d": 1}
LEAST_VALUES.update(ENDS)
PARTS.update({"lam", "delta2"})
ABOVE.update({"lam", "delta2", "kappa"})


@rule("budget-at")
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


@rule("costs-apart-from")
def costs_apart_from(prop: str, conditions: tuple[str, ...], part: Any) -> bool:
    """Sinks are cheaper if lam >= L, where they are for lam^2 >= m and r_eff > K delta^2: L^2 >= m and K (1 - L^2) < 1.

    Trusted: r_eff >= 1, as a trace is at least the norm, and delta^2 = 1 - lam^2.
    """
    (condition,) = conditions
    gap, allowed = read(condition)
    # both are numbers, or their comparison fails
    start, least, constant = lam - gap, lam**2 - read(part.data[1][0])[0], part.data[4]
    known = prop == CHEAPER and licensed(Step("costs-apart-everywhere", "", part.data))
    return bool(known and allowed == (0, 1) and start >= sp.sqrt(least) and constant * (1 - start**2) < 1)


IMPLICATIONS.update({"budget-at", "costs-apart-from"})
