"""The harness of the bench: contestants that behave, die, hang and print rubbish; turns, ratios, and a slowdown."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs_check.bench import measure
from proofs_check.bench.contestant import Contestant, FailedError, NotInstalledError
from proofs_check.bench.measure import PEERS, TIERS, Entry, Running, measured, odd, ratio, rounds, spread

#: A loop that claims to draw so many walks a second, with scores of mean 1 and second moment 3.
FAKE = """
import sys
BATCHES = ()
def make(T, d, W, seed, batch=None, tier=None):
    {prologue}
    def run(walks, threads):
        {body}
        return walks, {mean}, 3.0, walks / {rate}
    return run
"""


def script(folder: Path, name: str, rate: float = 1e5, mean: float = 1.0, prologue: str = "", body: str = "") -> Path:
    path = folder / f"{name}.py"
    path.write_text(FAKE.format(rate=rate, mean=mean, prologue=prologue or "pass", body=body or "pass"))
    return path


@pytest.fixture
def entry(tmp_path: Path) -> Iterator[Any]:
    def made(name: str, kind: str = "peer", **given: Any) -> Entry:
        tier = "fused" if kind != "peer" else ""
        return Entry(
            name, kind, script(tmp_path, name.replace(" ", "_"), **given), tier, "own" if kind == "tier" else ""
        )

    yield made


def ask(path: Path, **given: Any) -> dict[str, Any]:
    with Contestant("fake", path, patience=given.pop("patience", 20.0)) as contestant:
        contestant.ask(do="make", T=3, d=2, seed=1, batch=1)
        return contestant.run(10, 1)


def test_a_contestant_answers(tmp_path: Path) -> None:
    answer = ask(script(tmp_path, "fair", rate=1000.0))
    assert answer["walks"] == 10
    assert answer["seconds"] == pytest.approx(0.01)
    assert answer["mean"] == 1.0
    assert answer["peak"] > 1 << 20 or not sys.platform.startswith("linux")


def test_what_a_script_prints_is_no_answer(tmp_path: Path) -> None:
    noisy = script(tmp_path, "noisy", prologue="print('{}', flush=True)", body="sys.stdout.write('rubbish\\n')")
    assert ask(noisy)["walks"] == 10


#: Writes past the harness, into every pipe of the process but the first three files.
RUBBISH = """import os
        for k in range(3, 20):
            if os.path.exists(f'/proc/self/fd/{k}') and os.readlink(f'/proc/self/fd/{k}').startswith('pipe'):
                os.write(k, {text})"""
FAULTS = {
    "dies": ("import os; os._exit(3)", "ended with status 3"),
    "says why it dies": ("import os; os.write(2, b'no luck'); os._exit(4)", "ended with status 4: no luck"),
    "prints rubbish": (RUBBISH.replace("{text}", "b'rubbish\\n'"), "said b'rubbish'; expected a JSON object"),
    "raises": ("raise ValueError('odd size')", "ValueError: odd size"),
    "hangs": ("import time; time.sleep(60)", "gave no answer in 1 s"),
    "gives no number": ("return walks, 1.0, 3.0, float('nan')", "expected numbers > 0"),
    "gives too little": ("return ()", "seconds"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds its pipes under /proc")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_contestant_that_fails_is_told(fault: str, tmp_path: Path) -> None:
    body, told = FAULTS[fault]
    if fault == "gives too little":
        assert ask(script(tmp_path, "faulty", body=body))["mean"] is None
        return
    with pytest.raises(FailedError, match=told):
        ask(script(tmp_path, "faulty", body=body), patience=1.0 if fault == "hangs" else 60.0)


def test_a_missing_library_is_told(tmp_path: Path) -> None:
    path = tmp_path / "absent.py"
    path.write_text("import no_such_library_anywhere\n")
    with pytest.raises(NotInstalledError, match="no_such_library_anywhere is not installed"):
        ask(path)


def test_a_run_with_all_kinds_of_contestants(entry: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One dies in the middle, one lacks its library, one does other work, one is slowed down: the rest is measured."""
    monkeypatch.setattr(measure, "TURN", 0.01)
    (tmp_path / "absent.py").write_text("import no_such_library_anywhere\n")
    entries = [
        entry("numpy_script", rate=1e3),
        entry("own", "generator", rate=1e5),
        entry("quick", "tier", rate=9e4),
        entry("slowed", "tier", rate=4.5e4),
        entry("other", mean=1.5),
        Entry("absent", "peer", tmp_path / "absent.py"),
        entry("dying", prologue="turns = [0]", body="turns[0] += 1\n        if turns[0] > 7: sys.exit(5)"),
    ]
    rows = measured(entries, 5, 4, 0.0, 1)
    by = {row["name"]: row for row in rows}
    assert by["numpy_script"]["status"] == "measured"
    assert by["numpy_script"]["walks a second"]["median"] == pytest.approx(1e3)
    assert by["quick"]["ratio to numpy_script"]["median"] == pytest.approx(90)
    assert by["quick"]["ratio to own generator"]["median"] == pytest.approx(0.9)
    assert by["slowed"]["ratio to own generator"]["median"] == pytest.approx(0.45)
    assert by["quick"]["normals a second"]["median"] == pytest.approx(9e4 * 20)
    assert by["quick"]["memory"]["flat"] is True
    assert by["other"]["status"].startswith("does other work")
    assert by["absent"]["status"] == "not installed: no_such_library_anywhere is not installed"
    assert by["dying"]["status"].startswith("failed: ended with status 5")
    assert by["quick"]["rounds"] == measure.ROUNDS


def test_nothing_is_started_for_longer_than_was_told(entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hangs as it starts takes its own time and that of those after it; who had started is measured."""
    monkeypatch.setattr(measure, "TURN", 0.01)
    monkeypatch.setattr(measure, "STARTING", 3.0)
    hangs = "import time; time.sleep(60)"
    entries = [entry("quick"), *(entry(f"hangs {k}", prologue=hangs) for k in range(3)), entry("late")]
    began = time.monotonic()
    rows = measured(entries, 5, 4, 0.0, 1)
    assert time.monotonic() - began < 20
    assert {row["name"]: row["status"] == "measured" for row in rows} == {
        "quick": True,
        **dict.fromkeys(["hangs 0", "hangs 1", "hangs 2", "late"], False),
    }


def test_the_share_of_a_core_is_measured(tmp_path: Path) -> None:
    """A contestant that only waits is given nothing; what it says of its own seconds changes nothing."""
    waiting = ask(script(tmp_path, "waiting", body="import time; time.sleep(0.2)"))
    assert waiting["share"] < 0.5


def test_memory_that_grows_is_told(entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "TURN", 0.01)
    hoards = entry("hoards", "tier", prologue="kept = []", body="kept.append(b'x' * (walks * 4096))")
    (row,) = measured([hoards], 5, 4, 0.1, 1)
    assert row["memory"]["flat"] is False
    assert row["memory"]["grown"] > 0.9 * 4096 * 8 * 1000


class Told:
    """A contestant that answers at once, with these walks a second in turn."""

    def __init__(self, rates: list[float], calls: list[str], name: str) -> None:
        self.rates, self.calls, self.name = rates, calls, name

    def run(self, walks: int, threads: int) -> dict[str, Any]:
        self.calls.append(self.name)
        if not self.rates:
            raise FailedError("out of rates")
        return {"seconds": walks / self.rates.pop(0), "walks": walks, "mean": None, "square": None}


def running(name: str, rates: list[float], calls: list[str] | None = None) -> Running:
    told: Any = Told(rates, [] if calls is None else calls, name)
    return Running(Entry(name, "tier", Path("x"), "fused", "own"), told, 1, None, {}, walks=100)


def test_turns_are_interleaved_and_one_who_fails_drops_out() -> None:
    calls: list[str] = []
    a, b = running("a", [1.0] * 9, calls), running("b", [1.0], calls)
    assert rounds([a, b], 0.0, 3) == 3
    assert calls == ["a", "b", "a", "b", "a"]
    assert b.failed == "out of rates"
    assert len(a.rates) == 3


def test_ratios_are_taken_round_by_round() -> None:
    """A machine that halves its speed between rounds changes no ratio."""
    a, b = running("a", [8.0, 4.0, 2.0]), running("b", [4.0, 2.0, 1.0])
    rounds([a, b], 0.0, 3)
    assert ratio(a, b) == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert ratio(a, None) is None
    b.failed = "gone"
    assert ratio(a, b) is None


def test_spread_of_one_and_of_many() -> None:
    assert spread([3.0]) == {"median": 3.0, "low": 3.0, "high": 3.0}
    found = spread([5.0, 1.0, 3.0, 2.0, 4.0])
    assert found["median"] == 3.0
    assert found["low"] < 3 < found["high"]


def test_other_work_is_told_by_its_mean_score() -> None:
    held = [running(name, []) for name in "abc"]
    for one in held:
        one.drawn, one.mean, one.square = 10_000, 1.0, 3.0
    assert all(abs(odd(one, held) or 0) < 1e-9 for one in held)
    held[1].mean = 1.2
    assert abs(odd(held[1], held) or 0) > measure.ODD
    held[1].drawn = 0
    assert odd(held[1], held) is None


SCRIPTS = {entry.name: entry for entry in (*PEERS, *(entry for tier in TIERS.values() for entry in tier))}


@pytest.mark.parametrize("name", ["numpy_script", "numpy_einsum", "torch_batched", "literal", "fused", "joint"])
def test_all_do_the_same_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean score of the last token and its square's mean against E over walks, by a plain sum here."""
    import runpy

    if name in ("fused", "joint"):
        pytest.importorskip("numba", reason="numba is an optional extra")
    T, d = 4, 3
    W = np.random.default_rng(5).standard_normal((d, d)) + np.eye(d)
    entry = SCRIPTS[name]
    further: dict[str, Any] = {"tier": entry.tier} if entry.tier else {"batch": 64}
    run = runpy.run_path(str(entry.script))["make"](T, d, W, 1, **further)
    found = run(4096, 1)
    walks = 4096 if len(found) == 2 else found[0]
    mean, square = (found[0][-1] / walks, found[1][-1] / walks) if len(found) == 2 else found[1:3]
    x = np.random.default_rng(6).standard_normal((1 << 16, T, d)).sum(1)
    scores = np.einsum("nd,de,ne->n", x, W, x)
    assert abs(mean - scores.mean()) < 6 * scores.std() * (1 / walks + 1 / len(scores)) ** 0.5
    squares = scores**2
    assert abs(square - squares.mean()) < 6 * squares.std() * (1 / walks + 1 / len(scores)) ** 0.5


def test_nothing_imports_a_peer() -> None:
    root = Path(measure.__file__).parents[2]
    for package in ("proofs_check", "montecarlo", "theorems", "figures"):
        for path in (root / package).rglob("*.py"):
            assert "bench.peers" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(("seconds", "contestants"), [(0.1, 20), (1.0, 20), (3.0, 20), (120.0, 20), (0.1, 0), (1e6, 1)])
def test_the_fewest_rounds_take_no_longer_than_was_asked_for(seconds: float, contestants: int) -> None:
    turn = measure.turn_of(seconds, contestants)
    assert measure.SHORTEST <= turn <= measure.TURN
    assert turn == measure.SHORTEST or measure.ROUNDS * contestants * turn <= seconds * (1 + 1e-12)
