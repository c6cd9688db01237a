"""The engine: the same numbers however they are drawn, bounded memory, and moments that are those of the model.

Simulated moments are compared in units of their standard error, from block means. The seeds are fixed, so a test
either always passes or always fails; by chance in choosing the seed, |z| > 6 has probability 2e-9 for a normal error.
"""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from montecarlo import engine, seeds, threads, walks
from montecarlo.accumulate import Estimate, Sample
from montecarlo.cases import CaseError
from montecarlo.empirical_checks import RegistryError, Simulation
from montecarlo.engine import draw
from montecarlo.registry import variance
from montecarlo.threads import EngineError
from montecarlo.walks import Walks, form

CASE: dict[str, Any] = {"d": 2, "T": 5, "i": 2, "j": 4, "W": [["1", "-1/2"], ["1/2", "3"]], "start": "sigma"}
CASE |= {"Sigma": [["1", "0"], ["0", "1/4"]], "m": ["1", "0"]}
#: tr(W Sigma) of CASE, by hand: 1 * 1 + 3 / 4.
TRACE = 1.75
LARGEST_Z = 6.0


def square(walk: Walks, W: Tensor, i: int) -> dict[str, Tensor]:
    x = walk.token(i)
    f = form(x, W, x)
    return {"mean": f, "variance": variance(f), "positive": f > 0}


def square_of_tokens(tokens: Tensor, W: Tensor, i: int) -> Tensor:
    x = tokens[:, i - 1]
    return torch.einsum("nd,de,ne->n", x, W, x)


SQUARE = Simulation("test.square", square, {"mean": 2, "variance": 4, "positive": 0})
TOKENS = Simulation("test.tokens", square_of_tokens, 2)


def sample(sim: Simulation = SQUARE, case: dict[str, Any] = CASE, walks: int = 2**16, **options: Any) -> Sample:
    named: dict[str, Any] = {"walks": walks, "seed": 0, "claim_id": sim.claim_id, "key": "k"}
    return draw(sim, case, **(named | options))


def z_score(estimate: Estimate, expected: float) -> float:
    means = estimate.block_means
    return float((estimate.mean - expected) / (means.std(ddof=1) / math.sqrt(len(means))))


def same(one: Sample, two: Sample) -> bool:
    """Equal to the last bit, in every quantity and every block."""
    return one.estimates.keys() == two.estimates.keys() and all(
        (a.mean, a.variance, a.pair_mean, a.count, a.hits) == (b.mean, b.variance, b.pair_mean, b.count, b.hits)
        and np.array_equal(a.block_means, b.block_means)
        for a, b in zip(one.estimates.values(), two.estimates.values(), strict=True)
    )


@pytest.mark.parametrize("case", [CASE, CASE | {"T": 40}, CASE | {"start": "zero"}])
def test_threads_turns_and_chunks_change_nothing(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    one = sample(case=case, threads=1)
    assert same(one, sample(case=case, threads=2))
    assert same(one, sample(case=case, threads=5))
    monkeypatch.setattr(engine, "TURN_NORMALS", 1)
    assert same(one, sample(case=case, threads=2))


def test_pieces_put_together_are_the_whole() -> None:
    whole = sample()
    first = sample(walks=3 * whole.walks_per_block)
    rest = sample(walks=whole.walks - first.walks, first_block=first.next_block)
    together = np.concatenate([first["mean"].block_means, rest["mean"].block_means])
    assert np.array_equal(together, whole["mean"].block_means)
    assert first.blocks + rest.blocks == whole.blocks == rest.next_block


def test_every_part_of_the_name_gives_other_numbers() -> None:
    base = sample()
    for options in ({"seed": 1}, {"claim_id": "test.other"}, {"key": "l"}, {"first_block": 100}):
        assert not np.isin(sample(**options)["mean"].block_means, base["mean"].block_means).any()


def test_one_block_twice_is_caught() -> None:
    """A generator that ignores the block would give one mean over and over; the block means tell."""
    means = sample()["mean"].block_means
    assert len(set(means.tolist())) == len(means)


def test_seeds_that_collide_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "block_seed", lambda digest, block: block // 2)
    means = sample()["mean"].block_means
    assert len(set(means.tolist())) < len(means)


def test_walks_are_rounded_up_to_whole_blocks() -> None:
    found = sample(walks=1)
    assert found.walks == found.walks_per_block == walks.block_walks(5, 2) and found.blocks == 1
    assert found["mean"].count == found.walks and found["variance"].count == found.walks // 2
    assert found["variance"].numbers_per_block == found.walks_per_block // 2


def test_torch_s_own_threads_are_as_before() -> None:
    before = torch.get_num_threads()
    sample(walks=1, threads=2)
    assert torch.get_num_threads() == before
    assert not any("ThreadPool" in thread.name for thread in threading.enumerate())


def test_progress_is_told_block_by_block_in_the_calling_thread() -> None:
    seen: list[tuple[int, int, bool]] = []

    def told(done: int, total: int) -> None:
        seen.append((done, total, threading.current_thread() is threading.main_thread()))

    found = sample(threads=2, on_block=told)
    assert seen == [(k, found.blocks, True) for k in range(1, found.blocks + 1)]


def test_an_interrupt_stops_the_threads() -> None:
    ran: list[int] = []

    def counted(x: Tensor) -> Tensor:
        ran.append(1)
        return x[:, 0]

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = torch.get_num_threads()
    with pytest.raises(KeyboardInterrupt):
        sample(Simulation("test.count", counted, 1), walks=2**26, threads=2, on_block=interrupt)
    assert len(ran) < 2**13 / 4
    assert torch.get_num_threads() == before


# ---- the moments of the model


@pytest.mark.parametrize(("start", "steps"), [("sigma", 2), ("zero", 1)])
@pytest.mark.parametrize("sim", [SQUARE, TOKENS])
def test_moments_of_the_walk(sim: Simulation, start: str, steps: int) -> None:
    """E x_i^T W x_i = (steps made by token i) tr(W Sigma), by hand; within 6 standard errors."""
    quantity = "mean" if sim is SQUARE else "value"
    found = sample(sim, CASE | {"start": start}, walks=2**19)
    assert abs(z_score(found[quantity], steps * TRACE)) < LARGEST_Z
    assert found[quantity].std_error < 0.02 * TRACE


def test_variance_of_the_walk() -> None:
    """Var x^T W x = tr(W S W S) + tr(W S W^T S) times i^2, by hand at CASE: i = 2, S = diag(1, 1/4)."""
    # W S = [[1, -1/8], [1/2, 3/4]] and W^T S = [[1, 1/8], [-1/2, 3/4]].
    exact = 4 * ((1 + 9 / 16 - 1 / 8) + (1 + 9 / 16 + 1 / 8))
    found = sample(walks=2**19)
    assert abs(z_score(found["variance"], exact)) < LARGEST_Z
    assert found["mean"].variance == pytest.approx(exact, rel=0.03)
    assert found["mean"].pair_mean == pytest.approx(found["variance"].mean, rel=1e-14)


def test_moments_of_the_gaussian() -> None:
    """E x^T W x = tr(W Sigma) + m^T W m = 1.75 + 1, by hand; x is exact (n, d) with the mean m."""

    def quadratic(x: Tensor, W: Tensor) -> Tensor:
        return form(x, W, x)

    found = sample(Simulation("test.gaussian", quadratic, 2), walks=2**19)
    assert abs(z_score(found["value"], TRACE + 1)) < LARGEST_Z


def test_a_probability_is_a_count() -> None:
    """P(x_1 > 0) = 1/2: an exact binomial count, within 6 standard deviations."""

    def positive(x: Tensor) -> Tensor:
        return x[:, 0] > 0

    case = {"d": 1, "Sigma": [["1"]]}
    found = sample(Simulation("test.positive", positive, 0), case, walks=2**18)["value"]
    assert found.hits is not None and found.mean == pytest.approx(found.hits / found.count, rel=1e-14)
    assert abs(found.hits - found.count / 2) < 6 * math.sqrt(found.count) / 2


def test_covariances_of_two_quantities() -> None:
    """Cov(x_1^2, x_1^2 + x_2^2) for x ~ N(0, I) is Var x_1^2 = 2; 2^18 walks give it to better than 5%."""

    def squares(x: Tensor) -> dict[str, Tensor]:
        return {"one": x[:, 0] ** 2, "both": (x**2).sum(1)}

    case = {"d": 2, "Sigma": [["1", "0"], ["0", "1"]]}
    sim = Simulation("test.squares", squares, 2)
    found = sample(sim, case, walks=2**18, covariances=(("one", "both"),), threads=2)
    joint = found.covariances["one", "both"]
    assert joint.count == found.walks
    assert joint.covariance == pytest.approx(2, rel=0.05)
    with pytest.raises(EngineError, match=r"covariances names one and none; test.squares returns one, both"):
        sample(sim, case, walks=1, covariances=(("one", "none"),))


class StartsAtZero(Walks):
    """x_1 = 0 whatever the case says."""

    def __init__(self, normals: Tensor, root: Tensor, start: str = "sigma", **known: Any) -> None:
        super().__init__(normals, root, "zero", **known)


class StartsAStepLate(Walks):
    """x_1 has the covariance 2 Sigma, as if a token had come before it."""

    def token(self, i: int) -> Tensor:
        return super().token(min(i + 1, self.T))


class ForgetsSigma(Walks):
    """Steps of covariance I."""

    def __init__(self, normals: Tensor, root: Tensor, start: str = "sigma", **known: Any) -> None:
        super().__init__(normals, torch.eye(len(root)).to(root), start)


@pytest.mark.parametrize("wrong", [StartsAtZero, StartsAStepLate, ForgetsSigma])
def test_a_walk_that_is_not_the_model_s_is_caught(wrong: type[Walks], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "Walks", wrong)
    assert abs(z_score(sample()["mean"], 2 * TRACE)) > 10 * LARGEST_Z


def test_a_start_at_zero_that_is_not_made_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "Walks", lambda normals, root, start, **known: Walks(normals, root))
    assert abs(z_score(sample(case=CASE | {"start": "zero"})["mean"], TRACE)) > 10 * LARGEST_Z


# ---- memory and speed


MEMORY = """
import sys
from montecarlo.engine import draw
from montecarlo.empirical_checks import Simulation

def peak():  # of this process alone, in KiB; getrusage would count the parent's
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

tokens, hold, held = int(sys.argv[1]), sys.argv[2] == "hold", []

def scores(walk, W):
    found = walk.scores(W)
    held.append(found) if hold else None
    return found[:, 0]

case = {"d": 1, "T": 64, "W": [["1"]], "Sigma": [["1"]]}
sim = Simulation("test.memory", scores, 2)
draw(sim, case, walks=1, seed=0, claim_id="test.memory", key="", threads=2)
before = peak()
found = draw(sim, case, walks=tokens // 64, seed=0, claim_id="test.memory", key="", threads=2)
assert found.walks * 64 >= tokens
print(peak(), peak() - before)
"""
MEBIBYTE = 2**10


def memory(tokens: int, hold: str) -> tuple[int, int]:
    """Peak memory of a fresh process that draws so many walk-tokens, and how much of it came with them, in KiB."""
    done = subprocess.run([sys.executable, "-c", MEMORY, str(tokens), hold], capture_output=True, text=True, check=True)
    total, grown = map(int, done.stdout.split())
    return total, grown


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_stays_bounded_for_1e8_walk_tokens() -> None:
    """A peak under 1 GiB in all, of which less than 128 MiB is the sampling's; keeping the scores would be caught."""
    total, grown = memory(10**8, "drop")
    assert total < 1024 * MEBIBYTE
    assert grown < 128 * MEBIBYTE
    assert memory(3 * 10**7, "hold")[1] > 128 * MEBIBYTE


@pytest.mark.slow
def test_what_the_engine_keeps_of_long_walks_is_bounded_too() -> None:
    found = sample(case=CASE | {"T": 2**20}, walks=1)
    assert found.walks == 2 and found["mean"].count == 2


# ---- bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"walks": 0}, EngineError, "walks = 0; expected an integer >= 1"),
        ({"threads": 0}, EngineError, "threads = 0; expected an integer >= 1"),
        ({"device": "abacus"}, EngineError, "device = 'abacus'; expected cpu or cuda"),
        ({"device": "meta"}, EngineError, "device = 'meta'; expected cpu or cuda"),
        ({"first_block": -1}, EngineError, "first_block = -1 with"),
        ({"first_block": 2**32 - 1}, EngineError, r"expected blocks below 2\*\*32"),
        ({"case": CASE | {"start": "there"}}, CaseError, r"case\['start'\] = 'there'; expected one of sigma, zero"),
        ({"case": CASE | {"i": 6}}, CaseError, r"case\['i'\] = 6; expected at most T = 5"),
        ({"case": {"d": 1, "T": 2, "i": 1, "Sigma": [["1"]]}}, CaseError, "case lacks 'W'"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sample(**options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_cuda_without_a_device_is_refused() -> None:
    with pytest.raises(EngineError, match="device = 'cuda', but torch finds no CUDA device here; use cpu"):
        sample(device="cuda")


def returns(make: Callable[[Tensor], Any], degree: Any = 1) -> Simulation:
    def function(x: Tensor) -> Any:
        return make(x)

    return Simulation("test.returns", function, degree)


@pytest.mark.parametrize(
    ("sim", "error", "message"),
    [
        (returns(lambda x: x), EngineError, r"value is \(8192, 2\); expected one number a walk, shape \(8192,\)"),
        (returns(lambda x: 1.0), EngineError, "value is float; expected one number a walk"),
        (returns(lambda x: x[:0, 0]), EngineError, r"value is \(0,\); expected"),
        (returns(lambda x: x[:, 0] / 0), EngineError, "value holds NaN or inf"),
        (returns(lambda x: {"f": x[:, 0]}, {"g": 1}), RegistryError, "degree names g but not 'f'"),
        (returns(lambda x: {str(float(x[0, 0])): x[:, 0]}), EngineError, "expected the same in every block"),
    ],
)
def test_what_is_no_simulation_is_told(sim: Simulation, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sample(sim)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_same_code_on_a_gpu() -> None:
    found = sample(walks=2**19, device="cuda")
    assert abs(z_score(found["mean"], 2 * TRACE)) < LARGEST_Z
    assert same(found, sample(walks=2**19, device="cuda", threads=2))


def test_a_full_device_gets_half_as_many_blocks_at_a_time(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[int] = []

    def run(block: int) -> int:
        asked.append(block)
        if asked.count(5) == 1 and block == 5:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return block

    assert list(threads.with_less(run, range(12), 4, 2)) == list(range(12))
    assert caplog.messages == ["the device's memory is full: from here on 2 blocks at a time"]


def test_a_device_that_holds_no_block_is_told_in_one_line() -> None:
    def run(block: int) -> int:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(EngineError, match="does not fit into the device's memory; give a smaller T or d"):
        list(threads.with_less(run, range(4), 4, 1))
