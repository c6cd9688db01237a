"""The value of a statement without tokens at a case in float64, for the search of violations.

A statement comes as nested lists, ["+", ["number", "1/2"], ["name", "u"]]; a case as numbers, matrices, vectors and
sequences by name, as text ("1/2") or in float64. Row vectors are (1, k), columns (k, 1), matrices (d, d).
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from montecarlo.search_conditions import GRID, PROPERTIES, property_margin
from montecarlo.search_gathered import GATHERED
from montecarlo.search_kept import KEPT, marked, once
from montecarlo.statements import integrals, series
from montecarlo.statements.nodes import Node, frozen

Array = Any
#: {"numbers": {name: float}, "matrices": {name: (d, d)}, "vectors": {name: (d, 1)}, "sequences": {name: (n, 1)}}
Floats = dict[str, dict[str, Any]]
#: Where a case holds how far derivatives are moved.
SLOPES = "slopes"
#: Longest sum that is evaluated.
MAX_SUM = 4_096
#: An eigenvalue whose imaginary part is beyond this part of the matrix' size is not real.
REAL = 1e-6
#: Steps of a difference quotient, each half of the one before, and the rounding of a value, of some operations.
STEPS, EPS = 12, 8 * sys.float_info.epsilon


def evaluate(node: Sequence[Any], case: Mapping[str, Mapping[str, Any]], moved: float = 0.0) -> float:
    """The value of an expression at a case; NaN where it has none, such as log(0).

    Derivatives are moved by so many of the errors that are estimated for them.
    """
    return number(compiled(node), floats(case) | {SLOPES: {"moved": moved}})


def number(function: Callable[[Floats], Array], case: Floats) -> float:
    """The value of a compiled expression at a case in float64; NaN where it has none."""
    try:
        with np.errstate(all="ignore"):
            value = function(case)
            return value if type(value) is float else float(np.asarray(value, dtype=float).reshape(()))
    except (ZeroDivisionError, OverflowError, IndexError, np.linalg.LinAlgError):
        return math.nan


def floats(case: Mapping[str, Mapping[str, Any]]) -> Floats:
    """A case in float64."""
    column = {"vectors", "sequences"}
    found: Floats = {}
    for kind in ("numbers", "matrices", "vectors", "sequences"):
        table = {name: _floated(value) for name, value in case.get(kind, {}).items()}
        found[kind] = {name: v.reshape(-1, 1) for name, v in table.items()} if kind in column else table
    return found


def _floated(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return np.array([_floated(entry) for entry in value], dtype=float)
    if isinstance(value, np.ndarray):
        return value.astype(float)
    return float(value) if isinstance(value, float | np.floating) else _of_text(value)


@lru_cache(maxsize=4096)
def _of_text(value: Any) -> float:
    try:
        return float(Fraction(value))
    except OverflowError:
        return math.inf if Fraction(value) > 0 else -math.inf


def compiled(node: Sequence[Any]) -> Callable[[Floats], Array]:
    """A function that gives the value of an expression at cases in float64."""
    op, args = node[0], node[1:]
    if op == "number":
        constant = float(Fraction(args[0]))
        return lambda case: constant
    if op == "name":
        return lambda case: case["numbers"][args[0]]
    if op == "matrix" and args[0] == "I":
        return lambda case: np.eye(int(case["numbers"]["d"]))
    if op in ("matrix", "vector", "family"):
        table = {"matrix": "matrices", "vector": "vectors", "family": "sequences"}[op]
        return lambda case: case[table][args[0]]
    if op == "entry":
        head = compiled(["family", args[0]] if isinstance(args[0], str) else args[0])
        index = compiled(args[1])
        return lambda case: _entry(head(case), index(case))
    if op in ("norm", "entrynorm"):
        inner, kind = compiled(args[0]), args[1]
        return lambda case: (_norm if op == "norm" else _entry_norm)(inner(case), kind)
    if op in ("sum", "prod"):
        body, owner = marked(args[0], args[1])
        return _summed(compiled(body), args[1], compiled(args[2]), compiled(args[3]), op == "prod", owner)
    if op == KEPT:
        return once(args[0], args[1], compiled(args[2]))
    if op == "series":
        return _to_infinity(args[0], args[1], compiled(args[2]))
    if op == "integral":
        return _integral(args[0], args[1], compiled(args[2]), compiled(args[3]))
    if op == "diff":
        body, times = args[0], 1
        while body[0] == "diff" and body[2] == args[1] and tuple(body[3]) == ("name", args[1]):
            body, times = body[1], times + 1
        return _slope(compiled(body), args[1], compiled(args[2]), times)
    if op == "relation":
        return _compared(args[0], compiled(args[1]), compiled(args[2]))
    if op == "chance":
        return _chance(args[0], [compiled(arg) for arg in args[1:]])
    if op == "*" and any(arg[0] == "indicator" for arg in args):
        return _by_cases(*([compiled(arg) for arg in args if (arg[0] == "indicator") is own] for own in (True, False)))
    if op in GATHERED:
        return GATHERED[op](args, compiled)
    if op in PROPERTIES:
        return _property(op, compiled(args[0]), args[1], compiled(args[2]), compiled(args[3]))
    parts = [compiled(arg) for arg in args]
    function = _FUNCTIONS[op]
    if len(parts) == 2:
        one, two = parts
        return lambda case: function(one(case), two(case))
    return lambda case: function(*[part(case) for part in parts])


def _property(kind: str, body: Any, name: str, low: Any, high: Any) -> Callable[[Floats], Array]:
    def held(case: Floats) -> Array:
        first, last = float(_plain(low(case))), float(_plain(high(case)))
        values = []
        for k in range(GRID + 1):
            place = first + (last - first) * k / GRID
            values.append(number(body, {**case, "numbers": {**case["numbers"], name: place}}))
        return property_margin(kind, values)

    return held


def _is_array(value: Array) -> bool:
    return isinstance(value, np.ndarray) and value.size > 1


def _plain(value: Array) -> Array:
    """A number, where an array has one entry only."""
    return float(value.reshape(())) if isinstance(value, np.ndarray) and value.size == 1 else value


def _product(*parts: Array) -> Array:
    if all(isinstance(part, float) for part in parts):
        return math.prod(parts)
    found = parts[0]
    for part in parts[1:]:
        both = _is_array(found) and _is_array(part)
        found = _plain(found @ part) if both else _plain(found) * _plain(part)
    return found


def _power(base: Array, exponent: Array) -> Array:
    count = float(_plain(exponent))
    if _is_array(base):
        if not count.is_integer():
            return math.nan
        return np.linalg.matrix_power(base, int(count))
    value = float(_plain(base))
    if value < 0 and not count.is_integer():
        return math.nan
    return value**count


def _entry(vector: Array, index: Array) -> float:
    entries, place = np.asarray(vector, dtype=float).ravel(), float(_plain(index))
    if not place.is_integer() or not 1 <= place <= len(entries):
        raise IndexError(f"there is no entry {place} of {len(entries)}")
    return float(entries[int(place) - 1])


def _norm(value: Array, kind: str) -> float:
    found = np.atleast_2d(np.asarray(value, dtype=float))
    if not np.isfinite(found).all():
        return math.nan
    order: Any = {"2": 2, "nuclear": "nuc"}.get(kind, "fro") if min(found.shape) > 1 else "fro"
    return float(np.linalg.norm(found, order))


def _entry_norm(value: Array, kind: str) -> float:
    sizes = np.abs(np.atleast_2d(np.asarray(value, dtype=float)))
    if kind in ("max", "sum"):
        return float(sizes.max() if kind == "max" else sizes.sum())
    return float(sizes.sum(0 if kind == "1" else 1).max())


def _inverse(value: Array) -> Array:
    return np.linalg.inv(np.atleast_2d(np.asarray(value, dtype=float)))


def _eigenvalues(value: Array) -> Array:
    matrix = np.atleast_2d(np.asarray(value, dtype=float))
    if not np.isfinite(matrix).all():
        return np.full((len(matrix), 1), math.nan)
    found = np.linalg.eigvals(matrix)
    real = np.abs(found.imag) <= REAL * np.linalg.norm(matrix)
    return np.sort(np.where(real, found.real, math.nan)).reshape(-1, 1)


def _softmax(value: Array) -> Array:
    scores = np.atleast_2d(np.asarray(value, dtype=float))
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def _entropy(value: Array) -> float:
    shares = np.asarray(value, dtype=float).ravel()
    shares = shares[shares != 0]
    return math.nan if (shares < 0).any() else float(-(shares * np.log(shares)).sum())


def _several(*parts: Array) -> Array:
    return np.concatenate([np.asarray(part, dtype=float).ravel() for part in parts])


def _summed(
    body: Callable[[Floats], Array], index: str, first: Any, last: Any, multiplied: bool, owner: str
) -> Callable[[Floats], Array]:
    """The terms from first to last added, or multiplied."""

    def total(case: Floats) -> Array:
        low, high = float(_plain(first(case))), float(_plain(last(case)))
        if not (low.is_integer() and high.is_integer()) or high - low > MAX_SUM:
            return math.nan
        inner: Floats = {**case, "numbers": dict(case["numbers"]), owner: {}}
        found: Array = 1.0 if multiplied else 0.0
        for k in range(int(low), int(high) + 1):
            inner["numbers"][index] = float(k)
            found = found * body(inner) if multiplied else found + body(inner)
        return found

    return total


def _to_infinity(body: Sequence[Any], index: str, first: Callable[[Floats], Array]) -> Callable[[Floats], Array]:
    """The terms from the first on added, until what is left does not matter."""
    node, part = frozen(body), _parts()
    return lambda case: series.value(float(_plain(first(case))), node, index, part(case))


def _integral(
    body: Sequence[Any], index: str, low: Callable[[Floats], Array], high: Callable[[Floats], Array]
) -> Callable[[Floats], Array]:
    node, part = frozen(body), _parts()
    return lambda case: integrals.value(float(_plain(low(case))), float(_plain(high(case))), node, index, part(case))


def _parts() -> Callable[[Floats], series.Number]:
    """At a case, the values of what stands under an index without it; each is compiled once."""
    parts: dict[Node, Callable[[Floats], Array]] = {}

    def value(one: Node, case: Floats) -> float:
        if one not in parts:
            parts[one] = compiled(one)
        return float(_plain(parts[one](case)))

    return lambda case: lambda one: value(one, case)


def _by_cases(
    indicators: list[Callable[[Floats], Array]], factors: list[Callable[[Floats], Array]]
) -> Callable[[Floats], Array]:
    """A product with indicators: 0 where one of them is 0, whether or not the other factors have a value."""
    return lambda case: _product(1.0, *(part(case) for part in factors)) if all(i(case) for i in indicators) else 0.0


def _slope(
    body: Callable[[Floats], Array], variable: str, at: Callable[[Floats], Array], times: int
) -> Callable[[Floats], Array]:
    """A derivative by a number, by Ridders' method: central differences of shrinking step, extrapolated to 0.

    The difference of order n, sum_k (-1)^k C(n, k) f(x + (n/2 - k) h)/h^n, is off by even powers of h, and by the
    rounding of its terms: differences that agree because all of them were lost to it tell nothing.
    """
    shares = [(times / 2 - k, (-1) ** k * math.comb(times, k)) for k in range(times + 1)]

    def slope(case: Floats) -> float:
        place = float(_plain(at(case)))
        inner: Floats = {**case, "numbers": dict(case["numbers"])}

        def value(shift: float) -> float:
            inner["numbers"][variable] = place + shift
            return float(_plain(body(inner)))

        step, best, error = 0.125 * max(abs(place), 0.125), math.nan, math.inf
        before: list[float] = []
        for _ in range(STEPS):
            width = 2 * step
            terms = [share * value(offset * width) for offset, share in shares]
            row, lost = [sum(terms) / width**times], EPS * sum(map(abs, terms)) / width**times
            for order, other in enumerate(before, 1):
                row.append(row[-1] + (row[-1] - other) / (4.0**order - 1))
                off = max(abs(row[-1] - row[-2]), abs(row[-1] - other), lost)
                if off < error:
                    best, error = row[-1], off
            before, step = row, step / 2
        moved = case[SLOPES]["moved"] if SLOPES in case else 0.0
        return best + moved * error if moved else best

    return slope


def _compared(
    mark: str, left: Callable[[Floats], Array], right: Callable[[Floats], Array]
) -> Callable[[Floats], Array]:
    test = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
    return lambda case: float((test | {"!=": operator.ne})[mark](float(_plain(left(case))), float(_plain(right(case)))))


def _chance(kind: str, parts: list[Callable[[Floats], Array]]) -> Callable[[Floats], Array]:
    """P[low <= N(mean, variance) <= high] by the complementary error function, of the two ends on one side of 0."""

    def probability(case: Floats) -> float:
        mean, variance, *ends = (float(_plain(part(case))) for part in parts)
        if variance <= 0:
            return math.nan
        low, high = ((end - mean) / math.sqrt(2 * variance) for end in (ends[0], ends[-1]))
        if kind != "within":
            return math.erfc(low if kind == "above" else -high) / 2
        if high < low:
            # no number lies there
            return 0.0
        return (math.erfc(low) - math.erfc(high)) / 2 if low > 0 else (math.erfc(-high) - math.erfc(-low)) / 2

    return probability


def _elementary(function: Callable[[float], float]) -> Callable[[Array], float]:
    def at(value: Array) -> float:
        try:
            return function(float(_plain(value)))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return at


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "+": lambda *parts: sum(parts[1:], parts[0]),
    "*": _product,
    "/": lambda one, two: one / float(_plain(two)),
    "**": _power,
    "T": lambda value: value.T if isinstance(value, np.ndarray) else value,
    "tr": lambda value: float(np.trace(np.atleast_2d(value))),
    "sqrt": _elementary(math.sqrt),
    "exp": _elementary(math.exp),
    "log": _elementary(math.log),
    "cos": _elementary(math.cos),
    "sin": _elementary(math.sin),
    "abs": lambda value: abs(_plain(value)),
    "min": lambda *parts: float(_several(*parts).min()),
    "max": lambda *parts: float(_several(*parts).max()),
    "erf": _elementary(math.erf),
    "gamma": _elementary(math.gamma),
    "pi": lambda: math.pi,
    "indicator": float,
    "and": lambda *parts: float(all(parts)),
    "clip": lambda value, low, high: min(max(_plain(value), _plain(low)), _plain(high)),
    "inv": _inverse,
    "eig": _eigenvalues,
    "softmax": _softmax,
    "entropy": _entropy,
}
