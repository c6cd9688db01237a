"""LocAteR (Section 6): the regulariser as a part of a model, and its gradients by automatic differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from montecarlo.registry import evaluation

#: Unit roundoff of float64.
ROUNDOFF = 2.0**-53

Matrices = Callable[[str], list[list[float]]]
Entries = dict[str, tuple[float, float]]


def scale(W_Q: Tensor, W_K: Tensor) -> Tensor:
    """tr(W_QK^T W_QK) for W_QK = W_Q^T W_K, from the m x m products: (..., m, d) twice -> (...)."""
    return ((W_Q @ W_Q.mT) * (W_K @ W_K.mT)).sum((-2, -1))


def mean(W_Q: Tensor, W_K: Tensor) -> Tensor:
    """(tr(W_QK) - 1)^2 for W_QK = W_Q^T W_K: (..., m, d) twice -> (...)."""
    value: Tensor = ((W_Q * W_K).sum((-2, -1)) - 1) ** 2
    return value


def locater(W_Q: Tensor, W_K: Tensor, kappa_1: float, kappa_2: float) -> Tensor:
    """kappa_1 tr(W_QK^T W_QK) + kappa_2 (tr(W_QK) - 1)^2 for W_QK = W_Q^T W_K, the objective of Section 6.

    W_Q and W_K are (..., m, d), as ``torch.nn.Linear(d, m).weight`` is; the value is (...), one number a head. The
    gradients are torch's own: 2 kappa_1 W_K W_K^T W_Q + 2 kappa_2 (tr(W_QK) - 1) W_K by W_Q, and with Q and K exchanged
    by W_K. Half-precision weights are summed in float32, autocast or not. Raises ValueError for weights of different or
    wrong shapes and for a strength that is negative or not finite.
    """
    if W_Q.shape != W_K.shape or W_Q.ndim < 2:
        raise ValueError(
            f"W_Q is {tuple(W_Q.shape)}, W_K is {tuple(W_K.shape)}; expected one shape (..., m, d) for both, "
            "e.g. the weights of two torch.nn.Linear(d, m)"
        )
    for name, value in (("kappa_1", kappa_1), ("kappa_2", kappa_2)):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} = {value}; expected a finite number >= 0")
    with torch.autocast(W_Q.device.type, enabled=False):
        low = W_Q.dtype in (torch.float16, torch.bfloat16)
        query, key = (W_Q.float(), W_K.float()) if low else (W_Q, W_K)
        return kappa_1 * scale(query, key) + kappa_2 * mean(query, key)


class LocAteR(torch.nn.Module):
    """The regulariser of Section 6 as a module, summed over heads; to be added to the loss of the task.

    >>> query, key = torch.nn.Linear(8, 4, bias=False), torch.nn.Linear(8, 4, bias=False)
    >>> regulariser = LocAteR(kappa_1=0.1, kappa_2=1.0)
    >>> loss = regulariser(query.weight, key.weight)
    >>> loss.backward()
    >>> query.weight.grad.shape
    torch.Size([4, 8])
    """

    def __init__(self, kappa_1: float, kappa_2: float) -> None:
        super().__init__()
        self.kappa_1, self.kappa_2 = kappa_1, kappa_2

    def forward(self, W_Q: Tensor, W_K: Tensor) -> Tensor:
        """``locater`` of (..., m, d) weights, summed over the heads: ()."""
        return locater(W_Q, W_K, self.kappa_1, self.kappa_2).sum()

    def extra_repr(self) -> str:
        """The strengths, for the module's own print."""
        return f"kappa_1={self.kappa_1}, kappa_2={self.kappa_2}"


def tensor(matrices: Matrices, name: str) -> Tensor:
    """One matrix of a case, float64."""
    return torch.tensor(matrices(name), dtype=torch.float64)


def entries(value: Tensor, bound: Tensor) -> Entries:
    """A matrix and the bounds of its rounding errors, entry by entry, under the names "[row,column]", from 1."""
    rows, columns = value.shape
    return {f"[{r + 1},{c + 1}]": (float(value[r, c]), float(bound[r, c])) for r in range(rows) for c in range(columns)}


def _gradient(matrices: Matrices, regulariser: Callable[[Tensor], Tensor], by: str) -> Tensor:
    """The gradient of a function of W_QK = W_Q^T W_K by W_Q or W_K, (m, d), by automatic differentiation."""
    weights = {name: tensor(matrices, name).requires_grad_() for name in ("W_Q", "W_K")}
    (found,) = torch.autograd.grad(regulariser(weights["W_Q"].T @ weights["W_K"]), weights[by])
    return found


def _grad_scale(matrices: Matrices, by: str) -> Entries:
    """The gradient of tr(W^T W) by autograd; (2m + 2d + 16) roundoffs of the same products of absolute values bound it.

    Every entry is a sum of products along which at most m + d sums and a few products are rounded.
    """
    own = tensor(matrices, by).abs()
    other = tensor(matrices, "W_K" if by == "W_Q" else "W_Q").abs()
    m, d = own.shape
    size = 2 * other @ (other.T @ own)
    found = _gradient(matrices, lambda W: (W * W).sum(), by)
    return entries(found, (2 * m + 2 * d + 16) * ROUNDOFF * size)


def _grad_mean(matrices: Matrices, by: str) -> Entries:
    """The gradient of (tr W - 1)^2 by autograd, with (2m + 2d + 16) roundoffs of 2 (sum |W_Q W_K| + 1) |W| as bound."""
    query, key = tensor(matrices, "W_Q").abs(), tensor(matrices, "W_K").abs()
    m, d = query.shape
    size = 2 * ((query * key).sum() + 1) * (key if by == "W_Q" else query)
    found = _gradient(matrices, lambda W: (W.trace() - 1) ** 2, by)
    return entries(found, (2 * m + 2 * d + 16) * ROUNDOFF * size)


@evaluation("bao2024.sec6.grad-scale-q")
def grad_scale_q(matrices: Matrices) -> Entries:
    """The gradient of tr(W_QK^T W_QK) by W_Q, entry by entry."""
    return _grad_scale(matrices, "W_Q")


@evaluation("bao2024.sec6.grad-scale-k")
def grad_scale_k(matrices: Matrices) -> Entries:
    """The gradient of tr(W_QK^T W_QK) by W_K, entry by entry."""
    return _grad_scale(matrices, "W_K")


@evaluation("bao2024.sec6.grad-mean-q")
def grad_mean_q(matrices: Matrices) -> Entries:
    """The gradient of (tr(W_QK) - 1)^2 by W_Q, entry by entry."""
    return _grad_mean(matrices, "W_Q")


@evaluation("bao2024.sec6.grad-mean-k")
def grad_mean_k(matrices: Matrices) -> Entries:
    """The gradient of (tr(W_QK) - 1)^2 by W_K, entry by entry."""
    return _grad_mean(matrices, "W_K")
