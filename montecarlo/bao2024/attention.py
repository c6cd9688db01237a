"""The simulation behind Fig. 5: signal propagation and attention entropy of sampled attention, as Section 5 tells it.

A draw is one W_QK = B diag(w) B^T, w_1, ..., w_d ~ N(mean, scale^2) and B a uniformly distributed orthogonal matrix,
with fresh walks of Assumption 1. Sigma is the identity, or R^T R / d with the entries of R ~ Unif(-2.5, 2.5), sampled
once for a seed and dimension, so that all means, scales and draws share it. The temperature lambda is sqrt(d).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import torch
from torch import Tensor

from montecarlo import seeds
from montecarlo.bao2024.softmax import taylor
from montecarlo.draws import draw_normals
from montecarlo.threads import one_torch_thread
from montecarlo.walks import Walks, covariance_root

COVARIANCES = ("isotropic", "anisotropic")
#: Entries of R lie between plus and minus this.
REACH = 2.5
#: Normals, or scores, held at once: few enough to stay near the core's cache, whatever the number of walks.
AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Attention:
    """What was sampled in each draw, float64.

    ``rho`` (draws, T): the frequency of 0 <= <gamma^i, omega> + gamma_0^i <= 1 for every token i. ``entropy`` (draws,):
    the mean Shannon entropy, in nats, of the attention that a query pays. ``eigenvalues`` (draws, d): those of
    W = W_QK Sigma, ascending. ``walks`` is the number of walks of a draw.
    """

    rho: Tensor
    entropy: Tensor
    eigenvalues: Tensor
    walks: int


def orthogonal(generator: torch.Generator, d: int) -> Tensor:
    """A uniformly (Haar) distributed orthogonal matrix, (d, d) float64.

    Q of a normal matrix's Q R, made unique by a positive diagonal of R: LAPACK's own signs are not uniform.
    """
    Q, R = torch.linalg.qr(torch.randn(d, d, generator=generator, dtype=torch.float64))
    basis: Tensor = Q * torch.where(R.diagonal() < 0, -1.0, 1.0).to(Q)
    return basis


def query_key(generator: torch.Generator, mean: float, scale: float, d: int) -> Tensor:
    """W_QK = B diag(w) B^T, (d, d) float64 and symmetric, with w ~ N(mean, scale^2)."""
    w = mean + scale * torch.randn(d, generator=generator, dtype=torch.float64)
    B = orthogonal(generator, d)
    W: Tensor = (B * w) @ B.T
    return (W + W.T) / 2


def anisotropic(generator: torch.Generator, d: int) -> Tensor:
    """Sigma = R^T R / d, (d, d) float64, with the entries of R ~ Unif(-2.5, 2.5)."""
    R = REACH * (2 * torch.rand(d, d, generator=generator, dtype=torch.float64) - 1)
    return R.T @ R / d


def measure(tokens: Tensor, W: Tensor, lam: float) -> tuple[Tensor, Tensor]:
    """Of walks' tokens (n, T, d): how many have <gamma^i, omega> + gamma_0^i in [0, 1], (T,), and entropies, (n,).

    omega = X^T W x_T / lam. The entropies are Shannon's, in nats, of the columns of the attention matrix
    S(X^T W X / lam), averaged over the columns: column b is the distribution over keys a of the query b, without a
    causal mask. For symmetric W the rows, where softmax is applied to these, have the same entropies.
    """
    n, T, d = tokens.shape
    logits = (tokens.reshape(n * T, d) @ W).view(n, T, d) @ tokens.mT / lam
    coefficients = [taylor(T, i) for i in range(1, T + 1)]
    gamma = torch.stack([gradient for gradient, _ in coefficients], 1).to(logits)
    offset = torch.stack([value for _, value in coefficients]).to(logits)
    linear = logits[:, :, -1] @ gamma + offset
    entropies = torch.special.entr(torch.softmax(logits, 1)).sum(1).mean(1)
    return ((linear >= 0) & (linear <= 1)).sum(0), entropies


def simulate(
    mean: float,
    scale: float,
    *,
    d: int = 128,
    T: int = 40,
    walks: int = 300,
    draws: int = 10,
    covariance: str = "isotropic",
    seed: int,
) -> Attention:
    """Fig. 5 for one mean, scale and covariance: ``draws`` draws of ``walks`` walks of T tokens in d dimensions.

    The numbers follow from the arguments alone, whatever the threads; those of a draw do not depend on how many draws
    there are. Normals are float32, everything after them float64. Raises ValueError for a mean or scale that is not
    finite, a negative scale, a count below 1, an unknown covariance or scores beyond float64.
    """
    for name, value in (("d", d), ("T", T), ("walks", walks), ("draws", draws)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} = {value!r}; expected an integer >= 1")
    if not math.isfinite(mean):
        raise ValueError(f"mean = {mean}; expected a finite number")
    if not (math.isfinite(scale) and scale >= 0):
        raise ValueError(f"scale = {scale}; expected a finite number >= 0")
    if covariance not in COVARIANCES:
        raise ValueError(f"covariance = {covariance!r}; expected one of {', '.join(COVARIANCES)}")

    digest = _digest(seed, [float(mean), float(scale), d, T, walks, covariance])
    rho, entropy, eigenvalues = [], [], []
    with one_torch_thread():
        Sigma = torch.eye(d, dtype=torch.float64)
        if covariance == "anisotropic":
            Sigma = anisotropic(_generator(_digest(seed, [covariance, d]), 0), d)
        root = covariance_root(Sigma)
        for draw in range(draws):
            generator = _generator(digest, draw)
            W = query_key(generator, mean, scale, d)
            hits, entropies = _measured(generator, W, root, T, walks)
            if not torch.isfinite(entropies).all():
                raise ValueError(f"mean = {mean}, scale = {scale}: scores beyond float64; expected smaller ones")
            rho.append(hits.double() / walks)
            entropy.append(entropies.mean())
            eigenvalues.append(torch.linalg.eigvalsh(root @ W @ root))
    return Attention(torch.stack(rho), torch.stack(entropy), torch.stack(eigenvalues), walks)


def _measured(generator: torch.Generator, W: Tensor, root: Tensor, T: int, walks: int) -> tuple[Tensor, Tensor]:
    """``measure`` of fresh walks, as many at once as fit."""
    d = len(W)
    most = max(1, AT_ONCE // (T * max(d, T)))
    hits, entropies = torch.zeros(T, dtype=torch.int64), []
    for first in range(0, walks, most):
        normals = torch.empty(T, d, min(most, walks - first), dtype=torch.float32)
        tokens = Walks(draw_normals(normals, generator), root).tokens
        found, averages = measure(tokens.contiguous(), W, math.sqrt(d))
        hits += found
        entropies.append(averages)
    return hits, torch.cat(entropies)


def _digest(seed: int, key: list[float | str]) -> bytes:
    return seeds.case_digest(seed, "bao2024.fig5", json.dumps(key))


def _generator(digest: bytes, draw: int) -> torch.Generator:
    return torch.Generator().manual_seed(seeds.block_seed(digest, draw))
