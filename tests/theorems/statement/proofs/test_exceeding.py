"""Chances of large numbers are bounded by exponential moments; what does not follow is not called proved."""

from __future__ import annotations

import pytest

from theorems.statement.deciding.decide import Decision, Derivation, decide
from theorems.statement.proofs import exceeding
from theorems.statement.proposition import proposition

ESTIMATE = "exp(-norm(u)**2/2)*sum(exp(x[k].T*u), k, 1, T)/T"
MOMENT = "E[exp(theta*exp(-norm(u)**2/2)*exp(x[1].T*u))]"
TAIL = f"P[{ESTIMATE} > a] <= exp(-theta*T*a)*{MOMENT}**T"
NAMES = "u in R^d, Sigma = I, theta > 0, a real"
LINE = "P[sum(x[k].T*u, k, 1, T) >= a] <= exp(-s*a)"
REALS = "u in R^d, s > 0, a real"


def decided(text: str, names: str, law: str) -> Decision:
    prop = proposition(text, names, "", law)
    return decide(prop, Derivation(prop))


@pytest.mark.parametrize(
    ("text", "names", "law"),
    [
        (TAIL, NAMES, "iid(sphere)"),
        (TAIL, NAMES, "iid(signs)"),
        (TAIL.replace("x[1]", "x[2]"), NAMES + ", T >= 2", "iid(sphere)"),
        # a mean is small as often as its opposite is large
        (f"P[-a > -{ESTIMATE}] <= exp(-theta*T*a)*{MOMENT}**T", NAMES, "iid(sphere)"),
        (f"exp(-theta*T*a)*{MOMENT}**T >= P[{ESTIMATE} > a]", NAMES, "iid(sphere)"),
        (TAIL.replace("<= ", "<= 2*"), NAMES, "iid(sphere)"),
        (f"{LINE}*E[exp(s*x[1].T*u)]**T", REALS, "iid"),
        ("P[-lam*exp(x[1].T*u) >= 0] <= E[exp(-s*exp(x[1].T*u))]", "u in R^d, s > 0, lam > 0", "iid(sphere)"),
        # Markov's inequality alone, under any law
        (f"{LINE}*E[exp(s*sum(x[k].T*u, k, 1, T))]", REALS, "walk"),
        ("P[3*x[2].T*u - 1 < a] <= exp(s*a)*E[exp(s*(1 - 3*x[2].T*u))]", REALS + ", T >= 2", "ar1(1/2)"),
    ],
)
def test_what_follows_is_proved(text: str, names: str, law: str) -> None:
    found = decided(text, names, law)
    assert found.status == "proved" and not found.valued
    assert any(step.rule == exceeding.MARKOV for part in found.parts for step in part.proof)


def test_a_rule_that_took_every_law_for_independent_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{LINE}*E[exp(s*x[1].T*u)]**T"
    law = proposition(text, REALS, "", "iid").law
    own = exceeding._matched
    monkeypatch.setattr(
        exceeding, "_matched", lambda event, atom, weight, _, prover: own(event, atom, weight, law, prover)
    )
    assert decided(text, REALS, "walk").status == "proved"
