"""How often a sink can be represented, over the number of tokens: derived, and counted in draws under any mask.

All results are of JSON's own types.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from montecarlo.lampert2026 import representability
from montecarlo.separability import Array, nearest
from montecarlo.threads import one_torch_thread
from proofs_check.report.curves.points import columns, derived, generator
from proofs_check.report.curves.scores import evaluated, with_intervals

WENDEL = "lampert2026.sec4.wendel"
#: A hull whose nearest point to 0 is as far as this avoids 0, one whose nearest point is as near as that holds it.
FAR, NEAR = 1e-7, 1e-12


def probabilities(d: int, counts: Sequence[int]) -> list[float]:
    """P(representable) for z_0..z_N on the sphere in R^d, J = [N], all keys visible: derived, for every N."""
    return evaluated(derived(WENDEL).ratio("").expr, dim=float(d), points=np.array(counts, dtype=float))


def sphere_frequencies(d: int, counts: Sequence[int], *, n: int, few: int, failure: float, seed: int) -> dict[str, Any]:
    """How often the sink was representable in draws from the sphere, all keys visible, by the number N of keys.

    As the claim's simulation does in n draws where their minors are not too many, else by nearest points in ``few``.
    """
    found: list[dict[str, Any]] = []
    for N in counts:
        random = generator(seed, "representability", [d, N])
        with one_torch_thread():
            if sum(math.comb(N, size) for size in range(1, d + 2)) <= representability.MINORS:
                hits, draws = int(representability.wendel(random, n, d, N).sum()), n
            else:
                hits, draws = sum(_both_avoid(z) for z in _sphere(random, few, N, d)), few
        found.append({"N": N, "draws": draws, **_frequency(hits, draws, failure)})
    return columns(found)


def mask_frequencies(
    d: int, counts: Sequence[int], mask: str, *, draws: int, failure: float, seed: int
) -> dict[str, Any]:
    """How often a W exists under a mask ("full", "causal", "window w"), from the definition, by the number N of keys.

    W exists where the matrices z_i (z_0 - z_j)^T of all i and all j that i sees are on one side of a hyperplane.
    """
    known: dict[str, representability.Mask] = {"full": representability.full, "causal": representability.causal}
    sees = known[mask] if mask in known else representability.window(int(mask.removeprefix("window ")))
    found: list[dict[str, Any]] = []
    for N in counts:
        random = generator(seed, "representability.mask", [d, N, mask])
        pairs = [(i, j) for i in range(1, N + 1) for j in sees(i, N)]
        queries, keys = ([pair[side] for pair in pairs] for side in (0, 1))
        hits = sum(avoids(_products(z[queries], z[0] - z[keys])) for z in _sphere(random, draws, N, d))
        found.append({"N": N, "draws": draws, **_frequency(hits, draws, failure)})
    return columns(found)


def avoids(vectors: Array) -> bool:
    """Whether the hull of the vectors (m, D) avoids 0, in float64; ArithmeticError where that is too near to tell."""
    distance = float(np.linalg.norm(nearest(vectors) @ vectors))
    if NEAR < distance < FAR:
        raise ArithmeticError(
            f"a hull comes within {distance:.1e} of 0, which float64 cannot decide; take another seed"
        )
    return distance >= FAR


def _both_avoid(z: Array) -> bool:
    """Whether the hulls of the z_i and of the z_0 - z_j avoid 0, as W = x y^T needs; else no W exists."""
    return avoids(z[1:]) and avoids(z[0] - z[1:])


def _products(one: Array, two: Array) -> Array:
    return (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)


def _sphere(random: torch.Generator, n: int, N: int, d: int) -> Array:
    """n draws of z_0..z_N on the sphere in R^d, (n, N + 1, d)."""
    z = torch.randn((n, N + 1, d), generator=random, dtype=torch.float64)
    found: Array = (z / z.norm(dim=2, keepdim=True)).numpy()
    return found


def _frequency(hits: int, draws: int, failure: float) -> dict[str, float]:
    return {name: values[0] for name, values in with_intervals([hits], draws, failure).items()}
