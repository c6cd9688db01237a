"""Hypotheses that contradict one another: what the others prove against one of them."""

from __future__ import annotations

from dataclasses import replace

from theorems.statement.expression import Expr, StatementError
from theorems.statement.proofs.prover import proved
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import NEGATED
from theorems.statement.reading.tending import Limit
from theorems.statement.work import Work

#: Steps that the proof against one hypothesis may take.
STEPS = 300


def check_consistent(prop: Proposition) -> None:
    """StatementError for a relation among the hypotheses whose contrary follows from the others."""
    relations = prop.known.relations
    for k, (mark, left, right) in enumerate(relations):
        others = replace(prop.known, relations=relations[:k] + relations[k + 1 :])
        bare = replace(prop, known=others, left=left, right=right, error=None, limit=Limit(), whole=None)
        for contrary in ("<", ">") if mark == "=" else (NEGATED[mark],):
            if not _tokens(left, right) and proved(replace(bare, relation=contrary), Work(STEPS)):
                why = "by the others" if others.texts[1:] else "always"
                raise StatementError(
                    f"no case meets {left} {mark} {right}: {left} {contrary} {right} {why}; drop or weaken one of the "
                    "hypotheses",
                    ", ".join(prop.known.texts),
                    _place(prop.known.texts, left, mark, right),
                )


def _tokens(*sides: Expr) -> bool:
    return any(side.has("token", "mean") for side in sides)


def _place(texts: tuple[str, ...], left: Expr, mark: str, right: Expr) -> int:
    """Where the hypothesis begins in all of them, joined by commas."""
    names, at = left.names() | right.names(), 0
    for text in texts:
        if mark in text and all(name in text for name in names):
            return at
        at += len(text) + 2
    return 0
