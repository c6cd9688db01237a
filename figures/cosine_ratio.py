"""Average cosine similarity against the ratio of expectations, over the dimension, for light and heavy tails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, BLUE, NORMAL, SKY, canvas, legend, note, plain, points, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LAWS = ("gaussian", "sphere", "mixture", "student")
DIMENSIONS = (2, 4, 8, 16, 32, 64, 128)
TOKENS, SETS = 8, 2000
#: Chance that any interval of the figure misses.
FAILURE = 1e-3


def data(
    *,
    seed: int = 0,
    laws: Sequence[str] = LAWS,
    dimensions: Sequence[int] = DIMENSIONS,
    tokens: int = TOKENS,
    sets: int = SETS,
) -> dict[str, Any]:
    """A panel for every law and every place in the attention step, over d."""
    from proofs_check.report.curves import cosine as curves

    each = FAILURE / (len(laws) * len(dimensions) * len(STEPS))
    panels = []
    for law in laws:
        lines = curves.cosine_lines(law, dimensions, k=tokens, n=sets, failure=each, seed=seed)
        panels += [{"law": law, "step": step, **line} for step, line in lines.items()]
    return {
        "figure": "cosine_ratio",
        "where": "Figures 2, 5 and 7",
        "seed": seed,
        "laws": list(laws),
        "d": list(dimensions),
        "k": tokens,
        "sets": sets,
        "failure": FAILURE,
        "constant": curves.constant(),
        "mixture": curves.mixture(),
        "panels": panels,
    }


#: What is looked at, by its name in the data.
STEPS: Mapping[str, str] = {"X": "X", "local": "X + WZ", "averaged": "X + W mean Z"}
TITLES = {"gaussian": "Gaussian", "sphere": "on the sphere", "mixture": "mixture", "student": "Student, 3 degrees"}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point: the simulated cosine with its interval, the derived ratio, and the bound of their distance."""
    found = []
    for panel in drawn["panels"]:
        shared = {"panel": f"{panel['law']}, {STEPS[panel['step']]}", "law": panel["law"], "step": panel["step"]}
        ends = {"low": panel["low"], "high": panel["high"]}
        found += rows({**shared, "curve": "cosine, simulated"}, "d", drawn["d"], value=panel["estimate"], **ends)
        found += rows({**shared, "curve": "ratio, derived"}, "d", drawn["d"], value=panel["ratio"])
        found += rows({**shared, "curve": "bound of the distance"}, "d", drawn["d"], value=panel["bound"])
    return found


def draw(drawn: dict[str, Any]) -> Figure:
    """A column of panels for each law, a row for each place in the attention step."""
    laws = drawn["laws"]
    figure = canvas(5.6)
    axes = figure.subplots(len(STEPS), len(laws), sharex=True, sharey=True, squeeze=False)
    handles: list[Any] = []
    for panel in drawn["panels"]:
        held = axes[list(STEPS).index(panel["step"]), laws.index(panel["law"])]
        handles = _curves(held, drawn["d"], panel)
    for held, law in zip(axes[0], laws, strict=True):
        held.set_title(TITLES.get(law, law), fontsize=NORMAL)
    for row, name in zip(axes, STEPS.values(), strict=True):
        row[0].set_ylabel(f"{name}\ncosine, ratio")
    for held in axes[-1]:
        held.set_xlabel("d")
    first = axes[0, 0]
    first.set_xscale("log", base=2)
    first.minorticks_off()
    shown = drawn["d"][::2]
    first.set_xticks(shown, [str(d) for d in shown])
    first.set(ylim=(-0.03, 1.03))
    first.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    for held in axes.flat:
        held.minorticks_off()
        plain(held)
    labels = [
        "average cosine, simulated",
        "R = E[Yᵢᵀ Yⱼ]/E|Yᵢ|², derived",
        f"R ± {drawn['constant']:g} E|1 − r²|, proved bound",
    ]
    legend(figure, handles, labels, 3)
    mixture = drawn["mixture"]
    told = (
        f"{drawn['k']} tokens zᵢ = e₁ + sᵢ gᵢ, gᵢ ~ N(0, I/d); mixture: sᵢ = {mixture['size']:g} in "
        f"{mixture['share']:.0%}, else 1; "
        "sphere: divided by the norm.\n"
        "W = I/2 + e₁ e₁ᵀ, β = 1, r = |Yᵢ|/√E|Yᵢ|². Shaded: where the bound allows the cosine, E|1 − r²| simulated.\n"
        f"Bars, most of them within the dots: normal intervals from {drawn['sets']} sets of tokens, at a joint level "
        f"of {1 - drawn['failure']:g}."
    )
    note(figure, told)
    return figure


def _curves(axes: Axes, d: Sequence[int], panel: Mapping[str, Any]) -> list[Any]:
    ratio, bound = np.array(panel["ratio"]), np.array(panel["bound"])
    shade = axes.fill_between(d, ratio - bound, ratio + bound, color=SKY, alpha=0.3, linewidth=0)
    (line,) = axes.plot(d, ratio, color=BLUE, linewidth=1.8)
    dots = points(axes, d, panel, color=BLACK, markersize=3.4, zorder=4)
    return [dots, line, shade]
