"""Walks whose W = W_QK Sigma has few distinct eigenvalues, at a cost that does not grow with the dimension.

W_QK is symmetric. With R R = Sigma, the numbers x_a^T W_QK x_b are forms in the steps z_t ~ N(0, I) under R W_QK R,
symmetric too, with the eigenvalues of W_QK Sigma. Rotated into its eigenspaces, they depend on the steps through one
Gram matrix of inner products an eigenspace, Wishart with as many degrees of freedom as the eigenvalue's multiplicity. A
``spectrum`` is a sequence of pairs (eigenvalue, multiplicity), whose multiplicities add up to the dimension d.

All draws are float64, from the given generator alone, on its device.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from montecarlo.cases import STARTS
from montecarlo.draws import normals

Spectrum = Sequence[tuple[float, int]]


def chi_square(generator: torch.Generator, n: int, degrees: Tensor) -> Tensor:
    """Independent chi-square numbers, (n, k), for k degrees of freedom > 0: twice Gamma(degrees / 2) numbers."""
    return 2 * torch._standard_gamma((degrees / 2).expand(n, len(degrees)), generator=generator)


def combined_scores(
    generator: torch.Generator, n: int, spectrum: Spectrum, coefficients: Tensor, start: str = "sigma"
) -> Tensor:
    """sum_a coefficients[k, a] x_a^T W_QK x_T for each row k of coefficients (K, T), of n walks: (n, K).

    Exact in distribution, as is every step of the way. Only the row sums G 1 of the Gram matrices are needed, that is
    z_s . S with S the sum of the T steps. In an eigenspace of multiplicity m, |S|^2 = T c^2 with c^2 chi-square of
    m degrees of freedom. The steps' deviations from their mean S / T are independent of S, so along the
    direction of S, wherever it points, they are T standard normals g_s less their mean: z_s . S = c^2 +
    sqrt(T) c (g_s - mean g). Given the lengths c, the sum over the eigenspaces of w c g_s is one normal number with
    the standard deviation sqrt(sum of w^2 c^2), so a single g_s is drawn for all of them: min(K, T) normals a walk,
    whatever T. By tokens cumulated from the last, the coefficients become weights of the steps, and of the normals g
    only what lies along the K centred rows of weights counts, standard normal in an orthonormal basis of theirs.

    ``start`` is that of ``Walks``; at ``zero`` the first step is none, and x_1 = 0. Raises ValueError for a count below
    1, an eigenvalue that is not finite, an empty spectrum, an unknown start, and coefficients that are no (K, T)
    matrix of finite numbers.
    """
    if coefficients.ndim != 2 or not coefficients.numel() or not torch.isfinite(coefficients).all():
        raise ValueError(f"coefficients has shape {tuple(coefficients.shape)}; expected (K, T) finite numbers")
    rows, T = coefficients.shape
    values, multiplicities, steps = _checked(n, spectrum, T, start)
    if not steps:
        return torch.zeros(n, rows, dtype=torch.float64, device=generator.device)
    weights = coefficients.to(generator.device, torch.float64).flip(1).cumsum(1).flip(1)[:, T - steps :]
    # a row of weights less its mean is orthogonal to 1, so that centring the normals changes nothing
    basis = torch.linalg.qr((weights - weights.mean(1, keepdim=True)).T, mode="r").R
    level, spread = lengths(generator, n, values, multiplicities)
    along: Tensor = normals(generator, n, len(basis)) @ basis
    return level * weights.sum(1) + math.sqrt(steps) * spread * along


def lengths(
    generator: torch.Generator, n: int, values: list[float], multiplicities: list[int]
) -> tuple[Tensor, Tensor]:
    """sum of w c^2 and sqrt(sum of w^2 c^2), both (n, 1), with c^2 chi-square of the multiplicity of w."""
    w = torch.tensor(values, dtype=torch.float64, device=generator.device)
    squares = chi_square(generator, n, torch.tensor(multiplicities, dtype=torch.float64, device=generator.device))
    # scaled by the largest, so that w^2 neither overflows nor vanishes
    scale = float(w.abs().max()) if values else 1.0
    spread = scale * (squares @ (w / scale) ** 2).sqrt()
    return (squares @ w)[:, None], spread[:, None]


def _at_least_one(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} = {value!r}; expected an integer >= 1")


def _checked(n: int, spectrum: Spectrum, T: int, start: str) -> tuple[list[float], list[int], int]:
    """The eigenvalues other than 0, their multiplicities, and the number of steps that are not 0."""
    _at_least_one("n", n)
    _at_least_one("T", T)
    if start not in STARTS:
        raise ValueError(f"start = {start!r}; expected one of {', '.join(STARTS)}")
    if not len(spectrum):
        raise ValueError("spectrum is empty; expected pairs (eigenvalue, multiplicity), e.g. [(1.0, 128)]")
    for place, (value, multiplicity) in enumerate(spectrum):
        if not math.isfinite(value):
            raise ValueError(f"spectrum[{place}] has the eigenvalue {value}; expected a finite number")
        _at_least_one(f"multiplicity in spectrum[{place}]", multiplicity)
    kept = [(float(value), multiplicity) for value, multiplicity in spectrum if value != 0]
    return [value for value, _ in kept], [count for _, count in kept], T if start == "sigma" else T - 1
