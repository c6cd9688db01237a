"""Exact enumeration: every expectation of degree at most 5 in each Gaussian, by the 3-point Gauss-Hermite rule.

With nodes 0, +-sqrt(3) and weights 2/3, 1/6, 1/6 in every coordinate of every increment, a small walk becomes a finite
table; no contraction, no kernel and no closed sum is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np

from theorems.algebra.ratio import Ratio
from theorems.gaussian.numeric import Case
from theorems.gaussian.observables import START, Bound, Observable, Term, Vector
from theorems.gaussian.process import Moment
from theorems.kernel.derivation import Derived

Integers = np.ndarray[Any, np.dtype[np.int64]]

#: Highest degree that the 3-point rule is exact for.
MAX_DEGREE = 5
#: Largest table: 3^(T d) rows.
MAX_ROWS = 3**6


class Enumeration:
    """All walks of T steps in d dimensions on the 3-point grid, Sigma = I, with integer weights over 6^(T d)."""

    def __init__(self, d: int, T: int, start: str = "sigma") -> None:
        if 3 ** (T * d) > MAX_ROWS:
            raise ValueError(f"d = {d}, T = {T} need 3^{T * d} rows; expected at most {MAX_ROWS}")
        if start not in ("sigma", "zero"):
            raise ValueError(f"start = {start!r}; the grid holds centred walks, start sigma or zero")
        signs = np.array(list(product((0, 1, -1), repeat=T * d)), dtype=np.int64)
        self.weights = np.prod(np.where(signs == 0, 4, 1), axis=1)
        steps = signs.reshape(-1, T, d)
        if start == "zero":
            steps = steps.copy()
            steps[:, 0] = 0
        # tokens in units of sqrt(3)
        self.tokens = np.cumsum(steps, axis=1)
        self.d, self.T, self.scale = d, T, 6 ** (T * d)

    def expect(self, observable: Observable, case: Case) -> Fraction:
        """E[observable] at the case's W (integers) and positions, exactly."""
        unit = [[Fraction(int(r == c)) for c in range(self.d)] for r in range(self.d)]
        if case.sigma != unit or any(entry.denominator != 1 for row in case.matrices["W"] for entry in row):
            raise ValueError("exact enumeration takes Sigma = I and a W of integers")
        total = Fraction(0)
        for term in observable.terms:
            total += self._sum(term, case, {}, term.bounds)
        return Fraction(total, self.scale)

    def _sum(self, term: Term, case: Case, places: Mapping[str, int], bounds: Sequence[Bound]) -> Fraction:
        if bounds:
            bound, rest = bounds[0], bounds[1:]
            low, high = self._place(bound.above, case, places), self._place(bound.upto, case, places)
            inner = range(low + 1, high + (0 if bound.strict else 1))
            return sum((self._sum(term, case, {**places, bound.index: k}, rest) for k in inner), Fraction(0))
        factor = self._number(term.coefficient, case)
        product_of_forms = self.weights.copy()
        matrix = np.array([[int(entry) for entry in row] for row in case.matrices["W"]], dtype=np.int64)
        for form in term.forms:
            left, below = self._vector(form.left, case, places)
            right, under = self._vector(form.right, case, places)
            across = np.eye(self.d, dtype=np.int64)
            for letter in form.letters:
                across = across @ (
                    (matrix.T if letter.transposed else matrix) if letter.name else np.eye(self.d, dtype=np.int64)
                )
            product_of_forms = product_of_forms * ((left @ across) * right).sum(axis=1)
            # each form holds two tokens, hence a factor sqrt(3)^2
            factor = factor * 3 / (below * under)
        return factor * int(product_of_forms.sum())

    def _number(self, ratio: Ratio, case: Case) -> Fraction:
        value = case.evaluate(ratio.expr)
        return Fraction(int(value.p), int(value.q))

    def _place(self, name: str, case: Case, places: Mapping[str, int]) -> int:
        return 0 if name == START else places[name] if name in places else int(case.scalars[name])

    def _vector(self, vector: Vector, case: Case, places: Mapping[str, int]) -> tuple[Integers, int]:
        """The vector on every row of the table, as integers over a common denominator."""
        if vector.fixed:
            raise ValueError(f"the fixed vector {vector.fixed} is not on the grid; enumerate centred forms only")
        weights = [self._number(coefficient, case) for coefficient, _ in vector.parts]
        common = lcm(*(weight.denominator for weight in weights))
        total = np.zeros((len(self.weights), self.d), dtype=np.int64)
        for weight, (_, atom) in zip(weights, vector.parts, strict=True):
            nodes = [self._place(name, case, places) for name in atom[1:]]
            picked = (
                self.tokens[:, nodes[0] - 1] if atom[0] == "at" else self.tokens[:, nodes[0] : nodes[1]].sum(axis=1)
            )
            total += int(weight * common) * picked
        return total, common


#: Small walks that corrections are enumerated on: (d, T, W).
INSTANCES: tuple[tuple[int, int, list[list[str]]], ...] = (
    (1, 2, [["2"]]),
    (1, 4, [["1"]]),
    (2, 2, [["1", "2"], ["2", "-1"]]),
    (2, 3, [["1", "1"], ["1", "0"]]),
    (3, 2, [["1", "0", "1"], ["0", "-1", "0"], ["1", "0", "0"]]),
)


def enumerated(derived: Derived, positions: Sequence[str], start: str = "sigma") -> list[str]:
    """Compare derived moments with exact enumeration at every admissible position of small walks; lines of evidence.

    Raises ArithmeticError where one differs. A derivation whose moments are not on the grid gives no lines.
    """
    moments = [(n, m) for n, m in derived.quantities.items() if isinstance(m, Moment) and m.observable is not None]
    factors = [_factors(moment) for _, moment in moments]
    if not moments or any(v.fixed for some in factors for one in some for v in one.vectors()):
        return []
    if any(sum(one.degree() for one in some) > MAX_DEGREE for some in factors):
        return []
    count = 0
    for d, T, matrix in INSTANCES:
        grid = Enumeration(d, T, start)
        unit = [[str(int(r == c)) for c in range(d)] for r in range(d)]
        for places in _places(positions, T):
            case = Case({"d": d, "W": matrix, "Sigma": unit, "lam": "2", **places})
            for (name, moment), (one, *others) in zip(moments, factors, strict=True):
                found = grid.expect(one, case)
                for other in others:
                    found = grid.expect(one * other, case) - found * grid.expect(other, case)
                wanted = case.evaluate(moment.ratio.expr)
                if found != Fraction(int(wanted.p), int(wanted.q)):
                    raise ArithmeticError(f"{name} at {case.raw}: derived {wanted}, enumerated {found}")
                count += 1
    return [f"exact enumeration (3-point Gauss-Hermite) agrees at {count} instances, d <= 3, T <= 4"]


def _factors(moment: Moment) -> tuple[Observable, ...]:
    """The observable of a mean, or the two of a covariance, of which the product is on the grid where both are."""
    assert moment.observable is not None
    two = moment.observable if moment.other is None else moment.other
    return (moment.observable,) if moment.kind == "mean" else (moment.observable, two)


def _places(positions: Sequence[str], T: int) -> list[dict[str, int]]:
    """Every 1 <= i <= j <= T, with T itself where it is a position."""
    found: list[dict[str, int]] = [{}]
    for name in positions:
        found = [
            {**one, name: value}
            for one in found
            for value in ([T] if name == "T" else range(max(one.values(), default=1), T + 1))
        ]
    return found
