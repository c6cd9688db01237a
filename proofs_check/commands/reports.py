"""``twofold report``, ``diff`` and ``lock``: what a run found, in other forms, and held on to."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from proofs_check.commands import checks
from proofs_check.inputs.errors import UsageError
from proofs_check.inputs.files import read_bytes

if TYPE_CHECKING:
    from proofs_check.claims.report import Report

#: Seconds that the pages of a claim take to make, and of how many in all it is told.
SECONDS_A_CLAIM, LONG = 0.03, 10


def fill_report(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold report``."""
    parser.add_argument("report", metavar="FILE", help="the JSON report of a run")
    parser.add_argument("--html", metavar="DIR|FILE.html", help="write it as pages, or as one file to mail")
    parser.add_argument("--figures", metavar="DIR", help="figures for the pages, as `twofold figures` wrote them")
    parser.add_argument("--selftest", metavar="FILE", help="what `twofold selftest --json` wrote, for the pages")
    parser.add_argument("--before", metavar="FILE", help="an earlier report, whose differences the pages show")
    parser.add_argument("--markdown", metavar="FILE", help="write it as Markdown")
    parser.add_argument("--junit", metavar="FILE", help="write it as JUnit XML")
    parser.add_argument("--latex", metavar="FILE", help="where --comments go (PAPER-comments.tex unless given)")
    parser.add_argument("--comments", metavar="PAPER", help="write comments on a paper as LaTeX, the gravest first")


def run_report(args: argparse.Namespace) -> int:
    """Write a run's report in other forms; returns the exit status."""
    from proofs_check.report import outputs
    from proofs_check.report.publishing import check_pages
    from proofs_check.report.reading import read_report, read_selftest

    report = read_report("FILE", args.report)
    papers = sorted({claim["paper"]["id"] for claim in report["claims"]})
    if (args.latex or args.comments) is not None and args.comments not in papers:
        expected = f"one of {', '.join(papers)}" if papers else "a report with claims; FILE has none"
        raise UsageError("--comments", args.comments or "", expected)
    letter = args.latex or (f"{args.comments}-comments.tex" if args.comments else None)
    files = {"--markdown": args.markdown, "--junit": args.junit, "--latex": letter}
    targets = {name: outputs.check_target(name, value) for name, value in files.items() if value is not None}
    outputs.check_apart(
        {**files, "--html": args.html}, {"FILE": args.report, "--before": args.before, "--selftest": args.selftest}
    )
    if args.html is not None:
        targets["--html"] = check_pages("--html", args.html, files)
    if not targets:
        raise UsageError("report", args.report, "something to write", "give --html, --markdown, --junit or --comments")
    figures = outputs.present_folder("--figures", args.figures) if args.figures is not None else None
    selftest = read_selftest("--selftest", args.selftest) if args.selftest is not None else None
    before = read_report("--before", args.before) if args.before is not None else None

    from proofs_check.report import site

    forms: dict[str, Callable[[Report], str]] = {
        "--markdown": site.markdown,
        "--junit": outputs.junit,
        "--latex": lambda report: site.comments(report, args.comments),
    }
    count = len(report["claims"])
    if "--html" in targets and (seconds := count * SECONDS_A_CLAIM) >= LONG:
        print(f"{count} claims: their pages take about {seconds:.0f} s.", file=sys.stderr, flush=True)
    # all is made before anything is written
    texts = {name: form(report) for name, form in forms.items() if name in targets}
    status = 0
    for name, path in sorted(targets.items(), key=lambda target: target[0] != "--html"):
        try:
            if name == "--html":
                site.write(report, path, selftest=selftest, figures=figures, before=before)
            else:
                outputs.atomic_write(path, texts[name])
            print(Path(args.html) / "index.html" if name == "--html" and path.suffix != ".html" else path)
        except OSError as error:
            print(outputs.unwritten(name, path, error), file=sys.stderr)
            status = 1
    return status


def fill_diff(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold diff``."""
    parser.add_argument("before", metavar="A.json", help="the report of one run")
    parser.add_argument("after", metavar="B.json", help="the report of another")


def run_diff(args: argparse.Namespace) -> int:
    """Print what changed between two reports; returns the exit status."""
    from proofs_check.report.reading import read_report
    from proofs_check.report.site import diff

    found = diff(read_report("A.json", args.before), read_report("B.json", args.after))
    print("\n".join(found.lines()))
    return 1 if found.verdicts else 0


def fill_lock(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``twofold lock``."""
    parser.add_argument("--report", default="report/report.json", metavar="FILE", help="report of a whole run")
    parser.add_argument("--figures", default="report/figures", metavar="DIR", help="what `twofold figures` wrote")
    parser.add_argument("--out", default="verdicts.toml", metavar="FILE", help="the lock (verdicts.toml unless given)")


def run_lock(args: argparse.Namespace) -> int:
    """Write verdicts.toml; returns the exit status."""
    from proofs_check.report import lock, outputs
    from proofs_check.report.reading import read_report

    report = read_report("--report", args.report)
    target = outputs.check_target("--out", args.out)
    outputs.check_apart({"--out": args.out}, {"--report": args.report})
    before = read_bytes("--out", target).decode("utf-8", "replace") if target.exists() else ""
    if before.strip() and not lock.is_lock(before):
        raise UsageError("--out", args.out, "a lock, or no file yet; it has no [verdicts]", "choose another file")
    whole = set(checks.catalogue(()))
    missing = sorted(whole - {claim["id"] for claim in report["claims"]})
    if missing:
        raise UsageError("--report", args.report, f"a run of every claim; {missing[0]} is missing", "judge all")
    text = lock.written(report, lock.data_of(Path(args.figures)))
    try:
        outputs.atomic_write(target, text)
    except OSError as error:
        print(outputs.unwritten("--out", target, error), file=sys.stderr)
        return 1
    changes = lock.news(before, text) if before else []
    print("\n".join([f"wrote {args.out}", *(changes or ([] if not before else ["nothing changed"]))]))
    return 0
