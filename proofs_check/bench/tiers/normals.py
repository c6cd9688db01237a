"""Loops that only draw: as many normals as a tier takes for its walks, with its own generator."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

#: Normals drawn over one another.
AT_ONCE = 1 << 20


def make(T: int, d: int, W: Any, seed: int, tier: str) -> Callable[[int, int], Any]:
    """run(walks, threads) -> the walks whose normals were drawn; literal fills a float32 buffer."""
    a_walk = T + d if tier == "joint" else T * d
    per_block = max(16, AT_ONCE // a_walk // 16 * 16)

    def torch_part() -> Callable[[int], None]:
        import torch

        from montecarlo.draws import draw_normals

        torch.set_num_threads(1)
        generator = torch.Generator().manual_seed(seed)
        buffer = torch.empty(per_block * a_walk)

        def fill(block: int) -> None:
            draw_normals(buffer, generator)

        return fill

    def kernel_part() -> Callable[[int], None]:
        from montecarlo.kernels.generator import spin

        return lambda block: spin(seed, block, per_block, a_walk)

    prepare = torch_part if tier == "literal" else kernel_part
    parts: list[Callable[[int], None]] = []

    def run(walks: int, threads: int) -> Any:
        while len(parts) < threads:
            parts.append(prepare())
        blocks = -(-walks // per_block)

        def work(thread: int) -> None:
            for index in range(thread, blocks, threads):
                parts[thread](index)

        if threads == 1:
            work(0)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, range(threads)))
        return (blocks * per_block,)

    return run
