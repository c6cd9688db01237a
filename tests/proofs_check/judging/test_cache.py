"""Verdicts kept from earlier runs: taken only while all they depend on is the same, and never from a damaged file."""

from __future__ import annotations

import errno
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.inputs.errors import UsageError
from proofs_check.judging import cache as kept
from proofs_check.judging.cache import VerdictCache, changes, code, default_folder, opened
from tests.conftest import sampled_report
from theorems.claims.catalogue import Statement, by_id

ROOT = Path(__file__).resolve().parents[3]
CLAIM = "bao2024.appA.eq11"
QUESTION: dict[str, Any] = {"effort": "quick", "seed": 3, "device": "cpu", "case": None}


def claim() -> Statement:
    return by_id()[CLAIM]


def found(verdict: str = "verified") -> list[tuple[Any, float]]:
    return [({**sampled_report()["claims"][0], "verdict": verdict, "reason": "of a test"}, 1e-9)]


def filled(folder: Path) -> tuple[VerdictCache, Path]:
    here = VerdictCache(folder)
    here.keep(claim(), QUESTION, found())
    assert not here.trouble
    (path,) = folder.rglob("*.json")
    return here, path


def test_what_was_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    here, path = filled(tmp_path)
    assert here.look(claim(), QUESTION) == found()
    assert here.hits == 1 and here.reasons[CLAIM] == f"taken from {path}"


@pytest.mark.parametrize(
    "other", [{"effort": "standard"}, {"seed": 4}, {"case": {"d": 1}}, {"case": {}}], ids=lambda o: str(o)
)
def test_another_question_has_another_answer(tmp_path: Path, other: Any) -> None:
    here, _ = filled(tmp_path)
    assert here.look(claim(), {**QUESTION, **other}) is None
    assert here.reasons[CLAIM] == "judged: nothing is kept for this effort, seed, device and case"


def test_a_changed_statement_is_judged_again(tmp_path: Path) -> None:
    here, _ = filled(tmp_path)
    assert here.look(replace(claim(), printed={"score": "tr1"}), QUESTION) is None
    assert here.reasons[CLAIM] == "judged: the claim's statement changed"


def test_changed_code_and_versions_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, _ = filled(tmp_path)
    now = {**code("bao2024"), "theorems/gaussian/moments/wick.py": "changed", "theorems/new.py": "1"}
    now.pop("theorems/gaussian/words.py")
    monkeypatch.setattr(kept, "code", lambda paper: now)
    assert here.look(claim(), QUESTION) is None
    assert here.reasons[CLAIM] == (
        "judged: theorems/gaussian/moments/wick.py changed, theorems/gaussian/words.py is gone, theorems/new.py is new"
    )
    monkeypatch.setattr(kept, "code", code)
    beneath = kept.beneath("cpu")
    monkeypatch.setattr(kept, "beneath", lambda device: {**beneath, "sympy": "99"})
    assert here.look(claim(), QUESTION) is None
    assert here.reasons[CLAIM] == f"judged: sympy {beneath['sympy']} -> 99"


def test_many_changes_are_counted() -> None:
    before = {"code": {str(k): "a" for k in range(9)}}
    assert len(changes(before, {"code": {}})) == 9
    assert changes({"code": "no table"}, {"code": {"x": "a"}}) == ["x is new"]


@pytest.mark.parametrize("was", ["1\nverified", "\x1b[31m", "x" * 5_000_000, {"a": ["x" * 900]}, [[]] * 900, 10**99])
def test_a_change_is_told_on_one_short_line_whatever_was(was: Any) -> None:
    (told,) = changes({"beneath": {"torch": was}}, {"beneath": {"torch": "2"}})
    assert len(told) <= 120 and told.isprintable()
    assert all(len(told) <= 120 for told in changes({"code": {"k" * 900: was}}, {"code": {}}))


def test_fresh_judges_again_and_keeps_what_it_finds(tmp_path: Path) -> None:
    filled(tmp_path)
    here = VerdictCache(tmp_path, fresh=True)
    assert here.look(claim(), QUESTION) is None and here.reasons[CLAIM] == "judged: --fresh"
    here.keep(claim(), QUESTION, found("undecided"))
    assert VerdictCache(tmp_path).look(claim(), QUESTION) == found("undecided")


@pytest.mark.parametrize("verdict", ["conflict", "error"])
def test_what_is_a_bug_of_ours_is_not_kept(tmp_path: Path, verdict: str) -> None:
    VerdictCache(tmp_path).keep(claim(), QUESTION, found(verdict))
    assert not list(tmp_path.rglob("*.json"))


def test_claims_of_other_packages_are_not_kept(tmp_path: Path) -> None:
    here, foreign = VerdictCache(tmp_path), replace(claim(), plugin="mypackage")
    here.keep(foreign, QUESTION, found())
    assert not list(tmp_path.rglob("*.json"))
    assert here.look(foreign, QUESTION) is None and "other packages" in here.reasons[CLAIM]


@given(st.data())
def test_a_damaged_file_is_never_believed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("kept")
    here, path = filled(folder)
    whole = path.read_bytes()
    how = data.draw(st.sampled_from(["cut", "flip", "other", "longer"]))
    place = data.draw(st.integers(0, len(whole) - 1))
    if how == "cut":
        path.write_bytes(whole[:place])
    elif how == "flip":
        changed = bytearray(whole)
        changed[place] ^= data.draw(st.integers(1, 255))
        path.write_bytes(bytes(changed))
    elif how == "other":
        path.write_bytes(data.draw(st.binary(max_size=200)))
    else:
        path.write_bytes(whole + data.draw(st.binary(min_size=2, max_size=20)))
    if path.read_bytes().rstrip(b"\n") == whole.rstrip(b"\n"):
        # the line's end says nothing
        return
    assert here.look(claim(), QUESTION) is None
    assert here.reasons[CLAIM] == f"judged: {path} is damaged"


#: Reports of the claim without a part, or with one of another kind.
INCOMPLETE = (
    *({key: part for key, part in found()[0][0].items() if key != lost} for lost in ("simulation", "cases", "printed")),
    *({**found()[0][0], key: None} for key in ("simulation", "symbolic", "cases")),
    {**found()[0][0], "simulation": {}},
    {**found()[0][0], "more": 1},
    # a verdict that its own parts contradict
    {**found()[0][0], "symbolic": {**found()[0][0]["symbolic"], "status": "none"}},
)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [({"id": "bao2024.appA.eq12", "verdict": "verified"}, 0.0)],
        [({"id": CLAIM, "verdict": "conflict"}, 0.0)],
        [({"id": CLAIM, "verdict": "verified"}, "much")],
        [({"id": CLAIM, "verdict": "refuted"}, 0.0)] * 3,
        [("no report", 0.0)],
        *([(part, 0.0)] for part in INCOMPLETE),
    ],
)
def test_an_entry_that_is_whole_but_not_this_claims_is_not_believed(
    tmp_path: Path, rows: list[tuple[Any, Any]]
) -> None:
    here, path = filled(tmp_path)
    entry = kept._whole(path.read_bytes())
    assert entry is not None
    entry["found"] = [{"report": report, "spent": spent} for report, spent in rows]
    path.write_text(kept._sealed(entry))
    assert here.look(claim(), QUESTION) is None


def test_an_entry_of_another_question_is_not_believed(tmp_path: Path) -> None:
    here, other = VerdictCache(tmp_path), {**QUESTION, "seed": 4}
    for question in (QUESTION, other):
        here.keep(claim(), question, found())
    here._path(claim(), QUESTION).write_bytes(here._path(claim(), other).read_bytes())
    assert here.look(claim(), QUESTION) is None and "damaged" in here.reasons[CLAIM]


def test_a_full_disk_costs_time_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(one: object, other: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    here = VerdictCache(tmp_path)
    here.keep(claim(), QUESTION, found())
    assert here.trouble == f"{tmp_path / 'bao2024'}: verdicts are not kept there (No space left on device)"
    assert here.look(claim(), QUESTION) is None and not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    here = VerdictCache(tmp_path / "file" / "below")
    here.keep(claim(), QUESTION, found())
    assert "verdicts are not kept there" in here.trouble
    assert here.look(claim(), QUESTION) is None and "cannot be read" in here.reasons[CLAIM]


def test_where_entries_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept.VARIABLE, "off")
    assert default_folder() is None and VerdictCache(None).look(claim(), QUESTION) is None
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path / "x"))
    assert default_folder() == tmp_path / "x"
    monkeypatch.delenv(kept.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "twofold"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "twofold"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path / "file"))
    with pytest.raises(UsageError, match="expected a folder, or off"):
        opened(False)


def test_all_code_that_a_verdict_rests_on_is_looked_at() -> None:
    """What a run imports is in the list: a file that was left out could change and not be seen."""
    program = textwrap.dedent(
        """
        import json, sys
        from proofs_check.judging import runner
        from proofs_check.judging.options import Options
        from theorems.claims.catalogue import by_id
        for name in sys.argv[1:]:
            runner.run([by_id()[name]], Options(effort="quick"))
        suite = ("theorems", "montecarlo", "proofs_check")
        print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] in suite)))
        """
    )
    for name in ("lampert2026.sec5.dprime-0",):
        done = subprocess.run(
            [sys.executable, "-c", program, name], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
        )
        files = {kept._source(module) for module in json.loads(done.stdout)}
        listed = {ROOT / path for path in code(name.split(".")[0])}
        assert files - {None} <= listed, sorted(str(f) for f in files - {None} - listed)


def test_an_import_in_any_form_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        import theorems.gaussian.moments.wick
        from theorems.rules.norm import granted
        def late():
            from theorems.gaussian import (
                words,  # the trace words
                numeric as exact,
            )
            from montecarlo.seeds import block_seed as s
    """
    monkeypatch.setattr(kept, "_source", lambda name: ROOT / (name.replace(".", "/") + ".py"))
    path = tmp_path / "m.py"
    path.write_text(text)
    monkeypatch.setattr(kept, "_source", lambda name: path if name == "m" else kept._ROOT / name)
    kept._imports.cache_clear()
    try:
        found = set(kept._imports("m"))
        assert {
            "theorems.gaussian.moments.wick",
            "theorems.gaussian.words",
            "theorems.gaussian.numeric",
            "montecarlo.seeds",
        } <= found
        # the packages above a module run before it
        assert {"theorems", "theorems.gaussian.moments", "theorems.rules", "theorems.rules.norm"} <= found
    finally:
        kept._imports.cache_clear()


#: Imports once and forks a run for every folder that it reads; a run says its number when it begins, and at its end
#: how many verdicts it took as they were kept, by a pipe in its folder.
RUNS = textwrap.dedent(
    """
    import contextlib, os, sys, time
    from pathlib import Path
    from proofs_check.judging import cache as kept
    from proofs_check.report import outputs
    from proofs_check.judging import runner
    from proofs_check.judging.options import Options
    from proofs_check.judging.reporting import frame
    from theorems.claims.catalogue import select

    def judge(claim, options, device, listener):
        # long enough that a kill falls between any two of its steps
        time.sleep(0.01)
        report = frame(claim, options) | {"verdict": "undecided", "reason": "a test"}
        report["seconds"] = time.time()
        return [(report, 1e-9)]

    runner.judge = judge
    kept.beneath = lambda device: {"python": "any"}
    runner.resolve = lambda options: "cpu"
    runner._standing = lambda claim: True
    def run(where, pipe):
        with open(pipe, "w") as told:
            print(os.getpid(), file=told, flush=True)
            held = kept.VerdictCache(where / "kept")
            report = runner.run(list(select(["bao2024"])), Options(), None, held)
            outputs.write_json(report, where / "report.json")
            print(held.hits, file=told, flush=True)

    for line in sys.stdin:
        where, pipe = map(Path, line.rstrip("\\n").split("\\t"))
        if os.fork() == 0:
            try:
                run(where, pipe)
            finally:
                os._exit(0)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    """
)


@dataclass
class Run:
    """A run that has begun: its process, and what it says until its end."""

    pid: int
    told: TextIO

    def ended(self) -> int:
        """Wait for its end; how many verdicts it took as they were kept (fails where it did not come to its end)."""
        with self.told as told:
            return int(told.read())

    def kill(self) -> None:
        """End it at once, and wait until it is gone."""
        # it may have come to its end already
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with self.told as told:
            told.read()


@pytest.fixture(scope="module")
def started() -> Iterator[Callable[[Path], Run]]:
    """Starts a run with its kept verdicts and its report in a folder."""
    numbers = itertools.count()
    with subprocess.Popen([sys.executable, "-c", RUNS], cwd=ROOT, stdin=subprocess.PIPE, text=True) as process:

        def start(folder: Path) -> Run:
            pipe = folder / f"told-{next(numbers)}"
            os.mkfifo(pipe)
            print(folder, pipe, sep="\t", file=process.stdin, flush=True)
            told = pipe.open(encoding="utf-8")
            return Run(int(told.readline()), told)

        yield start


def without_times(path: Path) -> str:
    report = json.loads(path.read_text())
    report["run"].pop("seconds")
    for row in report["claims"]:
        row.pop("seconds")
    return json.dumps(report)


def test_a_run_killed_at_any_point_goes_on_and_ends_with_the_same_report(
    tmp_path: Path, started: Callable[[Path], Run]
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert started(whole).ended() == 0
    draw = random.Random(8)
    for _ in range(2):
        run = started(killed)
        while not any((killed / "kept").rglob("*.json")):
            time.sleep(0.01)
        time.sleep(draw.uniform(0.0, 0.1))
        run.kill()
        assert not (killed / "report.json").exists() or without_times(killed / "report.json")
    assert started(killed).ended() > 0
    assert without_times(killed / "report.json") == without_times(whole / "report.json")


def test_two_runs_at_once_share_a_folder(tmp_path: Path, started: Callable[[Path], Run]) -> None:
    for run in [started(tmp_path) for _ in range(2)]:
        run.ended()
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["claims"]) > 50
    again = VerdictCache(tmp_path / "kept")
    entries = list((tmp_path / "kept").rglob("*.json"))
    assert len(entries) == len(report["claims"]) and not again.trouble
    assert all(kept._whole(path.read_bytes()) is not None for path in entries)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_costs_time_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    here = VerdictCache(tmp_path / "below")
    here.keep(claim(), QUESTION, found())
    assert "verdicts are not kept there" in here.trouble
