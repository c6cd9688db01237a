"""The interval of a whole side from an interval for every raw mean, by interval arithmetic at a case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from montecarlo.statements import enclosure
from montecarlo.statements.enclosure import LINE, Enclosure, point, scalar
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import (
    BINDING,
    MOMENTS,
    Node,
    StatementSimulationError,
    frozen,
    has_moment,
    mapped,
    put,
    text,
)
from montecarlo.statements.values import value, whole

Interval = tuple[float, float]

#: Most moments that a sum of them may stand for.
MOST_MOMENTS = 256


class UnboundedError(Exception):
    """A token was met: its values have no bound."""


def combine(
    node: Node | Sequence[Any], env: Environment, intervals: Mapping[str, Interval] | None = None
) -> tuple[float, float]:
    """An interval that holds a side's value where every raw mean lies in its interval; (-inf, inf) over 0.

    ``intervals`` are by the names of ``statistics_of``. Raises StatementSimulationError for a mean that is missing.
    """
    found = Encloser(env, intervals or {}).of(moments_apart(frozen(node), env))
    if found.kind != "scalar":
        raise StatementSimulationError(f"{text(frozen(node))} is a {found.kind}; a side is a number")
    return found.pair


def moments_apart(node: Node, env: Environment | None) -> Node:
    """The node without moments inside sums: a sum of expectations is one of the sum, other sums are written out."""
    if not has_moment(node) or node[0] in MOMENTS:
        return node
    if node[0] not in BINDING:
        return mapped(node, lambda part: moments_apart(part, env))
    op, body, index, first, last = node
    if op == "sum" and body[0] == "E":
        return ("E", (op, body[1], index, first, last))
    if env is None:
        raise StatementSimulationError(f"{text(node)}: how many moments these are depends on the case; give it")
    ends = [value(end, env) for end in (first, last)]
    low, high = (whole(float(end), node) for end in ends)
    if high - low >= MOST_MOMENTS:
        raise StatementSimulationError(
            f"{text(node)} is a sum of {high - low + 1} moments; expected at most {MOST_MOMENTS}, or sum(E[...], ...)"
        )
    terms = [moments_apart(put(body, index, ("number", str(k))), env) for k in range(low, high + 1)]
    return ("+", *terms) if terms else ("number", "0")


class Encloser:
    """Encloses expressions at a case, moments by the intervals of their raw means; tokens have no bound."""

    def __init__(self, env: Environment, intervals: Mapping[str, Interval]) -> None:
        self.env, self.intervals = env, intervals

    def of(self, node: Node) -> Enclosure:
        """The enclosure of a node; UnboundedError where a token leaves it without one."""
        op = node[0]
        if op in MOMENTS:
            return scalar(*_MOMENTS[op](self, node))
        if op in ("token", "mean"):
            raise UnboundedError
        reader = _READERS.get(op)
        if reader is None:
            raise StatementSimulationError(f"{text(node)} is no operation of a side")
        return reader(self, node)

    def number(self, node: Node) -> Enclosure:
        """The enclosure of a node that has to be a number."""
        found = self.of(node)
        if found.kind != "scalar":
            raise StatementSimulationError(f"{text(node)} is a {found.kind}; expected a number")
        return found

    def number_or_line(self, node: Node) -> Enclosure:
        """The same, the whole line where there is no bound."""
        try:
            return self.number(node)
        except UnboundedError:
            return LINE

    def vector(self, node: Node) -> Enclosure:
        """The entries of a vector, as a family."""
        found = self.of(node)
        if found.kind in ("scalar", "matrix"):
            raise StatementSimulationError(f"{text(node)} is a {found.kind}; expected a vector")
        return Enclosure("family", found.low.ravel(), found.high.ravel())

    def entries(self, node: Node) -> list[Enclosure]:
        """The body of a sum for every value of its index."""
        _, body, index, first, last = node
        low, high = (whole(self.whole(end), node) for end in (first, last))
        return [Encloser(self.env.inside(index, k), self.intervals).of(body) for k in range(low, high + 1)]

    def whole(self, node: Node) -> float:
        """The value of a position."""
        found = value(node, self.env)
        if not isinstance(found, float | int):
            raise StatementSimulationError(f"{text(node)} is no position")
        return found

    def mean(self, name: str) -> Interval:
        """The interval of a raw mean."""
        if name not in self.intervals:
            raise StatementSimulationError(f"no interval for {name}; there are {', '.join(self.intervals) or 'none'}")
        low, high = self.intervals[name]
        return float(low), float(high)


def within(interval: Interval, low: float, high: float) -> Interval:
    """The part of an interval where a quantity can lie; the interval itself where it lies wholly elsewhere."""
    found = max(interval[0], low), min(interval[1], high)
    return found if found[0] <= found[1] else interval


# -- moments from raw means


def _variance(encloser: Encloser, argument: Node) -> Interval:
    return within(encloser.mean(f"Var[{text(argument)}]"), 0.0, math.inf)


def _correlation(encloser: Encloser, node: Node) -> Interval:
    one, two = (scalar(*_variance(encloser, argument)) for argument in node[1:])
    joint = scalar(*encloser.mean(f"Cov[{text(node[1])}, {text(node[2])}]"))
    root = enclosure.monotone(np.sqrt, enclosure.scaled(one, two, "scalar"), 0.0)
    return within(enclosure.divided(joint, root).pair, -1.0, 1.0)


def _skewness(encloser: Encloser, node: Node) -> Interval:
    """(4/3) E[(f1 - (f2 + f3)/2)^3] / Var^(3/2)."""
    third = scalar(*encloser.mean(f"third[{text(node[1])}]"))
    below = enclosure.power(scalar(*_variance(encloser, node[1])), scalar(1.5, 1.5))
    return enclosure.scaled(point(4 / 3), enclosure.divided(third, below), "scalar").pair


def _kurtosis(encloser: Encloser, node: Node) -> Interval:
    """2 E[g^4]/Var^2 - 6, for g = (f - f')/sqrt 2."""
    fourth = scalar(*within(encloser.mean(f"fourth[{text(node[1])}]"), 0.0, math.inf))
    below = enclosure.power(scalar(*_variance(encloser, node[1])), scalar(2.0, 2.0))
    ratio = enclosure.scaled(scalar(2.0, 2.0), enclosure.divided(fourth, below), "scalar")
    return within(enclosure.added(ratio, scalar(-6.0, -6.0)).pair, -2.0, math.inf)


_MOMENTS: dict[str, Callable[[Encloser, Node], Interval]] = {
    "E": lambda encloser, node: encloser.mean(text(node)),
    "P": lambda encloser, node: within(encloser.mean(text(node)), 0.0, 1.0),
    "Var": lambda encloser, node: _variance(encloser, node[1]),
    "Cov": lambda encloser, node: encloser.mean(text(node)),
    "Corr": _correlation,
    "Skew": _skewness,
    "Kurt": _kurtosis,
}


# -- expressions


def _added(encloser: Encloser, node: Node) -> Enclosure:
    found = [encloser.of(part) for part in node[1:]]
    if len({one.kind for one in found}) != 1:
        raise StatementSimulationError(f"{text(node)} adds values of different shapes")
    return reduce(enclosure.added, found)


def _multiplied(encloser: Encloser, node: Node) -> Enclosure:
    found = encloser.of(node[1])
    for part in node[2:]:
        found = _product(found, encloser.of(part), node)
    return found


def _product(one: Enclosure, two: Enclosure, node: Node) -> Enclosure:
    if one.kind == "scalar":
        return enclosure.scaled(one, two, two.kind)
    if two.kind == "scalar":
        return enclosure.scaled(one, two, one.kind)
    kind = {
        ("row", "column"): "scalar",
        ("row", "matrix"): "row",
        ("matrix", "column"): "column",
        ("column", "row"): "matrix",
        ("matrix", "matrix"): "matrix",
    }.get((one.kind, two.kind))
    if kind is None:
        raise StatementSimulationError(f"{text(node)} multiplies a {one.kind} by a {two.kind}")
    return enclosure.contracted(one, two, kind)


def _power(encloser: Encloser, node: Node) -> Enclosure:
    base, exponent = encloser.of(node[1]), encloser.number(node[2])
    if base.kind == "scalar":
        return enclosure.power(base, exponent)
    k = exponent.exact
    if base.kind != "matrix" or k is None or k != round(k) or k < 0:
        raise StatementSimulationError(f"{text(node)}: a matrix has powers 0, 1, 2, ...")
    one = np.eye(len(base.low))
    return reduce(lambda a, b: enclosure.contracted(a, b, "matrix"), [base] * round(k), Enclosure("matrix", one, one))


def _norm(encloser: Encloser, node: Node) -> Enclosure:
    return enclosure.norm(encloser.of(node[1]), node[2] if len(node) > 2 else "")


def _array(kind: str, low: Any) -> Enclosure:
    data = np.asarray(low, dtype=np.float64)
    whole_numbers = data == np.round(data)
    wide = enclosure.outwards(kind, data, data)
    return Enclosure(kind, np.where(whole_numbers, data, wide.low), np.where(whole_numbers, data, wide.high))


def _number(encloser: Encloser, node: Node) -> Enclosure:
    found = value(node, encloser.env)
    assert isinstance(found, float | int)
    return point(float(found), exact=found == round(found))


def _entry(encloser: Encloser, node: Node) -> Enclosure:
    if isinstance(node[1], str):
        found = _array("family", encloser.env.list_of(node[1]).cpu().numpy())
    else:
        found = encloser.vector(node[1])
    place = whole(encloser.whole(node[2]), node)
    if not 1 <= place <= found.low.size:
        raise StatementSimulationError(f"{text(node)} at {place}; expected an entry from 1 to {found.low.size}")
    return scalar(float(found.low[place - 1]), float(found.high[place - 1]))


def _summed(encloser: Encloser, node: Node) -> Enclosure:
    return reduce(enclosure.added, encloser.entries(node), scalar(0.0, 0.0))


def _stacked(encloser: Encloser, node: Node) -> Enclosure:
    found = encloser.entries(node)
    return Enclosure("family", np.array([one.low for one in found]), np.array([one.high for one in found]))


def _softmax(encloser: Encloser, node: Node) -> Enclosure:
    try:
        return enclosure.softmax(encloser.vector(node[1]))
    except UnboundedError:
        size = _length(encloser, node[1])
        return Enclosure("family", np.zeros(size), np.ones(size))


def _length(encloser: Encloser, node: Node) -> int:
    if node[0] == "stack":
        low, high = (whole(encloser.whole(end), node) for end in node[3:])
        return high - low + 1
    if node[0] in ("token", "mean"):
        return len(encloser.env.matrix("I"))
    raise UnboundedError


def _entropy(encloser: Encloser, node: Node) -> Enclosure:
    probabilities = encloser.vector(node[1])
    found = enclosure.entropy(probabilities)
    if node[1][0] == "softmax":
        # at most that of the uniform distribution
        top = enclosure.monotone(np.log, scalar(*[float(probabilities.low.size)] * 2), 0.0).pair[1]
        return scalar(*within(found.pair, 0.0, top))
    return found


def _extreme(choose: Callable[..., Any]) -> Callable[[Encloser, Node], Enclosure]:
    def read(encloser: Encloser, node: Node) -> Enclosure:
        if len(node) == 2:
            found = encloser.of(node[1])
            return scalar(float(choose(found.low)), float(choose(found.high)))
        several = [encloser.number_or_line(part) for part in node[1:]]
        return scalar(*(float(choose([getattr(one, end) for one in several])) for end in ("low", "high")))

    return read


def _clipped(encloser: Encloser, node: Node) -> Enclosure:
    data, low, high = (encloser.number_or_line(part).pair for part in node[1:])
    ends = (min(max(data[k], low[k]), high[k]) for k in range(2))
    return scalar(*ends)


def _exponential(encloser: Encloser, node: Node) -> Enclosure:
    found = enclosure.monotone(np.exp, encloser.number_or_line(node[1]))
    return scalar(*within(found.pair, 0.0, math.inf))


_READERS: dict[str, Callable[[Encloser, Node], Enclosure]] = {
    "number": _number,
    "name": _number,
    "matrix": lambda e, node: _array("matrix", e.env.matrix(node[1]).cpu().numpy()),
    "vector": lambda e, node: _array("column", e.env.list_of(node[1]).cpu().numpy()[:, None]),
    "family": lambda e, node: _array("family", e.env.list_of(node[1]).cpu().numpy()),
    "entry": _entry,
    "+": _added,
    "*": _multiplied,
    "/": lambda e, node: enclosure.divided(e.of(node[1]), e.number(node[2])),
    "**": _power,
    "T": lambda e, node: enclosure.transposed(e.of(node[1])),
    "tr": lambda e, node: enclosure.trace(e.of(node[1])),
    "norm": _norm,
    "sum": _summed,
    "stack": _stacked,
    "softmax": _softmax,
    "entropy": _entropy,
    "sqrt": lambda e, node: enclosure.monotone(np.sqrt, e.number(node[1]), 0.0),
    "log": lambda e, node: enclosure.monotone(np.log, e.number(node[1]), 0.0),
    "exp": _exponential,
    "abs": lambda e, node: enclosure.absolute(e.number_or_line(node[1])),
    "min": _extreme(np.min),
    "max": _extreme(np.max),
    "clip": _clipped,
}
