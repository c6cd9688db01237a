"""The numbers of the theory figures: each against a computation of another kind, and planted faults seen."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from proofs_check.report.curves import scores as curves


def normal_rho(mean: float, variance: float) -> float:
    """P(0 <= N(mean, variance) <= 1) by quadrature."""
    found, _ = integrate.quad(stats.norm(mean, math.sqrt(variance)).pdf, 0, 1)
    return float(found)


@pytest.mark.parametrize(("theta", "xi", "eta"), [(0.0, 1.0, 0.5), (0.5, 0.0, 1.0), (0.75, -2.0, 0.5), (1.0, 3.0, 2.0)])
def test_the_derived_rho_is_that_of_the_moments_at_a_large_T(theta: float, xi: float, eta: float) -> None:
    """Mean and variance from sums over the kernel min(s, t), in units of xi eta and eta^2; their distance is O(1/T)."""
    T = 2000
    i = max(1, round(theta * T))
    step = np.arange(1, T + 1, dtype=float)
    gamma = np.full(T, -1.0 / T**2)
    gamma[i - 1] += 1.0 / T
    kernel = np.minimum.outer(step, step)
    c, a = float(gamma @ step), float(gamma @ kernel @ gamma)
    expected = normal_rho(c * xi * eta, (c * c + a * T) * eta**2)
    (found,) = curves.evaluated(curves.sides(curves.RHO, "rho").derived, theta=theta, xi=xi, eta=eta)
    assert found == pytest.approx(expected, abs=3e-3)
    (printed,) = curves.evaluated(curves.sides(curves.RHO, "rho").printed, theta=theta, xi=xi, eta=eta)
    assert (abs(printed - expected) > 0.02) == (theta > 0), "the printed variance is right at theta = 0 alone"


@pytest.mark.parametrize(("xi", "d"), [(0, 4), (3, 9), (-3, 9), (2, 16), (512, 512**2)])
def test_two_signs_realise_xi_and_eta(xi: int, d: int) -> None:
    found = curves.two_signs(xi, 0.25, d)
    first, second = (
        sum(m * w**k for w, m in zip(found.eigenvalues, found.multiplicities, strict=True)) for k in (1, 2)
    )
    assert found.dimension == d
    assert second == pytest.approx(0.25**2)
    assert first == pytest.approx(xi * 0.25)


@pytest.mark.parametrize(("xi", "d"), [(4, 9), (1, 2), (1, 0), (2, 9)])
def test_what_two_signs_cannot_realise_is_refused(xi: int, d: int) -> None:
    with pytest.raises(ValueError, match=r"take d = 4 n\^2 >= xi\^2"):
        curves.two_signs(xi, 1.0, d)


@pytest.mark.parametrize(("hits", "n"), [(0, 20), (3, 20), (20, 20)])
def test_the_interval_ends_where_the_tails_are_half_the_failure(hits: int, n: int) -> None:
    low, high = curves.binomial(hits, n, 0.01)
    assert low == 0 if hits == 0 else stats.binom.sf(hits - 1, n, low) == pytest.approx(0.005)
    assert high == 1 if hits == n else stats.binom.cdf(hits, n, high) == pytest.approx(0.005)
    assert low <= hits / n <= high


def test_a_count_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="hits = 3, n = 2"):
        curves.binomial(3, 2, 0.1)


def walks_by_hand(eigenvalues: list[float], T: int, n: int) -> Any:
    """rho_i counted in n walks of whole tokens, from the model's definition."""
    generator = torch.Generator().manual_seed(5)
    tokens = torch.randn(n, T, len(eigenvalues), generator=generator, dtype=torch.float64).cumsum(1)
    scores = (tokens * torch.tensor(eigenvalues, dtype=torch.float64) * tokens[:, -1:]).sum(2)
    linear = scores / T - scores.sum(1, keepdim=True) / T**2 + 1 / T
    return ((linear >= 0) & (linear <= 1)).double().mean(0).numpy()


def test_the_exact_law_and_the_frequencies_are_those_of_walks() -> None:
    spectrum, T, n = curves.Spectrum((0.4, -0.3), (3, 2)), 6, 40_000
    counted = walks_by_hand([0.4, 0.4, 0.4, -0.3, -0.3], T, n)
    exact = np.array(curves.exact(spectrum, T))
    assert np.max(np.abs(exact - counted)) < 5 * 0.5 / math.sqrt(n)
    tokens = list(range(1, T + 1))
    assert curves.exact_at(spectrum, T, tokens) == pytest.approx(exact, abs=1e-11)
    hits = curves.frequencies(spectrum, T, tokens, n, 0)
    assert np.max(np.abs(np.array(hits) / n - exact)) < 5 * 0.5 / math.sqrt(n)
    # a wrong spectrum is seen
    other = np.array(curves.exact(curves.Spectrum((0.4, -0.3), (2, 3)), T))
    assert np.max(np.abs(np.array(hits) / n - other)) > 5 * 0.5 / math.sqrt(n)
    assert curves.frequencies(spectrum, T, tokens, n, 0) == hits
    assert curves.frequencies(spectrum, T, tokens, n, 1) != hits


def test_the_temperature_divides_the_scores() -> None:
    cold, warm = curves.Spectrum((0.8,), (3,), 2.0), curves.Spectrum((0.4,), (3,))
    assert curves.exact(cold, 5) == pytest.approx(curves.exact(warm, 5), abs=1e-11)
    assert curves.exact_at(cold, 5, [2]) == pytest.approx(curves.exact_at(warm, 5, [2]), abs=1e-11)
    assert curves.exact_limit(cold, [0.25]) == pytest.approx(curves.exact_limit(warm, [0.25]), abs=1e-11)


def test_the_caption_and_the_text_of_figure_3_disagree() -> None:
    told = curves.caption()
    for pair in told["pairs"]:
        assert pair["eta"] == pytest.approx(pair["product"] / pair["xi"])
    assert not told["agree"]
    assert told["derived_eta"] == pytest.approx(told["pairs"][1]["eta"])
    assert told["text"]["eta"] == pytest.approx(2 * told["derived_eta"])


@pytest.mark.parametrize("T", [1, 2, 5])
def test_the_coefficients_are_the_slopes_of_the_softmax(T: int) -> None:
    zero = torch.zeros(T, dtype=torch.float64, requires_grad=True)
    (slopes,) = torch.autograd.grad(torch.softmax(zero, 0)[0], zero)
    found = curves.softmax_coefficients(T)
    assert found["diagonal"] == pytest.approx(float(slopes[0]), abs=1e-15)
    assert found["offset"] == 1 / T
    if T > 1:
        assert found["off_diagonal"] == pytest.approx(float(slopes[1]), abs=1e-15)


def test_the_pieces_touch_the_softmax_at_the_origin_and_stay_within_0_and_1() -> None:
    omega = np.array([[0.0, 0.0], [1e-4, 0.0], [9.0, 0.0], [0.0, 9.0]])
    found = curves.softmax_pieces(omega)
    assert found["pieces"][0] == found["softmax"][0] == 0.5
    assert found["pieces"][1] == pytest.approx(found["softmax"][1], abs=1e-8)
    assert found["pieces"][2:] == [1.0, 0.0]


@pytest.mark.parametrize("kind", curves.SPECTRA)
def test_a_named_spectrum_has_its_dimension_and_scale(kind: str) -> None:
    found = curves.named_spectrum(kind, 6, 0.5, 0)
    squares = [m * w * w for w, m in zip(found.eigenvalues, found.multiplicities, strict=True)]
    assert found.dimension == 6
    assert math.sqrt(sum(squares)) / found.lam == pytest.approx(0.5)
    if kind == "dominant":
        assert squares[0] / sum(squares) == pytest.approx(curves.DOMINANT)
    if kind == "balanced":
        assert sum(m * w for w, m in zip(found.eigenvalues, found.multiplicities, strict=True)) == 0


@pytest.mark.parametrize(("kind", "d", "told"), [("balanced", 3, "even"), ("dominant", 1, "2 or more"), ("x", 2, "x")])
def test_a_spectrum_that_is_none_is_refused(kind: str, d: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        curves.named_spectrum(kind, d, 1.0, 0)


def test_the_gaussian_error_is_the_largest_over_the_tokens_and_below_its_bound() -> None:
    spectrum, T = curves.named_spectrum("equal", 32, 0.5, 0), 8
    found = curves.gaussian_error(spectrum, T)
    exact, w, d = curves.exact(spectrum, T), 1 / spectrum.lam, 32
    gaps = []
    for i in range(1, T + 1):
        weights = [Fraction(int(a == i), T) - Fraction(1, T**2) for a in range(1, T + 1)]
        c = float(sum(g * a for a, g in enumerate(weights, 1)))
        a = float(sum(g * h * min(s, t) for s, g in enumerate(weights, 1) for t, h in enumerate(weights, 1)))
        gaps.append(abs(exact[i - 1] - normal_rho(c * w * d + 1 / T, (c * c + a * T) * w * w * d)))
    assert found["derived"] == pytest.approx(max(gaps), abs=1e-9)
    assert found["derived"] < found["bound"] < 1
    assert found["printed"] > 2 * found["derived"]
    assert found["numerical"] < 1e-10


def test_a_line_of_figure_5_agrees_with_the_exact_law_of_its_draws() -> None:
    found = curves.attention(0.3, 0.1, "anisotropic", d=12, T=10, walks=200, draws=4, failure=1e-5, seed=0)
    assert np.shape(found["draws"]) == (4, 10)
    assert np.mean(found["draws"], axis=0) == pytest.approx(found["simulated"]["estimate"])
    for low, exact, high in zip(found["simulated"]["low"], found["exact"], found["simulated"]["high"], strict=True):
        assert low <= exact <= high
    assert len(found["entropy"]) == 4
    assert all(0 <= value <= math.log(10) for value in found["entropy"])
    other = curves.attention(0.6, 0.1, "anisotropic", d=12, T=10, walks=200, draws=4, failure=1e-5, seed=0)
    ends = zip(found["simulated"]["low"], other["exact"], found["simulated"]["high"], strict=True)
    assert any(not low <= exact <= high for low, exact, high in ends), "the law of other draws is seen"


def test_a_spectrum_of_zeros_has_no_xi() -> None:
    assert curves.attention(0.0, 0.0, "isotropic", d=4, T=3, walks=5, draws=1, failure=0.1, seed=0)["xi"] is None
