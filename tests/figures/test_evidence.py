"""A claim's evidence: data that agree with the report they come from, and artists that draw the data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from figures import FigureError
from figures.evidence import data, draw, table
from figures.files import rendered

CLAIM = "bao2024.appA.eq15"


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return data(CLAIM)


def test_the_data_are_json_and_say_what_was_judged(drawn: dict[str, Any]) -> None:
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert (drawn["claim"], drawn["verdict"], drawn["exact"]) == (CLAIM, "refuted", "i*tr1")
    assert drawn["printed"] == {"moment": "(i - 1)*tr1"}
    assert drawn["rows"]


def test_the_truth_lies_in_every_interval_and_the_print_outside(drawn: dict[str, Any]) -> None:
    for row in drawn["rows"]:
        assert row["low"] <= row["estimate"] <= row["high"]
        assert row["low"] <= 0 <= row["high"]
        assert not row["low"] <= row["printed"] <= row["high"]
        # ((i - 1) tr1 - i tr1)/|i tr1| = -sign(tr1)/i
        i = int(row["label"].split("i = ")[1].split(",")[0])
        assert abs(row["printed"]) == pytest.approx(1 / i)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_data(drawn: dict[str, Any]) -> None:
    assert data(CLAIM) == drawn
    other = data(CLAIM, seed=1)
    assert other["rows"] != drawn["rows"]
    assert other["verdict"] == drawn["verdict"]


def test_the_artists_are_the_data(drawn: dict[str, Any]) -> None:
    (axes,) = draw(drawn).axes
    rows = drawn["rows"]
    (bars,) = [container for container in axes.containers if isinstance(container, ErrorbarContainer)]
    centre = np.asarray(bars.lines[0].get_xdata(), dtype=float)
    assert centre == pytest.approx([row["estimate"] for row in rows])
    ends = [segment[:, 0] for segment in bars.lines[2][0].get_segments()]
    assert [tuple(end) for end in ends] == [pytest.approx((row["low"], row["high"])) for row in rows]
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    assert np.asarray(lines["printed"].get_xdata(), dtype=float) == pytest.approx([row["printed"] for row in rows])
    assert set(np.asarray(lines["derived"].get_xdata(), dtype=float)) == {0.0}
    assert [label.get_text() for label in axes.get_yticklabels()] == [row["label"] for row in rows]
    assert CLAIM in axes.get_title()
    assert "refuted" in axes.get_title()
    legend = axes.get_legend()
    assert legend is not None
    assert {text.get_text() for text in legend.get_texts()} == {"derived", "simulated", "printed"}


def test_a_print_far_off_leaves_the_intervals_visible(drawn: dict[str, Any]) -> None:
    far = json.loads(json.dumps(drawn))
    assert draw(far).axes[0].get_xscale() == "symlog"
    for row in far["rows"]:
        row["printed"] = 0.0
    assert draw(far).axes[0].get_xscale() == "linear"


def test_the_picture_is_the_same_for_the_same_data(drawn: dict[str, Any]) -> None:
    assert rendered(draw(drawn), ".svg", CLAIM) == rendered(draw(drawn), ".svg", CLAIM)


def test_several_quantities_are_told_apart() -> None:
    rows = data("bao2024.sec2.softmax-taylor")["rows"]
    labels = [row["label"] for row in rows]
    assert {label.split("\n")[1] for label in labels} == {"diagonal", "off_diagonal", "offset"}


def test_the_table_holds_every_case(drawn: dict[str, Any]) -> None:
    held = table(drawn)
    assert len(held) == 2 * len(drawn["rows"])
    assert [row["value"] for row in held if row["curve"] == "printed"] == [row["printed"] for row in drawn["rows"]]
    assert [row["low"] for row in held if "low" in row] == [row["low"] for row in drawn["rows"]]
    assert all("\n" not in row["case"] for row in held)


def test_a_bound_has_no_cases_to_draw() -> None:
    with pytest.raises(FigureError, match="nothing was sampled"):
        data("bao2024.sec4.eq5")
