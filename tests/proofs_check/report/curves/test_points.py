"""Intervals of simulated points."""

from __future__ import annotations

import torch

from proofs_check.report.curves.points import mean_interval, ratio_interval


def test_intervals_hold_as_often_as_they_say() -> None:
    """Of 2000 intervals that miss 1 time in 10 some 200 miss, give or take 5 standard deviations (67)."""
    draws = torch.randn((2000, 200, 2), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    top, below = 1 + 0.5 * draws[..., 0], 2 + 0.5 * draws[..., 0] + 0.5 * draws[..., 1]
    for true, seen in ((0.5, True), (0.52, False)):
        found = [ratio_interval(t, b, 0.1) for t, b in zip(top, below, strict=True)]
        missed = sum(not one["low"] <= true <= one["high"] for one in found)
        assert (abs(missed - 200) < 67) == seen
    missed = sum(not one["low"] <= 1 <= one["high"] for one in (mean_interval(t, 0.1) for t in top))
    assert abs(missed - 200) < 67
