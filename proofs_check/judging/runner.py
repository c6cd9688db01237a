"""The runner: judges claims one after the other, or several at once, and puts the report together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Claim, Report, Spent
from proofs_check.inputs.errors import RunStopped
from proofs_check.inputs.plugins import load
from proofs_check.judging import derived, stated, workers
from proofs_check.judging.cache import Found, VerdictCache
from proofs_check.judging.lines import mark
from proofs_check.judging.options import Options, Progress, Silent, resolve, threads
from proofs_check.judging.reporting import broken
from proofs_check.report.outputs import whole
from theorems.claims.catalogue import CatalogueError, Statement, by_id, is_data, rests_on
from theorems.kernel.settle import settle
from theorems.statement.reading.syntax import nearest


def run(
    claims: Sequence[Statement], options: Options, progress: Progress | None = None, kept: VerdictCache | None = None
) -> Report:
    """Judge the claims, and the correction of each that is refuted; an interruption leaves a partial report.

    What is ``kept`` of earlier runs and still holds is taken from there. The report has the claims in their order.
    """
    listener = progress or Silent()
    began = time.perf_counter()
    listener.begin(len(claims))
    found: dict[str, Found] = {}
    partial, stopped = False, ""
    device = "cpu"
    try:
        device = resolve(options)
        for claim, judged_so in _judgements(claims, options, device, listener, kept):
            found[claim.id] = judged_so
            for report, _ in judged_so:
                listener.finished(report)
    except KeyboardInterrupt:
        partial = True
    except RunStopped as stop:
        partial, stopped = True, str(stop)
    rows = [(claim, *row) for claim in claims for row in found.get(claim.id, ())]
    reports = [report for _, report, _ in rows]
    ledger: list[Spent] = [{"id": one["id"], "alpha": claim.alpha, "spent": spent} for claim, one, spent in rows]
    _mark_rests(reports)
    return whole(
        reports,
        ledger,
        effort=options.effort,
        seed=options.seed,
        device=device,
        seconds=time.perf_counter() - began,
        partial=partial,
        stopped=stopped,
    )


def run_alone(claim: Statement, options: Options) -> Report:
    """The report of one claim; an interruption is raised, as it leaves nothing to show."""
    report = run([claim], options)
    if report["run"]["partial"]:
        raise KeyboardInterrupt
    return report


def _judgements(
    claims: Sequence[Statement], options: Options, device: str, listener: Progress, kept: VerdictCache | None
) -> Iterator[tuple[Statement, Found]]:
    """Every claim with its cached judgement, or else a new one, which is cached; in the order in which they end."""
    question = {"effort": options.effort, "seed": options.seed, "device": device, "case": options.case}
    question |= {"walks": options.walks} if options.walks else {}
    question |= {"tier": options.tier} if options.tier != "auto" else {}
    anew = []
    for claim in claims:
        known = None if kept is None else kept.look(claim, question)
        if known is None:
            anew.append(claim)
        else:
            yield claim, known
    for claim, found in _judged_anew(anew, options, device, listener):
        if kept is not None:
            kept.keep(claim, question, found)
        yield claim, found


def _judged_anew(
    claims: Sequence[Statement], options: Options, device: str, listener: Progress
) -> Iterator[tuple[Statement, Found]]:
    there = options.elsewhere
    # very many walks of a claim are shared out, and not the claims
    most = 1 if device != "cpu" or (there and options.walks) else there.threads() if there else options.processes
    processes = workers.count(claims, most)
    if processes == 1:
        for claim in claims:
            listener.claim(claim.id)
            yield claim, judge(claim, options, device, listener)
        return
    shared = replace(options, jobs=threads(options))
    if there:
        parallel = there.judged(claims, shared, device, listener.claim)
    else:
        parallel = workers.judged(claims, shared, device, processes, listener.claim)
    for claim, found in parallel:
        if isinstance(found, workers.WorkerDiedError):
            found = [(broken(claim, options, found, 0.0), 0.0)]
        yield claim, found


_shipped_status: dict[str, bool | None] = {}


def _standing(claim: Statement) -> bool | None:
    """What the kernel says of a claim that did not run, None where it says nothing.

    It is kept for the suite's own, which do not change while it runs; what stands in words alone, or cannot be read,
    stands for nothing.
    """
    if is_data(claim):
        try:
            return stated.standing(claim)
        except Exception:
            # what is wrong with it is told where it runs
            return None
    if claim.plugin:
        return None
    if claim.id not in _shipped_status:
        status = settle(claim, Pair(claim).derived()).status
        _shipped_status[claim.id] = {"proved": True, "disproved": False}.get(status)
    return _shipped_status[claim.id]


def _mark_rests(reports: Sequence[Claim]) -> None:
    """Say what each claim rests on that is refuted; what did not run counts by what the kernel says of it."""
    table = by_id()
    judged = {report["id"]: {"verified": True, "refuted": False}.get(report["verdict"]) for report in reports}

    def known(name: str) -> bool | None:
        if name not in judged:
            judged[name] = _standing(table[name])
        return judged[name]

    for report in reports:
        statement = table.get(report["id"])
        if statement is None:
            continue
        report["rests_on_refuted"] = [name for name in rests_on(statement, table) if known(name) is False]
        mark(report, table, known)


def judge(claim: Statement, options: Options, device: str, listener: Progress) -> list[tuple[Claim, float]]:
    """The reports of a claim and, if it is refuted, of its correction, each with the part of the budget it spent."""
    began = time.perf_counter()
    if why := claim.unread or _lacking(claim):
        return [(broken(claim, options, CatalogueError(why), 0.0), 0.0)]
    try:
        if is_data(claim):
            return stated.judged_claim(claim, options, device)
        return derived.judged_claim(claim, options, device, listener)
    except (Exception, SystemExit) as error:
        return [(broken(claim, options, error, time.perf_counter() - began), 0.0)]


def _lacking(claim: Statement) -> str:
    """What is wrong with what a claim says that it rests on: no claim of that id; "" where each is one."""
    if all(name in by_id() for name in claim.depends_on):
        return ""
    # in a notebook other packages have not been imported
    load()
    unknown = [name for name in claim.depends_on if name not in by_id()]
    return f"depends_on has {unknown[0]!r}, which is no claim{nearest(unknown[0], by_id())}" if unknown else ""
