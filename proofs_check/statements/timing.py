"""A time limit for a check: what takes longer is stopped, and says at what it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds of processor time, of all threads, after which a check is stopped: other processes do not count.
SECONDS = {"quick": 90.0, "standard": 600.0, "thorough": 7200.0}

#: Seconds that are left to a correction whatever its statement has taken.
LEAST = 1.0


class TimeLimitError(BaseException):
    """The limit is over; no ``except Exception`` in between takes it for something else."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in the block after so many seconds; outside the main thread there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeLimitError

    before = signal.signal(signal.SIGPROF, stop)
    # again and again: the first may ring where exceptions are lost, in a destructor say
    signal.setitimer(signal.ITIMER_PROF, seconds, min(1.0, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
