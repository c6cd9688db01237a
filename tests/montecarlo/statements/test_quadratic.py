"""The kurtosis of raw numbers of quadratic forms, against moments worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from montecarlo.statements.quadratic import ROUNDING, coefficients, cumulants, kurtosis, kurtosis_of_power, moments
from montecarlo.statements.simulation import StatementSimulation

CHI = np.array([[1.0]]), np.array([0.0])


def test_the_moments_of_a_normal_number_follow_from_its_cumulants() -> None:
    assert moments(cumulants(np.zeros((1, 1)), np.array([1.0]), 8)) == [1, 0, 1, 0, 3, 0, 15, 0, 105]


@pytest.mark.parametrize(
    ("power", "raw"),
    [
        # z^2: E z^(2k) = 1, 3, 15, 105
        (1, (1, 3, 15, 105)),
        # (z^2 - z'^2)^2 = 4 u^2 v^2 with independent normal u, v
        (2, (4, 144, 14400, 2822400)),
        (4, (144, 256 * 105**2, 4096 * 10395**2, 65536 * 2027025**2)),
    ],
)
def test_the_kurtosis_of_a_square_and_of_its_differences(power: int, raw: tuple[int, ...]) -> None:
    one, two, three, four = raw
    fourth = four - 4 * one * three + 6 * one**2 * two - 3 * one**4
    assert kurtosis(*CHI, power) == pytest.approx(ROUNDING * fourth / (two - one**2) ** 2, rel=1e-9)


def test_the_kurtosis_of_a_power_is_that_of_its_moments() -> None:
    # z^4: E z^4 = 3, E z^8 = 105, E z^12 = 10395, E z^16 = 2027025
    fourth = 2027025 - 4 * 3 * 10395 + 6 * 9 * 105 - 3 * 81
    assert kurtosis_of_power(*CHI, 0.0, 2) == pytest.approx(ROUNDING * fourth / 96**2, rel=1e-9)
    # (z^2 + 1)^1 is z^2 but for its mean
    assert kurtosis_of_power(*CHI, 1.0, 1) == pytest.approx(kurtosis(*CHI, 1), rel=1e-9)
    # (z + 3)^2, a shifted normal: E (z + 3)^(2k) = 10, 100 + 96 - 58 = 138, ...
    z = [
        float(np.polynomial.hermite_e.hermegauss(20)[1] @ (np.polynomial.hermite_e.hermegauss(20)[0] + 3) ** n)
        for n in (2, 4, 6, 8)
    ]
    one, two, three, four = (value / math.sqrt(2 * math.pi) for value in z)
    expected = (four - 4 * one * three + 6 * one**2 * two - 3 * one**4) / (two - one**2) ** 2
    assert kurtosis_of_power(np.zeros((1, 1)), np.ones(1), 3.0, 2) == pytest.approx(ROUNDING * expected, rel=1e-9)


def test_a_power_that_hardly_varies_has_no_kurtosis_of_its_own() -> None:
    assert kurtosis_of_power(np.array([[1e-9]]), np.zeros(1), 1.0, 2) == math.inf


def test_coefficients_are_read_off_the_values() -> None:
    A, b = np.array([[1.0, 2.0], [2.0, -3.0]]), np.array([0.5, -1.0])
    found = coefficients(lambda z: ((z @ A) * z).sum(1) + z @ b + 7, 2)
    assert np.allclose(found[0], A) and np.allclose(found[1], b) and found[2] == 7


def test_a_statement_s_form_has_its_kurtosis_and_a_high_power_the_general_bound() -> None:
    node = ["*", ["T", ["token", ["name", "i"]]], ["matrix", "W"], ["token", ["name", "j"]]]
    case = {"i": 1, "j": 1, "d": 1, "W": [["1"]], "Sigma": [["1"]]}
    plain = {
        "law": ["walk"],
        "left": ["Kurt", node],
        "right": ["+", ["E", ["**", node, ["number", "2"]]], ["E", ["**", node, ["number", "5"]]]],
    }
    simulation = StatementSimulation(plain, case)
    tails = {name: simulation.tails(name) for name in simulation.statistics}
    kurtoses = sorted(one.kurtosis for one in tails.values() if one.kurtosis is not None)
    known = [*(kurtosis(*CHI, power) for power in (2, 4)), kurtosis_of_power(*CHI, 0.0, 2)]
    assert kurtoses == pytest.approx(sorted(known))
    assert [one.degree for one in tails.values() if one.degree is not None] == [10]
