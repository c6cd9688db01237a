"""Gradients by automatic differentiation, and values at a point: a variable of the case replaced by another tensor."""

from __future__ import annotations

import torch
from torch import Tensor

from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, evaluate, reads
from montecarlo.statements.nodes import Node, StatementSimulationError, text


@reads("grad")
def _gradient(node: Node, env: Environment) -> Value:
    """The gradient of a number by a matrix or a vector, in that one's shape."""
    function, (kind, name) = node[1], node[2][:2]
    # no gradient is recorded in the inference mode that simulations run in, and none of its tensors may be saved
    with torch.inference_mode(False), torch.enable_grad():
        here = evaluate(node[2], env)
        core = here.tensor.shape[-CORE[here.kind] :]
        # one copy for each walk and each value of the indices around, so that each has a gradient of its own
        copies = here.tensor.clone().expand(*env.axes, env.n, *core).clone().requires_grad_()
        found = evaluate(function, env.replaced(kind, name, copies))
        if found.kind != "scalar":
            raise StatementSimulationError(f"{text(node)} is the gradient of a {found.kind}; expected one of a number")
        if not isinstance(found.data, Tensor) or not found.data.requires_grad:
            return Value(here.kind, torch.zeros_like(here.tensor))
        (slope,) = torch.autograd.grad(found.data.sum(), copies)
    return Value(here.kind, _reduced(slope, env))


def _reduced(slope: Tensor, env: Environment) -> Tensor:
    """The gradient without the axis of the walks, where there are no indices around and no walks differ."""
    return slope[0] if env.tokens is None and not env.axes and env.n == 1 else slope


@reads("at")
def _elsewhere(node: Node, env: Environment) -> Value:
    """A body where a variable has another value; 0 stands for all of its entries."""
    body, (kind, name), there = node[1], node[2][:2], evaluate(node[3], env)
    here = evaluate(node[2], env)
    if there.kind == "scalar":
        if there.data != 0:
            raise StatementSimulationError(f"{text(node)}: expected 0 or a value of the size of {name}")
        there = Value(here.kind, torch.zeros_like(here.tensor))
    return evaluate(body, env.replaced(kind, name, there.tensor))
