"""Attention patterns of a model's most extreme heads (lampert2026, Fig. 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import SMALL, canvas, plain, rows

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
    """A map a head, the root of the share as colour; later keys are left white."""
    figure = canvas(5.2)
    image = None
    panels = figure.subplots(2, 3).flat
    for panel, one in zip(panels, drawn["patterns"], strict=False):
        shares = np.array(one["attention"])
        shares[np.triu_indices(len(shares), 1)] = np.nan
        image = panel.imshow(np.sqrt(shares), cmap="magma_r", vmin=0, vmax=1, interpolation="nearest")
        panel.set_title(f"{one['layer']}.{one['head']}: {one['what']}", fontsize=SMALL)
        plain(panel, grid=False)
    for panel in panels[len(drawn["patterns"]) :]:
        panel.set_axis_off()
    figure.supxlabel("key", fontsize=SMALL)
    figure.supylabel("query", fontsize=SMALL)
    if image is not None:
        bar = figure.colorbar(image, ax=figure.axes[:6], pad=0.01, aspect=30)
        bar.set_ticks([0, 0.1**0.5, 0.5**0.5, 1], labels=["0", "0.1", "0.5", "1"])
        bar.ax.tick_params(labelsize=SMALL)
        bar.set_label("share of attention", fontsize=SMALL)
    return figure
