"""Mutants of every print and of every correction, settled by algebra, or by the second side where that is open.

A mutant is caught where it is disproved or contradicted. One that is proved is true in spite of the change (a weaker
bound, the same formula in another form), and counts as equivalent.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check import cases as drawing
from proofs_check.decoys import clause_mutants, mutants
from proofs_check.evaluating import LOOSE
from proofs_check.evidence import EFFORTS, Bench
from proofs_check.matrices import decoys as matrix_decoys
from proofs_check.observing import observed
from proofs_check.pairing import Pair, scale_and_tolerance
from proofs_check.searching import searched
from proofs_check.selftest.code import TooLong, within
from proofs_check.selftest.probes import claims, derivations
from theorems.bounds import HYPOTHETICAL, NORMS, settle_bound
from theorems.catalogue import Statement
from theorems.conditions import clause
from theorems.derivation import Derived, Fact, Inequality
from theorems.equivalence import clause_of, settle_equivalence
from theorems.expressions import ExpressionError, parse, symbol, text
from theorems.kernel import compare, printed_value, settle, value_of
from theorems.limits import Limit, compare_cells
from theorems.matrix_claims import matrix_of
from theorems.outcome import Outcome

#: Processor seconds that a mutant has; what takes longer is left undecided.
SECONDS = 10.0
#: Cases of every kind that are looked at for a print that algebra leaves open, and points of an observation.
CASES, POINTS = 12, 60
#: Of theta, so many values are looked at.
GRID = 80
#: The least change of a coefficient, as a part of it.
SMALL = sp.Rational(1, 20)


@dataclass(frozen=True)
class PrintMutant:
    """A changed print of a claim, or of the correction of a refuted one, and what was changed."""

    kind: str
    name: str
    statement: Statement


@functools.cache
def settled(claim: str) -> Outcome:
    """The kernel's full word on a claim as printed: its steps are checked here once, for all of its mutants."""
    statement, derived = statement_of(claim), derivations(claim)
    if derived is None:
        return Outcome("undecided", "nothing was derived", [])
    return settle(statement, derived)


def statement_of(claim: str) -> Statement:
    """The shipped claim of that id."""
    return next(c for c in claims() if c.id == claim)


def sources(claim: str) -> Iterator[tuple[str, Statement]]:
    """The claim as printed, and where it is false what the derivation puts in its place."""
    statement, outcome = statement_of(claim), settled(claim)
    yield "print", statement
    if outcome.status == "disproved" and outcome.corrections:
        when = statement.relation == "when"
        told = {}
        for name, formula in outcome.corrections.items():
            told[name] = clause_of("if" if name in outcome.suffices else "iff", formula) if when else text(formula)
        whole = {**statement.printed, **told} if statement.relation != "=" else told
        yield "correction", replace(statement, printed=whole, conditions=(*statement.conditions, *outcome.excluded))


@functools.cache
def print_mutants(claim: str) -> tuple[PrintMutant, ...]:
    """All mutants of a claim's print and of its correction, but those of a sum of matrix words."""
    found: dict[str, PrintMutant] = {}
    for kind, source in sources(claim):
        for name, printed in source.printed.items():
            for label, other in _changed(source, name, printed):
                full = f"{claim} {kind}, {name}: {label}"
                changed = replace(source, printed={**source.printed, name: other})
                found.setdefault(full, PrintMutant(kind, full, changed))
    return tuple(found.values())


def _changed(statement: Statement, name: str, printed: str) -> Iterator[tuple[str, str]]:
    if statement.relation == "when":
        word, conditions = clause(printed)
        for label, other in clause_mutants(conditions):
            yield label, f"{word} {' & '.join(other)}"
        other_word = "iff" if word == "if" else "if"
        yield f"{word} -> {other_word}", f"{other_word} {' & '.join(conditions)}"
        return
    formula = parse(printed)
    words = [w for w in statement.symbols if w.startswith("tr")]
    for label, other in (
        *mutants(formula, statement.positions, words, statement.remainder),
        *finer(formula, statement.positions),
        *_other_start(statement, name),
    ):
        try:
            yield label, text(other)
        except ExpressionError:
            # no print could say it
            continue


def finer(formula: sp.Expr, positions: tuple[str, ...]) -> Iterator[tuple[str, sp.Expr]]:
    """A coefficient times 1.05 or 0.95, a term dropped, two positions exchanged, tr(W)^2 for tr(W^2) and back."""
    found: dict[sp.Expr, str] = {}
    own = sp.expand(formula)
    nodes = [node for node in sp.preorder_traversal(formula) if isinstance(node, sp.Add)]
    for node in nodes:
        for term in node.args:
            rest = sp.Add(*(other for other in node.args if other is not term))
            found.setdefault(formula.xreplace({node: rest}), f"without {term}")
            for factor in (1 + SMALL, 1 - SMALL):
                found.setdefault(formula.xreplace({node: rest + factor * term}), f"{term} times {factor}")
    for factor in (1 + SMALL, 1 - SMALL):
        found.setdefault(factor * formula, f"times {factor}")
    places = [symbol(name) for name in positions if formula.has(symbol(name))]
    for k, one in enumerate(places):
        for two in places[k + 1 :]:
            found.setdefault(formula.xreplace({one: two, two: one}), f"{one} <-> {two}")
    tr1, tr2 = symbol("tr1"), symbol("tr2")
    found.setdefault(formula.xreplace({tr2: tr1**2}), "tr2 -> tr1**2")
    found.setdefault(formula.subs(tr1**2, tr2), "tr1**2 -> tr2")
    for other, label in found.items():
        if sp.expand(other) != own and not other.has(sp.zoo, sp.nan, sp.oo, sp.I):
            yield label, other


def _other_start(statement: Statement, name: str) -> Iterator[tuple[str, sp.Expr]]:
    """What the derivation gives for the walk that starts at 0."""
    if statement.model != "walk" or statement.relation != "=":
        return
    pair = Pair(statement)
    if isinstance(pair.quantity(name), Limit):
        return
    here, there = pair.limiting(name), pair.limiting(name, "zero")
    if sp.expand(here.expr - there.expr) != 0:
        yield "start of the walk at 0", there.expr


def judged_print(mutant: PrintMutant) -> tuple[str, str]:
    """What becomes of a changed print: ("caught", by what), ("equivalent", why) or ("survived", why)."""
    claim = mutant.statement.id
    if settled(claim).status == "undecided":
        return "survived", "the claim itself is undecided"
    derived = derivations(claim)
    assert derived is not None
    try:
        with within(SECONDS):
            status = _status(mutant.statement, derived)
            if status == "undecided" and mutant.statement.relation == "<=" and _larger(mutant.statement, derived):
                return "equivalent", "a larger bound"
            if status == "undecided":
                status = "contradicted" if _contradicted(mutant.statement, derived) else status
    except TooLong:
        status = "timed out"
    except Exception as error:
        # a name that a side does not know, say
        return ("caught" if _answers(claim) else "survived"), f"raised {type(error).__name__}"
    if status in ("disproved", "contradicted"):
        return "caught", status
    return ("equivalent", "proved: true as changed") if status == "proved" else ("survived", status)


@functools.cache
def _answers(claim: str) -> bool:
    """Whether both sides answer, without raising, for the claim as printed."""
    statement, derived = statement_of(claim), derivations(claim)
    assert derived is not None
    try:
        _status(statement, derived)
        _contradicted(statement, derived)
    except Exception:
        return False
    return True


def _status(statement: Statement, derived: Derived) -> str:
    """The kernel's word on a print, the derivation's steps having been checked before."""
    if statement.relation == "order":
        return settle(statement, derived).status
    if statement.relation == "when":
        return settle_equivalence(statement, derived, []).status
    if statement.relation != "=":
        return settle_bound(statement, derived, []).status
    verdicts = []
    for name, printed in statement.printed.items():
        quantity = derived.quantities[name if name in derived.quantities else ""]
        if isinstance(quantity, Limit):
            verdicts.append(compare_cells(quantity, parse(printed), statement.conditions).equal)
        else:
            value = value_of(derived, name)
            put = printed_value(statement, printed, derived)
            verdicts.append(compare(value, put, statement.regime, statement.remainder))
    if False in verdicts:
        return "disproved"
    return "undecided" if None in verdicts else "proved"


def _larger(statement: Statement, derived: Derived) -> bool:
    """Whether a printed upper bound less the proved one is not negative, by the signs of its names alone.

    A name is as positive as the values that the claim's ranges give it; a norm is not negative.
    """
    bound = next(iter(derived.quantities.values()))
    if not isinstance(bound, Inequality) or statement.attained or "upper" not in statement.printed:
        return False
    if statement.conditions != statement_of(statement.id).conditions and bound.steps[-1].rule not in HYPOTHETICAL:
        return False
    gap = parse(statement.printed["upper"]) - bound.upper
    signs = {}
    for free in gap.free_symbols:
        values = [Fraction(value) for value in statement.ranges.get(free.name, ())]
        norm = free.name.partition("_")[0] in NORMS
        signs[free] = sp.Dummy(
            free.name,
            real=True,
            positive=True if values and min(values) > 0 else None,
            nonnegative=True if norm or (values and min(values) >= 0) else None,
        )
    numerator, denominator = sp.fraction(sp.factor(sp.together(gap.xreplace(signs))))
    return bool(sp.expand(numerator).is_nonnegative and denominator.is_positive)


def _contradicted(statement: Statement, derived: Derived) -> bool:
    """Whether the second side contradicts a print, at quick effort.

    A bound and a clause are put to it themselves. For an identity it has been seen, for the claim itself, to agree
    with the derived value; so a print contradicts it that is off by twice what is visible.
    """
    from montecarlo import registry

    pair = Pair(statement, _derived={"sigma": derived})
    bench = Bench(effort=EFFORTS["quick"], effort_name="quick")
    outcome = Outcome("undecided", "", [])
    found = registry.find(statement.id)
    if isinstance(found, registry.Search):
        return searched(pair, outcome, found, bench).status == "contradicts"
    if isinstance(found, registry.Observation):
        few = replace(bench, effort=replace(bench.effort, points=POINTS))
        return observed(pair, outcome, found, few, None).status == "contradicts"
    if not isinstance(found, registry.Simulation | registry.Evaluation):
        return False
    cases = [raw for slot in drawing.slots(statement, "quick") for raw in drawing.drawn(statement, slot, 0, CASES)]
    if "theta" in statement.parameters:
        # boundaries are moved by little
        cases += [{**cases[0], "theta": str(Fraction(k, GRID))} for k in range(1, GRID)]
    return any(_off(pair, name, raw, bench) for name in pair.sampled_names if name in pair.formulas for raw in cases)


def _off(pair: Pair, name: str, raw: Mapping[str, Any], bench: Bench) -> bool:
    """Whether a print differs from the derived value at a case by twice what the second side sees, or has none."""
    target = pair.target(name, raw)
    if target.printed is None or not target.printed.is_finite or not target.printed.is_real:
        return target.true is not None
    gap = abs(float(target.printed) - float(target.derived))
    if isinstance(pair.quantity(name), Fact):
        return gap > 2 * LOOSE * max(1.0, abs(float(target.derived)))
    moment, mean, variance = pair.statistic(name, raw)
    return gap > 2 * scale_and_tolerance(moment, mean, variance, bench.effort.factor)[1]


def matrix_rows(claim: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The mutants of a printed sum of matrix words, each with what becomes of it; nothing for other claims."""
    derived = derivations(claim)
    fact = matrix_of(derived) if derived is not None else None
    if fact is None:
        return
    for kind, source in sources(claim):
        for label, off in matrix_decoys(fact, source.printed):
            seen = any(fact.instance(point).evaluate(off).any() for point in fact.points)
            yield f"{claim} {kind}, {label}", ("caught", "disproved") if seen else ("survived", "no instance shows it")
