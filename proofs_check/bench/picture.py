"""The roofline as SVG: normals a second over normals per byte of memory traffic, each tier a mark below the roofs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 74, 20, 44, 58
#: How far to the right the names of lines stand, and how far apart lines of text are at least.
NAMES, LINE_HEIGHT = 0.62, 13.0
#: Okabe and Ito's colours, and a shape each, by tier.
MARKS = {"literal": ("#D55E00", "square"), "fused": ("#0072B2", "circle"), "joint": ("#009E73", "triangle")}
#: Bytes moved to and from memory for a normal, where nothing stays in a cache: tier a writes and reads its float32
#: normals twice; tiers b and c write and read a float64 score a token.
LITERAL_BYTES = 12.0


def intensity(row: Mapping[str, Any]) -> float:
    """Normals per byte of a tier's traffic, by count."""
    if row["tier"] == "literal":
        return 1 / LITERAL_BYTES
    return float(row["normals a walk"] / (16.0 * row["T"]))


def _shape(kind: str, x: float, y: float, colour: str, open_: bool) -> str:
    paint = f'fill="{"white" if open_ else colour}" stroke="{colour}" stroke-width="1.6"'
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {paint}/>'
    if kind == "square":
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" {paint}/>'
    return f'<path d="M{x:.1f} {y - 6:.1f}L{x + 5.5:.1f} {y + 4.5:.1f}L{x - 5.5:.1f} {y + 4.5:.1f}Z" {paint}/>'


def free(line: float, taken: Sequence[float]) -> float:
    """Where a name of the line at this height stands and covers none of those at the heights taken: above, or below."""
    found = line - 4
    while any(abs(found - other) < LINE_HEIGHT for other in taken):
        found = max(found + 1, line + LINE_HEIGHT)
    return found


class _Axes:
    """Logarithmic axes over whole decades."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        self.x = (math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs)) + 1e-9))
        self.y = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)) + 1e-9))

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - self.x[0]) / max(1, self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / max(1, self.y[1] - self.y[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def drawn(self) -> list[str]:
        found = []
        for power in range(self.x[0], self.x[1] + 1):
            (x, low), (_, high) = self.at(10.0**power, 10.0 ** self.y[0]), self.at(10.0**power, 10.0 ** self.y[1])
            found.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="#ddd"/>')
            found.append(f'<text x="{x:.1f}" y="{low + 18:.1f}" text-anchor="middle">{10.0**power:g}</text>')
        for power in range(self.y[0], self.y[1] + 1):
            (left, y), (right, _) = self.at(10.0 ** self.x[0], 10.0**power), self.at(10.0 ** self.x[1], 10.0**power)
            found.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>')
            found.append(f'<text x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>')
        return found


def roofline(rows: Sequence[Mapping[str, Any]], limits: Mapping[str, Any]) -> str:
    """The picture of the tiers' rows that were measured, on ``limits`` of one core (see ``roofline.cpu``)."""
    tiers = [row for row in rows if row["kind"] == "tier" and row["status"] == "measured"]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
        'font-size="11"><title>Roofline of the tiers</title>'
        "<desc>Normals a second over normals per byte; each tier below the roofs of memory and arithmetic.</desc>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    )
    if not tiers:
        return head + f'<text x="{WIDTH / 2}" y="{HEIGHT / 2}" text-anchor="middle">nothing was measured</text></svg>\n'
    roofs = {
        "arithmetic, float and integer side by side": limits.get("side by side"),
        "arithmetic, one after the other": limits.get("in turn"),
    }
    own = [row for row in rows if row["kind"] == "generator" and row["status"] == "measured"]
    # tiers b and c share a generator
    names = dict.fromkeys(row["name"] for row in own)
    for name in [name for name in names if name != "joint normals" or "fused normals" not in names]:
        roofs[name + ", 1 thread"] = max(
            (row["normals a second"]["median"] for row in own if row["name"] == name and row["threads"] == 1),
            default=None,
        )
    flat = {name: value for name, value in roofs.items() if value}
    places = [(intensity(row), row["normals a second"]["median"]) for row in tiers]
    axes = _Axes([x for x, _ in places], [*(y for _, y in places), *flat.values()])
    found = [head, *axes.drawn()]
    left, right = 10.0 ** axes.x[0], 10.0 ** axes.x[1]
    taken: list[float] = []
    for k, (name, value) in enumerate(sorted(flat.items(), key=lambda roof: -roof[1])):
        (x0, y), (x1, _) = axes.at(left, value), axes.at(right, value)
        dash = ("", "6 3", "2 3", "8 3 2 3", "1 3")[k % 5]
        found.append(f'<path d="M{x0:.1f} {y:.1f}H{x1:.1f}" stroke="#333" stroke-dasharray="{dash}"/>')
        taken.append(free(y, taken))
        at = f'x="{x0 + NAMES * (x1 - x0):.1f}" y="{taken[-1]:.1f}" text-anchor="middle"'
        found.append(f'<text {at} fill="#333">{escape(name)}</text>')
    low, high = 10.0 ** axes.y[0], 10.0 ** axes.y[1]
    begin, end = max(left, low / limits["bandwidth"]), min(right, high / limits["bandwidth"])
    if begin < end:
        (x0, y0), (x1, y1) = (axes.at(x, x * limits["bandwidth"]) for x in (begin, end))
        found.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="#767676"/>')
        found.append(f'<text x="{x0 + 6:.1f}" y="{y0 - 6:.1f}" fill="#767676">memory, copied by one thread</text>')
    for row, (x, y) in zip(tiers, places, strict=True):
        colour, shape = MARKS[row["tier"]]
        here = axes.at(x, y)
        name = f"{row['name']}, T = {row['T']}, d = {row['d']}, {row['threads']} thread(s): {y:.3g} normals a second"
        found.append(f"<g><title>{escape(name)}</title>{_shape(shape, *here, colour, row['threads'] > 1)}</g>")
    for k, (tier, (colour, shape)) in enumerate(MARKS.items()):
        found.append(_shape(shape, LEFT + 6 + 110 * k, 22, colour, False))
        found.append(f'<text x="{LEFT + 18 + 110 * k}" y="26">{tier}</text>')
    found.append(f'<text x="{LEFT + 340}" y="26">filled: one thread, open: more</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    found.append(f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">normals per byte of memory traffic</text>')
    half = (TOP + HEIGHT - BOTTOM) / 2
    found.append(f'<text transform="translate(18 {half}) rotate(-90)" text-anchor="middle">normals a second</text>')
    return "\n".join(found) + "</svg>\n"
