"""Fig. 4: the printed lower bound (9) on the attention entropy beside the derived one, and the least entropy found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLACK, CURVES, NORMAL, SMALL, canvas, legend, note, plain, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLAIM = "bao2024.sec5.eq9"
#: Numbers of scores, one panel each: our choice, the caption names none.
LENGTHS = (16, 256, 4096)
#: Points of the curves, and norms at which the search looks for the least entropy.
RESOLUTION, FOUND = 241, 8
#: The panels' axes begin here, in nats, and the search looks where the least entropy is larger.
BOTTOM = 0.02
NAMES = {
    "printed": "printed bound (9)",
    "derived": "derived bound, T → ∞",
    "least": "least entropy at this T, exact",
    "leading": "ln T, the largest entropy there is",
}
STYLES = {
    "printed": CURVES["printed"],
    "derived": CURVES["derived"],
    "least": CURVES["exact"],
    "leading": {"color": "0.4", "linestyle": ":", "linewidth": 1.2},
}


def data(*, seed: int = 0, lengths: Sequence[int] = LENGTHS, found: int = FOUND) -> dict[str, Any]:
    """For every T: the print, the derived bound, the least entropy, ln T and entropies found, in nats, over nu."""
    from proofs_check.checks.eventual import curves
    from proofs_check.claims.pairing import Pair
    from proofs_check.inputs.lookup import by_id

    claim = by_id(CLAIM)
    norms = {T: np.linspace(0.0, 2 * math.log(T) + 8, RESOLUTION).tolist() for T in lengths}
    formulas, lines = curves(Pair(claim), norms, found, 1.5 * BOTTOM, seed)
    return {
        "figure": "entropy_bound",
        "claim": claim.id,
        "where": claim.where,
        "seed": seed,
        "unit": "nats",
        "lengths": list(lengths),
        "formulas": formulas,
        "lines": lines,
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a point: panel (T), curve, nu and the entropy in nats."""
    held = []
    for line in drawn["lines"]:
        shared = {"panel": f"T = {line['T']}", "T": line["T"]}
        for name, words in NAMES.items():
            held += rows({**shared, "curve": words}, "nu", line["nu"], value=line[name])
        found = line["found"]
        held += rows({**shared, "curve": "least entropy found"}, "nu", found["nu"], value=found["value"])
    return held


def draw(drawn: dict[str, Any]) -> Figure:
    """A panel for each length, entropy on a logarithmic axis against nu, with one legend above."""
    figure = canvas(3.5)
    panels = figure.subplots(1, len(drawn["lines"]), squeeze=False)[0]
    top = 2 * max(max(line["printed"]) for line in drawn["lines"])
    handles: list[Any] = []
    for panel, line in zip(panels, drawn["lines"], strict=True):
        handles = _panel(panel, line)
        panel.set(xlim=(0, line["nu"][-1]), ylim=(BOTTOM, top))
        panel.set_yscale("log")
        panel.set_title(f"T = {line['T']}", fontsize=NORMAL)
        panel.set_xlabel("ν, norm of the scores")
        plain(panel)
    panels[0].set_ylabel("attention entropy [nats]")
    legend(figure, handles, [*NAMES.values(), "least entropy found by descent"], 3)
    note(
        figure,
        f"{drawn['where']}. No entropy lies above ln T, so a lower bound above it is false. "
        "The numbers of tokens T are our choice.",
    )
    return figure


def _panel(panel: Axes, line: dict[str, Any]) -> list[Any]:
    curves = [panel.plot(line["nu"], line[name], **STYLES[name])[0] for name in NAMES]
    found = panel.plot(
        line["found"]["nu"],
        line["found"]["value"],
        color=BLACK,
        linestyle="none",
        marker="o",
        markersize=4,
        markerfacecolor="white",
        zorder=5,
    )[0]
    worst = int(np.argmax(np.array(line["printed"]) - np.array(line["leading"])))
    nu, high, low = line["nu"][worst], line["printed"][worst], line["leading"][worst]
    if high > low:
        panel.annotate(
            f"{high / low:.3g} ln T",
            (nu, high),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=SMALL,
        )
    return [*curves, found]
