"""Whether the standard normals that walks are made of have the tails and moments of standard normals."""

from __future__ import annotations

import math
from functools import cache

import torch
from torch import Tensor

from montecarlo import engine, threads
from montecarlo.empirical_checks import Simulation
from montecarlo.walks import Walks

#: Normals that are looked at: as many beyond 4 standard deviations as a clamp there could not hide.
LOOKED_AT = 1 << 20
#: Where the tails are counted, and how many standard deviations a count or a moment may be off.
BEYOND, OFF = (1.0, 2.0, 3.0, 3.5, 4.0), 7.0
_CASE = {"d": 1, "T": 2, "W": [["1"]], "Sigma": [["1"]], "start": "sigma"}


def sizes(scores: Tensor) -> Tensor:
    """|z_1|, |z_2| of walks of two tokens, d = 1, from their scores z_1 (z_1 + z_2) and (z_1 + z_2)^2; (2 n,)."""
    end = scores[:, 1].sqrt()
    return torch.cat([scores[:, 0] / end, end - scores[:, 0] / end]).abs()


def misfit(z: Tensor) -> str:
    """Why the sizes of numbers are not those of standard normals; "" where they are, up to chance."""
    n = len(z)
    for place in BEYOND:
        chance = math.erfc(place / math.sqrt(2))
        expected, seen = n * chance, int((z > place).sum())
        if abs(seen - expected) > OFF * (math.sqrt(expected * (1 - chance)) + 1):
            return f"{seen} of {n} lie beyond {place:g} standard deviations; expected {expected:.0f}"
    for power, moment, spread in ((2, 1.0, 2.0), (4, 3.0, 96.0), (6, 15.0, 10170.0)):
        mean = float((z.double() ** power).mean())
        if abs(mean - moment) > OFF * math.sqrt(spread / n):
            return f"the mean of z^{power} is {mean:.5g}; expected {moment:g}"
    return ""


@cache
def check_normals(tier: str, device: str) -> None:
    """Look once at the normals of a tier on a device; EngineError where they are no standard normals.

    The walks are sampled as any others. A clamp or a wrong scale would bias every claim alike.
    """
    found: list[Tensor] = []

    def scores(walk: Walks, W: Tensor) -> Tensor:
        numbers = walk.scores(W)
        found.append(sizes(numbers.double()).cpu())
        return numbers[:, 0]

    def tokens(tokens: Tensor) -> Tensor:
        steps = torch.cat([tokens[:, 0, 0], tokens[:, 1, 0] - tokens[:, 0, 0]])
        found.append(steps.double().abs().cpu())
        return tokens[:, 0, 0]

    for function in (scores, tokens) if tier == "literal" else (scores,):
        found.clear()
        simulation = Simulation("calibration", function, degree=2)
        engine.draw(
            simulation,
            _CASE,
            walks=LOOKED_AT // 2,
            seed=0,
            claim_id="calibration",
            key=function.__name__,
            device=device,
            tier=tier,
        )
        wrong = misfit(torch.cat(found))
        if wrong:
            raise threads.EngineError(f"the normals of tier {tier} on {device} are not standard: {wrong}")
