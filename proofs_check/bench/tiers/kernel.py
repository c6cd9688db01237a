"""The kernels of tiers b and c by themselves: blocks of scores, their sums and sums of squares."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from montecarlo.kernels import forms, fused, joint

#: Scores of a block: few enough to stay near the core, and enough that a call costs nothing beside them.
SCORES = 1 << 17


def make(T: int, d: int, W: Any, seed: int, tier: str) -> Callable[[int, int], Any]:
    """run(walks, threads) -> (walks drawn, mean score of the last token and its square's mean)."""
    form = forms.form(W)
    scores = {"fused": fused.scores, "joint": joint.scores}[tier]
    block = max(16, SCORES // T // 16 * 16)
    ones = np.ones(block)
    turn = [0]

    def run(walks: int, threads: int) -> Any:
        blocks = -(-walks // block)
        began = turn[0]
        turn[0] += blocks

        def part(thread: int) -> Any:
            first, second = np.zeros(T), np.zeros(T)
            for index in range(thread, blocks, threads):
                found = scores(form, seed, began + index, block, T)
                first += found @ ones
                second += np.vecdot(found, found)
            return first, second

        if threads == 1:
            parts = [part(0)]
        else:
            with ThreadPoolExecutor(threads) as pool:
                parts = list(pool.map(part, range(threads)))
        drawn = blocks * block
        return drawn, sum(a[-1] for a, _ in parts) / drawn, sum(b[-1] for _, b in parts) / drawn

    return run
