"""Hostile calls of every command: each ends in time, in little memory, in a line, and with nothing half written."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.proofs_check import calling
from tests.proofs_check.calls import Call
from tests.proofs_check.test_environments import ROOT

SEEDS = 10**6


def outcome(arguments: Sequence[str], cache: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What calls broke a rule, and the counts."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TWOFOLD_CACHE": str(cache)}
    command = [sys.executable, "-W", "ignore", "-m", "tests.proofs_check.calling", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    *broken, counts = map(json.loads, done.stdout.splitlines())
    return broken, counts


@pytest.mark.parametrize(
    ("first", "calls", "more"),
    [
        pytest.param(SEEDS, 15, (), id="few"),
        pytest.param(0, 1600, (), id="forks", marks=pytest.mark.slow),
        pytest.param(2000, 400, ("--processes",), id="processes", marks=pytest.mark.slow),
    ],
)
def test_no_call_breaks_a_rule(first: int, calls: int, more: Sequence[str], tmp_path: Path) -> None:
    broken, counts = outcome([str(first), str(first + calls), *more], tmp_path)
    assert not broken
    assert counts["calls"] == calls == sum(counts["statuses"].values())
    # both what is refused and what is done
    assert {"0", "2"} <= set(counts["statuses"]) and len(counts["kinds"]) >= 7


FAULTS = {
    "status": "return 3",
    "traceback": "raise ValueError('no way')",
    "control": "print('\\x1b[31mred'); return 0",
    "time": "import time; time.sleep(9)",
    "memory": "held = bytearray(2 * 10**8); return 0",
    "written": "open('new', 'w').close(); print('error: no', file=sys.stderr); return 2",
    "lost": "os.unlink('old'); return 0",
    "lines": "print('one\\ntwo\\nerror: three', file=sys.stderr); return 2",
    "silent": "return 2",
    "left": "open('PWNED', 'w').close(); return 0",
}


def rules_broken_by(fault: str, patience: float) -> list[str]:
    """The rules that a program broken in one way is found to break, with little memory allowed."""
    calling.PATIENCE, calling.MEMORY = patience, 1e8
    program = f"import os, sys\ndef main():\n    {fault}\nsys.exit(main())\n"

    def start(made: Call, folder: Path, out: Path, err: Path) -> int:
        with open(out, "wb") as one, open(err, "wb") as two:
            command = [sys.executable, "-I", "-c", program]
            return calling.left(subprocess.Popen(command, cwd=folder, stdout=one, stderr=two, start_new_session=True))

    rules, _ = calling.broken(Call("words", [], {"old": b"not to be lost"}), start)
    return rules


@pytest.fixture(scope="module")
def small() -> Iterator[Executor]:
    """A small process to start programs from: Linux counts the memory of who starts a program as the program's own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("rule", FAULTS)
def test_a_planted_fault_is_seen(rule: str, small: Executor) -> None:
    """A program that breaks one rule in place of the command line."""
    # what this process holds is not the program's
    held = bytearray(2 * 10**8) if rule == "lost" else b""
    assert small.submit(rules_broken_by, FAULTS[rule], 0.5 if rule == "time" else 20.0).result() == [rule]
    del held
