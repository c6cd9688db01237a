"""Maps of a model's heads: what is predicted and what is measured, layer by head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import SMALL, canvas, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Each map: a key of the heads, its title, a colour map, and the ends of its colours (None: those of the data).
MAPS: tuple[tuple[str, str, str, float | None, float | None], ...] = (
    ("peak", "predicted: place of largest ρ", "viridis", 0, 1),
    ("late", "measured: mean place attended to", "viridis", 0, 1),
    ("passing", "predicted: mean of ρ", "viridis", 0, 1),
    ("passes", "measured: share of keys that pass", "viridis", 0, 1),
    ("eta", "predicted: η", "viridis", 0, None),
    ("concentration", "measured: 1 − entropy/largest", "viridis", 0, 1),
    ("room", "|W_QK| over a sink's least norm", "magma", 0, None),
    ("first", "share of the first token", "magma", 0, 1),
    ("lean", "predicted: lean to alikeness", "PuOr_r", None, None),
    ("change", "measured: change of cosine", "PuOr_r", None, None),
    ("sink_value", "the first token's value, relative", "magma", 0, None),
    ("writes_on", "written where the sink is attended to", "magma", 0, None),
    ("previous", "share of the token before", "magma", 0, 1),
    ("own", "share of the token itself", "magma", 0, 1),
)


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The mapped numbers of every head."""
    keys = ("layer", "head", *(key for key, *_ in MAPS))
    rows = [{key: row[key] for key in keys} for row in found["heads"]]
    return {"figure": "model_heads", "where": "heads by layer", "rows": rows}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head."""
    return list(drawn["rows"])


def draw(drawn: dict[str, Any]) -> Figure:
    """A map for each number, prediction beside measurement; grey where there is none."""
    from matplotlib import colormaps

    figure = canvas(9.6)
    rows = drawn["rows"]
    shape = (1 + max(row["head"] for row in rows), 1 + max(row["layer"] for row in rows))
    for panel, (key, title, colours, low, high) in zip(figure.subplots(7, 2).flat, MAPS, strict=True):
        values = np.full(shape, np.nan)
        for row in rows:
            if row[key] is not None:
                values[row["head"], row["layer"]] = row[key]
        seen = values[np.isfinite(values)]
        # the most extreme heads would leave the others without colour
        reach = float(np.quantile(np.abs(seen), 0.98)) if seen.size else 1.0
        ends = (-reach, reach) if colours == "PuOr_r" else (low, reach if high is None else high)
        shades = colormaps[colours].with_extremes(bad="0.85")
        image = panel.imshow(values, aspect="auto", cmap=shades, vmin=ends[0], vmax=ends[1], interpolation="nearest")
        bar = figure.colorbar(image, ax=panel, pad=0.015, aspect=12)
        bar.ax.tick_params(labelsize=SMALL)
        panel.set_title(title, fontsize=SMALL)
        panel.set(ylabel="head")
        panel.yaxis.get_major_locator().set_params(integer=True)
        plain(panel, grid=False)
    for panel in figure.axes[12:14]:
        panel.set_xlabel("layer")
    return figure
