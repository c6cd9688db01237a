"""Packages that offer claims and break while they are imported: an error in a line, and what ships is untouched."""

from __future__ import annotations

import json
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
