"""That an expression has a value wherever the hypotheses hold: denominators, roots, logarithms, entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorems.statement.expression import Expr, name, negative, number
from theorems.statement.proofs.integrals import integrated
from theorems.statement.proofs.series import converges
from theorems.statement.proofs.steps import Step, Steps, together
from theorems.statement.reading.sizes import size
from theorems.statement.values.cases import frame

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover


def defined(prover: Prover, node: Expr) -> Steps | None:
    """Steps showing that an expression has a value wherever the hypotheses hold."""
    if node.op in ("prod", "sum"):
        inner, body = prover.within(node)
        inside = inner.defined(body)
        ends = [prover.defined(end) for end in node.args[2:]]
        return None if inside is None or None in ends else inside
    if node.op == "series":
        return converges(prover, node)
    if node.op == "integral":
        return integrated(prover, node)
    found = together(map(prover.defined, node))
    if found is None or (node.op in ("entry", "element") and _has_place(prover, node) is None):
        return None
    if (wanted := needed(prover, node)) is None:
        return found
    goals, strict = wanted
    for goal in goals:
        steps = prover.at_least(goal, number(0), strict)
        if steps is not None:
            return [*found, Step("has a value", f"{goal} {'>' if strict else '>='} 0 under {node}"), *steps]
    return None


def _has_place(prover: Prover, node: Expr) -> Steps | None:
    """Steps showing that an entry is one of a vector or of a matrix; a free index stands for any entry."""
    head, *places = node.args
    extents = [*size(Expr("family", (head,)) if isinstance(head, str) else head, prover.known)]
    if len(places) == 1:
        extents = [next((one for one in extents if one != "1"), "1")]
    goals: list[Steps | None] = []
    for index, extent in zip(places, extents, strict=True):
        if index.op == "name" and index.args[0] in frame(prover.prop).indices:
            continue
        if not (extent.isdigit() or extent.isidentifier()):
            return None
        last = number(int(extent)) if extent.isdigit() else name(extent)
        goals += [prover.at_least(index, number(1), False), prover.at_least(last, index, False)]
    return together(goals)


def needed(prover: Prover, node: Expr) -> tuple[list[Expr], bool] | None:
    """What must be >= 0, or > 0, so that a node has a value: one of several goals; None where nothing is needed."""
    op, args = node.op, node.args
    if op == "/":
        return [args[1], negative(args[1])], True
    if op in ("log", "gamma"):
        return [args[0]], True
    if op == "sqrt":
        return [args[0]], False
    if op == "**":
        count = args[1].args[0] if args[1].op == "number" else None
        if count is None:
            # where a power bounds a product, only its base and its exponent are read
            counted = node in prover.bounds and args[1].op == "name" and args[1].args[0] in prover.whole
            return None if counted else ([args[0]], True)
        if count.denominator != 1:
            return [args[0]], count < 0
        return ([args[0], negative(args[0])], True) if count < 0 else None
    if op == "entropy" and not (args[0].op == "softmax" or args[0].args[0] in prover.weights):
        # entries that are not shown to be >= 0
        return [], True
    return None
