"""Near misses and further true steps of the rules of theorems/lampert2026/rules/optimum_dormant.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp

from tests.mutation.steps import step
from theorems.algebra.expressions import symbol
from theorems.gaussian.process import Step
from theorems.lampert2026.comparison import dormant_bound, structural_bound
from theorems.lampert2026.rules.optimum import C, lam
from theorems.lampert2026.rules.optimum_dormant import OWN, share

R = sp.Rational
ZERO = sp.Integer(0)
BOUNDS = tuple(dormant_bound(factors) for factors in (False, True))
STRUCTURAL = tuple(bound.data[2][0] for bound in BOUNDS)
PAIRS = BOUNDS[0].data[2][1]
RULES = tuple(structural.rule for structural in STRUCTURAL)


def _dual(rule: str, weights: Mapping[str, sp.Expr], bound: sp.Expr | None = None) -> Step:
    """Multipliers, and the bound that they give or another."""
    return step(rule, 2 * sp.Add(*weights.values()) if bound is None else bound, tuple(weights.items()))


WEIGHTS: Mapping[str, sp.Expr] = dict(STRUCTURAL[0].data[1])
BOUND: sp.Expr = STRUCTURAL[0].data[0]
ONE = 1 + lam**2
#: Rows orthogonal to the dormant ones, without a part between groups: c_c prefers d_ci to itself, and itself to b_BOS.
MEAN = 1 / sp.sqrt(ONE * (lam**2 + C * ONE))


def _cycle(on_e: sp.Expr, on_f: sp.Expr, mean: sp.Expr = MEAN, own: sp.Expr = WEIGHTS[OWN]) -> dict[str, sp.Expr]:
    """Multipliers with copy rows (on_e, on_f) between groups, and mean (lam, lam^2, -(1 + lam^2) C) on the means."""
    chain = (C - 1) * (on_e / lam - mean)
    return {
        "f: f > G": chain,
        "f: g > f": chain + C * mean,
        "f: f > F": (C - 1) * (on_f - lam**2 * mean),
        "f: f > b": C * ONE * mean,
        OWN: own,
    }


#: Between groups orthogonal to the dormant rows as well: right for every share.
APART = _cycle(1 / sp.sqrt(ONE), lam / sp.sqrt(ONE))


def near() -> Iterator[tuple[str, Step]]:
    """Why a step is false, and the step."""
    for rule in RULES:
        yield "a little more than the bound", _dual(rule, WEIGHTS, BOUND + R(1, 1000))
        yield "a little less than the bound, which nothing says", _dual(rule, WEIGHTS, BOUND - R(1, 1000))
        yield "more by a factor", _dual(rule, WEIGHTS, BOUND * R(1001, 1000))
        yield "the sum itself", _dual(rule, WEIGHTS, BOUND / 2)
        for name, weight in WEIGHTS.items():
            yield "a weight doubled", _dual(rule, {**WEIGHTS, name: 2 * weight})
            yield "a weight of the other sign", _dual(rule, {**WEIGHTS, name: -weight})
            yield "a weight left out", _dual(rule, {n: w for n, w in WEIGHTS.items() if n != name})
            yield "a weight that counts other groups for none", _dual(rule, {**WEIGHTS, name: weight + C - 1})
        yield "no weights, and a bound", _dual(rule, {}, BOUND)
        yield "a weight twice", step(rule, BOUND + 2 * WEIGHTS[OWN], (*WEIGHTS.items(), (OWN, WEIGHTS[OWN])))
        yield "a weight, and then 0", step(rule, BOUND, (*WEIGHTS.items(), (OWN, ZERO)))
        yield "a constraint that the nuisances meet alone", _dual(rule, {**WEIGHTS, "g: g > h": C})
        yield (
            "dormant rows twice as long",
            _dual(rule, {**APART, OWN: 2 * APART[OWN]}),
        )
        long = R(3, 2) * WEIGHTS[OWN] / share
        yield "dormant rows longer than 1", _dual(rule, _cycle(*_best(R(3, 2)), own=long))
        yield "a little too much on the mean", _dual(rule, _cycle(*_best(share), mean=R(101, 100) * MEAN))
        yield "a constraint that is none", _dual(rule, {**WEIGHTS, "g: f > g": WEIGHTS[OWN]})
        yield "another constraint of the dormant queries", _dual(rule, {**WEIGHTS, "g: g > b": WEIGHTS[OWN]})
        yield "a constraint of the sink pattern", _dual(rule, {**WEIGHTS, "f: b > f": R(1, 9)})
        yield "all rows too long", _dual(rule, {name: R(11, 10) * weight for name, weight in WEIGHTS.items()})
        yield "dormant rows of length 2 share", _dual(rule, _cycle(*_best(2 * share), own=2 * WEIGHTS[OWN]))
        yield "dormant rows on the other side", _dual(rule, {**APART, OWN: -WEIGHTS[OWN]})
        yield "too much between groups", _dual(rule, _cycle(2 / lam / _size(ZERO), 1 / _size(ZERO)))
        yield "too much on the mean", _dual(rule, _cycle(*_best(share), mean=1 / sp.sqrt(lam**2 + C)))
        yield "more on the mean than there is", _dual(rule, _cycle(*_best(share), mean=2 * MEAN))
        yield "a copy query that turns from its group", _dual(rule, _cycle(-1 / sp.sqrt(ONE), -lam / sp.sqrt(ONE)))
        yield "rows that fit more than one group alone", _dual(rule, {"f: f > F": C - 1, OWN: WEIGHTS[OWN]})
        yield "rows that fit one group alone", _dual(rule, {"f: f > b": sp.Integer(1), OWN: WEIGHTS[OWN]})
    for bound in BOUNDS:
        total, own, (structural, pairs) = bound.data
        yield "a little more in all", step("dormant-pairs", total + R(1, 1000), own, (structural, pairs))
        yield "twice the nuisances", step("dormant-pairs", total + symbol("r_eff"), own, (structural, pairs))
        yield "what the nuisances do counted twice", step("dormant-pairs", total + own, own, (structural, pairs))
        yield "no word of what they do", step("dormant-pairs", total + own, ZERO, (structural, pairs))
        yield "other than what they do", step("dormant-pairs", total - own, 2 * own, (structural, pairs))
        yield "the parts exchanged", step("dormant-pairs", total, own, (pairs, structural))
        more = step(structural.rule, structural.data[0] + 1, structural.data[1])
        yield "a false structural part", step("dormant-pairs", total + 1, own, (more, pairs))
        hidden = step(structural.rule, structural.data[0], (*structural.data[1], (OWN, ZERO)))
        yield "what they do hidden by a second weight", step("dormant-pairs", total + own, ZERO, (hidden, pairs))
        false = step("pair-average", sp.Integer(3), *pairs.data[1:])
        yield "a false mean over pairs", step("dormant-pairs", total, own, (structural, false))
        cone = step("energy-cone", symbol("t1"), symbol("t2"))
        yield "no mean over pairs", step("dormant-pairs", total, own, (structural, cone))
    for factors in (False, True):
        plain = structural_bound(factors)
        bound = BOUNDS[0].data[0] - BOUND + BOUNDS[0].data[1] + plain.data[1]
        yield "a structural part of copy queries alone", step("dormant-pairs", bound, ZERO, (plain, PAIRS))
        forged = step(plain.rule, *plain.data[1:])
        yield "a structural part that says nothing of a pattern", step("dormant-pairs", bound, ZERO, (forged, PAIRS))


def _size(length: sp.Expr) -> sp.Expr:
    return sp.sqrt(1 + 4 / lam**2 - length**2 / ONE)


def _best(length: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The best copy row between groups beside dormant rows of a length."""
    return (2 / lam - length**2 * lam / ONE) / _size(length), (1 + length**2 / ONE) / _size(length)


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (*STRUCTURAL, *BOUNDS)
    for rule, (_, own, (_, pairs)) in zip(RULES, (bound.data for bound in BOUNDS), strict=True):
        apart = _dual(rule, APART)
        yield from (apart, _dual(rule, {**WEIGHTS, "g: g > b": ZERO, "f: f > h": ZERO}))
        yield step("dormant-pairs", symbol("r_eff") / symbol("delta2") + apart.data[0] - own, own, (apart, pairs))
