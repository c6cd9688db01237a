"""LocAteR as a part of a model: its gradients, its example, half precision, and the minimiser found by descent."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
import torch
from torch import Tensor

from montecarlo.bao2024 import locater as module
from montecarlo.bao2024.locater import LocAteR, locater
from theorems.algebra.expressions import symbol
from theorems.bao2024.locater import minimiser

SHAPES = ((1, 1), (2, 3), (3, 2), (4, 4))


def weights(*shape: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_() for _ in "qk")
    return query, key


@pytest.mark.parametrize("shape", [*SHAPES, (3, 2, 4)])
def test_the_value_is_that_of_the_product_matrix(shape: tuple[int, ...]) -> None:
    query, key = weights(*shape)
    W = query.mT @ key
    identity = torch.eye(shape[-1], dtype=torch.float64)
    wanted = 0.7 * (W.mT @ W * identity).sum((-2, -1)) + 1.3 * ((W * identity).sum((-2, -1)) - 1) ** 2
    found = locater(query, key, 0.7, 1.3)
    assert found.shape == shape[:-2]
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=0)
    torch.testing.assert_close(LocAteR(0.7, 1.3)(query, key), wanted.sum(), rtol=1e-12, atol=0)


@pytest.mark.parametrize("shape", [*SHAPES, (2, 2, 3)])
def test_gradients_are_right_to_second_order(shape: tuple[int, ...]) -> None:
    query, key = weights(*shape)
    assert torch.autograd.gradcheck(lambda q, k: locater(q, k, 0.7, 1.3), (query, key))
    assert torch.autograd.gradgradcheck(lambda q, k: locater(q, k, 0.7, 1.3).sum(), (query, key))
    found = torch.autograd.grad(LocAteR(0.7, 1.3)(query, key), (query, key))
    t = (query * key).sum((-2, -1), keepdim=True)
    for gradient, own, other in zip(found, (query, key), (key, query), strict=True):
        closed = 2 * 0.7 * other @ other.mT @ own + 2 * 1.3 * (t - 1) * other
        torch.testing.assert_close(gradient, closed, rtol=1e-10, atol=1e-12)


def test_the_example_of_the_docstring_runs() -> None:
    found = [test for test in doctest.DocTestFinder().find(module, "locater") if test.examples]
    assert [test.name for test in found] == ["locater.LocAteR"]
    for test in found:
        assert len(test.examples) == 5
        assert doctest.DocTestRunner().run(test).failed == 0


def test_half_precision_sums_in_float32() -> None:
    query, key = (torch.full((8, 512), 4.0, dtype=torch.float16).requires_grad_() for _ in "qk")
    # |W_QK|^2 is beyond float16, as is tr(W_QK) = 65536
    value = locater(query, key, 1e-9, 1e-9)
    assert value.dtype == torch.float32 and bool(torch.isfinite(value))
    (gradient,) = torch.autograd.grad(value, query)
    assert gradient.dtype == torch.float16 and bool(torch.isfinite(gradient).all())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        single = locater(query.float(), key.float(), 1e-9, 1e-9)
    torch.testing.assert_close(single, value)


@pytest.mark.parametrize(
    ("query", "key", "kappa_1", "kappa_2", "match"),
    [
        (torch.zeros(2, 3), torch.zeros(3, 2), 1.0, 1.0, r"\(2, 3\)"),
        (torch.zeros(3), torch.zeros(3), 1.0, 1.0, r"\(\.\.\., m, d\)"),
        (torch.zeros(2, 3), torch.zeros(2, 3), -1.0, 1.0, "kappa_1 = -1"),
        (torch.zeros(2, 3), torch.zeros(2, 3), 1.0, float("nan"), "kappa_2 = nan"),
    ],
)
def test_what_cannot_be_regularised_is_refused(
    query: Tensor, key: Tensor, kappa_1: float, kappa_2: float, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        locater(query, key, kappa_1, kappa_2)


def test_the_module_shows_its_strengths() -> None:
    assert repr(LocAteR(100.0, 0.5)) == "LocAteR(kappa_1=100.0, kappa_2=0.5)"
    assert not list(LocAteR(1.0, 1.0).parameters())


@pytest.mark.parametrize(("m", "d"), [(1, 1), (2, 2), (2, 5), (4, 4), (6, 3)])
@pytest.mark.parametrize(("kappa_1", "kappa_2"), [(1.0, 1.0), (0.1, 2.0), (2.0, 10.0)])
def test_descent_ends_at_the_derived_minimiser(m: int, d: int, kappa_1: float, kappa_2: float) -> None:
    generator = torch.Generator().manual_seed(1)
    query, key = (torch.randn(m, d, generator=generator, dtype=torch.float64).requires_grad_() for _ in "qk")
    with torch.no_grad():
        # a start with tr(W_QK) > 0: W_QK = 0 is stationary, too
        key.copy_(query)
    found = minimiser()
    at = {symbol("kappa_1"): kappa_1, symbol("kappa_2"): kappa_2, symbol("r"): min(m, d)}
    trace, eigenvalue, least = (float(part.subs(at)) for part in (found.trace, found.eigenvalue, found.least))
    optimiser = torch.optim.LBFGS(
        [query, key], max_iter=400, tolerance_grad=1e-13, tolerance_change=0, line_search_fn="strong_wolfe"
    )

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss = locater(query, key, kappa_1, kappa_2)
        torch.autograd.backward(loss)
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    query.requires_grad_(False)
    key.requires_grad_(False)
    W = query.T @ key
    assert float(locater(query, key, kappa_1, kappa_2)) == pytest.approx(least, rel=1e-9)
    assert float(W.trace()) == pytest.approx(trace, rel=1e-6)
    values: Any = torch.linalg.eigvals(W).real.sort(descending=True).values
    expected = torch.tensor([eigenvalue] * min(m, d) + [0.0] * (d - min(m, d)), dtype=torch.float64)
    torch.testing.assert_close(values, expected, rtol=0, atol=1e-5)
    torch.testing.assert_close(W, W.T, rtol=0, atol=1e-5)
