"""Expectations by symmetry: of odd functions, of sigmoids; not where E does not exist or the law is not symmetric."""

from __future__ import annotations

from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request


def test_the_simulation_sees_it_too_and_the_derivation_says_what_it_rests_on() -> None:
    (report,) = check_statement(Request("E[tanh(x[i].T*u)] = 0", "u in R^d"), "quick")
    assert report["verdict"] == "verified" and "E f(x) = E (f(x) + f(-x))/2" in report["symbolic"]["method"]
    assert report["decoys"]["caught"] == report["decoys"]["of"] > 0
