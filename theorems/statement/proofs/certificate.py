"""A polynomial as a combination, with weights >= 0, of products of facts and of squares: exact, and verified exactly.

A linear program proposes the products; their weights are solved for in rationals, and the identity is checked term by
term. What the program says in floats is never trusted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import clarabel
import flint
import numpy as np
from scipy import sparse

from theorems.algebra.ratio import Ratio
from theorems.statement.proofs.atoms import monomials

Monomial = tuple[tuple[str, int], ...]
#: Most products and most monomials of a linear program.
MAX_COLUMNS, MAX_ROWS = 3_000, 400


@dataclass(frozen=True)
class Term:
    """A polynomial that is >= 0, > 0 where ``strict``, or 0 where ``equal``, with the facts it is a product of."""

    value: Ratio
    parts: tuple[int, ...] = ()
    strict: bool = False
    equal: bool = False
    square: str = ""


Certificate = list[tuple[Fraction, Term]]


def certificate(goal: Ratio, terms: Sequence[Term], strict: bool, deadline: float) -> Certificate | None:
    """goal = sum of weight * term; None where none is found. A strict goal keeps a part of a strictly positive term."""
    columns = _useful(goal, [term for term in terms if term.value.names or not term.equal])
    if not strict:
        return _solved(goal, columns, deadline)
    positive = [term for term in columns if term.strict and not term.equal]
    for kept in sorted(positive, key=lambda term: len(term.parts))[:8]:
        for part in (Fraction(1), Fraction(1, 8), Fraction(1, 100)):
            if time.monotonic() > deadline:
                return None
            found = _solved((goal - kept.value * part).reduced(), columns, deadline)
            if found is not None:
                return [(part, kept), *found]
    return None


def products(facts: Sequence[Term], goal: Ratio, deadline: float) -> list[Term]:
    """Products of up to three facts, and squares of differences and sums of monomials, of no higher degree than needed."""
    degree = max((sum(power for _, power in key) for key in monomials(goal)), default=0)
    found = [Term(Ratio.of(1), strict=True), *facts]
    most = {2: 60, 3: 14}
    for count in (2, 3):
        for chosen in combinations_with_replacement(facts[: most[count]], count):
            if len(found) > MAX_COLUMNS or time.monotonic() > deadline:
                break
            value = chosen[0].value
            for other in chosen[1:]:
                value = value * other.value
            value = value.reduced()
            if _degree(value) <= max(degree, 2):
                parts = tuple(part for one in chosen for part in one.parts)
                found.append(Term(value, parts, all(t.strict for t in chosen), any(t.equal for t in chosen)))
    labels = sorted({label for key in monomials(goal) for label, _ in key})
    for fact in facts:
        if fact.equal:
            for label in labels:
                found.append(Term((fact.value * Ratio.of(label)).reduced(), fact.parts, False, True))
    return found + _squares(goal)


def _degree(value: Ratio) -> int:
    return max((sum(power for _, power in key) for key in monomials(value)), default=0)


def _squares(goal: Ratio) -> list[Term]:
    """(m + c n)^2 for monomials m, n of half the goal's degrees and small ratios c."""
    highest: dict[str, int] = {}
    for key in monomials(goal):
        for label, power in key:
            highest[label] = max(highest.get(label, 0), power)
    half = (_degree(goal) + 1) // 2
    bases: list[Ratio] = [Ratio.of(1)]
    for label, power in sorted(highest.items()):
        steps = [Ratio.of(label) ** k for k in range(power // 2 + 1)]
        bases = [(base * step).reduced() for base in bases for step in steps]
        if len(bases) > 60:
            return []
    bases = [base for base in bases if _degree(base) <= half][:24]
    found = []
    for base in bases:
        found.append(Term((base * base).reduced(), square=str(base)))
    for one, two in combinations(bases, 2):
        for ratio in (1, -1, 2, -2, Fraction(1, 2), Fraction(-1, 2)):
            root = (one + two * ratio).reduced()
            found.append(Term((root * root).reduced(), square=str(root)))
    return found


def _useful(goal: Ratio, terms: Sequence[Term]) -> list[Term]:
    """Terms whose monomials can cancel: one that has a monomial of no other term, nor of the goal, is left out."""
    wanted = set(monomials(goal))
    kept = list(terms)
    while True:
        counts: dict[Monomial, int] = {}
        for term in kept:
            for key in monomials(term.value):
                counts[key] = counts.get(key, 0) + 1
        left = [t for t in kept if all(counts[key] > 1 or key in wanted for key in monomials(t.value))]
        if len(left) == len(kept):
            return left[:MAX_COLUMNS]
        kept = left


def _solved(goal: Ratio, columns: Sequence[Term], deadline: float) -> Certificate | None:
    target = monomials(goal)
    if not target:
        return []
    table = [monomials(term.value) for term in columns]
    rows = sorted({*target, *(key for column in table for key in column)})
    if not columns or len(rows) > MAX_ROWS or not set(target) <= {key for column in table for key in column}:
        return None
    place = {key: k for k, key in enumerate(rows)}
    entries = [(place[key], k, float(value)) for k, column in enumerate(table) for key, value in column.items()]
    matrix = sparse.csc_matrix(
        ([v for _, _, v in entries], ([r for r, _, _ in entries], [c for _, c, _ in entries])),
        shape=(len(rows), len(columns)),
    )
    free = np.array([term.equal for term in columns])
    weights = _program(matrix, np.array([float(target.get(key, 0)) for key in rows]), free, deadline)
    if weights is None:
        return None
    for least in (1e-4, 1e-6, 1e-8):
        support = [k for k in range(len(columns)) if abs(weights[k]) > least]
        exact = _exactly(rows, target, [table[k] for k in support])
        if exact is not None and all(w >= 0 or columns[k].equal for w, k in zip(exact, support, strict=True)):
            found = [(w, columns[k]) for w, k in zip(exact, support, strict=True) if w]
            if _adds_up(goal, found):
                return found
    return None


def _program(matrix: sparse.csc_matrix, target: np.ndarray, free: np.ndarray, deadline: float) -> np.ndarray | None:
    """A vertex of weights >= 0 (free ones excepted) with matrix @ weights = target, in floats."""
    count = matrix.shape[1]
    # generic costs have one cheapest vertex
    costs = 1 + np.random.default_rng(0).random(count) * 0.5
    costs[free] = 0
    signed = np.flatnonzero(~free)
    bound = sparse.csc_matrix((-np.ones(len(signed)), (range(len(signed)), signed)), shape=(len(signed), count))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = max(deadline - time.monotonic(), 0.02)
    settings.max_threads = 1
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((count, count)),
        costs,
        sparse.vstack([matrix, bound]).tocsc(),
        np.concatenate([target, np.zeros(len(signed))]),
        [clarabel.ZeroConeT(len(target)), clarabel.NonnegativeConeT(len(signed))],
        settings,
    )
    solution = solver.solve()
    if "Solved" not in str(solution.status):
        return None
    return np.array(solution.x)


def _exactly(
    rows: Sequence[Monomial], target: dict[Monomial, Fraction], support: Sequence[dict[Monomial, Fraction]]
) -> list[Fraction] | None:
    """The rational solution of the linear equations on a support, free unknowns 0."""
    if not support:
        return None
    count = len(support)
    table = [[*(column.get(key, Fraction(0)) for column in support), target.get(key, Fraction(0))] for key in rows]
    matrix = flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in table])
    reduced, rank = matrix.rref()
    values = [Fraction(0)] * count
    for r in range(rank):
        lead = next(c for c in range(count + 1) if reduced[r, c] != 0)
        if lead == count:
            return None
        values[lead] = Fraction(int(reduced[r, count].p), int(reduced[r, count].q))
    return values


def _adds_up(goal: Ratio, found: Certificate) -> bool:
    total = -goal
    for weight, term in found:
        total = total + term.value * weight
    return not total.reduced().num
