"""JAX, compiled, in float32, a batch of walks at a time."""

# JAX is installed for this script alone, if at all.
# mypy: disable-error-code="import-not-found, untyped-decorator"

import os
from collections.abc import Callable
from typing import Any

# JAX takes as many threads as the process may use cores.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-int(os.environ.get("OMP_NUM_THREADS", "1024")) :])

import jax  # noqa: E402
import numpy as np  # noqa: E402

BATCHES = (64, 256)


def make(T: int, d: int, W: Any, seed: int, batch: int) -> Callable[[int, int], Any]:
    """run(walks, threads) -> (walks drawn, mean score of the last token and its square's mean)."""
    M = jax.numpy.asarray(W, dtype="float32")
    held = [jax.random.key(seed)]

    @jax.jit
    def of_batch(key: Any) -> Any:
        key, own = jax.random.split(key)
        x = jax.random.normal(own, (batch, T, d), "float32").cumsum(1)
        s = (x * (x[:, -1] @ M.T)[:, None]).sum(2)
        return key, s.sum(0), (s * s).sum(0)

    def run(walks: int, threads: int) -> Any:
        first, second = np.zeros(T), np.zeros(T)
        for _ in range(0, walks, batch):
            held[0], a, b = of_batch(held[0])
            first += a
            second += b
        drawn = -(-walks // batch) * batch
        return drawn, float(first[-1]) / drawn, float(second[-1]) / drawn

    return run
