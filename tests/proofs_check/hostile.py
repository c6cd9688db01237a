"""Hostile input for the tests: texts, JSON of every shape, and the command line called with them."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs_check.commands import cli
from proofs_check.inputs.streams import visible

#: What would leave a file behind if anything ran it.
CODE = (
    "__import__('os').system('touch PWNED')",
    "exec(\"open('PWNED', 'w')\")",
    "$(touch PWNED)",
    "`touch PWNED`",
    "; touch PWNED",
    "Symbol('x').__class__.__mro__[1].__subclasses__()",
    "{0.__class__}%s%n",
)
#: Texts that programs take for something else.
TEXTS = (
    *CODE,
    *("", " ", "\0", "\n", "\r\n", "\t", "\x1b[31m", "\ud800", "\udcff", "\u202e", "\U0010ffff", "\ufeff"),
    *("-", "--", "---", "-x", "--x", "=", "*", "[", "[!", "?", "/", ".", "..", "~", "a/b", "../../etc/passwd"),
    *("nan", "inf", "-inf", "1e999", "-1", "0", "+5", "1_000", "0x10", "1.5", "1/0", "1/2", "1j", "٣", "9" * 5000),
    *("true", "null", "None", "[]", "{}", "NaN", "x" * 20_000, "a" * 300, "é" * 200),
)
texts = st.one_of(st.sampled_from(TEXTS), st.text(st.characters(), max_size=12))

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**30, -(10**30), 2**63, 0, 1, -1]),
    st.floats(),
    st.sampled_from([1e308, 5e-324, -0.0, 1e-320]),
    texts,
)
#: Any JSON, with NaN and infinities, which Python writes and JSON does not have.
jsons: st.SearchStrategy[Any] = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=8
)


@dataclass(frozen=True)
class Told:
    """What a command did: its exit status, or "stopped" for argparse's own exit, and what it printed."""

    status: int | str
    out: str
    err: str


def called(arguments: Sequence[str]) -> Told:
    """Call the command line in this process; a traceback is a failed test."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: int | str = cli.main(arguments)
        except SystemExit as stop:
            # `--help` prints and leaves
            assert stop.code == 0
            status = "stopped"
    told = Told(status, out.getvalue(), err.getvalue())
    # nothing that a terminal would take for a command
    assert visible(told.out) == told.out and visible(told.err) == told.err, told
    return told


def one_line(message: str) -> None:
    """Fail unless a message is one line that a terminal shows as it stands."""
    assert message.endswith("\n") and message.count("\n") == 1, message
    line = message[:-1]
    assert "error: " in line and len(line) < 700, line
    assert all(character.isprintable() or character == " " for character in line), line


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its path."""
    return {
        os.path.join(where, name): Path(where, name).read_bytes()
        for where, _, names in os.walk(folder)
        for name in names
    }


def refused(told: Told, folder: Path, before: dict[str, bytes]) -> None:
    """Fail unless the command said so in one line, with status 2, and left every file as it was."""
    assert told.status == 2, told
    assert told.out == ""
    one_line(told.err)
    assert contents(folder) == before


#: How many examples: few in every run of the tests, many in the slow ones.
def examples(few: int, many: int) -> pytest.MarkDecorator:
    """Run a test twice: with few examples, and marked slow with many."""
    values = [pytest.param(few, id="few"), pytest.param(many, id="many", marks=pytest.mark.slow)]
    return pytest.mark.parametrize("count", values)


def explore(count: int, strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    """Check so many examples of a strategy, the same ones on every run; a failure is shrunk."""

    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def property_(example: Any) -> None:
        check(example)

    property_()
