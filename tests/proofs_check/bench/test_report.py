"""The bench as a whole: what is asked for, what is said of each tier, the table, the picture."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest

from proofs_check.bench import checks, device, measure, picture, report, roofline
from proofs_check.inputs.errors import UsageError

TIMED = {"first line": 0.2, "wall": 1.5, "status": 0, "told": "verified"}
LIMITS = {
    "status": "measured",
    "bandwidth": 1e10,
    "side by side": 4e9,
    "in turn": 2e9,
    "peaks": {"float": 6.656e9},
    "a normal": None,
}


def row(called: str = "fused", /, **changes: Any) -> dict[str, Any]:
    flat = {"median": 1e9, "low": 9e8, "high": 1.1e9}
    found: dict[str, Any] = {"name": called, "kind": "tier", "tier": "fused", "T": 40, "d": 128, "threads": 1}
    found |= {
        "batch": None,
        "status": "measured",
        "rounds": 5,
        "walks a turn": 100,
        "normals a walk": 5120,
        "share": 1.0,
    }
    found |= {"walks a second": {k: v / 5120 for k, v in flat.items()}, "normals a second": flat}
    found |= {"ratio to numpy_script": {"median": 80.0}, "ratio to own generator": {"median": 0.8}}
    found |= {"start": {"import": 1.0, "make": 0.1, "first walks": 0.5}, "memory": {"flat": True, "grown": 0}}
    return found | changes


def test_each_tier_is_told_its_limit() -> None:
    told = report.sentence(row(), LIMITS)
    assert "fused at T = 40, d = 128, 1 thread draws 1e+09 normals a second, 80% of its generator's" in told
    # 5120 normals at 1.25e9 and 8192 + 5120 multiply-adds at 6.656e9 a second take 4.096 and 2 microseconds
    assert "its generator with its multiply-adds, 8.4e+08: 119%" in told
    # the generator: 1e9 / 0.8 = 1.25e9 of 2e9
    assert "the generator runs at 62% of what its cores could issue" in told
    assert "reaches the goal of 70 times the plain script, misses the goal of 0.9 times its generator" in told
    assert "failed: gone" in report.sentence(row(status="failed: gone"), LIMITS)
    assert "was not measured" in report.sentence(row() | {"ratio to own generator": None}, LIMITS)


@pytest.mark.parametrize(("share", "quiet"), [(1.0, True), (0.95, True), (0.5, False)])
def test_a_shared_machine_is_told(share: float, quiet: bool) -> None:
    """Two threads on half of the machine's time run as fast as one does, and as steadily."""
    own = row("fused normals", kind="generator", threads=2, share=share)
    told = report.said([row(), own], LIMITS)
    assert told[0].startswith("The machine was not quiet") is not quiet
    assert len(told) == 1 + (not quiet)
    assert ("goal" in told[-1]) is quiet


def test_a_slowdown_shows_in_the_sentence() -> None:
    unquiet = row() | {"ratio to own generator": {"median": 1.3}}
    assert "the machine was not quiet" in report.sentence(unquiet, LIMITS)
    slowed = row() | {"ratio to numpy_script": {"median": 60.0}}
    assert "misses the goal of 70 times the plain script" in report.sentence(slowed, LIMITS)


def test_a_gpu_is_told_its_limit_or_nothing() -> None:
    gpu = row("fused, GPU", kind="gpu", ceiling={"normals a second": 4e9})
    assert "25% of what the GPU can issue" in report.sentence(gpu, LIMITS)
    assert "was not counted" in report.sentence(gpu | {"ceiling": None}, LIMITS)
    stored = gpu | {"ceiling": {"normals a second": 2e9, "by": "store"}}
    assert "50% of what the GPU can store" in report.sentence(stored, LIMITS)
    absent = {"name": "fused, GPU", "kind": "gpu", "T": 40, "d": 128, "status": "not measured: no device"}
    assert report.sentence(absent, LIMITS) == "fused, GPU at T = 40, d = 128: not measured: no device."


def test_the_whole_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the measuring itself replaced: JSON's own types, a table with every row, a sentence a tier."""
    rows = [row(), row(threads=2), row("own", kind="generator") | {"ratio to own generator": None}]
    absent = {"name": "jax_jit", "kind": "peer", "T": 40, "d": 128, "threads": None, "status": "not installed: jax"}
    asked: list[Any] = []

    def measured(*given: Any) -> list[dict[str, Any]]:
        asked.append(given)
        return [*rows, absent]

    monkeypatch.setattr(measure, "measured", measured)
    monkeypatch.setattr(roofline, "cpu", lambda: LIMITS)
    monkeypatch.setattr(device, "missing", lambda: "no device")
    monkeypatch.setattr(checks, "timed", lambda command: {**TIMED, "cpu": 1.0 if "proofs_check" in command else 2.0})
    found = report.run(((40, 128),), 7.0, ("fused",))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    entries, T, d, seconds = asked[0][:4]
    assert (T, d, seconds) == (40, 128, 7.0)
    assert {entry.tier for entry in entries} == {"", "fused"}
    assert len(found["said"]) == 2 + 2
    stream = io.StringIO()
    report.show(found, stream)
    text = stream.getvalue()
    for told in (
        "fused",
        "jax_jit",
        "not installed: jax",
        "not measured: no device",
        "flat",
        "0.8",
        "1.00, 0.10, 0.50",
        "inequality",
        "0.50",
    ):
        assert told in text
    # who asks for sizes or tiers asks for the sampling alone
    monkeypatch.setattr(checks, "timed", lambda command: pytest.fail("a check was timed"))
    assert report.run(((40, 128),), 7.0, ("fused",), whole=False)["checks"] == []


@pytest.mark.parametrize(
    ("function", "given", "told"),
    [
        (report.sizes_of, "40", "--sizes '40': expected TxD"),
        (report.sizes_of, "0x4", "T >= 1"),
        (report.sizes_of, "4x5000", "1 <= d <= 4096"),
        (report.sizes_of, "4x4,4x4", "each size once"),
        (report.tiers_of, "fused,quick", "some of literal, fused, joint"),
        (report.seconds_of, "0", "a number from 0.000001 to 999999"),
        (report.seconds_of, "nan", "a number from 0.000001 to 999999"),
        (report.seconds_of, "1000000", "a number from 0.000001 to 999999"),
    ],
)
def test_bad_arguments(function: Any, given: str, told: str) -> None:
    with pytest.raises(UsageError, match=told.replace("(", r"\(")):
        function(given)


def test_good_arguments() -> None:
    assert report.sizes_of("40x128,512x64") == report.SIZES
    assert report.tiers_of("joint,fused,joint") == ("joint", "fused")
    assert report.seconds_of("2.5") == 2.5


def test_the_picture_has_a_mark_for_each_tier_and_is_well_formed() -> None:
    own = row("fused normals", kind="generator")
    literal = row("literal", tier="literal", T=512, d=64)
    drawn = picture.roofline([row(), row(threads=2), literal, own], LIMITS)
    root = ET.fromstring(drawn)
    titles = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum("normals a second" in title for title in titles) == 3
    assert "fused normals, 1 thread" in drawn
    assert "memory, copied by one thread" in drawn
    empty = picture.roofline([], LIMITS)
    assert "nothing was measured" in empty
    ET.fromstring(empty)


def test_names_of_lines_close_by_do_not_cover_each_other() -> None:
    assert picture.free(100.0, []) == 96.0 and picture.free(100.0, [50.0, 150.0]) == 96.0
    assert picture.free(100.0, [95.0]) == 113.0 and picture.free(100.0, [95.0, 113.0]) == 126.0
    own = row("fused normals", kind="generator") | {"normals a second": {"median": 2.002e9}}
    drawn = picture.roofline([row(), own], LIMITS)
    named = re.findall(r'<text x="[\d.]+" y="([\d.]+)" text-anchor="middle" fill="#333">', drawn)
    heights = sorted(map(float, named))
    assert len(heights) == 3
    assert all(b - a > picture.LINE_HEIGHT - 0.2 for a, b in pairwise(heights))


def test_the_picture_places_a_tier_by_its_traffic() -> None:
    assert picture.intensity(row(tier="literal")) == pytest.approx(1 / 12)
    # 5120 normals a walk, 40 float64 scores written and read
    assert picture.intensity(row()) == pytest.approx(5120 / (16 * 40))
