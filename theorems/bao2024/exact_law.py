"""What the exact law of the score says beside the claims about its Gaussian approximation: lines for the report."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from theorems.algebra.expressions import floats
from theorems.bao2024.law import (
    approximation_error,
    distance_bound,
    excess_kurtosis,
    kernel_values,
    rho,
    rho_limit,
    skewness,
    weights,
)
from theorems.kernel.derivation import remark

#: Spectra by name, each for a dimension d: (eigenvalues, multiplicities) with tr(W^2) = 1.
SPECTRA: dict[str, Callable[[int], tuple[list[float], list[int]]]] = {
    "all equal": lambda d: ([d**-0.5], [d]),
    "half +, half -": lambda d: ([d**-0.5, -(d**-0.5)], [d // 2, d // 2]),
    "one eigenvalue": lambda d: ([1.0], [1]),
}
DIMENSIONS = (2, 8, 32, 128)
LENGTHS = (8, 40)


@remark("bao2024.sec4.gaussian-rho")
def error_map(printed_variance: sp.Expr) -> list[str]:
    """max_i |rho_i - Gaussian rho_i| over (d, T, spectrum) at lambda = 1, measured, and a proved bound of it."""
    lines = [
        "error of the Gaussian approximation itself, max over tokens, lambda = 1, tr(W^2) = 1 (computed, not proved):"
    ]
    for name, make in SPECTRA.items():
        for d in DIMENSIONS if name != "one eigenvalue" else (1,):
            eigenvalues, counts = make(d)
            for T in LENGTHS:
                derived = approximation_error(T, eigenvalues, counts)
                printed = approximation_error(
                    T, eigenvalues, counts, variance=lambda theta: float(floats(printed_variance, {"theta": theta}))
                )
                alphas = [weights(eigenvalues, counts, kernel_values(T, i)) for i in range(1, T + 1)]
                bound = max(2 * distance_bound(*one) for one in alphas)
                shown = f"{bound:.3g}" if bound < 1 else "none below 1"
                lines.append(
                    f"d = {d}, T = {T}, {name}: {derived.worst:.4f} (i = {derived.token}) with the derived variance, "
                    f"{printed.worst:.4f} (i = {printed.token}) with the printed one; proved bound with the derived "
                    f"moments: {shown}"
                )
    shape = f"skewness {skewness(limit=True)}, excess kurtosis {excess_kurtosis(limit=True)}"
    lines.append(f"exact law, T -> infinity: {shape}")
    return lines


@remark("bao2024.sec4.lemma2-3")
def not_uniform() -> list[str]:
    """The exact law at tr(W) = 0, where the claim has rho uniform."""
    root = 0.5**0.5
    values = [rho_limit(theta, [root, -root], [1, 1]) for theta in (0.0, 0.25, 0.5, 1.0)]
    shown = ", ".join(f"{float(v.values[0]):.6f}" for v in values)
    return [f"exact law, T -> infinity, tr(W) = 0, d = 2, eta = 1: rho at theta = 0, 1/4, 1/2, 1 is {shown}"]


@remark("bao2024.sec4.lemma2-4")
def one_token() -> list[str]:
    """T = 1, where gamma^1 vanishes."""
    found = rho(1, [1e6], [1])
    far = [rho(2, [10.0**k, -(10.0**k)], [1, 1]).values.max() for k in (1, 2, 3)]
    shown = ", ".join(f"{value:.2e}" for value in far)
    return [
        f"exact law, T = 1: the score is 1 and rho = {float(found.values[0]):g} for every eta, so T >= 2 is needed",
        f"exact law, T = 2, eigenvalues +-10^k, k = 1, 2, 3: the largest rho_i is {shown}",
    ]
