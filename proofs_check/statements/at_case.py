"""A claim's quantity at one case: both sides of what it says, exactly, and the quantity sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from proofs_check.statements.measuring import Measurement, measure
from proofs_check.statements.moments import Checker
from theorems.claims.catalogue import Statement
from theorems.kernel.catalogued import said


def exact_at(claim: Statement, name: str, case: Mapping[str, Any]) -> tuple[sp.Expr | None, sp.Expr | None]:
    """The derived value of a quantity at a case, and the printed one; None where there is none."""
    return Checker(said(claim, name), claim.id).sides(case)


def sampled_at(
    claim: Statement,
    name: str,
    case: Mapping[str, Any],
    *,
    seed: int,
    delta: float,
    effort: str = "quick",
    mark: str = "",
) -> Measurement:
    """A quantity sampled at a case, with an interval that holds but with probability ``delta``; TooDearError."""
    prop = said(claim, name)
    return measure(prop, case, claim_id=claim.id, seed=seed, delta=delta, effort=effort, mark=mark)
