"""Statements about matrices of any size, checked: proved for every size, false at a small case, or left undecided."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from proofs_check.statements import identities
from proofs_check.statements.deterministic import Found, judge_deterministic
from proofs_check.statements.identities import compared, confirmed, evaluated
from proofs_check.statements.rounding import radii
from theorems.statement import proposition
from theorems.statement.proofs import Proof, Step
from theorems.statement.proposition import Proposition
from theorems.statement.values.cases import Case

BOTH = "W_Q in R^(m x d), W_K in R^(m x d)"


def judged(text: str, hypotheses: str, where: str = "") -> Found:
    return judge_deterministic(proposition(text, hypotheses, where), "quick", 0)


def test_a_false_identity_shrinks_to_a_small_case() -> None:
    found = judged("grad(tr(W_Q.T*W_K*W_K.T*W_Q), W_Q) = W_K*W_K.T*W_Q", BOTH)
    assert found.counterexample is not None
    assert str(found.counterexample) == "d = 1, m = 1, W_K = [[1]], W_Q = [[1]]"
    assert (found.left, found.right, found.evaluated) == ("[[2]]", "[[1]]", (2.0, 1.0))


def test_sides_that_disagree_are_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    true = identities.evaluated
    monkeypatch.setattr(identities, "evaluated", lambda *args: [1.01 * one + 0.01 for one in true(*args)])
    assert judged("grad(tr(W_Q*W_K.T), W_Q) = W_K", BOTH).verdict == "conflict"


def test_a_proof_of_something_false_does_not_verify(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases see what a wrong rule would let pass."""
    anything = Proof((Step("anything", ""),))
    monkeypatch.setattr(identities, "proved", lambda prop: anything)
    assert judged("grad(tr(W_Q*W_K.T), W_Q) = 2*W_K", BOTH).verdict == "refuted"


def test_a_proof_that_no_wrong_version_tells_from_another_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identities, "mutants_of", lambda prop: [prop])
    found = judged("grad(tr(W_Q*W_K.T), W_Q) = W_K", BOTH)
    assert found.verdict == "undecided"
    assert "no case tells a wrong version" in found.reason


def test_both_interpreters_agree_at_drawn_cases() -> None:
    texts = {
        "X*Gamma*X.T*y": "x[i] = column(X, i), Gamma = columns(indicator(x[i].T*y >= 0)*s, i, 1, T)",
        "grad(norm(y - X*stack(clip(x[i].T*W*x[T], 0, 1), i, 1, T))**2, W)": "x[i] = column(X, i)",
        "grad(sum(sum(X[1, j]*(x[i].T*W*x[j])*(x[j].T*W.T*x[1]), j, 1, T), i, 1, T), W)": "x[i] = column(X, i)",
    }
    for text, where in texts.items():
        hypotheses = [
            "X in R^(d x T)",
            *(["s in R^T"] if "s," in where else []),
            *(["y in R^d"] if "y" in text else []),
        ]
        prop: Proposition = proposition(f"{text} = 0", ", ".join(hypotheses), where)
        found = identities.judge_matrices(prop, "quick", 1)
        assert found.verdict == "refuted", found.reason


def _hilbert(d: int) -> Case:
    rows = tuple(tuple(Fraction(1, r + c + 1) for c in range(d)) for r in range(d))
    return Case({"d": Fraction(d)}, {"Sigma": rows})


def test_rounding_at_an_ill_conditioned_matrix_is_no_conflict() -> None:
    prop = proposition("inv(Sigma)*Sigma = I", "Sigma positive definite")
    case = _hilbert(11)
    off = [abs(one - two) for one, two in zip(evaluated(prop, prop.left, case), np.eye(11).ravel(), strict=True)]
    assert max(off) > 1e-4
    assert compared(prop, case) == ("", False)
    assert not confirmed(prop, case)
    # at a well-conditioned one floats see what is false, and a fault in them is a conflict
    assert compared(prop, _hilbert(2)) == ("", True)
    assert confirmed(proposition("inv(Sigma)*Sigma = 2*I", "Sigma positive definite"), _hilbert(2))


def test_a_fault_in_the_floats_is_a_conflict_where_they_are_sharp(monkeypatch: pytest.MonkeyPatch) -> None:
    prop, true = proposition("inv(Sigma)*Sigma = I", "Sigma positive definite"), identities.evaluated
    monkeypatch.setattr(identities, "evaluated", lambda *args: [one + 1e-4 for one in true(*args)])
    assert "exactly" in compared(prop, _hilbert(3))[0]


def test_eigenvalues_that_hang_on_the_last_bit_are_no_conflict() -> None:
    """The fifth root of a roundoff is what floats err by at a Jordan block."""
    prop = proposition("eig(A)[1] = 1", "A in R^(n x n)")
    turn, back, block = (
        np.array([[Fraction(int(entry(r, c))) for c in range(5)] for r in range(5)])
        for entry in (lambda r, c: c <= r, lambda r, c: (r == c) - (r == c + 1), lambda r, c: c in (r, r + 1))
    )
    case = Case({"n": Fraction(5)}, {"A": tuple(map(tuple, turn @ block @ back))})
    (radius,) = radii(prop, prop.left, case, lambda near: evaluated(prop, prop.left, near), 1)
    assert radius > 1e-4
