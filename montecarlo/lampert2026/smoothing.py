"""Section 5, fragment [47]: exchangeable tokens under attention between the identity (l = 0) and uniform (l = 1).

Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j z_j), D = E|Y_i|^2, N = E[Y_i^T Y_j] for i != j, R = N/D.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import torch
from torch import Tensor

from montecarlo.draws import normals, uniforms
from montecarlo.registry import instance, observation, simulation

Whole = list[list[int]]

#: Bounds E(f - E f)^4/Var(f)^2 of a quadratic form under every law below: see ``kurtosis_bound``.
KURTOSIS = 450.0
#: Moments E s^4 and E s^8 of the common scale, E s^2 = 1, by law.
SCALES = {"gaussian": (1.0, 1.0, 1.0), "mixture": (2.0, 5.5, 16.25), "student": (1.25, 25 / 12, 125 / 24)}


def kurtosis_bound(law: str) -> float:
    """Bound of the kurtosis of f = s^2 q, q a quadratic form in standard normals (or signs), s independent of it.

    f - E f = s^2 (q - E q) + (s^2 - 1) E q and ||q - E q||_4 <= 3 ||q - E q||_2 (hypercontractivity), so that
    ||f - E f||_4 <= a x + b y with Var f = (c x)^2 + (d y)^2, x = ||q - E q||_2, y = |E q|: at most (a/c)^2 + (b/d)^2.
    """
    second, third, fourth = SCALES.get(law, SCALES["gaussian"])
    square = 9 * fourth**0.5 / second
    if second > 1:
        square += (fourth - 4 * third + 6 * second - 3) ** 0.5 / (second - 1)
    return float(square**2)


def exchangeable(generator: torch.Generator, n: int, k: float, L: Any, m: Any, law: str) -> Tensor:
    """Tokens (n, k, d) of the law that a case names."""
    return tokens(generator, n, int(k), _tensor(L, generator.device), _tensor([m], generator.device)[0], law)


def tokens(generator: torch.Generator, n: int, k: int, L: Tensor, m: Tensor, law: str) -> Tensor:
    """Exchangeable tokens (n, k, d) of the law: s (m + L eta_i), eta_i = g + xi_i, or xi_i minus their mean.

    Normal entries, or signs; s = 1, a mixture of two scales, or that of Student's law with 12 degrees of freedom.
    """
    device, d = generator.device, len(m)
    kind = {"generator": generator, "device": device, "dtype": torch.float64}
    if law == "signs":
        draws = 2.0 * torch.randint(0, 2, (n, k + 1, d), **kind) - 1.0  # type: ignore[call-overload]
    else:
        draws = normals(generator, n, k + 1, d)
    own, shared = draws[:, :k], draws[:, k:]
    eta = own - own.mean(1, keepdim=True) if law == "centred" else own + shared
    z: Tensor = m + eta @ L.T
    if law == "mixture":
        rare = uniforms(generator, n, 1, 1) < 0.2
        z = z * torch.where(rare, 3.0**0.5, 0.5**0.5)
    if law == "student":
        z = z * (10.0 / (normals(generator, n, 12) ** 2).sum(1)).sqrt()[:, None, None]
    return z


def mixed(z: Tensor, W: Tensor, beta: float, level: float) -> Tensor:
    """Y_i(l) for tokens (n, k, d)."""
    return beta * z + ((1 - level) * z + level * z.mean(1, keepdim=True)) @ W.T


def _slope(z: Tensor, beta: float, W: Any, level: float) -> Tensor:
    """The slope of |Y_i(l)|^2 in l for tokens z (n, k, d), sample by sample, averaged over the tokens."""
    matrix = _tensor(W, z.device)
    rate = (z.mean(1, keepdim=True) - z) @ matrix.T
    return 2 * (mixed(z, matrix, beta, level) * rate).sum(-1).mean(1)


@simulation("lampert2026.sec5.dprime-1", kurtosis=KURTOSIS, law=exchangeable)
def dprime_1(z: Tensor, beta: float, W: Any) -> Tensor:
    """The slope of |Y_i(l)|^2 at l = 1, (n,) numbers."""
    return _slope(z, beta, W, 1.0)


@simulation("lampert2026.sec5.dprime-0", kurtosis=KURTOSIS, law=exchangeable)
def dprime_0(z: Tensor, beta: float, W: Any) -> Tensor:
    """The slope of |Y_i(l)|^2 at l = 0, (n,) numbers."""
    return _slope(z, beta, W, 0.0)


@instance("lampert2026.sec5.monotone-iff")
@instance("lampert2026.sec5.dense-smooths-more")
@instance("lampert2026.sec5.dense-smooths-less")
@instance("lampert2026.sec5.uniform-vs-identity")
def two_tokens() -> dict[str, int]:
    """The positions of two tokens: any two, as the law is exchangeable."""
    return {"i": 1, "j": 2}


def _tensor(rows: Any, device: torch.device) -> Tensor:
    return torch.tensor([[float(Fraction(v)) for v in row] for row in rows], dtype=torch.float64, device=device)


def outputs(z: Whole, W: Whole, beta: int, level: Fraction) -> Whole:
    """Y_i(l) of one set of k tokens, times k and the denominator of l: all in integers, as fractions take ten times."""
    k, share, whole = len(z), level.numerator, level.denominator
    sums = [share * sum(column) for column in zip(*z, strict=True)]
    Y = []
    for row in z:
        inner = [(whole - share) * k * v + s for v, s in zip(row, sums, strict=True)]
        Y.append([beta * whole * k * v + _product(line, inner) for v, line in zip(row, W, strict=True)])
    return Y


def _product(one: Sequence[int], two: Sequence[int]) -> int:
    return sum(p * q for p, q in zip(one, two, strict=True))


def own(Y: Whole) -> Fraction:
    """The mean of |Y_i|^2 over the tokens of a set."""
    return Fraction(sum(_product(row, row) for row in Y), len(Y))


def cross(Y: Whole) -> Fraction:
    """The mean of Y_i^T Y_j over the pairs i != j of a set."""
    products = [_product(one, two) for one, two in combinations(Y, 2)]
    return Fraction(sum(products), len(products))


def quadratic(values: Sequence[Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """c_0, c_1, c_2 of the quadratic with these values at l = 0, 1/2, 1."""
    low, middle, high = values
    return low, 4 * middle - 3 * low - high, 2 * (low + high - 2 * middle)


Quadratic = tuple[Fraction, Fraction, Fraction]


def _quadratic(measured: Callable[[Whole], Fraction], tokens: Any, W: Any, beta: Any) -> Quadratic:
    """D(l) (of ``own``) or N(l) (of ``cross``) of the law that picks one of the sets of tokens and permutes it.

    They are quadratic in l as Y is affine in it; a fourth level checks that.
    """
    fine, sets = _in_integers(tokens)
    scale, (matrix, ((weight,),)) = _in_integers([W, [[beta]]])

    def at(level: Fraction) -> Fraction:
        total = sum((measured(outputs(z, matrix, weight, level)) for z in sets), Fraction(0))
        return total / (len(sets) * (fine * scale * level.denominator * len(sets[0])) ** 2)

    c = quadratic([at(Fraction(j, 2)) for j in range(3)])
    level = Fraction(1, 3)
    if c[0] + c[1] * level + c[2] * level**2 != at(level):
        raise ArithmeticError("energies are not quadratic in l; this is a bug of ours")
    return c


def _in_integers(matrices: Any) -> tuple[int, list[Whole]]:
    """The common denominator of some matrices, and these times it."""
    exact = [[[Fraction(v) for v in row] for row in rows] for rows in matrices]
    common = lcm(*(v.denominator for rows in exact for row in rows for v in row))
    return common, [[[int(v * common) for v in row] for row in rows] for rows in exact]


def _both(tokens: Any, W: Any, beta: Any) -> tuple[Quadratic, Quadratic]:
    """D(l) and N(l)."""
    return _quadratic(own, tokens, W, beta), _quadratic(cross, tokens, W, beta)


def least(c: tuple[Fraction, Fraction, Fraction]) -> Fraction:
    """The least value of c_0 + c_1 l + c_2 l^2 on [0, 1]."""
    ends = [c[0], c[0] + c[1] + c[2]]
    if c[2] > 0 and 0 < -c[1] < 2 * c[2]:
        ends.append(c[0] - c[1] ** 2 / (4 * c[2]))
    return min(ends)


def rises(slope: tuple[Fraction, Fraction, Fraction]) -> bool:
    """Whether a function with this slope (a quadratic in l) increases strictly on [0, 1]: slope >= 0 and not 0."""
    return least(slope) >= 0 and any(slope)


def _negative(c: tuple[Fraction, Fraction, Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    return -c[0], -c[1], -c[2]


def _ratio_slope(D: Any, N: Any) -> tuple[Fraction, Fraction, Fraction]:
    """N' D - N D', whose sign is that of R': its cubic terms cancel."""
    return (
        N[1] * D[0] - N[0] * D[1],
        2 * (N[2] * D[0] - N[0] * D[2]),
        N[2] * D[1] - N[1] * D[2],
    )


@observation("lampert2026.sec5.monotone-iff")
def monotone_iff(tokens: Any, W: Any, beta: Any) -> dict[str, bool | tuple[float, float] | None]:
    """Whether D falls or rises strictly on [0, 1], by enumeration of the law in rationals."""
    D = _quadratic(own, tokens, W, beta)
    slope = (D[1], 2 * D[2], Fraction(0))
    return {"D decreasing": rises(_negative(slope)), "D increasing": rises(slope)}


@observation("lampert2026.sec5.dense-smooths-more")
def dense_smooths_more(tokens: Any, W: Any, beta: Any) -> dict[str, bool | tuple[float, float] | None]:
    """Whether R rises strictly on [0, 1]; undecided where sum_i Y_i = 0 always."""
    D, N = _both(tokens, W, beta)
    return {"R increasing": rises(_ratio_slope(D, N)) if _meaningful(tokens, D, N) else None}


@observation("lampert2026.sec5.dense-smooths-less")
def dense_smooths_less(tokens: Any, W: Any, beta: Any) -> dict[str, bool | tuple[float, float] | None]:
    """Whether R falls strictly on [0, 1]; the claim is about N > 0 there, so that sum_i Y_i is not always 0."""
    D, N = _both(tokens, W, beta)
    return {"R decreasing": rises(_negative(_ratio_slope(D, N)))}


def _meaningful(tokens: Any, D: Any, N: Any) -> bool:
    """Whether E|sum_i Y_i|^2 = k D + k (k - 1) N > 0."""
    return bool(D[0] + (len(tokens[0]) - 1) * N[0] > 0)


@observation("lampert2026.sec5.uniform-vs-identity")
def uniform_vs_identity(tokens: Any, W: Any, beta: Any) -> dict[str, bool | tuple[float, float] | None]:
    """R(1) against R(0), whether R has one maximum inside (0, 1), and between which of 65 levels it stands."""
    D, N = _both(tokens, W, beta)
    if not _meaningful(tokens, D, N):
        return {"R(1) > R(0)": None, "R(1) < R(0)": None, "interior maximum": None}
    first, last = N[0] / D[0], sum(N) / sum(D)
    slope = _ratio_slope(D, N)
    # R' > 0 at 0 and < 0 at 1 with a quadratic numerator: exactly one change of sign
    inside = slope[0] > 0 and sum(slope) < 0
    found: dict[str, bool | tuple[float, float] | None] = {
        "R(1) > R(0)": last > first,
        "R(1) < R(0)": last < first,
        "interior maximum": inside,
    }
    if inside:
        grid = [Fraction(j, 64) for j in range(65)]
        ratios = [(N[0] + N[1] * x + N[2] * x * x) / (D[0] + D[1] * x + D[2] * x * x) for x in grid]
        best = max(range(65), key=lambda j: ratios[j])
        found["place"] = (float(grid[max(0, best - 1)]), float(grid[min(64, best + 1)]))
    return found
