"""Mutants of every statement: each false version of a print is disproved, and refuted on the whole path."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sympy as sp

from proofs_check.checks.evidence import EFFORTS
from proofs_check.claims import mutants as decoys
from proofs_check.claims.mutants import clause_mutants, mutants
from proofs_check.claims.pairing import Pair
from proofs_check.judging import runner
from proofs_check.judging.runner import Options, Silent
from theorems.algebra.closed import points
from theorems.algebra.expressions import parse, text
from theorems.claims.catalogue import Statement, by_id, with_sides
from theorems.claims.conditions import clause
from theorems.kernel import settle as kernel
from theorems.kernel.derivation import Equivalence
from theorems.kernel.deriving import derive
from theorems.kernel.equivalence import contradicted, judged
from theorems.kernel.settle import printed_value, settle

#: Claims whose prints are formulas; exponents of growth are changed in checks/test_growing.py.
CLAIMS = [claim.id for claim in with_sides() if claim.relation not in ("when", "order")]
CLAUSES = [claim.id for claim in with_sides() if claim.relation == "when"]
IDENTITIES = [claim.id for claim in with_sides() if claim.relation == "="]
#: The bounds on |tr(W)| by sqrt(d tr(W^2)); the others are mutated beside their own tests.
BOUNDS = ["bao2024.sec4.eq5"]
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


@cache
def derived(claim: str) -> Any:
    """The derivation, its steps checked once: what a mutant changes is the print alone."""
    full = Pair(by_id()[claim]).derived()
    steps = settle(by_id()[claim], full).steps
    assert steps and all(step.ok for step in steps)
    return replace(full, steps=())


@cache
def sources(claim: str) -> list[Statement]:
    """The statement as printed, and where that is false what the derivation puts in its place."""
    statement = by_id()[claim]
    outcome = settle(statement, derived(claim))
    # the derivation's values are thereby supported, which no change of the print takes back
    if outcome.status == "proved":
        return [statement]
    assert outcome.status == "disproved"
    told = {name: text(formula) for name, formula in outcome.corrections.items()}
    return [statement, replace(statement, printed=told, conditions=(*statement.conditions, *outcome.excluded))]


def mutated(statement: Statement) -> list[tuple[str, Statement]]:
    """The statement with one coefficient, index, sign or exponent of one formula changed."""
    return [
        (f"{name}: {label}", replace(statement, printed={**statement.printed, name: formula}))
        for name, printed in statement.printed.items()
        for label, formula in changed(statement.id, printed)
    ]


@cache
def changed(claim: str, printed: str) -> list[tuple[str, str]]:
    """The mutants of one formula of a claim, each with what was changed."""
    statement = by_id()[claim]
    words = [name for name in statement.symbols if name.startswith("tr")]
    formula = parse(printed)
    with pytest.MonkeyPatch.context() as patch:
        if not rational(formula):
            # a fixed few of a formula with roots, exponentials or indicators, whose normal forms take long
            everything = decoys._changes
            patch.setattr(decoys, "_changes", lambda *given: spread(list(everything(*given)), 24))
        found = mutants(formula, statement.positions, words, statement.remainder)
    return [(label, text(other)) for label, other in (found if rational(formula) else spread(found, 5))]


def rational(formula: sp.Expr) -> bool:
    return bool(formula.is_rational_function(*formula.free_symbols))


def spread(candidates: list[tuple[str, sp.Expr]], count: int) -> list[tuple[str, sp.Expr]]:
    """As many candidates or a few more, at equal distances."""
    return candidates[:: max(1, len(candidates) // count)]


def equivalent(mutant: Statement) -> bool:
    """Whether every formula of the mutant is equal to the derived value, to the order claimed."""
    return all(true(mutant.id, name, printed, tuple(mutant.conditions)) for name, printed in mutant.printed.items())


@cache
def true(claim: str, name: str, printed: str, conditions: tuple[str, ...]) -> bool:
    """Whether a formula in the place of one print is equal to the derived value."""
    statement = replace(by_id()[claim], conditions=conditions)
    found = derived(claim)
    return Pair(statement, _derived={"sigma": found}).is_true(name, printed_value(statement, printed, found))


def fewest(statement: Statement) -> int:
    """A mutant for each sign of each coefficient at least: more than twice the print's terms."""
    formulas = [parse(printed) for printed in statement.printed.values()]
    return sum(2 * len(sp.Add.make_args(sp.expand(f))) for f in formulas if rational(f))


def nowhere_real(mutant: Statement) -> bool:
    """Whether a formula of the mutant is no real number at any of the points where the kernel looks for a difference.

    Such a print (the root of a negative number) cannot be told from the truth by its sign, and is undecided.
    """
    formulas = [parse(printed) for printed in mutant.printed.values()]
    return any(
        all(formula.subs(point).evalf().is_real is False for point in points(s.name for s in formula.free_symbols))
        for formula in formulas
        if formula.free_symbols and not rational(formula)
    )


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
            elif status != "disproved" and not nowhere_real(mutant):
                survivors.append(f"{claim}, {label}: {status}")
    return count, same, survivors


@pytest.fixture
def status_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what the kernel says beside the status, and what it finds about the derivation and not the print.

    ``sources`` has had the same derivation settled in full.
    """
    monkeypatch.setattr(kernel, "unsupported", lambda *_: [])
    monkeypatch.setattr(kernel, "enclosed", lambda *_: "")
    monkeypatch.setattr(kernel, "_explain_limit", lambda *_: None)
    for name in ("_correction", "_exact", "difference"):
        monkeypatch.setattr(kernel, name, lambda *_: sp.Integer(0))
    # a mutant is compared by settle and by equivalent, with one result
    known: dict[Any, bool | None] = {}
    compare = kernel.compare

    def once(value: Any, printed: sp.Expr, regime: Any, remainder: str, positions: Any = ()) -> bool | None:
        key = (type(value), value.expr, printed, tuple(regime.items()), remainder, tuple(positions))
        if key not in known:
            known[key] = compare(value, printed, regime, remainder, positions)
        return known[key]

    monkeypatch.setattr(kernel, "compare", once)


#: Formulas of every sort; the others' mutants are left to ``make test-slow`` and to ``python -m tests.mutation``.
FAST = IDENTITIES[::4]


@pytest.mark.parametrize("claim", [pytest.param(c, marks=[] if c in FAST else [pytest.mark.slow]) for c in IDENTITIES])
def test_every_mutant_of_a_formula_is_disproved(claim: str, request: pytest.FixtureRequest) -> None:
    statements = sources(claim)
    request.getfixturevalue("status_only")
    count, same, survivors = judged_symbolically(claim, statements)
    assert survivors == []
    assert count >= max(2, *(fewest(statement) for statement in statements))
    # a formula without a remainder is right in one way only
    if not by_id()[claim].remainder:
        assert same <= 1
    # a print of a number has a mutant or two
    plain = all(parse(printed).is_number for printed in by_id()[claim].printed.values())
    assert count - same >= (1 if plain else 4)


def test_there_are_more_than_300_mutants() -> None:
    counts = {claim: len(mutated(by_id()[claim])) for claim in CLAIMS}
    assert len(counts) == len(CLAIMS) >= 22
    assert min(counts.values()) >= 2
    assert sum(counts.values()) > 300


@pytest.mark.slow_for("sinks-cheaper-when")
@pytest.mark.parametrize(
    "claim", [pytest.param(c, marks=pytest.mark.slow) if c.endswith("diag-lower") else c for c in CLAUSES]
)
def test_every_mutant_of_a_clause_is_told_from_the_truth(claim: str) -> None:
    """Wrong clauses are disproved at an exact case; those that balls and cells leave open are the empirical check's."""
    statement, found = by_id()[claim], derive(claim)
    told = 0
    for name, printed in statement.printed.items():
        word, conditions = clause(printed)
        quantity = found.quantities[name]
        assert isinstance(quantity, Equivalence)
        mutated = clause_mutants(conditions)
        verdicts = {label: judged(word, other, quantity, list(quantity.points))[0] for label, other in mutated}
        told += sum(verdict is False for verdict in verdicts.values())
        # nothing wrong is proved: what counts as true is so at every exact case of the derivation
        for label, other in mutated:
            seen = [contradicted(word, other, quantity, point) for point in quantity.points]
            assert verdicts[label] is not True or not any(seen), label
    assert told >= 2 * len(statement.printed)


def least(formula: sp.Expr, d: int, tr2: sp.Rational) -> float:
    value = formula.xreplace({sp.Symbol("d"): sp.Integer(d), sp.Symbol("tr2"): tr2})
    return float(value) if value.is_real else -math.inf


@pytest.mark.parametrize("claim", BOUNDS)
def test_no_false_mutant_of_a_bound_is_proved(claim: str) -> None:
    """A weaker bound is true; one that is smaller somewhere must not pass, and most are disproved."""
    places = [(d, tr2) for d in (1, 2, 3, 7) for tr2 in (sp.Rational(1, 9), sp.Integer(1), sp.Integer(5))]
    statement = by_id()[claim]
    false = disproved = 0
    for label, mutant in mutated(statement):
        ends = [(1 if name == "upper" else -1) * parse(printed) for name, printed in mutant.printed.items()]
        broken = any(least(end, d, tr2) < math.sqrt(d * tr2) - 1e-12 for end in ends for d, tr2 in places)
        status = settle(mutant, derived(claim)).status
        false += broken
        disproved += status == "disproved"
        assert status != ("proved" if broken else "disproved"), label
    assert 2 * disproved > false > 4


def sample(claim: str) -> Statement:
    """One mutant of what is true: the last of the list whose print is not equivalent."""
    candidates = [mutant for _, mutant in mutated(sources(claim)[-1]) if not equivalent(mutant)]
    # a fixed choice that differs from claim to claim
    return candidates[(7 * CLAIMS.index(claim)) % len(candidates)]


@pytest.fixture
def verdict_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what a report says beside the verdict, which takes as long as the verdict itself."""
    for name in ("generalised", "starts"):
        monkeypatch.setattr(f"proofs_check.judging.runner.{name}", lambda *_: [])


@pytest.mark.slow_for("gaussian-rho", "lemma1-mean")
@pytest.mark.usefixtures("verdict_only")
@pytest.mark.parametrize("claim", WHOLE_PATH)
def test_a_mutant_of_every_claim_is_refuted_on_the_whole_path(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = sample(claim)
    # a mutant is far from the truth, so that wide intervals are enough
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], factor=12.0, points=60))
    options = Options(effort="quick", seed=3, device="cpu", jobs=1)
    report: Any
    report, outcome, spent = runner._judge_one(mutant, options, "cpu", Silent())
    assert report["verdict"] == "refuted", (mutant.printed, report["reason"])
    assert outcome.corrections
    assert report["counterexample"]["printed"] != report["counterexample"]["true"]
    assert spent <= mutant.alpha
