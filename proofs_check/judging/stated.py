"""A claim that is data: judged as ``twofold check`` judges it, its derivation and simulation held to it.

Neither side has to be written. One that is written is compared with the statement; it can lower the verdict, not raise
it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import sympy as sp

from montecarlo import registry
from montecarlo.empirical_checks import Simulation
from proofs_check.binding.hold import capped, derivation_bound, informal, rules_of_its_own, simulation_bound
from proofs_check.binding.tied import Binding
from proofs_check.cases.of_statements import exact_case, readable_case
from proofs_check.checks.agreeing import PART
from proofs_check.claims.findings import saying
from proofs_check.claims.report import Case, Claim
from proofs_check.inputs.plugins import load_simulations
from proofs_check.judging.following import follows_where
from proofs_check.judging.lines import beyond, holds, stated_lines
from proofs_check.judging.options import Options, threads
from proofs_check.judging.reporting import command
from proofs_check.statements.agreeing import widely
from proofs_check.statements.attaining import where_attained
from proofs_check.statements.found import Found
from proofs_check.statements.judging import judged, report
from proofs_check.statements.moments import Checker
from proofs_check.statements.request import Request
from proofs_check.statements.without_tokens import found_at
from theorems.claims.catalogue import CORRECTED, Statement
from theorems.kernel.catalogued import left_side, narrowed_texts, said, said_texts
from theorems.kernel.derivation import Derived
from theorems.kernel.deriving import derive
from theorems.kernel.deriving import find as find_derivation
from theorems.kernel.settle import unlicensed, unsupported
from theorems.rules import licensed
from theorems.statement.deciding.decide import decide, derivation_of
from theorems.statement.deciding.derived import kernel_of
from theorems.statement.expression import Expr, number
from theorems.statement.latex import statement_latex
from theorems.statement.moments.forms import NotPolynomialError
from theorems.statement.proposition import Proposition
from theorems.statement.reading.hypotheses import words_of
from theorems.statement.reading.language import parsed
from theorems.statement.reading.tending import Limit
from theorems.statement.sympy_text import alias
from theorems.statement.values.certify import shown

_NAME = re.compile(r"[A-Za-z_]\w*")
#: Of several quantities the verdict that comes first here is the claim's.
WORST = ("error", "conflict", "refuted", "undecided", "verified")


def judged_claim(claim: Statement, options: Options, device: str) -> list[tuple[Claim, float]]:
    """The reports of a claim, and of its correction where it is refuted, each with the part of the budget it spent."""
    began = time.perf_counter()
    sets = []
    for name in claim.printed:
        request = Request(*said_texts(claim, name))
        key = claim.id if len(claim.printed) == 1 else f"{claim.id}:{name}"
        # a thousandth is left for the cases at which both sides are asked beside those
        alpha = (1 - PART) * claim.alpha / len(claim.printed)
        sets.append((name, _judged(said(claim, name), request, key, options, device, alpha)))
    place = min(range(len(sets)), key=lambda k: WORST.index(sets[k][1][0]["verdict"]))
    name, reports = sets[place]
    first = _joined(claim, name, [found[0] for _, found in sets], place)
    if not claim.plugin:
        first["symbolic"]["evidence"].insert(0, f"as it is judged: {first['reading']}")
        first.update(
            {
                "statement": claim.statement,
                "reading": claim.reading,
                "quantity": claim.quantity,
                "symbols": list(claim.symbols),
                "printed": dict(claim.printed),
                "said": saying(claim),
            }
        )
    first["proof"]["lines"] = stated_lines(claim, options.seed, every=True)
    if claim.beyond:
        first["beyond"] = beyond(claim, options.seed)
    if claim.attained:
        hold_attained(first, said(claim, name), options.seed)
    binding = bound(claim, first["cases"], options.seed)
    if options.case is None:
        first["agreement"], differ = widely(claim, claim.alpha, options.seed, options.effort)
        if differ and first["verdict"] != "error":
            first.update({"verdict": "conflict", "reason": differ})
    ruling, reason = capped(claim, binding, first["verdict"], first["reason"])
    first.update({"verdict": ruling, "reason": reason, "bound": binding.bound})
    if binding.derived:
        first["symbolic"].update({"status": "undecided", "method": binding.derived[0]})
    first["symbolic"]["evidence"] += [*binding.evidence, *binding.faults]
    if ruling != "refuted":
        first.update({"counterexample": None, "correction": None})
    first["replay"] = _replay(claim, options)
    first["seconds"] = round(time.perf_counter() - began, 3)
    found = [(first, claim.alpha)]
    narrower = ruling == "refuted" and bool(claim.narrower) and options.case is None
    narrowed, where = narrower and len(reports) == 1, " and ".join(claim.narrower.values())
    if narrowed:
        reports.append(_narrowed(claim, name, CORRECTED, options, device))
        first["correction"] = {
            "latex": claim.statement or statement_latex(said(claim, name)),
            "sympy": None,
            "holds": f"the print, where {where}",
            "where": where,
            "narrowed": True,
        }
    elif narrower:
        # beside a formula that corrects the print it is no correction, and judged like one
        found = [(first, 2 * claim.alpha)]
        beside = _narrowed(claim, name, ".narrower", options, device)
        told = (f"the print, where {where}", beside["verdict"], beside["reason"])
        first["symbolic"]["evidence"].append(": ".join(filter(None, told)))
    if ruling == "refuted" and len(reports) > 1:
        second = reports[1]
        formula = "" if narrowed or first["correction"] is None else second["printed"]["value"]
        if formula and first["correction"] is not None and first["correction"]["sympy"] is None:
            first["correction"]["sympy"] = in_symbols(claim, name, formula)
        _of(claim, second)
        if formula and not claim.plugin and first["correction"] is not None:
            # as its claim is printed, in the names that it declares; a series stays one
            tree = parsed(formula, words_of(said(claim, name).known))
            series = tree.has("series") and tree.names() <= {*claim.symbols}
            second["printed"] = {name: formula if series else first["correction"]["sympy"] or formula}
            if first["correction"]["sympy"] and second["verdict"] == "verified":
                first["correction"]["gives"], rests = follows_where(claim, name, first["correction"]["sympy"])
                first["symbolic"]["evidence"] += [rests] if rests else []
            second.update({"symbols": list(claim.symbols), "quantity": claim.quantity, "said": saying(claim)})
        second.update({"id": claim.id + CORRECTED, "fidelity": "own", "judged": "", "depends_on": []})
        second["bound"] = True
        if not claim.plugin:
            second["reading"] = f"The correction of {claim.id}: {second['reading']}"
        found.append((second, claim.alpha))
    return found


def _narrowed(claim: Statement, name: str, part: str, options: Options, device: str) -> Claim:
    """The report of the print under the further hypotheses, or along the other limit, under which it is to hold."""
    request = Request(*narrowed_texts(claim, name))
    return _judged(request.put(), request, claim.id + part, options, device, claim.alpha)[0]


def hold_attained(report: Claim, prop: Proposition, seed: int) -> None:
    """Ask of a verified bound that is said to be attained for a case of equality; without one it is undecided."""
    if report["verdict"] != "verified":
        return
    case = where_attained(prop, seed)
    if case is None:
        report.update({"verdict": "undecided", "reason": "proved as a bound; no case of equality was found"})
    else:
        report["symbolic"]["evidence"].append(f"attained at {case}: both sides are {shown(prop.right, case)}")


def bound(claim: Statement, cases: list[Case], seed: int) -> Binding:
    """How a claim's own derivation and simulation, where it has them, are held against what it says."""
    assert claim.says is not None
    found = Binding()
    props = [said(claim, name) for name in claim.printed]
    try:
        find_derivation(claim.id)
    except LookupError:
        pass
    else:
        memo: dict[Any, Any] = {}
        parameters = tuple({name for prop in props for name in (*prop.parameters, *prop.positions, "d")})

        def derived(kernel: Any, chain: tuple[str, ...], symmetric: bool) -> Any:
            key = (str(kernel), chain, symmetric)
            if key not in memo:
                memo[key] = derive(claim.id, chain, kernel, parameters=parameters, symmetric=symmetric)
            return memo[key]

        found = found.joined(derivation_bound(claim, [claim.says.law], derived))
        if found.bound:
            own = derived(kernel_of(props[0].law), claim.positions, _symmetric(props))
            found = found.joined(_supported(claim, own))
            found.missing += rules_of_its_own(own.steps)
    load_simulations(claim)
    try:
        simulation = registry.find(claim.id)
    except LookupError:
        simulation = None
    found.missing += informal(claim, simulation)
    if isinstance(simulation, Simulation) and simulation.model != "free":
        rows = [row["params"] for row in cases]
        found = found.joined(simulation_bound(claim, simulation, rows, seed, tuple(claim.printed)))
    elif simulation is not None and not found.missing:
        found.missing.append("the empirical check is no simulation of tokens, so it is held to nothing; leave it out")
    return found


def _symmetric(props: Sequence[Proposition]) -> bool:
    return all(prop.known.symmetric("W") for prop in props)


def _supported(claim: Statement, derived: Derived) -> Binding:
    """Whether the kernel licenses the steps of a claim's own derivation, and its values follow from them."""
    unread = replace(claim, printed=dict.fromkeys(claim.printed, "0"))
    if set(derived.quantities) == {""}:
        derived = replace(derived, quantities=dict.fromkeys(claim.printed, derived.quantities[""]))
    why = [unlicensed(step) for step in derived.steps if not licensed(step)] or unsupported(unread, derived)
    return Binding(derived=[f"the derivation's steps do not license its value: {one}" for one in why[:1]])


def standing(claim: Statement) -> bool | None:
    """Whether a claim that did not run holds, as others rest on it; None where it is neither proved nor refuted."""
    found = [holds(said(claim, name), claim.id, 0) for name in claim.printed]
    return False if False in found else True if all(found) else None


def _judged(prop: Proposition, request: Request, key: str, options: Options, device: str, alpha: float) -> list[Claim]:
    if options.case is None:
        jobs = threads(options)
        common: dict[str, Any] = {"effort": options.effort, "seed": options.seed, "device": device, "jobs": jobs}
        return judged(prop, request, key, alpha=alpha, **common)
    began = time.perf_counter()
    found = at_case(prop, key, options.case, options, device)
    made = report(prop, request, key, found, options.effort, options.seed, time.perf_counter() - began)
    return [made]


def at_case(prop: Proposition, key: str, given: Mapping[str, Any], options: Options, device: str) -> Found:
    """What both sides find at one case alone: it can refute the statement, and verifies nothing."""
    case = dict(given)
    how: dict[str, Any] = {"threads": threads(options), "device": device}
    if not prop.random:
        return found_at(prop, exact_case(prop, case))
    if prop.limit.variable:
        # no case decides a limit, but both sides have a value there
        prop = replace(prop, relation="=", right=number(0), error=None, limit=Limit())
        quantity = _AtCase(prop, key, options.effort, options.seed, **how)
        quantity._sample([case])
        if quantity.measured:
            quantity.found.simulation, quantity.found.reason = "none", "a case decides no limit; both sides agree there"
        return quantity.found
    checker = _AtCase(prop, key, options.effort, options.seed, **how)
    decision = decide(prop, checker.derivation)
    checker.found.method = decision.method
    checker._record(decision)
    if decision.status == "open":
        checker._refute(decision, [case])
        if checker.found.status == "disproved":
            return checker.found
        checker.found.reason = "it holds at this case; others are not looked at"
    checker.found.status = "proved" if decision.status == "proved" else "undecided"
    checker._sample([case])
    return checker.found


class _AtCase(Checker):
    """A checker that looks for violations among the cases that it is handed, and at no others."""

    def _candidates(self, pool: list[dict[str, Any]], dear: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [] if dear else pool


def _of(claim: Statement, report: Claim) -> None:
    """Write into a report what is the claim's and not the proposition's, in the names that the claim declares."""
    report.update(
        {
            "paper": {"id": claim.paper.id, "version": claim.paper.version},
            "where": claim.where,
            "fidelity": cast(Any, claim.fidelity),
            "judged": claim.judged,
        }
    )
    names = declared(claim)
    report["symbolic"]["exact"] = renamed(report["symbolic"]["exact"], names)
    if (correction := report["correction"]) is not None:
        correction["sympy"] = renamed(correction["sympy"], names)


def declared(claim: Statement) -> dict[str, str]:
    """The names that a claim declares, by those of the words that they stand for: xx for u_T_u, of xx = norm(u)**2.

    Of a multiple of one word, ww = d*radial_2, it is (ww/(d)) for radial_2.
    """
    assert claim.says is not None
    found = {}
    for name in claim.symbols:
        if name in claim.says.quantities:
            prop = left_side(claim.says, name)
            derivation = derivation_of(prop)
            try:
                value = derivation.value(derivation.orders[0], prop.left)
            except NotPolynomialError:
                # a moment without a closed form stands in no formula
                continue
            words = [one for one in value.free_symbols if one.name not in claim.symbols]
            if len(words) == 1 and not (scale := sp.cancel(value / words[0])).has(words[0]):
                found[alias(words[0].name)] = name if scale == 1 else f"({name}/({scale}))"
    return found


def in_symbols(claim: Statement, name: str, text: str) -> str | None:
    """A right side of the language in the names that the claim declares; None where other things are left in it."""
    assert claim.says is not None
    words = words_of(said(claim, name).known)
    table = {left_side(claim.says, one).left: one for one in claim.symbols if one in claim.says.quantities}
    kept = {*claim.symbols}

    def put(node: Expr) -> Expr:
        return Expr("name", (table[node],)) if node in table else node.mapped(put)

    found = put(parsed(text, words))
    left = any(node.op not in ("name", "number", "+", "*", "/", "**", "exp") for node in found.walk())
    return None if left or not found.names() <= kept else str(found)


def renamed(text: str | None, names: Mapping[str, str]) -> str | None:
    """An expression with its names replaced, all at once."""
    return None if text is None else _NAME.sub(lambda match: names.get(match[0], match[0]), text)


def _joined(claim: Statement, name: str, reports: list[Claim], place: int) -> Claim:
    """One report of a claim with one or several quantities: that of the worst, with what was seen of the others."""
    first = reports[place]
    _of(claim, first)
    first.update({"id": claim.id, "kind": cast(Any, claim.kind), "depends_on": list(claim.depends_on)})
    if len(reports) == 1:
        return first
    first["reading"] = " ".join(found["reading"] for found in reports)
    first["statement"] = r" \qquad ".join(found["statement"] for found in reports)
    first["quantity"] = ", ".join(found["quantity"] for found in reports)
    first["printed"] = {key: found["printed"]["value"] for key, found in zip(claim.printed, reports, strict=True)}
    first["cases"] = [row for found in reports for row in found["cases"]]
    first["reason"] = f"{name}: {first['reason']}" if first["reason"] else ""
    first["decoys"] = {
        "caught": sum(found["decoys"]["caught"] for found in reports),
        "of": sum(found["decoys"]["of"] for found in reports),
    }
    every = [one for found in reports for one in found["symbolic"]["trusted"]]
    first["symbolic"]["trusted"] = [one for k, one in enumerate(every) if one not in every[:k]]
    first["simulation"]["samples"] = sum(found["simulation"]["samples"] for found in reports)
    return first


def _replay(claim: Statement, options: Options) -> str:
    """The command that repeats the judgement: of a package by its id, of a notebook's lemma by what it says."""
    if claim.plugin != "__main__":
        return command(claim.id, options.effort, options.seed, options.case and readable_case(options.case))
    return Request(*said_texts(claim, next(iter(claim.printed)))).command(options.effort, options.seed)
