"""Exact values of wrong versions: with other tokens than the statement's, and exponents that take a number."""

from __future__ import annotations

import sympy as sp

from proofs_check.statements.exactly import Exactly
from theorems.statement import proposition
from theorems.statement.decide import Derivation
from theorems.statement.hypotheses import words_of
from theorems.statement.language import parsed

CASE = {"d": 1, "Sigma": [["1"]], "u": ["2"], "k": "1"}


def test_wrong_versions_have_values() -> None:
    prop = proposition("E[(x[1].T*u)**(2*k)] = 0", "u in R^d, Sigma = I, k integer, k >= 1", law="iid")
    exactly, words = Exactly(prop, Derivation(prop)), words_of(prop.known)
    wanted = {
        "E[(x[1].T*u)**(2*k)]": 4,
        "E[(x[2].T*u)**(2*k)]": 4,
        "E[(x[1].T*u)**(3*k)]": 0,
        "E[(x[1].T*u)**(3*k + 1)]": 48,
        "E[(x[1].T*u)**(2*k)*(x[2].T*u)**2]": 16,
    }
    for text, number in wanted.items():
        assert exactly.at(parsed(text, words), CASE) == number, text
    assert exactly.at(parsed("E[log(1 + (x[1].T*u)**2)]", words), CASE) is None
    assert exactly.at(parsed("E[(x[1].T*u)**(2*k)]/(k - 1)", words), CASE) is None
    assert isinstance(exactly.at(prop.right, CASE), sp.Integer)
