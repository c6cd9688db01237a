"""The examples of docs/statements.md get the verdicts that the page gives them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from proofs_check.checking.judging import check_statement
from proofs_check.checking.moments import Checker
from proofs_check.checking.request import Request
from proofs_check.checking.without_tokens import found_without_tokens
from theorems.statement.decide import Derivation, decide

PAGE = Path(__file__).parents[1] / "docs" / "statements.md"
ROW = re.compile(
    r"^\| `(?P<text>[^`]+)` \|(?: `(?P<known>[^`]+)`)? \|(?: `(?P<options>[^`]+)`)? \| (?P<verdict>\w+) \|$"
)


class Example(NamedTuple):
    """A row of the table."""

    request: Request
    verdict: str


def examples() -> list[Example]:
    """The rows of the page's table of examples."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if match := ROW.match(line):
            options = dict(re.findall(r"--(law|as) (.*?)(?= --|$)", match["options"] or ""))
            request = Request(
                match["text"], match["known"] or "", "", options.get("law", "walk"), options.get("as", "")
            )
            found.append(Example(request, match["verdict"]))
    return found


EXAMPLES = examples()


def test_there_are_examples_of_every_verdict() -> None:
    assert len(EXAMPLES) >= 40
    assert {example.verdict for example in EXAMPLES} == {"verified", "refuted", "undecided"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.request.text[:50])
def test_the_symbolic_side_of_every_example(example: Example) -> None:
    prop = example.request.read()
    if not prop.random:
        assert found_without_tokens(prop, "quick", 0).verdict[0] == example.verdict
        return
    status = decide(prop, Derivation(prop)).status
    expected = {"verified": "proved", "refuted": "open", "undecided": "undecided"}
    assert status == expected[example.verdict]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.request.text[:50])
def test_every_example_is_judged_as_the_page_says(example: Example) -> None:
    report = check_statement(example.request, "standard")[0]
    assert report["verdict"] == example.verdict, report["reason"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [e for e in EXAMPLES if e.verdict == "verified" and "x[" in e.request.text and not e.request.limit],
    ids=lambda example: example.request.text[:50],
)
def test_wrong_versions_of_the_true_ones_are_refuted(example: Example) -> None:
    from dataclasses import replace

    from theorems.statement.mutants import mutants

    prop = example.request.read()
    for mutant in mutants(prop)[:6]:
        wrong = replace(prop, right=mutant.right)
        if decide(wrong, Derivation(wrong)).status == "open":
            found = Checker(wrong, "check.mutant", effort="quick").run()
            assert found.verdict[0] in ("refuted", "undecided"), mutant.label
