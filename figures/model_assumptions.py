"""What the theorems assume of a model's tokens, layer by layer: estimates with intervals beside what is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.style import BLACK, BLUE, GREY, SMALL, VERMILION, canvas, note, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What each panel's number is, in short.
TITLES = {
    "growth": "growth of increments as kᵃ: a",
    "kurtosis": "excess kurtosis of increments",
    "covariance": "ln(late/early) size of increments",
    "neighbours": "extra likeness of neighbours",
    "drift": "drift along the window",
    "norms": "ln(late/early) E|x|²",
    "spread": "spread of norms, E|1 − r²|",
    "first": "first token's norm over others'",
    "scaled": "share of |x|² that βz explains",
}


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The estimates of every assumption over the layers."""
    keys = ("name", "layer", "paper", "under", "mean", "low", "high", "holds")
    rows = [{key: row[key] for key in keys} for row in found["assumptions"]]
    return {"figure": "model_assumptions", "where": "what both papers assume", "rows": rows}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a layer and assumption."""
    return list(drawn["rows"])


def draw(drawn: dict[str, Any]) -> Figure:
    """A panel for each assumption: estimates with intervals over the layers, and a line at what is assumed."""
    figure = canvas(5.4)
    panels = figure.subplots(3, 3, sharex=True).flat
    for panel, (name, title) in zip(panels, TITLES.items(), strict=True):
        rows = [row for row in drawn["rows"] if row["name"] == name and row["mean"] is not None]
        panel.axhline(rows[0]["under"] if rows else 0, color=VERMILION, linestyle=(0, (5, 2)), linewidth=1.2)
        for row in rows:
            color = {True: BLUE, False: BLACK, None: GREY}[row["holds"]]
            panel.plot([row["layer"]] * 2, [row["low"], row["high"]], color=color, linewidth=0.8)
            panel.plot(row["layer"], row["mean"], "o", color=color, markersize=2.4)
        # one wide interval would hide the other layers
        middle = [row["mean"] for row in rows]
        if middle:
            low, high = min(*middle, rows[0]["under"]), max(*middle, rows[0]["under"])
            panel.set_ylim(low - 0.25 * (high - low or 1), high + 0.25 * (high - low or 1))
        panel.set_title(title, fontsize=SMALL)
        plain(panel)
        if name in list(TITLES)[-3:]:
            panel.set_xlabel("layer")
    told = "Dashed: what is assumed. Blue: it holds; black: it fails; grey: undecided, the interval is too wide."
    note(figure, f"{told}\nBars may leave the panel.")
    return figure
