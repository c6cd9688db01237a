"""Judges a statement about matrices of any size, their gradients and parts: proved by normal form, or false at a case.

Values are exact on one side and, on the other, the simulation's own: its interpreter in torch, gradients by automatic
differentiation. What no normal form proves stays undecided, however many cases agree.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from proofs_check.cases.without_tokens import drawn, plain_cases
from proofs_check.report.telling import counted
from proofs_check.statements.deterministic import SEEN, SHRINKING, Found, Mutant
from proofs_check.statements.rounding import plain_case, radii
from proofs_check.statements.shrinking import shrunk
from proofs_check.statements.texts import without_cases
from proofs_check.statements.wrong_versions import mutants_of
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proofs import proved
from theorems.statement.proposition import Proposition
from theorems.statement.values.arithmetic import UndefinedError, entries_of
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.certify import shown, undefined, violation
from theorems.statement.values.values import value
from theorems.statement.work import Work

#: By effort: cases drawn.
DRAWN = {"quick": 60, "standard": 200, "thorough": 800}
#: Relative difference of an entry's two values beyond which they disagree.
AGREE = 1e-6
#: Cases at which wrong versions are looked at.
LOOKED_AT = 40


def judge_matrices(prop: Proposition, effort: str, seed: int) -> Found:
    """The verdict on a statement about matrices without tokens."""
    pool, generator, tries, without, blurred = list[Case](), random.Random(f"{seed}"), 0, "", ""
    seen: set[str] = set()
    first = list(plain_cases(prop))
    while tries < DRAWN[effort]:
        tries += 1
        case = first.pop(0) if first else drawn(prop, generator.choice)
        if case is None or str(case) in seen:
            continue
        seen.add(str(case))
        if reason := undefined(prop, case):
            without = without or f"{reason} (at {case})"
            continue
        told, seen_well = compared(prop, case)
        if told:
            return Found("conflict", told, counterexample=case, tries=tries)
        if not seen_well:
            blurred = blurred or f"at {case} floats err by more than they should show, by rounding alone"
            continue
        if violation(prop, case) and confirmed(prop, case):
            return _refuted(prop, case, tries, Work(SHRINKING[effort]))
        pool.append(case)
    if not pool:
        return Found("undecided", without or blurred or without_cases(prop), tries=tries)
    vain = f"no violation at {len(pool)} cases, exact and in floats"
    proof = None if without else proved(prop)
    if proof is None:
        reason = without or f"neither proved nor refuted: no normal form shows it; {vain}"
        return Found("undecided", reason, tries=tries, closest_case=str(pool[0]))
    steps = tuple((step.rule, step.instance, step.trusted) for step in proof.steps)
    fates = tuple(_fates(prop, pool[:LOOKED_AT]))
    caught = sum(fate.fate == "caught" for fate in fates)
    verdict, reason = "verified", f"proved; {vain}; {counted(caught, 'wrong version')} refuted"
    if not caught:
        verdict, reason = "undecided", f"proved, but no case tells a wrong version from it; {vain}"
    return Found(verdict, reason, steps, tries=tries, closest=0.0, closest_case=str(pool[0]), mutants=fates)


def evaluated(prop: Proposition, node: Expr, case: Case) -> list[float]:
    """The entries of a side, row by row, as the simulation's interpreter has them; one NaN where it has none."""
    from montecarlo.statements.environment import environment_of
    from montecarlo.statements.nodes import StatementSimulationError
    from montecarlo.statements.values import value as number

    table, sizes = plain_case(prop, case)
    try:
        env = environment_of(table, sizes=sizes)
        found = number(node.plain(), env)
    except StatementSimulationError:
        return [math.nan]
    return [float(found)] if isinstance(found, int | float) else [float(entry) for entry in found.flatten().tolist()]


def first_entries(prop: Proposition, case: Case) -> tuple[float, float]:
    """The first entries of both sides as the other side evaluates them."""
    return evaluated(prop, prop.left, case)[0], evaluated(prop, prop.right, case)[0]


def compared(prop: Proposition, case: Case) -> tuple[str, bool]:
    """What is said where the two values of a side differ by more than rounding, and whether floats could see it."""
    sharp = True
    for node in (prop.left, prop.right):
        floats = evaluated(prop, node, case)
        try:
            exact = [float(entry) for entry in entries_of(value(node, case))]
        except OverflowError:
            exact = [math.inf]
        if not all(map(math.isfinite, (*exact, *floats))):
            # beyond floats, or what the other interpreter does not have: nothing is seen there
            sharp = False
            continue
        size = max([1.0, *map(abs, exact)])
        errors = rounding(prop, node, case, len(exact))
        sharp = sharp and max(errors) <= AGREE * size
        apart = [abs(one - two) for one, two in zip(exact, floats, strict=len(exact) == len(floats))]
        if math.isinf(max(errors)):
            continue
        if len(exact) != len(floats) or not all(
            gap <= AGREE * size + error for gap, error in zip(apart, errors, strict=True)
        ):
            return f"{node} at {case} is {shown(node, case)} exactly and {floats} in floats", sharp
    return "", sharp


def rounding(prop: Proposition, node: Expr, case: Case, count: int) -> list[float]:
    """How far rounding alone may take each of ``count`` entries of a side."""
    return radii(prop, node, case, lambda near: evaluated(prop, node, near), count)


def confirmed(prop: Proposition, case: Case) -> bool:
    """Whether the other side's floats show the violation too, beyond their rounding."""
    left, right = (evaluated(prop, node, case) for node in (prop.left, prop.right))
    errors, others = (rounding(prop, node, case, len(side)) for node, side in ((prop.left, left), (prop.right, right)))
    if len(right) == 1 and len(left) > 1:
        right, others = right * len(left), others * len(left)
    size = max(map(abs, (*left, *right)))
    turned = {"<": 1.0, ">": -1.0}.get(prop.relation[0])
    gaps = [abs(one - two) if turned is None else turned * (one - two) for one, two in zip(left, right, strict=True)]
    # of a strict inequality equality is a violation, which floats can only not exclude
    weak = prop.relation in ("<", ">") and shown(prop.left, case) == shown(prop.right, case)
    return any(
        gap > SEEN * size + one + two or (weak and gap >= -SEEN * size - one - two)
        for gap, one, two in zip(gaps, errors, others, strict=True)
    )


def _refuted(prop: Proposition, start: Case, tries: int, work: Work) -> Found:
    def bad(case: Case) -> bool:
        try:
            return not admissible(prop, case) and bool(violation(prop, case)) and confirmed(prop, case)
        except (KeyError, ValueError, IndexError, ZeroDivisionError):
            return False

    case = shrunk(prop, start, bad, work)
    left, right = shown(prop.left, case), shown(prop.right, case)
    reason = f"at {case} the left side is {left}, the right side {right}"
    floats = first_entries(prop, case)
    return Found("refuted", reason, counterexample=case, left=left, right=right, evaluated=floats, tries=tries)


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
