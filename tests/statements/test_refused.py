"""What is told of statements that cannot be read: in one line what was given and what to do, and a caret at the place.

The rows are those of tables/ with the verb ``refuse``; every error of the reader is met by one of them.
"""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import theorems.statement
from proofs_check.statements.request import Request
from tests.proofs_check.hostile import called, one_line
from tests.statements.test_tables import Row, rows
from theorems.statement import StatementError
from theorems.statement.reading.language import MAX_DEPTH, MAX_LENGTH

OPTIONS = {"hypotheses": "--for", "where": "--where", "law": "--law", "limit": "--as"}
REFUSED: list[Any] = [param for param in rows() if param.values[0].verb == "refuse"]
#: How a message says what to do.
MEND = re.compile(
    r"\b(?:add|change|check|define|divide|drop|end|expected|give|join|keep|open|rename|say|state|take|write)\b"
)
#: What is told later, as a statement is decided; factored.py reads the prints of claims.
LATER = ("MAX_ORDERS", "a limit; take")
#: Statements that are too long for a row.
LONG = [
    {"text": "1" + "+1" * MAX_LENGTH + " = 1"},
    {"text": "-" * (MAX_LENGTH - 100) + "1 = 1"},
    {"text": "exp(" * (MAX_DEPTH + 2) + "1" + ")" * (MAX_DEPTH + 2) + " = 1"},
    {"text": "(" * 500 + "1" + ")" * 500 + " = 1"},
    {
        "text": "a20 = 1",
        "where": "; ".join(["a0 = tr(W)", *(f"a{k} = a{k - 1}*a{k - 1}" for k in range(1, 21))]),
    },
]


@pytest.mark.parametrize("row", REFUSED)
def test_a_refusal_is_one_line_with_the_mend_and_a_caret(row: Row) -> None:
    options = [f"{OPTIONS[name]}={value}" for name, value in row.given.items() if name != "text"]
    told = called(["check", *options, "--", row.given["text"]])
    assert told.status == 2 and not told.out
    message, *caret = told.err.splitlines()
    one_line(f"{message}\n")
    assert MEND.search(message), message
    assert len(caret) == 2, told.err
    assert caret[0].startswith("  ") and caret[1].endswith(" ^") and not caret[1][:-1].strip()
    if "at" in row.more:
        there = caret[0][len(caret[1]) - 1 :]
        assert there.startswith(row.more["at"]) if row.more["at"] != "end" else not there.strip(), told.err


def raised() -> Iterator[tuple[str, int, int]]:
    """The file and the lines of every place where the reader says what is wrong."""
    folder = Path(theorems.statement.__path__[0])
    for path in (folder / "proposition.py", *sorted((folder / "reading").glob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func).split(".")[-1]
                later = path.stem == "factored" or any(part in ast.unparse(node) for part in LATER)
                if name in ("StatementError", "fail", "_error", "about") and not later:
                    yield str(path), node.lineno, node.end_lineno or node.lineno


def places(error: BaseException | None) -> Iterator[tuple[str, int]]:
    """Where an error was raised, and those that it came from."""
    while error is not None:
        yield from ((frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__))
        error = error.__context__


def test_every_error_of_the_reader_is_met() -> None:
    met: set[tuple[str, int]] = set()
    for given in (*(param.values[0].given for param in REFUSED), *LONG):
        with pytest.raises(StatementError) as refused:
            Request(**given).read()
        assert MEND.search(str(refused.value))
        met.update(places(refused.value))
    unmet = [
        f"{Path(path).name}:{first}"
        for path, first, last in raised()
        if not any((path, line) in met for line in range(first, last + 1))
    ]
    assert not unmet, unmet
