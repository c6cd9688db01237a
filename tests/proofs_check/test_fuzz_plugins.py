"""Packages that offer claims and break while they are imported: an error in a line, and what ships is untouched."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.proofs_check.hostile import TEXTS, called, contents, one_line, refused
from tests.proofs_check.inputs.test_plugins import WORDS, Offer, offer, site

assert offer and site

#: What a module of a package may do as it is imported.
BROKEN = (
    "class Odd(BaseException): pass\nraise Odd('no way')\n",
    "raise GeneratorExit\n",
    "raise SystemExit(0)\n",
    "raise MemoryError\n",
    "raise RecursionError('x' * 100_000)\n",
    "raise ValueError('a\\nb\\x1b[31m\\ud800')\n",
    "1/0\n",
    "\0",
    "x = (" * 300,
    "def f(:\n",
    "from theorems.authoring import claim\nclaim(None, printed='1', symbols='')\n",
    "from theorems.authoring import claim\nclaim('mypaper.s.x', printed=None, symbols='')\n",
    "from theorems.authoring import claim\nclaim('mypaper.s.x', printed='1', symbols=3)\n",
    "from theorems.authoring import claim\nclaim('mypaper.s.x', printed='9**9**9**9', symbols='')\n",
    "from theorems.authoring import claim\nclaim('mypaper.s.x', 3)\n",
)


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_an_import_that_fails_is_the_error_of_that_package_alone(text: str, offer: Offer, tmp_path: Path) -> None:
    offer("one", "mypaper", theorems=text)
    shipped, own = called(["verify", "bao2024.appA.eq11", "--effort", "quick"]), tmp_path / "own.json"
    assert shipped.status == 0 and "mypaper" not in shipped.out
    assert called(["list", "mypaper"]).out.startswith("mypaper.")
    told = called(["verify", "mypaper", "--json", str(own)])
    assert told.status == 1
    (report,) = json.loads(own.read_text())["claims"]
    assert report["verdict"] == "error"
    assert report["reason"].isprintable() and len(report["reason"]) < 600
    for command in (["show", "mypaper.s.y"], ["figures", "mypaper.s.y"]):
        told = called(command)
        assert told.status == 2 and told.out == ""
        one_line(told.err)


@pytest.mark.parametrize("text", [text for text in TEXTS if len(text) < 400 and "\n" not in text and "\0" not in text])
def test_a_claim_with_any_text_for_its_print(text: str, offer: Offer, tmp_path: Path) -> None:
    offer("one", "mypaper", theorems=WORDS.replace('printed="i*tr1"', f"printed={text!r}"))
    told = called(["list", "mypaper"])
    if told.status == 2:
        refused(told, tmp_path, contents(tmp_path))
    else:
        assert told.status == 0 and told.out.startswith("mypaper.sec1.mean\t")
    assert not Path("PWNED").exists()


def _holding(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content)


#: What may stand where a package's statements are read, and what is told of it.
ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "it is a pipe"),
    "folder": (Path.mkdir, "it is a directory"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "it is a device"),
    "dotted": (_holding("a." * 100_000 + "b = 1\n"), "full stops in line 1"),
    "large": (_holding("# " * (1 << 20)), "over 1024 KiB"),
    "deep": (_holding("a = " + "[" * 20_000 + "]" * 20_000), "nested too deeply"),
    "digits": (_holding("a = " + "1" * 5000), "over 100 digits"),
    "bytes": (lambda path: path.write_bytes(b"\xff\xfe"), "UnicodeDecodeError"),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_package_whose_statements_are_no_bounded_file_is_an_error_at_once(
    kind: str, offer: Offer, site: Path, tmp_path: Path
) -> None:
    put, told = ODD[kind]
    offer("one", "mypaper", theorems='from theorems.authoring import claims_from\nclaims_from("one")\n')
    put(site / "one" / "statements.toml")
    own, began = tmp_path / "own.json", time.process_time()
    # a pipe that is waited for ends the test, not the run of the tests
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(20)
    try:
        assert called(["verify", "mypaper", "--effort", "quick", "--json", str(own)]).status == 1
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - began < 10
    (report,) = json.loads(own.read_text())["claims"]
    assert report["verdict"] == "error" and told in report["reason"]
