"""Appendix B.2, empirical checks: every number against matrices that are formed as printed, walk by walk."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.bao2024 import appendix_b
from montecarlo.directly import draw_growth, run_search
from montecarlo.draws import normals
from montecarlo.empirical_checks import Growth, Search
from montecarlo.walks import Walks

APPB = "bao2024.appB."
LAM = 1.0


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def clipped(score: float, slope: Any, offset: float) -> tuple[Any, float]:
    """(gamma~^i, gamma~_0^i): the three cases of Section 2."""
    if score < 0:
        return 0 * slope, 0.0
    return (slope, offset) if score <= 1 else (0 * slope, 1.0)


def literal(walk: Any, clip: Any = clipped) -> dict[str, float]:
    """The traces of (19)-(21) over d for one walk (T + 1, d), by the matrices of Eq. (3), and the sums of B.1."""
    X, y = walk[:-1].T, walk[-1]
    d, T = X.shape
    W_QK = appendix_b.SLOPE * LAM / d * np.eye(d)
    W_V, W_F = np.eye(d), appendix_b.FEED * np.eye(d)
    last = X[:, -1]
    omega = X.T @ W_QK @ last / LAM
    Gamma, offset = np.zeros((T, T)), np.zeros(T)
    for i in range(T):
        # dS_i/dw_a = S_i (1_{a = i} - S_a), S = 1/T
        slope = ((np.arange(T) == i) - 1 / T) / T
        Gamma[:, i], offset[i] = clip(slope @ omega + 1 / T, slope, 1 / T)
    P = X.T @ W_V.T @ W_F.T @ W_F @ W_V @ X
    q = X.T @ W_V.T @ W_F.T @ (W_F @ last - y)
    first = X @ Gamma @ P @ Gamma.T @ X.T @ W_QK @ np.outer(last, last) / LAM**2
    second = X @ Gamma @ P @ offset[:, None] @ last[None] / LAM
    third = X @ Gamma @ q[:, None] @ last[None] / LAM
    return {"eq19": np.trace(first) / d, "eq20": np.trace(second) / d, "eq21": np.trace(third) / d}


def looped(walk: Any) -> dict[str, float]:
    """The same by the sums over i, j, alpha, beta of (19)-(21)."""
    X, y = walk[:-1].T, walk[-1]
    d, T = X.shape
    W_QK, W_V, W_F = appendix_b.SLOPE * LAM / d * np.eye(d), np.eye(d), appendix_b.FEED * np.eye(d)
    check = W_V.T @ W_F.T @ W_F @ W_V
    last = X[:, -1]
    rows, offsets = [], []
    for i in range(T):
        slope = ((np.arange(T) == i) - 1 / T) / T
        one, zero = clipped(slope @ (X.T @ W_QK @ last) / LAM + 1 / T, slope, 1 / T)
        rows.append(one)
        offsets.append(zero)
    first, second, third = (np.zeros((d, d)) for _ in range(3))
    for i in range(T):
        for alpha in range(T):
            outer = rows[i][alpha] * np.outer(X[:, alpha], last)
            third += outer * (X[:, i] @ W_V.T @ W_F.T @ (W_F @ last - y)) / LAM
            for beta in range(T):
                second += outer * offsets[beta] * (X[:, i] @ check @ X[:, beta]) / LAM
                for j in range(T):
                    scores = (X[:, i] @ check @ X[:, j]) * (X[:, beta] @ W_QK @ last)
                    first += outer * rows[j][beta] * scores / LAM**2
    return {name: np.trace(part) / d for name, part in (("eq19", first), ("eq20", second), ("eq21", third))}


def walks(n: int, T: int) -> Any:
    """The walks that a growth draws from the generator with seed 0."""
    # the target's own step comes last
    return normals(generator(), n, T + 1, appendix_b.DIMENSION).cumsum(1).numpy()


@pytest.mark.parametrize("T", [2, 3, 9, 24])
def test_sums_are_the_traces_of_the_printed_matrices(T: int) -> None:
    found = appendix_b.sums(generator(), 40, T)
    for k, walk in enumerate(walks(40, T)):
        for name, value in literal(walk).items():
            assert float(found[name][k]) == pytest.approx(value, rel=1e-9, abs=1e-9), (name, k)


def test_the_matrices_are_the_sums_over_tokens() -> None:
    for walk in walks(4, 5):
        assert looped(walk) == pytest.approx(literal(walk), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("fault", ["no clipping", "offset 1 below 0", "offset left at 1/T"])
def test_a_wrong_clipping_is_seen(fault: str) -> None:
    def wrong(score: float, slope: Any, offset: float) -> tuple[Any, float]:
        if fault == "no clipping":
            return slope, offset
        if fault == "offset 1 below 0":
            return (0 * slope, 1.0) if score < 0 else clipped(score, slope, offset)
        return clipped(score, slope, offset)[0], offset

    found = appendix_b.sums(generator(), 40, 9)
    told = [literal(walk, wrong) for walk in walks(40, 9)]
    # (21) has no offset, and neither has (19)
    assert any(abs(float(found["eq20"][k]) - one["eq20"]) > 1e-3 for k, one in enumerate(told))
    same = all(abs(float(found["eq19"][k]) - one["eq19"]) < 1e-9 for k, one in enumerate(told))
    assert same == (fault != "no clipping")


def test_all_three_cases_of_the_clipping_occur() -> None:
    seen = set()
    for walk in walks(40, 24):
        X = walk[:-1].T
        omega = X.T @ X[:, -1] * appendix_b.SLOPE / appendix_b.DIMENSION
        score = (omega - omega.mean()) / 24 + 1 / 24
        seen |= set(np.digitize(score, [0, 1]).tolist())
    assert seen == {0, 1, 2}


# -- drawing


def growth(name: str) -> Growth:
    registry.load("bao2024")
    found = registry.find(f"{APPB}{name}")
    assert isinstance(found, Growth)
    return found


def drawn(name: str = "order19", T: int = 1024, n: int = 200, seed: int = 0, key: str = "", threads: int = 1) -> Tensor:
    (values, *_) = draw_growth(growth(name), T, n, seed, "cpu", key, threads).values()
    return values


def test_a_growth_is_drawn_again_to_the_bit_whatever_the_threads() -> None:
    first = drawn()
    assert first.shape == (200,) and first.dtype == torch.float64
    assert torch.equal(first, drawn()) and torch.equal(first, drawn(threads=3))
    # more numbers begin with the same
    assert torch.equal(first, drawn(n=300)[:200])


def test_another_seed_key_claim_or_length_draws_other_walks() -> None:
    first = drawn()
    for other in (drawn(seed=1), drawn(key="pilot"), drawn(T=1023)):
        assert not torch.equal(first, other)
    divisor = draw_growth(growth("dominance"), 1024, 200, 0, "cpu", "", 1)["divisor"]
    assert not torch.equal(first, divisor)
    # blocks do not repeat one another
    assert len(set(first.tolist())) == len(first)


def test_a_growth_returns_its_claim_s_names() -> None:
    names = {f"order{k}": {f"eq{k}"} for k in (19, 20, 21)} | {
        "dominance": {"eq20_over_eq19", "eq21_over_eq19", "divisor"}
    }
    for name, wanted in names.items():
        assert set(draw_growth(growth(name), 16, 4, 0, "cpu", "", 1)) == wanted
    found = growth("dominance").function(generator(), 5, 8)
    sums = appendix_b.sums(generator(), 5, 8)
    for name, part in (("eq20_over_eq19", "eq20"), ("eq21_over_eq19", "eq21"), ("divisor", "eq19")):
        assert torch.equal(found[name], sums[part])


def test_the_trace_of_19_is_never_negative() -> None:
    """W_QK is a positive multiple of I, so that it is the square of a length: x_T^T M P M^T x_T."""
    assert bool((drawn(T=64, n=2000) >= 0).all())


# -- displays and diagonal dominance


def symmetric(d: int) -> Tensor:
    raw = torch.randn(d, d, dtype=torch.float64, generator=generator(7))
    return raw + raw.T


def test_display_b_and_c_are_sums_over_pairs_of_tokens() -> None:
    T, d, n = 4, 3, 5
    walk = Walks(torch.randn(T, d, n, generator=generator()), torch.eye(d, dtype=torch.float64))
    W, tokens = symmetric(d), walk.tokens
    both = appendix_b.display_b(tokens, W)["sum"]
    last = appendix_b.display_c(walk, W)["sum"]
    for k in range(n):
        x = tokens[k].numpy()
        score = [[float(x[i] @ W.numpy() @ x[j]) for j in range(T)] for i in range(T)]
        assert float(both[k]) == pytest.approx(T**2 * sum(s**2 for row in score for s in row))
        assert float(last[k]) == pytest.approx(T**3 * sum(score[b][T - 1] ** 2 for b in range(T)))
        assert float(both[k]) != pytest.approx(T**2 * sum(score[i][j] ** 2 for i in range(T) for j in range(i)))


def test_diagonal_dominance_is_a_matrix_product() -> None:
    T, d, n = 5, 3, 6
    tokens = torch.randn(n, T, d, generator=generator(), dtype=torch.float64).cumsum(1)
    a, b = torch.randn(2, d, generator=generator(1), dtype=torch.float64)
    found = appendix_b.diagonal_dominance(tokens, a, b)
    Gamma = np.eye(T) / T - np.ones((T, T)) / T**2
    for k in range(n):
        X = tokens[k].numpy().T
        full = a.numpy() @ X @ Gamma @ X.T @ b.numpy() / T
        own = a.numpy() @ X @ np.diag(np.diag(Gamma)) @ X.T @ b.numpy() / T
        assert float(found["full"][k]) == pytest.approx(full)
        assert float(found["diagonal"][k]) == pytest.approx(own)
        assert full != pytest.approx(own)


def test_the_search_sums_over_weighted_points() -> None:
    search = registry.find(f"{APPB}cauchy-schwarz")
    assert isinstance(search, Search)
    points = run_search(search, 400, 0)
    assert len(points) == 400
    columns, sizes, below, beyond = points.columns, set(), 0, 0
    for k in range(len(points)):
        p, *families = ([Fraction(float(v)) for v in points.matrices[name][k]] for name in "pabce")
        assert min(p) > 0
        sizes.add(len(p))
        value = sum(w * math.prod(four) for w, *four in zip(p, *families, strict=True)) ** 2
        assert abs(Fraction(float(columns["value"][k])) - value) <= Fraction(float(points.error[k]))
        sums = {n: [sum(w * v**n for w, v in zip(p, f, strict=True)) for f in families] for n in (2, 4)}
        for n, letters in ((2, ("aa", "bb", "cc", "ee")), (4, ("aaaa", "bbbb", "cccc", "eeee"))):
            # exact in float64
            assert [columns[f"sum_{one}"][k] for one in letters] == sums[n]
        # Hoelder's bound, squared; attained by multiples of one family
        assert value**2 <= math.prod(sums[4])
        below += value**2 < math.prod(sums[4])
        beyond += value > math.prod(sums[2])
    assert sizes == set(appendix_b.ATOMS)
    assert 100 < below < 300 and beyond > 100


@pytest.mark.parametrize("T", [1, 2, 3, 8])
def test_the_ratio_beside_the_simulation_is_that_of_the_sums(T: int) -> None:
    entry = registry.beside("bao2024.sec3.diagonal-dominance")
    assert entry is not None
    gamma = np.eye(T) / T - 1 / T**2
    # E[x_s x_t] counts the increments that two tokens share
    second = np.array([[sum(r <= s and r <= t for r in range(T)) for t in range(T)] for s in range(T)])
    found = entry.function(T)
    if T == 1:
        assert found == {}
        return
    value, error = found["ratio"]
    assert abs(value - (second * gamma).diagonal().sum() / (second * gamma).sum()) <= error < 1e-9
