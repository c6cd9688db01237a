"""The command line under arguments of every kind: a documented status, one line for what is refused, nothing lost."""

from __future__ import annotations

import argparse
import copy
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from figures import drawing
from proofs_check import bench, selftest
from proofs_check.bench import report as bench_report
from proofs_check.commands import cli
from proofs_check.commands import evaluate as explore
from proofs_check.judging import cluster, dry_run, runner
from proofs_check.report import publishing, site
from proofs_check.report import selftest as selftest_text
from proofs_check.selftest import run as selftest_run
from tests.proofs_check.hostile import CODE, TEXTS, called, contents, one_line, refused


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_report: dict[str, Any]) -> Path:
    """A folder with a file of each kind to work in, and commands that do no work."""

    def judged(*_: Any) -> dict[str, Any]:
        claims = [claim for claim in sample_report["claims"] if claim["verdict"] in ("verified", "refuted")]
        return copy.deepcopy({**sample_report, "claims": claims})

    @contextmanager
    def connected(address: str) -> Iterator[None]:
        yield None

    def shown(*_: Any) -> None:
        return None

    def measured(*_: Any, **__: Any) -> dict[str, Any]:
        return {"consistent": True, "rows": [], "limits": {}}

    def pages(report: Mapping[str, Any], folder: Path, **_: Any) -> None:
        publishing.publish({"index.html": b"pages"}, folder, "")

    monkeypatch.setattr(runner, "run", judged)
    monkeypatch.setattr(dry_run, "plan", lambda *_: [])
    monkeypatch.setattr(explore, "explore", lambda *_: [])
    monkeypatch.setattr(cluster, "connected", connected)
    monkeypatch.setattr(site, "write", pages)
    monkeypatch.setattr(bench_report, "run", measured)
    monkeypatch.setattr(bench_report, "show", shown)
    monkeypatch.setattr(selftest_run, "run", measured)
    monkeypatch.setattr(selftest_text, "show", shown)
    monkeypatch.setattr(drawing, "_made", lambda names, *_: ((name, {f"{name}.json": b"[]"}) for name in names))
    assert bench.__name__ and selftest.__name__
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    (folder / "verdicts.toml").write_text('[verdicts]\n"bao2024.appA.eq11" = "verified"\n')
    (folder / "old.txt").write_text("not to be lost")
    (folder / "folder").mkdir()
    np.save(folder / "W.npy", np.eye(2))
    return folder


def valued(name: str) -> list[str]:
    """The options of a command that take a value."""
    parser = argparse.ArgumentParser(add_help=False)
    cli.COMMANDS[name].fill(parser)
    return [action.option_strings[-1] for action in parser._actions if action.option_strings and action.nargs != 0]


VALUED = [(name, option) for name in cli.COMMANDS for option in valued(name)]
#: Something for the arguments that a command must have.
NEEDED = {
    "report": ["report.json"],
    "show": ["bao2024.appA.eq11"],
    "eval": ["bao2024.appA.eq11"],
    "check": ["u**2 >= 0", "--for", "u real", "--effort", "quick"],
    "measure": ["folder", "--text", "old.txt"],
}
#: Options whose value may be any path that can be written, or any text.
ANY_PATH = ("--json", "--junit", "--html", "--markdown", "--latex", "--out", "--picture")


@pytest.mark.parametrize(("name", "option"), VALUED, ids=[f"{name}{option}" for name, option in VALUED])
def test_no_option_runs_its_value(name: str, option: str, here: Path) -> None:
    values = CODE if option in ANY_PATH else TEXTS
    for value in values:
        told = called([name, *NEEDED.get(name, []), f"{option}={value}"])
        assert told.status in (0, 1, 2), (value, told)
        if told.status == 2:
            # a caret may stand below what is wrong with a statement
            one_line(told.err.splitlines(keepends=True)[0] if name == "check" else told.err)
        assert not any(path == "PWNED" for path in os.listdir(here))


@pytest.mark.parametrize("value", ["x" * 100_000, "\n".join("abc"), "\x1b]0;title\a", "\u2028", "é\ud800"])
@pytest.mark.parametrize(
    "form", [["verify", "--quiet={}"], ["{}"], ["verify", "{}"], ["verify", "--{}"], ["doctor", "{}"], ["show", "{}"]]
)
def test_what_is_told_is_one_short_line(form: Sequence[str], value: str, here: Path) -> None:
    refused(called([word.format(value) for word in form]), here, contents(here))


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "report.json", "--markdown", "new", "--junit", "./new"],
        ["report", "report.json", "--markdown", "report.json"],
        ["report", "report.json", "--html", "folder", "--before", "old.json", "--junit", "old.json"],
        ["report", "report.json", "--html", "new", "--markdown", "./new"],
        ["verify", "bao2024.appA.eq11", "--html", "new", "--json", "new"],
        ["bench", "--json", "new", "--picture", "new"],
        ["lock", "--report", "report.json", "--out", "report.json"],
        ["verify", "bao2024.appA.eq11", "--expect", "verdicts.toml", "--json", "./verdicts.toml"],
        ["verify", "bao2024.appA.eq11", "--expect", "verdicts.toml", "--junit", "verdicts.toml"],
        ["verify", "bao2024.appA.eq11", "--json", "new", "--html", "new/pages"],
        ["report", "report.json", "--markdown", "new", "--html", "./new/pages"],
        ["check", "u**2 >= 0", "--for", "u real", "--save", "my.sec.thing", "--json", "my"],
        ["check", "u**2 >= 0", "--for", "u real", "--save", "my.sec.thing", "--json", "pyproject.toml"],
        ["measure", "folder", "--text", "old.txt", "--json", "new", "--html", "new"],
    ],
    ids=lambda arguments: " ".join(arguments[2:]),
)
def test_no_output_is_written_over_another_file_of_the_command(arguments: list[str], here: Path) -> None:
    (here / "old.json").write_bytes((here / "report.json").read_bytes())
    refused(called(arguments), here, contents(here))


def test_names_after_two_dashes_are_names(here: Path) -> None:
    told = called(["figures", "--", "--help"])
    refused(told, here, contents(here))
    assert "'--help'" in told.err


def test_a_report_is_written_whatever_the_command_line_holds(here: Path) -> None:
    """A file name that is no UTF-8 stands in the report as the bytes that it was made of."""
    told = called(["verify", "bao2024.appA.eq11", "--json", "new\udcff.json"])
    assert told.status == 0
    written = json.loads((here / "new\udcff.json").read_text(encoding="utf-8"))
    assert written["run"]["command"][-1] == "new\\udcff.json"
