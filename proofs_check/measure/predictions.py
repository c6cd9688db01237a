"""What the theorems say of a head or a layer, from the numbers that were measured: derived formulas, evaluated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from montecarlo.models.observe import PLACES
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.lookup import by_id
from proofs_check.report.curves.points import derived
from proofs_check.report.curves.scores import RHO, evaluated, sides
from proofs_check.report.curves.smoothing import ENDS, gaps_of, region
from theorems.algebra.expressions import floats, symbol
from theorems.kernel.derivation import Inequality

ENTROPY, SWITCH, COST = "bao2024.sec5.eq9", "lampert2026.sec6.sink-implies-switch", "lampert2026.sec4.cost"
COSINE = "lampert2026.sec5.cosine-approximation"
#: Places theta = i/T at which rho is looked at.
THETAS = (np.arange(PLACES) + 0.5) / PLACES


def parameters(first: float, second: float, head_dim: int) -> tuple[float, float] | None:
    """xi and eta of a head's traces tr(W Sigma), tr((W Sigma)^2), W symmetrised; None where the square's is 0."""
    return (first / math.sqrt(second), math.sqrt(second / head_dim)) if second > 0 else None


def rho(first: Sequence[float], second: Sequence[float], head_dim: int) -> list[float] | None:
    """rho at the places THETAS, with the traces at the rotary distance of each; None where any square's is 0."""
    found = [parameters(a, b, head_dim) for a, b in zip(first, second, strict=True)]
    if None in found:
        return None
    xi, eta = np.array(found, dtype=float).T
    return evaluated(sides(RHO, "rho").derived, theta=THETAS, xi=xi, eta=eta)


def localised(profile: Sequence[float]) -> float | None:
    """1 - entropy/ln(places) of a profile over positions: 0 for an even one, 1 for a single place; None for zeros."""
    weights = np.array(profile)
    if not weights.sum() > 0:
        return None
    p = weights[weights > 0] / weights.sum()
    return float(1 + (p * np.log(p)).sum() / math.log(len(weights)))


def _bound(claim: str) -> Inequality:
    found = derived(claim).quantities[""]
    assert isinstance(found, Inequality)
    return found


def entropy_bounds(norm: Any, T: int) -> tuple[Any, Any]:
    """The least entropy of T scores of these norms, and the print (9) at them, both in nats."""
    table = {"T": float(T), "nu": np.asarray(norm)}
    return floats(_bound(ENTROPY).upper, table), floats(Pair(by_id(ENTROPY)).formulas["lower"], table)


def switch_bound(margin: Any, radius: Any, keys: int) -> Any:
    """How far the output can be from the sink's value, for sinks of this margin over so many other keys."""
    # exp(-kappa) overflows where the first token is no sink at all; the bound is the radius there
    table = {"kappa": np.maximum(np.asarray(margin), -600.0), "keys": float(keys), "value_radius": np.asarray(radius)}
    return floats(_bound(SWITCH).upper, table)


def cosine_bound(spread: float) -> float:
    """How far the average cosine can be from the ratio of expectations, for E|1 - r^2| = spread."""
    return float(floats(_bound(COSINE).upper, {"spread": spread}))


def least_norm(kappa: float, head_dim: int, rho_Q: float, rho_K: float) -> float:
    """The least norm of a W_QK with a sink of margin kappa; infinite where there is none."""
    if not (rho_Q > 0 and rho_K > 0):
        return math.inf
    formula = derived(COST).ratio("frobenius").expr
    return evaluated(formula, kappa=kappa, d=float(head_dim), rho_Q=rho_Q, rho_K=rho_K)[0]


@dataclass(frozen=True)
class Place:
    """A head's place on the sign map."""

    beta: float
    t1: float
    t2: float

    def evaluate(self, formula: sp.Expr) -> sp.Expr:
        """A formula in beta, t1 and t2 at this place."""
        return formula.xreplace({symbol(name): sp.Float(value) for name, value in vars(self).items()})


def on_the_map(beta: float, t1: float, t2: float, tB: float, square: float) -> dict[str, Any]:
    """A head on the sign map, in polar coordinates, its region, and how far averaging leans to alikeness over E|x|^2.

    size: sqrt(t2/(beta^2 tr B)), of what the head writes over what it adds to; along: beta t1 over sqrt(beta^2 tr(B)
    t2), the cosine between the two, between -1 and 1 by Cauchy and Schwarz. None where one of them is 0.
    """
    at = Place(beta, t1, t2)
    lean = float(at.evaluate(gaps_of(ENDS, "R(1) > R(0)")[0])) / square
    place: dict[str, Any] = {"size": None, "along": None}
    if beta * tB * t2:
        place = {"size": math.sqrt(t2 / tB) / abs(beta), "along": math.copysign(t1, beta * t1) / math.sqrt(tB * t2)}
    return {**place, "region": region(at), "lean": lean}
