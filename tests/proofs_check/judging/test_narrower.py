"""Corrections of claims that are data: further hypotheses under which the print holds, or another formula."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_check.judging.runner import Options
from proofs_check.judging.stated import judged_claim
from theorems.claims.catalogue import CatalogueError, by_id

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
