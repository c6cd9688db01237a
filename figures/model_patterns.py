"""Attention patterns of a model's most extreme heads (lampert2026, Fig. 13), and rho beside their profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, CURVES, ORANGE, SMALL, canvas, legend, plain, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The attention of the chosen heads on the first tokens of the first window, query by key."""
    return {"figure": "model_patterns", "where": "lampert2026, Figure 13", "patterns": found["patterns"]}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head, query and key."""
    return [
        row
        for one in drawn["patterns"]
        for query, shares in enumerate(one["attention"])
        for row in rows(
            {"layer": one["layer"], "head": one["head"], "query": query},
            "key",
            range(query + 1),
            share=shares[: query + 1],
        )
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """A map a head, the root of the share as colour, later keys white; below it rho beside what the last query does."""
    figure = canvas(7.6)
    grid = figure.add_gridspec(4, 3, height_ratios=(2.2, 1, 2.2, 1))
    image, handles = None, []
    for place, one in enumerate(drawn["patterns"]):
        down, across = divmod(place, 3)
        panel, below = (figure.add_subplot(grid[2 * down + row, across]) for row in (0, 1))
        shares = np.array(one["attention"])
        shares[np.triu_indices(len(shares), 1)] = np.nan
        image = panel.imshow(np.sqrt(shares), cmap="magma_r", vmin=0, vmax=1, interpolation="nearest")
        panel.set_title(f"{one['layer']}.{one['head']}: {one['what']}", fontsize=SMALL)
        at = (np.arange(len(one["profile"])) + 0.5) / len(one["profile"])
        handles = [
            *below.plot(at, one["rho"] or np.full(len(at), np.nan), **CURVES["derived"]),
            *below.plot(at, one["propagated"], color=BLACK, marker="o", markersize=2.6, linewidth=0.8),
            *below.plot(at, np.array(one["profile"]) / max(one["profile"]), color=ORANGE, linewidth=1.2),
        ]
        below.set(xlim=(0, 1), ylim=(-0.05, 1.05), xlabel="θ, place of the key" if down else "")
        if not across:
            panel.set_ylabel("query")
        for each in (panel, below):
            plain(each, grid=each is below)
    if image is not None:
        bar = figure.colorbar(image, ax=figure.axes, pad=0.01, aspect=40)
        bar.set_ticks([0, 0.1**0.5, 0.5**0.5, 1], labels=["0", "0.1", "0.5", "1"])
        bar.ax.tick_params(labelsize=SMALL)
        bar.set_label("share of attention", fontsize=SMALL)
        legend(figure, handles, ["ρ, derived", "keys that pass", "attention over its largest"], 3)
    return figure
