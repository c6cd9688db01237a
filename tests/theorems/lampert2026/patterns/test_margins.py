"""The margins of both patterns, for any M and alpha, against the scores of tokens written out as vectors."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.gaussian.numeric import Case
from theorems.lampert2026.patterns.group_matrices import ONE, GroupMatrix, group_matrix
from theorems.lampert2026.patterns.margins import (
    PATTERNS,
    SQUARE,
    D,
    cross,
    d,
    diagonal_matrix,
    dormant,
    inner,
    lam,
    margins,
    routing,
    score,
    sink_matrix,
)

GROUPS, SIZE, WIDTH = 3, 3, 20


class Written:
    """Tokens of GROUPS groups of SIZE as vectors, in unit vectors, and all margins by the definition."""

    def __init__(self, share: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.structure = 1 + 2 * GROUPS
        eye = np.eye(WIDTH) * np.sqrt(WIDTH)
        self.bos, self.directions, self.copies = eye[0], eye[1 : 1 + GROUPS], eye[1 + GROUPS : self.structure]
        triangle = np.array([[1, 0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
        self.eta = np.zeros((GROUPS, SIZE, WIDTH))
        for c in range(GROUPS):
            plane = np.linalg.qr(rng.normal(size=(WIDTH - self.structure, 2)))[0].T
            self.eta[c, :, self.structure :] = np.sqrt((1 - share**2) * WIDTH) * triangle @ plane
        self.tokens = share * self.directions[:, None] + self.eta

    def projector(self) -> Any:
        flat = self.eta.reshape(-1, WIDTH)
        return np.linalg.pinv(flat) @ flat

    def margins(self, pattern: str, W: Any) -> list[float]:
        """Every margin: query by query, wanted key by wanted key, other key by other key."""
        found: list[float] = []

        def compare(query: Any, wanted: list[Any], others: list[Any]) -> None:
            found.extend(float(query @ W @ (k - o)) / np.sqrt(WIDTH) for k in wanted for o in others)

        own = {c: [self.tokens[c, i] for i in range(SIZE)] for c in range(GROUPS)}
        for c in range(GROUPS):
            rest = [t for e in range(GROUPS) if e != c for t in own[e]]
            for i in range(SIZE):
                me = own[c][i]
                siblings = [own[c][j] for j in range(SIZE) if j != i]
                if pattern == "sink":
                    compare(me, [self.bos], [me, *siblings, *rest, *self.copies])
                else:
                    compare(me, [me], [self.bos, *siblings, *rest, *self.copies])
            copy, copies = self.copies[c], [self.copies[e] for e in range(GROUPS) if e != c]
            compare(copy, own[c], [self.bos, copy, *copies, *rest])
            if pattern == "sink":
                compare(copy, [self.bos], [copy, *copies, *rest])
            else:
                compare(copy, [copy], [self.bos, *copies, *rest])
        return found

    def nuisances(self) -> tuple[list[float], list[float]]:
        """|eta_ci - eta_cj|^2 over pairs of a group, and inner products of nuisances of two groups."""
        pairs = [
            float(((self.eta[c, i] - self.eta[c, j]) ** 2).sum())
            for c in range(GROUPS)
            for i, j in combinations(range(SIZE), 2)
        ]
        products = [
            float(self.eta[c, i] @ self.eta[e, j])
            for c in range(GROUPS)
            for e in range(GROUPS)
            if e != c
            for i in range(SIZE)
            for j in range(SIZE)
        ]
        return pairs, products


def dense(matrix: GroupMatrix) -> Any:
    """Pi^T M Pi as a WIDTH x WIDTH array."""
    places = [None, *((block, str(g)) for block in range(2) for g in range(GROUPS))]
    W = np.zeros((WIDTH, WIDTH))
    entries = [[float(matrix.entry(p, q)) for q in places] for p in places]
    W[: len(places), : len(places)] = entries
    return W


def random_matrix(rng: Random) -> GroupMatrix:
    places = (None, (0, "c"), (1, "c"), (0, "e"), (1, "e"))
    return group_matrix(2, {(p, q): sp.Rational(rng.randint(-4, 4), 3) for p in places[:3] for q in places})


def test_the_nearest_pairs_of_the_families() -> None:
    """Against unit vectors written out, n by n: antipodal pairs, simplices, and pairs turned by a rational angle."""
    turn = np.arctan2(16, 63)

    def rows(family: int, n: int) -> Any:
        if family in (2, 3) or n == 3:
            flat = np.eye(n) - 1 / n
            return flat / np.linalg.norm(flat, axis=1, keepdims=True)
        found = np.zeros((n, n + 4))
        pairs = n // 2 if n % 2 == 0 else (n - 3) // 2
        for k in range(pairs):
            found[2 * k, :2] = (np.cos(k * turn), np.sin(k * turn)) if family == 5 else (0, 0)
            found[2 * k, 4 + k] = float(family != 5)
            found[2 * k + 1] = -found[2 * k]
        if n % 2:
            found[-3:, -3:] = (np.eye(3) - 1 / 3) / np.sqrt(2 / 3)
        return found

    for family in range(1, 6):
        for n in range(2, 8):
            unit = rows(family, n)
            least = min(float(((x - y) ** 2).sum()) for x, y in combinations(unit, 2))
            case = Case({"family": family, "n": n, "lam": "3/5", "d": "40"})
            assert float(case.evaluate(symbol("Delta_diag"))) == pytest.approx(least * 0.64 * 40)
    for bad in ({"family": 6, "n": 2}, {"family": 1, "n": 1}):
        with pytest.raises(ValueError, match="families 1 to 5"):
            Case({**bad, "lam": "3/5", "d": "40"}).evaluate(symbol("Delta_diag"))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_margins_are_all_there_are(pattern: str, seed: int) -> None:
    rng = Random(seed)
    share, alpha = sp.Rational(rng.choice((3, 4)), 5), sp.Rational(rng.randint(-3, 3), 2)
    M, tokens = random_matrix(rng), Written(float(share), seed)
    pairs, products = tokens.nuisances()
    seen = tokens.margins(pattern, dense(M) + float(alpha) * tokens.projector())
    told: list[float] = []
    for margin in margins(pattern, M, alpha):
        value = margin.value.xreplace({lam: share, d: sp.Integer(WIDTH)})
        at = sp.lambdify((D, cross), value)
        told += [
            float(at(p, x))
            for p in (pairs if value.has(D) else [0.0])
            for x in (products if value.has(cross) else [0.0])
        ]
    for values, others in ((seen, told), (told, seen)):
        table = np.sort(np.array(others))
        place = np.clip(np.searchsorted(table, values), 1, len(table) - 1)
        near = np.minimum(abs(table[place] - values), abs(table[place - 1] - values))
        assert near.max() < 1e-9


def test_inner_products_of_nuisances() -> None:
    one, two, other = dormant("c", "i"), dormant("c", "j"), dormant("e", "k")
    assert inner(one, one) == SQUARE and inner(one, other) == cross
    # |eta - eta'|^2 = |eta|^2 + |eta'|^2 - 2 <eta, eta'>
    assert sp.expand(2 * SQUARE - 2 * inner(one, two) - D) == 0


def test_scores_of_the_constructions() -> None:
    s, a, b, alpha = (symbol(n) for n in ("s", "a", "b", "alpha"))
    token, other = dormant("c", "i"), dormant("c", "j")
    assert sp.expand(score(token, other, diagonal_matrix(s, a, b)) - s * lam**2 * sp.sqrt(d)) == 0
    assert (
        sp.expand(
            score(token, token, diagonal_matrix(s, a, b), alpha) - (s * lam**2 + alpha * (1 - lam**2)) * sp.sqrt(d)
        )
        == 0
    )
    assert score(token, other, sink_matrix(a, b)) == 0


def test_which_margins_are_there_for_one_group() -> None:
    for pattern in PATTERNS:
        found = margins(pattern, diagonal_matrix(ONE, ONE, ONE))
        assert {m.always for m in found} == {True, False}
        assert all(m.always == ("_e" not in m.text) for m in found)
        # each margin once
        assert len({m.text for m in found}) == len(found)


def test_a_pattern_that_is_none() -> None:
    with pytest.raises(ValueError, match="sink, diagonal"):
        margins("stripes", sink_matrix(ONE, ONE))


def test_the_routing_constraints_are_means_of_differences() -> None:
    first, second = routing()
    assert first.key == {(0, "c"): lam, None: -1}
    assert second.key == {(0, "c"): lam, (0, "e"): -lam}
    assert first.query == second.query == {(1, "c"): 1}
