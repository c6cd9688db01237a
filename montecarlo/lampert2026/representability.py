"""Section 4: whether some W_QK sends every query of J to the sink z_0, and at what norm, from the definition.

W exists with z_i^T W z_0 > z_i^T W z_j for all i in J and every key j != 0 that query i sees exactly where the matrices
z_i (z_0 - z_j)^T lie strictly on one side of a hyperplane through 0 in R^(d x d), whose normal is W.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
import torch
from torch import Tensor

from montecarlo.registry import evaluation, observation, simulation
from montecarlo.separability import Separation, nearest, separate

#: A row z_t of exact numbers: integers, or rationals as strings "p/q".
Row = Sequence[int | str]
#: The keys j != 0 that query i of T tokens sees, from (i, T).
Mask = Callable[[int, int], range]

#: Unit roundoff of float64.
ROUNDOFF = 2.0**-53
#: Draws that are decided at a time, and the most minors of a draw.
CHUNK, MINORS = 1 << 13, 5_000


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

    Where x separates the z_i from 0 and y the z_0 - z_j, W = x y^T shows that it is. Where sum_i w_i z_i = 0, or the
    like for the z_0 - z_j, the constraints summed with w are 0 for every W, so that it is not. Both are looked at in
    every draw. Raises ValueError where N points in R^dim have more than MINORS minors.
    """
    size, N = int(dim), int(points)
    if sum(math.comb(N, k) for k in range(1, size + 1)) > MINORS:
        raise ValueError(f"dim = {size}, points = {N}; expected at most {MINORS} minors a draw; take fewer points")
    decided = []
    for start in range(0, n, CHUNK):
        shape = (N + 1, size, min(CHUNK, n - start))
        normals = torch.randn(shape, generator=generator, device=generator.device, dtype=torch.float64)
        decided.append(_represented(normals / normals.norm(dim=1, keepdim=True)))
    return torch.cat(decided)


def _represented(z: Tensor) -> Tensor:
    """Whether z_0 is representable for the draws z (N + 1, dim, n), all keys visible; (n,) booleans."""
    sink, keys = z[0], z[1:]
    gaps = sink - keys
    # z_0 itself separates where no key reaches as far in its direction
    apart = ((gaps * sink).sum(1) > 0).all(0)
    if not bool(apart.all()):
        apart[~apart] = one_sided(gaps[:, :, ~apart])
    return one_sided(keys) & apart


def one_sided(vectors: Tensor) -> Tensor:
    """Whether 0 is outside the hull of the vectors, (N, dim, n) -> (n,) booleans, for vectors in general position.

    Of N >= dim vectors the cone then has a facet through dim - 1 of them, with all others strictly on one side; and
    every such hyperplane can be tilted until all are. The sides are signs of the dim x dim minors. Of fewer vectors
    the x with v . x = 1 for all v is such a normal.
    """
    N, dim, n = vectors.shape
    if dim > N:
        V = vectors.permute(2, 0, 1)
        normal = V.mT @ torch.linalg.solve(V @ V.mT, torch.ones(N, 1, dtype=V.dtype, device=V.device))
        positive: Tensor = ((V @ normal)[..., 0] > 0).all(1)
        return positive
    minors = _minors(vectors)
    signs = {subset: (minor > 0, minor < 0) for subset, minor in minors.items()}
    found = torch.zeros(n, dtype=torch.bool, device=vectors.device)
    for facet in combinations(range(N), dim - 1):
        above, below = torch.ones_like(found), torch.ones_like(found)
        for other in set(range(N)).difference(facet):
            subset = tuple(sorted((*facet, other)))
            # sorting the new vector into its place changes the sign once for every vector it passes
            even = (dim - 1 - subset.index(other)) % 2 == 0
            above &= signs[subset][0 if even else 1]
            below &= signs[subset][1 if even else 0]
        found |= above | below
    return found


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


def exhaustive(d: int, T: int, size: int) -> Iterator[tuple[list[list[int]], list[int]]]:
    """All integer embeddings z_0..z_T in {-size..size}^d with every non-empty J; (z, J), z a list of rows."""
    rows = list(product(range(-size, size + 1), repeat=d))
    queries = range(1, T + 1)
    subsets = [list(J) for J in chain.from_iterable(combinations(queries, k) for k in queries)]
    for z in product(rows, repeat=T + 1):
        for J in subsets:
            yield [list(row) for row in z], J
