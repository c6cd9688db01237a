"""Both interpreters of a statement agree at drawn cases of every claim about tokens; faults in either side are seen.

Of a limit the quantity is looked at, at cases short of it. Each interval has the level PART/(quantities x (DRAWS +
MANY)), however many walks it is found from (see ``levels``). ``make test`` draws at most MOST of a case, which shows
errors of some parts in a hundred; ``make test-slow`` as many as a judgement does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proofs_check.cases.of_statements import drawn
from proofs_check.statements.measuring import Measurement, TooDearError, plan
from proofs_check.statements.moments import Checker
from tests.properties.interpreters import MOST
from tests.properties.levels import PART
from theorems.claims.catalogue import shipped
from theorems.kernel.catalogued import left_side
from theorems.statement.proposition import Proposition

#: Draws of a quantity in ``make test`` and in ``make test-slow``, and how many of them must be affordable.
DRAWS, MANY, LEAST = 8, 200, 2
CLAIMS = [
    (claim, name)
    for claim in shipped()
    if claim.interpreted and claim.says is not None and claim.says.law != "walk"
    for name in claim.printed
    # of which no case short of the limit is drawn
    if claim.id != "choromanski2021.sec2.fig2-ratio"
]
#: Probabilities for which nothing is derived at a case: they have one interpreter, and nothing to agree with.
ALONE = frozenset(
    f"choromanski2021.{name}"
    for name in ("sec3.thm3-iid", "sec3.thm3-ort", "appF.lemma4", "appF.lemma4-markov", "appF.thm5")
)
DELTA = PART / (len(CLAIMS) * (DRAWS + MANY))


def proposition_of(claim: Any, name: str) -> Proposition:
    return left_side(replace(claim.says, limit=""), name)


def measured(
    prop: Proposition,
    derivation: Proposition | None = None,
    draws: int = DRAWS,
    key: int = 11,
    most: int | None = MOST,
) -> tuple[Checker, list[Measurement]]:
    """Quantities sampled at drawn cases, as far as that is affordable, and what knows the derived values."""
    checker = Checker(derivation or prop, "properties", "quick")
    found = []
    for case in drawn(prop, key, draws, longest=6):
        try:
            planned = plan(prop, case, claim_id="properties", seed=5, delta=DELTA, effort="quick")
            walks = planned.walks if most is None else min(planned.walks, most)
            found.append(replace(planned, walks=walks)(checker.found.streams))
        except TooDearError:
            continue
    return checker, found


def derived(checker: Checker, found: list[Measurement]) -> bool:
    """Whether enough of the sampled quantities have derived values, with which they can agree."""
    return sum(None not in checker.sides(one.case) for one in found) >= LEAST


@pytest.mark.parametrize(("claim", "name"), CLAIMS, ids=lambda one: getattr(one, "id", one))
def test_both_interpreters_agree(claim: Any, name: str) -> None:
    checker, found = measured(proposition_of(claim, name))
    assert len(found) >= LEAST
    assert derived(checker, found) == (claim.id not in ALONE)
    assert not checker.conflicts(found)


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "name"), CLAIMS, ids=lambda one: getattr(one, "id", one))
def test_both_interpreters_agree_at_many_cases(claim: Any, name: str) -> None:
    checker, found = measured(proposition_of(claim, name), draws=MANY, key=12, most=None)
    assert len(found) >= LEAST
    assert derived(checker, found) or claim.id in ALONE
    assert not checker.conflicts(found)


@pytest.mark.parametrize(("claim", "name"), CLAIMS[2:6], ids=lambda one: getattr(one, "id", one))
def test_a_fault_in_one_side_is_seen(claim: Any, name: str) -> None:
    """The derivation of a quantity with 3/2 of the vectors in the place of these, against the simulation as it is."""
    says = claim.says
    wrong = says.quantities[name].replace("x[k].T*", "3/2*x[k].T*").replace("x[1].T*", "3/2*x[1].T*")
    assert wrong != says.quantities[name]
    other = replace(claim, says=replace(says, quantities={**says.quantities, name: wrong}))
    checker, found = measured(proposition_of(claim, name), proposition_of(other, name))
    assert checker.conflicts(found)
