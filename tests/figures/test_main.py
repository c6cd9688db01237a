"""``twofold figures``: what it writes, and that nothing is written on bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from figures import FIGURES, FigureError, drawing, files, load
from proofs_check.commands.cli import main

ROOT = Path(__file__).parents[2]


class Plain:
    """A figure that costs nothing."""

    def data(self, *, seed: int = 0) -> dict[str, Any]:
        return {"seed": seed, "points": [0.0, 1.0, 0.5], "name": "θ"}

    def draw(self, drawn: dict[str, Any]) -> Figure:
        figure = Figure()
        figure.subplots().plot(drawn["points"], label=drawn["name"])
        return figure

    def table(self, drawn: dict[str, Any]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [{"curve": drawn["name"], "value": value} for value in drawn["points"]]
        return [*rows, {"curve": "1, 2", "low": 0.1}]


class Failing(Plain):
    def data(self, *, seed: int = 0) -> dict[str, Any]:
        raise FigureError("nothing was sampled")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "load", lambda name: Plain())


@pytest.mark.usefixtures("plain")
def test_each_figure_is_four_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "folder"
    assert main(["figures", "--out", str(out), "--seed", "7", "--jobs", "1"]) == 0
    expected = sorted(name + suffix for name in FIGURES for suffix in (".png", ".svg", ".json", ".csv"))
    assert sorted(path.name for path in out.iterdir()) == expected
    assert json.loads((out / "variance_profile.json").read_text(encoding="utf-8"))["seed"] == 7
    assert (out / "variance_profile.png").read_bytes().startswith(b"\x89PNG")
    table = (out / "variance_profile.csv").read_bytes()
    assert table == 'curve,value,low\nθ,0.0,\nθ,1.0,\nθ,0.5,\n"1, 2",,0.1\n'.encode()
    assert sorted(capsys.readouterr().out.split()) == [str(out / name) for name in expected]


@pytest.mark.usefixtures("plain")
def test_a_second_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b", "b"):
        assert main(["figures", "variance_profile", "--out", str(tmp_path / folder)]) == 0
    for path in (tmp_path / "a").iterdir():
        content = path.read_bytes()
        assert content == (tmp_path / "b" / path.name).read_bytes()
        assert b"<dc:date>" not in content
    assert len(list((tmp_path / "b").iterdir())) == 4


BAD = {
    "name": (
        ["varianceprofile"],
        f"NAME 'varianceprofile': expected a figure ({', '.join(FIGURES)}) or the id of a claim; "
        "nearest: variance_profile",
    ),
    "path as a name": (["../x"], f"NAME '../x': expected a figure ({', '.join(FIGURES)}) or the id of a claim"),
    "negative seed": (["--seed", "-1"], "--seed"),
    "no seed": (["--seed", "one"], "--seed one: expected an integer"),
    "large seed": (["--seed", str(2**63)], "--seed"),
    "empty out": (["--out", ""], "--out"),
    "unknown option": (["--ouT", "x"], "--ouT"),
    "out without a value": (["--out"], "--out"),
    "file": (["--out", "file"], "--out 'file': expected a folder"),
    "below a file": (["--out", "file/sub"], "--out 'file/sub': expected a folder"),
    "nothing can be made there": (["--out", "/proc/twofold"], "--out '/proc/twofold': expected a writable folder"),
    "taken by a folder": (["--out", "taken"], "--out 'taken': expected a folder where variance_profile.svg"),
    "null": (["--out", "a\0b"], "--out"),
    "long": (["--out", "x" * 5000], "--out"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_in_a_line_and_nothing_is_written(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(drawing, "made", lambda name, seed: pytest.fail("work began"))
    Path("file").write_text("kept")
    Path("taken/variance_profile.svg").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    arguments, told = BAD[what]
    assert main(["figures", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("twofold: error: ")
    assert told.replace("--seed one", "--seed 'one'") in said.err
    assert said.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_figure_that_cannot_be_made_leaves_the_old_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "load", lambda name: Failing())
    (tmp_path / "variance_profile.png").write_text("old")
    assert main(["figures", "--out", str(tmp_path), "--jobs", "1"]) == 1
    assert capsys.readouterr().err == "figures: error: nothing was sampled\n"
    assert [path.name for path in tmp_path.iterdir()] == ["variance_profile.png"]
    assert (tmp_path / "variance_profile.png").read_text() == "old"


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_was_made_for_nothing_is_taken_back(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "load", interrupted)
    if there:
        (tmp_path / "out").mkdir()
    assert main(["figures", "--out", str(tmp_path / "out" / "new"), "--jobs", "1"]) == 130
    assert [path.name for path in tmp_path.rglob("*")] == ["out"] * there


def test_an_unknown_figure_cannot_be_loaded() -> None:
    with pytest.raises(KeyError):
        load("os")
    for name in FIGURES:
        module = load(name)
        assert all(callable(made) for made in (module.data, module.draw, module.table))


def test_nothing_heavy_is_imported_before_work() -> None:
    code = f"import sys, figures.drawing, {', '.join(f'figures.{name}' for name in FIGURES)}\n"
    code += "print([name for name in ('torch', 'sympy', 'matplotlib', 'hypothesis') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_the_figures() -> None:
    run = [sys.executable, "-m", "figures", "--help"]
    done = subprocess.run(run, capture_output=True, text=True, cwd=ROOT, check=True)
    assert all(name in done.stdout for name in FIGURES)
