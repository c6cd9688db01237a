"""Which rows are left to the slow tests: what is listed are rows of tests that stand, and how they are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import timing

ROOT = Path(__file__).parents[1]


def test_every_row_that_is_listed_is_one_of_a_test() -> None:
    sources: dict[str, str] = {}
    for name in timing.listed():
        file, test = name.split("[")[0].split("::", 1)
        text = sources.setdefault(file, (ROOT / file).read_text(encoding="utf-8"))
        assert f"def {test.split('::')[-1]}(" in text, name


def test_a_listed_row_is_slow_and_others_are_not(request: pytest.FixtureRequest) -> None:
    assert not any(item.nodeid in timing.listed() for item in request.session.items)


def test_the_quickest_row_of_a_test_stays() -> None:
    rows = [f"{seconds} a.py::test[{name}]" for seconds, name in ((9, "b"), (0.5, "c"), (0.1, "d"), (3, "e"))]
    assert timing.long_rows(rows) == {"a.py::test[b]", "a.py::test[c]", "a.py::test[e]"}
    assert not timing.long_rows([row.replace("a.py::test", "tests/properties/a.py::test_both_sides") for row in rows])
    assert not timing.long_rows(["30 a.py::alone", "0.3 a.py::test[b]"])


def test_what_was_not_measured_stays_in_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "times").mkdir()
    (tmp_path / "times" / "1").write_text("0.1 a.py::t[x]\n0.1 a.py::t[y]\n4 a.py::t[z z]\n")
    monkeypatch.setattr(timing, "LISTED", tmp_path / "slow.txt")
    timing.LISTED.write_text("a.py::t[x]\nb.py::t[x]\n")
    timing.main(str(tmp_path / "times"))
    assert timing.listed() == {"a.py::t[z z]", "b.py::t[x]"}
