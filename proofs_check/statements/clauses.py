"""Statements ``A iff B`` and ``A if B`` in the search without tokens: what both sides say of a case, wrong versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from montecarlo.search_conditions import sides, truth
from montecarlo.search_values import evaluate
from theorems.statement.expression import PREDICATES, Expr, StatementError
from theorems.statement.proposition import Proposition
from theorems.statement.reading import conditions
from theorems.statement.reading.conditions import NEGATED, TURNED, parts, violated
from theorems.statement.values.arithmetic import UndefinedError
from theorems.statement.values.cases import Case
from theorems.statement.values.values import compared


def evaluated(prop: Proposition, case: Case) -> tuple[float, ...]:
    """Both sides of every relation of A, then of B, in float64 by the other side."""
    return tuple(value for node in (prop.left, prop.right) for pair in _pairs(node, case) for value in pair)


def _pairs(node: Expr, case: Case) -> list[tuple[float, float]]:
    plain = case.plain()
    return [(evaluate(one, plain), evaluate(two, plain)) for _, one, two in sides(node.plain())]


def confirmed(prop: Proposition, case: Case, slack: float) -> bool:
    """Whether A and B have the violating truth values in float64 too.

    A side that is exactly equal to the other is seen as equal where the floats are within the slack.
    """
    found = []
    for node in (prop.left, prop.right):
        values = dict(enumerate(_pairs(node, case)))
        for k, part in enumerate(parts(node)):
            one, two = values[k]
            equal = _sign(part, case) == 0
            if equal and abs(one - two) <= slack * max(abs(one), abs(two), 1.0):
                values[k] = (two, two)
        found.append(truth(node.plain(), values, slack))
    return violated(prop.relation, found[0], found[1]) is True


def _sign(part: Expr, case: Case) -> int | None:
    if part.op in PREDICATES:
        return None
    try:
        return compared(part.args[1], part.args[2], case)
    except (UndefinedError, IndexError):
        return None


def truth_at(node: Expr, case: Case) -> bool | None:
    """Whether a condition is certified to hold at a case; None where that is open, or a side has no value."""
    try:
        return conditions.truth(node, case)
    except (UndefinedError, IndexError):
        return None


def unseen(prop: Proposition, cases: Iterable[Case]) -> str:
    """What no case shows: B true (else the statement is vacuous), and for iff also A false; "" where all is seen."""
    wanted = {True} if prop.relation == "if" else {True, False}
    for case in cases:
        wanted -= {truth_at(prop.right, case)}
        if not wanted:
            return ""
    never = "true" if True in wanted else "false"
    return f"no case was found at which {prop.right} is {never}, so that nothing is seen of the statement"


def follows(prop: Proposition, wrong: Proposition, cases: Iterable[Case]) -> bool:
    """Whether a wrong version's right side says no more than the statement's at any tried case."""
    for case in cases:
        one, two = truth_at(prop.right, case), truth_at(wrong.right, case)
        if one is None or two is None:
            continue
        if one != two and not (prop.relation == "if" and one):
            return False
    return True


def mutants_of(prop: Proposition, changed: Iterable[Expr]) -> list[Proposition]:
    """Wrong versions of B: changed numbers, a relation turned, negated or made strict, a relation dropped."""
    several = parts(prop.right)
    found = [right for right in changed if _sayable(right)]
    for k, part in enumerate(several):
        for relation in _others(part.args[0]) if part.op == "relation" else ():
            other = Expr("relation", (relation, *part.args[1:]))
            found.append(_joined((*several[:k], other, *several[k + 1 :])))
        if len(several) > 1:
            found.append(_joined((*several[:k], *several[k + 1 :])))
    return [replace(prop, right=right) for right in dict.fromkeys(found) if right != prop.right][:30]


def _others(relation: str) -> Iterator[str]:
    yield from dict.fromkeys((TURNED[relation], NEGATED[relation]))
    weaker = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}.get(relation)
    if weaker is not None:
        yield weaker


def _joined(several: tuple[Expr, ...]) -> Expr:
    return several[0] if len(several) == 1 else Expr("and", several)


def _sayable(node: Expr) -> bool:
    """Whether a changed condition can be written down: no division by the number 0."""
    try:
        return bool(str(node))
    except StatementError:
        return False
