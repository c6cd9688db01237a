"""The rows of ``twofold check`` in the bench: what is timed is what ran."""

from __future__ import annotations

import sys

import pytest

from proofs_check.bench import checks
from proofs_check.statements.request import Request


def test_a_command_is_timed_until_its_first_line_and_its_end() -> None:
    code = "import time; print('a', flush=True); time.sleep(0.3); sum(range(10**6)); print('b'); raise SystemExit(3)"
    found = checks.timed([sys.executable, "-c", code])
    assert found["status"] == 3 and found["told"] == "b\n"
    assert found["wall"] >= found["first line"] + 0.3 and 0 < found["cpu"] < found["wall"]


def test_every_kind_of_statement_has_a_row_at_every_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def timed(command: list[str]) -> dict[str, object]:
        ran.append(command)
        cpu = 3.0 if "proofs_check" in command else 2.0
        return {"first line": 0.1, "wall": 1.0, "cpu": cpu, "status": 0, "told": "refuted"}

    monkeypatch.setattr(checks, "timed", timed)
    rows = checks.rows()
    assert [(row["kind"], row["effort"]) for row in rows] == [
        (kind, effort) for kind in checks.STATEMENTS for effort in ("quick", "standard")
    ]
    assert all(row["verdict"] == "refuted" and row["over import torch"] == 1.5 for row in rows)
    assert sum("import torch" in command for command in ran) == checks.RUNS
    assert len(checks.lines(rows)) == 1 + len(rows)


@pytest.mark.parametrize("kind", checks.STATEMENTS)
def test_the_statements_that_are_timed_can_be_read(kind: str) -> None:
    text, *options = checks.STATEMENTS[kind]
    named = dict(option.removeprefix("--").split("=", 1) for option in options)
    assert Request(
        text, named.get("for", ""), named.get("where", ""), named.get("law", "walk"), named.get("as", "")
    ).read()
