"""What rests on what, as a drawing as wide as the page: claims in layers, from those that rest on nothing downwards.

Layers are longest paths, cut in two where they are too wide; what rests on nothing stands just above what rests on it.
Inside a layer claims stand at the mean of their neighbours, swept there and back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markupsafe import Markup

HIGH, GAP, SPACE = 28, 14, 44
#: How wide a drawing may be, and how wide the way of an edge through a layer is.
WIDEST, BEND = 1000.0, 12.0
#: Most letters of a label; how wide a node is beside them, and how wide a letter, about, in whatever font.
LETTERS, MARGIN = 20, 37
LETTER = {**dict.fromkeys("fijlrtI-.1", 4.6), **dict.fromkeys("mwMW", 10.0)}
SWEEPS = 12
ALONE = "Claims that rest on no other, and on which none rests"
Edge = tuple[str, str]


@dataclass
class Layout:
    """Where the middles of the nodes stand, and how wide each is: in layers, in order; and the way of each edge."""

    layers: list[list[str]]
    wide: dict[str, float]
    at: dict[str, tuple[float, float]] = field(default_factory=dict)
    ways: dict[Edge, list[str]] = field(default_factory=dict)


def depths(nodes: Sequence[str], below: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many steps the longest path below a node has; an edge that closes a circle counts as none."""
    found: dict[str, int] = {}

    for start in nodes:
        stack: list[tuple[str, bool]] = [(start, False)]
        open_: set[str] = set()
        while stack:
            name, done = stack.pop()
            if done:
                open_.discard(name)
                found[name] = 1 + max((found.get(other, -1) for other in below.get(name, ())), default=-1)
            elif name not in found and name not in open_:
                open_.add(name)
                stack.append((name, True))
                stack += [(other, False) for other in below.get(name, ()) if other not in open_]
    return found


def shown(label: str) -> tuple[str, float]:
    """A label as it is written, and how wide that is."""
    text = label if len(label) <= LETTERS else label[: LETTERS - 1] + "…"
    return text, _long(text)


def _long(text: str) -> float:
    return sum(LETTER.get(letter, 7.0) for letter in text)


def width(label: str) -> float:
    """How wide a node is."""
    return MARGIN + shown(label)[1]


def rows(nodes: Sequence[str], below: Mapping[str, Sequence[str]], wide: Mapping[str, float]) -> dict[str, int]:
    """The layer of each node: below all that it rests on, and no layer wider than a drawing."""
    depth = depths(nodes, below)
    above: dict[str, list[int]] = {}
    for name in nodes:
        for other in below.get(name, ()):
            above.setdefault(other, []).append(depth[name])
    # bends take room too
    room, found, start = 0.8 * WIDEST, {}, 0
    for layer in range(max(depth.values(), default=-1) + 1):
        taken = 0.0
        for name in nodes:
            late = min(above.get(name, [1])) - 1 if not below.get(name) else depth[name]
            if max(depth[name], late) != layer:
                continue
            if taken and taken + wide[name] + GAP > room:
                start, taken = start + 1, 0.0
            found[name] = start
            taken += wide[name] + GAP
        start += 1
    return found


def laid(nodes: Sequence[str], below: Mapping[str, Sequence[str]], labels: Mapping[str, str] | None = None) -> Layout:
    """The layout of nodes that have edges; ``below`` maps a node to what it rests on."""
    wide = {name: width((labels or {}).get(name, name)) for name in nodes}
    depth = rows(nodes, below, wide)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in nodes:
        layers[depth[name]].append(name)
    layout = Layout(layers, wide)
    up: dict[str, list[str]] = {name: [] for name in nodes}
    down: dict[str, list[str]] = {name: [] for name in nodes}
    for name in nodes:
        for other in below.get(name, ()):
            if other not in depth or depth[other] >= depth[name]:
                continue
            # a long edge keeps a place free in every layer that it crosses, one for all edges of its source
            way = [other]
            for layer in range(depth[other] + 1, depth[name]):
                bend = f"\0{other}\0{layer}"
                if bend not in up:
                    layers[layer].append(bend)
                    up[bend], down[bend] = [], []
                way.append(bend)
            way.append(name)
            layout.ways[other, name] = way
            for one, two in pairwise(way):
                if two not in down[one]:
                    down[one].append(two)
                    up[two].append(one)
    _order(layers, up, down)
    _place(layout, up, down)
    return layout


def _order(layers: list[list[str]], up: Mapping[str, list[str]], down: Mapping[str, list[str]]) -> None:
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        towards = up if forward else down
        chosen = range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1)
        for k in chosen:
            near = {name: place for place, name in enumerate(layers[k - 1 if forward else k + 1])}
            middle = {
                name: sum(near[o] for o in towards[name]) / len(towards[name]) if towards[name] else float(place)
                for place, name in enumerate(layers[k])
            }
            layers[k].sort(key=lambda name: middle[name])


def _place(layout: Layout, up: Mapping[str, list[str]], down: Mapping[str, list[str]]) -> None:
    """Each node near its neighbours, none upon another, all within the width of a drawing where they fit."""
    size = {name: layout.wide[name] + GAP if name in layout.wide else BEND for layer in layout.layers for name in layer}
    x: dict[str, float] = {}
    for layer in layout.layers:
        left = (WIDEST - sum(size[name] for name in layer)) / 2
        for name in layer:
            x[name] = left + size[name] / 2
            left += size[name]
    for sweep in range(SWEEPS):
        for layer in layout.layers if sweep % 2 == 0 else layout.layers[::-1]:
            near = {name: [x[other] for other in (*up[name], *down[name])] or [x[name]] for name in layer}
            _spread(layer, {name: sum(found) / len(found) for name, found in near.items()}, size, x)
    for place, layer in enumerate(layout.layers):
        for name in layer:
            layout.at[name] = (x[name], HIGH / 2 + place * (HIGH + SPACE))
    left = min((x[name] - size[name] / 2 for name in x), default=0.0)
    layout.at = {name: (place - left, y) for name, (place, y) in layout.at.items()}


def _spread(layer: Sequence[str], wish: Mapping[str, float], size: Mapping[str, float], x: dict[str, float]) -> None:
    """Put the nodes of a layer in order, as near to where they would be as their widths allow."""
    blocks: list[tuple[float, float, list[str]]] = []
    for name in layer:
        centre, space, members = wish[name], size[name], [name]
        while blocks and blocks[-1][0] + blocks[-1][1] / 2 > centre - space / 2:
            other, taken, earlier = blocks.pop()
            weight = len(earlier) + len(members)
            centre = (other * len(earlier) + centre * len(members)) / weight
            space += taken
            members = [*earlier, *members]
        blocks.append((centre, space, members))
    lefts = [centre - space / 2 for centre, space, _ in blocks]
    end = WIDEST
    for place in range(len(blocks) - 1, -1, -1):
        lefts[place] = min(lefts[place], end - blocks[place][1])
        end = lefts[place]
    start = 0.0
    for left, (_, _, members) in zip(lefts, blocks, strict=True):
        start = max(left, start)
        for name in members:
            x[name] = start + size[name] / 2
            start += size[name]


@dataclass(frozen=True)
class Node:
    """What is drawn of a claim."""

    id: str
    label: str
    href: str
    verdict: str
    below: tuple[str, ...]
    rests: bool


def drawn(nodes: Sequence[Node], name: str, title: str) -> Markup:
    """The claims of a paper: those with edges in layers, the others in rows below."""
    table = {node.id: node for node in nodes}
    below = {node.id: [other for other in node.below if other in table and other != node.id] for node in nodes}
    joined = {name for name, others in below.items() if others} | {o for others in below.values() for o in others}
    layout = laid([node.id for node in nodes if node.id in joined], below, {node.id: node.label for node in nodes})
    height = max((y for _, y in layout.at.values()), default=0.0) + (HIGH / 2 if layout.at else 0)
    alone = [node for node in nodes if node.id not in joined]
    top = height + (44 if alone and joined else 0)
    left, height = 0.0, top if alone else height
    for node in alone:
        wide = width(node.label)
        if left and left + wide > WIDEST:
            left, height = 0.0, height + HIGH + GAP
        layout.at[node.id], layout.wide[node.id] = (left + wide / 2, height + HIGH / 2), wide
        left += wide + GAP
    height += HIGH if alone else 0
    across = max((x + layout.wide.get(name, 0.0) / 2 for name, (x, _) in layout.at.items()), default=0.0)
    across = max(across, _long(ALONE) if alone and joined else 0.0)
    out = [
        Markup(
            '<svg class="graph" id="{n}" width="{w}" height="{h}" viewBox="-6 -6 {w} {h}" role="group" '
            'aria-labelledby="{n}-title {n}-desc"><title id="{n}-title">{title}</title><desc id="{n}-desc">{d}</desc>'
            '<defs><marker id="{n}-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
            'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
            '<g class="edges" aria-hidden="true">'
        ).format(
            n=name,
            w=f"{across + 12:.0f}",
            h=f"{height + 12:.0f}",
            title=title,
            d=f"{len(nodes)} claims. An arrow leads from a claim to one that rests on it.",
        )
    ]
    for (source, target), way in layout.ways.items():
        bad = table[source].verdict == "refuted" or table[source].rests
        out.append(
            Markup('<path class="edge{}" data-from="{}" data-to="{}" marker-end="url(#{}-end)" d="{}"/>').format(
                " bad" if bad else "",
                source,
                target,
                name,
                _curve([layout.at[stop] for stop in way]),
            )
        )
    out.append(Markup("</g>"))
    if alone and joined:
        out.append(Markup('<text class="aside" x="0" y="{}">{}</text>').format(f"{top - 12:.0f}", ALONE))
    out += [_node(node, *layout.at[node.id], layout.wide[node.id]) for node in nodes]
    return Markup("").join([*out, Markup("</svg>")])


def _curve(stops: Sequence[tuple[float, float]]) -> str:
    """A smooth way down through the stops; bends are crossed straight."""
    x, y = stops[0][0], stops[0][1] + HIGH / 2
    text = f"M{x:.1f} {y:.0f}"
    for place, (across, middle) in enumerate(stops[1:], 1):
        top = middle - HIGH / 2
        half = (top - y) / 2
        text += f"C{x:.1f} {y + half:.0f} {across:.1f} {y + half:.0f} {across:.1f} {top:.0f}"
        x, y = across, top
        if place < len(stops) - 1:
            y += HIGH
            text += f"V{y:.0f}"
    return text


def _node(node: Node, x: float, y: float, wide: float) -> Markup:
    said = f"{node.id}: {node.verdict}" + (", rests on a refuted claim" if node.rests else "")
    label, long = shown(node.label)
    return Markup(
        '<a href="{href}" data-id="{id}" aria-label="{said}"><g class="node n-{v}{r}" transform="translate({x} {y})">'
        '<title>{said}</title><rect width="{w}" height="{h}" rx="{rx}"/><use href="#m-{v}" x="7" y="7" width="14" '
        'height="14"/><text x="28" y="18.5" textLength="{long:.0f}" lengthAdjust="spacingAndGlyphs">{label}</text></g>'
        "</a>"
    ).format(
        href=node.href,
        id=node.id,
        said=said,
        v=node.verdict,
        r=" rests" if node.rests else "",
        x=f"{x - wide / 2:.1f}",
        y=f"{y - HIGH / 2:.0f}",
        w=f"{wide:.0f}",
        h=HIGH,
        rx=3,
        label=label,
        # whatever font a browser has, a label stays within its box
        long=long,
    )
