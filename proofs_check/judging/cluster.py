"""Claims judged, and blocks of walks drawn, on other machines: a Dask cluster.

Where there are several claims for each of its threads, whole claims are handed out, and are judged there as here; else
the blocks of walks are (the engine's ``elsewhere``). A block is named by (run seed, claim, case, index) alone, so that
it may be drawn by anyone, and again where a worker was lost; the client merges the blocks in their order. So the
numbers, and the verdicts, are those of one machine.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from montecarlo.engine import Job, Reduced
from proofs_check.inputs.data import json_of
from proofs_check.inputs.errors import RunStopped, UsageError
from proofs_check.judging import remote
from proofs_check.judging.options import Options
from proofs_check.judging.workers import WorkerDiedError, longest_first
from theorems.claims.catalogue import Statement
from theorems.claims.outside import regular_bytes

if TYPE_CHECKING:
    from distributed import Client

#: Seconds to wait for a scheduler, and for the first of its workers.
PATIENCE = 10.0
#: Normals that a worker draws for one task, and tasks that are on their way for each of the cluster's threads.
TASK_NORMALS, AHEAD = 1 << 24, 3
#: Packages that random numbers and their sums come from.
SAME = ("torch", "numba", "numpy")
#: The device of a job that each worker draws on the best that it has.
MIXED = "cpu and cuda"
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://([A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):[0-9]{1,5}")


def work(job: Job, first: int, last: int, code: str) -> list[Reduced]:
    """Draw blocks first .. last - 1 of a job in this process; RuntimeError where its code is another than ``code``."""
    import torch

    from montecarlo.engine import run_job
    from proofs_check.inputs import plugins
    from theorems.claims.catalogue import by_id

    if identity()["code"] != code:
        raise RuntimeError("this worker has other code for the simulations; install the same there")
    # several tasks share the process: each has one thread, and nobody gives it back
    torch.set_num_threads(1)
    plugins.load()
    if job.device == MIXED:
        job = replace(job, device="cuda" if torch.cuda.is_available() else "cpu")
    claim = by_id().get(job.source)
    if claim is not None:
        plugins.load_simulations(claim)
    return run_job(job, range(first, last))


def identity() -> dict[str, str]:
    """What must be the same on a worker as here for the numbers to be the same."""
    from proofs_check.judging import cache as kept

    files = "".join(f"{name} {digest}\n" for name, digest in sorted(kept.sampling_code().items()))
    versions = kept.beneath("cpu")
    return {"code": sha256(files.encode()).hexdigest()[:16], **{name: versions[name] for name in SAME}}


def has_gpu() -> bool:
    """Whether torch finds a CUDA device in this process."""
    import torch

    return bool(torch.cuda.is_available())


def check_address(value: str) -> str:
    """A scheduler's address, given so or by the file that it writes; UsageError for anything else."""
    if _ADDRESS.fullmatch(value):
        if not 1 <= int(value.rsplit(":", 1)[1]) <= 65535:
            raise UsageError("--cluster", value, "a port from 1 to 65535")
        return value
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        found = json_of(regular_bytes(value).decode())["address"]
        if isinstance(found, str) and _ADDRESS.fullmatch(found):
            return found
    raise UsageError("--cluster", value, "tcp://host:port or the scheduler's file", "start one with `dask scheduler`")


class Cluster:
    """A Dask cluster that judges claims and draws blocks."""

    def __init__(self, client: Client, address: str) -> None:
        self.client, self.address = client, address

    def __call__(self, job: Job, blocks: range, normals: int) -> Generator[Reduced, None, None]:
        """The blocks' reduced numbers in block order, a bounded number of tasks on their way."""
        # a power of two, and cut at its multiples: blocks that are drawn together stay together
        size = 1 << max(1, TASK_NORMALS // max(1, normals)).bit_length() - 1
        inner = range((blocks.start // size + 1) * size, blocks.stop, size)
        name, code = sha256(repr(job).encode()).hexdigest()[:24], identity()["code"]
        waiting: deque[Any] = deque()
        try:
            for first, last in pairwise((blocks.start, *inner, blocks.stop)):
                # the same blocks have the same name: what was drawn once and is still there is not drawn again
                waiting.append(self.client.submit(work, job, first, last, code, key=f"twofold-{name}-{first}-{last}"))
                if len(waiting) > AHEAD * self.threads():
                    yield from self._result(waiting)
            while waiting:
                yield from self._result(waiting)
        except OSError as error:
            # a closed connection is one
            raise self._lost(error) from None
        finally:
            with suppress(OSError):
                self._cancel(waiting)

    def judged(
        self, claims: Sequence[Statement], options: Options, device: str, begun: Callable[[str], None]
    ) -> Iterator[tuple[Statement, Any]]:
        """What ``runner.judge`` finds of each claim, as pairs of the claim and that, in the order in which they end.

        A claim whose worker is lost is judged again by another; one that loses several is a WorkerDiedError.
        """
        from distributed import CancelledError, KilledWorker, TimeoutError, wait

        waiting, code = deque(longest_first(claims)), identity()["code"]
        here = replace(options, jobs=1, processes=1, elsewhere=None)
        running: dict[Any, Statement] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self.threads():
                    claim = waiting.popleft()
                    begun(claim.id)
                    future = self.client.submit(remote.judge, claim.id, here, device, code, pure=False, retries=1)
                    running[future] = claim
                try:
                    with self.client.as_current():
                        done = wait(list(running), timeout=PATIENCE, return_when="FIRST_COMPLETED").done
                except TimeoutError:
                    self._alive()
                    continue
                for future in done:
                    claim = running.pop(future)
                    try:
                        found = future.result()
                    except (KilledWorker, ChildProcessError) as error:
                        found = WorkerDiedError(f"{error}")
                    yield claim, found
        except (OSError, CancelledError) as error:
            raise self._lost(error) from None
        finally:
            with suppress(OSError):
                self._cancel(deque(running))

    def device(self, wanted: str) -> str:
        """The device that blocks are drawn on where ``wanted`` (auto, cpu, cuda) is asked for."""
        found = [bool(there) for there in self.client.run(has_gpu).values()]
        if wanted == "cuda" and not all(found):
            raise UsageError("--device", wanted, "a CUDA device on every worker", "use --device auto or cpu")
        if wanted != "auto" or not any(found):
            return "cuda" if wanted == "cuda" else "cpu"
        return "cuda" if all(found) else MIXED

    def threads(self) -> int:
        """Threads of all workers, at least one: they may be on their way."""
        return max(1, sum(int(count) for count in self.client.nthreads().values()))

    def _result(self, waiting: deque[Any]) -> Iterator[Reduced]:
        from distributed import CancelledError, TimeoutError

        future = waiting.popleft()
        try:
            while True:
                try:
                    found = future.result(timeout=PATIENCE)
                    break
                except TimeoutError:
                    self._alive()
        except CancelledError as error:
            raise self._lost(error) from None
        yield from found

    def _alive(self) -> None:
        if self.client.status != "running":
            raise self._lost(None)
        if not self.client.nthreads():
            raise RunStopped(f"--cluster {self.address}: no worker is left; start one with `dask worker`")

    def _lost(self, error: BaseException | None) -> RunStopped:
        why = f" ({' '.join(str(error).split())[:120] or type(error).__name__})" if error is not None else ""
        return RunStopped(f"--cluster {self.address}: the scheduler was lost{why}")

    def _cancel(self, waiting: deque[Any]) -> None:
        if waiting and self.client.status == "running":
            self.client.cancel(list(waiting))


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """A connection to the cluster at an address; UsageError where there is none, or its code is another than this."""
    try:
        import distributed
    except ImportError:
        raise UsageError("--cluster", address, "Dask to be installed", 'pip install "twofold[cluster]"') from None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:
        # an address without its certificates or its library: what is raised is the protocol's own
        what = " ".join(str(error).split())[:120] or type(error).__name__
        raise UsageError("--cluster", address, f"a Dask scheduler that answers ({what})") from None
    with client:
        _same_code(client, address)
        yield Cluster(client, address)


def _same_code(client: Client, address: str) -> None:
    """Refuse workers whose numbers would be others."""
    from distributed import TimeoutError

    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise UsageError("--cluster", address, "one worker at least", "start one with `dask worker`") from None
    here = identity()
    for worker, there in client.run(identity, on_error="return").items():
        if isinstance(there, OSError):
            # one that has just gone; one that comes later is asked with its first task
            continue
        if not isinstance(there, dict):
            raise UsageError("--cluster", address, f"Twofold to be installed on {worker} ({type(there).__name__})")
        for name, value in here.items():
            if there.get(name) != value:
                what = f"{name} {value} on every worker; {worker} has {there.get(name)}"
                raise UsageError("--cluster", address, what, "install the same there")
