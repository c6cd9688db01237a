"""The sampled models, against a literal reference a token at a time."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from montecarlo import draws, walks
from montecarlo.cases import STARTS
from montecarlo.walks import TIERS, Walks, block_walks, blocks_together, covariance_root, form

SHAPES = [(1, 1), (1, 3), (2, 1), (5, 2), (7, 6), (40, 3)]


def draw(T: int, d: int, n: int = 32, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Normals (T, d, n), a non-symmetric W (d, d) and an anisotropic Sigma (d, d), all float64."""
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(T, d, n, generator=generator, dtype=torch.float64)
    W = torch.randn(d, d, generator=generator, dtype=torch.float64)
    B = torch.randn(d, d, generator=generator, dtype=torch.float64)
    return z, W, B @ torch.diag(torch.logspace(0, -3, d, dtype=torch.float64)) @ B.T


def literal_walk(z: Tensor, root: Tensor, start: str) -> list[Tensor]:
    """x_1, ..., x_T, each (d, n), by Assumption 1 word for word."""
    tokens = [root @ z[0] if start == "sigma" else torch.zeros_like(z[0])]
    for step in z[1:]:
        tokens.append(tokens[-1] + root @ step)
    return tokens


def relative(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).abs().max() / expected.abs().max().clamp_min(1e-300))


@pytest.mark.parametrize("start", ["sigma", "zero"])
@pytest.mark.parametrize(("T", "d"), SHAPES)
def test_fast_and_literal_agree(T: int, d: int, start: str) -> None:
    """Tokens and projected scores against loops, to 1e-12, for a non-symmetric W."""
    z, W, Sigma = draw(T, d)
    root = covariance_root(Sigma)
    expected = literal_walk(z, root, start)
    walk = Walks(z.clone(), root, start)
    assert walk.tokens.shape == (32, T, d)
    assert walk.last.shape == (32, d)
    assert walk.scores(W).shape == (32, T)
    last = expected[-1]
    for a, x in enumerate(expected, 1):
        assert relative(walk.tokens[:, a - 1], x.T) < 1e-12
        assert relative(walk.token(a), x.T) < 1e-12
        score = torch.stack([x[:, k] @ W @ last[:, k] for k in range(32)])
        assert relative(walk.scores(W)[:, a - 1], score) < 1e-12
    assert relative(walk.last, last.T) < 1e-12


def test_several_slabs_agree_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    z, W, Sigma = draw(9, 3)
    whole = Walks(z, covariance_root(Sigma))
    scores, tokens = whole.scores(W), whole.tokens
    monkeypatch.setattr(walks, "SLAB", 3 * 32 * 2)
    parts = Walks(z, covariance_root(Sigma))
    assert torch.equal(parts.scores(W), scores)
    assert relative(parts.tokens, tokens) < 1e-13


def test_float32_normals_give_float64_numbers() -> None:
    z, W, Sigma = draw(6, 2)
    walk = Walks(z.float(), covariance_root(Sigma))
    exact = Walks(z.float().double(), covariance_root(Sigma))
    assert walk.scores(W).dtype == walk.tokens.dtype == walk.last.dtype == torch.float64
    assert relative(walk.scores(W), exact.scores(W)) < 1e-13


@pytest.mark.parametrize("values", [(1.0, 0.25), (1.0, 0.0), (0.0, 0.0), (1.0, 1e-12)])
def test_the_root_squares_to_sigma_even_where_sigma_is_singular(values: tuple[float, float]) -> None:
    turn = torch.tensor([[0.6, -0.8], [0.8, 0.6]], dtype=torch.float64)
    Sigma = turn @ torch.diag(torch.tensor(values, dtype=torch.float64)) @ turn.T
    root = covariance_root(Sigma)
    assert torch.allclose(root @ root, Sigma, rtol=0, atol=1e-15)
    assert torch.isfinite(root).all()


def test_form_is_the_bilinear_form_for_a_non_symmetric_matrix() -> None:
    x = torch.tensor([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]], dtype=torch.float64)
    y = torch.tensor([[1.0, 0.0], [2.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    W = torch.tensor([[1.0, 2.0], [5.0, 7.0]], dtype=torch.float64)
    # By hand: (1, 2) W = (11, 16); (0, 1) W = (5, 7); (3, -1) W = (-2, -1).
    assert form(x, W, y).tolist() == [11.0, 17.0, -3.0]


@pytest.mark.parametrize(("T", "d"), [*SHAPES, (8, 2), (32, 2), (40, 128), (1000, 6), (4096, 128), (10**6, 6)])
def test_block_sizes(T: int, d: int) -> None:
    """A power of two; at least 128 blocks in 2^20 walks; bounded memory whatever the walk's length."""
    n = block_walks(T, d)
    assert n >= 2 and math.log2(n).is_integer()
    assert 2**20 // n >= 128
    assert n * T * d <= walks.MOST_NORMALS or n == 2
    assert n >= walks.FEWEST_WALKS or 2 * n * T * d > walks.MOST_NORMALS


@pytest.mark.parametrize(("T", "d"), [(1, 1), (8, 2), (40, 128), (512, 64), (4096, 128), (10**6, 6)])
def test_blocks_drawn_together(T: int, d: int) -> None:
    """A power of two, within the bounds that are named; the literal tier's blocks are drawn by themselves."""
    n = block_walks(T, d)
    assert blocks_together(T, d, "literal") == 1
    for tier in TIERS[1:]:
        blocks = blocks_together(T, d, tier)
        normals = n * (T + d) if tier == "joint" else n * T * d
        assert math.log2(blocks).is_integer()
        assert blocks == 1 or (blocks * n * T <= walks.MOST_SCORES and blocks * normals <= walks.MOST_NORMALS)
    assert blocks_together(40, 128, "joint") > blocks_together(40, 128, "fused") > 1
    assert blocks_together(T, d, "fused", on_gpu=True) == blocks_together(T, d, "fused")


@pytest.mark.parametrize("i", [0, 4])
def test_a_token_outside_the_walk_is_refused(i: int) -> None:
    z, _, Sigma = draw(3, 2)
    with pytest.raises(ValueError, match=rf"i = {i}; expected 1 <= i <= T = 3"):
        Walks(z, covariance_root(Sigma)).token(i)


def test_an_unknown_start_is_refused() -> None:
    z, _, Sigma = draw(3, 2)
    with pytest.raises(ValueError, match="start = 'origin'; expected one of sigma, zero"):
        Walks(z, covariance_root(Sigma), "origin")


def test_torch_s_24_bits_bias_the_moments_as_little_as_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Box-Muller radius R^2 = -2 ln u over the whole grid of u: E R^2 = 2, E R^4 = 8, E R^8 = 384 to the bounds."""
    u = torch.arange(1, 2**24 + 1, dtype=torch.float64) / 2**24
    radius = -2 * u.log()
    for power, exact, bound in ((1, 2, 6e-7), (2, 8, 6e-6), (4, 384, 2e-4)):
        assert abs(float((radius**power).mean()) / exact - 1) < bound
    # the generator where the kernels' is missing
    monkeypatch.setattr(draws, "_kernel", lambda: None)
    found = draws.draw_normals(torch.empty(2**20), torch.Generator().manual_seed(0))
    assert float(found.abs().max()) <= math.sqrt(float(radius[0])) * (1 + 1e-6)


# ---- drawn in pieces, folded once


@pytest.mark.parametrize(("T", "d", "n"), [(40, 128, 256), (9, 64, 128), (7, 3, 16), (5, 1, 3), (1, 1, 1)])
def test_steps_drawn_in_pieces_have_the_end_of_the_whole(T: int, d: int, n: int) -> None:
    z, again = torch.empty(T, d, n), torch.empty(T, d, n)
    generator = torch.Generator().manual_seed(3)
    end = walks.draw_steps(z, generator)
    assert torch.equal(end, Walks(z, torch.eye(d, dtype=torch.float64))._end)
    assert torch.allclose(end, z.double().sum(0), rtol=0, atol=1e-12)
    # no piece is drawn twice, nor is a walk
    assert len({*z.flatten().tolist()}) > 0.99 * z.numel()
    assert not torch.equal(walks.draw_steps(again, generator), end)
    assert torch.equal(walks.draw_steps(again, torch.Generator().manual_seed(3)), end) and torch.equal(again, z)


@pytest.mark.parametrize(("T", "d", "n"), [(21, 64, 256), (19, 3, 7), (9, 512, 256)])
def test_steps_are_added_up_in_float64(T: int, d: int, n: int) -> None:
    """Against exact sums at some places: within T roundoffs, which sums in float32 are not."""
    z = torch.empty(T, d, n)
    end = walks.draw_steps(z, torch.Generator().manual_seed(5))
    single = z[0].clone()
    for step in z[1:]:
        single += step
    places = [(k % d, 5 * k % n) for k in range(0, 4 * d, 3)]
    exact = torch.tensor([math.fsum(z[:, i, j].tolist()) for i, j in places], dtype=torch.float64)
    sizes = torch.tensor([math.fsum(z[:, i, j].abs().tolist()) for i, j in places], dtype=torch.float64)
    bound = T * torch.finfo(torch.float64).eps * sizes

    def off(found: Tensor) -> Tensor:
        return (torch.stack([found[i, j].double() for i, j in places]) - exact).abs()

    assert (off(end) <= bound).all()
    assert (off(single) > bound).any()


def test_a_walk_with_a_known_end_has_the_same_scores() -> None:
    root = covariance_root(torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
    W, other = torch.tensor([[1.0, 2.0], [0.0, 1.0]]).double(), torch.tensor([[0.0, 1.0], [3.0, 1.0]]).double()
    z = torch.empty(5, 2, 16)
    end = walks.draw_steps(z, torch.Generator().manual_seed(4))
    folded = walks.Folded(root)
    for start in STARTS:
        for matrix in (W, other, W):
            known = Walks(z.clone(), root, start, end=end.clone(), folded=folded).scores(matrix)
            assert torch.equal(known, Walks(z.clone(), root, start).scores(matrix))


def test_a_folded_matrix_is_not_taken_for_another() -> None:
    folded = walks.Folded(torch.eye(2, dtype=torch.float64) * 2)
    W = torch.ones(2, 2, dtype=torch.float64)
    assert torch.equal(folded.find(W), 4 * W)
    W[0, 0] = 5
    assert torch.equal(folded.find(W), 4 * W)
    found = [folded.find(k * W) for k in range(1, 9)]
    assert all(torch.equal(f, 4 * k * W) for k, f in enumerate(found, 1)) and len(folded._kept) == 4
