"""What holds of every figure: plain data that drawing leaves alone, tables and bytes of them, and legible looks."""

from __future__ import annotations

import copy
import io
import json
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from figures import FIGURES, load
from figures.files import rendered, tabulated
from figures.style import canvas, plain
from tests.figures.conftest import SMALL
from tests.figures.reading import faults, numbers, texts

#: Figures that explain themselves in their legends.
PLAIN = ("variance_profile", "softmax_pieces")


def slow_but(*names: str) -> pytest.MarkDecorator:
    """Every figure, but these alone in every run of the tests: the others are drawn with the same parts."""
    slow = [pytest.param(name, marks=pytest.mark.slow) for name in SMALL if name not in names]
    return pytest.mark.parametrize("name", [*names, *slow])


def test_every_figure_is_looked_at() -> None:
    assert set(SMALL) == set(FIGURES)


@pytest.mark.parametrize("name", SMALL)
def test_the_data_are_json_and_drawing_leaves_them_alone(name: str, drawn: dict[str, Any]) -> None:
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    before, module = copy.deepcopy(drawn), load(name)
    module.draw(drawn)
    assert tabulated(module.table(drawn)) == tabulated(module.table(before))
    assert drawn == before


@slow_but("softmax_pieces", "representability")
def test_the_same_data_give_the_same_bytes(name: str, every: dict[str, dict[str, Any]]) -> None:
    # of figures never rendered before: rendering lays out anew from where the panels stand
    for form in (".svg", ".png"):
        first, second = (rendered(load(name).draw(every[name]), form, name) for _ in range(2))
        assert first == second


@pytest.mark.parametrize("name", SMALL)
def test_texts_are_legible_and_apart(name: str, pictures: dict[str, Figure]) -> None:
    figure = pictures[name]
    assert figure.get_figwidth() in (7.0, 8.0)
    assert faults(figure) == []
    shown = " ".join(text.get_text() for text, _ in texts(figure))
    assert "[1]" not in shown and (len(str(figure.get_label())) > 60) == (name not in PLAIN)
    assert figure.legends or any(axes.get_legend() for axes in figure.axes)


@slow_but("softmax_pieces", "sign_map", "variance_profile", "rho_localised")
def test_the_figure_is_no_blank_page(name: str, pictures: dict[str, Figure]) -> None:
    image = imread(io.BytesIO(rendered(pictures[name], ".png", name)))
    assert image.shape[1] == 200 * pictures[name].get_figwidth()
    assert np.mean(image[..., :3].min(axis=2) < 0.95) > 0.02


@pytest.mark.parametrize("name", SMALL)
def test_every_number_of_the_table_is_one_of_the_data(name: str, drawn: dict[str, Any]) -> None:
    held = load(name).table(drawn)
    assert held
    assert all({"panel", "value"} <= row.keys() for row in held)
    values = {row[column] for row in held for column in ("value", "low", "high") if column in row}
    assert values <= set(numbers(drawn))


def test_faults_in_the_looks_are_seen() -> None:
    sound, small, long, upon = (canvas(2.0) for _ in range(4))
    for figure in (sound, small, long, upon):
        plain(figure.subplots())
    assert faults(sound) == []
    small.axes[0].set_xlabel("θ", fontsize=6)
    long.supxlabel("long " * 60)
    upon.text(0.5, 0.5, "here")
    upon.text(0.5, 0.5, "there")
    assert any("of 6" in fault for fault in faults(small))
    assert any("cut off" in fault for fault in faults(long))
    assert any("on top of" in fault for fault in faults(upon))
