"""The plan of a sample: how a case's walks are drawn, and how many of them make the wanted error visible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from montecarlo.empirical_checks import Simulation, Tails
from proofs_check.checks.evidence import BETA, Planned, RunContext
from proofs_check.checks.intervals import Drawn, numbers_needed
from proofs_check.claims.pairing import Pair, Sampled, scale_and_tolerance
from theorems.gaussian.process import Moment
from theorems.kernel.limits import Limit

#: Normals of a walk from which on the fused tier pays.
WIDE = 8


def tier_of(simulation: Simulation, raw: Mapping[str, Any], context: RunContext) -> str:
    """How a case's walks are sampled: as ``context.tier`` says, or literally where the simulation cannot be sampled so.

    "auto" is the fused tier for walks of WIDE normals or more, so that the smallest cases stay literal. It
    depends on the case alone, so that a case replays with the numbers it had in a run. On a GPU "auto" is the literal
    tier.
    """
    from montecarlo.cases import dimension, length
    from montecarlo.engine import reads_scores_alone

    if simulation.model != "walk":
        return "literal"
    wanted = context.tier
    if wanted == "auto":
        wanted = "fused" if length(raw) * dimension(raw) >= WIDE else "literal"
    # small cases are no work for a GPU's kernels, and what the GPUs of a cluster have is not known here
    if context.device != "cpu" and (context.tier == "auto" or context.elsewhere is not None):
        return "literal"
    if wanted == "literal" or not reads_scores_alone(simulation, raw, wanted, context.device):
        return "literal"
    return wanted


def plan_case(
    pair: Pair,
    simulation: Any,
    raw: Mapping[str, Any],
    delta: float,
    context: RunContext,
    tolerances: Mapping[str, float] | None = None,
) -> Planned | None:
    """The sample that makes the wanted error visible at a case; None where it would cost more than a case may.

    ``tolerances`` are errors to be made visible in the place of those that the effort asks for, by quantity.
    """
    T, d = _sizes(simulation, raw)
    block = _block(simulation, raw)
    walks, quantities = max(2 * block, context.walks), {}
    for name in pair.sampled_names:
        moment, mean, variance = pair.statistic(name, raw)
        scale, tolerance = scale_and_tolerance(moment, mean, variance, context.effort.factor)
        per_block = _per_block(moment, block)
        tolerance = (tolerances or {}).get(name, tolerance)
        degree = degree_of(simulation, name, pair)
        if isinstance(moment, Limit):
            # an event that is rarer than the tolerance is planned for as if it were that frequent
            variance = max(variance, tolerance**2)
        floor = 1e-12 * mean * mean
        if variance <= floor:
            quantities[name] = (0.0, scale, 1e-6 * max(1.0, abs(mean)))
            continue
        most = context.effort.most_normals // (T * d) // (block // per_block)
        needed = numbers_needed(
            variance, tolerance, degree=degree, delta=delta, beta=BETA, per_block=per_block, most=most
        )
        if needed is None:
            return None
        walks = max(walks, needed * (block // per_block))
        quantities[name] = (variance, scale, tolerance)
    asked = ("tier", simulation.function, context.tier, context.device, context.elsewhere is None)
    tier = pair.once(asked, raw, lambda: tier_of(simulation, raw, context))
    return Planned(raw, walks, walks * T * d, quantities, tier)


def to_be_drawn(pair: Pair, simulation: Simulation, planned: Planned, name: str) -> Drawn:
    """The numbers of one quantity that a planned sample gives."""
    block = _block(simulation, planned.raw)
    per_block = _per_block(pair.moment(name, planned.raw), block)
    variance = planned.quantities[name][0]
    return Drawn(variance, degree_of(simulation, name, pair), planned.walks // block * per_block, per_block)


def _block(simulation: Simulation, raw: Mapping[str, Any]) -> int:
    from montecarlo.walks import block_walks

    return block_walks(*_sizes(simulation, raw))


def _sizes(simulation: Simulation, raw: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens of a walk and their dimension, 1 where there are none."""
    from montecarlo.cases import dimension, length

    return length(raw) if simulation.model == "walk" else 1, dimension(raw) if simulation.model != "free" else 1


def _per_block(moment: Sampled, block: int) -> int:
    """Numbers of a block of walks: half squared differences take two."""
    return block // 2 if moment.kind in ("variance", "covariance") else block


def degree_of(simulation: Simulation, name: str, pair: Pair) -> int | Tails:
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
