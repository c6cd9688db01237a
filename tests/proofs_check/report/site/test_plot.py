"""The drawing of the cases: where values stand, and that no number breaks it."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from typing import Any

from proofs_check.report.site import plot

CASE: Any = {
    "params": {},
    "quantity": "moment",
    "printed": "0",
    "derived": "1",
    "estimate": 1.01,
    "low": 0.9,
    "high": 1.1,
    "samples": 10,
    "z": None,
}


def test_distances_are_in_half_widths_from_the_derived_value() -> None:
    (row,) = plot.rows([CASE])
    assert math.isclose(row["low"], -1) and math.isclose(row["high"], 1)
    assert math.isclose(row["estimate"], 0.1) and math.isclose(row["printed"], -10)


def test_a_print_outside_the_interval_is_marked() -> None:
    inside = CASE | {"printed": "1.05"}
    tree = ET.fromstring(str(plot.drawn([CASE, inside, CASE | {"printed": None}], "p")))
    marks = [node.get("class") for node in tree.iter("path")]
    assert marks == ["printed outside", "printed inside"]
    assert "outside the interval in 1 of 2" in "".join(tree.itertext())


def test_distances_far_away_are_drawn_at_the_edge() -> None:
    assert plot.bent(0.5) == 0.5 and plot.bent(-10) == -2 and plot.bent(1e300) == plot.bent(1e9)


def test_no_number_breaks_the_drawing() -> None:
    odd = [math.nan, math.inf, 1e308, -1e308, 10**400, "1/0", "x", None, True, "9" * 5000, 5e-324]
    cases = [CASE | {key: value} for key in ("printed", "derived", "estimate", "low", "high") for value in odd]
    for case in cases:
        drawn = str(plot.drawn([case], "p"))
        if drawn:
            ET.fromstring(drawn)
            assert not re.search(r"\b(nan|inf)\b", drawn.replace("infinite", ""))
    assert str(plot.drawn([], "p")) == ""
