"""Both interpreters of a statement agree at drawn cases of every claim about tokens; faults in either side are seen.

Of a limit the quantity is looked at, at cases short of it; of a probability of which nothing else is derived, whether
it is at most its derived bound. Each interval has the level PART/(quantities x (4 DRAWS + MANY)), however many walks it
is found from (see ``levels``). ``make test`` draws at most MOST of a case, which shows errors of some parts in a
hundred; ``make test-slow`` as many as a judgement does.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.cases import at_edges
from proofs_check.cases.of_statements import Case, drawn
from proofs_check.checks.streams import Streams
from proofs_check.statements.agreeing import MOST, above, costly, least_at, multiplied
from proofs_check.statements.measuring import Measurement, TooDearError, plan
from proofs_check.statements.moments import Checker
from tests.properties.levels import PART
from theorems.claims.catalogue import by_id, shipped
from theorems.kernel.catalogued import left_side, said
from theorems.statement.deciding.decide import decide, derivation_of
from theorems.statement.expression import Expr, number
from theorems.statement.proofs.exceeding import improved
from theorems.statement.proposition import Proposition

#: Draws of a quantity in ``make test`` and in ``make test-slow``, and how many of them must be affordable.
DRAWS, MANY, LEAST = 8, 1000, 2
CLAIMS = [
    (claim, name)
    for claim in shipped()
    if claim.interpreted and claim.says is not None and claim.says.law != "walk"
    for name in claim.printed
    # of which no case short of the limit is drawn
    if claim.id != "choromanski2021.sec2.fig2-ratio"
]
#: Probabilities for which nothing is derived at a case but what they are at most.
ALONE = frozenset(
    f"choromanski2021.{name}"
    for name in ("sec3.thm3-iid", "sec3.thm3-ort", "appF.lemma4", "appF.lemma4-markov", "appF.thm5")
)
#: What is below the width of its interval at every case that can be afforded, so that no factor is sure to be seen.
SMALL = {"choromanski2021.sec3.thm2", "choromanski2021.appF.eq73"}
DELTA = PART / ((len(CLAIMS) + len(ALONE)) * (4 * DRAWS + MANY))


def proposition_of(claim: Any, name: str) -> Proposition:
    return left_side(replace(claim.says, limit=""), name)


#: What ``test_at_edges`` has no cases of: there the others are asked at as many.
DEAR = [(claim, name) for claim, name in CLAIMS if claim.id not in ALONE and costly(proposition_of(claim, name))]


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
@pytest.mark.parametrize(("claim", "name"), DEAR, ids=lambda one: getattr(one, "id", one))
def test_both_interpreters_agree_at_many_cases(claim: Any, name: str) -> None:
    checker, found = measured(proposition_of(claim, name), draws=MANY, key=12, most=None)
    assert derived(checker, found)
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


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "name"), DEAR, ids=lambda one: getattr(one, "id", one))
def test_the_least_error_that_is_stated_is_found(claim: Any, name: str) -> None:
    """Of a simulation; with no error nothing is found at the same seed."""
    prop = proposition_of(claim, name)
    checker, found = measured(prop)
    least = min(least_at(checker, one) for one in found)
    assert not checker.conflicts(found) and (least < 2) == (claim.id not in SMALL), least
    if claim.id not in SMALL:
        assert checker.conflicts(measured(multiplied(prop, above(least)), prop)[1])


def bound(claim: str) -> Proposition:
    """What a claim says of a probability, with what is proved in the place of a bound that is not."""
    prop = said(by_id()[claim], "upper")
    if decide(prop, derivation_of(prop)).status == "proved":
        return prop
    return replace(prop, right=improved(prop)[0])


class Bounded:
    """Probabilities beside what they are at most: where they are seen to be above it, at cases that can be afforded."""

    def __init__(self, prop: Proposition, most: int | None = None) -> None:
        self.prop, self.most, self.looked = prop, most, 0
        self.checker = Checker(prop, "bounds", "quick")

    def beyond(self, case: Case) -> bool:
        """Whether the probability is above its bound for all values within both intervals."""
        options = {"claim_id": "bounds", "seed": 5, "delta": DELTA, "effort": "quick"}
        try:
            planned = plan(self.prop, case, derived=self.checker.spreads(case), **options)
            walks = planned.walks if self.most is None else min(planned.walks, self.most)
            found = replace(planned, walks=walks)(Streams())
        except TooDearError:
            return False
        self.looked += 1
        return found.contradicts(self.prop.relation)

    def broken(self, draws: int, key: int) -> Case | None:
        """The smallest case at which it is above."""
        if not any(map(self.beyond, drawn(self.prop, key, draws, longest=6))):
            return None
        return at_edges.smallest(self.prop, self.beyond)


@pytest.mark.parametrize("claim", sorted(ALONE))
def test_a_probability_is_at_most_its_derived_bound(claim: str) -> None:
    both = Bounded(bound(claim), MOST)
    assert both.broken(3 * DRAWS, 13) is None and both.looked >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("claim", sorted(ALONE))
def test_a_probability_is_at_most_its_derived_bound_at_many_cases(claim: str) -> None:
    both = Bounded(bound(claim))
    assert both.broken(MANY, 14) is None and both.looked >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["a hundred times the probability", "a hundredth of the bound"])
@pytest.mark.parametrize("claim", sorted(ALONE))
def test_a_fault_in_a_bound_of_a_probability_is_found_and_shrunk(claim: str, fault: str) -> None:
    prop = bound(claim)
    if fault.endswith("bound"):
        wrong = replace(prop, right=Expr("*", (number(Fraction(1, 100)), prop.right)))
    else:
        wrong = replace(prop, left=Expr("*", (number(100), prop.left)))
    found = Bounded(wrong).broken(MANY, 14)
    assert found is not None and found["d"] <= 2, found
