"""The dependency graph: layers go one way, nodes do not overlap, and what rests on a refuted claim is marked."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from proofs_check.report.site import graph


def _random(seed: int, size: int) -> dict[str, list[str]]:
    draw = random.Random(seed)
    return {f"n{k}": [f"n{j}" for j in range(k) if draw.random() < 0.15] for k in range(size)}


@pytest.mark.parametrize("seed", range(4))
def test_layers_go_one_way_and_nodes_do_not_overlap(seed: int) -> None:
    below = _random(seed, 25)
    layout = graph.laid(list(below), below)
    for name, others in below.items():
        assert all(layout.at[other][0] < layout.at[name][0] for other in others)
        assert all((other, name) in layout.ways for other in others)
    for layer in layout.layers:
        real = [name for name in layer if not name.startswith("\0")]
        heights = sorted(layout.at[name][1] for name in real)
        assert all(two - one >= graph.HIGH + graph.GAP - 1e-6 for one, two in pairwise(heights))


def test_a_circle_is_drawn_too() -> None:
    below = {"a": ["b"], "b": ["c"], "c": ["a"]}
    layout = graph.laid(list(below), below)
    assert set(below) <= set(layout.at)


def _node(name: str, verdict: str, below: tuple[str, ...] = (), rests: bool = False) -> graph.Node:
    return graph.Node(name, name, f"{name}.html", verdict, below, rests)


def test_what_rests_on_a_refuted_claim_is_marked() -> None:
    nodes = [
        _node("false", "refuted"),
        _node("true", "verified"),
        _node("first", "verified", ("false", "true"), True),
        _node("second", "verified", ("first",), True),
        _node("alone", "undecided", ("alone", "elsewhere")),
    ]
    tree = ET.fromstring(str(graph.drawn(nodes, "g", "title <&>")))
    links = {node.get("data-id"): node for node in tree.iter("a")}
    assert set(links) == {node.id for node in nodes}
    rests = {
        name
        for name, link in links.items()
        if "rests" in ((link if (inner := link.find("g")) is None else inner).get("class") or "")
    }
    assert rests == {"first", "second"}
    assert "rests on a refuted claim" in links["first"].get("aria-label", "")
    edges = {
        (e.get("data-from"), e.get("data-to")): "bad" in e.get("class", "")
        for e in tree.iter("path")
        if e.get("data-to")
    }
    assert edges == {("false", "first"): True, ("true", "first"): False, ("first", "second"): True}


def test_no_claims_leave_an_empty_drawing() -> None:
    assert list(ET.fromstring(str(graph.drawn([], "g", "none"))).iter("a")) == []


def test_layers_are_as_wide_as_their_labels_and_no_strip_is_empty() -> None:
    below = {"cost": ["hull"], "wendel": ["hull"], "iff": ["one", "nought", "hull"], "more": ["iff"], "less": ["iff"]}
    below |= {f"{name} upper": [name] for name in ("sink", "diagonal", "lower")}
    names = ["hull", "one", "nought", "sink", "diagonal", "lower", *below]
    layout = graph.laid(names, below)
    assert layout.wide["cost"] == layout.wide["diagonal upper"] > layout.wide["one"] == layout.wide["diagonal"]
    assert layout.at["cost"][0] == layout.wide["one"] + graph.SPACE
    half = (graph.HIGH + graph.GAP) / 2
    heights = sorted(y for _, y in layout.at.values())
    assert all(high - low <= 2 * half + 1e-9 for low, high in pairwise(heights))
