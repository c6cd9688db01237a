"""Section 7: what the statements' names stand for at a case, with rational entries: p[0..2 C] and eta[1..C, 1..n].

p[0] is b_BOS, p[c] is dbar_c and p[C + c] is c_c. A case whose vectors have no rational entries has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import isqrt
from typing import Any

from montecarlo.rational_vectors import Row, orthogonal
from montecarlo.registry import instance

Vectors = list[Row]
#: Numbers of dimensions with rational roots.
SQUARES = (4, 9, 16, 25, 36)
#: Three unit vectors with the sum 0 in four orthonormal ones.
TRIANGLE = ((1, 1, 1, 1), (-1, -1, -1, 1), (0, 0, 0, -2))
#: Unit vectors of equal inner products in four orthonormal ones, by the inner product.
DIRECTIONS = {
    Fraction(-1, 2): tuple(tuple(Fraction(x, 2) for x in row) for row in TRIANGLE),
    Fraction(1, 2): tuple(tuple(Fraction(x, 2) for x in row) for row in ((1, 1, 1, 1), (0, 0, 0, 2), (1, 1, -1, 1))),
    Fraction(9, 10): tuple(tuple(Fraction(x, 10) for x in row) for row in ((10, 0, 0, 0), (9, 3, 3, 1))),
}
#: Cosine and sine of the angle between near-collinear pairs.
NEAR = Fraction(63, 65), Fraction(16, 65)
#: The families of nuisances whose vectors are pairs or triangles, by their number.
PAIRS, SHARED, OPPOSITE, NEARLY = 1, 3, 4, 5


def structural(C: int, d: int) -> Vectors | None:
    """sqrt(d) times 2 C + 1 unit vectors, where that root is rational; None else."""
    if isqrt(d) ** 2 != d or d < 2 * C + 1:
        return None
    return [[Fraction(isqrt(d) * (k == j)) for k in range(d)] for j in range(2 * C + 1)]


def combined(weights: Sequence[int | Fraction], vectors: Vectors) -> Row:
    """sum of weights times vectors."""
    columns = zip(*vectors, strict=True)
    return [sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) for column in columns]


def group(n: int, basis: Vectors, near: bool = False) -> Vectors | None:
    """n vectors with the sum 0, of the length of the orthogonal ones of the basis: pairs, or a triangle for n = 3."""
    if n == 3:
        return [combined([Fraction(x, 2) for x in row], basis) for row in TRIANGLE] if len(basis) == 4 else None
    if n % 2 or len(basis) < n // 2 or (near and n > 4):
        return None
    lines = [combined(NEAR, basis[:2]) if near and k else basis[k] for k in range(n // 2)]
    return [[sign * x for x in line] for line in lines for sign in (1, -1)]


def needed(n: int) -> int:
    """The orthogonal vectors that a group is made of."""
    return 4 if n == 3 else n // 2


def placed(groups: list[Vectors], C: int, d: int) -> list[Vectors] | None:
    """The nuisances in the dimensions beyond the structural ones; None where there are too few."""
    size = max(len(row) for rows in groups for row in rows)
    if 2 * C + 1 + size > d:
        return None
    before, after = [Fraction(0)] * (2 * C + 1), [Fraction(0)] * (d - 2 * C - 1 - size)
    return [[[*before, *row, *after] for row in rows] for rows in groups]


def of_family(C: int, n: int, lam: Fraction, d: int, family: int) -> list[Vectors] | None:
    """The nuisances of a family of ``costs.FAMILIES``: those of other groups orthogonal, the same, or opposite."""
    if family not in (PAIRS, OPPOSITE, NEARLY) and n > 3:
        return None
    if family > NEARLY:
        return None
    square, each = (1 - lam**2) * d, needed(n)
    shared = family in (SHARED, OPPOSITE)
    basis = orthogonal(square, each if shared else C * each)
    groups = [group(n, basis if shared else basis[c * each : (c + 1) * each], family == NEARLY) for c in range(C)]
    found = [rows for rows in groups if rows is not None]
    if len(found) < C:
        return None
    turned = [
        [[-x for x in row] for row in rows] if family == OPPOSITE and c % 2 else rows for c, rows in enumerate(found)
    ]
    return placed(turned, C, d)


def overlapping(C: int, n: int, lam: Fraction, d: int, overlap: Fraction) -> list[Vectors] | None:
    """Nuisances along directions of the groups with that inner product: pairs, or triangles."""
    if C == 1 or overlap in (0, 1):
        return of_family(C, n, lam, d, SHARED if overlap == 1 else PAIRS) if n in (2, 3) else None
    if n != 2 or len(DIRECTIONS.get(overlap, ())) < C:
        return None
    basis = orthogonal((1 - lam**2) * d, 4)
    lines = [combined(row, basis) for row in DIRECTIONS[overlap][:C]]
    return placed([[line, [-x for x in line]] for line in lines], C, d)


def _numbers(exact: Mapping[str, Any]) -> tuple[int, Fraction, int]:
    return int(Fraction(exact["C"])), Fraction(exact["lam"]), int(Fraction(exact.get("d", 16)))


@instance("lampert2026.sec7.lower-constant")
@instance("lampert2026.sec7.sink-lower")
def copies(exact: Mapping[str, Any]) -> dict[str, Any] | None:
    """The structural embeddings; the claims about the copy queries alone have no nuisances."""
    C, _, d = _numbers(exact)
    p = structural(C, d)
    return None if p is None else {"p": p}


def nuisances(exact: Mapping[str, Any], d: int) -> dict[str, Any] | None:
    """Embeddings in d dimensions with the nuisances of an overlap; None where they have no rational entries there."""
    C, lam, _ = _numbers(exact)
    p, eta = structural(C, d), overlapping(C, int(exact["n"]), lam, d, Fraction(exact["overlap"]))
    return None if p is None or eta is None else {"p": p, "eta": eta}


@instance("lampert2026.sec7.diag-lower")
@instance("lampert2026.sec7.diag-lower-other")
def within_budget(exact: Mapping[str, Any]) -> dict[str, Any] | None:
    """The embeddings of a case."""
    return nuisances(exact, _numbers(exact)[2])


@instance("lampert2026.sec7.sinks-always-cheaper")
@instance("lampert2026.sec7.sinks-cheaper-when")
def cheaper(exact: Mapping[str, Any]) -> dict[str, Any] | None:
    """The embeddings of a case for kappa = 1, in the least square number of dimensions in which they are rational."""
    made = ((d, nuisances(exact, d)) for d in SQUARES)
    return next(({**found, "d": d, "kappa": 1} for d, found in made if found is not None), None)


@instance("lampert2026.sec7.sink-construction")
@instance("lampert2026.sec7.diag-construction")
def constructed(exact: Mapping[str, Any]) -> dict[str, Any] | None:
    """The embeddings of a case, with the nuisances of its family."""
    C, lam, d = _numbers(exact)
    p, eta = structural(C, d), of_family(C, int(Fraction(exact["n"])), lam, d, int(Fraction(exact["family"])))
    return None if p is None or eta is None else {"p": p, "eta": eta}


@instance("lampert2026.sec7.sink-upper")
def pairs(exact: Mapping[str, Any]) -> dict[str, Any] | None:
    """The embeddings of a case with one antipodal pair a group, the cost being that of any nuisances."""
    C, lam, d = _numbers(exact)
    p, eta = structural(C, d), of_family(C, 2, lam, d, PAIRS)
    return None if p is None or eta is None else {"p": p, "eta": eta, "n": 2}


@instance("lampert2026.sec7.diag-upper")
def diagonal(exact: Mapping[str, Any], Delta_diag: float, r_eta: float) -> dict[str, Any] | None:
    """Embeddings of a case with its r_eta and Delta_diag; the cost is that of any others."""
    C, lam, d = _numbers(exact)
    p = structural(C, d)
    for n, family in product((2, 3, 4), (PAIRS, SHARED, OPPOSITE)):
        eta = None if p is None else of_family(C, n, lam, d, family)
        # n unit vectors span n - 1 dimensions, or n/2 in pairs; groups share them or do not
        spanned = (2 if n == 3 else n // 2) * (C if family == PAIRS else 1)
        if eta is None or spanned != r_eta:
            continue
        nearest = min(sum((x - y) ** 2 for x, y in zip(one, two, strict=True)) for one, two in combinations(eta[0], 2))
        if abs(nearest - Fraction(Delta_diag)) <= nearest / 10**9:
            return {"p": p, "eta": eta, "n": n, "Delta_diag": nearest}
    return None
