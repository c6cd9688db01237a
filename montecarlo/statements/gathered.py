"""What is said of every value of an index, walk by walk: hulls, distances, the largest and the smallest, indicators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import reduce

import torch
from torch import Tensor

from montecarlo.separability import NOTHING, nearest
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, as_tensor, broadcast, evaluate, kept, reads, scalar, whole
from montecarlo.statements.nodes import Node, NoValueError, StatementSimulationError, text

#: Singular values below this part of the largest are rounding.
SPANS = 1e-10


def members(node: Node, env: Environment) -> Iterator[Value]:
    """The values of what stands for every value of an index, where its conditions hold."""
    if node[0] == "each":
        _, body, index, *ends = node
        for place in _places(node, ends, env):
            yield from members(body, env.inside(index, float(place)))
    elif node[0] == "given":
        if all(_holds(condition, env) for condition in node[2:]):
            yield evaluate(node[1], env)
    else:
        yield evaluate(node, env)


def _places(node: Node, ends: list[Node], env: Environment) -> Iterable[int]:
    """The values of an index between two ends, or those that a sequence has."""
    if len(ends) == 1:
        return [whole(place, node) for place in evaluate(ends[0], env).tensor.tolist()]
    low, high = (scalar(end, env) for end in ends)
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        raise StatementSimulationError(f"{text(node)}: its ends differ from walk to walk")
    return range(whole(low, node), whole(high, node) + 1)


def _holds(condition: Node, env: Environment) -> bool:
    found = as_tensor(scalar(condition, env))
    if found.numel() != 1:
        raise StatementSimulationError(f"{text(condition)} differs from walk to walk; a condition is one for all")
    return bool(found)


@reads("largest", "smallest")
def _extreme(node: Node, env: Environment) -> Value:
    found = []
    for one in members(node[1], env):
        if one.kind != "scalar":
            raise StatementSimulationError(f"{text(node)} takes numbers, not a {one.kind}")
        found.append(one.tensor)
    if not found:
        raise StatementSimulationError(f"{text(node)} is of no numbers; expected an index with a value")
    return kept(reduce(torch.maximum if node[0] == "largest" else torch.minimum, found))


@reads("onto")
def _projector(node: Node, env: Environment) -> Value:
    """The orthogonal projector onto the span of vectors, from their singular vectors."""
    rows = [one.tensor for one in members(node[1], env)]
    if not rows or any(row.ndim != 1 for row in rows):
        raise StatementSimulationError(f"{text(node)} takes fixed vectors, at least one")
    _, values, basis = torch.linalg.svd(torch.stack(rows), full_matrices=False)
    kept_rows = basis[values > SPANS * values.amax()]
    return Value("matrix", kept_rows.mT @ kept_rows)


@reads("binomial")
def _binomial(node: Node, env: Environment) -> Value:
    n, k = (scalar(part, env) for part in node[1:])
    if isinstance(n, Tensor) or isinstance(k, Tensor) or whole(n, node) < 0:
        raise NoValueError(f"{text(node)} takes two integers, the first one >= 0")
    return Value("scalar", float(math.comb(whole(n, node), whole(k, node)) if k >= 0 else 0))


def _moved(node: Node, env: Environment) -> Tensor:
    """The points of a hull over a point, or over 0: (..., points, entries)."""
    _, point, hull = node
    values = [one for part in hull[1:] for one in members(part, env)]
    if not values:
        raise StatementSimulationError(f"{text(node)} is of an empty hull; expected at least one point")
    kinds = {one.kind for one in values}
    if len(kinds) != 1 or not kinds <= {"column", "matrix"}:
        raise StatementSimulationError(f"{text(node)} takes vectors, or matrices alone, not {', '.join(sorted(kinds))}")
    (kind,) = kinds
    centre = None if point == ("number", "0") else evaluate(point, env)
    if centre is not None and centre.kind != kind:
        raise StatementSimulationError(f"{text(node)}: {text(point)} is a {centre.kind}; expected a {kind}, or 0")
    found = [one.tensor if centre is None else one.tensor - centre.tensor for one in values]
    rows = [data.flatten(-CORE[kind]) for data in found]
    return torch.stack([row.expand(broadcast(*(other.shape for other in rows))) for row in rows], -2)


@reads("dist")
def _distance(node: Node, env: Environment) -> Value:
    """The distance of the nearest point of a hull, by non-negative least squares."""
    data = _moved(node, env)
    sets = data.reshape(-1, *data.shape[-2:])
    lengths = torch.empty(len(sets), dtype=torch.float64)
    for k, rows in enumerate(sets.cpu().numpy()):
        found = torch.from_numpy(nearest(rows) @ rows).norm()
        lengths[k] = torch.where(found < NOTHING * float(abs(rows).max()), 0.0, found)
    return kept(lengths.reshape(data.shape[:-2]).to(data.device))


@reads("reach")
def _reach(node: Node, env: Environment) -> Value:
    """The largest distance of a hull's points from the point: what the rounding of a distance is measured by."""
    return kept(_moved(("dist", *node[1:]), env).norm(dim=-1).amax(-1))
