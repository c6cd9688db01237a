"""What searches and growths find agrees with what is derived, at drawn cases and where they go by themselves.

A search measures every drawn case as it does its own points, where every number must be the derivation's. Claims of
growth have no parameters but the length of the walks; each has the level PART/(claims x (lengths + SEEDS + 1)).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from montecarlo import registry
from montecarlo.directly import run_search
from montecarlo.empirical_checks import Search
from proofs_check.cases import wide
from proofs_check.cases.given import parse_case
from proofs_check.checks.agreeing import Agreed
from proofs_check.checks.both_sides import UNSETTLED, Sides
from proofs_check.checks.evidence import EFFORTS, RunContext
from proofs_check.checks.searching import searched
from proofs_check.judging.options import Options, Silent
from proofs_check.judging.runner import judge
from tests.properties import planted, searches
from tests.properties.levels import PART
from tests.properties.test_agreement import DRAWS, GROWN, MANY, SEARCHED, SEEDS, readable, sides
from theorems.claims.catalogue import by_id

Fault = Callable[[Sides], Sides]
#: Points of a search.
POINTS = 24
#: Searches of which a few points of their own take ten seconds and more to recompute.
DEAR = frozenset(c for c in SEARCHED if c.startswith(("lampert2026.sec5", "lampert2026.sec6")))
#: The longest walks of growths that are measured, far from those at which the claims are judged.
LENGTHS = (768, 1536, 2048)
#: Edges at which a search has no points: spectra of one number have no range, and a singular Sigma no inverse, whose
#: norm stands among the columns; xi is a quotient by the size of W.
NO_POINTS = {
    "bao2024.sec4.xi-eta-range": {"d = 1", "Sigma singular", "Sigma = 0", "W = 0"},
    "bao2024.sec5.eq7-first": {"Sigma singular", "Sigma = 0"},
    "bao2024.sec5.eq10-first": {"Sigma singular", "Sigma = 0"},
}
#: Searches at which faults are planted in ``make test``: a range, a bound of a norm, a cost, a bound in the limit.
READ = frozenset(f"bao2024.sec{name}" for name in ("4.eq5", "5.eq7-second", "5.eq9")) | {"lampert2026.sec7.sink-lower"}
CLAIMS = sorted(SEARCHED)
SOME = [pytest.param(c, marks=() if c in READ else pytest.mark.slow) for c in CLAIMS]
CHEAP = [pytest.param(c, marks=pytest.mark.slow if c in DEAR else ()) for c in CLAIMS]


def asked(both: Sides, draws: int = DRAWS, seed: int = 0) -> Agreed:
    return searches.searched_at(both, draws, seed)


def agree(claim: str, draws: int = DRAWS, seed: int = 0) -> None:
    found = asked(sides(claim), draws, seed)
    assert found.case is None, found
    assert found.compared and set(found.missed) <= NO_POINTS.get(claim, set()), found


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_search_measures_what_is_derived(claim: str) -> None:
    agree(claim)


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_search_measures_what_is_derived_at_many_cases(claim: str) -> None:
    agree(claim, MANY, seed=1)


def misled(both: Sides, seed: int, points: int) -> str:
    """How what a search finds at points of its own differs from what is derived; "" where nothing does."""
    check = both.check
    assert isinstance(check, Search)
    found = run_search(check, points, seed, "cpu", both.claim, both.pair.handed({}))
    context = RunContext(seed, effort=replace(EFFORTS["quick"], points=points), effort_name="quick")
    return searches.differs(both, found, searched(both.pair, UNSETTLED, check, context))


@pytest.mark.parametrize("claim", CHEAP)
def test_a_search_finds_what_is_derived(claim: str) -> None:
    assert not (told := misled(sides(claim), 0, POINTS)), told


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_many_searches_find_what_is_derived(claim: str) -> None:
    told = [misled(sides(claim), seed, POINTS) for seed in range(1, SEEDS + 1)]
    assert not any(told), "\n".join(filter(None, told))


@pytest.mark.parametrize("claim", CHEAP)
def test_a_search_repeats_itself_and_follows_its_seed(claim: str) -> None:
    check, given = sides(claim).check, sides(claim).pair.handed({})
    assert isinstance(check, Search)
    one, two, other = (run_search(check, 12, seed, "cpu", claim, given) for seed in (1, 1, 2))
    assert np.array_equal(one.columns["value"], two.columns["value"])
    # those of Section 7 begin with a grid
    alike = np.array_equal(one.columns["value"], other.columns["value"])
    assert alike == claim.startswith("lampert2026.sec7")


@pytest.mark.parametrize("fault", [planted.in_the_bound, planted.in_the_search])
@pytest.mark.parametrize("claim", SOME)
def test_a_fault_in_a_bound_is_found_and_shrunk(claim: str, fault: Fault) -> None:
    found = asked(fault(sides(claim)))
    assert readable(found.case), found
    assert f"twofold verify {claim} --case" in str(found)


def test_a_length_shrinks_to_the_shortest() -> None:
    """Of those that stand in no order."""
    found = asked(planted.in_the_search(sides("bao2024.sec5.eq9")))
    assert found.case == {"T": "256", "nu": "1"}


def test_a_property_whose_draws_miss_an_edge_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tuple(aim for aim in wide.MATRIX_AIMS if aim.get("Sigma") != "singular")
    monkeypatch.setattr(wide, "MATRIX_AIMS", kept)
    monkeypatch.setattr(wide, "_each_aim", wide._each_aim.__wrapped__)
    assert asked(sides("bao2024.sec4.eq5")).missed == ["Sigma singular"]


@pytest.mark.parametrize(
    ("claim", "fault"),
    [
        ("bao2024.sec4.eq5", planted.in_the_search),
        ("lampert2026.sec7.sink-lower", planted.in_the_search),
        ("bao2024.appB.order19", planted.in_the_growth),
    ],
)
def test_the_command_of_a_failure_judges_its_case(claim: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the fault it is a conflict, without it none."""
    wrong = fault(sides(claim))
    found = asked(wrong) if claim in SEARCHED else faulty(wrong)
    words = shlex.split(found.replay)
    assert words[:3] == ["twofold", "verify", claim]
    options = Options(effort="quick", case=parse_case(words[-1], by_id()[claim]))
    assert judge(by_id()[claim], options, "cpu", Silent())[0][0]["verdict"] in ("verified", "undecided")
    monkeypatch.setitem(registry._REGISTERED, claim, wrong.check)
    assert judge(by_id()[claim], options, "cpu", Silent())[0][0]["verdict"] == "conflict"


# -- growths


def conflicts(both: Sides, T: int, seed: int) -> list[str]:
    alpha = PART / (len(GROWN) * (len(LENGTHS) + SEEDS + 1))
    found = searches.grown_at(both, T, alpha, seed)
    assert 0 < found.spent <= alpha
    return found.conflicts


def faulty(both: Sides) -> Agreed:
    return searches.shrunk(both, lambda T: "; ".join(conflicts(both, T, 1)[:1]))


@pytest.mark.parametrize("claim", sorted(GROWN))
@pytest.mark.parametrize("T", [LENGTHS[0], *(pytest.param(T, marks=pytest.mark.slow) for T in LENGTHS[1:])])
def test_growth_is_as_derived(claim: str, T: int) -> None:
    assert not conflicts(sides(claim), T, 1)


@pytest.mark.slow
@pytest.mark.parametrize("claim", sorted(GROWN))
def test_growth_is_as_derived_on_many_seeds(claim: str) -> None:
    assert not [seed for seed in range(SEEDS) if conflicts(sides(claim), LENGTHS[0], seed)]


@pytest.mark.parametrize("fault", [planted.in_the_growth, planted.in_the_order])
@pytest.mark.parametrize(
    "claim", [pytest.param(c, marks=() if c.endswith("order19") else pytest.mark.slow) for c in sorted(GROWN)]
)
def test_a_fault_in_a_growth_is_found_and_shrunk(claim: str, fault: Fault) -> None:
    found = faulty(fault(sides(claim)))
    assert found.case == {"T": 512} and "derived exponent" in found.told, found
    assert f"twofold verify {claim} --case" in str(found)
