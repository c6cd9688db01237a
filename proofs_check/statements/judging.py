"""A statement's whole judgement: read, decided, sampled, corrected, and written as a claim's report."""

from __future__ import annotations

import re
import time
import traceback
from typing import Any

from proofs_check.claims.report import Claim, Report, Spent
from proofs_check.claims.schema import empty
from proofs_check.statements.found import Found
from proofs_check.statements.needs import tell_needs
from proofs_check.statements.request import Request
from proofs_check.statements.timing import LEAST, SECONDS, TimeLimitError, time_limit
from theorems.algebra.expressions import ExpressionError, parse
from theorems.claims.catalogue import ALPHA, PLUGIN_SHARES, PLUGIN_SLOTS, SHARES
from theorems.statement.expression import StatementError
from theorems.statement.latex import statement_latex
from theorems.statement.proposition import Proposition
from theorems.statement.prose import in_words
from theorems.statement.reading.conditions import CLAUSES
from theorems.statement.reading.syntax import split_top
from theorems.statement.sympy_text import alias

_NAME = re.compile(r"[A-Za-z_]\w*")
#: A statement's share of the false-alarm budget: that of a lemma of one's own.
STATEMENT_ALPHA = ALPHA * PLUGIN_SHARES / SHARES / PLUGIN_SLOTS


def check_statement(
    request: Request, effort: str = "standard", seed: int = 0, device: str = "cpu", jobs: int = 2
) -> list[Claim]:
    """The reports of a statement and, where it is refuted and corrected by one formula, of its correction.

    Raises StatementError for a statement that cannot be read; what breaks later is the verdict ``error``.
    """
    prop = request.read()
    return judged(prop, request, request.id, effort=effort, seed=seed, device=device, jobs=jobs)


def judged(
    prop: Proposition,
    request: Request,
    claim_id: str,
    *,
    effort: str,
    seed: int,
    device: str = "cpu",
    jobs: int = 2,
    alpha: float = STATEMENT_ALPHA,
) -> list[Claim]:
    """The reports of a proposition and of its correction, each with ``alpha`` of the false-alarm budget."""
    began, used = time.perf_counter(), time.process_time()
    try:
        found = both_sides(prop, claim_id, effort, seed, device, jobs, alpha)
        tell_needs(prop, claim_id, found, effort, seed, alpha)
    except StatementError:
        raise
    except Exception as error:
        return [_broken(prop, request, claim_id, error, effort, seed, time.perf_counter() - began)]
    reports = [report(prop, request, claim_id, found, effort, seed, time.perf_counter() - began)]
    if reports[0]["verdict"] == "refuted" and found.correction is not None and prop.relation in ("=", "->", "<=", ">="):
        began, its_id = time.perf_counter(), f"{claim_id}.corrected"
        text = f"{prop.stated[0]} {prop.relation} {found.correction}"
        again = Request(text, _said_of(request.hypotheses, text, prop), "", request.law, request.limit)
        try:
            corrected = again.put()
            spent = time.process_time() - used
            second = both_sides(corrected, its_id, effort, seed, device, jobs, alpha, True, spent)
        except StatementError:
            # a correction in words that the language has not, e.g. piecewise
            return reports
        except Exception as error:
            return [*reports, _broken(corrected, again, its_id, error, effort, seed, time.perf_counter() - began)]
        if prop.limit.variable and second.status == "disproved":
            # the limit in some orders of the positions alone: the evidence has that of each
            reports[0]["correction"] = reports[0]["symbolic"]["exact"] = reports[0]["symbolic"]["derived"] = None
            return reports
        reports.append(report(corrected, again, its_id, second, effort, seed, time.perf_counter() - began))
    return reports


def _said_of(hypotheses: str, text: str, prop: Proposition) -> str:
    """The hypotheses without those on parameters of the print that a correction no longer has."""
    held = set(_NAME.findall(f"{text} {prop.limit.text} {' '.join(prop.law.names())}"))
    gone = set(prop.parameters) - held - prop.known.size_names - {size for size, _ in prop.known.sequences.values()}
    parts = [part.strip() for part, _ in split_top(hypotheses, ",;")]
    return ", ".join(part for part in parts if not gone & set(_NAME.findall(part)))


def both_sides(
    prop: Proposition,
    claim_id: str,
    effort: str,
    seed: int,
    device: str,
    jobs: int,
    alpha: float = STATEMENT_ALPHA,
    second_route: bool = False,
    spent: float = 0.0,
) -> Found:
    """What both sides found, by the kind of statement; undecided where it takes longer than the effort's limit.

    ``spent`` is what the statement has taken of it already, before its correction is judged.
    """
    found = Found()
    try:
        with time_limit(max(SECONDS[effort] - spent, min(SECONDS[effort], LEAST))):
            return _by_kind(prop, claim_id, effort, seed, device, jobs, alpha, second_route, found)
    except TimeLimitError:
        # what was found until then stays in the report, but decides nothing
        found.status, found.simulation = "undecided", "none"
        found.reason = f"stopped after {SECONDS[effort]:g} s of processor time, {found.doing}"
        return found


def _by_kind(
    prop: Proposition,
    claim_id: str,
    effort: str,
    seed: int,
    device: str,
    jobs: int,
    alpha: float,
    second_route: bool,
    found: Found,
) -> Found:
    found.doing = "while looking for a proof and for cases"
    common: dict[str, Any] = {"effort": effort, "seed": seed, "device": device, "threads": jobs}
    if prop.known.families or any(side.has("unknown", "every") for side in (prop.left, prop.right)):
        # they are evaluated at the cases of a claim, which brings its own
        found.status = "undecided"
        found.reason = "families of vectors, unknowns and every(...) are evaluated at given cases, and not yet searched"
        return found
    if not prop.random:
        from proofs_check.statements.without_tokens import found_without_tokens

        return found_without_tokens(prop, effort, seed)
    if prop.limit.of_vectors:
        from proofs_check.statements.sequences import SequenceChecker

        return SequenceChecker(prop, claim_id, alpha=alpha, found=found, **common).run()
    if prop.limit.variable == "d":
        from proofs_check.statements.dimensions import DimensionChecker
        from theorems.statement.deciding.dimensions import moves

        if moves(prop):
            return DimensionChecker(prop, claim_id, alpha=alpha, found=found, **common).run()
    if prop.limit.together or prop.left.has("lim"):
        found.status, found.reason = "undecided", "no rule decides limits of several parameters, or within a side"
        return found
    if prop.limit.variable:
        from proofs_check.statements.growing import LimitChecker

        return LimitChecker(prop, claim_id, alpha=alpha, second_route=second_route, found=found, **common).run()
    if prop.relation in CLAUSES:
        from proofs_check.statements.clause_moments import ClauseChecker

        return ClauseChecker(prop, claim_id, alpha=alpha, found=found, **common).run()
    from proofs_check.statements.moments import Checker

    return Checker(prop, claim_id, alpha=alpha, second_route=second_route, found=found, **common).run()


def report(
    prop: Proposition, request: Request, claim_id: str, found: Found, effort: str, seed: int, seconds: float
) -> Claim:
    """A claim's report from what was found."""
    verdict, reason = found.verdict
    claim = _frame(prop, request, claim_id, effort, seed)
    claim["verdict"], claim["reason"] = verdict, reason
    claim["symbolic"] = {
        "status": found.status,
        "method": found.method,
        "evidence": [*found.evidence, *found.remarks],
        "exact": found.exact,
        "derived": found.derived,
        "trusted": found.trusted,
        "between": [],
        "orders": [],
        "path": found.path,
    }
    claim["simulation"].update(
        {
            "status": found.simulation,
            "samples": found.samples,
            "cases": len(found.cases),
            "detectable": found.detectable,
            "tier": found.tier,
            "power": found.power,
        }
    )
    if verdict == "refuted":
        claim["counterexample"] = found.counterexample
        if found.correction is not None:
            claim["correction"] = {
                "latex": found.correction_latex,
                "sympy": found.correction_sympy,
                "holds": found.holds,
            }
    texts = (found.exact, claim["correction"] and claim["correction"]["sympy"])
    claim["symbols"] = sorted({*claim["symbols"], *(name for text in texts if text for name in _names(text))})
    claim["decoys"] = {"caught": found.caught, "of": found.mutants}
    claim["proof"]["steps"] = found.steps
    claim["cases"] = found.cases
    claim["seconds"] = round(seconds, 3)
    return claim


def _frame(prop: Proposition, request: Request, claim_id: str, effort: str, seed: int) -> Claim:
    names = {name for side in (prop.left, prop.right) for name in side.names()}
    claim: Claim = empty(Claim)
    claim.update(
        {
            "id": claim_id,
            "paper": {"id": claim_id.split(".")[0], "version": ""},
            "where": "as stated",
            "kind": "asymptotic" if prop.limit.variable else "identity" if prop.relation == "=" else "bound",
            "fidelity": "own",
            "statement": statement_latex(prop),
            "reading": in_words(prop),
            "assumptions": list(prop.known.texts),
            "quantity": prop.text if prop.relation in CLAUSES else str(prop.stated[0]),
            "symbols": sorted({alias(name) for name in names} | {"tr1"} if prop.random else names),
            "printed": {"value": f"{prop.relation} {prop.right}" if prop.relation in CLAUSES else str(prop.stated[1])},
            "replay": request.command(effort, seed),
            # both sides are interpreters of the statement itself
            "bound": True,
        }
    )
    return claim


def _names(formula: str) -> set[str]:
    """The names in a formula; none where it is not read as one."""
    try:
        return {one.name for one in parse(formula).free_symbols}
    except ExpressionError:
        return set()


def _broken(
    prop: Proposition, request: Request, claim_id: str, error: Exception, effort: str, seed: int, seconds: float
) -> Claim:
    claim = _frame(prop, request, claim_id, effort, seed)
    claim["reason"] = " ".join(f"{type(error).__name__}: {error}".split())
    claim["traceback"] = "".join(traceback.format_exception(error))
    claim["seconds"] = round(seconds, 3)
    return claim


def run_report(claims: list[Claim], effort: str, seed: int, device: str, seconds: float) -> Report:
    """A whole report, as ``twofold verify`` writes it, of the claims of one check."""
    from proofs_check.report.outputs import whole

    ledger: list[Spent] = [{"id": one["id"], "alpha": STATEMENT_ALPHA, "spent": STATEMENT_ALPHA} for one in claims]
    return whole(claims, ledger, effort=effort, seed=seed, device=device, seconds=seconds)
