"""Certified least costs: the certificates are refused when changed, and the program agrees with one over every W."""

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import pytest

from theorems.lampert2026.patterns.instances import Instance, Token, overlapping
from theorems.lampert2026.patterns.optimum import (
    ROOT_ERROR,
    Uncertified,
    bounded,
    feasible,
    norm_above,
    nuclear_above,
    root_above,
    symmetric,
)
from theorems.lampert2026.patterns.symmetric import COORDINATES, Family, orbits, scores, wins

CASES = [
    ("sink", 1, 2, F(3, 5), F(0)),
    ("diag", 1, 3, F(4, 5), F(0)),
    ("sink", 2, 2, F(4, 5), F(1)),
    ("diag", 2, 2, F(3, 10), F(1)),
    ("diag", 2, 3, F(3, 5), F(1, 2)),
    ("diag", 3, 2, F(4, 5), F(-1, 2)),
]


def rows_of(instance: Instance) -> np.ndarray:
    """The tokens as explicit rows."""
    values, columns = np.linalg.eigh(np.array(instance.gram, dtype=float))
    rows: np.ndarray = columns * np.sqrt(values.clip(min=0))
    return rows


def constraints(instance: Instance, pattern: str) -> tuple[tuple[int, int, int], ...]:
    """Every constraint as places (query, winner, loser) among ``instance.tokens``: the winner's score is 1 higher."""
    tokens = instance.tokens
    place = {token: k for k, token in enumerate(tokens)}
    found = dict.fromkeys(
        (place[query], place[winner], place[loser])
        for query in tokens
        for winner, loser in _contests(query, tokens, pattern)
    )
    return tuple(found)


def _contests(query: Token, tokens: Sequence[Token], pattern: str) -> Iterator[tuple[Token, Token]]:
    """(winner, loser) for a query, straight from the pattern: who is attended to, and every key outside that set."""
    wins(pattern)
    b = Token("b")
    if query.kind == "g":
        target = b if pattern == "sink" else query
        yield from ((target, key) for key in tokens if key != target)
    elif query.kind == "f":
        own = [key for key in tokens if key.kind == "g" and key.group == query.group]
        rest = [key for key in tokens if key not in own]
        yield from ((winner, key) for winner in own for key in rest)
        target = b if pattern == "sink" else query
        yield from ((target, key) for key in rest if key != target)


def full(instance: Instance, pattern: str) -> float:
    """The least cost of any instance by the program over all W on the span of the tokens, as a solver finds it."""
    rows = rows_of(instance)
    cp: Any = import_module("cvxpy")
    W = cp.Variable((rows.shape[1], rows.shape[1]))
    S = rows @ W @ rows.T
    q, w, k = (list(column) for column in zip(*constraints(instance, pattern), strict=True))
    problem = cp.Problem(cp.Minimize(cp.normNuc(W)), [S[q, w] - S[q, k] >= 1])
    return 2 * float(problem.solve(solver=cp.CLARABEL))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_reduced_program_agrees_with_the_full_one(case: tuple[str, int, int, F, F]) -> None:
    pattern, place = case[0], case[1:]
    reduced, whole = symmetric(pattern, *place), full(overlapping(*place), pattern)
    assert reduced.gap < F(1, 10**5)
    assert float(reduced.low) * (1 - 1e-6) <= whole <= float(reduced.high) * (1 + 1e-6)


def test_the_constraints_are_those_of_every_visible_set() -> None:
    """Which key must beat which, from the patterns' words, over every set of visible keys that holds b_BOS."""
    instance = overlapping(2, 2, F(1, 2), F(0))
    tokens = instance.tokens
    for pattern in ("sink", "diag"):
        wanted = set()
        for seen in product((False, True), repeat=len(tokens) - 1):
            visible = [tokens[0], *(token for token, here in zip(tokens[1:], seen, strict=True) if here)]
            for query in (token for token in visible if token.kind != "b"):
                target = [tokens[0]] if pattern == "sink" else [query]
                group = [key for key in visible if key.kind == "g" and key.group == query.group]
                if query.kind == "f" and group:
                    target = group
                wanted |= {(query, w, k) for w in target for k in visible if k not in target}
        places = {tuple(tokens.index(token) for token in way) for way in wanted}
        assert set(constraints(instance, pattern)) == places


def test_scores_of_an_invariant_w() -> None:
    """The forms against scores of an explicit invariant matrix, nuisances included."""
    C, n, lam, t = 3, 3, F(3, 5), F(1, 4)
    instance, family = overlapping(C, n, lam, t), Family(C, n, lam, t)
    value = {name: float(k + 1) / 7 for k, name in enumerate(COORDINATES)}
    K = np.array([[1.0 if c == k else float(t) for k in range(C)] for c in range(C)])
    R, S = np.linalg.cholesky(K), np.linalg.cholesky(np.eye(n) - 1 / n + 1e-15 * np.eye(n)) * (n / (n - 1)) ** 0.5
    mean = R.T @ np.ones(C) / np.linalg.norm(R.T @ np.ones(C))
    inner = value["A"] * np.outer(mean, mean) + value["B"] * (np.eye(C) - np.outer(mean, mean))
    eta = {(c, i): float(instance.delta2) ** 0.5 * np.kron(R[c], S[i]) for c in range(C) for i in range(n)}
    W = np.kron(inner, np.eye(n))
    assert scores(family)["g", "h"]
    for key, (one, two) in {
        "g": ((0, 0), (0, 0)),
        "h": ((0, 0), (0, 1)),
        "G": ((0, 1), (2, 1)),
        "H": ((0, 1), (2, 2)),
    }.items():
        along = float(lam) ** 2 * value["ee" if key in "gh" else "eE"]
        form = sum(float(v) * value[name] for name, v in scores(family)["g", key].items())
        assert form == pytest.approx(along + eta[one] @ W @ eta[two], abs=1e-6)


def test_what_is_not_feasible_is_not_certified() -> None:
    family = Family(2, 2, F(4, 5), F(0))
    found = symmetric("diag", 2, 2, F(4, 5), F(0))
    forms = [orbit.form for orbit in orbits(family, "diag")]
    assert feasible(found.entries, forms) == found.entries
    with pytest.raises(Uncertified, match="margin"):
        feasible({**found.entries, "fe": F(0)}, forms)
    with pytest.raises(Uncertified, match="negative"):
        bounded({**found.multipliers, "f: g > f": F(-1, 1000)}, family, "diag")
    # the same multipliers are those of a smaller norm with one left out, and never bound more than the optimum
    fewer = {name: y for name, y in found.multipliers.items() if name != "f: g > f"}
    assert bounded(fewer, family, "diag")[1] < found.low


def test_the_norm_of_the_multipliers_is_not_underrated() -> None:
    family = Family(3, 2, F(3, 5), F(1, 2))
    found = symmetric("diag", 3, 2, F(3, 5), F(1, 2))
    table = {orbit.name: orbit.form for orbit in orbits(family, "diag")}
    assert 1 - F(1, 10**7) < norm_above(found.multipliers, table, family) < 1 + F(1, 10**7)
    twice = {name: 2 * y for name, y in found.multipliers.items()}
    assert norm_above(twice, table, family) > 2 - F(1, 10**6)
    # shared directions have nothing orthogonal to their mean
    with pytest.raises(Uncertified, match="no nuisance"):
        norm_above({"x": F(1)}, {"x": {"B": F(1)}}, Family(2, 2, F(3, 5), F(1)))


def test_nuclear_norms_from_above() -> None:
    generator = np.random.default_rng(1)
    family = Family(3, 2, F(3, 5), F(0))
    for _ in range(10):
        entries = {name: F(int(generator.integers(-9, 10)), 4) for name in COORDINATES}
        apart = np.array(
            [[entries[r + "e"] - entries[r + "E"], entries[r + "f"] - entries[r + "F"]] for r in "ef"], float
        )
        means = np.array(
            [
                [3**0.5 * float(entries[r + "b"]), *(float(entries[r + c] + 2 * entries[r + c.upper()]) for c in "ef")]
                for r in "ef"
            ]
        )
        size = np.linalg.norm(means, "nuc") + 2 * np.linalg.norm(apart, "nuc")
        size += abs(float(entries["A"])) + 2 * abs(float(entries["B"]))
        assert float(nuclear_above(entries, family)) == pytest.approx(size)


def test_roots_from_above() -> None:
    for square in (F(2), F(0), F(9, 4), F(1, 10**9)):
        above = root_above(square)
        assert above**2 > square >= (above - ROOT_ERROR) ** 2 if square else 0 < above <= ROOT_ERROR


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern = 'other'"):
        wins("other")
    with pytest.raises(ValueError, match="overlap"):
        symmetric("diag", 3, 2, F(1, 2), F(-3, 4))
