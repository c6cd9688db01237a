"""Heads on the map of signs: drawn at random, their regions as derived, and what averaging does to their outputs.

Cases as in ``smoothing_curves``; all results are of JSON's own types.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from torch import Tensor, zeros_like

from montecarlo.threads import one_torch_thread
from proofs_check.report.curves.points import generator, mean_interval, normal_interval
from proofs_check.report.curves.smoothing import (
    ENDS,
    LEVEL,
    RAYS,
    Raw,
    energies,
    exact,
    holds,
    levels_of,
    outputs,
    plane,
    region,
    sampled,
    second_moments,
)
from theorems.gaussian.numeric import Case


def cosines(Y: Tensor) -> Tensor:
    """The average cosine over the pairs of each set, (n, k, d) -> (n,); ValueError where some Y_i is zero."""
    norms = Y.norm(dim=2, keepdim=True)
    if bool((norms == 0).any()):
        raise ValueError("some Y_i is zero, so that no cosine is defined; choose another law or head")
    return energies(Y / norms)[1]


def random_case(kind: str, law: str, seed: int, index: int) -> dict[str, Any]:
    """A head and a law drawn from the seed, entries multiples of 1/64; ``kind`` says what W looks like.

    ``dense``: independent normal entries. ``scaled``: a multiple of I, disturbed. ``low rank``: a product of two thin
    factors. ``turning``: antisymmetric, disturbed.
    """
    random = np.random.default_rng([seed, index])
    d, k = int(random.choice([2, 4, 6])), int(random.choice([2, 4, 8]))
    noise = random.standard_normal((d, d)) / d**0.5
    size = float(random.uniform(0.2, 1.4))
    if kind == "dense":
        W = size * noise
    elif kind == "scaled":
        W = float(random.uniform(-1.9, 1.2)) * np.eye(d) + 0.3 * size * noise
    elif kind == "low rank":
        W = float(random.uniform(-1.5, 1.2)) * _thin(random, d) + 0.2 * noise
    elif kind == "turning":
        W = size * (noise - noise.T) + float(random.uniform(-0.6, 0.6)) * np.eye(d)
    else:
        raise ValueError(f"kind = {kind!r}; expected one of {', '.join(KINDS)}")
    L = np.diag(random.uniform(0.2, 1.2, d)) + 0.3 * random.standard_normal((d, d)) / d**0.5
    m = float(random.choice([0.25, 0.5, 1.5])) * random.standard_normal(d) * (law != RAYS)
    return {"k": k, "beta": "1", "W": _texts(W), "L": _texts(L), "m": _texts([m])[0], "law": law}


#: Kinds of W that heads of the map are drawn from.
KINDS = ("dense", "scaled", "low rank", "turning")


def _thin(random: np.random.Generator, d: int) -> Any:
    """A product of two factors of rank d/2 that are near each other's transpose."""
    left = random.standard_normal((d, d // 2))
    right = left + 0.5 * random.standard_normal((d, d // 2))
    return left @ right.T / d


def _texts(rows: Any) -> list[list[str]]:
    return [[str(Fraction(round(64 * float(entry)), 64)) for entry in row] for row in rows]


def head(case: Raw, *, n: int, failure: float, seed: int) -> dict[str, Any]:
    """A head on the map: its place in units of beta^2 tr B, its region, and what averaging does to the cosine and to R.

    Both changes are simulated, with the same tokens at both ends, and have intervals; the change of R is derived, too.
    A change is ``wrong`` where it is significantly against the region, ``wrong ends`` against the sign of R(1) - R(0).
    """
    at, beta = Case(case), float(Fraction(case["beta"]))
    A, B = (moments.astype(float) for moments in second_moments(case))
    size = float(np.trace(B)) * beta**2
    x, y = plane(at)
    D, N = levels_of(A, B, exact(case["W"]).astype(float), beta, int(case["k"]))
    start, end = (float((N / D).xreplace({LEVEL: sp.Float(level)})) for level in (0, 1))
    with one_torch_thread():
        z = sampled(case, n, generator(seed, "sign_map", dict(case)))
        first, last = (outputs(case, z, level) for level in (0.0, 1.0))
        turned = mean_interval(cosines(last) - cosines(first), failure)
        change = _difference(energies(last), energies(first), failure)
    side, ends = region(at), "rises" if holds(ENDS, "R(1) > R(0)", at) else "falls"
    changes = {"cosine": turned, "ratio": change}
    return {
        "x": x / size,
        "y": y / size,
        "region": side,
        "ends": ends,
        "derived": end - start,
        **changes,
        "wrong": {name: against(side, found) for name, found in changes.items()},
        "wrong ends": {name: against(ends, found) for name, found in changes.items()},
    }


def _difference(last: tuple[Tensor, Tensor], first: tuple[Tensor, Tensor], failure: float) -> dict[str, float]:
    """N/D at the last level less N/D at the first one, by the delta method for means over the same sets of tokens."""
    value, parts = 0.0, zeros_like(last[0])
    for sign, (D, N) in ((1, last), (-1, first)):
        ratio = float(N.mean() / D.mean())
        value += sign * ratio
        parts += sign * (N - ratio * D) / D.mean()
    return normal_interval(value, float(parts.std()) / len(parts) ** 0.5, failure)


def against(sign: str, change: Mapping[str, float]) -> bool:
    """Whether a change is significantly of the other sign than "rises" or "falls"; other words say nothing."""
    return (sign == "rises" and change["high"] < 0) or (sign == "falls" and change["low"] > 0)
