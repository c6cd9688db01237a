"""Section 7: the least cost of a pattern over all W_QK, between a feasible W and feasible multipliers, from the tokens.

A W with positive margins is scaled until the least one is kappa: its cost 2 ||W||_* is an upper bound. Non-negative
multipliers y of the constraints q^T W (w - l)/sqrt(d) >= kappa give 2 kappa sum y / ||sum y q (w - l)^T/sqrt(d)||_2, a
lower bound. Both come from one primal-dual iteration (Chambolle and Pock), first-order and batched over instances.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import torch
from torch import Tensor

from montecarlo.registry import observation
from montecarlo.threads import one_torch_thread

#: Relative gaps between the bounds at which the iteration stops, in turn while a comparison is open.
GAPS = (2e-3, 1e-5)
ITERATIONS, EVERY = 20_000, 50
#: The margins and the weight of ||W||_* that the iteration aims at: any will do, as every W and y is scaled in the end.
MARGIN, WEIGHT = 1.0, 1.0
#: Relative error allowed for the rounding of the two bounds.
ROUNDING = 1e-9
#: Singular values below this part of the largest are rounding.
NOTHING = 1e-9

PATTERNS = ("sink", "diag")
#: What the bounds of a pattern's least cost are called.
COSTS = {"sink": "least sink cost", "diag": "least diagonal cost"}

Observed = dict[str, bool | tuple[float, float] | None]


def directions(C: int, overlap: float) -> Tensor:
    """Unit vectors k_1..k_C, (C, C), with the inner product ``overlap`` of any two; ValueError where there are none."""
    gram = torch.full((C, C), overlap, dtype=torch.float64).fill_diagonal_(1.0)
    values, vectors = torch.linalg.eigh(gram)
    if values[0] < -NOTHING:
        raise ValueError(f"overlap = {overlap}; expected at least -1/(C - 1) for C = {C} groups")
    found: Tensor = vectors * values.clamp(min=0).sqrt()
    return found


def simplex(n: int) -> Tensor:
    """n unit vectors that add up to 0, (n, n), all at one angle."""
    found: Tensor = (torch.eye(n, dtype=torch.float64) - 1 / n) * float(n / (n - 1)) ** 0.5
    return found


def tokens(C: int, n: int, lam: float, overlap: float, d: float = 1.0) -> Tensor:
    """b_BOS, c_1..c_C, then d_ci in the order (c, i), as rows (1 + C + C n, 1 + 2 C + C n), all of norm sqrt(d).

    eta_ci = delta k_c (x) s_i; the columns are b_BOS, dbar_c, c_c and the nuisances.
    """
    rows = torch.zeros(1 + C + C * n, 1 + 2 * C + C * n, dtype=torch.float64)
    rows[0, 0] = 1.0
    along, inner, delta = directions(C, overlap), simplex(n), (1 - lam**2) ** 0.5
    for c in range(C):
        rows[1 + c, 1 + C + c] = 1.0
        for i in range(n):
            rows[1 + C + c * n + i, 1 + c] = lam
            rows[1 + C + c * n + i, 1 + 2 * C :] = delta * torch.kron(along[c], inner[i])
    found: Tensor = rows * d**0.5
    return found


def contests(C: int, n: int, pattern: str) -> Tensor:
    """Rows (query, winner, loser) of token places, (K, 3): every visible set of keys is decided by its pairs.

    A dormant token attends to b_BOS (sink) or to itself (diag). A copy query attends to every token of its group over
    everything else, and where none is visible to b_BOS or to itself. Raises ValueError for another pattern.
    """
    if pattern not in PATTERNS:
        raise ValueError(f"pattern = {pattern!r}; expected one of {', '.join(PATTERNS)}")
    keys = range(1 + C + C * n)
    found: set[tuple[int, int, int]] = set()
    for c in range(C):
        group = range(1 + C + c * n, 1 + C + (c + 1) * n)
        for place in group:
            target = 0 if pattern == "sink" else place
            found |= {(place, target, key) for key in keys if key != target}
        query, outside = 1 + c, [key for key in keys if key not in group]
        found |= {(query, winner, key) for winner in group for key in outside}
        target = 0 if pattern == "sink" else query
        found |= {(query, target, key) for key in outside if key != target}
    return torch.tensor(sorted(found))


def brackets(rows: Tensor, ways: Tensor, kappa: float, d: float, gap: float) -> Tensor:
    """Lower and upper bounds (B, 2) of 2 min ||W||_* for tokens (B, N, D) of norm sqrt(d), margins kappa.

    Both are valid at any iterate; the iteration ends at that relative gap, or after ITERATIONS rounds.
    """
    # x^T W x' >= kappa/sqrt(d) for tokens of norm 1 and W is x^T W x' >= kappa for sqrt(d) W
    with one_torch_thread(), torch.inference_mode():
        found: Tensor = _iterated(rows / d**0.5, ways, gap) * (kappa / d**0.5)
    return found


def _iterated(rows: Tensor, ways: Tensor, gap: float) -> Tensor:
    """The bounds for tokens of norm 1 and margins 1."""
    # W may live on the span of the tokens
    left, values, _ = torch.linalg.svd(rows, full_matrices=False)
    small = left * torch.where(values > NOTHING * values[:, :1], values, 0.0)[:, None, :]
    query = small[:, ways[:, 0]]
    winner = small[:, ways[:, 1]] - small[:, ways[:, 2]]
    flat = (query[..., :, None] * winner[..., None, :]).flatten(2)
    size = small.shape[-1]
    # the squared norm of the rows q (w - l)^T is that of their Gram matrix
    gram = (query @ query.mT) * (winner @ winner.mT)
    norm = torch.linalg.eigvalsh(gram)[:, -1].sqrt()[:, None]
    weight = (WEIGHT / norm)[:, None]
    W = flat.new_zeros(len(rows), size, size)
    y = flat.new_zeros(len(rows), len(ways))
    mean_W, mean_y = torch.zeros_like(W), torch.zeros_like(y)
    best = torch.stack([torch.zeros(len(rows)), torch.full((len(rows),), float("inf"))], 1).to(W)
    for _ in range(ITERATIONS // EVERY):
        for _ in range(EVERY):
            u, s, v = torch.linalg.svd(W + _adjoint(flat, y, size) / norm[..., None])
            new = (u * (s[:, None] - weight).clamp_(min=0)) @ v
            y = ((MARGIN - _margins(flat, 2 * new - W)).div_(norm).add_(y)).clamp_(min=0)
            W = new
            mean_W += W
            mean_y += y
        for candidate, weights in ((W, y), (mean_W, mean_y)):
            best = _better(best, flat, candidate, weights)
        if bool((best[:, 1] - best[:, 0] <= gap * best[:, 1]).all()):
            break
    return best


def _margins(flat: Tensor, W: Tensor) -> Tensor:
    return (flat @ W.flatten(1)[..., None])[..., 0]


def _adjoint(flat: Tensor, y: Tensor, size: int) -> Tensor:
    return (y[:, None] @ flat).view(len(y), size, size)


def _better(best: Tensor, flat: Tensor, W: Tensor, y: Tensor) -> Tensor:
    """The bounds after a look at a W and at multipliers y >= 0, made feasible by scaling."""
    least = _margins(flat, W).amin(1)
    high = torch.where(least > 0, 2 * torch.linalg.matrix_norm(W, "nuc") / least.clamp(min=1e-300), float("inf"))
    norm = torch.linalg.matrix_norm(_adjoint(flat, y, W.shape[-1]), 2)
    # y = 0 shows that the least cost is >= 0, and y != 0 with the norm 0 that no W meets the margins
    low = 2 * y.sum(1) / norm.clamp(min=1e-300)
    return torch.stack(
        [torch.maximum(best[:, 0], low * (1 - ROUNDING)), torch.minimum(best[:, 1], high * (1 + ROUNDING))], 1
    )


@lru_cache(maxsize=4096)
def bracket(
    pattern: str, C: int, n: int, lam: Fraction, overlap: Fraction, d: Fraction, kappa: Fraction, gap: float
) -> tuple[float, float]:
    """Bounds of the least cost of one instance."""
    rows = tokens(C, n, float(lam), float(overlap), float(d))[None]
    low, high = brackets(rows, contests(C, n, pattern), float(kappa), float(d), gap)[0].tolist()
    return low, high


def curves(pattern: str, C: int, n: int, lams: Iterable[float], overlap: float, gap: float = 1e-3) -> Tensor:
    """Bounds (B, 2) of the least cost over many lam at once, in units of kappa/sqrt(d)."""
    rows = torch.stack([tokens(C, n, lam, overlap) for lam in lams])
    return brackets(rows, contests(C, n, pattern), 1.0, 1.0, gap)


def _exact(C: str, n: str, lam: str, overlap: str) -> tuple[int, int, Fraction, Fraction]:
    return int(C), int(n), Fraction(lam), Fraction(overlap)


@observation("lampert2026.sec7.diag-lower")
@observation("lampert2026.sec7.diag-lower-other")
def within_budget(C: str, n: str, lam: str, overlap: str, d: str, kappa: str, budget: str) -> Observed:
    """Whether no diagonal solution costs the budget or less, None where the bounds leave it open; and the bounds."""
    spent, place = float(Fraction(budget)), (*_exact(C, n, lam, overlap), Fraction(d), Fraction(kappa))
    decided = None
    for gap in GAPS:
        low, high = bracket("diag", *place, gap)
        if low > spent or high <= spent:
            decided = low > spent
            break
    return {"no solution within the budget": decided, COSTS["diag"]: (low, high)}


@observation("lampert2026.sec7.sinks-always-cheaper")
@observation("lampert2026.sec7.sinks-cheaper-when")
def cheaper(C: str, n: str, lam: str, overlap: str) -> Observed:
    """Whether the least sink cost is below the least diagonal cost, None where that is open; and the bounds of both.

    The bounds are in units of kappa/sqrt(d).
    """
    place, unit = _exact(C, n, lam, overlap), Fraction(1)
    decided = None
    for gap in GAPS:
        (least, most), (low, high) = (bracket(pattern, *place, unit, unit, gap) for pattern in PATTERNS)
        if most < low or least >= high:
            decided = most < low
            break
    return {"sinks cheaper": decided, COSTS["sink"]: (least, most), COSTS["diag"]: (low, high)}
