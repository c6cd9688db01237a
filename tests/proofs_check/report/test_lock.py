"""The lock: what it holds of a run, what it refuses, and that a changed verdict or figure is seen."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.commands import checks, cli
from proofs_check.inputs import expect
from proofs_check.inputs.errors import UsageError
from proofs_check.report import lock
from proofs_check.report.lock import changed, data_of, figures_of, fingerprint, moved, news, written

POINTS = [{"x": k, "y": k / 7 - 3} for k in range(40)]
DATA: dict[str, Any] = {"title": "rho", "points": POINTS, "none": None}


@pytest.fixture
def report(sample_report: Any) -> Any:
    keep = [claim for claim in sample_report["claims"] if claim["verdict"] in ("verified", "refuted", "undecided")]
    return {**sample_report, "claims": keep}


def test_a_run_is_as_its_own_lock_says(report: Any, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.toml"
    path.write_text(written(report, {"rho": fingerprint(DATA)}), encoding="utf-8")
    ids = [claim["id"] for claim in report["claims"]]
    held = expect.read(str(path), ids, ids)
    assert held.verdicts == {claim["id"]: claim["verdict"] for claim in report["claims"]}
    assert held.effort == report["run"]["effort"]
    assert expect.differences(held, report["claims"], False, held.effort) == []
    assert figures_of("--expect", str(path)) == {"rho": fingerprint(DATA)}
    other = copy.deepcopy(report)
    refuted = next(claim for claim in other["claims"] if claim["correction"])
    refuted["correction"]["sympy"] = "12345"
    (difference,) = expect.differences(held, other["claims"], False, held.effort)
    assert difference.sentence.startswith(f"{refuted['id']}: expected the correction ")


def test_no_lock_is_made_of_a_run_that_cannot_be_held_to(report: Any) -> None:
    broken = copy.deepcopy(report)
    broken["claims"][0]["verdict"] = "conflict"
    with pytest.raises(UsageError, match="no conflict and no error"):
        written(broken, {})
    with pytest.raises(UsageError, match="came to its end"):
        written(cast(Any, {**report, "run": {**report["run"], "partial": True}}), {})


@given(st.integers(0, 39), st.sampled_from([1e-3, -1.0, 1e-4]))
def test_one_moved_number_is_seen(place: int, by: float) -> None:
    other = copy.deepcopy(DATA)
    other["points"][place]["y"] += by * sum(abs(p["y"]) + p["x"] for p in POINTS)
    assert moved(fingerprint(DATA), fingerprint(other)).startswith("other numbers")


def test_what_is_seen_and_what_is_rounding() -> None:
    held = fingerprint(DATA)
    rounded = json.loads(json.dumps(DATA), parse_float=lambda text: float(text) * (1 + 1e-9))
    assert moved(held, fingerprint(rounded)) == ""
    assert moved(held, fingerprint({**DATA, "points": POINTS[::-1]})).startswith("other numbers (order")
    assert moved(held, fingerprint({**DATA, "title": "Rho"})) == "other words"
    assert moved(held, fingerprint({**DATA, "none": 0.0})).startswith("80 numbers, now 81")
    assert changed({"a": held}, {"a": held, "b": held}) == ["b: is not held"]
    # a sum that is no number is no agreement
    assert moved({**held, "size": float("nan")}, held)


@pytest.mark.parametrize(
    "text", ["figures = 1", "[figures]\nrho = 2", '[figures.rho]\nnumbers = "x"', "[figures.rho]\nnumbers = 1", "[["]
)
def test_a_lock_that_cannot_be_used(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        figures_of("--expect", str(path))
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="wrote"):
        figures_of("--expect", str(tmp_path / "none.toml"))


def test_names_that_are_no_bare_keys_come_back(report: Any) -> None:
    text = written(report, {'a"b.c': fingerprint([1.5])})
    assert tomllib.loads(text)["figures"] == {'a"b.c': fingerprint([1.5])}


def test_news_says_what_changed(report: Any) -> None:
    before = written(report, {"rho": fingerprint(DATA), "old": fingerprint([1])})
    other = copy.deepcopy(report)
    name = other["claims"][0]["id"]
    was = other["claims"][0]["verdict"]
    other["claims"][0]["verdict"] = "undecided"
    other["run"]["versions"]["torch"] = "99"
    told = news(before, written(other, {"rho": fingerprint({**DATA, "none": 1})}))
    assert f"verdicts: {name}: {was} -> undecided" in told
    assert any(line.startswith("versions: torch: ") and line.endswith(" -> 99") for line in told)
    assert any(line.startswith("figures: rho: 80 numbers") for line in told)
    assert "figures: old: no longer held" in told
    assert news(before, before) == []
    assert news("[[", before) == ["the lock before could not be read"]


def test_the_command(report: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(checks, "catalogue", lambda _: {claim["id"]: None for claim in report["claims"]})
    (tmp_path / "figures").mkdir()
    (tmp_path / "report.json").write_text(json.dumps(report))
    arguments = ["lock", "--report", str(tmp_path / "report.json"), "--figures", str(tmp_path / "figures")]
    arguments += ["--out", str(tmp_path / "verdicts.toml")]
    assert cli.main(arguments) == 2
    assert "a folder with figures' data" in capsys.readouterr().err and not (tmp_path / "verdicts.toml").exists()
    (tmp_path / "figures" / "rho.json").write_text(json.dumps(DATA))
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out.splitlines() == [f"wrote {tmp_path / 'verdicts.toml'}"]
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["nothing changed"]
    for other in ('[project]\nname = "mine"\n', "some notes", "verdicts = 1"):
        (tmp_path / "verdicts.toml").write_text(other)
        assert cli.main(arguments) == 2
        assert "a lock, or no file yet" in capsys.readouterr().err
        assert (tmp_path / "verdicts.toml").read_text() == other
    for other in ("", "[verdicts]\n", f"{lock.HEAD}[["):
        (tmp_path / "verdicts.toml").write_text(other)
        assert cli.main(arguments) == 0
    capsys.readouterr()
    monkeypatch.setattr(checks, "catalogue", lambda _: {"another.claim": None})
    assert cli.main(arguments) == 2
    assert "another.claim is missing" in capsys.readouterr().err


def test_figures_are_held_to_the_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # the data are held, not the pictures, which take longest
    monkeypatch.setattr("figures.files.rendered", lambda figure, suffix, name: b"a picture")
    out = str(tmp_path / "out")
    assert cli.main(["figures", "softmax_pieces", "--out", out]) == 0
    held = data_of(Path(out))
    path = tmp_path / "verdicts.toml"
    tables = [f"[figures.{n}]\n" + "\n".join(f"{k} = {v!r}" for k, v in m.items()) for n, m in held.items()]
    path.write_text("\n".join(tables))
    assert cli.main(["figures", "softmax_pieces", "--out", out, "--expect", str(path)]) == 0
    path.write_text(path.read_text().replace("numbers = ", "numbers = 1"))
    capsys.readouterr()
    assert cli.main(["figures", "softmax_pieces", "--out", out, "--expect", str(path)]) == 1
    assert "data differs from --expect; softmax_pieces: 1" in capsys.readouterr().err
    assert lock.HEAD.startswith("#")
