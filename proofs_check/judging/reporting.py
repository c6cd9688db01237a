"""A claim's report before anything was found, where something broke, and the command that repeats a judgement."""

from __future__ import annotations

import json
import shlex
import traceback
from collections.abc import Mapping
from typing import Any, cast

from proofs_check.claims.findings import saying
from proofs_check.claims.report import Claim, Counterexample
from proofs_check.claims.schema import empty
from proofs_check.judging.options import Options
from theorems.claims.catalogue import Statement


def frame(claim: Statement, options: Options) -> Claim:
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
            "replay": replay(claim, options, None),
        }
    )
    return found


def broken(claim: Statement, options: Options, error: BaseException, seconds: float) -> Claim:
    """The report of a claim that something broke for: its reason in a line, the traceback kept."""
    report = frame(claim, options)
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    if claim.plugin and (claim.corrects or claim.id) not in reason:
        reason = f"{claim.id}: {reason}"
    report["reason"] = reason
    report["traceback"] = "".join(traceback.format_exception(error))
    report["seconds"] = round(seconds, 3)
    return report


def command(name: str, effort: str, seed: int, case: Mapping[str, Any] | None) -> str:
    """The command that judges a claim, at a case if there is one."""
    words = ["twofold", "verify", name, "--seed", str(seed), *(["--effort", effort] if effort != "standard" else [])]
    words += ["--case", json.dumps(case, separators=(",", ":"))] if case else []
    return shlex.join(words)


def replay(claim: Statement, options: Options, counterexample: Counterexample | None) -> str:
    """The command that repeats the judgement, at the case that was given, or at the counterexample if there is one."""
    found = counterexample and counterexample["params"]
    return command(claim.id, options.effort, options.seed, options.case or found)
