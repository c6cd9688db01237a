"""Predicted beside measured, a point a head, for everything that the theorems predict of heads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from figures.style import BLUE, SMALL, canvas, logarithmic, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Axes on which heads differ by orders of magnitude.
LOGARITHMIC = {"eta", "writes_on", "sink_value", "room", "bound"}


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The comparisons with their rank correlations, and the pairs of numbers."""
    heads = found["heads"]
    held = []
    for row in found["correlations"]:
        points = [
            {"layer": head["layer"], "head": head["head"], "x": head[row["predicted"]], "y": head[row["measured"]]}
            for head in heads
            if head[row["predicted"]] is not None and head[row["measured"]] is not None
        ]
        held.append({**row, "points": points})
    return {"figure": "model_correlations", "where": "predicted and measured", "comparisons": held}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head and comparison."""
    return [
        {"predicted": row["predicted"], "measured": row["measured"], **point}
        for row in drawn["comparisons"]
        for point in row["points"]
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """A panel a comparison; above it what fails of its hypotheses, then the rank correlation."""
    figure = canvas(6.6)
    rows = drawn["comparisons"]
    for panel, row in zip(figure.subplots(math.ceil(len(rows) / 3), 3).flat, rows, strict=False):
        x, y = ([point[axis] for point in row["points"]] for axis in ("x", "y"))
        panel.plot(x, y, "o", color=BLUE, markersize=2, alpha=0.6, markeredgewidth=0)
        for name, axis, values in ((row["predicted"], "x", x), (row["measured"], "y", y)):
            if name in LOGARITHMIC:
                logarithmic(panel, axis, values)
                getattr(panel, f"{axis}axis").set_minor_formatter("")
        value = row["rank_correlation"]
        number = "no rank correlation" if value is None else f"{value:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        count = len(row["fails"])
        failed = f"{count} hypothes{'is fails' if count == 1 else 'es fail'}" if count else "no hypothesis fails"
        panel.set_title(f"{failed}\n{row['paper']}: {number.replace('-', '−')}", fontsize=SMALL)
        panel.set(xlabel=row["words"][0], ylabel=row["words"][1])
        plain(panel)
    return figure
