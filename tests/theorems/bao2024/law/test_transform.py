"""log M of many laws at many places: the series about the middles of squares against the logarithms themselves."""

from __future__ import annotations

from typing import Any, Literal

import mpmath
import numpy as np
import pytest

from theorems.bao2024.law import transform
from theorems.bao2024.law.transform import EPS, Transform

#: Spectra of many sizes and both signs, of one sign, of two clusters, and with high multiplicities.
SPECTRA = {
    "falling": np.array([(-1) ** k / (k + 1.0) ** 2 for k in range(300)]),
    "positive": np.random.default_rng(1).exponential(size=300),
    "negative": -np.random.default_rng(2).exponential(size=300),
    "heavy": np.concatenate([[1.0, -0.7], 1e-6 * np.random.default_rng(3).standard_normal(300)]),
}


def places(rng: np.random.Generator, size: int) -> Any:
    """Near 0 and beyond the first singularities, off the real axis by a good third of their size or more."""
    angle = rng.uniform(0.4, np.pi - 0.4, size) * rng.choice([-1, 1], size)
    return np.exp(rng.uniform(-4, 2, size) + 1j * angle)


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("what", ["log", "slope"])
def test_the_series_is_the_sum_of_logarithms(
    name: str, what: Literal["log", "slope"], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    weights, counts = SPECTRA[name], rng.choice([1.0, 2.0, 40.0], len(SPECTRA[name]))
    s = 0.5 / np.abs(weights).max() * places(rng, 100_000)

    def gap() -> float:
        table = transform._Table(weights, counts)
        # squares are met a few at a time, and again
        found = [table.at(what, part) for part in np.split(s, 2)]
        assert all(part is not None for part in found)
        value, spread = (np.concatenate([part[k] for part in found if part is not None]) for k in (0, 1))
        some = slice(None, None, 20)
        whole, own = transform._direct(what, weights[None, :], counts, s[None, some])
        scale = np.abs(weights) @ counts if what == "slope" else spread[some] + own[0]
        return float(np.max(np.abs(value[some] - whole[0]) / (EPS * (8 + len(weights) / 8) * scale)))

    assert gap() < 1
    monkeypatch.setattr(transform, "TERMS", 6)
    assert gap() > 1


def test_the_stated_rounding_holds() -> None:
    """Against 60 digits, of a law whose high multiplicities magnify what rounding does."""
    weights, counts = np.linspace(-1, 0.8, 40), np.full(40, 1000.0)
    law = Transform.of(weights, counts, np.array([[1.0, -0.3]]))
    s = places(np.random.default_rng(4), 60_000)
    value, spread = law.log(s[None, :])
    assert law.table is not None and len(law.table.places) > 0
    worst = 0.0
    with mpmath.workdps(60):
        for at in range(0, len(s), 1500):
            point = mpmath.mpc(complex(s[at]))
            exact = mpmath.mpf(0)
            for factor in law.factors[0]:
                for weight, count in zip(law.weights[0], counts, strict=True):
                    exact -= mpmath.mpf(count) / 2 * mpmath.log(1 - 2 * mpmath.mpf(factor) * mpmath.mpf(weight) * point)
            wrong = abs(complex(mpmath.mpc(complex(value[0, at])) - exact))
            worst = max(worst, wrong / (EPS * (8 + law.width / 8) * spread[0, at]))
    # the bound is neither broken nor far off
    assert 1e-4 < worst < 1


def test_rows_that_share_their_weights_are_those_that_do_not() -> None:
    rng = np.random.default_rng(9)
    weights, counts, factors = SPECTRA["falling"], np.ones(300), rng.normal(size=(50, 2))
    shared = Transform.of(weights, counts, factors)
    apart = Transform.of((factors[:, :, None] * weights).reshape(50, -1), np.concatenate([counts, counts]))
    assert shared.table is not None and apart.table is None
    s = places(rng, 50 * 40).reshape(50, 40)
    for rows in (np.arange(50), np.array([3, 41])):
        one, two = shared.pick(rows).over(-2), apart.pick(rows).over(-2)
        assert np.allclose(one.log(s[rows])[0], two.log(s[rows])[0], rtol=1e-11, atol=1e-11)
        assert np.allclose(one.modulus(s[rows]), one.log(s[rows])[0].real, rtol=1e-11, atol=1e-11)
        assert np.allclose(one.slope(s[rows]), two.slope(s[rows]), rtol=1e-11, atol=1e-11)
        assert np.allclose(one.ends(), two.ends()) and np.allclose(one.top, two.top)
        assert np.allclose(one.power(2), two.power(2))
        assert np.allclose(np.sort(one.row(1)[0]), np.sort(two.row(1)[0]))


def test_many_places_cost_few_logarithms(monkeypatch: pytest.MonkeyPatch) -> None:
    from theorems.bao2024.law import rho

    taken: list[int] = []
    direct = transform._direct

    def seen(what: transform.What, weights: Any, counts: Any, z: Any) -> Any:
        taken.append(z.size)
        return direct(what, weights, counts, z)

    monkeypatch.setattr(transform, "_direct", seen)
    costs = []
    for tokens in (100, 800):
        taken.clear()
        rho(tokens, SPECTRA["falling"])
        costs.append(sum(taken))
    assert costs[1] < 2 * costs[0]


def test_places_too_near_to_a_ray_are_left_to_the_logarithms() -> None:
    table = transform._Table(SPECTRA["positive"], np.ones(300))
    edge = 0.5 / SPECTRA["positive"].max()
    assert table.at("log", np.full(5000, edge * (1 - 1e-9)) + 0j) is None
    assert table.at("log", np.full(5000, edge * 0.9) + 0j) is not None
