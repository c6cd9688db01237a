"""Sampling on a CPU without torch: blocks of walks drawn with numpy, reduced on the spot and merged in block order.

As in ``montecarlo.engine`` a block's numbers depend on (run seed, claim id, case, block index) alone, so that a sample
does not depend on how many threads drew it. A few blocks are drawn at once, in turns that their indices determine, as
the interpreter takes as long over a small block as over several.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

import numpy as np

from montecarlo import seeds
from montecarlo.accumulate import Block, MomentAccumulator, Sample
from montecarlo.ordered import in_order
from montecarlo.statements.arrays import Array
from montecarlo.statements.nodes import NoValueError, StatementSimulationError

#: Most blocks of a turn, and most normals of a turn of several.
TOGETHER, MOST_NORMALS = 8, 1 << 18
#: Normals that a thread draws before it reports, some milliseconds.
TURN_NORMALS = 1 << 20
#: Samples of fewer normals stay with one thread.
SHARED_NORMALS = 1 << 19

#: The numbers of n walks by quantity, drawn with a generator; of whole blocks, block after block.
Numbers = Callable[[np.random.Generator, int], Mapping[str, Array]]


def generator(digest: bytes, block: int) -> np.random.Generator:
    """numpy's generator at the beginning of a block."""
    return np.random.Generator(np.random.SFC64(seeds.block_seed(digest, block)))


def together(normals: int) -> int:
    """Blocks of a turn, by the normals of a block."""
    return max(1, min(TOGETHER, MOST_NORMALS // normals))


def reduced(numbers: Array, blocks: int) -> list[Block]:
    """The (blocks k,) numbers of blocks, each reduced to mean, squared deviations, half squared differences."""
    rows = numbers.reshape(blocks, -1)
    values = rows.astype(np.float64, copy=False)
    count, pairs = values.shape[1], values.shape[1] // 2
    means = values.sum(1) / count
    deviations = values - means[:, None]
    differences = values[:, : 2 * pairs : 2] - values[:, 1 : 2 * pairs : 2]
    squares = np.einsum("bk,bk->b", deviations, deviations)
    halves = np.einsum("bk,bk->b", differences, differences) / 2
    hits = rows.sum(1).tolist() if numbers.dtype == np.bool_ else [None] * blocks
    found = zip(means.tolist(), squares.tolist(), halves.tolist(), hits, strict=True)
    return [Block(count, mean, square, half, pairs, hit) for mean, square, half, hit in found]


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

    size = normals * walks_per_block
    several = together(size)

    def one(turn: int) -> list[dict[str, Block]]:
        first = turn * several
        with np.errstate(all="ignore"):
            drawn = numbers(generator(digest, first), several * walks_per_block)
            found = {name: reduced(values, several) for name, values in drawn.items()}
        for name, summaries in found.items():
            for block, summary in enumerate(summaries, first):
                if not math.isfinite(summary.mean + summary.m2):
                    raise NoValueError(f"{name} holds NaN or inf (block {block})")
        return [{name: summaries[k] for name, summaries in found.items()} for k in range(several)]

    began = time.perf_counter()
    moments: dict[str, MomentAccumulator] = {}
    wanted = range(first_block, first_block + blocks)
    # always whole turns, of which the blocks that are not wanted are left out
    turns = range(wanted.start // several, -(-wanted.stop // several))
    shared = threads if size * blocks >= SHARED_NORMALS else 1
    at_once = max(1, min(TURN_NORMALS // (size * several), len(turns) // (4 * shared)))
    drawn = in_order(one, turns, shared, at_once) if shared > 1 else map(one, turns)
    for turn, summaries in zip(turns, drawn, strict=True):
        for block, named in enumerate(summaries, turn * several):
            for name, summary in named.items() if block in wanted else ():
                moments.setdefault(name, MomentAccumulator()).add(summary)
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
