"""Transposes, traces, norms, functions and relations of values, walk by walk."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

from montecarlo.statements.arrays import Array, alike, double, extreme, is_array, library, special
from montecarlo.statements.environment import Environment
from montecarlo.statements.evaluation import CORE, Value, as_array, evaluate, kept, reads, scalar
from montecarlo.statements.nodes import (
    BINDING,
    HALF_LINE,
    Node,
    NoValueError,
    StatementSimulationError,
    mapped,
    put,
    text,
)

#: Two sides of a relation within this part of their terms' sizes are equal: their difference is rounding error.
TIE = 2.0**-40


@reads("T")
def _transposed(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    if found.kind == "matrix":
        return Value("matrix", found.array.mT)
    return Value({"column": "row", "family": "row", "row": "column"}.get(found.kind, found.kind), found.data)


@reads("tr")
def _trace(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    if found.kind != "matrix":
        raise StatementSimulationError(f"{text(node)}: tr takes a matrix, not a {found.kind}")
    return kept(found.array.diagonal(0, -2, -1).sum(-1))


@reads("norm")
def _norm(node: Node, env: Environment) -> Value:
    found, kind = evaluate(node[1], env), node[2] if len(node) > 2 else ""
    if found.kind == "scalar":
        return Value("scalar", absolute(found.data))
    if found.kind != "matrix":
        # one column is a matrix whose norms are all the Euclidean one
        return kept(library(found.array).sqrt((found.array * found.array).sum(-1)))
    order = {"": "fro", "fro": "fro", "nuclear": "nuc", "2": 2}.get(kind)
    if order is None:
        raise StatementSimulationError(f"{text(node)}: the norm {kind!r} is unknown; expected 2, fro or nuclear")
    return kept(library(found.array).linalg.matrix_norm(found.array, ord=order))


def absolute(data: Array | float) -> Array | float:
    """|data|, entry by entry."""
    return abs(data) if is_array(data) else math.fabs(data)


def _vector(node: Node, env: Environment) -> Array:
    found = evaluate(node[1], env)
    if CORE[found.kind] != 1:
        raise StatementSimulationError(f"{text(node)} takes a vector, not a {found.kind}")
    return found.array


@reads("softmax")
def _softmax(node: Node, env: Environment) -> Value:
    data = _vector(node, env)
    # walks are innermost in memory, which torch's own softmax copies to change
    own = library(data)
    weights = own.exp(data - own.amax(data, -1)[..., None])
    return Value("family", weights / weights.sum(-1)[..., None])


@reads("entropy")
def _entropy(node: Node, env: Environment) -> Value:
    p = _vector(node, env)
    # 0 log 0 = 0
    own = library(p)
    return kept(-(p * own.log(own.where(p == 0, own.ones_like(p), p))).sum(-1))


# -- functions


def _elementary(operation: str) -> None:
    @reads(operation)
    def read(node: Node, env: Environment) -> Value:
        found = scalar(node[1], env)
        changed = getattr(library(found), operation)(found)
        if is_array(found):
            return Value("scalar", changed)
        number = float(changed)
        if not math.isfinite(number):
            raise NoValueError(f"{text(node)} at {found:g} is no finite real number")
        return Value("scalar", number)


@reads("pi")
def _circle(node: Node, env: Environment) -> Value:
    return Value("scalar", math.pi)


@reads("erf")
def _error_function(node: Node, env: Environment) -> Value:
    found = scalar(node[1], env)
    return Value("scalar", special(found).erf(found) if is_array(found) else math.erf(found))


@reads("chance")
def _chance(node: Node, env: Environment) -> Value:
    """P[low <= N(mean, variance) <= high], by the normal distribution function on the side of its smaller values.

    Of an empty interval, low > high, it is 0.
    """
    kind, (mean, variance, *ends) = node[1], alike(*(scalar(part, env) for part in node[2:]))
    if bool((variance <= 0).any()):
        raise StatementSimulationError(f"{text(node)}: the variance is {float(variance.min()):g}; expected one > 0")
    own = library(mean)
    low, high = ((end - mean) / own.sqrt(variance) for end in (ends[0], ends[-1]))
    if kind != "within":
        return kept(_below(high if kind == "below" else -low))
    # the same on either side of the mean; the smaller numbers lose fewer digits in the difference
    turned = low > 0
    first, last = own.where(turned, -low, high), own.where(turned, -high, low)
    return kept(extreme([_below(first) - _below(last), 0.0], True))


def _below(number: Array) -> Array:
    """P[N(0, 1) <= number]; torch's own ndtr loses the tail."""
    return special(number).erfc(-number / math.sqrt(2)) / 2


for _operation in ("sqrt", "exp", "log", "cos", "sin", "abs"):
    _elementary(_operation)


@reads("gamma")
def _gamma(node: Node, env: Environment) -> Value:
    found = scalar(node[1], env)
    if is_array(found):
        raise StatementSimulationError(f"{text(node)}: the Gamma function takes a number that is not random")
    try:
        return Value("scalar", math.gamma(found))
    except (ValueError, OverflowError):
        raise NoValueError(f"{text(node)} at {found:g} is no finite real number") from None


@reads("min", "max")
def _extreme(node: Node, env: Environment) -> Value:
    """The extreme of several numbers, or of the entries of one vector."""
    largest = node[0] == "max"
    if len(node) == 2 and CORE[evaluate(node[1], env).kind] == 1:
        data = _vector(node, env)
        return kept(getattr(library(data), "amax" if largest else "amin")(data, -1))
    return kept(extreme([scalar(part, env) for part in node[1:]], largest))


@reads("clip")
def _clipped(node: Node, env: Environment) -> Value:
    data, low, high = (scalar(part, env) for part in node[1:])
    return kept(extreme([extreme([data, low], True), high], False))


@reads("sizes")
def _absolute_entries(node: Node, env: Environment) -> Value:
    found = evaluate(node[1], env)
    return Value(found.kind, absolute(found.data))


# -- relations


@reads("and")
def _all_of(node: Node, env: Environment) -> Value:
    parts = alike(*(scalar(part, env) for part in node[1:]))
    return Value("scalar", reduce(library(*parts).logical_and, parts))


@reads("indicator")
def _indicator(node: Node, env: Environment) -> Value:
    """1 where what is true or false holds, 0 where it does not."""
    return kept(double(as_array(evaluate(node[1], env).data)))


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
    if op in HALF_LINE:
        # whole numbers, and a limit beside 1
        return ("number", "1")
    if op in BINDING:
        return (op, sizes(node[1]), *node[2:])
    if op == "dist":
        # what its points are far off by, as a distance near 0 is a difference of these
        return ("reach", *node[1:])
    return ("sizes", node)


@reads("relation")
def _relation(node: Node, env: Environment) -> Value:
    mark, left, right = node[1:]
    if mark not in _MARKS:
        raise StatementSimulationError(f"{text(node)}: {mark} holds of no single walk; expected one of <=, <, =, >, >=")
    one, two = alike(scalar(left, env), scalar(right, env))
    size = scalar(sizes(left), env) + scalar(sizes(right), env)
    if not bool(library(size).isfinite(one - two + size).all()):
        # neither true nor false: infinities that floats made are no numbers to be compared
        raise NoValueError(f"{text(node)}: a side is beyond floating-point numbers")
    tie = abs(one - two) <= TIE * size
    return Value("scalar", _MARKS[mark](one < two, tie))


_MARKS: dict[str, Callable[[Array, Array], Array]] = {
    "<": lambda less, tie: less & ~tie,
    "<=": lambda less, tie: less | tie,
    ">": lambda less, tie: ~less & ~tie,
    ">=": lambda less, tie: ~less | tie,
    "=": lambda less, tie: tie,
    "!=": lambda less, tie: ~tie,
}
