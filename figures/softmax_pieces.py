"""Fig. 1: the softmax S(omega)_1 and its piecewise linear approximation for two-dimensional inputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLUE, NORMAL, SMALL, VERMILION, canvas, plain, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Scores are drawn between plus and minus this, at so many places a side; the cut at more.
REACH, PLACES, CUT = 4.0, 41, 161
LEVELS = 11


def data(*, seed: int = 0, places: int = PLACES) -> dict[str, Any]:
    """S(omega)_1 and max(0, min(1, <gamma^1, omega> + gamma^1_0)) on a grid, and along omega_1 - omega_2.

    The coefficients are the derived Taylor coefficients of the softmax at the origin, at T = 2. Nothing is random.
    """
    from proofs_check.report.curves import scores as curves

    side = np.linspace(-REACH, REACH, places)
    first, second = np.meshgrid(side, side)
    gap = np.linspace(-2 * REACH, 2 * REACH, CUT)
    return {
        "figure": "softmax_pieces",
        "where": "Figure 1",
        "seed": seed,
        "coefficients": curves.softmax_coefficients(2),
        "omega": side.tolist(),
        "grid": curves.softmax_pieces(np.stack([first, second], -1)),
        "cut": {"difference": gap.tolist(), **curves.softmax_pieces(np.stack([gap / 2, -gap / 2], -1))},
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point: of the grid with omega_1 and omega_2, of the cut with their difference."""
    side, cut = drawn["omega"], drawn["cut"]
    found = []
    for name in ("softmax", "pieces"):
        for second, line in zip(side, drawn["grid"][name], strict=True):
            found += rows({"panel": "plane", "curve": name, "omega_2": second}, "omega_1", side, value=line)
    for name in ("softmax", "pieces"):
        shared = {"panel": "cut", "curve": name}
        found += rows(shared, "omega_1 - omega_2", cut["difference"], value=cut[name])
    return found


def draw(drawn: dict[str, Any]) -> Figure:
    """Both functions over the plane, their difference, and a cut through all three."""
    figure = canvas(5.4, gap=0.1)
    panels = figure.subplots(2, 2)
    side, grid, cut = np.array(drawn["omega"]), drawn["grid"], drawn["cut"]
    soft, pieces = np.array(grid["softmax"]), np.array(grid["pieces"])
    largest = math.ceil(50 * float(np.max(np.abs(pieces - soft)))) / 50
    steps = np.linspace(-largest, largest, 2 * round(50 * largest) + 1)
    shown = (
        (panels[0, 0], soft, "(a) softmax S(ω)₁", "cividis", np.linspace(0, 1, LEVELS)),
        (panels[0, 1], pieces, "(b) piecewise linear S̃(ω)₁", "cividis", np.linspace(0, 1, LEVELS)),
        (panels[1, 0], pieces - soft, "(c) difference S̃(ω)₁ − S(ω)₁", "PuOr", steps),
    )
    for panel, values, title, colours, levels in shown:
        filled = panel.contourf(side, side, values, levels=levels, cmap=colours)
        panel.contour(side, side, values, levels=levels[1:-1], colors="0.25", linewidths=0.4, linestyles="-")
        bar = figure.colorbar(filled, ax=panel, ticks=levels[::2])
        bar.ax.set_yticklabels([f"{level:.2f}".replace("-", "−") for level in levels[::2]])
        bar.ax.tick_params(labelsize=SMALL)
        panel.set_aspect("equal")
        panel.set(xlabel="score ω₁", ylabel="score ω₂")
        panel.set_title(title, fontsize=NORMAL, loc="left")
    last = panels[1, 1]
    gap = cut["difference"]
    last.plot(gap, cut["softmax"], color=BLUE, linewidth=2.0, label="softmax S(ω)₁")
    last.plot(gap, cut["pieces"], color=VERMILION, linestyle=(0, (5, 2)), linewidth=1.8, label="piecewise S̃(ω)₁")
    difference = np.array(cut["pieces"]) - np.array(cut["softmax"])
    last.plot(gap, difference, color="0.35", linestyle=":", linewidth=1.6, label="difference")
    last.set(xlabel="ω₁ − ω₂", ylabel="weight of token 1", ylim=(-0.2, 1.08))
    last.set_title("(d) along ω₁ − ω₂", fontsize=NORMAL, loc="left")
    last.legend(frameon=False, fontsize=SMALL, loc="upper left", handlelength=2.4, borderpad=0.1)
    for panel in panels.flat:
        plain(panel, grid=panel is last)
    return figure
