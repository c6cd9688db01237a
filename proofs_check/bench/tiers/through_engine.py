"""A tier by the engine's own path: blocks, seeds, threads, accumulators. Run as literal, fused or joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from montecarlo.empirical_checks import Simulation
from montecarlo.engine import draw
from montecarlo.walks import Walks


def scores(walk: Walks, W: Tensor) -> dict[str, Tensor]:
    """The scores of every token of every walk, and their squares, a mean a walk; and the last token's score."""
    found = walk.scores(W)
    return {"all": found.mean(1), "square": found.square().mean(1), "last": found[:, -1]}


def make(T: int, d: int, W: Any, seed: int, tier: str) -> Callable[[int, int], Any]:
    """run(walks, threads) -> (walks drawn, mean score of the last token and its square's mean, seconds of drawing).

    The seconds are the engine's own: what a case costs once, however many walks follow, is not in them.
    """
    simulation = Simulation("bench", scores, degree={"all": 2, "square": 4, "last": 2})
    case = {"T": T, "d": d, "W": W.tolist(), "Sigma": np.eye(d).tolist()}
    turn = [0]

    def run(walks: int, threads: int) -> Any:
        turn[0] += 1
        key = str(turn[0])
        found = draw(simulation, case, walks=walks, seed=seed, claim_id="bench", key=key, threads=threads, tier=tier)
        last = found["last"]
        return found.walks, last.mean, last.variance + last.mean**2, found.seconds

    torch.set_num_threads(1)
    return run
