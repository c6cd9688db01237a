"""Counterexamples of bounds and of growth can be handed back: each is a case that ``--case`` takes."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from proofs_check.cases.given import parse_case
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.errors import UsageError
from tests.proofs_check.judged import judged
from theorems.claims.catalogue import Statement, by_id, with_sides
from theorems.kernel.derivation import Inequality

BOUNDS = [c for c in with_sides() if c.relation == "<="]


@pytest.mark.parametrize("claim", BOUNDS, ids=lambda c: c.id)
def test_every_point_of_a_derivation_is_a_case(claim: Statement) -> None:
    quantity = next(iter(Pair(claim).derived().quantities.values()))
    for point in quantity.points if isinstance(quantity, Inequality) else ():
        if set(point) >= set(claim.parameters):
            assert parse_case(json.dumps(point), claim)


def test_a_claim_about_sigma_still_asks_for_it() -> None:
    claim = next(c for c in BOUNDS if c.id == "bao2024.sec5.eq7-first")
    with pytest.raises(UsageError, match="Sigma"):
        parse_case('{"d": 1, "W": [["1"]]}', claim)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("bao2024.appA.eq17", {"i": 1, "j": 1, "W": [["1"]], "Sigma": [["1"]]}),
        ("choromanski2021.appF.eq26", {"D": "0", "k": "1"}),
        ("choromanski2021.appF.lemma3", {"d": 2, "Sigma": [["1", "0"], ["0", "1"]], "v": ["1", "0"], "k": "1"}),
    ],
)
def test_a_judgement_at_a_case_is_repeated_there(name: str, case: dict[str, Any]) -> None:
    """Where it has no counterexample too."""
    claim = by_id()[name]
    given = parse_case(json.dumps(case), claim)
    report = judged(claim, given)[0]
    words = shlex.split(report["replay"])
    assert report["counterexample"] is None and parse_case(words[words.index("--case") + 1], claim) == given
