"""Enclosures of a side's expressions at a case, by interval arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from montecarlo.statements import enclosure, series
from montecarlo.statements.arrays import fetched
from montecarlo.statements.enclosure import EXACT, LINE, Enclosure, point, scalar
from montecarlo.statements.environment import Environment
from montecarlo.statements.nodes import MOMENTS, Node, NoValueError, StatementSimulationError, has_moment, random, text
from montecarlo.statements.values import value, whole


def _normal_distribution(x: Any) -> Any:
    from scipy import special

    return special.ndtr(x)


def _error_function(x: Any) -> Any:
    from scipy import special

    return special.erf(x)


def _gamma_function(x: Any) -> Any:
    from scipy import special

    return special.gamma(x)


Interval = tuple[float, float]
#: Two ends that Gamma(x), x > 0, is least between, and a number below its values there.
LEAST_GAMMA = 1.46, 1.47, 0.8856


class UnboundedError(Exception):
    """A token was met: its values have no bound."""


class Encloser:
    """Encloses expressions at a case, moments by the intervals that ``moment`` gives; tokens have no bound."""

    def __init__(self, env: Environment, moment: Callable[[Node], Interval]) -> None:
        self.env, self.moment = env, moment

    def of(self, node: Node) -> Enclosure:
        """The enclosure of a node; UnboundedError where a token leaves it without one."""
        op = node[0]
        if op in MOMENTS:
            return scalar(*self.moment(node))
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
        return [Encloser(self.env.inside(index, k), self.moment).of(body) for k in range(low, high + 1)]

    def whole(self, node: Node) -> float:
        """The value of a position."""
        found = value(node, self.env)
        if not isinstance(found, float | int):
            raise StatementSimulationError(f"{text(node)} is no position")
        return found


def within(interval: Interval, low: float, high: float) -> Interval:
    """The part of an interval where a quantity can lie; the interval itself where it lies wholly elsewhere."""
    found = max(interval[0], low), min(interval[1], high)
    return found if found[0] <= found[1] else interval


def _added(encloser: Encloser, node: Node) -> Enclosure:
    found = [encloser.of(part) for part in node[1:]]
    if len({one.kind for one in found}) != 1:
        found = [_upright(one) for one in found]
    if len({one.kind for one in found}) != 1:
        raise StatementSimulationError(f"{text(node)} adds values of different shapes")
    return reduce(enclosure.added, found)


def _multiplied(encloser: Encloser, node: Node) -> Enclosure:
    indicators = [encloser.of(part) for part in node[1:] if part[0] == "indicator"]
    if any(one.exact == 0.0 for one in indicators):
        # cases: where one does not apply, its formula need not have a value
        return scalar(0.0, 0.0)
    if (reached := _form(encloser, node)) is not None:
        return reached
    found = encloser.of(node[1])
    for part in node[2:]:
        found = _product(found, encloser.of(part), node)
    return found


def _form(encloser: Encloser, node: Node) -> Enclosure | None:
    """|x[t].T*w| <= radius*sqrt(w.T*Sigma*w), where tokens have a bound; None for another product."""
    radius, (one, *rest) = encloser.env.radius, node[1:]
    if radius is None or len(rest) != 1 or one[0] != "T":
        return None
    token, vector = (one[1], rest[0]) if one[1][0] == "token" else (rest[0], one[1])
    if token[0] != "token" or random(vector):
        return None
    column = _upright(encloser.of(vector))
    if column.kind != "column":
        return None
    spread = enclosure.contracted(_array("matrix", fetched(encloser.env.matrix("Sigma"))), column, "column")
    square = enclosure.contracted(enclosure.transposed(column), spread, "scalar")
    root = enclosure.monotone(np.sqrt, square, 0.0)
    most = enclosure.scaled(point(radius), root, "scalar").pair[1]
    return scalar(-most, most)


def _upright(found: Enclosure) -> Enclosure:
    """The entries of a sequence as a column; anything else as it is."""
    return Enclosure("column", found.low[:, None], found.high[:, None]) if found.kind == "family" else found


def _product(one: Enclosure, two: Enclosure, node: Node) -> Enclosure:
    one, two = _upright(one), _upright(two)
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


def _inverse(encloser: Encloser, node: Node) -> Enclosure:
    found = encloser.of(node[1])
    if found.kind != "matrix":
        raise StatementSimulationError(f"{text(node)} takes a matrix, not a {found.kind}")
    return enclosure.inverse(found)


def _array(kind: str, low: Any) -> Enclosure:
    data = np.asarray(low, dtype=np.float64)
    whole_numbers = (data == np.round(data)) & (np.abs(data) <= EXACT)
    wide = enclosure.outwards(kind, data, data)
    return Enclosure(kind, np.where(whole_numbers, data, wide.low), np.where(whole_numbers, data, wide.high))


def _number(encloser: Encloser, node: Node) -> Enclosure:
    found = value(node, encloser.env)
    assert isinstance(found, float | int)
    return point(float(found), exact=found == round(found) and abs(found) <= EXACT)


def _entry(encloser: Encloser, node: Node) -> Enclosure:
    if isinstance(node[1], str):
        found = _array("family", fetched(encloser.env.list_of(node[1])))
    else:
        found = encloser.vector(node[1])
    place = whole(encloser.whole(node[2]), node)
    if not 1 <= place <= found.low.size:
        raise StatementSimulationError(f"{text(node)} at {place}; expected an entry from 1 to {found.low.size}")
    return scalar(float(found.low[place - 1]), float(found.high[place - 1]))


def _summed(encloser: Encloser, node: Node) -> Enclosure:
    return reduce(enclosure.added, encloser.entries(node), scalar(0.0, 0.0))


def _of_factors(encloser: Encloser, node: Node) -> Enclosure:
    return reduce(lambda one, two: enclosure.scaled(one, two, "scalar"), encloser.entries(node), scalar(1.0, 1.0))


def _to_infinity(encloser: Encloser, node: Node) -> Enclosure:
    """The enclosures of the terms added, and the largest sum that may be left."""
    _, body, index, first = node
    terms: list[Enclosure] = []

    def largest(places: Any) -> Any:
        terms.extend(Encloser(encloser.env.inside(index, k), encloser.moment).number(body) for k in places)
        return np.array([max(one.pair, key=abs) for one in terms[-len(places) :]])

    _, off = series.total(encloser.whole(first), body, index, encloser.whole, largest)
    return reduce(enclosure.added, terms, scalar(-off, off)) if math.isfinite(off) else LINE


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


def _circular(function: Callable[[float], float]) -> Callable[[Encloser, Node], Enclosure]:
    """cos or sin of an interval: no farther from the value at the middle than the interval's half length."""

    def read(encloser: Encloser, node: Node) -> Enclosure:
        low, high = encloser.number(node[1]).pair
        middle, reach = (low + high) / 2, (high - low) / 2
        if not math.isfinite(reach):
            return scalar(-1.0, 1.0)
        # the middle's own rounding, magnified at most by 1
        reach += enclosure.FUNCTION * (1.0 + abs(middle))
        return scalar(*within((function(middle) - reach, function(middle) + reach), -1.0, 1.0))

    return read


def _root(encloser: Encloser, node: Node) -> Enclosure:
    """A square root; of a number that is not random and is 0 up to rounding, the root of what is >= 0."""
    found = encloser.number(node[1])
    low, high = found.pair
    if not has_moment(node[1]) and not random(node[1]) and low < 0.0 <= high:
        found = scalar(0.0, high)
    return enclosure.monotone(np.sqrt, found, 0.0)


def _gamma(encloser: Encloser, node: Node) -> Enclosure:
    """Gamma of an interval in x > 0: convex, so at most what it is at the ends, and least at ``LEAST_GAMMA``."""
    low, high = encloser.number(node[1]).pair
    if low <= 0.0:
        if low == high == round(low):
            raise NoValueError(f"{text(node)} at {low:g} is a pole")
        return LINE
    ends = [enclosure.monotone(_gamma_function, scalar(end, end)).pair for end in (low, high)]
    apart = high < LEAST_GAMMA[0] or low > LEAST_GAMMA[1]
    least = min(end[0] for end in ends) if apart else LEAST_GAMMA[2]
    return scalar(least, max(end[1] for end in ends))


def _chance(encloser: Encloser, node: Node) -> Enclosure:
    """P[low <= N(mean, variance) <= high], by the normal distribution function of both ends; 0 where low > high."""
    kind, (mean, variance, *ends) = node[1], (encloser.number_or_line(part) for part in node[2:])
    if variance.pair[0] <= 0.0:
        return scalar(0.0, 1.0)
    spread = enclosure.monotone(np.sqrt, variance, 0.0)
    minus = enclosure.scaled(mean, scalar(-1.0, -1.0), "scalar")
    low, high = (
        enclosure.monotone(_normal_distribution, enclosure.divided(enclosure.added(end, minus), spread))
        for end in (ends[0], ends[-1])
    )
    first = scalar(1.0, 1.0) if kind == "above" else high
    last = scalar(0.0, 0.0) if kind == "below" else low
    found = enclosure.added(first, enclosure.scaled(last, scalar(-1.0, -1.0), "scalar"))
    return scalar(*(min(max(end, 0.0), 1.0) for end in found.pair))


def _indicator(encloser: Encloser, node: Node) -> Enclosure:
    """1 or 0 where the enclosed sides of every relation show which, else all between."""
    found = [_holds(encloser, part) for part in (node[1][1:] if node[1][0] == "and" else (node[1],))]
    if any(one is False for one in found):
        return scalar(0.0, 0.0)
    return scalar(1.0, 1.0) if all(found) else scalar(0.0, 1.0)


def _holds(encloser: Encloser, node: Node) -> bool | None:
    """Whether a relation holds of all values within the enclosures, or of none; None where that is open."""
    if node[0] != "relation":
        raise StatementSimulationError(f"{text(node)} is no comparison of a side")
    (low, high), (first, last) = (encloser.number_or_line(part).pair for part in node[2:])
    equal = low == high == first == last
    apart = high < first or last < low
    known = {
        "<": (high < first, low >= last),
        "<=": (high <= first, low > last),
        ">": (low > last, high <= first),
        ">=": (low >= last, high < first),
        "=": (equal, apart),
        "!=": (apart, equal),
    }.get(node[1])
    if known is None:
        raise StatementSimulationError(f"{text(node)} is no comparison of numbers")
    return True if known[0] else False if known[1] else None


def _binomial(encloser: Encloser, node: Node) -> Enclosure:
    n, k = (encloser.number(part).exact for part in node[1:])
    if n is None or k is None or n != round(n) or k != round(k) or n < 0:
        raise NoValueError(f"{text(node)} takes two integers, the first one >= 0")
    found = math.comb(round(n), round(k)) if k >= 0 else 0
    return point(float(found), exact=found <= EXACT)


_READERS: dict[str, Callable[[Encloser, Node], Enclosure]] = {
    "number": _number,
    "name": _number,
    "matrix": lambda e, node: _array("matrix", fetched(e.env.matrix(node[1]))),
    "vector": lambda e, node: _array("column", fetched(e.env.list_of(node[1]))[:, None]),
    "family": lambda e, node: _array("family", fetched(e.env.list_of(node[1]))),
    "entry": _entry,
    "+": _added,
    "*": _multiplied,
    "/": lambda e, node: enclosure.divided(e.of(node[1]), e.number(node[2])),
    "**": _power,
    "T": lambda e, node: enclosure.transposed(_upright(e.of(node[1]))),
    "tr": lambda e, node: enclosure.trace(e.of(node[1])),
    "norm": _norm,
    "inv": _inverse,
    "indicator": _indicator,
    "binomial": _binomial,
    "sum": _summed,
    "prod": _of_factors,
    "series": _to_infinity,
    "stack": _stacked,
    "softmax": _softmax,
    "entropy": _entropy,
    "sqrt": _root,
    "log": lambda e, node: enclosure.monotone(np.log, e.number(node[1]), 0.0),
    "exp": _exponential,
    "cos": _circular(math.cos),
    "sin": _circular(math.sin),
    "gamma": _gamma,
    "abs": lambda e, node: enclosure.absolute(e.number_or_line(node[1])),
    "min": _extreme(np.min),
    "max": _extreme(np.max),
    "clip": _clipped,
    "pi": lambda e, node: point(math.pi),
    "erf": lambda e, node: enclosure.monotone(_error_function, e.number_or_line(node[1])),
    "chance": _chance,
}
