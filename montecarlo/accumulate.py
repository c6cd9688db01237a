"""Mergeable accumulators: what is kept of a block's numbers, and how blocks are put together.

All sums are in float64, about a block's own mean; blocks merge by Chan's update, so that neither a large mean nor
a large number of blocks costs digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

#: Two quantities, by their names.
Pair = tuple[str, str]


@dataclass(frozen=True)
class Block:
    """What one block says of one quantity: count, mean, m2 = sum of squared deviations; the sum of
    (f_{2k} - f_{2k+1})^2 / 2 over disjoint pairs of neighbours and the number of pairs; the hits of a boolean."""

    count: int
    mean: float
    m2: float
    pair_sum: float
    pairs: int
    hits: int | None = None


def reduce_block(numbers: Tensor) -> Block:
    """Reduce a block's (k,) numbers in float64, on the device that they are on."""
    values = numbers.double()
    count = len(values)
    pairs = count // 2
    # a float at once: in a block's few numbers a torch operation costs more than its arithmetic
    mean = values.sum().div_(count).item()
    deviations = values - mean
    differences = values[: 2 * pairs : 2] - values[1::2]
    m2, pair_sum = deviations.dot(deviations).item(), differences.dot(differences).item() / 2
    hits = int(numbers.sum()) if str(numbers.dtype) == "torch.bool" else None
    return Block(count, mean, m2, pair_sum, pairs, hits)


def reduce_blocks(numbers: Tensor, blocks: int) -> list[Block]:
    """Reduce the (blocks k,) numbers of several blocks, of k each: as ``reduce_block`` does, but for rounding."""
    if blocks == 1:
        return [reduce_block(numbers)]
    import torch

    rows = numbers.reshape(blocks, -1)
    values = rows.double()
    count = values.shape[1]
    pairs = count // 2
    means = values.sum(1).div_(count)
    deviations = values - means[:, None]
    differences = values[:, : 2 * pairs : 2] - values[:, 1::2]
    m2, pair_sums = deviations.square_().sum(1), differences.square_().sum(1).div_(2)
    hits = rows.sum(1).tolist() if numbers.dtype == torch.bool else [None] * blocks
    found = zip(*torch.stack((means, m2, pair_sums)).tolist(), hits, strict=True)
    return [Block(count, mean, square, pair, pairs, hit) for mean, square, pair, hit in found]


@dataclass(frozen=True)
class Estimate:
    """A quantity as sampled: ``count`` numbers with their mean and variance (divisor count - 1).

    ``block_means`` are the means of the blocks of ``numbers_per_block`` numbers each, float64, in block order;
    ``pair_mean`` is the mean of the ``pairs`` half squared differences, a second estimate of the variance, whose
    blockwise means are ``pair_block_means``. ``std_error`` = sqrt(variance / count) is a display, not a bound.
    ``hits`` counts the successes where the numbers are booleans.
    """

    count: int
    mean: float
    variance: float
    std_error: float
    block_means: NDArray[np.float64]
    numbers_per_block: int
    pair_mean: float
    pairs: int
    pair_block_means: NDArray[np.float64]
    hits: int | None = None


@dataclass(frozen=True)
class Sample:
    """What was sampled: an estimate for every quantity, and from how many walks.

    ``next_block`` is the first block that was not used: a sample drawn from there on shares no walk with this one.
    ``stream`` is what its first two blocks were seeded with: samples of one stream have walks in common.
    """

    estimates: Mapping[str, Estimate]
    covariances: Mapping[Pair, CovarianceAccumulator]
    walks: int
    blocks: int
    walks_per_block: int
    first_block: int
    device: str
    seconds: float
    stream: tuple[int, ...] = ()

    def __getitem__(self, quantity: str) -> Estimate:
        return self.estimates[quantity]

    @property
    def next_block(self) -> int:
        """The index of the first block that this sample left unused."""
        return self.first_block + self.blocks


@dataclass
class MomentAccumulator:
    """Mean, variance and half squared differences of one quantity, block after block."""

    count: int = 0
    mean: float = 0.0
    m2: float = 0.0
    pair_sum: float = 0.0
    pairs: int = 0
    hits: int | None = None
    numbers_per_block: int = 0
    block_means: list[float] = field(default_factory=list)
    pair_block_means: list[float] = field(default_factory=list)

    def add(self, block: Block) -> None:
        """Take in the next block; raises ValueError where it holds another number of numbers than those before."""
        if self.count and block.count != self.numbers_per_block:
            raise ValueError(
                f"a block holds {block.count} numbers, those before {self.numbers_per_block}; "
                "return as many numbers for every block"
            )
        self.numbers_per_block = block.count
        self._combine(block.count, block.mean, block.m2)
        self.pair_sum += block.pair_sum
        self.pairs += block.pairs
        self.hits = None if block.hits is None else block.hits + (self.hits or 0)
        self.block_means.append(block.mean)
        self.pair_block_means.append(block.pair_sum / block.pairs if block.pairs else math.nan)

    def merge(self, other: MomentAccumulator) -> None:
        """Take in all blocks of another accumulator, after the own ones; raises ValueError for unequal blocks."""
        if self.count and other.count and self.numbers_per_block != other.numbers_per_block:
            raise ValueError(f"can't merge blocks of {self.numbers_per_block} and of {other.numbers_per_block} numbers")
        self.numbers_per_block = self.numbers_per_block or other.numbers_per_block
        if other.hits is not None:
            self.hits = other.hits + (self.hits or 0)
        self._combine(other.count, other.mean, other.m2)
        self.pair_sum += other.pair_sum
        self.pairs += other.pairs
        self.block_means += other.block_means
        self.pair_block_means += other.pair_block_means

    def _combine(self, count: int, mean: float, m2: float) -> None:
        if not count:
            return
        total = self.count + count
        delta = mean - self.mean
        self.mean += delta * count / total
        self.m2 += m2 + delta * delta * self.count * count / total
        self.count = total

    def estimate(self) -> Estimate:
        """What is known so far; NaN where there are too few numbers."""
        variance = self.m2 / (self.count - 1) if self.count > 1 else math.nan
        return Estimate(
            count=self.count,
            mean=self.mean if self.count else math.nan,
            variance=variance,
            std_error=math.sqrt(variance / self.count) if self.count > 1 else math.nan,
            block_means=np.array(self.block_means, dtype=np.float64),
            numbers_per_block=self.numbers_per_block,
            pair_mean=self.pair_sum / self.pairs if self.pairs else math.nan,
            pairs=self.pairs,
            pair_block_means=np.array(self.pair_block_means, dtype=np.float64),
            hits=self.hits,
        )


@dataclass
class CovarianceAccumulator:
    """Covariance and mean product of two quantities of the same walks, mergeable."""

    count: int = 0
    mean_x: float = 0.0
    mean_y: float = 0.0
    cross: float = 0.0

    def add(self, x: Tensor, y: Tensor) -> None:
        """Take in (k,) numbers of either quantity, of the same walks in the same order."""
        if x.shape != y.shape or x.ndim != 1:
            raise ValueError(f"shapes {tuple(x.shape)} and {tuple(y.shape)}; expected (k,) numbers of the same walks")
        left, right = x.double(), y.double()
        mean_x, mean_y = left.sum().div_(len(x)).item(), right.sum().div_(len(x)).item()
        cross = (left - mean_x).dot(right - mean_y).item()
        self.merge(CovarianceAccumulator(len(x), mean_x, mean_y, cross))

    def merge(self, other: CovarianceAccumulator) -> None:
        """Take in what another accumulator saw."""
        if not other.count:
            return
        total = self.count + other.count
        delta_x, delta_y = other.mean_x - self.mean_x, other.mean_y - self.mean_y
        self.cross += other.cross + delta_x * delta_y * self.count * other.count / total
        self.mean_x += delta_x * other.count / total
        self.mean_y += delta_y * other.count / total
        self.count = total

    @property
    def covariance(self) -> float:
        """Unbiased covariance; NaN for fewer than two walks."""
        return self.cross / (self.count - 1) if self.count > 1 else math.nan
