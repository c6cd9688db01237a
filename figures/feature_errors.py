"""Fig. 2 of choromanski2021: the trigonometric features' mean squared error over the positive ones'."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.style import BLUE, SMALL, VERMILION, canvas, legend, note, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Angles between the two vectors, from 0 to pi without the ends, where one error is 0; and lengths.
ANGLES, LENGTHS = 60, 40
LONGEST = 2.0
#: Length of the vectors in the slice, and in the inset of both errors; features; angles that are sampled.
SLICE, SAMPLED, FEATURES = 1.0, Fraction(1, 2), 4
PLACES = (0.35, 0.7, 1.05, 1.4, 1.75, 2.1, 2.45, 2.8)
#: Vectors of a case are rounded to this denominator.
ROUNDED = 1000
#: Chance that any interval of the figure misses.
FAILURE = 1e-3


def data(
    *, seed: int = 0, angles: int = ANGLES, lengths: int = LENGTHS, places: Sequence[float] = PLACES
) -> dict[str, Any]:
    """log10 of the derived ratio over angle and length, where it is 1, a slice, and both errors with samples.

    The ratio does not change with the sign of the angle or of the length, nor with d or the number of features.
    """
    from proofs_check.report.curves import features as curves

    phi = [math.pi * (k + 0.5) / angles for k in range(angles)]
    sizes = [LONGEST * (k + 0.5) / lengths for k in range(lengths)]
    points = [
        point
        for kind in curves.CLAIMS
        for angle in places
        if (point := sampled(kind, angle, seed, len(places))) is not None
    ]
    return {
        "figure": "feature_errors",
        "where": "Figure 2",
        "claims": [*curves.CLAIMS.values(), f"{curves.PAPER}sec3.limit-positive"],
        "seed": seed,
        "failure": FAILURE,
        "angle": phi,
        "length": sizes,
        "log10 ratio": [[math.log10(curves.ratio(size, angle)) for angle in phi] for size in sizes],
        "slice": {"length": SLICE, "log10 ratio": [math.log10(curves.ratio(SLICE, angle)) for angle in phi]},
        "errors": {
            "length": str(SAMPLED),
            "features": FEATURES,
            **{
                kind: [curves.at_angle(kind, float(SAMPLED), angle, FEATURES) for angle in phi]
                for kind in curves.CLAIMS
            },
        },
        "points": points,
    }


def sampled(kind: str, angle: float, seed: int, places: int) -> dict[str, Any] | None:
    """An error sampled for two vectors of R^2, and derived; None where it would take too many walks."""
    from proofs_check.inputs.lookup import by_id
    from proofs_check.report.curves.features import CLAIMS
    from proofs_check.statements.at_case import exact_at, sampled_at
    from proofs_check.statements.measuring import TooDearError

    turned = [Fraction(round(ROUNDED * part), ROUNDED) for part in (math.cos(angle), math.sin(angle))]
    case: dict[str, Any] = {"d": 2, "T": FEATURES, "Sigma": [["1", "0"], ["0", "1"]]}
    case |= {"u": [str(SAMPLED), "0"], "v": [str(SAMPLED * part) for part in turned]}
    claim = by_id(CLAIMS[kind])
    delta = FAILURE / (len(CLAIMS) * places)
    try:
        found = sampled_at(claim, "value", case, seed=seed, delta=delta, mark=f"figure {angle:.6f}")
    except TooDearError:
        return None
    low, high = found.left
    derived = exact_at(claim, "value", case)[0]
    assert derived is not None
    return {"kind": kind, "angle": angle, "derived": float(derived), "low": low, "high": high, "walks": found.walks}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a cell of the map and a place of a curve."""
    found = [
        {"panel": "map", "length": size, "angle": angle, "value": value}
        for size, line in zip(drawn["length"], drawn["log10 ratio"], strict=True)
        for angle, value in zip(drawn["angle"], line, strict=True)
    ]
    curves = {"slice": (drawn["slice"]["length"], drawn["slice"]["log10 ratio"])}
    curves |= {kind: (float(Fraction(drawn["errors"]["length"])), drawn["errors"][kind]) for kind in KINDS}
    for name, (size, line) in curves.items():
        rows = zip(drawn["angle"], line, strict=True)
        found += [{"panel": name, "length": size, "angle": angle, "value": value} for angle, value in rows]
    return found


KINDS = {"trigonometric": VERMILION, "positive": BLUE}


def draw(drawn: dict[str, Any]) -> Figure:
    """The map with the line where both errors are equal, a slice of it, and both errors with what was sampled."""
    figure = canvas(3.4)
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.25, 1, 1))
    ratio = np.array(drawn["log10 ratio"])
    most = float(np.abs(ratio).max())
    image = left.pcolormesh(
        drawn["angle"], drawn["length"], ratio, cmap="RdBu", vmin=-most, vmax=most, shading="nearest", rasterized=True
    )
    left.contour(drawn["angle"], drawn["length"], ratio, levels=[0.0], colors="black", linewidths=1.2)
    left.set(xlabel="angle φ between x and y [rad]", ylabel="length of x and y")
    bar = figure.colorbar(image, ax=left, pad=0.02)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("log₁₀ of the ratio of errors", fontsize=SMALL)
    plain(left, grid=False)
    middle.plot(drawn["angle"], drawn["slice"]["log10 ratio"], color="0.2", linewidth=1.6)
    middle.axhline(0.0, color="0.6", linewidth=0.8)
    middle.set(xlabel="angle φ [rad]", ylabel=f"log₁₀ of the ratio,\nlength {drawn['slice']['length']:g}")
    plain(middle)
    handles = []
    for kind, color in KINDS.items():
        handles.append(right.plot(drawn["angle"], drawn["errors"][kind], color=color, linewidth=1.6)[0])
        own = [point for point in drawn["points"] if point["kind"] == kind]
        centres = [(point["low"] + point["high"]) / 2 for point in own]
        bars = [(point["high"] - point["low"]) / 2 for point in own]
        style = {"fmt": "o" if kind == "positive" else "s", "color": color, "markersize": 3, "capsize": 2}
        right.errorbar([point["angle"] for point in own], centres, bars, linestyle="none", **style)
    told = f"mean squared error,\nlength {drawn['errors']['length']}, m = {drawn['errors']['features']}"
    right.set(xlabel="angle φ [rad]", ylabel=told)
    right.set_yscale("log")
    plain(right)
    legend(figure, handles, ["trigonometric features", "positive features"], 2)
    note(
        figure,
        "Ratio of the mean squared errors of trigonometric and of positive features, as derived: equal on the line,\n"
        "and to its left the positive ones lose. Right: both errors, with what was sampled (marks and intervals).",
    )
    return figure
