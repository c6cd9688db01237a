"""The cases as one small drawing: intervals, what is derived and what is printed, each case in its own unit.

The unit of a case is half its interval's width, so that cases of any size share an axis, which is logarithmic away
from 0. Positions are distances from the derived value; of a property that holds or not, 1 is the other answer. Numbers
come from the report's ``numbers``; of a report that has none, from texts that are numbers themselves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from proofs_check.claims.report import Case
from proofs_check.report.site.numbers import finite, number
from proofs_check.report.telling import against, counted

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 680, 190, 24, 22, 28, 34
#: Distances beyond this many units are drawn at the edge.
FAR = 1e6
#: Rows that are drawn; a table has all.
MOST = 200
#: Words of a report that are no number but an answer.
ANSWERS = {"True": True, "False": False}


@dataclass
class Drawing:
    """The rows that are drawn, and how many cases are not, by the reason."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)

    @property
    def answers(self) -> bool:
        """Whether a row shows a property that holds or not."""
        return any(isinstance(row["shown"][1], bool) for row in self.rows)

    @property
    def outside(self) -> int:
        """In how many rows the printed value lies outside the interval."""
        return sum(map(_outside, self.rows))

    @property
    def enclosed(self) -> bool:
        """Whether a row's derived value is an enclosure."""
        return any(row["within"] for row in self.rows)


def _outside(row: Mapping[str, Any]) -> bool:
    return row["printed"] is not None and not row["low"] <= row["printed"] <= row["high"]


def bent(distance: float) -> float:
    """Where a distance is drawn: linear below 1, logarithmic beyond."""
    size = min(abs(distance), FAR)
    return math.copysign(size if size <= 1 else 1 + math.log10(size), distance)


def _unit(low: float, high: float, derived: float) -> float:
    if isinstance(derived, bool) and low == high:
        return 1.0
    return (high - low) / 2 or abs(derived) * 1e-15 or 1e-15


def rows(cases: Sequence[Case]) -> Drawing:
    """The cases that can be drawn: distances from the derived value in units, with their numbers; and the others."""
    found = Drawing()
    for place, case in enumerate(map(against, cases), 1):
        row = _row_of(case)
        if isinstance(row, str):
            found.left[row] += 1
        elif len(found.rows) == MOST:
            found.left[f"only {MOST} are drawn"] += 1
        else:
            found.rows.append({"place": place, "case": case} | row)
    return found


def _row_of(case: Case) -> dict[str, Any] | str:
    """Distances from the derived value in units; why there are none."""
    given = case.get("numbers") or case
    printed, derived = _read(given["printed"]), _read(given["derived"])
    estimate, low, high = (finite(case[key]) for key in ("estimate", "low", "high"))
    if derived is None:
        return "no finite value was derived" if case["derived"] is None else "the report has the derived value as text"
    if estimate is None:
        return "the interval has no finite middle"
    low, high = estimate if low is None else low, estimate if high is None else high
    unit = _unit(low, high, derived)
    values = {"low": low, "high": high, "estimate": estimate, "printed": printed}
    found: dict[str, Any] = {key: None if v is None else (v - derived) / unit for key, v in values.items()}
    if not all(value is None or math.isfinite(value) for value in found.values()):
        return "its numbers are too far apart"
    within = (finite(given.get("within")) or 0.0) / unit
    return found | {"within": within, "shown": (case["estimate"], derived, printed)}


def _read(value: Any) -> float | bool | None:
    if isinstance(value, bool):
        return value
    return ANSWERS[value] if isinstance(value, str) and value in ANSWERS else finite(value)


def remarks(found: Drawing, contradicts: bool = True, stated: str = "printed") -> list[str]:
    """What a caption has to add: what lies where, what is an answer, what an enclosure, and which cases are left out.

    ``contradicts`` says whether the check contradicts what is judged; a value outside is else one of a bound or limit.
    """
    told = []
    if found.rows and not contradicts and found.outside:
        told.append("A bound, or a limit, need not lie in the interval.")
    if found.rows and contradicts and not found.outside:
        told.append(f"The {stated} value fails at none of these cases, but at the counterexample.")
    if found.answers:
        told.append("Of a property the value is 1 where it holds and 0 where it does not.")
    if found.enclosed:
        told.append("A grey band is a derived enclosure, measured from its middle.")
    for reason, count in found.left.items():
        told.append(f"{counted(count, 'case')} {'is' if count == 1 else 'are'} not drawn: {reason}.")
    return told


def drawn(
    drawing: Drawing, name: str, tag: Callable[[str], Markup], stated: str = "printed", contradicts: bool = True
) -> Markup:
    """The drawing as SVG, "" where no case has numbers to draw. ``name`` makes its ids unique on the page.

    Of several quantities each row has its own, as ``tag`` typesets it; ``stated`` is the word for what is judged, whose
    values outside are marked as wrong where the check contradicts it.
    """
    found = drawing.rows
    if not found:
        return Markup("")
    most = max(abs(bent(row[key] or 0.0)) for row in found for key in ("low", "high", "estimate", "printed", "within"))
    reach = max(1.5, math.ceil(most * 1.04))
    scale = (WIDTH - LEFT - RIGHT) / (2 * reach)
    middle = LEFT + reach * scale

    def x(distance: float) -> str:
        return f"{middle + bent(distance) * scale:.1f}"

    height = TOP + ROW * len(found) + BOTTOM
    some = sum(1 for row in found if row["printed"] is not None)
    told = (
        f"{counted(len(found), 'case')}; the {stated} value lies outside the interval in {drawing.outside} of {some}."
    )
    out = [
        Markup(
            '<svg class="plot" viewBox="0 0 {w} {h}" role="img" aria-labelledby="{n}-title {n}-desc">'
            '<title id="{n}-title">Intervals of the cases against the derived and the {stated} values</title>'
            '<desc id="{n}-desc">{told} The table below has the numbers.</desc>'
        ).format(w=WIDTH, h=height, n=name, told=told, stated=stated)
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
    quantities = {row["case"]["quantity"].partition(", limit")[0] for row in found}
    tags = {quantity: Markup(", {}").format(tag(quantity)) if len(quantities) > 1 else "" for quantity in quantities}
    for place, row in enumerate(found):
        own = tags[row["case"]["quantity"].partition(", limit")[0]]
        out.append(_row(row, TOP + ROW * place + ROW / 2, x, own, stated, contradicts))
    out.append(
        Markup(
            '<text class="axis" x="{m}" y="{y}">distance from the derived value, in half-widths of the interval</text>'
            "</svg>"
        ).format(m=f"{middle:.1f}", y=height - 4)
    )
    return Markup("").join(out)


def _row(row: Mapping[str, Any], y: float, x: Any, tag: str | Markup, stated: str, contradicts: bool) -> Markup:
    parts = [
        # SVG has no mathematics of its own
        Markup(
            "<g><title>case {n}: estimate {}, derived {}, {stated} {}</title>"
            '<foreignObject x="8" y="{y}" width="{w}" height="{h}"><div class="tag">case {n}{tag}</div></foreignObject>'
        ).format(
            *(number(value) for value in row["shown"]),
            n=row["place"],
            y=f"{y - ROW / 2:.1f}",
            w=LEFT - 16,
            h=ROW,
            tag=tag,
            stated=stated,
        ),
        Markup('<path class="band" d="M{} {}H{}v8H{}z"/>').format(
            x(-row["within"]), f"{y - 4:.1f}", x(row["within"]), x(-row["within"])
        )
        if row["within"]
        else Markup(""),
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
        at = float(x(row["printed"]))
        parts.append(
            Markup('<path class="printed {}" d="M{} {}l8 8m0 -8l-8 8"/>').format(
                "outside" if contradicts and _outside(row) else "inside", f"{at - 4:.1f}", f"{y - 4:.1f}"
            )
        )
    return Markup("").join([*parts, Markup("</g>")])
