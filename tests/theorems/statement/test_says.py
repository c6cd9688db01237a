"""What the claims of the papers say as data: decided from the statement alone, and beside the derivations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy as sp

from montecarlo.registry import instance_of
from proofs_check.binding.named import instance
from proofs_check.binding.tied import quantities
from proofs_check.checks.evidence import Seen
from tests.theorems.statement.saying import finite, said, vectors
from theorems.algebra.balls import precision
from theorems.claims.catalogue import Statement, shipped
from theorems.gaussian.numeric import Case as OldCase
from theorems.kernel.derivation import Derived, Inequality, SharpBound
from theorems.kernel.deriving import derive
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle, value_of
from theorems.statement.cases import Case, admissible
from theorems.statement.decide import Derivation, decide
from theorems.statement.expression import Expr, StatementError
from theorems.statement.factored import is_factored
from theorems.statement.proofs.matrices import about_matrices
from theorems.statement.proofs.prover import proved
from theorems.statement.values import compared, scalar

TOLD = {claim.id: claim for claim in shipped() if claim.says is not None}
#: What is said of unknowns has no derivation from a model: it is held to both sides by value.
UNKNOWNS = {
    claim.id
    for claim in TOLD.values()
    if claim.says and any(word in f"{claim.says.quantities} {claim.says.where}" for word in ("exists(", "least("))
}
#: Of exchangeable laws, which no engine of moments decides: bound by value at finite laws, in test_finite_laws.
EXCHANGEABLE = sorted(name for name, claim in TOLD.items() if claim.says and claim.says.law == "exchangeable")
#: Held to what they say by value alone, at cases: numbers with randomness of their own, their limits and slopes,
#: spectra, norms of entries, families of vectors, and turns on a half-line.
BY_VALUE = {
    "bao2024.sec4.gaussian-rho",
    "bao2024.sec4.lemma2-1",
    "bao2024.sec4.lemma2-2",
    "bao2024.sec4.lemma2-3",
    "bao2024.sec4.lemma2-4",
    "bao2024.appC.lemma2-derivative",
    "bao2024.sec5.eq7-third-entrywise",
    "bao2024.sec5.eq7-third-induced",
    "bao2024.sec5.eq8",
    "bao2024.sec5.eq9-unimodal",
    "bao2024.sec5.eq10-first",
    "lampert2026.sec7.diag-upper",
}
#: Bounds without tokens: the engine of moments does not decide them, exact cases and the derived quantity bind them.
PLAIN = sorted(
    n
    for n, c in TOLD.items()
    if c.relation == "<=" and not c.remainder and n not in {*UNKNOWNS, *EXCHANGEABLE, *BY_VALUE}
)
EVENTUALLY = "bao2024.sec5.eq9"
#: Equalities of matrices and gradients, which no moments decide: bound by value at the cases that are judged.
VALUES = sorted(
    claim.id
    for claim in TOLD.values()
    if claim.relation == "=" and claim.says and any(about_matrices(prop) for prop in quantities(claim).values())
)
#: Ranges, orders of growth and properties, which are held to their statements in tests of their own.
OTHERS = {name for name, claim in TOLD.items() if claim.relation not in ("=", "<=")}
MOMENTS = sorted(set(TOLD) - {*PLAIN, *UNKNOWNS, *VALUES, *EXCHANGEABLE, *OTHERS, EVENTUALLY, *BY_VALUE})
#: Limits of functions of moments, lim(...), which are by value too.
REACHED = {("bao2024.sec4.eq6", "rho"), ("bao2024.sec4.a1-uniform", "slope")}
#: Printed quantities of claims that say something of others, with what the language has no words for.
UNSAID: dict[tuple[str, str], str] = {}

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


def printed_said(claim: Statement) -> list[str]:
    """The printed quantities that a claim says."""
    assert claim.says is not None
    return [name for name in claim.printed if name in claim.says.quantities]


def test_every_printed_quantity_is_said_or_listed() -> None:
    """A claim says all that it prints, but for what is listed with a reason; what it says is printed or derived."""
    whole = [claim for claim in TOLD.values() if not is_factored(claim.printed)]
    silent = {(claim.id, name) for claim in whole for name in claim.printed if name not in printed_said(claim)}
    assert silent == set(UNSAID)
    for claim in whole:
        assert claim.says is not None
        found, outcome = derived(claim.id)
        known = {
            *claim.printed,
            *found.quantities,
            *claim.parameters,
            *getattr(next(iter(found.quantities.values())), "free", ()),
        }
        known |= {word.name for true in outcome.corrections.values() for word in true.free_symbols}
        mentioned = {word for text in claim.printed.values() for word in re.findall("[A-Za-z_][A-Za-z0-9_]*", text)}
        assert set(claim.says.quantities) <= known | mentioned, claim.id


@pytest.mark.parametrize("claim_id", MOMENTS)
def test_a_statement_is_decided_as_its_derivation(claim_id: str) -> None:
    """Proved where the kernel settles a print as proved, open where it disproves it."""
    claim, outcome = TOLD[claim_id], derived(claim_id)[1]
    assert outcome.status in ("proved", "disproved")
    for name in printed_said(claim):
        if (claim_id, name) in REACHED:
            continue
        prop = said(claim, name)
        expected = "open" if name in outcome.false_quantities else "proved"
        assert decide(prop, Derivation(prop)).status == expected, f"{claim_id} {name}: {prop.text}"


def unequal(claim: Statement, found: Derived) -> Iterator[str]:
    """The quantities that the statement and the derivation give other values in some order of the positions."""
    assert claim.says is not None
    for name in claim.says.quantities:
        if (claim.id, name) not in REACHED and (name in found.quantities or set(found.quantities) == {""}):
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
        try:
            noticed = any(unequal(mutant, found))
        except StatementError:
            # the change leaves the positions from 1 to T
            noticed = True
        assert noticed, f"{claim_id}: {words}"


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
    if "scores" in point:
        exact = {**point, "scores": [Fraction(score) for score in point["scores"]]}
        prop = said(claim, next(iter(claim.printed)))
        return instance(prop, Seen(point, exact, {}), instance_of(claim.id))
    if claim.model == "weighted":
        return instance(said(claim, next(iter(claim.printed))), Seen(point, point, {}), None)
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
    for name in printed_said(claim):
        prop = said(claim, name)
        signs = []
        for point in points(claim_id):
            case = case_of(claim, point)
            if not admissible(prop, case):
                signs.append(compared(prop.left, prop.right, case))
        assert signs and None not in signs
        wrong = 1 if prop.relation == "<=" else -1
        assert (wrong in signs) == (name in outcome.false_quantities), f"{claim_id} {name}"


#: A case in which no two of the quantities coincide.
GENERIC = {"d": 2, "W": [["2", "1"], ["1", "-1"]], "Sigma": [["3", "1"], ["1", "2"]]}
PLANTED_BOUNDS = (
    ("W, 2", "W, fro"),
    (r"tr\(W\*Sigma\)", "tr(W)"),
    (r"exp\(-b", "exp(b"),
    (r"s\[2\] - s\[1\]", "s[1] - s[2]"),
    (r"diff\(rho_of_6", "diff(rho_of_6**2"),
    (r"softmax\(s\)\[j\]", "softmax(s)[1]"),
    (r"exp\(s\[j\]\)\*indicator", "exp(s[1])*indicator"),
    (r"\*e\[j\]", "*c[j]"),
)


def as_derived(claim: Statement) -> bool:
    """Whether the left-hand side has the value of what the derivation bounds, at its points and another one."""
    bound = next(iter(derived(claim.id)[0].quantities.values()))
    if isinstance(bound, SharpBound):
        quantity = next(step.data[0] for step in bound.steps if step.rule == "square-root")
    else:
        assert isinstance(bound, Inequality)
        quantity = bound.quantity
    left = said(claim, next(iter(claim.printed))).left
    every = points(claim.id)
    for point in [*every, *([GENERIC] if "W" in every[0] else [])]:
        expected = float(sp.N(OldCase({"Sigma": GENERIC["Sigma"], **point}).evaluate(quantity)))
        case = case_of(claim, {"Sigma": GENERIC["Sigma"], **point} if "W" in point else point)
        if abs(value_in_floats(left, case) - expected) > 1e-12 * max(1.0, abs(expected)):
            return False
    return True


@pytest.mark.parametrize("claim_id", PLAIN)
def test_the_bounded_quantity_is_the_derived_one(claim_id: str) -> None:
    """The quantity in primitives is what the derivation bounds, and a changed one is not."""
    claim = TOLD[claim_id]
    told = claim.says
    assert told is not None and as_derived(claim)
    first = next(iter(told.quantities))
    for pattern, new in PLANTED_BOUNDS:
        text = re.sub(pattern, new, told.quantities[first])
        if text != told.quantities[first]:
            assert not as_derived(replace(claim, says=replace(told, quantities={**told.quantities, first: text})))
            break
    else:
        pytest.fail(f"no change is planted in {told.quantities[first]}")


def test_the_prover_proves_no_refuted_bound() -> None:
    """The prover of statements without tokens alone: true bounds that it proves, and no print that is refuted."""
    shown = set()
    for claim_id in PLAIN:
        for name in printed_said(TOLD[claim_id]):
            if proved(said(TOLD[claim_id], name)) is not None:
                shown.add((claim_id, name))
                assert name not in derived(claim_id)[1].false_quantities
    eq5 = "bao2024.sec4.eq5"
    assert shown >= {(eq5, "upper"), (eq5, "lower"), ("bao2024.sec5.eq7-second", "upper")}


def test_the_entropy_of_a_statement_is_the_derived_least_one() -> None:
    """One score apart from equal ones has the derived least entropy for scores of its norm; others have more."""
    claim = TOLD[EVENTUALLY]
    prop, bound = said(claim, "lower"), next(iter(derived(EVENTUALLY)[0].quantities.values()))
    assert isinstance(bound, Inequality) and prop.relation == ">=" and prop.error is not None
    for scores, extreme in (((8, *[-1] * 8), True), ((-8, *[1] * 8), False), ((2, 2, *[0] * 7), False)):
        # a rational norm just above that of the scores
        nu = Fraction(int(math.sqrt(sum(s * s for s in scores)) * 10**9) + 1, 10**9)
        case = Case({"T": Fraction(9), "nu": nu}, sequences={"s": tuple(map(Fraction, scores))})
        assert admissible(prop, case) == ""
        least = float(OldCase({"T": 9, "nu": str(nu)}).evaluate(bound.upper))
        excess = value_in_floats(prop.left, case) - least
        assert (0 <= excess < 1e-8) if extreme else excess > 1e-2
        assert admissible(prop, case.with_number("nu", nu - Fraction(1, 10**6))) != ""


def value_in_floats(node: Expr, case: Case) -> float:
    """The value of a side at a case, to double precision."""
    with precision(256):
        found = scalar(node, case)
        return float(found) if isinstance(found, Fraction) else float(found.mid())


def test_vectors_of_a_statement() -> None:
    """m is a vector of a walk from m alone, so that the catalogue's mWm is m.T*W*m there."""
    told = TOLD["bao2024.appA.eq13"].says
    assert told is not None and vectors(told) == {"a", "m"}
    told = TOLD["bao2024.appA.eq15"].says
    assert told is not None and vectors(told) == set()
