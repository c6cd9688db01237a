"""R(l) between attention to oneself (l = 0) and to all tokens alike (l = 1), in every regime, derived and simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, BLUE, GREEN, NORMAL, ORANGE, canvas, legend, note, plain, points, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Panels by beta t1/t2: inside the three regimes and on the two boundaries, as exact numbers.
SLOPES = ("1", "0", "-1/2", "-1", "-3/2")
COUNTS = (2, 4, 16)
#: Where R is largest is drawn over these beta t1/t2; points are simulated where it is inside.
INSIDE = ("-9/10", "-3/4", "-3/5", "-9/20", "-3/10", "-3/20")
LAWS = ("gaussian", "mixture")
#: Tokens in R^2 about a common mean, B not a multiple of I, W not symmetric.
TOKENS: Mapping[str, Any] = {"L": [["1", "0"], ["1/2", "1"]], "m": ["1", "-1/2"], "law": "gaussian"}
HEAD: Mapping[str, Any] = {"W": [["1", "3/4"], ["-1/4", "1/2"]], "beta": "1"}
SETS, PLACES, RESOLUTION = 8000, 9, 100
#: Chance that any interval of the figure misses.
FAILURE = 1e-3


def data(
    *,
    seed: int = 0,
    slopes: Sequence[str] = SLOPES,
    counts: Sequence[int] = COUNTS,
    inside: Sequence[str] = INSIDE,
    sets: int = SETS,
) -> dict[str, Any]:
    """A panel for every beta t1/t2 with a curve and points for every k; and where R is largest, over beta t1/t2."""
    from fractions import Fraction

    from proofs_check.report.curves import smoothing as curves
    from proofs_check.report.curves.points import columns

    each = FAILURE / (len(slopes) * len(counts) * PLACES + len(inside))
    levels = np.linspace(0, 1, RESOLUTION + 1).tolist()
    panels = []
    for slope in slopes:
        cases = [curves.at_slope({"k": k, **TOKENS, **HEAD}, Fraction(slope)) for k in counts]
        at = curves.read(cases[0])
        across, up = curves.plane(at)
        lines = [
            curves.ratio_curve(
                case,
                levels=levels,
                places=np.linspace(0, 1, PLACES).tolist(),
                laws=LAWS,
                n=sets,
                failure=each,
                seed=seed,
            )
            for case in cases
        ]
        panels.append(
            {
                "slope": slope,
                "beta t1": across,
                "t2": up,
                "region": curves.region(at),
                "place": curves.place(cases[0]),
                "beta": cases[0]["beta"],
                "W": cases[0]["W"],
                "lines": lines,
            }
        )
    middle = {"k": counts[len(counts) // 2], **TOKENS, **HEAD}
    grid = [Fraction(k, 40) for k in range(-60, 21)]
    return {
        "figure": "smoothing_ratio",
        "where": "Section 5, fragment [47]",
        "seed": seed,
        "laws": list(LAWS),
        "sets": sets,
        "failure": FAILURE,
        "tokens": dict(TOKENS),
        "panels": panels,
        "maximum": {
            "k": middle["k"],
            "slope": [float(slope) for slope in grid],
            "derived": [curves.place(curves.at_slope(middle, slope)) for slope in grid],
            "simulated": {
                "slope": [float(Fraction(slope)) for slope in inside],
                **columns(
                    [
                        curves.place_of_maximum(
                            curves.at_slope(middle, Fraction(slope)), n=sets, failure=each, seed=seed
                        )
                        for slope in inside
                    ]
                ),
                "exact": [curves.place(curves.at_slope(middle, Fraction(slope))) for slope in inside],
            },
        },
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point of every curve and of every simulated ratio with its interval."""
    found = []
    for panel in drawn["panels"]:
        for line in panel["lines"]:
            shared = {"panel": f"beta t1 = {panel['slope']} t2", "k": line["k"]}
            found += rows({**shared, "curve": "derived"}, "level", line["level"], value=line["derived"])
            held = line["simulated"]
            found += rows(
                {**shared, "curve": "simulated"},
                "level",
                held["level"],
                value=held["estimate"],
                low=held["low"],
                high=held["high"],
                law=held["law"],
            )
    held = drawn["maximum"]
    shared = {"panel": "place of the maximum", "k": held["k"]}
    found += rows({**shared, "curve": "derived"}, "slope", held["slope"], value=held["derived"])
    points_ = held["simulated"]
    found += rows(
        {**shared, "curve": "simulated"},
        "slope",
        points_["slope"],
        value=points_["estimate"],
        low=points_["low"],
        high=points_["high"],
    )
    return found


#: How the lines look, by the number of tokens.
LOOKS: Sequence[Mapping[str, Any]] = (
    {"color": BLUE, "linestyle": "-", "linewidth": 1.8},
    {"color": ORANGE, "linestyle": (0, (5, 1.5)), "linewidth": 1.8},
    {"color": GREEN, "linestyle": (0, (1.2, 1.2)), "linewidth": 2.0},
)
MARKERS = ("o", "^", "s")
TITLES = {"rises": "R rises", "falls": "R falls", "between": "inner maximum"}


def titled(panel: Mapping[str, Any]) -> str:
    """What a panel shows, in the sign of beta t1 against 0 and -t2."""
    slope = panel["slope"].replace("-", "−").replace("1/2", "½")
    size = {"1": "t₂", "−1": "−t₂", "0": "0"}.get(slope, f"{slope} t₂")
    return f"β t₁ = {size}: {TITLES[panel['region']]}"


def draw(drawn: dict[str, Any]) -> Figure:
    """Two rows of three panels: R(l) in every regime, and last the place of the maximum."""
    from matplotlib.lines import Line2D

    panels = drawn["panels"]
    across = -(-(len(panels) + 1) // 2)
    figure = canvas(4.9)
    axes = figure.subplots(2, across, squeeze=False)
    handles: list[Any] = []
    for held, panel in zip(axes.flat, panels, strict=False):
        handles = _ratios(held, panel, drawn["laws"])
        held.set_title(titled(panel), fontsize=NORMAL)
        held.set(xlim=(-0.04, 1.04), xlabel="λ")
        held.set_xticks([0, 0.5, 1], ["0", "½", "1"])
        held.margins(y=0.08)
        plain(held)
    for row in axes:
        row[0].set_ylabel("R(λ)")
    last = axes.flat[len(panels)]
    _maximum(last, drawn["maximum"])
    for held in list(axes.flat)[len(panels) + 1 :]:
        held.set_axis_off()
    labels = [f"derived, k = {line['k']}" for line in panels[0]["lines"]]
    for law, marker in zip(drawn["laws"], MARKERS, strict=False):
        handles.append(Line2D([], [], color=BLACK, marker=marker, markersize=4, linestyle="none", markerfacecolor="w"))
        labels.append(f"simulated, {law} tokens")
    handles.append(Line2D([], [], color=BLACK, marker="D", markersize=6, linestyle="none", markerfacecolor="none"))
    labels.append("derived maximum")
    legend(figure, handles, labels, 3)
    told = (
        "R(λ) = E[Yᵢᵀ Yⱼ]/E|Yᵢ|², Yᵢ = β zᵢ + W((1 − λ) zᵢ + λ z̄), t₁ = tr BW, t₂ = tr BWᵀW. "
        f"Each point: {drawn['sets']} sets of k tokens.\n"
        f"Bars: normal intervals by the delta method, at a joint level of {1 - drawn['failure']:g}. "
        "Last panel: where R is largest."
    )
    note(figure, told)
    return figure


def _ratios(axes: Axes, panel: Mapping[str, Any], laws: Sequence[str]) -> list[Any]:
    """Curves, points and the maximum of one panel; returns the curves' handles."""
    handles = []
    for line, look in zip(panel["lines"], LOOKS, strict=False):
        handles += axes.plot(line["level"], line["derived"], **look)
        held = line["simulated"]
        for law, marker in zip(laws, MARKERS, strict=False):
            some = [k for k, used in enumerate(held["law"]) if used == law]
            found = {name: [held[name][k] for k in some] for name in ("estimate", "low", "high")}
            style = {"color": look["color"], "fmt": marker, "markersize": 3.6, "markerfacecolor": "w", "zorder": 4}
            points(axes, [held["level"][k] for k in some], found, **style)
        if panel["region"] == "between":
            axes.plot([panel["place"]], [line["top"]], "D", color=BLACK, markersize=6, markerfacecolor="none", zorder=6)
    if panel["region"] == "between":
        axes.axvline(panel["place"], color="0.6", linestyle=":", linewidth=1.0, zorder=0)
    return handles


def _maximum(axes: Axes, held: Mapping[str, Any]) -> None:
    axes.plot(held["slope"], held["derived"], color=BLUE, linewidth=1.8)
    points(axes, held["simulated"]["slope"], held["simulated"], markersize=3.6, zorder=4)
    for edge in (-1, 0):
        axes.axvline(edge, color="0.6", linestyle=":", linewidth=1.0, zorder=0)
    axes.set_title(f"place of the maximum, k = {held['k']}", fontsize=NORMAL)
    axes.set(xlabel="β t₁/t₂", ylabel="λ where R is largest", ylim=(-0.06, 1.06))
    axes.set_xticks([-1.5, -1, -0.5, 0, 0.5], ["−1.5", "−1", "−0.5", "0", "0.5"])
    axes.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    plain(axes)
