"""Sums to infinity in floats: terms one by one, and a bound of the rest from the ratios of all that follow.

The ratio of a term to the one before is bounded for every index from k on by the parts of which the term is made: of a
product by its factors, of c^(a j + b) by c^a, of a j + b by its value at k. With ratios of absolute value at most
r < 1 what follows a term t is at most |t| r/(1 - r).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from montecarlo.statements.nodes import Node, mapped, names

Array = Any

Interval = tuple[float, float]
#: The value of an expression without the index.
Number = Callable[[Node], float]
#: Most terms, the part of the sum that the rest may be, and how many terms are added before that is looked at.
MOST, SMALL, BLOCK = 4096, 1e-17, 32
#: What a bound, and a sum, may be off by, relatively.
SLACK, SEEN = 1e-12, 1e-10
LINE = (-math.inf, math.inf)
_ARRAYS: dict[str, Callable[..., Array]] = {
    "+": lambda *parts: reduce(np.add, parts),
    "*": lambda *parts: reduce(np.multiply, parts),
    "/": np.divide,
    "**": np.power,
    **{name: getattr(np, name) for name in ("exp", "log", "sqrt", "cos", "sin", "abs")},
    "gamma": lambda inner: np.array([_gamma(one) for one in inner]),
}


def total(
    first: float, body: Node, index: str, number: Number, terms: Callable[[Array], Array] | None = None
) -> Interval:
    """The sum of the terms from ``first`` on, and how far it may be off; NaN where no bound shows that it converges.

    ``terms`` gives the terms at whole numbers, unless they are to be worked out here.
    """
    if first != round(first):
        return math.nan, math.inf
    found, size, start, length = 0.0, 0.0, round(first), BLOCK
    while start < first + MOST:
        places = np.arange(start, start + length, dtype=float)
        with np.errstate(all="ignore"):
            block = values(body, index, places, number) if terms is None else terms(places)
            if terms is None and not np.isfinite(block).all():
                # factors that are too large, of a product that is not
                signs, sizes = logarithms(body, index, places, number)
                block = signs * np.exp(sizes)
                size += SLACK / 2.0**-52 * float(np.abs(block).max())
        found += float(block.sum())
        size += float(np.abs(block).sum())
        last = start + length - 1
        if not math.isfinite(size):
            break
        most = max(map(abs, ratio(body, index, last, number))) * (1 + SLACK)
        if most < 1 and (rest := abs(float(block[-1])) * most / (1 - most)) <= SMALL * abs(found):
            return found, rest + (last - first + 8) * 2.0**-52 * size
        start, length = last + 1, max(BLOCK, round(last - first) // 2)
    return math.nan, math.inf


def value(first: float, body: Node, index: str, number: Number) -> float:
    """The sum; NaN too where the terms cancel so far that less than SEEN of it is sure."""
    try:
        found, off = total(first, body, index, number)
    except (OverflowError, ZeroDivisionError):
        return math.nan
    return found if off <= SEEN * abs(found) else math.nan


def values(node: Node, index: str, places: Array, number: Number) -> Array:
    """A node's values at some numbers: of a product to the index whole ones, each one more than the one before."""
    op, args = node[0], node[1:]
    if not holds(node, index):
        return np.full(len(places), number(node))
    if op == "name":
        return places
    if op == "prod":
        body, inner, first, last = args
        ends = values(last, index, places, number)
        low, high = round(number(first)), round(float(ends[-1]))
        if holds(body, index) or holds(first, index) or degree(last, index) > 1 or high - low > 4 * MOST:
            return np.full(len(places), math.nan)
        factors = values(body, inner, np.arange(low, high + 1, dtype=float), number)
        products = np.concatenate([[1.0], np.cumprod(factors)])
        # an empty product is 1
        return products[np.clip(ends - low + 1, 0, len(factors)).astype(int)]
    parts = [values(arg, index, places, number) for arg in args]
    return _ARRAYS[op](*parts) if op in _ARRAYS else np.full(len(places), math.nan)


def logarithms(node: Node, index: str, places: Array, number: Number) -> tuple[Array, Array]:
    """The signs of a node's values, and the logarithms of their sizes."""
    op, args = node[0], node[1:]
    if op in ("*", "/"):
        parts = [logarithms(arg, index, places, number) for arg in args]
        total_of = np.add if op == "*" else np.subtract
        return reduce(np.multiply, [sign for sign, _ in parts]), reduce(total_of, [size for _, size in parts])
    if op == "**" and not holds(args[0], index):
        base, exponents = number(args[0]), values(args[1], index, places, number)
        return np.sign(base) ** exponents, exponents * np.log(abs(base))
    if op == "prod" and holds(node, index) and not holds(node[1], index):
        _, body, inner, first, last = node
        ends, low = values(last, index, places, number), round(number(first))
        if len(ends) and ends[-1] - low < 4 * MOST:
            factors = logarithms(body, inner, np.arange(low, round(float(ends[-1])) + 1, dtype=float), number)
            chosen = np.clip(ends - low + 1, 0, len(factors[0])).astype(int)
            signs, sizes = np.cumprod(factors[0]), np.cumsum(factors[1])
            return np.concatenate([[1.0], signs])[chosen], np.concatenate([[0.0], sizes])[chosen]
    if op == "gamma":
        inner = values(args[0], index, places, number)
        if (inner > 0).all():
            return np.ones(len(inner)), np.array([math.lgamma(one) for one in inner])
    found = values(node, index, places, number)
    return np.sign(found), np.log(np.abs(found))


def ratio(node: Node, index: str, k: int, number: Number) -> Interval:
    """What a node at j + 1 over the node at j is for all whole j >= k."""
    op, args = node[0], node[1:]
    if not holds(node, index):
        return 1.0, 1.0
    if op in ("*", "/"):
        first, *others = (ratio(arg, index, k, number) for arg in args)
        return reduce(_times, others if op == "*" else map(_inverse, others), first)
    if op == "**" and not holds(args[0], index) and degree(args[1], index) == 1:
        base, step = number(args[0]), _step(args[1], index, number)
        power = base**step if base > 0 or step == round(step) else math.nan
        return (power, power) if isinstance(power, float) else LINE
    if op == "**" and args[1][0] == "number" and Fraction(args[1][1]).denominator == 1:
        count = int(Fraction(args[1][1]))
        found = reduce(_times, [ratio(args[0], index, k, number)] * abs(count), (1.0, 1.0))
        return found if count > 0 else _inverse(found)
    if op == "exp" and degree(args[0], index) == 1:
        power = math.exp(_step(args[0], index, number))
        return power, power
    if op == "prod" and not holds(args[0], index) and not holds(args[2], index) and degree(args[3], index) == 1:
        body, inner, first, last = args
        step, end = _step(last, index, number), number(_put(last, index, k))
        if step != round(step) or step < 0 or end < number(first) - 1:
            return LINE
        gained = (span(body, inner, round(end) + m, number) for m in range(1, round(step) + 1))
        return reduce(_times, gained, (1.0, 1.0))
    if op == "gamma" and degree(args[0], index) == 1 and (step := _step(args[0], index, number)) == round(step) >= 0:
        low = span(args[0], index, k, number)
        return (
            reduce(_times, [(low[0] + m, low[1] + m) for m in range(round(step))], (1.0, 1.0)) if low[0] > 0 else LINE
        )
    if degree(node, index) == 1:
        # (a (j + 1) + b)/(a j + b) = 1 + a/(a j + b)
        low = span(node, index, k, number)
        step = _step(node, index, number)
        return _ordered(1.0, 1.0 + step / min(low, key=abs)) if low[0] > 0 or low[1] < 0 else LINE
    return LINE


def span(node: Node, index: str, k: int, number: Number) -> Interval:
    """What a node is for all whole values >= k of its index."""
    op, args = node[0], node[1:]
    if not holds(node, index):
        value = number(node)
        return value, value
    here = number(_put(node, index, k))
    if degree(node, index) == 1:
        step = _step(node, index, number)
        return (here, here) if not step else (here, math.inf) if step > 0 else (-math.inf, here)
    if op == "/" and max(degree(arg, index) for arg in args) <= 1:
        # a quotient of two linear functions moves one way from here to its limit, where it has no pole
        below = span(args[1], index, k, number)
        if (below[0] > 0 or below[1] < 0) and (slope := _step(args[1], index, number)):
            return _ordered(here, _step(args[0], index, number) / slope)
    if op in ("*", "/"):
        one, *rest = (span(arg, index, k, number) for arg in args)
        return reduce(_times, rest if op == "*" else map(_inverse, rest), one)
    if op == "**" and args[1][0] == "number" and args[1][1].isdigit():
        return reduce(_times, [span(args[0], index, k, number)] * int(args[1][1]), (1.0, 1.0))
    return LINE


def holds(node: Node, index: str) -> bool:
    """Whether a name occurs in a node."""
    return index in names(node)


def degree(node: Node, index: str) -> float:
    """The degree of a node in its index; infinite where it is no polynomial."""
    op, args = node[0], node[1:]
    if not holds(node, index):
        return 0
    if op == "name":
        return 1
    if op == "+":
        return max(degree(arg, index) for arg in args)
    if op == "*":
        return sum(degree(arg, index) for arg in args)
    return degree(args[0], index) if op == "/" and not holds(args[1], index) else math.inf


def _step(node: Node, index: str, number: Number) -> float:
    """a of a j + b."""
    return number(_put(node, index, 1)) - number(_put(node, index, 0))


def _put(node: Node, index: str, value: int) -> Node:
    if node == ("name", index):
        return ("number", str(value))
    return mapped(node, lambda one: _put(one, index, value))


def _gamma(number: float) -> float:
    try:
        return math.gamma(number)
    except (OverflowError, ValueError):
        return math.inf if number > 0 else math.nan


def _ordered(*values: float) -> Interval:
    return min(values), max(values)


def _times(one: Interval, two: Interval) -> Interval:
    ends = [0.0 if 0.0 in (a, b) else a * b for a in one for b in two]
    return (min(ends), max(ends)) if not any(map(math.isnan, ends)) else LINE


def _inverse(one: Interval) -> Interval:
    if one[0] <= 0.0 <= one[1]:
        return (1 / one[1] if one[1] else math.inf, math.inf) if one[0] == 0.0 and one[1] > 0 else LINE
    return 1 / one[1], 1 / one[0]
