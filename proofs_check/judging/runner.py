"""The runner: judges claims one after the other and puts the report together."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from proofs_check.binding.hold import bind, capped
from proofs_check.checks import agreeing
from proofs_check.checks.evaluating import evaluated
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.growing import grown
from proofs_check.checks.observing import observed
from proofs_check.checks.sampling import sampled
from proofs_check.checks.searching import searched
from proofs_check.claims.findings import correction, generalised, proof, saying, starts, symbolic
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Agreement, Claim, Counterexample, Report, Spent
from proofs_check.claims.schema import empty
from proofs_check.inputs.errors import RunStopped
from proofs_check.inputs.plugins import load, load_simulations
from proofs_check.judging import workers
from proofs_check.judging.cache import Found, VerdictCache
from proofs_check.judging.judgement import verdict
from proofs_check.judging.lines import mark
from proofs_check.judging.stated import command, judged_claim, standing
from proofs_check.judging.variants import judged, part
from proofs_check.report.outputs import whole
from proofs_check.statements.needs import claim_needs
from theorems.algebra.expressions import parse, text
from theorems.claims import growth
from theorems.claims.catalogue import CatalogueError, Statement, by_id, is_data, rests_on
from theorems.claims.conditions import clause, read
from theorems.gaussian.display import latex
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import beside
from theorems.kernel.enumeration import enumerated
from theorems.kernel.equivalence import clause_of, conjoined
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle, stated, target, value_of
from theorems.statement.reading.syntax import nearest


@dataclass(frozen=True)
class Options:
    """How to run: effort, seed, device, threads (all there are unless given), one case to judge at, if any.

    ``tier`` says how walks are sampled (``sampling.tier_of``), ``walks`` is the least number of walks of a case,
    ``elsewhere`` is other machines (``proofs_check.judging.cluster``), which give the same numbers. Claims are judged
    in so many ``processes``, which share the threads.
    """

    effort: str = "standard"
    seed: int = 0
    device: str = "auto"
    jobs: int | None = None
    case: Mapping[str, Any] | None = None
    walks: int = 0
    tier: str = "auto"
    elsewhere: Any = None
    processes: int = 1


class Progress(Protocol):
    """Who is told how far a run is."""

    def begin(self, claims: int) -> None:
        """So many claims will be judged."""

    def claim(self, id: str) -> None:
        """This claim is being judged."""

    def step(self, id: str, done: int, total: int) -> None:
        """So much of the claim's present piece of work is done."""

    def finished(self, claim: Claim) -> None:
        """This claim, or its correction, has its verdict."""


class Silent:
    """Tells nobody."""

    def begin(self, claims: int) -> None:
        """Say nothing."""

    def claim(self, id: str) -> None:
        """Say nothing."""

    def step(self, id: str, done: int, total: int) -> None:
        """Say nothing."""

    def finished(self, claim: Claim) -> None:
        """Say nothing."""


def _threads(options: Options) -> int:
    return options.jobs or len(os.sched_getaffinity(0))


def resolve(options: Options) -> str:
    """The device to sample on: "auto" takes the GPU where there is one, or what the cluster's workers have."""
    if options.elsewhere is not None:
        return str(options.elsewhere.device(options.device))
    if options.device != "auto":
        return options.device
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


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
    shared = replace(options, jobs=_threads(options))
    if there:
        parallel = there.judged(claims, shared, device, listener.claim)
    else:
        parallel = workers.judged(claims, shared, device, processes, listener.claim)
    for claim, found in parallel:
        if isinstance(found, workers.WorkerDiedError):
            found = [(_broken(claim, options, found, 0.0), 0.0)]
        yield claim, found


_shipped_status: dict[str, bool | None] = {}


def _standing(claim: Statement) -> bool | None:
    """What the kernel says of a claim that did not run, None where it says nothing.

    It is kept for the suite's own, which do not change while it runs; what stands in words alone, or cannot be read,
    stands for nothing.
    """
    if is_data(claim):
        try:
            return standing(claim)
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
        return [(_broken(claim, options, CatalogueError(why), 0.0), 0.0)]
    if is_data(claim):
        try:
            return judged_claim(claim, options, device)
        except (Exception, SystemExit) as error:
            return [(_broken(claim, options, error, time.perf_counter() - began), 0.0)]
    try:
        first, outcome, spent = _judge_one(claim, options, device, listener)
    except (Exception, SystemExit) as error:
        return [(_broken(claim, options, error, time.perf_counter() - began), 0.0)]
    first["seconds"] = round(time.perf_counter() - began, 3)
    found = [(first, spent)]
    if first["verdict"] == "refuted" and outcome.corrections:
        began = time.perf_counter()
        told = {n: _told(claim, n, f, outcome) for n, f in outcome.corrections.items()}
        correction = claim.corrected({**claim.printed, **told} if claim.relation != "=" else told, outcome.excluded)
        try:
            second, _, spent = _judge_one(correction, options, device, listener, second_route=True)
        except (Exception, SystemExit) as error:
            second, spent = _broken(correction, options, error, 0.0), 0.0
        second["seconds"] = round(time.perf_counter() - began, 3)
        found.append((second, spent))
    return found


def _told(claim: Statement, name: str, formula: Any, outcome: Outcome) -> str:
    """A correction as a print: a formula, a bound of growth, or the clause that says when the property holds."""
    if claim.relation == "order":
        return growth.corrected(claim.printed[name], formula)
    if claim.relation == "when":
        return clause_of("if" if name in outcome.suffices else "iff", formula)
    return text(formula)


def _judge_one(
    claim: Statement, options: Options, device: str, listener: Progress, second_route: bool = False
) -> tuple[Claim, Outcome, float]:
    pair = Pair(claim, second_route)
    outcome = settle(claim, pair.derived())
    check_symbols(claim, outcome, pair.derived())
    evidence = _empirical_check(pair, outcome, options, device, listener)
    variants = judged(pair, lambda one, found: _empirical_check(one, found, options, device, listener))
    evidence.conflicts += [f"{v.name}: {v.reason}" for v in variants if v.verdict == "conflict"]
    evidence.spent += sum(v.evidence.spent for v in variants)
    widely = _agreement(pair, evidence, options)
    outcome.evidence += enumerated(pair.derived(), claim.positions) if second_route else generalised(claim)
    outcome.evidence += evidence.trend
    remarks = [] if claim.corrects else beside(claim.id)
    outcome.evidence += map(str, remarks)
    outcome.evidence += claim_needs(claim, "quick", options.seed) if outcome.status == "proved" else []
    binding = bind(pair, outcome, empirical_check_of(claim), evidence.rows, options.seed, evidence.seen)
    if binding.derived:
        told = f"; {outcome.method}" if outcome.status == "undecided" else ""
        outcome.status, outcome.method = "undecided", binding.derived[0] + told
    outcome.evidence += binding.evidence
    ruling, reason = capped(claim, binding, *verdict(outcome, evidence, plugin=bool(claim.plugin)))
    report = _frame(claim, options)
    counterexample = evidence.counterexample if ruling == "refuted" else None
    report.update(
        {
            "verdict": ruling,
            "reason": reason or (evidence.reason if ruling in ("verified", "refuted") else ""),
            "symbolic": symbolic(outcome, remarks),
            "simulation": evidence.simulation(),
            "counterexample": counterexample,
            "decoys": {"caught": evidence.caught, "of": evidence.decoys},
            "proof": proof(claim, outcome),
            "starts": [] if claim.model != "walk" else starts(claim),
            "variants": [v.report() for v in variants],
            "cases": evidence.rows,
            "agreement": widely,
            "replay": _replay(claim, options, counterexample),
            "bound": binding.bound,
        }
    )
    if ruling == "refuted" and outcome.corrections:
        primary = next(iter(claim.printed))
        formula = outcome.corrections.get(primary, next(iter(outcome.corrections.values())))
        shown = formula if claim.relation == "when" else stated(claim, formula)
        # without declared symbols there is no quantity that an expression could state
        stating = _sympy(claim, shown)
        report["correction"] = correction(claim, pair, outcome, report["starts"], latex(shown), stating)
    if claim.corrects:
        report["statement"] = ", ".join(_stated_latex(claim, name, text) for name, text in claim.printed.items())
    return report, outcome, evidence.spent


def _sympy(claim: Statement, shown: Any) -> str | None:
    """The correction as an expression; None for a clause, and without declared symbols that it could be stated in."""
    if claim.relation == "when":
        return None
    return str(shown) if claim.symbols or claim.coefficient_of or not shown.free_symbols else None


def _stated_latex(claim: Statement, name: str, printed: str) -> str:
    """A quantity with its corrected formula, or a property with the clause that holds."""
    if claim.relation == "when":
        word, conditions = clause(printed)
        return rf"\text{{{name} {word}}} {latex(conjoined(conditions))}"
    if claim.relation == "order":
        bound = growth.bound(printed)
        return f"{name} = {bound.letter}({latex(bound.scale)})"
    return f"{name} = {latex(parse(printed))}"


def check_symbols(claim: Statement, outcome: Outcome, derived: Derived) -> None:
    """Raise ValueError where the derived value holds an undeclared symbol, or a declared one occurs nowhere."""
    if outcome.exact is None:
        return
    unknown = sorted({s.name for s in outcome.exact.free_symbols} - set(claim.symbols))
    if unknown:
        raise ValueError(
            f"{claim.id}: the derived value {outcome.exact} holds {unknown[0]}, which symbols does not declare; add it"
        )
    if claim.relation == "order":
        # what is derived is the exponent, which no print has to name
        return
    used = {name for printed in claim.printed.values() for name in _names(claim, printed)}
    facts = [name for name in claim.printed if derived.known(name) or derived.known("")]
    for name in facts:
        value = value_of(derived, name)
        used |= {s.name for s in (value.expr.free_symbols | target(claim, value).expr.free_symbols)}
    used |= {s.name for formula in claim.definitions.values() for s in parse(formula).free_symbols}
    # the names of a shipped claim's symbols are fixed, used or not
    idle = sorted(set(claim.symbols) - used) if claim.plugin and not claim.corrects else []
    if idle:
        raise ValueError(
            f"{claim.id}: the symbol {idle[0]} stands neither in the print nor in the derived value; drop it"
        )


def _names(claim: Statement, printed: str) -> set[str]:
    """The names that occur in a print."""
    formulas = [read(c)[0] for c in clause(printed)[1]] if claim.relation == "when" else [parse(printed)]
    return {s.name for formula in formulas for s in formula.free_symbols}


def _empirical_check(pair: Pair, outcome: Outcome, options: Options, device: str, listener: Progress) -> Evidence:
    from montecarlo import registry
    from montecarlo.empirical_checks import Evaluation, Growth, Observation, Search

    claim = pair.statement
    if pair.derived().missing:
        # nothing is said that another side could look at
        return Evidence(reason="the source is incomplete")
    load_simulations(claim)
    found = registry.find(pair.source)
    here = context(claim, options, device, listener)
    if isinstance(found, Evaluation):
        return evaluated(pair, outcome, found, here, options.case)
    if isinstance(found, Growth):
        return grown(pair, outcome, found, part(pair), here, options.case)
    if isinstance(found, Search):
        return searched(pair, outcome, found, here, options.case)
    if isinstance(found, Observation):
        return observed(pair, outcome, found, here, options.case)
    return sampled(pair, outcome, found, part(pair), here, options.case)


def _agreement(pair: Pair, evidence: Evidence, options: Options) -> Agreement:
    """What cases as wide as the hypotheses say of the two sides; a difference is a conflict in the evidence."""
    found: Agreement = empty(Agreement)
    if options.case is not None or pair.derived().missing:
        return found
    found, told = agreeing.widely(pair, pair.statement.alpha, options.seed, options.effort)
    evidence.conflicts += [told] if told else []
    evidence.spent += agreeing.PART * pair.statement.alpha if found["cases"] else 0.0
    return found


def empirical_check_of(claim: Statement) -> Any:
    """The registered empirical check of a claim; None where nothing is."""
    from montecarlo import registry

    try:
        return registry.find(claim.id)
    except LookupError:
        return None


def context(claim: Statement, options: Options, device: str, listener: Progress) -> RunContext:
    """Where a claim's empirical check runs, under these options."""
    return RunContext(
        options.seed,
        device,
        _threads(options),
        EFFORTS[options.effort],
        options.effort,
        lambda done, total: listener.step(claim.id, done, total),
        options.elsewhere,
        options.walks,
        options.tier,
    )


def _frame(claim: Statement, options: Options) -> Claim:
    """A claim's report before anything was found."""
    found: Claim = empty(Claim)
    found.update(
        {
            "id": claim.id,
            "paper": {"id": claim.paper.id, "version": claim.paper.version},
            "where": claim.where,
            "kind": cast(Any, claim.kind),
            "fidelity": cast(Any, claim.fidelity),
            "judged": claim.judged,
            "statement": claim.statement,
            "reading": claim.reading,
            "assumptions": list(claim.assumptions),
            "quantity": claim.quantity,
            "symbols": list(claim.symbols),
            "printed": dict(claim.printed),
            "said": saying(claim),
            "depends_on": list(claim.depends_on),
            "replay": _replay(claim, options, None),
        }
    )
    return found


def _lacking(claim: Statement) -> str:
    """What is wrong with what a claim says that it rests on: no claim of that id; "" where each is one."""
    if all(name in by_id() for name in claim.depends_on):
        return ""
    # in a notebook other packages have not been imported
    load()
    unknown = [name for name in claim.depends_on if name not in by_id()]
    return f"depends_on has {unknown[0]!r}, which is no claim{nearest(unknown[0], by_id())}" if unknown else ""


def _broken(claim: Statement, options: Options, error: BaseException, seconds: float) -> Claim:
    """The report of a claim that something broke for: its reason in a line, the traceback kept."""
    report = _frame(claim, options)
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    if claim.plugin and (claim.corrects or claim.id) not in reason:
        reason = f"{claim.id}: {reason}"
    report["reason"] = reason
    report["traceback"] = "".join(traceback.format_exception(error))
    report["seconds"] = round(seconds, 3)
    return report


def _replay(claim: Statement, options: Options, counterexample: Counterexample | None) -> str:
    """The command that repeats the judgement, at the case that was given, or at the counterexample if there is one."""
    found = counterexample and counterexample["params"]
    return command(claim.id, options.effort, options.seed, options.case or found)
