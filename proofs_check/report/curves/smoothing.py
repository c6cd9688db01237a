"""R(l), the ratio of expectations between sparse and dense attention, of a case: derived, and of sampled tokens.

A case is {"k", "beta", "W", "L", "m", "law"}, its numbers texts "p/q": tokens as
``theorems.gaussian.moments.exchangeable_law`` tells them, and the head Y_i(l) = beta z_i + W((1 - l) z_i + l mean_j
z_j). D = E|Y_i|^2, N = E[Y_i^T Y_j], R = N/D. Derived values are of cases, exactly; simulated ones are of sampled
tokens. Besides its laws there are two here, "tails" and "rays", in which each token has a scale of its own. All results
are of JSON's own types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from montecarlo.lampert2026 import cosine, smoothing
from montecarlo.threads import one_torch_thread
from proofs_check.report.curves.points import columns, derived, generator, ratio_interval
from proofs_check.report.curves.scores import evaluated
from theorems.algebra.expressions import symbol
from theorems.claims import conditions
from theorems.gaussian.exchangeable import moment, output, trace
from theorems.gaussian.moments.exchangeable_law import LAWS, traces
from theorems.gaussian.numeric import Case
from theorems.kernel.derivation import Equivalence

PAPER = "lampert2026."
RISES, FALLS = PAPER + "sec5.dense-smooths-more", PAPER + "sec5.dense-smooths-less"
ENDS = PAPER + "sec5.uniform-vs-identity"

#: z_i = m + L s_i g_i, s_i a mixture of two scales; z_i = s_i L g with one g for all, s_i = 1/2 (4 in 5) or 3.
TAILS, RAYS = "tails", "rays"
#: E s^2 of the mixture of ``cosine.draw``.
MIXED = cosine.SHARE * cosine.SIZE**2 + 1 - cosine.SHARE

LEVEL = symbol("l")
#: The plane of the maps: beta tr(BW) across, tr(B W^T W) up.
ACROSS, UP = symbol("beta") * symbol("t1"), symbol("t2")

Raw = Mapping[str, Any]


def exact(rows: Any) -> Any:
    """A matrix of Fractions as an array."""
    return np.array([[Fraction(entry) for entry in row] for row in rows], dtype=object)


def second_moments(case: Raw) -> tuple[Any, Any]:
    """A = E[z_i z_i^T] and B = A - E[z_i z_j^T] of the case's tokens, exactly: z = s (m + L eta), E s^2 = 1.

    E[eta_i eta_i^T] is 2 I where all tokens have a part in common, (1 - 1/k) I where their mean is taken off, I where
    they have nothing in common. On rays E s_i = Var s_i = 1, so that A = 2 B. Raises ValueError for laws without a
    mean that have sum_i z_i = 0, of which R says nothing, and for rays with a mean.
    """
    L, m, law = exact(case["L"]), exact([case["m"]]), str(case["law"])
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
    D, N = levels_of(*second_moments(case), exact(case["W"]), Fraction(case["beta"]), int(case["k"]))
    return N / D


class Evaluates(Protocol):
    """A case, or another place where beta, t1 and t2 have values."""

    def evaluate(self, expression: sp.Expr, /) -> sp.Expr:
        """A formula's value there."""


def gaps_of(claim: str, name: str) -> list[sp.Expr]:
    """The expressions whose signs the derived conditions of a property are about."""
    return [conditions.read(condition)[0] for condition in _equivalence(claim, name).conditions]


def holds(claim: str, name: str, at: Evaluates) -> bool:
    """Whether the derived conditions of a property hold at a case, decided exactly where its values are exact."""
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


def region(at: Evaluates) -> str:
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
    W = exact(case["W"])
    first = Fraction(np.trace(B @ W))
    if slope == 0:
        W = W - np.diag([first / np.trace(B)] * len(B))
        return {**case, "W": [[str(entry) for entry in row] for row in W]}
    if first == 0:
        raise ValueError(f"W = {case['W']}: tr(BW) = 0, so that no beta gives beta tr(BW) = {slope} tr(BW^TW)")
    return {**case, "beta": str(slope * Fraction(np.trace(B @ W.T @ W)) / first)}


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
    size = MIXED / len(m)
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
