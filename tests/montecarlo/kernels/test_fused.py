"""Fused and joint scores against float64 on the same normals, walk by walk, and the tiers in the engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

pytest.importorskip("numba")

from montecarlo import engine, threads
from montecarlo.accumulate import Sample
from montecarlo.empirical_checks import Simulation
from montecarlo.kernels import forms, fused, joint
from montecarlo.walks import DrawnScores, Forms, NotSampledError, Walks, blocks_together, covariance_root, form
from tests.montecarlo.kernels.draws import draw

Array = NDArray[np.float64]
KEY = 0xFEDCBA9876543210
ROOT = Path(__file__).parents[3]

#: (T, d, walks): one token, one coordinate, quadruples and none, counts that are no multiple of sixteen.
SHAPES = [(1, 1, 1), (2, 1, 17), (1, 4, 16), (3, 4, 40), (7, 10, 33), (2, 3, 5), (9, 8, 64), (5, 68, 20), (40, 128, 32)]


def matrix(d: int, kind: str = "any") -> Array:
    M = np.random.default_rng(d).standard_normal((d, d))
    if kind == "symmetric":
        return M + M.T
    if kind == "singular":
        M[:, : d // 2] = 0
        return M @ M
    return M


def backward(T: int) -> Array:
    """The matrix (T, T) that makes u_1, ..., u_T of e, e_T, ..., e_2 by the recursion of ``fused``'s docstring."""
    now = np.sqrt(T) / T * np.eye(T)[0]
    rows = [T * now]
    for t in range(T, 1, -1):
        now = now + np.eye(T)[T + 1 - t] / np.sqrt(t * (t - 1))
        rows.append((t - 1) * now)
    return np.array(rows[::-1])


@pytest.mark.parametrize("T", [1, 2, 5, 40])
def test_a_walk_drawn_backward_has_independent_standard_steps(T: int) -> None:
    """The steps u_t - u_{t-1} are an orthogonal image of the normals; of the walk cut in two halves they are none."""
    steps = np.diff(backward(T), axis=0, prepend=0)
    assert np.allclose(steps @ steps.T, np.eye(T), atol=1e-12)
    halves = np.diff(backward(T)[:, ::-1], axis=0, prepend=0) + np.diff(np.eye(T), axis=0, prepend=0)
    assert T == 1 or not np.allclose(halves @ halves.T, np.eye(T), atol=0.1)


def fused_exactly(M: Array, block: int, n: int, T: int) -> tuple[Array, Array]:
    """Scores (T, n) of the very walk that the kernel draws, in float64, and the stated bound of its error."""
    d = len(M)
    ends = -(-d // 4) * 4
    drawn = draw(KEY, block, n, ends + (T - 1) * d).astype(np.float64)
    e = np.concatenate([drawn[:, None, :d], drawn[:, ends:].reshape(n, T - 1, d)], 1)
    u = np.einsum("ts,nsk->ntk", backward(T), e, optimize=True)
    scores = np.einsum("ntk,kj,nj->tn", u, M, u[:, -1], optimize=True)
    end = np.sqrt(T) * np.abs(e[:, 0])
    sizes = np.einsum("ts,nsk,kj,nj->tn", backward(T), np.abs(e), np.abs(M), end, optimize=True)
    return scores, (2 * d + 4) * 2.0**-24 * sizes


@pytest.mark.parametrize("kind", ["any", "symmetric", "singular"])
@pytest.mark.parametrize(("T", "d", "n"), SHAPES)
def test_fused_scores_are_those_of_the_drawn_walk(T: int, d: int, n: int, kind: str) -> None:
    M = matrix(d, kind)
    chosen = forms.form(M)
    found = fused.scores(chosen, KEY, 5, n, T)
    scores, bound = fused_exactly(chosen.basis.T @ M @ chosen.basis, 5, n, T)
    assert found.shape == (T, n)
    assert (np.abs(found - scores) <= bound + 1e-300).all()
    if T > 1 and d > 1 and kind == "any":
        transposed, _ = fused_exactly(chosen.basis.T @ M.T @ chosen.basis, 5, n, T)
        assert (np.abs(found - transposed) > bound).any()


def test_the_error_is_far_below_what_sampling_sees() -> None:
    M = matrix(64)
    chosen = forms.form(M)
    scores, _ = fused_exactly(chosen.basis.T @ M @ chosen.basis, 0, 32, 512)
    error = fused.scores(chosen, KEY, 0, 32, 512) - scores
    assert np.sqrt((error**2).mean()) < 1e-6 * scores.std()


@pytest.mark.parametrize("kind", ["any", "symmetric"])
@pytest.mark.parametrize(("N", "d", "n"), SHAPES)
def test_joint_scores_are_those_of_their_formula(N: int, d: int, n: int, kind: str) -> None:
    """The law of ``joint``'s docstring, in float64, from the very normals that the kernel draws."""
    M = matrix(d, kind)
    chosen = forms.form(M)
    ends = -(-d // 4) * 4
    z = draw(KEY, 5, n, ends + N).astype(np.float64)
    u, g = np.sqrt(N) * z[:, :d], z[:, ends:]
    y = u @ (chosen.basis.T @ M @ chosen.basis).T
    level, spread = (u * y).sum(1, keepdims=True) / N, np.linalg.norm(y, axis=1, keepdims=True)
    scores = (level * np.arange(1, N + 1) + spread * (g @ tied_down(N).T)).T
    error = np.abs(joint.scores(chosen, KEY, 5, n, N) - scores)
    assert (error <= (N + 2 * d + 8) * 2.0**-22 * (spread * (np.linalg.norm(u, axis=1, keepdims=True) + N)).T).all()


def tied_down(N: int) -> Array:
    """The matrix (N, N) that makes X_1, ..., X_N of g_1, ..., g_N by the recursion of ``joint``'s docstring."""
    rows, now = [], np.zeros(N)
    for a in range(N):
        keep = 1 - 1 / (N - a)
        now = keep * now + np.sqrt(keep) * np.eye(N)[a]
        rows.append(now)
    return np.array(rows)


@pytest.mark.parametrize("N", [1, 2, 5, 40])
def test_the_walk_tied_down_has_the_law_of_summed_deviations(N: int) -> None:
    """Sums of h_s - mean h have the covariance C (I - J/N) C^T, with C the sums and J full of ones."""
    sums = np.tril(np.ones((N, N)))
    law = sums @ (np.eye(N) - 1 / N) @ sums.T
    assert np.allclose(tied_down(N) @ tied_down(N).T, law, atol=1e-12 * N)
    assert N == 1 or not np.allclose(sums @ sums.T, law, atol=0.1)


@pytest.mark.parametrize("scores", [fused.scores, joint.scores])
def test_a_walk_depends_on_its_place_alone(scores: Any) -> None:
    chosen = forms.form(matrix(6))
    whole = scores(chosen, KEY, 2, 70, 5)
    assert np.array_equal(scores(chosen, KEY, 2, 23, 5), whole[:, :23])
    scores(forms.form(matrix(3)), KEY, 1, 40, 9)
    assert np.array_equal(scores(chosen, KEY, 2, 70, 5), whole)
    assert not np.array_equal(scores(chosen, KEY, 3, 70, 5), whole)


@pytest.mark.parametrize("scores", [fused.scores, joint.scores])
@pytest.mark.parametrize(("T", "d", "n"), [(5, 6, 48), (5, 8, 16), (7, 4, 5), (1, 3, 20), (70, 2, 16)])
def test_blocks_drawn_at_once_are_those_drawn_by_themselves(scores: Any, T: int, d: int, n: int) -> None:
    chosen = forms.form(matrix(d))
    whole = scores(chosen, KEY, 2, n, T, 3)
    assert whole.shape == (T, 3 * n)
    assert np.array_equal(whole, np.hstack([scores(chosen, KEY, block, n, T) for block in (2, 3, 4)]))
    # nor are they one block of three times the walks, or the same block three times
    assert not np.array_equal(whole, scores(chosen, KEY, 2, 3 * n, T))
    assert not np.array_equal(whole[:, :n], whole[:, n : 2 * n])


@pytest.mark.parametrize("kind", ["any", "symmetric", "singular"])
def test_a_form_is_the_matrix_in_another_basis(kind: str) -> None:
    M = matrix(11, kind)
    chosen = forms.form(1e30 * M)
    Q = chosen.basis
    rows = np.zeros((16, 11))
    at = 0
    for panel, (first, last) in enumerate(zip(chosen.first, chosen.last, strict=True)):
        size = int(last - first) * forms.ROWS
        rows[8 * panel : 8 * panel + 8, first:last] = chosen.weights[at : at + size].reshape(-1, 8).T
        at += size
    assert np.allclose(Q @ Q.T, np.eye(11), atol=1e-12)
    assert np.allclose(Q @ rows[:11] @ Q.T * chosen.scale, 1e30 * M, atol=1e24, rtol=0)
    assert at == len(chosen.weights) <= 11 * 16


def test_a_form_of_no_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        forms.form(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="square"):
        forms.form(np.zeros((2, 3)))


def test_two_matrices_see_the_same_fused_walk() -> None:
    """x_a^T (W + V) x_T is the sum of the scores under W and V of one walk, and no sum of those of two walks."""
    d, T, n = 5, 6, 48
    W, V = torch.from_numpy(matrix(d)), torch.from_numpy(matrix(d, "symmetric"))
    shared = Forms(covariance_root(torch.eye(d, dtype=torch.float64)))
    walk = DrawnScores("fused", shared, KEY, 0, n, T)
    first, second, both = walk.scores(W), walk.scores(V), walk.scores(W + V)
    assert torch.allclose(first + second, both, atol=1e-4)
    alone = DrawnScores("fused", shared, KEY, 0, n, T).scores(V)
    assert not torch.allclose(second, alone, atol=1e-1)
    first.zero_()
    assert walk.scores(W).abs().max() > 0
    joint_walk = DrawnScores("joint", shared, KEY, 0, n, T)
    assert torch.equal(joint_walk.scores(W), joint_walk.scores(W))
    with pytest.raises(NotSampledError, match="two matrices"):
        joint_walk.scores(V)


def test_a_matrix_that_was_changed_is_another() -> None:
    root = covariance_root(torch.eye(4, dtype=torch.float64))
    shared, W = Forms(root), torch.from_numpy(matrix(4))
    first = shared.find(W)
    assert shared.find(W.clone()) is first and shared.find(W.float().double()) is not first
    walk = DrawnScores("fused", shared, KEY, 0, 20, 3)
    before = walk.scores(W)
    W *= 2
    assert torch.allclose(walk.scores(W), 2 * before, atol=1e-4) and not torch.equal(before, walk.scores(W))
    W /= 2
    assert torch.equal(walk.scores(W), before)
    assert shared.find(W, first) is shared.find(W, first) is not first
    joint_walk = DrawnScores("joint", shared, KEY, 0, 20, 3)
    joint_walk.scores(W)
    W[0, 0] += 1
    with pytest.raises(NotSampledError, match="two matrices"):
        joint_walk.scores(W)


@pytest.mark.parametrize("tier", ["fused", "joint"])
def test_a_walk_that_starts_at_zero_has_a_token_without_score(tier: str) -> None:
    shared = Forms(torch.eye(3, dtype=torch.float64))
    W = torch.from_numpy(matrix(3))
    found = DrawnScores(tier, shared, KEY, 0, 20, 4, "zero").scores(W)
    later = DrawnScores(tier, shared, KEY, 0, 20, 3).scores(W)
    assert found.shape == (20, 4) and not found[:, 0].any() and torch.equal(found[:, 1:], later)
    assert not DrawnScores(tier, shared, KEY, 0, 20, 1, "zero").scores(W).any()


@pytest.mark.parametrize("name", ["tokens", "token", "last", "normals"])
def test_tokens_are_refused(name: str) -> None:
    walk = DrawnScores("fused", Forms(torch.eye(2, dtype=torch.float64)), KEY, 0, 4, 3)
    with pytest.raises(NotSampledError, match=f"walk.{name} does not exist in tier fused"):
        getattr(walk, name)
    with pytest.raises(ValueError, match="tier = 'fast'"):
        DrawnScores("fast", walk.forms, KEY, 0, 4, 3)
    with pytest.raises(ValueError, match="start = 'here'"):
        DrawnScores("fused", walk.forms, KEY, 0, 4, 3, "here")


def squares(walk: Walks, W: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"square": (walk.scores(W) ** 2).sum(1), "last": walk.scores(W)[:, -1]}


def of_a_token(walk: Walks, W: torch.Tensor, i: int) -> torch.Tensor:
    return form(walk.token(i), W, walk.last)


READS_SCORES = Simulation("test.scores", squares, degree=4)
READS_TOKENS = Simulation("test.token", of_a_token, degree=2)
W = [["1", "2"], ["-1", "1/2"]]
CASE: dict[str, Any] = {"d": 2, "T": 5, "i": 2, "start": "sigma", "W": W, "Sigma": [["2", "1"], ["1", "1"]]}


def sample(tier: str, **options: Any) -> Sample:
    given = {"walks": 40_000, "seed": 3, "claim_id": "test.scores", "key": "k", **options}
    return engine.draw(READS_SCORES, CASE, tier=tier, **given)


@pytest.mark.parametrize("tier", ["fused", "joint"])
def test_the_engine_gives_one_answer(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sample(tier)
    monkeypatch.setattr(engine, "SHARED_NORMALS", 1)
    monkeypatch.setattr(engine, "TURN_NORMALS", 1)
    for name, estimate in sample(tier, threads=3).estimates.items():
        assert np.array_equal(estimate.block_means, whole[name].block_means)
    rest = sample(tier, walks=whole.walks_per_block, first_block=2)
    assert rest["last"].block_means[0] == whole["last"].block_means[2]
    for other in ({"seed": 4}, {"key": "l"}, {"claim_id": "test.others"}):
        assert sample(tier, **other)["last"].mean != whole["last"].mean
    engine.check_repeatable(READS_SCORES, CASE, seed=0, claim_id="test.scores", key="k", device="cpu", tier=tier)


@pytest.mark.parametrize("tier", ["fused", "joint"])
def test_a_block_is_the_same_in_whatever_turn_it_is_asked_for(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are drawn together, cut anywhere: by the engine, and in another process."""
    whole = sample(tier, covariances=(("square", "last"),))
    task = engine._task(READS_SCORES, CASE, 3, "test.scores", "k", torch.device("cpu"), (), tier)
    assert task.together == blocks_together(5, 2, tier) > 1 and whole.blocks > task.together

    def means(first: int, last: int) -> list[float]:
        """Those of the blocks first, ..., last - 1."""
        part = sample(tier, walks=(last - first) * whole.walks_per_block, first_block=first)
        assert part.blocks == last - first
        return [float(mean) for mean in part["square"].block_means]

    expected = [float(mean) for mean in whole["square"].block_means]
    cuts = ((0, 1), (1, 2), (1, whole.blocks), (task.together - 1, task.together + 1), (task.together, whole.blocks))
    for first, last in cuts:
        assert means(first, last) == expected[first:last]
    monkeypatch.setattr(engine, "_task_of", lambda job: task)
    job = engine.Job("", "", 3, "test.scores", "k", "cpu", (), tier)
    drawn = engine.run_job(job, range(1, whole.blocks))
    assert [reduced["square"].mean for reduced, _ in drawn] == expected[1:]

    def alone(block: int) -> float:
        assert task.forms is not None
        walk: Any = DrawnScores(tier, task.forms, task.stream, block, task.walks, 5)
        return float(squares(walk, task.given["W"])["square"].mean())

    assert expected == pytest.approx([alone(block) for block in range(whole.blocks)], rel=1e-13)
    assert len(set(expected)) == whole.blocks

    def forgetful(tier: str, forms: Forms, key: int, block: int, *rest: Any) -> DrawnScores:
        """Takes a turn's number for that of its first block."""
        return DrawnScores(tier, forms, key, block // task.together, *rest)

    monkeypatch.setattr(engine, "DrawnScores", forgetful)
    assert means(0, 1) == expected[:1]
    assert means(0, whole.blocks) != expected


def test_the_pairs_of_a_turn_are_those_of_its_blocks() -> None:
    pair = ("square", "last")
    task = engine._task(READS_SCORES, CASE, 3, "test.scores", "k", torch.device("cpu"), (pair,), "joint")
    square = torch.arange(task.together * 6, dtype=torch.float64) ** 2
    last = square.flip(0).sqrt()
    found = task.products(pair, {"square": square, "last": last})
    for k, product in enumerate(found):
        part = slice(6 * k, 6 * k + 6)
        assert product.covariance == pytest.approx(np.cov(square[part].numpy(), last[part].numpy())[0, 1])
    assert found[0].covariance != pytest.approx(found[1].covariance)


def test_numbers_that_are_no_walk_s_cannot_be_told_apart() -> None:
    def one_of_all(walk: Walks, W: torch.Tensor) -> torch.Tensor:
        return walk.scores(W).mean().reshape(1)

    simulation = Simulation("test.scores", one_of_all, degree=2)
    given: dict[str, Any] = {"walks": 10, "seed": 0, "claim_id": "test.scores", "key": ""}
    with pytest.raises(threads.EngineError, match=r"is 1 numbers of \d+ walks; expected one a walk"):
        engine.draw(simulation, CASE, tier="joint", **given)
    assert not engine.reads_scores_alone(simulation, CASE)
    assert engine.draw(simulation, CASE, **given).walks > 0


def test_tiers_have_numbers_of_their_own_and_one_law() -> None:
    found = [sample(tier)["square"] for tier in ("literal", "fused", "joint")]
    assert len({estimate.mean for estimate in found}) == 3
    for estimate in found[1:]:
        assert abs(estimate.mean - found[0].mean) < 6 * np.hypot(estimate.std_error, found[0].std_error)


def test_what_reads_tokens_is_refused() -> None:
    assert engine.reads_scores_alone(READS_SCORES, CASE) and not engine.reads_scores_alone(READS_TOKENS, CASE)
    given: dict[str, Any] = {"walks": 10, "seed": 0, "claim_id": "test.token", "key": ""}
    with pytest.raises(threads.EngineError, match="use tier literal"):
        engine.draw(READS_TOKENS, CASE, tier="fused", **given)
    with pytest.raises(threads.EngineError, match="expected one of literal, fused, joint"):
        engine.draw(READS_TOKENS, CASE, tier="quick", **given)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    given = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, capture_output=True, text=True, env=given, check=True, cwd=ROOT)


def test_without_numba_the_literal_tier_is_left() -> None:
    code = """
import sys
sys.modules["numba"] = None
from montecarlo import engine, threads
from montecarlo.empirical_checks import Simulation
def f(walk, W): return walk.scores(W)[:, 0]
sim = Simulation("test.scores", f, degree=2)
case = {"d": 1, "T": 2, "W": [["1"]], "Sigma": [["1"]]}
given = dict(walks=10, seed=0, claim_id="x", key="")
print(engine.draw(sim, case, **given).walks > 0, engine.reads_scores_alone(sim, case))
try:
    engine.draw(sim, case, tier="fused", **given)
except threads.EngineError as error:
    print(error)
"""
    first, second = run(code).stdout.splitlines()
    assert first == "True False"
    assert second.startswith("tier = 'fused' needs numba")


def test_the_literal_tier_imports_no_numba() -> None:
    assert run("import sys, montecarlo.engine; print('numba' in sys.modules)").stdout.strip() == "False"
