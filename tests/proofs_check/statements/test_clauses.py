"""``A iff B`` and ``A if B`` in ``twofold check``: verified with a proof, refuted by a case that both sides see."""

from __future__ import annotations

from fractions import Fraction

import pytest

from montecarlo.search_conditions import excess
from proofs_check.statements import clauses
from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.statement.proposition import proposition
from theorems.statement.values.cases import Case


def test_a_violation_that_floats_do_not_see_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    prop = proposition("u > 0 iff v > 0", "u real, v real")
    case = Case({"u": Fraction(1), "v": Fraction(0)})
    assert clauses.confirmed(prop, case, 1e-11)
    monkeypatch.setattr(clauses, "evaluate", lambda node, plain: 0.0)
    assert not clauses.confirmed(prop, case, 1e-11)


def test_how_far_a_statement_is_from_being_violated() -> None:
    assert excess("iff", 1.0, -0.5) == 0.5
    assert excess("iff", -0.25, 1.0) == 0.25
    assert excess("if", 1.0, -0.5) == -1.0
    assert excess("if", -0.25, 1.0) == 0.25


@pytest.mark.parametrize(
    ("text", "known", "verdict"),
    [
        ("E[x[i].T*W*x[j]] > 0 iff tr(W*Sigma) > 0", "i <= j, d = 1", "verified"),
        ("E[x[i].T*W*x[j]] > E[x[i].T*W*x[i]] iff tr(W*Sigma) > 0", "i <= j", "refuted"),
    ],
)
def test_verdicts_about_moments(text: str, known: str, verdict: str) -> None:
    (found,) = check_statement(Request(text, known), effort="quick")
    assert found["verdict"] == verdict, found["reason"]
    assert found["quantity"] == text


def test_a_derivation_of_another_sign_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    from proofs_check.statements.clause_moments import ClauseChecker

    true = ClauseChecker.gap
    monkeypatch.setattr(ClauseChecker, "gap", lambda self, part, case: 2 * (true(self, part, case) or 0))
    (found,) = check_statement(Request("E[x[i].T*W*x[j]] > 0 iff tr(W*Sigma) > 0", "i <= j, d = 1"), effort="quick")
    assert found["verdict"] == "conflict"
