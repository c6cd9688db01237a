"""Derived matrices held to what their claims say: by normal form where that reads both, and by value at cases.

At a case the statement's matrix, as the two interpreters of statements have it, must be the derived one exactly and the
empirical check's within its errors; its print must be the print that is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from proofs_check.binding.instances import CASES, LOOSE, ROUNDING, count_of, place_of
from proofs_check.binding.named import InstanceError, instance
from proofs_check.binding.tied import Binding, line, quantities
from proofs_check.checks.evidence import Seen
from proofs_check.claims.pairing import Pair
from proofs_check.statements.identities import evaluated
from theorems.algebra.matrix_calculus import MatrixError
from theorems.kernel.matrix_facts import MatrixFact
from theorems.statement.expression import Expr, StatementError
from theorems.statement.proofs.matrices import NoNormalFormError, normal_form
from theorems.statement.proposition import Proposition
from theorems.statement.reading.factored import is_factored
from theorems.statement.values.arithmetic import Matrix, UndefinedError
from theorems.statement.values.cases import Case, admissible
from theorems.statement.values.values import Reader


def matrices_bound(pair: Pair, fact: MatrixFact, seen: Sequence[Seen]) -> Binding:
    """Hold a derived matrix and the empirical check's entries against the statement, at CASES of the cases ``seen``."""
    claim = pair.statement
    assert claim.says is not None
    try:
        table = quantities(claim)
    except StatementError as error:
        return Binding(missing=[f"what the claim says cannot be read: {line(error)}"])
    if len(table) != 1 or not is_factored(claim.printed):
        return Binding(missing=["a derived matrix is one quantity, whose print is a sum of words; say it as one"])
    if not seen:
        return Binding(missing=["the empirical check was seen at no case"])
    chosen = [seen[len(seen) * k // CASES] for k in range(CASES)] if len(seen) > CASES else seen
    ((name, prop),) = table.items()
    text = claim.says.quantities[name]
    found, widest = _every_size(prop, fact, text), 0.0
    try:
        for one in chosen:
            differs, width = _at(pair, prop, fact, one, text)
            widest = max(widest, width)
            if differs.faults:
                return found.joined(differs)
    except (InstanceError, StatementError, UndefinedError, IndexError, ValueError) as error:
        return found.joined(Binding(missing=[f"{name} was not compared with the statement: {line(error)}"]))
    if widest > LOOSE:
        return found.joined(Binding(missing=[f"the empirical check knows {name} within {widest:.1e} only"]))
    told = f"{name} is {text} by value at {count_of(chosen)}, entry by entry: exactly as derived, evaluated within"
    found.evidence.append(f"{told} {widest:.1e} of max(1, largest |entry|); so is its print")
    return found


def _every_size(prop: Proposition, fact: MatrixFact, text: str) -> Binding:
    """The derived matrix against the statement's normal form, where it has one."""
    try:
        form = normal_form(prop.left, prop.known)
    except (NoNormalFormError, MatrixError):
        return Binding()
    if form.shape == fact.value.shape and form == fact.value:
        return Binding(evidence=[f"the derived matrix is {text} by normal form, for matrices of every size"])
    return Binding(derived=[f"the derivation is of another quantity: {text} is {form}, not {fact.value}"])


def _at(pair: Pair, prop: Proposition, fact: MatrixFact, one: Seen, text: str) -> tuple[Binding, float]:
    """One case: how the sides differ there, and how widely the empirical check knows its entries."""
    here = fact.instance(one.case)
    case = instance(prop, Seen(one.given, {}, {}), None)
    where = f"at {place_of(one)} {text} has"
    failed = admissible(prop, case)
    if failed:
        told = f"the empirical check counts a case outside the hypotheses ({failed}): {place_of(one)}"
        return Binding(simulated=[told]), 0.0
    reader = Reader(case, {})
    stated = _exact(prop.left, reader)
    size = max(1.0, *(abs(float(entry)) for entry in stated.flat))
    derived, printed = here.evaluate(fact.value), here.evaluate(fact.printed(pair.statement.printed))
    for other, side in ((derived, "the derivation"), (_found(one, stated), "the empirical check")):
        if (entry := _first(stated, other)) is not None:
            told = f"{side} is of another quantity: {where} the {_named(entry)} {stated[entry]}, not {other[entry]}"
            return (Binding(derived=[told]) if other is derived else Binding(simulated=[told])), 0.0
    claimed = _exact(prop.right, reader)
    if (entry := _first(claimed, printed)) is not None:
        told = f"its {_named(entry)} is {claimed[entry]}, and {printed[entry]} as it is judged"
        return Binding(derived=[f"the print is judged as another than is said: at {place_of(one)} {told}"]), 0.0
    _by_the_other(prop, case, stated, size)
    return Binding(), max(error for _, error in one.found.values()) / size  # type: ignore[misc]


def _exact(node: Expr, reader: Reader) -> Any:
    found = reader.value(node)
    if not isinstance(found, Matrix) or not all(isinstance(entry, Fraction) for row in found.rows for entry in row):
        raise InstanceError(f"{str(node)[:60]} is no matrix of rationals there")
    return np.array(found.rows, dtype=object)


def _found(one: Seen, stated: Any) -> Any:
    """The empirical check's entries: the statement's own where they lie within the error, else what was found."""
    other = np.empty_like(stated)
    for place, exact in np.ndenumerate(stated):
        number, error = one.found[f"[{place[0] + 1},{place[1] + 1}]"]  # type: ignore[misc]
        other[place] = exact if abs(Fraction(number) - exact) <= Fraction(error) else number
    return other


def _named(place: tuple[int, ...]) -> str:
    return f"entry [{place[0] + 1},{place[1] + 1}]"


def _first(one: Any, other: Any) -> tuple[int, ...] | None:
    """The first entry in which two matrices differ."""
    if one.shape != other.shape:
        raise InstanceError(f"it is {one.shape[0]} x {one.shape[1]}, and not {other.shape[0]} x {other.shape[1]}")
    return next((place for place, entry in np.ndenumerate(one) if entry != other[place]), None)


def _by_the_other(prop: Proposition, case: Case, stated: Any, size: float) -> None:
    floats = evaluated(prop, prop.left, case)
    gaps = [abs(float(exact) - number) for exact, number in zip(stated.flat, floats, strict=True)]
    if not max(gaps) <= ROUNDING * size:
        raise InstanceError(f"at {case} the second interpreter of statements differs by {max(gaps):.1e}")
