"""The examples of docs/statements.md get the verdicts that the page gives them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from proofs_check.cases.of_statements import drawn, simple
from proofs_check.statements.judging import both_sides, check_statement
from proofs_check.statements.moments import Checker
from proofs_check.statements.request import Request
from proofs_check.statements.violating import violations
from proofs_check.statements.without_tokens import found_without_tokens
from proofs_check.statements.wrong_versions import mutants_of
from theorems.statement.deciding.decide import Derivation, decide
from theorems.statement.expression import StatementError
from theorems.statement.mutants import mutants
from theorems.statement.proposition import Proposition
from theorems.statement.weakening import reversed_limits

PAGE = Path(__file__).parents[1] / "docs" / "statements.md"
ROW = re.compile(
    r"^\| `(?P<text>[^`]+)` \|(?: `(?P<known>[^`]+)`)? \|(?: `(?P<options>[^`]+)`)? \| (?P<verdict>\w+) \|$"
)


class Example(NamedTuple):
    """A row of the table."""

    request: Request
    verdict: str

    def __str__(self) -> str:
        return self.request.text[:50]


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
    assert len(EXAMPLES) >= 75
    assert {example.verdict for example in EXAMPLES} == {"verified", "refuted", "undecided"}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_symbolic_side_of_every_example(example: Example) -> None:
    prop = example.request.read()
    if not prop.random:
        assert found_without_tokens(prop, "quick", 0).verdict[0] == example.verdict
        return
    status = decide(prop, Derivation(prop)).status
    expected = {"verified": "proved", "refuted": "open", "undecided": "undecided"}
    assert status == expected[example.verdict]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_every_example_is_judged_as_the_page_says(example: Example) -> None:
    report = check_statement(example.request, "standard")[0]
    assert report["verdict"] == example.verdict, report["reason"]


TRUE = [example for example in EXAMPLES if example.verdict == "verified"]
#: Wrong versions of an example that are judged.
WRONG = 4
#: Wrong versions for which a case is looked for, without samples.
LOOKED_AT = 8


def wrong_versions(prop: Proposition) -> Iterator[tuple[str, Proposition]]:
    """Wrong versions made from a true statement, those that are equal to it or follow from it left out."""
    if not prop.random:
        for wrong in mutants_of(prop):
            yield f"{wrong.left} {wrong.relation} {wrong.right}", wrong
        return
    changed = [(mutant.label, replace(prop, right=mutant.right)) for mutant in mutants(prop)]
    changed += [(label, replace(prop, right=right)) for label, right in reversed_limits(prop)]
    for label, wrong in changed:
        if prop.error is None and _open(wrong):
            yield label, wrong


def _open(prop: Proposition) -> bool:
    try:
        return decide(prop, Derivation(prop)).status == "open"
    except StatementError:
        # 1/(T - 1) divides by 0 at T = 1: such a version says nothing
        return False


MOMENTS = [e for e in TRUE if "x[" in e.request.text or "mean" in e.request.text]


@pytest.mark.parametrize(
    "example",
    [pytest.param(e, marks=() if k % 10 == 4 else pytest.mark.slow, id=str(e)) for k, e in enumerate(MOMENTS)],
)
def test_a_case_violates_the_wrong_versions_of_moments(example: Example) -> None:
    """Every wrong version of a moment at every T is false at an exact case that is found."""
    prop = example.request.read()
    if not prop.random or prop.limit.variable or prop.relation != "=":
        return
    told = 0
    for label, wrong in itertools.islice(wrong_versions(prop), LOOKED_AT):
        checker = Checker(wrong, "check.mutant", effort="quick")
        pool = itertools.chain(itertools.islice(simple(wrong), 100), drawn(wrong, 1, 24))
        assert violations(checker.exactly, pool), f"{label}: {wrong.left} = {wrong.right}"
        told += 1
    assert told, "no wrong version was made"


@pytest.mark.slow
@pytest.mark.parametrize("example", TRUE, ids=str)
def test_wrong_versions_of_the_true_ones_are_found(example: Example) -> None:
    """None is verified, and most are refuted; one that follows from a true inequality may be true itself."""
    prop = example.request.read()
    fates = []
    for label, wrong in itertools.islice(wrong_versions(prop), WRONG):
        found = both_sides(wrong, "check.mutant", "quick", 0, "cpu", 1)
        fates.append((found.verdict[0], label))
    if prop.error is not None:
        return
    assert fates
    verdicts = [verdict for verdict, _ in fates]
    assert "conflict" not in verdicts
    if prop.random or prop.relation == "=":
        assert "verified" not in verdicts, fates
        assert 2 * verdicts.count("refuted") >= len(verdicts), fates


def test_the_page_has_every_kind_of_statement() -> None:
    text = "\n".join(f"{e.request.text} {e.request.law} {e.request.limit}" for e in EXAMPLES)
    kinds = ("E[", "Var[", "Cov[", "Corr[", "Skew[", "Kurt[", "]/E[", "P[", "sum(", "mean(x)", "->", "O(T)", "o(T)")
    laws = (
        "start=0",
        "start=m",
        "iid ",
        "ar1(",
        "gaussian(",
        "iid(signs)",
        "iid(sphere)",
        "iid(student",
        "iid(mixture",
    )
    without = (
        "softmax",
        "entropy",
        "norm(W, fro)",
        "norm(W, nuclear)",
        "norm(a)*norm(b)",
        "log(1 + u)",
        "exp(u)",
        "tr(W)",
    )
    assert [kind for kind in (*kinds, *laws, *without) if kind not in text] == []
