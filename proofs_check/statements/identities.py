"""Judges a statement about matrices of any size, their gradients and parts: proved by normal form, or false at a case.

Values are exact on one side and, on the other, the simulation's own: its interpreter in torch, gradients by automatic
differentiation. What no normal form proves stays undecided, however many cases agree.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

from proofs_check.cases.without_tokens import drawn
from proofs_check.statements.deterministic import SEEN, SHRINKING, Found, Mutant, mutants_of
from proofs_check.statements.shrinking import shrunk
from theorems.statement.arithmetic import entries_of
from theorems.statement.cases import Case, admissible
from theorems.statement.certify import shown, undefined, violation
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proofs import proved
from theorems.statement.proposition import Proposition
from theorems.statement.values import UndefinedError, value
from theorems.statement.work import Work

#: By effort: cases drawn.
DRAWN = {"quick": 60, "standard": 200, "thorough": 800}
#: Relative difference of an entry's two values beyond which they disagree.
AGREE = 1e-6
#: Cases at which wrong versions are looked at.
LOOKED_AT = 40


def judge_matrices(prop: Proposition, effort: str, seed: int) -> Found:
    """The verdict on a statement about matrices without tokens."""
    pool, generator, tries, without = list[Case](), random.Random(f"{seed}"), 0, ""
    seen: set[str] = set()
    while tries < DRAWN[effort]:
        tries += 1
        case = drawn(prop, generator.choice)
        if case is None or str(case) in seen:
            continue
        seen.add(str(case))
        if reason := undefined(prop, case):
            without = without or f"{reason} (at {case})"
            continue
        if told := disagreement(prop, case):
            return Found("conflict", told, counterexample=case, tries=tries)
        if violation(prop, case) and confirmed(prop, case):
            return _refuted(prop, case, tries, Work(SHRINKING[effort]))
        pool.append(case)
    if not pool:
        return Found("undecided", without or "no case that meets the hypotheses was found", tries=tries)
    vain = f"no violation at {len(pool)} cases, exact and in floats"
    proof = None if without else proved(prop)
    if proof is None:
        reason = without or f"neither proved nor refuted: no normal form shows it; {vain}"
        return Found("undecided", reason, tries=tries, closest_case=str(pool[0]))
    steps = tuple((step.rule, step.instance, step.trusted) for step in proof.steps)
    fates = tuple(_fates(prop, pool[:LOOKED_AT]))
    caught = sum(fate.fate == "caught" for fate in fates)
    verdict, reason = "verified", f"proved; {vain}; {caught} wrong versions refuted"
    if not caught:
        verdict, reason = "undecided", f"proved, but no case tells a wrong version from it; {vain}"
    return Found(verdict, reason, steps, tries=tries, closest=0.0, closest_case=str(pool[0]), mutants=fates)


def evaluated(prop: Proposition, node: Expr, case: Case) -> list[float]:
    """The entries of a side, row by row, as the simulation's interpreter has them; one NaN where it has none."""
    from montecarlo.statements.environment import environment_of
    from montecarlo.statements.nodes import StatementSimulationError
    from montecarlo.statements.values import value as number

    plain = case.plain()
    sizes = {name: size for name, size in prop.known.sizes.items() if name in case.matrices}
    numbers = {name: int(v) if v.denominator == 1 else str(v) for name, v in case.numbers.items()}
    table: dict[str, Any] = {**numbers, **plain["matrices"], **plain["vectors"], **plain["sequences"]}
    try:
        env = environment_of(table, sizes=sizes)
        found = number(node.plain(), env)
    except StatementSimulationError:
        return [math.nan]
    return [float(found)] if isinstance(found, int | float) else [float(entry) for entry in found.flatten().tolist()]


def disagreement(prop: Proposition, case: Case) -> str:
    """What is said where the two values of a side at one case differ; "" where they agree as far as floats go."""
    for node in (prop.left, prop.right):
        exact = [float(entry) for entry in entries_of(value(node, case))]
        floats = evaluated(prop, node, case)
        size = max([1.0, *map(abs, exact)])
        apart = [abs(one - two) for one, two in zip(exact, floats, strict=len(exact) == len(floats))]
        if len(exact) != len(floats) or not all(gap <= AGREE * size for gap in apart):
            return f"{node} at {case} is {shown(node, case)} exactly and {floats} in floats"
    return ""


def confirmed(prop: Proposition, case: Case) -> bool:
    """Whether the other side's floats show the violation too, beyond their rounding."""
    left, right = (evaluated(prop, node, case) for node in (prop.left, prop.right))
    if len(right) == 1 and len(left) > 1:
        right *= len(left)
    size = max(map(abs, (*left, *right)))
    turned = {"<": 1.0, ">": -1.0}.get(prop.relation[0])
    gaps = [abs(one - two) if turned is None else turned * (one - two) for one, two in zip(left, right, strict=True)]
    return max(gaps) > SEEN * size


def _refuted(prop: Proposition, start: Case, tries: int, work: Work) -> Found:
    def bad(case: Case) -> bool:
        try:
            return not admissible(prop, case) and bool(violation(prop, case)) and confirmed(prop, case)
        except (KeyError, ValueError, IndexError, ZeroDivisionError):
            return False

    case = shrunk(prop, start, bad, work)
    left, right = shown(prop.left, case), shown(prop.right, case)
    floats = tuple(evaluated(prop, node, case)[0] for node in (prop.left, prop.right))
    reason = f"at {case} the left side is {left}, the right side {right}"
    return Found(
        "refuted", reason, counterexample=case, left=left, right=right, evaluated=(floats[0], floats[1]), tries=tries
    )


def _fates(prop: Proposition, pool: list[Case]) -> Iterator[Mutant]:
    for wrong in mutants_of(prop):
        text = f"{wrong.left} {wrong.relation} {wrong.right}"
        where = next((case for case in pool if _false(wrong, case)), None)
        yield Mutant(text, "not seen" if where is None else "caught", str(where or ""))


def _false(prop: Proposition, case: Case) -> bool:
    try:
        return bool(violation(prop, case)) and confirmed(prop, case)
    except (UndefinedError, StatementError, IndexError):
        return False
