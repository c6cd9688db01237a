"""Section 7's empirical check: the embeddings are those of the setting, margins and costs those of the definition."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo.lampert2026 import costs
from montecarlo.lampert2026.costs import (
    FAMILIES,
    contexts,
    copy_cost,
    diagonal_parts,
    embeddings,
    least_pair,
    margins,
    nuclear,
    routing_bracket,
    sink_cost,
    sink_parts,
    unit_family,
)

CASES = list(product((1, 2, 3), (2, 3, 4, 5, 7), range(1, len(FAMILIES) + 1)))


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.mark.parametrize("family", range(1, len(FAMILIES) + 1))
def test_embeddings_are_those_of_the_setting(family: int) -> None:
    for C, n, _ in CASES[:: len(FAMILIES)]:
        lam, d = 0.6, 40
        tokens = embeddings(C, n, lam, d, family)
        structure = np.concatenate([tokens.bos[None], tokens.directions, tokens.copies])
        assert structure @ structure.T == pytest.approx(d * np.eye(2 * C + 1), abs=1e-10)
        assert tokens.nuisance @ structure.T == pytest.approx(np.zeros((C, n, 2 * C + 1)), abs=1e-10)
        assert (tokens.nuisance**2).sum(-1) == pytest.approx(np.full((C, n), (1 - lam**2) * d))
        assert tokens.nuisance.sum(1) == pytest.approx(np.zeros((C, d)), abs=1e-10)
        assert tokens.nearest > 1e-3 * d
        # the projector, and the span of the dormant tokens: the nuisances' and the directions
        P, rank = tokens.projector, np.linalg.matrix_rank(tokens.nuisance.reshape(-1, d), tol=1e-8)
        assert np.allclose(P @ P, P, atol=1e-10) and np.trace(P) == pytest.approx(rank)
        assert np.linalg.matrix_rank(tokens.dormant.reshape(-1, d), tol=1e-8) == rank + C


def test_families_differ() -> None:
    products = {}
    for family, name in enumerate(FAMILIES, 1):
        eta = embeddings(2, 4, 0.6, 40, family).nuisance / math.sqrt(40) / 0.8
        products[name] = eta[0] @ eta[1].T
    assert all(abs(products[name]).max() < 1e-12 for name in ("antipodal", "simplex", "near-collinear"))
    assert np.diag(products["shared simplex"]) == pytest.approx(np.ones(4))
    assert np.diag(products["opposite"]) == pytest.approx(-np.ones(4))
    assert 0.01 < abs(products["random"]).max() < 0.999
    near = [embeddings(1, 4, 0.6, 40, k).nearest for k in (1, 5)]
    assert near[1] < 0.1 * near[0]
    for n in (2, 3, 4, 5, 7):
        for name in FAMILIES:
            rows = unit_family(name, n, np.random.default_rng(n))
            assert rows.sum(0) == pytest.approx(np.zeros(n), abs=1e-12)
            assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(n))


@pytest.mark.parametrize(
    "wrong", [(0, 2, 0.5, 40, 1), (1, 1, 0.5, 40, 1), (1, 2, 1.0, 40, 1), (1, 2, 0.5, 40, 7), (3, 4, 0.5, 12, 2)]
)
def test_what_is_no_setting_is_refused(wrong: tuple[int, int, float, int, int]) -> None:
    with pytest.raises(ValueError, match=r"expected|at least"):
        embeddings(*wrong)


@pytest.mark.parametrize("wrong", [0.0, 1.5, -1.0])
def test_counts_are_whole(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"C = .*whole number"):
        costs.lower_constant(wrong, 0.5, 1.0, 16.0)
    sizes: Any = {"C": 2.0, "n": wrong, "lam": 0.5, "kappa": 1.0, "d": 16.0, "family": 1.0}
    forms: Any = dict.fromkeys(("s_of", "a_of", "b_of", "alpha_of"))
    with pytest.raises(ValueError, match=r"n = .*whole number"):
        costs.sink_construction(**sizes)
    with pytest.raises(ValueError, match=r"n = .*whole number"):
        costs.diag_construction(**sizes, **forms)


def test_placements() -> None:
    """The same nuisances in every group, opposite ones, and ones in spaces at random: each as near as their own."""
    for family in (1, 2, 5):
        own = embeddings(2, 4, 0.6, 40, family)
        products = {}
        for place in costs.PLACEMENTS:
            tokens = embeddings(2, 4, 0.6, 40, family, place)
            assert tokens.nearest == pytest.approx(own.nearest)
            products[place] = tokens.nuisance[0] @ tokens.nuisance[1].T / 40 / 0.64
        assert abs(products["apart"]).max() < 1e-12
        assert np.diag(products["shared"]) == pytest.approx(np.ones(4))
        assert np.diag(products["opposite"]) == pytest.approx(-np.ones(4))
        assert 0.01 < abs(products["random"]).max() < 0.999


def test_demands_against_the_words_of_the_setting() -> None:
    """One comparison after the other, key by key, for C = 2 and n = 2: keys 0 BOS, 1 2 copies, 3 4 and 5 6 dormant."""
    sink = {(q, tuple(w), tuple(o)) for q, w, o in contexts(2, 2, "sink")}
    assert sink == {
        *((q, (0,), (1, 2, 3, 4, 5, 6)) for q in (3, 4, 5, 6)),
        (1, (3, 4), (0, 1, 2, 5, 6)),
        (1, (0,), (1, 2, 5, 6)),
        (2, (5, 6), (0, 1, 2, 3, 4)),
        (2, (0,), (1, 2, 3, 4)),
    }
    diagonal = {(q, tuple(w), tuple(o)) for q, w, o in contexts(2, 2, "diagonal")}
    assert diagonal == {
        *((q, (q,), tuple(k for k in range(7) if k != q)) for q in (3, 4, 5, 6)),
        (1, (3, 4), (0, 1, 2, 5, 6)),
        (1, (1,), (0, 2, 5, 6)),
        (2, (5, 6), (0, 1, 2, 3, 4)),
        (2, (2,), (0, 1, 3, 4)),
    }


def test_margins_are_differences_of_scores() -> None:
    tokens = embeddings(2, 3, 0.7, 24, 6)
    W = np.random.default_rng(1).normal(size=(24, 24))
    for pattern in ("sink", "diagonal"):
        found, error = margins(tokens, W, pattern)
        keys, told = tokens.keys, []
        for query, wanted, others in contexts(2, 3, pattern):
            told += [keys[query] @ W @ (keys[w] - keys[o]) / math.sqrt(24) for w in wanted for o in others]
        assert found == pytest.approx(np.array(told), abs=error)
        assert 0 < error < 1e-9


@pytest.mark.parametrize("family", [1, 3, 6])
def test_the_least_pair_is_needed(family: int) -> None:
    """With the least a and b every margin is kappa or more; a little less of either breaks one."""
    kappa = 2.0
    for C in (1, 3):
        tokens = embeddings(C, 2 + family % 2, 0.35, 32, family)
        W, a, b, error = sink_cost(tokens, kappa)
        parts = sink_parts(tokens)
        assert (a * parts[0] + b * parts[1]) == pytest.approx(W)
        least = [
            float(margins(tokens, w, "sink")[0].min()) for w in (W, W - 1e-6 * a * parts[0], W - 1e-6 * b * parts[1])
        ]
        assert least[0] == pytest.approx(kappa, rel=1e-10) and max(least[1:]) < kappa * (1 - 1e-8)
        assert error < 1e-9
        # a larger a cannot save a smaller b, nor any b a smaller a
        rising = margins(tokens, 2 * a * parts[0] + b * parts[1], "sink")[0].min()
        assert rising < kappa
        assert margins(tokens, 0.999 * a * parts[0] + 5 * b * parts[1], "sink")[0].min() < kappa


def test_a_pair_that_does_not_exist() -> None:
    assert least_pair(np.array([1.0, 0.0]), np.array([0.0, 2.0]), 3.0, 1e-12)[:2] == (3.0, 1.5)
    assert least_pair(np.array([2.0, -1.0]), np.array([0.0, 1.0]), 4.0, 1e-12)[:2] == (2.0, 6.0)
    for first, second in (([1.0, 0.0], [0.0, 0.0]), ([1.0, 1.0], [0.0, -1.0])):
        with pytest.raises(ArithmeticError):
            least_pair(np.array(first), np.array(second), 1.0, 1e-12)


def test_the_bounds_of_rounding_errors_hold() -> None:
    """Against longdouble: margins and nuclear norms are off by no more than they say, and are not vague."""
    for family, C in ((2, 3), (5, 2), (6, 2)):
        tokens = embeddings(C, 4, 0.8, 40, family)
        W = diagonal_parts(tokens, 1.0, 0.5, 2.0) + 30 * tokens.projector
        found, error = margins(tokens, W, "diagonal")
        keys, exact = tokens.keys.astype(np.longdouble), W.astype(np.longdouble)
        scores = keys @ exact @ keys.T / np.sqrt(np.longdouble(40))
        told = [
            scores[q, w] - scores[q, o]
            for q, wanted, others in contexts(C, 4, "diagonal")
            for w in wanted
            for o in others
        ]
        assert np.abs(found - np.array(told)).max() <= error < 1e-7
        # the singular values of two blocks of known norm
        size, rounding = nuclear(diagonal_parts(tokens, 1.0, 0.5, 2.0))
        assert abs(size - C * math.sqrt(1.5**2 + 4)) <= rounding < 1e-9


def test_evaluations_give_margins_that_are_kappa() -> None:
    sizes: Any = {"C": 2.0, "n": 3.0, "lam": 0.8, "kappa": 1.5, "d": 32.0}
    forms: Any = {
        "s_of": lambda kappa, lam, d, **_: kappa / lam**2 / math.sqrt(d),
        "a_of": lambda kappa, d, **_: kappa / math.sqrt(d),
        "b_of": lambda kappa, lam, d, **_: 2 * kappa / lam / math.sqrt(d),
        "alpha_of": lambda kappa, d, Delta_diag, **_: 2 * kappa * math.sqrt(d) / Delta_diag,
    }
    for family in range(1, len(FAMILIES) + 1):
        for found in (
            costs.sink_construction(**sizes, family=float(family)),
            costs.diag_construction(**sizes, family=float(family), **forms),
        ):
            value, error = found["margin"]
            assert abs(value - 1.5) <= error < 1e-6
            assert 0 <= found["shortfall"][0] <= found["shortfall"][1] < 1e-6
        # half of alpha is half of the margin of the nearest pair
        halved = {**forms, "alpha_of": lambda **names: forms["alpha_of"](**names) / 2}
        value, error = costs.diag_construction(**sizes, family=float(family), **halved)["margin"]
        assert abs(value - 0.75) <= error
        # two groups with the same nuisances count, whatever the case's own groups: d_ci over d_ek
        low = {**forms, "s_of": lambda **names: forms["s_of"](**names) / 4}
        one = {**sizes, "C": 1.0}
        value, error = costs.diag_construction(**one, family=float(family), **low)["shortfall"]
        assert abs(value - 0.75 * 1.5) <= error


# -- the copy queries alone


@pytest.mark.parametrize("lam", [0.125, 0.6, 0.99])
def test_brackets_hold_what_is_known(lam: float) -> None:
    # one group: the point of a line nearest to 0
    low, high = routing_bracket(1, lam)
    assert low <= 1 / math.hypot(1, lam) <= high
    for C in (2, 4):
        low, high = routing_bracket(C, lam)
        assert 0 < low <= high <= low * (1 + 2e-9)
        # more groups cost more; one row for every group would do
        assert routing_bracket(C - 1, lam)[1] < low and high < C / lam + 1


def test_a_random_matrix_never_costs_less() -> None:
    """Random W with the constraints, by vectors: scaled to the least margin their cost is above the bracket."""
    C, lam, d, kappa = 2, 0.7, 12, 1.5
    tokens = embeddings(C, 2, lam, d, 3)
    value, error = copy_cost(C, lam, kappa, d)
    rng = np.random.default_rng(0)
    start = (
        sum(np.outer(c, lam * g - tokens.bos / C) for c, g in zip(tokens.copies, tokens.directions, strict=True)) / d
    )
    best = math.inf
    for _ in range(300):
        W = start + 0.1 * rng.normal(size=(d, d)) / math.sqrt(d)
        scores = tokens.copies @ W
        least = min(
            float(scores[c] @ (lam * tokens.directions[c] - other)) / math.sqrt(d)
            for c in range(C)
            for other in (tokens.bos, *(lam * tokens.directions[e] for e in range(C) if e != c))
        )
        if least > 0:
            best = min(best, 2 * nuclear(W)[0] * kappa / least)
    assert value + error < best < 4 * value
    assert error < 1e-8


def test_values_that_do_not_meet_enclose_still(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = routing_bracket.__wrapped__(4, 0.3)
    assert high - low < 1e-8 * high
    wide = []
    for steps in (0, 50):
        monkeypatch.setattr(costs, "STEPS", steps)
        loose = routing_bracket.__wrapped__(4, 0.3)
        assert 0 <= loose[0] <= low and high <= loose[1] < math.inf
        wide.append((loose[1] - loose[0]) / high)
    assert wide[0] > 0.1 and 1e-9 < wide[1] < 1e-3


@pytest.mark.parametrize("C", [1, 2, 5])
def test_small_shares_are_no_trouble(C: int) -> None:
    low, high = routing_bracket(C, 1e-3)
    assert 0 < low <= high <= low * (1 + 2e-9)
    # between the cost without the constraints over BOS and that of the unit matrix on the directions
    assert (C - 1) / 1e-3 < high <= C / 1e-3
