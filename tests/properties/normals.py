"""The normals that walks are made of, as they are drawn at every case of a claim, by their dimension and their length.

A group of n normals is off where its mean, its variance or its part beyond 3.5 is so by OFF standard deviations: each
has a chance below 10^-13, and three claims have some 200, a small part of PART (see ``levels``). So a shift of
(OFF + SEEN)/sqrt(n) is found but for one time in a thousand, and a scale that is off by as much over sqrt(2).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import torch

from montecarlo import engine, walks
from montecarlo.calibration import check_normals
from montecarlo.draws import draw_normals
from proofs_check.checks.both_sides import SEEN

Draw = Callable[[torch.Tensor, torch.Generator], torch.Tensor]
#: Standard deviations; normals of the smallest group that is judged; where the tail begins, and its part.
OFF, FEWEST, TAIL = 8.0, 1 << 19, 3.5
BEYOND = math.erfc(TAIL / math.sqrt(2))


@dataclass
class Group:
    """How many normals there were, their sums, and how many lay in the tail."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    beyond: int = 0

    def add(self, z: torch.Tensor) -> None:
        """Take in some more."""
        flat = z.double()
        self.count += z.numel()
        self.total += float(flat.sum())
        self.squares += float((flat**2).sum())
        self.beyond += int((z.abs() >= TAIL).sum())

    def misfit(self) -> str:
        """How they are no standard normals; "" where they are, up to chance."""
        n = self.count
        expected = n * BEYOND
        offs = {
            "mean": self.total / math.sqrt(n),
            "variance": (self.squares - n) / math.sqrt(2 * n),
            f"part beyond {TAIL}": (self.beyond - expected) / (math.sqrt(expected) + 1),
        }
        return "; ".join(f"the {name} is off by {off:.1f} deviations" for name, off in offs.items() if abs(off) > OFF)


@dataclass
class Recorded:
    """The normals of all walks that were drawn: together, by dimension, and by the power of 4 below the length."""

    groups: dict[str, Group] = field(default_factory=lambda: defaultdict(Group))

    def __call__(self, draw: Draw) -> Draw:
        """The draw, recorded."""

        def drawn(out: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
            z = draw(out, generator)
            d, T = shape(z)
            for name in ("all", f"d = {d}", f"T from {4 ** ((T.bit_length() - 1) // 2)}"):
                self.groups[name].add(z)
            return z

        return drawn

    def misfits(self) -> list[str]:
        """The groups that are off, of those that are large enough."""
        told = {name: group.misfit() for name, group in self.groups.items() if group.count >= FEWEST}
        return [f"{name}: {wrong}" for name, wrong in told.items() if wrong]

    def least(self) -> float:
        """The least shift of all normals that is found but for one time in a thousand."""
        return (OFF + SEEN) / math.sqrt(self.groups["all"].count)


def shape(z: torch.Tensor) -> tuple[int, int]:
    """d and T of the walks whose normals (k, d, n) are, which may be drawn a few tokens at a time."""
    return z.shape[-2], z.untyped_storage().nbytes() // (z.itemsize * z.shape[-2] * z.shape[-1])


def draws(patch: pytest.MonkeyPatch, change: Callable[[Draw], Draw]) -> None:
    """Draw the normals of walks in another way."""
    changed = change(draw_normals)
    for module in (engine, walks):
        patch.setattr(module, "draw_normals", changed)
    check_normals.cache_clear()
