"""The file of expected verdicts: both forms, what is refused, what counts as a difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proofs_check.inputs import expect
from proofs_check.inputs.errors import UsageError
from theorems.claims import outside

KNOWN = ["p.a.one", "p.a.two", "p.b.three"]


def write(folder: Path, text: str | bytes, name: str = "expected.toml") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def test_toml(tmp_path: Path) -> None:
    path = write(tmp_path, '[verdicts]\n"p.a.one" = "refuted"\n"p.a.one.corrected" = "verified"\n')
    assert expect.read(path, KNOWN, KNOWN).verdicts == {"p.a.one": "refuted", "p.a.one.corrected": "verified"}


@pytest.mark.parametrize("name", ["expected.json", "expected", "expected.txt"])
def test_a_report(name: str, tmp_path: Path, sample_report: dict[str, Any]) -> None:
    ids = [claim["id"] for claim in sample_report["claims"]]
    path = write(tmp_path, json.dumps(sample_report), name)
    assert expect.read(path, ids, ids).verdicts == {claim["id"]: claim["verdict"] for claim in sample_report["claims"]}


def test_only_selected_claims_count(tmp_path: Path) -> None:
    path = write(tmp_path, '[verdicts]\n"p.a.one" = "refuted"\n"p.b.three" = "verified"\n')
    assert expect.read(path, KNOWN, ["p.a.one", "p.a.two"]).verdicts == {"p.a.one": "refuted"}


VERDICT = '"verdict": "verified"'
REFUSED: list[tuple[str | bytes, str, str]] = [
    ("[verdicts", "x.toml", "valid TOML"),
    ("", "x.toml", "a [verdicts] table"),
    ('[other]\n"p.a.one" = "refuted"\n', "x.toml", "a [verdicts] table"),
    ('verdicts = "p.a.one"\n', "x.toml", "a [verdicts] table"),
    ("[verdicts]\n", "x.toml", "one selected claim at least"),
    ('[verdicts]\n"p.b.three" = "verified"\n', "x.toml", "one selected claim at least"),
    ('[verdicts]\np.a.one = "refuted"\n', "x.toml", "ids of claims; 'p' is none"),
    ('[verdicts]\n"p.a.on" = "refuted"\n', "x.toml", "nearest: p.a.one"),
    ('[verdicts]\n"p.a.one" = "false"\n', "x.toml", "one of verified, refuted"),
    ('[verdicts]\n"p.a.one" = true\n', "x.toml", "one of verified, refuted"),
    ('[verdicts]\n"p.a.one" = "refuted"\n"p.a.one" = "verified"\n', "x.toml", "valid TOML"),
    ("{", "x.json", "valid JSON"),
    ("{", "x", "valid JSON"),
    ("[]", "x.json", "a table of verdicts"),
    ("[" * 100000, "x.json", "nested too deeply"),
    ("a = " + "[" * 100000, "x.toml", "nested too deeply"),
    ('{"schema": NaN}', "x.json", "NaN is no JSON"),
    ('{"schema": 3, "claims": []}', "x.json", "schema = 1 or 2; it has 3"),
    ('{"schema": 1}', "x.json", "a list `claims`"),
    ('{"schema": 1, "claims": [3]}', "x.json", "claims[0] has not"),
    ('{"schema": 1, "claims": [{"id": "p.a.one"}]}', "x.json", "claims[0] has not"),
    ('{"schema": 1, "schema": 1, "claims": []}', "x.json", "stands twice"),
    (f'{{"schema": 1, "claims": [{{"id": "p.a.one", {VERDICT}}}, {{"id": "p.a.one", {VERDICT}}}]}}', "x.json", "twice"),
    ('{"schema": 1, "claims": [{"id": "p.a.one", "verdict": ["verified"]}]}', "x.json", "one of verified"),
    (b"\xff\xfe\x00", "x.toml", "UTF-8"),
]


@pytest.mark.parametrize(("text", "name", "told"), REFUSED, ids=[told for _, _, told in REFUSED])
def test_what_is_refused(text: str | bytes, name: str, told: str, tmp_path: Path) -> None:
    path = write(tmp_path, text, name)
    with pytest.raises(UsageError) as caught:
        expect.read(path, KNOWN, ["p.a.one", "p.a.two"])
    message = str(caught.value)
    assert told in message
    assert message.startswith("--expect ")
    assert "\n" not in message


def test_a_file_that_is_too_large_or_no_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="a regular file; it is a device"):
        expect.read("/dev/zero", KNOWN, KNOWN)
    monkeypatch.setattr(outside, "LIMIT", 1 << 16)
    with pytest.raises(UsageError, match="at most"):
        expect.read(write(tmp_path, "#" * (1 << 17)), KNOWN, KNOWN)


def test_differences() -> None:
    claims = [{"id": "p.a.one", "verdict": "verified"}, {"id": "p.a.two", "verdict": "refuted"}]
    expected = expect.Expected({"p.a.one": "refuted", "p.a.two": "refuted", "p.a.two.corrected": "verified"})
    found = expect.differences(expected, claims, partial=False)
    assert [difference.sentence for difference in found] == [
        "p.a.one: expected refuted, got verified",
        "p.a.two.corrected: expected verified, got no verdict",
    ]
    found = expect.differences(expected, claims, partial=True)
    assert [difference.id for difference in found] == ["p.a.one"]


def claim(verdict: str, exact: str | None = None, correction: str | None = None) -> dict[str, Any]:
    return {
        "id": "p.a.one",
        "verdict": verdict,
        "symbolic": {"exact": exact},
        "correction": None if correction is None else {"sympy": correction},
    }


def told(held: str, found: dict[str, Any], folder: Path, effort: str = "") -> list[str]:
    expected = expect.read(write(folder, held), KNOWN, KNOWN)
    return [difference.sentence for difference in expect.differences(expected, [found], False, effort)]


HELD = """[made]
effort = "standard"
[verdicts]
"p.a.one" = "refuted"
[exact]
"p.a.one" = "theta**2 + theta"
[corrections]
"p.a.one" = "theta*(theta + 1)"
"""


def test_formulas_are_compared_as_expressions(tmp_path: Path) -> None:
    assert told(HELD, claim("refuted", "theta*(1 + theta)", "theta + theta**2"), tmp_path) == []
    assert told(HELD, claim("refuted", "theta**2 - theta", None), tmp_path) == [
        "p.a.one: expected the derived value theta**2 + theta, got theta**2 - theta",
        "p.a.one: expected the correction theta*(theta + 1), got none",
    ]
    assert told(HELD.split("[exact]")[0] + "[exact]\n", claim("refuted", "1"), tmp_path) == [
        "p.a.one: expected the derived value to be none, got 1"
    ]
    assert told(HELD, claim("verified", "1"), tmp_path) == ["p.a.one: expected refuted, got verified"]


def test_what_holds_is_compared_where_a_correction_is_no_formula(tmp_path: Path) -> None:
    held = '[verdicts]\n"p.a.one" = "refuted"\n[clauses]\n"p.a.one" = "if lam >= 15/16"\n'
    found = claim("refuted") | {"correction": {"sympy": None, "holds": "if lam >= 15/16"}}
    assert told(held, found, tmp_path) == []
    found["correction"]["holds"] = "if lam >= 7/8"
    assert told(held, found, tmp_path) == ["p.a.one: expected the corrected clause if lam >= 15/16, got if lam >= 7/8"]
    # beside a formula the words are only a comment
    found["correction"]["sympy"] = "1"
    assert told(held.partition("[clauses]")[0] + "[clauses]\n", found, tmp_path) == []


def test_a_lower_effort_may_leave_open_what_a_higher_one_decided(tmp_path: Path) -> None:
    assert told(HELD, claim("undecided"), tmp_path, "quick") == []
    assert told(HELD, claim("undecided"), tmp_path, "standard") == ["p.a.one: expected refuted, got undecided"]
    assert told(HELD, claim("verified"), tmp_path, "quick") == ["p.a.one: expected refuted, got verified"]


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ('exact = 3\n[verdicts]\n"p.a.one" = "refuted"\n', "[exact] with a formula"),
        ('[verdicts]\n"p.a.one" = "refuted"\n[corrections]\n"p.a.one" = 1\n', "[corrections] with a formula"),
        ('[verdicts]\n"p.a.one" = "refuted"\n[made]\neffort = "much"\n', "made.effort to be one of quick"),
    ],
)
def test_other_tables_that_are_refused(text: str, mend: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        expect.read(write(tmp_path, text), KNOWN, KNOWN)
    assert mend in str(caught.value)
