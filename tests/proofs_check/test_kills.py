"""Runs that are interrupted, short of disk, or on other releases: they go on, or say in a line what became of them.

``judging/test_cache`` kills runs at any point and starts two at once.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import pytest

from proofs_check.judging import cache as kept
from proofs_check.judging import runner
from proofs_check.judging.cache import VerdictCache
from proofs_check.report import lock, outputs, publishing
from proofs_check.report.lock import fingerprint, news
from proofs_check.report.publishing import HEAD, MANIFEST
from tests.conftest import sampled_report
from tests.proofs_check.hostile import called, contents, one_line
from theorems.claims.catalogue import by_id

ROOT = Path(__file__).resolve().parents[2]
#: Claims that are judged for real, in about a second together.
CLAIMS = ("lampert2026.sec5.dprime-0", "bao2024.sec2.softmax-taylor", "bao2024.appA.eq15")
QUESTION: dict[str, Any] = {"effort": "quick", "seed": 0, "device": "cpu", "case": None}

#: The command itself; it says when the imports are over and the claims begin.
PROGRAM = textwrap.dedent(
    """
    import sys
    from proofs_check.commands import cli
    from proofs_check.judging import runner
    from proofs_check.report import terminal
    import torch, theorems.kernel.settle, montecarlo.engine

    class Ready(terminal.PlainRows):
        def begin(self, claims):
            print("ready", flush=True)

    terminal.PlainRows = Ready
    sys.exit(cli.main(sys.argv[1:]))
    """
)


def started(folder: Path) -> subprocess.Popen[str]:
    """A run with its kept verdicts and its report in a folder, judging."""
    command = [sys.executable, "-c", PROGRAM, "verify", *CLAIMS, "--effort", "quick", "--device", "cpu"]
    run = subprocess.Popen(
        [*command, "--json", str(folder / "report.json")],
        cwd=ROOT,
        env={**os.environ, "TWOFOLD_CACHE": str(folder / "kept")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    return run


def finished(run: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit status and what was said, at the end of a run."""
    _, said = run.communicate(timeout=240)
    return run.returncode, said


def without_times(path: Path) -> str:
    """A report's text without the seconds, and without the names of the folder."""
    report = json.loads(path.read_text(encoding="utf-8"))
    report["run"].pop("seconds")
    report["run"].pop("command")
    for claim in report["claims"]:
        claim.pop("seconds")
    return json.dumps(report, indent=1)


@pytest.mark.slow
def test_an_interruption_leaves_a_report_that_says_that_it_is_partial(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    assert finished(started(tmp_path / "whole"))[0] == 0
    whole = without_times(tmp_path / "whole" / "report.json")
    run = started(tmp_path)
    time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    status, said = finished(run)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "Traceback" not in said
    if status == 0:
        # it had come to its end already
        assert without_times(tmp_path / "report.json") == whole
        return
    assert status == 130 and report["run"]["partial"] is True
    assert "interrupted before the rest was judged" in said
    assert len(report["claims"]) < len(json.loads(whole)["claims"])
    assert finished(started(tmp_path))[0] == 0
    assert without_times(tmp_path / "report.json") == whole


# ---- a full disk

FULL = OSError(errno.ENOSPC, "No space left on device")


def _full_at_fsync(patch: pytest.MonkeyPatch) -> None:
    def fsync(handle: int) -> None:
        raise FULL

    patch.setattr(os, "fsync", fsync)
    # pages are not waited for
    _full_at_rename(patch)


def _full_at_rename(patch: pytest.MonkeyPatch) -> None:
    def replace(one: Any, other: Any) -> None:
        raise FULL

    patch.setattr(os, "replace", replace)


@pytest.mark.parametrize("when", [_full_at_fsync, _full_at_rename], ids=["at fsync", "at rename"])
@pytest.mark.parametrize(
    ("option", "target"), [("--junit", "old"), ("--markdown", "old"), ("--latex", "old"), ("--html", "folder")]
)
def test_a_full_disk_leaves_the_old_file(
    option: str,
    target: str,
    when: Callable[[pytest.MonkeyPatch], None],
    tmp_path: Path,
    sample_report: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").write_text("the old file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("the old page")
    written = hashlib.sha256(b"the old page").hexdigest()
    (tmp_path / "folder" / MANIFEST).write_text(f"{HEAD}\n{written}  index.html\n")
    (tmp_path / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        when(patch)
        paper = ["--comments", "bao2024"] if option == "--latex" else []
        told = called(["report", "report.json", option, target, *paper])
    assert told.status == 1
    one_line(told.err)
    assert f"{option} {tmp_path / target}: could not be written (No space left on device)" in told.err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("room", [0, 1, 2, 7])
@pytest.mark.parametrize("arguments", [["report", "report.json", "--html"], ["figures", "softmax_pieces", "--out"]])
def test_a_disk_that_fills_up_half_way_leaves_what_was_there(
    arguments: list[str], room: int, tmp_path: Path, sample_report: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many files none is there, or the old ones are, all of them: no page leads to one that could not be written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("figures.drawing.made", lambda name, seed: {f"{name}.{n}": b"new" for n in range(8)})
    other = {**sample_report, "claims": sample_report["claims"][:1]}
    (tmp_path / "report.json").write_text(json.dumps(other), encoding="utf-8")
    if arguments[0] == "report":
        assert called([*arguments, "old"]).status == 0
    else:
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / "softmax_pieces.3").write_text("old")
    (tmp_path / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    before = contents(tmp_path)
    for target in ("old", "new/folder"):
        left = room

        def opened(path: Any, *rest: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise FULL
            return open(path, *rest)

        with monkeypatch.context() as patch:
            patch.setattr(outputs, "open", opened, raising=False)
            told = called([*arguments, target])
        assert told.status == 1 and "could not be written (No space left on device)" in told.err
        one_line(told.err)
        assert contents(tmp_path) == before and not (tmp_path / "new").exists()


def test_two_reports_into_one_folder_leave_one_of_them(tmp_path: Path) -> None:
    """Each waits for the other to come to its end: the pages are those of one of them, and the list knows them."""
    sites = [{f"{n}.html": text * 20_000 for n in range(40)} for text in (b"a", b"b")]
    errors: list[BaseException] = []

    def write(made: dict[str, bytes]) -> None:
        try:
            for _ in range(5):
                publishing.publish(made, tmp_path / "site", publishing.MODELS)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=[made]) for made in sites]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    found = {path.name: path.read_bytes() for path in (tmp_path / "site").glob("*.html")}
    assert found in sites
    publishing.publish({}, tmp_path / "site", publishing.MODELS)
    assert os.listdir(tmp_path / "site") == [MANIFEST]


def test_a_report_does_not_wait_for_ever_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "PATIENCE", 0.1)
    publishing.publish({"one.html": b"one"}, tmp_path, "")
    before = contents(tmp_path)
    with publishing._alone(tmp_path), pytest.raises(BlockingIOError, match="another run writes there"):
        publishing.publish({"one.html": b"two"}, tmp_path, "")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("option", ["--json", "--html", "--junit"])
def test_a_full_disk_after_a_run_is_told_with_what_was_found(
    option: str, tmp_path: Path, sample_report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "folder" if option == "--html" else tmp_path / "old"
    (tmp_path / "old").write_text("the old file")
    claims = [claim for claim in sample_report["claims"] if claim["verdict"] == "verified"]
    monkeypatch.setattr(runner, "run", lambda *_: {**sample_report, "claims": claims})
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        _full_at_rename(patch)
        told = called(["verify", "bao2024.appA.eq11", option, str(target)])
    assert told.status == 1 and contents(tmp_path) == before
    assert f"twofold: error: {option} {target}: could not be written (No space left on device)" in told.err
    assert "Judged " in told.err


# ---- a new release of what is underneath


@pytest.mark.parametrize("name", kept.BENEATH)
def test_a_new_release_beneath_is_judged_anew(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, claim = VerdictCache(tmp_path), by_id()["bao2024.appA.eq11"]
    found: kept.Found = [(cast(Any, {**sampled_report()["claims"][0], "id": claim.id}), 0.0)]
    here.keep(claim, QUESTION, found)
    assert here.look(claim, QUESTION) == found
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda of: "99.0" if of == name else version(of))
    kept.beneath.cache_clear()
    try:
        assert here.look(claim, QUESTION) is None
        assert here.reasons[claim.id].startswith("judged: ") and f"{name} " in here.reasons[claim.id]
        assert here.reasons[claim.id].endswith(" -> 99.0")
    finally:
        kept.beneath.cache_clear()


def test_a_release_that_changes_a_verdict_or_a_figure_is_caught(
    tmp_path: Path, sample_report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock names the verdict, the number and the release that are no longer what they were."""
    claims = [claim for claim in sample_report["claims"] if claim["verdict"] in ("verified", "refuted")]
    report: Any = {**sample_report, "claims": claims, "run": {**sample_report["run"], "versions": {"numpy": "2.0"}}}
    data = {"points": [{"x": 1.0, "y": 2.0}]}
    held = lock.written(report, {"rho": fingerprint(data)})
    (tmp_path / "verdicts.toml").write_text(held, encoding="utf-8")
    other = json.loads(json.dumps(report))
    other["run"]["versions"]["numpy"] = "3.0"
    other["claims"][0]["verdict"] = "undecided"
    monkeypatch.setattr(runner, "run", lambda *_: other)
    told = called(["verify", "bao2024.appA", "--expect", str(tmp_path / "verdicts.toml")])
    assert told.status == 1
    assert f"{claims[0]['id']}: expected verified, got undecided" in told.err
    now = lock.written(other, {"rho": fingerprint({"points": [{"x": 1.0, "y": 2.1}]})})
    assert "versions: numpy: 2.0 -> 3.0" in news(held, now)
    assert any(line.startswith("figures: rho: other numbers") for line in news(held, now))
    monkeypatch.setattr(
        "figures.drawing.made", lambda name, seed: {f"{name}.json": json.dumps({"points": [2.1]}).encode()}
    )
    mark = {name: repr(value).replace("'", '"') for name, value in fingerprint({"points": [2.0]}).items()}
    lines = "\n".join(f"{name} = {value}" for name, value in mark.items())
    (tmp_path / "figures.toml").write_text(f"[figures.softmax_pieces]\n{lines}\n")
    drawn = ["figures", "softmax_pieces", "--out", str(tmp_path / "out"), "--expect", str(tmp_path / "figures.toml")]
    told = called(drawn)
    assert told.status == 1 and "data differs from --expect; softmax_pieces: other numbers" in told.err
