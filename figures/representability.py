"""The probability that a sink can be represented, over the number of keys in units of d: derived and simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from figures.style import (
    BLACK,
    BLUE,
    GREEN,
    NORMAL,
    ORANGE,
    PURPLE,
    SMALL,
    VERMILION,
    canvas,
    note,
    plain,
    points,
    rows,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIMENSIONS = (2, 4, 8, 16)
#: N/d that is simulated, and up to which is drawn.
RATIOS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
DRAWS, FEW = 2000, 500
#: The masks, in a dimension where the d^2 entries of W are few.
MASKS = ("full", "causal", "window 3", "window 2")
MASK_DIMENSION, MASK_COUNTS, MASK_DRAWS = 3, (2, 4, 6, 8, 10, 12), 400
#: Chance that any interval of the figure misses.
FAILURE = 1e-3


def data(
    *,
    seed: int = 0,
    dimensions: Sequence[int] = DIMENSIONS,
    ratios: Sequence[float] = RATIOS,
    draws: int = DRAWS,
    few: int = FEW,
    masks: Sequence[str] = MASKS,
    counts: Sequence[int] = MASK_COUNTS,
    mask_draws: int = MASK_DRAWS,
) -> dict[str, Any]:
    """For every d the derived probability at every N, and frequencies in draws; for every mask frequencies in one d."""
    from proofs_check.report.curves import representability as curves

    each = FAILURE / (len(dimensions) * len(ratios) + len(masks) * len(counts))
    lines = []
    for d in dimensions:
        every = list(range(1, round(max(ratios) * d) + 1))
        some = sorted({round(ratio * d) for ratio in ratios if round(ratio * d) > 0})
        lines.append(
            {
                "d": d,
                "N": every,
                "derived": curves.probabilities(d, every),
                "simulated": curves.sphere_frequencies(d, some, n=draws, few=few, failure=each, seed=seed),
                "exact": curves.probabilities(d, some),
            }
        )
    every = list(range(1, max(counts) + 1))
    return {
        "figure": "representability",
        "where": "Section 4",
        "seed": seed,
        "draws": draws,
        "few": few,
        "failure": FAILURE,
        "lines": lines,
        "masks": {
            "d": MASK_DIMENSION,
            "draws": mask_draws,
            "N": every,
            "derived": curves.probabilities(MASK_DIMENSION, every),
            "lines": [
                {
                    "mask": mask,
                    "simulated": curves.mask_frequencies(
                        MASK_DIMENSION, counts, mask, draws=mask_draws, failure=each, seed=seed
                    ),
                }
                for mask in masks
            ],
        },
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point of every derived curve, and of every frequency with its interval."""
    found = []
    for line in drawn["lines"]:
        shared = {"panel": "full", "d": line["d"]}
        found += rows({**shared, "curve": "derived"}, "N", line["N"], value=line["derived"])
        found += _simulated(shared, line["simulated"])
    held = drawn["masks"]
    shared = {"panel": "masks", "d": held["d"]}
    found += rows({**shared, "curve": "derived, full"}, "N", held["N"], value=held["derived"])
    for line in held["lines"]:
        found += _simulated({**shared, "mask": line["mask"]}, line["simulated"])
    return found


def _simulated(shared: Mapping[str, Any], held: Mapping[str, Any]) -> list[dict[str, Any]]:
    ends = {"value": held["estimate"], "low": held["low"], "high": held["high"], "draws": held["draws"]}
    return rows({**shared, "curve": "simulated"}, "N", held["N"], **ends)


#: How the lines look, by d, and the points, by mask.
LOOKS: Sequence[Mapping[str, Any]] = (
    {"color": BLUE, "marker": "o", "linestyle": "-"},
    {"color": ORANGE, "marker": "s", "linestyle": (0, (5, 1.5))},
    {"color": GREEN, "marker": "^", "linestyle": (0, (1.2, 1.2))},
    {"color": VERMILION, "marker": "D", "linestyle": (0, (6, 1.5, 1, 1.5))},
)
MASK_LOOKS: Sequence[Mapping[str, Any]] = (
    {"color": BLACK, "fmt": "o", "markerfacecolor": "w"},
    {"color": BLUE, "fmt": "x", "markersize": 5},
    {"color": PURPLE, "fmt": "s"},
    {"color": GREEN, "fmt": "^"},
)
NAMES = {"full": "all keys", "causal": "keys j ≤ i"}


def draw(drawn: dict[str, Any]) -> Figure:
    """Left the probability for every d, all keys visible; right one d under every mask."""
    figure = canvas(3.5)
    left, right = figure.subplots(1, 2, sharey=True)
    for line, look in zip(drawn["lines"], LOOKS, strict=False):
        d = line["d"]
        left.plot(
            [N / d for N in line["N"]],
            line["derived"],
            color=look["color"],
            linestyle=look["linestyle"],
            linewidth=1.6,
            label=f"derived, d = {d}",
        )
        held = line["simulated"]
        style = {"color": look["color"], "fmt": look["marker"], "markersize": 3.6, "markerfacecolor": "w", "zorder": 4}
        points(left, [N / d for N in held["N"]], held, **style)
    left.plot([], [], "o", color=BLACK, markersize=3.6, markerfacecolor="w", label="simulated")
    left.set_title("all keys visible", fontsize=NORMAL)
    masks = drawn["masks"]
    d = masks["d"]
    right.plot([N / d for N in masks["N"]], masks["derived"], color="0.35", linewidth=1.6, label="derived, all keys")
    shift = 0.02 * max(masks["N"]) / d
    for place, (line, look) in enumerate(zip(masks["lines"], MASK_LOOKS, strict=False)):
        held, mask = line["simulated"], line["mask"]
        name = NAMES.get(mask, f"last {mask.removeprefix('window ')} keys")
        # side by side, so that none hides another
        where = [N / d + shift * (place - 1.5) for N in held["N"]]
        points(right, where, held, **{"markersize": 3.6, **look}, zorder=4, label=f"simulated, {name}")
    right.set_title(f"by mask, d = {d}", fontsize=NORMAL)
    for panel, most in ((left, max(line["N"][-1] / line["d"] for line in drawn["lines"])), (right, masks["N"][-1] / d)):
        panel.set(xlim=(0, 1.06 * most), ylim=(-0.04, 1.06), xlabel="N/d, keys in units of the dimension")
        panel.axvline(2, color="0.5", linestyle=":", linewidth=1.0, zorder=0)
        panel.set_xticks(range(round(most) + 1))
        panel.set_yticks([0, 0.5, 1], ["0", "½", "1"])
        plain(panel)
        # above the dotted line, below the points
        panel.legend(loc="lower left", fontsize=SMALL, framealpha=1, edgecolor="w", handlelength=2.4).set_zorder(1.5)
    left.set_ylabel("P(sink representable)")
    told = (
        "z₀ and N tokens, independent and uniform on the sphere in d dimensions; every token is a query. "
        "Dotted: N = 2d.\n"
        f"Bars: binomial intervals from {drawn['few']} to {drawn['draws']} draws (left) and {masks['draws']} (right), "
        f"all together right with probability {1 - drawn['failure']:g}."
    )
    note(figure, told)
    return figure
