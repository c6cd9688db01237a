"""Section 4: when a W_QK exists that makes BOS a sink, the least norm of one, and the probability on the sphere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

from theorems.algebra import convex
from theorems.algebra.expressions import symbol
from theorems.algebra.pascal import RowSum
from theorems.gaussian.functionals import functional
from theorems.gaussian.numeric import Case
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Equivalence, Expected, Fact, derivation, fact
from theorems.rules.convex import MARGIN, ONE, REPRESENTABLE, SEEN, Keys, T, last, rho_K, rho_Q
from theorems.rules.norm import SCHATTEN

# -- the distances, exactly


def _distance(points: Iterable[convex.Vector]) -> sp.Expr:
    """dist(0, conv(points)), the square root of a rational."""
    square = convex.nearest(points).square
    return sp.sqrt(sp.Rational(square.numerator, square.denominator))


def _embeddings(case: Case) -> tuple[tuple[convex.Vector, ...], tuple[int, ...]]:
    """z_0..z_T and the queries J of a case; KeyError where it has none."""
    return convex.exact(case.raw["z"]), tuple(int(query) for query in case.raw["J"])


def _from_sink(z: tuple[convex.Vector, ...], keys: Iterable[int]) -> sp.Expr:
    """dist(z_0, conv{z_j : j in keys})."""
    return _distance(tuple(s - k for s, k in zip(z[0], z[j], strict=True)) for j in keys)


def _of_products(case: Case, mask: str) -> sp.Expr:
    """dist(0, conv{z_i (x) (z_0 - z_j) : i in J, j seen by i})."""
    z, J = _embeddings(case)
    window = int(case.raw["w"]) if mask == "window" else None
    return _distance(convex.products(z, convex.pairs(len(z) - 1, J, mask, window)))


@functional("rho_Q", latex=r"\rho_Q")
def distance_of_queries(case: Case) -> sp.Expr:
    """dist(0, conv{z_i : i in J})."""
    z, J = _embeddings(case)
    return _distance(z[query] for query in J)


@functional("rho_K", latex=r"\rho_K")
def distance_of_keys(case: Case) -> sp.Expr:
    """dist(z_0, conv{z_1, ..., z_T})."""
    z, _ = _embeddings(case)
    return _from_sink(z, range(1, len(z)))


@functional("rho_K_causal", latex=r"\rho_K^{\mathrm{causal}}")
def distance_of_causal_keys(case: Case) -> sp.Expr:
    """dist(z_0, conv{z_1, ..., z_{max J}})."""
    z, J = _embeddings(case)
    return _from_sink(z, range(1, max(J) + 1))


@functional("rho_K_window", latex=r"\rho_K^{\mathrm{window}}")
def distance_of_window_keys(case: Case) -> sp.Expr:
    """dist(z_0, conv{z_j}) over every key j that some query in J sees among the last w tokens."""
    z, J = _embeddings(case)
    seen = {j for _, j in convex.pairs(len(z) - 1, J, "window", int(case.raw["w"]))}
    return _from_sink(z, sorted(seen))


@functional("rho_C", latex=r"\rho_\otimes")
def distance_of_products(case: Case) -> sp.Expr:
    """dist(0, conv{z_i (x) (z_0 - z_j)}) over i in J and every key j >= 1."""
    return _of_products(case, "full")


@functional("rho_C_causal", latex=r"\rho_\otimes^{\mathrm{causal}}")
def distance_of_causal_products(case: Case) -> sp.Expr:
    """dist(0, conv{z_i (x) (z_0 - z_j)}) over i in J and the keys 1 <= j <= i."""
    return _of_products(case, "causal")


@functional("rho_C_window", latex=r"\rho_\otimes^{\mathrm{window}}")
def distance_of_window_products(case: Case) -> sp.Expr:
    """dist(0, conv{z_i (x) (z_0 - z_j)}) over i in J and the keys max(1, i - w + 1) <= j <= i."""
    return _of_products(case, "window")


# -- when a sink is representable


def _case(z: tuple[str, ...], J: tuple[int, ...], **more: int) -> dict[str, Any]:
    """A case in dimension 1."""
    return {"z": [[entry] for entry in z], "J": list(J), **more}


#: Small cases, simplest first: each hull with and without its point, alone and together; far and near.
POINTS = tuple(
    _case(z, J)
    for z, J in (
        (("0", "1"), (1,)),
        (("1", "0"), (1,)),
        (("1", "1"), (1,)),
        (("0", "0"), (1,)),
        (("0", "1/2"), (1,)),
        (("0", "4"), (1,)),
        (("2", "1", "-1"), (1,)),
        (("2", "1", "-1"), (1, 2)),
        (("0", "1", "-1"), (1,)),
        (("0", "1", "-1"), (1, 2)),
        (("0", "1", "-1"), (2,)),
        (("0", "1", "2"), (1, 2)),
    )
)
#: The same under every window, the shortest first.
WINDOWED = tuple(case | {"w": w} for w in (1, 2) for case in POINTS)


def _rank_one(name: str, keys: Keys) -> Step:
    """W = u v^T from the nearest points, wherever both hulls avoid their points."""
    score = symbol("uz") * symbol("vk")
    words = f"if rho_Q > 0 and {name} > 0, W = u v^T has z_i^T W (z_0 - z_j) >= {{4}} for the keys from {{1}} to {{2}}"
    return Step("rank-one", words, (("rho_Q > 0", f"{name} > 0"), *keys, score, rho_Q**2 * symbol(name) ** 2))


def _both(name: str, keys: Keys) -> tuple[Step, ...]:
    """Representable iff rho_Q > 0 and the distance of that name is: every query sees key 1, the last one sees all."""
    key = "every query sees key {3} (keys [{1}, {2}]): only if {0}"
    query = "query {3} = max J sees every key of the hull: only if {0}"
    parts = (
        Step("common-key", key, ("rho_Q > 0", *keys, ONE)),
        Step("full-query", query, (f"{name} > 0", *keys, last)),
        _rank_one(name, keys),
    )
    words = f"{{0}} iff rho_Q > 0 and {name} > 0"
    data = (REPRESENTABLE, ("rho_Q > 0", f"{name} > 0"), parts)
    return (*parts, Step("necessary-and-sufficient", words, data))


def _in_products(name: str, second_route: bool) -> Step:
    """Representable iff the hull of z_i (x) (z_0 - z_j) avoids 0, whatever the queries see."""
    q, s, k, t, pp, pc, cc = (symbol(n) for n in ("q", "s", "k", "t", "pp", "pc", "cc"))
    data = (REPRESENTABLE, (f"{name} > 0",), *SEEN[name], q * s - q * k, (q, s - k))
    where = f"{{0}} iff {name} > 0, over the matrices z_i (z_0 - z_j)^T of the keys from {{2}} to {{3}}: "
    if not second_route:
        return Step("gordan", f"{where}Gordan's theorem for matrices", data)
    segment = (1 - t) ** 2 * pp + 2 * t * (1 - t) * pc + t**2 * cc
    slope = sp.expand(sp.diff(segment, t).xreplace({t: sp.Integer(0)}))
    return Step("nearest-point", f"{where}their nearest point to 0 is a W, as {{7}} >= 0", (*data, segment, slope))


@derivation("lampert2026.sec4.prop41")
def prop41() -> dict[str, Equivalence]:
    """All keys visible: representable iff conv{z_i : i in J} avoids 0 and conv{z_j : j >= 1} avoids z_0."""
    steps = _both("rho_K", SEEN["rho_C"])
    method = "necessary by vanishing means of margins, sufficient by a W of rank one"
    return {REPRESENTABLE: Equivalence(REPRESENTABLE, steps[-1].data[1], POINTS, steps, method)}


@derivation("lampert2026.sec4.prop41-causal")
def prop41_causal() -> dict[str, Equivalence]:
    """Keys j <= i: every query sees key 1, and max J sees z_1..z_{max J}, so that nothing changes."""
    steps = _both("rho_K_causal", SEEN["rho_C_causal"])
    method = "necessary by vanishing means of margins, sufficient by a W of rank one"
    return {REPRESENTABLE: Equivalence(REPRESENTABLE, steps[-1].data[1], POINTS, steps, method)}


@derivation("lampert2026.sec4.prop41-window")
def prop41_window(second_route: bool) -> dict[str, Equivalence]:
    """Keys i - w + 1..i: no key need be seen by all, so that only the hull of the products decides.

    The two hulls of the other masks remain sufficient.
    """
    keys = SEEN["rho_C_window"]
    made = _rank_one("rho_K_window", keys)
    words = "{0} if {1}, for the keys from {2} to {3}"
    enough = Step("sufficient-alone", words, (REPRESENTABLE, made.data[0], *keys, made))
    steps = (made, enough, _in_products("rho_C_window", second_route))
    method = "projection onto the hull of the products" if second_route else "Gordan's theorem for matrices"
    enough_alone = (made.data[0],)
    found = Equivalence(REPRESENTABLE, steps[-1].data[1], WINDOWED, steps, method, sufficient=enough_alone)
    return {REPRESENTABLE: found}


# -- the least norm


def _least(norm: str) -> Fact:
    """The least norm of W with margins kappa: weights from the dual, u v^T from the primal, and they meet."""
    size = symbol(norm)
    value = MARGIN / (rho_Q * rho_K)
    dual = Step(
        "sink-dual",
        "{1} <= u^T W v <= {2} for the nearest points u, v: the {0} norm is at least {3}",
        (norm, MARGIN, size * rho_Q * rho_K, value),
    )
    factor = MARGIN / (rho_Q**2 * rho_K**2)
    primal = Step(
        "sink-primal",
        "W = c u v^T with c = {2} has all margins >= {1} and the {0} norm {3}",
        (norm, MARGIN, factor, factor * rho_Q * rho_K),
    )
    last_step = Step("least-norm", "the least {0} norm is {1}", (norm, value, (dual, primal)))
    return fact(value, (dual, primal, last_step), "a primal matrix of rank one and dual weights that meet")


@derivation("lampert2026.sec4.cost")
def cost() -> dict[str, Fact]:
    """The least spectral, Frobenius and nuclear norm of W with z_i^T W (z_0 - z_j)/sqrt(d) >= kappa."""
    return {norm: _least(norm) for norm in SCHATTEN}


# -- the probability on the sphere


@derivation("lampert2026.sec4.wendel")
def wendel() -> Expected:
    """P(representable) for independent uniform z_0..z_N on the sphere in R^dim, N = points, J = [N], all keys seen."""
    dim, points, c = (symbol(name) for name in ("dim", "points", "c"))
    equivalence = _both("rho_K", SEEN["rho_C"])
    sphere = Step(
        "strict-sphere",
        "{0} almost surely for {1} >= {2}: z_0 in the hull needs z_0 = z_j for some j",
        ("rho_K > 0", "dim", 2, 2 - 2 * c, c),
    )
    cells = Step(
        "hyperplane-cells",
        "{1} hyperplanes through 0 in dimension {0} have {2} cells",
        ("dim", "points", 2 * RowSum(points - 1, dim - 1)),
    )
    probability = 2 ** (1 - points) * RowSum(points - 1, dim - 1)
    parts = (equivalence[-1], sphere, cells)
    given = ("dim >= 2", "points >= 1")
    words = "P(representable) = {0} for {5}: cells over sign patterns"
    # J and the keys of every query are all tokens, z_1..z_N
    signs = Step("random-signs", words, (probability, "dim", "points", (ONE, T), SEEN["rho_C"], given, parts))
    # an indicator is its own square
    return Expected(probability, probability, (*equivalence, sphere, cells, signs), "cells of hyperplanes, by signs")
