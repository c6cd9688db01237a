"""What rests on what, as a drawing: claims in layers, from those that rest on nothing to the right.

Layers are longest paths; inside a layer claims stand at the mean of their neighbours, swept there and back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markupsafe import Markup

WIDE, HIGH, GAP, SPACE = 178, 28, 10, 18
#: Most letters of a label; how wide a node is beside them, and how wide a letter.
LETTERS, MARGIN, LETTER = 20, 37, 6.6
SWEEPS = 12
Edge = tuple[str, str]


@dataclass
class Layout:
    """Where the nodes stand: the layer of each, the order in each layer, and the way of each edge."""

    layers: list[list[str]]
    labels: Mapping[str, str] = field(default_factory=dict)
    at: dict[str, tuple[float, float]] = field(default_factory=dict)
    wide: dict[str, float] = field(default_factory=dict)
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


def laid(nodes: Sequence[str], below: Mapping[str, Sequence[str]], labels: Mapping[str, str] | None = None) -> Layout:
    """The layout of nodes that have edges; ``below`` maps a node to what it rests on.

    A layer is as wide as its longest label.
    """
    depth = depths(nodes, below)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in nodes:
        layers[depth[name]].append(name)
    layout = Layout(layers, labels or {})
    left: dict[str, list[str]] = {name: [] for name in nodes}
    right: dict[str, list[str]] = {name: [] for name in nodes}
    for name in nodes:
        for other in below.get(name, ()):
            if other not in depth or depth[other] >= depth[name]:
                continue
            # a long edge keeps a place free in every layer that it crosses, one for all edges of its source
            way = [other]
            for layer in range(depth[other] + 1, depth[name]):
                bend = f"\0{other}\0{layer}"
                if bend not in left:
                    layers[layer].append(bend)
                    left[bend], right[bend] = [], []
                way.append(bend)
            way.append(name)
            layout.ways[other, name] = way
            for one, two in pairwise(way):
                if two not in right[one]:
                    right[one].append(two)
                    left[two].append(one)
    _order(layers, left, right)
    _place(layout, left, right)
    return layout


def _order(layers: list[list[str]], left: Mapping[str, list[str]], right: Mapping[str, list[str]]) -> None:
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        towards = left if forward else right
        chosen = range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1)
        for k in chosen:
            near = {name: place for place, name in enumerate(layers[k - 1 if forward else k + 1])}
            middle = {
                name: sum(near[o] for o in towards[name]) / len(towards[name]) if towards[name] else float(place)
                for place, name in enumerate(layers[k])
            }
            layers[k].sort(key=lambda name: middle[name])


def _place(layout: Layout, left: Mapping[str, list[str]], right: Mapping[str, list[str]]) -> None:
    """Heights: each node near its neighbours, none upon another."""
    high = {name: 12.0 if name.startswith("\0") else HIGH + GAP for layer in layout.layers for name in layer}
    y: dict[str, float] = {}
    for layer in layout.layers:
        top = 0.0
        for name in layer:
            y[name] = top + high[name] / 2
            top += high[name]
    for sweep in range(SWEEPS):
        order = layout.layers if sweep % 2 == 0 else layout.layers[::-1]
        for layer in order:
            wish = {
                name: sum(y[o] for o in (*left[name], *right[name])) / len((*left[name], *right[name]))
                if left[name] or right[name]
                else y[name]
                for name in layer
            }
            _spread(layer, wish, high, y)
    # what is empty in every layer is closed
    spans = sorted((y[name] - high[name] / 2, y[name] + high[name] / 2, name) for name in y)
    end = empty = spans[0][0] if spans else 0.0
    for start, stop, name in spans:
        empty += max(0.0, start - end)
        end = max(end, stop)
        y[name] -= empty
    x = 0.0
    for layer in layout.layers:
        letters = max((len(layout.labels.get(name, name)) for name in layer if not name.startswith("\0")), default=0)
        wide = MARGIN + LETTER * min(letters, LETTERS)
        for name in layer:
            layout.at[name], layout.wide[name] = (x, y[name]), wide
        x += wide + SPACE


def _spread(layer: Sequence[str], wish: Mapping[str, float], high: Mapping[str, float], y: dict[str, float]) -> None:
    """Put the nodes of a layer in order, as near to where they would be as their heights allow."""
    blocks: list[tuple[float, float, list[str]]] = []
    for name in layer:
        centre, size, members = wish[name], high[name], [name]
        while blocks and blocks[-1][0] + blocks[-1][1] / 2 > centre - size / 2:
            other, space, earlier = blocks.pop()
            weight = len(earlier) + len(members)
            centre = (other * len(earlier) + centre * len(members)) / weight
            size += space
            members = [*earlier, *members]
        blocks.append((centre, size, members))
    for centre, size, members in blocks:
        top = centre - size / 2
        for name in members:
            y[name] = top + high[name] / 2
            top += high[name]


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
    height = max((y for _, y in layout.at.values()), default=0.0) + (HIGH if layout.at else 0)
    columns = max(3, min(5, len(layout.layers)))
    alone = [node for node in nodes if node.id not in joined]
    top = height + (44 if alone and joined else 24 if alone else 0)
    for place, node in enumerate(alone):
        left, down = (place % columns) * (WIDE + SPACE), (place // columns) * (HIGH + GAP)
        layout.at[node.id], layout.wide[node.id] = (left, top + down + HIGH / 2), WIDE
    rows = -(-len(alone) // columns)
    height = top + rows * (HIGH + GAP) if alone else height
    width = max((x + layout.wide[name] for name, (x, _) in layout.at.items()), default=0.0)
    out = [
        Markup(
            '<svg class="graph" id="{n}" width="{w}" height="{h}" viewBox="-6 -6 {w} {h}" role="group" '
            'aria-labelledby="{n}-title {n}-desc"><title id="{n}-title">{title}</title><desc id="{n}-desc">{d}</desc>'
            '<defs><marker id="{n}-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
            'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
            '<g class="edges" aria-hidden="true">'
        ).format(
            n=name,
            w=f"{width + 12:.0f}",
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
                _curve([(*layout.at[stop], layout.wide[stop]) for stop in way]),
            )
        )
    out.append(Markup("</g>"))
    if alone and joined:
        text = Markup('<text class="aside" x="0" y="{}">Claims that rest on no other, and on which none rests</text>')
        out.append(text.format(f"{top - 12:.0f}"))
    out += [_node(node, *layout.at[node.id], layout.wide[node.id]) for node in nodes]
    return Markup("").join([*out, Markup("</svg>")])


def _curve(stops: Sequence[tuple[float, float, float]]) -> str:
    """A smooth way through the stops, places with their widths; bends are crossed straight."""
    x, y = stops[0][0] + stops[0][2], stops[0][1]
    text = f"M{x:.0f} {y:.1f}"
    for place, (left, height, wide) in enumerate(stops[1:], 1):
        half = (left - x) / 2
        text += f"C{x + half:.0f} {y:.1f} {x + half:.0f} {height:.1f} {left:.0f} {height:.1f}"
        x, y = left, height
        if place < len(stops) - 1:
            x += wide
            text += f"H{x:.0f}"
    return text


def _node(node: Node, x: float, y: float, wide: float) -> Markup:
    said = f"{node.id}: {node.verdict}" + (", rests on a refuted claim" if node.rests else "")
    label = node.label if len(node.label) <= LETTERS else node.label[: LETTERS - 1] + "…"
    long = MARGIN + LETTER * len(label) > wide - LETTER
    return Markup(
        '<a href="{href}" data-id="{id}" aria-label="{said}"><g class="node n-{v}{r}" transform="translate({x} {y})">'
        '<title>{said}</title><rect width="{w}" height="{h}" rx="{rx}"/><use href="#m-{v}" x="7" y="7" width="14" '
        'height="14"/><text x="28" y="18.5"{fit}>{label}</text></g></a>'
    ).format(
        href=node.href,
        id=node.id,
        said=said,
        v=node.verdict,
        r=" rests" if node.rests else "",
        x=f"{x:.0f}",
        y=f"{y - HIGH / 2:.1f}",
        w=f"{wide:.0f}",
        h=HIGH,
        rx=3,
        label=label,
        # whatever font a browser has, a long label stays within its box
        fit=Markup(' textLength="{}" lengthAdjust="spacingAndGlyphs"').format(round(LETTER * len(label)))
        if long
        else "",
    )
