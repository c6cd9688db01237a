"""The regularised kernel's error: the derived value by its integral over the sphere, samples, and the picture."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from figures import regularised_kernel
from figures.files import rendered, tabulated
from proofs_check.report.curves.features import regularised_error


@pytest.fixture
def name() -> str:
    return "regularised_kernel"


@pytest.mark.parametrize(("length", "d"), [(0.5, 2), (2.0, 3), (1.5, 16)])
def test_the_error_is_that_of_the_definition(length: float, d: int) -> None:
    """A coordinate of a uniform direction in R^d is cos(t) with a density like sin(t)^(d - 2)."""

    def weight(t: float) -> float:
        return math.sin(t) ** (d - 2)

    above, _ = quad(lambda t: weight(t) * math.exp(math.sqrt(d) * length * math.cos(t) - length**2 / 2), 0, math.pi)
    below, _ = quad(weight, 0, math.pi)
    assert regularised_error(length, d) == pytest.approx(1 - above / below, rel=1e-8)


def test_what_is_sampled_lies_about_what_is_derived(drawn: dict[str, Any]) -> None:
    assert {point["d"] for point in drawn["points"]} == set(regularised_kernel.SHOWN)
    for point in drawn["points"]:
        assert point["low"] <= point["derived"] <= point["high"]
    first = drawn["points"][0]
    assert not first["low"] <= regularised_error(first["length"], 8) <= first["high"]


def test_it_grows_with_the_length_and_falls_with_the_dimension(drawn: dict[str, Any]) -> None:
    for line in drawn["error"]:
        assert line == sorted(line)
    assert all(low < high for low, high in zip(drawn["error"][-1], drawn["error"][0], strict=True))


def test_the_figure_shows_its_data(drawn: dict[str, Any]) -> None:
    figure = regularised_kernel.draw(drawn)
    curves = [np.asarray(line.get_ydata()).tolist() for line in figure.axes[1].lines]
    assert all(curve in curves for curve in drawn["curves"].values())
    other = copy.deepcopy(drawn)
    other["error"][0][0] += 0.5
    assert rendered(regularised_kernel.draw(other), ".png", "a") != rendered(figure, ".png", "a")


def test_the_table_has_a_row_a_point(drawn: dict[str, Any]) -> None:
    assert len(tabulated(regularised_kernel.table(drawn)).splitlines()) == 1 + 2 * 4 + 3 * 4
