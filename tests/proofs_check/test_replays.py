"""Counterexamples of bounds and of growth can be handed back: each is a case that ``--case`` takes."""

from __future__ import annotations

import json

import pytest

from proofs_check.cases.given import parse_case
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.errors import UsageError
from theorems.claims.catalogue import Statement, with_sides
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
