"""Values at one case: exact rationals for the judgement, and the exact variance of a statistic for planning."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import flint
import numpy as np
import sympy as sp

from theorems.algebra import norms
from theorems.algebra.balls import ball, sign
from theorems.algebra.closed import names
from theorems.algebra.expressions import value_at
from theorems.algebra.quotients import fraction
from theorems.algebra.ratio import Ratio
from theorems.gaussian import functionals, words
from theorems.gaussian.moments.wick import contract
from theorems.gaussian.observables import START, Observable, Term, Vector
from theorems.gaussian.process import Moment, Process

Array = np.ndarray[Any, np.dtype[np.float64]]
#: Products of a sum below which it is formed as it stands.
FEW = 1 << 14


@lru_cache(maxsize=4096)
def _rational(entry: Any) -> Fraction:
    """An entry of a case; two integers are read in half the time that a Fraction takes for its own text."""
    if not isinstance(entry, str) or "." in entry:
        return Fraction(entry)
    above, _, below = entry.partition("/")
    return Fraction(int(above), int(below or 1))


class Case:
    """The exact data of a case: token counts, rational parameters, matrices and vectors, and every word's value.

    ``raw`` is JSON-able: counts as integers, every other number as a string "p/q"; "W" is W_QK.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)
        self.scalars: dict[str, Fraction] = {}
        self.matrices: dict[str, words.Exact] = {}
        self.vectors: dict[str, list[Fraction]] = {}
        for name, value in raw.items():
            if name in ("start", "law"):
                continue
            if isinstance(value, list):
                if depth(value) > 2:
                    # an array of matrices: functionals read it from ``raw``
                    continue
                if depth(value) == 2:
                    self.matrices[name] = [[_rational(entry) for entry in row] for row in value]
                else:
                    self.vectors[name] = [_rational(entry) for entry in value]
            else:
                self.scalars[name] = _rational(value)
        if "Sigma" in self.matrices:
            self.scalars.setdefault("d", Fraction(len(self.matrices["Sigma"])))
        if "z" in self.matrices:
            self.scalars.setdefault("d", Fraction(len(self.matrices["z"][0])))
        self._exact: dict[str, Fraction] = {}
        self._closed: dict[str, sp.Expr] = {}
        self._signs: dict[sp.Expr, int | None] = {}
        self._products: words.Products | None = None

    @property
    def sigma(self) -> words.Exact:
        """The covariance Sigma; 1 by 1 where the case has no matrices."""
        return self.matrices.get("Sigma", [[Fraction(1)]])

    def value(self, name: str) -> Fraction:
        """A scalar of the case or a word's exact value; raises KeyError for a name that is neither."""
        if name in self.scalars:
            return self.scalars[name]
        if functionals.known(name) is not None:
            closed = self.functional(name)
            if not closed.is_Rational:
                raise ValueError(f"{name} = {closed} is no rational number at the case {sorted(self.raw)}")
            return Fraction(int(closed.p), int(closed.q))
        if name not in self._exact:
            word = words.known(name)
            if word is None:
                raise KeyError(name)
            if self._products is None:
                matrices = {key: rows for key, rows in self.matrices.items() if key != "Sigma"}
                if "Sigma" not in self.matrices and any(len(rows) > 1 for rows in matrices.values()):
                    raise ValueError(f"{name} needs Sigma, which the case {sorted(self.raw)} lacks; give it")
                self._products = words.Products(matrices, self.sigma, self.vectors)
            self._exact[name] = self._products.value(word)
        return self._exact[name]

    def functional(self, name: str) -> sp.Expr:
        """A registered functional's exact value, a closed expression; raises KeyError for a name that is none."""
        found = functionals.known(name)
        if found is None:
            raise KeyError(name)
        if name not in self._closed:
            self._closed[name] = sp.sympify(found.value(self))
        return self._closed[name]

    def number(self, name: str) -> Fraction | Callable[[], flint.arb]:
        """A value for ball arithmetic: rational, or for a norm what encloses it at the present precision.

        Raises KeyError for a name that is neither, ValueError where the case's matrices have no such norm.
        """
        if name not in self.scalars and functionals.known(name) is not None:
            closed = self.functional(name)
            return self.value(name) if closed.is_Rational else partial(ball, closed, {})
        if name in self.scalars or norms.functional(name) is None:
            return self.value(name)
        found = norms.rational_value(name, self.matrices)
        return found if found is not None else partial(norms.enclosure, name, self.matrices)

    def sign(self, expression: sp.Expr) -> int | None:
        """The certified sign of a formula, which many clauses ask for; None where balls settle none.

        Raises KeyError for a name that is neither a scalar nor a word.
        """
        if expression not in self._signs:
            self._signs[expression] = sign(expression, {name: self.number(name) for name in names(expression)})
        return self._signs[expression]

    def evaluate(self, expression: sp.Expr) -> sp.Expr:
        """The exact value of a formula at this case; a norm without a short closed form counts with 30 digits."""
        point: dict[str, Fraction] = {}
        closed: dict[sp.Symbol, sp.Expr] = {}
        free = expression.free_symbols
        for one in free:
            name, found = one.name, None
            if name not in self.scalars and functionals.known(name) is not None:
                found = self.functional(name)
            elif name not in self.scalars and norms.functional(name) is not None:
                found = norms.shown(name, self.matrices)
            if found is None or found.is_Rational:
                point[name] = self.value(name) if found is None else fraction(found)
            else:
                closed[one] = found
        if not closed:
            return value_at(expression, point)
        # all at once: what holds names beside numbers takes sympy long to build
        rest = {one: sp.Rational(*point[one.name].as_integer_ratio()) for one in free if one not in closed}
        return sp.sympify(expression.xreplace(closed | rest))


def _varying(observable: Observable) -> Observable:
    """The observable without its constants, before which its variance would be lost in float64."""
    return Observable(tuple(term for term in observable.terms if term.forms))


def depth(value: Any) -> int:
    """How deep lists lie in one another: 2 of a matrix, 1 of a vector, 0 of a number."""
    return 1 + depth(value[0]) if isinstance(value, list) and value else 0


class Numeric:
    """Moments of observables at a case in float64, for planning sample sizes; indices are summed by brute force."""

    def __init__(self, case: Case, process: Process) -> None:
        self.case, self.process = case, process
        self.length = int(case.scalars.get("T", max((case.scalars.get(n, Fraction(1)) for n in ("i", "j")), default=1)))
        grid = np.arange(1, self.length + 1, dtype=np.float64)
        early, late = np.minimum.outer(grid, grid), np.maximum.outer(grid, grid)
        kernel = process.kernel
        below = kernel.below.at({"s": early, "t": late}) + np.zeros_like(early)  # type: ignore[dict-item]
        np.fill_diagonal(below, kernel.diagonal.at({"s": grid, "t": grid}) + np.zeros_like(grid))  # type: ignore[dict-item]
        self.kernel = below
        mean = kernel.mean
        self.curve = np.zeros_like(grid) if mean is None else mean.at({"t": grid}) + np.zeros_like(grid)  # type: ignore[dict-item]

    def moment(self, observable: Observable) -> float:
        """E[observable]."""
        return sum(self._term(term) for term in observable.terms)

    def statistic(self, moment: Moment) -> tuple[float, float]:
        """Mean and variance of the number that the simulation averages for this moment.

        For a mean that is the observable itself; for a variance it is (f - f')^2 / 2 over two independent walks,
        whose variance is (mu_4 + sigma^4) / 2.
        """
        if moment.observable is None:
            raise ValueError("the derived value is not the mean or variance of one observable; sample sizes need one")
        whole, f = self.moment(moment.observable), _varying(moment.observable)
        mean = self.moment(f)
        if moment.kind == "mean":
            return whole, max(self.moment(f * f) - mean * mean, 0.0)
        if moment.kind == "covariance" and moment.other is not None:
            return self._covariance(f, _varying(moment.other), mean)
        raw2, raw3, raw4 = self.moment(f * f), self.moment(f * f * f), self.moment(f * f * f * f)
        spread = raw2 - mean**2
        fourth = raw4 - 4 * mean * raw3 + 6 * mean**2 * raw2 - 3 * mean**4
        return spread, max((fourth + spread**2) / 2, 0.0)

    def _covariance(self, f: Observable, g: Observable, mean: float) -> tuple[float, float]:
        """Mean and variance of (f - f')(g - g')/2: with a, b the centred f, g, (E[a^2 b^2] + E[a^2] E[b^2])/2."""
        other = self.moment(g)
        cross = self.moment(f * g) - mean * other
        one, two = self.moment(f * f) - mean**2, self.moment(g * g) - other**2
        fourth = (
            self.moment(f * f * g * g)
            - 2 * other * self.moment(f * f * g)
            - 2 * mean * self.moment(f * g * g)
            + other**2 * (one + mean**2)
            + mean**2 * (two + other**2)
            + 4 * mean * other * (cross + mean * other)
            - 3 * mean**2 * other**2
        )
        return cross, max((fourth + one * two) / 2, 0.0)

    def _term(self, term: Term) -> float:
        """One term's expectation: every pair of ends is an array over the indices it involves, contracted by einsum."""
        order = len(term.bounds)
        steps = np.arange(1, self.length + 1)
        places: dict[str, Any] = {}
        for axis, bound in enumerate(term.bounds):
            places[bound.index] = steps.reshape([-1 if k == axis else 1 for k in range(order)])
        fixed: list[tuple[Array, tuple[int, ...]]] = [_compact(self._at(term.coefficient, places), order)]
        for bound in term.bounds:
            low, high = self._place(bound.above, places), self._place(bound.upto, places)
            here = places[bound.index]
            inside = (here > low) & ((here < high) if bound.strict else (here <= high))
            fixed.append(_compact(inside, order))
        vectors, contractions = contract(term.forms, self.process.kernel.mean is None)
        weights = [self._weights(vector, places, order) for vector in vectors]
        pairs: dict[tuple[int, int], tuple[Array, tuple[int, ...]]] = {}
        means = [_compact(w @ self.curve, order) for w in weights]
        total = 0.0
        for item in contractions:
            factor = float(item.count)
            for word in item.words:
                factor *= float(self.case.value(word.name))
            operands = [*fixed, *(means[end] for end in item.means)]
            for one, two in item.pairs:
                if (one, two) not in pairs:
                    pairs[one, two] = self._pair(weights[one], weights[two])
                operands.append(pairs[one, two])
            total += factor * _contracted(operands, self.length, order)
        return total

    def _pair(self, one: Array, two: Array) -> tuple[Array, tuple[int, ...]]:
        """E of the product of two ends, over the indices that they have: no array holds both beside the tokens."""
        (left, axes), (right, others) = map(_over_indices, (one, two))
        last, both = one.ndim - 1, tuple(sorted({*axes, *others}))
        left = left @ self.kernel
        operands: list[Any] = [left, [*axes, last], right, [*others, last], list(both)]
        return _einsum(*operands), both

    def _place(self, name: str, places: Mapping[str, Any]) -> Any:
        if name == START:
            return 0
        # the one vector of the Gaussian model has no position of its own
        return places[name] if name in places else int(self.case.scalars.get(name, 1))

    def _at(self, ratio: Ratio, places: Mapping[str, Any]) -> Any:
        values = {name: places[name] if name in places else float(self.case.value(name)) for name in ratio.names}
        return ratio.reduced().at(values)

    def _weights(self, vector: Vector, places: Mapping[str, Any], axes: int) -> Any:
        """The weight of every token in the vector, with the summation indices as leading axes."""
        steps = np.arange(1, self.length + 1)
        total: Any = np.zeros((1,) * axes + (self.length,))
        for coefficient, atom in vector.parts:
            nodes = [np.asarray(self._place(name, places))[..., None] for name in atom[1:]]
            inside = steps == nodes[0] if atom[0] == "at" else (steps > nodes[0]) & (steps <= nodes[1])
            total = total + np.asarray(self._at(coefficient, places))[..., None] * inside
        return total


def _compact(values: Any, order: int) -> tuple[Array, tuple[int, ...]]:
    """An array over the summation indices without the axes it does not depend on, and the axes that are left."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or order == 0:
        return array.reshape(()), ()
    axes = tuple(axis for axis in range(order) if array.shape[axis] > 1)
    return array.reshape([array.shape[axis] for axis in axes]), axes


def _over_indices(weights: Array) -> tuple[Array, tuple[int, ...]]:
    """Weights of tokens without the summation indices that they do not depend on, and the indices that are left."""
    axes = tuple(axis for axis, length in enumerate(weights.shape[:-1]) if length > 1)
    return weights.reshape([*(weights.shape[axis] for axis in axes), weights.shape[-1]]), axes


def _contracted(operands: list[tuple[Array, tuple[int, ...]]], length: int, order: int) -> float:
    """The product of the operands, summed over every index; an index that no operand has counts ``length`` times.

    Indices are summed one after the other, each over the product of the operands that have it.
    """
    tables: dict[tuple[int, ...], Array] = {}
    scalar = float(length) ** (order - len({axis for _, axes in operands for axis in axes}))
    for array, axes in operands:
        if axes:
            _join(tables, axes, array)
        else:
            scalar *= float(array)
    while tables:
        # the one that leaves the fewest others
        near = {k: {axis for axes in tables if k in axes for axis in axes} for axes in tables for k in axes}
        index = min(near, key=lambda k: len(near[k]))
        rest = tuple(sorted(near[index] - {index}))
        parts: list[Any] = []
        for axes in [axes for axes in tables if index in axes]:
            parts += [tables.pop(axes), list(axes)]
        if len(parts) == 4 and len(parts[1]) == len(parts[3]) == 2:
            # as a product of matrices
            one, two = (part if axes[1] == index else part.T for part, axes in (parts[:2], parts[2:]))
            summed = one @ two.T if parts[1][parts[1][0] == index] == rest[0] else two @ one.T
        else:
            summed = _einsum(*parts, list(rest))
        if rest:
            _join(tables, rest, summed)
        else:
            scalar *= float(summed)
    return scalar


def _einsum(*operands: Any) -> Any:
    """numpy's einsum of arrays and their axes in turn; to look for a way takes longer than a small sum."""
    sizes = {
        axis: n
        for array, axes in zip(operands[:-1:2], operands[1::2], strict=True)
        for axis, n in zip(axes, array.shape, strict=True)
    }
    return np.einsum(*operands, optimize=math.prod(sizes.values()) > FEW)


def _join(tables: dict[tuple[int, ...], Array], axes: tuple[int, ...], array: Array) -> None:
    tables[axes] = tables[axes] * array if axes in tables else array
