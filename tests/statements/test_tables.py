"""What is found of the statements in tables/, a row each.

A row is ``VERB OUTCOME | STATEMENT | COLUMN: TEXT | ...``. The verbs are ``decide`` (the kernel alone), ``prove`` (a
proof without tokens, yes or no), ``search`` (without tokens: proof and search), ``judge`` (both sides, as ``twofold
check``) and ``refuse`` (an error of the statement). The columns are ``if`` (hypotheses), ``where`` (definitions),
``law``, ``limit``, ``seed``, ``symbolic`` (the status of the derivation of what is judged), ``says`` (words of the
reason, or of the error), ``at`` (what stands at the caret of an error, or ``end``), ``slow``, and ``why`` (for the
reader). ``==`` begins what a group of rows shows, ``#`` a remark, and ``let NAME = TEXT`` says what ``{NAME}`` stands
for below.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from proofs_check.api import check
from proofs_check.statements.deterministic import judge_deterministic
from proofs_check.statements.request import Request
from theorems.statement import StatementError, proposition
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.proofs import proved

TABLES = sorted((Path(__file__).parent / "tables").glob("*.txt"))
GIVEN = {"if": "hypotheses", "where": "where", "law": "law", "limit": "limit"}
VERDICTS = ("verified", "refuted", "undecided", "conflict", "error", "any")
#: The outcomes of a verb, and the columns that it has beside those of all.
VERBS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "decide": (("proved", "open", "undecided"), ("says",)),
    "prove": (("yes", "no"), ()),
    "search": (VERDICTS, ("seed", "says")),
    "judge": (VERDICTS, ("seed", "symbolic", "says")),
    "refuse": (("",), ("at", "says")),
}


class Row(NamedTuple):
    """A statement as it is given, and what is to be found of it."""

    verb: str
    outcome: str
    given: dict[str, str]
    more: dict[str, str]
    says: tuple[str, ...]


def read(line: str) -> Row:
    """The row of a line; ValueError for an outcome or a column that its verb has not."""
    first, text, *cells = line.split(" | ")
    verb, _, outcome = first.partition(" ")
    outcomes, own = VERBS[verb]
    columns = [cell.split(": ", 1) for cell in cells]
    for name, known in (
        *((word, outcomes) for word in outcome.removeprefix("not ").split(" or ")),
        *((name, (*GIVEN, *own, "why")) for name, *_ in columns),
    ):
        if name not in known:
            raise ValueError(f"{name!r} in {line!r}; expected one of {', '.join(known)}")
    given = {GIVEN[name]: value for name, value in columns if name in GIVEN}
    more = {name: value for name, value in columns if name not in GIVEN}
    return Row(verb, outcome, {"text": text, **given}, more, tuple(value for name, value in columns if name == "says"))


def rows() -> Iterator[Any]:
    """All rows of all tables, named by their table and statement."""
    for table in TABLES:
        let: dict[str, str] = {}
        for line in table.read_text(encoding="utf-8").splitlines():
            for name, text in let.items():
                line = line.replace(f"{{{name}}}", text)
            if line.startswith("let "):
                name, text = line.removeprefix("let ").split(" = ", 1)
                let[name] = text
            elif line and line[0] not in "#=":
                row = read(line)
                yield pytest.param(row, id=f"{table.stem}: {row.given['text']}")


def is_one_of(found: str, outcome: str) -> bool:
    """Whether an outcome is "any", the one that is named, another than "not ...", or one of "... or ..."."""
    if outcome.startswith("not "):
        return found != outcome.removeprefix("not ")
    return outcome == "any" or found in outcome.split(" or ")


def shown(row: Row) -> None:
    """Assert what a row says."""
    if row.verb == "refuse":
        with pytest.raises(StatementError) as refused:
            Request(**row.given).read()
        assert all(words in str(refused.value) for words in row.says), refused.value
        return
    if row.verb == "judge":
        found: Any = check(**row.given, effort="quick", seed=int(row.more.get("seed", "0")))
        symbolic = found.report["symbolic"]["status"]
        assert is_one_of(symbolic, row.more.get("symbolic", "any")), symbolic
    else:
        prop = proposition(**row.given)
        if row.verb == "prove":
            assert (proved(prop) is not None) is {"yes": True, "no": False}[row.outcome]
            return
        if row.verb == "decide":
            decided = decide(prop, Derivation(prop))
            assert is_one_of(decided.status, row.outcome), (decided.reason, decided.failing)
            assert decided.status != "open" or decided.failing
            assert all(words in decided.reason for words in row.says), decided.reason
            return
        assert row.verb == "search", row.verb
        found = judge_deterministic(prop, "quick", int(row.more.get("seed", "0")))
    assert is_one_of(found.verdict, row.outcome), found
    assert (found.counterexample is not None) == (found.verdict == "refuted")
    assert all(words in found.reason for words in row.says), found.reason


@pytest.mark.parametrize("row", list(rows()))
def test_a_row_of_a_table(row: Row) -> None:
    shown(row)


@pytest.mark.parametrize(
    "line",
    [
        "decide open | E[norm(x[i])**2] = i*tr(Sigma)",
        "decide proved | E[norm(x[i])**2] = i*tr(Sigma) | law: iid",
        "decide proved | E[norm(x[i])**2] = i*tr(Sigma) | says: to have a value",
        "prove no | u <= v | if: u real, v real, u <= v",
        "search verified | u <= v | if: u real, v real",
        "judge not verified | E[norm(x[i])**2] = i*tr(Sigma)",
        "judge refuted or undecided | E[norm(x[i])**2] = i*tr(Sigma)",
        "judge verified | E[norm(x[i])**2] = i*tr(Sigma) | symbolic: disproved",
        "judge any | E[norm(x[i])**2] = i*tr(Sigma) | says: no case",
        "refuse | j <= 2 | if: j + 1 = k, j = 1 | says: nothing of the kind",
    ],
)
def test_a_row_that_is_wrong_is_seen(line: str) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        shown(read(line))


@pytest.mark.parametrize("line", ["decide proved | 0 = 0 | hypotheses: n >= 2", "judge not prooved | 0 = 0"])
def test_what_no_row_says_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="expected one of"):
        read(line)
