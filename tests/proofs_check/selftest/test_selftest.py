"""The face of the selftest: what it asks for, what it prints and writes, and with which status it ends."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from proofs_check.commands import cli
from proofs_check.report.selftest import ERRORS, concluded, percent, show
from proofs_check.selftest import error_rates, independence
from proofs_check.selftest import run as selftest
from proofs_check.selftest.error_rates import Rate
from tests.mutation.score import counted

#: Judged mutants: kind, name, result, how.
TOLD = (
    ("print", "p0", "caught", "disproved"),
    ("print", "p1", "caught", "disproved"),
    ("print", "p2", "equivalent", "true"),
    ("rule", "r0", "caught", "refuses"),
    ("rule", "r1", "survived", "no probe"),
)
JUDGED = [{"kind": kind, "name": name, "result": result, "how": how, "line": None} for kind, name, result, how in TOLD]


def row(count: int, level: float) -> dict[str, Any]:
    return Rate(count, 400, level).row()


def rates(refuted: int = 3) -> dict[str, Any]:
    """Error rates of one estimator, with so many false refutations in 400 runs of level 0.05."""
    errors = {key: row(0, 0.05) for _, key in ERRORS} | {"false_refutations": row(refuted, 0.05)}
    consistent = errors["false_refutations"]["consistent"]
    one = {"runs": 400, "claims": ["bao2024.appA.eq15"], **errors, "fresh_seeds": {"consistent": True}}
    sizes: list[dict[str, Any]] = [
        {"numbers": 16384, "enough": False, "infinite": 400},
        {"numbers": 98304, "enough": True, "infinite": 0},
    ]
    for size in sizes:
        size |= {"false_refutations": row(0, 0.05), "finite_too_soon": row(0, 0.0)}
    growth = {name: row(0, 0.05) for name in ("false_refutations", "false_confirmations", "false_conflicts")}
    ledger = {"alpha": 1e-6, "claims": 172, "given": 6.72e-7, "reserved": 1.25e-7, "plugins": 0.0, "consistent": True}
    return {
        "runs": 1200,
        "level": 0.05,
        "confidence": 0.999,
        "estimators": {"mean, degree 2": one | {"planted_flagged": True, "consistent": consistent}},
        "heaviest": {
            "claim": "bao2024.appC.lemma1-B1",
            "quantity": "B1",
            "degree": 4,
            "kurtosis": 378.6,
            "kurtosis_bound": 6561.0,
            "sizes": sizes,
            "consistent": True,
        },
        "growth": [{"runs": 400, "effort": "quick", **growth, "false_agreements": row(0, 0.05), "consistent": True}],
        "ledger": ledger,
        "without_randomness": {"searches": 20},
        "consistent": consistent,
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the parts were asked; their answers are what stands under ``rates`` and ``rows``."""
    kept: dict[str, Any] = {"rates": rates(), "rows": []}

    def measured(**given: Any) -> dict[str, Any]:
        given.pop("step")(1, 1)
        kept["error_rates"] = given
        found: dict[str, Any] = kept["rates"]
        return found

    def faults(**given: Any) -> list[dict[str, Any]]:
        given.pop("step")(1, 2)
        kept["independence"] = given
        rows: list[dict[str, Any]] = kept["rows"]
        return rows

    monkeypatch.setattr(error_rates, "measure", measured)
    monkeypatch.setattr(independence, "measure", faults)
    return kept


def printed(report: dict[str, Any]) -> str:
    out = io.StringIO()
    show(report, out)
    return out.getvalue()


def test_only_the_error_rates_are_measured_unless_more_is_asked_for(asked: dict[str, Any]) -> None:
    report = selftest.run(seed=5, jobs=2)
    assert asked["error_rates"] == {"seed": 5, "runs": error_rates.RUNS, "jobs": 2}
    assert report["independence"] is report["mutants"] is None
    assert report["consistent"]
    assert "independence" not in asked


def test_faults_in_one_side_are_asked_for_by_name(asked: dict[str, Any]) -> None:
    told: list[tuple[str, int, int]] = []
    report = selftest.run(runs=7, independence=True, step=lambda part, done, total: told.append((part, done, total)))
    assert asked["error_rates"]["runs"] == 7
    assert asked["independence"] == {"seed": 0, "claims": None}
    assert told == [("error rates", 1, 1), ("independence", 1, 2)]
    assert report["consistent"]


def test_the_score_of_the_mutants_is_shown_with_the_report_that_it_was_added_to(asked: dict[str, Any]) -> None:
    report = {**selftest.run(), "mutants": counted(JUDGED)}
    text = printed(report).splitlines()
    head = next(k for k, line in enumerate(text) if line.startswith("mutants of"))
    table = {line.split(":")[0]: line.split()[1:] for line in text[head + 1 : head + 7]}
    assert table["print"] == ["3", "2", "1", "0", "100.0%"]
    assert table["rule"] == ["2", "1", "0", "1", "50.0%"]
    assert table["all"] == ["5", "3", "1", "1", "75.0%"]
    assert [line for line in text if "survived, " in line] == ["  survived, rule: r1 (no probe)"]
    assert report["mutants"]["by_kind"]["rule"]["score"] == 0.5


def test_a_fault_in_one_side_that_goes_unseen_is_not_consistent(asked: dict[str, Any]) -> None:
    seen = {"id": "a", "side": "derivation", "fault": "+ 1", "verdict": "conflict", "caught": True}
    unseen = {"id": "b", "side": "simulation", "fault": "x 2", "verdict": "verified", "caught": False}
    apart = {"id": "c", "side": "simulation", "fault": "none", "verdict": "not applicable", "caught": False}
    asked["rows"] = [seen, apart]
    assert selftest.run(independence=True)["consistent"]
    asked["rows"] = [seen, unseen, apart]
    report = selftest.run(independence=True)
    assert not report["consistent"]
    text = printed(report)
    assert "1 of 2 faults in one side alone are conflicts, 1 sides have nothing to break !" in text
    assert "unseen: b, simulation: x 2 (verified)" in text
    assert "c, " not in text


def test_too_few_runs_are_no_inconsistency(asked: dict[str, Any]) -> None:
    """A planted fault that goes unseen says nothing of the rates; a rate that is too high does, whatever is unseen."""
    report = selftest.run()
    for found in report["error_rates"]["estimators"].values():
        found["planted_flagged"] = False
    report["consistent"] = False
    assert concluded(report)[0] == "Not told" and "so few runs" in concluded(report)[1]
    next(iter(report["error_rates"]["estimators"].values()))["missed_errors"]["consistent"] = False
    assert concluded(report)[0] == "Not consistent"


def test_the_summary_has_a_row_for_every_estimator_and_marks_what_is_inconsistent(asked: dict[str, Any]) -> None:
    text = printed(selftest.run())
    line = next(line for line in text.splitlines() if line.startswith("mean, degree 2"))
    assert line.split("  ")[0] == "mean, degree 2"
    assert f"3, <{percent(row(3, 0.05)['high'])}" in line
    assert "!" not in text
    assert text.endswith("Consistent: no error is more frequent than stated.\n")
    asked["rates"] = rates(refuted=60)
    text = printed(selftest.run())
    assert "60, <22% !" in text
    assert text.endswith("Not consistent: see what is marked with an exclamation mark.\n")
    asked["rates"]["estimators"]["mean, degree 2"]["planted_flagged"] = False
    assert "unseen !" in printed(selftest.run())
    assert "give more --runs" in printed(selftest.run())


@pytest.mark.parametrize(("refuted", "status"), [(3, 0), (60, 1)])
def test_the_command_writes_the_object_and_its_status_says_whether_it_is_consistent(
    asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], refuted: int, status: int
) -> None:
    asked["rates"] = rates(refuted)
    target = tmp_path / "self.json"
    words = ["selftest", "--runs", "9", "--seed", "3", "--jobs", "2", "--json", str(target)]
    assert cli.main(words) == status
    assert asked["error_rates"] == {"seed": 3, "runs": 9, "jobs": 2}
    report = json.loads(target.read_text(encoding="utf-8"))
    assert (report["schema"], report["seed"], report["consistent"]) == (selftest.SCHEMA, 3, status == 0)
    assert report["error_rates"]["estimators"]["mean, degree 2"]["false_refutations"]["count"] == refuted
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--runs", "0"], ["--runs", "'0'", "from 1"]),
        (["--runs", "many"], ["--runs", "'many'"]),
        (["--seed", "-1"], ["--seed", "'-1'"]),
        (["--jobs", "0"], ["--jobs", "'0'"]),
        (["--json", "/no/such/folder/a.json"], ["--json", "does not exist"]),
        (["--independent"], ["'--independent'", "nearest: --independence"]),
        (["more"], ["'more'"]),
    ],
)
def test_a_wrong_argument_is_told_in_one_line_before_any_work(
    asked: dict[str, Any], capsys: pytest.CaptureFixture[str], words: list[str], named: list[str]
) -> None:
    assert cli.main(["selftest", *words]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.count("\n") == 1
    assert all(name in error for name in named)
    assert "error_rates" not in asked


def test_a_file_that_cannot_be_written_is_told(
    asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from proofs_check.report import outputs

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(outputs, "write_json", full)
    assert cli.main(["selftest", "--json", str(tmp_path / "a.json")]) == 1
    assert "could not be written (No space left on device)" in capsys.readouterr().err


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        with selftest.progress() as step:
            step("error rates", 1, 2)
        assert bool(stream.getvalue()) is shown
