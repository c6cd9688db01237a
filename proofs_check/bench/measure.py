"""One run: contestants made ready, then timed in turn, A B C A B C ..., so that all see the same machine."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs_check.bench.contestant import Contestant, FailedError, NotInstalledError

HERE = Path(__file__).parent
#: Seconds that a turn of a contestant is to take, at least where the time asked for is short, and those of a try in the
#: search for the best batch.
TURN, SHORTEST, TRY = 0.15, 0.005, 0.05
#: Seconds after which nothing more of a size is started; half a minute is usual on a machine without other work.
STARTING = 180.0
#: Fewest rounds, whatever time they take.
ROUNDS = 5
#: Walks of the first try.
FIRST = 16
#: Most walks of a turn: beyond them an answer is no faster machine.
MOST = 1 << 30
#: Growth of the peak of memory over eight times the walks that still counts as none: 8 MiB.
FLAT = 8 << 20
#: A mean score so many standard errors from the others' is another work.
ODD = 6.0

Told = Callable[[str], None]


@dataclass(frozen=True)
class Entry:
    """Who takes part: a peer, a tier, or a generator, its script, and the tier whose normals it draws."""

    name: str
    kind: str
    script: Path
    tier: str = ""
    against: str = ""

    def normals(self, T: int, d: int) -> int:
        """Normals that a walk takes."""
        return T + d if self.tier == "joint" else T * d


def _peer(name: str) -> Entry:
    return Entry(name, "peer", HERE / "peers" / f"{name}.py")


def _tier(name: str, script: str, tier: str, against: str) -> Entry:
    return Entry(name, "tier", HERE / "tiers" / f"{script}.py", tier, against)


def _generator(name: str, tier: str) -> Entry:
    return Entry(name, "generator", HERE / "tiers" / "normals.py", tier)


#: The slowest peer, with which all are compared.
BASE = "numpy_script"
PEERS = tuple(_peer(name) for name in (BASE, "numpy_einsum", "torch_batched", "torch_compiled", "jax_jit"))
#: By tier: how it runs by its kernel alone and through the engine, and its generator.
TIERS = {
    "literal": (
        _tier("literal", "through_engine", "literal", "literal normals"),
        _generator("literal normals", "literal"),
    ),
    "fused": (
        _tier("fused", "kernel", "fused", "fused normals"),
        _tier("fused, engine", "through_engine", "fused", "fused normals"),
        _generator("fused normals", "fused"),
    ),
    "joint": (
        _tier("joint", "kernel", "joint", "joint normals"),
        _tier("joint, engine", "through_engine", "joint", "joint normals"),
        _generator("joint normals", "joint"),
    ),
}


@dataclass(eq=False)
class Running:
    """A contestant that takes part with so many threads: its turns so far."""

    entry: Entry
    contestant: Contestant
    threads: int
    batch: int | None
    start: dict[str, float]
    walks: int = 0
    rates: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    drawn: int = 0
    mean: float = 0.0
    square: float = 0.0
    memory: dict[str, Any] | None = None
    failed: str | None = None

    def turn(self) -> None:
        """One timed turn."""
        answer = self.contestant.run(self.walks, self.threads)
        drawn = answer["walks"]
        self.rates.append(drawn / answer["seconds"])
        self.shares.append(answer.get("share", 1.0))
        if answer.get("mean") is not None:
            total = self.drawn + drawn
            self.mean += (answer["mean"] - self.mean) * drawn / total
            self.square += (answer["square"] - self.square) * drawn / total
            self.drawn = total


def calibrated(contestant: Contestant, threads: int, seconds: float) -> tuple[int, float]:
    """How many walks take about that long, and walks a second at that size; the first tries warm up."""
    contestant.run(FIRST, threads)
    walks = FIRST
    while True:
        answer = contestant.run(walks, threads)
        drawn = answer["walks"]
        if answer["seconds"] >= seconds / 2 or walks >= MOST:
            return max(FIRST, int(drawn * seconds / answer["seconds"])), drawn / answer["seconds"]
        walks = min(MOST, int(drawn * min(16.0, max(2.0, 1.2 * seconds / answer["seconds"]))))


def _made(entry: Entry, contestant: Contestant, T: int, d: int, batch: int | None) -> dict[str, Any]:
    further: dict[str, Any] = {"tier": entry.tier} if entry.tier else {"batch": batch or 1}
    return contestant.ask(do="make", T=T, d=d, seed=1, **further)


def started(
    entry: Entry, T: int, d: int, threads: int, until: float, batch: int | None = None
) -> tuple[Contestant, dict[str, Any]]:
    """A contestant made ready, and what its start took: processes, imports, and the first walks (compilation)."""
    # the suite's own have threads of their own: their libraries' would only be in the way
    contestant = Contestant(entry.name, entry.script, threads if entry.kind == "peer" else 1, until=until)
    try:
        answer = _made(entry, contestant, T, d, batch)
        ready = time.perf_counter() - contestant.began
        first = contestant.run(FIRST, threads)["seconds"]
    except BaseException:
        contestant.end()
        raise
    start = {"ready": ready, "import": answer["import"], "make": answer["make"], "first walks": first}
    return contestant, {"start": start, "batches": answer["batches"]}


def best_of(entry: Entry, T: int, d: int, cores: int, until: float) -> tuple[int, int | None]:
    """The threads and the batch with which a peer is fastest, by one short try each."""
    found: list[tuple[float, int, int | None]] = []
    for threads in sorted({1, cores}):
        contestant, told = started(entry, T, d, threads, until)
        with contestant:
            for batch in told["batches"] or [None]:
                _made(entry, contestant, T, d, batch)
                contestant.run(FIRST, threads)
                found.append((calibrated(contestant, threads, TRY)[1], threads, batch))
    _, threads, batch = max(found, key=lambda entry: entry[0])
    return threads, batch


@contextmanager
def prepared(
    entries: Sequence[Entry], T: int, d: int, cores: int, told: Told, turn: float
) -> Iterator[tuple[list[Running], list[dict[str, Any]]]]:
    """Everyone who can take part, calibrated, and a row for each who can't."""
    running: list[Running] = []
    out: list[dict[str, Any]] = []
    until = time.monotonic() + STARTING
    with ExitStack() as stack:
        for entry in entries:
            told(f"{entry.name} at T = {T}, d = {d}")
            try:
                threads, batch = best_of(entry, T, d, cores, until) if entry.kind == "peer" else (cores, None)
                contestant, found = started(entry, T, d, threads, until, batch)
                stack.callback(contestant.end)
                for count in [threads] if entry.kind == "peer" else sorted({1, cores}):
                    held = Running(entry, contestant, count, batch, found["start"])
                    held.walks, _ = calibrated(contestant, count, turn)
                    running.append(held)
            except NotInstalledError as error:
                out.append(_absent(entry, T, d, f"not installed: {error}"))
            except FailedError as error:
                running = [held for held in running if held.entry is not entry]
                out.append(_absent(entry, T, d, f"failed: {error}"))
        for held in running:
            held.contestant.until = math.inf
        yield running, out


def _absent(entry: Entry, T: int, d: int, status: str) -> dict[str, Any]:
    return {"name": entry.name, "kind": entry.kind, "T": T, "d": d, "threads": None, "status": status}


def turn_of(seconds: float, contestants: int) -> float:
    """The seconds of a turn, so that the fewest rounds of so many contestants take no longer than was asked for."""
    return min(TURN, max(SHORTEST, seconds / (ROUNDS * max(1, contestants))))


def rounds(running: list[Running], seconds: float, least: int = ROUNDS) -> int:
    """Let all take turns until the time is over; who fails takes no further part. Returns the rounds."""
    until = time.perf_counter() + seconds
    done = 0
    while done < least or time.perf_counter() < until:
        for held in running:
            if held.failed is None:
                try:
                    held.turn()
                except (FailedError, NotInstalledError) as error:
                    held.failed = str(error)
        done += 1
        if all(held.failed is not None for held in running):
            break
    return done


def look_at_memory(running: list[Running]) -> None:
    """The growth of each tier's peak from a turn to one of eight times the walks."""
    for held in running:
        if held.entry.kind != "tier" or held.failed is not None:
            continue
        try:
            before = held.contestant.run(held.walks, held.threads)["peak"]
            after = held.contestant.run(8 * held.walks, held.threads)["peak"]
        except FailedError as error:
            held.failed = str(error)
            continue
        grown = after - before
        held.memory = {"peak": after, "grown": grown, "walks": 7 * held.walks, "flat": grown <= FLAT}


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and quartiles."""
    ordered = sorted(values)
    low, middle, high = statistics.quantiles(ordered, n=4) if len(ordered) > 1 else ordered * 3
    return {"median": middle, "low": low, "high": high}


def ratio(held: Running, other: Running | None) -> dict[str, float] | None:
    """How many times as many walks a second, round by round; None where there is nothing to compare with."""
    if other is None or other.failed is not None:
        return None
    paired = [a / b for a, b in zip(held.rates, other.rates, strict=False)]
    return spread(paired) if paired else None


def odd(held: Running, running: Sequence[Running]) -> float | None:
    """By how many standard errors a mean score differs from the median contestant's; None where it reduces none."""
    telling = sorted((other for other in running if other.drawn and other.failed is None), key=lambda other: other.mean)
    if held not in telling:
        return None
    middle = telling[len(telling) // 2]
    variance = max(middle.square - middle.mean**2, 1e-300)
    return float((held.mean - middle.mean) / math.sqrt(variance * (1 / held.drawn + 1 / middle.drawn)))


def rows(running: list[Running], T: int, d: int) -> list[dict[str, Any]]:
    """What was measured, a row for each contestant and number of threads."""
    by = {(held.entry.name, held.threads): held for held in running}
    base = next((held for held in running if held.entry.name == BASE), None)
    found = []
    for held in running:
        if held.failed is not None or not held.rates:
            found.append(_absent(held.entry, T, d, f"failed: {held.failed}") | {"threads": held.threads})
            continue
        away = odd(held, running)
        rates = spread(held.rates)
        a_walk = held.entry.normals(T, d)
        own = by.get((held.entry.against, held.threads))
        found.append(
            {
                "name": held.entry.name,
                "kind": held.entry.kind,
                "tier": held.entry.tier,
                "T": T,
                "d": d,
                "threads": held.threads,
                "batch": held.batch,
                "status": "measured" if away is None or abs(away) < ODD else f"does other work (z = {away:.1f})",
                "rounds": len(held.rates),
                "walks a turn": held.walks,
                "share": statistics.median(held.shares),
                "walks a second": rates,
                "normals a walk": a_walk,
                "normals a second": {name: value * a_walk for name, value in rates.items()},
                "ratio to numpy_script": ratio(held, base),
                "ratio to own generator": ratio(held, own) if held.entry.against else None,
                "start": held.start,
                "memory": held.memory,
            }
        )
    return found


def measured(
    entries: Sequence[Entry], T: int, d: int, seconds: float, cores: int, told: Told = lambda _: None
) -> list[dict[str, Any]]:
    """The rows of one size: the search and the start beforehand, ``seconds`` of rounds, memory last."""
    counts = [1 if entry.kind == "peer" or cores == 1 else 2 for entry in entries]
    turn = turn_of(seconds, sum(counts))
    told(
        f"{len(entries)} ways to start, which takes about a minute, {STARTING / 60:g} at most (what has not started by "
        f"then is left out); then rounds of {sum(counts) * turn:.1f} s"
    )
    with prepared(entries, T, d, cores, told, turn) as (running, out):
        told(f"{len(running)} in turn at T = {T}, d = {d}, for {seconds:g} s")
        rounds(running, seconds)
        look_at_memory(running)
        return [*rows(running, T, d), *out]
