"""Rotary positions: how far each pair of numbers turns from token to token, scaled as the kinds that are known do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

#: The kinds of scaling that are known, by the names that ``transformers`` gives them.
SCALINGS = ("default", "linear", "dynamic", "llama3", "yarn")


@dataclass(frozen=True)
class Rotary:
    """Pair k of a token's n numbers turns by theta^(-2k/n)/divisors[k] a token, k = 0 .. n/2 - 1.

    factor: what queries and keys are multiplied by. stretch, beyond: in a window of T > beyond tokens theta is times
    (stretch T/beyond - stretch + 1)^(n/(n - 2)); there is no such window where stretch is 1.
    """

    theta: float
    divisors: tuple[float, ...]
    factor: float = 1.0
    stretch: float = 1.0
    beyond: int = 1

    def __post_init__(self) -> None:
        numbers = (self.theta, self.factor, self.stretch, self.beyond, *self.divisors)
        # so that no angle overflows float32
        if not all(1e-18 < number < 1e18 for number in numbers):
            raise ValueError(f"theta = {self.theta:.3g}, factor = {self.factor:.3g}; expected positive numbers")

    def speeds(self, T: int) -> Tensor:
        """The angles (n/2,) from token to token in a window of T tokens, in float32."""
        n, theta = 2 * len(self.divisors), self.theta
        if self.stretch > 1 and self.beyond < T:
            theta *= (self.stretch * T / self.beyond - self.stretch + 1) ** (n / (n - 2))
        return torch.tensor([theta ** (-2 * k / n) / divisor for k, divisor in enumerate(self.divisors)])


def unscaled(theta: float, n: int) -> Rotary:
    """Rotary positions of n numbers, not scaled."""
    return Rotary(theta, (1.0,) * (n // 2))


def scaled(theta: float, n: int, given: Mapping[str, Any], context: int) -> Rotary:
    """What ``transformers`` makes of a ``rope_parameters`` of one of the kinds SCALINGS.

    ``context`` is the model's own; KeyError names an entry that is missing, ValueError and TypeError what is no number.
    """
    plain, kind = unscaled(theta, n), given.get("rope_type", given.get("type", "default"))
    if kind == "default":
        return plain
    if kind == "dynamic":
        stretch = float(given["factor"])
        if n == 2 or not stretch >= 1:
            raise ValueError(f"factor = {stretch:.3g} of {n // 2} pairs; expected a factor from 1, two pairs or more")
        return replace(plain, stretch=stretch, beyond=context)
    # null stands for the ratio of the two contexts
    original = int(given.get("original_max_position_embeddings") or context)
    factor = context / original if kind == "yarn" and given["factor"] is None else float(given["factor"])
    if kind == "linear":
        return replace(plain, divisors=(factor,) * (n // 2))
    if kind == "llama3":
        low, high = float(given["low_freq_factor"]), float(given["high_freq_factor"])
        if not low < high:
            raise ValueError(f"low_freq_factor = {low}, high_freq_factor = {high}; expected the low below the high")
        turns = [original * theta ** (-2 * k / n) / (2 * math.pi) for k in range(n // 2)]
        return replace(plain, divisors=tuple(_mixed(factor, (high - turn) / (high - low)) for turn in turns))
    if kind == "yarn":
        fast, slow = float(given.get("beta_fast") or 32), float(given.get("beta_slow") or 1)
        ends = [n * math.log(original / (2 * math.pi * turns)) / (2 * math.log(theta)) for turns in (fast, slow)]
        if given.get("truncate", True):
            ends = [math.floor(ends[0]), math.ceil(ends[1])]
        first, last = max(ends[0], 0), min(ends[1], n - 1)
        width = last - first or 0.001
        divisors = tuple(_mixed(factor, (k - first) / width) for k in range(n // 2))
        return replace(plain, divisors=divisors, factor=_yarn_factor(factor, given))
    raise ValueError(f"rope_type = {kind!r:.40}; expected one of {', '.join(SCALINGS)}")


def _mixed(factor: float, share: float) -> float:
    """The divisor of a speed that is slower by ``factor`` for a share from 0 to 1, and unchanged for the rest."""
    share = min(1.0, max(0.0, share))
    return 1 / (1 - share + share / factor)


def _yarn_factor(factor: float, given: Mapping[str, Any]) -> float:
    """What yarn multiplies queries and keys by, where it is not given."""

    def size(scale: float) -> float:
        return 0.1 * scale * math.log(factor) + 1 if factor > 1 else 1.0

    if given.get("attention_factor") is not None:
        return float(given["attention_factor"])
    if given.get("mscale") and given.get("mscale_all_dim"):
        return size(float(given["mscale"])) / size(float(given["mscale_all_dim"]))
    return size(1.0)


def rotated(x: Tensor, speeds: Tensor, at: Tensor | None = None) -> Tensor:
    """(..., T, n): the pair (k, k + n/2) of a token at t = 0, 1, ... (or ``at``) is turned by t speeds[k]."""
    T, n = x.shape[-2:]
    places = torch.arange(T, dtype=torch.float32, device=x.device) if at is None else at
    angles = places[:, None] * speeds.to(x.device)
    cos, sin = angles.cos(), angles.sin()
    one, two = x[..., : n // 2], x[..., n // 2 :]
    return torch.cat((one * cos - two * sin, two * cos + one * sin), dim=-1)
