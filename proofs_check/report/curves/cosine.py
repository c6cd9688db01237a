"""The average cosine similarity beside the ratio R of expectations, over the dimension, and the bound between them.

All results are of JSON's own types.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy as sp
import torch
from scipy import integrate

from montecarlo.lampert2026 import cosine
from montecarlo.separability import Array
from montecarlo.threads import one_torch_thread
from proofs_check.report.curves.points import columns, derived, generator, normal_interval
from proofs_check.report.curves.smoothing import LEVEL, MIXED, levels_of
from theorems.algebra.expressions import symbol
from theorems.kernel.derivation import Inequality

COSINE = "lampert2026.sec5.cosine-approximation"
#: E s^2 of the laws of ``cosine.draw``.
SQUARES = {"gaussian": 1.0, "student": cosine.FREEDOM / (cosine.FREEDOM - 2), "mixture": MIXED}


def constant() -> float:
    """c of the proved bound |E cos - R| <= c E|1 - r^2|."""
    found = derived(COSINE).quantities[""]
    if not isinstance(found, Inequality):
        raise TypeError(f"{COSINE} is derived as {type(found).__name__}; expected an inequality")
    return float(found.upper.coeff(symbol("spread")))


def mixture() -> dict[str, float]:
    """The size of a mixture's large tokens, and their share."""
    return {"size": cosine.SIZE, "share": cosine.SHARE}


def drawn_moments(law: str, d: int) -> tuple[Array, Array]:
    """A and B of the laws of ``cosine.draw`` with a mean of length 1, (d, d) each in float64."""
    first = np.zeros((d, d))
    first[0, 0] = 1.0
    if law in SQUARES:
        B = np.eye(d) * SQUARES[law] / d
        return first + B, B
    if law != "sphere":
        raise ValueError(f"law = {law!r}; expected one of {', '.join(cosine.LAWS)}")
    mean, square = on_sphere(d)
    rest = (1 - square) / (d - 1) if d > 1 else 0.0
    A = np.eye(d) * rest + first * (square - rest)
    return A, A - first * mean**2


def on_sphere(d: int) -> tuple[float, float]:
    """E[x_1/|x|] and E[x_1^2/|x|^2] for x ~ N(e_1, I/d), by quadrature.

    With 1/|x|^2 = int exp(-t |x|^2) dt and 1/|x| = 2/sqrt(pi) int exp(-u^2 |x|^2) du, both over the positive numbers,
    the expectation inside is a product over the coordinates; q = 1 + 2 t/d.
    """

    def inside(t: float) -> tuple[float, float]:
        q = 1 + 2 * t / d
        return q, float(np.exp(-t / q) * q ** (-d / 2))

    def first(u: float) -> float:
        q, size = inside(u * u)
        return size / q

    def second(t: float) -> float:
        q, size = inside(t)
        return size * (1 / (d * q) + 1 / q**2)

    mean, _ = integrate.quad(first, 0, np.inf)
    square, _ = integrate.quad(second, 0, np.inf)
    return 2 / np.pi**0.5 * mean, square


def cosine_lines(
    law: str, dimensions: Sequence[int], *, k: int, n: int, failure: float, seed: int
) -> dict[str, dict[str, list[float]]]:
    """Over d, by what is looked at: the simulated average cosine, R as derived, and the bound of their distance.

    ``X``: the tokens; ``local``: X + W Z, the head at l = 0; ``averaged``: the head at l = 1. beta = 1, and
    W = I/2 + e_1 e_1^T. The bound is c times the spread E|1 - r^2| as simulated.
    """
    found: dict[str, list[dict[str, float]]] = {"X": [], "local": [], "averaged": []}
    for d in dimensions:
        W = torch.eye(d, dtype=torch.float64) / 2
        W[0, 0] += 1
        none = torch.zeros_like(W)
        random = generator(seed, "cosine_ratio", [law, d, k])
        with one_torch_thread():
            points = cosine.simulate(random, n, law, k, d, W=none, lams=(0.0,))
            points += cosine.simulate(random, n, law, k, d, W=W)
        A, B = drawn_moments(law, d)
        for name, matrix, one in zip(found, (none, W, W), points, strict=True):
            D, N = levels_of(A, B, matrix.numpy(), 1.0, k)
            ratio = float((N / D).xreplace({LEVEL: sp.Float(one.lam)}))
            point = normal_interval(one.cosine, one.error, failure)
            found[name].append({**point, "ratio": ratio, "bound": constant() * one.spread})
    return {name: columns(held) for name, held in found.items()}
