"""Independent tokens that are not Gaussian, made of whitened normals, and the kurtosis of polynomials in them.

A polynomial f of degree q has E f^4 <= K (E f^2)^2 with

signs, sphere   K = 9^q (hypercontractivity of the cube and of the sphere, as for Gaussians)
mixture(p, c)   K = 9^q min(l^-N, (9/l)^q) for N tokens and l = min(p, 1 - p): given the scales f is Gaussian, and
                E_g f^2 is a sum of squares of polynomials in scales that take two values
student(nu)     K = 9^q min(prod_t C(q_t), max(16, 3 max_t C(q_t))^q) for its degree q_t in each token: C(q) is the
                largest E r^4/(E r^2)^2 of even or odd polynomials r(s) of degree <= q in the scale
                s = (nu/chi^2_nu)^(1/2). With w = s^2 and an orthonormal basis e_k, r^2 <= sum a_k^2 sum e_k^2, hence
                C <= E (sum_k e_k^2)^2: rational in nu, and infinite unless nu > 4 q. The second: for E g = 0,
                E g^4 <= C (E g^2)^2 and r = min(1/2, (3C)^(-1/4)), E (a + r g)^4 <= a^4 + 8 a^2 r^2 E g^2 + 3 r^4 E g^4
                <= (E (a + g)^2)^2; the maps a + g -> a + r g of single tokens multiply (Minkowski), while at most q
                tokens meet in a monomial
isotropic       that of a mixture with p = 1/2: given the lengths, which take two values, f is one of uniform directions
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from montecarlo.statements.arrays import Array, Generator, double, library

KINDS = ("iid-signs", "iid-sphere", "iid-student", "iid-mixture", "iid-isotropic")
#: Those whose whitened tokens have the length sqrt(d), always, and those where it is that times one of two numbers.
BOUNDED = ("iid-signs", "iid-sphere", "frame-sphere")
ISOTROPIC = ("iid-isotropic", "frame-isotropic")
Rows = list[list[Fraction]]


def whitened(kind: str, given: Sequence[float], z: Array, generator: Generator) -> Array:
    """The whitened tokens (places, d, n) of standard normals z of that shape."""
    if kind == "iid-signs":
        return 2 * double(z >= 0) - 1
    if kind in ("iid-sphere", "iid-isotropic"):
        own = library(z)
        uniform = z * (math.sqrt(z.shape[1]) / own.sqrt(own.einsum("kdn,kdn->kn", z, z)))[:, None]
        return uniform if kind == "iid-sphere" else uniform * lengths(given, z, generator)
    shape = (z.shape[0], 1, z.shape[2])
    if kind == "iid-student":
        # chi^2_nu = 2 Gamma(nu/2)
        return z * (given[0] / 2 / _gamma(given[0] / 2, shape, z, generator)) ** 0.5
    p, c = given
    chosen = double(_uniform(shape, z, generator) < p)
    return z * (chosen * math.sqrt(c) + (1 - chosen))


def lengths(given: Sequence[float], z: Array, generator: Generator) -> Array:
    """One of two lengths for every token of (places, d, n), with probability 1/2 each, (places, 1, n)."""
    chosen = double(_uniform((z.shape[0], 1, z.shape[2]), z, generator) < 0.5)
    return chosen * abs(given[0]) + (1 - chosen) * abs(given[1])


def _gamma(half: float, shape: tuple[int, ...], z: Array, generator: Generator) -> Array:
    if isinstance(generator, np.random.Generator):
        return generator.standard_gamma(half, shape)
    import torch

    return torch._standard_gamma(torch.full(shape, half, dtype=torch.float64, device=z.device), generator=generator)


def _uniform(shape: tuple[int, ...], z: Array, generator: Generator) -> Array:
    if isinstance(generator, np.random.Generator):
        return generator.random(shape)
    import torch

    return torch.rand(shape, dtype=torch.float64, device=z.device, generator=generator)


def kurtosis(kind: str, given: Sequence[Fraction], degree: int, degrees: Mapping[int, int]) -> float:
    """K for a polynomial of a degree in all, and of these degrees in each of its tokens (walks told apart)."""
    base = 9.0**degree
    if kind == "iid-student":
        found = [_student(given[0], q) for q in degrees.values()]
        return base * min(math.prod(found), max(16.0, 3 * max(found, default=1.0)) ** degree)
    if kind in ("iid-mixture", "iid-isotropic"):
        least = min(given[0], 1 - given[0]) if kind == "iid-mixture" else Fraction(1, 2)
        if least > 0:
            return base * min(float(1 / least) ** len(degrees), float(9 / least) ** degree)
    return base


def kurtosis_of_power(d: int, j: float) -> float:
    """E (r^j - E r^j)^4/Var(r^j)^2 for the length r of a Gaussian vector in R^d: r^2 is Gamma(d/2), up to its scale."""
    raw = [math.exp(math.lgamma((d + k * j) / 2) - math.lgamma(d / 2)) for k in range(5)]
    variance = raw[2] - raw[1] ** 2
    if 2.0**-50 * (1 + math.lgamma(d / 2 + 2 * j)) > 1e-6 * (variance / raw[2]) ** 2:
        # too many digits are lost
        return math.inf
    return (raw[4] - 4 * raw[3] * raw[1] + 6 * raw[2] * raw[1] ** 2 - 3 * raw[1] ** 4) / variance**2


def _student(nu: Fraction, degree: int) -> float:
    """A bound of E r^4/(E r^2)^2 for polynomials r of a degree in the scale, even or odd."""
    return max(_constant(nu, 0, degree // 2), _constant(nu, 1, (degree - 1) // 2) if degree else 0.0)


def _constant(nu: Fraction, odd: int, degree: int) -> float:
    """E (sum e_k(w)^2)^2 for e_k orthonormal under w^odd, of a degree in w; both squares weighted by w^odd."""
    if nu <= 2 * (2 * odd + 4 * degree):
        return math.inf

    def moment(k: int) -> Fraction:
        """E w^k of w = nu/chi^2_nu."""
        return math.prod((nu / (nu - 2 * j) for j in range(1, k + 1)), start=Fraction(1))

    size = range(degree + 1)
    inverse = _inverted([[moment(a + b + odd) for b in size] for a in size])
    total = sum(
        inverse[a][b] * inverse[c][d] * moment(a + b + c + d + 2 * odd)
        for a, b, c, d in itertools.product(size, repeat=4)
    )
    return float(total)


def _inverted(rows: Rows) -> Rows:
    """The inverse of a positive definite matrix, exactly."""
    n = len(rows)
    work = [[*row, *(Fraction(int(r == c)) for c in range(n))] for r, row in enumerate(rows)]
    for k in range(n):
        work[k] = [value / work[k][k] for value in work[k]]
        for r in range(n):
            if r != k:
                work[r] = [value - work[r][k] * head for value, head in zip(work[r], work[k], strict=True)]
    return [row[n:] for row in work]
