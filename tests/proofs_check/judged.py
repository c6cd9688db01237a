"""A claim judged as a run judges it, on one thread of the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs_check.judging.options import Options, Silent
from proofs_check.judging.runner import judge
from theorems.claims.catalogue import Statement, by_id


def judged(
    claim: Statement | str, case: Mapping[str, Any] | None = None, *, seed: int = 0, effort: str = "quick"
) -> list[Any]:
    """The reports of a claim, given or by its id, and of its correction where it is refuted."""
    statement = by_id()[claim] if isinstance(claim, str) else claim
    options = Options(effort=effort, seed=seed, device="cpu", jobs=1, case=case)
    return [report for report, _ in judge(statement, options, "cpu", Silent())]
