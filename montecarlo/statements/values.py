"""Values of a statement's expressions, walk by walk: scalars (n,), columns and rows (n, d), matrices (n, d, d).

What does not differ from walk to walk has no first axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

# what these read is registered as they are imported
from montecarlo.statements import arithmetic, functions, sums  # noqa: F401
from montecarlo.statements.arrays import Array, array, is_array, library
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import evaluate, whole
from montecarlo.statements.nodes import Node, StatementSimulationError, frozen, random, text

__all__ = ["numbers", "value", "whole"]


def value(node: Node | Sequence[Any], env: Environment) -> Array | float:
    """The value of a node: (n,) numbers where it is random, a float where it is not, or a vector or matrix of these."""
    node = frozen(node)
    with np.errstate(all="ignore"):
        found = evaluate(node, env)
    if found.kind != "scalar":
        return found.array
    if random(node):
        return _walk_by_walk(found.data, env)
    data = found.data
    return data if isinstance(data, float | int) or math.prod(data.shape) != 1 else data.item()


def numbers(node: Node, env: Environment) -> Array:
    """One number a walk, (n,)."""
    with np.errstate(all="ignore"):
        found = evaluate(node, env)
    if found.kind != "scalar":
        raise StatementSimulationError(f"{text(node)} is a {found.kind}; expected a number, e.g. x[i].T*W*x[j]")
    return _walk_by_walk(found.data, env)


def _walk_by_walk(data: Array | float, env: Environment) -> Array:
    if not is_array(data):
        data = array(data, env.device)
    return library(data).broadcast_to(data, (env.n,))
