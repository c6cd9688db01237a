"""The plain script: one walk after the other."""

from collections.abc import Callable
from typing import Any

import numpy as np

BATCHES = (1,)


def make(T: int, d: int, W: Any, seed: int, batch: int) -> Callable[[int, int], Any]:
    """run(walks, threads) -> sums over the walks of the scores and of their squares, (T,) each."""
    rng = np.random.default_rng(seed)

    def run(walks: int, threads: int) -> Any:
        first, second = np.zeros(T), np.zeros(T)
        for _ in range(walks):
            x = rng.standard_normal((T, d)).cumsum(0)
            s = x @ W @ x[-1]
            first += s
            second += s * s
        return first, second

    return run
