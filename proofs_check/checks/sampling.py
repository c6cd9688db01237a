"""The empirical check of a claim with randomness: plan, sample, put intervals around it, try the decoys, confirm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from montecarlo.empirical_checks import Simulation
from proofs_check.cases import drawn as drawing
from proofs_check.checks import tails
from proofs_check.checks.approaching import MOST_LENGTHS, Approached, Ladder, plan_ladder, reached
from proofs_check.checks.evaluating import evaluated_beside
from proofs_check.checks.evidence import BETA, Evidence, Measured, Planned, RunContext
from proofs_check.checks.intervals import Blocks, interval, p_value
from proofs_check.checks.planning import degree_of, plan_case, tier_of
from proofs_check.checks.streams import Streams
from proofs_check.claims.cases import finite
from proofs_check.claims.mutants import mutants
from proofs_check.claims.pairing import Pair, scale_name
from proofs_check.claims.report import Counterexample
from theorems.algebra.expressions import value_at
from theorems.kernel.limits import Limit
from theorems.kernel.outcome import Outcome

__all__ = ["Chosen", "choose_cases", "measure", "plan", "plan_case", "rungs", "sampled", "share", "tier_of"]

#: Cases that are drawn, and sampled, in search of a smaller one where the two sides differ.
SMALL_DRAWS, SMALL_TRIED = 60, 6
#: What the case that refutes may cost, as a multiple of what others may: it is the one that is shown.
DEARER = 1.5

#: What is sampled for a case: the case alone, or also at other lengths where the claim is about a limit.
Chosen = Planned | Ladder
#: What was measured and is put against a print.
Judged = Measured | Approached


def plan(pair: Pair, simulation: Any, raw: Mapping[str, Any], delta: float, context: RunContext) -> Chosen | None:
    """The sample for a case, at growing lengths where the print is about the limit; None where it is too dear."""
    told = raw.get("start", "sigma") == "sigma" and any(
        name in pair.formulas and pair.in_the_limit(name) for name in pair.sampled_names
    )
    return (plan_ladder if told else plan_case)(pair, simulation, raw, delta, context)


def choose_cases(pair: Pair, simulation: Any, delta: float, context: RunContext) -> tuple[list[Chosen], int]:
    """One affordable case a slot, drawn by Hypothesis, and how many draws were skipped as too costly."""
    chosen: list[Chosen] = []
    seen: set[str] = set()
    dear = 0
    for place, slot in enumerate(drawing.slots(pair.statement, context.effort_name)):
        found: Chosen | None = None
        for raw in reversed(drawing.drawn(pair.statement, slot, context.seed * 64 + place, context.effort.draws)):
            if drawing.key(raw) in seen:
                continue
            planned = plan(pair, simulation, raw, delta, context)
            if planned is None:
                dear += 1
                continue
            if found is None or not _varies(found):
                found = planned
            if _varies(planned):
                break
        if found is not None:
            seen.add(drawing.key(found.raw))
            chosen.append(found)
    return chosen, dear


def rungs(chosen: Chosen) -> tuple[Planned, ...]:
    """The single samples of a case."""
    return chosen.rungs if isinstance(chosen, Ladder) else (chosen,)


def _varies(chosen: Chosen) -> bool:
    return any(variance > 0 for rung in rungs(chosen) for variance, _, _ in rung.quantities.values())


def climbed(
    pair: Pair, simulation: Any, chosen: Chosen, delta: float, context: RunContext, mark: str = ""
) -> tuple[list[Measured], list[Judged]]:
    """Every measurement that a case asks for, and what of it is put against the print."""
    # lengths of one case and of another may be the same case: each has a stream of its own
    marks = ["" if rung.raw == chosen.raw else " of " + drawing.key(chosen.raw) for rung in rungs(chosen)]
    found = [measure(pair, simulation, r, delta, context, mark + m) for r, m in zip(rungs(chosen), marks, strict=True)]
    measured = [m for at in found for m in at]
    if isinstance(chosen, Ladder):
        approached = reached(pair, chosen, found, delta)
        return measured, [*(m for m in measured if m.judged), *(a for a in approached if a.judged)]
    return measured, [m for m in measured if m.judged]


def sample_of(pair: Pair, simulation: Any, planned: Planned, context: RunContext, mark: str = "") -> Any:
    """The sample of a planned case. A claim and its variants have it in common: each has intervals of its own level."""
    from montecarlo.engine import draw

    key, claim_id = drawing.key(planned.raw) + mark, pair.statement.id.partition("@")[0]
    name = (claim_id, key, planned.walks, planned.tier, context.seed, context.device, id(simulation))
    if name not in pair.samples:
        handed = pair.handed(planned.raw) if simulation.model == "free" else planned.raw
        drawn = draw(
            simulation,
            handed,
            walks=planned.walks,
            seed=context.seed,
            claim_id=claim_id,
            key=key,
            device=context.device,
            threads=context.threads,
            on_block=context.step,
            elsewhere=context.elsewhere,
            tier=planned.tier,
        )
        # with the simulation, so that no other one comes to stand at its place in memory
        pair.samples[name] = simulation, drawn
    return pair.samples[name][1]


def measure(
    pair: Pair, simulation: Any, planned: Planned, delta: float, context: RunContext, mark: str = ""
) -> list[Measured]:
    """Sample a planned case and put an interval around every quantity; ``mark`` names a stream of its own."""
    sample = sample_of(pair, simulation, planned, context, mark)
    if context.streams is not None:
        context.streams.see(sample, f"the sample at {drawing.key(planned.raw)}{' (' + mark + ')' if mark else ''}")
    found = []
    for name in pair.sampled_names:
        if name not in sample.estimates and set(sample.estimates) != {"value"}:
            given = ", ".join(sample.estimates)
            raise ValueError(
                f"{pair.source}: the simulation returns {given}, the print names {name}; use one name for both"
            )
        estimate = sample.estimates[name] if name in sample.estimates else sample.estimates["value"]
        variance, scale, tolerance = planned.quantities[name]
        degree = degree_of(simulation, name, pair)
        data = (estimate.block_means, estimate.numbers_per_block, estimate.pair_mean, estimate.pairs)
        around = interval(*data, degree=degree, planned=variance, delta=delta, beta=BETA)
        target = pair.target(name, planned.raw)
        p = 1.0
        if target.printed is not None and not target.limit:
            p = p_value(float(target.printed), *data, degree=degree, planned=variance, delta=delta)
            if variance > 0 and (p < delta) != (not around.holds(float(target.printed))):
                raise ArithmeticError(f"{pair.source}: interval and p-value of {name} disagree; this is a bug of ours")
        words = scale_name(pair.moment(name, planned.raw))
        size = (estimate.count, estimate.std_error, scale, tolerance)
        blocks = Blocks(estimate.block_means, estimate.numbers_per_block, variance, around)
        found.append(Measured(planned.raw, target, around, *size, p, blocks, words))
    return found


def sampled(
    pair: Pair, outcome: Outcome, simulation: Any, alpha: float, context: RunContext, only: Mapping[str, Any] | None
) -> Evidence:
    """The simulation's side of a claim with randomness, and what is evaluated beside it."""
    from montecarlo import registry

    evidence = tails.told(pair, simulation, _sampled(pair, outcome, simulation, alpha, context, only))
    evaluation = registry.beside(pair.source) if simulation.claim_id == pair.source else None
    if evaluation is not None:
        _joined(evidence, evaluated_beside(pair, outcome, evaluation, context, only), pair)
    return evidence


def _joined(evidence: Evidence, other: Evidence, pair: Pair) -> None:
    """Put into a simulation's evidence what was evaluated beside it: both must agree, and either contradicts."""
    missing = [n for n in pair.formulas if n not in pair.sampled_names and n not in {r["quantity"] for r in other.rows}]
    if missing and other.cases:
        other.status, other.reason = "underpowered", f"the evaluation gives no {missing[0]} at any case"
    statuses = (evidence.status, other.status)
    if "contradicts" in statuses:
        evidence.status = "contradicts"
    elif other.status != "agrees" and other.cases:
        evidence.status, evidence.reason = other.status, evidence.reason or other.reason
    if not evidence.confirmed:
        evidence.confirmed, evidence.counterexample = other.confirmed, other.counterexample
    evidence.cases += other.cases
    evidence.samples += other.samples
    evidence.rows += other.rows
    evidence.seen += other.seen
    evidence.conflicts += other.conflicts
    evidence.decoys += other.decoys
    evidence.caught += other.caught
    evidence.survivors += other.survivors
    evidence.tier += ", and independent evaluation"
    names = ", ".join(dict.fromkeys(row["quantity"] for row in other.rows))
    evidence.power += f"; of {names} {other.power}" if names else ""


def _sampled(
    pair: Pair, outcome: Outcome, simulation: Any, alpha: float, context: RunContext, only: Mapping[str, Any] | None
) -> Evidence:
    from montecarlo.calibration import check_normals
    from montecarlo.engine import check_repeatable

    context = replace(context, streams=Streams())
    rate = drawing.hit_rate(pair.statement, context.seed) if pair.statement.conditions else None
    places = 1 if only is not None else len(drawing.slots(pair.statement, context.effort_name))
    delta = share(pair, alpha, places)
    if only is not None:
        # where no limit can be formed from a case, it can still be compared with the derivation
        planned = plan(pair, simulation, only, delta, context) or plan_case(pair, simulation, only, delta, context)
        chosen, dear = ([planned] if planned is not None else []), int(planned is None)
    else:
        chosen, dear = choose_cases(pair, simulation, delta, context)
    evidence = Evidence(tier="direct simulation")
    if outcome.status == "disproved" and only is None:
        smallest = find_counterexample(pair, simulation, outcome, delta, context)
        if smallest is not None and drawing.key(smallest.raw) not in {drawing.key(p.raw) for p in chosen}:
            chosen.append(smallest)
    else:
        smallest = chosen[0] if chosen and only is not None else None
    measured: list[Measured] = []
    judged: list[Judged] = []
    every = [rung for case in chosen for rung in rungs(case)]
    if every:
        check_repeatable(
            simulation,
            pair.handed(every[0].raw) if simulation.model == "free" else every[0].raw,
            seed=context.seed,
            claim_id=pair.statement.id,
            key=drawing.key(every[0].raw),
            device=context.device,
            tier=every[0].tier,
        )
        for tier in sorted({rung.tier for rung in every}) if simulation.model != "free" else ():
            if context.elsewhere is None:
                check_normals(tier, context.device)
    for place, case in enumerate(chosen):
        context.step(place, len(chosen))
        found, told = climbed(pair, simulation, case, delta, context)
        measured += found
        judged += told
    evidence.spent = delta * _intervals(measured, judged)
    evidence.tier = _tiers(simulation, every)
    _fill(evidence, measured, judged)
    if evidence.conflicts and pair.statement.plugin and only is None:
        evidence.conflicts = [*_smaller(pair, simulation, measured, delta, context), *evidence.conflicts]
    evidence.trend = _trend(judged)
    if not chosen:
        evidence.status = "underpowered"
        evidence.reason = f"no affordable case among {dear} drawn at this effort"
        return evidence
    if rate is not None:
        evidence.power += f"; {100 * rate:.0f}% of the drawn cases meet the conditions"
    if dear:
        evidence.power += f"; {dear} drawn cases were skipped as too costly at this effort"
    _decoys(pair, judged, evidence, single=only is not None)
    if outcome.status == "disproved" and evidence.status == "contradicts" and smallest is not None:
        again, fresh = climbed(pair, simulation, smallest, delta, context, "confirmation")
        evidence.spent += delta * _intervals(again, fresh)
        evidence.samples += sum(m.count for m in again if m.target.name in outcome.false_quantities)
        wrong = [m for m in fresh if m.contradicts and m.target.name in outcome.false_quantities]
        first = [m for m in judged if m.raw == smallest.raw and m.contradicts]
        if wrong and first:
            evidence.confirmed = True
            evidence.counterexample = _counterexample(pair, wrong[0])
        evidence.conflicts += _conflicts(again)
    return evidence


def share(pair: Pair, alpha: float, places: int) -> float:
    """The level of one interval: every case, the counterexample and its confirmation may err once a quantity.

    Where the print is about a limit each of them has several lengths, and the limit an interval of its own.
    """
    limits = any(name in pair.formulas and pair.in_the_limit(name) for name in pair.sampled_names)
    return alpha / ((places + 2) * len(pair.sampled_names) * (MOST_LENGTHS + 1 if limits else 1))


def _intervals(measured: Sequence[Measured], judged: Sequence[Judged]) -> int:
    """How many intervals were put around numbers and limits."""
    return len(measured) + sum(isinstance(one, Approached) and one.found is not None for one in judged)


def _counterexample(pair: Pair, wrong: Judged) -> Counterexample:
    """What the print and the truth are at the case that refutes; of a limit with the exact value at the case beside."""
    found: Counterexample = {
        "params": dict(wrong.raw),
        "printed": str(wrong.target.claimed),
        "true": str(wrong.target.true),
    }
    if isinstance(wrong, Approached):
        if "theta" in pair.exact(wrong.raw).scalars:
            found["params"]["theta"] = str(pair.exact(wrong.raw).scalars["theta"])
        true, claimed = wrong.values()
        found["printed"], found["true"] = str(claimed), "no finite limit" if true is None else str(true)
        found["limit"], found["finite"] = wrong.place, str(_before(pair, wrong))
    return found


def _before(pair: Pair, wrong: Approached) -> sp.Expr:
    """The value at the case itself: the closed form where there is one, of which the derived number is a rounding."""
    quantity = pair.quantity(wrong.name, str(wrong.raw.get("start", "sigma")))
    form = quantity.finite if isinstance(quantity, Limit) else None
    return value_at(form, pair.exact(wrong.raw).scalars) if isinstance(form, sp.Expr) else wrong.target.derived


def _tiers(simulation: Simulation, chosen: Sequence[Planned]) -> str:
    """What the evidence rests on: "direct simulation", and for walks how many cases were sampled in which way."""
    if simulation.model != "walk" or not chosen:
        return "direct simulation"
    counts = Counter(planned.tier for planned in chosen)
    told = ", ".join(f"{counts[name]} {name}" for name in ("literal", "fused", "joint") if counts[name])
    return f"direct simulation, cases: {told}" if not counts["joint"] else f"simulation, cases: {told}"


def _fill(evidence: Evidence, measured: Sequence[Measured], judged: Sequence[Judged] | None = None) -> None:
    judged = [m for m in measured if m.judged] if judged is None else judged
    evidence.samples = sum(m.count for m in measured)
    evidence.cases = len({drawing.key(m.raw) for m in measured})
    # what a ladder measured stands in its row
    ladders = [a for a in judged if isinstance(a, Approached)]
    along = {id(rung) for a in ladders for rung in a.rungs}
    cases = {drawing.key(m.raw) for m in judged}
    further = {drawing.key(rung.raw) for a in ladders for rung in a.rungs} - cases
    beside = (m.row() for m in measured if id(m) not in along and drawing.key(m.raw) not in further)
    evidence.rows = [*(a.row() for a in ladders), *beside]
    evidence.conflicts = _conflicts(measured)
    if not judged:
        evidence.status = "none"
        evidence.reason = "the print says nothing of this start of the walk; derivation and simulation agree there"
        if any(m.target.printed is not None for m in measured):
            evidence.status = "underpowered"
            evidence.reason = "the print is about a limit, and none can be formed from this case at this effort"
        return
    zs = [abs(m.z) for m in judged if m.z is not None]
    evidence.max_z = max(zs) if zs else None
    evidence.p = min(1.0, len(judged) * min(m.p for m in judged))
    worst = max(judged, key=lambda m: m.detectable)
    reach = worst.detectable
    evidence.detectable = finite(reach)
    against = min((m for m in judged if m.contradicts), key=lambda m: _size(m.raw), default=None)
    if against is not None:
        evidence.status = "contradicts"
        evidence.contradiction = _against(against)
    elif all(m.agrees for m in judged):
        evidence.status = "agrees"
    else:
        evidence.status = "underpowered"
        if any(isinstance(m, Approached) and not m.agrees for m in judged):
            evidence.reason = "the simulated values do not come near enough to the printed limit at this effort"
    evidence.power = f"an error of {100 * reach:.2g}% of {worst.measured} is caught with probability {1 - BETA:g}"


def _against(m: Judged) -> str:
    """What the print and the simulation say where they differ."""
    row = m.row()
    place = row["limit"]["at"] + ", " if row["limit"] else ""
    told = row["limit"] or row
    return (
        f"{m.target.name}, {place}case {drawing.key(m.raw)}: printed {told['printed']}, "
        f"simulated [{told['low']}, {told['high']}]"
    )


def _trend(judged: Sequence[Judged]) -> list[str]:
    """How the simulated values go along the lengths, and where they come to."""
    lines = []
    for a in judged:
        if not isinstance(a, Approached):
            continue
        row = a.limit()
        along = "; ".join(
            f"{', '.join(f'{n} = {v}' for n, v in at['params'].items())}: {at['estimate']:.5g}" for at in row["along"]
        )
        lines.append(
            f"trend, {a.name}, {row['at']}: simulated {along}; "
            f"{'extrapolated' if a.found is not None else 'at the end'} {row['estimate']:.5g} in "
            f"[{a.interval.low if row['low'] is None else row['low']:.5g}, "
            f"{a.interval.high if row['high'] is None else row['high']:.5g}], "
            f"derived {row['derived']}, printed {row['printed']}"
        )
    return lines


def _conflicts(measured: Sequence[Measured]) -> list[str]:
    """Where the simulation leaves the derived value out, the smallest case first."""
    found = sorted((m for m in measured if m.conflicts), key=lambda m: _size(m.raw))
    return [
        f"{m.target.name} at {drawing.key(m.raw)}: derived {m.target.derived}, "
        f"simulated [{m.interval.low:.6g}, {m.interval.high:.6g}]"
        for m in found
    ]


def _smaller(pair: Pair, simulation: Any, measured: Sequence[Measured], delta: float, context: RunContext) -> list[str]:
    """A conflict at a case smaller than those measured, for an author to look at; it decides nothing."""
    least = min(_size(m.raw) for m in measured if m.conflicts)
    drawn = drawing.drawn(pair.statement, {}, context.seed, SMALL_DRAWS)
    for raw in sorted((raw for raw in drawn if _size(raw) < least), key=_size)[:SMALL_TRIED]:
        planned = plan_case(pair, simulation, raw, delta, context)
        found = [] if planned is None else _conflicts(measure(pair, simulation, planned, delta, context, "smaller"))
        if found:
            return found[:1]
    return []


def _size(raw: Mapping[str, Any]) -> tuple[int, int, str]:
    """How large a case is: by dimension, by length, then by what it takes to write it down."""
    text = drawing.key(raw)
    return int(Fraction(raw.get("d", 1))), int(Fraction(raw.get("T", 1))), f"{len(text):06}{text}"


def _decoys(pair: Pair, judged: Sequence[Judged], evidence: Evidence, *, single: bool) -> None:
    """Try every wrong version of the print against the intervals.

    With a single case only the versions that differ there by what is visible are asked for.
    """
    statement = pair.statement
    words = sorted({w for m in judged for w in _words(pair, m.target.name) if w.startswith("tr")} or {"tr1", "tr2"})
    for name, formula in pair.formulas.items():
        if name not in pair.sampled_names:
            continue
        here = [(m, m.stated) for m in judged if m.target.name == name and m.stated is not None]
        for label, wrong in mutants(formula, statement.positions, words, statement.remainder):
            # a moved index may divide by zero at a case
            said = [(m, own, _said(pair, m, wrong)) for m, own in here]
            values = [(m, own, other) for m, own, other in said if other is not None]
            seen = any(m.excludes(other) for m, _, other in values)
            visible = any(abs(other - own) >= 2 * m.tolerance for m, own, other in values)
            # only one that nobody sees may be the truth in another form
            if (single and not visible) or (not seen and pair.is_true(name, wrong)):
                continue
            evidence.decoys += 1
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: {label}")
        for sign in (1, -1):
            if not here:
                continue
            evidence.decoys += 1
            seen = any(m.excludes(own + 2 * sign * m.tolerance) for m, own in here)
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: off by {'+' if sign > 0 else '-'}2 detectable")


def _said(pair: Pair, m: Judged, formula: sp.Expr) -> float | None:
    """What a formula in the place of the print says where something was measured; None where it has no value."""
    if isinstance(m, Approached):
        return m.said(formula)
    value = pair.stated(formula, m.target.name, m.raw)
    return float(value) if value.is_finite else None


def _words(pair: Pair, name: str) -> frozenset[str]:
    return frozenset() if isinstance(pair.quantity(name), Limit) else pair.limiting(name).names


def find_counterexample(
    pair: Pair, simulation: Any, outcome: Outcome, delta: float, context: RunContext
) -> Chosen | None:
    """The smallest case where print and derivation differ by at least a fifth, and which can be sampled."""

    def differs(raw: Mapping[str, Any]) -> bool:
        for name in outcome.false_quantities:
            if name not in pair.sampled_names:
                continue
            target = pair.target(name, raw)
            if target.claimed is None or target.true is None:
                continue
            gap, size = abs(target.claimed - target.true), max(abs(target.claimed), abs(target.true))
            if gap != 0 and 5 * gap >= size:
                return True
        return False

    most = int(DEARER * context.effort.most_normals)
    context = replace(context, effort=replace(context.effort, most_normals=most))
    # the longer the walk, the smaller the remainder; a shorter one serves where that is too dear
    for length in ("long", "middle") if pair.statement.asymptotic else ("middle",):
        slot = {"T": length} if pair.statement.asymptotic else {}
        raw = drawing.smallest(pair.statement, slot, context.seed, differs)
        planned = None if raw is None else plan(pair, simulation, raw, delta, context)
        if planned is not None:
            return planned
    return None
