"""Near misses and further true steps of the rules of theorems/lampert2026/rules/optimum_ends.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from tests.mutation.near_misses.optimum import PLAIN, primal
from tests.mutation.steps import step
from theorems.gaussian.process import Step
from theorems.lampert2026.comparison import diagonal_bound, dormant_bound, second_sink_solution, sink_solution
from theorems.lampert2026.rules.optimum import CHEAPER, NO_SOLUTION, C, delta2, r_eff
from theorems.lampert2026.rules.optimum_cover import BELOW

R = sp.Rational


BOUNDS = tuple(diagonal_bound(factors) for factors in (False, True))
WEAK = step("weaker-bound", r_eff / delta2 + 2 * C, BOUNDS[0])
SINK = sink_solution()
APART = step("costs-apart", CHEAPER, (f"{SINK.data[1]} < {BOUNDS[0].data[0]}",), (SINK, BOUNDS[0]))


def _spent(relation: str, bound: Any) -> str:
    return f"budget {relation} kappa/sqrt(d)*({bound})"


def _below(bound: Step, relation: str = "<", factor: int = 1) -> Step:
    return step("budget-below", NO_SOLUTION, (_spent(relation, factor * bound.data[0]),), bound)


def _at(bound: Step) -> Step:
    return step("budget-at", NO_SOLUTION, (_spent("<=", bound.data[0]),), _below(bound))


#: Costs of sink solutions, and a bound of every diagonal one.
UPPERS, LOWER = (second_sink_solution(), SINK), dormant_bound()
COSTS = tuple(upper.data[1] for upper in UPPERS)
#: For lam >= 99/100.
ALONE = step(BELOW, COSTS, *LOWER.data[:2], R(99, 100), R(1))
BOTH = step(BELOW, COSTS, *LOWER.data[:2], R(99, 100), 100 * delta2)


def _where(
    *conditions: str, prop: str = CHEAPER, uppers: Any = UPPERS, lower: Step = LOWER, cover: Step = ALONE
) -> Step:
    return step("costs-apart-where", prop, conditions, uppers, lower, cover)


def near() -> Iterator[tuple[str, Step]]:
    """Why a step is false, or lacks a hypothesis, and the step."""
    bound = WEAK.data[0]
    told = _spent("<=", bound)
    for why, prop, conditions, part in (
        ("more than the bound", NO_SOLUTION, (_spent(">", bound),), _below(WEAK)),
        ("at least the bound", NO_SOLUTION, (_spent(">=", bound),), _below(WEAK)),
        ("other than the bound", NO_SOLUTION, (_spent("!=", bound),), _below(WEAK)),
        ("twice the bound", NO_SOLUTION, (_spent("<=", 2 * bound),), _below(WEAK)),
        ("another property", CHEAPER, (told,), _below(WEAK)),
        ("no condition", NO_SOLUTION, (), _below(WEAK)),
        ("one condition more", NO_SOLUTION, (told, "C > 1"), _below(WEAK)),
        ("a false bound", NO_SOLUTION, (_spent("<=", 2 * bound),), _below(WEAK, factor=2)),
        ("costs that are apart", NO_SOLUTION, (f"{SINK.data[1]} <= {BOUNDS[0].data[0]}",), APART),
        ("nothing is known below the bound", NO_SOLUTION, (told,), _below(WEAK, ">")),
    ):
        yield why, step("budget-at", prop, conditions, part)
    yield from _ends()


def _ends() -> Iterator[tuple[str, Step]]:
    last, much = "lam >= 99/100", "r_eff > 100*delta2"
    second, first = UPPERS
    yield from (
        ("a smaller lam", _where("lam >= 98/100")),
        ("a smaller square of lam", _where("lam**2 >= 98/100")),
        ("a square that is the number itself", _where("lam**2 >= 9800/10000")),
        ("lam at most", _where("lam <= 99/100")),
        ("lam below", _where("lam < 99/100")),
        ("lam above, where more may be said", _where("lam > 99/100")),
        ("lam other than", _where("lam != 99/100")),
        ("lam is", _where("lam == 99/100")),
        ("lam below 0", _where("lam >= -99/100")),
        ("any lam", _where("lam >= 0")),
        ("any square of lam", _where("lam**2 >= 0")),
        ("a square of lam below 0", _where("lam**2 >= -1/2")),
        ("a power of lam", _where("lam**4 >= 99/100")),
        ("a name", _where("lam >= C")),
        ("the square of a name", _where("lam**2 >= C**2")),
        ("twice lam", _where("2*lam >= 99/100")),
        ("another property", _where(last, prop=NO_SOLUTION)),
        ("no condition", _where()),
        ("one condition more", _where(last, much)),
        ("two conditions more", _where(last, much, "C > 1", cover=BOTH)),
        ("no word of r_eff, which must be large", _where(last, cover=BOTH)),
        ("r_eff at least", _where(last, much.replace(">", ">="), cover=BOTH)),
        ("r_eff below", _where(last, much.replace(">", "<"), cover=BOTH)),
        ("r_eff other than", _where(last, much.replace(">", "!="), cover=BOTH)),
        ("a smaller r_eff", _where(last, "r_eff > 99*delta2", cover=BOTH)),
        ("r_eff against a name", _where(last, "r_eff > C*delta2", cover=BOTH)),
        ("the conditions exchanged", _where(much, last, cover=BOTH)),
        ("r_eff alone", _where(much, cover=BOTH)),
        ("one sink solution of two", _where(last, uppers=(second,))),
        ("the sink solutions exchanged", _where(last, uppers=(first, second))),
        ("a sink solution that is not compared", _where(last, uppers=(second, primal(PLAIN)))),
        ("no sink solution", _where(last, uppers=())),
        ("a false cost", _where(last, uppers=(_less(second), first), cover=_compared((_less(second), first)))),
        (
            "a false cost beside a true one",
            _where(last, uppers=(second, _less(first)), cover=_compared((second, _less(first)))),
        ),
        ("a false bound", _where(last, lower=_more(1), cover=_compared(UPPERS, _more(1)))),
        (
            "a bound that is not compared",
            _where(last, lower=dormant_bound(factors=True), cover=_compared(UPPERS, _more(-1))),
        ),
        ("no bound", _where(last, lower=SINK)),
        ("a bound without a word of share", _where(last, lower=BOUNDS[0], cover=_compared(UPPERS, BOUNDS[0]))),
        ("no comparison", _where(last, cover=SINK)),
        ("a comparison that fails", _where("lam >= 1/2", cover=step(BELOW, *ALONE.data[:3], R(1, 2), R(1)))),
        ("conditions for a comparison", _where(last, cover=APART)),
    )


def _less(sink: Step) -> Step:
    return step(sink.rule, sink.data[0], sink.data[1] - 1, *sink.data[2:])


def _more(number: int) -> Step:
    return step(LOWER.rule, LOWER.data[0] + number, *LOWER.data[1:])


def _compared(uppers: tuple[Step, ...], lower: Step = LOWER) -> Step:
    return step(BELOW, tuple(upper.data[1] for upper in uppers), *lower.data[:2], R(99, 100), R(1))


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from map(_at, (WEAK, *BOUNDS))
    yield from (_where("lam >= 99/100"), _where("lam**2 >= 99/100"), _where("2*lam >= 99/100 + lam"))
    yield from (_where("lam >= 99/100", "r_eff > 100*delta2", cover=BOTH), _where("lam**2 >= 9801/10000"))
    yield _where("lam >= 99/100", lower=dormant_bound(factors=True))
    yield _where("lam >= 99/100", uppers=UPPERS[:1], cover=_compared(UPPERS[:1]))
