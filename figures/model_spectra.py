"""The spectra of W = W_QK Sigma in a model (bao2024, Section 4: what localises attention)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.style import BLUE, NORMAL, VERMILION, canvas, logarithmic, note, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The traces of every head, and the absolute eigenvalues over the temperature, sorted, on average by layer."""
    scale = found["model"]["head_dim"] ** 0.5
    sizes: dict[int, list[list[float]]] = {}
    for row in found["heads"]:
        parts = zip(row["eigenvalues"]["real"], row["eigenvalues"]["imaginary"], strict=True)
        sizes.setdefault(row["layer"], []).append([abs(complex(*part)) / scale for part in parts])
    spectra = {str(layer): [sum(each) / len(each) for each in zip(*rows, strict=True)] for layer, rows in sizes.items()}
    keys = ("layer", "head", "xi", "eta", "trace", "trace_of_square")
    heads = [{key: row[key] for key in keys} | {"product": row["trace"] / scale} for row in found["heads"]]
    return {"figure": "model_spectra", "where": "bao2024, Section 4", "spectra": spectra, "heads": heads}


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a head."""
    return list(drawn["heads"])


def draw(drawn: dict[str, Any]) -> Figure:
    """Left: sorted sizes of eigenvalues, a curve a layer. Right: xi eta of every head over the layers."""
    from matplotlib import colormaps

    figure = canvas(3.2)
    left, right = figure.subplots(1, 2)
    layers = sorted(map(int, drawn["spectra"]))
    for layer in layers:
        values = drawn["spectra"][str(layer)]
        left.plot(
            range(1, len(values) + 1), values, color=colormaps["viridis"](layer / (max(layers) or 1)), linewidth=0.9
        )
    left.set(xlabel="rank", ylabel="|eigenvalue of W|/λ")
    logarithmic(left, "y", (value for values in drawn["spectra"].values() for value in values))
    left.set_title("sorted, mean over heads; dark: first layers", fontsize=NORMAL)
    right.plot(
        [row["layer"] for row in drawn["heads"]], [row["product"] for row in drawn["heads"]], "o", color=BLUE, ms=2.4
    )
    for threshold in (-2, 2):
        right.axhline(threshold, color=VERMILION, linestyle=(0, (5, 2)), linewidth=1.2)
    right.set_yscale("symlog", linthresh=0.1)
    right.set(xlabel="layer", ylabel="ξη = tr(W)/λ")
    right.set_title("every head", fontsize=NORMAL)
    for panel in (left, right):
        plain(panel)
    note(
        figure,
        "W = W_QK Σ, rotary distance 0. Lemma 2: as η → 0, ρ is local in the middle beyond the dashed lines.",
    )
    return figure
