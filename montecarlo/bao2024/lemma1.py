"""Remark 2, Lemma 1 and the lines of its proof: scores of sampled walks under the linearised softmax."""

from __future__ import annotations

from torch import Tensor

from montecarlo.bao2024.softmax import taylor
from montecarlo.registry import simulation, variance
from montecarlo.walks import Walks


def linear(scores: Tensor, i: int) -> Tensor:
    """<gamma^i, scores>, (n, T) -> (n,), gamma^i the gradient of the softmax's i-th entry at the origin."""
    gamma, _ = taylor(scores.shape[1], i)
    return scores @ gamma.to(scores)


def full_score(walk: Walks, W: Tensor, i: int, lam: float) -> Tensor:
    """<gamma^i, omega> + gamma_0^i, (n,), with omega = X^T W x_T / lam."""
    _, offset = taylor(walk.T, i)
    return linear(walk.scores(W), i) / lam + float(offset)


@simulation(
    "bao2024.sec2.remark2-selector",
    degree={"variance": 4, "mean": 2, "selector_variance": 4, "selector_mean": 2},
)
def remark2_selector(walk: Walks, W: Tensor, i: int, lam: float) -> dict[str, Tensor]:
    """<gamma^i, omega>, and the same with gamma^i replaced by e^i / T: means (n,) and variances (n // 2,)."""
    scores = walk.scores(W)
    score, selected = linear(scores, i) / lam, scores[:, i - 1] / (lam * walk.T)
    return {
        "variance": variance(score),
        "mean": score,
        "selector_variance": variance(selected),
        "selector_mean": selected,
    }


@simulation("bao2024.sec4.lemma1-mean", degree=2)
def lemma1_mean(walk: Walks, W: Tensor, i: int, lam: float) -> dict[str, Tensor]:
    """<gamma^i, omega> + gamma_0^i, (n,)."""
    return {"mean": full_score(walk, W, i, lam)}


@simulation("bao2024.sec4.lemma1-variance", degree=4)
def lemma1_variance(walk: Walks, W: Tensor, i: int, lam: float) -> dict[str, Tensor]:
    """Half squared differences of <gamma^i, omega> + gamma_0^i, (n // 2,)."""
    return {"variance": variance(full_score(walk, W, i, lam))}


@simulation("bao2024.appC.eq22", degree=4)
def eq22(walk: Walks, W: Tensor, i: int, j: int) -> dict[str, Tensor]:
    """(22): x_i^T W x_T x_j^T W x_T, (n,)."""
    s = walk.scores(W)
    return {"pair": s[:, i - 1] * s[:, j - 1]}


@simulation("bao2024.appC.lemma1-A", degree=4)
def lemma1_a(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """(A): (x_i^T W x_T)^2, (n,)."""
    return {"A": walk.scores(W)[:, i - 1] ** 2}


@simulation("bao2024.appC.lemma1-B1", degree=4)
def lemma1_b1(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """(B1): 2 (x_i^T W x_T)^2, (n,)."""
    return {"B1": 2 * walk.scores(W)[:, i - 1] ** 2}


@simulation("bao2024.appC.lemma1-B2", degree=4)
def lemma1_b2(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """(B2): 2 sum_{j > i} x_i^T W x_T x_j^T W x_T, (n,)."""
    s = walk.scores(W)
    return {"B2": 2 * s[:, i - 1] * s[:, i:].sum(1)}


@simulation("bao2024.appC.lemma1-B3", degree=4)
def lemma1_b3(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """(B3): 2 sum_{j < i} x_i^T W x_T x_j^T W x_T, (n,)."""
    s = walk.scores(W)
    return {"B3": 2 * s[:, i - 1] * s[:, : i - 1].sum(1)}


@simulation("bao2024.appC.lemma1-C1", degree=4)
def lemma1_c1(walk: Walks, W: Tensor) -> dict[str, Tensor]:
    """(C1): sum_j (x_j^T W x_T)^2, (n,)."""
    return {"C1": (walk.scores(W) ** 2).sum(1)}


@simulation("bao2024.appC.lemma1-C2", degree=4)
def lemma1_c2(walk: Walks, W: Tensor) -> dict[str, Tensor]:
    """(C2): 2 sum_{j < j'} x_j^T W x_T x_j'^T W x_T, (n,)."""
    s = walk.scores(W)
    return {"C2": 2 * (s[:, 1:] * s.cumsum(1)[:, :-1]).sum(1)}


@simulation("bao2024.appC.lemma1-second-moment", degree=4)
def lemma1_second_moment(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    """<gamma^i, X^T W x_T>^2, (n,)."""
    return {"second_moment": linear(walk.scores(W), i) ** 2}
