"""Section 7's searches: their settings cover the grid, and their costs are of the sign that bounds ask for."""

from __future__ import annotations

import numpy as np
import torch

from montecarlo.lampert2026 import cost_searches


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def test_searches_cover_the_grid() -> None:
    drawn = list(cost_searches.settings(400, generator()))
    grid = {(C, round(lam, 3), kappa, d) for C, lam, kappa, d, _ in drawn}
    assert len(grid) > 200
    assert {C for C, *_ in drawn} == set(cost_searches.COUNTS) and all(0 < lam < 1 for _, lam, *_ in drawn)
    # a claim's conditions choose among shares: three in four are those of the prints, others are small
    assert sum(lam >= 2 / 3 for _, lam, *_ in drawn) >= 0.75 * len(drawn)
    assert len({lam for _, lam, *_ in drawn if lam < 2 / 3}) >= len(cost_searches.SMALL)
    # every dimension has one group alone, so that each bound is reached there
    assert {d for C, _, _, d, _ in drawn if C == 1} == set(cost_searches.DIMENSIONS)
    found = cost_searches.sink_upper(70, generator())
    assert len(found) == 70 and (found.columns["value"] > 0).all()
    assert (found.error < 1e-8 * found.columns["value"].max()).all()
    again = cost_searches.sink_upper(70, generator())
    assert np.array_equal(found.columns["value"], again.columns["value"])
    lower = cost_searches.sink_lower(30, generator())
    assert (lower.columns["value"] < 0).all() and (lower.columns["lam"] < 0.5).any()
