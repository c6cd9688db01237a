"""Moments of power series in isotropic tokens: what they hang on, and what two orthogonal ones have at most."""

from __future__ import annotations

from theorems.statement.deciding.decide import Derivation
from theorems.statement.proposition import proposition

NAMES = "z in R^d, Sigma = I, T <= d, d >= 3, g entire with coefficients >= 0"
MEAN = "sum(g(x[k].T*z), k, 1, T)/T"
THEOREM = f"Var[{MEAN}] <= Var[g(x[1].T*z)]/T - (1 - 1/T)*2/(d + 2)*(E[g(x[1].T*z)] - g[0])**2"
FRAME, IID = "frame(isotropic)", "iid(isotropic)"


def test_the_bound_is_that_of_exact_moments_and_is_reached() -> None:
    prop = proposition(THEOREM, NAMES, "", FRAME)
    derivation = Derivation(prop)
    case = {"d": 3, "T": 2, "z": ["1", "-1", "2"], "length1": "1/2", "length2": "2"}
    for weights, reached in (("10100", True), ("12101", False), ("01210", True)):
        point = {**case, **{f"g{k}": one for k, one in enumerate(weights)}}
        gap = derivation.at(prop.right, point) - derivation.at(prop.left, point)
        assert gap >= 0 and (gap == 0) == reached, weights
