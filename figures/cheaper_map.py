"""Which pattern is cheaper over the number of groups and lam: certified signs, and where it is shown in general."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, GREY, NORMAL, SMALL, VERMILION, canvas, legend, note, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The inner product of nuisances of different groups, as an exact number, and the dormant tokens of a group.
FAMILIES = (("0", 2), ("1/2", 2), ("9/10", 2), ("1", 2))
GROUPS = (1, 2, 3, 4, 6, 8, 16)
#: lam = 1/STEPS, ..., (STEPS - 1)/STEPS, then bisections of the boundaries and of the ends of the condition.
STEPS, HALVINGS, FINEST = 16, 3, 5
#: Ratios from here on have the darkest colour.
LARGEST = 4.0


def data(
    *,
    seed: int = 0,
    families: Sequence[tuple[str, int]] = FAMILIES,
    groups: Sequence[int] = GROUPS,
    steps: int = STEPS,
    halvings: int = HALVINGS,
    finest: int = FINEST,
) -> dict[str, Any]:
    """A map for every family: a column for every C, of cells that each tell of one lam. Nothing is random."""
    from fractions import Fraction

    from proofs_check.report.curves import cost as curves

    lams = [Fraction(k, steps) for k in range(1, steps)]
    ends = Fraction(1, 2 * steps), 1 - Fraction(1, 2 * steps)
    kept = {"halvings": halvings, "finest": finest}
    return {
        "figure": "cheaper_map",
        "where": "Section 7",
        "seed": seed,
        "conditions": curves.sufficient(),
        "lam": [float(end) for end in ends],
        "panels": [
            {
                "overlap": float(Fraction(overlap)),
                "n": n,
                "columns": [curves.column(C, Fraction(overlap), lams, ends, n=n, **kept) for C in groups],
            }
            for overlap, n in families
        ],
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a cell with its sign and the bounds of the ratio; one row a stretch of lam where the condition holds."""
    found = []
    for panel in drawn["panels"]:
        for column in panel["columns"]:
            shared = {"panel": _title(panel), "overlap": panel["overlap"], "n": panel["n"], "C": column["C"]}
            for cell in column["cells"]:
                ends = {"value": cell["ratio_low"], "low": cell["ratio_low"], "high": cell["ratio_high"]}
                told = {"cheaper": cell["cheaper"], "shown": cell["shown"]}
                found.append({**shared, "curve": "cell, diagonal/sink", "lam": cell["lam"], **ends, **told})
            for low, high in column["stated"]:
                found.append({**shared, "curve": "stated condition, lam", "value": low, "low": low, "high": high})
    return found


def _title(panel: Mapping[str, Any]) -> str:
    return {0: "orthogonal", 1: "shared"}.get(panel["overlap"], f"overlap {panel['overlap']:g}")


def draw(drawn: dict[str, Any]) -> Figure:
    """A map beside the other, one scale of colours for all."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure = canvas(4.0)
    panels = drawn["panels"]
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    scale = ScalarMappable(LogNorm(1 / LARGEST, LARGEST), "PuOr")
    for held, panel in zip(axes, panels, strict=True):
        _map(held, panel["columns"], drawn["lam"], scale)
        held.set_title(_title(panel), fontsize=NORMAL)
        held.set(xlabel="groups C", ylim=drawn["lam"])
        counts = [column["C"] for column in panel["columns"]]
        held.set_xticks(range(len(counts)), [str(C) for C in counts])
        plain(held, grid=False)
    axes[0].set_ylabel("λ")
    bar = figure.colorbar(scale, ax=list(axes), pad=0.01, aspect=30, extend="both")
    ticks = {0.25: "¼", 0.5: "½", 1.0: "1", 2.0: "2", 4.0: "4"}
    bar.set_ticks(list(ticks), labels=list(ticks.values()))
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("least cost, diagonal/sink", fontsize=SMALL)
    handles = [
        Line2D([], [], color=BLACK, linewidth=1.4),
        Patch(facecolor="w", edgecolor=GREY, hatch=HATCH),
        Line2D([], [], **STATED),
        Patch(facecolor=UNDECIDED, edgecolor=BLACK, hatch="xxx"),
    ]
    labels = ["certified boundary", "shown by derived bounds", "stated condition", "undecided"]
    cells = [cell for panel in panels for column in panel["columns"] for cell in column["cells"]]
    entries = 3 + any(not cell["cheaper"] for cell in cells)
    legend(figure, handles[:entries], labels[:entries], entries)
    stated, simple = (_relation(drawn["conditions"][kind][-1]) for kind in ("stated", "derived"))
    told = (
        "Each cell: one instance, both least costs between certified bounds. Orange: the diagonal pattern is cheaper.\n"
        f"Stated condition, for every C and n: {stated}; derived to suffice: {simple}.\n"
        "Hatched: an explicit sink solution costs less than the derived lower bound of all diagonal ones.\n"
        "Nuisances: orthogonal across groups, overlapping by an inner product, or shared; "
        f"{' or '.join(sorted({str(panel['n']) for panel in panels}))} dormant tokens a group."
    )
    note(figure, told)
    return figure


HATCH, UNDECIDED = "////", "0.6"
STATED: Mapping[str, Any] = {"color": VERMILION, "linestyle": (0, (4, 1.5)), "linewidth": 1.6}


def _relation(text: str) -> str:
    told = text.replace("lam**2", "λ²").replace("delta2", "δ²")
    return told.replace(">=", "≥").replace("*", " ").replace("&", "and").replace(" - ", " − ")


def _map(axes: Axes, columns: Sequence[Mapping[str, Any]], ends: Sequence[float], scale: Any) -> None:
    """Cells in the colours of their ratios, their boundary, and where conditions hold."""
    for place, column in enumerate(columns):
        cells = column["cells"]
        low, high = (np.array([cell[end] for cell in cells]) for end in ("low", "high"))
        middle = [(cell["ratio_low"] * cell["ratio_high"]) ** 0.5 for cell in cells]
        open_ = [not cell["cheaper"] for cell in cells]
        colours = [UNDECIDED if here else scale.to_rgba(value) for here, value in zip(open_, middle, strict=True)]
        hatches = ["xxx" if here else "" for here in open_]
        axes.bar([place] * len(cells), high - low, 1.0, low, color=colours, hatch=hatches, linewidth=0)
        for cell in cells:
            if cell["shown"]:
                size = cell["high"] - cell["low"]
                axes.bar(place, size, 1.0, cell["low"], facecolor="none", edgecolor=GREY, hatch=HATCH, linewidth=0)
    signs = [[(cell["low"], cell["high"], cell["cheaper"]) for cell in column["cells"]] for column in columns]
    _lines(axes, outline(signs, ends), {"color": BLACK, "linewidth": 1.4})
    stated = [[(low, high, "yes") for low, high in column["stated"]] for column in columns]
    _lines(axes, outline(stated, ends), STATED)
    axes.set_xlim(-0.5, len(columns) - 0.5)


#: From one lam to another, and a label.
Stretch = tuple[float, float, str]


def _lines(axes: Axes, pieces: Sequence[Sequence[tuple[float, float]]], style: Mapping[str, Any]) -> None:
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection([list(piece) for piece in pieces], zorder=5, **style), autolim=False)


def outline(columns: Sequence[Sequence[Stretch]], ends: Sequence[float]) -> list[list[tuple[float, float]]]:
    """Pieces of the line between unlike labels, within the ends; the columns of stretches stand at 0, 1, ...."""
    found = []
    for place, column in enumerate(columns):
        for height in sorted({end for low, high, _ in column for end in (low, high)} - set(ends)):
            if _label(column, height, below=True) != _label(column, height, below=False):
                found.append([(place - 0.5, height), (place + 0.5, height)])
    for place, (left, right) in enumerate(pairwise(columns)):
        for low, high in _between(left, right):
            middle = (low + high) / 2
            if _label(left, middle) != _label(right, middle):
                found.append([(place + 0.5, low), (place + 0.5, high)])
    return found


def _between(*columns: Sequence[Stretch]) -> Iterator[tuple[float, float]]:
    """The stretches between all ends of the columns."""
    ends = sorted({end for column in columns for low, high, _ in column for end in (low, high)})
    return pairwise(ends)


def _label(column: Sequence[Stretch], height: float, below: bool = True) -> str:
    """The label at a height, or just above it; "" where there is none."""
    for low, high, label in column:
        if low < height <= high if below else low <= height < high:
            return label
    return ""
