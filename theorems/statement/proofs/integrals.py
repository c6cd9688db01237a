"""Integrals in proofs: that they have a value wherever the hypotheses hold, and that their closed forms agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from theorems.statement.expression import Expr, StatementError
from theorems.statement.proofs.steps import Step, Steps

if TYPE_CHECKING:
    from theorems.statement.proofs.prover import Prover

RULE, TRUSTED = "an integral of powers of cos and sin in closed form", "Euler's Beta integral"


def integrated(prover: Prover, node: Expr) -> Steps | None:
    """The step showing that an integral has a value: the exponents are whole numbers >= 0."""
    values = _values(prover, node)
    return None if values is None else [Step(RULE, f"{node} = {values[0]}", TRUSTED)]


def integrals_agree(prover: Prover, left: Expr, right: Expr) -> Steps | None:
    """left = right by their closed forms, products by rising factorials (a)_n."""
    from theorems.statement.moments.normal import equal

    values = _values(prover, left, right)
    if values is None or not equal(*values):
        return None
    return [Step("identity of closed forms", f"{left} = {values[0]}, and {right} = {values[1]}")]


def _values(prover: Prover, *nodes: Expr):  # type: ignore[no-untyped-def]
    from theorems.statement.deciding.decide import Derivation

    derivation = Derivation(replace(prover.prop, known=prover.known))
    try:
        return [derivation.value(derivation.orders[0], node) for node in nodes]
    except (StatementError, IndexError):
        return None
