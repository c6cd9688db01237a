"""Numbers for the figures of lampert2026: derived curves, boundaries and bounds, and simulated points beside them.

A case is {"k", "beta", "W", "L", "m", "law"}, its numbers texts "p/q": tokens as ``theorems.exchangeable_law`` tells
them, and the head Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j z_j). D = E|Y_i|^2, N = E[Y_i^T Y_j], R = N/D. Derived
values are of cases, exactly; simulated ones are of sampled tokens. Besides its laws there are two here, "tails" and
"rays", in which each token has a scale of its own. All results are of JSON's own types.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
import torch
from scipy import integrate, stats
from torch import Tensor

from montecarlo import seeds
from montecarlo.engine import one_torch_thread
from montecarlo.lampert2026 import cosine, representability, smoothing
from montecarlo.separability import Array, nearest
from proofs_check.curves import evaluated, with_intervals
from proofs_check.lookup import by_id
from proofs_check.pairing import Pair
from theorems import conditions
from theorems.derivation import Derived, Equivalence, Inequality
from theorems.exchangeable import moment, output, trace
from theorems.exchangeable_law import LAWS, traces
from theorems.expressions import symbol
from theorems.numeric import Case

PAPER = "lampert2026."
WENDEL = PAPER + "sec4.wendel"
RISES, FALLS = PAPER + "sec5.dense-smooths-more", PAPER + "sec5.dense-smooths-less"
ENDS = PAPER + "sec5.uniform-vs-identity"
COSINE = PAPER + "sec5.cosine-approximation"

#: z_i = m + L s_i g_i, s_i a mixture of two scales; z_i = s_i L g with one g for all, s_i = 1/2 (4 in 5) or 3.
TAILS, RAYS = "tails", "rays"
#: E s^2 of the laws of ``cosine.draw``.
SQUARES = {
    "gaussian": 1.0,
    "student": cosine.FREEDOM / (cosine.FREEDOM - 2),
    "mixture": cosine.SHARE * cosine.SIZE**2 + 1 - cosine.SHARE,
}

LEVEL = symbol("l")
#: The plane of the maps: beta tr(BW) across, tr(B W^T W) up.
ACROSS, UP = symbol("beta") * symbol("t1"), symbol("t2")

Raw = Mapping[str, Any]


@cache
def derived(claim: str) -> Derived:
    """What the derivation of a claim returns."""
    return Pair(by_id(claim)).derived()


def generator(seed: int, name: str, key: Any) -> torch.Generator:
    """The random numbers of one point: a function of the run's seed, the figure's name and the point."""
    digest = seeds.case_digest(seed, f"figures.{name}", json.dumps(key))
    return torch.Generator().manual_seed(seeds.block_seed(digest, 0))


# -- the law of a case and its derived values


def _exact(rows: Any) -> Any:
    """A matrix of Fractions as an array."""
    return np.array([[Fraction(entry) for entry in row] for row in rows], dtype=object)


def second_moments(case: Raw) -> tuple[Any, Any]:
    """A = E[z_i z_i^T] and B = A - E[z_i z_j^T] of the case's tokens, exactly: z = s (m + L eta), E s^2 = 1.

    E[eta_i eta_i^T] is 2 I where all tokens have a part in common, (1 - 1/k) I where their mean is taken off, I where
    they have nothing in common. On rays E s_i = Var s_i = 1, so that A = 2 B. Raises ValueError for laws without a
    mean that have sum_i z_i = 0, of which R says nothing, and for rays with a mean.
    """
    L, m, law = _exact(case["L"]), _exact([case["m"]]), str(case["law"])
    centred = law in LAWS and LAWS[law].centred
    meant = bool((m != 0).any())
    if (centred and not meant) or (law == RAYS and meant):
        raise ValueError(f"law = {law}, m = {case['m']}; expected a mean that is {'0' if law == RAYS else 'not 0'}")
    B = L @ L.T
    own = {TAILS: Fraction(1), RAYS: Fraction(2)}.get(law, 1 - Fraction(1, int(case["k"])) if centred else Fraction(2))
    return m.T @ m + own * B, B


def levels_of(A: Any, B: Any, W: Any, beta: Any, k: int) -> tuple[sp.Expr, sp.Expr]:
    """D and N as polynomials in l, the derived moments at second moments A and B: arrays of Fractions or of floats."""
    square = W.T @ W
    table = {symbol("beta"): sp.sympify(beta), symbol("k"): sp.Integer(k)}
    for name, matrix in (("A", A), ("B", B)):
        table[trace(name, ())] = sp.sympify(np.trace(matrix))
        # tr(MW) = sum of M times W^T, entry by entry
        table[trace(name, ("W",))] = sp.sympify((matrix * W.T).sum())
        table[trace(name, ("Wt", "W"))] = sp.sympify((matrix * square).sum())
    D, N = (sp.expand(formula.xreplace(table)) for formula in _moments())
    return D, N


@cache
def _moments() -> tuple[sp.Expr, sp.Expr]:
    """D and N in beta, k, l and traces, derived."""
    own, other = output("i", LEVEL), output("j", LEVEL)
    return moment(own, own), moment(own, other)


def read(case: Raw) -> Case:
    """A case, for its exact values."""
    return Case(case)


def ratio_of(case: Raw) -> sp.Expr:
    """R as a function of l, derived, at a case."""
    D, N = levels_of(*second_moments(case), _exact(case["W"]), Fraction(case["beta"]), int(case["k"]))
    return N / D


def holds(claim: str, name: str, at: Case) -> bool:
    """Whether the derived conditions of a property hold at a case, decided exactly."""
    for condition in _equivalence(claim, name).conditions:
        gap, signs = conditions.read(condition)
        if int(sp.sign(at.evaluate(gap))) not in signs:
            return False
    return True


def _equivalence(claim: str, name: str) -> Equivalence:
    found = derived(claim).quantities[name]
    if not isinstance(found, Equivalence):
        raise TypeError(f"{claim}: {name} is derived as {type(found).__name__}; expected an equivalence")
    return found


def region(at: Case) -> str:
    """``rises``, ``falls`` or ``between``: what the derived conditions say of R on [0, 1]."""
    if holds(RISES, "R increasing", at):
        return "rises"
    return "falls" if holds(FALLS, "R decreasing", at) else "between"


def place(case: Raw) -> float:
    """Where R is largest on [0, 1], derived: at an end where R rises or falls, else at the derived place."""
    at = Case(case)
    side = region(at)
    if side != "between":
        return float(side == "rises")
    return float(at.evaluate(derived(ENDS).ratio("place").expr))


def boundaries() -> list[dict[str, Any]]:
    """The lines a beta t1 + b t2 = 0 of the derived conditions, each once, and the properties that they bound."""
    found: dict[sp.Expr, dict[str, Any]] = {}
    for claim, name in ((RISES, "R increasing"), (FALLS, "R decreasing"), (ENDS, "R(1) > R(0)")):
        for condition in _equivalence(claim, name).conditions:
            gap, _ = conditions.read(condition)
            weights = [float(gap.coeff(symbol("beta")).coeff(symbol("t1"))), float(gap.coeff(UP))]
            if sp.expand(gap - weights[0] * ACROSS - weights[1] * UP) != 0:
                raise ValueError(f"{claim}: {condition} is no line in beta t1 and t2; expected a linear condition")
            line = found.setdefault(gap, {"line": f"{gap} = 0", "weights": weights, "bounds": []})
            line["bounds"].append(f"{name}: {condition}")
    return list(found.values())


def plane(at: Case) -> tuple[float, float]:
    """beta tr(BW) and tr(B W^T W) of a case."""
    first, second = traces(at)
    return float(first) * float(at.scalars["beta"]), float(second)


def at_slope(case: Raw, slope: Fraction) -> dict[str, Any]:
    """The case with beta such that beta t1 = slope t2; for slope 0 with W made traceless in B, and beta as it is."""
    _, B = second_moments(case)
    W = _exact(case["W"])
    first = Fraction(np.trace(B @ W))
    if slope == 0:
        W = W - np.diag([first / np.trace(B)] * len(B))
        return {**case, "W": [[str(entry) for entry in row] for row in W]}
    if first == 0:
        raise ValueError(f"W = {case['W']}: tr(BW) = 0, so that no beta gives beta tr(BW) = {slope} tr(BW^TW)")
    return {**case, "beta": str(slope * Fraction(np.trace(B @ W.T @ W)) / first)}


# -- sampled tokens


def _floats(rows: Any) -> Tensor:
    return torch.tensor([[float(Fraction(entry)) for entry in row] for row in rows], dtype=torch.float64)


def sampled(case: Raw, n: int, random: torch.Generator) -> Tensor:
    """n sets of the case's tokens, (n, k, d)."""
    k, L, m, law = int(case["k"]), _floats(case["L"]), _floats([case["m"]])[0], str(case["law"])
    if law == RAYS:
        far = torch.rand((n, k, 1), generator=random, dtype=torch.float64) < 0.2
        return torch.where(far, 3.0, 0.5) * (torch.randn((n, 1, len(m)), generator=random, dtype=torch.float64) @ L.T)
    if law != TAILS:
        return smoothing.tokens(random, n, k, L, m, law)
    size = SQUARES["mixture"] / len(m)
    z: Tensor = m + cosine.draw(random, n, "mixture", k, len(m), mean=0.0) @ L.T / size**0.5
    return z


def outputs(case: Raw, z: Tensor, level: float) -> Tensor:
    """Y_i(l) of the case's head for tokens (n, k, d)."""
    return smoothing.mixed(z, _floats(case["W"]), float(Fraction(case["beta"])), level)


def energies(Y: Tensor) -> tuple[Tensor, Tensor]:
    """|Y_i|^2 averaged over the tokens and Y_i^T Y_j over the pairs of each set: (n, k, d) -> two of (n,)."""
    k = Y.shape[1]
    own = (Y**2).sum((1, 2))
    return own / k, ((Y.sum(1) ** 2).sum(1) - own) / (k * (k - 1))


def cosines(Y: Tensor) -> Tensor:
    """The average cosine over the pairs of each set, (n, k, d) -> (n,); ValueError where some Y_i is zero."""
    norms = Y.norm(dim=2, keepdim=True)
    if bool((norms == 0).any()):
        raise ValueError("some Y_i is zero, so that no cosine is defined; choose another law or head")
    return energies(Y / norms)[1]


def mean_interval(values: Tensor, failure: float) -> dict[str, float]:
    """The mean of independent numbers (n,), with the normal interval that misses with probability ``failure``."""
    return _interval(float(values.mean()), float(values.std()) / len(values) ** 0.5, failure)


def ratio_interval(top: Tensor, below: Tensor, failure: float) -> dict[str, float]:
    """mean(top)/mean(below) with an interval by the delta method, which misses with probability ``failure``."""
    ratio = float(top.mean() / below.mean())
    spread = float(((top - ratio * below) / below.mean()).std())
    return _interval(ratio, spread / len(top) ** 0.5, failure)


def _interval(estimate: float, error: float, failure: float) -> dict[str, float]:
    reach = float(stats.norm.isf(failure / 2)) * error
    return {"estimate": estimate, "low": estimate - reach, "high": estimate + reach}


def columns(found: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Points as columns."""
    return {name: [point[name] for point in found] for name in found[0]} if found else {}


# -- R over l


def ratio_curve(
    case: Raw,
    *,
    levels: Sequence[float],
    places: Sequence[float],
    laws: Sequence[str],
    n: int,
    failure: float,
    seed: int,
) -> dict[str, Any]:
    """R(l) of a case: derived over ``levels``, simulated at the ``places``, the laws taking turns.

    The laws have the same second moments, so that one derived curve is right for all.
    """
    ratio = ratio_of(case)
    points, used, true = [], [], []
    for turn, level in enumerate(places):
        kept = {**case, "law": laws[turn % len(laws)]}
        with one_torch_thread():
            random = generator(seed, "smoothing_ratio", [kept, level])
            D, N = energies(outputs(kept, sampled(kept, n, random), level))
        points.append(ratio_interval(N, D, failure))
        used.append(kept["law"])
        true.append(float(ratio_of(kept).xreplace({LEVEL: sp.Rational(level)})))
    return {
        "k": int(case["k"]),
        "level": [float(level) for level in levels],
        "derived": evaluated(ratio, l=np.array(levels)),
        "top": float(ratio.xreplace({LEVEL: sp.Rational(place(case))})),
        "simulated": {"level": [float(level) for level in places], "law": used, **columns(points), "exact": true},
    }


def place_of_maximum(case: Raw, *, n: int, failure: float, seed: int) -> dict[str, float]:
    """Where the sampled D is least over all l, from D(0), D(1/2), D(1): the same tokens are used for all three."""
    with one_torch_thread():
        z = sampled(case, n, generator(seed, "smoothing_ratio.place", dict(case)))
        first, middle, last = (energies(outputs(case, z, level))[0] for level in (0.0, 0.5, 1.0))
    linear, square = 4 * middle - 3 * first - last, 2 * (first + last - 2 * middle)
    return ratio_interval(-linear, 2 * square, failure)


# -- the cosine and the ratio


def constant() -> float:
    """c of the proved bound |E cos - R| <= c E|1 - r^2|."""
    found = derived(COSINE).quantities[""]
    if not isinstance(found, Inequality):
        raise TypeError(f"{COSINE} is derived as {type(found).__name__}; expected an inequality")
    return float(found.upper.coeff(symbol("spread")))


def mixture() -> dict[str, float]:
    """The size of a mixture's large tokens, and their share."""
    return {"size": cosine.SIZE, "share": cosine.SHARE}


def drawn_moments(law: str, d: int) -> tuple[Array, Array]:
    """A and B of the laws of ``cosine.draw`` with a mean of length 1, (d, d) each in float64."""
    first = np.zeros((d, d))
    first[0, 0] = 1.0
    if law in SQUARES:
        B = np.eye(d) * SQUARES[law] / d
        return first + B, B
    if law != "sphere":
        raise ValueError(f"law = {law!r}; expected one of {', '.join(cosine.LAWS)}")
    mean, square = on_sphere(d)
    rest = (1 - square) / (d - 1) if d > 1 else 0.0
    A = np.eye(d) * rest + first * (square - rest)
    return A, A - first * mean**2


def on_sphere(d: int) -> tuple[float, float]:
    """E[x_1/|x|] and E[x_1^2/|x|^2] for x ~ N(e_1, I/d), by quadrature.

    With 1/|x|^2 = int exp(-t |x|^2) dt and 1/|x| = 2/sqrt(pi) int exp(-u^2 |x|^2) du, both over the positive numbers,
    the expectation inside is a product over the coordinates; q = 1 + 2 t/d.
    """

    def inside(t: float) -> tuple[float, float]:
        q = 1 + 2 * t / d
        return q, float(np.exp(-t / q) * q ** (-d / 2))

    def first(u: float) -> float:
        q, size = inside(u * u)
        return size / q

    def second(t: float) -> float:
        q, size = inside(t)
        return size * (1 / (d * q) + 1 / q**2)

    mean, _ = integrate.quad(first, 0, np.inf)
    square, _ = integrate.quad(second, 0, np.inf)
    return 2 / np.pi**0.5 * mean, square


def cosine_lines(
    law: str, dimensions: Sequence[int], *, k: int, n: int, failure: float, seed: int
) -> dict[str, dict[str, list[float]]]:
    """Over d, by what is looked at: the simulated average cosine, R as derived, and the bound of their distance.

    ``X``: the tokens; ``local``: X + W Z, the head at l = 0; ``averaged``: the head at l = 1. beta = 1, and
    W = I/2 + e_1 e_1^T. The bound is c times the spread E|1 - r^2| as simulated.
    """
    found: dict[str, list[dict[str, float]]] = {"X": [], "local": [], "averaged": []}
    for d in dimensions:
        W = torch.eye(d, dtype=torch.float64) / 2
        W[0, 0] += 1
        none = torch.zeros_like(W)
        random = generator(seed, "cosine_ratio", [law, d, k])
        with one_torch_thread():
            points = cosine.simulate(random, n, law, k, d, W=none, lams=(0.0,))
            points += cosine.simulate(random, n, law, k, d, W=W)
        A, B = drawn_moments(law, d)
        for name, matrix, one in zip(found, (none, W, W), points, strict=True):
            D, N = levels_of(A, B, matrix.numpy(), 1.0, k)
            ratio = float((N / D).xreplace({LEVEL: sp.Float(one.lam)}))
            point = _interval(one.cosine, one.error, failure)
            found[name].append({**point, "ratio": ratio, "bound": constant() * one.spread})
    return {name: columns(held) for name, held in found.items()}


# -- the map of signs


def random_case(kind: str, law: str, seed: int, index: int) -> dict[str, Any]:
    """A head and a law drawn from the seed, entries multiples of 1/64; ``kind`` says what W looks like.

    ``dense``: independent normal entries. ``scaled``: a multiple of I, disturbed. ``low rank``: a product of two thin
    factors. ``turning``: antisymmetric, disturbed.
    """
    random = np.random.default_rng([seed, index])
    d, k = int(random.choice([2, 4, 6])), int(random.choice([2, 4, 8]))
    noise = random.standard_normal((d, d)) / d**0.5
    size = float(random.uniform(0.2, 1.4))
    if kind == "dense":
        W = size * noise
    elif kind == "scaled":
        W = float(random.uniform(-1.9, 1.2)) * np.eye(d) + 0.3 * size * noise
    elif kind == "low rank":
        W = float(random.uniform(-1.5, 1.2)) * _thin(random, d) + 0.2 * noise
    elif kind == "turning":
        W = size * (noise - noise.T) + float(random.uniform(-0.6, 0.6)) * np.eye(d)
    else:
        raise ValueError(f"kind = {kind!r}; expected one of {', '.join(KINDS)}")
    L = np.diag(random.uniform(0.2, 1.2, d)) + 0.3 * random.standard_normal((d, d)) / d**0.5
    m = float(random.choice([0.25, 0.5, 1.5])) * random.standard_normal(d) * (law != RAYS)
    return {"k": k, "beta": "1", "W": _texts(W), "L": _texts(L), "m": _texts([m])[0], "law": law}


#: Kinds of W that heads of the map are drawn from.
KINDS = ("dense", "scaled", "low rank", "turning")


def _thin(random: np.random.Generator, d: int) -> Any:
    """A product of two factors of rank d/2 that are near each other's transpose."""
    left = random.standard_normal((d, d // 2))
    right = left + 0.5 * random.standard_normal((d, d // 2))
    return left @ right.T / d


def _texts(rows: Any) -> list[list[str]]:
    return [[str(Fraction(round(64 * float(entry)), 64)) for entry in row] for row in rows]


def head(case: Raw, *, n: int, failure: float, seed: int) -> dict[str, Any]:
    """A head on the map: its place in units of beta^2 tr B, its region, and what averaging does to the cosine and to R.

    Both changes are simulated, with the same tokens at both ends, and have intervals; the change of R is derived, too.
    A change is ``wrong`` where it is significantly against the region, ``wrong ends`` against the sign of R(1) - R(0).
    """
    at, beta = Case(case), float(Fraction(case["beta"]))
    A, B = (moments.astype(float) for moments in second_moments(case))
    size = float(np.trace(B)) * beta**2
    x, y = plane(at)
    D, N = levels_of(A, B, _exact(case["W"]).astype(float), beta, int(case["k"]))
    start, end = (float((N / D).xreplace({LEVEL: sp.Float(level)})) for level in (0, 1))
    with one_torch_thread():
        z = sampled(case, n, generator(seed, "sign_map", dict(case)))
        first, last = (outputs(case, z, level) for level in (0.0, 1.0))
        turned = mean_interval(cosines(last) - cosines(first), failure)
        change = _difference(energies(last), energies(first), failure)
    side, ends = region(at), "rises" if holds(ENDS, "R(1) > R(0)", at) else "falls"
    changes = {"cosine": turned, "ratio": change}
    return {
        "x": x / size,
        "y": y / size,
        "region": side,
        "ends": ends,
        "derived": end - start,
        **changes,
        "wrong": {name: against(side, found) for name, found in changes.items()},
        "wrong ends": {name: against(ends, found) for name, found in changes.items()},
    }


def _difference(last: tuple[Tensor, Tensor], first: tuple[Tensor, Tensor], failure: float) -> dict[str, float]:
    """N/D at the last level less N/D at the first one, by the delta method for means over the same sets of tokens."""
    value, parts = 0.0, torch.zeros_like(last[0])
    for sign, (D, N) in ((1, last), (-1, first)):
        ratio = float(N.mean() / D.mean())
        value += sign * ratio
        parts += sign * (N - ratio * D) / D.mean()
    return _interval(value, float(parts.std()) / len(parts) ** 0.5, failure)


def against(sign: str, change: Mapping[str, float]) -> bool:
    """Whether a change is significantly of the other sign than "rises" or "falls"; other words say nothing."""
    return (sign == "rises" and change["high"] < 0) or (sign == "falls" and change["low"] > 0)


# -- when a sink is representable

#: A hull whose nearest point to 0 is as far as this avoids 0, one whose nearest point is as near as that holds it.
FAR, NEAR = 1e-7, 1e-12


def probabilities(d: int, counts: Sequence[int]) -> list[float]:
    """P(representable) for z_0..z_N on the sphere in R^d, J = [N], all keys visible: derived, for every N."""
    return evaluated(derived(WENDEL).ratio("").expr, dim=float(d), points=np.array(counts, dtype=float))


def sphere_frequencies(d: int, counts: Sequence[int], *, n: int, few: int, failure: float, seed: int) -> dict[str, Any]:
    """How often the sink was representable in draws from the sphere, all keys visible, by the number N of keys.

    By minors in n draws where these are not too many, else by nearest points in ``few``.
    """
    found: list[dict[str, Any]] = []
    for N in counts:
        random = generator(seed, "representability", [d, N])
        with one_torch_thread():
            if sum(math.comb(N, size) for size in range(2, d + 1)) <= representability.MINORS:
                hits, draws = int(representability.wendel(random, n, d, N).sum()), n
            else:
                hits, draws = sum(_both_avoid(z) for z in _sphere(random, few, N, d)), few
        found.append({"N": N, "draws": draws, **_frequency(hits, draws, failure)})
    return columns(found)


def mask_frequencies(
    d: int, counts: Sequence[int], mask: str, *, draws: int, failure: float, seed: int
) -> dict[str, Any]:
    """How often a W exists under a mask ("full", "causal", "window w"), from the definition, by the number N of keys.

    W exists where the matrices z_i (z_0 - z_j)^T of all i and all j that i sees are on one side of a hyperplane.
    """
    known: dict[str, representability.Mask] = {"full": representability.full, "causal": representability.causal}
    sees = known[mask] if mask in known else representability.window(int(mask.removeprefix("window ")))
    found: list[dict[str, Any]] = []
    for N in counts:
        random = generator(seed, "representability.mask", [d, N, mask])
        pairs = [(i, j) for i in range(1, N + 1) for j in sees(i, N)]
        queries, keys = ([pair[side] for pair in pairs] for side in (0, 1))
        hits = sum(avoids(_products(z[queries], z[0] - z[keys])) for z in _sphere(random, draws, N, d))
        found.append({"N": N, "draws": draws, **_frequency(hits, draws, failure)})
    return columns(found)


def avoids(vectors: Array) -> bool:
    """Whether the hull of the vectors (m, D) avoids 0, in float64; ArithmeticError where that is too near to tell."""
    distance = float(np.linalg.norm(nearest(vectors) @ vectors))
    if NEAR < distance < FAR:
        raise ArithmeticError(
            f"a hull comes within {distance:.1e} of 0, which float64 cannot decide; take another seed"
        )
    return distance >= FAR


def _both_avoid(z: Array) -> bool:
    """Whether the hulls of the z_i and of the z_0 - z_j avoid 0, as W = x y^T needs; else no W exists."""
    return avoids(z[1:]) and avoids(z[0] - z[1:])


def _products(one: Array, two: Array) -> Array:
    return (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)


def _sphere(random: torch.Generator, n: int, N: int, d: int) -> Array:
    """n draws of z_0..z_N on the sphere in R^d, (n, N + 1, d)."""
    z = torch.randn((n, N + 1, d), generator=random, dtype=torch.float64)
    found: Array = (z / z.norm(dim=2, keepdim=True)).numpy()
    return found


def _frequency(hits: int, draws: int, failure: float) -> dict[str, float]:
    return {name: values[0] for name, values in with_intervals([hits], draws, failure).items()}
