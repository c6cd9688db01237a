"""torch.compile in float32, a batch of walks at a time."""

from collections.abc import Callable
from typing import Any

import torch

BATCHES = (256,)


def make(T: int, d: int, W: Any, seed: int, batch: int) -> Callable[[int, int], Any]:
    """run(walks, threads) -> (walks drawn, mean score of the last token and its square's mean)."""
    torch.manual_seed(seed)
    M = torch.tensor(W, dtype=torch.float32)

    def of_batch() -> Any:
        x = torch.randn(batch, T, d).cumsum(1)
        s = (x * (x[:, -1] @ M.T)[:, None]).sum(2)
        return s.sum(0), (s * s).sum(0)

    compiled: Any = torch.compile(of_batch)

    def run(walks: int, threads: int) -> Any:
        torch.set_num_threads(threads)
        first, second = torch.zeros(T), torch.zeros(T)
        with torch.inference_mode():
            for _ in range(0, walks, batch):
                a, b = compiled()
                first += a
                second += b
        drawn = -(-walks // batch) * batch
        return drawn, float(first[-1]) / drawn, float(second[-1]) / drawn

    return run
