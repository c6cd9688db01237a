"""The accumulators against numpy on all numbers at once, however the numbers were cut; float32 sums are caught."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo.accumulate import (
    Block,
    CovarianceAccumulator,
    MomentAccumulator,
    reduce_block,
    reduce_blocks,
)

Reduce = Callable[[Tensor], Block]


def numbers(blocks: int = 24, k: int = 512, offset: float = 1e4) -> Tensor:
    """Heavy-tailed numbers with a large mean, (blocks, k) float64."""
    generator = torch.Generator().manual_seed(3)
    return torch.randn(blocks, k, generator=generator, dtype=torch.float64) ** 4 + offset


def accumulate(values: Tensor, reduce: Reduce = reduce_block) -> MomentAccumulator:
    accumulator = MomentAccumulator()
    for row in values:
        accumulator.add(reduce(row))
    return accumulator


def discrepancy(values: Tensor, reduce: Reduce) -> float:
    """The largest relative error of mean, variance and pair mean, against numpy's two passes in long double."""
    flat = values.numpy().ravel().astype(np.longdouble)
    found = accumulate(values, reduce).estimate()
    pairs = (flat[0::2] - flat[1::2]) ** 2 / 2
    expected = (flat.mean(), flat.var(ddof=1), pairs.mean())
    return max(
        abs(float(x / y) - 1) for x, y in zip((found.mean, found.variance, found.pair_mean), expected, strict=True)
    )


def test_one_pass_over_blocks_is_two_passes_over_all() -> None:
    values = numbers()
    assert discrepancy(values, reduce_block) < 1e-12
    found = accumulate(values).estimate()
    assert found.count == values.numel() and found.pairs == values.numel() // 2
    assert found.numbers_per_block == 512
    assert found.block_means.dtype == np.float64
    np.testing.assert_allclose(found.block_means, values.mean(1).numpy(), rtol=1e-14)
    np.testing.assert_allclose(found.pair_block_means.mean(), found.pair_mean, rtol=1e-13)
    assert found.std_error == math.sqrt(found.variance / found.count)


def test_a_float32_accumulator_is_caught() -> None:
    """Sums of squares in float32 lose the variance of numbers with a mean of 10^4; float64 keeps 12 digits."""

    def single(row: Tensor) -> Block:
        low = row.float()
        total, squares = float(low.sum()), float((low * low).sum())
        differences = (low[0::2] - low[1::2]) ** 2 / 2
        return Block(len(low), total / len(low), squares - total**2 / len(low), float(differences.sum()), len(low) // 2)

    assert discrepancy(numbers(), single) > 1e-3
    assert discrepancy(numbers(), reduce_block) < 1e-12


def test_a_large_mean_costs_no_digits() -> None:
    assert discrepancy(numbers(offset=1e9), reduce_block) < 1e-6
    assert discrepancy(numbers(blocks=400, k=8, offset=1e6), reduce_block) < 1e-9


def test_merging_is_adding_and_keeps_the_order() -> None:
    values = numbers(blocks=9)
    whole = accumulate(values).estimate()
    for cut in (0, 1, 4, 9):
        left, right = accumulate(values[:cut]), accumulate(values[cut:])
        left.merge(right)
        merged = left.estimate()
        assert merged.block_means.tolist() == whole.block_means.tolist()
        assert (merged.count, merged.pairs) == (whole.count, whole.pairs)
        assert merged.mean == pytest.approx(whole.mean, rel=1e-14)
        assert merged.variance == pytest.approx(whole.variance, rel=1e-12)
        assert merged.pair_mean == pytest.approx(whole.pair_mean, rel=1e-14)


def test_blocks_of_unequal_size_are_refused() -> None:
    accumulator = accumulate(numbers(blocks=1, k=8))
    with pytest.raises(ValueError, match="a block holds 6 numbers, those before 8"):
        accumulator.add(reduce_block(torch.ones(6)))
    with pytest.raises(ValueError, match="can't merge blocks of 8 and of 6"):
        accumulator.merge(accumulate(torch.ones(1, 6)))


def test_too_few_numbers_are_told_as_nan() -> None:
    assert math.isnan(MomentAccumulator().estimate().mean)
    one = accumulate(torch.ones(1, 1)).estimate()
    assert one.mean == 1 and one.pairs == 0
    assert math.isnan(one.variance) and math.isnan(one.pair_mean) and math.isnan(one.std_error)


def test_an_odd_number_is_left_out_of_the_pairs_only() -> None:
    found = accumulate(torch.tensor([[1.0, 3.0, 8.0]])).estimate()
    assert (found.mean, found.pair_mean, found.pairs) == (4.0, 2.0, 1)


def test_booleans_are_counted() -> None:
    events = torch.tensor([[True, False, True, True], [False, False, True, False]])
    found = accumulate(events).estimate()
    assert (found.hits, found.count, found.mean) == (4, 8, 0.5)
    assert accumulate(numbers(2, 4)).estimate().hits is None
    left, right = accumulate(events[:1]), accumulate(events[1:])
    left.merge(right)
    assert left.estimate().hits == 4


@pytest.mark.parametrize("k", [1, 2, 7, 64])
@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_several_blocks_at_once_are_each_by_itself(blocks: int, k: int) -> None:
    rows = numbers(blocks, k)
    found, single = reduce_blocks(rows.reshape(-1), blocks), [reduce_block(row) for row in rows]
    for several, one in zip(found, single, strict=True):
        assert (several.count, several.pairs, several.hits) == (one.count, one.pairs, None)
        for name in ("mean", "m2", "pair_sum"):
            assert getattr(several, name) == pytest.approx(getattr(one, name), rel=1e-13, abs=1e-13)
    if blocks > 1 and k > 1:
        # numbers dealt to the blocks in turn, as they would be were the blocks side by side, are others
        dealt = reduce_blocks(rows.T.reshape(-1), blocks)
        both = zip(dealt, single, strict=True)
        assert all(abs(a.mean - b.mean) > 1e-6 and abs(a.m2 / b.m2 - 1) > 1e-6 for a, b in both)


def test_several_blocks_of_booleans_are_counted() -> None:
    events = torch.tensor([True, False, True, True, False, False, True, False])
    assert [(block.hits, block.count, block.mean) for block in reduce_blocks(events, 2)] == [(3, 4, 0.75), (1, 4, 0.25)]
    strided = torch.stack((events, ~events), 1)[:, 0]
    assert reduce_blocks(strided, 4) == reduce_blocks(events, 4)


def test_covariance_against_numpy_and_merged() -> None:
    x, y = numbers(4, 64).reshape(-1), numbers(4, 64).flip(1).reshape(-1) + torch.arange(256)
    whole = CovarianceAccumulator()
    whole.add(x, y)
    parts = CovarianceAccumulator()
    for first in range(0, 256, 50):
        parts.add(x[first : first + 50], y[first : first + 50])
    expected = np.cov(x.numpy(), y.numpy())[0, 1]
    assert whole.covariance == pytest.approx(expected, rel=1e-10)
    assert parts.covariance == pytest.approx(expected, rel=1e-10)
    assert parts.count == 256


def test_covariance_wants_numbers_of_the_same_walks() -> None:
    with pytest.raises(ValueError, match="of the same walks"):
        CovarianceAccumulator().add(torch.ones(3), torch.ones(4))
    assert math.isnan(CovarianceAccumulator().covariance)
