"""Both interpreters of a statement agree at drawn cases of every claim that is one; faults in either side are seen.

Each interval misses with probability DELTA, and some hundred are looked at: the chance of a false alarm is below 1e-9.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proofs_check.cases.of_statements import drawn
from proofs_check.statements.measuring import Measurement, TooDearError, measure
from proofs_check.statements.moments import Checker
from theorems.claims.catalogue import shipped
from theorems.kernel.catalogued import left_side
from theorems.statement.proposition import Proposition

DELTA, DRAWS, LEAST = 1e-12, 8, 2
CLAIMS = [
    (claim, name)
    for claim in shipped()
    if claim.interpreted and claim.says is not None and claim.says.law != "walk" and not claim.says.limit
    for name in claim.printed
]


def proposition_of(claim: Any, name: str) -> Proposition:
    return left_side(claim.says, name)


def measured(prop: Proposition, derivation: Proposition | None = None) -> tuple[Checker, list[Measurement]]:
    """Quantities sampled at drawn cases, as far as that is affordable, and what knows the derived values."""
    checker = Checker(derivation or prop, "properties", "quick")
    found = []
    for case in drawn(prop, 11, DRAWS, longest=6):
        try:
            found.append(measure(prop, case, claim_id="properties", seed=5, delta=DELTA, effort="quick"))
        except TooDearError:
            continue
    return checker, found


@pytest.mark.parametrize(("claim", "name"), CLAIMS, ids=lambda one: getattr(one, "id", one))
def test_both_interpreters_agree(claim: Any, name: str) -> None:
    checker, found = measured(proposition_of(claim, name))
    assert len(found) >= LEAST
    assert not checker._conflicts(found)


@pytest.mark.parametrize(("claim", "name"), CLAIMS[2:6], ids=lambda one: getattr(one, "id", one))
def test_a_fault_in_one_side_is_seen(claim: Any, name: str) -> None:
    """The derivation of a quantity with 3/2 of the vectors in the place of these, against the simulation as it is."""
    says = claim.says
    wrong = says.quantities[name].replace("x[k].T*", "3/2*x[k].T*").replace("x[1].T*", "3/2*x[1].T*")
    assert wrong != says.quantities[name]
    other = replace(claim, says=replace(says, quantities={**says.quantities, name: wrong}))
    checker, found = measured(proposition_of(claim, name), proposition_of(other, name))
    assert checker._conflicts(found)
