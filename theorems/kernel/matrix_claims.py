"""Matrix identities: a print given word by word, against the sum of words that was derived.

Every printed quantity is the factor of a word; together, the factors times their words are the printed right-hand side.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import sympy as sp

from theorems.algebra.expressions import parse, same
from theorems.algebra.matrix_calculus import word_text
from theorems.claims.catalogue import Statement
from theorems.gaussian.repair import presentable, repaired
from theorems.kernel.derivation import Derived
from theorems.kernel.grounds import Grounds
from theorems.kernel.matrix_facts import PREFIX, MatrixFact
from theorems.kernel.outcome import CheckedStep, Outcome
from theorems.rules.matrix import CONCLUSION, PREMISE


def matrix_of(derived: Derived) -> MatrixFact | None:
    """The derived matrix, where the derivation gave one and nothing else."""
    quantities = list(derived.quantities.values())
    return quantities[0] if len(quantities) == 1 and isinstance(quantities[0], MatrixFact) else None


def unsupported_matrix(fact: MatrixFact) -> list[str]:
    """Why a derived matrix does not follow from its steps; empty where it does.

    Each step that concludes a matrix starts from the conclusion of the one before, and the last concludes the value.
    Where letters that depend on the variable were held fixed, a step must say why that is no error.
    """
    chain = [step for step in fact.steps if step.rule in CONCLUSION]
    for before, after in pairwise(chain):
        if after.data[PREMISE[after.rule]] != before.data[CONCLUSION[before.rule]]:
            return [f"the step {after.text} does not start where the one before it ends"]
    if not chain or chain[-1].data[CONCLUSION[chain[-1].rule]] != fact.value:
        return [f"{fact.value} is not the conclusion of the last step"]
    known = Grounds((), ()).take(fact.steps).known
    for step in fact.steps:
        if step.rule == "locally-constant" and not all(any(same(part, value) for value in known) for part in step.data):
            return [f"{step.text}: no step derives these coefficients"]
    held = {letter.name for letter in fact.value.letters()} & set(fact.frozen)
    if held and not any(step.rule == "locally-constant" for step in fact.steps):
        return [f"{min(held)} was held fixed, and no step shows that it is locally constant"]
    return []


def settle_matrix(statement: Statement, fact: MatrixFact, steps: list[CheckedStep]) -> Outcome:
    """A printed sum of words against the derived one: equal by normal form, or different at an exact instance."""
    outcome = Outcome("proved", fact.method, steps)
    outcome.evidence += [f"derived: {fact.value}", *fact.remarks]
    factors = {name: fact.factor(name) for name in statement.printed}
    outcome.evidence += [f"{name}: derived {factor}" for name, factor in factors.items()]
    first = factors[next(iter(factors))]
    if {s.name for s in first.free_symbols} <= set(statement.symbols) and len(factors) == 1:
        outcome.exact = presentable(first)
    gap = fact.value - fact.printed(statement.printed)
    if gap.is_zero:
        return outcome
    seen = next((point for point in fact.points if fact.instance(point).evaluate(gap).any()), None)
    if seen is None:
        outcome.status = "undecided"
        outcome.method = "derived - printed is not 0 by normal form, yet no instance shows it"
        return outcome
    outcome.status = "disproved"
    at = ", ".join(f"{name} = {value}" for name, value in seen.items())
    outcome.evidence.append(f"derived - printed = {gap}, not 0 at {at} (exact)")
    wrong = [name for name, text in statement.printed.items() if not same(factors[name], parse(text))]
    outcome.false_quantities = tuple(wrong)
    outcome.corrections = corrections(statement, fact, factors)
    return outcome


def corrections(statement: Statement, fact: MatrixFact, factors: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
    """The true factors of the printed words that are part of the matrix, then the words that the print lacks."""
    found: dict[str, sp.Expr] = {}
    for name, true in factors.items():
        form = repaired(parse(statement.printed[name]), true)
        found[name] = form if form is not None else presentable(true)
    rest = fact.value - fact.printed(found)
    for key, coefficient in rest.by_word(fact.alphabet.names).items():
        found[PREFIX + word_text(key)] = coefficient
    return {name: factor for name, factor in found.items() if factor != 0} or found
