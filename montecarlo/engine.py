"""The sampling engine: walks drawn block after block, reduced on the spot and merged in block order.

A block's numbers depend on (run seed, claim id, case, block index) alone; one thread works on a block, with torch's
own threads off. So a sample does not depend, to the last bit, on how many threads drew it or in what pieces.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from montecarlo import cases, registry, seeds
from montecarlo.accumulate import Block, CovarianceAccumulator, MomentAccumulator, Pair, Sample, reduce_blocks
from montecarlo.cases import STARTS
from montecarlo.draws import draw_normals
from montecarlo.empirical_checks import COUNT, SAMPLED, SINGLE, Simulation
from montecarlo.threads import EngineError, NotFiniteError, at_least_one, one_torch_thread, with_less
from montecarlo.walks import (
    TIERS,
    DrawnScores,
    Folded,
    Forms,
    NotSampledError,
    Walks,
    block_walks,
    blocks_together,
    covariance_root,
    draw_steps,
)

OnBlock = Callable[[int, int], None]

#: Normals that a thread draws before it reports, 5 to 30 ms: a report takes as long as a small block.
TURN_NORMALS = 1 << 23
#: Blocks of fewer normals stay with one thread: they are over before the interpreter has changed hands.
SHARED_NORMALS = 1 << 16
#: A block's numbers, reduced: by quantity, and by pair of quantities.
Reduced = tuple[dict[str, Block], dict[Pair, CovarianceAccumulator]]


@dataclass(frozen=True)
class Job:
    """A sample as plain data: what another process needs to draw any of its blocks, to the last bit the same."""

    source: str
    case: str
    seed: int
    claim_id: str
    key: str
    device: str
    pairs: tuple[Pair, ...]
    tier: str = "literal"


#: Draws blocks of a job somewhere else, in block order: (job, blocks, normals in a block) -> their reduced numbers.
Elsewhere = Callable[[Job, range, int], Generator[Reduced, None, None]]


@dataclass(frozen=True)
class _Task:
    """Everything about a case that the blocks share."""

    simulation: Simulation
    given: Mapping[str, Any]
    root: Tensor
    m: Tensor | None
    start: str
    T: int
    d: int
    walks: int
    digest: bytes
    device: torch.device
    pairs: tuple[Pair, ...]
    folded: Folded
    buffers: threading.local = field(default_factory=threading.local)
    tier: str = "literal"
    forms: Forms | None = None
    stream: int = 0
    together: int = 1

    @property
    def normals(self) -> int:
        """Normals that a block draws."""
        return self.walks * (self.T + self.d if self.tier == "joint" else self.T * self.d)

    def run(self, turn: int) -> list[Reduced]:
        """Draw the ``together`` blocks from number turn x together on, and reduce each one's numbers."""
        first, count = turn * self.together, self.together
        with torch.inference_mode():
            numbers = self.numbers(self.generator(first)) if self.forms is None else self.of_scores(self.forms, first)
            reduced = {name: reduce_blocks(values, count) for name, values in numbers.items()}
            for name, summaries in reduced.items():
                for block, summary in enumerate(summaries, first):
                    if not math.isfinite(summary.mean + summary.m2):
                        raise NotFiniteError(f"{self.simulation.claim_id}: {name} holds NaN or inf (block {block})")
            joint = {pair: self.products(pair, numbers) for pair in self.pairs}
        return [
            (
                {name: summaries[k] for name, summaries in reduced.items()},
                {pair: found[k] for pair, found in joint.items()},
            )
            for k in range(count)
        ]

    def blocks(self, wanted: range, drawn: Generator[list[Reduced], None, None]) -> Generator[Reduced, None, None]:
        """Of the results of ``turns``, those of the wanted blocks."""
        with closing(drawn) as results:
            for turn, found in zip(self.turns(wanted), results, strict=True):
                for block, reduced in enumerate(found, turn * self.together):
                    if block in wanted:
                        yield reduced

    def turns(self, wanted: range) -> range:
        """The turns in which the wanted blocks are drawn; the others of a turn are drawn with them, and left out."""
        # always whole turns: the last digit of a matrix product can depend on how many walks there are
        return range(wanted.start // self.together, -(-wanted.stop // self.together))

    def seeded(self, block: int) -> tuple[int, ...]:
        """What two blocks are seeded with, this one and the next: 64 bits or more that no other stream has."""
        if self.forms is not None:
            return self.stream, block
        return tuple(seeds.block_seed(self.digest, k % seeds.BLOCKS) for k in (block, block + 1))

    def products(self, pair: Pair, numbers: Mapping[str, Tensor]) -> list[CovarianceAccumulator]:
        """What a pair of quantities has in common, block by block."""
        if any(name not in numbers for name in pair):
            named, asked = ", ".join(numbers), " and ".join(pair)
            raise EngineError(f"covariances names {asked}; {self.simulation.claim_id} returns {named}")
        left, right = (numbers[name].reshape(self.together, -1) for name in pair)
        found = []
        for x, y in zip(left, right, strict=True):
            found.append(CovarianceAccumulator())
            found[-1].add(x, y)
        return found

    def generator(self, block: int) -> torch.Generator:
        """torch's generator at the beginning of a block."""
        generator = torch.Generator(device=self.device)
        generator.manual_seed(seeds.block_seed(self.digest, block))
        return generator

    def of_scores(self, forms: Forms, block: int) -> dict[str, Tensor]:
        """The simulation's numbers for blocks ``block``, ... in a tier that draws scores, as many as go together."""
        from montecarlo.kernels.gpu import GpuError
        from montecarlo.on_gpu import FormsOnGpu, ScoresOnGpu

        drawn = ScoresOnGpu if isinstance(forms, FormsOnGpu) else DrawnScores
        walk = drawn(self.tier, forms, self.stream, block, self.walks, self.T, self.start, self.together)
        try:
            numbers = self.checked(self.simulation.function(walk=walk, **self.given))
        except (NotSampledError, GpuError) as error:
            raise EngineError(f"{self.simulation.claim_id}: {error}") from None
        for name, values in numbers.items():
            if self.together > 1 and len(values) not in (walk.n, walk.n // 2):
                raise EngineError(
                    f"{self.simulation.claim_id}: {name} is {len(values)} numbers of {walk.n} walks; expected one a "
                    "walk, or one a pair of walks, in tier " + self.tier
                )
        return numbers

    def place(self) -> Tensor:
        """A tensor (T, d, n) float32 for a block's normals, which the thread's next block draws into again."""
        # A thread's freed megabytes go back to the system, and new pages cost as much as drawing into them.
        shape = self.T, self.d, self.walks
        if not hasattr(self.buffers, "z") or self.buffers.z.shape != shape:
            self.buffers.z = torch.empty(shape, dtype=torch.float32, device=self.device)
        z: Tensor = self.buffers.z
        return z

    def numbers(self, generator: torch.Generator) -> dict[str, Tensor]:
        """The simulation's numbers for one block's draws, by quantity, checked for shape."""
        sampled: dict[str, Any] = {}
        if self.simulation.model == "free":
            return self.checked(self.simulation.function(generator=generator, n=self.walks, **self.given))
        if self.simulation.model == "gaussian":
            x = (self.root @ draw_normals(self.place(), generator)[0].double()).T
            sampled["x"] = x if self.m is None else x + self.m
        else:
            asked, z = self.simulation.parameters, self.place()
            end = draw_steps(z, generator) if "walk" in asked else None
            walk = Walks(
                draw_normals(z, generator) if end is None else z, self.root, self.start, end=end, folded=self.folded
            )
            if "walk" in asked:
                sampled["walk"] = walk
            if "tokens" in asked:
                sampled["tokens"] = walk.tokens
        return self.checked(self.simulation.function(**sampled, **self.given))

    def checked(self, found: Any) -> dict[str, Tensor]:
        """What a simulation returned, by quantity; EngineError where it is no (k,) tensor of real numbers."""
        named = found if isinstance(found, Mapping) else {SINGLE: found}
        for name, values in named.items():
            if not isinstance(values, Tensor) or values.ndim != 1 or not len(values):
                shape = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
                raise EngineError(
                    f"{self.simulation.claim_id}: {name} is {shape}; expected one number a walk, shape ({self.walks},)"
                )
            if values.dtype != torch.bool and not values.dtype.is_floating_point:
                raise EngineError(
                    f"{self.simulation.claim_id}: {name} is of type {values.dtype}; expected real numbers or booleans"
                )
            if self.simulation.bounded is not None:
                low, high = self.simulation.bounded
                least, most = float(values.min()), float(values.max())
                if least < low or most > high:
                    raise EngineError(
                        f"{self.simulation.claim_id}: {name} left bounded = ({low:g}, {high:g}): it took values from "
                        f"{least:g} to {most:g}; state bounds that hold"
                    )
        return dict(named)


def resolve_device(device: str) -> torch.device:
    """The torch device of that name; raises EngineError where this machine lacks it."""
    try:
        found = torch.device(device)
    except RuntimeError:
        raise EngineError(f"device = {device!r}; expected cpu or cuda") from None
    if found.type not in ("cpu", "cuda"):
        raise EngineError(f"device = {device!r}; expected cpu or cuda")
    if found.type == "cuda" and not torch.cuda.is_available():
        raise EngineError(f"device = {device!r}, but torch finds no CUDA device here; use cpu")
    return found


def draw(
    sim: Simulation,
    case: Mapping[str, Any],
    *,
    walks: int,
    seed: int,
    claim_id: str,
    key: str,
    device: str = "cpu",
    threads: int = 1,
    on_block: OnBlock | None = None,
    first_block: int = 0,
    covariances: tuple[Pair, ...] = (),
    elsewhere: Elsewhere | None = None,
    tier: str = "literal",
) -> Sample:
    """Sample a simulation at a case: ``walks`` walks, rounded up to whole blocks.

    The blocks are numbers first_block, first_block + 1, ... of the stream named (seed, claim_id, key); samples of
    disjoint block ranges share no seed. ``on_block(done, total)`` is called in the calling thread. ``covariances``
    names pairs of quantities whose covariance is wanted too. ``elsewhere`` draws the blocks in its place, with the
    same numbers; a case that is no plain data stays here. ``tier`` says how walks are sampled (``walks.TIERS``); its
    numbers are its own. Memory does not grow with ``walks`` but for a few float64 a
    block. Raises EngineError or CaseError, and whatever the simulation raises.
    """
    at_least_one("walks", walks)
    at_least_one("threads", threads)
    # drawn elsewhere, the device is the matter of whoever draws
    here = resolve_device("cpu" if elsewhere is not None else device)
    task = _task(sim, case, seed, claim_id, key, here, covariances, tier)
    blocks = -(-walks // task.walks)
    if first_block < 0 or first_block + blocks > seeds.BLOCKS:
        raise EngineError(f"first_block = {first_block} with {blocks} blocks; expected blocks below 2**{seeds.BITS}")

    began = time.perf_counter()
    moments: dict[str, MomentAccumulator] = {}
    joint = {pair: CovarianceAccumulator() for pair in covariances}
    threads = threads if task.walks * task.T * task.d >= SHARED_NORMALS else 1
    normals = task.normals * task.together
    at_once = max(1, min(TURN_NORMALS // normals, blocks // (4 * threads * task.together)))
    wanted = range(first_block, first_block + blocks)
    job = _job(sim, case, seed, claim_id, key, device, covariances, tier) if elsewhere is not None else None
    if elsewhere is not None and job is not None:
        drawn = elsewhere(job, wanted, task.normals)
    else:
        drawn = task.blocks(wanted, with_less(task.run, task.turns(wanted), threads, at_once))
    # Closed at once where something below raises, an interrupt included: the threads stop after the blocks at hand.
    with closing(drawn) as results:
        for done, (reduced, products) in enumerate(results, 1):
            if done == 1:
                moments = {name: MomentAccumulator() for name in reduced}
                for name in reduced:
                    sim.tails_of(name)
            elif reduced.keys() != moments.keys():
                names = f"{', '.join(moments)}, then {', '.join(reduced)}"
                raise EngineError(f"{sim.claim_id}: quantities {names}; expected the same in every block")
            for name, block in reduced.items():
                moments[name].add(block)
            for pair, product in products.items():
                joint[pair].merge(product)
            if on_block is not None:
                on_block(done, blocks)
    return Sample(
        estimates={name: accumulator.estimate() for name, accumulator in moments.items()},
        covariances=joint,
        walks=blocks * task.walks,
        blocks=blocks,
        walks_per_block=task.walks,
        first_block=first_block,
        device=device if elsewhere is not None else str(task.device),
        seconds=time.perf_counter() - began,
        stream=task.seeded(first_block),
    )


def _task(
    sim: Simulation,
    case: Mapping[str, Any],
    seed: int,
    claim_id: str,
    key: str,
    device: torch.device,
    pairs: tuple[Pair, ...],
    tier: str = "literal",
) -> _Task:
    _check_tier(tier, sim, device)
    start = case.get("start", "sigma")
    if start not in STARTS:
        raise cases.CaseError(f"case['start'] = {start!r}; expected one of {', '.join(STARTS)}")
    T, d = sim.shape
    if sim.model != "free":
        T, d = cases.length(case) if sim.model == "walk" else 1, cases.dimension(case)
    wanted = [name for name in sim.parameters if name not in (*SAMPLED, COUNT)]
    free = sim.model == "free"
    given = cases.numbers(case, wanted) if free else cases.arguments(case, wanted, device)
    Sigma = torch.eye(1) if free else cases.covariance_matrix(case, torch.device("cpu"))
    root = covariance_root(Sigma).to(device)
    digest = seeds.case_digest(seed, claim_id, key)
    # the tier is part of the stream's name
    stream = hashlib.blake2b(tier.encode(), key=digest, digest_size=8).digest()
    return _Task(
        simulation=sim,
        given=given,
        root=root,
        m=cases.tensor(case, "m", device) if sim.model == "gaussian" and "m" in case else None,
        start=start,
        T=T,
        d=d,
        walks=min(block_walks(T, d), sim.most_walks),
        digest=digest,
        device=device,
        pairs=pairs,
        folded=Folded(root),
        tier=tier,
        forms=_forms(root, device) if tier != "literal" else None,
        stream=int.from_bytes(stream, "little"),
        together=blocks_together(T, d, tier, device.type != "cpu"),
    )


def _check_tier(tier: str, sim: Simulation, device: torch.device) -> None:
    if tier not in TIERS:
        raise EngineError(f"tier = {tier!r}; expected one of {', '.join(TIERS)}")
    if tier == "literal":
        return
    if sim.model != "walk" or "tokens" in sim.parameters:
        raise EngineError(f"tier = {tier!r}, but {sim.claim_id} does not read walk.scores alone; use literal")
    if device.type != "cpu":
        from montecarlo.kernels.gpu import missing

        if (why := missing()) is not None:
            raise EngineError(f"tier = {tier!r} on {device}: {why}; or use tier literal")
        return
    try:
        import montecarlo.kernels.joint  # noqa: F401
    except ImportError as error:
        raise EngineError(f"tier = {tier!r} needs numba ({error}); install numba, or use literal") from None


def _forms(root: Tensor, device: torch.device) -> Forms:
    if device.type == "cpu":
        return Forms(root)
    from montecarlo.on_gpu import FormsOnGpu

    return FormsOnGpu(root, device)


def reads_scores_alone(
    sim: Simulation, case: Mapping[str, Any], tier: str = "fused", device: str | torch.device = "cpu"
) -> bool:
    """Whether a simulation can be sampled in a tier that draws scores: one block of the case is tried.

    False too where numba is missing, or on a GPU Triton. Raises CaseError for a case that can't be simulated.
    """
    try:
        task = _task(sim, case, 0, sim.claim_id, "", resolve_device(str(device)), (), tier)
        with one_torch_thread():
            task.run(0)
    except EngineError:
        return False
    return True


def _job(
    sim: Simulation,
    case: Mapping[str, Any],
    seed: int,
    claim_id: str,
    key: str,
    device: str,
    pairs: tuple[Pair, ...],
    tier: str = "literal",
) -> Job | None:
    """The sample as plain data; None where the simulation is handed more than that."""
    known = {name: value for name, value in case.items() if not callable(value)}
    if any(name in case and name not in known for name in sim.parameters):
        return None
    return Job(sim.claim_id, json.dumps(known, sort_keys=True), seed, claim_id, key, device, pairs, tier)


@lru_cache(maxsize=8)
def _task_of(job: Job) -> _Task:
    found = registry.find(job.source)
    if not isinstance(found, Simulation):
        raise EngineError(f"{job.source}: no simulation is registered here; expected the code of whoever asks")
    device = resolve_device(job.device)
    return _task(found, json.loads(job.case), job.seed, job.claim_id, job.key, device, job.pairs, job.tier)


def run_job(job: Job, blocks: range) -> list[Reduced]:
    """Draw blocks of a job in this process, in order; torch's own threads have to be off in it."""
    task = _task_of(job)
    return list(task.blocks(blocks, (task.run(turn) for turn in task.turns(blocks))))


def check_repeatable(
    sim: Simulation,
    case: Mapping[str, Any],
    *,
    seed: int,
    claim_id: str,
    key: str,
    device: str,
    tier: str = "literal",
) -> None:
    """Draw blocks twice; EngineError where the numbers differ, for then a verdict could not be replayed."""
    task = _task(sim, case, seed, claim_id, key, resolve_device(device), (), tier)
    with one_torch_thread():
        first, second = ([found for found, _ in task.run(0)] for _ in range(2))
    for name in first[0]:
        if any(one[name] != other[name] for one, other in zip(first, second, strict=True)):
            where = f"{sim.function.__module__}.{sim.function.__qualname__}"
            raise EngineError(
                f"{claim_id}: {name} of {where} differs between two runs on the same tokens; "
                "take all randomness from the tokens that it is given"
            )


#: The normals of the last ``numbers``: a case is asked for several times.
_KEPT = threading.local()


def numbers(
    sim: Simulation, case: Mapping[str, Any], *, walks: int, seed: int, claim_id: str, key: str
) -> dict[str, Tensor]:
    """A simulation's single numbers (k,), float64 on the CPU, for so many walks of the stream (seed, claim_id, key).

    Rounded up to whole blocks.
    """
    at_least_one("walks", walks)
    task = replace(_task(sim, case, seed, claim_id, key, torch.device("cpu"), ()), buffers=_KEPT)
    with one_torch_thread(), torch.inference_mode():
        drawn = [task.numbers(task.generator(block)) for block in range(-(-walks // task.walks))]
        return {name: torch.cat([found[name].double() for found in drawn]) for name in drawn[0]}


def truth_values(sim: Simulation, case: Mapping[str, Any]) -> set[str]:
    """The quantities that a simulation gives as truth values, by one block of a case on the CPU."""
    task = _task(sim, case, 0, sim.claim_id, "truth values", torch.device("cpu"), ())
    with one_torch_thread(), torch.inference_mode():
        return {name for name, values in task.numbers(task.generator(0)).items() if values.dtype == torch.bool}
