"""The empirical check of a deterministic identity: an independent numerical evaluation at drawn points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.cases import drawn as drawing
from proofs_check.checks.evidence import Evidence, RunContext, Seen
from proofs_check.checks.matrices import compared
from proofs_check.claims.cases import shown_case
from proofs_check.claims.mutants import mutants
from proofs_check.claims.pairing import Pair, Target
from theorems.algebra.closed import vanishes
from theorems.kernel.matrix_claims import matrix_of
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import value_of

#: An evaluation that is not sharper than this, relative to max(1, |value|), shows too little.
LOOSE = 1e-6
#: Cases of every slot at which quantities beside a simulation are evaluated.
EACH = 8
#: Comparisons that a report shows.
SHOWN = 12


def evaluated(
    pair: Pair, outcome: Outcome, evaluation: Any, context: RunContext, only: Mapping[str, Any] | None
) -> Evidence:
    """The empirical check of a deterministic identity: an independent numerical evaluation at drawn points."""
    matrix = matrix_of(pair.derived())
    if matrix is not None:
        return compared(pair, matrix, outcome, evaluation, context, only)
    points = [only] if only is not None else []
    if only is None:
        own = drawing.stream(pair.statement, context.seed)
        points = list(drawing.drawn(pair.statement, {}, own, min(context.effort.points, 400)))
    return _at_points(pair, outcome, evaluation, context, points, pair.formulas)


def evaluated_beside(
    pair: Pair, outcome: Outcome, evaluation: Any, context: RunContext, only: Mapping[str, Any] | None
) -> Evidence:
    """The empirical check of the quantities that a simulation does not return: evaluated at the claim's cases.

    What the derivation says holds for the walk of the model, so cases of another start are left out.
    """
    drawn: list[Mapping[str, Any]] = [only] if only is not None else []
    if only is None:
        for place, slot in enumerate(drawing.slots(pair.statement, context.effort_name)):
            drawn += drawing.drawn(pair.statement, slot, drawing.stream(pair.statement, context.seed, place), EACH)
    inside = [raw for raw in drawn if raw.get("start", "sigma") == "sigma"]
    further = [dict(zip(evaluation.at, values, strict=True)) for values in product(*evaluation.at.values())]
    # each case takes the next of the further parameters' values
    most = max(len(inside), len(further)) if inside else 0
    pairs = ({**inside[k % len(inside)], **further[k % len(further)]} for k in range(most))
    points = {drawing.key(point): point for point in pairs}
    wanted = {name: formula for name, formula in pair.formulas.items() if name not in pair.sampled_names}
    return _at_points(pair, outcome, evaluation, context, list(points.values()), wanted, single=only is not None)


def _at_points(
    pair: Pair,
    outcome: Outcome,
    evaluation: Any,
    context: RunContext,
    points: Sequence[Mapping[str, Any]],
    formulas: Mapping[str, sp.Expr],
    *,
    single: bool = False,
) -> Evidence:
    """Compare what is evaluated at points with the derivation, and for these formulas with the print.

    At a ``single`` case wrong versions count only where they are seen.
    """
    from montecarlo.directly import evaluate

    evidence = Evidence(tier="independent evaluation", cases=len(points), samples=len(points))
    rows: list[tuple[Mapping[str, Any], Target, float, float]] = []
    for place, raw in enumerate(points):
        if place % 50 == 0:
            context.step(place, len(points))
        handed = pair.handed(raw)
        found = evaluate(evaluation, handed)
        evidence.seen.append(Seen(raw, handed, found))
        for name, (value, error) in found.items():
            if not math.isfinite(value) or not math.isfinite(error) or error < 0:
                raise ValueError(
                    f"{pair.source}: the evaluation gives {name} = {value} with the error {error} "
                    f"at {drawing.key(raw)}; expected finite numbers, and errors >= 0"
                )
            # a variant is judged as a claim of its own
            if "@" not in name or name in formulas:
                rows.append((raw, pair.target(name, raw), value, error))
    wrong = []
    worst = 0.0
    told = [row for row in rows if row[1].printed is None or not row[1].limit]
    for raw, target, value, error in rows:
        derived, printed = float(target.derived), float(target.printed) if target.printed is not None else math.nan
        slack = error + 4 * math.ulp(abs(derived)) + (0.0 if math.isnan(printed) else 4 * math.ulp(abs(printed)))
        worst = max(worst, 2 * slack / max(abs(derived), 1.0))
        if abs(value - derived) > slack:
            evidence.conflicts.append(
                f"{target.name} at {drawing.key(raw)}: derived {target.derived}, evaluated {value!r}"
            )
        # what is evaluated before a limit is no evidence about it
        if target.printed is not None and not target.limit and abs(value - printed) > slack:
            wrong.append((raw, target, value, error))
    evidence.rows = [
        shown_case(raw, t.name, t.printed, t.derived, (value - error, value + error), estimate=value)
        for raw, t, value, error in rows[:SHOWN]
    ]
    evidence.status = "contradicts" if wrong else "agrees" if worst <= LOOSE else "underpowered"
    if len(told) < len(rows) and not wrong:
        evidence.status = "underpowered"
        evidence.reason = "the print is about a limit, of which an evaluation at single cases says nothing; simulate it"
    evidence.detectable = worst
    evidence.power = f"a difference of {worst:.1e} of max(1, |value|) is seen at every point"
    counts = [name for name in ("d", "i", "j", "T") if name in pair.statement.symbols]
    for name, formula in formulas.items():
        here = [(raw, t, v, e) for raw, t, v, e in told if t.name == name]
        true = value_of(pair.derived(), name).expr
        for label, other in mutants(formula, (*pair.statement.positions, *counts)):
            seen = any(
                abs(v - float(pair.stated(other, t.name, raw))) > e + 1e-12 * max(1.0, abs(v))
                for raw, t, v, e in here
                if _defined(pair, other, raw)
            )
            # what has no real value at a case is told from what has one there
            seen = seen or any(not _defined(pair, other, raw) for raw, *_ in here)
            # only one that nobody sees may be the truth in another form
            if not seen and (single or vanishes(other - true)):
                continue
            evidence.decoys += 1
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: {label}")
    if wrong and outcome.status == "disproved":
        raw, target, _, _ = min(wrong, key=lambda row: (len(drawing.key(row[0])), drawing.key(row[0])))
        evidence.counterexample = {"params": dict(raw), "printed": str(target.claimed), "true": str(target.true)}
        evidence.confirmed = True
    return evidence


def _defined(pair: Pair, formula: sp.Expr, raw: Mapping[str, Any]) -> bool:
    """Whether a formula has a finite real value at a case (a moved index may divide by zero)."""
    value = pair.exact(raw).evaluate(formula)
    return bool(value.is_finite and value.is_real)
