"""Transposes, traces, norms, functions and relations of values, walk by walk."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import torch
from torch import Tensor

from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, as_tensor, evaluate, kept, reads, scalar
from montecarlo.statements.nodes import BINDING, Node, StatementSimulationError, mapped, put, text

#: Two sides of a relation within this part of their terms' sizes are equal: their difference is rounding error.
TIE = 2.0**-40


@reads("T")
def _transposed(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    if found.kind == "matrix":
        return Value("matrix", found.tensor.mT)
    return Value({"column": "row", "family": "row", "row": "column"}.get(found.kind, found.kind), found.data)


@reads("tr")
def _trace(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    if found.kind != "matrix":
        raise StatementSimulationError(f"{text(node)}: tr takes a matrix, not a {found.kind}")
    return kept(found.tensor.diagonal(dim1=-2, dim2=-1).sum(-1))


@reads("norm")
def _norm(node: Node, env: Environment) -> Value:
    found, kind = evaluate(node[1], env), node[2] if len(node) > 2 else ""
    if found.kind == "scalar":
        return Value("scalar", absolute(found.data))
    if found.kind != "matrix":
        # one column is a matrix whose norms are all the Euclidean one
        return kept((found.tensor * found.tensor).sum(-1).sqrt())
    order = {"": "fro", "fro": "fro", "nuclear": "nuc", "2": 2}.get(kind)
    if order is None:
        raise StatementSimulationError(f"{text(node)}: the norm {kind!r} is unknown; expected 2, fro or nuclear")
    return kept(torch.linalg.matrix_norm(found.tensor, order))


def absolute(data: Tensor | float) -> Tensor | float:
    """|data|, entry by entry."""
    return data.abs() if isinstance(data, Tensor) else math.fabs(data)


def _vector(node: Node, env: Environment) -> Tensor:
    found = evaluate(node[1], env)
    if CORE[found.kind] != 1:
        raise StatementSimulationError(f"{text(node)} takes a vector, not a {found.kind}")
    return found.tensor


@reads("softmax")
def _softmax(node: Node, env: Environment) -> Value:
    data = _vector(node, env)
    # walks are innermost in memory, which torch's own softmax copies to change
    weights = (data - data.amax(-1, keepdim=True)).exp_()
    return Value("family", weights / weights.sum(-1, keepdim=True))


@reads("entropy")
def _entropy(node: Node, env: Environment) -> Value:
    p = _vector(node, env)
    # 0 log 0 = 0
    return kept(-(p * torch.where(p == 0, torch.ones_like(p), p).log()).sum(-1))


# -- functions


def _elementary(operation: str, change: Callable[[Tensor], Tensor]) -> None:
    @reads(operation)
    def read(node: Node, env: Environment) -> Value:
        found = scalar(node[1], env)
        if isinstance(found, Tensor):
            return Value("scalar", change(found))
        number = change(torch.tensor(found, dtype=torch.float64)).item()
        if not math.isfinite(number):
            raise StatementSimulationError(f"{text(node)} at {found:g} is no finite real number")
        return Value("scalar", number)


for _operation, _change in {
    "sqrt": torch.sqrt,
    "exp": torch.exp,
    "log": torch.log,
    "erf": torch.special.erf,
    "abs": torch.abs,
}.items():
    _elementary(_operation, _change)


@reads("min", "max")
def _extreme(node: Node, env: Environment) -> Value:
    """The extreme of several numbers, or of the entries of one vector."""
    largest = node[0] == "max"
    if len(node) == 2 and CORE[evaluate(node[1], env).kind] == 1:
        data = _vector(node, env)
        return kept(data.amax(-1) if largest else data.amin(-1))
    found = [as_tensor(scalar(part, env)) for part in node[1:]]
    return kept(reduce(torch.maximum if largest else torch.minimum, found))


@reads("clip")
def _clipped(node: Node, env: Environment) -> Value:
    data, low, high = (as_tensor(scalar(part, env)) for part in node[1:])
    return kept(torch.minimum(torch.maximum(data, low), high))


@reads("sizes")
def _absolute_entries(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    return Value(found.kind, absolute(found.data))


# -- relations


def sizes(node: Node) -> Node:
    """The same expression of absolute values, its terms all added: what its rounding error is measured by."""
    op = node[0]
    if op == "number":
        return ("number", node[1].lstrip("-"))
    if op in ("+", "*", "T", "tr", "abs", "E"):
        return mapped(node, sizes)
    if op == "diff":
        # the function's own terms at the place: those of its slope are of their size
        return sizes(put(node[1], node[2], node[3]))
    if op in ("norm", "entrynorm"):
        return (op, sizes(node[1]), *node[2:])
    if op == "/":
        return (op, sizes(node[1]), ("abs", node[2]))
    if op == "**":
        return (op, sizes(node[1]), node[2])
    if op in BINDING:
        return (op, sizes(node[1]), *node[2:])
    if op == "dist":
        # what its points are far off by, as a distance near 0 is a difference of these
        return ("reach", *node[1:])
    return ("sizes", node)


@reads("relation")
def _relation(node: Node, env: Environment) -> Value:
    mark, left, right = node[1:]
    one, two = as_tensor(scalar(left, env)), as_tensor(scalar(right, env))
    tie = (one - two).abs() <= TIE * (as_tensor(scalar(sizes(left), env)) + as_tensor(scalar(sizes(right), env)))
    if mark not in _MARKS:
        raise StatementSimulationError(f"{text(node)}: {mark} holds of no single walk; expected one of <=, <, =, >, >=")
    return Value("scalar", _MARKS[mark](one < two, tie))


_MARKS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "<": lambda less, tie: less & ~tie,
    "<=": lambda less, tie: less | tie,
    ">": lambda less, tie: ~less & ~tie,
    ">=": lambda less, tie: ~less | tie,
    "=": lambda less, tie: tie,
    "!=": lambda less, tie: ~tie,
}
