"""Section 4, empirical check: the definition decided for all small embeddings, least norms, and random points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from montecarlo import registry
from montecarlo.draws import normals
from montecarlo.empirical_checks import Observation, Simulation
from montecarlo.engine import draw
from montecarlo.lampert2026 import representability
from montecarlo.lampert2026.representability import (
    causal,
    constraints,
    cost,
    decided,
    full,
    representable,
    wendel,
    window,
)
from montecarlo.separability import Separation, nearest

Rows = Sequence[Sequence[Any]]
SEC4 = "lampert2026.sec4."


def bilinear(a: Sequence[Any], W: Rows, b: Sequence[Any]) -> Fraction:
    entries = (
        (Fraction(x) * w * Fraction(y)) for x, row in zip(a, W, strict=True) for w, y in zip(row, b, strict=True)
    )
    return sum(entries, Fraction(0))


def shown(z: Rows, J: Sequence[int], seen: Mapping[int, Sequence[int]], found: Separation | None) -> bool:
    """Whether it is decided, with a certificate that is checked here from the definition; ``seen``: i -> its keys."""
    assert found is not None, (z, J)
    d = len(z[0])
    if found.separable:
        W = [found.direction[r * d : (r + 1) * d] for r in range(d)]
        assert all(bilinear(z[i], W, z[0]) > bilinear(z[i], W, z[j]) for i in J for j in seen[i])
        return True
    pairs = [(i, j) for i in J for j in seen[i]]
    assert len(found.weights) == len(pairs) and min(found.weights) >= 0 and sum(found.weights) == 1
    for row in range(d):
        for column in range(d):
            unit = [[int((r, c) == (row, column)) for c in range(d)] for r in range(d)]
            gaps = [bilinear(z[i], unit, z[0]) - bilinear(z[i], unit, z[j]) for i, j in pairs]
            assert sum(w * gap for w, gap in zip(found.weights, gaps, strict=True)) == 0
    return False


@pytest.mark.parametrize(("d", "T", "size"), [(1, 1, 2), (1, 2, 2), (1, 3, 2), (2, 1, 1), (2, 2, 1)])
def test_all_small_embeddings_are_decided(d: int, T: int, size: int) -> None:
    seen = {i: range(1, T + 1) for i in range(1, T + 1)}
    rows = list(product(range(-size, size + 1), repeat=d))
    subsets = [J for count in range(1, T + 1) for J in combinations(range(1, T + 1), count)]
    every = [([list(row) for row in z], list(J)) for z in product(rows, repeat=T + 1) for J in subsets]
    cases = [shown(z, J, seen, representable(z, J, full)) for z, J in every]
    assert len(cases) == (2 * size + 1) ** (d * (T + 1)) * (2**T - 1)
    assert 0 < sum(cases) < len(cases)


def embeddings(draw: Random, size: int = 2) -> tuple[list[list[int]], list[int]]:
    d, T = draw.randint(1, 3), draw.randint(1, 5)
    z = [[draw.randint(-size, size) for _ in range(d)] for _ in range(T + 1)]
    if draw.random() < 0.5:
        z[0] = [abs(entry) + size for entry in z[0]]
    return z, [i for i in range(1, T + 1) if draw.random() < 0.6] or [T]


@pytest.mark.parametrize("w", [None, 1, 2, 3])
def test_random_embeddings_are_decided_under_masks(w: int | None) -> None:
    """A narrower mask only ever makes a sink representable."""
    random = Random(4)
    more = 0
    for _ in range(150):
        z, J = embeddings(random)
        keys = {i: [j for j in range(1, i + 1) if w is None or i - j < w] for i in J}
        masked = shown(z, J, keys, representable(z, J, causal if w is None else window(w)))
        whole = shown(z, J, {i: range(1, len(z)) for i in J}, representable(z, J, full))
        assert masked or not whole
        more += masked and not whole
    assert more > 5


@pytest.mark.parametrize(
    ("key", "truth"), [("333333333333/1000000000000", True), ("333333333334/1000000000000", False)]
)
def test_rows_of_rationals_are_read_exactly(key: str, truth: bool) -> None:
    """z_0 = 1/3 lies beyond both keys, or barely between them."""
    z = [["1/3"], [key], ["1/4"]]
    assert shown(z, [2], {2: [1, 2]}, representable(z, [2], full)) is truth


def observe(claim: str, **case: Any) -> Mapping[str, Any]:
    found = registry.find(SEC4 + claim)
    assert isinstance(found, Observation)
    return found.function(**{name: case[name] for name in found.parameters})


def test_the_observations_see_their_own_masks() -> None:
    """d = 1: query 1 needs W(z_0 - z_1) > 0; key 2, on the other side of z_0, is seen by all, later, or too late."""
    z = [[0], [1], [-1], [1]]
    assert observe("prop41", z=z, J=[1]) == {"representable": False}
    assert observe("prop41-causal", z=z, J=[1]) == {"representable": True}
    assert observe("prop41-causal", z=z, J=[3]) == {"representable": False}
    assert observe("prop41-window", z=z, J=[3], w=1) == {"representable": True}
    assert observe("prop41-window", z=z, J=[3], w=2) == {"representable": False}


def test_what_is_not_decided_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(representability, "separate", lambda vectors: None)
    assert observe("prop41", z=[[0], [1]], J=[1]) == {"representable": None}
    with pytest.raises(ArithmeticError, match="was not decided"):
        cost([[0], [1]], [1], "1")


# -- least norms


@pytest.mark.parametrize("kappa", ["1/2", 3, Fraction(2, 7)])
def test_one_dimension_by_hand(kappa: Any) -> None:
    """W z_i (z_0 - z_j) >= kappa, the least of the products being 2."""
    found = cost([[5], [2], [4]], [1, 2], kappa)
    for value, error in found.values():
        assert abs(value - float(Fraction(kappa)) / 2) <= error < 1e-13


def test_an_impossible_sink_costs_infinitely_much() -> None:
    assert set(cost([[0], [1], [-1]], [1], "1").values()) == {(math.inf, 0.0)}


def possible(count: int, seed: int) -> list[tuple[list[list[int]], list[int]]]:
    random = Random(seed)
    kept: list[tuple[list[list[int]], list[int]]] = []
    while len(kept) < count:
        z, J = embeddings(random)
        if shown(z, J, {i: range(1, len(z)) for i in J}, representable(z, J, full)):
            kept.append((z, J))
    return kept


def test_the_brackets_are_tight() -> None:
    for z, J in possible(150, 5):
        for value, error in cost(z, J, "3/2").values():
            assert 0 < error <= 1e-9 * value


def slack(A: Any, margin: float, W: Any) -> Any:
    return A @ W - margin


def test_least_norms_agree_with_a_general_minimiser() -> None:
    """The Frobenius norm by sequential quadratic programming, which knows no hull; the others lie on its two sides."""
    for z, J in possible(12, 6):
        A = np.array([[float(entry) for entry in v] for v in constraints(z, J, full)])
        near, margin = nearest(A) @ A, math.sqrt(len(z[0]))
        least = minimize(
            lambda W: W @ W,
            near / (A @ near).min() * margin + 0.1,
            jac=lambda W: 2 * W,
            constraints=[{"type": "ineq", "fun": partial(slack, A, margin), "jac": lambda W, A=A: A}],
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        assert least.success
        found = cost(z, J, 1)
        assert found["frobenius"][0] == pytest.approx(math.sqrt(least.fun), rel=1e-6)
        assert found["spectral"][0] <= found["frobenius"][0] * (1 + 1e-12) <= found["nuclear"][0] * (1 + 2e-12)


def test_a_poor_point_widens_the_brackets_but_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = possible(40, 7)
    true = [cost(z, J, "1") for z, J in cases]

    def poor(vectors: Any) -> Any:
        weights = nearest(vectors) + 0.02 / len(vectors)
        return weights / weights.sum()

    monkeypatch.setattr(representability, "nearest", poor)
    wide = 0
    for (z, J), truth in zip(cases, true, strict=True):
        try:
            found = cost(z, J, "1")
        except ArithmeticError as refusal:
            assert "float64 does not tell the margin" in str(refusal)
            continue
        for name, (value, error) in found.items():
            assert abs(value - truth[name][0]) <= error + truth[name][1]
            wide += error > 1e-4 * value
    assert wide > 40


# -- random points


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def sphere(points: int, dim: int, n: int, seed: int) -> torch.Tensor:
    z = normals(generator(seed), points, dim, n)
    unit: torch.Tensor = z / z.norm(dim=1, keepdim=True)
    return unit


SHAPES = [(2, 1), (2, 2), (2, 5), (3, 2), (3, 3), (3, 6), (4, 5), (4, 8), (5, 7)]


@pytest.mark.parametrize(("dim", "points"), SHAPES)
@pytest.mark.parametrize("every", [True, False])
def test_draws_are_decided_as_exact_certificates_do(dim: int, points: int, every: bool) -> None:
    """The sink's W, sought among all matrices, for all queries and for some of them; on the sphere and off it."""
    J = range(1, points + 1) if every else range(1, points + 1, 2)
    for scale in (1.0, 0.3):
        z = sphere(points + 1, dim, 20, seed=dim * 16 + points)
        z[0] *= scale
        fast = decided(z, J).tolist()
        for k, answer in enumerate(fast):
            rows = [[str(Fraction(entry)) for entry in row] for row in z[:, :, k].tolist()]
            found = representable(rows, J, full)
            assert found is not None and found.shown(constraints(rows, J, full)) and found.separable == answer


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked of rational arithmetic from here on."""
    asked: list[Any] = []

    def noted(*given: Any) -> Any:
        asked.append(given)
        return representable(*given)

    monkeypatch.setattr(representability, "representable", noted)
    return asked


def test_the_simulation_simulates_the_definition() -> None:
    z = sphere(5, 3, 200, seed=9)
    assert torch.equal(wendel(generator(9), 200, 3.0, 4.0), decided(z, range(1, 5)))
    assert 0 < int(decided(z, range(1, 5)).sum()) < 200


@pytest.mark.parametrize(("dim", "points"), [(2, 6), (3, 6), (4, 8)])
def test_guesses_are_nearly_always_certified(dim: int, points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rational arithmetic is for what float64 leaves open, and for nothing else."""
    asked = counted(monkeypatch)
    wendel(generator(3), 4000, float(dim), float(points))
    assert len(asked) <= 2


@pytest.mark.parametrize("guess", ["inward", "balanced"])
def test_a_wrong_guess_changes_no_answer(guess: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not certified from the definition does not count, whoever guessed it."""
    z = sphere(6, 3, 40, seed=10)
    right = decided(z, range(1, 6))
    sound = getattr(representability, guess)
    monkeypatch.setattr(representability, guess, lambda vectors: sound(vectors).flip(0))
    asked = counted(monkeypatch)
    assert torch.equal(decided(z, range(1, 6)), right)
    assert asked


def test_a_certificate_is_about_the_constraints_themselves() -> None:
    """A W is judged by its least margin, weights by the combination of the constraints."""
    z = sphere(4, 3, 50, seed=2)
    queries, gaps = z[1:], z[0] - z[1:]
    x, y = torch.randn((2, 3, 50), generator=generator(1), dtype=torch.float64)
    weights = torch.rand((3, 3, 50), generator=generator(2), dtype=torch.float64)
    for k in range(50):
        A = torch.stack([torch.outer(q, g) for q in queries[:, :, k] for g in gaps[:, :, k]])
        W = torch.outer(x[:, k], y[:, k])
        least = (A * W).sum((1, 2)).min() / W.norm()
        assert float(representability.margins(queries, gaps, x, y)[k]) == pytest.approx(float(least), abs=1e-12)
        share = weights[:, :, k].flatten() / weights[:, :, k].sum()
        off = (share[:, None, None] * A).sum(0).norm()
        assert float(representability.residue(queries, gaps, weights)[k]) == pytest.approx(float(off), abs=1e-12)


def test_the_second_hull_is_looked_at() -> None:
    """z_0 between its keys, or equal to one, off the sphere; and apart from them, but not along itself."""
    inside = torch.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)[:, :, None]
    equal = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)[:, :, None]
    apart = torch.tensor([[1.0, 1.0], [4.0, 0.5], [3.0, -1.0]], dtype=torch.float64)[:, :, None]
    answers = [bool(decided(z, range(1, 3))) for z in (inside, equal, apart)]
    assert answers == [False, False, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "dim", "points"),
    [
        # all on one half of the sphere; a query that is left out; a key that is one of the queries' opposites
        (lambda z: torch.cat([z[:1], z[1:] * torch.sign(z[1:, :1])]), 2.0, 4.0),
        (lambda z: z[:-1], 2.0, 4.0),
        (lambda z: torch.cat([z[:-1], -z[1:2]]), 3.0, 4.0),
    ],
)
def test_draws_of_another_law_have_another_probability(fault: Any, dim: float, points: float) -> None:
    z = sphere(int(points) + 1, int(dim), 4000, seed=8)
    right = float(decided(z, range(1, len(z))).double().mean())
    wrong = fault(z)
    assert abs(float(decided(wrong, range(1, len(wrong))).double().mean()) - right) > 0.05


def test_minors_are_determinants() -> None:
    vectors = sphere(6, 4, 5, seed=11)
    for subset, minor in representability._minors(vectors).items():
        chosen = vectors[list(subset)].permute(2, 0, 1)
        assert torch.allclose(minor, torch.linalg.det(chosen), atol=1e-13)


def test_the_engine_runs_it() -> None:
    simulation = registry.find(SEC4 + "wendel")
    assert isinstance(simulation, Simulation)
    case = {"dim": "3", "points": "5"}
    sample = draw(simulation, case, walks=20_000, seed=0, claim_id=SEC4 + "wendel", key="test")
    assert 0.3 < sample["value"].mean < 0.95
    assert wendel(generator(), 20_000, 2.0, 4.0).shape == (20_000,)


def test_too_many_points_are_refused() -> None:
    with pytest.raises(ValueError, match="dim = 8, points = 30; expected at most 5000 minors"):
        wendel(generator(), 1, 8.0, 30.0)
