"""How the tests of figures read a drawing, its data, and the print that it shows."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy import special

STATEMENTS = Path(__file__).parents[2] / "theorems" / "bao2024" / "statements.toml"


@cache
def stated(claim: str) -> dict[str, Any]:
    """A claim as the statements hold it."""
    claims = tomllib.loads(STATEMENTS.read_text(encoding="utf-8"))["claim"]
    (found,) = (entry for entry in claims if entry["id"] == claim)
    return dict(found)


def printed(claim: str, quantity: str) -> Callable[..., Any]:
    """A printed formula as a function, evaluated by Python itself."""
    code = compile(stated(claim)["printed"][quantity], "printed", "eval")
    known = {"__builtins__": {}, "erf": special.erf, "sqrt": np.sqrt, "exp": np.exp, "log": np.log}
    return lambda **table: eval(code, known, table)


def numbers(value: Any) -> Iterator[float]:
    """Every number at the leaves."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for held in value:
            yield from numbers(held)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def bars_of(axes: Axes) -> list[ErrorbarContainer]:
    return [held for held in axes.containers if isinstance(held, ErrorbarContainer)]


def ends_of(bars: ErrorbarContainer) -> Any:
    return np.array(bars.lines[2][0].get_segments())


# several tests look at one figure, and drawing it takes longest
@lru_cache(maxsize=8)
def texts(figure: Figure) -> list[tuple[Text, Any]]:
    """Every text that is seen, with its box in pixels."""
    page = FigureCanvasAgg(figure)
    page.draw()  # type: ignore[no-untyped-call]
    renderer = page.get_renderer()  # type: ignore[no-untyped-call]
    shown = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible() and text.get_text()]
    hidden = {
        tick.label2
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks() + axis.get_minor_ticks()
    }
    outside = set()
    for axes in figure.axes:
        # ticks beyond the limits keep their labels but are not drawn
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(limits)
            ticks = axis.get_major_ticks() + axis.get_minor_ticks()
            outside |= {tick.label1 for tick in ticks if not low - 1e-9 <= tick.get_loc() <= high + 1e-9}
    kept = [text for text in shown if text not in hidden and text not in outside]
    return [(text, text.get_window_extent(renderer)) for text in kept]


def faults(figure: Figure) -> list[str]:
    """Texts that are too small, cut off or on top of each other."""
    found, held = [], texts(figure)
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in held:
        if float(text.get_fontsize()) < 8:
            found.append(f"{text.get_text()!r} is of {text.get_fontsize()} points")
        if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height:
            found.append(f"{text.get_text()!r} is cut off")
    for (one, a), (two, b) in itertools.combinations(held, 2):
        if a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1:
            found.append(f"{one.get_text()!r} is on top of {two.get_text()!r}")
    return found
