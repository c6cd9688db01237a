"""Expectations by symmetry: of odd functions, of sigmoids; not where E does not exist or the law is not symmetric."""

from __future__ import annotations

import pytest

from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.statement import proposition
from theorems.statement.decide import Derivation, decide

TRUE = [
    ("E[sigmoid(x[1].T*u)] = 1/2", "walk"),
    ("E[sigmoid(lam*x[1].T*u)] = 1/2", "ar1(1/2)"),
    ("E[tanh(x[i].T*u)] = 0", "walk(start=0)"),
    ("E[tanh(x[i].T*u)*(x[j].T*u)**2] = 0", "gaussian(min(s, t))"),
    ("E[sigmoid(x[1].T*u)*norm(x[2])**2] = tr(Sigma)", "walk"),
    ("E[sinh(x[1].T*u)/cosh(2*x[1].T*u)] = 0", "iid(sphere)"),
    ("E[x[1].T*u/(1 + norm(x[1])**2)] = 0", "walk"),
    ("E[x[1].T*u/(mu + exp(x[1].T*u/2) + exp(-x[1].T*u/2))] = 0", "iid(mixture(1/2, 3))"),
    ("E[sum(sigmoid(x[k].T*u), k, 1, T)/T] = 1/2", "walk"),
    ("E[sin(x[1].T*u)*erf(x[2].T*u)*x[1].T*u] = 0", "iid(signs)"),
]
#: Near misses: not odd, a law with a mean, divisors that may be 0, exponentials of squares, tails that are too heavy.
FALSE_OR_OPEN = [
    ("E[sigmoid(x[1].T*u + 1)] = 1/2", "walk"),
    ("E[sigmoid(x[1].T*u)] = 1/3", "walk"),
    ("E[sigmoid(x[1].T*u)] = 1/2", "walk(start=m)"),
    ("E[sigmoid(x[1].T*x[1] - u.T*u)] = 1/2", "walk"),
    ("E[tanh(x[1].T*u)*x[2].T*u] = 0", "walk"),
    ("E[sigmoid(x[1].T*u)*sigmoid(x[2].T*u)] = 1/4", "walk"),
    ("E[1/(x[1].T*u)] = 0", "walk"),
    ("E[x[1].T*u/(exp(x[1].T*u) + exp(-x[1].T*u) - 2)] = 0", "walk"),
    ("E[x[1].T*u/(lam + norm(x[1])**2)] = 0", "walk"),
    ("E[exp(x[1].T*x[1])*x[1].T*u/(1 + norm(x[1])**2)] = 0", "walk"),
    ("E[tanh(x[1].T*u)*norm(x[1])**12] = 0", "iid(student(5))"),
]


def _status(text: str, law: str) -> str:
    known = ["u in R^d", *(one for name, one in (("lam", "lam real"), ("mu", "mu > 0")) if name in text)]
    prop = proposition(text, ", ".join(known), "", law)
    return decide(prop, Derivation(prop)).status


@pytest.mark.parametrize(("text", "law"), TRUE)
def test_half_sums_are_derived(text: str, law: str) -> None:
    assert _status(text, law) == "proved"


@pytest.mark.parametrize(("text", "law"), FALSE_OR_OPEN)
def test_near_misses_are_not(text: str, law: str) -> None:
    assert _status(text, law) in ("open", "undecided")


def test_the_simulation_sees_it_too_and_the_derivation_says_what_it_rests_on() -> None:
    (report,) = check_statement(Request("E[tanh(x[i].T*u)] = 0", "u in R^d"), "quick")
    assert report["verdict"] == "verified" and "E f(x) = E (f(x) + f(-x))/2" in report["symbolic"]["method"]
    assert report["decoys"]["caught"] == report["decoys"]["of"] > 0
