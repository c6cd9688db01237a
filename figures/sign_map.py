"""Figs. 8 and 9 in theory: heads by beta tr(BW) and tr(B W^T W), and what averaging does to their outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, NORMAL, SMALL, canvas, legend, note, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Heads of every kind of W under every law, and the sets of tokens that each is tried on.
EACH, SETS = 15, 1500
#: The last one has the tokens of a set on one ray, so that their cosine can only fall.
RAYS = "rays"
LAWS = ("gaussian", "centred", "student", "tails", RAYS)
#: Chance that any interval of the figure misses.
FAILURE = 1e-3
#: Changes from here on have the darkest colour.
LARGEST = 0.4
NAMES = {"cosine": "average cosine", "ratio": "R"}


def data(*, seed: int = 0, each: int = EACH, laws: Sequence[str] = LAWS, sets: int = SETS) -> dict[str, Any]:
    """Heads with their places, regions and simulated changes from l = 0 to l = 1; the derived lines between regions.

    ``counts`` says how many heads the regions hold, and how many changes are significantly of the other sign: than the
    region says, than R(1) - R(0), and the first under the law of tokens on rays.
    """
    from proofs_check.report.curves import sign as curves
    from proofs_check.report.curves.smoothing import boundaries

    kinds = [(kind, law) for kind in curves.KINDS for law in laws] * each
    failure = FAILURE / (2 * len(kinds))
    heads = []
    for index, (kind, law) in enumerate(kinds):
        case = curves.random_case(kind, law, seed, index)
        told = {"kind": kind, "law": law, "k": case["k"], "d": len(case["m"])}
        heads.append({**told, **curves.head(case, n=sets, failure=failure, seed=seed)})
    return {
        "figure": "sign_map",
        "where": "Figures 8 and 9",
        "seed": seed,
        "sets": sets,
        "failure": FAILURE,
        "boundaries": boundaries(),
        "heads": heads,
        "counts": {
            "heads": len(heads),
            **{region: sum(head["region"] == region for head in heads) for region in REGIONS},
            "wrong": {name: sum(head["wrong"][name] for head in heads) for name in NAMES},
            "wrong ends": {name: sum(head["wrong ends"][name] for head in heads) for name in NAMES},
            "wrong on rays": {
                name: sum(head["wrong"][name] for head in heads if head["law"] == RAYS) for name in NAMES
            },
        },
    }


#: The regions by their names in the data.
REGIONS: Mapping[str, str] = {"rises": "R rises", "between": "R has its maximum inside", "falls": "R falls"}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head and change: its place, what is derived, and the simulated change with its interval."""
    columns = ("kind", "law", "k", "d", "x", "y", "region", "ends", "derived")
    return [
        {
            "panel": name,
            "curve": "head",
            **{column: head[column] for column in columns},
            "value": head[name]["estimate"],
            "low": head[name]["low"],
            "high": head[name]["high"],
            "wrong": head["wrong"][name],
        }
        for name in NAMES
        for head in drawn["heads"]
    ]


#: Lines by how often they bound a region: the conditions' lines, then the one between ends.
LINES: Sequence[Mapping[str, Any]] = ({"linestyle": "-"}, {"linestyle": (0, (6, 2))}, {"linestyle": (0, (1.2, 1.4))})


#: The maps reach at least this far up, so that the regions can be named.
LEAST = 4.0
TICKS = (0, 0.25, 1, 2, 3, 4, 6, 8)


def draw(drawn: dict[str, Any]) -> Figure:
    """Two maps of the same heads: by the change of the average cosine, and by that of R."""
    from matplotlib.colors import SymLogNorm
    from matplotlib.lines import Line2D

    figure = canvas(4.8)
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    norm = SymLogNorm(0.02, vmin=-LARGEST, vmax=LARGEST)
    heads, counts = drawn["heads"], drawn["counts"]
    high = 1.08 * max(LEAST, *(head["y"] for head in heads))
    image = None
    for panel, name in zip(axes, NAMES, strict=True):
        lines = _map(panel, drawn["boundaries"], high)
        for marker, some in (
            ("o", [head for head in heads if head["law"] != RAYS]),
            ("^", [head for head in heads if head["law"] == RAYS]),
        ):
            change = [head[name]["estimate"] for head in some]
            x, y = ([head[axis] for head in some] for axis in ("x", "y"))
            style: dict[str, Any] = {
                "cmap": "PuOr_r",
                "s": 15,
                "marker": marker,
                "edgecolors": "0.35",
                "linewidths": 0.3,
                "zorder": 3,
            }
            image = panel.scatter(x, y, c=change, norm=norm, **style)
        wrong = [head for head in heads if head["wrong"][name]]
        x, y = ([head[axis] for head in wrong] for axis in ("x", "y"))
        panel.plot(x, y, "o", color=BLACK, markersize=7, markerfacecolor="none", markeredgewidth=0.9, zorder=4)
        of_regions = counts["rises"] + counts["falls"]
        panel.set_title(f"{NAMES[name]}: {len(wrong)} of {of_regions} on the wrong side", fontsize=NORMAL)
        panel.set_xlabel("β tr(BW)/(β² tr B)")
        plain(panel)
    axes[0].set_ylabel("tr(BWᵀW)/(β² tr B)")
    assert image is not None
    bar = figure.colorbar(image, ax=list(axes), pad=0.01, aspect=30, extend="both")
    ticks = [-0.4, -0.1, -0.02, 0, 0.02, 0.1, 0.4]
    bar.set_ticks(ticks, labels=[f"{tick:g}".replace("-", "−") for tick in ticks])
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("simulated change from λ = 0 to λ = 1", fontsize=SMALL)
    dots: dict[str, Any] = {"linestyle": "none", "markerfacecolor": "none"}
    handles = [
        *lines,
        Line2D([], [], marker="o", color="0.35", markersize=4, **dots),
        Line2D([], [], marker="^", color="0.35", markersize=4, **dots),
        Line2D([], [], marker="o", color=BLACK, markersize=7, **dots),
    ]
    labels = [line_name(line["line"]) for line in drawn["boundaries"]] + ["head", "tokens on rays", "wrong side"]
    legend(figure, handles, labels, 3)
    told = (
        f"{len(heads)} simulated heads Yᵢ = β zᵢ + W((1 − λ) zᵢ + λ z̄), each on {drawn['sets']} sets of tokens; "
        "t₁ = tr BW, t₂ = tr BWᵀW.\n"
        "Wrong side: R is derived to rise (fall) on all of [0, 1], and the change is below (above) 0, by normal\n"
        f"intervals at a joint level of {1 - drawn['failure']:g}. Of the cosines on the wrong side {_share(counts)} of "
        "tokens on rays,\nzᵢ = sᵢ x with sᵢ > 0. No head can be in the grey part (Cauchy–Schwarz)."
    )
    note(figure, told)
    return figure


def line_name(line: str) -> str:
    """A boundary in the letters of the paper."""
    return line.replace("*", " ").replace("beta", "β").replace("t1", "t₁").replace("t2", "t₂").replace("-", "−")


def _share(counts: Mapping[str, Any]) -> str:
    some, every = counts["wrong on rays"]["cosine"], counts["wrong"]["cosine"]
    return "all are" if some == every else f"{some} of {every} are"


def _root(y: Any) -> Any:
    return np.sqrt(np.maximum(y, 0))


def _map(panel: Axes, boundaries: Sequence[Mapping[str, Any]], high: float) -> list[Any]:
    """The derived lines, the names of the regions and the part where no head can be; returns the lines' handles."""
    # upwards in the scale of |W|, in which the grey part has straight edges
    wide, up = 1.04 * high**0.5, np.linspace(0, high**0.5, 200) ** 2
    panel.set_yscale("function", functions=(_root, np.square))
    panel.set_yticks([y for y in TICKS if y < high], [f"{y:g}" for y in TICKS if y < high])
    # tr(BW)^2 <= tr(B) tr(B W^T W)
    for side in (-1, 1):
        panel.fill_betweenx(up, side * up**0.5, side * wide, color="0.9", linewidth=0, zorder=0)
    handles = []
    for line, look in zip(boundaries, LINES, strict=False):
        a, b = line["weights"]
        handles += panel.plot(-b / a * up, up, color=BLACK, linewidth=1.2, zorder=2, **look)
    panel.set(xlim=(-wide, wide), ylim=(0, high))
    box = {"facecolor": "w", "edgecolor": "none", "alpha": 0.75, "pad": 1}
    panel.text(0.5 * wide, 0.93 * high, "R rises", fontsize=SMALL, ha="center", va="center", bbox=box, zorder=5)
    panel.text(-0.35 * wide, 0.93 * high, "R(1) > R(0)", fontsize=SMALL, ha="center", va="center", bbox=box, zorder=5)
    arrow = {"arrowstyle": "-", "linewidth": 0.8}
    told: dict[str, Any] = {"fontsize": SMALL, "ha": "center", "va": "center", "arrowprops": arrow, "zorder": 5}
    panel.annotate("R(1) < R(0)", xy=(-1.1, 1.5), xytext=(-0.74 * wide, 0.12 * high), **told)
    panel.annotate("R falls", xy=(-0.5, 0.36), xytext=(-0.66 * wide, 0.02 * high), **told)
    return handles
