"""How alike a model's tokens are before each layer (lampert2026, Figs. 1, 2, 4, 5 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from figures.style import BLACK, BLUE, CURVES, GREY, NORMAL, SKY, canvas, legend, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data(found: dict[str, Any]) -> dict[str, Any]:
    """The cosines of every layer, the ratio of expectations and how far it can be off, and by the context's length."""
    keys = ("layer", "cosine", "ratio", "bound", "sink_cosine", "contexts")
    rows = [{key: row[key] for key in keys} | {"written": _written(found["heads"], row)} for row in found["layers"]]
    return {"figure": "model_cosines", "where": "lampert2026, Figures 1, 2, 4, 5 and 7", "rows": rows}


def _written(heads: list[dict[str, Any]], layer: dict[str, Any]) -> dict[str, float] | None:
    """The average cosine of X + WZ and its approximation, mean over the heads of a layer."""
    pairs = [(row["cosines"]["X + WZ"], row["ratio"]) for row in heads if row["layer"] == layer["layer"]]
    known = [pair for pair in pairs if None not in pair]
    return {
        name: sum(v) / len(v) for name, v in zip(("cosine", "ratio"), zip(*known, strict=True), strict=False)
    } or None


def table(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a layer."""
    return [
        {
            "layer": row["layer"],
            **{f"cosine {key}": value for key, value in row["cosine"].items()},
            "ratio": row["ratio"],
            "bound": row["bound"],
            **{f"sink {key}": value for key, value in row["sink_cosine"].items()},
            **{
                f"{name} of {tokens} tokens": value
                for name in ("cosine", "ratio")
                for tokens, value in zip(row["contexts"]["tokens"], row["contexts"][name], strict=True)
            },
            **{f"X + WZ {name}": (row["written"] or {}).get(name) for name in ("cosine", "ratio")},
        }
        for row in drawn["rows"]
    ]


def draw(drawn: dict[str, Any]) -> Figure:
    """The first token's cosine with others; the average cosine beside its approximation, also by the context's length
    and with what the heads write."""
    figure = canvas(5.4)
    (left, right), (shorter, written) = figure.subplots(2, 2)
    rows = drawn["rows"]
    at = [row["layer"] for row in rows]
    sink = {key: [row["sink_cosine"][key] for row in rows] for key in ("low", "cosine", "high")}
    shade = left.fill_between(at, sink["low"], sink["high"], color=SKY, alpha=0.35, linewidth=0)
    (line,) = left.plot(at, sink["cosine"], color=CURVES["derived"]["color"], linewidth=1.6)
    left.set_title("first token with the others, as attention reads them", fontsize=NORMAL)
    ratio, bound = ([row[key] for row in rows] for key in ("ratio", "bound"))
    band = right.fill_between(
        at,
        [max(-1.0, a - b) for a, b in zip(ratio, bound, strict=True)],
        [min(1.0, a + b) for a, b in zip(ratio, bound, strict=True)],
        color=GREY,
        alpha=0.2,
        linewidth=0,
    )
    (approximation,) = right.plot(at, ratio, **CURVES["printed"])
    (empirical,) = right.plot(at, [row["cosine"]["mean"] for row in rows], color=BLACK, linewidth=1.6)
    right.set_title("average over pairs, without the first token", fontsize=NORMAL)
    sizes = rows[0]["contexts"]["tokens"]
    for place, colour in enumerate((SKY, BLUE, BLACK)):
        for name, dashes in (("cosine", "-"), ("ratio", CURVES["printed"]["linestyle"])):
            values = [row["contexts"][name][place] for row in rows]
            shorter.plot(at, values, color=colour, linestyle=dashes, linewidth=1.2)
    shorter.set_title(f"the same over {sizes[0]}, {sizes[1]} and {sizes[2]} tokens (light to dark)", fontsize=NORMAL)
    some = [row for row in rows if row["written"]]
    for name, look in (("cosine", {"color": BLACK, "linewidth": 1.6}), ("ratio", CURVES["printed"])):
        written.plot([row["layer"] for row in some], [row["written"][name] for row in some], **look)
    written.set_title("X + WZ, mean over heads", fontsize=NORMAL)
    for panel in figure.axes:
        panel.set(xlabel="layer", ylabel="cosine similarity")
        plain(panel)
    legend(
        figure,
        [line, shade, empirical, approximation, band],
        ["mean", "5 % to 95 %", "average cosine", "E[x·x']/E|x|²", "as far as it can be off (derived)"],
        5,
    )
    return figure
