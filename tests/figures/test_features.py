"""Fig. 2 of choromanski2021: the derived ratio by hand, samples about what is derived, and how the figure looks."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

from figures import feature_errors
from figures.files import rendered, tabulated
from proofs_check.report.curves import features as curves


@pytest.fixture
def name() -> str:
    return "feature_errors"


@pytest.mark.parametrize(("length", "angle"), [(0.5, 1.0), (1.0, 2.5), (2.0, 0.2)])
def test_the_errors_are_those_of_the_definition(length: float, angle: float) -> None:
    """E f^2 - (E f)^2 of one feature: E cos^2 = (1 + E cos 2.)/2, E exp^2 = exp(2 |z|^2)."""
    square, inner = length**2, length**2 * math.cos(angle)
    apart, sum_ = 2 * square - 2 * inner, 2 * square + 2 * inner
    trigonometric = math.exp(2 * square) * ((1 + math.exp(-2 * apart)) / 2 - math.exp(-apart)) / 3
    positive = math.exp(-2 * square) * (math.exp(2 * sum_) - math.exp(sum_)) / 3
    assert curves.at_angle("trigonometric", length, angle, 3) == pytest.approx(trigonometric)
    assert curves.at_angle("positive", length, angle, 3) == pytest.approx(positive)
    assert curves.ratio(length, angle) == pytest.approx(trigonometric / positive)


def test_what_is_sampled_lies_about_what_is_derived(drawn: dict[str, Any]) -> None:
    assert {point["kind"] for point in drawn["points"]} == set(curves.CLAIMS)
    for point in drawn["points"]:
        assert point["low"] <= point["derived"] <= point["high"]
        other = curves.at_angle(point["kind"], 0.5, point["angle"], feature_errors.FEATURES + 1)
        assert not point["low"] <= other <= point["high"]


def test_the_positive_features_lose_at_small_angles_and_win_at_large_ones(drawn: dict[str, Any]) -> None:
    for line in drawn["log10 ratio"]:
        assert line[0] < 0 < line[-1]
        assert line == sorted(line)


def test_the_figure_shows_its_data(drawn: dict[str, Any]) -> None:
    figure = feature_errors.draw(drawn)
    left, middle, right, bar = figure.axes
    assert len(left.collections) >= 2 and bar.get_ylabel()
    assert np.asarray(middle.lines[0].get_ydata()).tolist() == drawn["slice"]["log10 ratio"]
    assert [np.asarray(line.get_ydata()).tolist() for line in right.lines[:1]] == [drawn["errors"]["trigonometric"]]
    other = copy.deepcopy(drawn)
    other["log10 ratio"][0][0] -= 5
    assert rendered(feature_errors.draw(other), ".png", "a") != rendered(figure, ".png", "a")


def test_the_table_has_a_row_a_point(drawn: dict[str, Any]) -> None:
    assert len(tabulated(feature_errors.table(drawn)).splitlines()) == 1 + 6 * 4 + 3 * 6
