"""A claim judged on a worker of a cluster: in a process beside it, whose main thread can be stopped at a time limit.

A worker runs its tasks in threads; what a claim's arithmetic sets for its process (precision, timers) is not shared
between threads so. Each thread has one such process, which lives as long as the worker does.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from typing import Any, BinaryIO

from proofs_check.judging import workers
from proofs_check.judging.options import Options
from proofs_check.judging.process import ONE_THREAD

_BESIDE = threading.local()


def judge(name: str, options: Options, device: str, code: str) -> Any:
    """What ``runner.judge`` finds of a claim of the catalogue, in the process beside this thread.

    RuntimeError where this worker has other code than ``code``, ChildProcessError where that process died.
    """
    from proofs_check.judging.cluster import identity

    if identity()["code"] != code:
        raise RuntimeError("this worker has other code for the simulations; install the same there")
    beside = _beside()
    assert beside.stdin is not None and beside.stdout is not None
    try:
        pickle.dump((name, options, device), beside.stdin)
        beside.stdin.flush()
        return pickle.load(beside.stdout)
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        beside.kill()
        raise ChildProcessError(f"the process that judged {name} was killed; is there enough memory?") from None


def _beside() -> subprocess.Popen[bytes]:
    """The process beside this thread, started where there is none that lives."""
    found: subprocess.Popen[bytes] | None = getattr(_BESIDE, "process", None)
    if found is None or found.poll() is not None:
        words = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
        environment = {**os.environ, **ONE_THREAD}
        found = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        _BESIDE.process = found
    return found


def serve() -> None:
    """Judge what comes in on stdin, and answer on stdout, until there is no more."""
    answers: BinaryIO = os.fdopen(os.dup(1), "wb")
    # what a claim prints is no answer
    os.dup2(2, 1)
    while True:
        try:
            asked = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(workers.judge(*asked), answers)
        answers.flush()
