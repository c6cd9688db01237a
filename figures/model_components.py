"""How alike tokens are at each part of an attention step, and by heads' patterns (lampert2026, Figs. 2, 6, 10, 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, BLUE, GREEN, GREY, NORMAL, ORANGE, PURPLE, SKY, SMALL, VERMILION, canvas, note, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Heads whose attention's entropy is this part of the largest one or more count as even ones.
EVEN = 0.6
#: A head has a pattern where a token's share of attention is this or more, on average.
SHARE = 0.5
PATTERNS = {"first": ("sink", VERMILION), "own": ("diagonal", BLUE), "previous": ("token before", GREEN)}
LINES: dict[str, dict[str, Any]] = {
    "X": {"color": BLACK, "linewidth": 1.8},
    "Z": {"color": GREY, "linewidth": 1.8},
    "WZ": {"color": SKY, "linestyle": (0, (1, 1.2)), "linewidth": 1.6},
    "WZA": {"color": ORANGE, "linestyle": (0, (1, 1.2)), "linewidth": 1.6},
    "WZU": {"color": PURPLE, "linestyle": (0, (1, 1.2)), "linewidth": 1.6},
    "X + WZ": {"color": SKY, "linewidth": 1.2},
    "X + WZA": {"color": ORANGE, "linewidth": 1.2},
    "X + WZU": {"color": PURPLE, "linewidth": 1.2},
}


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The average cosines of every head and layer, each head's pattern and relative change, and those to be shown."""
    of_layer = {row["layer"]: {"X": row["cosine"]["mean"], "Z": row["read_cosine"]} for row in found["layers"]}
    shown = {(row["layer"], row["head"]): row["what"] for row in found["patterns"]}
    rows = [
        {
            **{key: row[key] for key in ("layer", "head", "concentration")},
            "pattern": next((words for key, (words, _) in PATTERNS.items() if row[key] >= SHARE), "none"),
            "shown": shown.get((row["layer"], row["head"])),
            "cosines": of_layer[row["layer"]] | row["cosines"],
            "change": _relative(row["cosines"]["X + WZ"], row["cosines"]["X + WZA"]),
        }
        for row in found["heads"]
    ]
    return {"figure": "model_components", "where": "lampert2026, Figures 2, 6, 10 and 11", "heads": rows}


def _relative(before: float | None, after: float | None) -> float | None:
    return (after - before) / abs(before) if before and after is not None else None


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head."""
    return [{key: value for key, value in row.items() if key != "cosines"} | row["cosines"] for row in drawn["heads"]]


def draw(drawn: dict[str, Any]) -> Figure:
    """Above: cosines by layer, over all heads and over even ones. Below: each head's change, and the selected heads."""
    figure = canvas(5.6)
    heads = drawn["heads"]
    (every, even), (changed, selected) = figure.subplots(2, 2)
    _by_layer(every, heads)
    every.set_title("mean over all heads", fontsize=NORMAL)
    some = [row for row in heads if 1 - row["concentration"] >= EVEN]
    _by_layer(even, some)
    even.set(ylim=every.get_ylim(), xlim=every.get_xlim())
    even.set_title(f"mean over {len(some)} even heads", fontsize=NORMAL)
    for words, colour in (("none", GREY), *PATTERNS.values()):
        rows = [row for row in heads if row["pattern"] == words and row["change"] is not None]
        where, change = [row["layer"] for row in rows], [row["change"] for row in rows]
        changed.plot(where, change, "o", color=colour, ms=2.6, label=f"{words} ({len(rows)})")
    changed.axhline(0, color=BLACK, linewidth=0.8)
    changed.set_yscale("symlog", linthresh=0.01)
    # room for the legend
    changed.set_ylim(top=20 * changed.get_ylim()[1])
    changed.set(xlabel="layer", ylabel="change, relative")
    changed.set_title("X + WZA over X + WZ", fontsize=NORMAL)
    changed.legend(fontsize=SMALL, frameon=False, ncols=2, handletextpad=0.1, columnspacing=0.6)
    chosen = [row for row in heads if row["shown"]]
    for name, look in LINES.items():
        marks = {"color": look["color"], "marker": "s" if name in ("X", "Z") else ("^" if "+" in name else "o")}
        values = [_number(row["cosines"][name]) for row in chosen]
        selected.plot(range(len(chosen)), values, linestyle="", markersize=4, **marks)
    selected.set_xticks(range(len(chosen)), [f"{row['layer']}.{row['head']}" for row in chosen])
    selected.set(ylabel="average cosine")
    selected.set_title("selected heads (layer.head)", fontsize=NORMAL)
    for panel in figure.axes:
        plain(panel)
    figure.legend(
        every.get_lines(), list(LINES), loc="outside upper center", ncols=8, frameon=False, fontsize=SMALL,
        handlelength=1.8, columnspacing=1.0,
    )  # fmt: skip
    note(
        figure,
        "Tokens but the first. Z: what attention reads; W = W_O W_V; A: the head's attention, U: an even one over the "
        f"tokens so far. Even heads: entropy of {EVEN} of the largest or more, on average. Patterns: a share of "
        f"{SHARE} or more of the first token, the token itself, the one before. Below right: squares X and Z, circles "
        "what the head writes, triangles the sums.",
    )
    return figure


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _by_layer(panel: Axes, heads: Sequence[dict[str, Any]]) -> None:
    layers = sorted({row["layer"] for row in heads})
    for name, look in LINES.items():
        means = [np.mean([_number(row["cosines"][name]) for row in heads if row["layer"] == layer]) for layer in layers]
        panel.plot(layers, means, marker=".", markersize=2, **look)
    panel.set(xlabel="layer", ylabel="average cosine")
