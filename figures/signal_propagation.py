"""Fig. 5: simulated rho_i beside the exact law, and the attention entropy, over means and scales of eigenvalues."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import (
    BLACK,
    BLUE,
    GREEN,
    NORMAL,
    ORANGE,
    SMALL,
    canvas,
    legend,
    note,
    plain,
    points,
    rows,
    simulated_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Means and scales of the eigenvalues of W_QK: our choice, the text lists none.
MEANS = (0.0, 0.1, 0.5)
SCALES = (0.01, 0.1, 1.0)
COVARIANCES = ("isotropic", "anisotropic")
#: As the caption and the text say.
DIMENSION, LENGTH, WALKS, DRAWS = 128, 40, 300, 10
FAILURE = 1e-3
#: Every so many tokens carries an interval.
EVERY = 4
LOOKS = (
    {"color": BLUE, "marker": "o"},
    {"color": ORANGE, "marker": "s"},
    {"color": GREEN, "marker": "^"},
)

EXACT: Mapping[str, Any] = {"color": BLACK, "linestyle": (0, (3, 2)), "linewidth": 1.0, "zorder": 5}


def data(
    *,
    seed: int = 0,
    means: Sequence[float] = MEANS,
    scales: Sequence[float] = SCALES,
    d: int = DIMENSION,
    T: int = LENGTH,
    walks: int = WALKS,
    draws: int = DRAWS,
) -> dict[str, Any]:
    """A line for each covariance, scale and mean: rho_i of every draw, their mean, the exact law's, the entropies."""
    from proofs_check.report.curves import scores as curves

    each = FAILURE / (len(COVARIANCES) * len(scales) * len(means) * T)
    lines = [
        curves.attention(mean, scale, covariance, d=d, T=T, walks=walks, draws=draws, failure=each, seed=seed)
        for covariance in COVARIANCES
        for scale in scales
        for mean in means
    ]
    return {
        "figure": "signal_propagation",
        "where": "Figure 5",
        "seed": seed,
        "means": list(means),
        "scales": list(scales),
        "covariances": list(COVARIANCES),
        "d": d,
        "T": T,
        "walks": walks,
        "draws": draws,
        "failure": FAILURE,
        "pairs": "chosen here: the text does not list the mean-scale pairs",
        "lines": lines,
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point: the mean rho_i with its interval, the exact law, every draw, and every entropy."""
    found = []
    for line in drawn["lines"]:
        told = {key: line[key] for key in ("covariance", "mean", "scale", "xi", "eta")}
        shared = {"panel": f"{line['covariance']}, scale = {line['scale']:g}", **told}
        found += simulated_rows({**shared, "curve": "simulated"}, line["theta"], line["simulated"])
        found += rows({**shared, "curve": "exact"}, "theta", line["theta"], value=line["exact"])
        for k, draw_ in enumerate(line["draws"]):
            found += rows({**shared, "curve": f"draw {k + 1}"}, "theta", line["theta"], value=draw_)
        shared["panel"] = f"{line['covariance']}, entropy"
        found += [{**shared, "curve": f"draw {k + 1}", "value": value} for k, value in enumerate(line["entropy"])]
    return found


def draw(drawn: dict[str, Any]) -> Figure:
    """A row for each covariance: rho_i for every scale, and the entropies on the right."""
    from matplotlib.lines import Line2D

    scales, rows_ = drawn["scales"], drawn["covariances"]
    figure = canvas(1.4 + 1.9 * len(rows_))
    axes = figure.subplots(len(rows_), len(scales) + 1, squeeze=False)
    handles: list[Any] = []
    for row, covariance in zip(axes, rows_, strict=True):
        lines = [line for line in drawn["lines"] if line["covariance"] == covariance]
        for panel, scale in zip(row[:-1], scales, strict=True):
            handles = _propagation(panel, [line for line in lines if line["scale"] == scale])
            panel.set(xlim=(0, 1.03), ylim=(-0.04, 1.06))
            panel.set_xticks([0, 0.5, 1], ["0", "½", "1"])
            panel.set_yticks([0, 0.5, 1], ["0", "½", "1"] if panel is row[0] else [])
        _entropies(row[-1], lines, drawn)
        row[0].set_ylabel(f"{covariance} Σ\nρᵢ")
        for panel in row:
            plain(panel)
    for panel, scale in zip(axes[0], scales, strict=False):
        panel.set_title(f"scale = {scale:g}", fontsize=NORMAL)
    axes[0, -1].set_title("attention entropy", fontsize=NORMAL)
    for panel in axes[-1, :-1]:
        panel.set_xlabel("θ = i/T", fontsize=SMALL)
    axes[-1, -1].set_xlabel("scale of eigenvalues", fontsize=SMALL)
    labels = [f"mean = {mean:g}" for mean in drawn["means"]] + ["exact law", "single draws of W_QK"]
    legend(figure, [*handles, Line2D([], [], color="0.55", linewidth=0.6)], labels, len(labels))
    told = (
        f"The means and scales of the eigenvalues of W_QK are our choice. d = {drawn['d']}, T = {drawn['T']}, λ = √d.\n"
        f"Bold: mean over {drawn['draws']} draws of {drawn['walks']} walks. Bars: binomial intervals of all hits, "
        f"at a joint level of {1 - drawn['failure']:g}.\n"
        f"Entropy: mean, least and largest of the draws; dotted: ln T."
    )
    note(figure, told)
    return figure


def _propagation(panel: Axes, lines: Sequence[dict[str, Any]]) -> list[Any]:
    handles = []
    for line, look in zip(lines, LOOKS, strict=False):
        theta, colour = line["theta"], look["color"]
        for one in line["draws"]:
            panel.plot(theta, one, color=colour, linewidth=0.5, alpha=0.35)
        panel.plot(theta, line["simulated"]["estimate"], color=colour, linewidth=2.2)
        some = range(EVERY - 1, len(theta), EVERY)
        found = {name: [values[k] for k in some] for name, values in line["simulated"].items()}
        style = {"color": colour, "fmt": look["marker"], "markersize": 3.4, "zorder": 4, "linestyle": "-"}
        handles.append(points(panel, [theta[k] for k in some], found, **style, linewidth=0))
    for line in lines:
        (exact,) = panel.plot(line["theta"], line["exact"], **EXACT)
    return [*handles, exact]


def _entropies(panel: Axes, lines: Sequence[dict[str, Any]], drawn: dict[str, Any]) -> None:
    for mean, look in zip(drawn["means"], LOOKS, strict=False):
        kept = [line for line in lines if line["mean"] == mean]
        middle = [float(np.mean(line["entropy"])) for line in kept]
        low, high = ([end(line["entropy"]) for line in kept] for end in (min, max))
        ends = {"estimate": middle, "low": low, "high": high}
        where = [line["scale"] for line in kept]
        points(panel, where, ends, color=look["color"], fmt=look["marker"], markersize=4, linestyle="-", linewidth=1.2)
    panel.axhline(math.log(drawn["T"]), color="0.4", linestyle=":", linewidth=1.0)
    panel.set_xscale("log")
    panel.set_ylim(0, 1.08 * math.log(drawn["T"]))
    panel.set_ylabel("entropy [nats]")
    panel.yaxis.set_label_position("right")
    panel.minorticks_off()
    panel.set_xticks(drawn["scales"], [f"{scale:g}" for scale in drawn["scales"]])
