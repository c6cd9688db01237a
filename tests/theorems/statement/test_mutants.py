"""Wrong versions of statements: two parts exchanged, at any depth, and those that are no other statement left out."""

from __future__ import annotations

import pytest

from proofs_check.api import check
from proofs_check.statements.moments import Checker
from theorems.statement.mutants import mutants
from theorems.statement.proposition import proposition

SPREAD = ("Var[x[i].T*W*x[j]] = i**2*tr((W*Sigma)**2) + i*j*tr(W*Sigma*W.T*Sigma)", "i <= j")


def rights(text: str, hypotheses: str = "") -> list[str]:
    return [str(one.right) for one in mutants(proposition(text, hypotheses))]


@pytest.mark.parametrize(
    ("text", "hypotheses", "exchanged"),
    [
        (*SPREAD, "i**2*tr(W*Sigma*W.T*Sigma) + i*j*tr((W*Sigma)**2)"),
        (*SPREAD, "j*tr((W*Sigma)**2) + i*i**2*tr(W*Sigma*W.T*Sigma)"),
        (*SPREAD, "j**2*tr((W*Sigma)**2) + j*i*tr(W*Sigma*W.T*Sigma)"),
        ("u = 3*a + 2*b", "u real, a real, b real", "2*a + 3*b"),
        ("u = 3*a + b", "u real, a real, b real", "a + 3*b"),
        ("u = a**2*b**3", "u real, a real, b real", "a**3*b**2"),
        ("u = a/b", "u real, a real, b > 0", "b/a"),
        ("u = sqrt(a - b)", "u real, a >= b", "sqrt(-a + b)"),
    ],
)
def test_two_parts_are_exchanged(text: str, hypotheses: str, exchanged: str) -> None:
    assert exchanged in rights(text, hypotheses)


@pytest.mark.parametrize("text", ["u = (a + b)**2", "u = max(a, b)", "u = exp(-abs(a + b))"])
def test_what_is_the_same_in_another_order_is_no_wrong_version(text: str) -> None:
    made = rights(text, "u real, a real, b real")
    assert made and not [one for one in made if "b + a" in one or "b, a" in one]


@pytest.mark.parametrize(("hypotheses", "verdict"), [("d = 1", "verified"), ("W symmetric", "refuted")])
def test_an_exchange_that_is_true_is_seen_to_be(hypotheses: str, verdict: str) -> None:
    """In one dimension both traces are the same number, so that exchanging them makes no wrong version."""
    text = "E[(x[i].T*W*x[i])**2] = 2*i**2*tr(W*Sigma)**2 + i**2*tr((W*Sigma)**2)"
    exchanged = "i**2*tr(W*Sigma)**2 + 2*i**2*tr((W*Sigma)**2)"
    assert exchanged in rights(text, hypotheses)
    assert check(text, hypotheses, effort="quick").verdict == verdict


def test_a_distance_of_positions_may_stand_in_either_order() -> None:
    """Its exchange was no wrong version, and was not seen to be none."""
    for gap in ("s - t", "-s + t"):
        text = f"E[x[s].T*W*x[t]] = exp(-abs({gap}))*tr(W*Sigma)"
        assert check(text, law="gaussian(exp(-abs(s - t)))", effort="quick").verdict == "verified"


def test_a_wrong_version_that_no_case_tells_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    untold = "i**2*tr(W*Sigma*W.T*Sigma) + i*j*tr((W*Sigma)**2)"
    monkeypatch.setattr(Checker, "_told_apart", lambda self, right, measured: str(right) != untold)
    monkeypatch.setattr(Checker, "_telling_plans", lambda *_: [])
    found = check(*SPREAD, effort="quick")
    assert found.verdict == "undecided"
    assert "cannot tell it from" in found.reason and "exchanged" in found.reason
