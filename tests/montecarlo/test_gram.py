"""Walks of few distinct eigenvalues against walks sampled token by token, in distribution.

Every comparison is of two independent samples: the means of a list of numbers by their z, and each number's whole
distribution by Kolmogorov and Smirnov. With the limits below a right sampler fails a comparison, of at most 42 means
and 7 distributions, with probability below 3e-6 (by the central limit). A mean that is off by 9 standard errors of
the difference, 0.06 standard deviations for 50,000 walks, is caught with probability 0.999.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch import Tensor

from montecarlo import gram
from montecarlo.gram import Spectrum, combined_scores
from montecarlo.walks import Walks, covariance_root

WALKS = 50_000
LARGEST_Z = 5.5
SMALLEST_P = 1e-7

SPECTRA: dict[str, Spectrum] = {
    "signed": [(1.0, 3), (-0.5, 2), (0.0, 1)],
    "one number": [(0.7, 1)],
    "fewer dimensions than tokens": [(1.0, 2), (-1.0, 2)],
    "one group": [(0.3, 5)],
    "all distinct": [(0.9, 1), (-0.4, 1), (0.2, 1), (0.1, 1)],
}


def rng(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normals(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def walked(spectrum: Spectrum, T: int, start: str = "sigma") -> tuple[Walks, Tensor]:
    """Walks as Assumption 1 has them, and a W_QK with this spectrum of W_QK Sigma, for an anisotropic Sigma."""
    eigenvalues = torch.tensor([value for value, m in spectrum for _ in range(m)], dtype=torch.float64)
    d, generator = len(eigenvalues), rng(1)
    B = normals(generator, d, d)
    root = covariance_root(B @ B.T + torch.eye(d))
    basis = torch.linalg.solve(root, torch.linalg.qr(normals(generator, d, d)).Q)
    return Walks(normals(generator, T, d, WALKS), root, start), (basis * eigenvalues) @ basis.T


def scores(generator: torch.Generator, n: int, spectrum: Spectrum, T: int, start: str = "sigma") -> Tensor:
    """x_a^T W_QK x_T for all tokens a."""
    return combined_scores(generator, n, spectrum, torch.eye(T, dtype=torch.float64), start)


def with_squares(numbers: Tensor) -> Tensor:
    """(n, k) numbers, their cubes and the products of any two: (n, 2 k + k (k + 1) / 2)."""
    first, second = torch.triu_indices(numbers.shape[1], numbers.shape[1])
    return torch.cat((numbers, numbers**3, numbers[:, first] * numbers[:, second]), 1)


def agree(found: Tensor, expected: Tensor) -> None:
    """Two samples (n, k) of one distribution, as far as their moments and each column's distribution tell."""
    assert found.shape[1] == expected.shape[1] and found.dtype == torch.float64
    for k in range(found.shape[1]):
        assert stats.ks_2samp(found[:, k].numpy(), expected[:, k].numpy(), method="asymp").pvalue > SMALLEST_P
    left, right = with_squares(found), with_squares(expected)
    error = (left.var(0) / len(left) + right.var(0) / len(right)).sqrt()
    assert ((left.mean(0) - right.mean(0)).abs() <= LARGEST_Z * error).all()


def caught(found: Tensor, expected: Tensor) -> None:
    with pytest.raises(AssertionError):
        agree(found, expected)


@pytest.mark.parametrize(
    ("name", "T", "start"),
    [
        # the middle length and the other combinations repeat what these two show
        pytest.param(name, T, start, marks=() if (T, start) in ((1, "sigma"), (5, "zero")) else pytest.mark.slow)
        for name in SPECTRA
        for T in (1, 2, 5)
        for start in ("sigma", "zero")
    ],
)
def test_scores_are_those_of_sampled_walks(name: str, T: int, start: str) -> None:
    walk, W = walked(SPECTRA[name], T, start)
    found = scores(rng(2), WALKS, SPECTRA[name], T, start)
    assert found.shape == (WALKS, T)
    agree(found, walk.scores(W))


def test_a_singular_covariance() -> None:
    """The spectrum is that of the product, also where W_QK Sigma is no symmetric matrix and has a kernel."""
    generator = rng(3)
    W, B = normals(generator, 4, 4), normals(generator, 4, 2)
    W, Sigma = W + W.T, B @ B.T
    eigenvalues = torch.linalg.eigvals(W @ Sigma).real.tolist()
    expected = Walks(normals(generator, 3, 4, WALKS), covariance_root(Sigma)).scores(W)
    agree(scores(rng(4), WALKS, [(value, 1) for value in eigenvalues], 3), expected)
    caught(scores(rng(4), WALKS, [(value, 1) for value in torch.linalg.eigvalsh(W).tolist()], 3), expected)


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize(("K", "T"), [(1, 5), (2, 5), (3, 1), (4, 2), (2, 2)])
def test_combined_scores_are_those_of_sampled_walks(K: int, T: int, start: str) -> None:
    """More and fewer combinations than tokens; for K > T and for the start at 0 they are linearly dependent."""
    coefficients = normals(rng(8), K, T)
    walk, W = walked(SPECTRA["signed"], T, start)
    found = combined_scores(rng(9), WALKS, SPECTRA["signed"], coefficients, start)
    assert found.shape == (WALKS, K)
    agree(found, walk.scores(W) @ coefficients.T)


def test_dependent_combinations_stay_dependent() -> None:
    row = normals(rng(10), 1, 6)
    found = combined_scores(rng(11), 1000, SPECTRA["signed"], torch.cat((row, -2 * row, 0 * row)))
    assert torch.allclose(found[:, 1], -2 * found[:, 0], rtol=1e-12)
    assert found[:, 2].abs().max() < 1e-12 * found[:, 0].abs().max()


@pytest.mark.parametrize("way", ["scores", "combined_scores"])
def test_a_million_dimensions(way: str) -> None:
    """The steps' inner products over m go to 0 and 1, so the scores go to the numbers of tokens counted."""

    def mean_z(m: int) -> float:
        spectrum, last = [(1e-6, m), (0.0, 1234)], torch.eye(5, dtype=torch.float64)
        found = {
            "scores": lambda: scores(rng(12), 4000, spectrum, 5),
            "combined_scores": lambda: combined_scores(rng(12), 4000, spectrum, last),
        }[way]()
        assert (found - torch.arange(1, 6)).abs().max() < 0.1
        deviation = found.mean(0) - torch.arange(1, 6)
        return float((deviation / found.std(0)).abs().max()) * math.sqrt(4000)

    assert mean_z(1_000_000) < LARGEST_Z
    assert mean_z(1_001_000) > LARGEST_Z


# ---- planted faults, caught by the same comparisons


@pytest.mark.parametrize("shift", [-1, 1])
def test_wrong_degrees_of_freedom_are_caught(shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many or too few; every T, down to the single token that is a chi-square number alone."""
    spectrum, right = [(1.0, 6), (-0.5, 5)], gram.chi_square
    monkeypatch.setattr(gram, "chi_square", lambda g, n, degrees: right(g, n, degrees + shift))
    for T in (1, 4):
        walk, W = walked(spectrum, T)
        caught(scores(rng(2), WALKS, spectrum, T), walk.scores(W))


FAULTS: dict[str, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    "spread of an independent draw": lambda level, spread: (level, spread.roll(1, 0)),
    "spread a tenth too large": lambda level, spread: (level, spread * 1.1),
    "no spread": lambda level, spread: (level, spread * 0),
    "level without sign": lambda level, spread: (level.abs(), spread),
}


@pytest.mark.parametrize("name", FAULTS)
def test_wrong_lengths_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = gram.lengths
    monkeypatch.setattr(gram, "lengths", lambda *given: FAULTS[name](*right(*given)))
    walk, W = walked(SPECTRA["signed"], 5)
    caught(scores(rng(2), WALKS, SPECTRA["signed"], 5), walk.scores(W))


def test_eigenvalues_are_not_added_up_before_they_are_squared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With eigenvalues 1 and -1 the spread would be that of their difference."""
    right = gram.chi_square
    spectrum = SPECTRA["fewer dimensions than tokens"]

    def lengths(g: torch.Generator, n: int, values: list[float], multiplicities: list[int]) -> tuple[Tensor, Tensor]:
        squares, w = right(g, n, torch.tensor(multiplicities)), torch.tensor(values, dtype=torch.float64)
        return (squares.double() @ w)[:, None], (squares.double().sqrt() @ w).abs()[:, None]

    monkeypatch.setattr(gram, "lengths", lengths)
    walk, W = walked(spectrum, 5)
    caught(scores(rng(2), WALKS, spectrum, 5), walk.scores(W))


def test_normals_that_keep_their_mean_are_caught() -> None:
    spectrum = SPECTRA["signed"]
    walk, W = walked(spectrum, 3)
    generator = rng(2)
    level, spread = gram.lengths(generator, WALKS, [1.0, -0.5], [3, 2])
    steps = normals(generator, WALKS, 3)
    for centred in (True, False):
        deviations = steps - steps.mean(1, keepdim=True) if centred else steps
        found = (level + math.sqrt(3) * spread * deviations).cumsum(1)
        (agree if centred else caught)(found, walk.scores(W))


def test_the_wrong_start_and_a_shifted_token_are_caught() -> None:
    walk, W = walked(SPECTRA["signed"], 4)
    caught(scores(rng(2), WALKS, SPECTRA["signed"], 4, "zero"), walk.scores(W))
    coefficients = normals(rng(8), 2, 4)
    expected = walk.scores(W) @ coefficients.T
    caught(combined_scores(rng(2), WALKS, SPECTRA["signed"], coefficients.roll(1, 1)), expected)
    caught(combined_scores(rng(2), WALKS, SPECTRA["signed"], coefficients.flip(1)), expected)


# ---- shapes, randomness, refusals

WAYS: dict[str, Callable[[torch.Generator, int, Spectrum, int, str], Tensor]] = {
    "scores": scores,
    "combined_scores": lambda g, n, spectrum, T, start: combined_scores(
        g, n, spectrum, torch.ones(2, T, dtype=torch.float64), start
    ),
}


@given(
    way=st.sampled_from(sorted(WAYS)),
    n=st.integers(1, 5),
    spectrum=st.lists(st.tuples(st.floats(-1e3, 1e3), st.integers(1, 10**7)), min_size=1, max_size=4),
    T=st.integers(1, 6),
    start=st.sampled_from(["sigma", "zero"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_shapes_and_randomness(way: str, n: int, spectrum: Spectrum, T: int, start: str, seed: int) -> None:
    """The generator decides everything, the global one is left alone, the start at 0 gives scores of 0."""
    torch.manual_seed(0)
    before = torch.get_rng_state()
    found = WAYS[way](rng(seed), n, spectrum, T, start)
    assert found.shape == {"scores": (n, T), "combined_scores": (n, 2)}[way]
    assert torch.isfinite(found).all()
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(1)
    assert torch.equal(found, WAYS[way](rng(seed), n, spectrum, T, start))
    nonzero = any(value != 0 for value, _ in spectrum) and (start == "sigma" or T > 1)
    assert bool((found != 0).any()) is nonzero
    if start == "zero" and way != "combined_scores":
        assert (found[:, 0] == 0).all()


def test_another_seed_gives_other_walks() -> None:
    assert not torch.equal(scores(rng(0), 3, [(1.0, 2)], 4), scores(rng(1), 3, [(1.0, 2)], 4))


@pytest.mark.parametrize("value", [1e-200, 1e150])
def test_very_small_and_large_eigenvalues(value: float) -> None:
    """Scores scale with the eigenvalues, though w^2 is beyond float64."""
    unit, scaled = (scores(rng(0), 10, [(w, 3), (-2 * w, 2)], 4) for w in (1.0, value))
    assert torch.allclose(scaled / value, unit, rtol=1e-12)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu() -> None:
    generator = torch.Generator("cuda").manual_seed(0)
    walk, W = walked(SPECTRA["signed"], 4)
    found = scores(generator, WALKS, SPECTRA["signed"], 4)
    assert found.is_cuda
    agree(found.cpu(), walk.scores(W))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((0, [(1.0, 2)], 3, "sigma"), r"n = 0; expected an integer >= 1"),
        ((5, [(1.0, 2)], 3, "origin"), r"start = 'origin'; expected one of sigma, zero"),
        ((5, [], 3, "sigma"), r"spectrum is empty; expected pairs \(eigenvalue, multiplicity\)"),
        ((5, [(1.0, 2), (math.inf, 2)], 3, "sigma"), r"spectrum\[1\] has the eigenvalue inf; expected a finite number"),
        ((5, [(1.0, 0)], 3, "sigma"), r"multiplicity in spectrum\[0\] = 0; expected an integer >= 1"),
        ((5, [(0.0, 2.5)], 3, "sigma"), r"multiplicity in spectrum\[0\] = 2.5; expected an integer >= 1"),
    ],
)
def test_bad_input_is_refused_in_a_line(arguments: tuple[int, Spectrum, int, str], told: str) -> None:
    for name, way in WAYS.items():
        if not (name == "combined_scores" and arguments[2] == 0):
            with pytest.raises(ValueError, match=f"^{told}[^\n]*$"):
                way(rng(0), *arguments)


@pytest.mark.parametrize("coefficients", [torch.zeros(0, 3), torch.zeros(3), torch.full((1, 2), math.nan)])
def test_bad_coefficients_are_refused(coefficients: Tensor) -> None:
    with pytest.raises(ValueError, match=r"^coefficients has shape .*; expected \(K, T\) finite numbers$"):
        combined_scores(rng(0), 5, [(1.0, 2)], coefficients)
