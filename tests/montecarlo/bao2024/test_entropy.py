"""The search for the smallest entropy and the count of turns: against closed forms written here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from montecarlo import registry
from montecarlo.bao2024 import entropy
from montecarlo.directly import evaluate, run_search
from montecarlo.empirical_checks import Evaluation, Points, Search
from montecarlo.threads import one_torch_thread

EQ9, SHAPE = "bao2024.sec5.eq9", "bao2024.sec5.eq9-unimodal"


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def one_up(T: float, nu: float) -> float:
    """Entropy of one score above T - 1 equal ones, summed up from its probabilities."""
    gap = nu * math.sqrt(T / (T - 1))
    top = 1 / (1 + (T - 1) * math.exp(-gap))
    low = math.exp(-gap) * top
    return -top * math.log(top) - (T - 1) * low * math.log(low)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with one_torch_thread():
        yield


@pytest.fixture(scope="module")
def found() -> Points:
    search = registry.find(EQ9)
    assert isinstance(search, Search)
    return run_search(search, 96, 0, "cpu", EQ9)


def test_the_entropy_is_the_sum_of_minus_p_log_p() -> None:
    scores = torch.randn(5, 7, generator=generator(), dtype=torch.float64)
    p = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)
    assert torch.allclose(entropy.entropy(scores), -(p * p.log()).sum(dim=-1), rtol=1e-13)
    assert float(entropy.entropy(torch.zeros(1, 9, dtype=torch.float64))) == pytest.approx(math.log(9), rel=1e-15)


def test_rows_are_kept_in_the_ball_and_inside_ones_as_they_are() -> None:
    rows = torch.tensor([[3.0, 4.0], [0.3, 0.4]], dtype=torch.float64)
    nu = torch.tensor([[1.0], [1.0]], dtype=torch.float64)
    kept = entropy.into_ball(rows, nu)
    assert torch.allclose(kept, torch.tensor([[0.6, 0.8], [0.3, 0.4]], dtype=torch.float64))


@pytest.mark.parametrize("T", [2, 5, 64])
def test_starts_are_of_every_kind_and_in_the_ball(T: int) -> None:
    nu = torch.full((4 * entropy.KINDS, 1), 3.0, dtype=torch.float64)
    rows = entropy.started(T, nu, generator())
    norms = rows.norm(dim=-1)
    assert bool((norms <= 3 * (1 + 1e-12)).all())
    assert bool((norms < 2.9).any()) and bool((norms > 3 - 1e-9).any())
    assert len({tuple(row.tolist()) for row in rows}) == len(rows)


def test_descent_never_rises_and_stays_in_the_ball() -> None:
    nu = torch.full((12, 1), 2.0, dtype=torch.float64)
    rows = entropy.started(6, nu, generator(1))
    ends = entropy.descended(rows, nu, 20)
    assert bool((entropy.entropy(ends) <= entropy.entropy(rows)).all())
    assert bool((ends.norm(dim=-1) <= 2 * (1 + 1e-12)).all())


def test_the_search_comes_down_to_one_score_up_and_not_below(found: Points) -> None:
    value, T, nu = (found.columns[name] for name in ("value", "T", "nu"))
    least = np.array([one_up(*place) for place in zip(T, nu, strict=True)])
    assert set(T.astype(int)) == set(entropy.LENGTHS)
    assert np.all(value >= least - found.error - 1e-13 * np.log(T))
    for length in entropy.LENGTHS:
        for norm in set(nu[length == T]):
            here = (length == T) & (nu == norm)
            deficit = math.log(length) - least[here][0]
            assert math.log(length) - value[here].min() > 0.999 * deficit


def test_starts_that_are_not_one_up_come_down_to_it_too() -> None:
    nu = torch.full((4 * entropy.KINDS,), 2.0, dtype=torch.float64)
    for T in (3, 8):
        values = entropy.smallest(T, nu, generator(2)).reshape(-1, entropy.KINDS)
        for kind in (1, 2, 3):
            assert float(values[:, kind].min()) == pytest.approx(one_up(T, 2.0), abs=1e-9), kind


def test_norms_are_exact_and_one_is_always_tried(found: Points) -> None:
    nu = found.columns["nu"]
    assert np.all(nu * 8 == np.round(nu * 8))
    assert nu.min() >= entropy.LOWEST and nu.max() <= entropy.HIGHEST
    assert all(entropy.ALWAYS in nu[found.columns["T"] == length] for length in entropy.LENGTHS)


def test_the_stated_rounding_error_covers_exact_arithmetic() -> None:
    from fractions import Fraction

    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        for T in (3, 64, 1024):
            nu = torch.tensor([6.0], dtype=torch.float64)
            row = entropy.started(T, nu[:, None], generator(T))
            logs = [mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in row[0].tolist()]
            Z = mpmath.fsum(mpmath.exp(v) for v in logs)
            true = mpmath.log(Z) - mpmath.fsum(v * mpmath.exp(v) for v in logs) / Z
            off = abs(mpmath.mpf(float(entropy.entropy(row)[0])) - true)
            assert off <= float(entropy.rounding(T, nu)[0])


@pytest.mark.parametrize(
    ("slope", "counts"),
    [
        ([1.0, 0.5, -1.0], (1, 0)),
        ([1.0, 0.0, -1.0], (1, 0)),
        ([1.0, 2.0], (0, 0)),
        ([-1.0, 1.0, -1.0], (1, 1)),
        ([1.0, -1.0, 1.0, -1.0], (2, 1)),
    ],
)
def test_turns(slope: list[float], counts: tuple[int, int]) -> None:
    assert entropy.turns(np.array(slope)) == counts


@pytest.mark.parametrize(
    ("bound", "wanted"),
    [
        (lambda T, nu: nu * np.exp(-nu), (1, 0, 0.0)),
        (lambda T, nu: np.exp(-nu), (0, 0, 0.0)),
        (lambda T, nu: 2 + np.exp(-nu), (0, 0, 2.0)),
        # (nu - 1)(nu - 4) exp(-nu) falls to a minimum and rises to a maximum
        (lambda T, nu: (nu - 1) * (nu - 4) * np.exp(-nu), (1, 1, 0.0)),
    ],
)
def test_shapes_of_other_functions_are_told(
    bound: Callable[..., Any], wanted: tuple[int, int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "profile", lambda T, nu: [one_up(T, x) for x in nu])
    evaluation = registry.find(SHAPE)
    assert isinstance(evaluation, Evaluation)
    got = evaluate(evaluation, {"length": "16", "bound_of": bound})
    assert (got["maxima"][0], got["minima"][0]) == wanted[:2]
    value, error = got["limit"]
    assert abs(value - wanted[2]) <= error + 1e-12
    assert error < 1e-6


def test_the_profile_falls_with_the_norm() -> None:
    norms = [0.5, 1.0, 2.0, 4.0]
    got = entropy.profile(8, norms)
    assert got == pytest.approx([one_up(8, nu) for nu in norms], abs=1e-9)
    assert sorted(got, reverse=True) == got
