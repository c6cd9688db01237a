"""What a report says beside the verdict: proof lines, starts of the walk, general forms, where a correction holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Correction, Proof, Saying, Start, Symbolic
from theorems.algebra.expressions import parse, same
from theorems.claims.catalogue import Statement, by_id
from theorems.claims.growth import corrected
from theorems.gaussian.process import KERNELS
from theorems.kernel.catalogued import with_definitions
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.limits import Limit
from theorems.kernel.outcome import Between, Outcome
from theorems.kernel.settle import (
    CheckedLine,
    agrees_to_leading_order,
    check_lines,
    difference,
    holds,
    printed_value,
    value_of,
)
from theorems.rules import ABOUT
from theorems.rules.norm import MEANING

#: Starts of the walk that every formula is compared for.
STARTS = ("sigma", "zero", "mean")
#: Relations of a claim between two formulas, to which an error term can be added.
TWO_SIDED = ("=", "<=", "<")


def symbolic(outcome: Outcome, beside: Sequence[str | Between]) -> Symbolic:
    """The report's ``symbolic`` object; what is said ``beside`` the verdict stands in its evidence already."""
    return {
        "status": outcome.status,
        "method": outcome.method,
        "evidence": outcome.evidence,
        "exact": None if outcome.exact is None else str(outcome.exact),
        "trusted": [{"rule": one.rule, "what": one.what, "source": one.source} for one in outcome.trusted],
        "between": [
            {
                "params": dict(one.params),
                "unit": one.unit,
                "ends": {name: [str(low), str(high)] for name, (low, high) in one.ends.items()},
            }
            for one in beside
            if isinstance(one, Between)
        ],
        "orders": [asdict(one) for one in outcome.orders],  # type: ignore[misc]
        "boundaries": {name: list(places) for name, places in outcome.boundaries.items()},
        "attained": None if outcome.attained is None else str(outcome.attained),
        "path": None,
    }


def proof(claim: Statement, outcome: Outcome) -> Proof:
    """The report's ``proof`` object: the derivation's steps and the printed lines, as the kernel found them."""
    lines = proof_lines(claim)
    return {
        "steps": [{"text": step.text, "rule": step.rule, "ok": step.ok} for step in outcome.steps],
        "lines": [
            {
                "label": checked.line.label,
                "where": checked.line.where,
                "printed": checked.line.printed + (f" + o({checked.line.remainder})" if checked.line.remainder else ""),
                "derived": checked.derived,
                "holds": checked.holds,
                "reaches": checked.reaches,
            }
            for checked in lines
        ],
        "first_false": next((c.line.label for c in lines if not c.holds), None),
        "first_reaching": next((c.line.label for c in lines if c.reaches), None),
        "concludes": [asdict(one) for one in outcome.conclusions],  # type: ignore[misc]
        "rules": {step.rule: ABOUT[step.rule].says for step in outcome.steps if step.rule in ABOUT},
    }


def proof_lines(claim: Statement) -> list[CheckedLine]:
    """Every printed line of a claim's proof, checked in the paper's order."""
    table = by_id()
    sources = [*(table[name] for name in claim.proof), claim]
    lines = [line for source in sources for line in source.lines]
    if not lines:
        return []
    quantities: dict[str, Any] = {}
    for source in sources:
        for name, value in derive(source.id, source.positions).quantities.items():
            quantities[name or next(iter(source.printed))] = value
    regime = claim.regime or next((source.regime for source in sources if source.regime), {})
    return check_lines(claim, lines, Derived(quantities, ()), regime)


def starts(claim: Statement) -> list[Start]:
    """For which starts of the walk the print is exact, and for which it holds to leading order."""
    rows: list[Start] = []
    for start in STARTS:
        derived = Pair(claim).derived(start)
        exact = leading = True
        for name, text in claim.printed.items():
            value = value_of(derived, name)
            printed = Pair(claim).formulas[name] if not _refers(text, derived) else None
            if printed is None:
                exact = False
                leading = leading and _same_limits(claim, derived, name, text)
            elif claim.asymptotic:
                exact = exact and same(value.expr, printed)
                leading = leading and holds(value, printed, claim.regime, claim.remainder, claim.positions)
            else:
                exact = exact and same(value.expr, printed)
                leading = leading and agrees_to_leading_order(value, printed, claim.positions)
        rows.append({"start": KERNELS[start].name, "exact": exact, "leading": leading})
    return rows


def generalised(claim: Statement) -> list[str]:
    """The exact value for matrices that need not be symmetric, and for other starts of the walk; lines of evidence."""
    if claim.model not in ("walk", "gaussian"):
        return []
    rows = []
    quantity = claim.quantity.removeprefix("limit of ").removesuffix(", leading order")
    for start in STARTS[:2] if claim.model == "walk" else STARTS[:1]:
        where = f", {KERNELS[start].name}" if claim.model == "walk" else ""
        for symmetric in (True, False):
            derived = derive(claim.corrects or claim.id, claim.positions, start, symmetric=symmetric)
            value = value_of(derived, next(iter(claim.printed)))
            transposed = " (Wt its transpose)" if "Wt" in str(value) else ""
            rows.append(f"{quantity}, {'symmetric' if symmetric else 'any'} W{transposed}{where}: {value}")
    return rows


def _refers(text: str, derived: Derived) -> bool:
    """Whether the print is stated through another derived quantity."""
    return any(derived.known(s.name) for s in parse(text).free_symbols)


def _same_limits(claim: Statement, derived: Derived, name: str, text: str) -> bool:
    value, printed = value_of(derived, name), printed_value(claim, text, derived)
    return holds(value, printed, claim.regime, claim.remainder, claim.positions)


def correction(
    claim: Statement, pair: Pair, outcome: Outcome, rows: Sequence[Start], latex: str, formula: str | None
) -> Correction:
    """The report's ``correction`` object: what holds, where, and by how much the print is off."""
    apart = {
        name: str(difference(claim, pair.limiting(name), pair.formulas[name]))
        for name in outcome.false_quantities
        if claim.relation == "=" and not isinstance(pair.quantity(name), Limit)
    }
    return {
        "latex": latex,
        "sympy": formula,
        "holds": _holding(claim, outcome, rows, apart),
        "where": ", ".join(MEANING.get(condition, condition) for condition in outcome.excluded),
        "apart": apart,
        "cells": [asdict(one) for one in outcome.cells],  # type: ignore[misc]
    }


def _holding(claim: Statement, outcome: Outcome, rows: Sequence[Start], apart: Mapping[str, str]) -> str:
    """Where the correction holds, and where the print does."""
    order = " <= ".join(("1", *claim.positions)) if claim.positions else ""
    rest = f"up to o({claim.remainder})" if claim.remainder and claim.relation in TWO_SIDED else "always"
    where = f"every {order}" if order else "along every sequence with these limits" if claim.regime else rest
    parts = [f"{'as T -> infinity, ' if claim.asymptotic and order else ''}{where}"]
    for name in outcome.false_quantities:
        if claim.relation != "=":
            given = ", ".join(f"{MEANING[c]} ({c})" if c in MEANING else c for c in outcome.excluded)
            true = outcome.corrections[name]
            shown = corrected(claim.printed[name], true) if claim.relation == "order" else true
            parts.append(f"{name}: what holds is {shown}" + (f" where {given}" if given else ""))
        elif name in apart:
            parts.append(f"{name}: true - printed = {apart[name]}")
        else:
            parts += [str(cell) for cell in outcome.cells if cell.quantity == name]
            parts += [f"where {', '.join(outcome.excluded)}"] if outcome.excluded else []
    exact = [row["start"] for row in rows if row["exact"]]
    leading = [row["start"] for row in rows if row["leading"]]
    if rows:
        known = (("exact", exact), ("right to leading order", leading))
        told = [f"the printed formula is {how} for {'; '.join(which)}" for how, which in known if which]
        parts += told or ["the printed formula is wrong to leading order, however the walk starts"]
    return ". ".join(parts)


def saying(claim: Statement) -> Saying | None:
    """What a claim says as data, as the report has it; None where it stands in words alone."""
    says = claim.says
    if says is None:
        return None
    return {
        "quantities": {name: with_definitions(text, claim) for name, text in says.quantities.items()},
        "hypotheses": says.hypotheses,
        "where": says.where,
        "law": says.law,
        "limit": says.limit,
        "letters": dict(claim.letters),
        "paper": dict(claim.paper_letters),
        "along": dict(claim.regime),
        "remainder": claim.remainder if claim.relation in TWO_SIDED else "",
    }
