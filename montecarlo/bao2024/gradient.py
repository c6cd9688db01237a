"""The QK-gradient (3) and its terms (19)-(21): the one-layer model itself, differentiated by torch, in float64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from montecarlo.bao2024.locater import ROUNDOFF, Entries, Matrices, entries, tensor
from montecarlo.bao2024.softmax import taylor
from montecarlo.registry import evaluation


@dataclass(frozen=True)
class Model:
    """One sequence and the parameters that stay: X (d, T), W_V and W_F (d, d), y (d,), lambda.

    ``slopes`` (T, T) has the columns gamma^i, ``offset`` (T,) the gamma_0^i: torch's own derivatives of the softmax.
    """

    X: Tensor
    W_V: Tensor
    W_F: Tensor
    y: Tensor
    lam: float
    slopes: Tensor
    offset: Tensor

    def omega(self, W_QK: Tensor) -> Tensor:
        """The softmax's input X^T W_QK x_T / lambda, (T,)."""
        omega: Tensor = self.X.T @ W_QK @ self.X[:, -1] / self.lam
        return omega

    def scores(self, omega: Tensor) -> Tensor:
        """<gamma^i, omega> + gamma_0^i, (T,)."""
        return self.slopes.T @ omega + self.offset

    def output(self, omega: Tensor) -> Tensor:
        """F(X)_T = W_F {W_V X S + x_T} with the clipped softmax S, (d,)."""
        attention = self.scores(omega).clamp(0, 1)
        output: Tensor = self.W_F @ (self.W_V @ (self.X @ attention) + self.X[:, -1])
        return output


def given(matrices: Matrices, lam: float) -> tuple[Model, Tensor]:
    """The model of a case, and its W_QK."""
    X = tensor(matrices, "X")
    T = X.shape[1]
    coefficients = [taylor(T, i) for i in range(1, T + 1)]
    slopes = torch.stack([gradient for gradient, _ in coefficients], 1)
    offset = torch.stack([value for _, value in coefficients])
    W_V, W_F, y = (tensor(matrices, name) for name in ("W_V", "W_F", "y"))
    return Model(X, W_V, W_F, y[:, 0], lam, slopes, offset), tensor(matrices, "W_QK")


def bound(model: Model, W_QK: Tensor) -> Tensor:
    """A bound of the rounding error of the gradient and of each of its three terms, (d, d).

    Every entry is a sum of products, each rounded at most 8 d + 40 T + 32 times: products of matrices of sides d and
    T, the softmax's derivatives twice, each within 16 T roundoffs of itself, a few sums and a quotient by lambda. So
    that many roundoffs of the same sums with absolute values bound it; twice, as a term's part of F - y is a difference
    of numbers of that size. Raises ArithmeticError where rounding could put a score on the other side of a boundary.
    """
    d, T = model.X.shape
    X, x, W_V, W_F = model.X.abs(), model.X[:, -1].abs(), model.W_V.abs(), model.W_F.abs()
    roundings = (8 * d + 40 * T + 32) * ROUNDOFF
    sizes = model.slopes.abs().T @ (X.T @ (W_QK.abs() @ x) / model.lam) + model.offset
    scores = model.scores(model.omega(W_QK))
    near = torch.minimum(scores.abs(), (scores - 1).abs())
    # the score of a single token is 1 whatever W_QK is, and its slope 0
    if T > 1 and bool((near <= roundings * sizes).any()):
        raise ArithmeticError(f"scores {scores.tolist()}: one lies within rounding of 0 or 1; take another case")
    inside = (scores >= 0) & (scores <= 1)
    attention = torch.where(inside, sizes, 1.0)
    residual = W_F @ (W_V @ (X @ attention) + x) + model.y.abs()
    back = torch.where(inside, X.T @ (W_V.T @ (W_F.T @ residual)), 0.0)
    return 2 * roundings * torch.outer(X @ (model.slopes.abs() @ back), x) / model.lam


def gradient(model: Model, W_QK: Tensor) -> Tensor:
    """The gradient of (1/2) |y - F|^2 by W_QK, (d, d), by automatic differentiation of the clipped model."""
    free = W_QK.clone().requires_grad_()
    loss = ((model.y - model.output(model.omega(free))) ** 2).sum() / 2
    (found,) = torch.autograd.grad(loss, free)
    return found


def terms(model: Model, W_QK: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradient's three terms, (d, d) each: F's derivative applied to the three parts of F - y.

    The parts are what F gains along omega on the present branch (its Jacobian there, from torch), what F has besides,
    and W_F x_T - y.
    """
    free = W_QK.clone().requires_grad_()
    omega = model.omega(free)
    output = model.output(omega)
    # one row (T,) for every entry of F
    rows = [torch.autograd.grad(entry, omega, retain_graph=True)[0] for entry in output]
    along = torch.stack(rows) @ omega.detach()
    alone = model.W_F @ model.X[:, -1]
    parts = (along, output.detach() - along - alone, alone - model.y)
    found = [torch.autograd.grad(output, free, part, retain_graph=True)[0] for part in parts]
    return found[0], found[1], found[2]


def _evaluated(matrices: Matrices, lam: float, function: Callable[[Model, Tensor], Tensor]) -> Entries:
    model, W_QK = given(matrices, lam)
    return entries(function(model, W_QK), bound(model, W_QK))


@evaluation("bao2024.sec3.eq3")
def eq3(matrices: Matrices, lam: float) -> Entries:
    """The gradient of (1/2) |y - F|^2 by W_QK, entry by entry."""
    return _evaluated(matrices, lam, gradient)


@evaluation("bao2024.appB.eq19")
def eq19(matrices: Matrices, lam: float) -> Entries:
    """The gradient's term from what F gains along omega."""
    return _evaluated(matrices, lam, lambda model, W_QK: terms(model, W_QK)[0])


@evaluation("bao2024.appB.eq20")
def eq20(matrices: Matrices, lam: float) -> Entries:
    """The gradient's term from the constants of the clipped softmax."""
    return _evaluated(matrices, lam, lambda model, W_QK: terms(model, W_QK)[1])


@evaluation("bao2024.appB.eq21")
def eq21(matrices: Matrices, lam: float) -> Entries:
    """The gradient's term from W_F x_T - y."""
    return _evaluated(matrices, lam, lambda model, W_QK: terms(model, W_QK)[2])
