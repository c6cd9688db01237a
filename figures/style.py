"""How the theory figures look: colours that colour-blind readers tell apart, line styles, type of 8 points or more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure

#: Okabe and Ito's colours.
ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7"
BLACK, GREY = "#000000", "#767676"
#: Width of a page's text in inches, and the size of type in points.
WIDTH, SMALL, NORMAL = 7.0, 8.0, 9.0

#: The curves by what they show: colour, line style and width each different.
CURVES: Mapping[str, Mapping[str, Any]] = {
    "printed": {"color": VERMILION, "linestyle": (0, (5, 2)), "linewidth": 1.6},
    "derived": {"color": BLUE, "linestyle": "-", "linewidth": 2.0},
    "exact": {"color": ORANGE, "linestyle": (0, (1, 1.2)), "linewidth": 1.8},
    "finite": {"color": GREEN, "linestyle": (0, (6, 1.5, 1, 1.5)), "linewidth": 1.1},
}


def canvas(height: float, gap: float = 0.04) -> Figure:
    """An empty figure as wide as a page's text; ``gap`` inches are kept free on either side of its panels."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=gap))


def plain(panel: Axes, *, grid: bool = True) -> None:
    """Small ticks, no box, a faint grid."""
    panel.tick_params(labelsize=SMALL, length=3, pad=2)
    panel.xaxis.label.set_fontsize(SMALL)
    panel.yaxis.label.set_fontsize(SMALL)
    panel.spines[["top", "right"]].set_visible(False)
    if grid:
        panel.grid(color="0.9", linewidth=0.6)
        panel.set_axisbelow(True)


def logarithmic(panel: Axes, axis: str, values: Iterable[float]) -> None:
    """Make an axis logarithmic, where any of its values has a place there."""
    if any(value > 0 for value in values):
        panel.set(**{f"{axis}scale": "log"})


def points(panel: Axes, where: Sequence[float], found: Mapping[str, Any], **style: Any) -> ErrorbarContainer:
    """Simulated frequencies with their intervals (``estimate``, ``low``, ``high``)."""
    middle = np.array(found["estimate"])
    ends = np.stack([middle - np.array(found["low"]), np.array(found["high"]) - middle])
    shown: dict[str, Any] = {"color": BLACK, "fmt": "o", "markersize": 2.6, "capsize": 1.6, "elinewidth": 0.8}
    return panel.errorbar(where, middle, yerr=ends, **{**shown, **style})


def legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str], columns: int) -> None:
    """One legend for all panels, above them."""
    figure.legend(
        list(handles),
        list(labels),
        loc="outside upper center",
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handlelength=2.8,
        columnspacing=1.4,
    )


def note(figure: Figure, text: str) -> None:
    """The caption, which stands beside the picture and not in it: the figure's label, written to a file of its own."""
    figure.set_label(" ".join(text.split()))


def rows(
    shared: Mapping[str, Any], across: str, where: Sequence[Any], **columns: Sequence[Any]
) -> list[dict[str, Any]]:
    """A table's rows, one a point: the shared columns, then the place under the name ``across``, then the others."""
    return [
        {**shared, across: place, **{name: values[k] for name, values in columns.items()}}
        for k, place in enumerate(where)
    ]


def simulated_rows(shared: Mapping[str, Any], where: Sequence[float], found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of simulated frequencies with their intervals."""
    return rows(shared, "theta", where, value=found["estimate"], low=found["low"], high=found["high"])
