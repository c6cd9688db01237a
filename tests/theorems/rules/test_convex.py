"""Every rule about hulls: what it licenses is true on random instances, and near misses are refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
import sympy as sp

from tests.mutation.steps import step
from theorems.algebra.convex import Holds, Representable, Vector, decide, exact, nearest, pairs, represent
from theorems.algebra.expressions import parse, symbol
from theorems.algebra.pascal import RowSum
from theorems.algebra.quotients import dot
from theorems.rules import EQUIVALENCES, licensed
from theorems.rules.convex import HULL, ONE, REPRESENTABLE, SEEN, at_most

i, T, w, first, last = (symbol(name) for name in ("i", "T", "w", "first", "last"))
q, s, k, t, pp, pc, cc = (symbol(n) for n in ("q", "s", "k", "t", "pp", "pc", "cc"))
dim, points = (symbol(name) for name in ("dim", "points"))
CANDIDATES = [parse(text) for text in ("1", "i", "T", "first", "last", "w", "i - w + 1", "i + 1", "last - 1", "2", "0")]
FULL, CAUSAL, WINDOW = SEEN.values()
BAND = sp.Max(ONE, last - w + 1)


def settings() -> list[dict[sp.Symbol, int]]:
    """Every way of 1 <= first <= i <= last <= T <= 4 and 1 <= w <= 4."""
    found = []
    for values in product(range(1, 5), repeat=5):
        at = dict(zip((first, i, last, T, w), values, strict=True))
        if at[first] <= at[i] <= at[last] <= at[T]:
            found.append(at)
    return found


def test_at_most_says_what_holds_for_every_query_and_nothing_else() -> None:
    forms = [*CANDIDATES, sp.Max(ONE, i - w + 1), sp.Max(ONE, last - w + 1), sp.Min(T, i + w)]
    everywhere = settings()
    values = {form: [form.xreplace(at) for at in everywhere] for form in forms}
    shown = 0
    for left, right in product(forms, repeat=2):
        true = all(a <= b for a, b in zip(values[left], values[right], strict=True))
        assert at_most(left, right) == true, (left, right)
        shown += true
    assert 40 < shown < len(forms) ** 2 - 40


def test_a_product_of_forms_is_refused() -> None:
    assert not at_most(i, i * T)
    assert not at_most(ONE, symbol("n"))


def instance(rng: Random) -> tuple[tuple[Vector, ...], list[int]]:
    """Embeddings in which either hull may hold its point, and queries."""
    size, d = rng.randint(1, 4), rng.randint(1, 2)
    z = exact([[rng.randint(-1, 1) for _ in range(d)] for _ in range(size + 1)])
    return z, sorted(rng.sample(range(1, size + 1), rng.randint(1, size)))


def seen(z: tuple[Vector, ...], J: list[int], keys: tuple[sp.Expr, sp.Expr], width: int) -> list[tuple[int, int]]:
    """The pairs (i, j) with low <= j <= high, by putting numbers in."""
    at = {T: len(z) - 1, first: J[0], last: J[-1], w: width}
    found = []
    for query in J:
        low, high = (int(end.xreplace({sym: sp.Integer(n) for sym, n in (at | {i: query}).items()})) for end in keys)
        found += [(query, key) for key in range(low, high + 1)]
    return found


def representable(z: tuple[Vector, ...], which: list[tuple[int, int]]) -> bool:
    vectors = [[a * (b - e) for a in z[i] for b, e in zip(z[0], z[j], strict=True)] for i, j in which]
    return not vectors or not isinstance(decide(vectors), Holds)


def outside(z: tuple[Vector, ...], keys: set[int]) -> bool:
    return nearest([[b - e for b, e in zip(z[0], z[j], strict=True)] for j in keys]).square > 0


def test_the_named_visibilities_are_those_of_the_masks() -> None:
    rng = Random(1)
    for _ in range(40):
        z, J = instance(rng)
        width = rng.randint(1, 4)
        for name, mask, window in (
            ("rho_C", "full", None),
            ("rho_C_causal", "causal", None),
            ("rho_C_window", "window", width),
        ):
            assert seen(z, J, SEEN[name], width) == list(pairs(len(z) - 1, J, mask, window))


MARGINS = (q * s - q * k, (q, s - k))


@pytest.mark.parametrize("name", SEEN)
def test_gordans_conclusion_on_random_instances(name: str) -> None:
    rng, answers = Random(2), set()
    for _ in range(40):
        z, J = instance(rng)
        width = rng.randint(1, 3)
        which = seen(z, J, SEEN[name], width)
        mask = {"rho_C": "full", "rho_C_causal": "causal", "rho_C_window": "window"}[name]
        exists = isinstance(represent(z, J, mask, width if mask == "window" else None), Representable)
        assert representable(z, which) == exists
        answers.add(exists)
    assert answers == {True, False}


def test_nearest_point() -> None:
    segment = (1 - t) ** 2 * pp + 2 * t * (1 - t) * pc + t**2 * cc
    good = (REPRESENTABLE, ("rho_C_window > 0",), *WINDOW, *MARGINS, segment, 2 * pc - 2 * pp)
    assert licensed(step("nearest-point", *good))
    # what the segment is: |p + t (c - p)|^2 for vectors
    rng = Random(3)
    p, x = (tuple(Fraction(rng.randint(-5, 5)) for _ in range(3)) for _ in range(2))
    for share in (Fraction(1, 3), Fraction(3, 4)):
        moved = tuple(a + share * (b - a) for a, b in zip(p, x, strict=True))
        at = {t: share, pp: dot(p, p), pc: dot(p, x), cc: dot(x, x)}
        value = segment.xreplace({name: sp.Rational(v.numerator, v.denominator) for name, v in at.items()})
        assert value == sp.Rational(dot(moved, moved).numerator, dot(moved, moved).denominator)


VISIBILITIES = [FULL, CAUSAL, WINDOW, (BAND, i), (first, T), (i, T), (i, last)]


def test_a_common_key_is_seen_by_every_query() -> None:
    everywhere = settings()
    counts = {True: 0, False: 0}
    for low, high in VISIBILITIES:
        for key in (ONE, first, last, T, i, sp.Integer(2)):
            for_all = all(low.xreplace(at) <= key.xreplace(at) <= high.xreplace(at) for at in everywhere)
            true = for_all and key != i
            assert licensed(step("common-key", "rho_Q > 0", low, high, key)) == true, (low, high, key)
            counts[true] += 1
    assert counts[True] >= 4 and counts[False] >= 10
    assert not licensed(step("common-key", "rho_K > 0", *FULL, ONE))


def test_a_full_query_sees_the_whole_hull() -> None:
    everywhere = settings()
    for (low, high), query, (name, (bottom, top)) in product(VISIBILITIES, (first, last, i, T), HULL.items()):
        member = query in (first, last) and name != "rho_K_window"
        sees = [end.xreplace({i: query}) for end in (low, high)]
        true = member and all(
            sees[0].xreplace(at) <= bottom.xreplace(at) and top.xreplace(at) <= sees[1].xreplace(at)
            for at in everywhere
        )
        assert licensed(step("full-query", f"{name} > 0", low, high, query)) == true, (low, high, query, name)
    assert not licensed(step("full-query", "rho_Q > 0", *FULL, last))


def test_what_the_two_necessary_conditions_say_on_random_instances() -> None:
    rng, missing = Random(4), 0
    for _ in range(80):
        z, J = instance(rng)
        for keys, hull in ((FULL, set(range(1, len(z)))), (CAUSAL, set(range(1, J[-1] + 1)))):
            exists = representable(z, seen(z, J, keys, 1))
            queries = nearest([z[query] for query in J]).square > 0
            assert not exists or (queries and outside(z, hull))
            missing += not exists
    assert missing > 40


def test_the_matrix_of_rank_one_on_random_instances() -> None:
    rng, tried = Random(5), 0
    for _ in range(80):
        z, J = instance(rng)
        for keys in (FULL, CAUSAL, WINDOW):
            which = seen(z, J, keys, 2)
            u = nearest([z[query] for query in J])
            v = nearest([[b - e for b, e in zip(z[0], z[j], strict=True)] for j in {j for _, j in which}])
            if not (u.square and v.square):
                continue
            tried += 1
            for query, key in which:
                gap = tuple(b - e for b, e in zip(z[0], z[key], strict=True))
                assert dot(u.point, z[query]) * dot(v.point, gap) >= u.square * v.square
    assert tried > 40


def test_rules_that_conclude_an_equivalence() -> None:
    assert {"gordan", "nearest-point", "necessary-and-sufficient"} <= EQUIVALENCES
    assert not {"rank-one", "common-key", "full-query"} & EQUIVALENCES


def test_the_least_norm_on_random_instances() -> None:
    rng, generator, tried = Random(6), np.random.default_rng(6), 0
    while tried < 30:
        d, size = rng.randint(1, 3), rng.randint(1, 4)
        z = exact([[rng.randint(-3, 3) for _ in range(d)] for _ in range(size + 1)])
        gaps = [tuple(b - e for b, e in zip(z[0], row, strict=True)) for row in z[1:]]
        u, v = nearest(z[1:]), nearest(gaps)
        if not (u.square and v.square):
            continue
        tried += 1
        a, b = (np.array([float(x) for x in found.point]) for found in (u, v))
        Z, G = np.array(z[1:], dtype=float), np.array(gaps, dtype=float)
        least = 2 * np.sqrt(d) / (np.linalg.norm(a) * np.linalg.norm(b))
        W = least / (np.linalg.norm(a) * np.linalg.norm(b)) * np.outer(a, b)
        assert (Z @ W @ G.T / np.sqrt(d)).min() >= 2 - 1e-9
        for norm in (2, "fro", "nuc"):
            assert abs(np.linalg.norm(W, norm) - least) < 1e-9 * least
            for _ in range(10):
                # another matrix, scaled to have the margins, is not smaller
                other = W + 0.3 * least * generator.standard_normal(W.shape)
                margin = (Z @ other @ G.T / np.sqrt(d)).min()
                if margin > 0:
                    other *= 2 / margin
                    assert np.linalg.norm(other, norm) >= least - 1e-9


CELLS: tuple[str, str, sp.Expr] = ("dim", "points", 2 * RowSum(points - 1, dim - 1))


def cells(rows: list[tuple[int, ...]]) -> int:
    """The sign patterns s for which 0 is not in conv{s_j z_j}: the cells of the hyperplanes z_j . x = 0."""
    count = 0
    for signs in product((1, -1), repeat=len(rows)):
        signed = [[sign * x for x in row] for sign, row in zip(signs, rows, strict=True)]
        count += not isinstance(decide(signed), Holds)
    return count


def test_cells_counted_one_by_one() -> None:
    rng = Random(7)
    for d in (1, 2, 3):
        for count in (1, 2, 3, 4, 5):
            rows = [tuple(rng.randint(-9, 9) or 10 for _ in range(d)) for _ in range(count)]
            if d > 1:
                general = [np.linalg.matrix_rank(np.array(rows)[list(some)]) for some in _subsets(count, d)]
                assert min(general) == min(d, count)
            assert cells(rows) == CELLS[2].xreplace({dim: sp.Integer(d), points: sp.Integer(count)})
    # not in general position: fewer
    general = CELLS[2].xreplace({dim: sp.Integer(2), points: sp.Integer(3)})
    assert cells([(1, 1), (2, 2), (1, 0)]) == 4 < general


def _subsets(count: int, size: int) -> list[tuple[int, ...]]:
    size = min(count, size)
    return [some for some in product(range(count), repeat=size) if list(some) == sorted(set(some))]
