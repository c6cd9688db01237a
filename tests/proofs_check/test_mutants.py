"""Mutants of every statement: each false version of a print is disproved, and refuted on the whole path."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sympy as sp

from proofs_check import runner
from proofs_check.decoys import mutants
from proofs_check.evidence import EFFORTS
from proofs_check.pairing import Pair
from proofs_check.runner import Options, Silent
from theorems import kernel
from theorems.catalogue import Statement, by_id, catalogue
from theorems.expressions import parse
from theorems.kernel import holds, printed_value, settle, value_of

CLAIMS = [claim.id for claim in catalogue() if not claim.plugin]
IDENTITIES = [claim.id for claim in catalogue() if not claim.plugin and claim.relation == "="]
BOUNDS = [claim.id for claim in catalogue() if not claim.plugin and claim.relation == "<="]


@cache
def derived(claim: str) -> Any:
    """The derivation, its steps checked once: what a mutant changes is the print alone."""
    full = Pair(by_id()[claim]).derived()
    steps = settle(by_id()[claim], full).steps
    assert steps and all(step.ok for step in steps)
    return replace(full, steps=())


def sources(claim: str) -> list[Statement]:
    """The statement as printed, and where that is false what the derivation puts in its place."""
    statement = by_id()[claim]
    outcome = settle(statement, derived(claim))
    if outcome.status == "proved":
        return [statement]
    assert outcome.status == "disproved"
    return [statement, replace(statement, printed={n: str(f) for n, f in outcome.corrections.items()})]


def mutated(statement: Statement) -> list[tuple[str, Statement]]:
    """The statement with one coefficient, index, sign or exponent of one formula changed."""
    words = [name for name in statement.symbols if name.startswith("tr")]
    return [
        (f"{name}: {label}", replace(statement, printed={**statement.printed, name: str(formula)}))
        for name, text in statement.printed.items()
        for label, formula in mutants(parse(text), statement.positions, words, statement.remainder)
    ]


def equivalent(mutant: Statement) -> bool:
    """Whether every formula of the mutant is equal to the derived value, to the order claimed."""
    found = derived(mutant.id)
    return all(
        holds(value_of(found, name), printed_value(mutant, text, found), mutant.regime, mutant.remainder)
        for name, text in mutant.printed.items()
    )


def fewest(statement: Statement) -> int:
    """A mutant for each sign of each coefficient at least: more than twice the print's terms."""
    return sum(2 * len(sp.Add.make_args(sp.expand(parse(text)))) for text in statement.printed.values())


def judged_symbolically(claim: str, statements: list[Statement]) -> tuple[int, int, list[str]]:
    """How many mutants there are, how many of them are equivalent to the truth, and which survive."""
    count = same = 0
    survivors = []
    for statement in statements:
        for label, mutant in mutated(statement):
            count += 1
            status = settle(mutant, derived(claim)).status
            if equivalent(mutant):
                same += 1
                assert status == "proved", label
            elif status != "disproved":
                survivors.append(f"{claim}, {label}: {status}")
    return count, same, survivors


@pytest.mark.parametrize("claim", IDENTITIES)
def test_every_mutant_of_a_formula_is_disproved(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    statements = sources(claim)
    monkeypatch.setattr(kernel, "_correction", lambda *_: sp.Integer(0))
    count, same, survivors = judged_symbolically(claim, statements)
    assert survivors == []
    assert count >= max(2, *(fewest(statement) for statement in statements))
    # a formula without a remainder is right in one way only
    if not by_id()[claim].remainder:
        assert same <= 1
    assert count - same >= 4


def test_there_are_more_than_300_mutants() -> None:
    counts = {claim: len(mutated(by_id()[claim])) for claim in CLAIMS}
    assert len(counts) == len(CLAIMS) >= 22
    assert min(counts.values()) >= 2
    assert sum(counts.values()) > 300


def least(formula: sp.Expr, d: int, tr2: sp.Rational) -> float:
    value = formula.xreplace({sp.Symbol("d"): sp.Integer(d), sp.Symbol("tr2"): tr2})
    return float(value) if value.is_real else -math.inf


@pytest.mark.parametrize("claim", BOUNDS)
def test_no_false_mutant_of_a_bound_is_proved(claim: str) -> None:
    """A weaker bound is true; one that is smaller somewhere must not pass, and most are disproved."""
    points = [(d, tr2) for d in (1, 2, 3, 7) for tr2 in (sp.Rational(1, 9), sp.Integer(1), sp.Integer(5))]
    statement = by_id()[claim]
    false = disproved = 0
    for label, mutant in mutated(statement):
        ends = [(1 if name == "upper" else -1) * parse(text) for name, text in mutant.printed.items()]
        broken = any(least(end, d, tr2) < math.sqrt(d * tr2) - 1e-12 for end in ends for d, tr2 in points)
        status = settle(mutant, derived(claim)).status
        false += broken
        disproved += status == "disproved"
        assert status != ("proved" if broken else "disproved"), label
    assert 2 * disproved > false > 10


def sample(claim: str) -> Statement:
    """One mutant of what is true: the last of the list whose print is not equivalent."""
    candidates = [mutant for _, mutant in mutated(sources(claim)[-1]) if not equivalent(mutant)]
    # a fixed choice that differs from claim to claim
    return candidates[(7 * CLAIMS.index(claim)) % len(candidates)]


@pytest.fixture
def verdict_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a report says beside the verdict, which takes as long as the verdict itself."""
    for name in ("generalised", "starts"):
        monkeypatch.setattr(f"proofs_check.runner.{name}", lambda *_: [])


@pytest.mark.usefixtures("verdict_only")
@pytest.mark.parametrize("claim", IDENTITIES)
def test_a_mutant_of_every_claim_is_refuted_on_the_whole_path(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = sample(claim)
    # a mutant is far from the truth, so that wide intervals are enough
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], factor=12.0, points=60))
    options = Options(effort="quick", seed=3, device="cpu", jobs=1)
    report, outcome, spent = runner._judge_one(mutant, options, "cpu", Silent())
    assert report["verdict"] == "refuted", (mutant.printed, report["reason"])
    assert outcome.corrections
    assert report["counterexample"]["printed"] != report["counterexample"]["true"]
    assert spent <= mutant.alpha
