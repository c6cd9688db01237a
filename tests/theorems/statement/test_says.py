"""What the claims of the papers say as data: decided from the statement alone, and beside the derivations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy as sp

from tests.theorems.statement.saying import finite, said, vectors
from theorems.catalogue import Statement, shipped
from theorems.derivation import Derived, Inequality, SharpBound
from theorems.deriving import derive
from theorems.kernel import settle, value_of
from theorems.numeric import Case as OldCase
from theorems.outcome import Outcome
from theorems.statement.cases import Case, admissible
from theorems.statement.decide import Derivation, decide
from theorems.statement.values import compared

TOLD = {claim.id: claim for claim in shipped() if claim.says is not None}
#: Bounds without tokens: the engine of moments does not decide them, exact cases and the derived quantity bind them.
PLAIN = sorted(name for name, claim in TOLD.items() if claim.relation == "<=")
MOMENTS = sorted(set(TOLD) - set(PLAIN))
#: Printed quantities of claims that say something of others, with what the language has no words for.
UNSAID = {("bao2024.sec4.eq6", "rho"): "erf, and the Gaussian approximation"}

#: Changes of a statement's text that change what it says.
PLANTED = (
    (r"Var\[", "E["),
    (r"x\[i\]", "x[i + 1]"),
    (r"x\[T\]", "x[T - 1]"),
    (r"x\[2\]", "x[3]"),
    (r"\[i\] = (.*?) - sum", r"[i] = \1 + sum"),
    (r"\bT\*\*([23])", r"T**(\1 + 1)"),
    (r"^2\*", "3*"),
    (r"1, T\)", "2, T)"),
    ("512/100", "128/100"),
)


@cache
def derived(claim_id: str) -> tuple[Derived, Outcome]:
    """What the claim's own derivation gives, and how the kernel settles it."""
    claim = TOLD[claim_id]
    found = derive(claim_id, claim.positions, parameters=claim.parameters)
    return found, settle(claim, found)


def quantities(claim: Statement) -> list[str]:
    """The printed quantities that a claim says."""
    assert claim.says is not None
    return [name for name in claim.printed if name in claim.says.quantities]


def test_every_printed_quantity_is_said_or_listed() -> None:
    """A claim says all that it prints, but for what is listed with a reason; what it says is printed or derived."""
    silent = {(claim.id, name) for claim in TOLD.values() for name in claim.printed if name not in quantities(claim)}
    assert silent == set(UNSAID)
    for claim in TOLD.values():
        assert claim.says is not None
        known = set(claim.printed) | set(derived(claim.id)[0].quantities)
        mentioned = {word for text in claim.printed.values() for word in re.findall("[A-Za-z_]+", text)}
        assert set(claim.says.quantities) <= known | mentioned, claim.id


@pytest.mark.parametrize("claim_id", MOMENTS)
def test_a_statement_is_decided_as_its_derivation(claim_id: str) -> None:
    """Proved where the kernel settles a print as proved, open where it disproves it."""
    claim, outcome = TOLD[claim_id], derived(claim_id)[1]
    assert outcome.status in ("proved", "disproved")
    for name in quantities(claim):
        prop = said(claim, name)
        expected = "open" if name in outcome.false_quantities else "proved"
        assert decide(prop, Derivation(prop)).status == expected, f"{claim_id} {name}: {prop.text}"


def unequal(claim: Statement, found: Derived) -> Iterator[str]:
    """The quantities that the statement and the derivation give other values in some order of the positions."""
    assert claim.says is not None
    for name in claim.says.quantities:
        if name in found.quantities or set(found.quantities) == {""}:
            prop = finite(claim, name, str(value_of(found, name).expr))
            if decide(prop, Derivation(prop)).status != "proved":
                yield name


@pytest.mark.parametrize("claim_id", MOMENTS)
def test_the_value_of_a_statement_is_the_derived_one(claim_id: str) -> None:
    """At every finite T and in every order of the positions: the quantity in primitives, and what was derived."""
    assert list(unequal(TOLD[claim_id], derived(claim_id)[0])) == []


@pytest.mark.parametrize("claim_id", MOMENTS)
def test_a_changed_statement_is_noticed(claim_id: str) -> None:
    """Var for E, another index, a sign, a power: some value is no longer the derived one."""
    claim = TOLD[claim_id]
    found = derived(claim_id)[0]
    changes = list(changed(claim))
    assert changes, claim_id
    for mutant, words in changes[: 1 if claim.says and claim.says.where else 2]:
        assert any(unequal(mutant, found)), f"{claim_id}: {words}"


def changed(claim: Statement) -> list[tuple[Statement, str]]:
    """The claim with one place of its text changed, for every change that applies to a printed quantity."""
    told = claim.says
    assert told is not None
    found = []
    first = next(iter(told.quantities))
    for pattern, new in PLANTED:
        text = told.quantities[first]
        if re.search(pattern, text):
            table = {**told.quantities, first: re.sub(pattern, new, text)}
            found.append((replace(claim, says=replace(told, quantities=table)), f"{pattern} in {text}"))
        elif re.search(pattern, told.where):
            where = re.sub(pattern, new, told.where, count=1)
            found.append((replace(claim, says=replace(told, where=where)), f"{pattern} in {told.where}"))
    return found


# -- bounds without tokens


def points(claim_id: str) -> list[dict[str, Any]]:
    """The exact cases that the derivation names, where a bound is reached or passed."""
    bound = next(iter(derived(claim_id)[0].quantities.values()))
    return [bound.attained] if isinstance(bound, SharpBound) else list(getattr(bound, "points", ()))


def case_of(claim: Statement, point: dict[str, Any]) -> Case:
    """A point of a derivation as a case of the statement; Sigma is I where the point has none."""
    matrices = {name: value for name, value in point.items() if isinstance(value, list) and isinstance(value[0], list)}
    if matrices:
        size = len(next(iter(matrices.values())))
        matrices.setdefault("Sigma", [[str(int(r == c)) for c in range(size)] for r in range(size)])
        point = {"d": size, **point}
    return Case(
        {name: Fraction(value) for name, value in point.items() if not isinstance(value, list)},
        {name: tuple(tuple(map(Fraction, row)) for row in rows) for name, rows in matrices.items()},
    )


@pytest.mark.parametrize("claim_id", PLAIN)
def test_a_bound_is_passed_where_the_derivation_says_so(claim_id: str) -> None:
    """A refuted print is contradicted, by certified signs, at a point of the derivation; a proved one at none."""
    claim, outcome = TOLD[claim_id], derived(claim_id)[1]
    for name in quantities(claim):
        prop = said(claim, name)
        signs = []
        for point in points(claim_id):
            case = case_of(claim, point)
            if not admissible(prop, case):
                signs.append(compared(prop.left, prop.right, case))
        assert signs and None not in signs
        wrong = 1 if prop.relation == "<=" else -1
        assert (wrong in signs) == (name in outcome.false_quantities), f"{claim_id} {name}"


@pytest.mark.parametrize("claim_id", PLAIN)
def test_the_bounded_quantity_is_the_derived_one(claim_id: str) -> None:
    """At the derivation's points the left-hand side has the value of the quantity that the derivation bounds."""
    claim = TOLD[claim_id]
    bound = next(iter(derived(claim_id)[0].quantities.values()))
    prop = said(claim, next(iter(claim.printed)))
    for point in points(claim_id):
        case, old = case_of(claim, point), OldCase(point)
        if isinstance(bound, SharpBound):
            expected = sp.sqrt(old.evaluate(bound.square.expr))
        else:
            assert isinstance(bound, Inequality)
            expected = old.evaluate(bound.quantity)
        gap = compared(prop.left, said_number(expected), case)
        assert gap == 0 or abs(float(sp.N(expected)) - value_in_floats(prop.left, case)) < 1e-12


def said_number(value: sp.Expr) -> Any:
    """An exact number as an expression; 0 where it is irrational."""
    from theorems.statement.expression import number

    return number(Fraction(int(value.p), int(value.q)) if value.is_Rational else Fraction(0))


def value_in_floats(node: Any, case: Case) -> float:
    """The value of a side at a case, to double precision."""
    from theorems.balls import precision
    from theorems.statement.values import scalar

    with precision(256):
        found = scalar(node, case)
        return float(found) if isinstance(found, Fraction) else float(found.mid())


def test_vectors_of_a_statement() -> None:
    """m is a vector of a walk from m alone, so that the catalogue's mWm is m.T*W*m there."""
    told = TOLD["bao2024.appA.eq13"].says
    assert told is not None and vectors(told) == {"a", "m"}
    told = TOLD["bao2024.appA.eq15"].says
    assert told is not None and vectors(told) == set()
