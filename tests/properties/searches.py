"""What a search measures at a drawn case, and what is derived there; and the exponents of a growth at a drawn length.

Where the two sides differ, Hypothesis shrinks to the smallest case, which ``twofold verify ID --case`` judges.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from montecarlo.directly import search_at
from montecarlo.empirical_checks import Growth, Points, Search
from proofs_check.binding.instances import values_bound
from proofs_check.cases import wide
from proofs_check.cases.drawing import least
from proofs_check.cases.drawn import Case
from proofs_check.checks.agreeing import Agreed
from proofs_check.checks.both_sides import UNSETTLED, Sides
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.growing import grown
from proofs_check.checks.points import exact_quantity, misread
from proofs_check.checks.searching import searched
from theorems.claims.growth import SHORTEST

#: The longest walks between which a growth is measured.
LONGEST = 2048


def differs(both: Sides, found: Points, evidence: Evidence) -> str:
    """How what a search found differs from what is derived; "" where nothing does.

    Every number at every point is held to the derivation's own functionals, or else to the statement, and to the
    derived bound.
    """
    told = misread(both.pair, found, range(len(found))) + evidence.conflicts
    if exact_quantity(both.pair) is None and not told:
        # what the statement says is what a number can be held to
        told = values_bound(both.pair, evidence.seen).faults
    return next(iter(told), "")


def at_case(both: Sides, case: Case) -> str | None:
    """How the two sides of a search differ at a case; None where it has no such point."""
    check, pair = both.check, both.pair
    assert isinstance(check, Search)
    found = search_at(check, case, pair.handed({}))
    if not len(found):
        return None
    evidence = searched(pair, UNSETTLED, check, RunContext(), case)
    # descents from several starts end alike
    evidence.seen = evidence.seen[:1]
    return differs(both, found, evidence)


def searched_at(both: Sides, draws: int, seed: int) -> Agreed:
    """Ask both sides of a search at so many drawn cases; where they differ, at ever smaller ones."""
    statement, found = both.pair.statement, Agreed(both.claim)
    for case, aim in wide.drawn(statement, seed, draws):
        told = at_case(both, case)
        if told:
            smaller = wide.smallest(statement, aim, lambda one: bool(at_case(both, one)), wide.LONG_WALKS)
            found.case = smaller or case
            found.told = at_case(both, found.case) or told
            return found
        found.compared += told is not None
        found.cases += [case] * (told is not None)
    found.missed = wide.missed(statement, found.cases)
    return found


def grown_at(both: Sides, T: int, alpha: float, seed: int) -> Evidence:
    """The exponents of a claim of growth up to walks of length T."""
    assert isinstance(both.check, Growth)
    context = RunContext(seed, effort=EFFORTS["quick"], effort_name="quick")
    return grown(both.pair, UNSETTLED, both.check, alpha, context, {"T": T})


def shrunk(both: Sides, wrong: Callable[[int], Any], tries: int = 12) -> Agreed:
    """The shortest walks at which a growth is wrong."""
    T = least(st.integers(SHORTEST, LONGEST), lambda T: bool(wrong(T)), tries, Random(both.claim))
    found = Agreed(both.claim)
    if T is not None:
        found.case, found.told = {"T": T}, str(wrong(T))
    return found
