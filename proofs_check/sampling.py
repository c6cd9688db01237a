"""The second side of a claim with randomness: plan, sample, put intervals around it, try the decoys, confirm."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from montecarlo.registry import Simulation, Tails
from proofs_check import cases as drawing
from proofs_check import tails
from proofs_check.decoys import mutants
from proofs_check.evaluating import evaluated_beside
from proofs_check.evidence import BETA, Bench, Evidence, Measured, Planned, finite
from proofs_check.intervals import interval, numbers_needed, p_value
from proofs_check.pairing import Pair, scale_and_tolerance, scale_name
from theorems.limits import Limit
from theorems.outcome import Outcome
from theorems.process import Moment

#: Normals of a walk from which on the fused tier pays.
WIDE = 32


def tier_of(simulation: Simulation, raw: Mapping[str, Any], bench: Bench) -> str:
    """How a case's walks are sampled: as ``bench.tier`` says, or literally where the simulation cannot be sampled so.

    "auto" is the fused tier for walks of WIDE normals or more, where drawing costs more than what is done with it. It
    depends on the case alone, so that a case replays with the numbers it had in a run. On a GPU "auto" is the literal
    tier.
    """
    from montecarlo.cases import dimension, length
    from montecarlo.engine import reads_scores_alone

    if simulation.model != "walk":
        return "literal"
    wanted = bench.tier
    if wanted == "auto":
        wanted = "fused" if length(raw) * dimension(raw) >= WIDE else "literal"
    # small cases are no work for a GPU's kernels, and what the GPUs of a cluster have is not known here
    if bench.device != "cpu" and (bench.tier == "auto" or bench.elsewhere is not None):
        return "literal"
    if wanted == "literal" or not reads_scores_alone(simulation, raw, wanted, bench.device):
        return "literal"
    return wanted


def plan_case(pair: Pair, simulation: Any, raw: Mapping[str, Any], delta: float, bench: Bench) -> Planned | None:
    """The sample that makes the wanted error visible at a case; None where it would cost more than a case may."""
    from montecarlo.cases import dimension, length
    from montecarlo.walks import block_walks

    T = length(raw) if simulation.model == "walk" else 1
    d = dimension(raw) if simulation.model != "free" else 1
    block = block_walks(T, d)
    walks, quantities = max(2 * block, bench.walks), {}
    for name in pair.sampled_names:
        moment, mean, variance = pair.statistic(name, raw)
        scale, tolerance = scale_and_tolerance(moment, mean, variance, bench.effort.factor)
        per_block = block // 2 if moment.kind in ("variance", "covariance") else block
        degree = _degree(simulation, name, pair)
        if isinstance(moment, Limit):
            # an event that is rarer than the tolerance is planned for as if it were that frequent
            variance = max(variance, tolerance**2)
        floor = 1e-12 * mean * mean
        if variance <= floor:
            quantities[name] = (0.0, scale, 1e-6 * max(1.0, abs(mean)))
            continue
        most = bench.effort.most_normals // (T * d) // (block // per_block)
        needed = numbers_needed(
            variance, tolerance, degree=degree, delta=delta, beta=BETA, per_block=per_block, most=most
        )
        if needed is None:
            return None
        walks = max(walks, needed * (block // per_block))
        quantities[name] = (variance, scale, tolerance)
    return Planned(raw, walks, walks * T * d, quantities, tier_of(simulation, raw, bench))


def _degree(simulation: Simulation, name: str, pair: Pair) -> int | Tails:
    """What the simulation declares of its tails; a declared degree must not be lower than the derivation's."""
    stated = simulation.tails_of(name if isinstance(simulation.degree, Mapping) else "value")
    if stated.degree is None:
        return stated
    derived = pair.derived().quantities
    moment = derived.get(name, derived.get(""))
    if isinstance(moment, Moment) and moment.observable is not None:
        second = moment.observable if moment.kind == "variance" else moment.other
        actual = moment.observable.degree() + (second.degree() if second is not None else 0)
        if actual > stated.degree:
            raise ValueError(
                f"{pair.source}: the simulation declares degree {stated.degree} for {name}, "
                f"the derivation's is {actual}; write @simulation(..., degree={actual})"
            )
    return int(stated.degree)


def choose_cases(pair: Pair, simulation: Any, delta: float, bench: Bench) -> tuple[list[Planned], int]:
    """One affordable case a slot, drawn by Hypothesis, and how many draws were passed over as too dear."""
    chosen: list[Planned] = []
    seen: set[str] = set()
    dear = 0
    for place, slot in enumerate(drawing.slots(pair.statement, bench.effort_name)):
        found: Planned | None = None
        for raw in reversed(drawing.drawn(pair.statement, slot, bench.seed * 64 + place, bench.effort.draws)):
            if drawing.key(raw) in seen:
                continue
            planned = plan_case(pair, simulation, raw, delta, bench)
            if planned is None:
                dear += 1
                continue
            varies = any(variance > 0 for variance, _, _ in planned.quantities.values())
            if found is None or not any(variance > 0 for variance, _, _ in found.quantities.values()):
                found = planned
            if varies:
                break
        if found is not None:
            seen.add(drawing.key(found.raw))
            chosen.append(found)
    return chosen, dear


def measure(
    pair: Pair, simulation: Any, planned: Planned, delta: float, bench: Bench, mark: str = ""
) -> list[Measured]:
    """Sample a planned case and put an interval around every quantity; ``mark`` names a stream of its own."""
    from montecarlo.engine import draw

    handed = pair.handed(planned.raw) if simulation.model == "free" else planned.raw
    sample = draw(
        simulation,
        handed,
        walks=planned.walks,
        seed=bench.seed,
        claim_id=pair.statement.id,
        key=drawing.key(planned.raw) + mark,
        device=bench.device,
        threads=bench.threads,
        on_block=bench.step,
        elsewhere=bench.elsewhere,
        tier=planned.tier,
    )
    found = []
    for name in pair.sampled_names:
        if name not in sample.estimates and set(sample.estimates) != {"value"}:
            given = ", ".join(sample.estimates)
            raise ValueError(
                f"{pair.source}: the simulation returns {given}, the print names {name}; use one name for both"
            )
        estimate = sample.estimates[name] if name in sample.estimates else sample.estimates["value"]
        variance, scale, tolerance = planned.quantities[name]
        degree = _degree(simulation, name, pair)
        data = (estimate.block_means, estimate.numbers_per_block, estimate.pair_mean, estimate.pairs)
        around = interval(*data, degree=degree, planned=variance, delta=delta, beta=BETA)
        target = pair.target(name, planned.raw)
        p = 1.0
        if target.printed is not None:
            p = p_value(float(target.printed), *data, degree=degree, planned=variance, delta=delta)
            if variance > 0 and (p < delta) != (not around.holds(float(target.printed))):
                raise ArithmeticError(f"{pair.source}: interval and p-value of {name} disagree; this is a bug of ours")
        words = scale_name(pair.moment(name, planned.raw))
        size = (estimate.count, estimate.std_error, scale, tolerance)
        found.append(Measured(planned.raw, target, around, *size, p, words))
    return found


def sampled(
    pair: Pair, outcome: Outcome, simulation: Any, alpha: float, bench: Bench, only: Mapping[str, Any] | None
) -> Evidence:
    """The simulation's side of a claim with randomness, and what is evaluated beside it."""
    from montecarlo import registry

    evidence = tails.told(pair, simulation, _sampled(pair, outcome, simulation, alpha, bench, only))
    evaluation = registry.beside(pair.source) if simulation.claim_id == pair.source else None
    if evaluation is not None:
        _joined(evidence, evaluated_beside(pair, outcome, evaluation, bench, only), pair)
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
    evidence.conflicts += other.conflicts
    evidence.decoys += other.decoys
    evidence.caught += other.caught
    evidence.survivors += other.survivors
    evidence.tier += ", and independent evaluation"
    names = ", ".join(dict.fromkeys(row["quantity"] for row in other.rows))
    evidence.power += f"; of {names} {other.power}" if names else ""


def _sampled(
    pair: Pair, outcome: Outcome, simulation: Any, alpha: float, bench: Bench, only: Mapping[str, Any] | None
) -> Evidence:
    from montecarlo.engine import check_repeatable

    rate = drawing.hit_rate(pair.statement, bench.seed) if pair.statement.conditions else None
    places = 1 if only is not None else len(drawing.slots(pair.statement, bench.effort_name))
    # each case, the counterexample and its confirmation may raise a false alarm once a quantity
    delta = alpha / ((places + 2) * len(pair.sampled_names))
    if only is not None:
        planned = plan_case(pair, simulation, only, delta, bench)
        chosen, dear = ([planned] if planned is not None else []), int(planned is None)
    else:
        chosen, dear = choose_cases(pair, simulation, delta, bench)
    evidence = Evidence(tier="direct simulation")
    if outcome.status == "disproved" and only is None:
        smallest = find_counterexample(pair, simulation, outcome, delta, bench)
        if smallest is not None and drawing.key(smallest.raw) not in {drawing.key(p.raw) for p in chosen}:
            chosen.append(smallest)
    else:
        smallest = chosen[0] if chosen and only is not None else None
    measured: list[Measured] = []
    if chosen:
        check_repeatable(
            simulation,
            pair.handed(chosen[0].raw) if simulation.model == "free" else chosen[0].raw,
            seed=bench.seed,
            claim_id=pair.statement.id,
            key=drawing.key(chosen[0].raw),
            device=bench.device,
            tier=chosen[0].tier,
        )
    for place, case in enumerate(chosen):
        bench.step(place, len(chosen))
        measured.extend(measure(pair, simulation, case, delta, bench))
    evidence.spent = delta * len(measured)
    evidence.tier = _tiers(simulation, chosen)
    _fill(evidence, measured)
    if pair.statement.asymptotic:
        evidence.trend = _trend(measured)
    if not chosen:
        evidence.status = "underpowered"
        evidence.reason = f"no affordable case among {dear} drawn at this effort"
        return evidence
    if rate is not None:
        evidence.power += f"; {100 * rate:.0f}% of the drawn cases meet the conditions"
    if dear:
        evidence.power += f"; {dear} drawn cases were passed over as too dear at this effort"
    _decoys(pair, measured, evidence, single=only is not None)
    if outcome.status == "disproved" and evidence.status == "contradicts" and smallest is not None:
        again = measure(pair, simulation, smallest, delta, bench, "confirmation")
        evidence.spent += delta * len(again)
        evidence.samples += sum(m.count for m in again if m.target.name in outcome.false_quantities)
        wrong = [m for m in again if m.contradicts and m.target.name in outcome.false_quantities]
        first = [m for m in measured if m.raw == smallest.raw and m.contradicts]
        if wrong and first:
            evidence.confirmed = True
            evidence.counterexample = {
                "params": _shown(pair, smallest.raw),
                "printed": str(wrong[0].target.claimed),
                "true": str(wrong[0].target.true),
            }
        evidence.conflicts += [_conflict(m) for m in again if m.conflicts]
    return evidence


def _tiers(simulation: Simulation, chosen: Sequence[Planned]) -> str:
    """What the evidence rests on: "direct simulation", and for walks how many cases were sampled in which way."""
    if simulation.model != "walk" or not chosen:
        return "direct simulation"
    counts = Counter(planned.tier for planned in chosen)
    told = ", ".join(f"{counts[name]} {name}" for name in ("literal", "fused", "joint") if counts[name])
    return f"direct simulation, cases: {told}" if not counts["joint"] else f"simulation, cases: {told}"


def _shown(pair: Pair, raw: Mapping[str, Any]) -> dict[str, Any]:
    params = dict(raw)
    if pair.statement.regime:
        params["theta"] = str(pair.exact(raw).scalars["theta"])
    return params


def _fill(evidence: Evidence, measured: Sequence[Measured]) -> None:
    judged = [m for m in measured if m.judged]
    evidence.samples = sum(m.count for m in measured)
    evidence.cases = len({drawing.key(m.raw) for m in measured})
    evidence.rows = [m.row() for m in measured]
    evidence.conflicts = [_conflict(m) for m in measured if m.conflicts]
    if not judged:
        evidence.status = "none"
        evidence.reason = "the print says nothing of this start of the walk; derivation and simulation agree there"
        return
    zs = [abs(m.z) for m in judged if m.z is not None]
    evidence.max_z = max(zs) if zs else None
    evidence.p = min(1.0, len(judged) * min(m.p for m in judged))
    worst = max(measured, key=lambda m: m.detectable)
    reach = worst.detectable
    evidence.detectable = finite(reach)
    if any(m.contradicts for m in judged):
        evidence.status = "contradicts"
    elif all(m.agrees for m in judged):
        evidence.status = "agrees"
    else:
        evidence.status = "underpowered"
    evidence.power = f"an error of {100 * reach:.2g}% of {worst.measured} is caught with probability {1 - BETA:g}"


def _trend(measured: Sequence[Measured]) -> list[str]:
    """How the simulated values approach the derived limit, or stay away from the printed one, as T grows."""
    judged = sorted((m for m in measured if m.judged), key=lambda m: int(m.raw.get("T", 0)))
    lines = []
    for m in judged:
        values = [math.nan if value is None else float(value) for value in (m.target.true, m.target.claimed)]
        places = ", ".join(f"{name} = {m.raw[name]}" for name in ("T", "i") if name in m.raw)
        lines.append(
            f"trend, {m.target.name} at {places}: simulated {m.interval.centre:.5g}, "
            f"derived {float(m.target.derived):.5g}, derived limit {values[0]:.5g}, printed limit {values[1]:.5g}"
        )
    return lines


def _conflict(m: Measured) -> str:
    return (
        f"{m.target.name} at {drawing.key(m.raw)}: derived {m.target.derived}, "
        f"simulated [{m.interval.low:.6g}, {m.interval.high:.6g}]"
    )


def _decoys(pair: Pair, measured: Sequence[Measured], evidence: Evidence, *, single: bool) -> None:
    """Try every wrong version of the print against the intervals.

    With a single case only the versions that differ there by what is visible are asked for.
    """
    statement = pair.statement
    words = sorted({w for m in measured for w in _words(pair, m.target.name) if w.startswith("tr")} or {"tr1", "tr2"})
    for name, formula in pair.formulas.items():
        if name not in pair.sampled_names:
            continue
        here = [m for m in measured if m.target.name == name and m.judged]
        for label, wrong in mutants(formula, statement.positions, words, statement.remainder):
            gaps = [(m, pair.finite(wrong, name, m.raw)) for m in here]
            # a moved index may divide by zero at a case
            values = [(m, float(other)) for m, other in gaps if other.is_finite]
            seen = any(not m.interval.holds(other) for m, other in values)
            visible = any(
                abs(other - float(m.target.printed)) >= 2 * m.tolerance  # type: ignore[arg-type]
                for m, other in values
            )
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
            seen = any(not m.interval.holds(float(m.target.printed) + 2 * sign * m.tolerance) for m in here)  # type: ignore[arg-type]
            evidence.caught += seen
            if not seen:
                evidence.survivors.append(f"{name}: off by {'+' if sign > 0 else '-'}2 detectable")


def _words(pair: Pair, name: str) -> frozenset[str]:
    return frozenset() if isinstance(pair.quantity(name), Limit) else pair.limiting(name).names


def find_counterexample(pair: Pair, simulation: Any, outcome: Outcome, delta: float, bench: Bench) -> Planned | None:
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

    # the longer the walk, the smaller the remainder; a shorter one serves where that is too dear
    for length in ("long", "middle") if pair.statement.asymptotic else ("middle",):
        slot = {"T": length} if pair.statement.asymptotic else {}
        raw = drawing.smallest(pair.statement, slot, bench.seed, differs)
        planned = None if raw is None else plan_case(pair, simulation, raw, delta, bench)
        if planned is not None:
            return planned
    return None
