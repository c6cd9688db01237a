"""Claims judged in several processes on one machine: whole claims are handed out, and come back in any order.

A worker that dies costs the time of its claim, which is judged again alone; what kills a worker twice is an ``error``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from proofs_check.judging.options import Options, Silent
from proofs_check.judging.process import ONE_THREAD, prepare
from theorems.claims.catalogue import Statement, shipped

#: With fewer claims a worker, its start costs more than it saves.
LEAST = 4


class WorkerDiedError(Exception):
    """A worker was killed twice while it judged one claim."""


def count(claims: Sequence[Statement], processes: int) -> int:
    """How many workers these claims are worth; 1 where they are judged in this process."""
    # what another package or a notebook added is known in its own process alone
    known = sum(claim in shipped() for claim in claims)
    return max(1, min(processes, known // LEAST)) if known == len(claims) else 1


def longest_first(claims: Sequence[Statement]) -> list[Statement]:
    """Claims in the order in which they are begun: what says most tends to take longest."""
    return sorted(claims, key=lambda claim: -len(str(claim.says)))


def judged(
    claims: Sequence[Statement], options: Options, device: str, processes: int, begun: Callable[[str], None]
) -> Any:
    """What ``runner.judge`` finds of each claim, as pairs of the claim and that, in the order in which they end.

    ``begun`` is told of each claim that a worker takes up.
    """
    waiting = deque(longest_first(claims))
    alone: deque[Statement] = deque()
    threads = max(1, (options.jobs or processes) // processes)
    here = replace(options, jobs=threads, processes=1)
    while waiting or alone:
        with executor(processes) as pool:
            running: dict[Future[Any], Statement] = {}
            try:
                while waiting or alone or running:
                    while waiting and len(running) < processes:
                        _start(pool, waiting.popleft(), here, device, running, begun)
                    if not running:
                        _start(pool, alone.popleft(), here, device, running, begun)
                        yield from _last(running)
                        continue
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        found = future.result()
                        yield running.pop(future), found
            except BrokenProcessPool:
                alone.extend(running.values())


def _last(running: dict[Future[Any], Statement]) -> Iterator[tuple[Statement, Any]]:
    """The one claim that runs, which nothing else can have brought down."""
    ((future, claim),) = running.items()
    running.clear()
    try:
        found = future.result()
    except BrokenProcessPool:
        yield claim, WorkerDiedError("the process that judged it was killed twice; is there enough memory?")
        raise
    yield claim, found


def _start(
    pool: ProcessPoolExecutor,
    claim: Statement,
    options: Options,
    device: str,
    running: dict[Future[Any], Statement],
    begun: Callable[[str], None],
) -> None:
    begun(claim.id)
    try:
        future = pool.submit(judge, claim.id, options, device)
    except BrokenProcessPool:
        # a worker died just now: the claim is judged again like those that ran
        running[Future()] = claim
        raise
    running[future] = claim


@contextlib.contextmanager
def executor(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Workers that end at once, whatever they are at, where this process is interrupted."""
    with _environment(ONE_THREAD):
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)
        try:
            yield pool
            pool.shutdown()
        except BaseException:
            for child in multiprocessing.active_children():
                child.kill()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update({name: os.environ.get(name, value) for name, value in values.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]


def _begin() -> None:
    """Ctrl-C reaches the whole group of processes; the one that waits for the workers ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    prepare()


def _end_with_parent() -> None:
    """What a killed process handed out serves nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def judge(name: str, options: Options, device: str) -> Any:
    """What ``runner.judge`` finds of a claim of the catalogue."""
    from proofs_check.judging import runner
    from theorems.claims.catalogue import by_id

    return runner.judge(by_id()[name], options, device, Silent())
