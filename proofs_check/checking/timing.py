"""A time limit for a check: what takes longer is stopped, and says at what it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds after which a check is stopped, by effort; generous, so that a busy machine changes no verdict.
SECONDS = {"quick": 60.0, "standard": 300.0, "thorough": 3600.0}


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

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
