"""The simulation behind Fig. 5: literal loops, and the law of every ingredient, each check shown to fail."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from scipy import stats
from torch import Tensor

from montecarlo import gram
from montecarlo.bao2024 import attention
from montecarlo.bao2024.attention import Attention, measure, simulate
from montecarlo.bao2024.softmax import taylor

#: A right simulation fails a check with probability below this.
SMALLEST_P = 1e-7
#: A mean and scale for which no token's frequency is near 0 or 1, and the entropy is neither 0 nor ln T.
SMALL: dict[str, Any] = {"mean": 0.15, "scale": 0.4, "d": 6, "T": 5, "walks": 3000, "draws": 4}


def rng(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def literal(tokens: Tensor, W: Tensor, lam: float) -> tuple[list[int], list[float]]:
    """Counts of the event and mean entropies of the columns, in plain loops over walks, queries and keys."""
    T = tokens.shape[1]
    hits, entropies = [0] * T, []
    for x in tokens:
        omega = torch.tensor([float(x[a] @ W @ x[T - 1]) / lam for a in range(T)], dtype=torch.float64)
        for i in range(T):
            gamma, offset = taylor(T, i + 1)
            hits[i] += 0 <= float(gamma @ omega + offset) <= 1
        total = 0.0
        for b in range(T):
            weights = [math.exp(float(x[a] @ W @ x[b]) / lam) for a in range(T)]
            total -= sum(w / sum(weights) * math.log(w / sum(weights)) for w in weights)
        entropies.append(total / T)
    return hits, entropies


def sample(n: int = 40, T: int = 5, d: int = 3) -> tuple[Tensor, Tensor]:
    generator = rng(0)
    tokens = torch.randn(n, T, d, generator=generator, dtype=torch.float64).cumsum(1)
    W = torch.randn(d, d, generator=generator, dtype=torch.float64)
    return tokens, W + W.T


@pytest.mark.parametrize(("T", "d"), [(1, 1), (1, 3), (2, 1), (5, 3), (9, 2)])
def test_counts_and_entropies_are_the_literal_ones(T: int, d: int) -> None:
    tokens, W = sample(T=T, d=d)
    hits, entropies = measure(tokens, W, 2.0)
    expected_hits, expected_entropies = literal(tokens, W, 2.0)
    assert hits.tolist() == expected_hits
    assert entropies.tolist() == pytest.approx(expected_entropies, rel=1e-12, abs=1e-12)
    if T == 5:
        assert min(expected_hits) > 0 and max(expected_hits) < 40


def test_rows_of_the_symmetric_attention_have_the_same_entropies() -> None:
    tokens, W = sample()
    rows = torch.softmax((tokens @ W @ tokens.mT) / 2.0, 2)
    assert torch.allclose(measure(tokens, W, 2.0)[1], -(rows * rows.log()).sum(2).mean(1), rtol=1e-12)
    W[0, 1] += 1
    _, entropies = measure(tokens, W, 2.0)
    assert entropies.tolist() == pytest.approx(literal(tokens, W, 2.0)[1], rel=1e-12)
    rows = torch.softmax((tokens @ W @ tokens.mT) / 2.0, 2)
    assert not torch.allclose(entropies, -(rows * rows.log()).sum(2).mean(1), rtol=1e-3)


def test_both_ends_of_the_interval_count_and_saturated_attention_has_entropy_0() -> None:
    """Two tokens in one dimension: <gamma^1, omega> + 1/2 is 0, 1/2, 1 and beyond, by hand."""
    one = torch.ones(1, 1, dtype=torch.float64)
    first = torch.tensor([-1.0, 1.0, 3.0, 3.0 + 1e-9, -1.0 - 1e-9], dtype=torch.float64)
    tokens = torch.stack((first, torch.ones_like(first)), 1)[:, :, None]
    hits, _ = measure(tokens, one, 1.0)
    # gamma^1 = (1/4, -1/4), and the two entries add up to 1
    assert hits.tolist() == literal(tokens, one, 1.0)[0] == [3, 3]
    _, entropies = measure(1e3 * tokens, one, 1.0)
    assert entropies[0] == 0 and entropies[1] == pytest.approx(math.log(2))


# ---- the law of the ingredients


def signs(make: Callable[[torch.Generator, int], Tensor]) -> float:
    """p-value of the entries' signs being fair, over the diagonal and a corner of 2000 matrices."""
    generator = rng(1)
    drawn = torch.stack([make(generator, 3) for _ in range(2000)])
    assert torch.allclose(drawn @ drawn.mT, torch.eye(3, dtype=torch.float64), atol=1e-13)
    positive = [int((drawn[:, a, b] > 0).sum()) for a, b in ((0, 0), (1, 1), (2, 2), (0, 2))]
    return min(float(stats.binomtest(count, 2000).pvalue) for count in positive)


def test_the_basis_is_uniform() -> None:
    """Signs are fair, and an entry squared of a uniform 3 x 3 matrix is the square of a uniform number."""
    assert signs(attention.orthogonal) > SMALLEST_P
    generator = rng(2)
    entries = torch.stack([attention.orthogonal(generator, 3).flatten() for _ in range(2000)])
    for entry in entries.T:
        assert stats.kstest(entry.numpy(), "uniform", args=(-1, 2)).pvalue > SMALLEST_P


def test_a_basis_with_lapack_s_signs_is_caught() -> None:
    def plain(generator: torch.Generator, d: int) -> Tensor:
        Q: Tensor = torch.linalg.qr(torch.randn(d, d, generator=generator, dtype=torch.float64)).Q
        return Q

    assert signs(plain) < SMALLEST_P


def test_the_spectrum_is_normal_and_the_matrix_symmetric() -> None:
    generator = rng(3)
    matrices = [attention.query_key(generator, 0.3, 0.2, 4) for _ in range(1000)]
    assert all(torch.equal(W, W.T) for W in matrices)
    eigenvalues = torch.linalg.eigvalsh(torch.stack(matrices)).flatten().numpy()
    assert stats.kstest(eigenvalues, "norm", args=(0.3, 0.2)).pvalue > SMALLEST_P
    assert stats.kstest(eigenvalues, "norm", args=(0.3, 0.04)).pvalue < SMALLEST_P
    assert torch.linalg.eigvalsh(attention.query_key(generator, 0.3, 0.0, 4)).tolist() == pytest.approx([0.3] * 4)


def test_the_anisotropic_covariance() -> None:
    """R^T R of d x d uniform entries by two routes: its samples against those of a literal R, entry by entry."""
    generator, other = rng(4), rng(5)
    found = torch.stack([attention.anisotropic(generator, 3) for _ in range(10_000)])
    assert torch.equal(found, found.mT)
    assert (torch.linalg.eigvalsh(found) > -1e-12).all()
    for reach, agrees in ((2.5, True), (2.4, False)):
        R = torch.empty(10_000, 3, 3, dtype=torch.float64).uniform_(-reach, reach, generator=other)
        expected = torch.stack([r.T @ r / 3 for r in R])
        p = [stats.ks_2samp(found[:, a, b], expected[:, a, b]).pvalue for a, b in ((0, 0), (2, 2), (0, 1), (1, 2))]
        assert bool(min(p) > SMALLEST_P) is agrees


# ---- rho and entropy together


def exact_law_p(found: Attention, lam: float, T: int) -> float:
    """Smallest p-value, over draws and tokens, of rho's counts against walks sampled by the spectrum alone."""
    smallest, many = 1.0, 40_000
    gamma, offset = (torch.stack(parts) for parts in zip(*(taylor(T, i + 1) for i in range(T)), strict=True))
    for rho, eigenvalues in zip(found.rho, found.eigenvalues, strict=True):
        spectrum = [(float(w), 1) for w in eigenvalues]
        scores = gram.combined_scores(rng(6), many, spectrum, gamma) / lam + offset
        events = ((scores >= 0) & (scores <= 1)).sum(0).tolist()
        for hits, exact in zip((rho * found.walks).round().int().tolist(), events, strict=True):
            table = [[hits, found.walks - hits], [exact, many - exact]]
            smallest = min(smallest, float(stats.fisher_exact(table).pvalue))
    return smallest


@pytest.mark.parametrize("covariance", attention.COVARIANCES)
def test_rho_is_that_of_the_spectrum_of_every_draw(covariance: str) -> None:
    """What the eigenvalues that come with it say; a wrong temperature or a wrong Sigma is told from it."""
    found = simulate(**SMALL, covariance=covariance, seed=0)
    assert found.rho.shape == (4, 5) and found.entropy.shape == (4,) and found.eigenvalues.shape == (4, 6)
    assert found.rho.dtype == found.entropy.dtype == found.eigenvalues.dtype == torch.float64
    assert ((found.rho > 0.02) & (found.rho < 0.999)).any(0).all()
    assert exact_law_p(found, math.sqrt(6), 5) > SMALLEST_P
    assert exact_law_p(found, 6, 5) < SMALLEST_P
    other = "anisotropic" if covariance == "isotropic" else "isotropic"
    swapped = simulate(**SMALL, covariance=other, seed=0).eigenvalues
    assert exact_law_p(Attention(found.rho, found.entropy, swapped, found.walks), math.sqrt(6), 5) < SMALLEST_P


@pytest.mark.parametrize("fault", ["a step too many", "tokens turned around", "gamma of another token"])
def test_faults_in_the_simulation_are_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = attention.measure

    def wrong(tokens: Tensor, W: Tensor, lam: float) -> tuple[Tensor, Tensor]:
        if fault == "a step too many":
            return right(tokens + tokens[:, :1], W, lam)
        if fault == "tokens turned around":
            return right(tokens.flip(1), W, lam)
        hits, entropies = right(tokens, W, lam)
        return hits.roll(1), entropies

    monkeypatch.setattr(attention, "measure", wrong)
    assert exact_law_p(simulate(**SMALL, seed=0), math.sqrt(6), 5) < SMALLEST_P


def test_entropy_is_that_of_the_spectrum_of_every_draw() -> None:
    """All scores sampled by the spectrum alone give the same mean entropies; the wrong temperature does not."""
    found = simulate(**SMALL, covariance="anisotropic", seed=0)
    for entropy, eigenvalues in zip(found.entropy.tolist(), found.eigenvalues, strict=True):
        steps = torch.randn(found.walks, 5, len(eigenvalues), generator=rng(7), dtype=torch.float64)
        tokens = steps.cumsum(1)
        scores = (tokens * eigenvalues) @ tokens.mT
        for lam, agrees in ((math.sqrt(6), True), (6.0, False)):
            weights = torch.softmax(scores / lam, 2)
            sampled = torch.special.entr(weights).sum(2).mean(1)
            error = float(sampled.std()) * math.sqrt(2 / found.walks)
            assert (abs(entropy - float(sampled.mean())) < 5.5 * error) is agrees


def test_zero_weights_pay_equal_attention() -> None:
    found = simulate(0.0, 0.0, d=3, T=4, walks=5, draws=2, seed=0)
    assert (found.rho == 1).all() and (found.eigenvalues == 0).all()
    assert found.entropy.tolist() == pytest.approx([math.log(4)] * 2)


def test_one_token_always_propagates() -> None:
    found = simulate(3.0, 1.0, d=2, T=1, walks=50, draws=3, covariance="anisotropic", seed=0)
    assert (found.rho == 1).all() and (found.entropy == 0).all()


# ---- draws


def same(left: Attention, right: Attention) -> bool:
    return all(torch.equal(getattr(left, name), getattr(right, name)) for name in ("rho", "entropy", "eigenvalues"))


def test_the_arguments_decide_the_numbers() -> None:
    """Whatever the threads, the global generator and the number of draws; the three functions see the same draws."""
    setting: dict[str, Any] = {"mean": 0.1, "scale": 0.1, "d": 128, "walks": 20, "covariance": "anisotropic"}
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    found = simulate(**setting, draws=3, seed=5)
    assert torch.equal(torch.get_rng_state(), before) and torch.get_num_threads() == threads
    torch.set_num_threads(2 if threads == 1 else 1)
    try:
        again = simulate(**setting, draws=2, seed=5)
    finally:
        torch.set_num_threads(threads)
    first = Attention(found.rho[:2], found.entropy[:2], found.eigenvalues[:2], 20)
    assert same(again, first)
    assert not torch.equal(simulate(**setting, draws=2, seed=6).eigenvalues, again.eigenvalues)
    assert not torch.equal(found.eigenvalues[0], found.eigenvalues[1])


def test_settings_share_sigma_and_nothing_else() -> None:
    """With scale 0 the eigenvalues are the mean times those of Sigma, whatever the draw; W_QK is drawn anew."""
    one, two = (
        simulate(mean, 0.0, d=5, T=3, walks=40, draws=2, covariance="anisotropic", seed=0) for mean in (1.0, 2.0)
    )
    for eigenvalues in (one.eigenvalues[1], two.eigenvalues[0] / 2):
        assert torch.allclose(eigenvalues, one.eigenvalues[0], rtol=1e-12)
    assert not torch.equal(one.entropy[0], one.entropy[1])
    narrow, wide = (simulate(0.0, scale, d=5, T=3, walks=1, draws=1, seed=0).eigenvalues for scale in (1.0, 2.0))
    assert not torch.allclose(2 * narrow, wide, rtol=1e-3)


@pytest.mark.parametrize("at_once", [1, 3 * 5 * 6, 7 * 5 * 6])
def test_walks_in_pieces(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "AT_ONCE", at_once)
    pieces: list[tuple[Tensor, Tensor]] = []
    right = attention.measure

    def spy(tokens: Tensor, W: Tensor, lam: float) -> tuple[Tensor, Tensor]:
        pieces.append(right(tokens, W, lam))
        return pieces[-1]

    monkeypatch.setattr(attention, "measure", spy)
    found = simulate(**(SMALL | {"walks": 20, "draws": 1}), seed=0)
    sizes = [len(entropies) for _, entropies in pieces]
    assert sum(sizes) == 20 and max(sizes) == max(1, at_once // 30)
    assert torch.allclose(found.rho[0] * 20, torch.stack([hits for hits, _ in pieces]).sum(0).double())
    assert torch.allclose(found.entropy[0], torch.cat([entropies for _, entropies in pieces]).mean())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"mean": math.nan}, "mean = nan; expected a finite number"),
        ({"scale": -0.1}, "scale = -0.1; expected a finite number >= 0"),
        ({"scale": math.inf}, "scale = inf; expected a finite number >= 0"),
        ({"d": 0}, "d = 0; expected an integer >= 1"),
        ({"T": 2.5}, "T = 2.5; expected an integer >= 1"),
        ({"walks": True}, "walks = True; expected an integer >= 1"),
        ({"draws": -1}, "draws = -1; expected an integer >= 1"),
        ({"covariance": "diagonal"}, "covariance = 'diagonal'; expected one of isotropic, anisotropic"),
        ({"mean": 1e308}, "mean = 1e\\+308, scale = 0.4: scores beyond float64; expected smaller ones"),
    ],
)
def test_bad_input_is_refused_in_a_line(changes: dict[str, Any], told: str) -> None:
    arguments = SMALL | {"walks": 10} | changes
    with pytest.raises(ValueError, match=f"^{told}$"):
        simulate(**arguments, seed=0)
