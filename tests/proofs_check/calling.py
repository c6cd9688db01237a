"""Make the calls of ``kinds``, each in a folder of its own, and say which end in what no call may end in.

    python -m tests.proofs_check.calling FIRST LAST [--processes]

Each call is a fork of one process that has everything imported, or with --processes a process of its own, with odd
variables and streams. A line of JSON for each that did what none may, and a last one with the counts and the largest
figures. A call may take 20 s and 1.5 GB, ends with a documented status, prints no traceback and nothing that steers a
terminal, runs nothing of what it reads, and where it says that it was refused, has written nothing.
"""

from __future__ import annotations

import collections
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from proofs_check.commands import cli
from proofs_check.inputs.streams import visible
from tests.proofs_check.calls import Call, Folder, Pipe
from tests.proofs_check.kinds import call

ROOT = Path(__file__).resolve().parents[2]
#: Seconds, and bytes, that a call may take; seconds after which one that waits is ended, on a core of its own.
SECONDS, MEMORY, PATIENCE = 20.0, 1.5e9, 60.0
#: The documented ones. On a machine that others use, a call is too slow where its processor time is over SECONDS, too.
STATUSES = {0, 1, 2, 130, 141}


def put(folder: Path, files: Mapping[str, Any]) -> None:
    """Lay out a call's files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is Pipe:
            os.mkfifo(path)
        elif content is Folder:
            path.mkdir(exist_ok=True)
        elif isinstance(content, str):
            path.symlink_to(content)
        else:
            path.write_bytes(content)


def standing(folder: Path) -> dict[str, Any]:
    """What stands at each path below a folder: its kind, and what a file holds or where a link leads."""
    found: dict[str, Any] = {}
    for where, folders, names in os.walk(folder):
        # what the interpreter keeps of a package that it imports is its own
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in (*folders, *names):
            path = os.path.join(where, name)
            mode = os.lstat(path).st_mode
            held: Any = None
            if stat.S_ISLNK(mode):
                held = os.readlink(path)
            elif stat.S_ISREG(mode):
                with open(path, "rb") as handle:
                    held = handle.read()
            found[os.path.relpath(path, folder)] = (stat.S_IFMT(mode), held)
    return found


def _forked(made: Call, folder: Path, out: Path, err: Path) -> int:
    """Start the call as a fork of this process; returns its id."""
    started = os.fork()
    if started:
        return started
    status = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.environ.update(made.variables)
        for path, number in ((Path(os.devnull), 0), (out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, m, encoding="utf-8") for n, m in enumerate(("r", "w", "w")))
        try:
            status = cli.main(made.words)
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        traceback.print_exc()
    finally:
        os._exit(status)


def _process(made: Call, folder: Path, out: Path, err: Path) -> int:
    """Start the call as a process of its own, with its variables and streams; returns its id."""
    table = {**os.environ, "PYTHONPATH": str(ROOT), **made.variables}
    shell = f'{made.before} "$@" {made.streams}'.strip()
    command = ["bash", "-c", shell, "call", sys.executable, "-m", "proofs_check"]
    words = [text.encode("utf-8", "surrogateescape" if text.isprintable() else "replace") for text in made.words]
    with open(out, "wb") as one, open(err, "wb") as two:
        started = subprocess.Popen(
            [*(text.encode() for text in command), *words],
            cwd=folder,
            env=table,
            stdin=subprocess.DEVNULL,
            stdout=one,
            stderr=two,
            start_new_session=True,
        )
    return left(started)


def left(started: subprocess.Popen[bytes]) -> int:
    """The id of a process that is waited for here, and not by the object that started it."""
    started.returncode = 0
    return started.pid


def _ended(started: int) -> tuple[int, resource.struct_rusage, float]:
    """Wait for a call; one that takes more than PATIENCE is killed. Its status, what it used, and its seconds.

    Where others use the machine too, its seconds are as many fewer.
    """
    began = time.monotonic()
    shared = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    while True:
        ended, status, used = os.wait4(started, os.WNOHANG)
        passed = (time.monotonic() - began) / shared
        if ended:
            return status, used, passed
        if passed > PATIENCE:
            os.killpg(started, signal.SIGKILL)
            _, status, used = os.wait4(started, 0)
            return status, used, passed
        time.sleep(0.01)


def broken(made: Call, start: Callable[[Call, Path, Path, Path], int]) -> tuple[list[str], dict[str, Any]]:
    """Make a call: the rules that it broke, and what it did."""
    top = Path(tempfile.mkdtemp(prefix="call"))
    folder, out, err = top / "here", top / "out", top / "err"
    folder.mkdir()
    try:
        put(folder, made.files)
        before = standing(folder)
        status, used, seconds = _ended(start(made, folder, out, err))
        after = standing(folder)
        # a reader that leaves may leave within a character
        errors = "ignore" if "head" in made.streams else "surrogateescape"
        texts = [path.read_bytes().decode("utf-8", errors) if path.exists() else "" for path in (out, err)]
    finally:
        shutil.rmtree(top, ignore_errors=True)
    done: dict[str, Any] = {
        "kind": made.kind,
        "seconds": round(seconds, 2),
        "out": texts[0][:300],
        "err": texts[1][:2000],
    }
    done |= {"cpu": round(used.ru_utime + used.ru_stime, 2), "memory": used.ru_maxrss * 1024}
    done["status"] = os.waitstatus_to_exitcode(status)
    rules = []
    if seconds > PATIENCE or (seconds > SECONDS and done["cpu"] > SECONDS):
        rules.append("time")
    if done["memory"] > MEMORY:
        rules.append("memory")
    if (done["status"] not in STATUSES or made.due not in (None, done["status"])) and "time" not in rules:
        rules.append("status")
    if any("Traceback (most recent" in text or "Exception ignored" in text for text in texts):
        rules.append("traceback")
    if any(visible(text) != text for text in texts):
        rules.append("control")
    if done["status"] == 2:
        if before != after:
            rules.append("written")
        # a statement is shown as it was read before it is worked on, and a caret may stand below an error
        stated = "check" in made.words
        if (texts[0] and not stated) or texts[1].count("\n") > (3 if stated else 1):
            rules.append("lines")
        if "2>" not in made.streams and "error: " not in texts[1]:
            rules.append("silent")
    lost = [name for name, content in before.items() if after.get(name) != content and name not in made.words]
    if [name for name in lost if name in ("old", "folder", "pipe", "loop", "W.npy", "report.json")]:
        rules.append("lost")
    if any(Path(name).name == "PWNED" for name in after) or any(
        Path(name).name.startswith(".twofold") for name in after
    ):
        rules.append("left")
    done["written"] = sorted(name for name in after if after[name] != before.get(name))[:9]
    return rules, done


def main(first: int, last: int, processes: bool, report: Mapping[str, Any]) -> int:
    """Make the calls of the seeds from first to below last; returns how many broke a rule."""
    kinds: collections.Counter[str] = collections.Counter()
    statuses: collections.Counter[int] = collections.Counter()
    most = {"seconds": 0.0, "cpu": 0.0, "memory": 0}
    bad = 0
    for seed in range(first, last):
        made = call(seed, report, processes)
        rules, done = broken(made, _process if processes else _forked)
        kinds[made.kind] += 1
        statuses[done["status"]] += 1
        most = {name: max(value, done[name]) for name, value in most.items()}
        if rules:
            bad += 1
            told = [text if len(text) < 600 else f"{text[:600]}... ({len(text)})" for text in made.words]
            told_of = {
                "seed": seed,
                "rules": rules,
                **done,
                "words": told,
                "streams": f"{made.before} {made.streams}",
                "variables": made.variables,
            }
            print(json.dumps(told_of), flush=True)
    print(json.dumps({"calls": last - first, "broken": bad, "kinds": kinds, "statuses": statuses, **most}), flush=True)
    return bad


def warm() -> None:
    """Import what the commands import."""
    import sympy
    import torch

    import proofs_check.judging.runner
    import proofs_check.report.site
    import proofs_check.statements.judging

    for module in (proofs_check, sympy, torch):
        assert module.__name__


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    from tests.conftest import sampled_report

    os.environ.setdefault("TWOFOLD_CACHE", os.path.join(tempfile.gettempdir(), f"calls-{os.getuid()}"))
    warm()
    given = [text for text in sys.argv[1:] if not text.startswith("-")]
    sys.exit(bool(main(int(given[0]), int(given[1]), "--processes" in sys.argv, sampled_report())))
