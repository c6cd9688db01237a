"""How far rho_i is from its Gaussian approximation: the largest error over the tokens, by d, T and spectrum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLUE, NORMAL, SMALL, VERMILION, canvas, legend, note, plain, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIMENSIONS = (2, 4, 8, 16, 32, 64, 128, 256)
LENGTHS = (4, 8, 16, 32, 64, 128, 256)
#: sqrt(tr(W^2))/lambda, from where on the text sees rho localise around the middle.
ETA = 0.5
#: Length of the walks whose errors are drawn over d, beside the bound.
SHOWN = 64

TITLES = {
    "equal": "all equal",
    "balanced": "half +1, half −1",
    "normal": "drawn from N(0, 1)",
    "dominant": "one dominant",
}


def data(
    *, seed: int = 0, dimensions: Sequence[int] = DIMENSIONS, lengths: Sequence[int] = LENGTHS, shown: int = SHOWN
) -> dict[str, Any]:
    """max_i |rho_i - Gaussian rho_i| for every spectrum, T and d: a row of each map is a T, a column a d.

    With the derived variance, with the printed one, and the proved bound for the derived one. The errors are measured
    against the exact law; the figure claims nothing beyond these spectra.
    """
    from proofs_check.report.curves import scores as curves

    maps = []
    for kind in curves.SPECTRA:
        spectra = [curves.named_spectrum(kind, d, ETA, seed) for d in dimensions]
        cells = [[curves.gaussian_error(spectrum, T) for spectrum in spectra] for T in lengths]
        columns = {name: [[cell[name] for cell in row] for row in cells] for name in ("derived", "printed", "bound")}
        worst = max(cell["numerical"] for row in cells for cell in row)
        maps.append({"spectrum": kind, **columns, "numerical": worst})
    return {
        "figure": "gaussian_error",
        "where": "Section 4, below Assumption 1",
        "seed": seed,
        "measured": "against the exact law; the bound alone is proved",
        "eta": ETA,
        "share": curves.DOMINANT,
        "d": list(dimensions),
        "T": list(lengths),
        "shown": shown,
        "maps": maps,
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a cell of every map: spectrum, variance (or bound), T, d and the value."""
    return [
        row
        for held in drawn["maps"]
        for name in ("derived", "printed", "bound")
        for T, line in zip(drawn["T"], held[name], strict=True)
        for row in rows(
            {"panel": held["spectrum"], "curve": name, "eta": drawn["eta"], "T": T}, "d", drawn["d"], value=line
        )
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """Maps over d and T with the derived and the printed variance, and below a cut at one T with the bound."""
    from matplotlib.colors import LogNorm

    figure = canvas(6.6)
    axes = figure.subplots(3, len(drawn["maps"]), height_ratios=(1, 1, 1.15))
    every = np.array([[held["derived"], held["printed"]] for held in drawn["maps"]])
    norm = LogNorm(float(every[every > 0].min()), float(every.max()))
    at = drawn["T"].index(drawn["shown"])
    image, handles = None, []
    for column, held in enumerate(drawn["maps"]):
        for panel, name in zip(axes[:2, column], ("derived", "printed"), strict=True):
            image = panel.imshow(np.array(held[name]), norm=norm, cmap="cividis", origin="lower", aspect="auto")
            panel.set_xticks(range(0, len(drawn["d"]), 2), [str(d) for d in drawn["d"][::2]])
            panel.set_yticks(range(0, len(drawn["T"]), 2), [str(T) for T in drawn["T"][::2]] if column == 0 else [])
            plain(panel, grid=False)
        axes[0, column].set_title(TITLES[held["spectrum"]], fontsize=NORMAL)
        axes[1, column].set_xlabel("d", fontsize=SMALL)
        below = axes[2, column]
        handles = [
            below.plot(drawn["d"], held["printed"][at], "s--", color=VERMILION, markersize=3, linewidth=1.4)[0],
            below.plot(drawn["d"], held["derived"][at], "o-", color=BLUE, markersize=3, linewidth=1.6)[0],
            below.plot(drawn["d"], held["bound"][at], ":", color="0.3", linewidth=1.6)[0],
        ]
        below.set_xscale("log", base=2)
        below.set_yscale("log")
        below.set(xlabel="d", ylim=(0.5 * float(every[every > 0].min()), 1.6))
        below.minorticks_off()
        below.set_xticks(drawn["d"][::2], [str(d) for d in drawn["d"][::2]])
        if column:
            below.set_yticklabels([])
        plain(below)
    for panel, name in zip(axes[:2, 0], ("derived", "printed"), strict=True):
        panel.set_ylabel(f"{name} variance\nT", fontsize=SMALL)
    axes[2, 0].set_ylabel(f"largest error at T = {drawn['shown']}", fontsize=SMALL)
    assert image is not None
    bar = figure.colorbar(image, ax=axes[:2, :].ravel().tolist(), pad=0.01, aspect=30)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("largest error over the tokens", fontsize=SMALL)
    legend(figure, handles, ["printed variance (measured)", "derived variance (measured)", "proved bound, derived"], 3)
    told = (
        f"Largest |ρᵢ of the exact law − Gaussian ρᵢ| over the tokens i, measured at η = √tr W²/λ = {drawn['eta']:g}.\n"
        f"One dominant: one eigenvalue holds {drawn['share']:.0%} of tr W², the others are equal."
    )
    note(figure, told)
    return figure
