"""The dependency graph: layers go one way, nodes do not overlap, and what rests on a refuted claim is marked."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from proofs_check.report.site import graph
from theorems.claims.catalogue import PAPERS, paper_claims


def _random(seed: int, size: int) -> dict[str, list[str]]:
    draw = random.Random(seed)
    return {f"n{k}": [f"n{j}" for j in range(k) if draw.random() < 0.15] for k in range(size)}


@pytest.mark.parametrize("seed", range(4))
def test_layers_go_one_way_and_nodes_do_not_overlap(seed: int) -> None:
    below = _random(seed, 25)
    layout = graph.laid(list(below), below)
    for name, others in below.items():
        assert all(layout.at[other][1] < layout.at[name][1] for other in others)
        assert all((other, name) in layout.ways for other in others)
    for layer in layout.layers:
        ends = [(layout.at[name][0], layout.wide[name] / 2) for name in layer if name in layout.wide]
        assert all(b - y >= a + x + graph.GAP - 1e-6 for (a, x), (b, y) in pairwise(ends))


@pytest.mark.parametrize("paper", PAPERS)
def test_what_rests_on_what_in_a_paper_fits_its_page(paper: str) -> None:
    """The page is 66 rem wide, with room at its sides; that of bao2024 has ten steps one upon another."""
    nodes = [
        _node(claim.id.split(".", 2)[2], "verified", tuple(name.split(".", 2)[2] for name in claim.depends_on))
        for claim in paper_claims(paper)
    ]
    tree = ET.fromstring(str(graph.drawn(nodes, "g", paper)))
    assert float(tree.get("width", "")) <= graph.WIDEST + 12 <= 66 * 16 - 2 * 20
    for link in tree.iter("g"):
        if (moved := link.get("transform")) and (box := link.find("rect")) is not None:
            x = float(moved.removeprefix("translate(").split()[0])
            assert 0 <= x <= x + float(box.get("width", "")) <= graph.WIDEST + 1


def test_a_wide_layer_is_cut_and_a_source_stands_above_what_needs_it() -> None:
    names = [f"source number {k:02d}" for k in range(12)]
    below = {"first": names, "second": ["first"], "third": ["second", "late"]}
    depth = graph.rows([*names, "late", *below], below, dict.fromkeys([*names, "late", *below], 150.0))
    assert [depth[name] for name in names] == [0] * 4 + [1] * 4 + [2] * 4
    assert depth["late"] == depth["second"] == depth["third"] - 1 == depth["first"] + 1


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
