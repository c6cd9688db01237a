"""Whether some W_QK makes a sink of the first token on the very tokens that a layer's attention reads, certified.

Scores z_i^T W z_j without positions: a window's first token is z_0, its others are queries and keys. float32 numbers
are rationals, so that certificates are checked in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from montecarlo.separability import Array, Separation, nearest, roundings, separate

Rows = list[list[int]]

#: What is added to the diagonal of a Gram matrix, over its mean: the guess bears on no certificate.
RIDGE = 1e-6


@dataclass(frozen=True)
class Sinks:
    """Of the windows of a layer: how many have a W of their own, how many have none, the rest being undecided.

    together: whether one W of rank one serves all windows: True with a certificate, False where a window has none,
    None where neither was found. rho_Q, rho_K: dist(0, conv{z_i}) and dist(z_0, conv{z_j}) of every window, in float64.
    """

    representable: int
    excluded: int
    together: bool | None
    rho_Q: tuple[float, ...]
    rho_K: tuple[float, ...]


def integers(x: Array) -> list[Rows]:
    """A common multiple of the float32 numbers (B, T, d) that makes all of them integers, exactly."""
    parts, powers = np.frexp(x)
    least = int(powers[x != 0].min(initial=0)) if x.any() else 0
    whole = (parts * 2.0**24).astype(np.int64)
    return [
        [[int(v) << int(p) for v, p in zip(*row, strict=True)] for row in zip(*window, strict=True)]
        for window in zip(whole.tolist(), np.where(x != 0, powers - least, 0).tolist(), strict=True)
    ]


def _common(vectors: Rows, floats: Array) -> bool:
    """Whether a direction that ridge regression finds has a positive product with every vector, checked exactly."""
    small = len(floats) < floats.shape[1]
    gram = floats @ floats.T if small else floats.T @ floats
    gram += (RIDGE * np.trace(gram) / len(gram) + np.finfo(float).tiny) * np.eye(len(gram))
    ones = np.ones(len(floats))
    guess = np.asarray(np.linalg.solve(gram, ones if small else floats.T @ ones), dtype=np.float64)
    ways = roundings(floats.T @ guess if small else guess)
    return any(Separation(True, direction=way).shown(vectors) for way in ways)


def _decided(z: Rows) -> bool | None:
    """Proposition 4.1, causal: representable iff conv{z_i} avoids 0 and conv{z_j} avoids z_0; None where undecided."""
    found = [separate(z[1:]), separate(_gaps(z))]
    if any(side is not None and not side.separable for side in found):
        return False
    return None if None in found else True


def _gaps(z: Rows) -> Rows:
    return [[a - b for a, b in zip(z[0], row, strict=True)] for row in z[1:]]


def _distance(vectors: Array) -> float:
    return float(np.linalg.norm(nearest(vectors) @ vectors))


def sinks(normed: Tensor) -> Sinks:
    """What the first token of every window can be: (B, T, d), as the attention reads them."""
    floats = normed.detach().to("cpu", torch.float32).double().numpy()
    exact = integers(floats)
    gaps = floats[:, :1] - floats[:, 1:]
    one = _common(_chained([z[1:] for z in exact]), floats[:, 1:].reshape(-1, floats.shape[-1]))
    one = one and _common(_chained([_gaps(z) for z in exact]), gaps.reshape(-1, floats.shape[-1]))
    decided = [True] * len(exact) if one else [_decided(z) for z in exact]
    together = True if one else (False if False in decided else None)
    rho = [(_distance(z[1:]), _distance(gap)) for z, gap in zip(floats, gaps, strict=True)]
    return Sinks(decided.count(True), decided.count(False), together, *map(tuple, zip(*rho, strict=True)))


def _chained(parts: Sequence[Rows]) -> Rows:
    return [row for part in parts for row in part]
