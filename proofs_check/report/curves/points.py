"""Simulated points of figures: their random numbers, their means and ratios with intervals, and derived claims."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch
from scipy import stats
from torch import Tensor

from montecarlo import seeds
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.lookup import by_id
from theorems.kernel.derivation import Derived


@cache
def derived(claim: str) -> Derived:
    """What the derivation of a claim returns."""
    return Pair(by_id(claim)).derived()


def generator(seed: int, name: str, key: Any) -> torch.Generator:
    """The random numbers of one point: a function of the run's seed, the figure's name and the point."""
    digest = seeds.case_digest(seed, f"figures.{name}", json.dumps(key))
    return torch.Generator().manual_seed(seeds.block_seed(digest, 0))


def mean_interval(values: Tensor, failure: float) -> dict[str, float]:
    """The mean of independent numbers (n,), with the normal interval that misses with probability ``failure``."""
    return normal_interval(float(values.mean()), float(values.std()) / len(values) ** 0.5, failure)


def ratio_interval(top: Tensor, below: Tensor, failure: float) -> dict[str, float]:
    """mean(top)/mean(below) with an interval by the delta method, which misses with probability ``failure``."""
    ratio = float(top.mean() / below.mean())
    spread = float(((top - ratio * below) / below.mean()).std())
    return normal_interval(ratio, spread / len(top) ** 0.5, failure)


def normal_interval(estimate: float, error: float, failure: float) -> dict[str, float]:
    """An estimate with the normal interval of that standard error, which misses with probability ``failure``."""
    reach = float(stats.norm.isf(failure / 2)) * error
    return {"estimate": estimate, "low": estimate - reach, "high": estimate + reach}


def columns(found: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Points as columns."""
    return {name: [point[name] for point in found] for name in found[0]} if found else {}
