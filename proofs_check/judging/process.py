"""A process that judges: its cores, the threads of its libraries, and how often it looks for garbage."""

from __future__ import annotations

import gc
import importlib
import os

#: Each process has its own core: libraries start no threads beside.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prepare(*libraries: str) -> None:
    """Make this process one that judges: libraries that are not loaded yet start no threads, which would wait for one
    another, and unreachable objects, of which there are few, are looked for less often. Where one of ``libraries`` is
    missing, or breaks as it is imported, that is said of it here, before a claim is judged."""
    for name, value in ONE_THREAD.items():
        os.environ.setdefault(name, value)
    for library in libraries:
        importlib.import_module(library)
    gc.set_threshold(20_000, 20, 20)
