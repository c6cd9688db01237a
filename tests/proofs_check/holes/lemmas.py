"""Lemmas that once led the referee to a wrong verdict, and lemmas like them: statements and sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from montecarlo.walks import Walks, form
from proofs_check.api import Verdict, judge
from theorems.authoring import Moment, Position, Process, Statement, W, claim
from theorems.claims import catalogue

SYMMETRIC = "W symmetric, i <= j"
SPREAD = "i**2*(tr(W*Sigma)**2 + tr((W*Sigma)**2)) + i*j*tr((W*Sigma)**2)"


def mean(walk: Process, i: Position, j: Position) -> Moment:
    """E[x_i^T W x_j]."""
    return walk.expect(walk.form(i, W, j))


def square(walk: Process, i: Position, j: Position) -> Moment:
    """E[(x_i^T W x_j)^2], which is no variance."""
    return walk.expect(walk.form(i, W, j) ** 2)


def score(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
    """x_i^T W x_j, (n,)."""
    return form(walk.token(i), W, walk.token(j))


def score_square(walk: Walks, W: Tensor, i: int, j: int) -> Tensor:
    """(x_i^T W x_j)^2, (n,)."""
    found: Tensor = score(walk, W, i, j) ** 2
    return found


@contextmanager
def forgotten() -> Iterator[None]:
    """Takes the claims of the block out of the catalogue again."""
    before = {statement.id for statement in catalogue.added()}
    try:
        yield
    finally:
        for statement in catalogue.added():
            if statement.id not in before:
                catalogue.discard(statement.id)


def lemma(text: str, hypotheses: str = SYMMETRIC, **changes: Any) -> Statement:
    """A lemma of a notebook, stated as data."""
    return claim("holes.sec1.lemma", text, hypotheses=hypotheses, **changes)


def found(
    statement: Statement,
    derivation: Callable[..., Any] | None = None,
    simulation: Callable[..., Any] | None = None,
    degree: int = 2,
) -> Verdict:
    """The verdict at quick effort."""
    of = degree if simulation is not None else None
    return judge(statement, derivation, simulation, degree=of, effort="quick", jobs=2)
