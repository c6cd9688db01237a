"""Moments of power series in isotropic tokens: what they hang on, and what two orthogonal ones have at most."""

from __future__ import annotations

import pytest

from theorems.statement.decide import Derivation, decide
from theorems.statement.proposition import proposition

NAMES = "z in R^d, Sigma = I, T <= d, d >= 3, g entire with coefficients >= 0"
MEAN = "sum(g(x[k].T*z), k, 1, T)/T"
THEOREM = f"Var[{MEAN}] <= Var[g(x[1].T*z)]/T - (1 - 1/T)*2/(d + 2)*(E[g(x[1].T*z)] - g[0])**2"
GAP = f"Var[g(x[1].T*z)]/T - Var[{MEAN}] = (1 - 1/T)*(E[g(x[1].T*z)]**2 - E[g(x[1].T*z)*g(x[2].T*z)])"
FRAME, IID = "frame(isotropic)", "iid(isotropic)"


def status(text: str, law: str, names: str = NAMES) -> str:
    prop = proposition(text, names, "", law)
    return decide(prop, Derivation(prop)).status


@pytest.mark.parametrize(
    ("text", "law", "names"),
    [
        (GAP, FRAME, f"{NAMES}, T >= 2"),
        (THEOREM, FRAME, NAMES),
        (THEOREM, "frame(sphere)", NAMES),
        (f"Var[{MEAN}] = Var[g(x[1].T*z)]/T", IID, NAMES),
        ("E[g(x[2].T*z)*g(x[3].T*z)] = E[g(x[1].T*z)*g(x[2].T*z)]", FRAME, NAMES.replace("T <= d, ", "")),
        ("E[g(x[2].T*z)**2*g(x[3].T*z)] = E[g(x[1].T*z)*g(x[3].T*z)**2]", FRAME, NAMES.replace("T <= d, ", "")),
    ],
)
def test_what_holds_of_every_series_is_proved(text: str, law: str, names: str) -> None:
    assert status(text, law, names) == "proved"


@pytest.mark.parametrize(
    ("text", "law"),
    [
        (THEOREM.replace("(d + 2)", "(d + 1)"), FRAME),
        (THEOREM.replace("*2/", "*3/"), FRAME),
        (THEOREM.replace(" - g[0]", ""), FRAME),
        (THEOREM, IID),
        (f"Var[{MEAN}] = Var[g(x[1].T*z)]/T", FRAME),
        (GAP.replace("(1 - 1/T)", "1"), FRAME),
    ],
)
def test_what_does_not_is_open(text: str, law: str) -> None:
    names = f"{NAMES}, T >= 2" if text.startswith("Var[g") else NAMES
    assert status(text, law, names) == "open"


def test_the_bound_is_that_of_exact_moments_and_is_reached() -> None:
    prop = proposition(THEOREM, NAMES, "", FRAME)
    derivation = Derivation(prop)
    case = {"d": 3, "T": 2, "z": ["1", "-1", "2"], "length1": "1/2", "length2": "2"}
    for weights, reached in (("10100", True), ("12101", False), ("01210", True)):
        point = {**case, **{f"g{k}": one for k, one in enumerate(weights)}}
        gap = derivation.at(prop.right, point) - derivation.at(prop.left, point)
        assert gap >= 0 and (gap == 0) == reached, weights
