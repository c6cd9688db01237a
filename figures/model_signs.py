"""A model's heads on the map of signs, and what attention does to their outputs (lampert2026, Figs. 8 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.sign_map import LINES, line_name
from figures.style import BLACK, NORMAL, SMALL, canvas, legend, note, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHANGES = {
    "change_attended": "Fig. 8: own attention less none",
    "change_even": "Fig. 9: even attention less own",
}


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The places of the heads, their regions, and the changes of the average cosine with intervals."""
    from proofs_check.report.curves.smoothing import boundaries

    keys = ("layer", "head", "along", "size", "region", *CHANGES)
    heads = [{key: row[key] for key in keys} for row in found["heads"] if row["size"]]
    where = "lampert2026, Figures 8 and 9"
    return {"figure": "model_signs", "where": where, "boundaries": boundaries(), "heads": heads}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head."""
    return [
        {key: value for key, value in row.items() if key not in CHANGES}
        | {f"{name} {end}": value for name in CHANGES for end, value in row[name].items()}
        for row in drawn["heads"]
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """Two maps of the same heads, coloured by two changes."""
    from matplotlib.colors import SymLogNorm

    figure = canvas(4.4)
    heads = drawn["heads"]
    along, size = ([row[axis] for row in heads] for axis in ("along", "size"))
    low, high = min(size, default=1.0) / 1.5, max(size, default=1.0) * 1.5
    up = np.geomspace(low, high, 200)
    lines: list[Any] = []
    image = None
    for panel, (name, title) in zip(figure.subplots(1, 2, sharex=True, sharey=True), CHANGES.items(), strict=True):
        # a beta t1 + b t2 = 0, with beta t1 = along size and t2 = size^2 in units of beta^2 tr B
        lines = [
            panel.plot(-b / a * up, up, color=BLACK, linewidth=1.2, **look)[0]
            for (a, b), look in zip((line["weights"] for line in drawn["boundaries"]), LINES, strict=False)
        ]
        change = [row[name]["mean"] for row in heads]
        style: dict[str, Any] = {"cmap": "PuOr_r", "s": 13, "edgecolors": "0.35", "linewidths": 0.3, "zorder": 3}
        image = panel.scatter(along, size, c=change, norm=SymLogNorm(0.002, vmin=-0.2, vmax=0.2), **style)
        told = [row for row in heads if row["region"] != "between"]
        wrong = sum((row["region"] == "rises") != (row[name]["mean"] > 0) for row in told)
        panel.set_title(f"{title}\n{wrong} of {len(told)} against their region", fontsize=NORMAL)
        panel.set(xlim=(-1, 1), ylim=(low, high), yscale="log", xlabel="β tr(BW)/√(β² tr B · tr(BWᵀW))")
        plain(panel)
        for x, words in ((0.5, "R rises"), (-0.6, "R falls")):
            panel.text(x, low * 1.1, words, fontsize=SMALL, ha="center", va="bottom")
    figure.axes[0].set_ylabel("√(tr(BWᵀW)/(β² tr B))")
    assert image is not None
    bar = figure.colorbar(image, ax=figure.axes[:2], pad=0.01, aspect=30, extend="both")
    bar.set_ticks([-0.2, -0.02, 0, 0.02, 0.2], labels=["−0.2", "−0.02", "0", "0.02", "0.2"])
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("change of the average cosine", fontsize=SMALL)
    legend(figure, lines, [line_name(line["line"]) for line in drawn["boundaries"]], 3)
    told_of = (
        "W = W_O W_V of a head; B and β from the tokens that it reads, without the first one. Across: how far what\n"
    )
    note(
        figure,
        told_of
        + "a head writes points along the token it is added to; up: how large it is beside the token's own deviation.",
    )
    return figure
