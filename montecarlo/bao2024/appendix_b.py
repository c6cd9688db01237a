"""Appendix B.2: the sums of (B), (C), of E[X Gamma X^T] and of (19)-(21) over sampled walks."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from montecarlo.bao2024.softmax import gradients, taylor
from montecarlo.draws import normals
from montecarlo.empirical_checks import Points
from montecarlo.registry import evaluation, growth, instance, search, simulation
from montecarlo.walks import Walks


@simulation("bao2024.sec3.diagonal-dominance", degree=2)
def diagonal_dominance(tokens: Tensor, a: Tensor, b: Tensor) -> dict[str, Tensor]:
    """a^T X Gamma X^T b / T with Gamma = [gamma^1 ... gamma^T] unclipped, (n,), and its part with alpha = i."""
    T = tokens.shape[1]
    columns = gradients(T).to(tokens)
    # walks are innermost in memory, and stay so
    left, right = ((v @ tokens.permute(1, 2, 0)).T for v in (a, b))
    full = ((left @ columns) * right).sum(1) / T
    return {"diagonal": (left * columns.diagonal() * right).sum(1) / T, "full": full}


@evaluation("bao2024.sec3.diagonal-dominance", beside=True)
def dominance_ratio(T: int) -> dict[str, tuple[float, float]]:
    """The part with alpha = i over the full sum: E[x_i x_j^T] is the number of shared increments times Sigma.

    No ratio where the full sum is 0, as for a single token. T^2 roundoffs of sums of T^2 terms bound the error.
    """
    steps = torch.ones(T, T, dtype=torch.float64).tril()
    shared = steps @ steps.T
    columns = gradients(T)
    part, full = float((shared.diagonal() * columns.diagonal()).sum()), float((shared * columns).sum())
    size = float((shared * columns.abs()).sum())
    error = 4 * (T * T + 16) * 2.0**-53 * size
    if abs(full) <= 2 * error:
        return {}
    return {"ratio": (part / full, error * (1 + abs(part / full)) / (abs(full) - error))}


@simulation("bao2024.appB.display-b", degree=4)
def display_b(tokens: Tensor, W: Tensor) -> dict[str, Tensor]:
    """T^2 sum over i, j of (x_i^T W x_j)^2, (n,); of long walks as T^2 tr(W^T S W S), S = sum of x_i x_i^T."""
    # walks are innermost in memory, and products go along them
    x = tokens.permute(1, 2, 0)
    T, d, _ = x.shape
    if 2 * d >= T:
        squares = torch.stack([((W.T @ one) * x).sum(1).square_().sum(0) for one in x]).sum(0)
    else:
        S = torch.stack([(x * x[:, a : a + 1]).sum(0) for a in range(d)])
        left, right = (torch.matmul(V, S.flatten(1)).view_as(S) for V in (W.T, W))
        squares = (left * right.transpose(0, 1)).sum((0, 1))
    return {"sum": T**2 * squares}


@simulation("bao2024.appB.display-c", degree=4)
def display_c(walk: Walks, W: Tensor) -> dict[str, Tensor]:
    """T^3 sum over beta of (x_beta^T W x_T)^2, (n,)."""
    return {"sum": walk.T**3 * (walk.scores(W) ** 2).sum(1)}


# -- growth of (19)-(21)

#: The matrices: W_QK = SLOPE lambda/d I, W_V = I, W_F = 2 I, Sigma = I, in this dimension, with lambda = 1.
DIMENSION = 4
SLOPE = 4.0
FEED = 2.0


def next_tokens(generator: torch.Generator, n: int, T: int) -> Tensor:
    """Tokens x_1 ... x_{T + 1} of walks with Sigma = I, (n, T + 1, d); the last one is the target y."""
    # y = x_{T + 1} is the token after x_T
    return normals(generator, n, T + 1, DIMENSION).cumsum_(1)


def example() -> dict[str, Any]:
    """The matrices of the example by the statement's names."""

    def diagonal(value: float) -> list[list[float]]:
        return [[value if r == c else 0.0 for c in range(DIMENSION)] for r in range(DIMENSION)]

    own = {"W_QK": diagonal(SLOPE / DIMENSION), "W_V": diagonal(1.0), "W_F": diagonal(FEED), "Sigma": diagonal(1.0)}
    return {**own, "lam": 1}


for _claim in ("order19", "order20", "order21", "dominance"):
    instance(f"bao2024.appB.{_claim}")(example)


def sums(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
    """The trace of each of (19), (20), (21) over d, before the expectation: one number a walk, (n,).

    Gamma is clipped token by token: slope 0 and offset 0 below 0, slope 0 and offset 1 above 1.
    """
    d = DIMENSION
    tokens = next_tokens(generator, n, T)
    x, target = tokens[:, :T], tokens[:, T]
    last = x[:, -1]
    # 1/T - 1/T^2 at the token itself, -1/T^2 at every other one, whichever token it is
    gradient, offset = taylor(T, 1)
    every = float(gradient.min())
    own = float(gradient.max()) - every
    # X gamma^i for every i, unclipped
    combined = own * x + every * x.sum(1, keepdim=True)
    scores = SLOPE / d * torch.einsum("nid,nd->ni", combined, last) + float(offset)
    free, above = ((scores >= 0) & (scores <= 1)).double(), (scores > 1).double()
    # X Gamma X^T = sum_i (X gamma~^i) x_i^T, and X gamma~_0
    mixing = torch.einsum("ni,nia,nib->nab", free, combined, x)
    offsets = torch.einsum("ni,nia->na", above + float(offset) * free, x)
    residual = FEED * last - target
    query = SLOPE / d * last
    first = torch.einsum("nab,ncb,nc->na", mixing, mixing, query) * FEED**2
    second = torch.einsum("nab,nb->na", mixing, offsets) * FEED**2
    third = torch.einsum("nab,nb->na", mixing, residual) * FEED
    return {
        name: torch.einsum("na,na->n", part, last) / d
        for name, part in (("eq19", first), ("eq20", second), ("eq21", third))
    }


@growth("bao2024.appB.order19", tokens=next_tokens)
def order19(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
    """The trace of (19) over d, walk by walk."""
    return {"eq19": sums(generator, n, T)["eq19"]}


@growth("bao2024.appB.order20", tokens=next_tokens)
def order20(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
    """The trace of (20) over d, walk by walk."""
    return {"eq20": sums(generator, n, T)["eq20"]}


@growth("bao2024.appB.order21", tokens=next_tokens)
def order21(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
    """The trace of (21) over d, walk by walk."""
    return {"eq21": sums(generator, n, T)["eq21"]}


@growth("bao2024.appB.dominance", tokens=next_tokens)
def dominance(generator: torch.Generator, n: int, T: int) -> dict[str, Tensor]:
    """The traces of (20) and (21), and that of (19) which they are divided by."""
    found = sums(generator, n, T)
    return {"eq20_over_eq19": found["eq20"], "eq21_over_eq19": found["eq21"], "divisor": found["eq19"]}


#: Numbers of points that the weights are on, and kinds of families on them (see ``weighted``).
ATOMS, KINDS = (1, 2, 3, 6), 3
FAMILIES = "abce"


def weighted(count: int, atoms: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Weights p (k, n) > 0 and families (k, 4, n), row k of kind k mod 3: multiples of one, of equal sizes, anything.

    All are whole numbers over 64 or 16, small enough that a sum of p times a product of four is exact.
    """
    options: dict[str, Any] = {"generator": generator, "device": generator.device}
    kind = torch.arange(count, device=generator.device) % KINDS
    p = torch.randint(1, 65, (count, atoms), **options).double() / 64
    signs = 2.0 * torch.randint(0, 2, (count, 4, atoms), **options).double() - 1
    drawn = torch.randint(1, 33, (count, 4, atoms), **options).double()
    several = torch.randint(1, 9, (count, 4, 1), **options).double()
    one = torch.randint(1, 5, (count, 1, atoms), **options).double()
    sizes = torch.where((kind == 0)[:, None, None], several * one, several.expand_as(drawn))
    signs = torch.where((kind == 0)[:, None, None], signs[..., :1].expand_as(signs), signs)
    return p, signs * torch.where((kind == 2)[:, None, None], drawn, sizes) / 16


def _products(p: Tensor, families: Tensor) -> Points:
    """(sum_j p_j a_j b_j c_j e_j)^2 and the sums of weights p (k, n) and families (k, 4, n)."""
    table = {"value": (p * families.prod(1)).sum(1) ** 2}
    for power in (2, 4):
        sums = (p[:, None] * families**power).sum(2)
        table |= {f"sum_{name * power}": sums[:, place] for place, name in enumerate(FAMILIES)}
    columns = {name: values.cpu().numpy() for name, values in table.items()}
    points = {"p": p, **{name: families[:, place] for place, name in enumerate(FAMILIES)}}
    # the sums are exact, their square is rounded
    error = {"value": 2.0**-52 * columns["value"]}
    return Points(columns, error, {name: tuple(entries.cpu().numpy()) for name, entries in points.items()})


@search(
    "bao2024.appB.cauchy-schwarz",
    at=lambda p, a, b, c, e: _products(p[None], torch.stack([a, b, c, e])[None]),
)
def cauchy_schwarz(points: int, generator: torch.Generator) -> Points:
    """value = (sum_j p_j a_j b_j c_j e_j)^2, and the sums of p_j times squares and fourth powers; e is the paper's d.

    A point j is an index of the families and an outcome, of probability p_j.
    """
    each = max(2 * KINDS, points // len(ATOMS))
    return Points.joined([_products(*weighted(each, atoms, generator)) for atoms in ATOMS])
