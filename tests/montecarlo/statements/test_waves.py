"""The kurtosis of sums of exponentials, cosines and sines, against quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from montecarlo.statements.simulation import StatementSimulation
from montecarlo.statements.waves import MOST_TERMS, NoWavesError, _added, kurtosis_of_terms
from tests.montecarlo.statements.plain import Plain, name, num, x

PLACES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def kurtosis(values: Any, weights: Any) -> float:
    mean = weights @ values
    return float(weights @ (values - mean) ** 4 / (weights @ (values - mean) ** 2) ** 2)


def grid(many: int) -> tuple[list[Any], Any]:
    """The places and weights of independent standard normals."""
    places = np.meshgrid(*[PLACES] * many, indexing="ij")
    weights = np.prod(np.meshgrid(*[WEIGHTS] * many, indexing="ij"), axis=0) / (2 * math.pi) ** (many / 2)
    return [one.ravel() for one in places], weights.ravel()


def form(position: int) -> Plain:
    """x[position]^T u."""
    return ["*", ["T", x(position)], ["vector", "u"]]


def tails(argument: Plain, moment: str = "E", law: str = "iid") -> Any:
    plain = {"law": [law], "left": [moment, argument], "right": num(0)}
    simulation = StatementSimulation(plain, {"d": 1, "T": 2, "Sigma": [["4"]], "u": ["1/4"]})
    (statistic,) = simulation.statistics
    return simulation.tails(statistic)


def product(z: Any, y: Any) -> Any:
    return np.exp(z / 2) * np.cos(y / 2)


SUM: Plain = ["sum", ["exp", ["*", ["T", x("k")], ["vector", "u"]]], "k", num(1), name("T")]


@pytest.mark.parametrize(
    ("argument", "moment", "law", "values"),
    [
        # x u = z/2 with z standard normal
        (["exp", form(1)], "E", "iid", lambda z, y: np.exp(z / 2)),
        (["*", num(-3), ["sin", ["+", form(1), num(1)]]], "E", "iid", lambda z, y: np.sin(z / 2 + 1)),
        (["**", ["+", SUM, num(-2)], num(2)], "E", "iid", lambda z, y: (np.exp(z / 2) + np.exp(y / 2) - 2) ** 2),
        (["**", ["cos", form(1)], num(2)], "E", "iid", lambda z, y: np.cos(z / 2) ** 2),
        (SUM, "E", "walk", lambda z, y: np.exp(z / 2) + np.exp((z + y) / 2)),
        (
            ["/", ["*", ["exp", form(1)], ["cos", form(2)]], num(7)],
            "E",
            "iid",
            product,
        ),
        (["exp", form(1)], "Var", "iid", lambda z, y: (np.exp(z / 2) - np.exp(y / 2)) ** 2),
    ],
)
def test_the_kurtosis_is_that_of_quadrature(argument: Plain, moment: str, law: str, values: Any) -> None:
    found = tails(argument, moment, law).kurtosis
    places, weights = grid(2)
    assert found == pytest.approx(kurtosis(values(*places), weights), rel=2e-3)
    assert found >= kurtosis(values(*places), weights)


@pytest.mark.parametrize(
    ("argument", "law"),
    [
        (["exp", ["**", form(1), num(2)]], "iid"),
        (["exp", form(1)], "iid-signs"),
        (["**", ["exp", form(1)], num(3)], "iid"),
    ],
)
def test_of_other_numbers_nothing_is_known(argument: Plain, law: str) -> None:
    found = tails(argument, law=law)
    assert found.width is not None or not math.isfinite(found.kurtosis)


def test_of_exponentials_that_cancel_it_is_that_of_a_constant() -> None:
    wave = ["exp", form(1)]
    assert tails(["+", wave, ["*", num(-1), wave]]).kurtosis == 1.0


def test_sums_of_too_many_terms_are_refused() -> None:
    with pytest.raises(NoWavesError):
        _added(iter([{(complex(k),): 1j for k in range(MOST_TERMS + 1)}]))


@pytest.mark.parametrize("function", [np.exp, np.cos, np.sin])
def test_the_kurtosis_on_the_sphere_is_that_of_a_uniform_coordinate(function: Any) -> None:
    """In R^3 a coordinate of a point of the sphere is uniform, and its square takes two coordinates of one token."""
    places, weights = np.polynomial.legendre.leggauss(80)
    argument: Plain = [{np.exp: "exp", np.cos: "cos", np.sin: "sin"}[function], form(1)]
    plain = {"law": ["iid-sphere"], "left": ["E", argument], "right": num(0)}
    one = [[str(int(r == c)) for c in range(3)] for r in range(3)]
    simulation = StatementSimulation(plain, {"d": 3, "T": 1, "Sigma": one, "u": ["1/4", "0", "1/2"]})
    (statistic,) = simulation.statistics
    values = function(math.sqrt(3) * math.hypot(1 / 4, 1 / 2) * places)
    found = simulation.tails(statistic).kurtosis
    assert found is not None and found == pytest.approx(kurtosis(values, weights / 2), rel=2e-3)


def test_what_is_too_large_for_a_float_has_no_kurtosis() -> None:
    """Without a warning, which is an error here."""
    assert tails(["exp", ["*", num(150), form(1)]]).kurtosis == math.inf


@pytest.mark.parametrize("power", [1, 2])
def test_short_slopes_have_a_kurtosis_that_rounding_leaves_or_none(power: int) -> None:
    """Of f - f', f = exp(s z): cumulants (1 + (-1)^r) kappa_r; for s -> 0 its powers are those of a normal number."""
    for s in np.geomspace(1e-4, 0.3, 40):
        found = kurtosis_of_terms({(complex(s),): 1 + 0j}, power, apart=True)
        z, weights = grid(2)
        exact = kurtosis((np.exp(s * z[0]) - np.exp(s * z[1])) ** power, weights)
        assert math.isinf(found) or exact <= found <= 1.01 * exact, s
