"""Statements as data: a lemma's law, quantity, relation, hypotheses and limit, read once from text.

proposition("E[x[i].T*W*x[j]] = i*tr(W*Sigma)", "i <= j")
"""

from __future__ import annotations

from theorems.statement.expression import Expr, StatementError
from theorems.statement.proposition import Proposition, proposition

__all__ = ["Expr", "Proposition", "StatementError", "proposition"]
