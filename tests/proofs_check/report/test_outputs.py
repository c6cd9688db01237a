"""The report's files: the schema holds what it promises, and files are there whole or not at all."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from proofs_check.claims.report import Claim
from proofs_check.claims.schema import complete, empty, schema
from proofs_check.inputs.errors import UsageError
from proofs_check.inputs.expect import Difference
from proofs_check.report import outputs
from proofs_check.report.documents import SCHEMA_FILE, schema_text
from tests.proofs_check.hostile import examples

Report = Any


@pytest.fixture
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_the_sample_report_keeps_to_the_schema(sample_report: Report, validator: Any) -> None:
    validator.validate(sample_report)


def _verified(report: Report) -> Report:
    claim: Report = report["claims"][0]
    return claim


def _refuted(report: Report) -> Report:
    claim: Report = report["claims"][1]
    return claim


BROKEN: dict[str, Callable[[Report], Any]] = {
    "another version": lambda report: report.update(schema=3),
    "an unknown field": lambda report: report.update(note="x"),
    "no run": lambda report: report.pop("run"),
    "a negative seed": lambda report: report["run"].update(seed=-1),
    "a budget above 1": lambda report: report["run"].update(alpha=2),
    "a missing budget": lambda report: report["run"].pop("alpha"),
    "a ledger entry without its share": lambda report: report["run"]["ledger"][0].pop("alpha"),
    "an unknown verdict": lambda report: _verified(report).update(verdict="true"),
    "an unknown field of a claim": lambda report: _verified(report).update(score=1),
    "verified without a proof": lambda report: _verified(report)["symbolic"].update(status="checked"),
    "verified without agreement": lambda report: _verified(report)["simulation"].update(status="underpowered"),
    "verified with a correction": lambda report: _verified(report).update(correction=_refuted(report)["correction"]),
    "refuted without a counterexample": lambda report: _refuted(report).update(counterexample=None),
    "refuted without a contradiction": lambda report: _refuted(report)["simulation"].update(status="none"),
    "refuted and proved": lambda report: _refuted(report)["symbolic"].update(status="proved"),
    "a counterexample in floats": lambda report: _refuted(report)["counterexample"]["params"].update(W=[[0.5]]),
    "a parameter that is not exact": lambda report: _refuted(report)["counterexample"]["params"].update(k=0.5),
    "undecided without a reason": lambda report: report["claims"][3].update(reason=""),
    "a conflict without a reason": lambda report: report["claims"][4].update(reason=""),
    "an error without its traceback": lambda report: report["claims"][5].update(traceback=None),
    "a traceback without an error": lambda report: _verified(report).update(traceback="Traceback"),
    "a negative count": lambda report: _verified(report)["simulation"].update(samples=-1),
    "a probability above 1": lambda report: _verified(report)["simulation"].update(p_value=1.5),
    "no command to replay": lambda report: _verified(report).update(replay="run it"),
    "a proof line without a verdict": lambda report: _refuted(report)["proof"]["lines"][0].pop("holds"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_report_does_not_keep_to_it(what: str, sample_report: Report, validator: Any) -> None:
    broken = copy.deepcopy(sample_report)
    BROKEN[what](broken)
    assert broken != sample_report
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(broken)


def test_every_object_of_the_schema_says_what_it_may_hold() -> None:
    def walk(node: Any, path: str) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object" and "properties" in node and "additionalProperties" not in node:
                pytest.fail(f"{path} is open")
            for key, value in node.items():
                if key not in ("allOf", "then", "if"):
                    walk(value, f"{path}.{key}")

    walk(schema(), "schema")


def test_json_is_written_in_full_and_read_back(sample_report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    outputs.write_json(sample_report, path)
    assert json.loads(path.read_text(encoding="utf-8")) == sample_report
    first = path.read_bytes()
    outputs.write_json(sample_report, path)
    assert path.read_bytes() == first
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_values_become_jsons_own() -> None:
    given = {"a": Fraction(-7, 12), "b": np.float64(0.5), "c": np.int64(3), "d": float("inf"), "e": (True, None)}
    assert outputs.plain(given) == {"a": "-7/12", "b": 0.5, "c": 3, "d": None, "e": [True, None]}
    assert type(outputs.plain(np.float64(0.5))) is float


@pytest.mark.parametrize(
    ("value", "place"), [({"a": [object()]}, r"report\.a\[0\]"), ({1: 2}, "report: the key 1"), (np.zeros(2), "report")]
)
def test_values_without_a_form_are_named(value: Any, place: str) -> None:
    with pytest.raises(TypeError, match=place):
        outputs.plain(value)


def test_a_failed_write_leaves_the_old_file(
    sample_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, fails)
            with pytest.raises(OSError, match="No space"):
                outputs.write_json(sample_report, path)
        assert path.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_the_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(real)
    outputs.atomic_write(outputs.check_target("--json", str(link)), "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_directory_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UsageError, match="a writable directory"):
        outputs.check_target("--json", str(tmp_path / "report.json"))


def test_what_a_kill_within_a_write_left_goes_with_the_next_write(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left, own = f".twofold-{int(gone.stdout)}-0123abcd", f".twofold-{os.getpid()}-0123abcd"
    others = (".twofold-1-0123abcd", f"{left}.txt", f".twofold-{int(gone.stdout)}-other", f"{left[1:]}")
    for name in (left, own, *others):
        (tmp_path / name).write_text("a part")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / f"{left[:-1]}e").mkdir()
    (tmp_path / f"{left[:-1]}f").symlink_to(tmp_path / own)
    # one that has just been written may be another machine's
    (tmp_path / f"{left[:-1]}0").write_text("a part")
    before = {path.name for path in tmp_path.iterdir()}
    outputs.atomic_write(tmp_path / "report.json", "{}")
    assert {path.name for path in tmp_path.iterdir()} == before - {left} | {"report.json"}


def test_of_files_written_together_none_is_there_where_one_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "first").write_text("old")
    with pytest.raises(NotADirectoryError):
        outputs.write_together({tmp_path / name: "new" for name in ("first", "made/second", "first/third")})
    assert [path.name for path in tmp_path.iterdir()] == ["first"]
    assert (tmp_path / "first").read_text() == "old"


def test_a_link_in_a_circle_is_no_target(tmp_path: Path) -> None:
    link = tmp_path / "loop"
    link.symlink_to(link)
    with pytest.raises(UsageError, match="--json"):
        outputs.check_target("--json", str(link))


def test_junit_tells_what_a_ci_needs(sample_report: Report) -> None:
    root = ET.fromstring(outputs.junit(sample_report))
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    cases = {case.get("name"): case for case in root.iter("testcase")}
    children = {name: sorted(child.tag for child in case) for name, case in cases.items()}
    assert children["bao2024.appA.eq11"] == ["system-out"]
    assert children["bao2024.appA.eq15"] == ["system-out"]
    assert children["bao2024.appA.eq16"] == ["skipped", "system-out"]
    assert children["bao2024.appC.eq22"] == ["failure", "system-out"]
    assert children["bao2024.appC.lemma1-A"] == ["error", "system-out"]
    skipped = cases["bao2024.appA.eq16"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "too little power at quick effort"
    found = cases["bao2024.appA.eq15"].findtext("system-out") or ""
    for part in ("refuted", "(i - 1)*tr1", "correction: i*tr1", "the print gives 0, the truth is 1"):
        assert part in found
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("bao2024.appA", "4"), ("bao2024.appC", "2")]


def test_junit_counts_differences_from_the_expectation(sample_report: Report) -> None:
    differences = [
        Difference("bao2024.appA.eq11", "refuted", "verified"),
        Difference("bao2024.appA.eq12", "verified", ""),
    ]
    root = ET.fromstring(outputs.junit(sample_report, differences))
    assert (root.get("tests"), root.get("failures")) == ("7", "3")
    messages = [failure.get("message") for failure in root.iter("failure")]
    assert "bao2024.appA.eq11: expected refuted, got verified" in messages
    assert "bao2024.appA.eq12: expected verified, got no verdict" in messages


def test_junit_survives_any_text(make_claim: Callable[..., Report], sample_report: Report) -> None:
    nasty = '<&>"]]>\x00\x1b\ud800\ufffe end'
    sample_report["claims"] = [make_claim(verdict="error", reason=nasty, traceback=nasty, reading=nasty)]
    error = ET.fromstring(outputs.junit(sample_report)).find(".//error")
    assert error is not None
    assert (error.get("message") or "").startswith('<&>"]]>')
    assert (error.get("message") or "").endswith(" end")


def test_junit_is_written(sample_report: Report, tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    outputs.write_junit(sample_report, path)
    assert ET.parse(path).getroot().tag == "testsuites"


def test_folders(tmp_path: Path) -> None:
    assert outputs.check_folder("--html", str(tmp_path / "new" / "below")) == tmp_path / "new" / "below"
    (tmp_path / "file").write_text("")
    for value in ("", str(tmp_path / "file"), str(tmp_path / "file" / "below"), "\x00"):
        with pytest.raises(UsageError) as caught:
            outputs.check_folder("--html", value)
        assert "\n" not in str(caught.value)
    assert outputs.present_folder("--figures", str(tmp_path)) == tmp_path
    with pytest.raises(UsageError, match="a folder that is there"):
        outputs.present_folder("--figures", str(tmp_path / "none"))


def test_the_schema_in_the_repository_is_that_of_the_types() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run `python -m proofs_check.report.documents`"


def test_a_report_of_an_earlier_version_is_completed(sample_report: Report) -> None:
    older = copy.deepcopy(sample_report)
    for claim in older["claims"]:
        del claim["bound"], claim["symbolic"]["trusted"]
    del older["run"]["trusted"]
    found = complete(older)
    assert found["run"]["trusted"] == 0
    for claim, given in zip(found["claims"], sample_report["claims"], strict=True):
        assert claim["bound"] is False and claim["symbolic"]["trusted"] == []
        assert {**claim, "bound": given["bound"], "symbolic": given["symbolic"]} == given


def test_an_empty_claim_has_every_field_and_no_verdict() -> None:
    claim = empty(Claim)
    assert set(claim) == set(schema()["$defs"]["Claim"]["properties"])
    assert claim["verdict"] == "error" and claim["symbolic"]["status"] == claim["simulation"]["status"] == "none"
    assert claim["counterexample"] is None and claim["cases"] == []


@examples(6, 60)
def test_a_process_that_made_the_schema_ends_well(count: int) -> None:
    """Of the processes that left msgspec's Meta objects to the last collection, one in four ended by a signal."""
    code = "from proofs_check.claims.schema import schema; [schema() for _ in range(3)]"
    ends = {subprocess.run([sys.executable, "-c", code], check=False).returncode for _ in range(count)}
    assert ends == {0}
