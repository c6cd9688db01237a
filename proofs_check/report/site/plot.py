"""The simulated cases as one small drawing: intervals, what is derived and what is printed, each case in its own unit.

The unit of a case is half its interval's width, so that cases of any size share an axis, which is logarithmic away
from 0. Positions are distances from the derived value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from proofs_check.claims.report import Case
from proofs_check.report.site.numbers import finite, number
from proofs_check.report.telling import against

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 640, 150, 24, 22, 28, 34
#: Distances beyond this many units are drawn at the edge.
FAR = 1e6
#: Rows that are drawn; a table has all.
MOST = 40


def bent(distance: float) -> float:
    """Where a distance is drawn: linear below 1, logarithmic beyond."""
    size = min(abs(distance), FAR)
    return math.copysign(size if size <= 1 else 1 + math.log10(size), distance)


def _unit(low: float, high: float, derived: float) -> float:
    return (high - low) / 2 or abs(derived) * 1e-15 or 1e-15


def rows(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """The cases that can be drawn: distances from the derived value in units, with their numbers."""
    found = []
    for place, case in enumerate(map(against, cases), 1):
        values = {key: finite(case[key]) for key in ("printed", "derived", "estimate", "low", "high")}
        derived, estimate = values["derived"], values["estimate"]
        if derived is None or estimate is None:
            continue
        low = estimate if values["low"] is None else values["low"]
        high = estimate if values["high"] is None else values["high"]
        unit = _unit(low, high, derived)
        row: dict[str, Any] = {"place": place, "case": case}
        for key, value in (("low", low), ("high", high), ("estimate", estimate), ("printed", values["printed"])):
            row[key] = None if value is None else (value - derived) / unit
        if all(row[key] is None or math.isfinite(row[key]) for key in ("low", "high", "estimate", "printed")):
            found.append(row)
    return found


def drawn(cases: Sequence[Case], name: str) -> Markup:
    """The drawing as SVG, "" where no case has numbers to draw. ``name`` makes its ids unique on the page."""
    found = rows(cases)[:MOST]
    if not found:
        return Markup("")
    most = max(abs(bent(row[key] or 0.0)) for row in found for key in ("low", "high", "estimate", "printed"))
    reach = max(1.5, math.ceil(most * 1.04))
    scale = (WIDTH - LEFT - RIGHT) / (2 * reach)
    middle = LEFT + reach * scale

    def x(distance: float) -> str:
        return f"{middle + bent(distance) * scale:.1f}"

    height = TOP + ROW * len(found) + BOTTOM
    away = sum(1 for row in found if row["printed"] is not None and not row["low"] <= row["printed"] <= row["high"])
    some = sum(1 for row in found if row["printed"] is not None)
    told = f"{len(found)} cases; the printed value lies outside the interval in {away} of {some}."
    out = [
        Markup(
            '<svg class="plot" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{n}-title {n}-desc">'
            '<title id="{n}-title">Intervals of the cases against the derived and the printed values</title>'
            '<desc id="{n}-desc">{told} The table below has the numbers.</desc>'
        ).format(w=WIDTH, h=height, n=name, told=told)
    ]
    bottom = TOP + ROW * len(found)
    powers = [0, *range(int(reach))]
    step = max(1, math.ceil(len(powers) / 7))
    ticks = sorted({0.0, *(sign * 10.0**power for power in powers[1::step] for sign in (-1, 1))})
    for tick in ticks:
        label = "0" if tick == 0 else f"{tick:+.0f}" if abs(tick) < 1000 else f"{tick:+.0e}".replace("e+0", "e")
        out.append(
            Markup(
                '<line class="{k}" x1="{x}" x2="{x}" y1="{a}" y2="{b}"/><text class="tick" x="{x}" y="{t}">{l}</text>'
            ).format(k="zero" if tick == 0 else "grid", x=x(tick), a=TOP - 6, b=bottom, t=bottom + 14, l=label)
        )
    for place, row in enumerate(found):
        out.append(_row(row, TOP + ROW * place + ROW / 2, x))
    out.append(
        Markup(
            '<text class="axis" x="{m}" y="{y}">distance from the derived value, in half-widths of the interval</text>'
            "</svg>"
        ).format(m=f"{middle:.1f}", y=height - 4)
    )
    return Markup("").join(out)


def _row(row: Mapping[str, Any], y: float, x: Any) -> Markup:
    case = row["case"]
    quantity = case["quantity"] if len(case["quantity"]) <= 14 else ""
    label = f"case {row['place']}" + (f", {quantity}" if quantity else "")
    parts = [
        Markup(
            '<g><title>{}: estimate {}, derived {}, printed {}</title><text class="label" x="8" y="{}">{}</text>'
        ).format(label, *(number(case[key]) for key in ("estimate", "derived", "printed")), f"{y + 4:.1f}", label),
        Markup('<line class="bar" x1="{}" x2="{}" y1="{y}" y2="{y}"/>').format(
            x(row["low"]), x(row["high"]), y=f"{y:.1f}"
        ),
    ]
    for end in ("low", "high"):
        parts.append(
            Markup('<line class="bar" x1="{x}" x2="{x}" y1="{a}" y2="{b}"/>').format(
                x=x(row[end]), a=f"{y - 4:.1f}", b=f"{y + 4:.1f}"
            )
        )
    parts.append(Markup('<circle class="estimate" cx="{}" cy="{}" r="3.2"/>').format(x(row["estimate"]), f"{y:.1f}"))
    if row["printed"] is not None:
        outside = not row["low"] <= row["printed"] <= row["high"]
        at = float(x(row["printed"]))
        parts.append(
            Markup('<path class="printed {}" d="M{} {}l8 8m0 -8l-8 8"/>').format(
                "outside" if outside else "inside", f"{at - 4:.1f}", f"{y - 4:.1f}"
            )
        )
    return Markup("").join([*parts, Markup("</g>")])
