"""The interval of a whole side from an interval for every raw mean, by interval arithmetic at a case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from montecarlo.statements import enclosure
from montecarlo.statements.encloser import Encloser, Interval, within
from montecarlo.statements.enclosure import point, scalar
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import (
    BINDING,
    DERIVATIVE,
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

#: Most moments that a sum of them may stand for.
MOST_MOMENTS = 256


def combine(
    node: Node | Sequence[Any], env: Environment, intervals: Mapping[str, Interval] | None = None
) -> tuple[float, float]:
    """An interval that holds a side's value where every raw mean lies in its interval; (-inf, inf) over 0.

    ``intervals`` are by the names of ``statistics_of``. Raises StatementSimulationError for a mean that is missing.
    """
    found = Encloser(env, Means(intervals or {}).of).of(moments_apart(frozen(node), env))
    if found.kind != "scalar":
        raise StatementSimulationError(f"{text(frozen(node))} is a {found.kind}; a side is a number")
    return found.pair


def _expectation(node: Node) -> Node | None:
    """The expectation that a sum of expectations is, sums of such sums too; None for any other node."""
    if node[0] == "E":
        return node
    inner = _expectation(node[1]) if node[0] == "sum" else None
    return None if inner is None else ("E", ("sum", inner[1], *node[2:]))


def moments_apart(node: Node, env: Environment | None) -> Node:
    """The node without moments inside sums and derivatives.

    A sum of expectations is one of the sum, other sums are written out; a derivative is taken within expectations.
    """
    if not has_moment(node) or node[0] in MOMENTS:
        return node
    if node[0] == DERIVATIVE:
        return _differentiated(moments_apart(node[1], env), *node[2:])
    if node[0] not in BINDING:
        return mapped(node, lambda part: moments_apart(part, env))
    _, body, index, first, last = node
    one = _expectation(node)
    if one is not None:
        return one
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


def covariances_apart(node: Node, chosen: Callable[[Node], bool]) -> Node:
    """The node with E[f g] - E[f] E[g] for every covariance that is ``chosen``, in correlations too."""
    if node[0] not in ("Cov", "Corr"):
        return node if node[0] in MOMENTS else mapped(node, lambda part: covariances_apart(part, chosen))
    kind, one, two = node
    if not chosen(("Cov", one, two)):
        return node
    apart = ("+", ("E", ("*", one, two)), ("*", ("number", "-1"), ("E", one), ("E", two)))
    return apart if kind == "Cov" else ("/", apart, ("sqrt", ("*", ("Var", one), ("Var", two))))


def _differentiated(body: Node, name: str, at: Node) -> Node:
    """The derivative of a sum of multiples of expectations by a parameter, w E[f]' = E[(w f)']."""
    if body[0] == "+":
        return ("+", *(_differentiated(part, name, at) for part in body[1:]))
    inner = _averaged(body)
    return (DERIVATIVE, body, name, at) if inner is None else ("E", (DERIVATIVE, inner, name, at))


def _averaged(node: Node) -> Node | None:
    """f where the node is E[f], or w f where it is w E[f]; None for another one."""
    op, args = node[0], node[1:]
    if op == "E" or not has_moment(node):
        return node[1] if op == "E" else node
    if (op == "*" and sum(map(has_moment, args)) == 1) or (op == "/" and not has_moment(args[1])):
        found = [_averaged(part) for part in args]
        return None if None in found else (op, *found)
    return None


class Means:
    """Moments from intervals of their raw means, which go by the names of ``statistics_of``."""

    def __init__(self, intervals: Mapping[str, Interval]) -> None:
        self.intervals = intervals

    def of(self, node: Node) -> Interval:
        """The interval of a moment."""
        return _MOMENTS[node[0]](self, node)

    def mean(self, name: str) -> Interval:
        """The interval of a raw mean."""
        if name not in self.intervals:
            raise StatementSimulationError(f"no interval for {name}; there are {', '.join(self.intervals) or 'none'}")
        low, high = self.intervals[name]
        return float(low), float(high)


def never_negative(node: Node) -> bool:
    """Whether what a node says is never negative wherever it has a value, as its form shows."""
    op, args = node[0], node[1:]
    if op in ("norm", "abs", "exp", "sqrt", "indicator"):
        return True
    if op == "number":
        return Fraction(args[0]) >= 0
    if op == "**":
        even = args[1][0] == "number" and Fraction(args[1][1]) % 2 == 0
        return even or never_negative(args[0])
    if op in ("sum", "prod"):
        return never_negative(args[0])
    if op == "*" and len(args) == 2 and args[0] == ("T", args[1]):
        return True
    return op in ("+", "*", "/") and all(map(never_negative, args))


def _mean(means: Means, node: Node) -> Interval:
    return within(means.mean(text(node)), 0.0 if never_negative(node[1]) else -math.inf, math.inf)


def _variance(means: Means, argument: Node) -> Interval:
    return within(means.mean(f"Var[{text(argument)}]"), 0.0, math.inf)


def _correlation(means: Means, node: Node) -> Interval:
    one, two = (scalar(*_variance(means, argument)) for argument in node[1:])
    joint = scalar(*means.mean(f"Cov[{text(node[1])}, {text(node[2])}]"))
    root = enclosure.monotone(np.sqrt, enclosure.scaled(one, two, "scalar"), 0.0)
    return within(enclosure.divided(joint, root).pair, -1.0, 1.0)


def _skewness(means: Means, node: Node) -> Interval:
    """(4/3) E[(f1 - (f2 + f3)/2)^3] / Var^(3/2)."""
    third = scalar(*means.mean(f"third[{text(node[1])}]"))
    below = enclosure.power(scalar(*_variance(means, node[1])), scalar(1.5, 1.5))
    return enclosure.scaled(point(4 / 3), enclosure.divided(third, below), "scalar").pair


def _kurtosis(means: Means, node: Node) -> Interval:
    """2 E[g^4]/Var^2 - 6, for g = (f - f')/sqrt 2."""
    fourth = scalar(*within(means.mean(f"fourth[{text(node[1])}]"), 0.0, math.inf))
    below = enclosure.power(scalar(*_variance(means, node[1])), scalar(2.0, 2.0))
    ratio = enclosure.scaled(scalar(2.0, 2.0), enclosure.divided(fourth, below), "scalar")
    return within(enclosure.added(ratio, scalar(-6.0, -6.0)).pair, -2.0, math.inf)


_MOMENTS: dict[str, Callable[[Means, Node], Interval]] = {
    "E": _mean,
    "P": lambda means, node: within(means.mean(text(node)), 0.0, 1.0),
    "Var": lambda means, node: _variance(means, node[1]),
    "Cov": lambda means, node: means.mean(text(node)),
    "Corr": _correlation,
    "Skew": _skewness,
    "Kurt": _kurtosis,
}
