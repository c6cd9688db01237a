"""Sums over an index, and sequences of scores: the index is a whole axis of values, to the left of the walks.

So a sum over tokens is one product of tensors; what does not hold the index is worked out outside.
"""

from __future__ import annotations

import math

from montecarlo.statements import integrals, series
from montecarlo.statements.arrays import Array, alike, array, is_array, library
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, broadcast, evaluate, reads, scalar, whole
from montecarlo.statements.nodes import BINDING, Node, NoValueError, StatementSimulationError, names, text, walk

#: Most entries of a value inside a sum (8 MiB); a longer sum goes piece by piece.
MOST_ENTRIES = 1 << 20


def _pieces(node: Node, env: Environment) -> list[float | Array]:
    """The values of the index of a sum, in pieces that are whole axes, or one by one where an inner sum's ends move."""
    _, body, index, first, last = node
    low, high = scalar(first, env), scalar(last, env)
    if is_array(low) or is_array(high):
        raise StatementSimulationError(f"{text(node)}: its ends hold the index of another sum")
    start, stop = whole(low, node), whole(high, node)
    # what stands for every value of an index goes through them one by one
    moving = any(inner[0] in BINDING and any(index in names(end) for end in inner[3:]) for inner in walk(body))
    moving = moving or any(inner[0] == "each" and index in names(inner) for inner in walk(body))
    around = math.prod(env.axes) * env.n * (1 if env.tokens is None else env.tokens.shape[-1])
    size = 1 if moving else max(1, MOST_ENTRIES // around)
    if size == 1 or start == stop:
        return [float(k) for k in range(start, stop + 1)]
    every = array(range(start, stop + 1), env.device)
    return [every[k : k + size].reshape(-1, *(1,) * (len(env.axes) + 1)) for k in range(0, len(every), size)]


def _terms(node: Node, env: Environment) -> list[tuple[Value, int, int | None]]:
    """The body piece by piece, with the number of values of the index in it and their axis, where it has one."""
    found = []
    for piece in _pieces(node, env):
        term = evaluate(node[1], env.inside(node[2], piece))
        axis = CORE[term.kind] + len(env.axes) + 2
        own = is_array(piece) and not isinstance(term.data, float | int) and term.data.ndim >= axis
        found.append((term, 1 if isinstance(piece, float | int) else len(piece), -axis if own else None))
    return found


def _factored(node: Node) -> Node | None:
    """The sum with the first and last factors that do not hold the index taken out; None where there are none."""
    _, body, index, first, last = node
    if body[0] != "*":
        return None
    held = [k for k, part in enumerate(body[1:], 1) if index in names(part)]
    if not held or (held[0] == 1 and held[-1] == len(body) - 1):
        return None
    middle = body[held[0] : held[-1] + 1]
    inner = middle[0] if len(middle) == 1 else ("*", *middle)
    return ("*", *body[1 : held[0]], ("sum", inner, index, first, last), *body[held[-1] + 1 :])


@reads("sum")
def _summed(node: Node, env: Environment) -> Value:
    apart = _factored(node)
    if apart is not None and _pieces(node, env):
        return evaluate(apart, env)
    total: Value | None = None
    for term, count, axis in _terms(node, env):
        data = term.data * count if axis is None else term.array.sum(axis)
        total = Value(term.kind, data if total is None else total.data + data)
    return total if total is not None else Value("scalar", 0.0)


def _numbers(node: Node, env: Environment) -> series.Number:
    """The values of what stands in a node without its index."""

    def number(one: Node) -> float:
        found = scalar(one, env)
        if is_array(found):
            raise StatementSimulationError(f"{text(node)} holds the index of another sum; expected numbers alone")
        return float(found)

    return number


@reads("series")
def _to_infinity(node: Node, env: Environment) -> Value:
    _, body, index, first = node
    number = _numbers(node, env)
    found = series.value(number(first), body, index, number)
    if not math.isfinite(found):
        raise NoValueError(f"{text(node)} is not seen to converge")
    return Value("scalar", found)


@reads("integral")
def _integrated(node: Node, env: Environment) -> Value:
    _, body, index, low, high = node
    number = _numbers(node, env)
    found = integrals.value(number(low), number(high), body, index, number)
    if not math.isfinite(found):
        raise NoValueError(f"{text(node)} is not seen to have a value")
    return Value("scalar", found)


@reads("prod")
def _multiplied(node: Node, env: Environment) -> Value:
    total: Array | float = 1.0
    for term, count, axis in _terms(node, env):
        total = total * (term.data**count if axis is None else term.array.prod(axis))
    return Value("scalar", total)


@reads("stack", "columns")
def _stacked(node: Node, env: Environment) -> Value:
    """The vector of a body's values for first <= index <= last, or the matrix with these columns."""
    wanted, kind = {"stack": (("scalar",), "family"), "columns": (("column", "family"), "matrix")}[node[0]]
    pieces = []
    for term, count, axis in _terms(node, env):
        if term.kind not in wanted:
            raise StatementSimulationError(f"{text(node)}: {node[0]} is made of {wanted[0]}s, not of {term.kind}s")
        data = term.array if is_array(term.data) else array(term.data, env.device)
        own = library(data)
        pieces.append(
            own.broadcast_to(data[..., None], (*data.shape, count)) if axis is None else own.moveaxis(data, axis, -1)
        )
    if not pieces:
        raise StatementSimulationError(f"{text(node)} has no entries; expected first <= last")
    pieces = alike(*pieces)
    if len(pieces) == 1:
        return Value(kind, pieces[0])
    shape = broadcast(*(piece.shape[:-1] for piece in pieces))
    own = library(*pieces)
    return Value(kind, own.concatenate([own.broadcast_to(one, (*shape, one.shape[-1])) for one in pieces], -1))
