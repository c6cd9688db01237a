"""torch in float32, a batch of walks at a time."""

from collections.abc import Callable
from typing import Any

import torch

BATCHES = (16, 64, 256, 1024)


def make(T: int, d: int, W: Any, seed: int, batch: int) -> Callable[[int, int], Any]:
    """run(walks, threads) -> sums over the walks of the scores and of their squares, (T,) each."""
    generator = torch.Generator().manual_seed(seed)
    M = torch.tensor(W, dtype=torch.float32)

    def run(walks: int, threads: int) -> Any:
        torch.set_num_threads(threads)
        first, second = torch.zeros(T), torch.zeros(T)
        with torch.inference_mode():
            for done in range(0, walks, batch):
                x = torch.randn(min(batch, walks - done), T, d, generator=generator).cumsum_(1)
                s = (x @ (x[:, -1] @ M.T)[:, :, None])[:, :, 0]
                first += s.sum(0)
                second += s.square().sum(0)
        return first.numpy(), second.numpy()

    return run
