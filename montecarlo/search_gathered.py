"""What is said of every value of an index, in a search: hulls, distances, the largest and the smallest, indicators.

Every function takes the arguments of a node and the function that compiles one, and returns a function of a case.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from montecarlo.separability import NOTHING, nearest

Case = dict[str, dict[str, Any]]
Compiled = Callable[[Case], Any]
Compile = Callable[[Sequence[Any]], Compiled]

_MARKS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "!=": operator.ne,
}


def _number(value: Any) -> float:
    return float(np.asarray(value, dtype=float).reshape(()))


def members(node: Sequence[Any], compile_: Compile) -> Callable[[Case], Iterator[Any]]:
    """The values of what stands for every value of an index, where its conditions hold."""
    if node[0] == "each":
        body, index, *ends = node[1:]
        inner, limits = members(body, compile_), [compile_(end) for end in ends]

        def every(case: Case) -> Iterator[Any]:
            found = [limit(case) for limit in limits]
            if len(found) == 1:
                places = np.asarray(found[0], dtype=float).ravel().tolist()
            else:
                low, high = map(_number, found)
                if not (low.is_integer() and high.is_integer()):
                    raise IndexError(f"an index from {low} to {high}")
                places = [float(place) for place in range(int(low), int(high) + 1)]
            for place in places:
                yield from inner({**case, "numbers": {**case["numbers"], index: place}})

        return every
    if node[0] == "given":
        body, *conditions = node[1:]
        holds, value = [relation(condition[1:], compile_) for condition in conditions], compile_(body)
        return lambda case: iter([value(case)] if all(one(case) for one in holds) else [])
    value = compile_(node)
    return lambda case: iter([value(case)])


def relation(args: Sequence[Any], compile_: Compile) -> Callable[[Case], bool]:
    """Whether a relation of two numbers holds."""
    mark, left, right = _MARKS[args[0]], compile_(args[1]), compile_(args[2])
    return lambda case: mark(_number(left(case)), _number(right(case)))


def _extreme(choose: Callable[[list[float]], float]) -> Callable[[Sequence[Any], Compile], Compiled]:
    def build(args: Sequence[Any], compile_: Compile) -> Compiled:
        every = members(args[0], compile_)

        def found(case: Case) -> float:
            values = [_number(one) for one in every(case)]
            return choose(values) if values else math.nan

        return found

    return build


def _binomial(args: Sequence[Any], compile_: Compile) -> Compiled:
    above, below = (compile_(arg) for arg in args)

    def found(case: Case) -> float:
        n, k = _number(above(case)), _number(below(case))
        if n < 0 or not (n.is_integer() and k.is_integer()):
            return math.nan
        # a choice of more than 1,024 is over 2**1024, which no float holds
        return math.nan if min(k, n - k) > 1024 else float(math.comb(int(n), int(k)) if k >= 0 else 0)

    return found


def _distance(args: Sequence[Any], compile_: Compile) -> Compiled:
    point, hull = compile_(args[0]), [members(part, compile_) for part in args[1][1:]]

    def found(case: Case) -> float:
        rows = np.array([(np.asarray(one) - point(case)).ravel() for every in hull for one in every(case)])
        if not rows.size or not np.isfinite(rows).all():
            return math.nan
        length = float(np.linalg.norm(nearest(rows) @ rows))
        return 0.0 if length < NOTHING * float(abs(rows).max()) else length

    return found


#: What compiles the nodes of these operations.
GATHERED: dict[str, Callable[[Sequence[Any], Compile], Compiled]] = {
    "binomial": _binomial,
    "largest": _extreme(max),
    "smallest": _extreme(min),
    "dist": _distance,
}
