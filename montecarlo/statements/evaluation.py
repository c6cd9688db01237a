"""How nodes are evaluated: values by kind, each equal node worked out once, outside of the sums it does not need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from montecarlo.statements.arrays import Array, array, is_array
from montecarlo.statements.environment import Environment, outside
from montecarlo.statements.nodes import MOMENTS, Node, StatementSimulationError, has_unknown, names, random, text, walk

#: Axes of one value of each kind, without those of the walks and of sums.
CORE = {"scalar": 0, "column": 1, "row": 1, "family": 1, "matrix": 2}


@dataclass(frozen=True)
class Value:
    """A value of one of the kinds of CORE; a scalar that no walk enters may be a float."""

    kind: str
    data: Array | float

    @property
    def array(self) -> Array:
        """The data as an array."""
        return as_array(self.data)

    @property
    def tensor(self) -> Any:
        """The data as a torch tensor."""
        return as_tensor(self.data)


Reader = Callable[[Node, Environment], Value]
#: Modules whose readers work on torch's tensors: loaded where one of their operations occurs.
FURTHER = ("analysis", "gathered", "gradients", "programs", "spectra")
#: What reads the nodes of an operation.
READERS: dict[str, Reader] = {}


def reads(*operations: str) -> Callable[[Reader], Reader]:
    """Make a function the reader of the nodes of these operations."""

    def enter(reader: Reader) -> Reader:
        READERS.update(dict.fromkeys(operations, reader))
        return reader

    return enter


def reader_of(operation: str) -> Reader | None:
    """What reads an operation; None for one that is not known."""
    if operation not in READERS and operation not in MOMENTS:
        from montecarlo.statements import analysis, gathered, gradients, programs, spectra  # noqa: F401
    return READERS.get(operation)


def native(node: Node) -> bool:
    """Whether numpy suffices for a node: nothing in it is read by what works on torch's tensors."""
    for one in walk(node):
        if one[0] in MOMENTS:
            continue
        reader = reader_of(one[0])
        if reader is not None and reader.__module__.rpartition(".")[2] in FURTHER:
            return False
    return True


def evaluate(node: Node, env: Environment) -> Value:
    """The value of a node, each equal node worked out once, outside of the sums whose index it does not hold."""
    while env.parent is not None and env.index not in names(node):
        env = env.parent
    found = env.memo.get(node)
    if found is None and env.around is not None and not (random(node) or has_unknown(node)):
        found = evaluate(node, env.around)
        found = env.memo[node] = Value(found.kind, outside(found.data))
    if found is None:
        reader = reader_of(node[0])
        if reader is None:
            known = "a moment stands inside another one" if node[0] in MOMENTS else "it is no operation"
            raise StatementSimulationError(f"{text(node)} cannot be evaluated walk by walk: {known}")
        found = env.memo[node] = reader(node, env)
    assert isinstance(found, Value)
    return found


def scalar(node: Node, env: Environment) -> Array | float:
    """The value of a node that has to be a number."""
    found = evaluate(node, env)
    if found.kind != "scalar":
        raise StatementSimulationError(f"{text(node)} is a {found.kind}; expected a number")
    return found.data


def whole(number: float, node: Node) -> int:
    """A position as an int."""
    if not math.isfinite(number) or number != round(number):
        raise StatementSimulationError(f"{text(node)}: the position {number:g} is no integer")
    return round(number)


def kept(data: Array) -> Value:
    """A scalar, as a float where it is one."""
    return Value("scalar", data if data.ndim else data.item())


def as_array(data: Array | float) -> Array:
    """A scalar as an array."""
    return data if is_array(data) else array(data)


def as_tensor(data: Array | float) -> Any:
    """A number or an array as a torch tensor."""
    import torch

    if isinstance(data, torch.Tensor):
        return data
    return torch.as_tensor(data) if is_array(data) else torch.tensor(data, dtype=torch.float64)


def spread(data: Array | float, axes: int) -> Array | float:
    """A scalar beside a value with so many axes of its own."""
    return data if isinstance(data, float | int) else data.reshape((*data.shape, *(1,) * axes))


def broadcast(*shapes: Any) -> tuple[int, ...]:
    """The common shape of several."""
    return np.broadcast_shapes(*map(tuple, shapes))
