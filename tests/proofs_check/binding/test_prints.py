"""What the kernel finds of a print, held to the whole statement: another hypothesis, relation, law or limit is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from proofs_check.binding.hold import sampled
from proofs_check.binding.prints import prints_bound
from proofs_check.binding.tied import Binding
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from proofs_check.judging.derived import empirical_check
from proofs_check.judging.options import Options, Silent
from theorems.claims.catalogue import by_id, with_sides
from theorems.kernel.catalogued import said
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle
from theorems.statement.reading.factored import is_factored

#: Claims about moments of Gaussian tokens: the engine of statements decides them alone.
MOMENTS = [
    claim.id
    for claim in with_sides()
    if claim.says is not None
    and claim.relation == "="
    and not is_factored(claim.printed)
    and all((prop := said(claim, name)).random and prop.law.gaussian for name in claim.printed)
    and not any(said(claim, name).left.has("lim") or said(claim, name).left.has("P") for name in claim.printed)
]


@cache
def judged(claim: str) -> tuple[Pair, Outcome]:
    pair = Pair(by_id()[claim])
    return pair, settle(pair.statement, pair.derived())


@cache
def seen(claim: str) -> list[Seen]:
    options, pair = Options(effort="quick", device="cpu", jobs=1), judged(claim)[0]
    found = empirical_check(*judged(claim), options, "cpu", Silent())
    return found.seen or sampled(pair, found.rows)


def held(claim: str, cases: bool = False, printed: Mapping[str, str] | None = None, **changed: str) -> Binding:
    """What is found of a claim that prints or says something else than what was judged."""
    pair, outcome = judged(claim)
    assert pair.statement.says is not None
    says = replace(pair.statement.says, **changed)  # type: ignore[arg-type]
    other = replace(pair.statement, says=says, printed={**pair.statement.printed, **(printed or {})})
    return prints_bound(replace(pair, statement=other), outcome, seen(claim) if cases else ())


@pytest.mark.parametrize("claim", MOMENTS)
def test_a_print_of_moments_is_decided_from_its_statement_alone(claim: str) -> None:
    """Proved where the kernel proves it, and false where the kernel disproves it."""
    found = held(claim)
    assert found.bound
    assert len(found.evidence) == len(by_id()[claim].printed)


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("bao2024.appA.eq11", {"law": "walk(start=0)"}),
        ("bao2024.appA.eq13", {"hypotheses": "a in R^d"}),
        ("bao2024.appA.eq14", {"hypotheses": ""}),
        ("bao2024.appC.lemma1-A", {"hypotheses": ""}),
        ("bao2024.appC.lemma1-C2", {"law": "iid"}),
        ("bao2024.sec4.lemma1-mean", {"limit": "T -> oo, i/T -> 2*theta"}),
        # of a walk from 0 the printed (i - 1) tr1 is true
        ("bao2024.appA.eq15", {"law": "walk(start=0)"}),
    ],
)
def test_another_statement_about_moments_is_noticed(claim: str, changed: dict[str, Any]) -> None:
    """Prints true as they are judged and false as they are said, and the other way round."""
    found = held(claim, **changed)
    assert found.derived
    assert "they are not one claim" in found.derived[0]


@pytest.mark.parametrize(
    ("claim", "said", "less"),
    [
        ("bao2024.sec2.softmax-taylor", ", i != j", ""),
        ("lampert2026.sec6.switch-implies-sink", ", norm(softmax(s)[2]*v) <= eps", ""),
        ("lampert2026.sec6.sink-implies-switch", "kappa <= s[1] - largest(s[j], j, 2, N)", "kappa >= 0"),
    ],
)
def test_a_statement_fails_at_cases_of_its_own_hypotheses(claim: str, said: str, less: str) -> None:
    """No case that was seen is outside of what the claim's words assume."""
    says = by_id()[claim].says
    assert says is not None and said in says.hypotheses
    assert not held(claim).derived
    wider = held(claim, hypotheses=says.hypotheses.replace(said, less))
    assert "is proved, and the statement" in wider.derived[0]


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("bao2024.sec4.eq5", {"printed": {"upper": "sqrt(d*tr2)/2"}}),
        ("bao2024.sec4.lemma2-4", {"printed": {"rho": "1/1000"}}),
        ("bao2024.sec5.eq8", {"printed": {"variance": "d*tr2 - tr1**2 + 1/10**9"}}),
        ("lampert2026.sec5.dprime-1", {"printed": {"slope": "-2*beta*(1 - 1/k)*t1 + 1/10**6"}}),
        ("lampert2026.sec6.switch-implies-sink", {"printed": {"upper": "-log((value_norm - eps)/eps) - 1/100"}}),
        ("lampert2026.sec5.dense-smooths-more", {"printed": {"R increasing": "if beta*t1 > -1000"}}),
    ],
)
def test_another_statement_is_noticed_by_value(claim: str, changed: dict[str, Any]) -> None:
    """The kernel's word is of another print than the statement's: what is said fails at a case that was looked at."""
    assert held(claim, cases=True).bound
    found = held(claim, cases=True, **changed)
    assert found.derived, found
    assert "the print is proved, and the statement" in found.derived[0]


def test_a_false_print_that_the_statement_does_not_contradict_is_noticed() -> None:
    """Disproved as it is judged, and true as it is said: of W that are no counterexamples."""
    claim = "bao2024.sec5.eq10-second"
    assert held(claim, cases=True).bound
    found = held(claim, cases=True, hypotheses="W psd")
    assert not found.bound
    assert "fails at none of" in found.missing[0]
