"""How heavy the tails of a polynomial in Gaussians can be: a bound of its kurtosis by its degree alone.

Let f of degree q have mean 0 and the chaos components I_n(f_n), n = 1, ..., q, of norms c_n = |I_n(f_n)|_2. The product
formula makes f^2 of r! C(m, r) C(n, r) I_{m+n-2r}(f_m ~r f_n), and |f_m ~r f_n| <= |f_m| |f_n| for contractions, which
are equal for powers of one vector. So the components of f^2 are no larger than those of g^2 for the polynomial
g = sum_n c_n h_n in one Gaussian, h_n = He_n/sqrt(n!), and E f^4 <= E g^4. With the Gram matrix G of the products
h_m h_n, E g^4 = E (sum c_m c_n h_m h_n)^2 <= |G| (sum c_n^2)^2, and sum c_n^2 = E f^2: |G| bounds the kurtosis.
It is 3 for q = 1, and 817 for q = 4, where 9^q = 6561 and He_4 has 639.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

#: Degrees for which the Gram matrix is formed, and what its rounding may be; 9^q bounds the kurtosis for all.
HIGHEST, ROUNDING = 12, 1 + 1e-9


@cache
def kurtosis(degree: int) -> float:
    """A bound of E(f - mu)^4/sigma^4 for all polynomials of that degree in any number of Gaussians."""
    if not 1 <= degree <= HIGHEST:
        return 9.0**degree
    places, weights = np.polynomial.hermite_e.hermegauss(2 * degree + 1)
    scale = [math.sqrt(math.factorial(n)) for n in range(degree + 1)]
    h = [np.polynomial.hermite_e.hermeval(places, [0.0] * n + [1 / scale[n]]) for n in range(degree + 1)]
    pairs = [(m, n) for m in range(1, degree + 1) for n in range(m, degree + 1)]
    products = np.array([h[m] * h[n] * math.sqrt(1 + (m < n)) for m, n in pairs])
    gram = (products * (weights / weights.sum())) @ products.T
    return float(np.linalg.eigvalsh(gram)[-1]) * ROUNDING
