"""Mutants of every statement: each false version of a print is disproved, and refuted on the whole path."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from proofs_check.checks.evidence import EFFORTS
from proofs_check.judging.derived import judge_one
from proofs_check.judging.options import Options, Silent
from tests.mutation.prints import judged_print, print_mutants
from theorems.algebra.expressions import parse
from theorems.claims.catalogue import Statement, by_id, with_sides
from theorems.claims.conditions import clause
from theorems.kernel.derivation import Equivalence
from theorems.kernel.deriving import derive
from theorems.kernel.equivalence import contradicted

CLAIMS = [claim.id for claim in with_sides()]
#: Prints of every sort; the others' mutants are left to ``make test-slow`` and to ``python -m tests.mutation``.
FAST = {
    *[claim.id for claim in with_sides() if claim.relation == "="][::4],
    *("bao2024.sec4.eq5", "bao2024.sec5.eq7-first", "bao2024.appA.eq15", "bao2024.appB.order19"),
    *("lampert2026.sec4.prop41-window", "lampert2026.sec5.monotone-iff"),
}
#: One claim of each kind of print and of each empirical check goes the whole path.
WHOLE_PATH = [
    "bao2024.sec2.softmax-taylor",
    "bao2024.sec4.gaussian-rho",
    "bao2024.sec4.lemma1-mean",
    # the print of the one is false, and goes this path in test_runner; so do other parts of the proof of Lemma 1
    *(pytest.param(f"bao2024.{name}", marks=pytest.mark.slow) for name in ("sec4.lemma1-variance", "appC.lemma1-B1")),
    "bao2024.sec5.eq8",
    "bao2024.appA.eq12",
    "bao2024.appA.eq17",
    "bao2024.appB.display-c",
]


def refuted_by_a_point(mutant: Statement) -> bool:
    """Whether a clause is contradicted at an exact case of the derivation, or the bound (5) is below sqrt(d tr2)."""
    if mutant.relation == "when":
        quantities = derive(mutant.id).quantities
        for name, printed in mutant.printed.items():
            word, conditions = clause(printed)
            quantity = quantities[name]
            assert isinstance(quantity, Equivalence)
            if any(contradicted(word, conditions, quantity, point) for point in quantity.points):
                return True
    if mutant.id != "bao2024.sec4.eq5":
        return False
    ends = [(1 if name == "upper" else -1) * parse(printed) for name, printed in mutant.printed.items()]
    places = [(d, tr2) for d in (1, 2, 3, 7) for tr2 in (sp.Rational(1, 9), sp.Integer(1), sp.Integer(5))]
    return any(least(end, d, tr2) < math.sqrt(d * tr2) - 1e-12 for end in ends for d, tr2 in places)


def least(formula: sp.Expr, d: int, tr2: sp.Rational) -> float:
    value = formula.xreplace({sp.Symbol("d"): sp.Integer(d), sp.Symbol("tr2"): tr2})
    return float(value) if value.is_real else -math.inf


@pytest.mark.parametrize("claim", [pytest.param(c, marks=[] if c in FAST else [pytest.mark.slow]) for c in CLAIMS])
def test_every_mutant_of_a_print_and_of_its_correction_is_caught(claim: str) -> None:
    """What is not caught is true as changed (a weaker bound or clause, to the order claimed): no point refutes it."""
    statement, mutants = by_id()[claim], print_mutants(claim)
    judged = [(mutant, judged_print(mutant)[0]) for mutant in mutants]
    assert not [mutant.name for mutant, result in judged if result == "survived"]
    true = [mutant for mutant, result in judged if result == "equivalent"]
    assert not [mutant.name for mutant in true if refuted_by_a_point(mutant.statement)]
    formula = statement.relation == "=" and not all(parse(text).is_number for text in statement.printed.values())
    # what the source leaves open has no mutants, and a number has one or two
    assert not mutants or len(mutants) - len(true) >= (4 if formula else 1)
    # a formula without a remainder is right in one way only
    if statement.relation == "=" and not statement.remainder:
        assert len({str(mutant.statement.printed) for mutant in true}) <= 1


def sample(claim: str) -> Statement:
    """One mutant of the print, or of its correction where that is false, that is false by more than a twentieth."""
    coarse = [mutant for mutant in print_mutants(claim) if "times " not in mutant.name]
    false = [mutant for mutant in coarse if judged_print(mutant)[0] == "caught"]
    mine = [mutant.statement for mutant in false if mutant.kind == false[-1].kind]
    # a fixed choice that differs from claim to claim
    return mine[7 * CLAIMS.index(claim) % len(mine)]


@pytest.fixture
def verdict_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a report says beside the verdict, which takes as long as the verdict itself."""
    for name in ("generalised", "starts"):
        monkeypatch.setattr(f"proofs_check.judging.derived.{name}", lambda *_: [])


@pytest.mark.usefixtures("verdict_only")
@pytest.mark.parametrize("claim", WHOLE_PATH)
def test_a_mutant_of_every_claim_is_refuted_on_the_whole_path(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = sample(claim)
    # a mutant is far from the truth, so that wide intervals are enough
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], factor=12.0, points=60))
    options = Options(effort="quick", seed=3, device="cpu", jobs=1)
    report: Any
    report, outcome, spent = judge_one(mutant, options, "cpu", Silent())
    assert report["verdict"] == "refuted", (mutant.printed, report["reason"])
    assert outcome.corrections
    assert report["counterexample"]["printed"] != report["counterexample"]["true"]
    assert spent <= mutant.alpha
