"""Near misses and further true steps of the rules of theorems/optimum_ends.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorems.lampert2026.comparison import diagonal_bound, sink_solution
from theorems.optimum_rules import CHEAPER, NO_SOLUTION, C, delta2, r_eff
from theorems.process import Step

R = sp.Rational


def step(rule: str, *data: Any) -> Step:
    """A step without words."""
    return Step(rule, "", data)


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


def _everywhere(largest: Any, constant: Any, relation: str = ">") -> Step:
    conditions = (f"lam**2 >= {1 / R(largest) ** 2}", f"r_eff {relation} {R(constant)}*delta2")
    return step("costs-apart-everywhere", CHEAPER, conditions, APART, R(largest), R(constant))


#: For lam^2 >= 225/256 and r_eff > 8 delta^2.
NEAR_ONE = _everywhere("16/15", 8)


def _from(condition: str, part: Step = NEAR_ONE, prop: str = CHEAPER) -> Step:
    return step("costs-apart-from", prop, (condition,), part)


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
    # of lam >= 15/16 and no less
    yield from (
        ("a smaller lam", _from("lam >= 14/15")),
        ("lam at most", _from("lam <= 15/16")),
        ("lam other than", _from("lam != 15/16")),
        ("lam below 0", _from("lam >= -15/16")),
        ("any lam", _from("lam >= 0")),
        ("a power of lam", _from("lam**2 >= 15/16")),
        ("a name", _from("lam >= C")),
        ("another property", _from("lam >= 15/16", prop=NO_SOLUTION)),
        ("no condition", step("costs-apart-from", CHEAPER, (), NEAR_ONE)),
        ("one condition more", step("costs-apart-from", CHEAPER, ("lam >= 15/16", "C > 1"), NEAR_ONE)),
        ("r_eff may be too small for the constant", _from("lam >= 9/10", _everywhere("10/9", 9))),
        ("r_eff may be just the constant times delta^2", _from("lam >= 15/16", _everywhere("16/15", R(256, 31)))),
        ("the costs are apart from a larger lam on", _from("lam >= 24/25", _everywhere(1, 10))),
        ("a constant that is too small", _from("lam >= 15/16", _everywhere("16/15", 1))),
        ("r_eff below the constant", _from("lam >= 15/16", _everywhere("16/15", 8, "<"))),
        ("one condition of two", _from("lam >= 15/16", APART)),
    )


def true() -> Iterator[Step]:
    """Steps that hold."""
    yield from map(_at, (WEAK, *BOUNDS))
    yield from (_from("lam >= 15/16"), _from("lam >= 24/25"), _from("2*lam >= 15/8 + lam - 15/16"))
    yield _from("lam >= 49/50", _everywhere("10/7", "25/2"))
