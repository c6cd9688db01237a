"""Section 7: embeddings of the setting as vectors, every margin of a pattern from its scores, and least costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from montecarlo.registry import evaluation

#: Unit roundoff of float64.
ROUNDOFF = 2.0**-53
#: The nuisances of a group, by the number of their family: see ``nuisances``.
FAMILIES = ("antipodal", "simplex", "shared simplex", "opposite", "near-collinear", "random")
#: How the groups' nuisances lie to one another, by the family unless given.
PLACEMENTS = ("apart", "shared", "opposite", "random")
OWN = dict(zip(FAMILIES, ("apart", "apart", "shared", "opposite", "apart", "random"), strict=True))
#: The angle between near-collinear pairs, of cosine 63/65.
NEAR = math.atan2(16, 63)

Array = NDArray[np.float64]
Bounded = dict[str, tuple[float, float]]


# -- the embeddings


@dataclass(frozen=True)
class Embeddings:
    """b_BOS (d,), dbar_c and c_c (C, d), eta_ci (C, n, d), and lam."""

    bos: Array
    directions: Array
    copies: Array
    nuisance: Array
    lam: float

    @property
    def d(self) -> int:
        """The embedding dimension."""
        return len(self.bos)

    @property
    def dormant(self) -> Array:
        """d_ci = lam dbar_c + eta_ci, (C, n, d)."""
        return self.lam * self.directions[:, None, :] + self.nuisance

    @property
    def keys(self) -> Array:
        """All keys: b_BOS, the copy queries, the dormant tokens group by group, (1 + C + C n, d)."""
        return np.concatenate([self.bos[None], self.copies, self.dormant.reshape(-1, self.d)])

    @property
    def nearest(self) -> float:
        """Delta_diag, the least |eta_ci - eta_cj|^2 over the pairs of a group."""
        gaps = self.nuisance[:, :, None, :] - self.nuisance[:, None, :, :]
        squares = (gaps**2).sum(-1) + np.where(np.eye(gaps.shape[1]) > 0, np.inf, 0.0)
        return float(squares.min())

    @property
    def projector(self) -> Array:
        """P_eta, the orthogonal projector onto the span of all nuisances, (d, d)."""
        _, values, basis = np.linalg.svd(self.nuisance.reshape(-1, self.d), full_matrices=False)
        basis = basis[values > 1e-9 * values[0]]
        return np.asarray(basis.T @ basis)


def unit_family(family: str, n: int, rng: np.random.Generator) -> Array:
    """n unit vectors (n, n) with the sum 0, n >= 2: one of FAMILIES but for how groups are placed."""
    rows = np.zeros((n, n))
    if "simplex" in family or n == 3:
        rows = np.eye(n) - 1 / n
    elif family == "random":
        # pairs with the sums s and -s; of other sizes a regular simplex beside pairs
        rows = _skew(n, rng)
    else:
        for pair in range(n // 2):
            if family == "near-collinear":
                rows[2 * pair, :2] = math.cos(NEAR * pair), math.sin(NEAR * pair)
            else:
                rows[2 * pair, pair] = 1.0
            rows[2 * pair + 1] = -rows[2 * pair]
        if n % 2:
            rows[-3:] = 0.0
            rows[-3:, -3:] = np.eye(3) - 1 / 3
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / sizes)


def _skew(n: int, rng: np.random.Generator) -> Array:
    """Unit vectors with the sum 0 in general position: an edge s/2 +- w and the edge -s/2 +- z opposite; else pairs."""
    rows = np.zeros((n, n))
    start = 0
    if n % 2:
        rows[:3, :3] = np.eye(3) - 1 / 3
        start = 3
    for place in range(start, n, 4):
        basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
        if place + 4 > n:
            rows[place], rows[place + 1] = basis[0], -basis[0]
            continue
        size, turn = rng.uniform(0.2, 1.2), rng.uniform(0.3, 2.8)
        edge = math.sqrt(1 - size**2 / 4)
        s, w = size * basis[0], edge * basis[1]
        z = edge * (math.cos(turn) * basis[1] + math.sin(turn) * basis[2])
        rows[place : place + 4] = s / 2 + w, s / 2 - w, -s / 2 + z, -s / 2 - z
    return rows


def embeddings(C: int, n: int, lam: float, d: int, family: int, placement: str = "") -> Embeddings:
    """Embeddings of the setting in a random orthonormal basis, with the nuisances of FAMILIES[family - 1].

    The groups' nuisances are in orthogonal spaces (apart: antipodal, simplex, near-collinear), the same for all
    (shared), of alternating sign (opposite), or in spaces that meet at random; ``placement`` takes another of
    PLACEMENTS. Raises ValueError where d is too small for them.
    """
    if not 1 <= family <= len(FAMILIES) or n < 2 or C < 1 or not 0 < lam < 1:
        raise ValueError(
            f"C = {C}, n = {n}, lam = {lam}, family = {family}; expected C >= 1, n >= 2, 0 < lam < 1 and a family from "
            f"1 to {len(FAMILIES)}"
        )
    kind = FAMILIES[family - 1]
    placement = placement or OWN[kind]
    apart = placement == "apart"
    # a basis of its own for every lam, too
    rng = np.random.default_rng([C, n, family, d, *divmod(int(lam * 2.0**53), 2**32)])
    groups = [unit_family(kind, n, rng) for _ in range(C)]
    # an orthonormal basis of each group's span
    spans = [np.linalg.svd(group)[2][: np.linalg.matrix_rank(group, tol=1e-9)] for group in groups]
    if placement in ("shared", "opposite"):
        groups = [groups[0] * (-1 if placement == "opposite" and c % 2 else 1) for c in range(C)]
        spans = spans[:1] * C
    needed = 2 * C + 1 + (sum(map(len, spans)) if apart else max(map(len, spans)))
    if needed > d:
        raise ValueError(f"d = {d}; {C} groups of {n} {kind} nuisances need at least {needed} dimensions")
    basis = np.linalg.qr(rng.normal(size=(d, d)))[0] * math.sqrt(d)
    structure, rest = basis[: 2 * C + 1], basis[2 * C + 1 :]
    nuisance, start = [], 0
    for group, span in zip(groups, spans, strict=True):
        place = rest[start : start + len(span)]
        if placement == "random":
            place = np.linalg.qr(rng.normal(size=(len(rest), len(span))))[0].T @ rest
        nuisance.append(math.sqrt(1 - lam**2) * (group @ span.T) @ place)
        start += len(span) if apart else 0
    return Embeddings(structure[0], structure[1 : C + 1], structure[C + 1 :], np.array(nuisance), lam)


# -- margins


def contexts(C: int, n: int, pattern: str) -> Iterator[tuple[int, list[int], list[int]]]:
    """Every demand of a pattern: the query, the visible keys it must attend to, the other visible keys, as indices.

    Keys are numbered as in ``Embeddings.keys``. All may be visible together; for a copy query also all but the dormant
    tokens of its group. With fewer visible keys there are fewer comparisons, none of them new.
    """
    total = 1 + C + C * n
    for query in range(1 + C, total):
        wanted = [0] if pattern == "sink" else [query]
        yield query, wanted, [k for k in range(total) if k not in wanted]
    for c in range(C):
        query, own = 1 + c, list(range(1 + C + c * n, 1 + C + (c + 1) * n))
        yield query, own, [k for k in range(total) if k not in own]
        wanted = [0] if pattern == "sink" else [query]
        yield query, wanted, [k for k in range(total) if k not in own and k not in wanted]


def margins(tokens: Embeddings, W: Array, pattern: str) -> tuple[Array, float]:
    """Every margin of the pattern for W_QK = W, one number a comparison, and a bound of their rounding errors.

    The bound covers entries of tokens that are off by a few roundoffs of their norms, too.
    """
    keys = tokens.keys
    scores = keys @ W @ keys.T / math.sqrt(tokens.d)
    found = [
        scores[query, wanted][:, None] - scores[query, other][None, :]
        for query, wanted, other in contexts(len(tokens.copies), tokens.nuisance.shape[1], pattern)
    ]
    error = 16 * tokens.d * ROUNDOFF * math.sqrt(tokens.d) * float(np.linalg.norm(W))
    return np.concatenate([part.ravel() for part in found]), error


def nuclear(W: Array) -> tuple[float, float]:
    """||W||_* and a bound of its rounding error, d singular values each off by a few roundoffs of the largest."""
    values = np.linalg.svd(W, compute_uv=False)
    return float(values.sum()), 16 * len(W) ** 2 * ROUNDOFF * float(values[0])


# -- the sink construction


def sink_parts(tokens: Embeddings) -> tuple[Array, Array]:
    """What a and b multiply in W_QK: all directions and copy queries to b_BOS, and c_c to dbar_c; (d, d) each."""
    r = tokens.directions.sum(0) + tokens.copies.sum(0)
    return np.outer(r, tokens.bos) / tokens.d, tokens.copies.T @ tokens.directions / tokens.d


def least_pair(first: Array, second: Array, level: float, blur: float) -> tuple[float, float, float]:
    """The least a, then the least b, with a first + b second >= level entry by entry; and their relative error.

    Entries within ``blur`` of 0 count as 0. Raises ArithmeticError where no a and b will do.
    """
    A, B = (np.where(np.abs(part) <= blur, 0.0, part) for part in (first, second))
    if (B < 0).any() or ((B == 0) & (A <= 0)).any():
        raise ArithmeticError("a margin does not rise with b, or with neither a nor b")
    alone, both = (B == 0), (B > 0)
    a = float((level / A[alone]).max())
    b = float(((level - a * A[both]) / B[both]).max())
    scale = min(float(np.abs(A[alone]).min()), float(B[both].min()))
    return a, b, 8 * (blur / scale) * (1 + abs(a / b)) + 16 * ROUNDOFF


def sink_cost(tokens: Embeddings, kappa: float) -> tuple[Array, float, float, float]:
    """W_QK of the sink construction with its least a and b, these two, and their relative error."""
    parts = sink_parts(tokens)
    (first, one), (second, two) = (margins(tokens, part, "sink") for part in parts)
    a, b, error = least_pair(first, second, kappa, one + two)
    return a * parts[0] + b * parts[1], a, b, error


def whole(**counts: float) -> None:
    """ValueError for a count that is no positive integer."""
    for name, value in counts.items():
        if value < 1 or value != int(value):
            raise ValueError(f"{name} = {value}; expected a whole number from 1 on")


@evaluation("lampert2026.sec7.sink-construction")
def sink_construction(C: float, n: float, lam: float, kappa: float, d: float, family: float) -> Bounded:
    """The least a, the least b, the nuclear norm and the least margin of the sink construction, from the vectors."""
    whole(C=C, n=n, d=d, family=family)
    tokens = embeddings(int(C), int(n), lam, int(d), int(family))
    W, a, b, error = sink_cost(tokens, kappa)
    size, rounding = nuclear(W)
    found, blur = margins(tokens, W, "sink")
    margin, doubt = float(found.min()), blur + 4 * error * kappa
    return {
        # each number stands for both of its routes on the other side
        **dict.fromkeys(("nuclear", "nuclear_by_root"), (size, rounding + error * size)),
        "a_bound": (a, error * a),
        "b_bound": (b, error * b),
        "margin": (margin, doubt),
        "shortfall": (max(0.0, kappa - margin), doubt),
        "a": (a, error * a),
        "b": (b, error * b),
    }


# -- the diagonal construction

Formula = Callable[..., float]


def diagonal_parts(tokens: Embeddings, s: float, a: float, b: float) -> Array:
    """Pi^T M_diag Pi, (d, d)."""
    groups, copies = tokens.directions, tokens.copies
    return np.asarray((s * groups.T @ groups + a * copies.T @ copies + b * copies.T @ groups) / tokens.d)


@evaluation("lampert2026.sec7.diag-construction")
def diag_construction(
    C: float,
    n: float,
    lam: float,
    kappa: float,
    d: float,
    family: float,
    s_of: Formula,
    a_of: Formula,
    b_of: Formula,
    alpha_of: Formula,
) -> Bounded:
    """The nuclear norm of M_diag, the least margin of the diagonal construction, and what it lacks of kappa.

    The margin is the least over instances whose groups have the nuisances of the case, up to a rotation of each group:
    that of the case, and ones of two groups or more whose nuisances are the same, opposite, or turned at random.
    """
    whole(C=C, n=n, d=d, family=family)
    sizes = int(C), int(n), lam, int(d), int(family)
    tokens = embeddings(*sizes)
    block, _ = printed_diagonal(tokens, kappa, s_of, a_of, b_of, alpha_of)
    size, rounding = nuclear(block)
    least, doubt = math.inf, 0.0
    for instance in (tokens, *(embeddings(max(2, sizes[0]), *sizes[1:], place) for place in PLACEMENTS[1:])):
        W, alpha = printed_diagonal(instance, kappa, s_of, a_of, b_of, alpha_of)
        found, blur = margins(instance, W + alpha * instance.projector, "diagonal")
        # the projector is off by more where nuisances nearly span less
        least, doubt = min(least, float(found.min())), max(doubt, 64 * blur)
    return {
        **dict.fromkeys(("nuclear", "nuclear_by_root"), (size, rounding)),
        "margin": (least, doubt),
        "shortfall": (max(0.0, kappa - least), doubt),
    }


def printed_diagonal(
    tokens: Embeddings, kappa: float, s_of: Formula, a_of: Formula, b_of: Formula, alpha_of: Formula
) -> tuple[Array, float]:
    """Pi^T M_diag Pi and alpha with the printed constants."""
    table = {"kappa": kappa, "lam": tokens.lam, "d": float(tokens.d), "Delta_diag": tokens.nearest}
    s, a, b, alpha = (float(form(**table)) for form in (s_of, a_of, b_of, alpha_of))
    return diagonal_parts(tokens, s, a, b), alpha


# -- the copy queries alone

#: Relative gap between primal and dual value, penalty, and the most steps of the splitting.
GAP, PENALTY, STEPS = 1e-9, 2.0, 40_000


@lru_cache(maxsize=4096)
def routing_bracket(C: int, lam: float) -> tuple[float, float]:
    """Two numbers that enclose the least ||A||_* under the two families of constraints of the copy queries, for unit
    embeddings and margin 1.

    A has a row for every copy query, and columns for b_BOS and the directions: what is left out of W_QK can only add to
    its nuclear norm. The constraints are A_c . (lam e_c - e_0) >= 1 and A_c . (lam e_c - lam e_c') >= 1; lam A is
    found, with G lam A >= h. Alternating directions between the nuclear norm and the constraints; a point scaled to its
    least margin is feasible, multipliers scaled to ||sum y_k G_k||_2 = 1 are dual feasible, and their values are the
    ends. Where these have not met after STEPS they enclose the value still.
    """
    units = np.eye(C + 1)
    constraints, wanted = [], []
    for c in range(C):
        keys = [lam * units[c + 1] - units[0], *(units[c + 1] - units[e + 1] for e in range(C) if e != c)]
        constraints += [np.outer(np.eye(C)[c], key).ravel() for key in keys]
        # lam A, so that nothing is large for small lam
        wanted += [lam, *[1.0] * (C - 1)]
    G, h = np.array(constraints), np.array(wanted)
    solve = np.linalg.inv(np.eye(G.shape[1]) + G.T @ G)
    Z, U = np.zeros(G.shape[1]), np.zeros(G.shape[1])
    slack, u = np.zeros(len(G)), np.zeros(len(G))
    # nothing costs less than 0; the unit matrix on the directions meets all constraints
    low, high = 0.0, float(C)
    for step in range(1, STEPS + 1):
        left, values, right = np.linalg.svd((Z - U).reshape(C, C + 1), full_matrices=False)
        X = (left * np.maximum(values - 1 / PENALTY, 0.0) @ right).ravel()
        slack = np.maximum(0.0, G @ Z - h - u)
        Z = solve @ (X + U + G.T @ (slack + h + u))
        U += X - Z
        u += slack - G @ Z + h
        if step % 50 == 0:
            low, high = max(low, _dual(G, h, np.maximum(u, 0.0), C)), min(high, _primal(G, h, Z, C))
            if high - low <= GAP * high:
                break
    # the ends themselves are rounded
    return low / lam * (1 - 64 * C * ROUNDOFF), high / lam * (1 + 64 * C * ROUNDOFF)


def _dual(G: Array, h: Array, y: Array, C: int) -> float:
    """The dual value of multipliers y >= 0, scaled to norm 1."""
    norm = float(np.linalg.norm((y @ G).reshape(C, C + 1), 2))
    return float(y @ h) / norm if norm > 0 else 0.0


def _primal(G: Array, h: Array, A: Array, C: int) -> float:
    """The nuclear norm of A, scaled so that its margins are at least h; infinite where one is not positive."""
    margin = float((G @ A / h).min())
    return float(np.linalg.svd(A.reshape(C, C + 1), compute_uv=False).sum()) / margin if margin > 0 else math.inf


def copy_cost(C: int, lam: float, kappa: float, d: float) -> tuple[float, float]:
    """The least 2 ||W_QK||_* under the two families, and half the width of its bracket.

    With embeddings of norm sqrt(d) a score is sqrt(d) times an entry of W_QK in unit vectors.
    """
    low, high = (2 * kappa / math.sqrt(d) * end for end in routing_bracket(C, lam))
    return (low + high) / 2, (high - low) / 2 + 4 * math.ulp(high)


@evaluation("lampert2026.sec7.lower-constant")
def lower_constant(C: float, lam: float, kappa: float, d: float) -> Bounded:
    """The least cost under the two families of the copy queries, enclosed by a primal and a dual value."""
    whole(C=C, d=d)
    return {"cost": copy_cost(int(C), lam, kappa, d)}
