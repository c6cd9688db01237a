"""Proof lines that are statements or claims: each is judged, and the first whose error reaches the conclusion found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from proofs_check.claims.report import Claim
from proofs_check.claims.schema import empty
from proofs_check.judging.lines import beyond, holds, mark, stated_lines
from proofs_check.judging.runner import _standing
from proofs_check.statements.wrong_versions import changed_numbers
from tests.proofs_check.holes.lemmas import forgotten
from theorems.authoring import claim as stated
from theorems.authoring import unread
from theorems.claims.catalogue import CatalogueError, ProofLine, Statement, by_id
from theorems.kernel.catalogued import line_said
from theorems.statement import StatementError, proposition
from theorems.statement.deciding.decide import Decision, Derivation, decide
from theorems.statement.proofs import proved
from theorems.statement.proposition import Proposition

THEOREM1 = "choromanski2021.sec3.thm1-lower"
THEOREM5, THEOREM6 = "choromanski2021.appF.thm5", "choromanski2021.appF.thm6"
PAPER = "choromanski2021."


def marked(claim: Statement, false: Iterable[str], verdict: Any = "refuted") -> dict[str, Any]:
    """The proof of a report of the claim, where those claims are refuted, the statements among its lines judged."""
    table = {**by_id(), claim.id: claim}
    report: Claim = empty(Claim)
    report.update({"id": claim.id, "verdict": verdict})
    report["proof"]["lines"] = stated_lines(claim, 0)
    refuted = {PAPER + name for name in false}
    mark(report, table, lambda name: name not in refuted)
    return dict(report["proof"])


def test_a_line_is_said_in_one_way() -> None:
    given: tuple[dict[str, str], ...] = ({}, {"says": "1 = 1", "claim": "p.q.r"}, {"quantity": "value"})
    for fields in given:
        with pytest.raises(CatalogueError, match="one of them alone"):
            ProofLine("line", "here", **fields)


@pytest.mark.parametrize("name", [THEOREM1, THEOREM5, THEOREM6])
def test_the_lines_that_are_statements_are_proved(name: str) -> None:
    lines = [line for line in stated_lines(by_id()[name], 0) if "claim" not in line]
    assert lines
    assert [line["label"] for line in lines if line["holds"] is not True] == []
    assert all(line["latex"] for line in lines)


def test_a_false_line_is_found() -> None:
    claim = by_id()[THEOREM1]
    wrong = [replace(line, says=line.says.replace("(D - 1)/D", "D/(D + 1)")) for line in claim.lines]
    assert wrong != list(claim.lines)
    proof = marked(replace(claim, lines=tuple(wrong)), [])
    assert proof["first_false"] == "(27)"
    assert proof["first_reaching"] is None


#: A part of each statement of ours beside a print, and what makes it false.
TOO_SHARP = {
    "choromanski2021.sec3.strictly-better": ("1 - exp(-norm(u + v)**2)", "1 - exp(-norm(u + v)**2)/2"),
    "choromanski2021.appF.eq33-tail": ("(n + 1 - w)", "(n + 2 - w)"),
    THEOREM1: ("4*(d + 2)", "8*(d + 2)"),
}


def test_what_says_more_than_a_print_is_proved_and_what_says_too_much_is_not() -> None:
    claims = [claim for claim in by_id().values() if claim.beyond]
    assert [claim.id for claim in claims] == list(TOO_SHARP)
    for claim in claims:
        (row,) = beyond(claim, 0)
        assert row["holds"] is True and row["said"].startswith("for every ") and row["power"]
        assert ("where the tokens are " in row["said"]) is ("E[" in row["printed"])
        part, wrong = TOO_SHARP[claim.id]
        (line,) = claim.beyond
        assert part in line.says
        false = replace(claim, beyond=(replace(line, says=line.says.replace(part, wrong)),))
        assert [line["holds"] for line in beyond(false, 0)] == [False]


def test_a_proof_of_what_is_false_is_contradicted_before_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = by_id()[THEOREM1]
    part, wrong = TOO_SHARP[THEOREM1]
    (line,) = claim.beyond
    false = replace(claim, beyond=(replace(line, says=line.says.replace(part, wrong)),))
    monkeypatch.setattr("proofs_check.statements.moments.decide", lambda *args, **options: Decision("proved", "", []))
    (row,) = beyond(false, 0)
    assert row["holds"] is not True


def _without_samples(prop: Proposition) -> bool:
    return decide(prop, Derivation(prop)).status == "proved" if prop.random else proved(prop) is not None


@pytest.mark.parametrize(
    ("name", "label", "change"),
    [
        (THEOREM5, "(44)-(47)", ("theta**j", "theta**k")),
        (THEOREM5, "(44)-(47)", ("j, 0, oo", "j, 1, oo")),
        (THEOREM5, "(44)-(47)", ("factorial(j)", "factorial(j + 1)")),
        # the lengths apart, the rotation of z
        (THEOREM5, "(51)-(56)", ("*E[norm(x[1])**(2*j + 2*k + 2*l)]", "")),
        (THEOREM5, "(51)-(56)", ("E[norm(x[1])**(2*l)]*", "")),
        (THEOREM5, "(51)-(56)", ("(x[1].T*f)", "(x[2].T*f)")),
        (THEOREM5, "(51)-(56)", ("norm(z)**(2*j + 2*k + 2*l)", "norm(z)**(j + k + l)")),
        # tau, and independent features
        (THEOREM5, "(60)-(63), orthogonal features, an even", ("gamma(d/2)**2", "gamma(d/2)")),
        (THEOREM5, "(60)-(63), orthogonal features, an even", ("j + k + l)))", "j + k + l + 1)))")),
        (THEOREM5, "(60)-(63), orthogonal features, an even", ("(1 - ", "(2 - ")),
        (THEOREM5, "(60)-(63), independent features: what", ("**(2*k)]*E", "**(2*k + 2)]*E")),
        (THEOREM5, "(60)-(63), independent features, an odd", ("2*j + 1", "2*j + 2")),
        (THEOREM5, "(60)-(63), orthogonal features, an odd", ("2*j + 1", "2*j + 2")),
        (THEOREM6, "(74)", ("gamma(d/2 + j + k)", "gamma(d/2 + j)")),
        (THEOREM6, "(75)", ("2/(d + 2)", "2/(d + 1)")),
        (THEOREM6, "(75)", ("- g[0])", ")")),
    ],
)
def test_a_neighbour_of_a_line_is_not_proved(name: str, label: str, change: tuple[str, str]) -> None:
    claim = by_id()[name]
    (line,) = (one for one in claim.lines if one.label.startswith(label))
    other = replace(line, says=line.says.replace(*change))
    assert other != line
    assert _without_samples(line_said(line, claim))
    assert not _without_samples(line_said(other, claim))


@pytest.mark.parametrize("name", [THEOREM5, THEOREM6])
def test_a_line_with_another_number_is_not_proved(name: str) -> None:
    claim, tried = by_id()[name], 0
    for line in (one for one in claim.lines if one.says and one.law != "walk"):
        prop = line_said(line, claim)
        sides = [(left, prop.right) for left in changed_numbers(prop.left)]
        sides += [(prop.left, right) for right in changed_numbers(prop.right)]
        for left, right in sides:
            text = f"{left} {prop.relation} {right}"
            # tokens are exchangeable
            if re.sub(r"x\[\d\]", "x", text) == re.sub(r"x\[\d\]", "x", f"{prop.left} {prop.relation} {prop.right}"):
                continue
            with suppress(StatementError):
                other = proposition(text, line.hypotheses, "", line.law)
                assert not _without_samples(other), text
                tried += 1
    assert tried > 20


@pytest.mark.parametrize("turned", ["frame(isotropic)", "iid(isotropic)"])
def test_lines_of_orthogonal_features_are_no_lines_of_independent_ones(turned: str) -> None:
    claim = by_id()[THEOREM5]
    apart = [line for line in claim.lines if line.label.startswith("(60)-(63)") and "odd" not in line.label]
    assert len(apart) == 2
    (moved,) = (replace(line, law=turned) for line in apart if line.law != turned)
    assert not _without_samples(line_said(moved, claim))
    assert holds(line_said(moved, claim), "moved", 0) is not True


def test_an_error_reaches_the_conclusion_by_refuted_claims_alone() -> None:
    claim = replace(by_id()[THEOREM1], lines=tuple(line for line in by_id()[THEOREM1].lines if line.claim))
    proof = marked(claim, ["appF.eq33-series", "appF.eq35-w"])
    assert (proof["first_false"], proof["first_reaching"]) == ("(33), third line", "below (34), the bound on w")
    # the line between is false, too
    proof = marked(claim, ["appF.eq33-series", "appF.eq33-order"])
    assert proof["first_reaching"] == "(33), third line"
    # of what is not in the catalogue nothing is said
    (line,) = marked(replace(claim, lines=(ProofLine("(1)", "here", claim="p.q.r"),)), [])["lines"]
    assert (line["printed"], line["holds"]) == ("p.q.r", None)
    # a conclusion that holds is reached by no error
    assert marked(claim, ["appF.eq35-w"], verdict="verified")["first_reaching"] is None


MEAN = "E[x[i].T*W*x[j]] = i*tr(W*Sigma)"


def lemma(name: str, text: str, hypotheses: str = "", **more: Any) -> Statement:
    """A lemma of a notebook, which no catalogue holds."""
    with forgotten():
        return stated(f"lines.sec1.{name}", text, hypotheses=hypotheses, **more)


def test_a_line_that_is_an_undecided_claim_is_not_said_to_hold() -> None:
    open_, words = lemma("open", "exp(u) > 1 + u iff u != 0", "u real"), lemma("words", "", printed="1", symbols="")
    unreadable = unread("lines.sec1.unread", "E[", "why", "lines")
    lines = [ProofLine(f"({k})", "", claim=one.id) for k, one in enumerate((open_, words, unreadable), 1)]
    claim = lemma("claim", MEAN, "i <= j", lines=lines)
    table = {one.id: one for one in (open_, words, unreadable, claim)}
    report: Claim = empty(Claim)
    report.update({"id": claim.id, "verdict": "verified"})
    report["proof"]["lines"] = stated_lines(claim, 0)
    mark(report, table, lambda name: _standing(table[name]))
    assert [line["holds"] for line in report["proof"]["lines"]] == [None, None, None]
    assert report["proof"]["first_false"] is None
    assert [_standing(lemma("t", MEAN, "i <= j")), _standing(lemma("f", MEAN))] == [True, False]


def test_a_line_about_a_quantity_of_a_lemma_is_judged() -> None:
    printed = ("j*tr1", "i*tr1")
    lines = [ProofLine(f"({k})", "", quantity="value", printed=text) for k, text in enumerate(printed, 1)]
    claim = lemma("claim", MEAN, "i <= j", lines=lines)
    assert [line["holds"] for line in stated_lines(claim, 0, every=True)] == [False, True]
    with pytest.raises(CatalogueError, match=r"proof line \(1\): .*is not closed"):
        lemma("claim", MEAN, "i <= j", lines=[ProofLine("(1)", "", says="E[x[i] = 0")])
