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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any, Literal

import numpy as np
import sympy as sp

from theorems.algebra.asymptotics import expand
from theorems.algebra.ratio import Ratio, total
from theorems.bao2024.softmax import gamma, taylor
from theorems.expressions import symbol
from theorems.law.quadrature import Array, Counts, Probability, Rows, checked, intervals, probability
from theorems.process import KERNELS, Process, random_walk
from theorems.words import Letter, cycle

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
    "matrix_weights",
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

Numbers = Sequence[float] | Array
Kernel2 = tuple[Fraction, Fraction, Fraction]

#: i = theta T, the regime of the limit law.
REGIME = {"i": "theta*T"}


# -- the kernel of (y, x_T)


def _walk(start: str, *positions: str) -> Process:
    if start not in KERNELS:
        raise ValueError(f"start = {start!r}; expected one of {', '.join(sorted(KERNELS))}")
    if KERNELS[start].mean is not None:
        raise ValueError(f"start = {start!r} has a mean that is not 0; the law is derived for centred tokens")
    return random_walk(*positions, start=start)


def _kernel(walk: Process, at: str) -> tuple[Ratio, Ratio, Ratio]:
    own, last = (next(p for p in walk.positions if p.name == name) for name in (at, "T"))
    y, x = gamma(walk, own), walk.token(last)
    return walk.covariance(y, y), walk.covariance(x, x), walk.covariance(y, x)


@cache
def score_kernel(start: str = "sigma") -> tuple[Ratio, Ratio, Ratio]:
    """(a, b, c) = K(y, y), K(x_T, x_T), K(y, x_T) in i and T, for i <= T (independent tokens: i < T)."""
    return _kernel(_walk(start, "i", "T"), "i")


@cache
def _last(start: str) -> tuple[Ratio, Ratio, Ratio]:
    """The kernel at i = T, where a kernel with a jump on the diagonal has values of its own."""
    if KERNELS[start].continuous:
        return score_kernel(start)
    return _kernel(_walk(start, "T"), "T")


@dataclass(frozen=True)
class _Rational:
    """A Ratio in i and T for fast exact values: integer coefficients over ``below`` T^power."""

    terms: tuple[tuple[int, int, int], ...]
    below: int
    power: int

    @staticmethod
    def of(ratio: Ratio) -> _Rational:
        normal = ratio.reduced()
        names = [generator.name for generator in normal.num.ring.symbols]
        if normal.names - {"i", "T"} or normal.den.keys() - {"T"}:
            raise ValueError(f"{ratio} is not a polynomial in i over a power of T")
        rows = []
        for monomial, value in normal.num.terms():
            powers = dict(zip(names, monomial, strict=True))
            rows.append(
                (Fraction(int(value.numerator), int(value.denominator)), powers.get("i", 0), powers.get("T", 0))
            )
        below = math.lcm(*(value.denominator for value, _, _ in rows))
        return _Rational(tuple((int(v * below), i, t) for v, i, t in rows), below, normal.den.get("T", 0))

    def at(self, T: int, i: int) -> Fraction:
        return Fraction(sum(value * i**m * T**n for value, m, n in self.terms), self.below * T**self.power)


@cache
def _compiled(start: str, last: bool) -> tuple[_Rational, _Rational, _Rational]:
    a, b, c = _last(start) if last else score_kernel(start)
    return _Rational.of(a), _Rational.of(b), _Rational.of(c)


@cache
def _offset() -> _Rational:
    return _Rational.of(taylor()["offset"].ratio)


def score_offset(T: int) -> Fraction:
    """gamma_0^i = S(0)_i, exactly."""
    return _offset().at(T, 1)


def kernel_values(T: int, i: int, start: str = "sigma") -> Kernel2:
    """(a, b, c) at one token, exactly; raises ValueError unless 1 <= i <= T."""
    if not 1 <= i <= T:
        raise ValueError(f"i = {i}, T = {T}; expected 1 <= i <= T")
    a, b, c = _compiled(start, i == T)
    return a.at(T, i), b.at(T, i), c.at(T, i)


# -- cumulants


@cache
def cumulant(n: int, start: str = "sigma", symmetric: bool = True) -> Ratio:
    """The n-th cumulant of <gamma^i, omega>, in i, T, lam and the traces (tr1, tr2, ...; words of W and W^T else).

    For any W_QK the cumulant generating function is -log det(I - s (K (x) Sigma) B)/2, B = [[0, W], [W^T, 0]], so
    kappa_n = (n-1)!/2 tr(((K (x) Sigma) B)^n): over the 2^n choices of W or W^T for each letter, the trace of the
    word times the entry of K between each letter's right end and the next one's left end.
    """
    if n < 1:
        raise ValueError(f"n = {n}; expected the order of a cumulant, 1 or more")
    a, b, c = score_kernel(start)
    if symmetric:
        power = total(math.comb(n, 2 * k) * c ** (n - 2 * k) * (a * b) ** k for k in range(n // 2 + 1))
        value = math.factorial(n - 1) * power * Ratio.of(f"tr{n}")
    else:
        entry = ((a, c), (c, b))
        parts = []
        for turns in product((False, True), repeat=n):
            part = Ratio.of(cycle(tuple(Letter("W", turned, False) for turned in turns)).name)
            for one, two in zip(turns, turns[1:] + turns[:1], strict=True):
                # W stands between y (0) and x_T (1), W^T between x_T and y
                part = part * entry[0 if one else 1][1 if two else 0]
            parts.append(part)
        value = total(parts) * Fraction(math.factorial(n - 1), 2)
    return (value / Ratio.of("lam") ** n).reduced()


def _shape(limit: bool, start: str) -> tuple[sp.Expr, sp.Expr]:
    """The expressions of ab and c, at finite T or in the limit."""
    if limit:
        ab, c = limit_kernel(start)
        return ab.expr, c.expr
    a, b, c = score_kernel(start)
    return (a * b).expr, c.expr


def skewness(start: str = "sigma", limit: bool = False) -> sp.Expr:
    """kappa_3/kappa_2^(3/2) of the score for symmetric W_QK, in i and T, or with ``limit`` in theta for T -> infinity.

    2 (c^3 + 3 c ab)/(c^2 + ab)^(3/2) tr3/tr2^(3/2): free of lam, and odd in the spectrum.
    """
    ab, c = _shape(limit, start)
    tr2, tr3 = symbol("tr2"), symbol("tr3")
    spread, third = sp.factor(c**2 + ab), sp.factor(c**3 + 3 * c * ab)
    return 2 * third * tr3 / (spread * tr2) ** sp.Rational(3, 2)


def excess_kurtosis(start: str = "sigma", limit: bool = False) -> sp.Expr:
    """kappa_4/kappa_2^2 of the score for symmetric W_QK, in i and T, or with ``limit`` in theta for T -> infinity.

    6 (c^4 + 6 c^2 ab + (ab)^2)/(c^2 + ab)^2 tr4/tr2^2: never negative.
    """
    ab, c = _shape(limit, start)
    tr2, tr4 = symbol("tr2"), symbol("tr4")
    return 6 * sp.factor((c**4 + 6 * c**2 * ab + ab**2) / (c**2 + ab) ** 2) * tr4 / tr2**2


@cache
def limit_kernel(start: str = "sigma") -> tuple[Ratio, Ratio]:
    """(ab, c) in theta for T -> infinity with i/T -> theta; raises ValueError where they grow without bound.

    b grows and a falls; the law sees the two through ab only. Convergence of ab and c is that of every weight, hence
    of the law for a fixed spectrum (of rho, where the limit law has no mass at 0).
    """
    a, b, c = score_kernel(start)
    found = [expand(value, REGIME) for value in (a * b, c)]
    if any(expansion.grows for expansion in found):
        raise ValueError(f"start = {start!r}: the score has no limit law, its kernel grows with T")
    return found[0].limit, found[1].limit


# -- weights


def _split(ab: Fraction, c: Fraction) -> tuple[float, float]:
    """((c + sqrt(ab))/2, (c - sqrt(ab))/2), the one that would cancel from the product (c^2 - ab)/4."""
    root, middle = math.sqrt(ab), float(c)
    large = middle + math.copysign(root, middle)
    small = float(c * c - ab) / large if large else 0.0
    return (large / 2, small / 2) if large >= 0 else (small / 2, large / 2)


def weights(eigenvalues: Numbers, multiplicities: Counts | None, kernel: Kernel2) -> tuple[Array, Array]:
    """The weights of Q for symmetric W_QK and their multiplicities: w (c + sqrt(ab))/2 for all w, then the others."""
    values, counts = _spectrum(eigenvalues, multiplicities)
    a, b, c = kernel
    plus, minus = _split(a * b, c)
    return np.concatenate([values * plus, values * minus]), np.concatenate([counts, counts])


def _spectrum(eigenvalues: Numbers, multiplicities: Counts | None) -> tuple[Array, Array]:
    values = np.atleast_1d(np.asarray(eigenvalues, dtype=np.float64))
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise ValueError(f"eigenvalues of shape {values.shape}; expected a list of finite numbers")
    counts = np.ones(len(values)) if multiplicities is None else checked(multiplicities, len(values))
    return values, counts


def matrices(W_QK: Any, Sigma: Any) -> tuple[Array, Array]:
    """R^T W_QK R and W_QK, with Sigma = R R^T; ValueError for what is no matrix or no covariance."""
    if np.iscomplexobj(W_QK) or np.iscomplexobj(Sigma):
        raise ValueError("W_QK or Sigma is complex; expected real numbers")
    matrix, sigma = np.asarray(W_QK, dtype=np.float64), np.asarray(Sigma, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape != sigma.shape or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"W_QK of shape {matrix.shape}, Sigma of shape {sigma.shape}; expected two d by d matrices")
    if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(sigma))):
        raise ValueError("W_QK or Sigma has an entry that is not finite; expected real numbers")
    largest = np.max(np.abs(sigma), initial=0.0)
    if not np.allclose(sigma, sigma.T, rtol=0, atol=1e-12 * largest):
        raise ValueError("Sigma is not symmetric; expected a covariance matrix")
    values, vectors = np.linalg.eigh(sigma / 2 + sigma.T / 2)
    if np.any(values < -1e-12 * len(sigma) * largest):
        raise ValueError(f"Sigma has the eigenvalue {values.min():.3g}; expected none below 0")
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        core = root.T @ matrix @ root
    if not np.all(np.isfinite(core)):
        raise ValueError("W_QK Sigma leaves the range of float64; expected entries of moderate size")
    return core, matrix


def spectrum(W_QK: Any, Sigma: Any) -> tuple[Array, Array]:
    """The eigenvalues of W_QK Sigma for symmetric W_QK, increasing, and their multiplicities (equal floats joined).

    Those within d eps of 0, relative to the largest, are rounding and become 0: a matrix of rank one has one other.
    Raises ValueError for a W_QK that is not symmetric: its law is ``rho_matrix``'s.
    """
    core, matrix = matrices(W_QK, Sigma)
    if not is_symmetric(matrix):
        raise ValueError("W_QK is not symmetric; its law does not follow from eigenvalues, use rho_matrix")
    values, counts = np.unique(_eigenvalues(core / 2 + core.T / 2), return_counts=True)
    return values, counts.astype(np.float64)


def _eigenvalues(blocks: Array) -> Array:
    """Of symmetric matrices, with rounding beside the largest put to 0; shape (..., d)."""
    values = np.asarray(np.linalg.eigvalsh(blocks), dtype=np.float64)
    largest = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    real = np.abs(values) > values.shape[-1] * np.finfo(np.float64).eps * largest
    return np.asarray(values * real, dtype=np.float64)


def is_symmetric(matrix: Array) -> bool:
    """Whether a matrix is its transpose, up to rounding."""
    return bool(np.allclose(matrix, matrix.T, rtol=0, atol=1e-14 * np.max(np.abs(matrix), initial=0.0)))


def matrix_weights(W_QK: Any, Sigma: Any, kernel: Kernel2) -> Array:
    """The 2d weights of Q for any W_QK: the eigenvalues of [[c (M + M^T)/2, sqrt(D) M^T/2], [sqrt(D) M/2, 0]]."""
    found: Array = block_weights(matrices(W_QK, Sigma)[0], [kernel])[0]
    return found


def block_weights(core: Array, kernels: Sequence[Kernel2]) -> Array:
    """The weights of Q at each of the kernels, (kernels, 2d), for M = ``core``."""
    d = len(core)
    blocks = np.zeros((len(kernels), 2 * d, 2 * d))
    c = np.array([float(k[2]) for k in kernels])[:, None, None]
    root = np.array([math.sqrt(k[0] * k[1] - k[2] * k[2]) for k in kernels])[:, None, None]
    blocks[:, :d, :d] = c * (core + core.T) / 2
    blocks[:, :d, d:], blocks[:, d:, :d] = root * core.T / 2, root * core / 2
    return _eigenvalues(blocks)


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


def token_kernel(T: int, i: int, start: str) -> Kernel2:
    """(a, b, c) of token i of T."""
    if T < 1:
        raise ValueError(f"T = {T}; expected a number of tokens, 1 or more")
    return kernel_values(T, i, start)


@lru_cache(maxsize=64)
def _tokens(T: int, start: str) -> tuple[Kernel2, ...]:
    if T < 1:
        raise ValueError(f"T = {T}; expected a number of tokens, 1 or more")
    return tuple(kernel_values(T, i, start) for i in range(1, T + 1))


@lru_cache(maxsize=64)
def _pairs(T: int, start: str) -> Array:
    """(c +- sqrt(ab))/2 for every token, shape (T, 2)."""
    return np.array([_split(a * b, c) for a, b, c in _tokens(T, start)])


def window(T: int, lam: float, low: float, high: float) -> tuple[float, float]:
    """The ends for Q: lam (low - 1/T) and lam (high - 1/T), the difference formed exactly."""
    if not (lam > 0 and math.isfinite(lam)):
        raise ValueError(f"lam = {lam}; expected a positive number")
    offset = score_offset(T)
    shifted = [float(Fraction(end) - offset) if math.isfinite(end) else end for end in (low, high)]
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

    ``multiplicities`` are all 1 when None. ``tolerance`` is what discretisation and truncation may add up to.
    """
    values, counts = _spectrum(eigenvalues, multiplicities)
    pairs = _pairs(T, start)
    lo, hi = window(T, lam, low, high)
    alphas = (pairs[:, :, None] * values).reshape(T, -1)
    return Rho.of(intervals(alphas, np.concatenate([counts, counts]), lo, hi, tolerance))


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

    The errors do not count those of the eigenvalues, which LAPACK leaves at a few eps times the largest.
    """
    core, matrix = matrices(W_QK, Sigma)
    if is_symmetric(matrix):
        return rho(T, *spectrum(matrix, Sigma), lam, start, low, high, tolerance)
    lo, hi = window(T, lam, low, high)
    alphas = block_weights(core, _tokens(T, start))
    return Rho.of(intervals(alphas, np.ones(alphas.shape[1]), lo, hi, tolerance))


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
    thetas = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    if not np.all((thetas >= 0) & (thetas <= 1)):
        raise ValueError(f"theta = {thetas.tolist()}; expected relative positions between 0 and 1")
    if not (lam > 0 and math.isfinite(lam)):
        raise ValueError(f"lam = {lam}; expected a positive number")
    values, counts = _spectrum(eigenvalues, multiplicities)
    pairs = [_split(*kernel_limits(Fraction(float(place)), start)) for place in thetas]
    alphas = (np.array(pairs)[:, :, None] * values).reshape(len(thetas), -1)
    return Rho.of(intervals(alphas, np.concatenate([counts, counts]), lam * low, lam * high, tolerance))


def kernel_limits(theta: Fraction, start: str = "sigma") -> tuple[Fraction, Fraction]:
    """(ab, c) of ``limit_kernel`` at a relative position, exactly."""
    ab, c = (sum((k * theta**n for n, k in p.items()), Fraction(0)) for p in _polynomials(start))
    return ab, c


@cache
def _polynomials(start: str) -> tuple[Mapping[int, Fraction], ...]:
    return tuple(_powers(value) for value in limit_kernel(start))


def _powers(value: Ratio) -> Mapping[int, Fraction]:
    found = {}
    for power, coefficient in value.terms("theta").items():
        number = coefficient.reduced().num.get((), 0)
        found[power] = Fraction(int(number.numerator), int(number.denominator)) if number else Fraction(0)
    return found


# -- the Gaussian approximation beside it


def moments(
    T: int, eigenvalues: Numbers, multiplicities: Counts | None = None, lam: float = 1.0, start: str = "sigma"
) -> tuple[Array, Array]:
    """Exact mean and variance of score_i for i = 1 .. T: c tr1/lam + 1/T and (c^2 + ab) tr2/lam^2."""
    values, counts = _spectrum(eigenvalues, multiplicities)
    tr1, tr2 = float(values @ counts), float((values * values) @ counts)
    c = np.array([float(k[2]) for k in _tokens(T, start)])
    spread = np.array([float(k[2] ** 2 + k[0] * k[1]) for k in _tokens(T, start)])
    return c * tr1 / lam + float(score_offset(T)), spread * tr2 / lam**2


def gaussian_rho(mean: float | Array, variance: float | Array, low: float = 0.0, high: float = 1.0) -> Array:
    """P(low <= N(mean, variance) <= high), elementwise; variance 0 is the point mass at the mean, the ends closed."""
    centre, spread = np.broadcast_arrays(np.asarray(mean, dtype=np.float64), np.asarray(variance, dtype=np.float64))
    if np.any(spread < 0) or not low <= high:
        raise ValueError("a variance below 0, or low above high; expected variance >= 0 and low <= high")
    found = [_normal(m, math.sqrt(v), low, high) for m, v in zip(centre.ravel(), spread.ravel(), strict=True)]
    return np.array(found).reshape(centre.shape)


def _normal(mean: float, deviation: float, low: float, high: float) -> float:
    if deviation == 0:
        return float(low <= mean <= high)
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
    values, counts = _spectrum(eigenvalues, multiplicities)
    found = rho(T, values, counts, lam, start)
    centre, spread = moments(T, values, counts, lam, start)
    thetas = [i / T for i in range(1, T + 1)]
    if not isinstance(mean, str):
        centre = np.array([mean(theta) for theta in thetas]) * float(values @ counts) / lam
    if not isinstance(variance, str):
        spread = np.array([variance(theta) for theta in thetas]) * float((values * values) @ counts) / lam**2
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
    values, counts = _spectrum(alphas, multiplicities)
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
