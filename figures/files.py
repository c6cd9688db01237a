"""The files of a figure: PNG and SVG, its caption as text, its data as JSON, its table as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from figures import FIGURES, MODEL_FIGURES, load

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def rendered(figure: Figure, suffix: str, name: str) -> bytes:
    """The figure as PNG or SVG, the same bytes for the same figure."""
    import matplotlib

    metadata: dict[str, Any] = {"Software": None} if suffix == ".png" else {"Date": None, "Creator": None}
    held = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "path", "font.family": "DejaVu Sans"}):
        figure.savefig(held, format=suffix[1:], dpi=200, metadata=metadata)
    return held.getvalue()


def tabulated(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as CSV: a column for every key of any row in the order met, empty where a row has no value."""
    held = io.StringIO()
    writer = csv.DictWriter(held, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return held.getvalue().encode()


def made(name: str, seed: int) -> dict[str, bytes]:
    """The files of a figure by their names."""
    import matplotlib

    matplotlib.use("Agg")
    if name in FIGURES:
        module = load(name)
        drawn, draw, table = module.data(seed=seed), module.draw, module.table
    else:
        from figures import evidence

        drawn, draw, table = evidence.data(name, seed=seed), evidence.draw, evidence.table
    return _files(name, drawn, draw, table)


def of_model(found: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of the figures of a model, by their names, from what ``twofold measure`` found."""
    import matplotlib

    matplotlib.use("Agg")
    files: dict[str, bytes] = {}
    for name in MODEL_FIGURES if found["heads"] else ():
        module = load(name)
        files |= _files(name, module.data(found), module.draw, module.table)
    return files


def _files(
    name: str,
    drawn: dict[str, Any],
    draw: Callable[[dict[str, Any]], Figure],
    table: Callable[[dict[str, Any]], list[dict[str, Any]]],
) -> dict[str, bytes]:
    text = json.dumps(drawn, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # what is drawn is what was saved
    saved = json.loads(text)
    figure = draw(saved)
    files = {name + suffix: rendered(figure, suffix, name) for suffix in (".png", ".svg")}
    if caption := str(figure.get_label()):
        files[name + ".txt"] = f"{caption}\n".encode()
    return {**files, name + ".json": text.encode(), name + ".csv": tabulated(table(saved))}
