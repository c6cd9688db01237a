"""A contestant as the bench sees it: a process of its own, spoken to line by line (see ``serve``)."""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SERVE = Path(__file__).with_name("serve.py")
#: Where the four packages lie, for contestants that import them.
ROOT = Path(__file__).parents[2]
#: What libraries read the number of their threads from.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
#: The longest line that is an answer.
LONGEST = 1 << 16


class NotInstalledError(Exception):
    """A contestant's library is missing; the message names it."""


class FailedError(Exception):
    """A contestant died, was too slow, or said what is no answer; the message says which."""


class Contestant:
    """A script in a process of its own, with ``threads`` threads for its libraries.

    Use as a context: the process has ended afterwards, whatever happened. An answer is waited for ``patience`` seconds,
    and none beyond ``until``, a time of ``time.monotonic``.
    """

    def __init__(
        self, name: str, script: Path, threads: int = 1, *, patience: float = 120.0, until: float = math.inf
    ) -> None:
        self.name, self.threads, self.patience, self.until = name, threads, patience, until
        environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
        environment |= dict.fromkeys(THREADS, str(threads))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        # the folder of serve.py is no place to import from: its neighbours have the names of libraries
        command = [sys.executable, "-P", str(SERVE), str(script)]
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints, env=environment
        )
        self.began, self.pending = began, b""

    def __enter__(self) -> Contestant:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process and wait for it."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        self.complaints.close()

    def ask(self, **asked: Any) -> dict[str, Any]:
        """The answer to one line; raises NotInstalledError or FailedError."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(asked).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, OSError):
            raise FailedError(self._died()) from None
        line = self._line(max(0.0, min(self.patience, self.until - time.monotonic())))
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise FailedError(f"said {line[:80]!r}; expected a JSON object")
        if "missing" in answer:
            raise NotInstalledError(f"{answer['missing']} is not installed")
        if "error" in answer:
            raise FailedError(str(answer["error"]))
        return answer

    def run(self, walks: int, threads: int) -> dict[str, Any]:
        """Draw walks once, timed by the contestant; raises FailedError where its answer is no measurement."""
        answer = self.ask(do="run", walks=walks, threads=threads)
        seconds, drawn = answer.get("seconds"), answer.get("walks")
        if not isinstance(seconds, (int, float)) or not isinstance(drawn, int) or not seconds > 0 or drawn < 1:
            raise FailedError(f"said seconds = {seconds!r}, walks = {drawn!r}; expected numbers > 0")
        return answer

    def _line(self, patience: float) -> bytes:
        assert self.process.stdout is not None
        until = time.monotonic() + patience
        stream = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            if len(self.pending) > LONGEST:
                raise FailedError(f"said more than {LONGEST} characters in a line; expected a JSON object")
            left = until - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise FailedError(f"gave no answer in {patience:.3g} s")
            read = os.read(stream, LONGEST)
            if not read:
                raise FailedError(self._died())
            self.pending += read
        line, _, self.pending = self.pending.partition(b"\n")
        return line

    def _died(self) -> str:
        try:
            status: int | None = self.process.wait(5)
        except subprocess.TimeoutExpired:
            status = None
        self.complaints.seek(0)
        lines = self.complaints.read().decode(errors="replace").strip().splitlines()
        last = f": {lines[-1][:200]}" if lines else ""
        return f"ended with status {status}{last}"
