"""A report is read back only if it keeps to the schema; anything else is told in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs_check.inputs.errors import UsageError
from proofs_check.report.reading import read_report
from theorems.claims import outside

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part, max_size=3),
    max_leaves=8,
)


def test_a_report_comes_back(sample_report: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(sample_report), encoding="utf-8")
    assert read_report("REPORT", str(path)) == sample_report


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_tampered_report_is_refused_in_one_line_or_still_keeps_to_the_schema(
    sample_report: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("r") / "r.json"
    other = json.loads(json.dumps(sample_report))
    holder: Any = other
    while True:
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.booleans()):
            break
        holder = holder[key]
    holder[key] = data.draw(JSON)
    path.write_text(json.dumps(other), encoding="utf-8")
    try:
        found = read_report("REPORT", str(path))
    except UsageError as error:
        assert "\n" not in str(error) and str(error).startswith("REPORT ")
    else:
        assert found == other


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "a JSON report"),
        (b"[]", "a JSON report"),
        (b"{", "a JSON report"),
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"schema": NaN}', "NaN is no JSON"),
        (b'{"schema": 1, "schema": 1}', "stands twice"),
        (b'{"schema": 1}', "of schema 2; its is 1"),
    ],
)
def test_what_is_no_report(raw: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(raw)
    with pytest.raises(UsageError) as caught:
        read_report("REPORT", str(path))
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_a_claim_that_stands_twice(sample_report: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({**sample_report, "claims": [sample_report["claims"][0]] * 2}))
    with pytest.raises(UsageError, match="stands twice"):
        read_report("REPORT", str(path))


def test_a_file_that_is_too_large_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b" " * (outside.LIMIT + 1))
    with pytest.raises(UsageError, match="64 MiB"):
        read_report("REPORT", str(tmp_path / "large"))
    with pytest.raises(UsageError, match="No such file"):
        read_report("REPORT", str(tmp_path / "none"))
