"""Whether a bound without tokens is attained: a case at which both sides are equal, exactly and in floats."""

from __future__ import annotations

import random
from math import isclose

from montecarlo.search_values import evaluate
from proofs_check.cases.without_tokens import drawn
from theorems.statement.expression import StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case
from theorems.statement.values.values import value

#: Cases that are looked at, and how far floats may differ, relatively.
TRIES, AGREE = 2000, 1e-9


def where_attained(prop: Proposition, seed: int = 0) -> Case | None:
    """The simplest case found at which the sides are the same rational number, and agree in floats; None for none.

    Where the bound is 0 at a case alone, as at W = 0, any multiple of it is attained there, which says nothing.
    """
    if prop.random or prop.asymptotic:
        return None
    generator, best = random.Random(f"attained {seed}"), None
    for _ in range(TRIES):
        case = drawn(prop, generator.choice)
        if case is None or (best is not None and best.weight <= case.weight):
            continue
        try:
            right = value(prop.right, case)
            same = value(prop.left, case) == right and (right != 0 or prop.right.op == "number")
        except (UndefinedError, StatementError, IndexError, ZeroDivisionError):
            continue
        sides = [evaluate(side.plain(), case.plain()) for side in (prop.left, prop.right)] if same is True else []
        if sides and isclose(*sides, rel_tol=AGREE):
            best = case
    return best
