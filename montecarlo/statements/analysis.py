"""Derivatives by automatic differentiation, turning points and limits of functions of one number."""

from __future__ import annotations

import torch
from torch import Tensor

from montecarlo.statements.environment import Environment, outside
from montecarlo.statements.evaluation import Value, as_tensor, evaluate, reads, scalar
from montecarlo.statements.nodes import Node, StatementSimulationError, has_moment, text

#: Places of a grid, a place far out, and the part of the largest slope that is taken for rounding error.
PLACES, FAR, NOISE = 4096, 512.0, 1e-12


@reads("diff")
def _slope(node: Node, env: Environment) -> Value:
    """The derivative of ``body`` by a number, at the value of the last argument, by automatic differentiation."""
    _, body, variable, at = node
    # one number for every walk and every value of the indices around: then each has a derivative of its own
    shape = () if has_moment(body) else (*env.axes, env.n)
    with torch.inference_mode(False), torch.enable_grad():
        point = as_tensor(scalar(at, env)) * torch.ones(shape, dtype=torch.float64)
        point = point if point.requires_grad else point.requires_grad_()
        # an environment of its own: what was kept elsewhere knows nothing of the derivative
        around = {label: outside(one) for label, one in {**env.scalars, **_bound(env)}.items()}
        within_another = any(isinstance(one, Tensor) and one.requires_grad for one in around.values())
        matrices, lists = ({label: outside(one) for label, one in table.items()} for table in (env.matrices, env.lists))
        inner = Environment(
            env.n,
            None if env.tokens is None else outside(env.tokens),
            matrices,
            lists,
            {**around, variable: point},
            env.places,
            axes=env.axes,
            exhaustive=env.exhaustive,
        )
        found = evaluate(body, inner)
        if found.kind != "scalar":
            raise StatementSimulationError(f"{text(node)}: the derivative of a {found.kind}; expected one of a number")
        if not (isinstance(found.data, Tensor) and found.data.requires_grad):
            return Value("scalar", 0.0)
        (slope,) = torch.autograd.grad(found.data.sum(), point, create_graph=within_another, allow_unused=True)
    if slope is None:
        return Value("scalar", 0.0)
    return Value("scalar", slope if within_another or slope.numel() > 1 else float(slope))


def _bound(env: Environment) -> dict[str, float | Tensor]:
    """The indices of the sums around, by name."""
    found: dict[str, float | Tensor] = {}
    frame: Environment | None = env
    while frame is not None and frame.index:
        found.setdefault(frame.index, frame.bound)
        frame = frame.parent
    return found


# -- a half-line


@reads("maxima", "minima")
def _turns(node: Node, env: Environment) -> Value:
    """How often the slope goes from + to - (maxima), or from - to + (minima), on a grid of the half-line.

    The grid is s/(1 - s) beyond the low end, s evenly in (0, 1); a slope that rounding may have made does not count.
    """
    kind, body, name, low = node
    share = (torch.arange(PLACES, dtype=torch.float64) + 0.5) / PLACES
    place = ("name", name)
    places = as_tensor(scalar(low, env)) + share / (1 - share)
    inner = Environment(PLACES, None, env.matrices, env.lists, {**env.scalars, name: places})
    slopes = as_tensor(scalar(("diff", body, name, place), inner)) * torch.ones(PLACES, dtype=torch.float64)
    signs = slopes[slopes.abs() > NOISE * slopes.abs().max()].sign()
    turned = (signs[:-1] > 0) & (signs[1:] < 0) if kind == "maxima" else (signs[:-1] < 0) & (signs[1:] > 0)
    return Value("scalar", float(turned.sum()))


@reads("limit")
def _far_out(node: Node, env: Environment) -> Value:
    """The value far out, where twice as far it is the same in float64."""
    _, body, name = node
    found = []
    for place in (FAR, 2 * FAR):
        inner = Environment(1, None, env.matrices, env.lists, {**env.scalars, name: place})
        found.append(float(scalar(body, inner)))
    if not abs(found[0] - found[1]) <= NOISE:
        raise StatementSimulationError(f"{text(node)}: {found[0]!r} at {FAR:g}, {found[1]!r} twice as far")
    return Value("scalar", found[1])
