"""The norm inequalities (7) and (10): random structured matrices, and an ascent of each quantity over its bound."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from montecarlo.draws import normals
from montecarlo.empirical_checks import Points
from montecarlo.registry import search

ROUNDOFF = 2.0**-53
DIMENSIONS = (1, 2, 3, 4, 5, 6)
#: Entries of W_QK are multiples of the first, those of B of the second, so that Sigma = B B^T is exact.
FINE, COARSE = 2.0**-20, 2.0**-14
LARGEST = 4.0
#: Among how many points of every dimension two of three climb, and their gradient steps, each shorter than the last.
CLIMBING = 48
STEPS, STEP, DECAY = 100, 0.3, 0.9
#: Squarings of the smooth stand-in for the spectral norm: the l_p norm of the singular values with p = 2^6.
SQUARINGS = 5

Objective = Callable[[Tensor, Tensor], Tensor]
Bounded = tuple[Tensor, Tensor]


def _frobenius(A: Tensor) -> Tensor:
    return (A**2).sum((-2, -1)).clamp_min(1e-200).sqrt()


def _unit(A: Tensor) -> Tensor:
    """Every matrix divided by its Frobenius norm, which is cut below at 1e-100."""
    return A / _frobenius(A)[:, None, None]


def _starts(n: int, d: int, generator: torch.Generator, symmetric: bool) -> Tensor:
    """Random W_QK (n, d, d) in equal parts of each kind.

    Signed, one-signed, repeated, rank-one, widely spread and balanced spectra in a random basis; diagonal matrices;
    few entries of mixed sign. Without ``symmetric`` the right basis is another one than the left.
    """
    kind = (torch.arange(n, device=generator.device) % 8)[:, None]
    spectrum = normals(generator, n, d)
    spectrum = torch.where(kind == 1, spectrum.abs(), spectrum)
    spectrum = torch.where(kind == 2, spectrum[:, :1].expand(n, d), spectrum)
    first = torch.arange(d, device=generator.device) == 0
    spectrum = torch.where((kind == 3) & ~first, torch.zeros_like(spectrum), spectrum)
    spectrum = torch.where(kind == 4, torch.exp(3 * spectrum), spectrum)
    spectrum = torch.where(kind == 5, spectrum - spectrum.mean(1, keepdim=True), spectrum)
    left = torch.linalg.qr(normals(generator, n, d, d)).Q
    right = left if symmetric else torch.linalg.qr(normals(generator, n, d, d)).Q
    dense = (left * spectrum[:, None, :]) @ right.mT
    sparse = dense * (torch.rand((n, d, d), generator=generator, device=generator.device) < 0.3)
    W = torch.where((kind == 6)[:, :, None], torch.diag_embed(spectrum), dense)
    W = torch.where((kind == 7)[:, :, None], sparse, W)
    return (W + W.mT) / 2 if symmetric else W


def _factors(n: int, d: int, generator: torch.Generator) -> Tensor:
    """Factors B (n, d, d) of Sigma = B B^T: near the identity, anisotropic, and near-singular."""
    scales = torch.exp(normals(generator, n, d).clamp(-2, 2))
    kind = (torch.arange(n, device=generator.device) % 3)[:, None]
    scales = torch.where(kind == 0, torch.ones_like(scales), scales)
    last = torch.arange(d, device=generator.device) == d - 1
    scales = torch.where((kind == 2) & last, scales / 64, scales)
    basis: Tensor = torch.linalg.qr(normals(generator, n, d, d)).Q
    return basis * scales[:, None, :]


def _spectral(A: Tensor) -> Tensor:
    """A smooth stand-in for ||A||_2, used to climb only: (sum of s^64)^(1/64) over the singular values s."""
    size = _frobenius(A)
    G = _unit(A).mT @ _unit(A)
    for _ in range(SQUARINGS):
        G = G @ G
    power: Tensor = _trace(G) ** (0.5**6)
    return size * power


def _column(A: Tensor) -> Tensor:
    """A smooth stand-in for the largest column sum, used to climb only."""
    power: Tensor = (_unit(A).abs().sum(-2) ** 64).sum(-1) ** (1 / 64)
    return _frobenius(A) * power


def _trace(A: Tensor) -> Tensor:
    return A.diagonal(dim1=-2, dim2=-1).sum(-1)


def _ascend(W: Tensor, B: Tensor, objective: Objective, symmetric: bool) -> tuple[Tensor, Tensor]:
    """Climb objective(W, B), all points at once, by normalised gradient steps whose lengths fall geometrically."""
    with torch.inference_mode(False), torch.enable_grad():
        for step in range(STEPS):
            free = [_unit(W).detach().requires_grad_(), _unit(B).detach().requires_grad_()]
            shape = (free[0] + free[0].mT) / 2 if symmetric else free[0]
            gradients = torch.autograd.grad(objective(shape, free[1]).sum(), free, allow_unused=True)
            length = STEP * DECAY**step
            W, B = (
                part.detach() if slope is None else part.detach() + length * _unit(slope.nan_to_num(0.0))
                for part, slope in zip(free, gradients, strict=True)
            )
    return (W + W.mT) / 2 if symmetric else W, B


def _on_grid(A: Tensor, grid: float) -> Tensor:
    """Scaled so that the largest entry is 4 and rounded to multiples of the grid; a symmetric matrix stays so."""
    largest = A.abs().amax((-2, -1), keepdim=True)
    return (A * (LARGEST / torch.where(largest > 0, largest, torch.ones_like(largest))) / grid).round() * grid


def _entry_norms(W: Tensor) -> dict[str, Bounded]:
    """Frobenius norm, entry sum, largest column sum and trace with their rounding errors, d^2 additions at most."""
    d = W.shape[-1]
    n = d * d + 4
    sizes = {
        "frobenius_W": (W**2).sum((-2, -1)).sqrt(),
        "entrywise_W": W.abs().sum((-2, -1)),
        "column_W": W.abs().sum(-2).amax(-1),
    }
    found = {name: (value, n * ROUNDOFF * value) for name, value in sizes.items()}
    return found | {"tr_W": (_trace(W), n * ROUNDOFF * _trace(W.abs()))}


def _slack(d: int) -> float:
    """Roundings of a product of three d x d matrices with two orthogonal ones, and of its comparison, over the norm."""
    return 16 * d * d * ROUNDOFF


def _off(one: Tensor) -> Tensor:
    """||U^T U - I||_F."""
    gap: Tensor = torch.linalg.matrix_norm(one.mT @ one - torch.eye(one.shape[-1], dtype=one.dtype, device=one.device))
    return gap


def spectral_norm(A: Tensor) -> Bounded:
    """||A||_2 and a bound of its error, (n,) each, for A (n, d, d).

    From the residual: sigma(A) is within ||A - U S V^T||_F of sigma(U S V^T) (Weyl), which is within
    (||U^T U - I|| + ||V^T V - I||) sigma_1 of S (Ostrowski); 16 d^2 roundoffs cover computing them.
    """
    U, S, Vh = torch.linalg.svd(A)
    residual = torch.linalg.matrix_norm(A - (U * S[:, None, :]) @ Vh)
    return S[:, 0], residual + (_off(U) + _off(Vh.mT) + _slack(A.shape[-1])) * S[:, 0]


def extreme_eigenvalues(A: Tensor) -> tuple[Bounded, Bounded]:
    """Least and largest eigenvalue of symmetric A (n, d, d), with bounds from the residual as for the spectral norm."""
    values, V = torch.linalg.eigh(A)
    size = values.abs().amax(-1)
    error = torch.linalg.matrix_norm(A - (V * values[:, None, :]) @ V.mT) + (2 * _off(V) + _slack(A.shape[-1])) * size
    return (values[:, 0], error), (values[:, -1], error)


def inverse_norm(Sigma: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """||Sigma^{-1}||_F, a bound of its error, and whether there is one, (n,) each.

    For X near the inverse and r >= ||I - Sigma X||_F, r < 1: ||Sigma^{-1} - X||_F <= ||X||_F r/(1 - r).
    """
    d = Sigma.shape[-1]
    X = torch.linalg.inv_ex(Sigma).inverse.nan_to_num(0.0)
    size = torch.linalg.matrix_norm(X)
    eye = torch.eye(d, dtype=Sigma.dtype, device=Sigma.device)
    rounding = 2 * (d + 2) * ROUNDOFF * (torch.linalg.matrix_norm(Sigma) * size + d)
    rest = torch.linalg.matrix_norm(eye - Sigma @ X) * (1 + _slack(d)) + rounding
    sound = rest < 0.5
    error = size * (rest.clamp_max(0.5) / (1 - rest.clamp_max(0.5)) + _slack(d))
    return size, error, sound


def _traces(W: Tensor, Sigma: Tensor) -> dict[str, Bounded]:
    """tr(W) and tr(W^2) of W = W_QK Sigma: d products and sums, each rounded once, on terms of these absolute sums."""
    d = W.shape[-1]
    product, size = W @ Sigma, W.abs() @ Sigma.abs()
    second = (2 * d + d * d + 1) * ROUNDOFF * 1.01 * (size * size.mT).sum((-2, -1))
    return {
        "tr1": (_trace(product), 2 * d * ROUNDOFF * 1.01 * _trace(size)),
        "tr2": ((product * product.mT).sum((-2, -1)), second),
    }


def _measured(W: Tensor, Sigma: Tensor | None, symmetric: bool) -> tuple[dict[str, Bounded], Tensor]:
    """Every functional of the points with the bound of its rounding error, and which points are sound."""
    found = {**_entry_norms(W), "spectral_W": spectral_norm(W)}
    sound = torch.ones(len(W), dtype=torch.bool, device=W.device)
    if symmetric:
        found["least_W"], found["largest_W"] = extreme_eigenvalues(W)
    if Sigma is not None:
        size, error, sound = inverse_norm(Sigma)
        found |= _traces(W, Sigma)
        found |= {"spectral_Sigma": spectral_norm(Sigma), "frobenius_Sigma_inverse": (size, error)}
    exact = torch.full((len(W),), float(W.shape[-1]), dtype=torch.float64, device=W.device)
    return found | {"d": (exact, torch.zeros_like(exact))}, sound


def _search(
    points: int,
    generator: torch.Generator,
    value: str,
    objective: Objective,
    *,
    symmetric: bool = True,
    covariance: bool = False,
    factored: Objective | None = None,
) -> Points:
    """Points of d = 1 ... 6, some of each dimension climbed: the columns are |value| and every functional.

    With ``factored`` every other point is W_QK = C C^T or -C C^T, exactly, and climbs that objective of C instead.
    """
    found = []
    for index, d in enumerate(DIMENSIONS):
        n = (points + len(DIMENSIONS) - 1 - index) // len(DIMENSIONS)
        if not n:
            continue
        W, B = _starts(n, d, generator, symmetric), _factors(n, d, generator)
        place = torch.arange(n, device=W.device)
        half = place % 2 == 1 if factored is not None else torch.zeros_like(place, dtype=torch.bool)
        for mine, goal, same in ((~half, objective, symmetric), (half, factored, False)):
            up = mine & (place < CLIMBING) & (place // 2 % 3 != 2)
            if goal is not None and bool(up.any()):
                W[up], B[up] = _ascend(W[up], B[up], goal, same)
        C = _on_grid(W, COARSE)
        signs = 1.0 - 2.0 * (place // 2 % 2)
        W = torch.where(half[:, None, None], signs[:, None, None] * (C @ C.mT), _on_grid(W, FINE))
        # sizes far apart, so that a bound of the wrong homogeneity fails at one end
        W = W * 2.0 ** (4 - 4 * (place % 5))[:, None, None]
        B = _on_grid(B, COARSE) * 2.0 ** (1 - 2 * (place % 3))[:, None, None]
        found.append(_points(value, W, B @ B.mT if covariance else None, symmetric))
    return Points.joined(found)


def _points(value: str, W: Tensor, Sigma: Tensor | None = None, symmetric: bool = True) -> Points:
    """|value| and every functional of W_QK, and Sigma, (n, d, d), at those of the points that are sound."""
    found, sound = _measured(W, Sigma, symmetric)
    table = {"value": (found[value][0].abs(), found[value][1]), **found}
    columns, errors = ({name: pair[k][sound].cpu().numpy() for name, pair in table.items()} for k in (0, 1))
    given = {"W": W} if Sigma is None else {"W": W, "Sigma": Sigma}
    return Points(columns, errors, {name: tuple(A[sound].cpu().numpy()) for name, A in given.items()})


@search("bao2024.sec5.eq7-first", at=lambda W, Sigma: _points("tr1", W[None], Sigma[None]))
def eq7_first(points: int, generator: torch.Generator) -> Points:
    """value = |tr(W_QK Sigma)|; climbs it over ||W_QK||_2 ||Sigma||_2."""

    def ratio(W: Tensor, B: Tensor) -> Tensor:
        Sigma = B @ B.mT
        return _trace(W @ Sigma).abs() / (_spectral(W) * _spectral(Sigma))

    return _search(points, generator, "tr1", ratio, covariance=True)


@search("bao2024.sec5.eq7-second", at=lambda W: _points("spectral_W", W[None], symmetric=False))
def eq7_second(points: int, generator: torch.Generator) -> Points:
    """value = ||W_QK||_2 of any square matrix; climbs it over ||W_QK||_F."""
    return _search(points, generator, "spectral_W", lambda W, B: _spectral(W) / _frobenius(W), symmetric=False)


@search("bao2024.sec5.eq7-third-entrywise", at=lambda W: _points("frobenius_W", W[None], symmetric=False))
def eq7_third_entrywise(points: int, generator: torch.Generator) -> Points:
    """value = ||W_QK||_F of any square matrix; climbs it over the sum of absolute entries."""

    def ratio(W: Tensor, B: Tensor) -> Tensor:
        return _frobenius(W) / W.abs().sum((-2, -1))

    return _search(points, generator, "frobenius_W", ratio, symmetric=False)


@search("bao2024.sec5.eq7-third-induced", at=lambda W: _points("frobenius_W", W[None]))
def eq7_third_induced(points: int, generator: torch.Generator) -> Points:
    """value = ||W_QK||_F of a symmetric matrix; climbs it over the largest column sum."""
    return _search(points, generator, "frobenius_W", lambda W, B: _frobenius(W) / _column(W))


@search("bao2024.sec5.eq10-first", at=lambda W, Sigma: _points("tr_W", W[None], Sigma[None]))
def eq10_first(points: int, generator: torch.Generator) -> Points:
    """value = |tr(W_QK)|; climbs it over ||Sigma^{-1}||_F sqrt(tr(W^2)), Sigma = B B^T."""

    def ratio(W: Tensor, B: Tensor) -> Tensor:
        Sigma = B @ B.mT
        product = W @ Sigma
        square = (product * product.mT).sum((-2, -1)).clamp_min(1e-100).sqrt()
        return _trace(W).abs() / (_frobenius(torch.linalg.inv_ex(Sigma).inverse) * square)

    return _search(points, generator, "tr_W", ratio, covariance=True)


@search("bao2024.sec5.eq10-second", at=lambda W: _points("spectral_W", W[None]))
def eq10_second(points: int, generator: torch.Generator) -> Points:
    """value = ||W_QK||_2; climbs it over |tr(W_QK)|, among all symmetric matrices and among those of one sign."""

    def ratio(W: Tensor, B: Tensor) -> Tensor:
        return _spectral(W) / (_trace(W).abs() + 1e-3 * _frobenius(W))

    def one_signed(C: Tensor, B: Tensor) -> Tensor:
        return _spectral(C @ C.mT) / _trace(C @ C.mT)

    return _search(points, generator, "spectral_W", ratio, factored=one_signed)
