"""Every figure, as large as it is but of few and small samples: made once, and drawn once."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from matplotlib.figure import Figure

from figures import (
    cheaper_map,
    cosine_ratio,
    entropy_bound,
    feature_errors,
    gaussian_error,
    load,
    pattern_costs,
    regularised_kernel,
    representability,
    rho_grid,
    rho_localised,
    sign_map,
    signal_propagation,
    smoothing_ratio,
    softmax_pieces,
    variance_profile,
)

SMALL: dict[str, Callable[[int], dict[str, Any]]] = {
    "softmax_pieces": lambda seed: softmax_pieces.data(seed=seed, places=9),
    "variance_profile": lambda seed: variance_profile.data(seed=seed, length=8, positions=(8,)),
    "rho_grid": lambda seed: rho_grid.data(seed=seed, walks=1000),
    "rho_localised": lambda seed: rho_localised.data(seed=seed, walks=1000),
    "entropy_bound": lambda seed: entropy_bound.data(seed=seed, lengths=(4, 32), found=3),
    "signal_propagation": lambda seed: signal_propagation.data(seed=seed, d=16, walks=60, draws=3),
    "gaussian_error": lambda seed: gaussian_error.data(
        seed=seed, dimensions=(2, 8, 32, 128), lengths=(4, 16, 64), shown=64
    ),
    "representability": lambda seed: representability.data(
        seed=seed, ratios=(1.0, 2.0, 3.0), dimensions=(2, 4), draws=400, counts=(4, 8), mask_draws=60
    ),
    "smoothing_ratio": lambda seed: smoothing_ratio.data(
        seed=seed, slopes=("1", "-1/2", "-1"), counts=(2, 4), inside=("-3/4", "-3/10"), sets=600
    ),
    "cosine_ratio": lambda seed: cosine_ratio.data(seed=seed, dimensions=(2, 8, 32), sets=800),
    "sign_map": lambda seed: sign_map.data(seed=seed, each=1, sets=400),
    "pattern_costs": lambda seed: pattern_costs.data(
        seed=seed, panels=(("4/5", "0"), ("1/2", "1")), groups=(1, 4), searched=(1,)
    ),
    "cheaper_map": lambda seed: cheaper_map.data(
        seed=seed, families=(("0", 2), ("1", 2)), groups=(1, 2), steps=6, halvings=1, finest=1
    ),
    "feature_errors": lambda seed: feature_errors.data(seed=seed, angles=6, lengths=4, places=(1.05, 2.45)),
    "regularised_kernel": lambda seed: regularised_kernel.data(
        seed=seed, dimensions=(2, 16), lengths=4, sampled=(Fraction(3, 2),)
    ),
}


class Made(dict[str, Any]):
    """What is made of a name the first time that it is asked for."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, name: str) -> Any:
        return self.setdefault(name, self.make(name))


@pytest.fixture(scope="session")
def every() -> dict[str, dict[str, Any]]:
    """The data of every figure by its name; for tests that only read them."""
    return Made(lambda name: SMALL[name](0))


@pytest.fixture(scope="session")
def pictures(every: dict[str, dict[str, Any]]) -> dict[str, Figure]:
    """Every figure drawn; for tests that only look at it."""
    return Made(lambda name: load(name).draw(every[name]))


@pytest.fixture
def drawn(every: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    """The data of the test's figure, to be changed at will."""
    return copy.deepcopy(every[name])
