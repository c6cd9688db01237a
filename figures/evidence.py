"""One claim's evidence: at every case the simulated value with its interval, the derived value and the print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from figures import FigureError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRINTED, DERIVED, SAMPLED = "#D55E00", "#0072B2", "#000000"


def data(claim: str, *, seed: int = 0, effort: str = "quick") -> dict[str, Any]:
    """Judge a claim by its id and keep what was sampled, each case relative to its derived value.

    Deviations are (value - derived)/|derived|, or the plain difference where the derived value is 0. Raises FigureError
    where nothing was sampled.
    """
    from proofs_check.inputs.lookup import by_id
    from proofs_check.judging import runner
    from proofs_check.judging.options import Options

    report = runner.run_alone(by_id(claim), Options(effort=effort, seed=seed, device="cpu"))
    judged: Any = report["claims"][0]
    rows = []
    for case in judged["cases"]:
        if case["low"] is None or case["printed"] is None:
            continue
        derived = _number(case["derived"])
        size = abs(derived) or 1.0
        rows.append(
            {
                "label": _label(case["params"]) + ("" if len(judged["printed"]) == 1 else f"\n{case['quantity']}"),
                "estimate": (case["estimate"] - derived) / size,
                "low": (case["low"] - derived) / size,
                "high": (case["high"] - derived) / size,
                "printed": (_number(case["printed"]) - derived) / size,
            }
        )
    if not rows:
        raise FigureError(
            f"{claim}: nothing was sampled to draw ({judged['verdict']}: {judged['reason'] or 'no cases'})"
        )
    return {
        "figure": "evidence",
        "claim": claim,
        "verdict": judged["verdict"],
        "printed": judged["printed"],
        "exact": judged["symbolic"]["exact"],
        "power": judged["simulation"]["power"],
        "seed": seed,
        "rows": rows,
    }


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a value: at every case the simulated one with its interval, and the print, relative to the derived."""
    found: list[dict[str, Any]] = []
    for row in drawn["rows"]:
        shared = {"panel": drawn["claim"], "case": " ".join(row["label"].split())}
        ends = {"value": row["estimate"], "low": row["low"], "high": row["high"]}
        found += [{**shared, "curve": "simulated", **ends}, {**shared, "curve": "printed", "value": row["printed"]}]
    return found


def _number(text: str) -> float:
    top, _, below = str(text).partition("/")
    return float(top) / float(below or 1)


def _label(params: Mapping[str, Any]) -> str:
    parts = [f"{name} = {params[name]}" for name in ("d", "i", "j", "T") if name in params]
    return ", ".join(parts) + (", x1 = 0" if params.get("start") == "zero" else "")


def draw(drawn: dict[str, Any]) -> Figure:
    """The deviations case by case: dots with intervals are simulated, the line is derived, the crosses are printed."""
    from matplotlib.figure import Figure as Canvas

    rows = drawn["rows"]
    figure = Canvas(figsize=(7.5, 1.6 + 0.42 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(rows))[::-1]
    centre = np.array([row["estimate"] for row in rows])
    ends = np.array([[row["estimate"] - row["low"] for row in rows], [row["high"] - row["estimate"] for row in rows]])
    axes.axvline(0.0, color=DERIVED, linewidth=1.6, label="derived", zorder=1)
    axes.errorbar(
        centre, places, xerr=ends, fmt="o", color=SAMPLED, markersize=4, capsize=3, label="simulated", zorder=3
    )
    printed = [row["printed"] for row in rows]
    axes.plot(printed, places, "x", color=PRINTED, markersize=8, markeredgewidth=2, label="printed", zorder=2)
    axes.set_yticks(places, [row["label"] for row in rows], fontsize=8)
    axes.set_xlabel("(value - derived) / |derived|")
    if max(abs(value) for value in printed) > 20 * float(ends.max()) > 0:
        axes.set_xscale("symlog", linthresh=2 * float(ends.max()))
    axes.set_title(f"{drawn['claim']}: {drawn['verdict']}", fontsize=11)
    axes.legend(loc="best", fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    return figure
