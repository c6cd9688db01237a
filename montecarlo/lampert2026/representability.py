"""Section 4: whether some W_QK sends every query of J to the sink z_0, and at what norm, from the definition.

W exists with z_i^T W z_0 > z_i^T W z_j for all i in J and every key j != 0 that query i sees exactly where the matrices
z_i (z_0 - z_j)^T lie strictly on one side of a hyperplane through 0 in R^(d x d), whose normal is W.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from montecarlo.draws import normals
from montecarlo.registry import drawing, evaluation, instance, observation, simulation
from montecarlo.separability import Separation, nearest, separate

#: A row z_t of exact numbers: integers, or rationals as strings "p/q".
Row = Sequence[int | str]
#: The keys j != 0 that query i of T tokens sees, from (i, T).
Mask = Callable[[int, int], range]

#: Unit roundoff of float64.
ROUNDOFF = 2.0**-53
#: Draws that are decided at a time, and the most minors of a draw.
CHUNK, MINORS = 1 << 13, 5_000
#: Margins of a W of norm 1 below this one are none; the largest that a draw of unit vectors allows is below by no more
#: than a chance of this size.
MARGIN = 1e-12


def constraints(z: Sequence[Row], J: Sequence[int], mask: Mask) -> list[tuple[Fraction, ...]]:
    """The z_i (z_0 - z_j)^T, each read row by row as d^2 exact numbers, i in J and j over the keys that i sees."""
    rows = [[Fraction(entry) for entry in row] for row in z]
    gaps = [[a - b for a, b in zip(rows[0], row, strict=True)] for row in rows]
    last = len(rows) - 1
    return [tuple(a * b for a in rows[i] for b in gaps[j]) for i in J for j in mask(i, last)]


def representable(z: Sequence[Row], J: Sequence[int], mask: Mask) -> Separation | None:
    """Whether W exists, with W itself or with weights of the constraints that rule it out; None where undecided."""
    return separate(constraints(z, J, mask))


def full(i: int, T: int) -> range:
    """Every key 1..T."""
    return range(1, T + 1)


def causal(i: int, T: int) -> range:
    """The keys 1..i."""
    return range(1, i + 1)


def window(w: int) -> Mask:
    """The last w keys up to the query, max(1, i - w + 1)..i."""
    return lambda i, T: range(max(1, i - w + 1), i + 1)


@instance("lampert2026.sec4.prop41")
@instance("lampert2026.sec4.prop41-causal")
@instance("lampert2026.sec4.prop41-window")
@instance("lampert2026.sec4.cost")
def embeddings(z: Sequence[Row], J: Sequence[int]) -> dict[str, Any]:
    """z_0, ..., z_n and the queries; a window and a margin are the case's own."""
    return {"z": z, "J": J, "n": len(z) - 1}


def _observed(found: Separation | None) -> dict[str, bool | None]:
    return {"representable": None if found is None else found.separable}


@observation("lampert2026.sec4.prop41")
def prop41(z: Sequence[Row], J: Sequence[int]) -> dict[str, bool | None]:
    """Whether the sink is representable, all keys visible."""
    return _observed(representable(z, J, full))


@observation("lampert2026.sec4.prop41-causal")
def prop41_causal(z: Sequence[Row], J: Sequence[int]) -> dict[str, bool | None]:
    """Whether the sink is representable under the causal mask."""
    return _observed(representable(z, J, causal))


@observation("lampert2026.sec4.prop41-window")
def prop41_window(z: Sequence[Row], J: Sequence[int], w: int) -> dict[str, bool | None]:
    """Whether the sink is representable where a query sees the sink and the last w keys."""
    return _observed(representable(z, J, window(w)))


@evaluation("lampert2026.sec4.cost")
def cost(z: Sequence[Row], J: Sequence[int], kappa: str | int | float | Fraction) -> dict[str, tuple[float, float]]:
    """The least norms of W with z_i^T W (z_0 - z_j)/sqrt(d) >= kappa > 0 for i in J and j >= 1, each with its error.

    A point M of the hull of the A_ij = z_i (z_0 - z_j)^T bounds every norm from below: its weights sum to 1, so
    kappa sqrt(d) <= <W, M> <= |W| |M|' with the dual norm. From above, W = kappa sqrt(d) M / min_ij <A_ij, M> is
    admissible. Value and error are middle and half width of the two bounds, roundoff included; (inf, 0) where no W
    exists. Raises ArithmeticError where M is too inaccurate to be scaled to a W.
    """
    vectors = constraints(z, J, full)
    found = separate(vectors)
    if found is None:
        raise ArithmeticError(f"J = {J}: whether any W reaches the margin was not decided")
    if not found.separable:
        return dict.fromkeys(("spectral", "frobenius", "nuclear"), (math.inf, 0.0))
    A = np.array([[float(entry) for entry in v] for v in vectors])
    d = len(z[0])
    M = nearest(A) @ A
    sizes = np.linalg.norm(A, axis=1)
    # rounding of the entries of A and of the sum over them, and as much again of weights that sum to 1
    error = 2 * (len(A) + 8) * ROUNDOFF * float(sizes.max())
    size = float(np.linalg.norm(M))
    margin = float((A @ M - (d * d + 4) * ROUNDOFF * sizes * size).min())
    if margin <= 0:
        raise ArithmeticError(f"J = {J}: float64 does not tell the margin {margin} of the nearest point from 0")
    values = np.linalg.svd(M.reshape(d, d), compute_uv=False)
    norms = {"spectral": float(values[0]), "frobenius": size, "nuclear": float(values.sum())}
    dual = {"spectral": "nuclear", "frobenius": "frobenius", "nuclear": "spectral"}
    # the singular values are off by a few roundoffs of the largest, and quotients and products of norms by as many
    blur = 24 * d * d * ROUNDOFF * size
    scale = float(Fraction(kappa)) * math.sqrt(d)
    brackets = {}
    for name, norm in norms.items():
        low = scale / (norms[dual[name]] + blur + math.sqrt(d) * error)
        high = scale * (norm + blur) / margin
        middle = (low + high) / 2
        brackets[name] = (middle, high - middle + 2 * math.ulp(high))
    return brackets


@simulation("lampert2026.sec4.wendel", bounded=(0, 1))
def wendel(generator: torch.Generator, n: int, dim: float, points: float) -> Tensor:
    """Whether the sink is representable, (n,) booleans: z_0..z_N uniform on the sphere in R^dim, J = [N].

    Every draw is decided by a certificate about the definition itself: see ``decided``. Raises ValueError where N
    points in R^dim have more than MINORS minors.
    """
    size, N = int(dim), int(points)
    if sum(math.comb(N, k) for k in range(1, size + 2)) > MINORS:
        raise ValueError(f"dim = {size}, points = {N}; expected at most {MINORS} minors a draw; take fewer points")
    found = []
    for start in range(0, n, CHUNK):
        found.append(decided(_directions(generator, min(CHUNK, n - start), size, N + 1), range(1, N + 1)))
    return torch.cat(found)


def _directions(generator: torch.Generator, n: int, dim: int, count: int) -> Tensor:
    """n draws of independent points, uniform on the unit sphere in R^dim, (count, dim, n)."""
    drawn = normals(generator, count, dim, n)
    # torch's own norm takes five times as long along an axis that is not the last
    found: Tensor = drawn / (drawn * drawn).sum(1, keepdim=True).sqrt()
    return found


@drawing("lampert2026.sec4.wendel")
def on_the_sphere(generator: torch.Generator, n: int, dim: float, points: float) -> Tensor:
    """z_0, ..., z_N as they are drawn, (n, N + 1, dim), the sink first; n is at most CHUNK."""
    return _directions(generator, n, int(dim), int(points) + 1).permute(2, 0, 1)


@instance("lampert2026.sec4.wendel")
def sizes(dim: str | int, points: str | int) -> dict[str, Any]:
    """The dimension, and the number of tokens with the sink, which is the first."""
    return {"d": int(dim), "T": int(points) + 1}


def decided(z: Tensor, J: Sequence[int]) -> Tensor:
    """Whether some W has z_i^T W (z_0 - z_j) > 0 for all i in J and j >= 1, for draws z (N + 1, dim, n); (n,) booleans.

    Yes by a W of norm 1 whose margins are all above MARGIN; no by weights w_ij >= 0 of sum 1 with
    |sum w_ij z_i (z_0 - z_j)^T| below MARGIN, so that the margins of no W of norm 1 are all above it. How W and the
    weights are guessed bears on nothing. A draw without either is decided in rational arithmetic, as an exact case is.
    """
    queries, gaps = z[list(J)], z[0] - z[1:]
    one = torch.ones_like(z[:1, 0])
    # weights of the queries with one key
    no = residue(queries, gaps[:1], balanced(queries)[:, None] * one[None]) < MARGIN
    left = (~no).nonzero()[:, 0]
    queries, gaps, y, one = queries[:, :, left], gaps[:, :, left], z[0, :, left], one[:, left]
    # z_0 itself where no key reaches as far in its direction
    short = ~((gaps * y).sum(1) > 0).all(0)
    if bool(short.any()):
        # weights of the keys with one query
        keys = gaps[:, :, short]
        no[left[short]] = residue(queries[:1, :, short], keys, one[:, None, short] * balanced(keys)[None]) < MARGIN
        y[:, short] = inward(keys)
    yes = torch.zeros_like(no)
    yes[left] = ~no[left] & (margins(queries, gaps, inward(queries), y) > MARGIN)
    for k in (yes == no).nonzero()[:, 0].tolist():
        exact = [[str(Fraction(entry)) for entry in row] for row in z[:, :, k].tolist()]
        found = representable(exact, J, full)
        if found is None:
            raise ArithmeticError(f"a draw of {len(z) - 1} points was not decided; take another seed")
        yes[k] = found.separable
    return yes


def margins(queries: Tensor, gaps: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The least z_i^T W (z_0 - z_j) over the norm of W = x y^T: queries (J, dim, n), gaps (N, dim, n), x, y (dim, n).

    A margin is (z_i . x) (y . (z_0 - z_j)), and least where both factors are at an end.
    """
    one, other = (torch.stack(torch.aminmax((part * way).sum(1), dim=0)) for part, way in ((queries, x), (gaps, y)))
    least = (one[:, None] * other).amin((0, 1))
    return least / ((x * x).sum(0) * (y * y).sum(0)).sqrt().clamp(min=1e-300)


def residue(queries: Tensor, gaps: Tensor, weights: Tensor) -> Tensor:
    """|sum w_ij z_i (z_0 - z_j)^T| for weights (J, N, n) >= 0, over their sum; infinite where that is 0."""
    size = weights.sum((0, 1))
    found, some = torch.full_like(size, torch.inf), (size > 0).nonzero()[:, 0]
    total = torch.einsum("ijn,ian,jbn->abn", *(part[..., some] for part in (weights, queries, gaps)))
    found[some] = (total * total).sum((0, 1)).sqrt() / size[some]
    return found


def inward(vectors: Tensor) -> Tensor:
    """A guess of an x with x . v > 0 for all of the vectors (N, dim, n), (dim, n); any vector where none was seen.

    The normal of a facet of their cone, tilted a little off it; of fewer vectors than dim, x . v = 1.
    """
    N, dim, n = vectors.shape
    V = vectors.permute(2, 0, 1)
    if dim > N:
        return _even(V).T
    signs, minors = torch.full((n,), -1, device=V.device), _minors(vectors)
    sides = {subset: _sides(minor) for subset, minor in minors.items()}
    facets = list(combinations(range(N), dim - 1))
    for place, facet in enumerate(facets):
        above, below = torch.ones((2, n), dtype=torch.bool, device=V.device)
        for other in set(range(N)).difference(facet):
            subset = tuple(sorted((*facet, other)))
            # sorting the new vector into its place changes the sign once for every vector it passes
            odd = (dim - 1 - subset.index(other)) % 2
            above &= sides[subset][odd]
            below &= sides[subset][1 - odd]
        signs = torch.where(above | below, place, signs)
    chosen = V[torch.arange(n, device=V.device)[:, None], torch.tensor(facets, device=V.device)[signs.clamp(min=0)]]
    # what is normal to all of them, by its cofactors
    cofactors = _minors(chosen.permute(2, 1, 0))
    normal = torch.stack([(-1) ** c * cofactors[tuple(k for k in range(dim) if k != c)] for c in range(dim)], 1)
    tilt = _even(chosen)
    reach, off = ((V @ way[:, :, None])[..., 0] for way in (normal, tilt))
    turned = torch.where(reach.sum(1) < 0, -1.0, 1.0)
    # what lies on the facet is off it by rounding alone
    far = torch.where(off > 0.5, torch.inf, turned[:, None] * reach)
    step = (far / off.abs().clamp(min=1e-9)).amin(1).clamp(max=1.0) / 2
    return (turned[:, None] * normal + step[:, None] * tilt).T


def _even(V: Tensor) -> Tensor:
    """The shortest x with x . v = 1 for the rows v of V (n, k, dim), k <= dim; (n, dim)."""
    ones = torch.ones(len(V), V.shape[1], 1, dtype=V.dtype, device=V.device)
    found: Tensor = (V.mT @ torch.linalg.solve_ex(V @ V.mT, ones)[0])[..., 0]
    return found


def balanced(vectors: Tensor) -> Tensor:
    """A guess of weights >= 0 with sum w_k v_k = 0 for vectors (N, dim, n), (N, n); all 0 where none was seen.

    By Cramer's rule: the minors of dim + 1 vectors that are balanced have alternating signs.
    """
    N, dim, n = vectors.shape
    weights = torch.zeros(N, n, dtype=vectors.dtype, device=vectors.device)
    subsets = list(combinations(range(N), dim + 1))
    if not subsets:
        return weights
    minors = _minors(vectors)
    sides = {subset: _sides(minor) for subset, minor in minors.items()}
    parts = [[subset[:k] + subset[k + 1 :] for k in range(dim + 1)] for subset in subsets]
    chosen = torch.full((n,), -1, device=vectors.device)
    for place, some in enumerate(parts):
        one, other = (
            reduce(torch.bitwise_and, [sides[p][(k + first) % 2] for k, p in enumerate(some)]) for first in (0, 1)
        )
        chosen.masked_fill_(one | other, place)
    found = (chosen >= 0).nonzero()[:, 0]
    number = {subset: k for k, subset in enumerate(minors)}
    of = torch.tensor([[number[p] for p in some] for some in parts], device=vectors.device)[chosen[found]].T
    rows = torch.tensor(subsets, device=vectors.device)[chosen[found]].T
    weights[rows, found] = torch.stack([*minors.values()])[of, found].abs()
    return weights


def _sides(minor: Tensor) -> tuple[Tensor, Tensor]:
    """Where a minor is positive, and where it is not."""
    positive = minor > 0
    return positive, ~positive


def _minors(vectors: Tensor) -> dict[tuple[int, ...], Tensor]:
    """The determinants of all dim of the vectors (N, dim, n), by Laplace expansion along the last coordinate."""
    N, dim, _ = vectors.shape
    minors: dict[tuple[int, ...], Tensor] = {(k,): vectors[k, 0] for k in range(N)}
    for order in range(2, dim + 1):
        larger: dict[tuple[int, ...], Tensor] = {}
        for subset in combinations(range(N), order):
            total = vectors[subset[-1], order - 1] * minors[subset[:-1]]
            for place in range(order - 1):
                rest = subset[:place] + subset[place + 1 :]
                sign = 1 if (order - 1 - place) % 2 == 0 else -1
                total = torch.addcmul(total, vectors[subset[place], order - 1], minors[rest], value=sign)
            larger[subset] = total
        minors = larger
    return minors
