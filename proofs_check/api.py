"""Judging from a script or a notebook: ``check("E[...] = ...")`` and ``judge(claim(...))`` return the verdict."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from proofs_check.cases.given import parse_case
from proofs_check.claims.report import Claim
from proofs_check.inputs.errors import UsageError, shown
from theorems.claims.catalogue import Statement


@dataclass(frozen=True)
class Verdict:
    """A claim's verdict: the report of the claim, and of its correction where it is refuted."""

    report: Mapping[str, Any]
    corrected: Mapping[str, Any] | None = None

    @property
    def verdict(self) -> str:
        """verified, refuted, undecided, conflict or error."""
        return str(self.report["verdict"])

    @property
    def reason(self) -> str:
        """Why it is no plain verified or refuted ("" otherwise)."""
        return str(self.report["reason"])

    @property
    def exact(self) -> str | None:
        """The derived quantity, as an expression in the statement's symbols."""
        found = self.report["symbolic"]["exact"]
        return None if found is None else str(found)

    @property
    def correction(self) -> str | None:
        """What is true instead of the print, where it is refuted."""
        found = self.report["correction"]
        return None if found is None else str(found["sympy"])

    @property
    def counterexample(self) -> Mapping[str, Any] | None:
        """The smallest case found where the print fails."""
        found = self.report["counterexample"]
        return None if found is None else dict(found)

    @property
    def power(self) -> str:
        """The error that the simulation would have caught, and with what probability."""
        return str(self.report["simulation"]["power"])

    def rows(self) -> list[tuple[str, str]]:
        """What a reader wants first, label by label."""
        printed = "; ".join(f"{name} = {text}" for name, text in self.report["printed"].items())
        rows = [("verdict", self.verdict), ("claim", str(self.report["id"])), ("print", printed)]
        if self.exact is not None:
            rows.append(("derived", self.report["symbolic"].get("derived") or self.exact))
        if self.correction is not None:
            rows.append(("correction", self.correction))
        if self.counterexample is not None:
            point = self.counterexample
            told = f"print {point['printed']}, truth {point['true']}"
            if "limit" in point:
                told = f"{point['limit']}: {told}; exactly {point['finite']} before the limit"
            rows.append(("counterexample", f"{point['params']}: {told}"))
        if self.power:
            rows.append(("power", self.power))
        if self.reason:
            rows.append(("reason", self.reason))
        return rows

    def __str__(self) -> str:
        return "\n".join(f"{label:<15} {text}" for label, text in self.rows())

    __repr__ = __str__

    def _repr_latex_(self) -> str | None:
        statement = str(self.report["statement"])
        return f"$\\displaystyle {statement}$" if statement else None

    def _repr_html_(self) -> str:
        from proofs_check.report.site import mathml

        typeset = {"derived", "correction"}
        cells = "".join(
            f"<tr><th>{html.escape(a)}</th><td>{mathml.expression(b) if a in typeset else html.escape(b)}</td></tr>"
            for a, b in self.rows()
        )
        if self.report["statement"]:
            cells = f"<tr><th>statement</th><td>{mathml.statement(str(self.report['statement']))}</td></tr>" + cells
        return f"<table>{cells}</table>"


def _not_shipped(report: Claim) -> Claim:
    """A report of a shipped claim with another side or another print: it is nobody's claim, and decides nothing."""
    if report["verdict"] not in ("verified", "refuted"):
        return report
    reason = (
        f"informal: {report['id']} is judged with another side or print than it ships with; state a claim of your own, "
        'claim(id, "E[...] = ...", hypotheses="...")'
    )
    return {**report, "verdict": "undecided", "reason": reason, "counterexample": None, "correction": None}


def check(
    text: str,
    hypotheses: str = "",
    where: str = "",
    law: str = "walk",
    limit: str = "",
    effort: str = "standard",
    seed: int = 0,
) -> Verdict:
    """Judge a statement as it stands, as ``twofold check`` does.

    check("E[(x[i].T*W*x[j])**2] = i**2*tr(W*Sigma)**2 + i*(i + j)*tr((W*Sigma)**2)", "W symmetric, i <= j")

    Raises StatementError, a ValueError, that says what cannot be read and how to mend it, and ValueError for an effort
    or a seed that cannot be used.
    """
    from proofs_check.judging.process import cores
    from proofs_check.statements.judging import check_statement
    from proofs_check.statements.request import Request

    _usable(effort, seed)
    request = Request(text, hypotheses, where, law, limit)
    reports = check_statement(request, effort, seed, "cpu", cores())
    return Verdict(reports[0], reports[1] if len(reports) > 1 else None)


def _usable(effort: str, seed: int) -> None:
    from proofs_check.checks.evidence import EFFORTS

    if effort not in EFFORTS:
        raise ValueError(f"effort = {effort!r}; expected one of {', '.join(EFFORTS)}")
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ValueError(f"seed = {seed!r}; expected an integer from 0 to 2**63 - 1")


def judge(
    statement: Statement,
    derivation: Callable[..., Any] | None = None,
    simulation: Callable[..., Any] | None = None,
    *,
    degree: int | Mapping[str, int] | None = None,
    effort: str = "standard",
    seed: int = 0,
    device: str = "auto",
    jobs: int | None = None,
    case: Mapping[str, Any] | None = None,
) -> Verdict:
    """Judge one claim.

    A claim that says what it says as data (``claim(id, "E[...] = ...")``) needs no sides: a ``derivation`` and a
    ``simulation``, plain functions that the decorators would register, are held against the statement, and lower the
    verdict where they are of another quantity. A claim in words is judged by both sides, and is at best undecided. What
    is left out is taken from the registered ones. A plain simulation of Gaussian tokens needs its polynomial
    ``degree``. Raises ValueError naming the argument for one that cannot be used.
    """
    from montecarlo import registry
    from montecarlo.empirical_checks import Simulation
    from proofs_check.judging import runner
    from proofs_check.judging.options import Options, Silent, resolve
    from theorems.claims import catalogue
    from theorems.kernel import deriving

    _usable(effort, seed)
    if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
        raise ValueError(f"jobs = {jobs!r}; expected an integer >= 1, or None for all there are")
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device = {device!r}; expected auto, cpu or cuda")
    if case is not None:
        try:
            if not isinstance(case, Mapping):
                raise TypeError("expected a mapping of names to values")
            case = parse_case(json.dumps(dict(case)), statement)
        except (UsageError, TypeError, ValueError, OverflowError, RecursionError) as error:
            why = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"case = {shown(case)} cannot be used: {why}") from None
    with ExitStack() as stack:
        if statement.plugin:
            catalogue.add(statement)
        if derivation is not None:
            stack.enter_context(deriving.registered(statement.id, derivation))
        if simulation is not None:
            if degree is None:
                name = getattr(simulation, "__name__", "the simulation")
                raise ValueError(f"simulation = {name} comes without its degree in the tokens; add e.g. degree=2")
            stack.enter_context(registry.registered(Simulation(statement.id, simulation, degree)))
        options = Options(effort=effort, seed=seed, device=device, jobs=jobs, case=case)
        found = runner.judge(statement, options, resolve(options), Silent())
    reports = [report for report, _ in found]
    if not statement.plugin and (
        derivation is not None or simulation is not None or statement not in catalogue.shipped()
    ):
        reports = [_not_shipped(reports[0])]
    return Verdict(reports[0], reports[1] if len(reports) > 1 else None)
