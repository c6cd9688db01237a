"""The README tells the truth: its commands and code run and print what it shows, and what it names exists.

Numbers that are measured (seconds, powers, estimates) are not compared; verdicts, formulas and exact values are.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_FENCE = re.compile(
    r"(?:<!-- (?P<mark>[^>]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_MEASURED = re.compile(r"-?\d+\.\d+(e[-+]\d+)?[%kMG]?|\b\d+[%kMG]|\b\d+(?= s\b)")
SKIP = "..."


@dataclass(frozen=True)
class Fence:
    """A fenced block: the mark in the comment above it, its language and its text."""

    mark: str
    language: str
    text: str


FENCES = [Fence(found["mark"] or "", found["language"], found["text"]) for found in _FENCE.finditer(README)]


def stable(line: str) -> str:
    """The line with measured numbers masked and runs of blanks made one."""
    return " ".join(_MEASURED.sub("#", line).split())


def missing(shown: str, output: str) -> list[str]:
    """The shown lines that the output lacks, in order: each follows the one before, at once unless "..." is between."""
    lines = [stable(line) for line in output.splitlines() if line.strip()]
    place, free, lacking = 0, True, []
    for line in (stable(line) for line in shown.splitlines() if line.strip()):
        if line == SKIP:
            free = True
            continue
        ahead = lines[place:] if free else lines[place : place + 1]
        if line in ahead:
            place += ahead.index(line) + 1
            free = False
        else:
            lacking.append(line)
    return lacking


#: Runs commands (lists of words) and programs (texts) one after the other, each in a process of its own that finds the
#: modules imported, and prints what each prints.
SERVER = """
import contextlib, io, json, os, sys
import scipy.optimize, sympy, torch
import figures, montecarlo.engine
from proofs_check import cli, runner
for number, task in enumerate(json.load(sys.stdin)):
    child = os.fork()
    if child == 0:
        with open(f"{number}.out", "w") as out, contextlib.redirect_stdout(out):
            code = exec(task, {"__name__": "__main__"}) if isinstance(task, str) else cli.main(task)
        sys.stderr.flush()
        os._exit(code or 0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        sys.exit(f"failed: {task}")
"""


def run(tasks: list[Any], folder: Path) -> list[str]:
    """What each of the commands and programs prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    command = [sys.executable, "-c", SERVER]
    done = subprocess.run(
        command, cwd=folder, env=environment, input=json.dumps(tasks), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [(folder / f"{number}.out").read_text(encoding="utf-8") for number in range(len(tasks))]


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def twofold(command: str) -> list[str]:
    words = shlex.split(command)
    assert words[0] == "twofold"
    return [sys.executable, "-m", "proofs_check", *words[1:]]


def test_what_is_marked_as_executed_prints_what_is_shown(tmp_path: Path) -> None:
    tasks: list[Any] = []
    wanted: list[str] = []
    executed = 0
    for fence, following in zip(FENCES, [*FENCES[1:], None], strict=True):
        if fence.mark != "executed":
            continue
        if fence.language == "console":
            told = list(sessions(fence.text))
            tasks += [shlex.split(command)[1:] for command, _ in told]
            wanted += [shown for _, shown in told]
        else:
            assert fence.language == "python"
            assert following is not None
            assert following.language == "text"
            tasks.append(fence.text)
            wanted.append(following.text)
        executed += 1
    assert executed == 8
    for task, shown, output in zip(tasks, wanted, run(tasks, tmp_path), strict=True):
        if isinstance(task, str):
            assert output.splitlines() == shown.splitlines()
        else:
            assert missing(shown, output) == []


def test_every_block_is_executed_or_walked_through_or_an_output() -> None:
    for fence, before in zip(FENCES, [None, *FENCES], strict=False):
        if fence.language == "text":
            assert before is not None
            assert before.mark == "executed"
        else:
            # the files and commands of the walk-through are those of test_walkthrough.py
            assert fence.mark in ("executed", "walked") or fence.mark.startswith("file "), fence.text


def test_the_verdicts_are_those_of_the_schema() -> None:
    from proofs_check.expect import VERDICTS

    rows = re.findall(r"^\| `(\w+)` \| ", README, flags=re.MULTILINE)
    assert sorted(rows) == sorted(VERDICTS)


def test_the_layout_table_is_the_repository() -> None:
    assert all((ROOT / folder).is_dir() for folder in re.findall(r"^\| `(\w+)/` \| ", README, flags=re.MULTILINE))


def test_the_commands_exist() -> None:
    from proofs_check.cli import COMMANDS

    named = set(re.findall(r"(?:`|^ {4}|\$ )twofold ([a-z-]+)", README, flags=re.MULTILINE))
    assert {"verify", "list", "show", "eval", "figures", "new-lemma", "doctor"} <= named <= set(COMMANDS)


def test_the_make_targets_exist() -> None:
    targets = set(re.findall(r"\bmake (\w+)", README))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"verify", "test", "figures"} <= targets
    assert all(re.search(rf"^{target}:", makefile, flags=re.MULTILINE) for target in targets)


def test_the_supported_versions_are_the_pinned_ones() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert set(re.findall(r"\btorch (?:is )?(\d[\d.]*\d)", README)) == set(
        re.findall(r"^torch==(.*)$", pins, re.MULTILINE)
    )
    assert "Python 3.11 and later" in README


OUTPUT = "refuted   a   1.5% / 3.69M   0.5 s  disproved\nmiddle\n  truth   i*tr1\n  gives 0, the truth is 1\n"


@pytest.mark.parametrize(
    "shown",
    [
        "refuted a 2% / 9k 12 s disproved\n...\n truth i*tr1\n",
        "...\n  truth  i*tr1\n gives 0, the truth is 1",
        "refuted a 1.5% / 3.69M 0.5 s disproved\nmiddle",
    ],
)
def test_measured_numbers_are_not_compared(shown: str) -> None:
    assert missing(shown, OUTPUT) == []


@pytest.mark.parametrize(
    "shown",
    [
        "verified a 1.5% / 3.69M 0.5 s disproved",
        "refuted a 1.5% / 3.69M 0.5 s proved",
        "...\n truth i*tr2",
        "...\n truth 2*i*tr1",
        "...\n gives 0, the truth is 2",
        "refuted a 1.5% / 3.69M 0.5 s disproved\n truth i*tr1",
        "...\n gives 0, the truth is 1\n...\n truth i*tr1",
    ],
)
def test_another_verdict_formula_value_or_order_is_caught(shown: str) -> None:
    assert missing(shown, OUTPUT)
