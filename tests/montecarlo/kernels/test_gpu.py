"""The GPU's tier b, run in Triton's interpreter: its bits, its normals, its walks, their law.

The law is compared with that of the literal walk, statistic by statistic, by z-scores of two samples. All of them
together raise a false alarm with probability below FALSE_ALARM for a random seed; the seeds are fixed.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import stats
from torch import Tensor

from montecarlo.kernels import gpu
from tests.montecarlo.kernels.interpreted import Case, case, exact_pair, interpreter, philox, pieces_are_halved
from tests.montecarlo.kernels.interpreted import literal as walks_of

triton = pytest.importorskip("triton", reason="Triton is an optional extra")

NAME = "montecarlo.kernels.gpu_code"
Array = NDArray[Any]

FALSE_ALARM = 1e-6
#: Statistics compared in this file: 10 cases of at most 30.
COMPARED = 300
LIMIT = float(stats.norm.isf(FALSE_ALARM / COMPARED / 2))
WALKS = 1 << 13


@pytest.fixture(scope="module", autouse=True)
def code() -> Iterator[ModuleType]:
    with interpreter():
        yield importlib.import_module(NAME)


# ---- the bits


def test_the_reference_is_numpy_s_philox_at_64_bits() -> None:
    """numpy draws from counter + 1 on; the same code at 32 bits is the reference of what follows."""
    key, counter = [0x0123456789ABCDEF, 0xFEDCBA9876543210], [41, 7, 2**63 + 5, 9]
    drawn = np.random.Philox(key=np.array(key, np.uint64), counter=np.array(counter, np.uint64)).random_raw(4)
    assert philox([counter[0] + 1, *counter[1:]], key, 64) == drawn.tolist()


def test_the_reference_has_the_published_answers() -> None:
    """The known answers of Random123, which published Philox 4x32-10."""
    ones = 0xFFFFFFFF
    assert philox([0] * 4, [0, 0], 32) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([ones] * 4, [ones, ones], 32) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def words(code: ModuleType, key: int, block: int, first: int, quads: int, lanes: int) -> Array:
    out = torch.empty((4, quads, lanes), dtype=torch.int32)
    given = {"key0": gpu.signed(key), "key1": gpu.signed(key >> 32), "block": gpu.signed(block), "first": first}
    code.words_program[(1,)](out, **given, ROUNDS=gpu.ROUNDS, QUADS=quads, N=lanes)
    return out.numpy().view(np.uint32)


@pytest.mark.parametrize(
    ("key", "block", "first"), [(0, 0, 0), (2**64 - 1, 2**32 - 1, 2**31 - 64), (12345 << 30, 1, 7)]
)
def test_the_program_s_bits_are_the_reference_s(code: ModuleType, key: int, block: int, first: int) -> None:
    found = words(code, key, block, first, 4, 64)
    halves = [key & 0xFFFFFFFF, key >> 32]
    for place in range(4):
        for walk in range(64):
            assert found[:, place, walk].tolist() == philox([place, first + walk, block, 0], halves, 32)


def test_no_two_places_share_their_bits(code: ModuleType) -> None:
    found = np.concatenate([words(code, 3, block, 0, 4, 512).reshape(4, -1) for block in (0, 1)], axis=1)
    assert len(np.unique(found.T.copy().view("V16"))) == 2 * 4 * 512


# ---- the normals


def some_words(size: int, seed: int) -> tuple[Array, Array]:
    """Random words with every corner: the least and largest, powers of two, those around a quarter turn."""
    rng = np.random.default_rng(seed)
    powers = [(1 << k) + shift for k in range(32) for shift in (-1, 0, 1)]
    quarters = [(k << 30) + shift for k in range(4) for shift in range(-2, 3)]
    corners = np.array([word & 0xFFFFFFFF for word in (*powers, *quarters, *range(64), *range(-64, 0))], np.uint32)
    radius, angle = rng.integers(0, 2**32, (2, size), np.uint32)
    radius[: len(corners)] = corners
    angle[len(corners) : 2 * len(corners)] = corners
    return radius, angle


def pairs(code: ModuleType, radius: Array, angle: Array, device: str = "cpu", approximate: bool = False) -> Array:
    out = torch.empty((2, len(radius)), dtype=torch.float32, device=device)
    given = [torch.from_numpy(side.view(np.int32)).to(device) for side in (radius, angle)]
    code.pair_program[(len(radius) // 1024,)](out, *given, N=1024, APPROXIMATE=approximate)
    return out.cpu().numpy()


def test_the_normals_are_those_of_their_words(code: ModuleType) -> None:
    """Near radius 0 the 24 bits of float32 are the limit: an error of 2^-12 at most, where u is within 2^-24 of 1."""
    radius, angle = some_words(1 << 15, 1)
    r = np.sqrt(-2 * np.log((radius.astype(np.float64) + 0.5) / 2**32))
    inside = r > 2.0**-8
    assert inside.mean() > 0.99
    for found, exact in zip(pairs(code, radius, angle), exact_pair(radius, angle), strict=True):
        assert np.abs(found - exact)[inside].max() < 2.0**-15
        assert (np.abs(found - exact) / np.maximum(r, 1))[r > 0.1].max() < 1.5e-6
        assert np.abs(found - exact)[~inside].max() < 2.0**-11
    extreme = pairs(code, np.zeros(1024, np.uint32), np.full(1024, 1 << 30, np.uint32))
    assert extreme[0, 0] == pytest.approx(np.sqrt(66 * np.log(2)), rel=1e-6)


def test_a_wrong_coefficient_is_seen(code: ModuleType) -> None:
    """Of the size of the error allowed: a polynomial that is off by 1e-5 is refused by the test above."""
    radius, angle = some_words(1 << 15, 1)
    a, _ = exact_pair(radius, angle)
    r = np.sqrt(-2 * np.log((radius.astype(np.float64) + 0.5) / 2**32))
    wrong = pairs(code, radius, angle)[0] * (1 + 1e-5)
    assert (np.abs(wrong - a) / np.maximum(r, 1))[r > 0.1].max() > 1.5e-6


# ---- the walks


def drawn(given: Case, walks: int = WALKS, device: Any = "cpu", **further: Any) -> Tensor:
    return gpu.ready(*given, device=device).draw(**{"key": 99 << 31, "block": 5, "walks": walks, **further})


def backward_walk(given: Case, walks: int, key: int, block: int) -> Array:
    """The scores in float64 from the same bits, with the walk built token by token, from the last to the first."""
    T, d, root, W, start = given
    quads = gpu.layout(d).quads
    z = np.zeros((T, 4 * quads, walks))
    halves = [key & 0xFFFFFFFF, key >> 32]
    for place in range(T * quads):
        columns = np.array([philox([place, walk, block, 0], halves, 32) for walk in range(walks)], np.uint32).T
        normals = (*exact_pair(columns[0].copy(), columns[1].copy()), *exact_pair(columns[2].copy(), columns[3].copy()))
        z[place // quads, 4 * (place % quads) : 4 * (place % quads) + 4] = normals
    z = z[:, :d]
    variance = [t - (start == "zero") for t in range(1, T + 1)]
    u = np.zeros((T, d, walks))
    u[T - 1] = max(variance[-1], 0) ** 0.5 * z[0]
    for back, t in enumerate(range(T - 1, 0, -1), 1):
        ratio = variance[t - 1] / variance[t] if variance[t] > 0 else 0
        u[t - 1] = ratio * u[t] + ratio**0.5 * z[T - back]
    x = np.einsum("ij,tjn->tin", root.numpy(), u)
    scores: Array = np.einsum("tin,ij,jn->nt", x, W.numpy(), x[-1])
    return scores


@pytest.mark.parametrize(
    ("T", "d", "start"),
    [(1, 1, "sigma"), (1, 2, "zero"), (2, 3, "zero"), (5, 4, "sigma"), (7, 9, "zero"), (3, 37, "sigma")],
)
def test_scores_are_those_of_the_walk_drawn_backward(T: int, d: int, start: str) -> None:
    """To float32's rounding, with 37 dimensions in two parts."""
    given = case(T, d, start)
    found = drawn(given, 24, key=77 << 32 | 3, block=9).double().numpy()
    exact = backward_walk(given, 24, 77 << 32 | 3, 9)
    assert found.shape == (24, T)
    assert np.abs(found - exact).max() <= 3e-6 * T**0.5 * max(np.abs(exact).max(), 1e-9)


def test_pieces_of_any_size_give_the_same_numbers() -> None:
    given = case(4, 5)
    whole = drawn(given, 100)
    assert whole.shape == (100, 4)
    for piece in (16, 48):
        assert torch.allclose(drawn(given, 100, piece=piece), whole, rtol=1e-5, atol=1e-6)
    assert torch.allclose(drawn(given, 30), whole[:30], rtol=1e-5, atol=1e-6)
    for other in ({"key": 4}, {"block": 6}):
        assert not torch.allclose(drawn(given, 100, **other), whole, atol=0.1)


# ---- the law


def largest_z(first: Tensor, second: Tensor) -> float:
    """The largest z-score of a statistic between two samples of walks, (n, T) scores each."""
    scale = second.double().square().mean(0).sqrt().clamp_min(1e-12)
    # both in the same unit: a common factor in the scores is a difference too
    one, other = statistics_in(first, scale), statistics_in(second, scale)
    assert len(one) <= COMPARED // 10
    worst = 0.0
    for a, b in zip(one, other, strict=True):
        spread = (a.var() / len(a) + b.var() / len(b)).sqrt()
        worst = max(worst, float((a.mean() - b.mean()).abs() / spread.clamp_min(1e-300)) if spread > 0 else 0.0)
    return worst


def statistics_in(scores: Tensor, scale: Tensor) -> list[Tensor]:
    s = scores.double() / scale
    parts = [s[:, t] for t in sorted({0, s.shape[1] // 2, s.shape[1] - 1})]
    total = s.sum(1) / s.shape[1]
    found = [*parts, *(p * p for p in parts), *((p > 0).double() for p in parts), *(p.abs() for p in parts)]
    found += [p * q for k, p in enumerate(parts) for q in parts[:k]]
    return found + [p * p * q for p in parts for q in parts] + [total, total * total, total**3]


def literal(given: Case, walks: int = 4 * WALKS) -> Tensor:
    return walks_of(given, walks)


LAWS = [
    *((1, 1, "sigma"), (2, 1, "zero"), (5, 3, "sigma"), (6, 4, "zero"), (7, 6, "sigma"), (3, 33, "sigma")),
]


@pytest.mark.parametrize(("T", "d", "start"), LAWS)
def test_the_law_is_that_of_the_literal_walk(T: int, d: int, start: str) -> None:
    given = case(T, d, start)
    assert largest_z(drawn(given), literal(given)) < LIMIT


def test_the_law_is_that_of_the_literal_walk_where_sigma_is_singular() -> None:
    given = case(5, 2, "sigma", singular=True)
    assert largest_z(drawn(given), literal(given)) < LIMIT


def test_neighbouring_walks_and_blocks_are_independent() -> None:
    given = case(5, 3)
    one, other = drawn(given).double(), drawn(given, block=6).double()
    for a, b in ((one[:-1], one[1:]), (one, other)):
        a, b = a - a.mean(0), b - b.mean(0)
        correlation = (a * b).mean(0) / (a.std(0) * b.std(0))
        assert float(correlation.abs().max()) * len(a) ** 0.5 < LIMIT


RIGHT = gpu.levels


@pytest.mark.parametrize(
    "fault",
    {
        "start one step late": lambda v, step: RIGHT(len(v) - 1, "zero"),
        "bridge's variance 50% too large": lambda v, step: (v, torch.cat((step[:1], step[1:] * 1.5**0.5))),
        "no bridge": lambda v, step: (v, torch.cat((step[:1], step[1:] * 0))),
        "level off by one": lambda v, step: (v.roll(-1), step),
    }.items(),
    ids=lambda fault: fault[0],
)
def test_a_fault_in_the_walk_is_seen(fault: tuple[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    given = case(5, 3)
    reference = literal(given)
    monkeypatch.setattr(gpu, "levels", lambda T, start: fault[1](*RIGHT(T, start)))
    assert largest_z(drawn(given), reference) > LIMIT


def test_a_transposed_w_is_seen() -> None:
    """Walk by walk: in law W and its transpose are nearly the same."""
    T, d, root, W, start = case(5, 3)
    found = drawn((T, d, root, W.T.contiguous(), start), 24, key=77, block=9).double().numpy()
    assert np.abs(found - backward_walk((T, d, root, W, start), 24, 77, 9)).max() > 0.1


def test_a_reused_stream_is_seen() -> None:
    one = drawn(case(5, 3)).double()
    other = one.roll(1, 0)
    other[1::2] = one[1::2]
    a, b = other[:-1] - other.mean(0), other[1:] - other.mean(0)
    assert float(((a * b).mean(0) / other.var(0)).abs().max()) * len(a) ** 0.5 > LIMIT


# ---- what can't be done


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"T": 0}, "T = 0; expected an integer >= 1"),
        ({"walks": 0}, "walks = 0; expected an integer >= 1"),
        ({"start": "origin"}, "start = 'origin'; expected one of sigma, zero"),
        ({"W": torch.full((2, 2), torch.nan)}, "W holds NaN or inf"),
        ({"root": torch.eye(3)}, r"root has shape \(3, 3\); expected \(2, 2\)"),
        ({"T": 1 << 33}, "fewer than 2\\*\\*34 normals"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], told: str) -> None:
    T, d, root, W, start = case(3, 2)
    given: dict[str, Any] = {"T": T, "d": d, "root": root, "W": W, "start": start, "walks": 4} | change
    walks = given.pop("walks")
    with pytest.raises(gpu.GpuError, match=told):
        gpu.ready(**given, device="cpu").draw(walks=walks, key=1, block=0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_that_is_said() -> None:
    with pytest.raises(gpu.GpuError, match="device = 'cuda': torch finds no CUDA device here"):
        drawn(case(3, 2), 4, device="cuda")


def test_without_triton_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "Triton is not installed" in str(gpu.missing())


@pytest.mark.parametrize(("T", "d"), [(1 << 14, 4), (40, 128), (2, 1 << 15), ((1 << 24) - 1, 1)])
def test_a_piece_s_numbers_can_be_counted_in_31_bits(T: int, d: int) -> None:
    dealt = gpu.layout(d)
    most = gpu.largest_piece(T, dealt)
    assert most >= gpu.LANES and most * max(T, 4 * dealt.quads) < 1 << 31
    assert (most + 1) * max(T, 4 * dealt.quads) >= 1 << 31
    # which pieces of the usual size are not of long walks, nor of many dimensions
    assert (most < gpu.PIECE) == (T * gpu.PIECE >= 1 << 31 or d * gpu.PIECE >= 1 << 31)


def test_walks_too_long_to_count_are_refused() -> None:
    one = torch.eye(1, dtype=torch.float64)
    with pytest.raises(gpu.GpuError, match="expected fewer than 16777216 tokens"):
        gpu.ready(1 << 24, 1, one, one, "sigma", "cpu")


def test_out_of_memory_halves_the_piece_and_says_so(
    code: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces_are_halved(drawn, code, monkeypatch, capsys)


# ---- the machine code, and a GPU


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_the_bits_and_the_normals_are_the_same() -> None:
    """The compiled programs against the reference, and the approximate instructions within their stated bound."""
    told = """
import numpy as np, torch, sys
sys.path[:0] = [{root!r}, {tests!r}]
import test_gpu as t
from montecarlo.kernels import gpu, gpu_code
radius, angle = t.some_words(1 << 22, 3)
exact = np.array(t.exact_pair(radius, angle))
near = t.pairs(gpu_code, radius, angle, "cuda", True)
far = t.pairs(gpu_code, radius, angle, "cuda", False)
print(float(np.sqrt(np.square(near - exact).mean())), float(np.sqrt(np.square(far - exact).mean())))
for given in (t.case(5, 3), t.case(40, 128), t.case(7, 9, "zero"), t.case(64, 33, "zero")):
    for approximate in (False, True):
        found = t.drawn(given, 1 << 16, device="cuda", approximate=approximate).cpu()
        print(t.largest_z(found, t.literal(given, 1 << 12 if given[1] > 100 else 1 << 16)))
"""
    code = told.format(root=str(Path(__file__).parents[3]), tests=str(Path(__file__).parent))
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    first, *others = done.stdout.splitlines()
    near, far = map(float, first.split())
    assert near < gpu.APPROXIMATE_RMS
    assert far < 1e-6
    assert max(map(float, others)) < LIMIT
