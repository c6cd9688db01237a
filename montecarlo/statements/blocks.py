"""Sampling on a CPU without torch: blocks of walks drawn by numpy, reduced on the spot and merged in block order.

As in ``montecarlo.engine`` a block's numbers depend on (run seed, claim id, case, block index) alone, so that a sample
does not depend on how many threads drew it.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from montecarlo import seeds
from montecarlo.accumulate import Block, MomentAccumulator, Sample
from montecarlo.statements.arrays import Array
from montecarlo.statements.nodes import StatementSimulationError

#: Normals that a thread draws before it reports, some milliseconds.
TURN_NORMALS = 1 << 20
#: Samples of fewer normals stay with one thread.
SHARED_NORMALS = 1 << 19

#: The numbers of n walks by quantity, drawn with a generator.
Numbers = Callable[[np.random.Generator, int], Mapping[str, Array]]


def generator(digest: bytes, block: int) -> np.random.Generator:
    """numpy's generator at the beginning of a block."""
    return np.random.Generator(np.random.SFC64(seeds.block_seed(digest, block)))


def reduced(numbers: Array) -> Block:
    """A block's (k,) numbers: their mean, squared deviations, and half squared differences of neighbours."""
    values = numbers.astype(np.float64)
    count, pairs = len(values), len(values) // 2
    mean = float(values.sum()) / count
    deviations = values - mean
    differences = values[: 2 * pairs : 2] - values[1::2][:pairs]
    hits = int(numbers.sum()) if numbers.dtype == np.bool_ else None
    return Block(count, mean, float(deviations @ deviations), float(differences @ differences) / 2, pairs, hits)


def draw(
    numbers: Numbers,
    *,
    walks: int,
    walks_per_block: int,
    normals: int,
    seed: int,
    claim_id: str,
    key: str,
    threads: int = 1,
    first_block: int = 0,
) -> Sample:
    """Sample ``walks`` walks of ``normals`` normals each, rounded up to whole blocks, from the stream so named.

    Raises StatementSimulationError where a number is not finite or the counts cannot be used.
    """
    blocks = -(-walks // walks_per_block)
    for name, value in (("walks", walks), ("threads", threads)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise StatementSimulationError(f"{name} = {value!r}; expected an integer >= 1")
    if first_block < 0 or first_block + blocks > seeds.BLOCKS:
        raise StatementSimulationError(
            f"first_block = {first_block} with {blocks} blocks; expected blocks below 2**{seeds.BITS}"
        )
    digest = seeds.case_digest(seed, claim_id, key)

    def one(block: int) -> dict[str, Block]:
        with np.errstate(all="ignore"):
            found = {name: reduced(drawn) for name, drawn in numbers(generator(digest, block), walks_per_block).items()}
        for name, summary in found.items():
            if not math.isfinite(summary.mean + summary.m2):
                raise StatementSimulationError(f"{name} holds NaN or inf (block {block})")
        return found

    began = time.perf_counter()
    moments: dict[str, MomentAccumulator] = {}
    size = normals * walks_per_block
    wanted = range(first_block, first_block + blocks)
    for summaries in _in_order(one, wanted, threads if size * blocks >= SHARED_NORMALS else 1, size):
        for name, block in summaries.items():
            moments.setdefault(name, MomentAccumulator()).add(block)
    return Sample(
        estimates={name: accumulator.estimate() for name, accumulator in moments.items()},
        covariances={},
        walks=blocks * walks_per_block,
        blocks=blocks,
        walks_per_block=walks_per_block,
        first_block=first_block,
        device="cpu",
        seconds=time.perf_counter() - began,
        stream=tuple(seeds.block_seed(digest, k % seeds.BLOCKS) for k in (first_block, first_block + 1)),
    )


def _in_order(
    one: Callable[[int], dict[str, Block]], blocks: range, threads: int, size: int
) -> Iterator[dict[str, Block]]:
    """The blocks' summaries in block order, a thread several blocks at a time, few of them in flight."""
    if threads == 1:
        yield from map(one, blocks)
        return
    together = max(1, min(TURN_NORMALS // size, len(blocks) // (4 * threads)))
    waiting: deque[Future[list[dict[str, Block]]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for first in range(0, len(blocks), together):
                waiting.append(pool.submit(lambda part: [one(k) for k in part], blocks[first : first + together]))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
