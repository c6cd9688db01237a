"""What no cases are drawn for, or the simulation cannot evaluate, is undecided with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from montecarlo.statements.nodes import StatementSimulationError
from montecarlo.statements.simulation import StatementSimulation
from proofs_check.statements.deterministic import judge_deterministic
from proofs_check.statements.judging import check_statement
from proofs_check.statements.request import Request
from theorems.statement import proposition


@pytest.mark.parametrize(
    ("text", "known", "says"),
    [
        ("dist(0, hull(v[j], j, 1, n)) <= norm(v[1])", "v[1..n] in R^d", "no cases are drawn for v"),
        ("least(norm(W, fro), W, a.T*W*a >= 1) <= 1", "a in R^d", "no search goes through the values of unknowns"),
    ],
)
def test_what_is_not_drawn_is_undecided(text: str, known: str, says: str) -> None:
    found = judge_deterministic(proposition(text, known), "quick")
    assert found.verdict == "undecided" and says in found.reason


@pytest.mark.parametrize(
    ("fault", "verdict"), [(StatementSimulationError("planted"), "undecided"), (RuntimeError("planted"), "error")]
)
@pytest.mark.parametrize("text", ["E[norm(x[i])**2] = i*tr(Sigma)", "E[norm(x[i])**2] >= 0"])
def test_a_fault_of_the_simulation_is_told_as_what_it_is(
    monkeypatch: pytest.MonkeyPatch, text: str, fault: Exception, verdict: str
) -> None:
    draw = StatementSimulation.draw

    def broken(self: StatementSimulation, *args: Any, **options: Any) -> Any:
        if self.case["d"] > 1:
            raise fault
        return draw(self, *args, **options)

    monkeypatch.setattr(StatementSimulation, "draw", broken)
    (report,) = check_statement(Request(text), "quick")
    assert report["verdict"] == verdict
    assert "planted" in (report["reason"] or "")
    assert "more walks" not in f"{report['reason']} {report['simulation']['power']}"
