"""What a run would sample, and how long that would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proofs_check.cases import drawn as drawing
from proofs_check.checks.evidence import Planned, RunContext
from proofs_check.checks.sampling import choose_cases, rungs, share
from proofs_check.checks.sampling import plan as plan_sample
from proofs_check.claims.pairing import Pair
from proofs_check.inputs.errors import UsageError
from proofs_check.inputs.plugins import empirical_check
from proofs_check.judging.derived import context
from proofs_check.judging.options import Options, Silent, resolve
from proofs_check.statements.timing import SECONDS
from theorems.claims.catalogue import Statement, is_data

#: Normals that --dry-run draws to see how long the rest would take.
TRIED_NORMALS = 1_000_000


def rate(pair: Pair, simulation: Any, planned: Planned, here: RunContext) -> float:
    """Normals a second of a simulation at a case, on all threads."""
    from montecarlo.engine import draw

    handed = pair.handed(planned.raw) if simulation.model == "free" else planned.raw
    walks = max(1, min(planned.walks, TRIED_NORMALS * planned.walks // planned.normals))
    named: dict[str, Any] = {"seed": 0, "claim_id": pair.statement.id, "key": "rate", "threads": here.threads}
    named |= {"device": here.device, "elsewhere": here.elsewhere, "tier": planned.tier}
    # the first walks also pay for what is made once
    draw(simulation, handed, walks=1, **named)
    sample = draw(simulation, handed, walks=walks, **named)
    return sample.walks * (planned.normals / planned.walks) / max(sample.seconds, 1e-9)


def plan(claims: Sequence[Statement], options: Options) -> list[dict[str, Any]]:
    """What a run would sample: a row a case, with walks, and seconds predicted from the rate of a few blocks there."""
    from montecarlo.empirical_checks import Simulation

    rows: list[dict[str, Any]] = []
    for claim in claims:
        here = context(claim, options, resolve(options), Silent())
        if is_data(claim):
            # its samples are planned from a pilot as it is judged; this is the time that it may take
            rows.append({"id": claim.id, "case": "statement", "walks": 0, "seconds": SECONDS[options.effort]})
            continue
        try:
            found = empirical_check(claim)
        except UsageError:
            if Pair(claim).derived().missing:
                continue
            raise
        if not isinstance(found, Simulation):
            rows.append({"id": claim.id, "case": "points", "walks": here.effort.points, "seconds": 1.0})
            continue
        pair = Pair(claim)
        delta = share(pair, claim.alpha, len(drawing.slots(claim, options.effort)))
        if options.case is not None:
            one = plan_sample(pair, found, options.case, delta, here)
            chosen = [one] if one is not None else []
        else:
            chosen, _ = choose_cases(pair, found, delta, here)
        for case in (rung for one in chosen for rung in rungs(one)):
            seconds = case.normals / rate(pair, found, case, here)
            rows.append({"id": claim.id, "case": dict(case.raw), "walks": case.walks, "seconds": round(seconds, 3)})
    return rows
