"""The figures of costs: artists against data, and undecided cells."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from figures import cheaper_map, pattern_costs
from tests.figures.reading import bars_of, ends_of, numbers


def test_the_table_of_the_map_has_every_cell(every: dict[str, dict[str, Any]]) -> None:
    drawn = every["cheaper_map"]
    cells = sum(len(column["cells"]) for panel in drawn["panels"] for column in panel["columns"])
    assert sum("cheaper" in row for row in cheaper_map.table(drawn)) == cells


# ---- costs


def test_the_costs_drawn_are_the_data(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    panels = every["pattern_costs"]["panels"]
    axes = iter(pictures["pattern_costs"].axes)
    for pattern, other in (("sink", "diag"), ("diag", "sink")):
        for panel in panels:
            held, shown = panel[pattern], next(axes)
            heights = [np.array(line.get_ydata()).tolist() for line in shown.get_lines()]
            for key in ("printed_low", "printed_high", "construction", "low", "bound_low"):
                assert held[key] in heights
            assert panel[other]["low"] in heights
            (bars,) = bars_of(shown)
            assert ends_of(bars)[:, :, 1] == pytest.approx(
                np.stack([held["searched"]["low"], held["searched"]["high"]], 1), abs=1e-12
            )
            least, most = shown.get_ylim()
            assert least == 0
            assert all(value <= most for value in numbers([held[key] for key in held if key != "searched"]))


def test_the_gap_that_is_told_is_not_below_the_largest(
    every: dict[str, dict[str, Any]], pictures: dict[str, Figure]
) -> None:
    drawn = every["pattern_costs"]
    for panel in drawn["panels"]:
        for pattern in pattern_costs.NAMES:
            held = panel[pattern]
            gaps = (np.array(held["high"]) - np.array(held["low"])) / np.array(held["high"])
            assert gaps.max() <= drawn["certified"] < 1e-6
            found = held["searched"]
            assert np.all(np.array(found["high"]) - found["low"] <= drawn["gap"] * np.array(found["high"]) * 1.001)
    told = str(pictures["pattern_costs"].get_label())
    assert f"at most {pattern_costs.power(drawn['certified'])} apart" in told
    assert [pattern_costs.power(value) for value in (0.02, 1e-7, 1.1e-7)] == ["10⁻¹", "10⁻⁷", "10⁻⁶"]


# ---- the map


def boxes(axes: Any) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_cells_are_drawn_where_they_are(every: dict[str, dict[str, Any]], pictures: dict[str, Figure]) -> None:
    drawn = every["cheaper_map"]
    for axes, panel in zip(pictures["cheaper_map"].axes, drawn["panels"], strict=False):
        shown = sorted((box.get_x(), box.get_y(), box.get_height()) for box in boxes(axes) if not box.get_hatch())
        wanted = [
            (place - 0.5, cell["low"], cell["high"] - cell["low"])
            for place, column in enumerate(panel["columns"])
            for cell in column["cells"]
        ]
        assert np.array(shown) == pytest.approx(np.array(wanted))
        hatched = [box for box in boxes(axes) if box.get_hatch()]
        assert len(hatched) == sum(cell["shown"] for column in panel["columns"] for cell in column["cells"])
        for place, column in enumerate(panel["columns"]):
            for cell in column["cells"]:
                (box,) = (
                    b for b in boxes(axes) if not b.get_hatch() and (b.get_x(), b.get_y()) == (place - 0.5, cell["low"])
                )
                red, _, blue = to_rgb(box.get_facecolor())
                assert (red > blue) == (cell["cheaper"] == "diagonal")


def test_the_boundary_is_between_cells_of_unlike_signs(
    every: dict[str, dict[str, Any]], pictures: dict[str, Figure]
) -> None:
    drawn = every["cheaper_map"]
    crossed = 0
    for axes, panel in zip(pictures["cheaper_map"].axes, drawn["panels"], strict=False):
        boundary = next(held for held in axes.collections if isinstance(held, LineCollection))
        flat = sorted(tuple(piece[0]) for piece in boundary.get_segments() if piece[0][1] == piece[1][1])
        wanted = []
        for place, column in enumerate(panel["columns"]):
            cells = column["cells"]
            wanted += [(place - 0.5, one["high"]) for one, two in pairwise(cells) if one["cheaper"] != two["cheaper"]]
        assert np.array(flat) == pytest.approx(np.array(wanted))
        crossed += len(wanted)
    assert crossed > 2


def test_an_undecided_cell_is_shown_as_such(every: dict[str, dict[str, Any]]) -> None:
    drawn = copy.deepcopy(every["cheaper_map"])
    cell = drawn["panels"][0]["columns"][1]["cells"][0]
    cell["cheaper"] = ""
    figure = cheaper_map.draw(drawn)
    axes = figure.axes[0]
    # what no cell shows has no entry
    assert [len(one.legends[0].get_texts()) for one in (figure, cheaper_map.draw(every["cheaper_map"]))] == [4, 3]
    (box,) = (box for box in boxes(axes) if box.get_hatch() == "xxx")
    assert (box.get_x(), box.get_y()) == (0.5, cell["low"])
    assert len(set(to_rgb(box.get_facecolor()))) == 1


def test_the_outline_goes_around_unlike_labels() -> None:
    left = [(0.0, 0.5, "a"), (0.5, 1.0, "b")]
    right = [(0.0, 0.25, "a"), (0.25, 1.0, "b")]
    found = cheaper_map.outline([left, right], (0.0, 1.0))
    assert found == [[(-0.5, 0.5), (0.5, 0.5)], [(0.5, 0.25), (1.5, 0.25)], [(0.5, 0.25), (0.5, 0.5)]]
    assert cheaper_map.outline([left, []], (0.0, 1.0))[1:] == [[(0.5, 0.0), (0.5, 0.5)], [(0.5, 0.5), (0.5, 1.0)]]
    assert cheaper_map.outline([[(0.0, 1.0, "a")]] * 2, (0.0, 1.0)) == []
