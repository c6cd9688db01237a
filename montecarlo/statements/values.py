"""Values of a statement's expressions, walk by walk: scalars (n,), columns and rows (n, d), matrices (n, d, d).

What does not differ from walk to walk has no first axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

# what these read is registered as they are imported
from montecarlo.statements import analysis, arithmetic, functions, sums  # noqa: F401
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import evaluate, whole
from montecarlo.statements.nodes import Node, StatementSimulationError, frozen, random, text

__all__ = ["numbers", "value", "whole"]


def value(node: Node | Sequence[Any], env: Environment) -> Tensor | float:
    """The value of a node: (n,) numbers where it is random, a float where it is not, or a vector or matrix of these."""
    node = frozen(node)
    found = evaluate(node, env)
    if found.kind != "scalar":
        return found.tensor
    if random(node):
        return found.tensor.expand(env.n)
    return found.data.item() if isinstance(found.data, Tensor) and found.data.numel() == 1 else found.data


def numbers(node: Node, env: Environment) -> Tensor:
    """One number a walk, (n,)."""
    found = evaluate(node, env)
    if found.kind != "scalar":
        raise StatementSimulationError(f"{text(node)} is a {found.kind}; expected a number, e.g. x[i].T*W*x[j]")
    return found.tensor.expand(env.n)
