"""Section 7: lower bounds of the diagonal cost, and when the sink pattern costs less than the diagonal one.

A case is an instance of the family ``instances.overlapping``: C, n, lam and overlap, then d, kappa and a budget where
the claim is about costs themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.functionals import functional
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Enclosed, Equivalence, derivation, remark
from theorems.kernel.outcome import Between
from theorems.lampert2026.patterns.optimum import ROOT_ERROR, Bracket, root_above, symmetric
from theorems.lampert2026.patterns.symmetric import Family
from theorems.lampert2026.rules.optimum import (
    CHEAPER,
    MEANING,
    NO_SOLUTION,
    ONE,
    PATTERNS,
    C,
    d,
    delta2,
    kappa,
    lam,
    n,
    r_eff,
)
from theorems.lampert2026.rules.optimum_cover import BELOW
from theorems.lampert2026.rules.optimum_dormant import OWN, share

# -- the functionals of a case


def _family(case: Case) -> tuple[int, int, Fraction, Fraction]:
    """C, n, lam, overlap of a case."""
    whole = [case.value(name) for name in ("C", "n")]
    if any(value.denominator != 1 for value in whole):
        raise ValueError(f"C = {whole[0]}, n = {whole[1]}; expected whole numbers")
    C, n, lam, overlap = int(whole[0]), int(whole[1]), case.value("lam"), case.value("overlap")
    if C < 1 or n < 2 or not 0 < lam < 1 or not -1 <= overlap * (C - 1) <= C - 1 or (C == 1 and overlap != 0):
        given = f"C = {C}, n = {n}, lam = {lam}, overlap = {overlap}"
        raise ValueError(f"{given}; expected C >= 1, n >= 2, 0 < lam < 1, -1/(C - 1) <= overlap <= 1 (0 for C = 1)")
    return C, n, lam, overlap


def _costs(case: Case, pattern: str) -> Bracket:
    return symmetric(pattern, *_family(case))


@functional("delta2", latex=r"\delta^2")
def delta_squared(case: Case) -> sp.Expr:
    """delta^2 = 1 - lam^2."""
    return sp.Rational(1 - case.value("lam") ** 2)


@functional("r_eff", latex=r"r_{\mathrm{eff}}(\Sigma_D)")
def effective_rank(case: Case) -> sp.Expr:
    """tr Sigma_D / ||Sigma_D||_2 = (n - 1) C/m, m the largest eigenvalue of the directions' Gram matrix.

    Sigma_D is a multiple of that matrix (x) the covariance of a simplex, which has n - 1 equal eigenvalues beside 0.
    """
    C, n, lam, overlap = _family(case)
    return sp.Rational(C * (n - 1) / Fraction(max(Family(C, n, lam, overlap).spectrum)))


def settled(low: Fraction, high: Fraction, what: str) -> sp.Rational:
    """A number with the sign of one between low and high: low where that is positive, high where that is not.

    Raises ValueError where the two leave the sign open.
    """
    if low > 0:
        return sp.Rational(low)
    if high <= 0:
        return sp.Rational(high)
    raise ValueError(f"{what} lies between {float(low):.3g} and {float(high):.3g}; its sign is not settled")


@functional("sink_gain", latex=r"(\mathrm{OPT}_{\mathrm{diag}}-\mathrm{OPT}_{\mathrm{sink}})")
def gain(case: Case) -> sp.Expr:
    """OPT_diag - OPT_sink in units of kappa/sqrt(d), to the solver's accuracy, with a certified sign."""
    sink, diag = _costs(case, "sink"), _costs(case, "diag")
    return settled(diag.low - sink.high, diag.high - sink.low, "OPT_diag - OPT_sink")


def _ends(pattern: str) -> tuple[sp.Expr, sp.Expr]:
    """The names of the certified ends of a pattern's least cost, in units of kappa/sqrt(d)."""

    def end(name: str) -> Callable[[Case], sp.Expr]:
        return lambda case: sp.Rational(getattr(_costs(case, pattern), name))

    for name in ("low", "high"):
        shown = rf"\mathrm{{OPT}}_{{\mathrm{{{pattern}}}}}^{{\mathrm{{{name}}}}}"
        functional(f"opt_{pattern}_{name}", latex=shown)(end(name))
    return symbol(f"opt_{pattern}_low"), symbol(f"opt_{pattern}_high")


SINK, DIAG = _ends("sink"), _ends("diag")
SINK_COST, DIAG_COST = "least sink cost", "least diagonal cost"


@functional("diag_slack", latex=r"(\mathrm{OPT}_{\mathrm{diag}}-\mathrm{budget})")
def slack(case: Case) -> sp.Expr:
    """OPT_diag - budget sqrt(d)/kappa in units of kappa/sqrt(d), to the solver's accuracy, with a certified sign."""
    budget, kappa, d = (case.value(name) for name in ("budget", "kappa", "d"))
    if kappa <= 0 or d < 1 or budget < 0:
        raise ValueError(f"kappa = {kappa}, d = {d}, budget = {budget}; expected kappa > 0, d >= 1, budget >= 0")
    diag, spent = _costs(case, "diag"), (budget / kappa) ** 2 * d
    # the root lies within 10^-30 below ``above``
    above = root_above(spent)
    return settled(diag.low - above, diag.high - above + ROOT_ERROR, "OPT_diag - budget")


# -- the bounds, for every C, n and lam


def structural_bound(factors: bool = False) -> Step:
    """2 ||P_S W P_S||_* >= 2 (C - 1) sqrt(lam^2 + 4)/lam + 4/sqrt(lam^2 + C) in the diagonal pattern.

    Between groups the row of a copy query needs 2/lam on the group's direction and 1 on itself; on the mean over groups
    a chain c_c -> d_ci over c_c over b_BOS.
    """
    size, whole = sp.sqrt(lam**2 + 4), 1 / sp.sqrt(lam**2 + C)
    chain = (C - 1) * (2 / (lam * size) - whole)
    weights = {
        "f: f > G": chain,
        "f: g > f": chain + C * whole,
        "f: f > F": (C - 1) * lam / size,
        "f: f > b": C * whole,
    }
    bound = 2 * (C - 1) * size / lam + 4 * whole
    data = ("diag", bound, tuple(weights.items()))
    if factors:
        return Step(
            "factor-dual", "|W_Q P_S|_F^2 + |W_K P_S|_F^2 >= {1} in units of kappa/sqrt(d), by multipliers", data
        )
    return Step("symmetric-dual", "2 ||P_S W P_S||_* >= {1} in units of kappa/sqrt(d), by multipliers", data)


def diagonal_bound(factors: bool = False) -> Step:
    """The cost of every diagonal solution is at least 2 (n - 1) r_eff/(n delta^2) + the structural bound.

    By nuclear norms, or from the factors W_Q and W_K themselves.
    """
    structural, pairs = structural_bound(factors), _pairs()
    total = pairs.data[2] + structural.data[1]
    if factors:
        return Step(
            "factors-add", "|W_Q|_F^2 + |W_K|_F^2 >= {0}: orthogonal parts add up", (total, (structural, pairs))
        )
    return Step("pinching", "2 ||W||_* >= {0}: structural and nuisance blocks add up", (total, (structural, pairs)))


def _pairs() -> Step:
    trace, nuisances = 2 * n * delta2 / (n - 1), 2 * (n - 1) * r_eff / (n * delta2)
    words = "tr(W Sigma_D) >= {0} and tr Sigma_D = {1}: 2 ||P_eta W P_eta||_* >= {2}"
    return Step("pair-average", words, (sp.Integer(2), trace, nuisances))


def dormant_bound(factors: bool = False) -> Step:
    """The cost of every diagonal solution is at least r_eff/delta^2 + w + 2 (C - 1) N + 2 (2 + lam^2) h.

    w = C share/(lam sqrt(1 + lam^2)) <= r_eff/delta^2, for any share in [0, 1], N^2 = 1 + 4/lam^2 - share^2/(1 +
    lam^2), and 1/h^2 = (1 + lam^2)(lam^2 + C (1 + lam^2)). Between groups, the dormant queries' rows of the dual matrix
    are share (lam e_c - f_c)/sqrt(1 + lam^2), and the copy queries' ones the best beside these; on the mean over groups
    the two are orthogonal.
    """
    one = 1 + lam**2
    whole, size = 1 / sp.sqrt(one * (lam**2 + C * one)), sp.sqrt(1 + 4 / lam**2 - share**2 / one)
    chain = (C - 1) * ((2 / lam**2 - share**2 / one) / size - whole)
    own = C * share / (lam * sp.sqrt(one))
    weights = {
        "f: f > G": chain,
        "f: g > f": chain + C * whole,
        "f: f > F": (C - 1) * ((1 + share**2 / one) / size - lam**2 * whole),
        "f: f > b": C * one * whole,
        OWN: own,
    }
    structural = 2 * (C - 1) * size + 2 * (2 + lam**2) * whole + 2 * own
    words = "the structural part costs at least {0} without what the nuisances do for dormant queries, by multipliers"
    rule = "dormant-factors" if factors else "dormant-dual"
    first = Step(rule, words, (structural, tuple(weights.items())))
    total = r_eff / delta2 + structural - own
    return Step(
        "dormant-pairs",
        "a diagonal solution costs at least {0} where {1} <= r_eff/delta^2",
        (total, own, (first, _pairs())),
    )


def sink_solution() -> Step:
    """A sink solution of cost 4 (C - 1)/lam + 2 sqrt(C (1 + 1/lam^2) + 4 sqrt(C)/lam + 4/C), for every C."""
    entries = {
        "eb": 1 / lam,
        "fb": 1 - 2 / C,
        "fe": 2 / lam - 2 / (lam * C),
        "fE": -2 / (lam * C),
        "ff": -2 / C,
        "fF": -2 / C,
    }
    means = sp.sqrt(C * (1 + 1 / lam**2) + 4 * sp.sqrt(C) / lam + 4 / C)
    cost = 4 * (C - 1) / lam + 2 * means
    data = ("sink", cost, tuple(entries.items()), (2 / lam, sp.Integer(0)), (means, 2 * sp.sqrt(C) / lam))
    return Step("symmetric-primal", "a sink solution has 2 ||W||_* = {1}", data)


def second_sink_solution() -> Step:
    """One of cost 4 (C - 1)/lam + 2 sqrt((C + 4)/lam^2 + C + 4/C + 8/(lam sqrt(C))), less for many groups.

    Its dormant queries turn from the copy tokens too.
    """
    first = sink_solution()
    entries = dict(first.data[2]) | {"ef": -2 / (lam * C), "eF": -2 / (lam * C)}
    root = 4 / (lam * sp.sqrt(C))
    means = sp.sqrt((C + 4) / lam**2 + C + 4 / C + 2 * root)
    data = ("sink", 4 * (C - 1) / lam + 2 * means, tuple(entries.items()), first.data[3], (means, root))
    return Step(first.rule, first.words, data)


def _parts(step: Step) -> tuple[Step, ...]:
    """The steps that a step rests on, first to last, then itself."""
    found: list[Step] = []
    for item in step.data:
        for part in item if isinstance(item, tuple) else (item,):
            if isinstance(part, Step):
                found += [one for one in _parts(part) if one not in found]
    return (*found, step)


def _decides(prop: str) -> Step:
    return Step("optimum-decides", "{0} iff {1}: the least costs are attained", (prop, MEANING[prop]))


def sink_between() -> Enclosed:
    """The least sink cost: the certified ends at a case, and the solutions for every C, n and lam."""
    return Enclosed((SINK[0],), (SINK[1], sink_solution().data[1], second_sink_solution().data[1]))


def diagonal_between(second_route: bool, unit: sp.Expr = ONE) -> Enclosed:
    """The least diagonal cost over ``unit``: the certified ends at a case, and the bounds for every C, n and lam.

    The bound with dormant queries is taken at the largest share that it holds for.
    """
    whole, own, _ = dormant_bound(second_route).data
    most = sp.Min(1, share * r_eff / (delta2 * own))
    lows = (DIAG[0], diagonal_bound(second_route).data[0], whole.xreplace({share: most}))
    return Enclosed(tuple(unit * low for low in lows), (unit * DIAG[1],))


def _equivalence(
    prop: str, points: tuple[dict[str, Any], ...], costs: dict[str, Enclosed], *implications: Step
) -> dict[str, Equivalence | Enclosed]:
    steps: list[Step] = []
    for implication in implications:
        steps += [step for step in _parts(implication) if step not in steps]
    last = _decides(prop)
    sufficient = tuple(step.data[1] for step in implications)
    factors = any(step.rule == "factor-dual" for step in steps)
    method = (
        f"{'multipliers against the factors W_Q, W_K' if factors else 'primal and dual certificates'}, every C, n, lam"
    )
    found = Equivalence(prop, MEANING[prop], points, (*steps, last), method, sufficient=sufficient, facts=PATTERNS)
    return {prop: found, **costs}


# -- the lower bound of the diagonal pattern


def _no_solution(bound: Step) -> Step:
    spent = "budget {} kappa/sqrt(d)*(" + str(bound.data[0]) + ")"
    below = Step("budget-below", "{0} if {1}", (NO_SOLUTION, (spent.format("<"),), bound))
    return Step("budget-at", "{0} if {1}: no solution attains the bound", (NO_SOLUTION, (spent.format("<="),), below))


def _point(C: int, lam: str, **more: str) -> dict[str, str]:
    return {"C": str(C), "n": "2", "lam": lam, "overlap": "0", **more}


#: Smallest first: d = 4 is the least dimension of an instance.
BUDGETS = tuple(
    _point(1, lam, d=size, kappa="1", budget=budget)
    for size, budget in (("4", "4"), ("16", "3"))
    for lam in ("4/5", "3/5")
)


@derivation("lampert2026.sec7.diag-lower")
@derivation("lampert2026.sec7.diag-lower-other")
def diag_lower(second_route: bool) -> dict[str, Equivalence | Enclosed]:
    """No diagonal solution costs less than kappa/sqrt(d) times the bound of ``diagonal_bound``.

    Among the points are instances in which a solution is cheap for its dimension.
    """
    sharp = diagonal_bound(second_route)
    simple = Step("weaker-bound", "2 ||W||_* >= {0}", (r_eff / delta2 + 2 * C, sharp))
    costs = {DIAG_COST: diagonal_between(second_route, kappa / sp.sqrt(d))}
    return _equivalence(NO_SOLUTION, BUDGETS, costs, _no_solution(sharp), _no_solution(simple))


# -- sinks against diagonals

#: Instances of one group and of two, the least lam first; one with lam^2 > 1/2 where the diagonal pattern is cheaper.
GAINS = (
    *(_point(C, lam) for C in (1, 2) for lam in ("1/2", "3/5", "4/5")),
    {**_point(2, "71/100"), "overlap": "1"},
)

R = sp.Rational
#: Numbers for which the proof goes through, by lam alone, and by lam and r_eff: what is covered, from below.
SUFFICIENT = {
    ("lam >= 17/20",): (R(17, 20), R(1)),
    ("lam**2 >= 1/4", "r_eff > 73/5*delta2"): (R(1, 2), R(73, 5) * delta2),
    ("lam**2 >= 1/2", "r_eff > 36/5*delta2 - 9/10"): (R(7071, 10000), R(36, 5) * delta2 - R(9, 10)),
}


@derivation("lampert2026.sec7.sinks-always-cheaper")
@derivation("lampert2026.sec7.sinks-cheaper-when")
def sinks_cheaper(second_route: bool) -> dict[str, Equivalence | Enclosed]:
    """Sinks are cheaper iff the certified difference of the least costs is positive; some conditions suffice."""
    upper, lower = sink_solution(), diagonal_bound(second_route)
    condition = f"{upper.data[1]} < {lower.data[0]}"
    apart = Step("costs-apart", "{0} if {1}", (CHEAPER, (condition,), (upper, lower)))
    # first the one that asks for lam alone, where every number counts
    alone, *both = (_where(conditions, *ends, second_route) for conditions, ends in SUFFICIENT.items())
    costs = {SINK_COST: sink_between(), DIAG_COST: diagonal_between(second_route)}
    return _equivalence(CHEAPER, GAINS, costs, alone, apart, *both)


def _where(conditions: tuple[str, ...], start: sp.Rational, least: sp.Expr, second_route: bool) -> Step:
    uppers, lower = (second_sink_solution(), sink_solution()), dormant_bound(second_route)
    costs = tuple(upper.data[1] for upper in uppers)
    words = "a sink solution costs less for every C >= 1 and n >= 2 if lam >= {3} and r_eff > {4}"
    cover = Step(BELOW, words, (costs, *lower.data[:2], start, least))
    return Step("costs-apart-where", "{0} if {1}", (CHEAPER, conditions, uppers, lower, cover))


@remark("lampert2026.sec7.diag-lower-other")
@remark("lampert2026.sec7.sinks-always-cheaper")
def certified_costs() -> list[Between]:
    """The least costs between certified bounds at small instances of one group."""
    found = []
    for point in GAINS[:3]:
        brackets = {f"OPT_{pattern}": _costs(Case(point), pattern) for pattern in ("sink", "diag")}
        ends = {name: (bracket.low, bracket.high) for name, bracket in brackets.items()}
        found.append(Between(point, "kappa/sqrt(d)", ends))
    return found
