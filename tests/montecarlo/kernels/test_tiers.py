"""Each tier against the one before it: the laws of all scores, for every start, shape and kind of matrix.

The chance of any false alarm in this file, were its seeds not fixed, is below ``alarms.LEVEL``: less than ``LOOKS``
numbers are looked at. Every check is shown to see a planted fault.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

pytest.importorskip("numba")

from montecarlo.threads import one_torch_thread
from montecarlo.walks import DrawnScores, Forms, Walks, covariance_root
from tests.montecarlo.kernels.alarms import LOOKS, alarms, features

Array = NDArray[np.float64]

WALKS = 1 << 15
#: (T, d, kind of Sigma): T = 1, 2, d = 1, multiples of four and none, singular and anisotropic covariances.
SHAPES = [(1, 1, "one"), (2, 1, "one"), (1, 4, "one"), (2, 3, "singular"), (5, 4, "anisotropic"), (4, 6, "singular")]
STARTS = ["sigma", "zero"]


def matrices(d: int, kind: str, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """A W without symmetry and a root of Sigma, (d, d) float64."""
    rng = np.random.default_rng([seed, d])
    W = rng.standard_normal((d, d)) + 0.5 * np.eye(d)
    B = rng.standard_normal((d, d))
    scale = {"one": np.ones(d), "anisotropic": np.logspace(0, -2, d), "singular": (np.arange(d) < max(1, d - 1)) * 1.0}
    Sigma = np.eye(d) if kind == "one" else (B * scale[kind]) @ B.T
    return torch.from_numpy(W), covariance_root(torch.from_numpy(Sigma))


def literal(W: torch.Tensor, root: torch.Tensor, T: int, start: str, seed: int = 0, n: int = WALKS) -> Array:
    generator = torch.Generator().manual_seed(seed)
    with one_torch_thread():
        normals = torch.empty(T, len(W), n).normal_(generator=generator)
        found: Array = Walks(normals, root, start).scores(W).numpy()
    return found


def drawn(tier: str, W: torch.Tensor, root: torch.Tensor, T: int, start: str, seed: int = 1, n: int = WALKS) -> Array:
    half = n // 2
    walks = [DrawnScores(tier, Forms(root), seed, block, half, T, start) for block in range(2)]
    return np.concatenate([walk.scores(W).numpy() for walk in walks])


def test_the_level_covers_all_looks() -> None:
    seen = sum(2 * len(features(np.zeros((4, T)))) * len(STARTS) for T, _, _ in SHAPES)
    assert seen < LOOKS


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("T", "d", "kind"), SHAPES)
def test_fused_walks_are_literal_walks(T: int, d: int, kind: str, start: str) -> None:
    W, root = matrices(d, kind)
    assert not alarms(literal(W, root, T, start), drawn("fused", W, root, T, start))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("T", "d", "kind"), SHAPES)
def test_the_joint_law_is_that_of_fused_walks(T: int, d: int, kind: str, start: str) -> None:
    W, root = matrices(d, kind)
    assert not alarms(drawn("fused", W, root, T, start, seed=2), drawn("joint", W, root, T, start, seed=3))


def faulty(fault: str, tier: str, W: torch.Tensor, root: torch.Tensor, T: int, n: int) -> Array:
    if fault == "start off by one":
        return drawn(tier, W, root, T, "zero", n=n)
    if fault == "one step less":
        later = drawn(tier, W, root, T - 1, "sigma", n=n)
        return np.concatenate([later[:, :1], later], 1)
    if fault == "Sigma's root used once":
        return drawn(tier, W, torch.eye(len(W), dtype=torch.float64), T, "sigma", n=n)
    scores = drawn(tier, W, root, T, "sigma", n=n)
    if fault == "a lane's stream used twice":
        scores[1::16] = scores[0::16]
        return scores
    steps = np.diff(scores, axis=1, prepend=0)
    mean = steps.mean(1, keepdims=True)
    assert fault == "bridge's variance 5% too large"
    faulty_scores: Array = (mean + np.sqrt(1.05) * (steps - mean)).cumsum(1)
    return faulty_scores


@pytest.mark.parametrize(
    ("fault", "n"),
    [
        ("start off by one", WALKS),
        ("one step less", WALKS),
        ("Sigma's root used once", WALKS),
        ("a lane's stream used twice", WALKS),
        ("bridge's variance 5% too large", 1 << 18),
    ],
)
def test_a_fault_is_seen(fault: str, n: int) -> None:
    """Planted in the faster tier of each pair; without it the same sample raises no alarm."""
    W, root = matrices(4, "anisotropic")
    good = drawn("fused", W, root, 5, "sigma", seed=2, n=n)
    assert not alarms(good, drawn("joint", W, root, 5, "sigma", n=n))
    assert alarms(good, faulty(fault, "joint", W, root, 5, n))
    if n == WALKS:
        assert alarms(literal(W, root, 5, "sigma", n=n), faulty(fault, "fused", W, root, 5, n))
