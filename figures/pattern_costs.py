"""Fig. 3 in theory: what the sink and the diagonal pattern cost a group, over the number of groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from figures.style import CURVES, GREY, NORMAL, canvas, legend, note, plain, points, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: lam and the inner product of nuisances of different groups, as exact numbers.
PANELS = (("1/2", "0"), ("4/5", "0"), ("4/5", "1"), ("9/10", "0"))
GROUPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
#: Numbers of groups that are searched on the tokens themselves, and the relative gap between the search's bounds.
SEARCHED, GAP = (1, 2, 3, 4), 1e-3


def data(
    *,
    seed: int = 0,
    panels: Sequence[tuple[str, str]] = PANELS,
    groups: Sequence[int] = GROUPS,
    searched: Sequence[int] = SEARCHED,
    gap: float = GAP,
) -> dict[str, Any]:
    """Costs of both patterns for every lam and overlap, in units of kappa/sqrt(d) and divided by C. None is random."""
    from fractions import Fraction

    from proofs_check.report.curves import cost as curves

    found = [
        curves.costs(Fraction(lam), Fraction(overlap), groups, searched=searched, gap=gap) for lam, overlap in panels
    ]
    return {
        "figure": "pattern_costs",
        "where": "Figure 3 and Section 7",
        "seed": seed,
        "gap": gap,
        "certified": max(
            (high - low) / high
            for panel in found
            for pattern in NAMES
            for low, high in zip(panel[pattern]["low"], panel[pattern]["high"], strict=True)
        ),
        "limits": {pattern: curves.limits_of(claim) for pattern, claim in curves.UPPER.items()},
        "panels": found,
    }


#: The patterns by their names in the data, and the curves of each: how they look and what they are.
NAMES: Mapping[str, str] = {"sink": "sink", "diag": "diagonal"}
LOOKS: Mapping[str, tuple[str, str]] = {
    "printed_high": ("printed", "printed bounds"),
    "printed_low": ("printed", ""),
    "construction": ("exact", "printed construction"),
    "bound_high": ("finite", "derived bounds, every C"),
    "bound_low": ("finite", ""),
    "low": ("derived", "least cost, certified"),
}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point of every curve; both ends for the least costs, certified and searched."""
    found = []
    for panel in drawn["panels"]:
        for pattern, name in NAMES.items():
            held = panel[pattern]
            shared = {"panel": _title(panel), "lam": panel["lam"], "overlap": panel["overlap"], "pattern": name}
            for key in LOOKS:
                if key in held and key != "low":
                    found += rows({**shared, "curve": key}, "C", panel["C"], value=held[key])
            for curve, where, ends in (
                ("least cost", panel["C"], held),
                ("search", held["searched"]["C"], held["searched"]),
            ):
                low, high = ends["low"], ends["high"]
                found += rows({**shared, "curve": curve}, "C", where, value=low, low=low, high=high)
    return found


def _title(panel: Mapping[str, Any]) -> str:
    family = {0: "orthogonal", 1: "shared"}.get(panel["overlap"], f"overlap {panel['overlap']:g}")
    return f"λ = {panel['lam']:g}, {family}"


def draw(drawn: dict[str, Any]) -> Figure:
    """A row of panels for each pattern, a column for each lam and overlap."""
    figure = canvas(5.0)
    panels = drawn["panels"]
    axes = figure.subplots(2, len(panels), sharex=True, sharey=True, squeeze=False)
    handles: dict[str, Any] = {}
    for row, (pattern, name) in zip(axes, NAMES.items(), strict=True):
        other = "diag" if pattern == "sink" else "sink"
        for held, panel in zip(row, panels, strict=True):
            (line,) = held.plot(panel["C"], panel[other]["low"], color=GREY, linewidth=1.0)
            handles = {**handles, **_costs(held, panel["C"], panel[pattern]), ORDER[-1]: line}
        row[0].set_ylabel(f"{name}: cost/C [κ/√d]")
    for held, panel in zip(axes[0], panels, strict=True):
        held.set_title(_title(panel), fontsize=NORMAL)
    for held in axes[-1]:
        held.set_xlabel("groups C")
    first = axes[0, 0]
    first.set_xscale("log", base=2)
    shown = [C for C in panels[0]["C"] if C & (C - 1) == 0]
    first.set_xticks(shown[::2], [str(C) for C in shown[::2]])
    first.set_ylim(bottom=0)
    for held in axes.flat:
        held.minorticks_off()
        plain(held)
    legend(figure, [handles[name] for name in ORDER], ORDER, 3)
    limits = {_relation(text) for texts in drawn["limits"].values() for text in texts}
    told = (
        "Attention map alone: 2 ‖W‖∗, W = W_QK. Two dormant tokens a group with opposite nuisances, those of different "
        "groups\northogonal or shared. The diagonal pattern's lower bound is the first reading of its print; the upper "
        "bounds are\n"
        f"claimed for {' and '.join(sorted(limits, reverse=True))}. Bounds of the least costs: certified ones at most "
        f"{power(drawn['certified'])} apart (relative), the search's {drawn['gap']:g}."
    )
    note(figure, told)
    return figure


#: The legend, column by column.
ORDER = (
    "printed bounds",
    "printed construction",
    "least cost, certified",
    "least cost, searched",
    "derived bounds, every C",
    "least cost of the other pattern",
)


def _relation(text: str) -> str:
    return text.replace("lam", "λ").replace(">=", "≥").replace("<=", "≤")


def power(value: float) -> str:
    """The power of ten at or above a number."""
    return "10" + str(math.ceil(math.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _costs(axes: Axes, groups: Sequence[int], held: Mapping[str, Any]) -> dict[str, Any]:
    """Curves and searched points of a pattern; returns the handles by their names in the legend."""
    handles: dict[str, Any] = {}
    for key, (look, name) in LOOKS.items():
        if key in held:
            (line,) = axes.plot(groups, held[key], **CURVES[look])
            if name:
                handles[name] = line
    found = held["searched"]
    ends = {"low": found["low"], "high": found["high"]}
    middle = [(low + high) / 2 for low, high in zip(ends["low"], ends["high"], strict=True)]
    style = {"markersize": 4.0, "markerfacecolor": "w", "zorder": 4}
    handles["least cost, searched"] = points(axes, found["C"], {"estimate": middle, **ends}, **style)
    return handles
