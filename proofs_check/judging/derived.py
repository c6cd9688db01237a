"""A claim with a derivation, judged: what it derives and its empirical check, held to its statement and its print."""

from __future__ import annotations

import time
from typing import Any

from proofs_check.binding.hold import bind, capped
from proofs_check.checks import agreeing
from proofs_check.checks.evaluating import evaluated
from proofs_check.checks.evidence import EFFORTS, Evidence, RunContext
from proofs_check.checks.growing import grown
from proofs_check.checks.observing import observed
from proofs_check.checks.sampling import sampled
from proofs_check.checks.searching import searched
from proofs_check.claims.findings import correction, generalised, proof, starts, symbolic
from proofs_check.claims.pairing import Pair
from proofs_check.claims.report import Agreement, Claim
from proofs_check.claims.schema import empty
from proofs_check.inputs.plugins import load_simulations
from proofs_check.judging.judgement import verdict
from proofs_check.judging.options import Options, Progress, threads
from proofs_check.judging.reporting import broken, frame, replay
from proofs_check.judging.variants import judged, part
from proofs_check.statements.needs import claim_needs
from theorems.algebra.expressions import parse, text
from theorems.claims import growth
from theorems.claims.catalogue import Statement
from theorems.claims.conditions import clause, read
from theorems.gaussian.display import latex
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import beside
from theorems.kernel.enumeration import enumerated
from theorems.kernel.equivalence import clause_of, conjoined
from theorems.kernel.outcome import Outcome
from theorems.kernel.settle import settle, stated, target, value_of


def judged_claim(claim: Statement, options: Options, device: str, listener: Progress) -> list[tuple[Claim, float]]:
    """The reports of a claim and, if it is refuted, of its correction, each with the part of the budget it spent."""
    began = time.perf_counter()
    first, outcome, spent = judge_one(claim, options, device, listener)
    first["seconds"] = round(time.perf_counter() - began, 3)
    found = [(first, spent)]
    if first["verdict"] == "refuted" and outcome.corrections:
        began = time.perf_counter()
        told = {n: _told(claim, n, f, outcome) for n, f in outcome.corrections.items()}
        correction = claim.corrected({**claim.printed, **told} if claim.relation != "=" else told, outcome.excluded)
        try:
            second, _, spent = judge_one(correction, options, device, listener, first["agreement"])
        except (Exception, SystemExit) as error:
            second, spent = broken(correction, options, error, 0.0), 0.0
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


def judge_one(
    claim: Statement, options: Options, device: str, listener: Progress, agreed: Agreement | None = None
) -> tuple[Claim, Outcome, float]:
    """The report of a claim, what the kernel found, and what was spent.

    A correction is derived by a second route. What its claim's derivation and simulation ``agreed`` on at cases as wide
    as the hypotheses is not asked again: the second route is shown to give the formula that the first one gave.
    """
    pair = Pair(claim, second_route=agreed is not None)
    outcome = settle(claim, pair.derived())
    check_symbols(claim, outcome, pair.derived())
    evidence = empirical_check(pair, outcome, options, device, listener)
    variants = judged(pair, lambda one, found: empirical_check(one, found, options, device, listener))
    evidence.conflicts += [f"{v.name}: {v.reason}" for v in variants if v.verdict == "conflict"]
    evidence.spent += sum(v.evidence.spent for v in variants)
    widely = _agreement(pair, evidence, options) if agreed is None else agreed
    outcome.evidence += enumerated(pair.derived(), claim.positions) if pair.second_route else generalised(claim)
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
    report = frame(claim, options)
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
            "replay": replay(claim, options, counterexample),
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


def empirical_check(pair: Pair, outcome: Outcome, options: Options, device: str, listener: Progress) -> Evidence:
    """What the empirical check of a claim finds, by its kind."""
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
        threads(options),
        EFFORTS[options.effort],
        options.effort,
        lambda done, total: listener.step(claim.id, done, total),
        options.elsewhere,
        options.walks,
        options.tier,
    )
