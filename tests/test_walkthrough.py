"""The tutorial's package, file by file and command by command: outside this repository, in a folder and installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.documents import ROOT, Together, command, commands_of, fences, missing, read

FENCES = fences(read("docs/tutorial.md"))
#: The folder that the tutorial keeps the package in.
PLACE = "file square/"
FILES = {fence.mark.removeprefix(PLACE): fence.text for fence in FENCES if fence.mark.startswith(PLACE)}
CLAIM = "mypaper.sec2.square"


def write(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def run(arguments: list[str], folder: Path, *path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *path))), "COLUMNS": "200"}
    words = [sys.executable, "-m", "proofs_check", *arguments]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``pip install`` leaves of the package: its files beside a folder of metadata."""
    site = tmp_path_factory.mktemp("site")
    write(site)
    project = tomllib.loads((site / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = site / f"{project['name']}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    ((group, points),) = project["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (site / "pyproject.toml").unlink()
    return site


def test_the_lemma_takes_less_than_40_lines_outside_this_repository() -> None:
    assert set(FILES) == {"mypaper/theorems.py", "mypaper/montecarlo.py", "pyproject.toml"}
    assert sum(len(text.splitlines()) for text in FILES.values()) < 40
    assert not (ROOT / "mypaper").exists()


def test_the_commands_print_the_verdict_and_draw_the_plot(tmp_path: Path, together: Together) -> None:
    write(tmp_path)
    (fence,) = [fence for fence in FENCES if fence.mark == "walked"]
    commands = list(commands_of(fence.text))
    assert [line.split()[1] for line, _ in commands] == ["verify", "figures"]
    (told,) = together([(tmp_path, [command(line) for line, _ in commands])])
    for (line, shown), (status, output) in zip(commands, told, strict=True):
        assert status == 0, line
        assert missing(shown, output) == []
    drawn = json.loads((tmp_path / "plots" / f"{CLAIM}.json").read_text(encoding="utf-8"))
    assert drawn["verdict"] == "verified"
    assert all(row["low"] <= 0 <= row["high"] and row["printed"] == 0 for row in drawn["rows"])
    assert (tmp_path / "plots" / f"{CLAIM}.png").read_bytes().startswith(b"\x89PNG")


def test_once_installed_the_claim_is_listed_from_everywhere(installed: Path, tmp_path: Path) -> None:
    told = run(["list"], tmp_path, installed)
    assert told.returncode == 0, told.stderr
    ids = [line.split("\t")[0] for line in told.stdout.splitlines()]
    assert ids.count(CLAIM) == 1
    assert (
        len([name for name in ids if name.startswith(("bao2024.", "lampert2026.", "choromanski2021."))]) == len(ids) - 1
    )
    shown = run(["show", CLAIM], tmp_path, installed).stdout
    assert "E[(x[i].T*W*x[j])**2]" in shown
    missed = run(["list", "mypaper"], tmp_path)
    assert missed.returncode == 2
