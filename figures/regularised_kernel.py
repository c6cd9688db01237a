"""How far the regularised softmax kernel SMREG of choromanski2021 falls short of SM, over |x + y| and d."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLUE, GREEN, SMALL, VERMILION, canvas, legend, note, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Dimensions of the map, lengths of x + y and how many of them.
DIMENSIONS = tuple(2**k for k in range(1, 11))
LONGEST, LENGTHS = 6.0, 60
#: Dimensions of the curves and their colours, and the lengths at which they are sampled.
SHOWN = {2: VERMILION, 8: BLUE, 64: GREEN}
SAMPLED = (Fraction(1), Fraction(3, 2), Fraction(2))
#: The relative errors whose lines are drawn.
LEVELS = {0.01: "solid", 0.1: "dashed", 0.5: "dotted"}
#: Chance that any interval of the figure misses.
FAILURE = 1e-3


def data(
    *,
    seed: int = 0,
    dimensions: Sequence[int] = DIMENSIONS,
    lengths: int = LENGTHS,
    sampled: Sequence[Fraction] = SAMPLED,
) -> dict[str, Any]:
    """The derived 1 - SMREG/SM over d and |x + y|, which is all that it depends on, and samples of it."""
    from proofs_check.report.curves import features as curves

    sizes = [LONGEST * (k + 1) / lengths for k in range(lengths)]
    places = [(d, length) for d in SHOWN for length in sampled]
    points = [point for d, length in places if (point := _sampled(d, length, seed, len(places))) is not None]
    return {
        "figure": "regularised_kernel",
        "where": "Theorem 1",
        "claims": [curves.REGULARISED, f"{curves.PAPER}sec3.thm1-lower", f"{curves.PAPER}sec3.thm1-upper"],
        "seed": seed,
        "failure": FAILURE,
        "dimension": list(dimensions),
        "length": sizes,
        "error": [[curves.regularised_error(size, d) for size in sizes] for d in dimensions],
        "curves": {str(d): [curves.regularised_error(size, d) for size in sizes] for d in SHOWN},
        "points": points,
    }


def _sampled(d: int, length: Fraction, seed: int, places: int) -> dict[str, Any] | None:
    """The error sampled for x = y in R^d, and derived; None where it would take too many walks."""
    from proofs_check.inputs.lookup import by_id
    from proofs_check.report.curves.features import REGULARISED, regularised_error
    from proofs_check.statements.at_case import sampled_at
    from proofs_check.statements.measuring import TooDearError

    half = [str(length / 2), *["0"] * (d - 1)]
    unit = [[str(int(row == column)) for column in range(d)] for row in range(d)]
    case: dict[str, Any] = {"d": d, "T": 1, "Sigma": unit, "u": half, "v": half}
    try:
        found = sampled_at(
            by_id(REGULARISED), "value", case, seed=seed, delta=FAILURE / places, mark=f"figure {d} {length}"
        )
    except TooDearError:
        return None
    low, high = (1 - end for end in reversed(found.left))
    derived = regularised_error(float(length), d)
    return {"d": d, "length": float(length), "derived": derived, "low": low, "high": high, "walks": found.walks}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a cell of the map and a place of a curve."""
    lines = [("map", d, line) for d, line in zip(drawn["dimension"], drawn["error"], strict=True)]
    lines += [("curve", int(d), line) for d, line in drawn["curves"].items()]
    return [
        {"panel": panel, "d": d, "length": size, "value": value}
        for panel, d, line in lines
        for size, value in zip(drawn["length"], line, strict=True)
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """The map with lines of equal error, and curves of some dimensions with what was sampled."""
    figure = canvas(3.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    error = np.array(drawn["error"])
    image = left.pcolormesh(
        drawn["length"], drawn["dimension"], error, cmap="cividis_r", vmin=0, vmax=1, shading="nearest", rasterized=True
    )
    grid = (drawn["length"], drawn["dimension"], error)
    left.contour(*grid, levels=tuple(LEVELS), linestyles=tuple(LEVELS.values()), colors="black", linewidths=1.2)
    left.set(xlabel="|x + y|", ylabel="dimension d")
    left.set_yscale("log", base=2)
    bar = figure.colorbar(image, ax=left, pad=0.02)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("1 - SMREG/SM", fontsize=SMALL)
    plain(left, grid=False)
    handles = [left.plot([], [], linestyle=style, color="black", linewidth=1.2)[0] for style in LEVELS.values()]
    for (d, color), style in zip(SHOWN.items(), ("-", "--", ":"), strict=True):
        handles.append(right.plot(drawn["length"], drawn["curves"][str(d)], style, color=color, linewidth=1.6)[0])
        own = [point for point in drawn["points"] if point["d"] == d]
        ends = np.array([[point["low"], point["high"]] for point in own]).reshape(-1, 2)
        where, middle = [point["length"] for point in own], ends.mean(axis=1)
        right.errorbar(where, middle, middle - ends[:, 0], fmt="o", color=color, markersize=3, capsize=2)
    right.set(xlabel="|x + y|", ylabel="1 - SMREG/SM")
    plain(right)
    legend(figure, handles, [*(f"error {level:.0%}" for level in LEVELS), *(f"d = {d}" for d in SHOWN)], len(handles))
    note(
        figure,
        "How far the regularised kernel falls short of the softmax kernel, as derived: it depends on |x + y| and d\n"
        "alone, and no dimension bounds it for every x and y. Right: some dimensions, with samples (marks, intervals).",
    )
    return figure
