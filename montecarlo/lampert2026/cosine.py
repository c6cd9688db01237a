"""The expected cosine of exchangeable tokens against the ratio of expectations: searches, and continuous laws.

A point is a finite law: one of S sets of k tokens in R^d, uniformly, its tokens in random order; a head maps them to
Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j z_j). Expectations are sums over the sets and the pairs of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from montecarlo.draws import normals, uniforms
from montecarlo.empirical_checks import Points
from montecarlo.registry import instance, search

ROUNDOFF = 2.0**-53
#: Bits of the entries of tokens and of W, so that every Y_i is exact in float64 for the shapes below.
TOKEN_BITS, HEAD_BITS = 20, 22
#: S, k, d of the laws that are tried.
SHAPES = ((2, 2, 1), (7, 2, 1), (4, 2, 2), (8, 2, 3), (1, 3, 2), (4, 3, 2), (3, 4, 3))
#: Points of every shape that climb, by steps along the gradient's signs, each shorter than the last.
CLIMBING = 32
STEPS, STEP, DECAY = 100, 0.5, 0.945
#: Least spread of a law that is kept.
LEAST = 1e-6
#: Least t1 over |W| E|z|^2 that a climb of a fall aims at, and the price of what is missing.
MARGIN, PRICE = 3e-3, 50.0
#: Scales of beta, and with it of W: both signs, sizes far apart.
BETAS = (1.0, -1.0, 4.0, -0.25)
#: Numbers that one block of simulated tokens holds at most.
BLOCK = 2**21
#: Laws of ``draw``, their degrees of freedom, and the share and the size of the large tokens of a mixture.
LAWS = ("sphere", "gaussian", "student", "mixture")
FREEDOM, SHARE, SIZE = 3.0, 0.05, 8.0

Objective = Callable[[list[Tensor]], Tensor]


def outputs(tokens: Tensor, W: Tensor, beta: Tensor, end: int) -> Tensor:
    """k Y_i(end) of the local head (0) or the averaging head (1): tokens (n, S, k, d), W (n, d, d), beta (n,)."""
    k = tokens.shape[-2]
    into = tokens.sum(-2, keepdim=True) if end else k * tokens
    return k * beta[:, None, None, None] * tokens + torch.einsum("nrc,nskc->nskr", W, into)


def pairs_of(Y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """E cos(Y_i, Y_j), E[Y_i^T Y_j]/E|Y_i|^2 and E|1 - r_i^2| of laws (n, S, k, d), (n,) each."""
    k = Y.shape[-2]
    one, two = torch.triu_indices(k, k, 1, device=Y.device)
    squares = (Y**2).sum(-1)
    D = squares.mean((-2, -1))
    products = (Y[..., one, :] * Y[..., two, :]).sum(-1)
    sizes = squares[..., one].clamp_min(1e-300).sqrt() * squares[..., two].clamp_min(1e-300).sqrt()
    away = (1 - squares / D[:, None, None]).abs()
    return (products / sizes).mean((-2, -1)), products.mean((-2, -1)) / D, away.mean((-2, -1))


def _slack(Y: Tensor) -> float:
    """A bound of the rounding errors of ``pairs_of`` where Y is exact: every term is at most 2, their sums S k^2 terms.

    Inner products are within d roundoffs of |Y_i||Y_j|; the constant covers roots, quotients and D.
    """
    S, k, d = Y.shape[-3:]
    return 8.0 * (S * k * k + d + 8) * ROUNDOFF


def _traces(tokens: Tensor, W: Tensor) -> tuple[Tensor, Tensor]:
    """t1 = tr(BW), B = E[z_i z_i^T] - E[z_i z_j^T], and a bound of its rounding error, (n,) each."""
    S, k, d = tokens.shape[-3:]

    def trace(z: Tensor, head: Tensor, sign: float) -> Tensor:
        total = z.sum(-2)
        same = torch.einsum("nskr,nskc->nrc", z, z) / (S * k)
        other = (torch.einsum("nsr,nsc->nrc", total, total) - sign * S * k * same) / (S * k * (k - 1))
        found: Tensor = ((same - sign * other) * head.mT).sum((-2, -1))
        return found

    # the same sums of absolute values, nowhere a difference
    size = trace(tokens.abs(), W.abs(), -1.0)
    return trace(tokens, W, 1.0), 4.0 * (S * k + k + d * d + 8) * ROUNDOFF * size


def _starts(n: int, shape: tuple[int, int, int], generator: torch.Generator) -> Tensor:
    """Random laws (n, S, k, d), in equal parts of each kind.

    Gaussian about a common mean; on a sphere; heavy-tailed; tokens, then whole sets, of widely spread scales; sets of
    one direction and unlike norms beside sets of opposite directions and like norms.
    """
    S, k, d = shape
    kind = (torch.arange(n, device=generator.device) % 6)[:, None, None, None]
    noise = normals(generator, n, S, k, d)
    sphere = noise / noise.norm(dim=-1, keepdim=True).clamp_min(1e-9)
    scales, sizes = torch.exp(2 * normals(generator, n, S, k, 1)), torch.exp(2 * normals(generator, n, S, 1, 1))
    heavy = noise / normals(generator, n, S, k, 1).abs().clamp_min(0.05)
    signs = 1.0 - 2.0 * (torch.arange(k, device=noise.device) % 2).double()[:, None]
    line = sphere[..., :1, :] * torch.where(uniforms(generator, n, S, 1, 1) < 0.7, scales, sizes * signs)
    tokens = noise + 2 * normals(generator, n, 1, 1, d)
    for index, other in enumerate((sphere, heavy, noise * scales, noise * sizes, line), 1):
        tokens = torch.where(kind == index, other, tokens)
    return tokens


def _climb(free: list[Tensor], objective: Objective) -> list[Tensor]:
    """Climb objective(free), all points at once, along the signs of the gradient; the best of each point's way.

    Signs rather than the gradient: norms far below the others hardly move the objective, and yet matter.
    """
    now, kept = list(free), list(free)
    best = torch.full_like(free[0].flatten(1)[:, 0], -torch.inf)
    with torch.inference_mode(False), torch.enable_grad():
        for step in range(STEPS):
            now = [part.detach().clone().requires_grad_() for part in now]
            values = objective(now)
            better = values.detach() > best
            best = torch.where(better, values.detach(), best)
            kept = [
                torch.where(better.reshape(-1, *[1] * (new.dim() - 1)), new.detach(), old)
                for old, new in zip(kept, now, strict=True)
            ]
            slopes = torch.autograd.grad(values.sum(), now)
            length = STEP * DECAY**step
            now = [part + length * slope.nan_to_num(0.0).sign() for part, slope in zip(now, slopes, strict=True)]
    return kept


def _polar(tokens: Tensor) -> list[Tensor]:
    """Logarithms of the norms, and tokens of norm one: (n, S, k, 1) and (n, S, k, d)."""
    norms = tokens.norm(dim=-1, keepdim=True).clamp_min(1e-9)
    return [norms.log(), tokens / norms]


def _tokens(polar: Sequence[Tensor]) -> Tensor:
    """The tokens back from logarithms of their norms, within e^8 of one another, and directions of any length."""
    rho, direction = polar
    top = rho.amax((-3, -2, -1), keepdim=True)
    unit: Tensor = direction / direction.norm(dim=-1, keepdim=True).clamp_min(1e-9)
    return torch.exp((rho - top).clamp_min(-8.0)) * unit


def _on_grid(A: Tensor, bits: int) -> Tensor:
    """Every point scaled by a power of two to entries below 2^bits and rounded to integers."""
    n = len(A)
    largest = A.abs().reshape(n, -1).amax(1).clamp_min(1e-300)
    power = torch.floor(bits - torch.log2(largest)).reshape(-1, *[1] * (A.dim() - 1))
    return (A * 2.0**power).round()


def _shares(points: int) -> list[int]:
    """How many points each shape has."""
    return [(points + len(SHAPES) - 1 - index) // len(SHAPES) for index in range(len(SHAPES))]


class _Gathered:
    """Columns, errors and matrices of laws of several shapes, put together."""

    def __init__(self) -> None:
        self.columns: dict[str, list[NDArray[np.float64]]] = {}
        self.errors: dict[str, list[NDArray[np.float64]]] = {}
        self.matrices: dict[str, list[NDArray[np.float64]]] = {}

    def add(self, sound: Tensor, columns: dict[str, tuple[Tensor, Tensor]], matrices: dict[str, Tensor]) -> None:
        for name, (values, off) in columns.items():
            self.columns.setdefault(name, []).append(values[sound].cpu().numpy())
            self.errors.setdefault(name, []).append(off[sound].cpu().numpy())
        for name, arrays in matrices.items():
            self.matrices.setdefault(name, []).extend(arrays[sound].cpu().numpy())

    def points(self) -> Points:
        return Points(
            columns={name: np.concatenate(parts) for name, parts in self.columns.items()},
            errors={name: np.concatenate(parts) for name, parts in self.errors.items()},
            matrices={name: tuple(arrays) for name, arrays in self.matrices.items()},
        )


def _nowhere_zero(Y: Tensor) -> Tensor:
    """Which laws have no token that is zero, (n,)."""
    found: Tensor = (Y != 0).any(-1).flatten(1).all(1)
    return found


@instance("lampert2026.sec5.cosine-approximation")
@instance("lampert2026.sec5.cosine-transfer")
def two_tokens() -> dict[str, int]:
    """The positions of two tokens: any two, as the law is exchangeable."""
    return {"i": 1, "j": 2}


def _apart(found: _Gathered, tokens: Tensor) -> None:
    """Add how far the cosine is from the ratio, and the spread, of laws (n, S, k, d)."""
    cosine, ratio, spread = pairs_of(tokens)
    off = torch.full_like(spread, _slack(tokens))
    columns = {"value": ((cosine - ratio).abs(), 3 * off), "spread": (spread, off)}
    # a spread within reach of its rounding error says nothing
    found.add(_nowhere_zero(tokens) & (spread > LEAST), columns, {"tokens": tokens})


def _apart_at(tokens: Tensor) -> Points:
    found = _Gathered()
    _apart(found, tokens[None])
    return found.points()


@search("lampert2026.sec5.cosine-approximation", at=_apart_at)
def approximation(points: int, generator: torch.Generator) -> Points:
    """value = |E cos - R| of finite laws; climbs it over the spread E|1 - r_i^2|."""
    found = _Gathered()

    def over_spread(polar: list[Tensor]) -> Tensor:
        cosine, ratio, spread = pairs_of(_tokens(polar))
        return (cosine - ratio).abs() / (spread + 1e-6)

    for n, shape in zip(_shares(points), SHAPES, strict=True):
        if not n:
            continue
        tokens = _starts(n, shape, generator)
        up = torch.arange(n, device=tokens.device) < min(CLIMBING, -(-2 * n // 3))
        tokens[up] = _tokens(_climb(_polar(tokens[up]), over_spread))
        tokens = _on_grid(tokens, TOKEN_BITS)
        # sizes far apart, so that a bound of the wrong homogeneity fails at one end
        sizes = 2.0 ** (4 * (torch.arange(n, device=tokens.device) % 3) - TOKEN_BITS)
        _apart(found, tokens * sizes[:, None, None, None])
    return found.points()


def _turning(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Laws (n, S, 2, 2) and W (n, 2, 2) at beta = 1: S - 1 sets go from one direction to equal norms.

    With G = I + W, their outputs (1 + eps) e_1 +- e_1 at l = 0 become (1 + eps) e_1 +- y e_2, y < 1; those of the last
    set become +- t e_1, of the same norm, from +- M e_1 with M^2 = 2 S + 2. tr(BW) > 0 as long as y is small.
    """
    S = 7
    place = torch.arange(n, device=generator.device)
    eps = 2.0 ** -(2.0 + place % 13)
    y = 0.3 + 0.3 * uniforms(generator, n)
    t, M = (1 + y**2).sqrt(), (2.0 * S + 2) ** 0.5
    zero, one = torch.zeros_like(y), torch.ones_like(y)
    G = torch.stack([torch.stack([M / t, 1 / y], -1), torch.stack([zero, zero], -1)], -2)
    middle = (1 + eps) * t / M
    turning = torch.stack([torch.stack([middle, y], -1), torch.stack([middle, -y], -1)], -2)
    last = torch.stack([torch.stack([t, zero], -1), torch.stack([-t, zero], -1)], -2)
    tokens = torch.cat([turning[:, None].expand(n, S - 1, 2, 2), last[:, None]], 1)
    return tokens, G - torch.diag_embed(torch.stack([one, one], -1))


def _ends(tokens: Tensor, W: Tensor, beta: Tensor) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Cosine, ratio and spread of the outputs at l = 0 and at l = 1."""
    return [pairs_of(outputs(tokens, W, beta, end)) for end in (0, 1)]


def _head(free: list[Tensor]) -> Tensor:
    """W (n, d, d) of the size whose logarithm comes last, cut at e^3 so that outputs stay exact."""
    W = free[2]
    unit: Tensor = W / torch.linalg.matrix_norm(W, keepdim=True).clamp_min(1e-9)
    return free[3].clamp_max(3.0).exp() * unit


def _penalty(tokens: Tensor, W: Tensor) -> Tensor:
    """The price of what t1 lacks."""
    size = torch.linalg.matrix_norm(W) * (tokens**2).sum(-1).mean((-2, -1))
    lacking: Tensor = (MARGIN - _traces(tokens, W)[0] / size).clamp_min(0.0)
    return PRICE * lacking


def _falls(free: list[Tensor]) -> Tensor:
    """What is climbed, at beta = 1 and with t1 > 0: for every other point the fall of the expected cosine.

    For the others the fall, and what the ratio rises, over the spread at both ends, as long as there is a fall.
    """
    tokens, W = _tokens(free[:2]), _head(free)
    first, last = _ends(tokens, W, torch.ones_like(W[:, 0, 0]))
    fall, rise = first[0] - last[0], last[1] - first[1]
    over = (fall + rise) / (first[2] + last[2] + 1e-3) + fall.clamp_max(0.05)
    every_other = torch.arange(len(W), device=W.device) % 2 == 0
    return torch.where(every_other, fall, over) - _penalty(tokens, W)


def _falls_at(tokens: Tensor, W: Tensor, beta: float) -> Points:
    found = _Gathered()
    _measured(found, tokens[None], W[None], torch.tensor([beta], dtype=torch.float64))
    return found.points()


@search("lampert2026.sec5.cosine-transfer", at=_falls_at)
def transfer(points: int, generator: torch.Generator) -> Points:
    """value = E cos at l = 0 less E cos at l = 1; climbs it, and its part of the spread, with beta tr(BW) > 0."""
    found = _Gathered()
    for n, shape in zip(_shares(points), SHAPES, strict=True):
        if not n:
            continue
        d = shape[-1]
        tokens, W = _starts(n, shape, generator), normals(generator, n, d, d)
        free = [*_polar(tokens), W, normals(generator, n, 1, 1)]
        # on a line no cosine falls while tr(BW) > 0
        up = torch.arange(n, device=tokens.device) < (min(CLIMBING, -(-2 * n // 3)) if d > 1 else 0)
        if bool(up.any()):
            for part, climbed in zip(free, _climb([part[up] for part in free], _falls), strict=True):
                part[up] = climbed
        _judge(found, _tokens(free[:2]), _head(free))
    _judge(found, *_turning(-(-points // 8), generator))
    return found.points()


def _judge(found: _Gathered, tokens: Tensor, W: Tensor) -> None:
    """Round laws and heads for beta = 1 to grids, scale them with beta, and add what is measured."""
    place = torch.arange(len(tokens), device=tokens.device)
    tokens = _on_grid(tokens, TOKEN_BITS) * 2.0 ** (4 * (place % 3) - TOKEN_BITS)[:, None, None, None]
    beta = torch.tensor(BETAS, dtype=torch.float64, device=tokens.device)[place % len(BETAS)]
    # multiples of 2^-HEAD_BITS, beta = 1 among them
    W = (W * 2.0**HEAD_BITS).round() * 2.0**-HEAD_BITS * beta[:, None, None]
    _measured(found, tokens, W, beta)


def _measured(found: _Gathered, tokens: Tensor, W: Tensor, beta: Tensor) -> None:
    """Add what the cosine falls, and what the claim's print is made of, of laws (n, S, k, d) with heads (n, d, d)."""
    sound = _nowhere_zero(tokens)
    columns: dict[str, tuple[Tensor, Tensor]] = {}
    for end in (0, 1):
        Y = outputs(tokens, W, beta, end)
        cosine, ratio, spread = pairs_of(Y)
        off = torch.full_like(spread, _slack(Y))
        sound &= _nowhere_zero(Y)
        columns |= {f"cosine_{end}": (cosine, off), f"ratio_{end}": (ratio, off), f"spread_{end}": (spread, off)}
    sound &= columns["spread_0"][0] + columns["spread_1"][0] > LEAST
    fall = columns["cosine_0"][0] - columns["cosine_1"][0]
    columns = {"value": (fall, 3 * columns["cosine_0"][1]), **columns, "beta": (beta, torch.zeros_like(beta))}
    columns["t1"] = _traces(tokens, W)
    found.add(sound, columns, {"tokens": tokens, "W": W})


def draw(generator: torch.Generator, n: int, law: str, k: int, d: int, mean: float = 1.0) -> Tensor:
    """Tokens (n, k, d) of a law: z_i = mean e_1 + s_i g_i with g_i ~ N(0, I/d), independent given the law's mean.

    "gaussian": s_i = 1; "student": s_i^2 = nu/chi^2_nu with nu = 3; "mixture": s_i = 8 with probability 1/20, else 1;
    "sphere": as gaussian, then divided by its norm. ValueError for another law.
    """
    if law not in LAWS:
        raise ValueError(f"law = {law!r}; expected one of {', '.join(LAWS)}")
    tokens: Tensor = normals(generator, n, k, d) / d**0.5
    if law == "student":
        # nu = 3: chi^2 of three Gaussians
        chi = (normals(generator, n, k, int(FREEDOM)) ** 2).sum(-1, keepdim=True)
        tokens = tokens * (FREEDOM / chi).sqrt()
    elif law == "mixture":
        tokens = torch.where(uniforms(generator, n, k, 1) < SHARE, SIZE * tokens, tokens)
    tokens[..., 0] += mean
    if law == "sphere":
        tokens /= tokens.norm(dim=-1, keepdim=True)
    return tokens


@dataclass(frozen=True)
class Estimate:
    """What n sets of tokens of a law show at one l: means over the sets and the pairs of tokens.

    ``cosine`` estimates E cos(Y_i, Y_j), with ``error`` its standard error; ``energy`` D = E|Y_i|^2; ``cross``
    N = E[Y_i^T Y_j]; ``spread`` E|1 - |Y_i|^2/D|, with D as estimated.
    """

    lam: float
    cosine: float
    error: float
    energy: float
    cross: float
    spread: float

    @property
    def ratio(self) -> float:
        """N/D."""
        return self.cross / self.energy


def simulate(
    generator: torch.Generator,
    n: int,
    law: str,
    k: int,
    d: int,
    *,
    lams: Sequence[float] = (0.0, 1.0),
    W: Tensor | None = None,
    beta: float = 1.0,
    mean: float = 1.0,
) -> list[Estimate]:
    """The head's outputs on n sets of k tokens of a law, one estimate for each l; W is I/2 where none is given.

    The same tokens serve every l. Raises ValueError for n < 2, k < 2 or d < 1.
    """
    for name, value, least in (("n", n, 2), ("k", k, 2), ("d", d, 1)):
        if value < least:
            raise ValueError(f"{name} = {value}; expected an integer >= {least}")
    head = torch.eye(d, dtype=torch.float64, device=generator.device) / 2 if W is None else W.to(torch.float64)
    cosines: list[list[Tensor]] = [[] for _ in lams]
    squares: list[list[Tensor]] = [[] for _ in lams]
    crosses: list[list[Tensor]] = [[] for _ in lams]
    for start in range(0, n, block := max(1, BLOCK // (k * d))):
        tokens = draw(generator, min(block, n - start), law, k, d, mean)
        average = tokens.mean(-2, keepdim=True)
        for place, lam in enumerate(lams):
            Y = beta * tokens + ((1 - lam) * tokens + lam * average) @ head.mT
            sizes = (Y**2).sum(-1)
            units = Y / sizes.sqrt()[..., None]
            # a sum over pairs is what the square of the sum has beside the tokens' own squares
            cosines[place].append(((units.sum(-2) ** 2).sum(-1) - k) / (k * (k - 1)))
            crosses[place].append(((Y.sum(-2) ** 2).sum(-1) - sizes.sum(-1)) / (k * (k - 1)))
            squares[place].append(sizes)
    found = []
    for place, lam in enumerate(lams):
        cosine, sizes = torch.cat(cosines[place]), torch.cat(squares[place])
        D = sizes.mean()
        found.append(
            Estimate(
                lam=float(lam),
                cosine=float(cosine.mean()),
                error=float(cosine.std() / n**0.5),
                energy=float(D),
                cross=float(torch.cat(crosses[place]).mean()),
                spread=float((1 - sizes / D).abs().mean()),
            )
        )
    return found
