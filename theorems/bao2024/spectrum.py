"""The eigenspectrum of W = W_QK Sigma: the bound (5) and the variance (8)."""

from __future__ import annotations

import sympy as sp

from theorems.algebra.expressions import symbol
from theorems.algebra.ratio import Ratio
from theorems.gaussian.process import Step
from theorems.kernel.derivation import Fact, SharpBound, derivation, fact

_W, _S, _R = "W_QK", "Sigma", "R"


@derivation("bao2024.sec5.eq8")
def eq8() -> dict[str, Fact]:
    """d^2 times the variance of the eigenvalues of W under uniform weights.

    The average over the eigenvalues is linear, and (1/d) sum_i w_i^k = tr(W^k)/d.
    """
    w, d = symbol("w"), symbol("d")
    powers = {1: symbol("tr1"), 2: symbol("tr2")}

    def average(polynomial: sp.Expr) -> sp.Expr:
        return sp.expand(sp.Add(*(c * (powers[k] / d if k else 1) for (k,), c in sp.Poly(polynomial, w).terms())))

    centre = average(w)
    spread = sp.expand(d**2 * (w - centre) ** 2)
    words = "average of {0} over the eigenvalues w = {1}"
    steps = (
        Step("eigenvalue-average", words, (w, centre)),
        Step("eigenvalue-average", words, (spread, average(spread))),
    )
    return {"variance": fact(average(spread), steps, "power sums of the eigenvalues")}


@derivation("bao2024.sec4.eq5")
def eq5() -> SharpBound:
    """|tr(W)| <= sqrt(d tr(W^2)) for W = W_QK Sigma: Cauchy-Schwarz between I and R W_QK R, with R^2 = Sigma."""
    d, tr1, tr2 = symbol("d"), symbol("tr1"), symbol("tr2")
    root = {_S: (_R, _R)}
    inner = (_R, _W, _R)
    steps = (
        Step("psd-root", "Sigma = R R with R symmetric, as Sigma is positive semidefinite", (_S, _R)),
        Step("trace-identity", "tr(W_QK Sigma) = tr(M), M = R W_QK R", ((_W, _S), inner, root)),
        Step("trace-identity", "tr((W_QK Sigma)^2) = tr(M^T M), M^T = M", ((_W, _S, _W, _S), (*inner, *inner), root)),
        Step(
            "cauchy-schwarz",
            "tr(I^T M)^2 <= tr(I^T I) tr(M^T M): {2} <= {3}",
            ((), inner, tr1**2, d * tr2, root),
        ),
        Step("square-root", "hence -sqrt({1}) <= {0} <= sqrt({1})", (tr1, d * tr2)),
    )
    unit = [["1", "0"], ["0", "1"]]
    attained = {"d": 2, "W": unit, "Sigma": unit}
    return SharpBound(
        Ratio.from_expr(d * tr2), {"d": 1, "tr2": 0}, attained, steps, "Cauchy-Schwarz, equality case exhibited"
    )
