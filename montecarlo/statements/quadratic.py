"""The exact kurtosis of the raw numbers of a quadratic form, so that intervals of its higher moments are not too wide.

A polynomial of degree 2 in the tokens is f = c + b^T z + z^T A z in the normals z that make them. Its cumulants are
kappa_r = 2^(r-1) (r-1)! (tr A^r + (r/4) b^T A^(r-2) b) for r >= 2. A difference f - f' of two walks has the cumulants
(1 + (-1)^r) kappa_r, and f - (f' + f'')/2 has (1 + 2 (-1/2)^r) kappa_r; moments follow by recursion. Those of a power
f^k follow from the moments of f up to 4 k, with kappa_1 = c + tr A. The bound of the kurtosis of any polynomial of
degree q (``hypercontractivity``) is far from sharp for most of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: Most normals of a walk for which A is found, and what rounding may add to a kurtosis.
MOST_NORMALS, ROUNDING = 48, 1.001
#: Highest power of a quadratic form whose kurtosis is found.
HIGHEST = 4
#: Of numbers whose variance, or fourth central moment, is a smaller part of the raw moment too many digits are lost.
CANCELLED = 1e-6


def coefficients(value: Callable[[Array], Array], normals: int) -> tuple[Array, Array, float]:
    """A (normals, normals), b (normals,) and c of f(z) = c + b^T z + z^T A z, by its values at (k, normals) points."""
    one = np.eye(normals)
    rows, columns = np.triu_indices(normals, 1)
    points = np.concatenate((np.zeros((1, normals)), one, -one, one[rows] + one[columns]))
    found = np.asarray(value(points))
    if not np.isfinite(found).all():
        raise OverflowError("a coefficient is beyond floating-point numbers")
    c, up, down, mixed = np.split(found, [1, 1 + normals, 1 + 2 * normals])
    A = np.diag((up + down) / 2 - c[0])
    A[rows, columns] = A[columns, rows] = (mixed - up[rows] - up[columns] + c[0]) / 2
    return A, (up - down) / 2, float(c[0])


def cumulants(A: Array, b: Array, most: int) -> list[float]:
    """kappa_0 = kappa_1 = 0 (the mean is left out) and kappa_2 ... kappa_most of b^T z + z^T A z."""
    values, vectors = np.linalg.eigh(A)
    found = [0.0, 0.0]
    with np.errstate(over="ignore", invalid="ignore"):
        weights = (vectors.T @ b) ** 2
        for r in range(2, most + 1):
            traces = float((values**r).sum() + r / 4 * (weights * values ** (r - 2)).sum())
            found.append(2.0 ** (r - 1) * math.factorial(r - 1) * traces)
    return found


def moments(kappa: list[float]) -> list[float]:
    """Central moments from cumulants: m_n = sum_k C(n - 1, k - 1) kappa_k m_(n-k)."""
    found = [1.0]
    for n in range(1, len(kappa)):
        found.append(sum(math.comb(n - 1, k - 1) * kappa[k] * found[n - k] for k in range(1, n + 1)))
    return found


def kurtosis(A: Array, b: Array, power: int) -> float:
    """E (Z - mu)^4/sigma^4 of Z = f (1), (f - f')^power (2, 4) or (f - (f' + f'')/2)^3 (3); infinite for sigma = 0."""
    # the weights of the walks in f, f - f' and f - (f' + f'')/2
    weights = {1: (1.0,), 3: (1.0, -0.5, -0.5)}.get(power, (1.0, -1.0))
    kappa = [sum(w**r for w in weights) * value for r, value in enumerate(cumulants(A, b, 4 * power))]
    return kurtosis_of_moments(moments(kappa), power)


def kurtosis_of_power(A: Array, b: Array, c: float, k: int) -> float:
    """E (Z - mu)^4/sigma^4 of Z = f^k; infinite where sigma = 0, or too near to it to be told by float64."""
    kappa = cumulants(A, b, 4 * k)
    kappa[1] = c + float(np.trace(A))
    return kurtosis_of_moments(moments(kappa), k)


def kurtosis_of_moments(m: list[float], power: int) -> float:
    """The kurtosis of Z = g^power from the moments of g."""
    raw = [1.0, *(m[power * k] for k in range(1, 5))]
    spread = raw[2] - raw[1] ** 2
    fourth = raw[4] - 4 * raw[1] * raw[3] + 6 * raw[1] ** 2 * raw[2] - 3 * raw[1] ** 4
    # what is beyond floats is lost, too: nan is above nothing
    seen = spread > CANCELLED * raw[2] and fourth > CANCELLED * raw[4] and math.isfinite(fourth)
    return math.inf if not seen else ROUNDING * fourth / spread**2
