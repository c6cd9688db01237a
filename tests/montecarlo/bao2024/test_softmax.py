"""The softmax's Taylor coefficients: right within the stated bound, and cross-checked so that a fault is told."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import pytest
import torch

from montecarlo import registry
from montecarlo.bao2024 import softmax
from montecarlo.directly import evaluate
from montecarlo.empirical_checks import Evaluation

CLAIM = "bao2024.sec2.softmax-taylor"


def found(T: int, i: int) -> dict[str, tuple[float, float]]:
    entry = registry.find(CLAIM)
    assert isinstance(entry, Evaluation)
    return evaluate(entry, {"T": T, "i": i})


@pytest.mark.parametrize(("T", "i"), [(1, 1), (2, 1), (2, 2), (3, 2), (7, 7), (64, 1), (1000, 500), (4096, 4096)])
def test_values_are_within_their_bounds(T: int, i: int) -> None:
    """S_i (1 - S_i), -S_i S_j and S_i at the origin, where every S is 1 / T, by hand."""
    exact = {"diagonal": Fraction(T - 1, T * T), "offset": Fraction(1, T)}
    if T > 1:
        exact["off_diagonal"] = Fraction(-1, T * T)
    values = found(T, i)
    assert values.keys() == exact.keys()
    for name, (value, bound) in values.items():
        assert abs(Fraction(value) - exact[name]) <= bound < 2e-15 / T


def test_the_gradient_sums_to_zero() -> None:
    gradient, offset = softmax.taylor(9, 4)
    assert gradient.shape == (9,) and offset.shape == ()
    assert abs(float(gradient.sum())) < 1e-16


def test_taylor_works_inside_a_block() -> None:
    softmax.taylor.cache_clear()
    with torch.inference_mode():
        gradient, _ = softmax.taylor(5, 2)
        assert float(gradient @ torch.ones(5, dtype=torch.float64)) == pytest.approx(0, abs=1e-16)
    assert not gradient.requires_grad and not gradient.is_inference()


@pytest.mark.parametrize("fault", ["scaled", "uneven", "selector"])
def test_a_wrong_derivative_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    taylor = softmax.taylor
    selector = torch.nn.functional.one_hot(torch.tensor(2), 6).double() / 6

    def wrong(T: int, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        gradient, offset = taylor(T, i)
        uneven = gradient + 1e-9 * torch.arange(T)
        return {"scaled": gradient * (1 + 1e-6), "uneven": uneven, "selector": selector}[fault], offset

    monkeypatch.setattr(softmax, "taylor", wrong)
    with pytest.raises(ArithmeticError, match="T = 6, i = 3: "):
        softmax.softmax_taylor(6, 3)


def test_a_case_without_a_position_is_told() -> None:
    entry = registry.find(CLAIM)
    assert isinstance(entry, Evaluation)
    with pytest.raises(ValueError, match="case lacks 'i'"):
        partial(evaluate, entry)({"T": 3})
