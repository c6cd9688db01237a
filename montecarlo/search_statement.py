"""A search for violations of a statement without tokens, in float64: ascent from a case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from montecarlo.search_conditions import CLAUSES, excess, margin
from montecarlo.search_values import Array, Floats, compiled, number


def _numbered(node: Sequence[Any]) -> Callable[[Floats], float]:
    return partial(number, compiled(node))


def _part(gap: float, terms: list[list[float]]) -> float:
    """The gap as a part of the largest term, or of itself; NaN where it is."""
    if not gap:
        return gap
    sizes = [abs(term) for side in terms for term in side]
    return gap / max([size for size in sizes if math.isfinite(size)] + [abs(gap), 1e-300])


class Landscape:
    """How far a statement is from being violated, case by case: above 0 it is violated.

    ``known`` is plain data: "ranges" {name: (low, high)}, "fixed" (names of integers), "shapes" {matrix: shape},
    "bounds" {sequence: expression or None}, "simplex" {sequence: total}, "relations" [(relation, left, right)].
    """

    def __init__(self, left: Sequence[Any], relation: str, right: Sequence[Any], known: Mapping[str, Any]) -> None:
        self.relation, self.known = relation, known
        self.margins = [margin(side, _numbered) for side in (left, right)] if relation in CLAUSES else []
        if self.margins:
            left = right = ["number", "0"]
        terms = [side[1:] if side[0] == "+" else [side] for side in (left, right)]
        self.sides = [[(str(term), compiled(term)) for term in side] for side in terms]
        self.bounds = {name: None if bound is None else compiled(bound) for name, bound in known["bounds"].items()}
        self.relations = [(relation, compiled(one), compiled(two)) for relation, one, two in known["relations"]]

    def terms(self, case: Floats) -> dict[str, float]:
        """The values of the terms by what they are, for a statement that shares some (``measured``)."""
        return {text: number(term, case) for side in self.sides for text, term in side}

    def measured(self, case: Floats, known: Mapping[str, float]) -> tuple[float, float]:
        """``excess`` at a case, and the gap, the values of some terms being known.

        The gap is left - right for <=, right - left for >=, |left - right| for =; NaN where a side has no value, and of
        statements with iff or if.
        """
        if self.margins:
            return self.excess(case), math.nan
        terms = self._terms(case, known)
        gap = self._between(terms)
        return _part(gap, terms), gap

    def _terms(self, case: Floats, known: Mapping[str, float]) -> list[list[float]]:
        return [[known[text] if text in known else number(term, case) for text, term in side] for side in self.sides]

    def _between(self, terms: list[list[float]]) -> float:
        one, two = (sum(side[1:], side[0]) for side in terms)
        if not (math.isfinite(one) and math.isfinite(two)):
            return math.nan
        return {"<": one - two, ">": two - one, "=": abs(one - two)}[self.relation[0]]

    def excess(self, case: Floats) -> float:
        """The gap over the largest term of both sides, so that scale does not matter; NaN where a side has no value."""
        if self.margins:
            one, two = (side(case) for side in self.margins)
            return excess(self.relation, one, two)
        terms = self._terms(case, {})
        return _part(self._between(terms), terms)

    def projected(self, case: Floats) -> Floats | None:
        """The case moved into the hypotheses as far as floats can; None where one fails."""
        numbers = dict(case["numbers"])
        for name, (low, high) in self.known["ranges"].items():
            numbers[name] = min(max(numbers[name], low), high)
        moved: Floats = {**case, "numbers": numbers}
        moved["matrices"] = {name: self._shaped(name, matrix) for name, matrix in case["matrices"].items()}
        sequences = dict(case["sequences"])
        for name, bound in self.bounds.items():
            if bound is not None:
                top = number(bound, moved)
                if not top >= 0:
                    return None
                sequences[name] = np.clip(sequences[name], -top, top)
        for name, total in self.known["simplex"].items():
            weights = abs(sequences[name])
            if not weights.sum() > 0:
                return None
            sequences[name] = weights * (total / weights.sum())
        moved["sequences"] = sequences
        return moved if all(self._holds(*relation, moved) for relation in self.relations) else None

    def _shaped(self, name: str, matrix: Array) -> Array:
        shape = self.known["shapes"].get(name, "any")
        if shape == "any":
            return matrix
        even = (matrix + matrix.T) / 2
        if shape == "symmetric":
            return even
        if shape == "identity":
            return np.eye(len(matrix))
        values, turn = np.linalg.eigh(even)
        least = 1e-3 if shape == "positive definite" else 0.0
        return (turn * np.maximum(values, least)) @ turn.T

    @staticmethod
    def _holds(relation: str, left: Any, right: Any, case: Floats) -> bool:
        one, two = number(left, case), number(right, case)
        near = 1e-9 * max(abs(one), abs(two), 1.0)
        table = {"=": abs(one - two) <= near, "!=": abs(one - two) > near, "<": one < two, ">": one > two}
        table |= {"<=": one <= two + near, ">=": one >= two - near}
        return table[relation]

    def climb(self, start: Floats, generator: np.random.Generator, steps: int) -> tuple[float, Floats, int]:
        """The largest excess that random steps of changing length find, where, and after how many tries."""
        here = self.projected(start)
        best = math.nan if here is None else self.excess(here)
        if here is None or math.isnan(best):
            return -math.inf, start, 1
        step, tries = 0.5, 1
        # of integers alone none is moved
        free = any(name not in self.known["fixed"] for table in here.values() for name in table)
        while tries < steps and step > 1e-9:
            tries += 1
            there = self.projected(self._moved(here, generator, step)) if free else here
            value = math.nan if there is None else self.excess(there) if free else best
            if there is not None and value > best:
                here, best, step = there, value, min(step * 1.5, 4.0)
            else:
                step *= 0.93
        return best, here, tries

    def _moved(self, case: Floats, generator: np.random.Generator, step: float) -> Floats:
        fixed = self.known["fixed"]
        sparse = generator.random() < 0.5

        def shift(value: Any) -> Any:
            noise = generator.standard_normal(np.shape(value))
            if sparse and np.size(value) > 1:
                noise = noise * (generator.random(np.shape(value)) < 0.3)
            return value + step * noise * (np.abs(value) + 0.3)

        moved = {
            kind: {name: value if name in fixed else shift(value) for name, value in table.items()}
            for kind, table in case.items()
        }
        if generator.random() < 0.2:
            # a common scale of everything: what holds near 0 may fail far out, and the other way round
            factor = float(np.exp(step * generator.standard_normal()))
            for table in moved.values():
                for name in table:
                    table[name] = table[name] if name in fixed else table[name] * factor
        return moved
