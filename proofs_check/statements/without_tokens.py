"""A statement without tokens in the form of every other check: proof or certified violation, and the search for one."""

from __future__ import annotations

from typing import Any

from proofs_check.statements import deterministic
from proofs_check.statements.correcting import correct, derived
from proofs_check.statements.found import Found
from proofs_check.statements.limits_without_tokens import judged_limit
from theorems.statement.proofs.matrices import about_matrices
from theorems.statement.proposition import Proposition
from theorems.statement.reading.conditions import CLAUSES
from theorems.statement.values.cases import Case


def found_without_tokens(prop: Proposition, effort: str, seed: int) -> Found:
    """What proof and search found, as both sides of a check."""
    if prop.asymptotic and not prop.left.has("lim"):
        return judged_limit(prop)
    return _as_found(prop, deterministic.judge_deterministic(prop, effort, seed))


def found_at(prop: Proposition, case: Case) -> Found:
    """What both sides say at one case alone, which can refute a statement, and verifies nothing."""
    return _as_found(prop, deterministic.judge_at(prop, case))


def _as_found(prop: Proposition, judged: deterministic.Found) -> Found:
    found = Found(
        reason=judged.reason,
        method="; ".join(dict.fromkeys(rule for rule, _, _ in judged.proof)),
        samples=judged.tries,
        tier="search",
        mutants=sum(mutant.fate != "implied" for mutant in judged.mutants),
        caught=sum(mutant.fate == "caught" for mutant in judged.mutants),
    )
    for step in judged.proof:
        found.took(*step)
    found.remarks += [f"not seen to be sharp: {mutant.text}" for mutant in judged.mutants if mutant.fate == "not seen"]
    if judged.verdict == "verified":
        found.status, found.simulation, found.reason = "proved", "agrees", ""
        found.exact = derived(prop)
        found.power = _looked(judged)
    elif judged.verdict == "refuted":
        found.status, found.simulation, found.confirmed, found.reason = "disproved", "contradicts", True, ""
        found.method = "a violation, certified in exact or ball arithmetic"
        found.power = f"evaluated independently: {_sides(judged)}"
        assert judged.counterexample is not None
        printed = judged.right
        if prop.relation in CLAUSES:
            printed = "that it holds" if printed.startswith("holds") else "that it fails"
        found.counterexample = {"params": flat(judged.counterexample), "printed": printed, "true": judged.left}
        if prop.relation == "=" and not about_matrices(prop):
            found.exact = derived(prop)
            correct(prop, found)
    elif judged.verdict == "conflict":
        found.conflicts.append(judged.reason)
    else:
        found.status = "proved" if judged.proof else "undecided"
        # a case without a value agrees with nothing
        found.simulation = "agrees" if judged.closest_case and not judged.proof else "underpowered"
        found.power = _looked(judged)
    return found


def _sides(judged: deterministic.Found) -> str:
    """The values of both sides of every relation where the statement is violated, by the second evaluation."""
    values = iter(judged.evaluated or ())
    return "; ".join(f"{one:.10g} against {two:.10g}" for one, two in zip(values, values, strict=True))


def _looked(judged: deterministic.Found) -> str:
    """How many cases were tried without a violation, and which came closest to one."""
    if not judged.closest_case:
        return f"none of {judged.tries} tries had a value on both sides"
    return f"no violation in {judged.tries} tries; the closest at {judged.closest_case}"


def flat(case: Case) -> dict[str, Any]:
    """A case as a report has it: names to integers, "p/q" and lists of them."""
    found: dict[str, Any] = {}
    for name, value in case.numbers.items():
        found[name] = int(value) if value.denominator == 1 else str(value)
    for name, rows in case.matrices.items():
        found[name] = [[str(entry) for entry in row] for row in rows]
    for table in (case.vectors, case.sequences):
        found |= {name: [str(entry) for entry in entries] for name, entries in table.items()}
    return found
