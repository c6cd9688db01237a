"""Files of every kind where a file is read: reports, expectations, locks, arrays, addresses of schedulers."""

from __future__ import annotations

import copy
import json
import os
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from proofs_check.commands import checks
from proofs_check.inputs import expect, files
from proofs_check.inputs.errors import UsageError
from proofs_check.judging import cluster, runner
from proofs_check.report import lock
from tests.proofs_check.hostile import called, contents, examples, explore, jsons, one_line, refused, texts

Report = Any
CLAIM = "bao2024.appA.eq11"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_report: Report) -> Path:
    """A folder with files that must not be lost; nothing is judged, sampled or drawn."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "good.json").write_text(json.dumps(sample_report), encoding="utf-8")
    (folder / "old").write_text("not to be lost")
    claims = sample_report["claims"][:3]
    # a catalogue that the sample report is a whole run of
    table = checks.catalogue(())
    whole = {claim["id"]: table[claim["id"].removesuffix(".corrected")] for claim in sample_report["claims"]}
    monkeypatch.setattr(checks, "catalogue", lambda patterns: whole)
    monkeypatch.setattr(runner, "run", lambda *_: copy.deepcopy({**sample_report, "claims": claims}))
    return folder


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of a JSON value."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        found += places(part, (*path, key))
    return found


@st.composite
def damaged(draw: st.DrawFn, whole: Any) -> Any:
    """A JSON value with one part dropped, replaced, said twice, or put elsewhere."""
    other = copy.deepcopy(whole)
    path = draw(st.sampled_from(places(whole)[1:]))
    holder = other
    for key in path[:-1]:
        holder = holder[key]
    how = draw(st.sampled_from(["drop", "replace", "more", "text", "number"]))
    if how == "drop":
        del holder[path[-1]]
    elif how == "more" and isinstance(holder, list):
        holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
    elif how == "more":
        holder[draw(texts)] = copy.deepcopy(holder[path[-1]])
    else:
        kind = {"text": texts, "number": st.floats() | st.integers()}.get(how, jsons)
        holder[path[-1]] = draw(kind)
    return other


@st.composite
def damaged_bytes(draw: st.DrawFn, whole: bytes) -> bytes:
    """A file cut short, with other bytes in it, or another file altogether."""
    how = draw(st.sampled_from(["cut", "put", "other", "twice", "deep"]))
    at = draw(st.integers(0, len(whole)))
    if how == "cut":
        return whole[:at]
    if how == "put":
        return whole[:at] + draw(st.binary(min_size=1, max_size=8)) + whole[at + draw(st.integers(0, 8)) :]
    if how == "twice":
        return whole + whole
    if how == "deep":
        return whole[:at] + draw(st.sampled_from([b"[", b'{"a":', b"[[", b"a=[", b"("])) * 100_000
    return draw(st.binary(max_size=60))


#: What the commands below may write.
NEW = ("new.md", "new.xml", "new.tex", "new.toml", "new.json", "pages", "drawn")


def fine(command: list[str], folder: Path) -> None:
    """Fail unless the command did its work, or refused and changed nothing; other files stay in any case."""
    before = contents(folder)
    told = called(command)
    if told.status == 2:
        refused(told, folder, before)
        return
    assert told.status in (0, 1), told
    new = tuple(str(folder / name) for name in NEW)
    after = contents(folder)
    assert all(after.get(name) == content for name, content in before.items() if not name.startswith(new))
    assert all(name in before or name.startswith(new) for name in after)


REPORTED = (
    ["report", "bad.json", "--markdown", "new.md", "--junit", "new.xml", "--latex", "new.tex", "--comments", "bao2024"],
    ["report", "bad.json", "--html", "pages"],
    ["report", "good.json", "--markdown", "new.md", "--before", "bad.json", "--html", "pages"],
    ["diff", "bad.json", "good.json"],
    ["diff", "good.json", "bad.json"],
    ["lock", "--report", "bad.json", "--out", "new.toml", "--figures", "."],
    ["verify", CLAIM, "--expect", "bad.json", "--json", "new.json"],
)


@examples(25, 1500)
def test_reports(count: int, here: Path, sample_report: Report) -> None:
    def check(example: tuple[Report, list[str]]) -> None:
        report, command = example
        (here / "bad.json").write_bytes(json.dumps(report).encode())
        fine(command, here)

    explore(count, st.tuples(damaged(sample_report), st.sampled_from(REPORTED)), check)


@examples(60, 2500)
def test_bytes_where_a_report_is_read(count: int, here: Path, sample_report: Report) -> None:
    def check(example: tuple[bytes, list[str]]) -> None:
        raw, command = example
        (here / "bad.json").write_bytes(raw)
        fine(command, here)

    whole = json.dumps(sample_report).encode()
    commands = st.sampled_from([command for command in REPORTED if "pages" not in command])
    explore(count, st.tuples(damaged_bytes(whole), commands), check)


LOCK = f"""
[made]
effort = "quick"
seed = 0
[versions]
torch = "2.13.0"
[verdicts]
"{CLAIM}" = "verified"
"bao2024.appA.eq15" = "refuted"
[exact]
"{CLAIM}" = "tr1 + mWm"
[corrections]
"bao2024.appA.eq15" = "i*tr1"
[figures.softmax_pieces]
numbers = 3
size = 1.5
order = 1.5
words = "ab"
"""
#: TOML values that are no verdict, no formula and no number of a figure.
TOML = (
    *("1", "1e999", "nan", "true", "[]", "{}", "1979-05-27", "'''x'''", '"refuted"', '"\\u0000"', '"x"', "0x10", "-0"),
    *('"(" ', '"' + "(" * 900 + '"', '"x**x**x"', '"9**9**9**9"', '"(a+b+c)**60"', "\"__import__('os')\"", "9" * 5000),
    *('"1/0"', '"Sum(k**60, k, 1, T)"', '"' + "x+" * 500 + 'x"', '"sqrt(-1)"', '"exp(exp(exp(9)))"', '"α"', "["),
)


@st.composite
def locks(draw: st.DrawFn) -> bytes:
    """A lock with a line changed, or its bytes."""
    lines = LOCK.strip().split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    how = draw(st.sampled_from(["value", "drop", "twice", "key", "bytes"]))
    if how == "bytes":
        return draw(damaged_bytes(LOCK.encode()))
    if how == "drop":
        del lines[at]
    elif how == "twice":
        lines.insert(at, lines[at])
    elif "=" in lines[at]:
        key, _, value = lines[at].partition(" = ")
        if how == "key":
            key = json.dumps(draw(texts))
        lines[at] = f"{key} = {draw(st.sampled_from(TOML)) if how == 'value' else value}"
    return "\n".join(lines).encode("utf-8", "replace")


@examples(80, 3000)
def test_locks(count: int, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("figures.__main__.made", lambda name, seed: {f"{name}.json": b"[1, 2]"})

    def check(raw: bytes) -> None:
        (here / "bad.toml").write_bytes(raw)
        fine(["verify", CLAIM, "bao2024.appA.eq15", "--expect", "bad.toml", "--json", "new.json"], here)
        fine(["figures", "softmax_pieces", "--out", "drawn", "--expect", "bad.toml"], here)
        # as the lock before a new one
        assert all("\n" not in line for line in lock.news(raw.decode("utf-8", "replace"), LOCK))

    explore(count, locks(), check)


def test_a_lock_that_is_written_over_may_be_anything(here: Path) -> None:
    assert tomllib.loads(LOCK)
    for before in ("verdicts = 1", "[figures]\nrho = 3", "figures = []", "[figures.rho]\nsize = 'x'", "[versions]"):
        assert lock.news(before, LOCK)


ARRAYS: dict[str, Any] = {
    "nan": np.array([[np.nan]]),
    "infinity": np.array([[np.inf]]),
    "huge": np.array([[1e308]]),
    "tiny": np.array([[1e-320]]),
    "complex": np.eye(2) * 1j,
    "true": np.array([[True]]),
    "object": np.array([[None]], dtype=object),
    "text": np.array([["__import__('os').system('touch PWNED')"]]),
    "bytes": np.array([[b"x"]]),
    "dates": np.array([["2020-01-01"]], dtype="datetime64[D]"),
    "record": np.zeros((1, 1), dtype=[("a", "f8")]),
    "empty": np.zeros((0, 0)),
    "scalar": np.array(1.0),
    "row": np.array([1.0]),
    "cube": np.zeros((2, 2, 2)),
    "wide": np.zeros((2, 3)),
    "large": np.zeros((513, 513), dtype=np.int8),
    "long double": np.array([["1e400"]]).astype(np.longdouble),
}


@pytest.mark.parametrize("flag", ["--w", "--sigma", "--m"])
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_that_cannot_be_used(kind: str, flag: str, here: Path) -> None:
    if flag == "--m" and kind in ("row", "tiny"):
        return
    array = ARRAYS[kind].ravel() if flag == "--m" and ARRAYS[kind].size == 1 and kind != "scalar" else ARRAYS[kind]
    np.save(here / "bad.npy", array, allow_pickle=True)
    refused(called(["eval", CLAIM, flag, "bad.npy"]), here, contents(here))


HEADER = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }"


@pytest.mark.parametrize(
    "header",
    [
        HEADER % b"1000000000000, 1000000000000",
        HEADER % b"999999, 999999",
        HEADER % b"-1, -1",
        HEADER % b"__import__('os').system('touch PWNED'),",
        HEADER % (b"(" * 5000),
        HEADER % (b"9" * 5000 + b","),
        b"__import__('os').system('touch PWNED')",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,1), }",
        b"{'descr': [('a', '<f8')], 'fortran_order': 3, 'shape': None}",
        b"\xff\xfe",
        b"",
    ],
    ids=range(11),
)
def test_headers_of_arrays(header: bytes, here: Path) -> None:
    text = header + b"\n"
    for version, size in (
        (b"\x01\x00", len(text).to_bytes(2, "little")),
        (b"\x03\x00", len(text).to_bytes(4, "little")),
    ):
        (here / "bad.npy").write_bytes(b"\x93NUMPY" + version + size + text + b"\0" * 64)
        refused(called(["eval", CLAIM, "--w", "bad.npy"]), here, contents(here))


@examples(60, 3000)
def test_bytes_where_an_array_is_read(count: int, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_check.commands.evaluate.explore", lambda *_: [])
    np.save(here / "W.npy", np.eye(2))
    whole = (here / "W.npy").read_bytes()

    def check(raw: bytes) -> None:
        (here / "bad.npy").write_bytes(raw)
        fine(["eval", CLAIM, "--w", "bad.npy"], here)

    explore(count, damaged_bytes(whole), check)


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", CLAIM, "--expect", "{}"],
        ["figures", "softmax_pieces", "--expect", "{}"],
        ["verify", CLAIM, "--cluster", "{}"],
        ["diff", "{}", "good.json"],
        ["report", "good.json", "--html", "pages", "--selftest", "{}"],
        ["eval", CLAIM, "--w", "{}"],
        ["lock", "--report", "{}"],
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[-2:]),
)
@pytest.mark.parametrize(
    "path", ["/dev/zero", "/dev/full", "/proc/self/mem", "/", "/dev/null", "/proc/self/environ", "../pipe"]
)
def test_devices_in_place_of_files(
    path: str, arguments: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file without end is not read to it, and a pipe is not waited for."""
    os.mkfifo(here / "../pipe")
    monkeypatch.setattr(files, "LIMIT", 1 << 12)
    refused(called([word.format(path) for word in arguments]), here, contents(here))


@examples(60, 2000)
def test_addresses(count: int, here: Path) -> None:
    def check(example: tuple[str, bytes]) -> None:
        address, raw = example
        (here / "scheduler.json").write_bytes(raw)
        for value in (address, "scheduler.json"):
            try:
                found = cluster.check_address(value)
            except UsageError as error:
                one_line(f"error: {error}\n")
            else:
                assert found.split("://")[0] in ("tcp", "tls", "ws", "wss", "ucx") and found.isprintable()

    parts = st.sampled_from(
        ["tcp", "tls", "inproc", "file", "", "127.0.0.1", "::1", "[::1]", "host", "8786", "99999", "0"]
    )
    address = st.lists(st.one_of(parts, st.sampled_from(["://", ":", "/", "@", "%"]), texts), max_size=7).map("".join)
    raw = st.one_of(jsons.map(json.dumps).map(str.encode), st.binary(max_size=40), address.map(_written))
    explore(count, st.tuples(address, raw), check)


def _written(address: str) -> bytes:
    return json.dumps({"address": address}).encode()


@pytest.mark.parametrize("address", ["tls://127.0.0.1:1", "ucx://127.0.0.1:1"])
def test_a_protocol_that_cannot_be_spoken_is_one_line(
    address: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    refused(called(["verify", CLAIM, "--cluster", address]), here, contents(here))


def test_a_formula_to_compare_with_does_not_take_for_ever() -> None:
    for text in ("(a+b+c)**60", "x+" * 900 + "x", "(a+b)**64*(c+d)**64", "sqrt(" * 60 + "x" + ")" * 60, "x**(1/3)" * 1):
        assert not expect._same(text, "tr1 + tr2")


def test_a_pipe_where_a_site_is_read(here: Path, sample_report: dict[str, Any], tmp_path: Path) -> None:
    """What is no file, or no list of names, holds nothing."""
    (here / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    pages = tmp_path / "pages"
    pages.mkdir()
    os.mkfifo(pages / "files.txt")
    assert called(["report", "report.json", "--html", str(pages)]).status == 0
    for manifest in (b"a\0b\n", b"x" * 10_000 + b"\n", b"\xff\n", b"../here/report.json\n", b"claims/\x1b\n"):
        (pages / "files.txt").unlink()
        (pages / "files.txt").write_bytes(manifest)
        assert called(["report", "report.json", "--html", str(pages)]).status == 0
        assert (here / "report.json").exists()


#: Numbers at the ends of what a file may hold.
EXTREMES = (10**99, -(10**99), 10**400, 1e308, -1e308, 5e-324)


@pytest.mark.slow_for("negative", "tiny")
@pytest.mark.parametrize("number", EXTREMES, ids=["large", "negative", "refused", "float", "negative float", "tiny"])
def test_numbers_of_any_size_in_a_report(number: float, here: Path, sample_report: dict[str, Any]) -> None:
    """Each number of a report replaced by it, by key: shown in every form, or refused with nothing written."""
    keys: dict[str, list[tuple[Any, Any]]] = {}

    def look(holder: Any) -> None:
        for key, part in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(part, dict | list):
                look(part)
            elif isinstance(part, int | float) and not isinstance(part, bool):
                keys.setdefault(str(key), []).append((holder, key))

    look(sample_report)
    for places in keys.values():
        before = [holder[key] for holder, key in places]
        for holder, key in places:
            holder[key] = number
        (here / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
        for arguments in (
            ["report", "report.json", "--html", "pages", "--markdown", "r.md", "--junit", "r.xml"],
            ["diff", "report.json", "report.json"],
        ):
            there = contents(here)
            told = called(arguments)
            if told.status == 2:
                refused(told, here, there)
            else:
                assert told.status == 0, told
        for (holder, key), value in zip(places, before, strict=True):
            holder[key] = value
