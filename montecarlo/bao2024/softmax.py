"""The softmax's Taylor coefficients at the origin, from torch's own softmax by automatic differentiation."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

from montecarlo.registry import evaluation, instance

#: Unit roundoff of float64.
ROUNDOFF = 2.0**-53
#: Step of the finite difference that checks the derivative; its square is the difference's relative error.
STEP = 2.0**-13


@lru_cache(maxsize=256)
def taylor(T: int, i: int) -> tuple[Tensor, Tensor]:
    """The gradient of S_i at omega = 0, (T,), and S_i(0), (), in float64 on the CPU.

    S_i is the i-th entry of the softmax of T scores, 1 <= i <= T.
    """
    # A simulation's block runs in inference mode, where nothing can be differentiated.
    with torch.inference_mode(False), torch.enable_grad():
        omega = torch.zeros(T, dtype=torch.float64, requires_grad=True)
        offset = torch.softmax(omega, 0)[i - 1]
        (gradient,) = torch.autograd.grad(offset, omega)
    return gradient, offset.detach()


@lru_cache(maxsize=4)
def gradients(T: int) -> Tensor:
    """Gamma = [gamma^1 ... gamma^T], (T, T): the gradients of the softmax's entries at the origin are its columns."""
    with torch.inference_mode(False):
        return torch.stack([taylor(T, i)[0] for i in range(1, T + 1)], dim=1)


def difference(T: int, i: int, j: int) -> float:
    """d S_i / d omega_j at 0 by a central difference of the exponentials themselves; its error is below STEP**2 / T."""
    scores = torch.zeros(2, T, dtype=torch.float64)
    scores[0, j - 1], scores[1, j - 1] = STEP, -STEP
    weights = scores.exp()
    ahead, behind = (weights[:, i - 1] / weights.sum(1)).tolist()
    return float((ahead - behind) / (2 * STEP))


@evaluation("bao2024.sec2.softmax-taylor")
def softmax_taylor(T: int, i: int) -> dict[str, tuple[float, float]]:
    """d S_i / d omega_i, d S_i / d omega_j (all j != i alike; none for T = 1) and S_i at the origin.

    At the origin the exponentials and their sum are exact; what is left are a few products of numbers up to 1/T, so
    16 roundoffs of 1/T bound the error. Raises ArithmeticError where a finite difference disagrees.
    """
    gradient, offset = taylor(T, i)
    bound = 16 * ROUNDOFF / T
    values = {"diagonal": (float(gradient[i - 1]), bound), "offset": (float(offset), bound)}
    checks = {"diagonal": i}
    others = torch.cat((gradient[: i - 1], gradient[i:]))
    if len(others):
        if float(others.max() - others.min()) > 2 * bound:
            raise ArithmeticError(f"T = {T}, i = {i}: the derivatives by the other scores differ among themselves")
        values["off_diagonal"] = (float(others[0]), bound)
        checks["off_diagonal"] = 2 if i == 1 else 1
    for name, j in checks.items():
        check = difference(T, i, j)
        # The exponentials' own rounding is magnified by the step's inverse.
        allowed = (STEP**2 + 8 * ROUNDOFF / STEP) / T
        if abs(check - values[name][0]) > allowed:
            raise ArithmeticError(f"T = {T}, i = {i}: {name} is {values[name][0]} but its finite difference {check}")
    return values


@instance("bao2024.sec2.softmax-taylor")
def another_score(T: int, i: int) -> dict[str, int]:
    """The other score j that the derivative by w_j is looked at for; there is none for T = 1."""
    return {"T": T, "i": i, "j": 1 if i != 1 else 2}
