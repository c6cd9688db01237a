"""The entropy bound: data against sums over probabilities written here, and what is drawn of it."""

from __future__ import annotations

import copy
import io
import json
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from figures.entropy_bound import BOTTOM, NAMES, data, draw, table
from figures.files import rendered

LENGTHS = (4, 32)
STATEMENTS = Path(__file__).parents[2] / "theorems" / "bao2024" / "statements.toml"


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return data(lengths=LENGTHS, found=3)


def one_up(T: int, nu: float) -> float:
    gap = nu * math.sqrt(T / (T - 1))
    scores = np.zeros(T)
    scores[0] = gap
    p = np.exp(scores - gap) / np.exp(scores - gap).sum()
    return float(-(p * np.log(p)).sum())


@cache
def printed_text() -> str:
    claims = tomllib.loads(STATEMENTS.read_text(encoding="utf-8"))["claim"]
    (text,) = (claim["printed"]["lower"] for claim in claims if claim["id"] == "bao2024.sec5.eq9")
    return str(text)


def printed_at(T: int, nu: float) -> float:
    return float(eval(printed_text(), {"__builtins__": {}}, {"T": T, "nu": nu, "exp": math.exp, "log": math.log}))


def test_the_data_are_json(drawn: dict[str, Any]) -> None:
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert [line["T"] for line in drawn["lines"]] == list(LENGTHS)
    assert drawn["lines"][0]["nu"][0] == 0.0


def test_the_curves_are_the_print_and_the_entropy_of_one_score_up(drawn: dict[str, Any]) -> None:
    for line in drawn["lines"]:
        T = line["T"]
        assert line["printed"] == pytest.approx([printed_at(T, nu) for nu in line["nu"]], rel=1e-12)
        assert line["least"] == pytest.approx([one_up(T, nu) for nu in line["nu"]], rel=1e-9)
        assert line["leading"] == pytest.approx([math.log(T)] * len(line["nu"]))
        assert all(low <= limit + 1e-12 for low, limit in zip(line["least"], line["derived"], strict=True))


def test_the_search_finds_the_least_entropy_and_nothing_below(drawn: dict[str, Any]) -> None:
    for line in drawn["lines"]:
        found = line["found"]
        assert len(found["nu"]) == 3
        for nu, value in zip(found["nu"], found["value"], strict=True):
            assert value == pytest.approx(one_up(line["T"], nu), rel=1e-6)
            assert value > BOTTOM
            assert value > one_up(line["T"], nu) - 1e-12


def test_the_same_seed_gives_the_same_bytes(drawn: dict[str, Any]) -> None:
    again = data(lengths=LENGTHS, found=3)
    assert again == drawn
    assert rendered(draw(drawn), ".svg", "f") == rendered(draw(again), ".svg", "f")


def test_the_table_has_every_number(drawn: dict[str, Any]) -> None:
    rows = table(drawn)
    assert len(rows) == sum(len(NAMES) * len(line["nu"]) + len(line["found"]["nu"]) for line in drawn["lines"])
    assert {"panel", "curve", "nu", "value"} <= set(rows[0])
    values = [row["value"] for row in rows if row["curve"] == NAMES["printed"] and row["T"] == LENGTHS[0]]
    assert values == drawn["lines"][0]["printed"]


def test_the_drawing_shows_every_curve_with_labels(drawn: dict[str, Any]) -> None:
    before = copy.deepcopy(drawn)
    figure = draw(drawn)
    assert drawn == before
    for panel, line in zip(figure.axes, drawn["lines"], strict=True):
        shown = [np.array(curve.get_ydata()).tolist() for curve in panel.get_lines()]
        assert shown == [*(line[name] for name in NAMES), line["found"]["value"]]
        assert f"T = {line['T']}" == panel.get_title()
        assert "ν" in panel.get_xlabel()
        assert panel.get_ylim()[1] > max(line["printed"])
        styles = {str(curve.get_linestyle()) + str(curve.get_color()) for curve in panel.get_lines()}
        assert len(styles) == len(shown)
    assert "nats" in figure.axes[0].get_ylabel()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == len(NAMES) + 1
    sizes = [text.get_fontsize() for panel in figure.axes for text in panel.texts + panel.get_xticklabels()]
    assert min(sizes + [text.get_fontsize() for text in legend.get_texts()]) >= 8


def test_the_factor_stands_where_the_print_is_above_ln_T_only(drawn: dict[str, Any]) -> None:
    def notes(values: dict[str, Any]) -> list[str]:
        return [text.get_text() for panel in draw(values).axes for text in panel.texts]

    below = copy.deepcopy(drawn)
    for line in below["lines"]:
        line["printed"] = line["least"]
    assert notes(below) == []
    highest = [max(line["printed"]) / math.log(line["T"]) for line in drawn["lines"]]
    assert notes(drawn) == [f"{factor:.3g} ln T" for factor in highest if factor > 1]


def test_the_png_is_no_blank_page(drawn: dict[str, Any]) -> None:
    from matplotlib.image import imread

    image = imread(io.BytesIO(rendered(draw(drawn), ".png", "entropy_bound")))
    assert image.shape[1] >= 1200
    assert 0.02 < np.mean(image[..., :3].min(axis=2) < 0.95) < 0.5
