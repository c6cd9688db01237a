"""The GPU's tier c, run in Triton's interpreter: its numbers walk by walk, its law, its place in the engine.

The law is compared with those of the literal walk and of the processor's tier c. The chance of any false alarm in this
file, were its seeds not fixed, is below ``alarms.LEVEL``: less than ``LOOKS`` numbers are looked at.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
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
from scipy.stats import norm
from torch import Tensor

from montecarlo import engine, threads
from montecarlo.empirical_checks import Simulation
from montecarlo.kernels import gpu, gpu_joint
from montecarlo.on_gpu import FormsOnGpu, ScoresOnGpu
from montecarlo.walks import DrawnScores, Forms, NotSampledError, Walks, block_walks, blocks_together
from tests.montecarlo.kernels.alarms import LOOKS, alarms, features
from tests.montecarlo.kernels.interpreted import (
    Case,
    case,
    exact_pair,
    interpreter,
    literal,
    philox,
    pieces_are_halved,
)

pytest.importorskip("triton", reason="Triton is an optional extra")

NAME = "montecarlo.kernels.gpu_joint_code"
Array = NDArray[Any]

WALKS = 1 << 13
CPU = torch.device("cpu")


@pytest.fixture(scope="module", autouse=True)
def code() -> Iterator[ModuleType]:
    with interpreter():
        yield importlib.import_module(NAME)


def symmetric(given: Case) -> Case:
    T, d, root, W, start = given
    return T, d, root, (W + W.T) / 2, start


def swaying(given: Case) -> Case:
    """With a W whose scores are mostly made of the bridge, as little of x^T W x is left."""
    T, d, root, W, start = given
    return T, d, root, W + 3 * (W - W.T), start


def drawn(given: Case, walks: int = WALKS, device: Any = "cpu", **further: Any) -> Tensor:
    return gpu_joint.ready(*given, device=device).draw(**{"key": 99 << 31, "block": 5, "walks": walks, **further})


# ---- the two numbers of the end


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("kind", ["general", "symmetric", "antisymmetric"])
def test_the_two_forms_have_the_law_of_the_matrix_s(d: int, kind: str) -> None:
    """Traces of words in S and M^T M, which all moments of (v^T M v, |M v|^2) are made of, in either basis."""
    A = np.random.default_rng(d).standard_normal((d, d))
    M = {"general": A, "symmetric": A + A.T, "antisymmetric": A - A.T}[kind]
    weights, U = gpu_joint.forms(M)
    assert (U is None) == (kind == "symmetric" or not M.any() or d == 1)
    S, G, D = (M + M.T) / 2, M.T @ M, np.diag(weights)
    H = D @ D if U is None else U.T @ U
    assert U is None or not np.tril(U, -1).any()
    for word in ("S", "SS", "SSS", "G", "GG", "SG", "SSG", "SGG", "SGSG", "SSGG", "SSGSG"):
        products = [np.linalg.multi_dot([np.eye(d), *factors, np.eye(d)]) for factors in _factors(word, S, G, D, H)]
        assert np.trace(products[0]) == pytest.approx(np.trace(products[1]), rel=1e-9, abs=1e-9)


def _factors(word: str, S: Array, G: Array, D: Array, H: Array) -> list[list[Array]]:
    return [[S if letter == "S" else G for letter in word], [D if letter == "S" else H for letter in word]]


def test_halves_make_up_the_matrix() -> None:
    """To the error that is said, entry by entry; the products that are taken leave out as much as is said."""
    rng = np.random.default_rng(0)
    U, v = np.triu(rng.standard_normal((64, 64))), rng.standard_normal((64, 512))
    U *= np.logspace(0, -3, 64)[:, None]
    U *= 2.0**11 / np.abs(U).max()
    high, low = (half.astype(np.float64) for half in gpu_joint.halves(U))
    assert (np.abs(U - high - low) <= np.maximum(2.0**-22 * np.abs(U), 2.0**-36 * np.abs(U).max())).all()
    v1, v2 = (half.astype(np.float64) for half in gpu_joint.halves(v))
    most = np.abs(U) @ (np.abs(v) + 1 / 32)
    three, two = high @ v1 + low @ v1 + high @ v2, high @ v1 + low @ v1
    assert (np.abs(three - U @ v) <= gpu_joint.SPLIT_ERROR * most).all()
    assert (np.abs(two - U @ v) <= 2.0**-11 * most).all()
    assert (np.abs(two - U @ v) > gpu_joint.SPLIT_ERROR * most).mean() > 0.9
    assert (np.abs(high @ (v1 + v2) - U @ v) > gpu_joint.SPLIT_ERROR * most).mean() > 0.5


def rounded_square(bits: int) -> float:
    """E f^2 for a standard normal that is rounded to a float16 f, or to one whose last bits are cut off."""
    words = np.arange(0, 0x7C00, 1 << (11 - bits), dtype=np.uint16)
    f = words.view(np.float16).astype(np.float64)
    edges = np.concatenate(([0.0], (f[1:] + f[:-1]) / 2, [np.inf]))
    return float(2 * ((norm.sf(edges[:-1]) - norm.sf(edges[1:])) * f**2).sum())


def test_a_rounded_normal_has_the_mean_square_that_is_said() -> None:
    assert abs(rounded_square(11) - 1) < gpu_joint.ROUNDED_BIAS
    assert abs(rounded_square(8) - 1) > gpu_joint.ROUNDED_BIAS


def normals(key: int, block: int, walks: int, first: int, places: int) -> Array:
    """The normals at some places of tier c's stream, (4 places, walks) float64, from the definition of their bits."""
    found = []
    for place in range(first, first + places):
        halves = [key & 0xFFFFFFFF, key >> 32]
        words = np.array([philox([place, walk, block, 1], halves, 32) for walk in range(walks)], np.uint32).T
        found += [*exact_pair(words[0].copy(), words[1].copy()), *exact_pair(words[2].copy(), words[3].copy())]
    return np.array(found)


def ends(given: Case, walks: int, products: int, code: ModuleType) -> tuple[Array, Array]:
    """(v^T M v, |M v|) as the program has them with so many products, and in float64 from the same bits."""
    _, d, root, W, _ = given
    ready = gpu_joint.ready(*given, device="cpu")
    found = torch.empty((2, walks))
    assert ready.triangle is not None
    code.ends_program[(1,)](
        *(found, *ready.triangle, ready.weights, *gpu_joint.units(1, ready.exponent, ready.spread)),
        *(3, 0, 7, walks, 0, walks, ready.shape.padded),
        ROUNDS=10,
        QUADS=ready.shape.quads,
        N=walks,
        D=ready.shape.rows,
        PRODUCTS=products,
        APPROXIMATE=False,
    )
    M = (root @ W @ root).numpy()
    v = normals(3, 7, walks, 0, -(-d // 4))[:d]
    weights, U = gpu_joint.forms(M)
    assert U is not None
    return found.double().numpy(), np.array([weights @ v**2, np.linalg.norm(U @ v, axis=0)])


@pytest.mark.parametrize("d", [2, 19, 130])
def test_the_ends_are_right_to_what_is_said(d: int, code: ModuleType) -> None:
    """Two products round v to 11 bits in |U v| alone, and are seen to; d = 130 has two panels of rows."""
    given = case(2, d)
    found, exact = ends(given, 8, 3, code)
    assert np.abs(found / exact - 1)[1].max() < 2e-6
    assert np.abs(found - exact)[0].max() < 3e-6 * np.abs(exact[0]).max()
    short, _ = ends(given, 8, 2, code)
    assert 4e-6 < np.abs(short / exact - 1)[1].max() < 2.0**-11
    assert (short[0] == found[0]).all()


# ---- the walks


def exact_scores(given: Case, walks: int, key: int, block: int) -> Array:
    """The scores in float64 from the same bits, by the formula of the joint law."""
    T, d, root, W, start = given
    N = T - (start == "zero")
    weights, U = gpu_joint.forms((root @ W @ root).numpy())
    places = gpu_joint.shape(d, U is not None).padded // 4
    v = normals(key, block, walks, 0, places)[:d]
    g = normals(key, block, walks, places, -(-N // 4))
    length = np.linalg.norm((np.diag(weights) if U is None else U) @ v, axis=0)
    found, X = np.zeros((T, walks)), np.zeros(walks)
    for a in range(N):
        k = 1 - 1 / (N - a)
        X = k * X + math.sqrt(k) * g[a]
        found[T - N + a] = (a + 1) * (weights @ v**2) + math.sqrt(N) * length * X
    return found.T


@pytest.mark.parametrize(
    ("T", "d", "start"),
    [(1, 1, "sigma"), (1, 2, "zero"), (2, 3, "zero"), (5, 4, "sigma"), (9, 9, "zero"), (3, 37, "sigma")],
)
@pytest.mark.parametrize("kind", ["general", "symmetric"])
def test_scores_are_those_of_the_formula(T: int, d: int, start: str, kind: str) -> None:
    given = symmetric(case(T, d, start)) if kind == "symmetric" else case(T, d, start)
    found = drawn(given, 24, key=77 << 32 | 3, block=9).double().numpy()
    exact = exact_scores(given, 24, 77 << 32 | 3, 9)
    assert found.shape == (24, T)
    assert np.abs(found - exact).max() <= 5e-6 * max(np.abs(exact).max(), 1e-9)


def test_pieces_of_any_size_give_the_same_numbers() -> None:
    given = case(4, 5)
    whole = drawn(given, 100)
    assert whole.shape == (100, 4)
    for piece in (16, 48):
        assert torch.allclose(drawn(given, 100, piece=piece), whole, rtol=1e-5, atol=1e-6)
    assert torch.allclose(drawn(given, 30), whole[:30], rtol=1e-5, atol=1e-6)
    for other in ({"key": 4}, {"block": 6}):
        assert not torch.allclose(drawn(given, 100, **other), whole, atol=0.1)


def test_blocks_drawn_together_are_blocks_drawn_alone() -> None:
    """The last block's number is 2^32 - 1; the walks of a block are no whole number of programs."""
    given, last = case(4, 5), (1 << 32) - 1
    together = drawn(given, 20, block=last - 2, blocks=3, piece=32)
    alone = torch.cat([drawn(given, 20, block=block) for block in range(last - 2, last + 1)])
    assert torch.allclose(together, alone, rtol=1e-5, atol=1e-6)
    assert not torch.allclose(together[:20], together[20:40], atol=0.1)


def test_no_number_is_tier_b_s() -> None:
    """Of one walk of one token, d = 1 and W = 1: its score is the square of the first normal of either tier."""
    one = torch.ones(1, 1, dtype=torch.float64)
    given: Case = (1, 1, one, one, "sigma")
    b = gpu.ready(*given, device="cpu").draw(key=5, block=0, walks=64)
    assert not torch.isclose(drawn(given, 64, key=5, block=0), b, rtol=1e-3).any()


# ---- the law

#: T, d, start, kind of W and of Sigma: none and one of d a multiple of 4 and 16, one token, one step, two panels.
LAWS = [
    *((1, 1, "sigma", False), (2, 1, "zero", False), (5, 3, "sigma", False), (6, 4, "zero", False)),
    *((7, 6, "sigma", True), (4, 9, "zero", True), (3, 33, "sigma", False), (3, 130, "zero", False)),
]


def reference(given: Case, walks: int) -> Array:
    found: Array = literal(given, walks).numpy()
    return found


def size(d: int) -> int:
    """Fewer walks where a walk has many normals: numpy's product of float16 is slow."""
    return WALKS if d < 30 else WALKS // 4


def test_the_level_covers_all_looks() -> None:
    assert sum(2 * len(features(np.zeros((4, law[0])))) for law in LAWS) + 200 < LOOKS


@pytest.mark.parametrize(("T", "d", "start", "singular"), LAWS)
def test_the_law_is_that_of_the_literal_walk(T: int, d: int, start: str, singular: bool) -> None:
    given = case(T, d, start, singular)
    assert not alarms(reference(given, 2 * size(d)), drawn(given, size(d)).double().numpy())


@pytest.mark.parametrize(("T", "d", "start", "singular"), LAWS)
def test_the_law_is_that_of_the_processor_s_tier(T: int, d: int, start: str, singular: bool) -> None:
    """With a symmetric W, which takes no product of matrices; the processor has a generator and a basis of its own."""
    pytest.importorskip("numba")
    given = symmetric(case(T, d, start, singular))
    other = DrawnScores("joint", Forms(given[2]), 4, 0, 2 * size(d), T, start).scores(given[3]).numpy()
    assert not alarms(other, drawn(given, size(d)).double().numpy())


def test_blocks_are_independent() -> None:
    given = case(5, 3)
    one, other = (torch.tanh(drawn(given, block=block).double()) for block in (5, 6))
    a, b = one - one.mean(0), other - other.mean(0)
    assert float(((a * b).mean(0) / (a.std(0) * b.std(0))).abs().max()) * len(a) ** 0.5 < 6


RIGHT = {name: getattr(gpu_joint, name) for name in ("bridge", "units", "forms")}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("bridge", lambda N: RIGHT["bridge"](N + 1)[: -(-N // 4) * 4]),
        ("bridge", lambda N: RIGHT["bridge"](N) ** torch.tensor([1.0, 2.0])),
        ("units", lambda N, *unit: RIGHT["units"](1, *unit)),
        ("units", lambda N, mean, spread: RIGHT["units"](N, mean + 1, spread)),
        ("forms", lambda M: RIGHT["forms"](M @ M)),
        ("forms", lambda M: (RIGHT["forms"](M)[0], np.diag(np.diag(RIGHT["forms"](M)[1])))),
    ],
    ids=["k of one step later", "k for its root", "sqrt(N) forgotten", "mean doubled", "W twice", "U of its diagonal"],
)
def test_a_fault_in_the_law_is_seen(name: str, fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    given = swaying(case(5, 3))
    expected = reference(given, 2 * WALKS)
    assert not alarms(expected, drawn(given).double().numpy())
    monkeypatch.setattr(gpu_joint, name, fault)
    assert alarms(expected, drawn(given).double().numpy())


@pytest.mark.parametrize("part", ["weights", "triangle"])
def test_padded_coordinates_that_are_not_zero_are_seen(part: str) -> None:
    given = case(5, 3)
    expected, ready = reference(given, 2 * WALKS), gpu_joint.ready(*given, device="cpu")
    assert ready.triangle is not None
    assert not ready.weights[3:].any() and not any(half[3:].any() or half[:, 3:].any() for half in ready.triangle)
    if part == "weights":
        faulty = dataclasses.replace(ready, weights=ready.weights.where(ready.weights != 0, 0.25))
    else:
        high, low = ready.triangle
        faulty = dataclasses.replace(ready, triangle=(high + 512 * torch.eye(16).half() * (high == 0), low))
    found = faulty.draw(key=99 << 31, block=5, walks=WALKS)
    assert alarms(expected, found.double().numpy())


class Moved:
    """A program that takes its tokens' normals from the places of the end."""

    def __init__(self, program: Any) -> None:
        self.program = program

    def __getitem__(self, grid: Any) -> Any:
        return lambda *given, place, **further: self.program[grid](*given, place=0, **further)


def test_a_place_used_twice_is_seen(code: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    given = case(5, 3)
    expected = reference(given, 2 * WALKS)
    monkeypatch.setattr(code, "tokens_program", Moved(code.tokens_program))
    assert alarms(expected, drawn(given).double().numpy())


# ---- what can't be done


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"T": 0}, "T = 0; expected an integer >= 1"),
        ({"walks": 0}, "walks = 0; expected an integer >= 1"),
        ({"blocks": 0}, "blocks = 0; expected an integer >= 1"),
        ({"walks": 1 << 20, "blocks": 1 << 11}, "walks = 1048576 in 2048 blocks; expected 2143289344 or fewer"),
        ({"start": "origin"}, "start = 'origin'; expected one of sigma, zero"),
        ({"W": torch.full((2, 2), torch.nan)}, "W holds NaN or inf"),
        ({"W": torch.full((2, 2), 1e60, dtype=torch.float64)}, r"entries of about 2\^\d{3}; expected a W in a unit"),
        ({"root": torch.eye(3)}, r"root has shape \(3, 3\); expected \(2, 2\)"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], told: str) -> None:
    T, d, root, W, start = case(3, 2)
    given: dict[str, Any] = {"T": T, "d": d, "root": root, "W": W, "start": start, "walks": 4} | change
    drawn = {name: given.pop(name) for name in ("walks", "blocks") if name in given}
    with pytest.raises(gpu.GpuError, match=told):
        gpu_joint.ready(**given, device="cpu").draw(**drawn, key=1, block=0)


def test_too_many_dimensions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_joint, "MOST_DIMENSION", 1)
    with pytest.raises(gpu.GpuError, match="d = 2; expected 1 or fewer dimensions in tier joint"):
        drawn(case(3, 2), 4)


def test_without_weights_all_scores_are_zero() -> None:
    T, d, root, W, start = case(3, 2)
    assert not drawn((T, d, root, 0 * W, start), 4).any()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_that_is_said() -> None:
    with pytest.raises(gpu.GpuError, match="device = 'cuda': torch finds no CUDA device here"):
        drawn(case(3, 2), 4, device="cuda")
    with pytest.raises(threads.EngineError, match="tier = 'joint' on cuda: torch finds no CUDA device here"):
        engine._check_tier("joint", SIMULATION, torch.device("cuda"))


def test_out_of_memory_halves_the_piece_and_says_so(
    code: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces_are_halved(drawn, code, monkeypatch, capsys)


# ---- in the engine


def squares(walk: Walks, W: Tensor) -> dict[str, Tensor]:
    scores = walk.scores(W)
    return {"last": scores[:, -1], "square": scores[:, 0] ** 2}


SIMULATION = Simulation("test.scores", squares, degree=4)
CASE = {"T": 5, "Sigma": [[2.0, 0.5], [0.5, 1.0]], "W": [[1.0, 0.5], [0.0, -1.0]]}


@pytest.mark.parametrize("tier", ["fused", "joint"])
def test_the_engine_reduces_the_blocks_that_the_programs_draw(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_forms", lambda root, device: FormsOnGpu(root, device))
    monkeypatch.setattr(engine, "block_walks", lambda T, d: 64)
    monkeypatch.setattr(engine, "blocks_together", lambda *given: 2)
    found = engine.draw(SIMULATION, CASE, walks=192, seed=3, claim_id="test.scores", key="k", tier=tier)
    task = engine._task(SIMULATION, CASE, 3, "test.scores", "k", CPU, (), tier)
    assert found.blocks == 3 and isinstance(task.forms, FormsOnGpu)
    kernel = gpu if tier == "fused" else gpu_joint
    for block, mean in enumerate(found["square"].block_means):
        case = kernel.ready(5, 2, task.root, task.given["W"], "sigma", "cpu")
        scores = case.draw(key=task.stream, block=block, walks=64)
        assert mean == pytest.approx(float(scores[:, 0].double().square().mean()), rel=1e-5)


def test_a_second_matrix_is_for_tier_b_alone() -> None:
    forms = FormsOnGpu(torch.eye(2, dtype=torch.float64), CPU)
    W = torch.eye(2, dtype=torch.float64)
    walk = ScoresOnGpu("joint", forms, 1, 0, 16, 3)
    assert torch.equal(walk.scores(W), walk.scores(W.clone()))
    with pytest.raises(NotSampledError, match="two matrices, tier joint has one; use tier fused"):
        walk.scores(2 * W)
    fused = ScoresOnGpu("fused", forms, 1, 0, 16, 3, blocks=2)
    assert torch.allclose(fused.scores(2 * W), 2 * fused.scores(W)) and fused.scores(W).shape == (32, 3)


def test_what_a_gpu_cannot_draw_is_the_engine_s_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_forms", lambda root, device: FormsOnGpu(root, device))
    huge = CASE | {"W": [[1e80, 0.0], [0.0, 1.0]]}
    with pytest.raises(threads.EngineError, match=r"test\.scores: R W R has entries of about"):
        engine.draw(SIMULATION, huge, walks=10, seed=3, claim_id="test.scores", key="k", tier="joint")


def test_a_launch_is_worth_its_while() -> None:
    """On a GPU millions of scores are drawn at once, however few walks a block has."""
    for T, d in ((5, 2), (40, 128), (4096, 128), (10**7, 1)):
        blocks = blocks_together(T, d, "joint", on_gpu=True)
        assert blocks & (blocks - 1) == 0
        assert blocks == 1 or blocks * block_walks(T, d) * T > 1 << 21


# ---- a GPU


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_the_numbers_and_the_law_are_the_same() -> None:
    """The compiled programs walk by walk, in law, the same however cut, and the engine on them."""
    told = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
import numpy as np, torch
import test_gpu_joint as t
from montecarlo import engine
for given in (t.case(5, 4), t.case(9, 9, "zero"), t.case(3, 37), t.case(7, 150), t.symmetric(t.case(40, 128))):
    exact = t.exact_scores(given, 24, 77 << 32 | 3, 9)
    found = t.drawn(given, 24, key=77 << 32 | 3, block=9, device="cuda").double().cpu().numpy()
    print("walk", np.abs(found - exact).max() / np.abs(exact).max())
    whole = t.drawn(given, 1 << 16, device="cuda")
    print("pieces", int((t.drawn(given, 1 << 16, device="cuda", piece=1 << 12) != whole).sum()))
for given in (t.case(5, 3), t.case(40, 128), t.symmetric(t.case(40, 128)), t.case(64, 33, "zero"), t.case(3, 150)):
    expected = t.reference(given, 1 << 13 if given[1] > 100 else 1 << 16)
    for approximate in (False, True):
        found = t.drawn(given, 1 << 16, device="cuda", approximate=approximate).double().cpu().numpy()
        print("alarms", len(t.alarms(expected, found)))
given = {{"walks": 1 << 18, "seed": 3, "claim_id": "test.scores", "key": "k", "tier": "joint"}}
here, there = (engine.draw(t.SIMULATION, t.CASE, device=device, **given)["square"] for device in ("cpu", "cuda"))
print("alarms", int(abs(here.mean - there.mean) > 6 * (here.std_error**2 + there.std_error**2) ** 0.5))
"""
    script = told.format(root=str(Path(__file__).parents[3]), tests=str(Path(__file__).parent))
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    found = [line.split() for line in done.stdout.splitlines()]
    assert len(found) == 21
    for kind, value in found:
        assert float(value) <= (1e-5 if kind == "walk" else 0)
