"""Files of every kind where a file is read: reports, expectations, locks, arrays, addresses of schedulers."""

from __future__ import annotations

import copy
import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from proofs_check.commands import checks
from proofs_check.inputs import expect
from proofs_check.inputs.errors import UsageError
from proofs_check.judging import cluster, runner
from proofs_check.report import lock
from tests.proofs_check.hostile import called, contents, examples, explore, jsons, one_line, refused, texts
from theorems.claims import outside

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


def test_a_lock_that_is_written_over_may_be_anything() -> None:
    verdicts, figures = f'[verdicts]\n"{CLAIM}" = "verified"\n', "[figures.rho]\nnumbers = 3\nsize = 1.5\norder = 1.5\n"
    now = f'{verdicts}{figures}words = "ab"\n'
    for before in ("verdicts = 1", "[figures]\nrho = 3", "figures = []", "[figures.rho]\nsize = 'x'", "[versions]"):
        assert lock.news(before, now)


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
        told = called(["eval", CLAIM, "--w", "bad.npy"])
        refused(told, here, contents(here))
        # in words of ours, with what to do
        assert re.search(r"; (np\.save\(|reshape it|take fewer)", told.err) and "ast" not in told.err, told.err


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
    monkeypatch.setattr(outside, "LIMIT", 1 << 12)
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


def test_a_pipe_where_a_site_is_read(here: Path, sample_report: dict[str, Any]) -> None:
    """What is no file, or no list of a report's, is another's: nothing waits, and nothing is written."""
    (here / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    (here / "pages").mkdir()
    for manifest in (b"a\0b\n", b"x" * 10_000 + b"\n", b"\xff\n", b"../report.json\n", b"claims/\x1b\n"):
        (here / "pages" / "files.txt").write_bytes(manifest)
        refused(called(["report", "report.json", "--html", "pages"]), here, contents(here))
    (here / "pages" / "files.txt").unlink()
    os.mkfifo(here / "pages" / "files.txt")
    told = called(["report", "report.json", "--html", "pages"])
    assert told.status == 2 and os.listdir(here / "pages") == ["files.txt"]


def test_a_lock_that_cannot_be_read_is_not_written_over(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "verdicts.toml").write_text("[verdicts]\n")

    def denied(path: object) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    read = outside.regular_bytes
    monkeypatch.setattr(outside, "regular_bytes", lambda path: (denied if "toml" in str(path) else read)(path))
    told = called(["lock", "--report", "good.json", "--out", "verdicts.toml"])
    refused(told, here, contents(here))
    assert "(Permission denied)" in told.err


def test_files_of_one_call_do_not_lie_among_its_pages(here: Path, sample_report: dict[str, Any]) -> None:
    (here / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    before = contents(here)
    (here / "pages").mkdir()
    refused(called(["verify", CLAIM, "--json", "pages/report.json", "--html", "pages"]), here, before)
    refused(called(["report", "report.json", "--markdown", "pages/index.html", "--html", "pages"]), here, before)
    refused(called(["report", "report.json", "--html", "d/" * 1500]), here, before)


def test_pages_of_another_are_not_written_over(here: Path, sample_report: dict[str, Any], tmp_path: Path) -> None:
    (here / "report.json").write_text(json.dumps(sample_report), encoding="utf-8")
    (here / "pages").mkdir()
    (here / "pages" / "index.html").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    before = contents(here)
    for target in ("pages", "../loop", "../loop/pages"):
        refused(called(["report", "report.json", "--html", target]), here, before)
        refused(called(["verify", CLAIM, "--html", target]), here, before)


#: Numbers at the ends of what a file may hold.
EXTREMES = (10**99, -(10**99), 10**400, 1e308, -1e308, 5e-324)


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
