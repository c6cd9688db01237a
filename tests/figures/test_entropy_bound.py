"""The entropy bound: data against sums over probabilities written here, and what is drawn of it."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

from figures.entropy_bound import BOTTOM, NAMES, data, draw, table
from tests.figures.reading import printed

LENGTHS = (4, 32)


@pytest.fixture
def name() -> str:
    return "entropy_bound"


def one_up(T: int, nu: float) -> float:
    gap = nu * math.sqrt(T / (T - 1))
    scores = np.zeros(T)
    scores[0] = gap
    p = np.exp(scores - gap) / np.exp(scores - gap).sum()
    return float(-(p * np.log(p)).sum())


def test_the_lines_begin_at_equal_scores(drawn: dict[str, Any]) -> None:
    assert [line["T"] for line in drawn["lines"]] == list(LENGTHS)
    assert drawn["lines"][0]["nu"][0] == 0.0


def test_the_curves_are_the_print_and_the_entropy_of_one_score_up(drawn: dict[str, Any]) -> None:
    formula = printed("bao2024.sec5.eq9", "lower")
    for line in drawn["lines"]:
        T = line["T"]
        assert line["printed"] == pytest.approx([formula(T=T, nu=nu) for nu in line["nu"]], rel=1e-12)
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


def test_the_same_seed_gives_the_same_data(drawn: dict[str, Any]) -> None:
    assert data(lengths=LENGTHS, found=3) == drawn


def test_the_table_has_every_number(drawn: dict[str, Any]) -> None:
    rows = table(drawn)
    assert len(rows) == sum(len(NAMES) * len(line["nu"]) + len(line["found"]["nu"]) for line in drawn["lines"])
    assert {"panel", "curve", "nu", "value"} <= set(rows[0])
    values = [row["value"] for row in rows if row["curve"] == NAMES["printed"] and row["T"] == LENGTHS[0]]
    assert values == drawn["lines"][0]["printed"]


def test_the_drawing_shows_every_curve_with_labels(drawn: dict[str, Any]) -> None:
    figure = draw(drawn)
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


def test_the_factor_stands_where_the_print_is_above_ln_T_only(drawn: dict[str, Any]) -> None:
    def notes(values: dict[str, Any]) -> list[str]:
        return [text.get_text() for panel in draw(values).axes for text in panel.texts]

    below = copy.deepcopy(drawn)
    for line in below["lines"]:
        line["printed"] = line["least"]
    assert notes(below) == []
    highest = [max(line["printed"]) / math.log(line["T"]) for line in drawn["lines"]]
    assert notes(drawn) == [f"{factor:.3g} ln T" for factor in highest if factor > 1]
