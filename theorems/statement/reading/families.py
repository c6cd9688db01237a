"""Families of vectors: ``z[0..T] in R^d`` declares z[0], ..., z[T], ``eta[1..C, 1..n] in R^d`` those of two indices."""

from __future__ import annotations

import re

from theorems.statement.expression import Expr, StatementError
from theorems.statement.reading.language import parsed
from theorems.statement.reading.syntax import split_top, within

#: First index, and last index as an expression, of every index of a family.
Bounds = tuple[tuple[int, Expr], ...]
_FAMILY = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_]*)\s*\[([^\[\]]*\.\.[^\[\]]*)\]\s*in\s+R\s*(?:\^|\*\*)\s*d\s*$")


def family_of(part: str) -> tuple[str, Bounds] | None:
    """The name and the bounds that a hypothesis declares; None for one that declares no family."""
    match = _FAMILY.match(part)
    if match is None:
        return None
    bounds = []
    for piece, column in split_top(match[2]):
        first, _, last = piece.partition("..")
        at = match.start(2) + column
        if not first.strip().isdigit() or int(first) > 1:
            raise StatementError(
                f"{piece.strip()!r}: expected 0 or 1 as the first index, e.g. {match[1]}[1..n]", part, at
            )
        bounds.append((int(first), parsed(last, None, part, at + len(first) + 2)))
    return match[1], tuple(bounds)


def families_of(text: str) -> dict[str, tuple[int, ...]]:
    """The first indices of every family that hypotheses declare."""
    found = []
    for part, column in split_top(text, ",;"):
        with within(part, column, text):
            found.append(family_of(part))
    return {label: tuple(first for first, _ in bounds) for label, bounds in filter(None, found)}
