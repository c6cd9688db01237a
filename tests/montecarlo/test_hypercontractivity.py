"""The bound of a polynomial's kurtosis by its degree: never passed, and not far from sharp."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.polynomial import hermite_e

from montecarlo.hypercontractivity import HIGHEST, kurtosis

#: Hermite coefficients, of He_n/sqrt(n!), of polynomials in one Gaussian whose kurtosis is the largest that was found.
HEAVIEST: dict[int, list[float]] = {
    1: [1],
    2: [0, 1],
    3: [0.2432, 0, 0.97],
    4: [0, 0.263, 0, 0.9648],
    5: [0.0369, 0, 0.2745, 0, 0.9609],
}


def of_one(coefficients: list[float]) -> float:
    """The exact kurtosis of a polynomial in one Gaussian without a constant."""
    x, w = hermite_e.hermegauss(2 * len(coefficients) + 1)
    f = hermite_e.hermeval(x, [0, *(c / math.sqrt(math.factorial(n)) for n, c in enumerate(coefficients, 1))])
    w = w / w.sum()
    return float((w * f**4).sum() / (w * f**2).sum() ** 2)


@pytest.mark.parametrize("degree", HEAVIEST)
def test_the_bound_is_between_the_heaviest_known_tails_and_a_sixth_more(degree: int) -> None:
    known = of_one(HEAVIEST[degree])
    assert known <= kurtosis(degree) <= 7 / 6 * known
    assert degree == 1 or kurtosis(degree) < 9.0**degree / 4


def test_no_polynomial_in_several_gaussians_passes_it() -> None:
    rng = np.random.default_rng(0)
    for degree in (1, 2, 3, 4):
        x, w = hermite_e.hermegauss(2 * degree + 1)
        weights = np.einsum("a,b,c->abc", w, w, w) / w.sum() ** 3
        X = np.meshgrid(x, x, x, indexing="ij")
        powers = [(a, b, c) for a in range(5) for b in range(5) for c in range(5) if a + b + c <= degree]
        terms = np.array([X[0] ** a * X[1] ** b * X[2] ** c for a, b, c in powers])
        heaviest = 0.0
        for _ in range(200):
            # few terms at a time, as sums of many tend to a Gaussian
            f = np.tensordot(rng.standard_normal(len(powers)) * (rng.random(len(powers)) < 0.3), terms, 1)
            f = f - (weights * f).sum()
            if (second := float((weights * f**2).sum())) > 0:
                heaviest = max(heaviest, float((weights * f**4).sum()) / second**2)
        assert kurtosis(degree) / 4 < heaviest * (1 - 1e-9) <= kurtosis(degree)


def test_what_is_not_worked_out_has_the_general_bound() -> None:
    assert kurtosis(0) == 1.0
    assert kurtosis(HIGHEST + 1) == 9.0 ** (HIGHEST + 1)
    found = [kurtosis(degree) for degree in range(HIGHEST + 2)]
    assert found == sorted(found)
