"""Claims about the spectrum of W = W_QK Sigma: a search against (5), and the eigenvalues' variance for (8)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from montecarlo.draws import normals
from montecarlo.empirical_checks import Points
from montecarlo.registry import evaluation, search

ROUNDOFF = 2.0**-53
DIMENSIONS = (1, 2, 3, 4, 5, 6)
#: Entries of the points are multiples of this, so that Sigma = B B^T is exact, and exactly positive semidefinite.
GRID = 2.0**-14
LARGEST = 8.0
#: Kinds of starting points that follow one another.
KINDS = 12
ASCENT_STEPS = 120
STEP = 0.15


@evaluation("bao2024.sec5.eq8")
def eq8(W: Tensor, Sigma: Tensor) -> dict[str, tuple[float, float]]:
    """d^2 times the variance (uniform weights) of the eigenvalues of W_QK Sigma, for W, Sigma (d, d).

    The eigenvalues, real for symmetric W_QK and positive semidefinite Sigma, are those of W_QK Sigma + E, with
    |E|_F <= 16 d^2 roundoffs of |W_QK|_F |Sigma|_F (the product's rounding and the solver's backward error). The
    bound follows from |E|_F, for d sum (w - mean)^2 changes by at most 2 d |W|_F |E|_F + d |E|_F^2 whatever the
    eigenvalues' own condition is; 64 d roundoffs of the squares cover the sum.
    """
    d = len(W)
    eigenvalues = torch.linalg.eigvals(W @ Sigma)
    centred = eigenvalues - eigenvalues.mean()
    value = d * float((centred**2).sum().real)
    size = float(W.norm() * Sigma.norm())
    backward = 16 * d**2 * ROUNDOFF * size
    squares = d * float((eigenvalues.abs() ** 2).sum())
    return {"variance": (value, d * (2 * size * backward + backward**2) + 64 * d * ROUNDOFF * squares)}


def _starts(n: int, d: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random W_QK (n, d, d), symmetric, and factors B (n, d, d) of Sigma = B B^T, in equal parts of each kind.

    Spectra of W_QK: signed, one-signed, repeated, of rank one; of Sigma: near the identity, anisotropic, singular.
    """
    device = generator.device
    kind = torch.arange(n, device=device)
    spectrum = normals(generator, n, d)
    spectrum = torch.where((kind % 4 == 1)[:, None], spectrum.abs(), spectrum)
    spectrum = torch.where((kind % 4 == 2)[:, None], spectrum[:, :1].expand(n, d), spectrum)
    first = torch.arange(d, device=device) == 0
    spectrum = torch.where((kind % 4 == 3)[:, None] & ~first, torch.zeros_like(spectrum), spectrum)
    basis = torch.linalg.qr(normals(generator, n, d, d)).Q
    W = (basis * spectrum[:, None, :]) @ basis.mT
    scales = torch.exp(2 * normals(generator, n, d))
    scales = torch.where((kind // 4 % 3 == 0)[:, None], torch.ones_like(scales), scales)
    scales = torch.where((kind // 4 % 3 == 2)[:, None] & first & (d > 1), torch.zeros_like(scales), scales)
    return W, torch.linalg.qr(normals(generator, n, d, d)).Q * scales[:, None, :]


def _unit(matrices: Tensor) -> Tensor:
    """Each matrix divided by its Frobenius norm (a zero matrix is left alone)."""
    norms = torch.linalg.matrix_norm(matrices)[:, None, None]
    return matrices / torch.where(norms > 0, norms, torch.ones_like(norms))


def _ascend(W: Tensor, B: Tensor, signs: Tensor) -> tuple[Tensor, Tensor]:
    """Climb signs * tr(W) / sqrt(tr(W^2)), W = W_QK B B^T, all points at once, by gradient steps that shrink."""
    for step in range(ASCENT_STEPS):
        free = [_unit(W).requires_grad_(), _unit(B).requires_grad_()]
        product = (free[0] + free[0].mT) / 2 @ free[1] @ free[1].mT
        trace = product.diagonal(dim1=-2, dim2=-1).sum(-1)
        scale = (product * product.mT).sum((-2, -1)).clamp_min(1e-12).sqrt()
        gradients = torch.autograd.grad((signs * trace / scale).sum(), free)
        length = STEP * (1 - step / ASCENT_STEPS)
        W, B = (part.detach() + length * _unit(gradient) for part, gradient in zip(free, gradients, strict=True))
    return (W + W.mT) / 2, B


def _on_grid(matrices: Tensor) -> Tensor:
    """Scaled to entries up to 8 and rounded to multiples of the grid; a symmetric matrix stays symmetric."""
    largest = matrices.abs().amax((-2, -1), keepdim=True)
    scaled = matrices * (LARGEST / torch.where(largest > 0, largest, torch.ones_like(largest)))
    return (scaled / GRID).round() * GRID


def traces(W: Tensor, Sigma: Tensor) -> Points:
    """Columns value = tr(W), d, tr2 = tr(W^2) of W = W_QK Sigma for W_QK and Sigma (n, d, d)."""
    d = W.shape[-1]
    product, size = W @ Sigma, W.abs() @ Sigma.abs()
    found = {"value": product.diagonal(dim1=-2, dim2=-1).sum(-1), "tr2": (product * product.mT).sum((-2, -1))}
    # d products and d sums, each rounded once, on terms whose absolute values add up to the sums below.
    off = {
        "value": 2 * d * ROUNDOFF * 1.01 * size.diagonal(dim1=-2, dim2=-1).sum(-1),
        "tr2": (2 * d + d * d + 1) * ROUNDOFF * 1.01 * (size * size.mT).sum((-2, -1)),
    }
    columns = {name: values.cpu().numpy() for name, values in found.items()}
    columns = {"value": columns["value"], "d": np.full(len(W), float(d)), "tr2": columns["tr2"]}
    errors = {name: values.cpu().numpy() for name, values in off.items()}
    return Points(columns, errors, {"W": tuple(W.cpu().numpy()), "Sigma": tuple(Sigma.cpu().numpy())})


@search("bao2024.sec4.eq5", at=lambda W, Sigma: traces(W[None], Sigma[None]))
def eq5(points: int, generator: torch.Generator) -> Points:
    """Columns value = tr(W), d, tr2 = tr(W^2) of W = W_QK Sigma, d = 1 ... 6: random matrices, then an ascent.

    Two points of three climb |tr(W)| / sqrt(tr(W^2)), one towards each end, from a random start; the others stay there.
    W_QK and Sigma are exact dyadic numbers, W_QK symmetric and Sigma positive semidefinite without any rounding.
    """
    found = []
    for index, d in enumerate(DIMENSIONS):
        n = (points + len(DIMENSIONS) - 1 - index) // len(DIMENSIONS)
        if not n:
            continue
        W, B = _starts(n, d, generator)
        ends = 1 - torch.arange(n, device=generator.device) // KINDS % 3
        climbing = ends != 0
        W[climbing], B[climbing] = _ascend(W[climbing], B[climbing], ends[climbing].double())
        W, B = _on_grid((W + W.mT) / 2), _on_grid(B)
        # sizes from 1 down to 2^-16, so that a bound of the wrong homogeneity fails at one end
        W = W * 2.0 ** -(4 * (torch.arange(n, device=W.device) % 5))[:, None, None]
        found.append(traces(W, B @ B.mT))
    return Points.joined(found)
