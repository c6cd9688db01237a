"""Tokens that are not Gaussian: what is drawn has the law's moments, and the bounds of the kurtosis hold."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from montecarlo.statements import radii
from montecarlo.statements.nodes import StatementSimulationError
from montecarlo.statements.radii import kurtosis, whitened
from montecarlo.statements.tokens import Process

N = 1 << 16
LAWS: list[list[object]] = [
    ["iid-signs"],
    ["iid-sphere"],
    ["iid-student", ["number", "20"]],
    ["iid-mixture", ["number", "1/4"], ["number", "9"]],
]


def drawn(law: list[object], d: int = 3, T: int = 2) -> Any:
    return Process(law, T, torch.eye(d, dtype=torch.float64), {}).draw(N, torch.Generator().manual_seed(7))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law[0])
def test_tokens_are_centred_uncorrelated_and_of_the_laws_variance(law: list[object]) -> None:
    x = drawn(law)
    variance = {"iid-student": 20 / 18, "iid-mixture": 3.0}.get(str(law[0]), 1.0)
    flat = x.reshape(N, -1)
    bound = 6 * variance * math.sqrt(3 / N) * 3
    assert float(flat.mean(0).abs().max()) < bound
    assert float((flat.T @ flat / N - variance * torch.eye(6)).abs().max()) < bound


def test_each_law_is_its_own() -> None:
    assert set(drawn(["iid-signs"]).unique().tolist()) == {-1.0, 1.0}
    assert torch.allclose((drawn(["iid-sphere"]) ** 2).sum(2), torch.tensor(3.0, dtype=torch.float64))
    one = drawn(["iid-student", ["number", "5"]], d=1, T=1).flatten().numpy()
    assert stats.kstest(one, stats.t(5).cdf).pvalue > 1e-6
    assert stats.kstest(one, stats.norm(0, math.sqrt(5 / 3)).cdf).pvalue < 1e-6
    mixed = drawn(["iid-mixture", ["number", "1/4"], ["number", "9"]], d=1, T=1).flatten().numpy()
    assert stats.kstest(mixed, lambda t: 0.75 * stats.norm.cdf(t) + 0.25 * stats.norm.cdf(t / 3)).pvalue > 1e-6


def test_one_radius_is_of_all_coordinates_and_of_no_other_token() -> None:
    x = drawn(["iid-student", ["number", "20"]]) ** 2
    excess = (20 / 18) ** 2 * (18 / 16 - 1)
    same = float((x[:, 0, 0] * x[:, 0, 1]).mean() - x[:, 0, 0].mean() * x[:, 0, 1].mean())
    other = float((x[:, 0, 0] * x[:, 1, 0]).mean() - x[:, 0, 0].mean() * x[:, 1, 0].mean())
    assert same == pytest.approx(excess, abs=0.06)
    assert other == pytest.approx(0, abs=0.06)


def test_the_root_of_sigma_is_put_before() -> None:
    root = torch.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=torch.float64)
    x = Process(["iid-signs"], 1, root, {}).draw(64, torch.Generator().manual_seed(1))
    assert set(x[:, 0, 0].unique().tolist()) == {-3.0, -1.0, 1.0, 3.0}


@pytest.mark.parametrize(
    "law",
    [
        ["iid-student", ["number", "-1"]],
        ["iid-student"],
        ["iid-mixture", ["number", "2"], ["number", "1"]],
        ["iid-signs", ["number", "1"]],
    ],
)
def test_what_is_no_law_is_refused(law: list[object]) -> None:
    with pytest.raises(StatementSimulationError, match="no such law"):
        Process(law, 1, torch.eye(1, dtype=torch.float64), {})


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_kurtosis_of_polynomials_in_a_scale_stays_below_the_bound(degree: int) -> None:
    """E r^4/(E r^2)^2 of random even and odd polynomials in s, by exact moments of w = s^2."""
    nu, generator = Fraction(40), np.random.default_rng(3)

    def moment(k: int) -> float:
        return float(np.prod([float(nu / (nu - 2 * j)) for j in range(1, k + 1)]))

    bound, largest = radii._student(nu, degree), 0.0
    for _ in range(300):
        for odd in (0, 1):
            size = (degree - odd) // 2 + 1
            square = np.polynomial.Polynomial(generator.normal(size=size)) ** 2
            second = sum(float(c) * moment(k + odd) for k, c in enumerate(square.coef))
            fourth = sum(float(c) * moment(k + 2 * odd) for k, c in enumerate((square**2).coef))
            largest = max(largest, fourth / second**2)
    assert 1 <= largest <= bound * (1 + 1e-6)
    # and it is no bound of everything
    assert bound < 100 * largest


def test_a_token_shrunk_towards_its_mean_has_lighter_tails_than_itself() -> None:
    """E (a + r g)^4 <= (E (a + g)^2)^2 for three-point g, r = min(1/2, (3C)^(-1/4)): what lets many tokens multiply."""
    generator = np.random.default_rng(4)
    for _ in range(500):
        weights, points = generator.dirichlet([0.3, 0.3, 0.3]), generator.normal(size=3)
        g = points - weights @ points
        second, fourth = weights @ g**2, weights @ g**4
        if second < 1e-9:
            continue
        r, a = min(0.5, float(3 * fourth / second**2) ** -0.25), float(generator.normal())
        assert float(weights @ (a + r * g) ** 4) <= (a * a + second) ** 2 * (1 + 1e-9)


def test_many_tokens_take_no_more_than_meet_in_a_monomial() -> None:
    one, many = (dict.fromkeys(range(n), 2) for n in (1, 200))
    nu = [Fraction(40)]
    assert kurtosis("iid-student", nu, 2, one) <= kurtosis("iid-student", nu, 2, many) < 1e7


def test_no_fourth_moment_no_bound() -> None:
    assert kurtosis("iid-student", [Fraction(8)], 2, {0: 2}) == math.inf
    assert kurtosis("iid-student", [Fraction(9)], 2, {0: 2}) < math.inf
    assert kurtosis("iid-student", [Fraction(9)], 2, {0: 1, 1: 1}) < kurtosis("iid-student", [Fraction(9)], 2, {0: 2})
    assert kurtosis("iid-signs", [], 2, {0: 2}) == kurtosis("iid-mixture", [Fraction(0), Fraction(3)], 2, {0: 2}) == 81
    assert kurtosis("iid-mixture", [Fraction(1, 4), Fraction(9)], 2, {0: 2}) == 4 * 81


@pytest.mark.parametrize("kind", ["iid-mixture", "iid-student"])
def test_sampled_kurtosis_stays_below_the_bound(kind: str) -> None:
    given = {"iid-mixture": [Fraction(1, 4), Fraction(9)], "iid-student": [Fraction(20)]}[kind]
    z = torch.randn((1, 2, N), dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    x = whitened(kind, [float(v) for v in given], z, torch.Generator().manual_seed(6))
    f = x[0, 0] * x[0, 1]
    sample = float((f**4).mean() / (f**2).mean() ** 2)
    # Gaussian tokens have 9: these have heavier tails
    assert 9.5 < sample < kurtosis(kind, given, 2, {0: 2})


@pytest.mark.parametrize(("d", "j"), [(1, 1.0), (1, 0.5), (3, 2.5), (6, 3.0)])
def test_the_kurtosis_of_a_power_of_a_length(d: int, j: float) -> None:
    law = stats.chi(d)
    mean, *central = (law.expect(lambda r, k=k: r ** (k * j)) for k in (1, 2, 3, 4))
    second, third, fourth = central
    variance = second - mean**2
    expected = (fourth - 4 * third * mean + 6 * second * mean**2 - 3 * mean**4) / variance**2
    assert radii.kurtosis_of_power(d, j) == pytest.approx(expected, rel=1e-5)
    assert radii.kurtosis_of_power(d, j + 1) != pytest.approx(expected, rel=1e-2)
    # too little of the digits is left
    assert radii.kurtosis_of_power(10**9, 1.0) == math.inf
