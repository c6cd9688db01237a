"""numpy, a batch of walks at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np

BATCHES = (16, 64, 256, 1024)


def make(T: int, d: int, W: Any, seed: int, batch: int) -> Callable[[int, int], Any]:
    """run(walks, threads) -> sums over the walks of the scores and of their squares, (T,) each."""
    rng = np.random.default_rng(seed)

    def run(walks: int, threads: int) -> Any:
        first, second = np.zeros(T), np.zeros(T)
        for done in range(0, walks, batch):
            x = rng.standard_normal((min(batch, walks - done), T, d)).cumsum(1)
            s = np.einsum("nad,de,ne->na", x, W, x[:, -1], optimize=True)
            first += s.sum(0)
            second += np.square(s).sum(0)
        return first, second

    return run
