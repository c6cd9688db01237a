"""The differentiated model: its terms add up, its bound covers the exact gradient, every branch is met."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo import registry
from montecarlo.bao2024 import gradient as module
from montecarlo.bao2024.gradient import Model, bound, given, gradient, terms
from montecarlo.directly import evaluate
from montecarlo.empirical_checks import Evaluation
from theorems.bao2024.gradient import instance
from theorems.kernel.deriving import derive
from theorems.kernel.matrix_claims import matrix_of

CLAIMS = ("bao2024.sec3.eq3", "bao2024.appB.eq19", "bao2024.appB.eq20", "bao2024.appB.eq21")
CASES = tuple(
    {"dim": str(d), "tokens": str(T), "lam": lam, "seed": str(seed)}
    for d, T, lam in ((1, 1, "2"), (1, 4, "1"), (2, 3, "1/2"), (3, 8, "3"), (4, 6, "2"), (4, 8, "1"))
    for seed in (1, 2, 3)
)


def prepared(case: dict[str, str]) -> tuple[Model, Tensor]:
    here = instance(case)
    return given(lambda name: here.arrays[name].astype(float).tolist(), float(here.numbers["lam"]))


def test_the_cases_meet_every_branch_away_from_its_ends() -> None:
    met = [0, 0, 0]
    for case in CASES:
        model, W_QK = prepared(case)
        scores = model.scores(model.omega(W_QK))
        if len(scores) == 1:
            continue
        for score in scores.tolist():
            met[int(score >= 0) + int(score > 1)] += 1
            assert min(abs(score), abs(score - 1)) > 2**-21
    assert min(met) >= 10


@pytest.mark.parametrize("case", CASES)
def test_the_terms_add_up_to_the_gradient(case: dict[str, str]) -> None:
    model, W_QK = prepared(case)
    whole, parts, off = gradient(model, W_QK), terms(model, W_QK), bound(model, W_QK)
    assert bool(((sum(parts) - whole).abs() <= 4 * off).all())
    # the first term is quadratic in W_QK around its branch: it is the part that the other two lack
    assert all(part.shape == W_QK.shape for part in parts)


@pytest.mark.parametrize("case", CASES[3:])
def test_the_gradient_is_a_difference_of_losses(case: dict[str, str]) -> None:
    model, W_QK = prepared(case)
    generator = torch.Generator().manual_seed(2)
    step = torch.randn(W_QK.shape, generator=generator, dtype=torch.float64) * 2**-24

    def loss(W: Tensor) -> float:
        return float(((model.y - model.output(model.omega(W))) ** 2).sum() / 2)

    slope = float((gradient(model, W_QK) * step).sum())
    assert loss(W_QK + step) - loss(W_QK - step) == pytest.approx(2 * slope, rel=1e-5, abs=1e-13 * loss(W_QK) + 1e-12)


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_bound_covers_the_exact_value(claim: str) -> None:
    fact = matrix_of(derive(claim))
    assert fact is not None
    evaluation = registry.find(claim)
    assert isinstance(evaluation, Evaluation)
    used = 0.0
    for case in CASES:
        here = fact.instance(case)

        def matrices(name: str, here: Any = here) -> list[list[float]]:
            return here.arrays[name].astype(float).tolist()  # type: ignore[no-any-return]

        found = evaluate(evaluation, {**case, "matrices": matrices})
        exact = here.evaluate(fact.value)
        assert len(found) == exact.size
        for name, (value, error) in found.items():
            r, c = (int(part) - 1 for part in name.strip("[]").split(","))
            assert abs(value - float(exact[r, c])) <= error + 1e-15 * abs(value)
            # the bound is a bound of rounding, no tolerance
            assert error <= 1e-8 * max(1.0, float(abs(exact).max()))
            used = max(used, abs(value - float(exact[r, c])) / error if error else 0.0)
    # rounding errors are there, and well below what bounds them
    assert 0 < used < 1


def test_a_score_on_a_boundary_is_refused() -> None:
    model, W_QK = prepared(CASES[6])
    scores = model.scores(model.omega(W_QK))
    shifted = model.offset - scores
    at_zero = Model(model.X, model.W_V, model.W_F, model.y, model.lam, model.slopes, shifted)
    with pytest.raises(ArithmeticError, match="within rounding"):
        bound(at_zero, W_QK)


def test_the_evaluations_are_handed_matrices_alone() -> None:
    for claim in CLAIMS:
        found = registry.find(claim)
        assert isinstance(found, Evaluation)
        assert (found.function.__module__, found.parameters) == (module.__name__, ("matrices", "lam"))
