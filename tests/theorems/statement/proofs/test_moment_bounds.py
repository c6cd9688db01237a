"""Inequalities between moments by Jensen's and Markov's inequalities; next to every true one false ones like it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np
import pytest

from theorems.statement import proposition
from theorems.statement.deciding import decide as deciding
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import Expr
from theorems.statement.proofs.moment_bounds import (
    CAUCHY,
    CENTRED,
    LYAPUNOV,
    MINKOWSKI,
    _known,
    _never_negative,
)
from theorems.statement.reading.language import parsed

U = "u in R^d, a > 0"
PROVED = [
    ("E[norm(x[1])] <= sqrt(d)", "Sigma = I", "walk"),
    ("E[norm(x[1])]**2 <= d", "Sigma = I", "walk"),
    ("E[norm(x[1])]/sqrt(d) <= 1", "Sigma = I", "walk"),
    ("-E[norm(x[1])] >= -sqrt(d)", "Sigma = I", "walk"),
    ("E[norm(x[i])] <= sqrt(i*tr(Sigma))", "", "walk"),
    ("E[norm(x[i] - x[j])] <= sqrt((j - i)*tr(Sigma))", "i <= j", "walk"),
    ("E[norm(mean(x))] <= sqrt(tr(Sigma)/T)", "", "iid"),
    ("E[norm(x[1])**3] >= d**(3/2)", "Sigma = I", "walk"),
    ("E[norm(x[1])] >= 0", "", "walk"),
    ("E[abs(x[1].T*W*x[2])] <= sqrt(tr(W*Sigma*W.T*Sigma))", "", "iid"),
    ("E[abs(x[1].T*W*x[1])] >= abs(tr(W*Sigma))", "", "walk"),
    ("P[norm(x[1])**2 > a] <= d/a", "Sigma = I, a > 0", "walk"),
    ("P[norm(x[1]) > a] <= d/a**2", "Sigma = I, a > 0", "walk"),
    ("P[x[1].T*W*x[1] > a] <= tr(W*Sigma)/a", "W psd, a > 0", "walk"),
    ("P[abs(x[i].T*u) > a] <= i*u.T*Sigma*u/a**2", U, "walk"),
    ("P[abs(x[1].T*x[2]) >= a] <= tr(Sigma**2)/a**2", "a > 0", "iid(signs)"),
]


@pytest.mark.parametrize(("text", "hypotheses", "law"), PROVED)
def test_proved(text: str, hypotheses: str, law: str) -> None:
    prop = proposition(text, hypotheses, law=law)
    found = decide(prop, Derivation(prop))
    assert found.status == "proved" and all(part.proof for part in found.parts)


def test_a_token_under_an_index_is_another_one_for_each_of_its_values() -> None:
    signs = {"sum(a[k]*norm(x[k])**2, k, 1, T)*sum(a[k], k, 1, T)": False, "sum(k*norm(x[k])**2, k, 1, T)/T": True}
    for text, sign in signs.items():
        prop = proposition(f"E[{text}] >= a[1] - a[1]", "a in R^T", law="iid")
        assert _never_negative(prop.left.args[0], prop) is sign


#: Moments of two numbers f and g: what is known of some of them is tried on finite laws.
MOMENTS = (
    *("E[f]", "E[g]", "E[f*g]", "E[f**2]", "E[g**2]", "E[f**2*g**2]", "E[abs(f)]", "E[abs(f)**3]", "E[abs(f)**5]"),
    *("E[f**4]", "E[f**6]", "E[f**3*g]", "E[sqrt(abs(g))]", "E[(f - 2*g)**2]", "Var[f]", "Var[g]", "Var[f*g]"),
    *("Var[f - 2*g]", "Var[3*f + f*g]", "Cov[f, g]", "Corr[f, g]"),
)


def value(node: Expr, law: Mapping[str, Any]) -> Any:
    """A number at every point of a finite law; moments by their definitions."""
    if node.op == "number":
        return np.float64(node.args[0])
    if node.op == "name":
        return law[node.args[0]]
    args = [value(arg, law) for arg in node]
    if node.op == "E":
        return law["chance"] @ args[0]
    if node.op in ("Var", "Cov", "Corr"):
        joint = np.cov([args[0], args[-1]], aweights=law["chance"], ddof=0)
        return joint[0, 1] / (np.sqrt(joint[0, 0] * joint[1, 1]) if node.op == "Corr" else 1)
    operations: dict[str, Callable[[], Any]] = {
        "+": lambda: sum(args),
        "*": lambda: prod(args),
        "/": lambda: args[0] / args[1],
        "**": lambda: args[0] ** args[1],
        "abs": lambda: np.abs(args[0]),
        "sqrt": lambda: np.sqrt(args[0]),
    }
    return operations[node.op]()


def test_what_is_known_of_any_moments_holds_of_finite_laws() -> None:
    found = list(_known([parsed(text) for text in MOMENTS]))
    assert {step.rule for step, _ in found} == {CAUCHY, MINKOWSKI, CENTRED, LYAPUNOV}
    rng = np.random.default_rng(1)
    for many in (2, 2, 3, 5) * 10:
        law: dict[str, Any] = {label: rng.normal(size=many) * rng.choice([0.1, 1, 10]) for label in "fg"}
        law["chance"] = rng.dirichlet(np.full(many, rng.choice([0.3, 3])))
        for mark, one, two in (relation for _, several in found for relation in several):
            left, right = value(one, law), value(two, law)
            least = -1e-9 * (1 + abs(left) + abs(right))
            holds = {"<=": right - left, ">=": left - right, "=": -abs(left - right)}[mark] >= least
            assert holds, f"{one} {mark} {two}: {left}, {right} of {law}"


def test_a_probability_is_bounded_by_normal_forms_before_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: object) -> None:
        raise AssertionError("a proof was searched for")

    monkeypatch.setattr(deciding, "proved_between", searched)
    text, hypotheses = "P[abs(x[i].T*u) > a] <= {}*i*u.T*Sigma*u/a**2", "u in R^d, a > 0"
    prop = proposition(text.format("1"), hypotheses)
    found = decide(prop, Derivation(prop))
    assert found.status == "proved" and found.method == "Markov's inequality"
    # a bound that needs more than normal forms is searched for still
    other = proposition(text.format("9/10"), hypotheses)
    with pytest.raises(AssertionError, match="searched for"):
        decide(other, Derivation(other))
