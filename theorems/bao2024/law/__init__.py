"""The exact law of the linearised score <gamma^i, omega> + gamma_0^i of bao2024 (Definition 1), and rho_i from it.

With omega = X^T W_QK x_T / lam the score is Q/lam + 1/T, Q = y^T W_QK x_T, y = sum_a gamma^i_a x_a. The tokens are
centred Gaussians with covariance K(s, t) Sigma, so (y, x_T) is Gaussian with covariance K (x) Sigma, K the 2 by 2
matrix [[a, c], [c, b]], a = K(y, y), b = K(x_T, x_T), c = K(y, x_T): rational in i and T.

Take Sigma = R R^T and M = R^T W_QK R. With independent standard normal vectors g, h and D = ab - c^2,

    x_T = sqrt(b) R g,  y = (c/sqrt(b)) R g + sqrt(D/b) R h,   so   Q = c g^T M g + sqrt(D) h^T M g.

So Q is the quadratic form of the symmetric 2d by 2d matrix [[c (M + M^T)/2, sqrt(D) M^T/2], [sqrt(D) M/2, 0]], and
its eigenvalues are the weights of independent chi^2_1. For symmetric W_QK diagonalise M: an eigenvalue w (of M, and
of W = W_QK Sigma up to zeros) leaves the block w [[c, sqrt(D)/2], [sqrt(D)/2, 0]], whose eigenvalues have the sum
w c and the product -w^2 D/4: they are w (c +- sqrt(ab))/2. Since |c| <= sqrt(ab), the two have opposite signs.

The cumulants of sum_j alpha_j chi^2_1 are 2^(n-1) (n-1)! sum_j alpha_j^n, hence for symmetric W_QK

    kappa_n = (n-1)! (tr_n/lam^n) sum_{k <= n/2} binomial(n, 2k) c^(n-2k) (ab)^k,   tr_n = tr((W_QK Sigma)^n).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from theorems.bao2024.law.arguments import Counts, real, reals
from theorems.bao2024.law.kernels import (
    cumulant,
    excess_kurtosis,
    kernel_limits,
    kernel_values,
    limit_kernel,
    score_kernel,
    score_offset,
    skewness,
    token_kernels,
)
from theorems.bao2024.law.quadrature import Probability, Rows, intervals, probability
from theorems.bao2024.law.spectra import (
    Numbers,
    block_weights,
    counted,
    halves,
    is_symmetric,
    matrices,
    scaled,
    spectrum,
    weights,
)
from theorems.bao2024.law.transform import Array

__all__ = [
    "Approximation",
    "Probability",
    "Rho",
    "approximation_error",
    "cumulant",
    "distance_bound",
    "excess_kurtosis",
    "gaussian_rho",
    "kernel_limits",
    "kernel_values",
    "limit_kernel",
    "moments",
    "probability",
    "rho",
    "rho_limit",
    "rho_matrix",
    "score_kernel",
    "score_offset",
    "skewness",
    "spectrum",
    "weights",
]


# -- rho


@dataclass(frozen=True)
class Rho:
    """Signal propagation probabilities: values and absolute error bounds, one for each token (or theta)."""

    values: Array
    errors: Array
    methods: tuple[str, ...] = ()

    @staticmethod
    def of(rows: Rows) -> Rho:
        return Rho(rows.values, rows.errors, rows.methods)


@lru_cache(maxsize=64)
def _pairs(T: int, start: str) -> Array:
    """(c +- sqrt(ab))/2 for every token, shape (T, 2)."""
    return np.array([halves(a * b, c) for a, b, c in token_kernels(T, start)])


def window(T: int, lam: float, low: float, high: float) -> tuple[float, float]:
    """The ends for Q: lam (low - 1/T) and lam (high - 1/T), the difference formed exactly."""
    offset = score_offset(T)
    ends = [real("low", low), real("high", high)]
    shifted = [float(Fraction(end) - offset) if math.isfinite(end) else end for end in ends]
    return lam * shifted[0], lam * shifted[1]


def rho(
    T: int,
    eigenvalues: Numbers,
    multiplicities: Counts | None = None,
    lam: float = 1.0,
    start: str = "sigma",
    low: float = 0.0,
    high: float = 1.0,
    tolerance: float = 1e-12,
) -> Rho:
    """rho_i = P(low <= score_i <= high) for i = 1 .. T and symmetric W_QK, from the eigenvalues of W_QK Sigma.

    ``multiplicities`` are all 1 when None. ``tolerance`` is what discretisation and truncation may add up to. The time
    grows like T, little with the number of eigenvalues: 0.2 to 7 s on one core for T = 10,000 and 512 of them, the more
    the heavier a few are.
    """
    values, counts = counted(eigenvalues, multiplicities)
    values, lam = scaled(values, lam)
    lo, hi = window(T, lam, low, high)
    return Rho.of(intervals(values, counts, lo, hi, tolerance, _pairs(T, start)))


def rho_matrix(
    T: int,
    W_QK: Any,
    Sigma: Any,
    lam: float = 1.0,
    start: str = "sigma",
    low: float = 0.0,
    high: float = 1.0,
    tolerance: float = 1e-12,
) -> Rho:
    """rho_i for every token from the matrices; W_QK need not be symmetric, Sigma may be singular.

    The errors do not count those of the eigenvalues, which LAPACK leaves at a few eps times the largest. A symmetric
    W_QK takes the time of ``rho``; any other the eigenvalues of a 2d by 2d matrix a token, 0.1 s each at d = 512.
    """
    core, matrix = matrices(W_QK, Sigma)
    if is_symmetric(matrix):
        return rho(T, *spectrum(matrix, Sigma), lam, start, low, high, tolerance)
    core, lam = scaled(core, lam)
    lo, hi = window(T, 1.0, low, high)
    alphas, lam = scaled(block_weights(core, token_kernels(T, start)), lam)
    return Rho.of(intervals(alphas, np.ones(alphas.shape[1]), lam * lo, lam * hi, tolerance))


def rho_limit(
    theta: float | Numbers,
    eigenvalues: Numbers,
    multiplicities: Counts | None = None,
    lam: float = 1.0,
    start: str = "sigma",
    low: float = 0.0,
    high: float = 1.0,
    tolerance: float = 1e-12,
) -> Rho:
    """P(low <= score <= high) in the limit law, T -> infinity with i/T -> theta: the score is Q/lam; shape of theta."""
    thetas, low, high = np.atleast_1d(reals("theta", theta)), real("low", low), real("high", high)
    if not np.all((thetas >= 0) & (thetas <= 1)):
        raise ValueError(f"theta = {thetas.tolist()}; expected relative positions between 0 and 1")
    values, counts = counted(eigenvalues, multiplicities)
    values, lam = scaled(values, lam)
    pairs = np.array([halves(*kernel_limits(Fraction(float(place)), start)) for place in thetas])
    return Rho.of(intervals(values, counts, lam * low, lam * high, tolerance, pairs))


# -- the Gaussian approximation beside it


def moments(
    T: int, eigenvalues: Numbers, multiplicities: Counts | None = None, lam: float = 1.0, start: str = "sigma"
) -> tuple[Array, Array]:
    """Exact mean and variance of score_i for i = 1 .. T: c tr1/lam + 1/T and (c^2 + ab) tr2/lam^2.

    Raises ValueError where tr1/lam or tr2/lam^2 leaves the range of floating point.
    """
    values, counts = counted(eigenvalues, multiplicities)
    values, lam = scaled(values, lam)
    with np.errstate(over="ignore", invalid="ignore"):
        values = values / lam
        tr1, tr2 = float(values @ counts), float((values * values) @ counts)
    if not (math.isfinite(tr1) and math.isfinite(tr2)):
        raise ValueError(f"tr(W_QK Sigma)/lam = {tr1:g}, its square's {tr2:g}; expected eigenvalues of moderate size")
    c = np.array([float(k[2]) for k in token_kernels(T, start)])
    spread = np.array([float(k[2] ** 2 + k[0] * k[1]) for k in token_kernels(T, start)])
    return c * tr1 + float(score_offset(T)), spread * tr2


def gaussian_rho(mean: float | Array, variance: float | Array, low: float = 0.0, high: float = 1.0) -> Array:
    """P(low <= N(mean, variance) <= high), elementwise; variance 0 is the point mass at the mean, the ends closed."""
    centre, spread = np.broadcast_arrays(reals("mean", mean), reals("variance", variance))
    low, high = real("low", low), real("high", high)
    if np.any(spread < 0) or not low <= high:
        raise ValueError("a variance below 0, or low above high; expected variance >= 0 and low <= high")
    found = [_normal(m, math.sqrt(v), low, high) for m, v in zip(centre.ravel(), spread.ravel(), strict=True)]
    return np.array(found).reshape(centre.shape)


def _normal(mean: float, deviation: float, low: float, high: float) -> float:
    if deviation == 0:
        return float(low <= mean <= high)
    with np.errstate(over="ignore"):
        z = (low - mean) / deviation / math.sqrt(2), (high - mean) / deviation / math.sqrt(2)
    # both ends on one side: the difference of the small tails, not of numbers near 1
    if z[0] > 0:
        return (math.erfc(z[0]) - math.erfc(z[1])) / 2
    if z[1] < 0:
        return (math.erfc(-z[1]) - math.erfc(-z[0])) / 2
    return (math.erf(z[1]) - math.erf(z[0])) / 2


@dataclass(frozen=True)
class Approximation:
    """max_i |exact - Gaussian| and the token i (from 1) where it is, with both probabilities for every token."""

    worst: float
    token: int
    error: float
    exact: Array
    gaussian: Array


def approximation_error(
    T: int,
    eigenvalues: Numbers,
    multiplicities: Counts | None = None,
    lam: float = 1.0,
    variance: Literal["derived"] | Callable[[float], float] = "derived",
    mean: Literal["derived"] | Callable[[float], float] = "derived",
    start: str = "sigma",
) -> Approximation:
    """max_i |rho_i - P(0 <= N(mean_i, variance_i) <= 1)|; ``error`` bounds the numerical error of ``worst``.

    A function given for ``mean`` is called with theta = i/T and stands for the factor of tr(W)/lam, one given for
    ``variance`` for the factor of tr(W^2)/lam^2; "derived" takes the exact moments at finite T.
    """
    values, counts = counted(eigenvalues, multiplicities)
    found = rho(T, values, counts, lam, start)
    centre, spread = moments(T, values, counts, lam, start)
    thetas = [i / T for i in range(1, T + 1)]
    if not isinstance(mean, str):
        centre = reals("mean", [mean(theta) for theta in thetas]) * float(values @ counts) / lam
    if not isinstance(variance, str):
        spread = reals("variance", [variance(theta) for theta in thetas]) * float((values * values) @ counts) / lam**2
    normal = gaussian_rho(centre, spread)
    gaps = np.abs(found.values - normal)
    at = int(np.argmax(gaps))
    return Approximation(float(gaps[at]), at + 1, float(np.max(found.errors)), found.values, normal)


def distance_bound(alphas: Numbers, multiplicities: Counts | None = None) -> float:
    """A proved bound of sup_x |P(Q <= x) - P(N <= x)|, N normal with Q's mean and variance; an interval's is twice it.

    Let Q be centred with variance 1, sum 2 m beta^2 = 1; L = sum m |beta|^3, e = max |beta|, g(t) = exp(-t^2/2).

    1. sup |F - G| <= (1/pi) int_0^inf |f - g|/t dt for the characteristic functions f, g: Gil-Pelaez' inversion
       formula for both, subtracted.
    2. log f(t) = -sum m (log(1 - 2 i beta t) + 2 i beta t)/2. For real z the third derivative of log(1 - i z) is at
       most 2 in modulus, so |log(1 - i z) + i z - z^2/2| <= |z|^3/3, and |log f + t^2/2| <= (4/3) L t^3.
    3. |f| = prod (1 + 4 beta^2 t^2)^(-m/4) >= g, as log(1 + x) <= x. And |e^A - e^B| <= |A - B| max(|e^A|, |e^B|),
       so |f - g| <= (4/3) L t^3 |f|.
    4. log(1 + x)/x falls, so |f| <= (1 + 4 e^2 t^2)^(-p) with p = 1/(8 e^2).
    5. sup |F - G| <= (4 L/(3 pi)) int_0^inf t^2 (1 + 4 e^2 t^2)^(-p) dt = L B(3/2, p - 3/2)/(12 pi e^3) for p > 3/2,
       that is e^2 < 1/12. Otherwise the bound is 1.

    For e -> 0 the integral tends to sqrt(pi/2) and the bound to (4/(3 sqrt(2 pi))) L. For weights of one sign this is
    |skewness|/(6 sqrt(2 pi)), skewness 8 L: the first Edgeworth term at the mean, so the constant cannot be improved.
    """
    values, counts = counted(alphas, multiplicities)
    top = float(np.max(np.abs(values) * (counts > 0), initial=0.0))
    if top == 0:
        raise ValueError("every weight is 0; a point mass has no normal beside it")
    size = np.abs(values) / top
    spread = math.sqrt(2 * float(size**2 @ counts))
    third = float(size**3 @ counts) / spread**3
    # the integral grows with e, so a larger e is safe; it keeps the gamma functions accurate
    e = max(1 / spread, 1e-3)
    p = 1 / (8 * e * e)
    if p <= 1.5 + 1e-9:
        return 1.0
    beta = math.exp(math.lgamma(1.5) + math.lgamma(p - 1.5) - math.lgamma(p))
    return min(1.0, third * beta / (12 * math.pi * e**3) * (1 + 1e-8))
