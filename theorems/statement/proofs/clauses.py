"""Proofs of ``A iff B`` and ``A if B``: what one condition says is proved with the other among the hypotheses.

A relation of A follows from B, or its negation and the rest of B exclude a relation of B (contraposition). So
conditions that are equal up to a factor that is certified positive imply each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from theorems.statement.expression import HOLDS, Expr, minus, negative, number
from theorems.statement.proofs.prover import Prover
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import TURNED, assumed, negation, numbers_of, parts

Make = Callable[[Proposition], Prover]


def clause_steps(prop: Proposition, prover: Make) -> Steps | None:
    """The steps that prove a statement of two conditions, or None."""
    found = together(prover(prop).defined(node) for side in (prop.left, prop.right) for node in numbers_of(side))
    if found is None:
        return None
    ways = [(prop.right, prop.left)] + ([(prop.left, prop.right)] if prop.relation == "iff" else [])
    for given, goal in ways:
        for part in parts(goal):
            steps = implied(prop, parts(given), part, prover)
            if steps is None:
                return None
            found += [Step("implication", f"{part} if {given}"), *steps]
    return found


def implied(prop: Proposition, given: tuple[Expr, ...], goal: Expr, prover: Make) -> Steps | None:
    """Steps from relations that are given to one that follows; by contraposition where it is not seen directly."""
    if goal in given:
        return []
    given = tuple(part for part in given if part.op == "relation")
    if goal.op != "relation":
        return None
    mark, *sides = goal.args
    signs = [
        HOLDS[part.args[0] if part.args[1:] == tuple(sides) else TURNED[part.args[0]]]
        for part in given
        if part.args[1:] in (tuple(sides), tuple(sides[::-1]))
    ]
    if signs and set.intersection(*signs) <= HOLDS[mark]:
        # a > b says that a >= b
        return []
    steps = related(prover(_with(prop, given)), goal)
    if steps is not None:
        return steps
    turned = negation(goal)
    for k, part in enumerate(given):
        rest = (*given[:k], *given[k + 1 :], turned)
        steps = related(prover(_with(prop, rest)), negation(part))
        if steps is not None:
            return [Step("contraposition", f"{turned} excludes {part}"), *steps]
    if mark == "=":
        # neither a > b nor a < b
        return together(implied(prop, given, Expr("relation", (one, *sides)), prover) for one in (">=", "<="))
    return None


def _with(prop: Proposition, given: tuple[Expr, ...]) -> Proposition:
    return replace(prop, known=assumed(prop.known, given))


def related(prover: Prover, goal: Expr) -> Steps | None:
    """Steps to one relation under the prover's hypotheses."""
    relation, left, right = goal.args
    if relation == "=":
        return prover.equal(left, right)
    if relation == "!=":
        gap, zero = minus(left, right), number(0)
        above = prover.at_least(gap, zero, True)
        return above if above is not None else prover.at_least(negative(gap), zero, True)
    high, low = (right, left) if relation[0] == "<" else (left, right)
    return prover.at_least(high, low, relation in ("<", ">"))
