"""Trusted rules about hulls: when a sink has a W_QK, what it costs, and how probable it is on the sphere.

The constraints are z_i^T W z_0 > z_i^T W z_j for every query i in J and every key j in [low, high], the keys that i
sees: two expressions in i, T, the window w and the ends first = min J, last = max J. All that is used of them is
1 <= first <= i <= last <= T and w >= 1.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorems.algebra.closed import vanishes
from theorems.algebra.expressions import symbol
from theorems.algebra.pascal import RowSum
from theorems.rules import EQUIVALENCES, licensed, licensed_by, rule
from theorems.rules.analysis import CONCLUSIONS
from theorems.rules.implication import IMPLICATIONS
from theorems.rules.norm import SCHATTEN

Keys = tuple[sp.Expr, sp.Expr]

REPRESENTABLE = "representable"
ONE = sp.Integer(1)
i, T, w, first, last = (symbol(name) for name in ("i", "T", "w", "first", "last"))

#: The keys that query i sees, by the name of the distance of 0 from conv{z_i (x) (z_0 - z_j)}.
SEEN: dict[str, Keys] = {
    "rho_C": (ONE, T),
    "rho_C_causal": (ONE, i),
    "rho_C_window": (sp.Max(ONE, i - w + 1), i),
}
#: The keys in the hull, by the name of z_0's distance from it; of a window, all that some query in J sees.
HULL: dict[str, Keys] = {
    "rho_K": (ONE, T),
    "rho_K_causal": (ONE, last),
    "rho_K_window": SEEN["rho_C_window"],
}

#: Every rule of this module whose conclusion is a necessary condition.
NECESSARY = ("common-key", "full-query")


def at_most(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether left <= right is shown for all 1 <= first <= i <= last <= T and w >= 1: affine forms, Max and Min.

    Written in the gaps of these inequalities, all non-negative, right - left must have non-negative coefficients.
    """
    if isinstance(left, sp.Max):
        return all(at_most(part, right) for part in left.args)
    if isinstance(right, sp.Min):
        return all(at_most(left, part) for part in right.args)
    if isinstance(left, sp.Min):
        return any(at_most(part, right) for part in left.args)
    if isinstance(right, sp.Max):
        return any(at_most(left, part) for part in right.args)
    gaps = sp.symbols("gap:5", cls=sp.Dummy)
    lowest = 1 + gaps[0]
    query = lowest + gaps[1]
    highest = query + gaps[2]
    table = {first: lowest, i: query, last: highest, T: highest + gaps[3], w: 1 + gaps[4]}
    form = sp.Poly((right - left).xreplace(table), *gaps)
    return form.total_degree() <= 1 and not form.free_symbols_in_domain and all(c >= 0 for c in form.coeffs())


def _visible(low: sp.Expr, high: sp.Expr) -> bool:
    """Whether [low, high] are keys among 1..T for every query."""
    return at_most(ONE, low) and at_most(high, T)


def _is_product(margin: sp.Expr, factors: tuple[sp.Expr, sp.Expr]) -> bool:
    """Whether q s - q k, the score of the sink less that of a key, is <W, left (x) right> for the factors.

    Scores are bilinear, so that the letters q (the query z_i), s (the sink z_0) and k (the key z_j) may commute.
    """
    q, s, k = (symbol(name) for name in ("q", "s", "k"))
    left, right = factors
    return left == q and vanishes(margin - (q * s - q * k)) and vanishes(left * right - margin)


@rule("gordan")
def gordan(
    property: str, conditions: tuple[str, ...], low: sp.Expr, high: sp.Expr, margin: sp.Expr, factors: tuple[Any, Any]
) -> bool:
    """A W with z_i^T W (z_0 - z_j) > 0 for all pairs exists iff the hull of the z_i (z_0 - z_j)^T does not hold 0.

    The pairs must be those that the named distance is about. Trusted: Gordan's theorem (1873), for matrices as vectors.
    """
    named = [name for name, keys in SEEN.items() if conditions == (f"{name} > 0",) and keys == (low, high)]
    return property == REPRESENTABLE and bool(named) and _is_product(margin, factors)


@rule("nearest-point")
def nearest_point(
    property: str,
    conditions: tuple[str, ...],
    low: sp.Expr,
    high: sp.Expr,
    margin: sp.Expr,
    factors: tuple[Any, Any],
    segment: sp.Expr,
    slope: sp.Expr,
) -> bool:
    """The same by projection: the point p of the hull nearest to 0 is a W, as <p, c> >= |p|^2 for every c of the hull.

    ``segment`` is |p + t (c - p)|^2 in pp = |p|^2, pc = <p, c>, cc = |c|^2, not below pp for t in [0, 1], so that its
    ``slope`` 2 (pc - pp) at t = 0 is not negative. Where the hull holds 0, sum w <W, c> = 0 with weights w >= 0 of sum
    1, and not all <W, c> are positive. Trusted: the hull of finitely many points is compact and has a nearest point.
    """
    t, pp, pc, cc = (symbol(name) for name in ("t", "pp", "pc", "cc"))
    quadratic = vanishes(segment - ((1 - t) ** 2 * pp + 2 * t * (1 - t) * pc + t**2 * cc))
    first_order = vanishes(sp.diff(segment, t).xreplace({t: sp.Integer(0)}) - slope)
    return quadratic and first_order and gordan(property, conditions, low, high, margin, factors)


@rule("common-key")
def common_key(condition: str, low: sp.Expr, high: sp.Expr, key: sp.Expr) -> bool:
    """If every query sees one key k, a W exists only if conv{z_i : i in J} does not hold 0.

    For weights a >= 0 of sum 1 with sum_i a_i z_i = 0 give sum_i a_i z_i^T W (z_0 - z_k) = 0, a mean of positive
    numbers. Trusted: this argument.
    """
    fixed = not key.has(i)
    return condition == "rho_Q > 0" and fixed and _visible(low, high) and at_most(low, key) and at_most(key, high)


@rule("full-query")
def full_query(condition: str, low: sp.Expr, high: sp.Expr, query: sp.Expr) -> bool:
    """If one query q in J sees all the keys of a hull, a W exists only if that hull does not hold z_0.

    For weights b >= 0 of sum 1 with sum_j b_j (z_0 - z_j) = 0 give sum_j b_j z_q^T W (z_0 - z_j) = 0, a mean of
    positive numbers. q is min J or max J, which J holds. Trusted: this argument.
    """
    if query not in (first, last) or not _visible(low, high):
        return False
    sees = low.xreplace({i: query}), high.xreplace({i: query})
    return any(
        condition == f"{name} > 0" and not bottom.has(i) and at_most(sees[0], bottom) and at_most(top, sees[1])
        for name, (bottom, top) in HULL.items()
    )


@rule("rank-one")
def rank_one(conditions: tuple[str, ...], low: sp.Expr, high: sp.Expr, score: sp.Expr, least: sp.Expr) -> bool:
    """W = u v^T is a W where u and v are not 0, the points of conv{z_i} and of conv{z_0 - z_j} nearest to 0.

    z_i^T W (z_0 - z_j) = (u^T z_i) (v^T (z_0 - z_j)), the ``score`` in uz and vk, is at least |u|^2 |v|^2, ``least`` in
    rho_Q = |u| and in |v|, which is z_0's distance from a hull that must hold every key that is seen. Trusted:
    u^T z >= |u|^2 on a convex set whose point nearest to 0 is u.
    """
    uz, vk, rho_Q = (symbol(name) for name in ("uz", "vk", "rho_Q"))
    for name, (bottom, top) in HULL.items():
        if conditions != ("rho_Q > 0", f"{name} > 0"):
            continue
        covered = at_most(bottom, low) and at_most(high, top)
        squares = {uz: rho_Q**2, vk: symbol(name) ** 2}
        return covered and score == uz * vk and vanishes(score.xreplace(squares) - least)
    return False


@rule("necessary-and-sufficient")
def necessary_and_sufficient(property: str, conditions: tuple[str, ...], parts: tuple[Any, ...]) -> bool:
    """Conditions that are necessary one by one and sufficient together, for the same pairs of queries and keys."""
    if property != REPRESENTABLE or not all(licensed(part) for part in parts):
        return False
    if len({part.data[1:3] for part in parts}) != 1:
        return False
    needed = {part.data[0] for part in parts if part.rule in NECESSARY}
    enough = [part.data[0] for part in parts if part.rule == "rank-one"]
    return needed == set(conditions) and enough == [conditions]


@rule("sufficient-alone")
def sufficient_alone(property: str, conditions: tuple[str, ...], low: sp.Expr, high: sp.Expr, part: Any) -> bool:
    """Conditions under which rank-one makes a W, for the same keys: they suffice, necessary or not."""
    made = licensed_by(part, {"rank-one"}) and part.data[:3] == (conditions, low, high)
    return property == REPRESENTABLE and made and (low, high) in SEEN.values()


EQUIVALENCES.update({"gordan", "nearest-point", "necessary-and-sufficient"})
IMPLICATIONS.add("sufficient-alone")


# -- the least norm of W with margins z_i^T W (z_0 - z_j)/sqrt(d) >= kappa, all keys visible, rho_Q > 0 and rho_K > 0

#: With rho_Q or rho_K = 0 no W has the margins, and 0 has those below 0.
SINKS = ("kappa > 0", "rho_Q > 0", "rho_K > 0")
#: What z_i^T W (z_0 - z_j) must at least be.
MARGIN = symbol("kappa") * sp.sqrt(symbol("d"))
rho_Q, rho_K = symbol("rho_Q"), symbol("rho_K")


@rule("sink-dual", needs=SINKS)
def sink_dual(norm: str, margin: sp.Expr, pairing: sp.Expr, lower: sp.Expr) -> bool:
    """||W|| >= lower for every W with the margins: u^T W v is a weighted mean of margins, and at most ``pairing``.

    u = sum_i a_i z_i and v = sum_j b_j (z_0 - z_j) are the points of the hulls nearest to 0, so u^T W v =
    sum_{i,j} a_i b_j z_i^T W (z_0 - z_j) >= margin, and u^T W v <= ||W|| |u| |v| for the ``norm`` of W, |u| = rho_Q and
    |v| = rho_K. Trusted: this for the spectral norm, which is at most the Frobenius and the nuclear norm.
    """
    size = symbol(norm)
    if norm not in SCHATTEN or margin != MARGIN or pairing != size * rho_Q * rho_K:
        return False
    return vanishes(pairing.xreplace({size: lower}) - margin)


@rule("sink-primal", needs=SINKS)
def sink_primal(norm: str, margin: sp.Expr, factor: sp.Expr, value: sp.Expr) -> bool:
    """W = c u v^T with c >= 0 has the margins, and the norm ``value`` = c |u| |v|.

    z_i^T W (z_0 - z_j) = c (u^T z_i) (v^T (z_0 - z_j)) >= c |u|^2 |v|^2. Trusted: u^T z >= |u|^2 on a convex set whose
    point nearest to 0 is u, and that all these norms of a matrix of rank one are its one singular value.
    """
    made = margin == MARGIN and vanishes(factor * rho_Q**2 * rho_K**2 - margin)
    return norm in SCHATTEN and made and vanishes(factor * rho_Q * rho_K - value)


@rule("least-norm")
def least_norm(norm: str, value: sp.Expr, parts: tuple[Any, Any]) -> bool:
    """A lower bound of a norm that a W with the margins attains is the least one.

    Each of the two rules licenses one value only, margin/(rho_Q rho_K).
    """
    dual, primal = parts
    if (dual.rule, primal.rule) != ("sink-dual", "sink-primal") or not all(licensed(part) for part in parts):
        return False
    return dual.data[0] == primal.data[0] == norm and vanishes(dual.data[3] - value)


# -- independent uniform points on the sphere

#: The claims' names for the dimension of the sphere, and for the number of points on it beside z_0.
DIMENSION, COUNT = "dim", "points"


@rule("strict-sphere")
def strict_sphere(condition: str, dimension: str, least: int, gap: sp.Expr, inner: sp.Expr) -> bool:
    """Independent uniform points z_0..z_N of a sphere in dimension >= 2: almost surely z_0 is in no hull of the others.

    z_0 = sum_j b_j z_j means sum_j b_j z_0^T z_j = 1, so that z_0^T z_j = 1 for some j, as |z_0 - z_j|^2 = ``gap``
    in the inner product c gives ``inner`` = 1 - gap/2 <= 1; then gap = 0 and z_j = z_0. Trusted: the uniform law on
    a sphere in dimension >= 2 has no atoms (in dimension 1 it has two).
    """
    c = symbol("c")
    known = inner == c and vanishes(gap - (2 - 2 * c))
    return condition in ("rho_K > 0", "rho_K_causal > 0") and dimension == DIMENSION and least >= 2 and known


@rule("hyperplane-cells")
def hyperplane_cells(dimension: str, count: str, cells: sp.Expr) -> bool:
    """The number C(N, d) of cells of N hyperplanes through 0 in general position, N >= 1 and d >= 1, by its recursion.

    Without one hyperplane there are C(N - 1, d) cells; the others meet it in general position, in C(N - 1, d - 1) cells
    of its own, each of which cuts one in two: C(N, d) = C(N - 1, d) + C(N - 1, d - 1) for N, d >= 2, with C(1, d) = 2
    and C(N, 1) = 2. Checked, for every N and d by Pascal's rule: the formula meets the recursion and both ends, which
    leave no other. Trusted: this count of cells (Schlaefli; Cover 1965).
    """
    d, N = symbol(dimension), symbol(count)
    fewer = cells.xreplace({N: N - 1})
    recursion = pascal(cells) - fewer - fewer.xreplace({d: d - 1})
    ends = (cells.xreplace({name: ONE}).replace(RowSum, _first_term) for name in (N, d))
    return sp.expand(recursion) == 0 and all(end == 2 for end in ends)


def pascal(form: sp.Expr) -> sp.Expr:
    """Every RowSum(n, m) as RowSum(n - 1, m) + RowSum(n - 1, m - 1)."""
    return form.replace(RowSum, lambda n, m: RowSum(n - 1, m) + RowSum(n - 1, m - 1))


def _first_term(n: sp.Expr, m: sp.Expr) -> sp.Expr:
    """RowSum(n, m) for m <= 0, and RowSum(0, d - 1) = 1 for any d >= 1; not a number for any other sum."""
    if m.is_nonpositive:
        return sp.Integer(m == 0)
    return ONE if n == 0 and (m + 1).is_Symbol else sp.nan


def _given(*data: Any) -> tuple[str, ...]:
    return tuple(data[5])


@rule("random-signs", needs=_given)
def random_signs(
    probability: sp.Expr,
    dimension: str,
    count: str,
    queries: Keys,
    keys: Keys,
    given: tuple[str, ...],
    parts: tuple[Any, Any, Any],
) -> bool:
    """P(representable) = C(N, d)/2^N for N uniform points: which side of 0 they are on is N independent signs.

    ``queries`` and ``keys`` are the two ends of J and of the keys that i sees: J holds every token, so that the hull of
    the queries has N points, T = N, and the equivalence is about these keys. ``given`` are d >= 2 and N >= 1.
    Representable means that neither hull holds its point; z_0 is almost surely outside of its hull, and 0 is outside of
    conv{s_j z_j} iff some x has s_j x . z_j > 0 for all j: s is the signs of a cell of the hyperplanes z_j . x = 0.
    Trusted: s_j z_j for independent fair signs s_j is distributed as z_j; every cell has signs of its own; independent
    uniform points are almost surely in general position (Wendel 1962).
    """
    equivalence, sphere, cells = parts
    both = licensed_by(equivalence, ("necessary-and-sufficient",)) and licensed_by(sphere, ("strict-sphere",))
    if not both or not licensed_by(cells, ("hyperplane-cells",)) or queries != (ONE, T):
        return False
    seen = {part.data[1:3] for part in equivalence.data[2]}
    met = set(equivalence.data[1]) == {"rho_Q > 0", sphere.data[0]} and seen == {keys}
    about = sphere.data[1] == dimension and cells.data[:2] == (dimension, count) and count == COUNT
    said = given == (f"{dimension} >= {sphere.data[2]}", f"{count} >= 1")
    return met and about and said and vanishes(probability * 2 ** symbol(count) - cells.data[2])


CONCLUSIONS.update({"least-norm": 1, "random-signs": 0})
