"""``twofold verify``: judge claims and report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs_check.claims.report import Report
from proofs_check.commands import checks
from proofs_check.commands.checks import (
    DEVICES,
    EFFORTS,
    MAX_JOBS,
    MAX_SEED,
    check_conditions,
    choice,
    integer,
    needed,
    selected,
    usable_device,
)
from proofs_check.inputs.errors import UsageError
from proofs_check.judging.process import cores

if TYPE_CHECKING:
    from proofs_check.inputs.expect import Expected
    from proofs_check.judging.cache import VerdictCache
    from theorems.claims.catalogue import Statement

TIERS = ("auto", "literal", "fused", "joint")
MAX_WALKS = 10**15


def fill_verify(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold verify``."""
    parser.add_argument(
        "ids", nargs="*", metavar="ID|GLOB", help="claims by id, glob (* crosses dots) or prefix; all if none"
    )
    parser.add_argument(
        "--effort", default="standard", metavar="|".join(EFFORTS), help="how small an error is looked for"
    )
    parser.add_argument("--seed", default="0", metavar="N", help="seed of the whole run (0 unless given)")
    parser.add_argument("--device", default="auto", metavar="|".join(DEVICES), help="where the model is sampled")
    parser.add_argument(
        "--jobs",
        metavar="N",
        help="claims judged at once, or threads for a single one (as many as cores unless given); verdicts do not "
        "depend on it",
    )
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON")
    parser.add_argument("--junit", metavar="FILE", help="write the verdicts as JUnit XML")
    parser.add_argument("--html", metavar="DIR|FILE.html", help="write the report as pages, or as one file to mail")
    parser.add_argument(
        "--expect", metavar="FILE", help="[verdicts] in TOML, or an earlier JSON report, to compare with"
    )
    parser.add_argument("--walks", metavar="N", help="draw so many walks at least in every case")
    parser.add_argument(
        "--tier",
        default="auto",
        metavar="|".join(TIERS),
        help="how walks are sampled; auto takes the fastest direct way",
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="judge on a Dask cluster: tcp://host:port, or a file")
    parser.add_argument("--quiet", action="store_true", help="print the closing sentence and what differs only")
    parser.add_argument("--fresh", action="store_true", help="judge again what is kept from earlier runs too")
    parser.add_argument("--why", action="store_true", help="say of each claim why it was judged, or taken as kept")
    parser.add_argument(
        "--dry-run", action="store_true", help="print cases, samples and predicted seconds; judge nothing"
    )
    parser.add_argument(
        "--case", metavar="JSON", help='judge one claim at one case, {"i": 1, "d": 1, "W": [["1"]], ...}'
    )


def _targets(args: argparse.Namespace) -> dict[str, Path]:
    from proofs_check.report.outputs import check_apart, check_target
    from proofs_check.report.publishing import check_pages

    given = {"--json": args.json, "--junit": args.junit}
    targets = {name: check_target(name, value) for name, value in given.items() if value is not None}
    check_apart({**given, "--html": args.html}, {"--expect": args.expect, "--cluster": args.cluster})
    if args.html is not None:
        targets["--html"] = check_pages("--html", args.html, given)
        needed("jinja2", "markupsafe", "math_core")
    return targets


def run_verify(args: argparse.Namespace) -> int:
    """Judge claims and report; returns the exit status."""
    from proofs_check.judging.process import prepare

    prepare("numpy", "scipy")
    claims = selected(args.ids)
    effort = choice("--effort", args.effort, EFFORTS)
    seed = integer("--seed", args.seed, 0, MAX_SEED, "an integer from 0 to 2**63 - 1")
    jobs = None
    if args.jobs is not None:
        jobs = integer("--jobs", args.jobs, 1, MAX_JOBS, f"an integer from 1 to {MAX_JOBS}")
    tier = choice("--tier", args.tier, TIERS)
    if tier in ("fused", "joint") and find_spec("numba") is None:
        raise UsageError("--tier", tier, "numba to be installed", "pip install numba, or use --tier auto")
    walks = 0
    if args.walks is not None:
        walks = integer("--walks", args.walks, 1, MAX_WALKS, f"an integer from 1 to {MAX_WALKS}")
    case = None
    if args.case is not None:
        from proofs_check.cases.given import parse_case

        if len(claims) != 1:
            raise UsageError("--case", args.case, f"one selected claim; {len(claims)} are", "give one id")
        case = parse_case(args.case, claims[0])
        check_conditions("--case", args.case, claims[0], case)
    targets = _targets(args)
    expected = None
    if args.expect is not None:
        from proofs_check.inputs import expect

        expected = expect.read(args.expect, checks.catalogue(()), {claim.id for claim in claims})
    # with a cluster the devices are the workers'
    device = choice("--device", args.device, DEVICES) if args.cluster is not None else usable_device(args.device)

    from proofs_check.judging import cache as kept
    from proofs_check.judging import runner
    from proofs_check.judging.options import Options

    options = Options(
        effort=effort,
        seed=seed,
        device=device,
        jobs=jobs,
        case=case,
        walks=walks,
        tier=tier,
        processes=jobs or cores(),
    )
    with ExitStack() as stack:
        if args.cluster is not None:
            from proofs_check.judging import cluster

            there = stack.enter_context(cluster.connected(cluster.check_address(args.cluster)))
            options = replace(options, elsewhere=there)
        if args.dry_run:
            from proofs_check.judging import dry_run
            from proofs_check.report.terminal import show_plan

            show_plan(dry_run.plan(claims, options))
            return 0
        return _judge(runner.run, claims, options, args, targets, expected, kept.opened(args.fresh))


def _judge(
    run: Callable[..., Report],
    claims: Sequence[Statement],
    options: Any,
    args: argparse.Namespace,
    targets: dict[str, Path],
    expected: Expected | None,
    kept: VerdictCache,
) -> int:
    from proofs_check.inputs.expect import differences
    from proofs_check.report import outputs, terminal

    with terminal.watching([claim.id for claim in claims], args.quiet) as progress:
        report = run(claims, options, progress, kept)
    report["run"]["command"] = args.command_line
    partial = report["run"]["partial"]
    differs = differences(expected, report["claims"], partial, report["run"]["effort"]) if expected is not None else []

    unwritten = [f"twofold: error: stdout: could not be written ({progress.failed})"] if progress.failed else []
    for name, path in targets.items():
        try:
            if name == "--json":
                outputs.write_json(report, path)
            elif name == "--html":
                _write_site(report, path)
            else:
                outputs.write_junit(report, path, differs)
        except OSError as error:
            unwritten.append(outputs.unwritten(name, path, error))
    terminal.show_report(report, differs, None if expected is None else len(expected), kept.hits, args.quiet)
    for line in _told_of(kept, args.why) + unwritten:
        print(line, file=sys.stderr)
    if report["run"].get("stopped"):
        print(f"twofold: error: {report['run']['stopped']}; run it again, what was judged is kept", file=sys.stderr)
        return 1
    if partial:
        return 130
    broken = any(claim["verdict"] in ("conflict", "error") for claim in report["claims"])
    return 1 if broken or differs or unwritten else 0


def _write_site(report: Mapping[str, Any], folder: Path) -> None:
    """The report as pages; an earlier report in the folder is what it is compared with."""
    from proofs_check.claims.schema import complete
    from proofs_check.report import outputs, site
    from proofs_check.report.reading import read_report

    before = None
    if (folder / "report.json").is_file():
        # what cannot be read is no reason to keep back what was found
        with suppress(UsageError):
            before = read_report("--html", str(folder / "report.json"))
    site.write(complete(outputs.plain(report)), folder, before=before)


def _told_of(kept: VerdictCache, why: bool) -> list[str]:
    """Why each claim was judged or taken as kept, where that is asked for, and what could not be kept."""
    lines = [f"{name}: {reason}" for name, reason in kept.reasons.items()] if why else []
    return lines + ([f"twofold: {kept.trouble}"] if kept.trouble else [])
