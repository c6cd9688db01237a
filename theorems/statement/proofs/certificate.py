"""A polynomial as a combination, with weights >= 0, of products of facts and of squares: exact, and verified exactly.

A linear program proposes the products; their weights are solved for in rationals, and the identity is checked term by
term. What the program says in floats is never trusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

import flint
import numpy as np

from theorems.statement.work import Work

Monomial = tuple[tuple[str, int], ...]
#: A polynomial: the coefficient of every monomial, none of them 0. Integers are multiplied in a tenth of the time.
Poly = dict[Monomial, Fraction | int]
#: Most products and most monomials of a linear program.
MAX_COLUMNS, MAX_ROWS = 1_500, 400
UNIT: Poly = {(): 1}


@dataclass(frozen=True)
class Term:
    """A polynomial that is >= 0, > 0 where ``strict``, or 0 where ``equal``, with the facts it is a product of."""

    value: Poly
    parts: tuple[int, ...] = ()
    strict: bool = False
    equal: bool = False
    square: str = ""


Certificate = list[tuple[Fraction, Term]]


def added(one: Poly, two: Poly, weight: Fraction | int = 1) -> Poly:
    """one + weight * two."""
    total = dict(one)
    for key, value in two.items():
        total[key] = total.get(key, 0) + weight * value
    return {key: value for key, value in total.items() if value}


def multiplied(one: Poly, two: Poly) -> Poly:
    """one * two."""
    if len(one) == 1 or len(two) == 1:
        return {_joined(a, b): x * y for a, x in one.items() for b, y in two.items()}
    total: Poly = {}
    for a, x in one.items():
        for b, y in two.items():
            key = _joined(a, b)
            total[key] = total.get(key, 0) + x * y
    return {key: value for key, value in total.items() if value}


def whole(value: Mapping[Monomial, Fraction | int]) -> Poly:
    """The polynomial with the integers among its coefficients as such."""
    return {key: number.numerator if number.denominator == 1 else number for key, number in value.items()}


@lru_cache(maxsize=1 << 16)
def _joined(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for label, power in b:
        powers[label] = powers.get(label, 0) + power
    return tuple(sorted(powers.items()))


def folded(value: Poly, squares: Mapping[str, Poly]) -> Poly:
    """The polynomial with squares of roots replaced by what they are squares of."""
    for _ in range(12 if squares else 0):
        high = [key for key in value if any(power > 1 and label in squares for label, power in key)]
        if not high:
            return value
        total = {key: number for key, number in value.items() if key not in high}
        for key in high:
            label, power = next((label, power) for label, power in key if power > 1 and label in squares)
            rest = tuple((one, count) for one, count in key if one != label) + (
                ((label, power - 2),) if power > 2 else ()
            )
            total = added(total, multiplied({tuple(sorted(rest)): value[key]}, squares[label]))
        value = total
    return value


def written(value: Poly) -> str:
    """A polynomial as text."""
    parts = []
    for key, number in sorted(value.items()):
        factors = [label if power == 1 else f"{label}**{power}" for label, power in key]
        text = "*".join(([str(number)] if abs(number) != 1 or not factors else []) + factors)
        parts.append(f"-{text}" if number == -1 and factors else text)
    return " + ".join(parts).replace("+ -", "- ") or "0"


def certificate(goal: Poly, terms: Sequence[Term], strict: bool, work: Work) -> Certificate | None:
    """goal = sum of weight * term; None where none is found. A strict goal keeps a part of a strictly positive term."""
    columns = _useful(goal, terms)
    if not strict:
        return _solved(goal, columns, work)
    positive = [term for term in columns if term.strict and not term.equal]
    scaled = Term({key: -value for key, value in goal.items()})
    for kept in sorted(positive, key=lambda term: len(term.parts))[:8]:
        # kept + sum of weight * term = scale * goal, so that no size of its part has to be guessed
        found = _solved({key: -value for key, value in kept.value.items()}, [*columns, scaled], work)
        scale = sum(weight for weight, term in found or [] if term is scaled)
        if found is not None and scale:
            return [(1 / scale, kept), *((weight / scale, term) for weight, term in found if term is not scaled)]
    return None


def products(facts: Sequence[Term], goal: Poly, squares: Mapping[str, Poly], work: Work) -> list[Term]:
    """Products of up to three facts, and squares of sums of two monomials, of no higher degree than the goal."""
    most, found = max(_degree(goal), 2), [Term(UNIT, strict=True), *facts]
    for count, first in ((2, 40), (3, 14)):
        sized = [(fact, min(map(_size, fact.value))) for fact in facts[:first]]
        for several in combinations_with_replacement(sized, count):
            if len(found) > MAX_COLUMNS or not work.spend(0.05):
                break
            if sum(least for _, least in several) > most:
                continue
            chosen = [fact for fact, _ in several]
            value = chosen[0].value
            for other in chosen[1:]:
                value = multiplied(value, other.value)
            value = folded(value, squares)
            if value and _degree(value) <= most:
                parts = tuple(part for one in chosen for part in one.parts)
                found.append(Term(value, parts, all(t.strict for t in chosen), any(t.equal for t in chosen)))
    labels = sorted({label for key in goal for label, _ in key})
    own = _squares(goal, squares)
    for fact in facts[:12]:
        for square in own[:60]:
            if not fact.equal and _degree(fact.value) + _degree(square.value) <= most and work.spend(0.05):
                found.append(
                    Term(folded(multiplied(fact.value, square.value), squares), fact.parts, square=square.square)
                )
    for fact in facts:
        if fact.equal:
            for label in labels:
                found.append(Term(folded(multiplied(fact.value, {((label, 1),): 1}), squares), fact.parts, False, True))
    return found + own


@lru_cache(maxsize=1 << 16)
def _size(key: Monomial) -> int:
    return sum(power for _, power in key)


def _degree(value: Poly) -> int:
    return max(map(_size, value), default=0)


#: Ratios c that are always tried.
_RATIOS = [Fraction(v) for v in (1, -1, 2, -2, "1/2", "-1/2")]


def _squares(goal: Poly, squares: Mapping[str, Poly]) -> list[Term]:
    """(m + c n)^2 for monomials m, n of half the goal's degrees and small ratios c."""
    highest: dict[str, int] = {}
    for key in goal:
        for label, power in key:
            highest[label] = max(highest.get(label, 0), power)
    half = (_degree(goal) + 1) // 2
    bases: list[Monomial] = [()]
    for label, power in sorted(highest.items()):
        # of x*y the square is that of x - y, or of x beside a fact about y
        most = (power + (_degree(goal) > 1)) // 2
        bases = [_joined(base, ((label, k),) if k else ()) for base in bases for k in range(most + 1)]
        bases = [base for base in bases if _size(base) <= half]
        if len(bases) > 60:
            return []
    bases = bases[:24]
    roots: list[Poly] = [{base: 1} for base in bases]
    for one, two in combinations(bases, 2):
        ratios = dict.fromkeys([*_RATIOS, *_completing(goal, one, two)])
        roots += [whole({one: 1, two: ratio}) for ratio in ratios]
    return [Term(folded(multiplied(root, root), squares), square=written(root)) for root in roots]


def _completing(goal: Poly, one: Monomial, two: Monomial) -> list[Fraction]:
    """c with (m + c n)^2 = m^2 + 2 c m n + ... as in the goal."""
    keys = (_joined(one, one), _joined(one, two), _joined(two, two))
    square, mixed, other = (Fraction(goal.get(key, 0)) for key in keys)
    return [c for c in ([mixed / (2 * square)] if square else []) + ([2 * other / mixed] if mixed else []) if c]


def _useful(goal: Poly, terms: Sequence[Term]) -> list[Term]:
    """Terms whose monomials can cancel: one that has a monomial of no other term, nor of the goal, is left out."""
    kept = [term for term in terms if term.value]
    while True:
        counts: dict[Monomial, int] = {}
        for term in kept:
            for key in term.value:
                counts[key] = counts.get(key, 0) + 1
        left = [t for t in kept if all(counts[key] > 1 or key in goal for key in t.value)]
        if len(left) == len(kept):
            return left[:MAX_COLUMNS]
        kept = left


def _solved(goal: Poly, columns: Sequence[Term], work: Work) -> Certificate | None:
    if not goal:
        return []
    rows = sorted({*goal, *(key for term in columns for key in term.value)})
    known = {key for term in columns for key in term.value}
    if not columns or len(rows) > MAX_ROWS or not set(goal) <= known:
        return None
    if not work.spend(5 + len(rows) * len(columns) / 1000):
        return None
    place = {key: k for k, key in enumerate(rows)}
    try:
        entries = [(place[key], k, float(v)) for k, term in enumerate(columns) for key, v in term.value.items()]
        target = np.array([float(goal.get(key, 0)) for key in rows])
    except OverflowError:
        # a number beyond floats, in which the weights are looked for
        return None
    weights = _program(entries, target, np.array([term.equal for term in columns]))
    if weights is None:
        return None
    for least in (1e-4, 1e-6, 1e-8):
        support = [k for k in range(len(columns)) if abs(weights[k]) > least]
        if len(support) > 120:
            continue
        exact = _exactly(rows, goal, [columns[k].value for k in support])
        if exact is not None and all(w >= 0 or columns[k].equal for w, k in zip(exact, support, strict=True)):
            found = [(w, columns[k]) for w, k in zip(exact, support, strict=True) if w]
            if _adds_up(goal, found):
                return found
    return None


class Columns:
    """A sparse matrix by columns, as clarabel reads scipy's: ``indices`` are the rows of ``data``, column by column.

    scipy's own takes longer to import than most programs take to solve.
    """

    has_canonical_format = True

    def __init__(self, entries: Sequence[tuple[int, int, float]], shape: tuple[int, int]) -> None:
        columns, rows, data = zip(*sorted((c, r, v) for r, c, v in entries), strict=True) if entries else ((), (), ())
        self.shape, self.nnz = shape, len(data)
        self.data, self.indices = np.array(data, dtype=np.float64), np.array(rows, dtype=np.int32)
        self.indptr = np.searchsorted(columns, range(shape[1] + 1)).astype(np.int32)


def _program(entries: Sequence[tuple[int, int, float]], target: np.ndarray, free: np.ndarray) -> np.ndarray | None:
    """A vertex of weights >= 0 (free ones excepted) with matrix @ weights = target, in floats.

    The matrix is given by (row, column, value).
    """
    import clarabel

    count, rows = len(free), len(target)
    # generic costs have one cheapest vertex
    costs = 1 + np.random.default_rng(0).random(count) * 0.5
    costs[free] = 0
    signed = np.flatnonzero(~free).tolist()
    bounds = [(rows + k, column, -1.0) for k, column in enumerate(signed)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    solver = clarabel.DefaultSolver(
        Columns([], (count, count)),
        costs,
        Columns([*entries, *bounds], (rows + len(signed), count)),
        np.concatenate([target, np.zeros(len(signed))]),
        [clarabel.ZeroConeT(rows), clarabel.NonnegativeConeT(len(signed))],
        settings,
    )
    solution = solver.solve()
    if "Solved" not in str(solution.status):
        return None
    return np.array(solution.x)


def _exactly(rows: Sequence[Monomial], target: Poly, support: Sequence[Poly]) -> list[Fraction] | None:
    """The rational solution of the linear equations on a support, free unknowns 0."""
    if not support:
        return None
    count = len(support)
    place = {key: r for r, key in enumerate(rows)}
    matrix = flint.fmpq_mat(len(rows), count + 1)
    for c, column in enumerate((*support, target)):
        for key, v in column.items():
            matrix[place[key], c] = flint.fmpq(v.numerator, v.denominator)
    reduced, rank = matrix.rref()
    values = [Fraction(0)] * count
    for r in range(rank):
        lead = next(c for c in range(count + 1) if reduced[r, c] != 0)
        if lead == count:
            return None
        values[lead] = Fraction(int(reduced[r, count].p), int(reduced[r, count].q))
    return values


def _adds_up(goal: Poly, found: Certificate) -> bool:
    total = {key: -value for key, value in goal.items()}
    for weight, term in found:
        total = added(total, term.value, weight)
    return not total
