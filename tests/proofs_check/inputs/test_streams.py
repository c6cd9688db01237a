"""What is printed steers no terminal, whatever stands in it; colours of our own go by."""

from __future__ import annotations

import ast
import io
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proofs_check.inputs.streams import Visible, steered, visible, visibly
from proofs_check.report import terminal

ROOT = Path(__file__).resolve().parents[3]
STEERING = ("\x1b[31m", "\x1b]0;title\a", "a\rb", "\x9b31m", "\u202etxt", "\u2028", "\ud800", "\x7f", "\b\b", "\0")


def test_every_character_that_is_not_seen_is_told_by_its_code() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        seen = character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if seen:
            # a place that no character has is not seen either
            assert visible(character) == character or unicodedata.category(character) == "Cn"
        # what shapes letters of some scripts is seen in them
        elif unicodedata.bidirectional(character) in ("AN", "AL") or code in range(0x110BD, 0x1D200):
            continue
        elif code not in range(0x13430, 0x13440):
            assert visible(character) == character.encode("unicode_escape", "backslashreplace").decode(), hex(code)


@pytest.mark.parametrize("text", STEERING, ids=ascii)
def test_what_is_printed_is_visible(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with visibly():
        print(text, "two\tthree")
        print(text, file=sys.stderr)
        sys.stdout.writelines([text])
    out, err = capsys.readouterr()
    assert visible(out) == out and visible(err) == err
    assert "two\tthree\n" in out and err.endswith("\n")
    assert not isinstance(sys.stdout, Visible)


def test_the_streams_are_given_back_and_wrapped_once() -> None:
    before = sys.stdout
    with pytest.raises(ZeroDivisionError), visibly(), visibly():
        assert steered(sys.stdout) is before
        _ = 1 / 0
    assert sys.stdout is before


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_only_our_own_codes_go_by(sample_report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    out = Screen()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm-256color")
    for claim in sample_report["claims"]:
        claim["reading"] = claim["replay"] = claim["reason"] = "a\x1b]0;title\ab\x1b[2J"
    with visibly():
        terminal.show_report(sample_report, [], None)
    shown = out.getvalue()
    assert "\x1b[1" in shown
    assert "\\x1b]0;" in shown
    assert "\x1b]" not in shown and "\a" not in shown and "\x1b[2J" not in shown


def writers(text: str) -> Iterator[str]:
    """What in a module's text could write to a terminal by another way."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.split(".")[-1] == "Console" or called == "os.write":
                yield called
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.__stdout__", "sys.__stderr__"):
            yield ast.unparse(node)


def test_nothing_writes_to_a_terminal_by_another_way() -> None:
    paths = [path for package in ("proofs_check", "figures") for path in (ROOT / package).rglob("*.py")]
    found = [path for path in paths if [*writers(path.read_text(encoding="utf-8"))]]
    assert found == []
    assert [*writers("from rich.console import Console\nConsole(file=sys.__stderr__)")] == ["Console", "sys.__stderr__"]
