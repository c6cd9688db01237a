"""``twofold check``: one statement, judged as it stands."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from proofs_check.commands.checks import DEVICES, EFFORTS, MAX_JOBS, MAX_SEED, choice, here, integer, usable_device
from proofs_check.inputs.errors import UsageError, shortened

if TYPE_CHECKING:
    from proofs_check.statements.request import Request
    from theorems.statement import StatementError
    from theorems.statement.proposition import Proposition


def fill_check(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold check``."""
    parser.add_argument("statement", metavar="STATEMENT", help='e.g. "E[x[i].T*W*x[j]] = i*tr(W*Sigma)"')
    parser.add_argument("--for", dest="hypotheses", default="", metavar="HYPOTHESES", help='e.g. "W symmetric, i <= j"')
    parser.add_argument("--where", default="", metavar="DEFINITIONS", help='e.g. "s[i] = x[i].T*W*x[T]/T"')
    parser.add_argument(
        "--law", default="walk", metavar="LAW", help="walk (default), walk(start=0), iid(signs), ar1(a), ..."
    )
    parser.add_argument("--as", dest="limit", default="", metavar="LIMIT", help='e.g. "T -> oo, i/T -> theta"')
    parser.add_argument(
        "--effort", default="standard", metavar="|".join(EFFORTS), help="how small an error is looked for"
    )
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the simulation (0 unless given)")
    parser.add_argument("--device", default="auto", metavar="|".join(DEVICES), help="where the model is sampled")
    parser.add_argument("--jobs", metavar="N", help="threads; all cores unless given")
    parser.add_argument("--json", metavar="FILE", help="write the report as data")
    parser.add_argument("--save", metavar="ID", help="keep it as a lemma in this folder, e.g. mypaper.sec2.thing")


def run_check(args: argparse.Namespace) -> int:
    """Judge a statement and print what was found; returns the exit status."""
    from proofs_check.statements.request import Request
    from theorems.statement import StatementError

    effort = choice("--effort", args.effort, EFFORTS)
    seed = integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    jobs = None
    if args.jobs is not None:
        jobs = integer("--jobs", args.jobs, 1, MAX_JOBS, f"an integer from 1 to {MAX_JOBS}")
    target = _target(args.json) if args.json is not None else None
    request = Request(args.statement, args.hypotheses, args.where, args.law, args.limit)
    if args.save is not None:
        _can_be_saved(args.save, request, args.json)
    try:
        prop = request.read()
    except StatementError as error:
        raise _usage_error(error, request) from None
    from theorems.statement.prose import in_words
    from theorems.statement.typeset import typeset

    device = usable_device(args.device)
    # the first sign of life: nothing heavy is imported before it
    with suppress(UnicodeEncodeError):
        # a terminal without Unicode shows the words alone
        typeset(prop).encode(getattr(sys.stdout, "encoding", None) or "utf-8")
        print(typeset(prop))
    print(in_words(prop), flush=True)
    from proofs_check.judging.process import cores, prepare

    prepare()
    # nothing that is imported is garbage
    gc.disable()
    from proofs_check.statements.judging import check_statement, run_report
    from proofs_check.statements.showing import lines

    gc.enable()
    began = time.perf_counter()
    sampled_on = "cpu" if device == "auto" else device
    try:
        reports = check_statement(request, effort, seed, sampled_on, jobs or cores())
    except StatementError as error:
        raise _usage_error(error, request, prop) from None
    for line in lines(reports):
        print(line)
    if args.save is not None and reports[0]["verdict"] not in ("conflict", "error"):
        _save(args.save, request, reports[0]["verdict"])
    if target is not None:
        from proofs_check.report.outputs import unwritten, write_json

        whole = run_report(reports, effort, seed, sampled_on, time.perf_counter() - began)
        whole["run"]["command"] = args.command_line
        try:
            write_json(whole, target)
        except OSError as error:
            print(unwritten("--json", target, error), file=sys.stderr)
            return 1
    return int(any(report["verdict"] in ("conflict", "error") for report in reports))


def _target(given: str) -> Path:
    from proofs_check.report.outputs import check_target

    return check_target("--json", given)


def _can_be_saved(claim_id: str, request: Request, report: str | None) -> None:
    """Raise UsageError, before anything is judged, for a lemma that could not be written, or not beside the report."""
    from proofs_check.commands.new_lemma import check_free, saved_files
    from proofs_check.report.outputs import check_apart
    from theorems.claims.catalogue import PAPERS

    try:
        files = saved_files(claim_id, request, "undecided", PAPERS)
        check_free(claim_id, files, here())
    except UsageError as error:
        raise error.of("--save") from None
    for name in files:
        check_apart({"--save": name, "--json": report})


def _save(claim_id: str, request: Request, verdict: str) -> None:
    from proofs_check.commands.new_lemma import saved_files, write
    from theorems.claims.catalogue import PAPERS

    for path in write(claim_id, saved_files(claim_id, request, verdict, PAPERS), here()):
        print(f"wrote {path.relative_to(here())}")


def _usage_error(error: StatementError, request: Request, prop: Proposition | None = None) -> UsageError:
    """What is wrong with a statement: the argument that it stands in, the mend, and a caret under the place.

    An error met while it was judged, as ``prop``, points at the part of a side that it names.
    """
    from theorems.statement.proposition import located
    from theorems.statement.reading.notation import plain

    nodes = (node for side in (prop.stated if prop is not None else ()) for node in side.walk())
    if not error.text and any(node.at == error.at >= 0 and str(node) in str(error) for node in nodes):
        error = located(error, plain(request.text).replace("\n", " "), request.where)
    places = (
        ("--for", request.hypotheses),
        ("--where", request.where),
        ("--law", request.law),
        ("--as", request.limit),
    )
    argument = next((name for name, text in places if text and _same(error.text, text)), "STATEMENT")
    caret = f"\n{error.caret}" if error.caret else ""
    return UsageError.told(argument, f": {shortened(' '.join(str(error).split()))}{caret}")


def _same(told: str, given: str) -> bool:
    """Whether an error is about a text as it was given: lines may be broken, and symbols stand for names."""
    from theorems.statement import StatementError
    from theorems.statement.reading.notation import plain

    with suppress(StatementError):
        return told.split() in (given.split(), plain(given).split())
    return told == given
