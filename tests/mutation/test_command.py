"""The command that scores the mutants: it adds to a self-test's report, and its status says whether one survived."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proofs_check.report.reading import read_selftest
from tests.mutation import __main__ as command
from tests.mutation.score import counted

CAUGHT = {"kind": "print", "name": "p", "result": "caught", "how": "disproved", "line": None}


@pytest.mark.parametrize(("result", "status"), [("caught", 0), ("survived", 1)])
def test_the_score_is_added_to_the_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], result: str, status: int
) -> None:
    asked: dict[str, Any] = {}

    def measured(**given: Any) -> dict[str, Any]:
        asked.update(given)
        return counted([CAUGHT | {"result": result}])

    monkeypatch.setattr(command, "measure", measured)
    target = tmp_path / "selftest.json"
    target.write_text(json.dumps({"schema": 1, "error_rates": {}, "independence": None, "mutants": None}))
    assert command.main([str(target), "--seed", "3", "--sample", "1"]) == status
    assert (asked["seed"], asked["sample"]) == (3, 1)
    assert read_selftest("REPORT", str(target))["mutants"]["survived"] == status
    assert ("survived, print: p" in capsys.readouterr().out) is bool(status)
