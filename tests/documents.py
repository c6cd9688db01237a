"""How the documents are read and run: their fenced blocks, and what the commands and programs in them print.

A comment above a block says what it is: ``executed`` (commands, or a program whose output is the block that follows),
``continued`` (a program that goes on where those before it ended), ``file NAME`` (written into the document's folder
before what comes after it), ``walked`` (run by test_walkthrough).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Written by the code from its own data; tests of their own compare them.
GENERATED = ("docs/findings.md", "docs/rules.md")
WRITTEN = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/statements.md",
    "docs/tutorial.md",
    "docs/reports.md",
    "docs/figures.md",
    "docs/measure.md",
    "docs/engine.md",
    "docs/statistics.md",
)
SKIP = "..."
_FENCE = re.compile(
    r"(?:<!-- (?P<mark>[^>]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_MEASURED = re.compile(r"-?\d+\.\d+(e[-+]\d+)?[%kMG]?|\b\d+[%kMG]|\b\d+(?= s\b)|\b\d+(?= min\b)")


@dataclass(frozen=True)
class Fence:
    """A fenced block: the mark in the comment above it, its language and its text."""

    mark: str
    language: str
    text: str


@dataclass(frozen=True)
class Task:
    """Something to do in a document's folder, and the text that is shown of its output (None where none is)."""

    do: dict[str, Any]
    shown: str | None = None


def read(name: str) -> str:
    """The text of a document."""
    return (ROOT / name).read_text(encoding="utf-8")


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a document."""
    return [Fence(found["mark"] or "", found["language"], found["text"]) for found in _FENCE.finditer(text)]


def prose(text: str) -> str:
    """The document without its fenced blocks."""
    return _FENCE.sub("", text)


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


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def command(line: str) -> dict[str, Any]:
    """A command line as something to do; ``> FILE`` at its end is the file that its stdout goes to."""
    words, target = shlex.split(line), None
    if ">" in words:
        cut = words.index(">")
        words, (target,) = words[:cut], words[cut + 1 :]
    assert words[0] in ("twofold", "pytest"), line
    return {"run": words, "to": target}


def tasks(text: str) -> list[Task]:
    """What a document asks for, in its order."""
    found = fences(text)
    asked: list[Task] = []
    for fence, following in zip(found, [*found[1:], None], strict=False):
        if fence.mark.startswith("file "):
            asked.append(Task({"write": fence.mark.removeprefix("file "), "text": fence.text}))
        elif fence.mark == "executed" and fence.language == "console":
            asked += [Task(command(line), shown) for line, shown in commands_of(fence.text)]
        elif fence.mark in ("executed", "continued"):
            assert fence.language == "python", fence.text
            assert following is not None, fence.text
            assert following.language == "text", fence.text
            goes_on = fence.mark == "continued"
            asked.append(Task({"program": fence.text, "goes_on": goes_on}, following.text))
    return asked


#: Does what each line that it reads tells it folder by folder, and answers with a line of JSON: what each command and
#: program printed. Each runs in a process of its own, which finds the modules imported and a terminal without colours;
#: a program that goes on has the process of the one before it.
SERVER = """
import contextlib, gc, io, json, os, sys, traceback
import scipy.optimize, sympy, torch
import figures, montecarlo.engine, proofs_check.api, theorems.authoring
from proofs_check.commands import cli
from proofs_check.judging import runner
sys.path.insert(0, "")
# the questions and answers have streams of their own, which nothing that is run writes to or reads from
questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
nothing = os.open(os.devnull, os.O_RDWR)
os.dup2(nothing, 0)
os.dup2(nothing, 1)

class Terminal(io.StringIO):
    def isatty(self):
        return True

def done(task, names):
    if "program" in task:
        exec(compile(task["program"], "<document>", "exec"), names)
        return 0
    words = task["run"]
    if words[0] == "pytest":
        import pytest
        quiet = "ignore::pytest.PytestAssertRewriteWarning"
        return int(pytest.main([*words[1:], "-p", "no:cacheprovider", "-W", quiet]))
    return cli.main(words[1:])

def answer(task, names):
    said = Terminal()
    out = open(task["to"], "w") if task.get("to") else said
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = done(task, names)
    except BaseException:
        code = 70
        traceback.print_exc(file=said)
    if out is not said:
        out.close()
    return [code, said.getvalue()]

class Process:
    def __init__(self):
        here, there = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(here[1])
            os.close(there[0])
            names = {"__name__": "__main__"}
            with open(here[0]) as asked, open(there[1], "w") as told:
                for line in asked:
                    print(json.dumps(answer(json.loads(line), names)), file=told, flush=True)
            os._exit(0)
        os.close(here[0])
        os.close(there[1])
        self.asked, self.told = open(here[1], "w"), open(there[0])

    def do(self, task):
        print(json.dumps(task), file=self.asked, flush=True)
        return json.loads(self.told.readline() or '[71, "the process is gone"]')

    def end(self):
        self.asked.close()
        self.told.close()
        os.waitpid(self.pid, 0)

def all_of(folder, tasks):
    os.chdir(folder)
    os.environ["TWOFOLD_CACHE"] = os.path.join(folder, "kept")
    printed, going = [], None
    for task in tasks:
        if "write" in task:
            os.makedirs(os.path.dirname(task["write"]) or ".", exist_ok=True)
            with open(task["write"], "w") as file:
                file.write(task["text"])
            printed.append([0, ""])
        elif task.get("goes_on") and going:
            printed.append(going.do(task))
        else:
            if "program" in task and going:
                # before the next one is forked, which would keep its pipe open
                going.end()
                going = None
            process = Process()
            printed.append(process.do(task))
            if "program" in task:
                going = process
            else:
                process.end()
    if going:
        going.end()
    return printed

# no process searches what was imported for what is unreachable
gc.collect()
gc.freeze()
for line in questions:
    print(json.dumps([all_of(*work) for work in json.loads(line)]), file=answers, flush=True)
"""


#: Work of one or more folders, each with what is to be done there -> exit status and output of everything, by folder.
Together = Callable[[Sequence[tuple[Path, Sequence[Mapping[str, Any]]]]], list[list[tuple[int, str]]]]


@contextmanager
def server() -> Iterator[Together]:
    """One process that has imported everything, and does what it is given until the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "110", "LINES": "40", "TERM": "dumb"}
    with tempfile.TemporaryFile("w+") as said:
        words = [sys.executable, "-c", SERVER]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": said}
        with subprocess.Popen(words, env=environment, text=True, **pipes) as process:  # type: ignore[call-overload]

            def run(work: Sequence[tuple[Path, Sequence[Mapping[str, Any]]]]) -> list[list[tuple[int, str]]]:
                print(json.dumps([[str(folder), list(todo)] for folder, todo in work]), file=process.stdin, flush=True)
                answer = process.stdout.readline()
                said.seek(0)
                assert answer, said.read()
                return [[(status, text) for status, text in folder] for folder in json.loads(answer)]

            yield run
