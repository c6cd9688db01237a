"""Claims judged in several processes: the same reports, whatever happens to a worker."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofs_check.judging import runner, workers
from proofs_check.judging.options import Options, Silent
from theorems.claims.catalogue import Statement, by_id

NAMES = ("bao2024.appA.eq11", "bao2024.appA.eq15", "lampert2026.sec7.value-terms")
OPTIONS = Options(effort="quick", device="cpu", jobs=2)


def claims() -> list[Statement]:
    return [by_id()[name] for name in NAMES]


def timeless(found: Any) -> Any:
    return [({**report, "seconds": 0.0}, spent) for report, spent in found]


def test_the_reports_are_those_of_one_process_though_a_worker_is_killed() -> None:
    taken: list[str] = []

    def begun(name: str) -> None:
        taken.append(name)
        if len(taken) == 3:
            # two claims were handed out, and the workers are there
            for child in multiprocessing.active_children():
                os.kill(child.pid or 0, signal.SIGKILL)

    found = {c.id: timeless(rows) for c, rows in workers.judged(claims(), OPTIONS, "cpu", 2, begun)}
    assert set(taken) == set(NAMES) == set(found) and len(taken) > 3
    for claim in claims():
        assert found[claim.id] == timeless(runner.judge(claim, OPTIONS, "cpu", Silent()))


@pytest.mark.slow
def test_what_kills_its_worker_twice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "judge", _end)
    monkeypatch.setattr(workers, "count", lambda claims, processes: 2)
    report = runner.run(claims()[:2], replace(OPTIONS, processes=2))
    assert [claim["id"] for claim in report["claims"]] == list(NAMES[:2])
    assert {claim["verdict"] for claim in report["claims"]} == {"error"}
    assert "killed twice" in report["claims"][0]["reason"] and report["claims"][0]["traceback"]


def _end(name: str, options: Any, device: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_interrupt_ends_all_workers_and_keeps_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "count", lambda claims, processes: 2)

    class Interrupting(Silent):
        def finished(self, claim: Any) -> None:
            raise KeyboardInterrupt

    report = runner.run(claims(), replace(OPTIONS, processes=2), Interrupting())
    assert report["run"]["partial"] and 1 <= len(report["claims"]) < 1 + len(NAMES)
    deadline = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not multiprocessing.active_children()


#: Two workers that sleep, whose processes are told.
ASLEEP = """
import multiprocessing, time
from proofs_check.judging import workers

if __name__ == "__main__":
    with workers.executor(2) as pool:
        found = [pool.submit(time.sleep, 600) for _ in range(2)]
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        found[0].result()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc that tells which processes run")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_began_them(how: int, tmp_path: Path) -> None:
    (tmp_path / "asleep.py").write_text(ASLEEP)
    with subprocess.Popen([sys.executable, str(tmp_path / "asleep.py")], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        children = [int(word) for word in process.stdout.readline().split()]
        assert len(children) == 2
        # a worker that has begun its work
        time.sleep(1.0)
        process.send_signal(how)
    deadline = time.monotonic() + 30
    while any(map(_runs, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_runs, children))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_how_many_workers_are_worth_their_start() -> None:
    shipped = list(by_id().values())
    assert [workers.count(shipped[:n], 16) for n in (4, 9, len(shipped))] == [1, 2, 16]
    # a lemma that only this process knows
    assert workers.count([*shipped, replace(shipped[0], id="own.lemma")], 2) == 1
