"""Hypotheses that contradict one another: told by one of them, and what the others prove against it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proofs_check.statements.request import Request
from tests.proofs_check.hostile import called
from theorems.statement import StatementError
from theorems.statement.proofs.contradiction import check_consistent

MOMENT, LARGEST = "E[x[i].T*W*x[i]] = i*tr(W*Sigma)", "max(s) <= 1"
CONTRADICTORY = [
    (MOMENT, "W psd, tr(W) < 0", "tr(W) >= 0 by the others"),
    (MOMENT, "W symmetric, tr(W*W) < 0", "tr(W*W) >= 0 by the others"),
    (MOMENT, "norm(W, 2) < 0", "norm(W, 2) >= 0 always"),
    (MOMENT, "norm(W, fro) < norm(W, 2)", "norm(W, fro) >= norm(W, 2) always"),
    (MOMENT, "tr(Sigma) = 1, tr(Sigma) = 2", "tr(Sigma) > 1 by the others"),
    (MOMENT, "tr(W) = 1, tr(W) < 0", "tr(W) < 1 by the others"),
    (LARGEST, "s in R^n, max(s) < mean(s)", "max(s) >= sum(s[j], j, 1, n)/n by the others"),
    ("u.T*v <= 1", "u in R^d, v in R^d, norm(u) = 1, norm(v) = 1, u.T*v > 2", "norm(u) > 1 by the others"),
    ("a <= 1", "a > 0, exp(a) < 1", "exp(a) >= 1 by the others"),
    ("a <= b", "a > 2, b > 2, a*b = 1", "a*b > 1 by the others"),
]
CONSISTENT = [
    (MOMENT, "W psd, tr(W) <= 0"),
    (MOMENT, "tr(W*W) < 0"),
    (MOMENT, "norm(W, 2) <= 0"),
    (MOMENT, "tr(W) = 1, tr(W) <= 2"),
    (LARGEST, "s in R^n, max(s) <= mean(s)"),
    ("u.T*v <= 1", "u in R^d, v in R^d, norm(u) = 1, norm(v) = 2, u.T*v = 2"),
    ("a <= 1", "a > 0, exp(a) < 1.01"),
]


@pytest.mark.parametrize(("text", "hypotheses", "told"), CONTRADICTORY)
def test_what_contradicts_the_others_is_named(text: str, hypotheses: str, told: str) -> None:
    with pytest.raises(StatementError) as error:
        check_consistent(Request(text, hypotheses).read())
    assert told in str(error.value) and error.value.text == hypotheses and error.value.at >= 0


@pytest.mark.parametrize(("text", "hypotheses"), CONSISTENT)
def test_neighbours_with_a_case_are_left_alone(text: str, hypotheses: str) -> None:
    check_consistent(Request(text, hypotheses).read())


@pytest.mark.parametrize(("text", "hypotheses"), [CONTRADICTORY[0][:2], CONTRADICTORY[6][:2], CONTRADICTORY[8][:2]])
def test_a_statement_under_them_is_a_usage_error(text: str, hypotheses: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    told = called(["check", text, "--for", hypotheses, "--effort", "quick", "--json", str(report)])
    message, given, caret = told.err.splitlines()
    assert told.status == 2 and not report.exists(), json.dumps(told.err)
    assert message.startswith("twofold: error: --for: no case meets ") and "drop or weaken" in message
    assert given.strip() == hypotheses and given[len(caret) - 1 :] == hypotheses.split(", ")[-1]
