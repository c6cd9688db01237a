"""How alike a model's tokens are before each layer (lampert2026, Figs. 1, 2, 4, 5 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.style import BLACK, CURVES, GREY, NORMAL, SKY, canvas, legend, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The cosines of every layer, the ratio of expectations, and how far it can be off."""
    keys = ("layer", "cosine", "ratio", "bound", "sink_cosine")
    rows = [{key: row[key] for key in keys} for row in found["layers"]]
    return {"figure": "model_cosines", "where": "lampert2026, Figures 1, 2, 4, 5 and 7", "rows": rows}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a layer."""
    return [
        {
            "layer": row["layer"],
            **{f"cosine {key}": value for key, value in row["cosine"].items()},
            "ratio": row["ratio"],
            "bound": row["bound"],
            **{f"sink {key}": value for key, value in row["sink_cosine"].items()},
        }
        for row in drawn["rows"]
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """Left: the first token's cosine with others. Right: the average cosine beside its approximation."""
    figure = canvas(3.0)
    left, right = figure.subplots(1, 2)
    rows = drawn["rows"]
    at = [row["layer"] for row in rows]
    sink = {key: [row["sink_cosine"][key] for row in rows] for key in ("low", "cosine", "high")}
    shade = left.fill_between(at, sink["low"], sink["high"], color=SKY, alpha=0.35, linewidth=0)
    (line,) = left.plot(at, sink["cosine"], color=CURVES["derived"]["color"], linewidth=1.6)
    left.set_title("first token with the others, as attention reads them", fontsize=NORMAL)
    ratio, bound = ([row[key] for row in rows] for key in ("ratio", "bound"))
    band = right.fill_between(
        at,
        [max(-1.0, a - b) for a, b in zip(ratio, bound, strict=True)],
        [min(1.0, a + b) for a, b in zip(ratio, bound, strict=True)],
        color=GREY,
        alpha=0.2,
        linewidth=0,
    )
    (approximation,) = right.plot(at, ratio, **CURVES["printed"])
    (empirical,) = right.plot(at, [row["cosine"]["mean"] for row in rows], color=BLACK, linewidth=1.6)
    right.set_title("average over pairs, without the first token", fontsize=NORMAL)
    for panel in (left, right):
        panel.set(xlabel="layer", ylabel="cosine similarity")
        plain(panel)
    legend(
        figure,
        [line, shade, empirical, approximation, band],
        ["mean", "5 % to 95 %", "average cosine", "E[x·x']/E|x|²", "as far as it can be off (derived)"],
        5,
    )
    return figure
