"""Lemmas of a statements.toml that say when something holds, how it grows, or which values it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from montecarlo import registry
from montecarlo.empirical_checks import Observation
from montecarlo.lampert2026.representability import embeddings, prop41
from proofs_check.api import judge
from tests.proofs_check.holes.lemmas import forgotten
from theorems.authoring import _worded
from theorems.claims.catalogue import Paper, Statement, add, read_entry
from theorems.kernel import deriving
from theorems.lampert2026.representability import prop41 as derived

ENTRY: dict[str, Any] = {
    "id": "holes.sec1.other",
    "where": "Section 1",
    "kind": "bound",
    "statement": "",
    "reading": "as somebody reads it",
    "quantity": "",
    "symbols": [],
    "fidelity": "own",
}
PAPER = Paper("holes", "", "", "")


@pytest.fixture(autouse=True)
def again() -> Iterator[None]:
    """The lemmas of a test are taken out again."""
    with forgotten():
        yield


def lemma(quantities: dict[str, str], printed: dict[str, str], **more: Any) -> Statement:
    """A lemma as ``claims_from`` reads it; ``hold`` are its hypotheses, ``limit`` what tends."""
    said = {"for": more.pop("hold", ""), "as": more.pop("limit", ""), "quantities": quantities}
    return add(_worded(read_entry({**ENTRY, **more, "says": said, "printed": printed}, PAPER, "holes")))


def test_what_is_compared_at_cases_alone_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries that see the first hundred keys: beyond those the hull of all keys decides nothing.

    Both sides are of the lemma that sees every key, which no case that is drawn tells from it.
    """
    one = lemma(
        {
            "representable": "exists(W, every(z[i].T*W*z[0] > z[i].T*W*z[j], i, J, j, 1, min(n, 100)))",
            "rho_Q": "dist(0, hull(z[i], i, J))",
            "rho_K": "dist(z[0], hull(z[j], j, 1, n))",
        },
        {"representable": "iff rho_Q > 0 & rho_K > 0"},
        hold="z[0..n] in R^d, n >= 1, J in {1..n}^m",
        relation="when",
        model="embeddings",
        parameters=["z", "J"],
    )
    monkeypatch.setitem(registry._INSTANCES, one.id, embeddings)
    with deriving.registered(one.id, derived), registry.registered(Observation(one.id, prop41)):
        found = judge(one, effort="quick")
    assert found.verdict == "undecided", found.report["traceback"]


EVENT = {"positive": "E[x[i].T*W*x[j]] > 0"}
SUM = {"total": "E[sum(x[j].T*W*x[T], j, 1, T)]"}
XI = dict.fromkeys(("lower", "upper"), "tr(W)/sqrt(tr(W**2))")


@pytest.mark.parametrize(
    ("quantities", "printed", "more", "verdict"),
    [
        (EVENT, {"positive": "iff tr1 > 0"}, {"relation": "when", "hold": "d = 1"}, "verified"),
        (EVENT, {"positive": "iff tr1 >= 0"}, {"relation": "when", "hold": "d = 1"}, "refuted"),
        (SUM, {"total": "2"}, {"relation": "order", "limit": "T -> oo", "model": "walk"}, "verified"),
        (SUM, {"total": "1"}, {"relation": "order", "limit": "T -> oo", "model": "walk"}, "refuted"),
        # -1 and 1 are the only values for d = 1; that all between are taken is said by no statement
        (XI, {"lower": "-sqrt(d)", "upper": "sqrt(d)"}, {"relation": "range", "hold": "W symmetric"}, "undecided"),
    ],
)
def test_a_lemma_is_judged_by_what_it_says(
    quantities: dict[str, str], printed: dict[str, str], more: dict[str, Any], verdict: str
) -> None:
    found = judge(lemma(quantities, printed, **more), effort="quick")
    assert found.verdict == verdict, found
    assert found.report["reading"] != ENTRY["reading"]
