"""Corrections of claims that are data: further hypotheses under which the print holds, or another formula."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proofs_check.judging.options import Options
from proofs_check.judging.stated import judged_claim
from theorems.claims.catalogue import CatalogueError, Paper, Said, Statement, by_id

CLAIM = by_id()["choromanski2021.appF.eq35-w"]


@pytest.mark.parametrize(
    ("further", "verdict"),
    [
        ("norm(u)**2 + norm(v)**2 <= 2*log(C)", "verified"),
        # which does not suffice
        ("norm(u)**2 <= 2*log(C)", "refuted"),
    ],
)
def test_what_is_assumed_beside_is_judged(further: str, verdict: str) -> None:
    claim = replace(CLAIM, narrower={"for": further})
    (first, _), (second, _) = judged_claim(claim, Options(effort="quick"), "cpu")
    assert (first["verdict"], second["verdict"]) == ("refuted", verdict)
    assert second["id"] == f"{CLAIM.id}.corrected"
    assert first["correction"] is not None and first["correction"]["holds"] == f"the print, where {further}"
    assert (first["correction"].get("where"), first["correction"].get("narrowed")) == (further, True)
    assert first["correction"]["sympy"] is None


def test_only_hypotheses_and_a_limit_narrow_a_claim() -> None:
    with pytest.raises(CatalogueError, match="narrower = 'where'; expected one of for, as"):
        replace(CLAIM, narrower={"where": "C = 2"})


def test_a_correction_is_printed_in_the_names_that_its_claim_declares() -> None:
    claim = by_id()["choromanski2021.appF.thm5-weight"]
    (first, _), (second, _) = judged_claim(claim, Options(effort="quick"), "cpu")
    assert first["correction"] is not None and (first["verdict"], second["verdict"]) == ("refuted", "verified")
    assert second["printed"] == dict.fromkeys(claim.printed, first["correction"]["sympy"])
    assert second["symbols"] == list(claim.symbols) and second["said"] == first["said"]


def test_the_correction_of_a_series_is_a_series() -> None:
    claim = by_id()["choromanski2021.appF.eq33-series"]
    (first, _), (second, _) = judged_claim(claim, Options(effort="quick"), "cpu")
    assert second["printed"] == {"value": "sum((-u**i)/i, i, 1, oo)"}
    assert first["correction"] is not None and first["correction"]["sympy"] == "log(1 - u)"
    assert first["simulation"]["power"] == "evaluated independently: -0.6931471806 against -0.4054651081"
    # both sides of what is compared stand there, and a comparison of numbers is for no name
    steps = [step["text"] for step in second["proof"]["steps"] if step["rule"] == "a function of one variable"]
    assert {"1 - u > 0 for u between 0 and 1", "2 > 0"} <= {*steps}


@pytest.mark.parametrize(("further", "verdict"), [("i = j", "verified"), ("i <= j", "refuted")])
def test_beside_a_formula_that_corrects_the_print_it_is_judged_too(further: str, verdict: str) -> None:
    said = Said({"value": "E[x[i].T*W*x[j]]"}, "W symmetric", "", "walk", "", "")
    claim = replace(stated_claim(said), narrower={"for": further})
    (first, spent), (second, _) = judged_claim(claim, Options(effort="quick"), "cpu")
    assert first["verdict"] == "refuted" and spent == 2 * claim.alpha
    assert first["correction"] is not None and second["verdict"] == "verified"
    (told,) = (one for one in first["symbolic"]["evidence"] if one.startswith(f"the print, where {further}"))
    assert told.startswith(f"the print, where {further}: {verdict}")


def stated_claim(said: Said) -> Statement:
    """E[x_i^T W x_j] = j tr(W Sigma), which is i tr(W Sigma) for i <= j."""
    texts: Any = {"where": "Lemma 1", "kind": "identity", "statement": "", "reading": "", "quantity": "value"}
    paper = Paper("narrow", "t", "a", "v")
    table = {"value": "j*tr(W*Sigma)"}
    return Statement(
        id="narrow.sec1.mean", symbols=("i", "j"), printed=table, paper=paper, says=said, plugin="p", **texts
    )
