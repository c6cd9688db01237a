"""Ends of the ranges of parameters, and limits that are reached slowly: where verdicts were wrong, or lacking."""

from __future__ import annotations

import pytest

from proofs_check.api import check
from theorems.statement.expression import StatementError

SHARE = "T -> oo, i/T -> theta"


def test_a_limit_that_is_off_is_told_with_its_size() -> None:
    found = check(
        "E[norm(mean(x))**2] = 3*tr(Sigma)/T - 5*tr(Sigma)/T**2 + o(1/T**2)",
        law="ar1(1/2)",
        limit="T -> oo",
        effort="quick",
    )
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample["true"] == "1"


def test_hypotheses_that_leave_no_share_are_refused() -> None:
    with pytest.raises(StatementError, match="leave no value for theta"):
        check("E[x[i].T*W*x[T]]/T -> theta*tr(W*Sigma)", "theta > 2", limit=SHARE)


def test_a_reading_says_that_positions_are_at_most_the_length() -> None:
    found = check("E[sum(x[j].T*x[j], j, i + 1, T)] = (T - i)*(T + i + 1)/2*tr(Sigma)", "i <= T + 1", effort="quick")
    assert "i <= T + 1 and i <= T:" in str(found.report["reading"])


def test_a_share_with_a_name_is_brought_to_the_limit() -> None:
    """A tenth of theta**2 too much: values that are there from the start do not come nearer to anything."""
    scores = "s[i] = x[i].T*W*x[T]/T"
    found = check(
        "Var[s[i]]/tr((W*Sigma)**2) -> theta + 11/10*theta**2", "W symmetric", scores, limit=SHARE, effort="quick"
    )
    assert found.verdict == "refuted"
    assert any("brought to the limit" in told for told in found.report["symbolic"]["evidence"])
