"""Near misses and further true steps of the rule of theorems/lampert2026/rules/optimum_cover.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.gaussian.process import Step
from theorems.lampert2026.comparison import diagonal_bound, dormant_bound, second_sink_solution, sink_solution
from theorems.lampert2026.rules.optimum import C, delta2, lam, n, r_eff
from theorems.lampert2026.rules.optimum_cover import BELOW
from theorems.lampert2026.rules.optimum_dormant import share

R = sp.Rational
SECOND, FIRST = (sink.data[1] for sink in (second_sink_solution(), sink_solution()))
LOWER, OWN = dormant_bound().data[:2]


def _below(
    start: Any,
    least: Any = 1,
    uppers: tuple[sp.Expr, ...] = (SECOND, FIRST),
    lower: sp.Expr = LOWER,
    own: sp.Expr = OWN,
) -> Step:
    return Step(BELOW, "", (uppers, lower, own, sp.sympify(start), sp.sympify(least)))


def near() -> Iterator[tuple[str, Step]]:
    """Why a step is false, or says nothing, and the step."""
    last = R(99, 100)
    yield from (
        ("a smaller lam", _below(R(21, 25))),
        ("a much smaller lam", _below(R(1, 2))),
        ("a smaller r_eff", _below(R(7, 10), 4 * delta2)),
        ("a smaller r_eff for small lam", _below(R(1, 2), 10 * delta2)),
        ("an r_eff that is above all", _below(R(7, 10), 0)),
        ("an r_eff that is negative", _below(R(7, 10), -100 * delta2)),
        ("r_eff against 1/delta^2", _below(R(7, 10), 1 / (10 * delta2))),
        ("r_eff that is large for lam near to 1", _below(R(1, 2), 100 - 150 * delta2)),
        ("a lam with a name", _below(C)),
        ("a lam that is no rational", _below(sp.sqrt(R(99, 100)))),
        ("r_eff against a name", _below(last, C * delta2)),
        ("r_eff against itself", _below(last, r_eff)),
        ("the first cost alone, for many groups", _below(R(17, 20), uppers=(FIRST,))),
        ("the second cost alone, for few groups", _below(R(17, 20), uppers=(SECOND,))),
        ("r_eff against more than a float tells apart", _beyond()),
        ("r_eff that counts twice where lam is near to 1", _below(last, -1, (75 + C / 2,), r_eff / delta2 + C)),
        ("a little more of the dormant rows", _below(R(1, 2), 1, (R(107, 6),), r_eff / delta2 + C + 20 * C * share)),
        ("no cost", _below(last, uppers=())),
        ("a cost that is larger", _below(last, uppers=(SECOND + 1000 * C, FIRST + 1000 * C))),
        ("a cost that is larger for many groups", _below(last, uppers=(FIRST + C**2 / 1000,))),
        ("a cost that is larger for one group", _below(last, uppers=(FIRST + 1000 / C,))),
        (
            "a cost that is larger for small lam",
            _below(R(1, 2), 15 * delta2, uppers=(SECOND + 10 / lam**3, FIRST + 10 / lam**3)),
        ),
        ("a cost that names the tokens", _below(last, uppers=(n,))),
        ("a cost that depends on what is used", _below(last, uppers=(SECOND - 1000 * C * share,))),
        ("a cost of a name that stands for the nuisances", _below(last, uppers=(sp.Symbol("q"),))),
        ("a bound of such a name", _below(last, lower=LOWER + 1000 * sp.Symbol("q"))),
        ("a bound that is smaller", _below(last, lower=LOWER - 1000 * C)),
        ("a bound that is smaller for one group", _below(last, lower=LOWER - 1000 / C)),
        ("a bound that grows with what share is, and less is used", _below(last, own=OWN / 2)),
        ("more of the dormant rows than there is", _below(last, own=2 * OWN)),
        ("dormant rows that are not used", _below(last, own=sp.Integer(0))),
        ("dormant rows that cost something else", _below(last, own=C * share / lam)),
        ("a bound without dormant rows", _below(R(17, 20), lower=LOWER.xreplace({share: sp.Integer(0)}))),
        ("a bound with the tokens of a group", _below(last, lower=diagonal_bound().data[0])),
        ("a bound that counts the nuisances twice", _below(last, lower=LOWER + r_eff / delta2)),
        ("a bound that does not count them", _below(last, lower=LOWER - r_eff / delta2)),
    )


def _beyond() -> Step:
    """A cost above the bound by less than a float's last digit, for one group and lam = 1/2."""
    ranks = 10**12 + R(1, 3)
    cost = (ranks + R(1, 10**6)) / C**4 / (2 * lam) ** 8
    return _below(R(1, 2), ranks * delta2, uppers=(cost,), lower=r_eff / delta2 + ranks * (C - 1))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from (_below(R(99, 100)), _below(R(99, 100), -delta2), _below(R(9, 10), 100 * delta2))
    yield from (_below(R(1, 2), 9 / delta2), _below(R(1, 2), 60 - 60 * delta2))
    yield from (_below(R(99, 100), uppers=(FIRST,)), _below(R(99, 100), uppers=(SECOND, FIRST + 1000)))
    yield _below(R(9, 10), uppers=(SECOND, FIRST))
